//! The test of one piece; the proof is in the head comment of the module above.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use super::arm::{Arm, Posture};
use super::curve::PoseCurve;
use super::piece::SIX;
use crate::geometry::pose::Pose;
use crate::model::Polynomial;
use crate::numeric::polynomial::{accel_bound, range, speed_bound, value};

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
    (f, turn.norm().atan2(0.5 * (e.trace() - 1.0)))
}

/// The vector of the skew part of a matrix.
fn skew(e: &Matrix3<f64>) -> Vector3<f64> {
    0.5 * Vector3::new(
        e[(2, 1)] - e[(1, 2)],
        e[(0, 2)] - e[(2, 0)],
        e[(1, 0)] - e[(0, 1)],
    )
}

/// A piece of a curve with its joint polynomials, prepared for the question how wide a tube around
/// them must be.
#[derive(Debug, Clone)]
pub(super) struct Test {
    /// Row lengths of A, of its part for places and its part for turns.
    rows: [[f64; 2]; SIX],
    /// |1 − A·J(q_mid)|, with rounding, and what the way of the polynomials from their middle adds to first order.
    at_middle: Matrix6<f64>,
    /// The change of entry (k, j) while joint i is off its polynomial, per radian or metre:
    /// \[i\](k, j).
    slope: [Matrix6<f64>; SIX],
    /// |A·F| along the polynomials, every error included.
    residual: [f64; SIX],
    /// Angle between the tool and the demanded orientation along the polynomials, at most.
    angle: f64,
    /// How far the polynomials go from their middle.
    half_range: [f64; SIX],
    /// Levers at the middle.
    lever: [f64; SIX],
    prismatic: [bool; SIX],
}

impl Test {
    /// Prepares the test of the piece from `s0` to `s1` of a curve, with joint polynomials over [0,
    /// 1]. `samples`: how many equal steps, a power of two, so that their ends are exact. `None`
    /// where the joints are at a singularity.
    pub fn new(
        arm: &Arm,
        curve: &PoseCurve,
        [s0, s1]: [f64; 2],
        joints: &[Polynomial; SIX],
        samples: usize,
        error: PoseError,
    ) -> Option<Self> {
        let h = s1 - s0;
        let along = |s: f64| Vector6::from_fn(|k, _| value(&joints[k], s));
        let q_mid = along(0.5);
        let middle = arm.at(&q_mid);
        let jacobian = arm.jacobian(&middle);
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
        let lever: [f64; SIX] = std::array::from_fn(|k| arm.lever(&middle, k) * ROUND_UP);
        let (off_m, off_rad) = Arm::rounding(&middle);

        // J itself is off by rounding: a column by that of a point and of an axis with its lever.
        let product = a * jacobian;
        let sizes = a.abs() * jacobian.abs();
        let mut at_middle = Matrix6::from_fn(|k, j| {
            let own = if k == j { 1.0 } else { 0.0 };
            let column = [
                4.0 * (off_m + off_rad * (middle.size + lever[j])),
                2.0 * off_rad,
            ];
            (own - product[(k, j)]).abs()
                + 16.0 * f64::EPSILON * sizes[(k, j)]
                + rows[k][0] * column[0]
                + rows[k][1] * column[1]
        });

        // Joint i moves column j of the Jacobian by a_inner × ∂p/∂q_outer, and axis j, if it is
        // beyond i, by a_i × a_j. The slope is the same for j and i, as half of a_i × a_j is taken
        // away where it is carried, and added where it is not.
        let mut slope = [Matrix6::zeros(); SIX];
        let zero = Vector3::zeros();
        for inner in 0..SIX {
            for outer in inner..SIX {
                let slides = [inner, outer].map(|k| arm.prismatic[k]);
                let axis = &middle.axis[inner];
                let place = if slides[0] {
                    zero
                } else {
                    axis.cross(&jacobian.fixed_view::<3, 1>(0, outer))
                };
                let turn = if slides[0] || slides[1] {
                    zero
                } else {
                    axis.cross(&middle.axis[outer])
                };
                let by_place = a.fixed_view::<6, 3>(0, 0) * place;
                let by_turn = a.fixed_view::<6, 3>(0, 3) * turn;
                for k in 0..SIX {
                    let rounded = 1e-11 * (rows[k][0] * (lever[outer] + 1.0) + rows[k][1]);
                    let (still, carried) = (by_place[k].abs(), (by_place[k] + by_turn[k]).abs());
                    let both = (by_place[k] + 0.5 * by_turn[k]).abs() + rounded;
                    at_middle[(k, outer)] += half_range[inner] * (carried + rounded);
                    slope[inner][(k, outer)] = both;
                    if inner < outer {
                        at_middle[(k, inner)] += half_range[outer] * (still + rounded);
                        slope[outer][(k, inner)] = both;
                    }
                }
            }
        }

        let mut test = Test {
            rows,
            at_middle,
            slope,
            residual: [0.0; SIX],
            angle: 0.0,
            half_range,
            lever,
            prismatic: arm.prismatic,
        };
        let steps = samples as f64;
        let mut size = middle.size;
        for n in 0..=samples {
            let s = n as f64 / steps;
            let at: Posture = arm.at(&along(s));
            let demanded = curve.at(s0 + h * s);
            let (f, angle) = pose_error(&at.tool, &demanded);
            size = size.max(at.size).max(demanded.translation.norm());
            test.angle = test.angle.max(angle);
            let af = a * f;
            let rounded = 16.0 * f64::EPSILON * (a.abs() * f.abs());
            for k in 0..SIX {
                test.residual[k] = test.residual[k].max(af[k].abs() + rounded[k]);
            }
        }

        // Between the samples.
        let levers = test.levers(&half_range);
        let v: [f64; SIX] = std::array::from_fn(|k| speed_bound(&joints[k], 0.0, 1.0));
        let acc: [f64; SIX] = std::array::from_fn(|k| accel_bound(&joints[k], 0.0, 1.0));
        let turning = curve.turn * h;
        let (mut k_place, mut k_turn, mut turned) = (curve.acceleration() * h * h, 0.0, 0.0);
        for k in 0..SIX {
            if test.prismatic[k] {
                k_place += acc[k] + 2.0 * v[k] * turned;
            } else {
                k_place += levers[k] * (acc[k] + v[k] * (v[k] + 2.0 * turned));
                k_turn += acc[k] + v[k] * turned;
                turned += v[k];
            }
        }
        test.angle += (turned + turning) / (2.0 * steps) + off_rad;
        let both = turned + turning;
        k_turn += turned * turning + test.angle * both * both;
        let between = 1.0 / (8.0 * steps * steps);
        // Errors of the samples themselves: of the tool's place, of the demanded place, and of
        // values of the polynomials.
        let values: f64 = (0..SIX).map(|k| value_rounding[k] * levers[k]).sum();
        let turns: f64 = value_rounding.iter().sum();
        let (off_m, _) = Arm::rounding(&Posture { size, ..middle });
        for k in 0..SIX {
            let [place, turn] = test.rows[k];
            test.residual[k] += place * (k_place * between + error.position + 2.0 * off_m + values)
                + turn * (k_turn * between + error.turn + 2.0 * off_rad + turns)
                + f64::EPSILON;
            test.residual[k] *= ROUND_UP;
        }
        test.angle = (test.angle + error.turn + turns) * ROUND_UP;
        let finite = test.residual.iter().all(|r| r.is_finite());
        (finite && test.angle.is_finite()).then_some(test)
    }

    /// Levers over all configurations within `d` of the middle: f_i = ρ_i + Σ_{k beyond i} d_k f_k.
    fn levers(&self, d: &[f64; SIX]) -> [f64; SIX] {
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

    /// M of the box of half-widths δ: bounds |1 − A·DF| entry by entry, all over the piece. `None`
    /// where the bounds behind it do not hold.
    pub(super) fn derivative(&self, delta: &[f64; SIX]) -> Option<Matrix6<f64>> {
        let d: [f64; SIX] = std::array::from_fn(|k| self.half_range[k] + delta[k]);
        let levers = self.levers(&d);
        let turns = |k: usize| if self.prismatic[k] { 0.0 } else { 1.0 };
        let off: f64 = (0..SIX).map(|k| delta[k] * turns(k)).sum();
        let angle = self.angle + off;
        if angle.is_nan() || angle > WIDEST {
            return None;
        }
        let mut m = self.at_middle;
        for (slope, off) in self.slope.iter().zip(delta) {
            m += slope * *off;
        }
        // v(E) beside Σ e_i a_i: what it is along the polynomials, and its second order.
        let mut beside = self.angle;
        let mut before = 0.0;
        for i in 0..SIX {
            beside += delta[i] * turns(i) * (0.5 * angle + before);
            before += d[i] * turns(i);
        }
        let places = second_order(&d, &levers, &self.prismatic);
        let mut before = 0.0;
        for j in 0..SIX {
            let turn = turns(j)
                * (0.5 * before * before + 0.5 * beside + 0.5 * off * before + 0.5 * angle * angle);
            for k in 0..SIX {
                m[(k, j)] += self.rows[k][0] * 0.5 * places[j] + self.rows[k][1] * turn;
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
        let image = m * Vector6::from(*delta) + Vector6::from(self.residual);
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
        let d: [f64; SIX] = std::array::from_fn(|k| self.half_range[k] + delta[k]);
        let levers = self.levers(&d);
        let turning = (0..SIX).filter(|&k| !self.prismatic[k]);
        (
            (0..SIX).map(|k| delta[k] * levers[k]).sum::<f64>() * ROUND_UP,
            turning.map(|k| delta[k]).sum::<f64>() * ROUND_UP,
        )
    }

    /// The narrowest box (nearly) for which it holds.
    pub fn tube(&self) -> Option<[f64; SIX]> {
        let mut delta = self.residual.map(|r| r * 1.05);
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
