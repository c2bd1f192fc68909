//! From files to the motion that is checked: one program, or several on one clock, and the events along it.

use std::path::Path as FilePath;

use super::limits::{unjudged, violations_of};
use super::trouble::Trouble;
use super::{Job, RobotProgram};
use crate::findings::{
    Contact, EventFact, FilePlace, FullTurn, LimitViolation, Participant, ProgramPlace,
    TimelineFacts,
};
use crate::import::ImportError;
use crate::import::program::events;
use crate::model::{
    Cell, Change, Event, Interpolation, JointId, Laid, Path, PathError, Program, Remark, Stretch,
    Timeline, Track, on_one_clock, resting,
};

/// Reads a program file.
type Load<'l> = &'l dyn Fn(&FilePath) -> Result<Program, ImportError>;

/// A motion of the whole cell.
#[derive(Debug, Clone)]
pub(super) struct Motion {
    /// The programs behind it.
    pub parts: Vec<Part>,
    /// What is checked.
    pub path: Path,
    /// What of every program is passed in each segment; `None` where the path is that of the only program.
    origin: Option<Vec<Vec<Stretch>>>,
    /// What happens along it.
    pub timeline: Timeline,
    /// What of it every program's own events say; empty where one file has them for several programs.
    pub by_program: Vec<Timeline>,
    /// The paths of joints that events move.
    by_events: Vec<(JointId, Path)>,
    /// What a reader must know.
    pub remarks: Vec<Remark>,
}

/// One program of a motion.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// As the user named it.
    pub named: RobotProgram,
    /// As it was read.
    pub program: Program,
    /// Laid onto the cell.
    pub laid: Laid,
    /// Joints that it drives: its columns but for those that follow others.
    pub joints: Vec<JointId>,
}

impl Part {
    fn read(
        named: &RobotProgram,
        cell: &Cell,
        interpolation: Option<Interpolation>,
        load: Load,
    ) -> Result<Self, Trouble> {
        let mut program = load(&named.file)?;
        if let Some(robot) = &named.robot {
            qualify(&mut program, robot, cell)?;
        }
        let laid = Laid::new(&program, cell, interpolation)?;
        let mut joints = laid.columns.clone();
        joints.retain(|&j| cell.joints[j].mimic.is_none());
        Ok(Part {
            named: named.clone(),
            program,
            laid,
            joints,
        })
    }

    /// The program on the common clock.
    pub fn track(&self) -> Track<'_> {
        Track {
            path: &self.laid.path,
            joints: self.joints.clone(),
            shift: self.named.offset_s,
        }
    }

    /// Names of the joints that it drives, of those that follow them, and of the bodies that move with any of these.
    fn moves(&self, cell: &Cell) -> Vec<String> {
        let mut driven = vec![false; cell.joints.len()];
        let mut carried = driven.clone();
        // Parents stand before children.
        for (j, joint) in cell.joints.iter().enumerate() {
            driven[j] = self.joints.contains(&j)
                || joint.mimic.is_some_and(|m| self.joints.contains(&m.source));
            carried[j] = driven[j] || joint.parent.is_some_and(|p| carried[p]);
        }
        let joints = (0..cell.joints.len()).filter(|&j| driven[j]);
        let bodies = cell.bodies.iter();
        let bodies = bodies.filter(|b| b.joint.is_some_and(|j| carried[j]));
        joints
            .map(|j| cell.joint_label(j))
            .chain(bodies.map(|b| b.name.clone()))
            .collect()
    }

    /// Time on the common clock and line of every waypoint.
    pub fn lines(&self) -> Vec<(f64, usize)> {
        let waypoints = self.program.waypoints.iter();
        waypoints
            .map(|w| (w.time + self.named.offset_s, w.line))
            .collect()
    }

    fn place(&self, stretch: &Stretch, s: f64) -> ProgramPlace {
        let share = stretch.at(s);
        let segment = &self.laid.path.segments[stretch.segment];
        let line = |k: usize| {
            let last = self.program.waypoints.len() - 1;
            self.program.waypoints[k.min(last)].line
        };
        ProgramPlace {
            time: segment.time(share),
            segment: stretch.segment,
            fraction: share,
            lines: [line(stretch.segment), line(stretch.segment + 1)],
        }
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
        cell: &Cell,
    ) -> Result<Self, Trouble> {
        let parts = programs
            .iter()
            .map(|p| Part::read(p, cell, job.interpolation, load))
            .collect::<Result<Vec<Part>, Trouble>>()?;
        if let [_, _, ..] = parts[..] {
            on_a_clock(&parts, cell)?;
        }
        let by_program = match (job.events.as_deref(), &parts[..]) {
            (Some(_), [_, _, ..]) => Vec::new(),
            (named, _) => parts
                .iter()
                .map(|p| own_events(p, named, cell))
                .collect::<Result<_, Trouble>>()?,
        };
        let timeline = match job.events.as_deref() {
            Some(file) if by_program.is_empty() => events::load(file, None, None, cell)?,
            _ => {
                let mut all = Timeline::default();
                by_program.iter().for_each(|own| all.add(own.clone(), 0.0));
                all
            }
        };
        let moves = timeline.joint_paths(cell, parts.iter().all(|p| p.laid.path.timed));
        let by_events = moves?;
        let mut remarks: Vec<Remark> = Vec::new();
        for part in &parts {
            remarks.extend(part.laid.remarks.iter().cloned().map(|remark| {
                // With several programs a remark says whose it is, unless it names the file.
                let file = part.program.source.display().to_string();
                let what = match parts.len() > 1 && !remark.what.contains(&file) {
                    true => format!("{file}, {}", remark.what),
                    false => remark.what,
                };
                Remark { what, ..remark }
            }));
        }
        let columns = parts.iter().flat_map(|p| p.laid.columns.iter().copied());
        let moved: Vec<JointId> = columns.chain(by_events.iter().map(|m| m.0)).collect();
        let which = match &parts[..] {
            [only] if by_events.is_empty() => {
                format!(
                    "joints that {} does not name",
                    only.program.source.display()
                )
            }
            _ => "joints that nothing moves".to_owned(),
        };
        remarks.extend(resting(cell, &moved, &which));
        Self::join(parts, (timeline, by_program), by_events, remarks, cell)
    }

    fn join(
        parts: Vec<Part>,
        (timeline, by_program): (Timeline, Vec<Timeline>),
        by_events: Vec<(JointId, Path)>,
        remarks: Vec<Remark>,
        cell: &Cell,
    ) -> Result<Self, Trouble> {
        let (path, origin) = match &parts[..] {
            [only] if timeline.events.is_empty() && only.named.offset_s == 0.0 => {
                (only.laid.path.clone(), None)
            }
            _ => {
                let mut tracks: Vec<Track> = parts.iter().map(Part::track).collect();
                tracks.extend(by_events.iter().map(|(joint, path)| Track {
                    path,
                    joints: vec![*joint],
                    shift: 0.0,
                }));
                let merged = on_one_clock(cell, &tracks, &timeline.cuts());
                (merged.path, Some(merged.origin))
            }
        };
        let motion = Motion {
            parts,
            path,
            origin,
            timeline,
            by_program,
            by_events,
            remarks,
        };
        motion.events_within(cell)?;
        Ok(motion)
    }

    /// Every event lies within the motion, and moves nothing that a program moves.
    fn events_within(&self, cell: &Cell) -> Result<(), Trouble> {
        let spans = || self.parts.iter().map(|p| p.track().span());
        let start = spans().map(|s| s.0).fold(f64::INFINITY, f64::min);
        let programs_end = spans().map(|s| s.1).fold(f64::NEG_INFINITY, f64::max);
        let end = self.path.segments.last().map_or(programs_end, |s| s.end);
        let shown = |time: f64| match self.path.timed {
            true => format!("{time} s"),
            false => format!("waypoint {}", time + 1.0),
        };
        for event in &self.timeline.events {
            let (last, times) = match &event.change {
                Change::Move { .. } => (programs_end, [Some(event.time), None]),
                Change::Allow { until, .. } => (end, [Some(event.time), *until]),
                _ => (end, [Some(event.time), None]),
            };
            let outside = |t: &&f64| !(start..=last).contains(*t);
            if let Some(&time) = times.iter().flatten().find(outside) {
                let problem = format!("{} is outside of the motion", shown(time));
                let remedy = format!("it goes from {} to {}", shown(start), shown(last));
                return Err(event.error(problem, remedy).into());
            }
            if let Change::Move { joint, .. } = event.change {
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
    ) -> Result<(), Trouble> {
        let same = |&&c: &&JointId| {
            c == joint
                || cell.joints[c]
                    .mimic
                    .is_some_and(|mimic| mimic.source == joint)
        };
        for part in &self.parts {
            if let Some(&column) = part.laid.columns.iter().find(same) {
                let problem = format!(
                    "`{}` is moved by {} already",
                    cell.joint_label(column),
                    part.program.source.display()
                );
                return Err(event.error(problem, "leave it to one of them").into());
            }
        }
        Ok(())
    }

    /// First and last time.
    pub fn span(&self) -> (f64, f64) {
        let segments = &self.path.segments;
        let first = segments.first().map_or(0.0, |s| s.start);
        (first, segments.last().map_or(first, |s| s.end))
    }

    /// Whether events change the cell at the first instant.
    pub fn starts_with_an_event(&self) -> bool {
        self.timeline.cuts().first() == Some(&self.span().0)
    }

    /// Joints outside their limits, by the paths on which they are moved: in the cell's order.
    pub fn limits(&self, cell: &Cell) -> Vec<LimitViolation> {
        let mut found = Vec::new();
        let mut moved: Vec<JointId> = Vec::new();
        let driven = self.parts.iter().map(Part::track);
        let by_events = self.by_events.iter().map(|(joint, path)| Track {
            path,
            joints: vec![*joint],
            shift: 0.0,
        });
        for track in driven.chain(by_events) {
            let mut own = violations_of(cell, track.path, |j| track.joints.contains(&j));
            own.iter_mut().for_each(|(_, v)| v.time += track.shift);
            found.extend(own);
            moved.extend(&track.joints);
        }
        found.extend(violations_of(cell, &self.path, |j| !moved.contains(&j)));
        found.sort_by_key(|(joint, _)| *joint);
        found.into_iter().map(|(_, violation)| violation).collect()
    }

    /// Joints that make about a full turn from one waypoint to the next.
    pub fn full_turns(&self, cell: &Cell) -> Vec<FullTurn> {
        let of = |part: &Part| -> Vec<FullTurn> {
            let turns = part.laid.full_turns.iter();
            turns
                .map(|turn| FullTurn {
                    joint: cell.joint_label(turn.joint),
                    from: turn.from,
                    to: turn.to,
                    turns: turn.turns,
                    at: FilePlace {
                        file: part.named.file.display().to_string(),
                        line: Some(turn.line),
                        column: None,
                    },
                })
                .collect()
        };
        self.parts.iter().flat_map(of).collect()
    }

    /// A remark about acceleration limits that cannot be judged, if there are any.
    pub fn unjudged_accelerations(&self, cell: &Cell) -> Option<Remark> {
        let driven = self.parts.iter().map(Part::track);
        let by_events = self.by_events.iter().map(|(joint, path)| Track {
            path,
            joints: vec![*joint],
            shift: 0.0,
        });
        let tracks = driven.chain(by_events);
        let joints: Vec<String> = tracks
            .flat_map(|t| unjudged(cell, t.path, |j| t.joints.contains(&j)))
            .map(|j| cell.joint_label(j))
            .collect();
        (!joints.is_empty()).then(|| Remark {
            what: joints.join(", "),
            why: match self.path.timed {
                true => "acceleration limits are not checked: on a linear path the speed changes at once at every waypoint",
                false => "acceleration limits are not checked: the program has no times",
            }
            .to_owned(),
            open: false,
        })
    }

    /// The law of the path, or the laws where programs have several.
    pub fn law(&self) -> String {
        let mut words: Vec<&str> = Vec::new();
        for part in &self.parts {
            let word = part.laid.path.interpolation.word();
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words.join(" and ")
    }

    /// Where a place of the joined path is in the only program: segment and share of it. With several programs it stays.
    pub fn place(&self, segment: usize, fraction: f64) -> (usize, f64) {
        match (&self.origin, &self.parts[..]) {
            (Some(origin), [_]) => match origin.get(segment).and_then(|o| o.first()) {
                Some(stretch) => (stretch.segment, stretch.at(fraction)),
                None => (segment, fraction),
            },
            _ => (segment, fraction),
        }
    }

    /// What the report says about programs and events; `first` is the first contact by the joined path.
    pub fn facts(&self, first: Option<&Contact>, cell: &Cell) -> Option<TimelineFacts> {
        let events: Vec<EventFact> = self
            .timeline
            .events
            .iter()
            .map(|event| EventFact {
                time: event.time,
                what: sentence(event, self.path.timed, cell),
                by: format!("{}:{}", event.file.display(), event.line),
            })
            .collect();
        let mut programs = Vec::new();
        if self.parts.len() > 1 || self.parts.iter().any(|p| p.named.offset_s != 0.0) {
            let at = first.and_then(|c| Some((self.origin.as_ref()?.get(c.segment)?, c.fraction)));
            for (k, part) in self.parts.iter().enumerate() {
                programs.push(Participant {
                    program: part.named.file.display().to_string(),
                    robot: part.named.robot.clone(),
                    offset: part.named.offset_s,
                    duration: part.laid.path.duration(),
                    waypoints: part.program.waypoints.len(),
                    delay: None,
                    at: at.map(|(origin, s)| part.place(&origin[k], s)),
                    moves: part.moves(cell),
                    lines: part.lines(),
                });
            }
        }
        (!programs.is_empty() || !events.is_empty()).then_some(TimelineFacts {
            programs,
            any_delay: None,
            phases: Vec::new(),
            events,
        })
    }
}

impl Motion {
    /// Tells where every program is in a contact that was found at some delay: `times` are those on the common clock.
    pub fn delayed(&self, facts: &mut TimelineFacts, times: &[f64]) {
        let latest = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for ((part, time), fact) in self.parts.iter().zip(times).zip(&mut facts.programs) {
            let (segment, s) = part.laid.path.locate(time - part.named.offset_s);
            let stretch = Stretch {
                segment,
                from: s,
                to: s,
            };
            fact.delay = Some(latest - time);
            fact.at = Some(part.place(&stretch, s));
        }
    }
}

/// Bare joint names become those of the robot that the user named.
fn qualify(program: &mut Program, robot: &str, cell: &Cell) -> Result<(), Trouble> {
    let names: Vec<&str> = cell.robots.iter().map(|r| r.name.as_str()).collect();
    if !names.contains(&robot) {
        let known: Vec<String> = names
            .iter()
            .filter(|n| !n.is_empty())
            .map(|n| format!("`{n}`"))
            .collect();
        let remedy = match known.len() {
            0 => "its only robot has no name: leave the name out".to_owned(),
            _ => format!("its robots are {}", known.join(", ")),
        };
        return Err(format!(
            "{}: the cell has no robot `{robot}`; {remedy}",
            program.source.display()
        )
        .into());
    }
    for column in &mut program.columns {
        let of = names.iter().find(|n| {
            !n.is_empty()
                && column
                    .joint
                    .strip_prefix(**n)
                    .is_some_and(|r| r.starts_with('/'))
        });
        match of {
            None => column.joint = format!("{robot}/{}", column.joint),
            Some(of) if *of == robot => {}
            Some(of) => {
                let problem = format!(
                    "`{}` belongs to `{of}`, but the program is given for `{robot}`",
                    column.joint
                );
                let remedy = format!("leave out `{robot}=`, or the column");
                return Err(wrong(&program.source, column.line, problem, remedy));
            }
        }
    }
    Ok(())
}

/// Several programs can share a clock: all have times, and no joint is moved twice.
fn on_a_clock(parts: &[Part], cell: &Cell) -> Result<(), Trouble> {
    for (k, part) in parts.iter().enumerate() {
        let file = &part.program.source;
        if !part.program.timed {
            let line = part.program.columns.first().map_or(1, |c| c.line);
            let problem = "the program has no times, so it cannot share a clock with others";
            return Err(wrong(
                file,
                line,
                problem.into(),
                "add a `time` column".into(),
            ));
        }
        for (column, joint) in part.program.columns.iter().zip(&part.laid.columns) {
            let other = parts[..k].iter().find(|p| p.laid.columns.contains(joint));
            if let Some(other) = other {
                let problem = format!(
                    "`{}` is moved by {} already",
                    cell.joint_label(*joint),
                    other.program.source.display()
                );
                let remedy = "let one program move it".into();
                return Err(wrong(file, column.line, problem, remedy));
            }
        }
    }
    Ok(())
}

/// An error at a line of a program.
fn wrong(file: &FilePath, line: usize, problem: String, remedy: String) -> Trouble {
    let file = file.to_owned();
    Trouble::from(PathError {
        file,
        line,
        problem,
        remedy,
    })
}

/// The events of a program, on the common clock: those of the named file, else those of the file beside it, if there is one.
fn own_events(part: &Part, named: Option<&FilePath>, cell: &Cell) -> Result<Timeline, Trouble> {
    let file = match named {
        Some(file) => file.to_owned(),
        None => events::sidecar(&part.named.file),
    };
    let mut own = Timeline::default();
    if named.is_some() || file.is_file() {
        let robot = part.named.robot.as_deref();
        let read = events::load(&file, Some(&part.program), robot, cell)?;
        own.add(read, part.named.offset_s);
    }
    Ok(own)
}

/// What an event does, for the report.
fn sentence(event: &Event, timed: bool, cell: &Cell) -> String {
    let name = |body: usize| cell.bodies[body].name.as_str();
    let names = |bodies: &[usize]| match bodies {
        [] => String::new(),
        [only] => name(*only).to_owned(),
        [first, rest @ ..] => format!("{} and {} more", name(*first), rest.len()),
    };
    let shown = |time: f64| match timed {
        true => format!("{time:.3} s"),
        false => format!("waypoint {:.2}", time + 1.0),
    };
    match &event.change {
        Change::Attach {
            bodies,
            link,
            link_from_body,
            touch,
        } => {
            let place = match (link_from_body, &bodies[..]) {
                (Some(_), _) => "at the stated pose",
                (None, [_]) => "keeping its place",
                (None, _) => "keeping their places",
            };
            let touch = match touch.is_empty() {
                true => String::new(),
                false => format!("; may touch {}", touch.join(", ")),
            };
            format!("{} carries {}, {place}{touch}", name(*link), names(bodies))
        }
        Change::Release { bodies } => match bodies.len() {
            1 => format!("{} stays where it is", names(bodies)),
            _ => format!("{} stay where they are", names(bodies)),
        },
        Change::Move {
            joint, duration, ..
        } => format!(
            "{} moves until {}",
            cell.joint_label(*joint),
            shown(event.time + duration)
        ),
        Change::Allow {
            a,
            b,
            until,
            reason,
        } => {
            let until = match until {
                Some(until) => format!("until {}", shown(*until)),
                None => "to the end".to_owned(),
            };
            let why = match reason.is_empty() {
                true => String::new(),
                false => format!(" ({reason})"),
            };
            format!("{a} may touch {b} {until}{why}")
        }
    }
}
