//! Profiles against dense sampling. The oracle knows forward kinematics and the distance of two
//! triangles, and tries them all.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::*;
use crate::bvh::SphereTree;
use crate::geometry::mesh::Mesh;
use crate::geometry::random::Random;
use crate::geometry::triangle::Closest;
use crate::model::{
    Body, Cell, Form, Interpolation, Joint, JointKind, Limits, MotionInstant, Polynomial,
    RigidError, Role, Shape, Uncertainty,
};
use crate::pairs::PairTable;

/// Triangles strewn over a ball.
fn mesh(random: &mut Random, size: f64) -> Mesh {
    let mut mesh = Mesh::default();
    for i in 0..3 + random.below(6) as u32 {
        let center = random.vector() * size;
        for _ in 0..3 {
            let corner = center + random.vector() * 0.4 * size;
            mesh.vertices.push(corner.into());
        }
        mesh.triangles.push([3 * i, 3 * i + 1, 3 * i + 2]);
    }
    mesh
}

fn body(name: &str, joint: Option<usize>, at: Isometry3<f64>, mesh: Mesh) -> Body {
    let form = Form::Mesh {
        mesh: Arc::new(mesh),
        file: "mesh.stl".into(),
    };
    Body {
        name: name.into(),
        role: match joint {
            Some(_) => Role::Link { robot: 0 },
            None => Role::Obstacle,
        },
        joint,
        joint_from_body: at,
        parent: None,
        shapes: vec![Shape {
            name: String::new(),
            body_from_shape: Isometry3::identity(),
            form,
            // The oracle looks at surfaces only.
            solid: Some(false),
            scale: None,
        }],
    }
}

/// A chain of three joints with a body on the first and on the last, and an obstacle; three
/// segments of any law.
fn cell(random: &mut Random) -> (Cell, Trajectory) {
    let mut cell = Cell::default();
    for k in 0..3usize {
        let slides = random.below(4) == 0;
        cell.joints.push(Joint {
            name: format!("j{k}"),
            robot: 0,
            parent: k.checked_sub(1),
            parent_from_joint: Isometry3::new(0.5 * random.vector(), 3.0 * random.vector()),
            axis: Unit::new_normalize(random.vector() + Vector3::new(0.0, 0.0, 1e-3)),
            kind: if slides {
                JointKind::Prismatic
            } else {
                JointKind::Continuous
            },
            limits: Limits::default(),
            mimic: None,
        });
        cell.rest.push(0.0);
    }
    for (name, joint, away) in [
        ("tool", Some(2), 0.3),
        ("arm", Some(0), 0.1),
        ("post", None, 1.0),
    ] {
        let at = Isometry3::new(away * random.vector(), 3.0 * random.vector());
        let mesh = mesh(random, 0.2);
        cell.bodies.push(body(name, joint, at, mesh));
    }
    let mut q = [0.0; 3].map(|_: f64| 3.0 * random.signed());
    let mut trajectory = Trajectory {
        segments: Vec::new(),
        interpolation: Interpolation::Quintic,
        timed: true,
    };
    for k in 0..3 {
        let degree = [1, 3, 5][random.below(3)];
        let joints: Vec<Polynomial> = q
            .iter_mut()
            .map(|q| {
                let mut c = [*q, 0.0, 0.0, 0.0, 0.0, 0.0];
                for coefficient in &mut c[1..=degree] {
                    *coefficient = random.signed();
                }
                *q = c.iter().sum();
                c
            })
            .collect();
        trajectory.segments.push(Segment {
            start: f64::from(k),
            end: f64::from(k + 1),
            joints: joints.into(),
            errors: None,
        });
    }
    (cell, trajectory)
}

/// Distance of two bodies at an instant, by all their triangles.
fn oracle(cell: &Cell, (a, b): (usize, usize), q: &[f64]) -> f64 {
    let world = cell.forward(q);
    let triangles = |id: usize| -> Vec<[Point3<f64>; 3]> {
        let pose = cell.body_pose(&world, id);
        let Form::Mesh { mesh, .. } = &cell.bodies[id].shapes[0].form else {
            unreachable!("these bodies are meshes")
        };
        (0..mesh.triangles.len())
            .map(|t| mesh.corners(t).map(|p| pose * p))
            .collect()
    };
    let (of_a, of_b) = (triangles(a), triangles(b));
    let pairs = of_a.iter().flat_map(|x| of_b.iter().map(move |y| (x, y)));
    pairs
        .map(|(x, y)| Closest::of_triangles(x, y).distance)
        .fold(f64::INFINITY, f64::min)
}

fn trees(cell: &Cell) -> Vec<Vec<Arc<SphereTree>>> {
    let bodies = cell.bodies.iter();
    let tree = |body: &Body| match &body.shapes[0].form {
        Form::Mesh { mesh, .. } => vec![Arc::new(SphereTree::new(mesh, 0.0))],
        _ => unreachable!("these bodies are meshes"),
    };
    bodies.map(tree).collect()
}

/// Samples are exact, bounds hold, and bounds are not slack.
#[test]
fn no_instant_is_nearer_than_the_bound() {
    let mut random = Random(6);
    let (mut bounded, mut steps) = (0, 0);
    for _ in 0..40 {
        let (cell, trajectory) = cell(&mut random);
        let pairs = PairTable::new(&cell);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &pairs, 0.0);
        let mut q = Vec::new();
        for (pair, who) in scene.pairs.iter().enumerate() {
            let instants = [
                MotionInstant::START,
                MotionInstant::new(1, random.unit()),
                MotionInstant::new(2, 1.0),
            ];
            let profile = scene.pair_profile(pair, &trajectory, &instants);
            assert_eq!(profile.bounds.len() + 1, profile.samples.len());
            let mut judged = |instant: MotionInstant| {
                let segment = trajectory.segment_at(instant);
                segment.configuration(instant.fraction, &mut q);
                oracle(&cell, (who.a, who.b), &q)
            };
            for instant in instants {
                assert!(profile.samples.iter().any(|s| s.instant == instant));
            }
            for sample in &profile.samples {
                let exact = judged(sample.instant);
                assert!((sample.distance - exact).abs() < 1e-9, "{sample:?} {exact}");
            }
            for (ends, &bound) in profile.samples.windows(2).zip(&profile.bounds) {
                let [u0, u1] =
                    [ends[0], ends[1]].map(|e| e.instant.segment as f64 + e.instant.fraction);
                assert!(u0 <= u1, "{ends:?}");
                let nearer = ends[0].distance.min(ends[1].distance);
                steps += 1;
                bounded += usize::from(bound >= nearer - 2.0 * slack(nearer));
                for k in 0..=40 {
                    let u = u0 + (u1 - u0) * f64::from(k) / 40.0;
                    let segment = (u.floor() as usize).min(2);
                    let exact = judged(MotionInstant::new(segment, u - segment as f64));
                    assert!(
                        exact >= bound - 1e-9,
                        "{exact} below {bound} at {u}: {ends:?}"
                    );
                }
            }
            let least = profile.least().map(|s| s.distance);
            assert!(least >= Some(profile.bound()));
        }
    }
    assert!(
        steps > 400 && bounded * 100 > 95 * steps,
        "{bounded} of {steps}"
    );
}

/// The distance that travel leaves, from the distances at both ends of a step, is a bound at every
/// instant of it, ends included: it is sharp there for a part that goes straight away.
#[test]
fn travel_takes_no_less_than_the_motion() {
    let mut random = Random(12);
    let (mut q, mut sharp, mut across, mut enough) = (Vec::new(), 0, 0, 0);
    for _ in 0..60 {
        let (cell, trajectory) = cell(&mut random);
        let (pairs, trees) = (PairTable::new(&cell), trees(&cell));
        let scene = Scene::new(&cell, &trees, &pairs, 0.0);
        for (pair, who) in scene.pairs.iter().enumerate() {
            let mut follower = Follower::new(&scene, pair, &trajectory);
            for _ in 0..10 {
                let u0 = 2.7 * random.unit();
                let u1 = u0 + [0.3, 0.03, 0.003][random.below(3)];
                let instant = |u: f64| MotionInstant::new(u.floor() as usize, u.fract());
                let [from, to] = [u0, u1].map(|u| follower.sample(instant(u)));
                let bound = follower.by_travel(&from, &to);
                let mut least = f64::INFINITY;
                for k in 0..=20 {
                    let at = instant(u0 + (u1 - u0) * f64::from(k) / 20.0);
                    trajectory.segment_at(at).configuration(at.fraction, &mut q);
                    least = least.min(oracle(&cell, (who.a, who.b), &q));
                }
                assert!(least >= bound - 1e-9, "{least} below {bound}: {u0} to {u1}");
                let nearer = from.distance.min(to.distance);
                let travel = from.distance + to.distance - 2.0 * bound;
                let is_across = from.instant.segment != to.instant.segment;
                sharp += usize::from(bound > 0.0 && least - bound < 0.1 * travel);
                across += usize::from(bound > 0.0 && is_across);
                enough += usize::from(bound >= nearer - slack(nearer));
            }
        }
    }
    assert!(
        sharp > 20 && across > 20 && enough > 300,
        "{sharp} sharp, {across} across a waypoint, {enough} that need no search"
    );
}

/// Where joints may be off, bounds hold for them, and nobody looks for instants at which a bound
/// could be as near as without errors: there is none.
#[test]
fn errors_lower_bounds_and_ask_for_no_more_instants() {
    const JOINT_ERROR: f64 = 0.02;
    let mut random = Random(8);
    let (mut instants, mut without, mut nearest, mut q) = (0, 0, f64::INFINITY, Vec::new());
    for case in 0..40 {
        let (ideal, trajectory) = cell(&mut random);
        let (mut cell, mut with_errors) = (ideal.clone(), trajectory.clone());
        // Errors that segments state in one half of the cases, and that the cell states in the
        // other.
        if case % 2 == 0 {
            for segment in &mut with_errors.segments {
                segment.errors = SegmentErrors::new(vec![JOINT_ERROR; 3], Vec::new());
            }
        } else {
            let mut budget = Uncertainty::none(&cell);
            budget.joint = vec![JOINT_ERROR; 3];
            budget.model = vec![RigidError::default(); 3];
            cell.uncertainty = Some(budget);
        }
        let (pairs, trees) = (PairTable::new(&cell), trees(&cell));
        let scene = Scene::new(&cell, &trees, &pairs, 0.0);
        let ideal = Scene::new(&ideal, &trees, &pairs, 0.0);
        let asked = [MotionInstant::START, MotionInstant::new(2, 1.0)];
        for (pair, who) in scene.pairs.iter().enumerate() {
            let profile = scene.pair_profile(pair, &with_errors, &asked);
            instants += profile.samples.len();
            let of_ideal = ideal.pair_profile(pair, &trajectory, &asked);
            without += of_ideal.samples.len();
            for (ends, &bound) in profile.samples.windows(2).zip(&profile.bounds) {
                let [u0, u1] =
                    [ends[0], ends[1]].map(|e| e.instant.segment as f64 + e.instant.fraction);
                for _ in 0..20 {
                    let u = u0 + (u1 - u0) * random.unit();
                    let segment = (u.floor() as usize).min(2);
                    trajectory.segments[segment].configuration(u - segment as f64, &mut q);
                    for value in &mut q {
                        *value += JOINT_ERROR * f64::from(1 - 2 * (random.below(2) as i32));
                    }
                    let exact = oracle(&cell, (who.a, who.b), &q);
                    assert!(exact >= bound - 1e-9, "{exact} below {bound} at {u}");
                    nearest = nearest.min((exact - bound) / exact);
                }
            }
        }
    }
    assert!(nearest < 0.1, "no error comes near a bound: {nearest}");
    assert!(
        instants < 2 * without,
        "{instants} instants, {without} without errors"
    );
}

/// A body inside a solid has no distance to it, whatever its surface says.
#[test]
fn inside_a_solid_is_no_clearance() {
    let hollow = crate::geometry::mesh::Mesh::cuboid(&Vector3::new(1.0, 1.0, 1.0));
    let small = crate::geometry::mesh::Mesh::cuboid(&Vector3::new(0.1, 0.1, 0.1));
    let mut random = Random(1);
    let (mut cell, _) = self::cell(&mut random);
    cell.joints.truncate(1);
    cell.rest.truncate(1);
    cell.joints[0] = Joint {
        kind: JointKind::Prismatic,
        axis: Vector3::x_axis(),
        parent_from_joint: Isometry3::identity(),
        ..cell.joints[0].clone()
    };
    cell.bodies = vec![
        body("slider", Some(0), Isometry3::identity(), small.clone()),
        body("case", None, Isometry3::identity(), hollow.clone()),
    ];
    for body in &mut cell.bodies {
        body.shapes[0].solid = None;
    }
    let trajectory = Trajectory {
        segments: vec![Segment {
            start: 0.0,
            end: 1.0,
            joints: vec![[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]].into(),
            errors: None,
        }],
        interpolation: Interpolation::Linear,
        timed: true,
    };
    let trees = [small, hollow].map(|m| vec![Arc::new(SphereTree::new(&m, 0.0))]);
    let pairs = PairTable::new(&cell);
    let scene = Scene::new(&cell, &trees, &pairs, 0.0);
    let instants: Vec<MotionInstant> = (0..=10)
        .map(|k| MotionInstant::new(0, f64::from(k) / 10.0))
        .collect();
    let profile = scene.pair_profile(0, &trajectory, &instants);
    let at = |time: f64| {
        let sample = profile.samples.iter().find(|s| s.time == time);
        sample.map(|s| s.distance)
    };
    assert_eq!((at(0.0), at(0.3)), (Some(0.0), Some(0.0)));
    assert!(
        at(1.0).is_some_and(|d| (d - 0.45).abs() < 1e-12),
        "{profile:?}"
    );
}

/// Forgetting a sample keeps what was proved on both sides of it.
#[test]
fn forgotten_samples_leave_their_bounds() {
    let sample = |k: usize, distance: f64| Sample {
        instant: MotionInstant::new(k, 0.0),
        time: k as f64,
        distance,
        points: None,
    };
    let mut profile = PairProfile {
        pair: 0,
        samples: [3.0, 1.0, 2.0, 5.0]
            .iter()
            .enumerate()
            .map(|(k, &d)| sample(k, d))
            .collect(),
        bounds: vec![0.9, 0.8, 1.7],
    };
    profile.retain(|s| s.distance >= 2.0);
    let kept: Vec<f64> = profile.samples.iter().map(|s| s.distance).collect();
    assert_eq!(
        (kept, profile.bounds),
        (vec![3.0, 2.0, 5.0], vec![0.8, 1.7])
    );
}
