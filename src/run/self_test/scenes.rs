//! Random scenes, judged by sampling: places by plain forward kinematics, distances of all
//! triangles that balls leave over.

use clearance_proof::check::Checker;
use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::geometry::triangle::Closest;
use clearance_proof::model::{
    Body, Cell, Form, Interpolation, Joint, JointKind, Segment, Trajectory,
};
use clearance_proof::report::{ContactKind, Verdict};
use nalgebra::{Isometry3, Point3, Translation3, Unit, UnitQuaternion, Vector3};

use super::suite::{CertificateSuite, SelfTest, Suite, Xorshift};
use crate::error::Error;

/// Looks at a segment, besides its ends.
const LOOKS: usize = 24;
/// How far sampling and the check may differ by rounding, metres.
const ROUNDING: f64 = 1e-9;

pub(super) fn run(
    test: &SelfTest,
    certificates: &mut CertificateSuite,
    progress: &dyn Fn(f64),
) -> Suite {
    let mut suite = Suite::new("random scenes");
    let mut random = Xorshift(test.seed.wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1);
    while suite.asked < test.scenes {
        progress(suite.asked as f64 / test.scenes as f64);
        let number = suite.asked;
        let (cell, trajectory, clearance) = scene(&mut random);
        let checker = Checker::new(cell);
        if checker.pairs().checked.is_empty() {
            continue;
        }
        suite.asked += 1;
        if let Err(why) = asked(&checker, &trajectory, clearance, &mut suite, certificates) {
            suite.wrong.push(format!("scene {number}: {why}"));
        }
    }
    suite
}

fn asked(
    checker: &Checker,
    trajectory: &Trajectory,
    clearance: f64,
    suite: &mut Suite,
    certificates: &mut CertificateSuite,
) -> Result<(), Error> {
    let options = CheckOptions::default();
    let answer = checker.check(trajectory, clearance, &options)?;
    let oracle = Oracle::new(checker, clearance);
    match (answer.verdict, answer.first_contact) {
        (Verdict::Clear, _) => {
            suite.clear += 1;
            oracle.free_until(trajectory, f64::INFINITY)?;
            certificates.of("random scene", checker, trajectory, clearance);
            Ok(())
        }
        (Verdict::Collision, Some(first)) => {
            suite.collision += 1;
            oracle.free_until(trajectory, first.free_until)?;
            let within = oracle.beyond(&trajectory.segments[first.segment], first.fraction);
            if first.kind == ContactKind::Inside || within <= ROUNDING {
                Ok(())
            } else {
                Err(Error::internal(format!(
                    "no contact at {} s: {within} m are left",
                    first.time
                )))
            }
        }
        _ => {
            // Within the resolution of the threshold nobody can tell.
            suite.other += 1;
            Ok(())
        }
    }
}

/// A body's triangles in the frame of its joint, each with the radius around it, and a ball around
/// all.
struct SceneShape {
    joint: Option<usize>,
    triangles: Vec<([Point3<f64>; 3], f64)>,
    ball: (Point3<f64>, f64),
}

struct Oracle<'c> {
    checker: &'c Checker,
    shapes: Vec<SceneShape>,
    clearance: f64,
}

impl<'c> Oracle<'c> {
    fn new(checker: &'c Checker, clearance: f64) -> Self {
        let shapes = checker.cell().bodies.iter().map(|body| {
            let mut triangles = Vec::new();
            for shape in &body.shapes {
                let (mesh, radius) = shape.form.mesh_and_radius();
                let place = body.joint_from_body * shape.body_from_shape;
                for k in 0..mesh.triangles.len() {
                    triangles.push((mesh.corners(k).map(|p| place * p), radius));
                }
            }
            let corners = || {
                triangles
                    .iter()
                    .flat_map(|(t, r)| t.iter().map(move |p| (p, r)))
            };
            let sum: Vector3<f64> = corners().map(|(p, _)| p.coords).sum();
            let middle = Point3::from(sum / corners().count().max(1) as f64);
            let far = corners().map(|(p, r)| (p - middle).norm() + r);
            let far = far.fold(0.0, f64::max);
            SceneShape {
                joint: body.joint,
                ball: (middle, far),
                triangles,
            }
        });
        Oracle {
            shapes: shapes.collect(),
            checker,
            clearance,
        }
    }

    /// Whether no look before a time finds a pair within its distance.
    fn free_until(&self, trajectory: &Trajectory, until: f64) -> Result<(), Error> {
        for segment in &trajectory.segments {
            for k in 0..=LOOKS {
                let s = k as f64 / LOOKS as f64;
                let time = segment.start + s * (segment.end - segment.start);
                let beyond = self.beyond(segment, s);
                if time < until && beyond < -ROUNDING {
                    return Err(Error::internal(format!(
                        "at {time} s a pair is {} m too near",
                        -beyond
                    )));
                }
            }
        }
        Ok(())
    }

    /// How much farther apart than asked the nearest checked pair is, at most 1 m; negative:
    /// nearer.
    fn beyond(&self, segment: &Segment, s: f64) -> f64 {
        let mut places: Vec<Isometry3<f64>> = Vec::new();
        for (joint, c) in self.checker.cell().joints.iter().zip(segment.joints()) {
            let value = c.iter().rev().fold(0.0, |v, c| v * s + c);
            let moved = joint.parent_from_joint
                * match joint.kind {
                    JointKind::Prismatic => {
                        Isometry3::from(Translation3::from(joint.axis.into_inner() * value))
                    }
                    JointKind::Revolute | JointKind::Continuous => Isometry3::from_parts(
                        Translation3::identity(),
                        UnitQuaternion::from_axis_angle(&joint.axis, value),
                    ),
                };
            places.push(joint.parent.map_or(moved, |p| places[p] * moved));
        }
        let mut least = 1.0f64;
        for pair in &self.checker.pairs().checked {
            let clearance = pair.clearance.unwrap_or(self.clearance);
            let [a, b] = [pair.a, pair.b].map(|body| &self.shapes[body]);
            let place =
                |shape: &SceneShape| shape.joint.map_or(Isometry3::identity(), |j| places[j]);
            let (at_a, at_b) = (place(a), place(b));
            let whole = (at_a * a.ball.0 - at_b * b.ball.0).norm() - a.ball.1 - b.ball.1;
            if whole - clearance > least {
                continue;
            }
            for (t, r) in &a.triangles {
                let t = t.map(|p| at_a * p);
                for (u, q) in &b.triangles {
                    let between = Closest::of_triangles(&t, &u.map(|p| at_b * p)).distance;
                    least = least.min(between - r - q - clearance);
                }
            }
        }
        least
    }
}

fn vector(random: &mut Xorshift, size: f64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| random.between(-size, size))
}

fn pose(random: &mut Xorshift, size: f64) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_scaled_axis(vector(random, 2.0));
    Isometry3::from_parts(Translation3::from(vector(random, size)), turn)
}

fn form(random: &mut Xorshift) -> Form {
    match random.below(4) {
        0 => Form::Sphere {
            radius: random.between(0.02, 0.15),
        },
        1 => Form::Capsule {
            radius: random.between(0.02, 0.08),
            length: random.between(0.1, 0.4),
        },
        _ => Form::Box {
            size: vector(random, 0.2).abs() + Vector3::repeat(0.01),
        },
    }
}

/// An arm of two to four joints, some of which slide, things around it, a motion of straight lines,
/// cubics or quintics, and D.
fn scene(random: &mut Xorshift) -> (Cell, Trajectory, f64) {
    let mut cell = Cell::with_one_robot();
    let (mut parent, mut carrier) = (None, None);
    for k in 0..2 + random.below(3) {
        let axis = Unit::new_normalize(vector(random, 1.0) + Vector3::z() * 0.1);
        let from = match k {
            0 => Isometry3::translation(0.0, 0.0, 0.2),
            _ => pose(random, 0.3),
        };
        let name = format!("joint {k}");
        let joint = cell.add_joint(match random.below(5) {
            0 => Joint::prismatic(&name, parent, from, axis),
            _ => Joint::revolute(&name, parent, from, axis),
        });
        let (form, at) = (form(random), pose(random, 0.15));
        let link = Body::link(&format!("link {k}"), form, joint, at, carrier);
        carrier = Some(cell.add_body(link));
        parent = Some(joint);
    }
    for k in 0..1 + random.below(4) {
        let mut at = pose(random, 0.2);
        let towards = (vector(random, 1.0) + Vector3::z() * 1e-3).normalize();
        at.translation.vector += towards * random.between(0.4, 1.2);
        cell.add_body(Body::obstacle(&format!("thing {k}"), form(random), at));
    }
    let joints = cell.joints.len();
    let degree = [1, 3, 5][random.below(3)];
    let mut values: Vec<f64> = (0..joints).map(|_| random.between(-1.0, 1.0)).collect();
    let mut segments = Vec::new();
    for k in 0..1 + random.below(5) {
        let mut polynomials = Vec::new();
        for value in &mut values {
            let mut c = [*value, 0.0, 0.0, 0.0, 0.0, 0.0];
            if random.below(6) > 0 {
                for c in &mut c[1..=degree] {
                    *c = random.between(-0.7, 0.7);
                }
            }
            *value = c.iter().sum();
            polynomials.push(c);
        }
        segments.push(Segment::new(k as f64, (k + 1) as f64, polynomials));
    }
    let clearance = [0.0, 0.001, 0.02][random.below(3)];
    let trajectory = Trajectory {
        segments,
        interpolation: Interpolation::Quintic,
        timed: true,
    };
    (cell, trajectory, clearance)
}
