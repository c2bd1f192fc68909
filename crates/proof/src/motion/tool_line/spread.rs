//! How far joint values are from those of the curve where the pose may be off it by more than one
//! box of the test of a piece ([`certify`](super::certify)) has room for.
//!
//! For each s there is a solution q(0) of the demanded pose X(s), within δ of q̂(s), continuous in s
//! (the test). Let the pose go from there to where it is: at τ from 0 to 1 its point moves by d and
//! it turns about ω (in the world) per unit of τ, with d and ω in the range E of errors: |d| ≤ e_p,
//! and ω = Σ c_a b_a + e, |c_a| ≤ 1, |e| ≤ e_r, a box with the half edges b_a and a ball. For an
//! error of the place and of the orientation, no larger than e_p and e_r, both grow evenly; for the
//! box see [`wide`](super::wide). The joints follow
//!
//! > J(q)·q' = (d, ω)
//!
//! as long as J can be inverted, and reach the pose at every τ. Let y be the integral of A·(d, ω)
//! and q = q̂(s) + y + z. Then z' = ((A·J)⁻¹ − 1)·A·(d, ω), |z(0)| ≤ δ. Where |1 − A·J| ≤ M, entry
//! by entry, for all q with |z| ≤ ζ, and M·(g + w) < w for g ≥ |A·(d, ω)| all over E, M contracts,
//! A·J can be inverted, and |z'| ≤ Σ Mⁿ·g over n ≥ 1, which is less than w. So from τ to τ + h the
//! solution stays within ζ, if ζ is not less than the bound at τ and hw: it would have to be faster
//! than w to get out. Steps of τ from 0 to 1 bound z(1), and |q − q̂| ≤ g + ζ.
//!
//! **M.** From the middle q̂(½) each joint is off by x = h + y + z, with h how far q̂(s) is from its
//! middle. With B_i, what A makes of the change of J by joint i (head of the module above; here are
//! no C(E) and no ½, for the tool is where it ought to be):
//!
//! > M_kj = |1 − A·J(q̂(½))|_kj + Σ_i (|h_i| + ζ_i) |B_i|_kj + |Σ_i y_i B_i|_kj + second order
//!
//! y_i is the integral of A_i,p·d + A_i,r·ω, and E is convex, so |Σ_i y_i B_i| ≤ τ (‖Σ_i A_i,p B_i‖
//! e_p + ‖Σ_i A_i,r B_i‖ e_r + Σ_a |Σ_i A_i,r·b_a B_i|): what the joints do together counts, not one
//! by one, and this is why so much more fits than into a box.
//!
//! **One solution.** z(1) depends continuously on s and on the error; without an error it is the
//! solution of the curve itself. A motion that keeps its poses within the errors, and is on this
//! function of s and the error at one instant, is on it always: the instants at which it is are
//! closed, and open, because J can be inverted there. From piece to piece both functions are
//! continuous in the error and agree where there is none, so they are the same.

use nalgebra::{Matrix6, Vector3, Vector6};

use super::certify::second_order;
use super::middle::{PieceMiddle, PoseError, ROUND_UP};
use super::piece::SIX;

/// Steps in which the errors grow.
const STEPS: usize = 8;
/// Rounds in which the speed of z is looked for.
const ROUNDS: usize = 12;

/// How the error of a pose may grow, per unit of τ: its place within a ball, its orientation within
/// a box and a ball.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ErrorRange {
    /// Of the place and of the orientation, in every direction.
    pub ball: PoseError,
    /// Half edges of the box: rotation vectors in the world, radians.
    pub edges: [Vector3<f64>; 3],
}

impl From<PoseError> for ErrorRange {
    fn from(ball: PoseError) -> Self {
        ErrorRange {
            ball,
            ..ErrorRange::default()
        }
    }
}

impl ErrorRange {
    /// g: how far the joint values go to first order, at most.
    pub fn first_order(&self, middle: &PieceMiddle) -> [f64; SIX] {
        std::array::from_fn(|k| {
            let turns = middle.a.fixed_view::<1, 3>(k, 3).transpose();
            let [place, turn] = middle.rows[k];
            let edges: f64 = (self.edges.iter())
                .map(|edge| turns.dot(edge).abs() + 1e-14 * turn * edge.norm())
                .sum();
            (place * self.ball.position + turn * self.ball.turn + edges + f64::EPSILON) * ROUND_UP
        })
    }

    /// The greatest turn in it, radians.
    fn turn(&self) -> f64 {
        self.ball.turn + self.edges.iter().map(|edge| edge.norm()).sum::<f64>()
    }
}

/// How far joint values can be from polynomials, radians or metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tube {
    /// At most.
    pub off: [f64; SIX],
    /// About how far some of the errors take them, to tell whether finer boxes may help. No proof
    /// uses it.
    pub reached: [f64; SIX],
}

impl Tube {
    /// The tube where both hold, of the same solution.
    pub fn within(&self, other: &Tube) -> Tube {
        Tube {
            off: std::array::from_fn(|k| self.off[k].min(other.off[k])),
            reached: std::array::from_fn(|k| self.reached[k].max(other.reached[k])),
        }
    }
}

/// Joint values of all poses that are off a piece of a curve by no more than an error.
pub(super) struct Spread {
    /// A, the inverse of the Jacobian in the middle of the piece.
    a: Matrix6<f64>,
    /// How far the joint values go by the ball of orientation errors alone, radians or metres.
    stray: [f64; SIX],
    /// g: how far the joint values go to first order, at most.
    first_order: [f64; SIX],
    /// ζ: how far they are from that.
    beside: [f64; SIX],
}

/// The parts of M.
pub(super) struct PoseChange {
    /// What does not grow with the errors.
    still: Matrix6<f64>,
    /// What grows with τ.
    grows: Matrix6<f64>,
    /// |B_i|, for ζ.
    by_joint: [Matrix6<f64>; SIX],
}

impl Spread {
    /// The spread of a piece, seen from the middle of its polynomials, whose own solution is within
    /// `off` of them. `None` where it is not proved.
    pub fn new(middle: &PieceMiddle, off: &[f64; SIX], error: &ErrorRange) -> Option<Self> {
        let change = PoseChange::new(middle, error);
        let first_order = error.first_order(middle);
        let mut beside = *off;
        let mut speed = [0.0; SIX];
        for n in 1..=STEPS {
            let tau = n as f64 / STEPS as f64;
            (beside, speed) = grown(middle, &change, &first_order, &beside, speed, tau)?;
        }
        Some(Spread {
            a: middle.a,
            stray: middle
                .rows
                .map(|[_, turn]| turn * error.ball.turn * ROUND_UP),
            first_order,
            beside,
        })
    }

    /// The same as a tube.
    pub fn tube(&self) -> Tube {
        Tube {
            off: self.off(),
            reached: self.first_order,
        }
    }

    /// How far the joint values go by the errors, at most, to first order, and beside that. `off`:
    /// how far they may be from the polynomials without any.
    pub fn moved(&self, off: &[f64; SIX]) -> [[f64; SIX]; 2] {
        // The sums in `beside` are rounded up by far more than the difference is rounded.
        let gained = |k: usize| (self.beside[k] - off[k]) * ROUND_UP;
        [self.first_order, std::array::from_fn(gained)]
    }

    /// How far the joint values can be from the polynomials.
    pub fn off(&self) -> [f64; SIX] {
        std::array::from_fn(|k| (self.first_order[k] + self.beside[k]) * ROUND_UP)
    }

    /// Where the joint values are, seen from the polynomials, for a pose that is off by this, but
    /// for the ball of turns: the middle of a box, and its half-widths.
    pub fn beside(&self, by: &Vector6<f64>) -> [Vector6<f64>; 2] {
        let wide = Vector6::from(self.beside) + Vector6::from(self.stray);
        [self.a * by, wide]
    }
}

/// ζ at the end of a step of τ, and the speed w within it.
fn grown(
    middle: &PieceMiddle,
    change: &PoseChange,
    first_order: &[f64; SIX],
    before: &[f64; SIX],
    mut speed: [f64; SIX],
    tau: f64,
) -> Option<([f64; SIX], [f64; SIX])> {
    let step = 1.0 / STEPS as f64;
    for _ in 0..ROUNDS {
        let beside: [f64; SIX] = std::array::from_fn(|k| (before[k] + step * speed[k]) * ROUND_UP);
        let m = change.at(middle, first_order, &beside, tau);
        let moved = Vector6::from_fn(|k, _| first_order[k] + speed[k]);
        let image = m * moved * ROUND_UP;
        if (0..SIX).all(|k| image[k] < speed[k]) {
            return Some((beside, speed));
        }
        // Where M is not a number it is no bound either.
        if !image.iter().all(|x| *x < 1.0) {
            return None;
        }
        speed = std::array::from_fn(|k| image[k] * 1.1 + 1e-12);
    }
    None
}

impl PoseChange {
    pub fn new(middle: &PieceMiddle, error: &ErrorRange) -> Self {
        let mut still = middle.unit;
        let mut by_joint = [Matrix6::<f64>::zeros(); SIX];
        // Σ_i A_i B_i of each entry: places, and turns.
        let mut together = [[[Vector3::<f64>::zeros(); 2]; SIX]; SIX];
        let mut rounding = Matrix6::<f64>::zeros();
        let row = |i: usize, at: usize| middle.a.fixed_view::<1, 3>(i, at).transpose();
        let rows: [[Vector3<f64>; 2]; SIX] = std::array::from_fn(|i| [row(i, 0), row(i, 3)]);
        let mut add = |[k, j]: [usize; 2], i: usize, b: f64, rounded: f64| {
            let size = b.abs() + rounded;
            still[(k, j)] += middle.half_range[i] * size;
            by_joint[i][(k, j)] = size;
            for part in 0..2 {
                together[k][j][part] += rows[i][part] * b;
            }
            let [place, turn] = middle.rows[i];
            rounding[(k, j)] +=
                (rounded + 1e-14 * size) * (place * error.ball.position + turn * error.turn());
        };
        for inner in 0..SIX {
            for outer in inner..SIX {
                let [by_place, by_turn] = middle.jacobian_change(inner, outer);
                for k in 0..SIX {
                    let rounded = middle.jacobian_change_rounding(k, outer);
                    add([k, outer], inner, by_place[k] + by_turn[k], rounded);
                    if inner < outer {
                        add([k, inner], outer, by_place[k], rounded);
                    }
                }
            }
        }
        let grows = Matrix6::from_fn(|k, j| {
            let [place, turn] = &together[k][j];
            let edges: f64 = error.edges.iter().map(|edge| turn.dot(edge).abs()).sum();
            place.norm() * error.ball.position
                + turn.norm() * error.ball.turn
                + edges
                + rounding[(k, j)]
        });
        PoseChange {
            still,
            grows,
            by_joint,
        }
    }

    /// M for all errors up to the share τ, and all joint values within `beside`.
    pub fn at(
        &self,
        middle: &PieceMiddle,
        first_order: &[f64; SIX],
        beside: &[f64; SIX],
        tau: f64,
    ) -> Matrix6<f64> {
        let mut m = self.still + self.grows * tau;
        for (by, off) in self.by_joint.iter().zip(beside) {
            m += by * *off;
        }
        let d: [f64; SIX] =
            std::array::from_fn(|k| middle.half_range[k] + tau * first_order[k] + beside[k]);
        let places = second_order(&d, &middle.levers(&d), &middle.prismatic);
        let mut inside = 0.0;
        for j in 0..SIX {
            for k in 0..SIX {
                let [place, turn] = middle.rows[k];
                let own = if middle.prismatic[j] { 0.0 } else { turn };
                m[(k, j)] += 0.5 * (place * places[j] + own * inside * inside);
            }
            if !middle.prismatic[j] {
                inside += d[j];
            }
        }
        m * ROUND_UP
    }
}
