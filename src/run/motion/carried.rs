//! What a robot carries by a state, beside what it carries in the cell.

use clearance_proof::model::{BodyId, Cell, Event, EventChange, Role, Timeline};

use super::part::ProgramPart;
use crate::findings::{Code, Diagnostic, Location, Severity};

/// One finding for each object that the robot carries by the program's state and that the cell does
/// not have its link carry: neither before what happens when the program begins, nor after.
pub(super) fn carried(part: &ProgramPart, cell: &Cell, timeline: &Timeline) -> Vec<Diagnostic> {
    let Some(start) = &part.program.start else {
        return Vec::new();
    };
    let begins = part.track().span().0;
    let events = &timeline.events;
    let before = events.partition_point(|event| event.time < begins);
    let then = events.partition_point(|event| event.time <= begins);
    let robot = part.named.robot.as_deref();
    let mut found = Vec::new();
    for (name, link) in &start.carried {
        let link = link.as_deref();
        let after = |events| not_carried(name, link, robot, cell, events);
        let Some(why) = after(&events[..before]).and(after(&events[..then])) else {
            continue;
        };
        let on = link.map_or_else(String::new, |link| format!(" on `{link}`"));
        let place = Location::at(&part.program.source, start.line, None);
        found.push(Diagnostic {
            code: Code::CarriedObject,
            severity: Severity::Open,
            subject: place.to_string(),
            place: Some(place),
            message: format!("the robot carries `{name}`{on} by `trajectory_start`, {why}"),
        });
    }
    found
}

/// The body that carries another one after these events.
fn carrier(of: BodyId, cell: &Cell, events: &[Event]) -> Option<BodyId> {
    let changed = events.iter().rev().find_map(|event| match &event.change {
        EventChange::Attach { bodies, link, .. } if bodies.contains(&of) => Some(Some(*link)),
        EventChange::Release { bodies } if bodies.contains(&of) => Some(None),
        _ => None,
    });
    changed.unwrap_or(cell.bodies[of].parent)
}

/// Why the cell does not have that link carry that object; nothing where it does.
fn not_carried(
    name: &str,
    link: Option<&str>,
    robot: Option<&str>,
    cell: &Cell,
    events: &[Event],
) -> Option<String> {
    let Some(body) = cell.body(name) else {
        return Some(
            "and the cell has no body of that name: add it as [[attach]] to the cell file".into(),
        );
    };
    let Some(parent) = carrier(body, cell, events) else {
        return Some(
            "and in the cell it stands still: make it an [[attach]] of that link in the cell file, or attach it by an event when the program begins"
                .into(),
        );
    };
    let Some(link) = link else {
        return Some("without the `link_name` that says what carries it: add it".into());
    };
    let named = match links(link, robot, cell)[..] {
        [link] => link,
        [] => return Some("and the cell has no link of that name: correct `link_name`".into()),
        _ => {
            return Some(
                "and several robots have such a link: write `robot/link`, or name the robot of the program (ROBOT=FILE)"
                    .into(),
            );
        }
    };
    // Another link that is fixed to this one carries it alike.
    let (joint, of_named) = (cell.bodies[parent].joint, cell.bodies[named].joint);
    let alike = joint.is_some() && joint == of_named;
    (parent != named && !alike).then(|| {
        format!(
            "and in the cell `{}` carries it: correct the [[attach]] of the cell file, or the message",
            cell.bodies[parent].name
        )
    })
}

/// The links that a name in a message can mean.
fn links(name: &str, robot: Option<&str>, cell: &Cell) -> Vec<BodyId> {
    let all = || {
        let bodies = cell.bodies.iter().enumerate();
        bodies.filter_map(|(id, body)| match body.role {
            Role::Link { robot } => Some((id, body.name.as_str(), robot)),
            _ => None,
        })
    };
    let named = |full: &str| all().find(|link| link.1 == full).map(|link| link.0);
    if let Some(robot) = robot {
        let own = named(&format!("{robot}/{name}"));
        return own.or_else(|| named(name)).into_iter().collect();
    }
    if let Some(full) = named(name) {
        return vec![full];
    }
    let bare = all().filter(|&(_, full, robot)| {
        let robot = cell.robots.get(robot).map_or("", |r| r.name.as_str());
        let rest = full.strip_prefix(robot);
        rest.and_then(|rest| rest.strip_prefix('/')) == Some(name)
    });
    bare.map(|link| link.0).collect()
}
