//! Joint values where the orientation of the tool is known too loosely for one spread
//! ([`spread`](super::spread)): the ball of its errors is cut into cells.
//!
//! Let v be the error of the orientation as a rotation vector in the world, |v| ≤ θ, so that the
//! tool is turned by exp(v)·R_X(s). The ball |v| ≤ θ is covered by cubes. The middle w of a cube
//! stands for a curve of its own: the same places, and the orientations exp(w)·R_X(s), which turn
//! about exp(w)·axis from exp(w)·R_X(0). exp(v) is turned against exp(w) by at most |v − w|,
//! because the derivative of exp has the singular values 1 and 2 sin(½|v|)/|v|: that is half the
//! diagonal of the cube. So the spread of this curve for orientation errors of that size holds, for
//! each s and each v of the cube, a solution that depends continuously on both.
//!
//! **One solution over all cells.** Where two cubes share a face, both have a solution there. At the
//! start of the piece and in the middle of the face each of the two spreads says in which box its
//! solution lies; Newton's method gives joint values between, and the test of a piece that stands
//! still says that there is only one solution in a box around them that holds both. So they agree
//! there; the derivative by the joints is invertible at every solution, so the set where they agree
//! is open as well as closed, and they agree all over the face. The cube in the middle is the curve
//! itself with its spread. Then, from the middle outwards, each cube is asked about one of its
//! neighbours nearer to the middle. With the others of them it agrees too: let a cube lie next to
//! n₁, with which it was asked, and to n₂, and let n₁₂ be the cube that lies next to both of these
//! towards the middle. All four share an edge. There the cube agrees with n₁, n₁ with n₁₂, and n₁₂
//! with n₂, which are nearer to the middle; so it agrees with n₂ on the edge, and hence all over
//! their face. So the solutions of the cells are one continuous function of (s, v) over the whole
//! ball, and at v = 0 it is that of the curve. From piece to piece: where they meet both give a
//! continuous function of v over the ball, and they agree at v = 0: so, as before, they are the same
//! function.
//!
//! **What comes out**: every solution is within max_w (|q̂_w − q̂| + what the spread of w says) of
//! the curve's own polynomials q̂.

use std::collections::HashMap;

use nalgebra::{Vector3, Vector6};

use super::arm::Arm;
use super::certify::{Middle, PieceToProve, PoseError, ROUND_UP, Test};
use super::cubics::cubics;
use super::curve::{PoseCurve, turn_between};
use super::piece::SIX;
use super::point::{is_only, reach, reached};
use super::spread::Spread;
use crate::model::Polynomial;
use crate::numeric::polynomial::range;

/// Numbers of cubes along the ball's diameter that are tried; odd, so that one has its middle in
/// the ball's.
pub(super) const GRIDS: [usize; 7] = [3, 5, 7, 9, 13, 17, 23];
/// Cubes of about this half diagonal are proved nearly everywhere, radians.
const USUAL: f64 = 0.04;
/// Equal steps at which the error is computed in each cell.
const STEPS: usize = 4;

/// The grid to begin with for errors of this size, radians.
pub(super) fn usual_grid(turn: f64) -> usize {
    let fine = |&n: &usize| half_diagonal(turn, n) <= USUAL;
    GRIDS.iter().position(fine).unwrap_or(GRIDS.len() - 1)
}

/// Half the diagonal of a cube, radians.
fn half_diagonal(turn: f64, n: usize) -> f64 {
    turn / n as f64 * 3.0_f64.sqrt() * ROUND_UP
}

/// A cell of the ball: its joint polynomials, and how far the solution is from them.
pub(super) struct BallPiece {
    joints: [Polynomial; SIX],
    /// Where the joints are at the start of the piece.
    q0: Vector6<f64>,
    /// The middle of the cube.
    middle: Vector3<f64>,
    spread: Spread,
}

/// A piece of a curve whose orientation may be off by much.
pub(super) struct Wide<'w> {
    pub arm: &'w Arm,
    pub curve: &'w PoseCurve,
    /// Where the piece begins and ends, shares of the curve.
    pub span: [f64; 2],
    /// The joint polynomials of the curve itself, and how far its solution is from them.
    pub joints: &'w [Polynomial; SIX],
    pub off: &'w [f64; SIX],
    /// They as they are seen from their middle.
    pub middle: &'w Middle,
    /// How far the poses may be off.
    pub error: PoseError,
}

impl Wide<'_> {
    /// How far the joint values can be from the polynomials of the piece, by `n` cubes along the
    /// diameter. `None` where that is not proved. `cells` counts those that were tried.
    pub fn tube(&self, n: usize, cells: &mut usize) -> Option<[f64; SIX]> {
        let mut widest = *self.off;
        for cell in self.cells(n, cells)?.values() {
            let away = differences(&cell.joints, self.joints);
            let off = cell.spread.off();
            for k in 0..SIX {
                widest[k] = widest[k].max((away[k] + off[k]) * ROUND_UP);
            }
        }
        Some(widest)
    }

    /// The cells of the ball, proved to hold one continuous solution; `None` where that is not
    /// proved.
    pub(super) fn cells(
        &self,
        n: usize,
        cells: &mut usize,
    ) -> Option<HashMap<[i32; 3], BallPiece>> {
        let middle = (n / 2) as i32;
        let mut known: HashMap<[i32; 3], BallPiece> = HashMap::new();
        // From the middle outwards: each cube has a neighbour nearer to the middle that is known.
        let mut wanted: Vec<[i32; 3]> = (-middle..=middle)
            .flat_map(|x| (-middle..=middle).map(move |y| [x, y]))
            .flat_map(|[x, y]| (-middle..=middle).map(move |z| [x, y, z]))
            .filter(|cube| self.is_in_ball(cube, n))
            .collect();
        wanted.sort_by_key(|cube| cube.map(i32::abs).iter().sum::<i32>());
        for cube in wanted {
            *cells += 1;
            // One nearer to the middle.
            let before = neighbours(&cube)
                .into_iter()
                .find_map(|c| Some((c, known.get(&c)?)));
            let cell = self.cell(&cube, n, before.map(|(_, cell)| cell))?;
            let agrees = match before {
                None => true,
                Some((there, other)) => {
                    let face = 0.5 * (self.middle_of(&cube, n) + self.middle_of(&there, n));
                    self.agree(&face, [&cell, other])
                }
            };
            if !agrees {
                return None;
            }
            known.insert(cube, cell);
        }
        Some(known)
    }

    /// The rotation vector in the middle of a cube.
    pub(super) fn middle_of(&self, cube: &[i32; 3], n: usize) -> Vector3<f64> {
        Vector3::from(cube.map(f64::from)) * (2.0 * self.error.turn / n as f64)
    }

    /// Whether some point of a cube is within the ball; rounding errs towards that.
    fn is_in_ball(&self, cube: &[i32; 3], n: usize) -> bool {
        let half = self.error.turn / n as f64;
        let nearest = self
            .middle_of(cube, n)
            .map(|x| (x.abs() - half * ROUND_UP).max(0.0));
        nearest.norm() <= self.error.turn * ROUND_UP
    }

    fn cell(&self, cube: &[i32; 3], n: usize, before: Option<&BallPiece>) -> Option<BallPiece> {
        let middle = self.middle_of(cube, n);
        let error = PoseError {
            position: self.error.position,
            turn: half_diagonal(self.error.turn, n) + 1e-12,
        };
        let Some(before) = before else {
            // The curve itself.
            return Some(BallPiece {
                joints: *self.joints,
                q0: Vector6::from_fn(|k, _| self.joints[k][0]),
                middle,
                spread: Spread::new(self.middle, self.off, error)?,
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
        let test = Test::new(&asked, STEPS)?;
        Some(BallPiece {
            joints,
            q0: start.q,
            middle,
            spread: Spread::new(test.middle(), &test.tube()?, error)?,
        })
    }

    /// Whether two cells have the same solution at the start of the piece, where the orientation is
    /// off by `by`: there is only one in a box that holds the boxes of both.
    pub(super) fn agree(&self, by: &Vector3<f64>, cells: [&BallPiece; 2]) -> bool {
        let pose = self.curve.turned(by).at(self.span[0]);
        let boxes = cells.map(|cell| {
            let own = self.curve.turned(&cell.middle).at(self.span[0]);
            let (axis, angle) = turn_between(&own.rotation, &pose.rotation);
            let by = axis * angle;
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
        is_only(self.arm, &pose, &q, &wide)
    }
}

/// The cubes that share a face with one.
pub(super) fn neighbours(cube: &[i32; 3]) -> [[i32; 3]; 6] {
    std::array::from_fn(|k| {
        let mut next = *cube;
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
