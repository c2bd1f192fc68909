//! How the moves beside a corner leave the straight sides of the corner's triangle.
//!
//! A move of the tool is curved in joint space, and a joint move is curved in space. A controller
//! that adds what is left of the one move to what is done of the other one is then beside the
//! triangle.

use nalgebra::Vector6;

use crate::motion::tool_line::{Arm, CurvePiece, PoseError, SIX, turn_between};
use crate::numeric::polynomial::derivative_bound;

/// Steps in which the speed of the tool is looked for.
const STEPS: usize = 256;

/// In joint space: how far a move of the tool is beside the line from its first joint values to its
/// last ones, for each joint of the arm.
pub(super) fn of_tool_move(way: &[CurvePiece], [first, last]: [&Vector6<f64>; 2]) -> [f64; SIX] {
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
