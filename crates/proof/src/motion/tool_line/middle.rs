//! A piece of a curve with its joint polynomials, and how these are seen from their middle.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use super::arm::{Arm, Posture};
use super::curve::PoseCurve;
use super::piece::SIX;
use crate::geometry::pose::Pose;
use crate::model::Polynomial;
use crate::numeric::max_or_nan;
use crate::numeric::polynomial::{range, value};

/// Relative slack that covers the rounding of the few hundred operations (all of positive numbers)
/// behind a bound.
pub(super) const ROUND_UP: f64 = 1.0 + 1e-10;

/// How far the demanded pose may be off its curve.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PoseError {
    /// Of the tool's point, metres.
    pub position: f64,
    /// Of its orientation, radians.
    pub turn: f64,
}

impl PoseError {
    /// The same, with so much more of both.
    pub fn plus(self, position: f64, turn: f64) -> Self {
        PoseError {
            position: self.position + position,
            turn: self.turn + turn,
        }
    }
}

/// The error F of the pose against the demanded one: of the place, and the sine of the angle times
/// the axis; and the angle.
pub(super) fn pose_error(tool: &Pose, demanded: &Pose) -> (Vector6<f64>, f64) {
    let e = tool.rotation * demanded.rotation.transpose();
    let turn = skew(&e);
    let place = tool.translation - demanded.translation;
    let f = Vector6::new(place.x, place.y, place.z, turn.x, turn.y, turn.z);
    (f, turned_by(&e, &turn))
}

/// The angle of a rotation, given the vector of its skew part.
pub(super) fn turned_by(e: &Matrix3<f64>, turn: &Vector3<f64>) -> f64 {
    turn.norm().atan2(0.5 * (e.trace() - 1.0))
}

/// The vector of the skew part of a matrix.
pub(super) fn skew(e: &Matrix3<f64>) -> Vector3<f64> {
    0.5 * Vector3::new(
        e[(2, 1)] - e[(1, 2)],
        e[(0, 2)] - e[(2, 0)],
        e[(1, 0)] - e[(0, 1)],
    )
}

/// A piece from one share of a curve to another, with joint polynomials over [0, 1].
#[derive(Clone, Copy)]
pub(super) struct PieceToProve<'a> {
    pub arm: &'a Arm,
    pub curve: &'a PoseCurve,
    pub span: [f64; 2],
    pub joints: &'a [Polynomial; SIX],
    /// How far the poses may be off.
    pub error: PoseError,
}

/// A piece's joint polynomials seen from their middle q̂(½), where the Jacobian is inverted.
pub(super) struct PieceMiddle {
    /// A, the inverse of the Jacobian, as numbers.
    pub a: Matrix6<f64>,
    jacobian: Matrix6<f64>,
    at: Posture,
    /// Row lengths of A, of its part for places and its part for turns.
    pub rows: [[f64; 2]; SIX],
    /// |1 − A·J(q̂(½))|, with rounding.
    pub unit: Matrix6<f64>,
    /// How far the polynomials go from their middle.
    pub half_range: [f64; SIX],
    /// How far computed values of the polynomials can be off.
    pub value_rounding: [f64; SIX],
    /// Levers at the middle.
    pub lever: [f64; SIX],
    pub prismatic: [bool; SIX],
}

impl PieceMiddle {
    /// `None` where the joints are at a singularity.
    pub fn new(arm: &Arm, joints: &[Polynomial; SIX]) -> Option<Self> {
        let q_mid = Vector6::from_fn(|k, _| value(&joints[k], 0.5));
        let at = arm.at(&q_mid);
        let jacobian = arm.jacobian(&at);
        let a = jacobian.try_inverse()?;
        if a.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let row = |k: usize, at: usize| a.fixed_view::<1, 3>(k, at).norm() * ROUND_UP;
        let rows: [[f64; 2]; SIX] = std::array::from_fn(|k| [row(k, 0), row(k, 3)]);

        let mut half_range = [0.0; SIX];
        let mut value_rounding = [0.0; SIX];
        for k in 0..SIX {
            let (low, high) = range(&joints[k], 0.0, 1.0);
            value_rounding[k] =
                64.0 * f64::EPSILON * joints[k].iter().map(|c| c.abs()).sum::<f64>();
            half_range[k] =
                (high - q_mid[k]).max(q_mid[k] - low).max(0.0) * ROUND_UP + value_rounding[k];
        }
        let lever: [f64; SIX] = std::array::from_fn(|k| arm.lever(&at, k) * ROUND_UP);
        let (off_m, off_rad) = Arm::rounding(&at);

        // J itself is off by rounding: a column by that of a point and of an axis with its lever.
        let product = a * jacobian;
        let sizes = a.abs() * jacobian.abs();
        let unit = Matrix6::from_fn(|k, j| {
            let own = if k == j { 1.0 } else { 0.0 };
            let column = [
                4.0 * (off_m + off_rad * (at.size + lever[j])),
                2.0 * off_rad,
            ];
            (own - product[(k, j)]).abs()
                + 16.0 * f64::EPSILON * sizes[(k, j)]
                + rows[k][0] * column[0]
                + rows[k][1] * column[1]
        });
        Some(PieceMiddle {
            a,
            jacobian,
            at,
            rows,
            unit,
            half_range,
            value_rounding,
            lever,
            prismatic: arm.prismatic,
        })
    }

    /// What A makes of the change of a column of the Jacobian by another joint, per radian or
    /// metre: of its place, which is the same for the column of either joint by the other, and of
    /// its axis, which only the inner joint moves.
    pub fn jacobian_change(&self, inner: usize, outer: usize) -> [Vector6<f64>; 2] {
        let zero = Vector3::zeros();
        let slides = [inner, outer].map(|k| self.prismatic[k]);
        let axis = &self.at.axis[inner];
        let place = if slides[0] {
            zero
        } else {
            axis.cross(&self.jacobian.fixed_view::<3, 1>(0, outer))
        };
        let turn = if slides[0] || slides[1] {
            zero
        } else {
            axis.cross(&self.at.axis[outer])
        };
        [
            self.a.fixed_view::<6, 3>(0, 0) * place,
            self.a.fixed_view::<6, 3>(0, 3) * turn,
        ]
    }

    /// Raises bounds to |A·f|, with its rounding.
    pub fn raise_bounds(&self, bounds: &mut [f64; SIX], f: &Vector6<f64>) {
        let moved = self.a * f;
        let rounded = 16.0 * f64::EPSILON * (self.a.abs() * f.abs());
        for k in 0..SIX {
            bounds[k] = max_or_nan(bounds[k], moved[k].abs() + rounded[k]);
        }
    }

    /// Size of the numbers behind places in the middle, metres.
    pub fn size(&self) -> f64 {
        self.at.size
    }

    /// How far places and orientations can be off by rounding where numbers have this size.
    pub fn rounding_at(&self, size: f64) -> (f64, f64) {
        Arm::rounding(&Posture { size, ..self.at })
    }

    /// Rounding of row k of [`PieceMiddle::jacobian_change`].
    pub fn jacobian_change_rounding(&self, k: usize, outer: usize) -> f64 {
        1e-11 * (self.rows[k][0] * (self.lever[outer] + 1.0) + self.rows[k][1])
    }

    /// Levers over all configurations within `d` of the middle: f_i = ρ_i + Σ_{k beyond i} d_k f_k.
    pub fn levers(&self, d: &[f64; SIX]) -> [f64; SIX] {
        let mut levers = [1.0; SIX];
        let mut beyond = 0.0;
        for k in (0..SIX).rev() {
            if !self.prismatic[k] {
                levers[k] = (self.lever[k] + beyond) * ROUND_UP;
            }
            beyond += d[k] * levers[k];
        }
        levers
    }
}
