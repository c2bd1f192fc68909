//! Random scenes: what is clear has a valid certificate, what is not has none, and nothing that was tampered with passes for true.

use clearance_proof::check::Checker;
use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::geometry::triangle::distance_triangle_triangle;
use clearance_proof::model::{Body, Cell, Form, Joint, Path, Segment};
use clearance_proof::report::{ContactKind, Verdict};
use clearance_recheck::files::{Certificate, Geometry};
use clearance_recheck::walk::check;
use nalgebra::{Isometry3, Point3, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};

use crate::{CertifyError, certificate, geometry};

mod mutants;

/// Numbers that are the same on every run.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 11) as usize % n
    }

    fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }

    fn pose(&mut self, size: f64) -> Isometry3<f64> {
        let turn = UnitQuaternion::from_scaled_axis(self.vector(2.0));
        Isometry3::from_parts(Translation3::from(self.vector(size)), turn)
    }

    fn form(&mut self) -> Form {
        match self.below(5) {
            0 => Form::Sphere {
                radius: self.between(0.02, 0.15),
            },
            1 => Form::Capsule {
                radius: self.between(0.02, 0.08),
                length: self.between(0.1, 0.4),
            },
            2 => Form::Cylinder {
                radius: self.between(0.02, 0.1),
                length: self.between(0.05, 0.4),
            },
            _ => Form::Box {
                size: self.vector(0.2).abs() + Vector3::repeat(0.01),
            },
        }
    }
}

struct Scene {
    cell: Cell,
    path: Path,
    clearance: f64,
}

/// An arm of two to four joints, some of which slide, a branch, and things around it; or two arms.
fn scene(random: &mut Random) -> Scene {
    let mut cell = Cell::with_one_robot();
    let mut parent = None;
    let mut links = Vec::new();
    for k in 0..2 + random.below(3) {
        let axis = Unit::new_normalize(random.vector(1.0) + Vector3::z() * 0.1);
        let from = match k {
            0 => Isometry3::translation(0.0, 0.0, 0.2),
            _ => random.pose(0.3),
        };
        let name = format!("j{k}");
        let joint = match random.below(5) {
            0 => Joint::prismatic(&name, parent, from, axis),
            _ => Joint::revolute(&name, parent, from, axis),
        };
        let id = cell.add_joint(joint);
        let carrier = links.last().copied();
        let form = random.form();
        let at = random.pose(0.15);
        links.push(cell.add_body(Body::link(&format!("link {k}"), form, id, at, carrier)));
        parent = match random.below(6) {
            0 => None,
            1 if id > 0 => Some(id - 1),
            _ => Some(id),
        };
    }
    for k in 0..1 + random.below(4) {
        let mut at = random.pose(0.2);
        at.translation.vector += random.vector(1.0).normalize() * random.between(0.4, 1.2);
        let form = random.form();
        cell.add_body(Body::obstacle(&format!("thing {k}"), form, at));
    }
    let joints = cell.joints.len();
    let degree = [1, 3, 5][random.below(3)];
    let mut at: Vec<f64> = (0..joints).map(|_| random.between(-1.0, 1.0)).collect();
    let mut segments = Vec::new();
    for k in 0..1 + random.below(7) {
        let polynomials = (0..joints).map(|j| {
            let mut c = [at[j], 0.0, 0.0, 0.0, 0.0, 0.0];
            let moves = random.below(6) > 0;
            for c in c[1..=degree].iter_mut().filter(|_| moves) {
                *c = random.between(-0.7, 0.7);
            }
            at[j] = c.iter().sum();
            c
        });
        segments.push(Segment {
            joints: polynomials.collect(),
            start: k as f64,
            end: (k + 1) as f64,
            taken_over: Vec::new(),
            tool_tubes: Vec::new(),
        });
    }
    let line = Path::linear(&cell, &[(0.0, vec![0.0; joints])]).unwrap();
    Scene {
        cell,
        path: Path { segments, ..line },
        clearance: [0.0, 0.001, 0.02][random.below(3)],
    }
}

fn whole(made: &[u8], file: &Geometry) -> Certificate {
    Certificate::read(made, |_| Ok(file.joints.len())).unwrap()
}

/// The checker's answer.
fn valid(file: &Geometry, certificate: &Certificate) -> Result<(), clearance_recheck::Invalid> {
    check(file, certificate, &mut |_, _| ()).map(|_| ())
}

/// By how much a checked pair is nearer than stated at one of some instants, at most 0; forward kinematics of its own, in
/// floating point, all triangles against all.
fn seen(file: &Geometry, certificate: &Certificate, instants: usize) -> f64 {
    let metres = |p: &[i64; 3]| Vector3::from(p.map(|x| x as f64 / (1u64 << 40) as f64));
    let mut least = 0.0f64;
    // Around each body, in the frame of its joint.
    let balls = (0..file.bodies.len()).map(|body| {
        let parts = || file.parts.iter().filter(|p| p.body == body);
        let corners = || parts().flat_map(|p| p.corners.iter().map(move |c| (metres(c), p.radius)));
        let count = corners().count().max(1) as f64;
        let middle = corners().map(|(c, _)| c).sum::<Vector3<f64>>() / count;
        let far = corners().map(|(c, r)| (c - middle).norm() + r as f64 / (1u64 << 40) as f64);
        (Point3::from(middle), far.fold(0.0, f64::max))
    });
    let balls: Vec<(Point3<f64>, f64)> = balls.collect();
    for segment in &certificate.segments {
        for k in 0..=instants {
            let s = k as f64 / instants as f64;
            let mut places: Vec<Isometry3<f64>> = Vec::new();
            for (joint, c) in file.joints.iter().zip(&segment.joints) {
                let value =
                    c.iter().rev().fold(0.0, |v, &c| v * s + c as f64) / (1u64 << 50) as f64;
                let rows = joint
                    .place
                    .rows
                    .map(|r| r.map(|x| x as f64 / (1u64 << 60) as f64));
                let rotation =
                    Rotation3::from_matrix_unchecked(nalgebra::Matrix3::from_fn(|i, k| rows[i][k]));
                let place = Isometry3::from_parts(
                    Translation3::from(metres(&joint.place.place)),
                    UnitQuaternion::from_rotation_matrix(&rotation),
                );
                let axis = Vector3::from(joint.axis.map(|x| x as f64 / (1u64 << 60) as f64));
                let moved = place
                    * if joint.slides {
                        Isometry3::new(axis * value, Vector3::zeros())
                    } else {
                        Isometry3::new(Vector3::zeros(), axis * value)
                    };
                places.push(joint.parent.map_or(moved, |p| places[p] * moved));
            }
            for pair in &file.pairs {
                let Ok(apart) = pair.apart else { continue };
                let of = |body: usize| {
                    let place = file.bodies[body]
                        .joint
                        .map_or(Isometry3::identity(), |j| places[j]);
                    let parts = file.parts.iter().filter(move |p| p.body == body);
                    parts.flat_map(move |p| {
                        let corners: Vec<Point3<f64>> = p
                            .corners
                            .iter()
                            .map(|c| place * Point3::from(metres(c)))
                            .collect();
                        let radius = p.radius as f64 / (1u64 << 40) as f64;
                        let triangles = p.triangles.iter();
                        let moved =
                            triangles.map(move |t| (t.map(|k| corners[k as usize]), radius));
                        moved.collect::<Vec<_>>()
                    })
                };
                let apart = apart as f64 / (1u64 << 40) as f64;
                // Most pairs are far apart as a whole.
                let whole = [pair.a, pair.b].map(|body| {
                    let place =
                        (file.bodies[body].joint).map_or(Isometry3::identity(), |j| places[j]);
                    let (middle, far) = balls[body];
                    (place * middle, far)
                });
                if (whole[0].0 - whole[1].0).norm() - whole[0].1 - whole[1].1 - apart > least {
                    continue;
                }
                let b: Vec<_> = of(pair.b).map(|(u, q)| (u, q, ball(&u))).collect();
                for (t, r) in of(pair.a) {
                    let (c, far) = ball(&t);
                    for (u, q, (d, wide)) in &b {
                        let more = r + q + apart;
                        // The exact distance only where it can be less.
                        if (c - d).norm() - far - wide - more < least {
                            least = least.min(distance_triangle_triangle(&t, u).distance - more);
                        }
                    }
                }
            }
        }
    }
    least
}

/// A ball around a triangle.
fn ball(t: &[Point3<f64>; 3]) -> (Point3<f64>, f64) {
    let middle = Point3::from((t[0].coords + t[1].coords + t[2].coords) / 3.0);
    let far = t.iter().map(|p| (p - middle).norm());
    (middle, far.fold(0.0, f64::max))
}

fn scenes() -> usize {
    let asked = std::env::var("CLEARANCE_SCENES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(200)
}

/// Catches a bound of the checker that is too large to be of use, and one of the engine or of both that is too small.
#[test]
fn what_is_clear_has_a_valid_certificate_and_what_is_not_has_none() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let (mut clear, mut contacts) = (0, 0);
    for number in 0..scenes() {
        let Scene {
            cell,
            path,
            clearance,
        } = scene(&mut random);
        let checker = Checker::new(cell);
        if checker.pairs().checked.is_empty() {
            continue;
        }
        let result = checker
            .check(&path, clearance, &CheckOptions::default())
            .unwrap();
        let bytes = geometry(checker.cell(), checker.pairs(), clearance).unwrap();
        let made = certificate(&bytes, "geometry", &path, &[]);
        let inside = result
            .first_contact
            .as_ref()
            .is_some_and(|c| c.kind == ContactKind::Inside);
        match (result.verdict, made) {
            (Verdict::Clear, Ok(made)) => {
                clear += 1;
                let file = Geometry::read(&bytes).unwrap();
                let certificate = whole(&made.bytes, &file);
                valid(&file, &certificate).unwrap_or_else(|e| panic!("scene {number}: {e}"));
                assert!(seen(&file, &certificate, 8) > -1e-9, "scene {number}");
            }
            (Verdict::Clear, Err(error)) => panic!("scene {number}: {error}"),
            (
                Verdict::Collision,
                Err(CertifyError::Contradiction(_) | CertifyError::NotFound(_)),
            ) => contacts += 1,
            // Surfaces do not show that a body is inside another one.
            (Verdict::Collision, Ok(_)) => {
                assert!(inside, "scene {number}: a certificate of a contact")
            }
            (verdict, made) => assert_ne!(verdict, Verdict::Collision, "scene {number}: {made:?}"),
        }
    }
    assert!(
        clear * 10 > scenes() && contacts * 10 > scenes(),
        "{clear} clear, {contacts} contacts"
    );
}
