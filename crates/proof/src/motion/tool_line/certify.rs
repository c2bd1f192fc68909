//! The test of one piece; the proof is in the head comment of the module above.

use nalgebra::{Matrix6, Vector6};

use super::middle::{PieceMiddle, PieceToProve, ROUND_UP};
use super::piece::SIX;
use super::residual::{Residual, Samples};

/// Beyond this turn ‖C(E) − 1‖ ≤ θ/2 does not hold any more.
const WIDEST: f64 = std::f64::consts::FRAC_PI_3;
/// A tube wider than this (radians or metres) is of no use to anybody.
const WIDEST_TUBE: f64 = 0.5;

/// A piece of a curve with its joint polynomials, prepared for the question how wide a tube around
/// them must be.
pub(super) struct PieceTest {
    middle: PieceMiddle,
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

impl PieceTest {
    /// Prepares the test of a piece. `steps`: how many equal ones, a power of two, so that their
    /// ends are exact. `None` where the joints are at a singularity.
    pub fn new(piece: &PieceToProve, steps: usize) -> Option<Self> {
        let middle = PieceMiddle::new(piece.arm, piece.joints)?;

        // Joint i moves column j of the Jacobian by a_inner × ∂p/∂q_outer, and axis j, if it is
        // beyond i, by a_i × a_j. The slope is the same for j and i, as half of a_i × a_j is taken
        // away where it is carried, and added where it is not.
        let mut at_middle = middle.unit;
        let mut slope = [Matrix6::zeros(); SIX];
        for inner in 0..SIX {
            for outer in inner..SIX {
                let [by_place, by_turn] = middle.jacobian_change(inner, outer);
                for k in 0..SIX {
                    let rounded = middle.jacobian_change_rounding(k, outer);
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
        Some(PieceTest {
            middle,
            at_middle,
            slope,
            samples,
            along,
        })
    }

    /// Adds samples until there are this many equal steps, a multiple of those before. Returns
    /// whether bounds result.
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
    pub fn middle(&self) -> &PieceMiddle {
        &self.middle
    }

    /// M of the box of half-widths δ: bounds |1 − A·DF| entry by entry, all over the piece. `None`
    /// where the bounds behind it do not hold.
    pub(super) fn derivative_bound(&self, delta: &[f64; SIX]) -> Option<Matrix6<f64>> {
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
    pub fn newton_image(&self, delta: &[f64; SIX]) -> [f64; SIX] {
        let Some(m) = self.derivative_bound(delta) else {
            return [f64::INFINITY; SIX];
        };
        let newton_image = m * Vector6::from(*delta) + Vector6::from(self.along.moved);
        std::array::from_fn(|k| newton_image[k] * ROUND_UP)
    }

    /// Whether the box of these half-widths is taken into itself, strictly: then exactly one
    /// solution lies within it at every instant of the piece.
    pub fn maps_into_itself(&self, delta: &[f64; SIX]) -> bool {
        let newton_image = self.newton_image(delta);
        (0..SIX).all(|k| newton_image[k] < delta[k])
    }

    /// How far the tool is from the demanded poses along the polynomials, where the solutions are
    /// within `delta` of them: metres, and radians. From the polynomials to the solution joint by
    /// joint, none with a greater lever than in the box.
    pub fn tool_deviation(&self, delta: &[f64; SIX]) -> (f64, f64) {
        let d: [f64; SIX] = std::array::from_fn(|k| self.middle.half_range[k] + delta[k]);
        let levers = self.middle.levers(&d);
        let turning = (0..SIX).filter(|&k| !self.middle.prismatic[k]);
        (
            (0..SIX).map(|k| delta[k] * levers[k]).sum::<f64>() * ROUND_UP,
            turning.map(|k| delta[k]).sum::<f64>() * ROUND_UP,
        )
    }

    /// The narrowest box (nearly) for which it holds.
    pub fn narrowest_box(&self) -> Option<[f64; SIX]> {
        let mut delta = self.along.moved.map(|r| r * 1.05);
        for _ in 0..60 {
            let newton_image = self.newton_image(&delta);
            if (0..SIX).all(|k| newton_image[k] < delta[k]) {
                return Some(delta);
            }
            if !newton_image.iter().all(|x| *x < WIDEST_TUBE) {
                return None;
            }
            delta = newton_image.map(|x| x * 1.02);
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
