//! The sentences of the text report: when, how close, which limit. Other reports say the same with
//! the same words.

use crate::findings::{
    Code, Contact, ContactFeature, ContactKind, Diagnostic, ErrorShares, LimitKind, LimitViolation,
    NearMiss, Outcome, ProgramOutcome,
};
use crate::render::clock::{begins, ends, shared, snapshot};
use crate::render::errors;
use crate::render::timeline::is_about_delays;
use crate::render::units::{
    degrees, exact_degrees, millimetres, millimetres_down, millimetres_up, percent, seconds,
    stated_millimetres,
};

/// `a vertex of gripper on a face of table, at 3.209931 s`: how and when the two first touch.
pub(super) fn meeting(contact: &Contact, program: &ProgramOutcome) -> Option<String> {
    let (a, b) = (&contact.a, &contact.b);
    let what = match contact.feature? {
        ContactFeature::VertexFace => format!("a vertex of {a} on a face of {b}"),
        ContactFeature::FaceVertex => format!("a vertex of {b} on a face of {a}"),
        ContactFeature::EdgeEdge => format!("an edge of {a} on an edge of {b}"),
    };
    Some(match (contact.exact_time, program.timed) {
        (Some(time), Some(true)) => format!("{what}, at {time:.6} s"),
        _ => what,
    })
}

/// A joint's value as people read it.
pub(super) fn joint_value(outcome: &Outcome, joint: &str, value: f64) -> String {
    if outcome.sliding_joints.iter().any(|s| s == joint) {
        millimetres(value)
    } else {
        degrees(value)
    }
}

/// `position of elbow is 189.08° at 5.000 s, its limit is 177.62°`.
pub(in crate::render) fn limit(
    violation: &LimitViolation,
    program: &ProgramOutcome,
    outcome: &Outcome,
) -> String {
    let (what, per_second) = match violation.what {
        LimitKind::Position => ("position", ""),
        LimitKind::Velocity => ("speed", "/s"),
        LimitKind::Acceleration => ("acceleration", "/s²"),
    };
    let show = |value| joint_value(outcome, &violation.joint, value);
    // Two equal numbers would explain nothing.
    let [mut value, mut limit] = [violation.value, violation.limit].map(show);
    if value == limit {
        let slides = outcome.sliding_joints.contains(&violation.joint);
        [value, limit] = [violation.value, violation.limit].map(|exact| {
            if slides {
                stated_millimetres(exact)
            } else {
                exact_degrees(exact)
            }
        });
    }
    let when = match violation.way.as_deref() {
        None => snapshot(violation.time, program),
        Some("") => "on another way through the program".to_owned(),
        Some(way) => format!("on the way where {way}"),
    };
    format!(
        "{what} of {} is {value}{per_second} {when}, its limit is {limit}{per_second}",
        violation.joint,
    )
}

/// `arm – fence: nearer than 20 mm from 1.200 s until 1.900 s, 12.3 mm at 1.500 s`; with
/// `--any-delay` also that it is so without delay.
pub(in crate::render) fn near_miss(miss: &NearMiss, program: &ProgramOutcome) -> String {
    let is_seen = miss.distance <= miss.warn;
    let how = if is_seen {
        "nearer than"
    } else {
        "not proved farther than"
    };
    let delay = if is_about_delays(program) {
        ", without delay"
    } else {
        ""
    };
    format!(
        "{} – {}: {how} {} from {} until {}, {} {}{delay}",
        miss.a,
        miss.b,
        stated_millimetres(miss.warn),
        begins(miss.entered, program),
        ends(miss.left, program),
        millimetres_up(miss.distance),
        snapshot(miss.time, program),
    )
}

/// `at 3.210 s (segment 5: waypoint 5 → 6, 37 %)`.
pub(in crate::render) fn when(contact: &Contact, program: &ProgramOutcome) -> String {
    if shared(program) {
        let when = snapshot(contact.time, program);
        return if contact.in_corner {
            format!("in a rounded corner, {when}")
        } else {
            when
        };
    }
    let from = contact.segment + 1;
    if let Some(its) = program.moves.get(contact.segment) {
        let to = if its.to.is_empty() {
            format!("move {from}")
        } else {
            format!("{} move to `{}`", its.kind, its.to)
        };
        let line = match (&its.file, its.line) {
            (Some(file), Some(line)) => Some(format!("{file}:{line}")),
            (_, Some(line)) => Some(format!("line {line}")),
            (_, None) => None,
        };
        let routine = Some(its.routine.clone()).filter(|routine| !routine.is_empty());
        let place: Vec<String> = routine.into_iter().chain(line).collect();
        let line = if place.is_empty() {
            String::new()
        } else {
            format!(" ({})", place.join(", "))
        };
        if contact.in_corner {
            return format!("in the rounded corner at the end of the {to}{line}");
        }
        return format!("in the {to}{line}, {}", percent(contact.fraction));
    }
    let place = match program.waypoints {
        Some(1) => "waypoint 1".to_owned(),
        _ => format!(
            "segment {from}: waypoint {from} → {}, {}",
            from + 1,
            percent(contact.fraction)
        ),
    };
    match program.timed {
        Some(true) => format!("at {} ({place})", seconds(contact.time)),
        _ => format!("at {place}"),
    }
}

/// Whether the tool may turn otherwise than evenly on some moves.
fn tool_may_turn(program: &ProgramOutcome) -> bool {
    let turns = |d: &Diagnostic| d.code == Code::ToolOrientation;
    program.unchecked.iter().any(turns)
}

/// That errors of joints may stem from no budget: on straight moves the tool may turn otherwise.
fn turn_of_tool(shares: &ErrorShares, program: &ProgramOutcome) -> &'static str {
    if shares.joint > 0.0 && tool_may_turn(program) {
        " (joint: with how the tool may turn on straight moves, see --orientation-tube)"
    } else {
        ""
    }
}

/// `0.991 mm apart`, `the surfaces cross, at least 27 mm deep at 6.000 s`.
pub(in crate::render) fn how_close(
    contact: &Contact,
    program: &ProgramOutcome,
    resolution: f64,
) -> String {
    let deep = match (contact.depth, contact.depth_time) {
        (Some(depth), Some(time)) if depth > 0.0 => Some(format!(
            "at least {} deep {}",
            millimetres_down(depth),
            snapshot(time, program)
        )),
        _ => None,
    };
    let distance = millimetres_up(contact.distance);
    match (contact.kind, deep) {
        (ContactKind::Inside, None) => "one is wholly inside the other".to_owned(),
        (ContactKind::Inside, Some(deep)) => format!("one is wholly inside the other, {deep}"),
        (ContactKind::Contact, None) if contact.distance <= 0.0 => match contact.depth {
            Some(_) => "the surfaces touch or cross".to_owned(),
            None => "the surfaces touch or cross; how deep is not known".to_owned(),
        },
        (ContactKind::Contact, Some(deep)) if contact.distance <= 0.0 => {
            format!("the surfaces cross, {deep}")
        }
        (ContactKind::Contact, None) => format!("{distance} apart"),
        (ContactKind::Contact, Some(deep)) => {
            format!("{distance} apart when it is found; the surfaces cross, {deep}")
        }
        (ContactKind::Possible, _) if contact.in_corner => {
            let near = match contact.distance {
                d if d <= 0.0 => "they can touch".to_owned(),
                _ => format!("{distance} apart, not proved to stay apart"),
            };
            format!("{near} somewhere in the hull of the corner")
        }
        (ContactKind::Possible, _) => match &contact.errors {
            Some(shares) => format!(
                "{distance} apart; {}{}",
                errors::shares(shares),
                turn_of_tool(shares, program)
            ),
            None => format!("{distance} apart; errors may bring them together"),
        },
        (ContactKind::Unresolved, _) if program.given_up_after.is_some() => {
            format!("{distance} apart there; no time was left to look closer")
        }
        (ContactKind::Unresolved, _) => {
            let turns = if tool_may_turn(program) {
                ", or not for every way in which the tool may turn on straight moves (see --orientation-tube)"
            } else {
                ""
            };
            let resolution = stated_millimetres(resolution);
            format!("{distance} apart; not separable from the threshold at {resolution}{turns}")
        }
    }
}

pub(super) fn point(p: [f64; 3]) -> String {
    let [x, y, z] = p.map(|v| format!("{:.1}", v * 1e3 + 0.0));
    format!("[{x}, {y}, {z}]")
}
