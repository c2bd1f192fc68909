//! From files to the motion that is checked: one program, or several on one clock, and the events
//! along it.

mod bare_times;
mod bare_tool;
mod carried;
mod clocks;
mod drawn;
mod estimate;
mod facts;
mod first_target;
mod followers;
mod model_difference;
mod move_remarks;
mod moves;
mod part;
mod radians;
mod robot;
mod split;
mod start;
mod wrong;

use std::path::Path;
use std::sync::Arc;

use clearance_formats::LoadedCell;
use clearance_formats::program::events::{self, ReadEvents};
use clearance_proof::model::{
    Cell, Event, EventChange, JointId, Merged, SegmentSpan, Timeline, Track, Trajectory,
    Uncertainty,
};

pub(super) use drawn::drawn;
use model_difference::ModelDifference;
use part::Load;
pub(super) use part::{ProgramPart, qualify};
pub(super) use start::{StartOf, set_start};
use wrong::wrong;

use super::opened::event_bytes;
use super::suspicious_places::loose_by_events;
use super::{Job, RobotProgram};
use crate::error::Error;
use crate::findings::{Diagnostic, Location};

/// A motion of the whole cell.
#[derive(Debug, Clone)]
pub(super) struct Motion {
    /// The programs behind it.
    pub parts: Vec<ProgramPart>,
    /// The trajectory that is checked; of one program alone its own trajectory.
    pub trajectory: Arc<Trajectory>,
    /// The part of every program that is passed in each segment; `None` where the trajectory is
    /// that of the only program.
    origin: Option<Vec<Vec<SegmentSpan>>>,
    /// The events along it.
    pub timeline: Timeline,
    /// The part of it that every program's own events make; empty where one file has the events for
    /// several programs.
    pub by_program: Vec<Timeline>,
    /// The trajectories of joints that events move.
    by_events: Vec<(JointId, Trajectory)>,
    /// Where joints that events move begin, where `trajectory_start` states it: radians or metres.
    starts: Vec<(JointId, f64)>,
    /// Facts that a reader must know.
    pub remarks: Vec<Diagnostic>,
}

/// What events do along a motion, and where the joints that they move begin: as [`Motion`] has it.
struct MotionEvents {
    timeline: Timeline,
    by_program: Vec<Timeline>,
    by_events: Vec<(JointId, Trajectory)>,
    starts: Vec<(JointId, f64)>,
}

/// Events as files state them.
struct StatedEvents {
    /// All of them, on the common clock.
    timeline: Timeline,
    /// Those of each program; none where they stand in a file of their own.
    by_program: Vec<Timeline>,
    /// Whether one is stated by its time.
    by_time: bool,
    doubts: Vec<Diagnostic>,
}

impl StatedEvents {
    /// Those of one file for all programs, or of each program by itself.
    fn of(parts: &[ProgramPart], job: &Job, cell: &Cell) -> Result<Self, Error> {
        if let Some(file) = job.events.as_deref()
            && parts.len() != 1
        {
            let read = events::load(file, None, None, cell)?;
            return Ok(Self {
                timeline: read.timeline,
                by_program: Vec::new(),
                by_time: read.by_time,
                doubts: read.doubts,
            });
        }
        let mut found = Self {
            timeline: Timeline::default(),
            by_program: Vec::new(),
            by_time: false,
            doubts: Vec::new(),
        };
        for (program, part) in parts.iter().enumerate() {
            let mut read = own_events(part, job.events.as_deref(), cell)?;
            let events = read.timeline.events.iter_mut();
            events.for_each(|event| event.program = Some(program));
            found.timeline.add(read.timeline.clone(), 0.0);
            found.by_program.push(read.timeline);
            found.by_time |= read.by_time;
            found.doubts.extend(read.doubts);
        }
        Ok(found)
    }
}

impl Motion {
    /// Reads programs that run together (or one that runs alone) and their events.
    ///
    /// # Errors
    /// The sentence for the report.
    pub fn read(
        programs: &[RobotProgram],
        job: &Job,
        load: Load,
        loaded: &LoadedCell,
    ) -> Result<Self, Error> {
        let cell = &loaded.cell;
        // As long as it has to be: most programs run alone, and there are very many of them.
        let mut parts = Vec::with_capacity(programs.len());
        for named in programs {
            let together = programs.len() > 1;
            parts.push(ProgramPart::read(named, loaded, job, load, together)?);
        }
        if let [_, _, ..] = parts[..] {
            (parts.iter_mut()).try_for_each(|part| part.estimate_times(job))?;
            on_a_clock(&parts, cell)?;
        }
        let stated = StatedEvents::of(&parts, job, cell)?;
        let mut starts = Vec::new();
        for part in &mut parts {
            starts.extend(part.give_up(&stated.timeline, cell, job)?);
        }
        let timed = parts.iter().all(|p| p.for_cell.trajectory.timed);
        let by_events = (stated.timeline).joint_trajectories(cell, &starts, timed)?;
        let mut remarks = clocks::unstated_offsets(&parts, job);
        let suspicious = bare_times::suspicious_times(&parts, cell, job, stated.by_time);
        remarks.extend(suspicious);
        remarks.extend(radians::radians_as_degrees(&parts, cell));
        remarks.extend(stated.doubts);
        remarks.extend(loose_by_events(cell, &stated.timeline));
        remarks.extend(remarks_of_programs(&parts, &stated.timeline, cell));
        remarks.extend(resting(&parts, &by_events, cell));
        let events = MotionEvents {
            timeline: stated.timeline,
            by_program: stated.by_program,
            by_events,
            starts,
        };
        Self::join(parts, events, remarks, cell)
    }

    fn join(
        parts: Vec<ProgramPart>,
        events: MotionEvents,
        remarks: Vec<Diagnostic>,
        cell: &Cell,
    ) -> Result<Self, Error> {
        let MotionEvents {
            timeline,
            by_program,
            by_events,
            starts,
        } = events;
        let (trajectory, origin) = match &parts[..] {
            [only] if timeline.events.is_empty() && only.named.offset_s == 0.0 => {
                (only.for_cell.trajectory.clone(), None)
            }
            _ => {
                let mut tracks: Vec<Track> = parts.iter().map(ProgramPart::track).collect();
                tracks.extend(by_events.iter().map(|(joint, trajectory)| Track {
                    trajectory,
                    joints: vec![*joint],
                    shift: 0.0,
                }));
                let mut merged = Merged::on_one_clock(cell, &tracks, &timeline.cuts());
                // A clock of several programs has seconds, be they estimates.
                merged.trajectory.timed |= parts.len() > 1;
                (Arc::new(merged.trajectory), Some(merged.origin))
            }
        };
        let motion = Motion {
            parts,
            trajectory,
            origin,
            timeline,
            by_program,
            by_events,
            starts,
            remarks,
        };
        motion.events_are_timed()?;
        motion.events_within(cell)?;
        motion.lines_stand(cell)?;
        Ok(motion)
    }

    /// The same programs, each with its events, started so much later, seconds.
    ///
    /// # Errors
    /// When events cannot be where they then are.
    pub fn late(&self, delays: &[f64], cell: &Cell) -> Result<Self, Error> {
        let mut parts = self.parts.clone();
        let mut by_program = self.by_program.clone();
        let mut timeline = Timeline::default();
        for (k, &delay) in delays.iter().enumerate().take(parts.len()) {
            parts[k].named.offset_s += delay;
            if let Some(own) = by_program.get_mut(k) {
                let mut late = Timeline::default();
                late.add(std::mem::take(own), delay);
                timeline.add(late.clone(), 0.0);
                *own = late;
            }
        }
        let by_events = timeline.joint_trajectories(cell, &self.starts, true)?;
        let remarks = self.remarks.clone();
        let events = MotionEvents {
            timeline,
            by_program,
            by_events,
            starts: self.starts.clone(),
        };
        Self::join(parts, events, remarks, cell)
    }

    /// Every event lies within the motion, and moves nothing that a program moves.
    fn events_within(&self, cell: &Cell) -> Result<(), Error> {
        let spans = || self.parts.iter().map(|p| p.track().span());
        let start = spans().map(|s| s.0).fold(f64::INFINITY, f64::min);
        let programs_end = spans().map(|s| s.1).fold(f64::NEG_INFINITY, f64::max);
        let end = self
            .trajectory
            .segments
            .last()
            .map_or(programs_end, |s| s.end);
        let shown = |time: f64| {
            // Sums of times have noise in their last digits.
            let rounded = |x: f64| (x * 1e9).round() / 1e9;
            if self.trajectory.timed {
                format!("{} s", rounded(time))
            } else {
                format!("waypoint {}", rounded(time + 1.0))
            }
        };
        for event in &self.timeline.events {
            let (last, times) = match &event.change {
                EventChange::Move { .. } => (programs_end, [Some(event.time), None]),
                EventChange::Allow { until, .. } => (end, [Some(event.time), *until]),
                _ => (end, [Some(event.time), None]),
            };
            let outside = |t: &&f64| !(start..=last).contains(*t);
            if let Some(&time) = times.iter().flatten().find(outside) {
                let clock = if self.parts.len() > 1 {
                    ", on the clock that the programs share"
                } else {
                    ""
                };
                let problem = format!("{} is outside of the motion{clock}", shown(time));
                let remedy = format!("it goes from {} to {}", shown(start), shown(last));
                return Err(event.error(problem, remedy).into());
            }
            if let EventChange::Move { joint, .. } = event.change {
                self.moved_by_nobody_else(joint, event, cell)?;
            }
        }
        Ok(())
    }

    fn moved_by_nobody_else(
        &self,
        joint: JointId,
        event: &Event,
        cell: &Cell,
    ) -> Result<(), Error> {
        let same = |c: JointId| {
            c == joint
                || cell.joints[c]
                    .mimic
                    .is_some_and(|mimic| mimic.source == joint)
        };
        for part in &self.parts {
            let mut columns = part.for_cell.columns.iter();
            let Some(&column) = columns.find(|column| same(**column)) else {
                continue;
            };
            let label = cell.joint_label(column);
            let file = part.program.source.display();
            let problem = format!("`{label}` is moved by {file} already");
            let remedy = format!("remove the event, or the column `{label}` of the program");
            return Err(event.error(problem, remedy).into());
        }
        Ok(())
    }

    /// What carries tools and frames of a program of moves stands still, but for what the program
    /// itself moves: joint values of lines were found so.
    fn lines_stand(&self, cell: &Cell) -> Result<(), Error> {
        for (k, part) in self.parts.iter().enumerate() {
            let Some(moves) = &part.moves else { continue };
            let file = part.program.source.display();
            let problem = |joint: JointId| {
                format!(
                    "`{}` is moved, and carries a tool or a frame of the moves of {file}: their joint values were found with it \
                     at rest",
                    cell.joint_label(joint)
                )
            };
            let remedy = "state the points of these moves as joint values of all joints that move, close enough to one another \
                          to be driven by joint moves";
            for event in &self.timeline.events {
                let EventChange::Move { joint, .. } = event.change else {
                    continue;
                };
                if let Some(joint) = moves.must_rest(cell, std::iter::once(joint)) {
                    return Err(event.error(problem(joint), remedy).into());
                }
            }
            let others = self
                .parts
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != k);
            let moved = others.flat_map(|(_, other)| other.for_cell.columns.iter().copied());
            if let Some(joint) = moves.must_rest(cell, moved) {
                return Err(wrong(
                    &part.program.source,
                    1,
                    problem(joint),
                    remedy.into(),
                ));
            }
        }
        Ok(())
    }

    /// The errors to allow for along this motion, where they are more than the cell states.
    pub fn more_errors(&self, cell: &Cell) -> Option<Uncertainty> {
        let differences = self
            .parts
            .iter()
            .filter_map(|part| part.model_difference.as_ref());
        ModelDifference::errors(differences, cell)
    }

    /// First and last time.
    pub fn span(&self) -> (f64, f64) {
        let segments = &self.trajectory.segments;
        let first = segments.first().map_or(0.0, |s| s.start);
        (first, segments.last().map_or(first, |s| s.end))
    }

    /// Whether events change the cell at the first instant.
    pub fn starts_with_an_event(&self) -> bool {
        self.timeline.cuts().first() == Some(&self.span().0)
    }
}

/// Several programs can share a clock: no joint is moved twice.
fn on_a_clock(parts: &[ProgramPart], cell: &Cell) -> Result<(), Error> {
    for (k, part) in parts.iter().enumerate() {
        let file = &part.program.source;
        for (column, joint) in part.program.columns.iter().zip(&part.for_cell.columns) {
            let other = parts[..k]
                .iter()
                .find(|p| p.for_cell.columns.contains(joint));
            if let Some(other) = other {
                let problem = format!(
                    "`{}` is moved by {} already",
                    cell.joint_label(*joint),
                    other.program.source.display()
                );
                let remedy = "let one program move it".into();
                return Err(wrong(file, column.line, problem, remedy));
            }
            // What it states of a joint that follows was compared with where its leader rests.
            let leader = cell.joints[*joint].mimic.map(|mimic| mimic.source);
            let moves = |p: &&ProgramPart| leader.is_some_and(|l| p.for_cell.columns.contains(&l));
            let own = moves(&part);
            if let Some(other) = parts.iter().find(moves).filter(|_| !own) {
                let problem = format!(
                    "`{}` follows a joint that {} moves",
                    cell.joint_label(*joint),
                    other.program.source.display()
                );
                let remedy =
                    "leave it out of this program, or name both joints in one of them".into();
                return Err(wrong(file, column.line, problem, remedy));
            }
        }
    }
    Ok(())
}

/// The events of a program, on the common clock: those of the named file, else those of the file
/// beside it, if there is one.
fn own_events(part: &ProgramPart, named: Option<&Path>, cell: &Cell) -> Result<ReadEvents, Error> {
    let mut own = ReadEvents::default();
    let now;
    let known = match part.named.events.as_deref() {
        Some(known) => known,
        None => {
            now = event_bytes(&part.named, named);
            &now
        }
    };
    if let Some(bytes) = known.as_ref().map_err(Clone::clone)? {
        let file = named.map_or_else(|| events::sidecar(&part.named.file), Path::to_owned);
        let robot = part.named.robot.as_deref();
        let read = events::parse(&file, bytes, Some(&part.program), robot, cell)?;
        own.timeline.add(read.timeline, part.named.offset_s);
        own.doubts = read.doubts;
        own.by_time = read.by_time;
    }
    Ok(own)
}

/// What is to be known of each program.
fn remarks_of_programs(parts: &[ProgramPart], timeline: &Timeline, cell: &Cell) -> Vec<Diagnostic> {
    let mut remarks = Vec::new();
    for part in parts {
        let source = &part.program.source;
        let carried = carried::carried(part, cell, timeline).into_iter();
        let tool = part
            .tool
            .as_ref()
            .and_then(|tool| bare_tool::bare_tool(tool, source, cell, timeline));
        let carried = carried.chain(tool);
        let of_part = part.for_cell.remarks.iter().cloned().chain(carried);
        let of_part = of_part.chain(split::way_between(source));
        remarks.extend(of_part.map(|remark| {
            // With several programs a remark says whose it is, unless it names the file.
            let file = source.display().to_string();
            let subject = if parts.len() > 1 && !remark.subject.contains(&file) {
                format!("{file}, {}", remark.subject)
            } else {
                remark.subject
            };
            Diagnostic { subject, ..remark }
        }));
    }
    remarks
}

/// Joints that neither programs nor events move.
fn resting(
    parts: &[ProgramPart],
    by_events: &[(JointId, Trajectory)],
    cell: &Cell,
) -> Option<Diagnostic> {
    let columns = parts
        .iter()
        .flat_map(|p| p.for_cell.columns.iter().copied());
    let moved: Vec<JointId> = columns.chain(by_events.iter().map(|m| m.0)).collect();
    cell.resting(&moved, "").map(|said| {
        let (subject, place) = match parts {
            [only] if by_events.is_empty() => {
                let file = &only.program.source;
                let which = format!("joints that {} does not name", file.display());
                (which, Some(Location::file(file)))
            }
            _ => ("joints that nothing moves".to_owned(), None),
        };
        Diagnostic { subject, ..said }.at(place)
    })
}
