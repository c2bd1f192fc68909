//! The state that a message states before its trajectory, for the cell.

use clearance_proof::model::{Cell, Column, Program, Quantity};

use crate::findings::{Code, Diagnostic, Location, Severity};

/// Gives joints that the trajectory does not move the values that the message states, as columns
/// that stay as they are. Says what of the state could not be used. `together`: other programs run
/// at the same time, and may move those joints.
pub(super) fn set_start(program: &mut Program, cell: &Cell, together: bool) -> Vec<Diagnostic> {
    let Some(start) = program.start.take() else {
        return Vec::new();
    };
    let place = Location::at(&program.source, start.line, None);
    let mut said = Vec::new();
    let (mut unknown, mut unused) = (Vec::new(), Vec::new());
    for (name, value) in &start.joints {
        let mut found = (0..cell.joints.len())
            .filter(|&j| cell.joint_label(j) == *name || cell.joints[j].name == *name);
        let (first, second) = (found.next(), found.next());
        let joint = match (first, second) {
            (Some(joint), None) => joint,
            _ if cell.fixed.iter().any(|(_, fixed)| fixed == name) => continue,
            _ => {
                unknown.push(format!("`{name}`"));
                continue;
            }
        };
        let label = cell.joint_label(joint);
        let moved = |c: &Column| c.joint == label || c.joint == cell.joints[joint].name;
        // A joint that follows another joint has that one's value.
        if cell.joints[joint].mimic.is_some() || program.columns.iter().any(moved) {
            continue;
        }
        if together {
            if *value != cell.rest[joint] {
                unused.push(format!(
                    "{label} = {}",
                    cell.joints[joint].kind.show(*value)
                ));
            }
            continue;
        }
        program.columns.push(Column {
            joint: label,
            line: start.line,
            quantity: Quantity::Message,
        });
        for waypoint in &mut program.waypoints {
            let stands = |order| if order == 0 { *value } else { 0.0 };
            waypoint.change_columns(|values, order| values.push(stands(order)));
        }
    }
    let mut say = |code, severity, message| {
        said.push(Diagnostic {
            code,
            place: Some(place.clone()),
            severity,
            subject: place.to_string(),
            message,
        });
    };
    if !unknown.is_empty() {
        let message = format!(
            "`trajectory_start` states values of joints that the cell does not have, or has twice: {}",
            unknown.join(", ")
        );
        say(Code::StaleName, Severity::Note, message);
    }
    if !unused.is_empty() {
        let message = format!(
            "`trajectory_start` is not used where programs run together; it states {}, and the cell has other values",
            unused.join(", ")
        );
        say(Code::RestingJoints, Severity::Open, message);
    }
    let carried: Vec<String> = start
        .carried
        .iter()
        .filter(|name| cell.body(name).is_none())
        .map(|name| format!("`{name}`"))
        .collect();
    if !carried.is_empty() {
        let message = format!(
            "the robot carries {} by `trajectory_start`, and the cell has no body of that name: add it as [[attach]] to the cell file",
            carried.join(", ")
        );
        say(Code::CarriedObject, Severity::Open, message);
    }
    said
}
