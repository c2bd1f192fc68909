//! Corners at the first and at the last point of a program that does not stop there. The program
//! has one of their two moves only, and they are not checked. What is taken or left in one is taken
//! or left at a place that is not known, and that counts for all that follows.

use clearance_proof::model::{Event, EventChange};
use clearance_proof::motion::programmed::{CellMoves, HalfCorner};

use crate::run::motion::{Motion, ProgramPart};

/// Something that is taken or left in such a corner.
pub(super) struct PlacedInHalf<'m> {
    /// Index of the move's end at its tip.
    pub(super) tip: usize,
    /// Number of its program.
    pub(super) part: usize,
    pub(super) event: &'m Event,
    /// When the program is in the corner, on the clock of the motion.
    pub(super) times: [f64; 2],
    /// Whether it is the corner at the first point.
    pub(super) first: bool,
}

/// The first event of every half corner that takes or leaves something at a place that is not
/// stated.
pub(super) fn placed_in_halves(motion: &Motion) -> Vec<PlacedInHalf<'_>> {
    let mut found = Vec::new();
    for (k, part) in motion.parts.iter().enumerate() {
        let Some(for_cell) = &part.moves else {
            continue;
        };
        for (corner, first) in halves(for_cell) {
            let times = times(corner, first, part);
            if let Some(event) = placed_within(motion, times) {
                found.push(PlacedInHalf {
                    tip: corner.tip,
                    part: k,
                    event,
                    times,
                    first,
                });
            }
        }
    }
    found
}

/// The half corners of a program, and whether each is that at the first point.
fn halves(for_cell: &CellMoves) -> impl Iterator<Item = (&HalfCorner, bool)> {
    let first = for_cell.first_corner.as_ref();
    let last = for_cell.last_corner.as_ref();
    // A program that stays at its only point has one corner there.
    let last = last.filter(|last| first.is_none_or(|first| first.tip != last.tip));
    (first.map(|first| (first, true)).into_iter()).chain(last.map(|last| (last, false)))
}

fn times(corner: &HalfCorner, first: bool, part: &ProgramPart) -> [f64; 2] {
    let waypoints = &part.program.waypoints;
    let at = |k: usize| {
        let waypoint = waypoints.get(k).or(waypoints.last());
        part.named.offset_s + waypoint.map_or(0.0, |w| w.time)
    };
    let start = at(0);
    let tip = at(corner.tip);
    if first {
        // All stand still up to there.
        [start, tip + corner.share * (at(corner.tip + 1) - tip)]
    } else {
        let before = at(corner.tip.saturating_sub(1));
        [tip - corner.share * (tip - before), at(waypoints.len())]
    }
}

/// The first event from one time to another that takes or leaves something at a place that is not
/// stated.
pub(super) fn placed_within(motion: &Motion, [from, to]: [f64; 2]) -> Option<&Event> {
    let within = |time: f64| (from..=to).contains(&time);
    motion.timeline.events.iter().find(|event| {
        let places = matches!(
            event.change,
            EventChange::Attach {
                link_from_body: None,
                ..
            } | EventChange::Release { .. }
        );
        places && within(event.time)
    })
}
