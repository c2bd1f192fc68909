//! Joint values where the orientation of the tool is known too loosely for one spread
//! ([`spread`](super::spread)): the ball of its errors is cut into cells.
//!
//! Let v be the error of the orientation as a rotation vector in the world, |v| ≤ θ, so that the
//! tool is turned by exp(v)·R_X(s). The ball |v| ≤ θ is covered by boxes: near a singularity some
//! turns move the joints far more than others, so boxes are narrow along these only. The middle w
//! of a box stands for a curve of its own: the same places, and the orientations exp(w)·R_X(s),
//! which turn about exp(w)·axis from exp(w)·R_X(0). On the way from w to v = w + δ, at w + τδ, the
//! tool turns about L(w + τδ)·δ, with L the left Jacobian of exp. On the axis of its argument u L
//! is 1, across it (exp(iφ) − 1)/(iφ) with φ = |u|, so ‖L − 1‖ ≤ ½|u|. So it turns about δ, which
//! lies in the box, and something that is no longer than ½(|w| + |δ|)|δ|. The spread of this curve
//! for such errors holds, for each s and each v of the box, a solution that depends continuously on
//! both.
//!
//! **One solution over all cells.** Where two boxes share a face, both have a solution there. At the
//! start of the piece and in the middle of the face each of the two spreads says in which box its
//! solution lies; Newton's method gives joint values between, and the test of a piece that stands
//! still says that there is only one solution in a box around them that holds both. So they agree
//! there; the derivative by the joints is invertible at every solution, so the set where they agree
//! is open as well as closed, and they agree all over the face. The box in the middle is the curve
//! itself with its spread. Then, from the middle outwards, each box is asked about one of its
//! neighbours nearer to the middle. With the others of them it agrees too: let a box lie next to
//! n₁, with which it was asked, and to n₂, and let n₁₂ be the box that lies next to both of these
//! towards the middle. All four share an edge. There the box agrees with n₁, n₁ with n₁₂, and n₁₂
//! with n₂, which are nearer to the middle; so it agrees with n₂ on the edge, and hence all over
//! their face. So the solutions of the cells are one continuous function of (s, v) over the whole
//! ball, and at v = 0 it is that of the curve. From piece to piece: where they meet both give a
//! continuous function of v over the ball, and they agree at v = 0: so, as before, they are the same
//! function.
//!
//! **What comes out**: every solution is within max_w (|q̂_w − q̂| + what the spread of w says) of
//! the curve's own polynomials q̂.

use std::collections::HashMap;

use nalgebra::{Matrix3, Vector3, Vector6};

use super::arm::Arm;
use super::certify::PieceTest;
use super::cubics::cubics;
use super::curve::PoseCurve;
use super::middle::{PieceMiddle, PieceToProve, PoseError, ROUND_UP};
use super::piece::SIX;
use super::point::{is_unique_solution, reach, reached};
use super::spread::{ErrorRange, Spread, Tube};
use crate::model::Polynomial;
use crate::numeric::polynomial::range;

/// How finely the ball is cut, one after the other: a box turns the joints by the inverse of this,
/// relative to what they can turn before the Jacobian changes by as much as it is.
pub(super) const FINENESS: [f64; 12] = [
    0.7, 1.0, 1.5, 2.2, 3.3, 5.0, 7.5, 11.0, 16.0, 24.0, 36.0, 54.0,
];
/// How far products of unit vectors at right angles may be from 0 and 1 by rounding.
const SQUARE: f64 = 1e-13;
/// No more boxes than this along an axis.
const MOST_ALONG: f64 = 201.0;
/// Equal steps at which the error is computed in each cell.
const STEPS: usize = 4;

/// Boxes that cover the ball of errors of the orientation.
#[derive(Debug, Clone, Copy)]
pub(super) struct ErrorBoxes {
    /// Axes of the boxes in the world, unit vectors.
    axes: Matrix3<f64>,
    /// How many there are along the ball's diameter; odd, so that one has its middle in the ball's.
    counts: [usize; 3],
    /// Half of the edges, radians.
    half: Vector3<f64>,
    /// Radius of the ball, radians.
    turn: f64,
}

impl ErrorBoxes {
    /// Boxes that are the narrower along an axis the farther a turn about it moves the joints.
    /// `None`: one box would do for all.
    pub fn new(middle: &PieceMiddle, turn: f64, fineness: f64) -> Option<Self> {
        let gains = middle.a.fixed_view::<6, 3>(0, 3).into_owned();
        let square = gains.transpose() * gains;
        if !square.iter().all(|x| x.is_finite()) {
            return None;
        }
        let eigen = square.symmetric_eigen();
        // Boxes cover the ball only if their axes are at right angles.
        let axes = &eigen.eigenvectors;
        let askew = (axes.tr_mul(axes) - Matrix3::identity()).amax();
        if askew.is_nan() || askew > SQUARE {
            return None;
        }
        let gains = eigen.eigenvalues.map(|x| x.max(0.0).sqrt());
        let most = gains.max();
        let counts: [usize; 3] = std::array::from_fn(|k| {
            let wanted = (fineness * turn * gains[k] * most).min(MOST_ALONG);
            1 + 2 * (0.5 * (wanted - 1.0)).ceil().max(0.0) as usize
        });
        let half = Vector3::from(counts.map(|n| turn / n as f64));
        let boxes = ErrorBoxes {
            axes: eigen.eigenvectors,
            counts,
            half,
            turn,
        };
        (counts != [1, 1, 1]).then_some(boxes)
    }

    /// How many boxes there are, at most.
    pub fn most(&self) -> usize {
        self.counts.iter().product()
    }

    /// Which boxes have a point within the ball, from the middle outwards: how many steps from there
    /// along each axis.
    pub fn cells_from_middle(&self) -> Vec<[i32; 3]> {
        let [a, b, c] = self.counts.map(|n| (n / 2) as i32);
        let mut places: Vec<[i32; 3]> = (-a..=a)
            .flat_map(|x| (-b..=b).map(move |y| [x, y]))
            .flat_map(|[x, y]| (-c..=c).map(move |z| [x, y, z]))
            .filter(|at| self.is_in_ball(at))
            .collect();
        places.sort_by_key(|at| at.map(i32::abs).iter().sum::<i32>());
        places
    }

    /// The middle of a box along its axes.
    fn along(&self, at: &[i32; 3]) -> Vector3<f64> {
        Vector3::from(at.map(f64::from)).component_mul(&self.half) * 2.0
    }

    /// Whether some point of a box is within the ball; rounding errs towards that.
    fn is_in_ball(&self, at: &[i32; 3]) -> bool {
        let nearest = self.along(at).abs() - self.half * ROUND_UP;
        nearest.map(|x| x.max(0.0)).norm() <= self.turn * ROUND_UP
    }

    /// The rotation vector in the middle of a box.
    pub fn middle_of(&self, at: &[i32; 3]) -> Vector3<f64> {
        self.axes * self.along(at)
    }

    /// How an error within a box grows from its middle, as seen from there.
    pub fn errors(&self, at: &[i32; 3], position: f64) -> ErrorRange {
        // The axes are unit vectors at right angles but for `SQUARE`.
        let half = self.half.map(|x| x * ROUND_UP + 1e-12);
        let diagonal = half.norm();
        let turn = 0.5 * (self.along(at).norm() + diagonal) * diagonal * ROUND_UP + 1e-12;
        ErrorRange {
            ball: PoseError { position, turn },
            edges: std::array::from_fn(|k| self.axes.column(k) * half[k]),
        }
    }
}

/// A cell of the ball: its joint polynomials, and how far the solution is from them.
pub(super) struct ErrorCell {
    joints: [Polynomial; SIX],
    /// Where the joints are at the start of the piece.
    q0: Vector6<f64>,
    /// The middle of the box, a rotation vector in the world.
    middle: Vector3<f64>,
    spread: Spread,
}

/// A piece of a curve whose orientation may be off by much.
pub(super) struct WideErrors<'w> {
    pub arm: &'w Arm,
    pub curve: &'w PoseCurve,
    /// Shares of the curve at which the piece begins and ends.
    pub span: [f64; 2],
    /// The joint polynomials of the curve itself, and how far its solution is from them.
    pub joints: &'w [Polynomial; SIX],
    pub off: &'w [f64; SIX],
    /// These polynomials seen from their middle.
    pub middle: &'w PieceMiddle,
    /// How far the poses may be off.
    pub error: PoseError,
}

impl WideErrors<'_> {
    /// How far the joint values can be from the polynomials of the piece. `None` where that is not
    /// proved. `cells` counts those that were tried.
    pub fn tube(&self, boxes: &ErrorBoxes, cells: &mut usize) -> Option<Tube> {
        let (mut off, mut reached) = (*self.off, [0.0_f64; SIX]);
        for cell in self.cells(boxes, cells)?.values() {
            let away = differences(&cell.joints, self.joints);
            let spread = cell.spread.off();
            for k in 0..SIX {
                off[k] = off[k].max((away[k] + spread[k]) * ROUND_UP);
                reached[k] = reached[k].max(away[k]);
            }
        }
        Some(Tube { off, reached })
    }

    /// The cells of the ball, proved to hold one continuous solution; `None` where that is not
    /// proved.
    pub(super) fn cells(
        &self,
        boxes: &ErrorBoxes,
        cells: &mut usize,
    ) -> Option<HashMap<[i32; 3], ErrorCell>> {
        let mut known: HashMap<[i32; 3], ErrorCell> = HashMap::new();
        // From the middle outwards: each box has a neighbour nearer to the middle that is known.
        for at in boxes.cells_from_middle() {
            *cells += 1;
            let before = neighbours(&at).into_iter().find_map(|c| known.get(&c));
            let cell = self.cell(boxes, &at, before)?;
            let agrees = before.is_none_or(|other| {
                let face = 0.5 * (cell.middle + other.middle);
                self.have_same_solution(&face, [&cell, other])
            });
            if !agrees {
                return None;
            }
            known.insert(at, cell);
        }
        Some(known)
    }

    fn cell(
        &self,
        boxes: &ErrorBoxes,
        at: &[i32; 3],
        before: Option<&ErrorCell>,
    ) -> Option<ErrorCell> {
        let middle = boxes.middle_of(at);
        let error = boxes.errors(at, self.error.position);
        let Some(before) = before else {
            // The curve itself.
            return Some(ErrorCell {
                joints: *self.joints,
                q0: Vector6::from_fn(|k, _| self.joints[k][0]),
                middle,
                spread: Spread::new(self.middle, self.off, &error)?,
            });
        };
        let curve = self.curve.turned(&middle);
        let start = reached(self.arm, &curve.at(self.span[0]), &before.q0, 12)?;
        let (joints, _) = cubics(self.arm, &curve, self.span, &start).ok()?;
        let asked = PieceToProve {
            arm: self.arm,
            curve: &curve,
            span: self.span,
            joints: &joints,
            error: PoseError::default(),
        };
        let test = PieceTest::new(&asked, STEPS)?;
        Some(ErrorCell {
            joints,
            q0: start.q,
            middle,
            spread: Spread::new(test.middle(), &test.narrowest_box()?, &error)?,
        })
    }

    /// Whether two cells have the same solution at the start of the piece, where the orientation is
    /// off by `by`: there is only one in a box that holds the boxes of both.
    pub(super) fn have_same_solution(&self, by: &Vector3<f64>, cells: [&ErrorCell; 2]) -> bool {
        let pose = self.curve.turned(by).at(self.span[0]);
        let boxes = cells.map(|cell| {
            let by = by - cell.middle;
            let [y, wide] = (cell.spread).beside(&Vector6::new(0.0, 0.0, 0.0, by.x, by.y, by.z));
            (cell.q0 + y, wide)
        });
        let between = 0.5 * (boxes[0].0 + boxes[1].0);
        let Some(q) = reach(self.arm, &pose, &between, 12) else {
            return false;
        };
        let wide = std::array::from_fn(|k| {
            let reach = |(middle, wide): &(Vector6<f64>, Vector6<f64>)| {
                ((q[k] - middle[k]).abs() + wide[k]) * (1.0 + 1e-9) + 1e-10
            };
            reach(&boxes[0]).max(reach(&boxes[1]))
        });
        is_unique_solution(self.arm, &pose, &q, &wide)
    }
}

/// The boxes that share a face with one.
pub(super) fn neighbours(at: &[i32; 3]) -> [[i32; 3]; 6] {
    std::array::from_fn(|k| {
        let mut next = *at;
        next[k / 2] += if k % 2 == 0 { 1 } else { -1 };
        next
    })
}

/// How far the values of two rows of polynomials are apart over [0, 1], at most.
fn differences(a: &[Polynomial; SIX], b: &[Polynomial; SIX]) -> [f64; SIX] {
    std::array::from_fn(|k| {
        let difference: Polynomial = std::array::from_fn(|c| a[k][c] - b[k][c]);
        let (low, high) = range(&difference, 0.0, 1.0);
        let sizes: f64 = (a[k].iter().chain(&b[k])).map(|c| c.abs()).sum();
        low.abs().max(high.abs()) + 64.0 * f64::EPSILON * sizes
    })
}
