//! The report's facts about a motion: limits, whole turns, where programs are, and what events do.

use clearance_proof::model::{
    Cell, Event, EventChange, JointId, MotionInstant, SegmentSpan, Track,
};

use super::Motion;
use super::part::ProgramPart;
use crate::findings::{
    Code, Contact, Diagnostic, EventFact, FullTurn, LimitKind, LimitViolation, Location,
    Participant, ProgramPlace, Severity, TimelineFacts,
};
use crate::run::limits::{of_followers, unjudged, violations_of};
use crate::run::uncovered::some_of;

impl ProgramPart {
    /// Names of the joints that it drives, of those that follow them, and of the bodies that move
    /// with any of these.
    fn moves(&self, cell: &Cell) -> Vec<String> {
        let mut own = vec![false; cell.joints.len()];
        self.joints.iter().for_each(|&j| own[j] = true);
        let mut driven = vec![false; cell.joints.len()];
        let mut carried = driven.clone();
        // Parents stand before children.
        for (j, joint) in cell.joints.iter().enumerate() {
            driven[j] = own[j] || joint.mimic.is_some_and(|m| own[m.source]);
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

    /// The waypoints before and after an instant of the program's own clock.
    fn waypoints_around(&self, time: f64) -> Option<[usize; 2]> {
        let waypoints = &self.program.waypoints;
        let after = waypoints.iter().position(|w| w.time >= time)?;
        let before = waypoints.iter().rposition(|w| w.time <= time)?;
        let at = waypoints[after].time == time;
        Some(if at { [after; 2] } else { [before, after] })
    }

    /// The files of waypoints, where one is not the program's own.
    fn files_of(&self, waypoints: [usize; 2]) -> Option<[String; 2]> {
        let moves = self.moves.as_ref()?;
        let own = self.program.source.display().to_string();
        let files = waypoints.map(|k| match &*moves.ends[k].place.file {
            "" => own.clone(),
            file => file.to_owned(),
        });
        (files != [own.clone(), own]).then_some(files)
    }

    fn program_place(&self, span: &SegmentSpan, s: f64) -> ProgramPlace {
        let instant = MotionInstant::new(span.segment, span.at(s));
        let time = self.for_cell.trajectory.time_at(instant);
        let way = self.between_waypoints(instant);
        let line = |k: usize| {
            let last = self.program.waypoints.len() - 1;
            self.program.waypoints[k.min(last)].line
        };
        ProgramPlace {
            time,
            segment: way.segment,
            fraction: way.fraction,
            lines: [line(way.segment), line(way.segment + 1)],
        }
    }
}

impl Motion {
    /// Joints outside their limits, by the trajectories on which they are moved: in the cell's
    /// order.
    pub fn limits(&self, cell: &Cell) -> Vec<LimitViolation> {
        let mut found = Vec::new();
        let mut moved = vec![false; cell.joints.len()];
        let driven = self.parts.iter().map(ProgramPart::track);
        let by_events = self.by_events.iter().map(|(joint, trajectory)| Track {
            trajectory,
            joints: vec![*joint],
            shift: 0.0,
        });
        for track in driven.chain(by_events) {
            let mut own = violations_of(cell, track.trajectory, &track.joints);
            if let [only] = &self.parts[..] {
                for (_, violation) in &mut own {
                    let way = |s| only.between_waypoints(MotionInstant::new(s, 0.0)).segment;
                    let segment = violation.segment.map(way);
                    violation.segment = segment;
                }
            }
            own.iter_mut().for_each(|(_, v)| v.time += track.shift);
            found.extend(own);
            track.joints.iter().for_each(|&j| moved[j] = true);
        }
        let others: Vec<JointId> = (0..moved.len()).filter(|&j| !moved[j]).collect();
        found.extend(violations_of(cell, &self.trajectory, &others));
        found.sort_by_key(|(joint, _)| *joint);
        found.into_iter().map(|(_, violation)| violation).collect()
    }

    /// Joints that make about a full turn from one waypoint to the next.
    pub fn full_turns(&self, cell: &Cell) -> Vec<FullTurn> {
        let of = |part: &ProgramPart| -> Vec<FullTurn> {
            let turns = part.for_cell.full_turns.iter();
            turns
                .map(|turn| FullTurn {
                    joint: cell.joint_label(turn.joint),
                    from: turn.from,
                    to: turn.to,
                    turns: turn.turns,
                    at: Location::at(&part.named.file, turn.line, None),
                })
                .collect()
        };
        self.parts.iter().flat_map(of).collect()
    }

    /// A remark about acceleration limits that cannot be judged, if there are any.
    pub fn unjudged_accelerations(&self, cell: &Cell) -> Option<Diagnostic> {
        let driven = self.parts.iter().map(ProgramPart::track);
        let by_events = self.by_events.iter().map(|(joint, trajectory)| Track {
            trajectory,
            joints: vec![*joint],
            shift: 0.0,
        });
        let tracks = driven.chain(by_events);
        let joints: Vec<String> = tracks
            .flat_map(|t| unjudged(cell, t.trajectory, &t.joints))
            .map(|j| cell.joint_label(j))
            .collect();
        (!joints.is_empty()).then(|| Diagnostic {
            subject: joints.join(", "),
            message: if self.trajectory.timed { "acceleration limits are not checked: on a linear trajectory the speed changes at once at every waypoint" } else { "acceleration limits are not checked: the program has no times" }
            .to_owned(),
            place: None,
severity: Severity::Unchecked,
            code: Code::UnjudgedAcceleration,
        })
    }

    /// A remark about joints that follow another one and leave their own limits, if there are any.
    pub fn followers_beyond(&self, cell: &Cell) -> Option<Diagnostic> {
        let found = of_followers(cell, &self.trajectory);
        let (first, violation) = found.first()?;
        let mut names: Vec<&str> = found.iter().map(|(_, v)| v.joint.as_str()).collect();
        names.dedup();
        let unit = match violation.what {
            LimitKind::Position => "",
            LimitKind::Velocity => "/s",
            LimitKind::Acceleration => "/s²",
        };
        let shown = |value: f64| cell.joints[*first].kind.show(value) + unit;
        let leader = cell.joints[*first]
            .mimic
            .map(|m| cell.joint_label(m.source));
        Some(Diagnostic {
            subject: some_of(&names),
            message: format!(
                "limits of joints that follow another one are not judged, and are left: `{}` follows `{}` to {}, its own limit is {}",
                violation.joint,
                leader.unwrap_or_default(),
                shown(violation.value),
                shown(violation.limit)
            ),
            place: None,
            severity: Severity::Unchecked,
            code: Code::FollowerLimits,
        })
    }

    /// The interpolation of the trajectory, or the interpolations where programs have several.
    pub fn interpolation(&self) -> String {
        let mut words: Vec<&str> = Vec::new();
        for part in &self.parts {
            let word = part.for_cell.trajectory.interpolation.as_str();
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words.join(" and ")
    }

    /// Where an instant of the joined trajectory is among the waypoints of the only program. With
    /// several programs it stays.
    pub fn among_waypoints(&self, instant: MotionInstant) -> MotionInstant {
        let [only] = &self.parts[..] else {
            return instant;
        };
        let span = self
            .origin
            .as_ref()
            .and_then(|o| o.get(instant.segment)?.first());
        match span {
            Some(span) => {
                let instant = MotionInstant::new(span.segment, span.at(instant.fraction));
                only.between_waypoints(instant)
            }
            None if self.origin.is_some() => instant,
            None => only.between_waypoints(instant),
        }
    }

    /// The report's facts about programs and events; `first` is the first contact by the joined
    /// trajectory.
    pub fn facts(&self, first: Option<&Contact>, cell: &Cell) -> Option<TimelineFacts> {
        let events: Vec<EventFact> = self
            .timeline
            .events
            .iter()
            .map(|event| {
                let (lines, files) = self.lines_around(event.time).unzip();
                let until = end(event).and_then(|time| self.lines_around(time));
                let (until_lines, until_files) = until.unzip();
                EventFact {
                    time: event.time,
                    what: sentence(event, self.trajectory.timed, cell),
                    by: format!("{}:{}", event.file.display(), event.line),
                    lines,
                    files: files.flatten(),
                    until_lines,
                    until_files: until_files.flatten(),
                }
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
                    estimated: part.estimated,
                    duration: part.for_cell.trajectory.duration(),
                    waypoints: part.program.waypoints.len(),
                    delay: None,
                    at: at.map(|(origin, s)| part.program_place(&origin[k], s)),
                    moves: part.moves(cell),
                    lines: part.lines(),
                });
            }
        }
        (!programs.is_empty() || !events.is_empty()).then_some(TimelineFacts {
            programs,
            any_delay: None,
            any_progress: false,
            phases: Vec::new(),
            events,
        })
    }

    /// Lines of the waypoints before and after an instant, and their files where one is not the
    /// program's own; none where several programs share the clock.
    fn lines_around(&self, time: f64) -> Option<([usize; 2], Option<[String; 2]>)> {
        let [only] = &self.parts[..] else {
            return None;
        };
        let around = only.waypoints_around(time - only.named.offset_s)?;
        let lines = around.map(|k| only.program.waypoints[k].line);
        Some((lines, only.files_of(around)))
    }

    /// Tells of which program the corner is in which something was found: the one at the end of
    /// this move of it.
    pub fn at_corner(&self, facts: &mut TimelineFacts, which: usize, way: usize) {
        for (k, (part, fact)) in self.parts.iter().zip(&mut facts.programs).enumerate() {
            let waypoints = &part.program.waypoints;
            let end = (way + 1).min(waypoints.len() - 1);
            // Where the others are then is not told.
            fact.delay = None;
            fact.at = (k == which).then(|| ProgramPlace {
                time: waypoints[end].time,
                segment: way,
                fraction: 1.0,
                lines: [way.min(end), end].map(|k| waypoints[k].line),
            });
        }
    }

    /// Tells where every program is in a contact that was found at some delay: `times` are those on
    /// the common clock.
    pub fn delayed(&self, facts: &mut TimelineFacts, times: &[f64]) {
        let latest = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for ((part, time), fact) in self.parts.iter().zip(times).zip(&mut facts.programs) {
            let instant = (part.for_cell.trajectory).locate(time - part.named.offset_s);
            let span = SegmentSpan {
                segment: instant.segment,
                from: instant.fraction,
                to: instant.fraction,
            };
            fact.delay = Some(latest - time);
            fact.at = Some(part.program_place(&span, instant.fraction));
        }
    }
}

/// When an event ends, if it does.
fn end(event: &Event) -> Option<f64> {
    match &event.change {
        EventChange::Allow { until, .. } => *until,
        EventChange::Move { duration, .. } => Some(event.time + duration),
        EventChange::Attach { .. } | EventChange::Release { .. } => None,
    }
}

/// The change that an event makes, for the report.
fn sentence(event: &Event, timed: bool, cell: &Cell) -> String {
    let name = |body: usize| cell.bodies[body].name.as_str();
    let names = |bodies: &[usize]| match bodies {
        [] => String::new(),
        [only] => name(*only).to_owned(),
        [first, rest @ ..] => format!("{} and {} more", name(*first), rest.len()),
    };
    let shown = |time: f64| {
        if timed {
            format!("{time:.3} s")
        } else {
            format!("waypoint {:.2}", time + 1.0)
        }
    };
    match &event.change {
        EventChange::Attach {
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
            let touch = if touch.is_empty() {
                String::new()
            } else {
                format!("; may touch {}", touch.join(", "))
            };
            format!("{} carries {}, {place}{touch}", name(*link), names(bodies))
        }
        EventChange::Release { bodies } => match bodies.len() {
            1 => format!("{} stays where it is", names(bodies)),
            _ => format!("{} stay where they are", names(bodies)),
        },
        EventChange::Move {
            joint, duration, ..
        } => format!(
            "{} moves until {}",
            cell.joint_label(*joint),
            shown(event.time + duration)
        ),
        EventChange::Allow {
            a,
            b,
            until,
            reason,
        } => {
            let until = match until {
                Some(until) => format!("until {}", shown(*until)),
                None => "to the end".to_owned(),
            };
            let why = if reason.is_empty() {
                String::new()
            } else {
                format!(" ({reason})")
            };
            format!("{a} may touch {b} {until}{why}")
        }
    }
}
