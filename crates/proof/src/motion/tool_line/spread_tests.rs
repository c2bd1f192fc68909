//! Poses far off their curve: the bound on the Jacobian, entry by entry, and Newton's method, led
//! there in small steps.

use nalgebra::{UnitQuaternion, Vector3, Vector6};

use super::certify::PieceTest;
use super::middle::{PieceMiddle, PieceToProve, PoseError};
use super::spread::{ErrorRange, PoseChange, Spread};
use super::tests::{arm, arms, between, configuration, curve};
use super::wide_tests::{away_from_singularities, turned};
use super::{Arm, PoseCurve, SIX, reach};
use crate::geometry::pose::Pose;
use crate::geometry::random::Random;
use crate::model::{Cell, JointKind, Polynomial};
use crate::numeric::polynomial::value;

/// The arms, and each of them with a joint that slides.
pub(super) fn all_arms(random: &mut Random) -> Vec<(String, Cell)> {
    let mut all = Vec::new();
    for (name, cell) in arms() {
        let mut sliding = cell.clone();
        let which = random.below(SIX);
        sliding.joints[which].kind = JointKind::Prismatic;
        all.push((name.to_owned(), cell));
        all.push((format!("{name}, joint {which} slides"), sliding));
    }
    all
}

/// A shift and a rotation vector on the edge of what an error allows, or within it.
fn off(random: &mut Random, error: &ErrorRange) -> [Vector3<f64>; 2] {
    let ball = error.ball;
    let [place, turn] = [ball.position, ball.turn].map(|size| {
        let size = size * between(random, 0.0, 2.0).min(1.0);
        random.direction().into_inner() * size
    });
    let along = |edge: &Vector3<f64>| edge * between(random, -2.0, 2.0).clamp(-1.0, 1.0);
    [
        place,
        turn + error.edges.iter().map(along).sum::<Vector3<f64>>(),
    ]
}

/// The same errors, those of the orientation in a box with a little ball around it.
fn range(random: &mut Random, error: PoseError, in_box: bool) -> ErrorRange {
    if !in_box {
        return error.into();
    }
    let turn = UnitQuaternion::from_scaled_axis(random.direction().into_inner() * 3.0);
    let edge = |axis: Vector3<f64>, size: f64| turn * axis * (size * error.turn);
    ErrorRange {
        ball: PoseError {
            turn: 0.1 * error.turn,
            ..error
        },
        edges: [
            edge(Vector3::x(), 0.8),
            edge(Vector3::y(), 0.3),
            edge(Vector3::z(), 0.1),
        ],
    }
}

fn both([place, turn]: &[Vector3<f64>; 2]) -> Vector6<f64> {
    Vector6::new(place.x, place.y, place.z, turn.x, turn.y, turn.z)
}

#[test]
fn the_jacobian_is_bounded_all_over_a_spread() {
    let mut random = Random(21);
    let (mut looked, mut most) = (0, 0.0_f64);
    for case in 0..40 {
        for (name, cell) in all_arms(&mut random) {
            let arm = arm(&cell);
            let q0 = configuration(&mut random);
            // Sometimes the range counts, sometimes the errors, sometimes what is beside both.
            let which = [case % 3 == 0, case % 3 == 1, case % 3 == 2];
            let size = |k: usize, least: f64, most: f64| if which[k] { most } else { least };
            let way = random.direction().into_inner() * size(0, 1e-4, 0.1);
            let way = Vector6::new(way.x, way.y, way.z, -way.z, way.x, way.y);
            let joints: [Polynomial; SIX] =
                std::array::from_fn(|k| [q0[k], way[k], 0.0, 0.0, 0.0, 0.0]);
            let error = PoseError {
                position: size(1, 1e-5, 0.01) * random.unit(),
                turn: size(1, 1e-5, 0.05) * random.unit(),
            };
            let beside: [f64; SIX] = std::array::from_fn(|_| size(2, 1e-6, 0.05) * random.unit());
            let Some(middle) = PieceMiddle::new(&arm, &joints) else {
                continue;
            };
            let error = range(&mut random, error, case / 3 % 2 == 1);
            let first_order = error.first_order(&middle);
            let tau = random.unit();
            let change = PoseChange::new(&middle, &error);
            let bound = change.at(&middle, &first_order, &beside, tau);
            if bound.max() > 30.0 {
                continue;
            }
            looked += 1;
            for n in 0..40 {
                let s = [0.0, 1.0, random.unit()][n % 3];
                let y = middle.a * both(&off(&mut random, &error));
                let q = Vector6::from_fn(|k, _| {
                    value(&joints[k], s) + tau * y[k] + beside[k] * random.signed().signum()
                });
                let mut product = middle.a * arm.jacobian(&arm.at(&q));
                for k in 0..SIX {
                    product[(k, k)] -= 1.0;
                }
                for (is, ought) in product.iter().zip(bound.iter()) {
                    let share = (is.abs() - 1e-9) / ought;
                    assert!(share <= 1.0, "{name}: {share}");
                    most = most.max(share);
                }
            }
        }
    }
    assert!(looked > 150 && most > 0.8, "{looked}, {most}");
}

/// The joint values to which growing errors of the pose lead.
fn led(arm: &Arm, pose: &Pose, start: &Vector6<f64>, by: &[Vector3<f64>; 2]) -> Vector6<f64> {
    (0..=30).fold(*start, |q, k| {
        let [place, turn] = by.map(|by| by * (f64::from(k) / 30.0));
        let mut there = turned(pose, &turn);
        there.translation += place;
        reach(arm, &there, &q, 20).expect("what is proved is reached")
    })
}

#[test]
fn solutions_of_poses_far_off_lie_in_the_spread() {
    let mut random = Random(22);
    let (mut proved, mut used, mut second_order) = (0, 0.0_f64, 0.0_f64);
    for case in 0..8 {
        for (name, cell) in all_arms(&mut random) {
            let arm = arm(&cell);
            let q0 = away_from_singularities(&arm, &mut random);
            let curve: PoseCurve = curve(&mut random, &arm.at(&q0).tool, 0.02, 0.05);
            let Some(q1) = reach(&arm, &curve.at(1.0), &q0, 20) else {
                continue;
            };
            let joints: [Polynomial; SIX] =
                std::array::from_fn(|k| [q0[k], q1[k] - q0[k], 0.0, 0.0, 0.0, 0.0]);
            let asked = PieceToProve {
                arm: &arm,
                curve: &curve,
                span: [0.0, 1.0],
                joints: &joints,
                error: PoseError::default(),
            };
            let Some(test) = PieceTest::new(&asked, 32) else {
                continue;
            };
            let Some(own) = test.narrowest_box() else {
                continue;
            };
            let error = [
                PoseError {
                    position: 0.01,
                    turn: 0.0,
                },
                PoseError {
                    position: 0.0,
                    turn: 0.04,
                },
                PoseError {
                    position: 0.005,
                    turn: 0.02,
                },
                PoseError {
                    position: 1e-3,
                    turn: 0.08,
                },
            ][case % 4];
            let error = range(&mut random, error, case / 4 == 1);
            let Some(spread) = Spread::new(test.middle(), &own, &error) else {
                continue;
            };
            proved += 1;
            let within = spread.off();
            for n in 0..60 {
                let s = [0.0, 1.0, random.unit()][n % 3];
                let by = off(&mut random, &error);
                let middle = Vector6::from_fn(|k, _| value(&joints[k], s));
                let start = reach(&arm, &curve.at(s), &middle, 20).unwrap();
                let q = led(&arm, &curve.at(s), &start, &by);
                let [y, beside] = spread.beside(&both(&by));
                for k in 0..SIX {
                    let share = (q[k] - middle[k]).abs() / within[k];
                    assert!(share <= 1.0, "{name}, joint {k}: {share}");
                    used = used.max(share);
                    let share = (q[k] - middle[k] - y[k]).abs() / beside[k];
                    assert!(share <= 1.0, "{name}, joint {k}, second order: {share}");
                    second_order = second_order.max(share);
                }
            }
        }
    }
    assert!(proved > 24, "{proved}");
    assert!(
        used > 0.6,
        "spreads are far too wide: {used} of them is used"
    );
    assert!(second_order > 0.05, "{second_order}");
}

/// More samples of the same piece give what all of them together give.
#[test]
fn samples_are_added_to_those_before() {
    let mut random = Random(23);
    for (_, cell) in arms() {
        let arm = arm(&cell);
        let q0 = away_from_singularities(&arm, &mut random);
        let curve = curve(&mut random, &arm.at(&q0).tool, 0.05, 0.1);
        let q1 = reach(&arm, &curve.at(0.5), &q0, 20).unwrap();
        let joints: [Polynomial; SIX] =
            std::array::from_fn(|k| [q0[k], q1[k] - q0[k], 0.01, -0.01, 0.0, 0.0]);
        let asked = PieceToProve {
            arm: &arm,
            curve: &curve,
            span: [0.0, 0.5],
            joints: &joints,
            error: PoseError::default(),
        };
        let at_once = PieceTest::new(&asked, 64).unwrap();
        let mut step_by_step = PieceTest::new(&asked, 2).unwrap();
        assert!(step_by_step.refine(&asked, 8) && step_by_step.refine(&asked, 64));
        let delta = [0.01; SIX];
        assert_eq!(
            at_once.newton_image(&delta),
            step_by_step.newton_image(&delta)
        );
        let coarse = PieceTest::new(&asked, 2).unwrap();
        assert_ne!(at_once.newton_image(&delta), coarse.newton_image(&delta));
    }
}
