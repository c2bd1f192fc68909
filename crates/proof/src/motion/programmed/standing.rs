//! Moves that move nothing: a point that stands twice.

use super::{CellMove, MoveEnd};
use crate::model::moves::MoveKind;

/// Joint values that differ by no more are those of one place, rad or m.
pub(super) const SAME: f64 = 1e-9;
/// Joint values that differ by no more may be those of one place for a controller that keeps its
/// numbers in 32 bits (10⁻⁷ of 2 m, or of 180°, with what joints turn more near a singularity), or
/// that leaves out moves as short as this.
pub(super) const NEAR: f64 = 1e-5;

/// Whether a move may move nothing: a controller may leave it out.
pub(super) fn may_move_nothing(step: &CellMove, ends: &[MoveEnd]) -> bool {
    moves_nothing(step, ends, NEAR)
}

/// Whether a move ends where it begins, as far as joint values `near` to each other are one place.
pub(super) fn moves_nothing(step: &CellMove, ends: &[MoveEnd], near: f64) -> bool {
    let [a, b] = [&ends[step.end - 1], &ends[step.end]];
    let same = |k: usize| (a.q[k] - b.q[k]).abs() <= near + a.off[k] + b.off[k];
    !matches!(step.kind, MoveKind::Circular { .. }) && (0..a.q.len()).all(same)
}
