//! Orientations that are far off: Newton's method, led there in small steps, finds joint values
//! that lie in the tubes.

use nalgebra::{UnitQuaternion, Vector3, Vector6};

use super::middle::PieceMiddle;
use super::tests::{arm, arms, between, configuration, curve};
use super::wide::{ErrorBoxes, WideErrors, neighbours};
use super::*;
use crate::geometry::pose::Pose;
use crate::geometry::random::Random;
use crate::model::Polynomial;
use crate::numeric::polynomial::value;

/// A pose turned by a rotation vector in the world.
pub(super) fn turned(pose: &Pose, by: &Vector3<f64>) -> Pose {
    let turn = UnitQuaternion::from_scaled_axis(*by);
    Pose {
        rotation: turn.to_rotation_matrix().matrix() * pose.rotation,
        ..*pose
    }
}

/// The joint values to which a growing error of the orientation leads from those without.
fn led(arm: &Arm, pose: &Pose, start: &Vector6<f64>, by: &Vector3<f64>) -> Option<Vector6<f64>> {
    let steps = 1 + (by.norm() / 0.004) as usize;
    (0..=steps).try_fold(*start, |q, k| {
        reach(
            arm,
            &turned(pose, &(by * (k as f64 / steps as f64))),
            &q,
            20,
        )
    })
}

/// The one of forty configurations that is farthest from singularities.
pub(super) fn away_from_singularities(arm: &Arm, random: &mut Random) -> Vector6<f64> {
    let least = |q: &Vector6<f64>| {
        let singular = arm.jacobian(&arm.at(q)).svd(false, false);
        singular.singular_values.min()
    };
    let tried: Vec<Vector6<f64>> = (0..40).map(|_| configuration(random)).collect();
    let best = tried
        .into_iter()
        .max_by(|x, y| least(x).total_cmp(&least(y)));
    best.expect("forty configurations")
}

/// The share of a tube that is used, and of what is said of the tool.
fn shares(arm: &Arm, piece: &CurvePiece, u: f64, q: &Vector6<f64>) -> [f64; 2] {
    let nominal = Vector6::from_fn(|k, _| value(&piece.joints[k], u));
    let joints = (0..SIX).map(|k| (q[k] - nominal[k]).abs() / piece.off[k]);
    let [shift, turn] = piece.tool.expect("a tool whose orientation may be off");
    let (is, ought) = (arm.at(q).tool, arm.at(&nominal).tool);
    let moved = (is.translation - ought.translation).norm() / shift;
    let turned = turn_between(&ought.rotation, &is.rotation).1 / turn;
    [joints.fold(0.0, f64::max), moved.max(turned)]
}

#[test]
fn solutions_of_orientations_far_off_lie_in_the_tubes() {
    let usual = lie_in_the_tubes([0.012, 0.03, 0.05], false);
    let Tubes {
        certified, used, ..
    } = usual;
    assert!(3 * certified >= 2 * 12, "{certified} of 12");
    assert!(
        used > 0.6,
        "the tubes are far too wide: {used} of them is used"
    );
    let turns = [0.06, 0.09, 0.12];
    let [wide, narrow] = [false, true].map(|narrow| lie_in_the_tubes(turns, narrow));
    assert!(
        narrow.certified == wide.certified && narrow.certified > 4,
        "{}",
        narrow.certified
    );
    let share = narrow.wide / wide.wide;
    assert!(share < 0.95 && narrow.used > 0.7, "{share} {}", narrow.used);
}

/// Tubes of twelve curves.
struct Tubes {
    /// Curves that have some.
    certified: usize,
    /// The most of a tube that a solution uses.
    used: f64,
    /// How wide they are, radians and shares of curves.
    wide: f64,
}

/// Sees that solutions lie in their tubes, which may be asked to be narrow.
fn lie_in_the_tubes(turns: [f64; 3], narrow: bool) -> Tubes {
    let mut wide = 0.0;
    let effort = Effort {
        narrow,
        ..Effort::default()
    };
    let mut random = Random(11);
    let (mut certified, mut used) = (0, 0.0_f64);
    for (name, cell) in arms() {
        let arm = arm(&cell);
        for case in 0..4 {
            let q0 = away_from_singularities(&arm, &mut random);
            let curve = curve(&mut random, &arm.at(&q0).tool, 0.1, 0.3);
            let error = PoseError {
                position: 1e-4,
                turn: turns[case % 3],
            };
            let off = [1e-12; SIX];
            let Ok(pieces) = follow_curve_with(&arm, &curve, &q0, &off, error, effort) else {
                continue;
            };
            certified += 1;
            let nominal =
                follow_curve(&arm, &curve, &q0, &[1e-12; SIX], PoseError::default()).unwrap();
            let start_of = |s: f64| {
                let piece = nominal.iter().find(|p| s <= p.to).unwrap();
                let u = (s - piece.from) / (piece.to - piece.from);
                Vector6::from_fn(|k, _| value(&piece.joints[k], u))
            };
            for piece in &pieces {
                wide += (piece.to - piece.from) * piece.off.iter().sum::<f64>();
                for n in 0..30 {
                    // On the edge of the ball most of the time, at ends of the piece sometimes.
                    let u = [0.0, 1.0, random.unit()][n % 3];
                    let s = piece.from + u * (piece.to - piece.from);
                    let size = error.turn * between(&mut random, 0.0, 2.0).min(1.0);
                    let by = random.direction().into_inner() * size;
                    let pose = curve.at(s);
                    let Some(q) = led(&arm, &pose, &start_of(s), &by) else {
                        panic!("{name}: nothing reaches what is certified");
                    };
                    let [joints, tool] = shares(&arm, piece, u, &q);
                    assert!(joints <= 1.0 && tool <= 1.0, "{name} {s}: {joints} {tool}");
                    used = used.max(joints);
                }
            }
        }
    }
    Tubes {
        certified,
        used,
        wide,
    }
}

/// A number of cells says how long is looked for a proof, not what is proved. Catches a piece that
/// is taken for proved when there are none left.
#[test]
fn cells_that_run_out_prove_nothing() {
    let mut random = Random(17);
    let (mut proved, mut ran_out) = (0, 0);
    for (_, cell) in arms() {
        let arm = arm(&cell);
        for turn in [0.01, 0.03, 0.06, 0.1] {
            let q0 = away_from_singularities(&arm, &mut random);
            let curve = curve(&mut random, &arm.at(&q0).tool, 0.05, 0.1);
            let error = PoseError {
                position: 1e-5,
                turn,
            };
            let off = [1e-12; SIX];
            let Ok(all) = follow_curve(&arm, &curve, &q0, &off, error) else {
                continue;
            };
            for most in [0, 1, 2, 4, 8, 16, 64, 256, 4096] {
                let effort = Effort {
                    most_cells: most,
                    narrow: false,
                };
                match follow_curve_with(&arm, &curve, &q0, &off, error, effort) {
                    Ok(pieces) => {
                        assert_eq!(pieces, all, "{most} cells");
                        proved += 1;
                    }
                    Err(lost) => {
                        assert_eq!(lost.why, LostReason::TooWide);
                        ran_out += 1;
                    }
                }
            }
        }
    }
    assert!(proved > 20 && ran_out > 2, "{proved} {ran_out}");
}

/// Each cell is asked about one of its neighbours only: with all the others it agrees too.
#[test]
fn cells_agree_with_all_their_neighbours() {
    let mut random = Random(13);
    let mut faces = 0;
    for (name, cell) in arms() {
        let arm = arm(&cell);
        let q0 = away_from_singularities(&arm, &mut random);
        let curve = curve(&mut random, &arm.at(&q0).tool, 0.05, 0.1);
        let none = PoseError::default();
        let Ok(pieces) = follow_curve(&arm, &curve, &q0, &[1e-12; SIX], none) else {
            continue;
        };
        for piece in &pieces {
            let middle = PieceMiddle::new(&arm, &piece.joints).unwrap();
            let wide = WideErrors {
                arm: &arm,
                curve: &curve,
                span: [piece.from, piece.to],
                joints: &piece.joints,
                off: &piece.off,
                middle: &middle,
                error: PoseError {
                    position: 1e-4,
                    turn: 0.03,
                },
            };
            let Some(boxes) = ErrorBoxes::new(&middle, wide.error.turn, 100.0) else {
                continue;
            };
            let Some(cells) = wide.cells(&boxes, &mut 0) else {
                continue;
            };
            for (at, cell) in &cells {
                for there in neighbours(at) {
                    let Some(other) = cells.get(&there) else {
                        continue;
                    };
                    let face = 0.5 * (boxes.middle_of(at) + boxes.middle_of(&there));
                    assert!(
                        wide.have_same_solution(&face, [cell, other]),
                        "{name}: {at:?} {there:?}"
                    );
                    faces += 1;
                }
            }
        }
    }
    assert!(faces > 500, "{faces} faces only");
}

/// How the ball of errors of an arm's orientation is cut at some configuration; `None` where it
/// need not be.
fn boxes_somewhere(arm: &Arm, random: &mut Random, turn: f64) -> Option<ErrorBoxes> {
    let q = configuration(random);
    let joints: [Polynomial; SIX] = std::array::from_fn(|k| [q[k], 0.0, 0.0, 0.0, 0.0, 0.0]);
    ErrorBoxes::new(&PieceMiddle::new(arm, &joints)?, turn, 2.0)
}

/// Whatever the orientation is off by, some box says so: from its middle, within its edges.
#[test]
fn boxes_cover_the_ball_of_errors() {
    let mut random = Random(15);
    let (_, cell) = arms().into_iter().next().unwrap();
    let arm = arm(&cell);
    let mut cut = 0;
    for _ in 0..60 {
        let turn = between(&mut random, 0.01, 0.3);
        let Some(boxes) = boxes_somewhere(&arm, &mut random, turn) else {
            continue;
        };
        cut += 1;
        let places = boxes.cells_from_middle();
        for _ in 0..40 {
            let off =
                random.direction().into_inner() * turn * between(&mut random, 0.5, 2.0).min(1.0);
            let holds = |at: &[i32; 3]| {
                let beside = off - boxes.middle_of(at);
                let edges = boxes.errors(at, 0.0).edges;
                edges
                    .iter()
                    .all(|edge| edge.dot(&beside).abs() <= edge.norm_squared())
            };
            assert!(places.iter().any(holds), "{off:?}");
        }
    }
    assert!(cut > 30, "{cut}");
}

/// From the middle of a box to a point of it the tool turns about that direction, and a little
/// beside it.
#[test]
fn errors_within_a_box_grow_as_they_are_said_to() {
    let mut random = Random(14);
    let (_, cell) = arms().into_iter().next().unwrap();
    let arm = arm(&cell);
    let mut most = 0.0_f64;
    for case in 0..60 {
        let turn = [0.05, 0.2, 1.0][case % 3];
        let Some(boxes) = boxes_somewhere(&arm, &mut random, turn) else {
            continue;
        };
        let places = boxes.cells_from_middle();
        for n in 0..40 {
            let at = places[random.below(places.len())];
            let w = boxes.middle_of(&at);
            let errors = boxes.errors(&at, 0.0);
            let corner = [
                [1.0, 1.0, 1.0],
                [random.signed(), random.signed(), random.signed()],
            ][n % 2];
            let delta: Vector3<f64> = (errors.edges.iter().zip(corner)).map(|(e, c)| e * c).sum();
            let (tau, step) = (random.unit(), 1e-5);
            let exp = |t: f64| UnitQuaternion::from_scaled_axis(w + delta * t);
            let between = exp(tau + step) * exp(tau - step).inverse();
            let beside = (between.scaled_axis() / (2.0 * step) - delta).norm();
            let share = (beside - 1e-9) / errors.ball.turn;
            assert!(share <= 1.0, "{case}: {share}");
            most = most.max(share);
        }
    }
    assert!(most > 0.2, "{most}");
}

/// A law of turning that is not even, as controllers may have it, is one of the motions that are
/// covered.
#[test]
fn another_law_of_turning_stays_in_the_tube() {
    let mut random = Random(12);
    let mut followed = 0;
    for (name, cell) in arms() {
        let arm = arm(&cell);
        let q0 = away_from_singularities(&arm, &mut random);
        let from = arm.at(&q0).tool;
        let to = turned(&from, &(random.direction().into_inner() * 0.4));
        let curve = PoseCurve::line(&from, &to).unwrap();
        let error = PoseError {
            position: 1e-9,
            turn: 0.1 * curve.turn,
        };
        let Ok(pieces) = follow_curve(&arm, &curve, &q0, &[1e-12; SIX], error) else {
            continue;
        };
        followed += 1;
        let (aside, mut q) = (random.direction().into_inner(), q0);
        for n in 0..=400 {
            let s = f64::from(n) / 400.0;
            let by = aside * (error.turn * (std::f64::consts::PI * s).sin());
            q = reach(&arm, &turned(&curve.at(s), &by), &q, 20).unwrap();
            let piece = pieces.iter().find(|p| s <= p.to).unwrap();
            let u = (s - piece.from) / (piece.to - piece.from);
            let [joints, tool] = shares(&arm, piece, u, &q);
            assert!(joints <= 1.0 && tool <= 1.0, "{name} {s}: {joints} {tool}");
        }
    }
    // The arm with six of a Panda's joints is near a singularity everywhere.
    assert_eq!(followed, 2);
}

/// Prints of how many lines away from singularities the joints are told with the usual tube, by how
/// far the tool turns.
#[test]
#[ignore = "takes a minute: a table for docs/benchmarks.md"]
#[expect(clippy::print_stdout, reason = "a table is what it is for")]
fn how_far_tools_may_turn() {
    let mut random = Random(29);
    for degrees in [15.0_f64, 30.0, 45.0, 60.0, 90.0] {
        let turn = degrees.to_radians();
        let (mut asked, mut certified) = (0, 0);
        while asked < 100 {
            for (_, cell) in arms() {
                let arm = arm(&cell);
                let q0 = configuration(&mut random);
                let from = arm.at(&q0).tool;
                let axis = random.direction();
                let way = random.direction().into_inner() * 0.1;
                let to = Pose {
                    rotation: nalgebra::Rotation3::from_axis_angle(&axis, turn).matrix()
                        * from.rotation,
                    translation: from.translation + way,
                };
                let Ok(line) = PoseCurve::line(&from, &to) else {
                    continue;
                };
                let start = [1e-12; SIX];
                let Ok(even) = follow_curve(&arm, &line, &q0, &start, PoseError::default()) else {
                    continue;
                };
                let is_far = |piece: &CurvePiece| {
                    let q = Vector6::from_fn(|k, _| value(&piece.joints[k], 0.5));
                    let singular = arm.jacobian(&arm.at(&q)).svd(false, false);
                    singular.singular_values.min() > 0.1
                };
                if !even.iter().all(is_far) {
                    continue;
                }
                asked += 1;
                let error = PoseError {
                    position: 0.0,
                    turn: 0.1 * turn,
                };
                certified += usize::from(follow_curve(&arm, &line, &q0, &start, error).is_ok());
            }
        }
        println!("{degrees}°: {certified} of {asked}");
        assert!(degrees > 40.0 || certified * 10 > asked * 9);
    }
}
