//! How the moves beside a corner leave the straight sides of the corner's triangle.
//!
//! A move of the tool is curved in joint space, and a joint move is curved in space. A controller
//! that adds what is left of the one move to what is done of the other one is then beside the
//! triangle. So it is where the tool turns on two moves of its own.

use nalgebra::Vector6;

use crate::geometry::pose::Pose;
use crate::motion::tool_line::{Arm, CurvePiece, PoseError, SIX, turn_between};
use crate::numeric::polynomial::derivative_bound;

/// Steps in which the speed of the tool is looked for.
const STEPS: usize = 256;

/// In joint space: how far a move of the tool is beside the line from its first joint values to its
/// last ones, for each joint of the arm.
pub(super) fn tool_move_bulges(
    way: &[CurvePiece],
    [first, last]: [&Vector6<f64>; 2],
) -> [f64; SIX] {
    let mut bulges = [0.0; SIX];
    for piece in way {
        for (k, bulge) in bulges.iter_mut().enumerate() {
            let step = last[k] - first[k];
            let mut beside = piece.joints[k];
            beside[0] -= first[k] + piece.from * step;
            beside[1] -= (piece.to - piece.from) * step;
            let most = derivative_bound(&beside, 0, 0.0, 1.0) + piece.off[k];
            *bulge = f64::max(*bulge, most);
        }
    }
    bulges
}

/// In space: how far from the orientations of a corner's triangle the tool can be, radians, where a
/// controller puts one turn after the other: what is left of the turn to the tip, x, and what is
/// done of the turn behind it, y, in either order.
///
/// As unit quaternions, P(t) = exp(½ t y) exp(½ (1 − t) x) goes from the one side of the triangle to
/// the other one, as the way S(t) within the triangle does. P is as fast all the time,
/// v = ½ |y − x|, and P″ = −v² P + n with |n| = ½ |x × y| (put x′, x turned by t y, behind y: y x′
/// = −y·x + y × x′). S is a great circle of the length w ≤ v, S″ = −w² S. So their difference D has
/// D″ + v² D = n − (v² − w²) S and is 0 at both ends, and nowhere more than
/// (|n| + v² − w²) (1 / cos ½v − 1) / v². Quaternions that are D apart are 4 asin ½D of turn apart.
/// Where both turns are smaller by the same share, all of this is less: w per share grows towards
/// the tip.
pub(super) fn two_turns_deviation(tip: &Pose, [e, x]: [&Pose; 2]) -> f64 {
    let turn = |end: &Pose| {
        let (axis, angle) = turn_between(&tip.rotation, &end.rotation);
        axis * angle
    };
    let (left, done) = (turn(e), turn(x));
    let v = 0.5 * (done - left).norm();
    let w = 0.5 * turn_between(&e.rotation, &x.rotation).1;
    let beside = 0.5 * left.cross(&done).norm();
    // For a small v the fraction is a little more than an eighth.
    let fraction = if v < 1e-3 {
        0.126
    } else {
        (1.0 / (0.5 * v).cos() - 1.0) / (v * v)
    };
    let apart = (beside + (v * v - w * w).max(0.0) + 1e-14) * fraction;
    4.0 * (0.5 * apart).min(1.0).asin() * (1.0 + 1e-9)
}

/// How fast the tool goes and turns at most in a joint move of unit duration, metres and radians.
///
/// A step of the duration h in which it gets on by d has no speed above d / h + K h / 2, with K as
/// in `chord_bound.rs`; its turn likewise, with (Σ V)² in place of K.
pub(super) fn speed_of_joint_move(arm: &Arm, [first, last]: [&Vector6<f64>; 2]) -> PoseError {
    let (mut turned, mut second) = (0.0, 0.0);
    for k in 0..SIX {
        let step = (last[k] - first[k]).abs();
        if arm.prismatic[k] {
            second += 2.0 * step * turned;
        } else {
            second += arm.longest_lever(k, [first, last]) * step * (step + 2.0 * turned);
            turned += step;
        }
    }
    let at = |n: usize| {
        let share = n as f64 / STEPS as f64;
        arm.at(&(first + (last - first) * share)).tool
    };
    let mut speed = PoseError::default();
    let mut before = at(0);
    for n in 1..=STEPS {
        let here = at(n);
        let apart = (here.translation - before.translation).norm();
        let turn = turn_between(&before.rotation, &here.rotation).1;
        speed.position = speed.position.max(apart * STEPS as f64);
        speed.turn = speed.turn.max(turn * STEPS as f64);
        before = here;
    }
    let half_step = 0.5 / STEPS as f64;
    PoseError {
        position: (speed.position + second * half_step) * (1.0 + 1e-9) + 1e-9,
        turn: (speed.turn + turned * turned * half_step) * (1.0 + 1e-9) + 1e-9,
    }
}
