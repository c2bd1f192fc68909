//! Corners of which the program has one move only: at its first point, where it is not known from
//! where the arm comes, and at its last one, behind which other moves may follow.
//!
//! No hull can be made of such a corner, and it is not part of the motion. Its one move still says
//! when the program is there: for so long the arm may be beside that move.

use super::entry::BesideCorner;
use super::standing::may_move_nothing;
use super::{CellMove, MoveEnd, ProgramInCell};
use crate::model::moves::{MoveKind, Zone};

/// A corner of which the program has one move only.
#[derive(Debug, Clone, PartialEq)]
pub struct HalfCorner {
    /// Index of its tip among [`CellMoves::ends`](super::CellMoves::ends): that move begins or ends
    /// there.
    pub tip: usize,
    /// Share of that move that lies within the corner; 0 where no move of the program moves the
    /// arm.
    pub share: f64,
}

/// The one move of a half corner.
struct OneMove<'m> {
    it: &'m CellMove,
    /// Its other end, and the tip.
    ends: [&'m MoveEnd; 2],
    /// Whether the tip is at its end.
    to_tip: bool,
    corner: BesideCorner<'m>,
}

impl ProgramInCell<'_> {
    /// The corner at the target of the first move, where the motion starts.
    pub(super) fn first_corner(
        &self,
        moves: &[CellMove],
        ends: &[MoveEnd],
    ) -> Result<Option<HalfCorner>, String> {
        let Some(first) = self.program.moves.first() else {
            return Ok(None);
        };
        let standing = moves.iter().take_while(|step| may_move_nothing(step, ends));
        let standing = standing.count();
        let mut zones = vec![first.zone];
        zones.extend(moves[..standing].iter().map(|step| step.zone));
        let known = moves.get(standing).map(|it| OneMove {
            it,
            ends: [&ends[it.end], &ends[it.end - 1]],
            to_tip: false,
            corner: BesideCorner::between(
                first.kind == MoveKind::Joint || it.tool.is_none(),
                [&first.tool, &it.frame],
            ),
        });
        let share = self.share_of_zones(&zones, known)?;
        Ok(share.map(|share| HalfCorner {
            tip: standing,
            share,
        }))
    }

    /// The corner at the end of the last move.
    pub(super) fn last_corner(
        &self,
        moves: &[CellMove],
        ends: &[MoveEnd],
    ) -> Result<Option<HalfCorner>, String> {
        let standing = moves
            .iter()
            .rev()
            .take_while(|step| may_move_nothing(step, ends));
        let standing = standing.count();
        let (moving, behind) = moves.split_at(moves.len() - standing);
        let mut zones: Vec<Zone> = behind.iter().map(|step| step.zone).collect();
        let tip = match moving.last() {
            Some(last) => {
                zones.push(last.zone);
                last.end
            }
            // The arm stands at the start, or comes to its only point from a way that is not known.
            None => {
                let first = self.program.moves.first();
                match first.filter(|_| self.program.start.is_none()) {
                    Some(first) => zones.push(first.zone),
                    None => return Ok(None),
                }
                0
            }
        };
        let known = moving.last().map(|it| OneMove {
            it,
            ends: [&ends[it.end - 1], &ends[it.end]],
            to_tip: true,
            // A joint move may follow, and then the corner takes more of this one.
            corner: BesideCorner::between(true, [&it.frame, &it.frame]),
        });
        let share = self.share_of_zones(&zones, known)?;
        Ok(share.map(|share| HalfCorner { tip, share }))
    }

    /// The most that one of the zones at the tip takes of the move; nothing where the arm stops.
    fn share_of_zones(
        &self,
        zones: &[Zone],
        known: Option<OneMove>,
    ) -> Result<Option<f64>, String> {
        if zones.iter().any(Zone::stops) {
            return Ok(None);
        }
        let mut most = 0.0;
        for &zone in zones {
            if let Some(OneMove {
                it,
                ends,
                to_tip,
                corner,
            }) = &known
            {
                most = f64::max(
                    most,
                    self.zone_entry(zone, it, *ends, *to_tip, corner)?.share,
                );
            }
        }
        Ok(Some(most))
    }
}
