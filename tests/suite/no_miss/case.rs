//! Random scenes: scene n is always the same.

use clearance_proof::model::{BodyId, Form, Interpolation, JointKind};
use nalgebra::Vector3;

use crate::common::oracle::Oracle;
use crate::common::{Polynomial, Random, Scenario, form, shapes};

/// A scene: robots with random links, obstacles near their way, a motion, a threshold.
pub struct Case {
    pub scenario: Scenario,
    pub clearance: f64,
    /// The greatest rounding error, metres.
    pub rounding: f64,
}

impl Case {
    pub fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x5851_F42D_4C95_7F2D));
        let r = &mut random;
        let mut scenario = Scenario::new();
        let far = r.one_in(4);
        let base = if far {
            Vector3::new(70.0, -70.0, 10.0)
        } else {
            Vector3::zeros()
        };
        for robot in 0..1 + usize::from(r.one_in(4)) {
            add_robot(r, &mut scenario, base, robot == 0);
        }
        add_motion(r, &mut scenario);
        let robots = scenario.cell.bodies.len();
        for _ in 0..1 + r.below(3) {
            add_obstacle(r, &mut scenario, robots, base);
        }
        Case {
            scenario,
            clearance: [0.0, 1e-3, 1e-2][r.below(3)],
            rounding: if far { 1e-8 } else { 1e-9 },
        }
    }

    pub fn pairs(&self) -> Vec<(BodyId, BodyId)> {
        let table = self.scenario.table();
        table.checked.iter().map(|p| (p.a, p.b)).collect()
    }
}

/// 10 µm to 3 m, mostly what links and tools measure.
fn size(r: &mut Random) -> f64 {
    if r.one_in(4) {
        r.spread(1e-5, 1.5)
    } else {
        r.spread(0.02, 0.3)
    }
}

/// A mesh, or now and then a primitive.
fn any_form(r: &mut Random, size: f64) -> Form {
    if !r.one_in(4) {
        return form(shapes::any(r, size));
    }
    let radius = size * r.spread(0.05, 0.5);
    match r.below(6) {
        0 | 1 => Form::Capsule {
            radius,
            length: size,
        },
        2 => Form::Sphere { radius },
        3 => Form::Box {
            size: Vector3::new(size, radius, size * r.unit()),
        },
        4 => Form::Cone {
            radius: radius.min(0.01),
            length: size,
        },
        _ => Form::Cylinder {
            radius: radius.min(0.01),
            length: size,
        },
    }
}

fn add_robot(r: &mut Random, scenario: &mut Scenario, base: Vector3<f64>, main: bool) {
    let count = if main { 1 + r.below(6) } else { 1 + r.below(2) };
    let mut parent = None;
    let mut carrier = None;
    let first = scenario.cell.joints.len();
    for k in 0..count {
        let (joint_parent, body_parent) = if k > 1 && r.one_in(6) {
            // A second arm.
            (Some(first), None)
        } else {
            (parent, carrier)
        };
        let mut at = r.pose(0.0);
        let length = r.spread(0.02, 0.8);
        at.translation.vector = match joint_parent {
            Some(_) => r.vector() * length,
            None => base + r.vector() * if main { 0.1 } else { 1.0 },
        };
        let kind = if r.one_in(5) {
            JointKind::Prismatic
        } else {
            JointKind::Revolute
        };
        let axis = if r.one_in(2) {
            Vector3::z()
        } else {
            r.direction().into_inner()
        };
        let joint = scenario.joint(joint_parent, at, axis, kind);
        parent = Some(joint);
        if k + 1 == count || !r.one_in(4) {
            let shapes = (0..1 + usize::from(r.one_in(6))).map(|_| {
                let place = if r.one_in(3) { 0.0 } else { 0.3 };
                let size = size(r);
                (r.pose(place), any_form(r, size))
            });
            let shapes = shapes.collect();
            carrier = Some(scenario.body(Some(joint), body_parent, shapes));
        }
    }
}

fn add_motion(r: &mut Random, scenario: &mut Scenario) {
    let law = [
        Interpolation::Linear,
        Interpolation::Cubic,
        Interpolation::Quintic,
    ][r.below(3)];
    scenario.trajectory.interpolation = law;
    let kinds: Vec<JointKind> = scenario.cell.joints.iter().map(|j| j.kind).collect();
    let joint_bounds = r.spread(0.01, 6.0);
    let reach: Vec<f64> = kinds
        .iter()
        .map(|kind| match kind {
            JointKind::Prismatic => joint_bounds.min(0.5),
            _ => joint_bounds,
        })
        .collect();
    let waypoint = |r: &mut Random, from: &[[f64; 3]]| -> Vec<[f64; 3]> {
        let still = r.one_in(6);
        (0..reach.len())
            .map(|k| {
                let move_by = if still && r.one_in(2) { 0.0 } else { reach[k] };
                [
                    from[k][0] + move_by * r.signed(),
                    reach[k] * r.signed(),
                    2.0 * reach[k] * r.signed(),
                ]
            })
            .collect()
    };
    let start: Vec<[f64; 3]> = reach.iter().map(|_| [r.signed() * 0.5, 0.0, 0.0]).collect();
    let mut here = waypoint(r, &start);
    for _ in 0..1 + r.below(2) {
        let next = waypoint(r, &here);
        let pieces = here.iter().zip(&next);
        scenario.segment(pieces.map(|(p, q)| polynomial(law, p, q)).collect());
        here = next;
    }
}

/// Position, speed and acceleration at both ends of a segment of one second.
fn polynomial(law: Interpolation, p: &[f64; 3], q: &[f64; 3]) -> Polynomial {
    let d = q[0] - p[0];
    let (m0, m1, b0, b1) = (p[1], q[1], p[2], q[2]);
    match law {
        Interpolation::Linear => [p[0], d, 0.0, 0.0, 0.0, 0.0],
        Interpolation::Cubic => [
            p[0],
            m0,
            3.0 * d - 2.0 * m0 - m1,
            m0 + m1 - 2.0 * d,
            0.0,
            0.0,
        ],
        Interpolation::Quintic => [
            p[0],
            m0,
            b0 / 2.0,
            10.0 * d - 6.0 * m0 - 4.0 * m1 - (3.0 * b0 - b1) / 2.0,
            7.0 * m1 + 8.0 * m0 - 15.0 * d + (3.0 * b0 - 2.0 * b1) / 2.0,
            6.0 * d - 3.0 * (m0 + m1) - (b0 - b1) / 2.0,
        ],
    }
}

/// Puts an obstacle near the way of the robots, mostly so that they only just pass it, or only just
/// hit it.
fn add_obstacle(r: &mut Random, scenario: &mut Scenario, robots: usize, base: Vector3<f64>) {
    let size = size(r);
    let at = r.pose(0.0);
    let shape = any_form(r, size);
    let body = scenario.body(None, None, vec![(at, shape)]);
    let moves = |scenario: &mut Scenario, by: Vector3<f64>| {
        scenario.cell.bodies[body]
            .joint_from_body
            .translation
            .vector += by;
    };
    // Somewhere within reach, well away from the first instant.
    let away = r.direction().into_inner() * r.spread(0.05, 1.5);
    moves(scenario, base + away);
    for _ in 0..3 {
        let oracle = Oracle::new(scenario);
        let mut least = (f64::INFINITY, Vector3::zeros());
        for segment in 0..scenario.trajectory.segments.len() {
            for i in 0..=24 {
                let poses = oracle.poses(segment, f64::from(i) / 24.0);
                for link in 0..robots {
                    let found = oracle.closest(&poses, link, body);
                    if found.0 < least.0 {
                        least = found;
                    }
                }
            }
        }
        if least.0 > 0.0 {
            let target = if r.one_in(2) {
                r.spread(1e-5, 0.03)
            } else {
                [1e-2, 1e-3][r.below(2)] + 1e-4 * r.signed()
            };
            moves(scenario, least.1.normalize() * (target - least.0));
        } else if r.one_in(3) {
            break; // Some scenes are hit hard.
        } else {
            moves(scenario, away * 0.5);
        }
    }
}
