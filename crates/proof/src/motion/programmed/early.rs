//! Where the arm may be when a move begins: at the point before it, or on the way there, in the corner
//! that it rounds. A controller finds the joint values of a pose by then.

use super::entry::BesideCorner;
use super::standing::{NEAR, SAME, moves_nothing};
use super::{CellMove, MoveSequence, ProgramInCell};
use crate::model::moves::{Move, Zone};
use crate::model::{Segment, SegmentSpan};

/// Parts into which a piece of a way is cut.
const PARTS: usize = 16;

/// Joint values, in the order of the program's columns: the middle of a part of a way, and by how much
/// others on it differ from that at most.
#[derive(Debug, Clone)]
pub(super) struct PlaceOnWay {
    pub(super) middle: Vec<f64>,
    pub(super) extent: Vec<f64>,
}

impl ProgramInCell<'_> {
    /// The places within the corner at the end of the moves so far; none: the arm stops there.
    pub(super) fn early_places(
        &self,
        sequence: &MoveSequence,
        next: &Move,
    ) -> Result<Vec<PlaceOnWay>, String> {
        let mut places = Vec::new();
        let mut zones = Vec::new();
        for (number, last) in sequence.moves.iter().enumerate().rev() {
            zones.push(last.zone);
            if last.zone.stops() {
                return Ok(Vec::new());
            }
            // A controller may leave out a move that moves nothing.
            if !moves_nothing(last, &sequence.ends, SAME) {
                let share = self.share_in_corner(sequence, last, &zones, next)?;
                let pieces = sequence.segments.iter().zip(&sequence.spans);
                for (segment, span) in pieces.filter(|(_, span)| span.segment == number) {
                    self.add_places(&mut places, segment, span, 1.0 - share);
                }
            }
            if !moves_nothing(last, &sequence.ends, NEAR) {
                break;
            }
        }
        Ok(places)
    }

    /// How much of a move lies in the corner at its end, for any of these zones.
    fn share_in_corner(
        &self,
        sequence: &MoveSequence,
        last: &CellMove,
        zones: &[Zone],
        next: &Move,
    ) -> Result<f64, String> {
        let ends = [&sequence.ends[last.end - 1], &sequence.ends[last.end]];
        let corner = BesideCorner::between(true, [&last.frame, &next.tool]);
        let mut share = 0.0_f64;
        for &zone in zones {
            share = share.max(self.zone_entry(zone, last, ends, true, &corner)?.share);
        }
        Ok(share)
    }

    /// Cuts what a piece has from a share of its move on into parts.
    fn add_places(
        &self,
        places: &mut Vec<PlaceOnWay>,
        segment: &Segment,
        span: &SegmentSpan,
        from: f64,
    ) {
        let speed = |joint: usize| {
            let by = |sign: f64| segment.extreme(joint, 1, sign, 1e-6).0.abs();
            by(1.0).max(by(-1.0)) * segment.duration() + 1e-6
        };
        let speeds: Vec<f64> = self.columns.iter().map(|&joint| speed(joint)).collect();
        for part in 0..PARTS {
            let [low, high] = [part, part + 1].map(|n| n as f64 / PARTS as f64);
            if span.from + high * (span.to - span.from) < from {
                continue;
            }
            let at = |&joint: &usize| segment.position(joint, 0.5 * (low + high));
            let off = self.columns.iter().zip(&speeds);
            places.push(PlaceOnWay {
                middle: self.columns.iter().map(at).collect(),
                extent: off
                    .map(|(&joint, speed)| {
                        0.5 * (high - low) * speed + segment.value_rounding(joint)
                    })
                    .collect(),
            });
        }
    }
}
