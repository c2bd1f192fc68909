//! Events cut a motion into phases: in each the same bodies move with the same pairs, so the
//! ordinary check answers it, and `check::joined` joins the answers.
//!
//! Phases are closed: the instant of an event belongs to the phase before it and to the one after
//! it, and both configurations are checked. Events of the first instant only shape the first phase.

mod changing_cell;

pub use changing_cell::{ChangingCell, JointState};

use super::{
    Cell, Event, EventChange, MotionInstant, RigidError, Segment, SegmentErrors, Timeline,
    Trajectory,
};
use crate::ProofError;
use crate::report::Diagnostic;

/// A motion with its events: who carries what, and what may touch, phase by phase.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// The phases, in order.
    pub phases: Vec<Phase>,
    /// Bodies that an event puts somewhere else: their way there is not checked.
    pub moved: Vec<Diagnostic>,
}

/// An interval of the motion between two events.
#[derive(Debug, Clone)]
pub struct Phase {
    /// The cell as it is then.
    pub cell: Cell,
    /// The motion.
    pub trajectory: Trajectory,
    /// Segment of the whole motion that its first one is.
    pub first: usize,
    /// For a phase that is one instant only: the share of that segment that has passed.
    pub instant: Option<f64>,
    /// Per body, the sizes (metres) of the numbers that its place was computed from by events: its
    /// rounding grows with them.
    pub taken_over_m: Vec<f64>,
    /// Per body, how far it is off its place because joints were, known within a tolerance only, as
    /// events handed it over.
    pub handover_errors: Vec<RigidError>,
    /// The same, as much as the checker of certificates asks for.
    pub handover_errors_by_joints: Vec<RigidError>,
}

impl Schedule {
    /// Cuts a motion at the events of a timeline. The motion's segments begin and end at all of
    /// [`Timeline::cuts`].
    ///
    /// # Errors
    /// When an event asks for something that cannot be: releasing what nobody carries, being
    /// carried by oneself.
    pub fn new(
        cell: &Cell,
        trajectory: &Trajectory,
        timeline: &Timeline,
    ) -> Result<Self, ProofError> {
        Self::that_ends(cell, trajectory, timeline, false)
    }

    /// The same for programs that may wait at the end for others that are late: what is allowed until
    /// the end is not allowed at the last instant.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn that_waits(
        cell: &Cell,
        trajectory: &Trajectory,
        timeline: &Timeline,
    ) -> Result<Self, ProofError> {
        Self::that_ends(cell, trajectory, timeline, true)
    }

    fn that_ends(
        cell: &Cell,
        trajectory: &Trajectory,
        timeline: &Timeline,
        waits: bool,
    ) -> Result<Self, ProofError> {
        let segments = &trajectory.segments;
        let (start, end) = match (segments.first(), segments.last()) {
            (Some(first), Some(last)) => (first.start, last.end),
            _ => (0.0, 0.0),
        };
        // No cut at the end for touches that are allowed until the end.
        let mut bounds: Vec<f64> = vec![start];
        bounds.extend(
            timeline
                .cuts()
                .into_iter()
                .filter(|&t| start < t && t < end),
        );
        let at_end = |e: &&Event| {
            e.time == end && end > start && !matches!(e.change, EventChange::Move { .. })
        };
        let waits = waits && end > start && timeline.cuts().contains(&end);
        if waits || timeline.events.iter().any(|e| at_end(&e)) {
            bounds.push(end);
        }
        let over = if waits { f64::INFINITY } else { end };
        let mut now = ChangingCell::new(cell);
        let mut phases = Vec::with_capacity(bounds.len());
        for (k, &from) in bounds.iter().enumerate() {
            let to = bounds.get(k + 1).copied().unwrap_or(over);
            let begins = segments.partition_point(|s| s.start < from);
            let instant = begins >= segments.len();
            let first = begins.min(segments.len().saturating_sub(1));
            let after = if k + 1 == bounds.len() {
                segments.len()
            } else {
                // Steps without duration at the next bound belong to the next phase.
                segments.partition_point(|s| s.start < to)
            };
            let share = if instant { 1.0 } else { 0.0 };
            let joints = segments
                .get(first)
                .map_or_else(JointState::default, |segment| {
                    JointState::new(segment, share)
                });
            now.change(timeline, from, &joints)?;
            let pieces = if instant {
                vec![segment_at_rest(&joints, end)]
            } else {
                segments[first..after].to_vec()
            };
            let cell = now.between(&[(timeline, from, to)]);
            now.mark_seen(&cell);
            phases.push(Phase {
                cell,
                trajectory: Trajectory {
                    segments: pieces,
                    ..*trajectory
                },
                first,
                instant: instant.then_some(1.0),
                taken_over_m: now.taken_over_m.clone(),
                handover_errors: now.handover_errors.clone(),
                handover_errors_by_joints: now.handover_errors_by_joints.clone(),
            });
        }
        Ok(Schedule {
            phases,
            moved: now.remarks,
        })
    }
}

impl Phase {
    /// The first instant before its events, in which nothing moves: where a program may have to
    /// wait.
    pub fn before(cell: &Cell, trajectory: &Trajectory) -> Self {
        let first = trajectory.segments.first();
        let joints = first.map_or_else(JointState::default, |s| JointState::new(s, 0.0));
        Phase {
            trajectory: Trajectory {
                segments: vec![segment_at_rest(&joints, first.map_or(0.0, |s| s.start))],
                ..*trajectory
            },
            instant: Some(0.0),
            ..Self::whole(cell, trajectory)
        }
    }

    /// A motion without events is one phase.
    pub fn whole(cell: &Cell, trajectory: &Trajectory) -> Self {
        Phase {
            cell: cell.clone(),
            trajectory: trajectory.clone(),
            first: 0,
            instant: None,
            taken_over_m: vec![0.0; cell.bodies.len()],
            handover_errors: vec![RigidError::default(); cell.bodies.len()],
            handover_errors_by_joints: vec![RigidError::default(); cell.bodies.len()],
        }
    }

    /// Begin and end, on the clock of the motion.
    pub fn times(&self) -> [f64; 2] {
        let segments = &self.trajectory.segments;
        [
            segments.first().map_or(0.0, |s| s.start),
            segments.last().map_or(0.0, |s| s.end),
        ]
    }

    /// A place in the phase as one in the whole motion.
    pub fn whole_instant(&self, instant: MotionInstant) -> MotionInstant {
        MotionInstant {
            segment: instant.segment + self.first,
            fraction: self.instant.unwrap_or(instant.fraction),
        }
    }
}

/// Nothing moves.
fn segment_at_rest(joints: &JointState, time: f64) -> Segment {
    Segment {
        start: time,
        end: time,
        errors: SegmentErrors::new(joints.value_roundings.clone(), joints.tools.clone()),
        ..Segment::instant(&joints.q)
    }
}

#[cfg(test)]
mod tests;
