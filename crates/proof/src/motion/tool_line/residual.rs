//! How far the tool is from its demanded poses along joint polynomials.
//!
//! F and F' are computed at n + 1 samples of the piece. Between two of them a component g of F, or
//! of A·F, is the cubic H with the same values and slopes at both, and what is left: |g − H| ≤
//! K/(384 n⁴) for |g''''| ≤ K. |H| is at most the greater of the two values plus ¼ of the greater of
//! the two slopes over the length 1/n, because what H makes of the values are parts of one whole,
//! and of the slopes t(1 − t)² and t²(1 − t), which are ¼ together at most. The cubics of a piece
//! reach its ends with the right slopes, so that little besides K is left with few samples.
//!
//! **The slope.** With ω̂ how the tool turns and ω how it ought to, E' = \[ω̂\]E − E\[ω\], and F' =
//! (J_p·q̂' − p_X', C(E)·(ω̂ − E·ω)) with C as in the head of the module.
//!
//! **The fourth derivative.** Seen from the axis of joint k, the tool's point is at R_k·u, with u
//! the sum of what is fixed and the same of the next joint. With B_n the polynomials of Bell in the
//! derivatives of q̂_k (B_1 = x_1, B_2 = x_1² + x_2, B_3 = x_1³ + 3x_1x_2 + x_3, B_4 = x_1⁴ +
//! 6x_1²x_2 + 4x_1x_3 + 3x_2² + x_4) the n-th derivative of R_k is no longer than B_n, and it
//! takes what is along the axis to 0. So with f_k a bound of the point's distance from the axis, and
//! U_n of the n-th derivative of R_k·u,
//!
//! > U_n(k) = B_n f_k + Σ_{j<n} (n over j) B_j U_{n−j}(k + 1)
//!
//! from the outermost joint inwards; a joint that slides adds |q̂^(n)|. The orientation is the
//! product of all R_k, and E has R_Xᵀ besides, whose n-th derivative is no longer than |ω|ⁿ: Leibniz'
//! rule bounds E'''' in the same way, and ‖v(E)''''‖ ≤ ‖E''''‖.

use nalgebra::{Matrix3, Vector3, Vector6};

use super::arm::{Arm, Posture};
use super::middle::{PieceMiddle, PieceToProve, ROUND_UP, skew, turned_by};
use super::piece::SIX;
use crate::numeric::max_or_nan;
use crate::numeric::polynomial::{derivative, derivative_bound, value};

/// Derivatives up to this order are bounded.
const ORDER: usize = 4;
/// Binomial coefficients up to that.
const BINOMIAL: [[f64; ORDER + 1]; ORDER + 1] = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 1.0, 0.0, 0.0, 0.0],
    [1.0, 2.0, 1.0, 0.0, 0.0],
    [1.0, 3.0, 3.0, 1.0, 0.0],
    [1.0, 4.0, 6.0, 4.0, 1.0],
];

/// The greatest of what samples of a piece have shown.
pub(super) struct Samples {
    bounds: Derivatives,
    /// Equal steps between them; 0: there are none.
    steps: usize,
    /// |A·F|
    value: [f64; SIX],
    /// |A·F'|
    slope: [f64; SIX],
    /// Of the orientation alone: |v(E)|, and |v(E)'|.
    turn: [f64; 2],
    /// Angle between the tool and the demanded orientation.
    angle: f64,
    /// Size of the numbers behind places, metres.
    size: f64,
}

/// What is bounded all over a piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Residual {
    /// |A·F|, every error included.
    pub moved: [f64; SIX],
    /// Angle between the tool and the demanded orientation.
    pub angle: f64,
}

impl Samples {
    /// No samples yet.
    pub fn new(piece: &PieceToProve, middle: &PieceMiddle) -> Self {
        Samples {
            bounds: Derivatives::new(piece, middle),
            steps: 0,
            value: [0.0; SIX],
            slope: [0.0; SIX],
            turn: [0.0; 2],
            angle: 0.0,
            size: middle.size(),
        }
    }

    /// Adds samples until there are so many equal steps, a multiple of those before.
    pub fn add(&mut self, piece: &PieceToProve, middle: &PieceMiddle, steps: usize) {
        let [s0, s1] = piece.span;
        let speeds = piece.joints.map(|c| derivative(&c));
        for n in 0..=steps {
            // Samples of an earlier call are at these places already.
            if self.steps > 0 && n % (steps / self.steps) == 0 {
                continue;
            }
            let s = n as f64 / steps as f64;
            let at = (piece.arm).at(&Vector6::from_fn(|k, _| value(&piece.joints[k], s)));
            let speed = Vector6::from_fn(|k, _| value(&speeds[k], s));
            let share = s0 + (s1 - s0) * s;
            let demanded = piece.curve.at(share);
            let (along, about) = piece.curve.twist(share);

            let e = at.tool.rotation * demanded.rotation.transpose();
            let turn = skew(&e);
            let [moves, turns] = twist(piece.arm, &at, &speed);
            let c = 0.5 * (Matrix3::from_diagonal_element(e.trace()) - e);
            let turn_slope = c * (turns - e * about * (s1 - s0));
            let place = at.tool.translation - demanded.translation;
            let place_slope = moves - along * (s1 - s0);

            self.angle = max_or_nan(self.angle, turned_by(&e, &turn));
            self.turn[0] = max_or_nan(self.turn[0], turn.norm());
            self.turn[1] = max_or_nan(self.turn[1], turn_slope.norm());
            self.size = self.size.max(at.size).max(demanded.translation.norm());
            middle.raise_bounds(&mut self.value, &both(&place, &turn));
            middle.raise_bounds(&mut self.slope, &both(&place_slope, &turn_slope));
        }
        self.steps = steps;
    }

    /// What they bound; `None` where the tool may be turned so far that nothing is.
    pub fn residual(&self, piece: &PieceToProve, middle: &PieceMiddle) -> Option<Residual> {
        let PieceToProve {
            curve, span, error, ..
        } = *piece;
        let h = span[1] - span[0];
        let steps = self.steps as f64;
        let bounds = &self.bounds;
        let between = 1.0 / (384.0 * steps.powi(4));
        // Errors of the samples themselves: of the tool's place, of the demanded place, and of
        // values of the polynomials; those of slopes likewise, for columns are sums of these.
        let (off_m, off_rad) = middle.rounding_at(self.size);
        let values = middle.value_rounding.iter().zip(&bounds.levers);
        let values: f64 = values.map(|(off, lever)| off * lever).sum();
        let turns: f64 = middle.value_rounding.iter().sum();
        let speeds = bounds.speeds + curve.turn * h + curve.length() * h;
        let slope_of_place = 8.0 * (off_m + off_rad * (1.0 + self.size)) * speeds + 5.0 * values;
        let slope_of_turn = 8.0 * off_rad * speeds + 5.0 * turns;
        let by_place = bounds.place * between + 2.0 * off_m + values + slope_of_place / steps;
        let by_turn = bounds.turn * between + 2.0 * off_rad + turns + slope_of_turn / steps;

        let moved = std::array::from_fn(|k| {
            let [place, turn] = middle.rows[k];
            (self.value[k]
                + self.slope[k] / (4.0 * steps)
                + place * (by_place + error.position)
                + turn * (by_turn + error.turn)
                + f64::EPSILON)
                * ROUND_UP
        });
        // The angle is less than a right one at the samples, and its sine is less than 1 between
        // them: it stays below a right angle, where the sine tells the angle.
        let sine = (self.turn[0] + self.turn[1] / (4.0 * steps) + by_turn) * ROUND_UP;
        let acute = self.angle < std::f64::consts::FRAC_PI_3 && sine < 1.0;
        let angle = (sine.asin() + error.turn + turns + off_rad) * ROUND_UP;
        let finite = angle.is_finite() && moved.iter().all(|x: &f64| x.is_finite());
        (acute && finite).then_some(Residual { moved, angle })
    }
}

fn both(place: &Vector3<f64>, turn: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(place.x, place.y, place.z, turn.x, turn.y, turn.z)
}

/// How the tool moves and turns while the joints move so.
fn twist(arm: &Arm, at: &Posture, speed: &Vector6<f64>) -> [Vector3<f64>; 2] {
    let (mut moves, mut turns) = (Vector3::zeros(), Vector3::zeros());
    for k in 0..SIX {
        if arm.prismatic[k] {
            moves += at.axis[k] * speed[k];
        } else {
            let turn = at.axis[k] * speed[k];
            moves += turn.cross(&(at.tool.translation - at.origin[k]));
            turns += turn;
        }
    }
    [moves, turns]
}

/// Bounds over a whole piece.
pub(super) struct Derivatives {
    /// Of the fourth derivative of the error of the place.
    pub place: f64,
    /// Of that of the orientation.
    pub turn: f64,
    /// Sum of the joints' speeds.
    speeds: f64,
    /// The greatest levers on the piece.
    levers: [f64; SIX],
}

impl Derivatives {
    pub fn new(piece: &PieceToProve, middle: &PieceMiddle) -> Self {
        let h = piece.span[1] - piece.span[0];
        let levers = middle.levers(&middle.half_range);
        // Of the place, order 1 first, and of the orientation, order 0 first.
        let mut place = [0.0; ORDER + 1];
        let mut turn = [1.0, 0.0, 0.0, 0.0, 0.0];
        let mut speeds = 0.0;
        for k in (0..SIX).rev() {
            let x: [f64; ORDER + 1] = std::array::from_fn(|order| match order {
                0 => 0.0,
                _ => derivative_bound(&piece.joints[k], order, 0.0, 1.0),
            });
            speeds += x[1];
            if middle.prismatic[k] {
                for order in 1..=ORDER {
                    place[order] += x[order];
                }
                continue;
            }
            let b = bell(&x);
            place = std::array::from_fn(|n| match n {
                0 => 0.0,
                _ => b[n] * levers[k] + leibniz(n, &b, &place),
            });
            turn = std::array::from_fn(|n| leibniz(n, &b, &turn));
        }
        let about = even_turn(piece.curve.turn * h);
        Derivatives {
            place: (place[ORDER] + piece.curve.derivative(ORDER) * h.powi(ORDER as i32)) * ROUND_UP,
            turn: leibniz(ORDER, &about, &turn) * ROUND_UP,
            speeds,
            levers,
        }
    }
}

/// The complete polynomials of Bell: bounds of the derivatives of a turn about a fixed axis.
fn bell(x: &[f64; ORDER + 1]) -> [f64; ORDER + 1] {
    let [_, a, b, c, d] = *x;
    [
        1.0,
        a,
        a * a + b,
        a * a * a + 3.0 * a * b + c,
        a * a * a * a + 6.0 * a * a * b + 4.0 * a * c + 3.0 * b * b + d,
    ]
}

/// Those of an even turn.
fn even_turn(angle: f64) -> [f64; ORDER + 1] {
    std::array::from_fn(|n| angle.powi(n as i32))
}

/// The n-th derivative of a product.
fn leibniz(n: usize, a: &[f64; ORDER + 1], b: &[f64; ORDER + 1]) -> f64 {
    (0..=n).map(|j| BINOMIAL[n][j] * a[j] * b[n - j]).sum()
}
