//! How far the frames of the arm are from where they are computed, where a controller finds joint
//! values for a pose with a model of its own.
//!
//! At the joint values q' that it finds, the arm as it is computed has its last frame within e =
//! (e_p, e_r) of the demanded pose, at which it has that frame at q. [`Stray`] bounds x = q' − q: by
//! `spread.rs`, with the joint values q of a pose that may itself be off in place of those of the
//! curve, x = y + z, y = A·(d, ω), |d| ≤ e_p, |ω| ≤ e_r, |z| ≤ ζ, where ζ is what z gains from τ = 0
//! to 1. So |x| ≤ X = g + ζ, joint by joint.
//!
//! Frame k stands at p_k, turned by R_k. With the columns P_j = ∂p_k/∂q_j and W_j, the axis of joint
//! j (0 where it slides), j ≤ k, along the way q + t·x:
//!
//! > p_k(q') − p_k(q) = ∫ Σ_j P_j x_j dt, and R_k turns by no more than ∫ |Σ_j W_j x_j| dt
//!
//! Let q be within h of a middle q̄. On the way each q_i is within D_i = h_i + X_i of it, and within
//! c_i = h_i + ½X_i on the average. A column moves by no more than ∂P_j/∂q_i = a_inner × P_outer per
//! radian or metre (head of the module above), of length f_outer, the lever of p_k over that box
//! (`levers` in `middle.rs`), and 0 where the inner one slides; an axis by one that turns inside of
//! it, and by 1 at most. So, all columns taken at q̄:
//!
//! > shift ≤ ‖P·A_p‖ e_p + ‖P·A_r‖ e_r + Σ_j |P_j| ζ_j + Σ_j X_j Σ_i c_i f_outer
//! > turn ≤ ‖W·A_p‖ e_p + ‖W·A_r‖ e_r + Σ_j |W_j| ζ_j + Σ_j X_j Σ_{i<j} c_i
//!
//! What the joints do together counts in the first two terms: near a singularity they go far, and
//! most of it cancels. The others get small as the box does, so stretches are cut until they are.
//!
//! **Joint moves** between such q' are off by (1 − s) x_0 + s x_1, and joint values in a corner
//! between them by a mean of what those at its points are off: [`StrayGroup`].

use nalgebra::{Matrix3, Matrix3x6, Matrix6, Vector6};

use super::arm::Arm;
use super::middle::{PieceMiddle, PoseError, ROUND_UP};
use super::piece::SIX;
use super::spread::Spread;
use crate::model::{Polynomial, RigidError};
use crate::numeric::max_or_nan;
use crate::numeric::polynomial::{range, restricted, value};

/// A stretch is cut into no more boxes than this.
const MOST_BOXES: usize = 512;
/// And no more often than this where only the bound gets better.
const FINEST: usize = 5;
/// Parts in which a mean of strays is looked at, at least: in a long one both ends count in full.
const PARTS: usize = 16;
/// What the bound has beside its first order is loose if it is more than this share of that,
const LOOSE: f64 = 0.2;
/// and more than this, metres or radians.
const LOOSE_SIZE: f64 = 2e-5;

/// By how much the joint values of a controller may differ from computed ones for the same pose.
#[derive(Debug, Clone)]
pub struct Stray {
    /// A.
    a: Matrix6<f64>,
    /// e.
    error: PoseError,
    /// ζ.
    beside: [f64; SIX],
    /// X.
    most: [f64; SIX],
}

impl Stray {
    /// At joint values within `off` of these.
    pub fn at(arm: &Arm, q: &Vector6<f64>, off: &[f64; SIX], error: PoseError) -> Option<Self> {
        let still = std::array::from_fn(|k| [q[k], 0.0, 0.0, 0.0, 0.0, 0.0]);
        Self::new(&PieceMiddle::new(arm, &still)?, off, error)
    }

    /// At joint values within `off` of a piece.
    fn new(middle: &PieceMiddle, off: &[f64; SIX], error: PoseError) -> Option<Self> {
        let spread = Spread::new(middle, off, &error.into())?;
        let [first_order, beside] = spread.moved(off);
        Some(Stray {
            a: middle.a,
            error,
            beside,
            most: std::array::from_fn(|k| (first_order[k] + beside[k]) * ROUND_UP),
        })
    }

    /// How far it moves something of which these columns are the change with the joints: to first
    /// order, and by ζ.
    fn moved(&self, columns: &Matrix3x6<f64>) -> [f64; 2] {
        let moved = columns * self.a;
        // Rounding of A and of the columns.
        let rounded = 1e-12 * columns.norm() * self.a.norm();
        let by = |at: usize| longest(&moved.fixed_view::<3, 3>(0, at).into_owned()) + rounded;
        let beside = (0..SIX).map(|j| columns.column(j).norm() * self.beside[j]);
        [
            by(0) * self.error.position + by(3) * self.error.turn,
            beside.sum::<f64>(),
        ]
    }
}

/// The length to which a matrix makes a vector of length 1, at most.
fn longest(m: &Matrix3<f64>) -> f64 {
    let square = (m * m.transpose()).symmetric_eigenvalues().max();
    square.max(0.0).sqrt() * (1.0 + 1e-9)
}

/// Joint values are off by this many times some mean of these.
pub type StrayGroup<'s> = (f64, &'s [Stray]);

/// How far the frames of the arm's joints may be off, each about its origin, and the joints.
#[derive(Debug, Clone, Copy, Default)]
pub struct FramesOff {
    pub frames: [RigidError; SIX],
    pub joints: [f64; SIX],
}

impl FramesOff {
    /// The greater of both.
    pub fn max(self, other: &FramesOff) -> Self {
        FramesOff {
            frames: std::array::from_fn(|k| self.frames[k].max(other.frames[k])),
            joints: std::array::from_fn(|k| self.joints[k].max(other.joints[k])),
        }
    }
}

/// Joint values within `off` of polynomials over [0, 1].
#[derive(Clone, Copy)]
pub struct Stretch {
    pub joints: [Polynomial; SIX],
    pub off: [f64; SIX],
}

impl Stretch {
    /// The middle, and how far they are from it.
    fn enclosure(&self) -> (Vector6<f64>, [f64; SIX]) {
        let middle = Vector6::from_fn(|k, _| value(&self.joints[k], 0.5));
        let half = |k: usize| {
            let (low, high) = range(&self.joints[k], 0.0, 1.0);
            ((high - middle[k]).max(middle[k] - low).max(0.0) + self.off[k]) * ROUND_UP
        };
        (middle, std::array::from_fn(half))
    }

    fn part(&self, from: f64, to: f64) -> Self {
        Stretch {
            joints: self.joints.map(|c| restricted(&c, from, to)),
            ..*self
        }
    }

    /// Two parts of it: earlier and later joint values, or, where it is wider than long, those to
    /// either side of its middle.
    fn halves(&self) -> [Self; 2] {
        let widest = (0..SIX).fold(0, |w, k| if self.off[k] > self.off[w] { k } else { w });
        let (_, half) = self.enclosure();
        let longest = (0..SIX).map(|k| half[k] - self.off[k]).fold(0.0, f64::max);
        if longest >= self.off[widest] {
            return [self.part(0.0, 0.5), self.part(0.5, 1.0)];
        }
        let wide = 0.5 * self.off[widest];
        [-wide, wide].map(|by| {
            let mut side = *self;
            side.joints[widest][0] += by;
            side.off[widest] = wide * ROUND_UP + 4.0 * f64::EPSILON * self.joints[widest][0].abs();
            side
        })
    }

    /// How far the frames may be off where a controller finds the joint values of poses. `None`:
    /// it is not proved.
    pub fn driven_to_poses(&self, arm: &Arm, error: PoseError) -> Option<FramesOff> {
        let mut worst = FramesOff::default();
        self.cut(arm, error, |part, stray, finest| {
            let bound = Bound::new(arm, part, &[(1.0, &[stray])]);
            let is_enough = finest || !bound.is_loose();
            if is_enough {
                worst = worst.max(&bound.off());
            }
            is_enough
        })?;
        Some(worst)
    }

    /// By how much the joint values that a controller finds may differ from these, part by part.
    pub fn strays(&self, arm: &Arm, error: PoseError) -> Option<Vec<Stray>> {
        let mut strays = Vec::new();
        self.cut(arm, error, |_, stray, _| {
            strays.push(stray);
            true
        })?;
        Some(strays)
    }

    /// Cuts it into parts until their strays are proved, and are enough; `is_enough` is also told
    /// whether no finer ones will come.
    fn cut(
        &self,
        arm: &Arm,
        error: PoseError,
        mut is_enough: impl FnMut(&Stretch, Stray, bool) -> bool,
    ) -> Option<()> {
        let mut open = vec![(*self, 0)];
        let mut boxes = 0;
        while let Some((part, finer)) = open.pop() {
            boxes += 1;
            let finest = boxes + open.len() >= MOST_BOXES;
            let middle = PieceMiddle::new(arm, &part.joints);
            let stray = middle.and_then(|middle| Stray::new(&middle, &part.off, error));
            let finer = match stray {
                Some(stray) => {
                    if is_enough(&part, stray, finest || finer == FINEST) {
                        continue;
                    }
                    finer + 1
                }
                None if finest => return None,
                None => {
                    // Where no point is proved no part is.
                    let middle = Vector6::from_fn(|k, _| value(&part.joints[k], 0.5));
                    Stray::at(arm, &middle, &[0.0; SIX], error)?;
                    0
                }
            };
            open.extend(part.halves().map(|half| (half, finer)));
        }
        Some(())
    }

    /// How far the frames may be off where joint values are off by the sum of these groups, which
    /// are asked for with the shares from which to which a part of it goes.
    pub fn between<'s>(
        &self,
        arm: &Arm,
        groups: impl Fn([f64; 2]) -> Vec<StrayGroup<'s>>,
    ) -> FramesOff {
        let mut worst = FramesOff::default();
        let part = |n: usize| [n, n + 1].map(|n| n as f64 / PARTS as f64);
        let mut open: Vec<([f64; 2], usize)> = (0..PARTS).map(|n| (part(n), 0)).collect();
        while let Some(([from, to], finer)) = open.pop() {
            let bound = Bound::new(arm, &self.part(from, to), &groups([from, to]));
            if finer < FINEST && bound.is_loose() {
                let middle = 0.5 * (from + to);
                open.extend([[from, middle], [middle, to]].map(|half| (half, finer + 1)));
            } else {
                worst = worst.max(&bound.off());
            }
        }
        worst
    }
}

/// The bound for one box of joint values.
struct Bound {
    first_order: [RigidError; SIX],
    beside: [RigidError; SIX],
    joints: [f64; SIX],
}

impl Bound {
    fn new(arm: &Arm, stretch: &Stretch, groups: &[StrayGroup]) -> Self {
        let (q, half) = stretch.enclosure();
        let at = arm.at(&q);
        let greatest = |of: &dyn Fn(&Stray) -> f64| {
            let each = groups
                .iter()
                .map(|(weight, strays)| weight * strays.iter().map(of).fold(0.0, max_or_nan));
            each.sum::<f64>() * ROUND_UP
        };
        let most: [f64; SIX] = std::array::from_fn(|k| greatest(&|stray| stray.most[k]));
        let turns = arm.prismatic.map(|slides| if slides { 0.0 } else { 1.0 });
        let mut bound = Bound {
            first_order: Default::default(),
            beside: Default::default(),
            joints: most,
        };
        let mut axes = Matrix3x6::zeros();
        let mut inside = 0.0;
        let mut turned_beside = 0.0;
        for k in 0..SIX {
            let slid = if arm.prismatic[k] { q[k] } else { 0.0 };
            let place = at.origin[k] + at.axis[k] * slid;
            axes.set_column(k, &(at.axis[k] * turns[k]));
            let mut columns = Matrix3x6::zeros();
            for j in 0..=k {
                let column = if arm.prismatic[j] {
                    at.axis[j]
                } else {
                    at.axis[j].cross(&(place - at.origin[j]))
                };
                columns.set_column(j, &column);
            }
            let moved = |columns: &Matrix3x6<f64>, part: usize| {
                greatest(&|stray: &Stray| stray.moved(columns)[part])
            };
            bound.first_order[k] = RigidError {
                shift_m: moved(&columns, 0),
                turn_rad: moved(&axes, 0),
            };

            // From the frame inwards, with the levers of its origin.
            let mut levers = [0.0; SIX];
            let mut beyond = 0.0;
            for j in (0..=k).rev() {
                levers[j] = if arm.prismatic[j] {
                    1.0
                } else {
                    columns.column(j).norm() + 1e-12 * at.size + beyond
                };
                beyond += (half[j] + most[j]) * levers[j];
            }
            let mut shift = 0.0;
            for j in 0..=k {
                for i in 0..=k {
                    let away = half[i] + 0.5 * most[i];
                    shift += most[j] * away * turns[i.min(j)] * levers[i.max(j)];
                }
            }
            turned_beside += turns[k] * most[k] * inside;
            inside += turns[k] * (half[k] + 0.5 * most[k]);
            bound.beside[k] = RigidError {
                shift_m: (moved(&columns, 1) + shift) * ROUND_UP,
                turn_rad: (moved(&axes, 1) + turned_beside) * ROUND_UP,
            };
        }
        bound
    }

    fn off(&self) -> FramesOff {
        FramesOff {
            frames: std::array::from_fn(|k| self.first_order[k].and(self.beside[k])),
            joints: self.joints,
        }
    }

    fn is_loose(&self) -> bool {
        let loose = |first: f64, beside: f64| beside > LOOSE_SIZE && beside > LOOSE * first;
        self.first_order
            .iter()
            .zip(&self.beside)
            .any(|(first, beside)| {
                loose(first.shift_m, beside.shift_m) || loose(first.turn_rad, beside.turn_rad)
            })
    }
}
