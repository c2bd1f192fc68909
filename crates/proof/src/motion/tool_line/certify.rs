//! The test of one piece; the proof is in the head comment of the module above.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use super::arm::{Arm, Posture};
use super::curve::PoseCurve;
use super::piece::SIX;
use super::residual::{Residual, Samples};
use crate::geometry::pose::Pose;
use crate::model::Polynomial;
use crate::numeric::polynomial::{range, value};

/// Relative slack that covers the rounding of the few hundred operations (all of positive numbers)
/// behind a bound.
pub(super) const ROUND_UP: f64 = 1.0 + 1e-10;
/// Beyond this turn ‖C(E) − 1‖ ≤ θ/2 does not hold any more.
const WIDEST: f64 = std::f64::consts::FRAC_PI_3;
/// A tube wider than this (radians or metres) is of no use to anybody.
const WIDEST_TUBE: f64 = 0.5;

/// How far the demanded pose may be off its curve.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PoseError {
    /// Of the tool's point, metres.
    pub position: f64,
    /// Of its orientation, radians.
    pub turn: f64,
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

/// A piece's joint polynomials seen from their middle q̂(½), where the Jacobian is inverted.
pub(super) struct Middle {
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

impl Middle {
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
        Some(Middle {
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
    pub fn bend(&self, inner: usize, outer: usize) -> [Vector6<f64>; 2] {
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
    pub fn raise(&self, bounds: &mut [f64; SIX], f: &Vector6<f64>) {
        let moved = self.a * f;
        let rounded = 16.0 * f64::EPSILON * (self.a.abs() * f.abs());
        for k in 0..SIX {
            bounds[k] = bounds[k].max(moved[k].abs() + rounded[k]);
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

    /// Rounding of row k of [`Middle::bend`].
    pub fn bend_rounding(&self, k: usize, outer: usize) -> f64 {
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

/// A piece of a curve with its joint polynomials, prepared for the question how wide a tube around
/// them must be.
pub(super) struct Test {
    middle: Middle,
    /// |1 − A·J(q_mid)|, with rounding, and what the way of the polynomials from their middle adds
    /// to first order.
    at_middle: Matrix6<f64>,
    /// The change of entry (k, j) while joint i is off its polynomial, per radian or metre:
    /// \[i\](k, j).
    slope: [Matrix6<f64>; SIX],
    samples: Samples,
    /// Along the polynomials.
    along: Residual,
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

impl Test {
    /// Prepares the test of a piece. `steps`: how many equal ones, a power of two, so that their
    /// ends are exact. `None` where the joints are at a singularity.
    pub fn new(piece: &PieceToProve, steps: usize) -> Option<Self> {
        let middle = Middle::new(piece.arm, piece.joints)?;

        // Joint i moves column j of the Jacobian by a_inner × ∂p/∂q_outer, and axis j, if it is
        // beyond i, by a_i × a_j. The slope is the same for j and i, as half of a_i × a_j is taken
        // away where it is carried, and added where it is not.
        let mut at_middle = middle.unit;
        let mut slope = [Matrix6::zeros(); SIX];
        for inner in 0..SIX {
            for outer in inner..SIX {
                let [by_place, by_turn] = middle.bend(inner, outer);
                for k in 0..SIX {
                    let rounded = middle.bend_rounding(k, outer);
                    let (still, carried) = (by_place[k].abs(), (by_place[k] + by_turn[k]).abs());
                    let both = (by_place[k] + 0.5 * by_turn[k]).abs() + rounded;
                    at_middle[(k, outer)] += middle.half_range[inner] * (carried + rounded);
                    slope[inner][(k, outer)] = both;
                    if inner < outer {
                        at_middle[(k, inner)] += middle.half_range[outer] * (still + rounded);
                        slope[outer][(k, inner)] = both;
                    }
                }
            }
        }

        let mut samples = Samples::new(piece, &middle);
        samples.add(piece, &middle, steps);
        let along = samples.residual(piece, &middle)?;
        Some(Test {
            middle,
            at_middle,
            slope,
            samples,
            along,
        })
    }

    /// The same with so many steps, a multiple of those before. Whether bounds come of it.
    pub fn refine(&mut self, piece: &PieceToProve, steps: usize) -> bool {
        self.samples.add(piece, &self.middle, steps);
        match self.samples.residual(piece, &self.middle) {
            Some(along) => {
                self.along = along;
                true
            }
            None => false,
        }
    }

    /// The piece as it is seen from its middle.
    pub fn middle(&self) -> &Middle {
        &self.middle
    }

    /// M of the box of half-widths δ: bounds |1 − A·DF| entry by entry, all over the piece. `None`
    /// where the bounds behind it do not hold.
    pub(super) fn derivative(&self, delta: &[f64; SIX]) -> Option<Matrix6<f64>> {
        let d: [f64; SIX] = std::array::from_fn(|k| self.middle.half_range[k] + delta[k]);
        let levers = self.middle.levers(&d);
        let turns = |k: usize| if self.middle.prismatic[k] { 0.0 } else { 1.0 };
        let off: f64 = (0..SIX).map(|k| delta[k] * turns(k)).sum();
        let angle = self.along.angle + off;
        if angle.is_nan() || angle > WIDEST {
            return None;
        }
        let mut m = self.at_middle;
        for (slope, off) in self.slope.iter().zip(delta) {
            m += slope * *off;
        }
        // v(E) beside Σ e_i a_i: what it is along the polynomials, and its second order.
        let mut beside = self.along.angle;
        let mut before = 0.0;
        for i in 0..SIX {
            beside += delta[i] * turns(i) * (0.5 * angle + before);
            before += d[i] * turns(i);
        }
        let places = second_order(&d, &levers, &self.middle.prismatic);
        let mut before = 0.0;
        for j in 0..SIX {
            let turn = turns(j)
                * (0.5 * before * before + 0.5 * beside + 0.5 * off * before + 0.5 * angle * angle);
            for k in 0..SIX {
                m[(k, j)] +=
                    self.middle.rows[k][0] * 0.5 * places[j] + self.middle.rows[k][1] * turn;
            }
            before += d[j] * turns(j);
        }
        Some(m * ROUND_UP)
    }

    /// M·δ + r: where Newton's map takes the box of half-widths δ, as a box around the polynomials.
    /// Infinite where the bounds behind it do not hold.
    pub fn image(&self, delta: &[f64; SIX]) -> [f64; SIX] {
        let Some(m) = self.derivative(delta) else {
            return [f64::INFINITY; SIX];
        };
        let image = m * Vector6::from(*delta) + Vector6::from(self.along.moved);
        std::array::from_fn(|k| image[k] * ROUND_UP)
    }

    /// Whether the box of these half-widths is taken into itself, strictly: then exactly one
    /// solution lies within it at every instant of the piece.
    pub fn holds(&self, delta: &[f64; SIX]) -> bool {
        let image = self.image(delta);
        (0..SIX).all(|k| image[k] < delta[k])
    }

    /// How far the tool is from the demanded poses along the polynomials, where the solutions are
    /// within `delta` of them: metres, and radians. From the polynomials to the solution joint by
    /// joint, none with a greater lever than in the box.
    pub fn tool_off(&self, delta: &[f64; SIX]) -> (f64, f64) {
        let d: [f64; SIX] = std::array::from_fn(|k| self.middle.half_range[k] + delta[k]);
        let levers = self.middle.levers(&d);
        let turning = (0..SIX).filter(|&k| !self.middle.prismatic[k]);
        (
            (0..SIX).map(|k| delta[k] * levers[k]).sum::<f64>() * ROUND_UP,
            turning.map(|k| delta[k]).sum::<f64>() * ROUND_UP,
        )
    }

    /// The narrowest box (nearly) for which it holds.
    pub fn tube(&self) -> Option<[f64; SIX]> {
        let mut delta = self.along.moved.map(|r| r * 1.05);
        for _ in 0..60 {
            let image = self.image(&delta);
            if (0..SIX).all(|k| image[k] < delta[k]) {
                return Some(delta);
            }
            if !image.iter().all(|x| *x < WIDEST_TUBE) {
                return None;
            }
            delta = image.map(|x| x * 1.02);
        }
        None
    }
}

/// Of each column j of the Jacobian's part for places: Σ_i Σ_l d_i d_l with the lever of the
/// outermost joint m of the three, where the others turn; m may slide, once.
///
/// With b_m, the sum of d over the turning joints before m, the terms of one m are
/// - where m is j: b_j², and 2 d_j b_j + d_j² if j turns;
/// - where m is beyond j: 2 d_m b_m, and d_m² if m turns; all of it only if j turns.
pub(super) fn second_order(
    d: &[f64; SIX],
    levers: &[f64; SIX],
    prismatic: &[bool; SIX],
) -> [f64; SIX] {
    let turns = prismatic.map(|slides| if slides { 0.0 } else { 1.0 });
    let mut before = [0.0; SIX];
    for k in 1..SIX {
        before[k] = before[k - 1] + d[k - 1] * turns[k - 1];
    }
    let mut beyond = 0.0;
    let mut sums = [0.0; SIX];
    for j in (0..SIX).rev() {
        let b = before[j];
        let own = b * b + turns[j] * d[j] * (2.0 * b + d[j]);
        sums[j] = levers[j] * own + turns[j] * beyond;
        beyond += levers[j] * d[j] * (2.0 * b + turns[j] * d[j]);
    }
    sums
}
