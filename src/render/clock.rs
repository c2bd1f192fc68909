//! Times in words: with times in seconds, without them by waypoints.

use super::units::{count, fixed_down, fixed_up, seconds};
use crate::findings::ProgramOutcome;

/// `at 3.210 s`, or without times, where the time is the number of the waypoint from 0,
/// `at waypoint 5.37`.
pub(super) fn snapshot(time: f64, program: &ProgramOutcome) -> String {
    format!("at {}", clock(time, program))
}

pub(super) fn clock(time: f64, program: &ProgramOutcome) -> String {
    match program.timed {
        Some(true) => seconds(time),
        _ => format!("waypoint {:.2}", time + 1.0),
    }
}

/// When an interval begins, never later than it does: before it something is proved.
pub(super) fn begins(time: f64, program: &ProgramOutcome) -> String {
    match program.timed {
        Some(true) => format!("{} s", fixed_down(time, 3)),
        _ => format!("waypoint {}", fixed_down(time + 1.0, 2)),
    }
}

/// When an interval ends, never earlier than it does.
pub(super) fn ends(time: f64, program: &ProgramOutcome) -> String {
    match program.timed {
        Some(true) => format!("{} s", fixed_up(time, 3)),
        _ => format!("waypoint {}", fixed_up(time + 1.0, 2)),
    }
}

/// Whether several programs share the clock: segments and waypoints are then those of no single
/// file.
pub(super) fn shared(program: &ProgramOutcome) -> bool {
    let facts = program.timeline.as_ref();
    facts.is_some_and(|t| t.programs.len() > 1)
}

/// How long a program takes, and how many waypoints or programs that is.
pub(super) fn duration(program: &ProgramOutcome) -> String {
    if let Some(text) = together(program) {
        return text;
    }
    let waypoints = count(program.waypoints.unwrap_or(0), "waypoint");
    match (program.timed, program.duration) {
        (Some(true), Some(duration)) => format!("{}, {waypoints}", seconds(duration)),
        _ => waypoints,
    }
}

/// `12.400 s, 2 programs`.
fn together(program: &ProgramOutcome) -> Option<String> {
    let facts = program.timeline.as_ref().filter(|t| t.programs.len() > 1)?;
    let programs = count(facts.programs.len(), "program");
    let time = clock(program.duration?, program);
    Some(format!("{time}, {programs}"))
}
