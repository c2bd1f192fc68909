//! The part of the text report about several programs on one clock, and about events.

use super::clock::snapshot;
use super::units::{count, late_seconds, percent, seconds, seconds_down};
use crate::findings::{Participant, ProgramOutcome, TimelineFacts};

/// Lines about the programs and the events: name and text.
pub(super) fn lines(
    facts: &TimelineFacts,
    program: &ProgramOutcome,
) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    for participant in &facts.programs {
        lines.push(("program", on_the_clock(participant)));
        lines.extend(place(participant).map(|text| ("", text)));
    }
    if facts.any_progress {
        let text = "every instant of each program beside every instant of the others, whatever their delays and speeds, and \
                    wherever they wait on their ways";
        lines.push(("delays", text.to_owned()));
    } else if let Some(delay) = facts.any_delay {
        let text = format!(
            "every delay of their starts against each other, up to {}",
            seconds_down(delay)
        );
        lines.push(("delays", text));
    }
    for event in &facts.events {
        let mut when = snapshot(event.time, program);
        // A number says little where a program has no times.
        if let (Some(lines), false) = (event.lines, program.timed == Some(true)) {
            when += &match (lines, &event.files) {
                ([_, to], Some([from_file, file])) if lines[0] == to && from_file == file => {
                    format!(", line {to} of {file}")
                }
                ([from, to], Some([from_file, file])) => {
                    format!(", between line {from} of {from_file} and line {to} of {file}")
                }
                ([from, to], None) if from == to => format!(", line {to}"),
                ([from, to], None) => format!(", between lines {from} and {to}"),
            };
        }
        lines.push(("event", format!("{when}: {} ({})", event.what, event.by)));
    }
    lines
}

fn on_the_clock(participant: &Participant) -> String {
    let robot = match &participant.robot {
        Some(robot) => format!("{robot}: "),
        None => String::new(),
    };
    let begins = match participant.offset {
        0.0 => String::new(),
        offset => format!(", its clock starts at {}", seconds(offset)),
    };
    let about = if participant.estimated { "about " } else { "" };
    format!(
        "{robot}{} ({about}{}, {}{begins})",
        participant.program,
        seconds(participant.duration),
        count(participant.waypoints, "waypoint")
    )
}

/// Where a program is at the first contact.
fn place(participant: &Participant) -> Option<String> {
    let at = participant.at.as_ref()?;
    let from = at.segment + 1;
    let name = &participant.program;
    let [first, second] = at.lines;
    let place = match participant.waypoints {
        1 => format!("waypoint 1, {name}:{first}"),
        _ => format!(
            "waypoint {from} → {}, {}, {name}:{first} → {name}:{second}",
            from + 1,
            percent(at.fraction)
        ),
    };
    let delay = match participant.delay {
        Some(delay) if delay > 0.0 => format!("started {} late, ", late_seconds(delay)),
        _ => String::new(),
    };
    // Without certain times only the place says where it is.
    if participant.estimated {
        return Some(format!("at {place}"));
    }
    Some(format!("{delay}at its {} ({place})", seconds(at.time)))
}

/// Whether the answer is about delays of its programs: findings without any are then those without
/// delay.
pub(super) fn is_about_delays(program: &ProgramOutcome) -> bool {
    let facts = program.timeline.as_ref();
    facts.is_some_and(|t| t.any_delay.is_some())
}

/// `, left started 0.600 s late`: of what takes a delay of each program.
pub(super) fn late(delays: &[f64], program: &ProgramOutcome) -> String {
    let programs = || program.timeline.iter().flat_map(|t| &t.programs);
    let late = programs().zip(delays).filter(|(_, d)| **d > 0.0);
    late.map(|(p, &delay)| {
        // A robot may have several programs.
        let only = programs().filter(|other| other.robot == p.robot).count() == 1;
        let name = p.robot.as_ref().filter(|_| only).unwrap_or(&p.program);
        format!(", {name} started {} late", late_seconds(delay))
    })
    .collect()
}
