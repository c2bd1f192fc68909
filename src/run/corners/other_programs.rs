//! Corners of programs that run together: the way round a corner of one, beside every instant of
//! the others and beside their corners.
//!
//! A strip of a corner is a motion of its own, so it takes the program's place in the question
//! about every delay; the strips of one corner come one after the other in one trajectory, and
//! those of the other programs' corners behind the ways through their taught points. From one strip
//! to the next such a trajectory jumps, which changes nothing: that search looks at what is passed
//! in an interval, segment by segment, and asks only once whether a body lies within another one.
//! The hull of a corner hangs together with the way through the taught points, so while surfaces
//! stay apart in all of it nothing gets in.

use std::collections::BTreeMap;

use clearance_proof::check::delay::{DelayOptions, DelayableProgram, DelayedPrograms, WholeCell};
use clearance_proof::model::{Interpolation, Timeline, Track, Trajectory};
use clearance_proof::motion::programmed::MovedJoint;

use crate::findings::{Contact, Verdict};
use crate::run::motion::{Motion, ProgramPart};

/// The other programs, beside which corners are passed.
pub(super) struct OtherPrograms<'m> {
    pub(super) motion: &'m Motion,
    /// By number of strips: of every program the way through its taught points, and behind it the
    /// strips of its corners.
    with_corners: BTreeMap<usize, Result<Vec<Trajectory>, String>>,
}

impl<'m> OtherPrograms<'m> {
    pub(super) fn of(motion: &'m Motion) -> Self {
        Self {
            motion,
            with_corners: BTreeMap::new(),
        }
    }

    /// The joints of all programs but one, where they start: a place that they do take.
    pub(super) fn standing(&self, which: usize) -> Vec<MovedJoint> {
        let others = self.motion.parts.iter().enumerate();
        let others = others.filter(|(k, _)| *k != which);
        let joints = others.filter_map(|(_, part)| {
            let first = part.for_cell.trajectory.segments.first()?;
            Some(part.joints.iter().map(|&joint| {
                let (value, rounding) = (first.position(joint, 0.0), first.value_rounding(joint));
                MovedJoint {
                    joint,
                    least: value - rounding,
                    greatest: value + rounding,
                }
            }))
        });
        joints.flatten().collect()
    }

    /// The contact of a corner of a program with the other programs; none: the corner is proved
    /// free beside them. `strips` are all strips of the corner, `count` for each hull.
    ///
    /// # Errors
    /// Why it could not be looked at.
    pub(super) fn met(
        &mut self,
        which: usize,
        strips: &[Trajectory],
        count: usize,
        whole: &WholeCell,
        resolution: f64,
    ) -> Result<Option<Contact>, String> {
        let motion = self.motion;
        if motion.parts.len() < 2 {
            return Ok(None);
        }
        let trajectories = self.with_corners.entry(count);
        let trajectories = trajectories.or_insert_with(|| with_corners(motion, count));
        let trajectories = trajectories.as_ref().map_err(Clone::clone)?;
        let nothing = Trajectory {
            segments: Vec::new(),
            interpolation: Interpolation::Cubic,
            timed: false,
        };
        let own = followed_by(nothing, strips);
        let programs = motion.parts.iter().enumerate().map(|(k, part)| {
            let trajectory = if k == which { &own } else { &trajectories[k] };
            DelayableProgram {
                name: part.program.source.display().to_string(),
                track: Track {
                    trajectory,
                    joints: part.joints.clone(),
                    shift: 0.0,
                },
                timeline: Timeline::default(),
            }
        });
        let programs: Vec<DelayableProgram> = programs.collect();
        let spans = || programs.iter().map(|program| program.track.span());
        let start = spans().map(|span| span.0).fold(f64::INFINITY, f64::min);
        let end = spans().map(|span| span.1).fold(f64::NEG_INFINITY, f64::max);
        let options = DelayOptions {
            // Every instant beside every other one.
            delay_s: end - start,
            resolution,
            all: false,
            span: (start, end),
            until: f64::INFINITY,
            minimum: false,
            most_boxes: DelayOptions::MOST_BOXES,
        };
        let found = DelayedPrograms::new(programs, whole.scene.cell)
            .and_then(|programs| programs.search(whole, options, &[], &|_| ()))
            .map_err(|error| error.to_string())?;
        let Some((verdict, contact)) = found.first() else {
            return Ok(None);
        };
        if verdict != Verdict::Collision && whole.scene.time_limit.was_exceeded() {
            return Err("it was given up before it was proved".to_owned());
        }
        // They are none of the programs'.
        let delays = Vec::new();
        Ok(Some(Contact {
            delays,
            ..contact.clone()
        }))
    }
}

/// Of every program the way through its taught points, and behind it the strips of its corners.
fn with_corners(motion: &Motion, count: usize) -> Result<Vec<Trajectory>, String> {
    let others = OtherPrograms::of(motion);
    let of_part = |(k, part): (usize, &ProgramPart)| {
        let standing = others.standing(k);
        let mut trajectory = Trajectory::clone(&part.for_cell.trajectory);
        for corner in part.moves.iter().flat_map(|for_cell| &for_cell.corners) {
            let strips = corner.strips_at_once(count, &standing);
            let strips = strips.or_else(|_| corner.strips(count, &standing));
            let strips = strips.map_err(|e| e.to_string())?;
            trajectory = followed_by(trajectory, &strips);
        }
        Ok(trajectory)
    };
    motion.parts.iter().enumerate().map(of_part).collect()
}

/// A trajectory with strips behind it, a unit of time each.
fn followed_by(mut trajectory: Trajectory, strips: &[Trajectory]) -> Trajectory {
    let mut end = trajectory.segments.last().map_or(0.0, |last| last.end);
    for strip in strips {
        for segment in &strip.segments {
            let mut segment = segment.clone();
            segment.start += end;
            segment.end += end;
            trajectory.segments.push(segment);
        }
        end += 1.0;
    }
    trajectory
}
