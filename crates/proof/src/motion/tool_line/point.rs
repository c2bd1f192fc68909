//! Newton's method: the joint values that reach a pose, from values near them, and the proof that
//! they do.

use nalgebra::{LU, U6, Vector6};

use super::arm::Arm;
use super::certify::PieceTest;
use super::curve::PoseCurve;
use super::middle::{PieceToProve, PoseError, pose_error};
use super::piece::SIX;
use crate::geometry::pose::Pose;
use crate::model::Polynomial;

/// The greatest step of one iteration, radians or metres: larger ones jump to other branches.
const LONGEST_STEP: f64 = 0.5;

/// Joint values, and what the joints move the tool by there.
pub(super) struct NewtonPoint {
    /// The joint values, radians or metres.
    pub q: Vector6<f64>,
    /// The Jacobian there or, by less than 1e-8, beside it: for slopes, not for proofs.
    jacobian: LU<f64, U6, U6>,
}

impl NewtonPoint {
    /// These joint values.
    pub fn at(arm: &Arm, q: &Vector6<f64>) -> Self {
        NewtonPoint {
            q: *q,
            jacobian: arm.jacobian(&arm.at(q)).lu(),
        }
    }

    /// How fast the joints turn where the tool moves by this.
    pub fn slope(&self, twist: &Vector6<f64>) -> Option<Vector6<f64>> {
        self.jacobian.solve(twist)
    }
}

/// Joint values near `start` that reach a pose up to rounding; `None` where Newton's method does
/// not get there.
pub fn reach(arm: &Arm, pose: &Pose, start: &Vector6<f64>, most: usize) -> Option<Vector6<f64>> {
    reached(arm, pose, start, most).map(|reached| reached.q)
}

/// The same with the Jacobian.
pub(super) fn reached(
    arm: &Arm,
    pose: &Pose,
    start: &Vector6<f64>,
    most: usize,
) -> Option<NewtonPoint> {
    let mut q = *start;
    for _ in 0..most {
        let at = arm.at(&q);
        let (f, angle) = pose_error(&at.tool, pose);
        // The sine of an obtuse angle is small again: its axis counts.
        let f = if angle > std::f64::consts::FRAC_PI_2 {
            let turn = f.fixed_rows::<3>(3).into_owned();
            let sine = turn.norm().max(1e-9);
            let mut f = f;
            f.fixed_rows_mut::<3>(3).copy_from(&(turn * (angle / sine)));
            f
        } else {
            f
        };
        let jacobian = arm.jacobian(&at).lu();
        let step = jacobian.solve(&f)?;
        let size = step.amax();
        if !size.is_finite() {
            return None;
        }
        q -= step * (LONGEST_STEP / size).min(1.0);
        // The step was so short that what is left is rounding: Newton's method squares it.
        if size < 1e-9 {
            return (angle < 1e-6).then_some(NewtonPoint { q, jacobian });
        }
    }
    None
}

/// How far from these joint values the one solution near them can be, per joint: a piece that
/// stands still.
pub fn solution_enclosure(arm: &Arm, pose: &Pose, q: &Vector6<f64>) -> Option<[f64; SIX]> {
    test_at_rest(arm, pose, q)?.narrowest_box()
}

/// Whether exactly one solution lies within these half-widths of joint values.
pub(super) fn is_unique_solution(
    arm: &Arm,
    pose: &Pose,
    q: &Vector6<f64>,
    within: &[f64; SIX],
) -> bool {
    test_at_rest(arm, pose, q).is_some_and(|test| test.maps_into_itself(within))
}

fn test_at_rest(arm: &Arm, pose: &Pose, q: &Vector6<f64>) -> Option<PieceTest> {
    let curve = PoseCurve::line(pose, pose).ok()?;
    let joints: [Polynomial; SIX] = std::array::from_fn(|k| [q[k], 0.0, 0.0, 0.0, 0.0, 0.0]);
    let asked = PieceToProve {
        arm,
        curve: &curve,
        span: [0.0, 1.0],
        joints: &joints,
        error: PoseError::default(),
    };
    PieceTest::new(&asked, 1)
}
