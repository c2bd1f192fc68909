//! The state that a message states before its trajectory, for the cell.

mod named;

use clearance_proof::model::{Cell, Column, JointId, Program, Quantity, StartState};

use super::wrong::wrong;
use crate::error::Error;
use crate::findings::{Code, Diagnostic, Location, Severity};
use named::StatedJoint;

/// How far the state may be from where the trajectory begins, radians or metres: as within a
/// message. The step between them is checked.
const GAP: f64 = 0.01;

/// Whose names are bare, and who else runs.
#[derive(Debug, Clone, Copy)]
pub(in crate::run) struct StartOf<'r> {
    /// The robot that the user names for the program: bare names are its own.
    pub robot: Option<&'r str>,
    /// Other programs run at the same time, and may move joints that this one does not.
    pub together: bool,
}

/// Gives joints that the trajectory does not move the values that the message states, as columns
/// that stay as they are; what the robot carries is left in the program. Says what of the state
/// could not be used.
///
/// # Errors
/// When the state contradicts the first waypoint, under another name of the joint.
pub(in crate::run) fn set_start(
    program: &mut Program,
    cell: &Cell,
    of: StartOf,
) -> Result<Vec<Diagnostic>, Error> {
    let Some(start) = program.start.take() else {
        return Ok(Vec::new());
    };
    let mut state = State::default();
    let moved: Vec<Option<JointId>> = program
        .columns
        .iter()
        .map(|column| match cell.joints_named(&column.joint)[..] {
            [joint] => Some(joint),
            _ => None,
        })
        .collect();
    for (name, value) in &start.joints {
        match StatedJoint::of(name, of.robot, cell) {
            StatedJoint::Joint(joint) => state.joint(joint, *value, cell),
            StatedJoint::Fixed if value.abs() <= Program::SAME_VALUE => {}
            StatedJoint::Fixed => state.fixed.push(format!("`{name}` = {value}")),
            StatedJoint::Nobody => state.unknown.push(format!("`{name}`")),
            StatedJoint::Unclear(whose) => state.unclear.push(format!("`{name}` ({whose})")),
        }
    }
    state.leaders(&moved, cell);
    state.is_complete = state.is_complete(&moved, cell);
    let first = program.waypoints.first().cloned();
    let value_of = |joint: JointId| {
        let column = moved.iter().position(|&moved| moved == Some(joint));
        let stated = || state.joints.iter().find(|s| s.0 == joint).map(|s| s.1);
        let taught = column.and_then(|k| Some(first.as_ref()?.positions[k]));
        taught.or_else(stated).unwrap_or(cell.rest[joint])
    };
    let mut stays = Vec::new();
    let mut before = first.clone();
    for &(joint, value) in &state.joints {
        let label = cell.joint_label(joint);
        let shown = |value| cell.joints[joint].kind.show(value);
        if let Some(k) = moved.iter().position(|&moved| moved == Some(joint)) {
            if let Some(before) = &mut before {
                let same = Same {
                    column: &program.columns[k].joint,
                    late: before.time > 0.0,
                    begins: before.positions[k],
                };
                same.judged(value, &start, program)?;
                before.positions[k] = value;
            }
        } else if let Some(mimic) = cell.joints[joint].mimic {
            // It has the value of the joint that it follows.
            let due = mimic.multiplier * value_of(mimic.source) + mimic.offset;
            if (value - due).abs() > Program::SAME_VALUE {
                state.follows.push(format!(
                    "`{label}` = {}, which follows `{}` and is {} there",
                    shown(value),
                    cell.joint_label(mimic.source),
                    shown(due)
                ));
            }
        } else if of.together {
            if value != cell.rest[joint] {
                state.unused.push(format!("{label} = {}", shown(value)));
            }
        } else {
            stays.push((label, value));
        }
    }
    if let Some(before) = before.filter(|before| Some(before) != first.as_ref()) {
        program.waypoints.insert(0, before);
        program.begins_with_state = true;
    }
    for (joint, value) in stays {
        program.columns.push(Column {
            joint: joint.into(),
            line: start.line,
            quantity: Quantity::Message,
        });
        for waypoint in &mut program.waypoints {
            let stands = |order| if order == 0 { value } else { 0.0 };
            waypoint.change_columns(|values, order| values.push(stands(order)));
        }
    }
    let place = Location::at(&program.source, start.line, None);
    if !start.carried.is_empty() {
        // Judged once the events are known.
        let joints = Vec::new();
        program.start = Some(StartState { joints, ..start });
    }
    Ok(state.said(&place))
}

/// A column whose joint the state has under another name.
struct Same<'c> {
    column: &'c str,
    /// Whether the trajectory begins after the state.
    late: bool,
    /// Where it begins.
    begins: f64,
}

impl Same<'_> {
    fn judged(&self, value: f64, start: &StartState, program: &Program) -> Result<(), Error> {
        let Same { column, begins, .. } = self;
        if self.late {
            return Err(wrong(
                &program.source,
                start.line,
                format!("`trajectory_start` has a value of `{column}` under another name"),
                "name its joints as `joint_names` does: the way from there to the first point is then checked".into(),
            ));
        }
        if (value - begins).abs() > GAP {
            return Err(wrong(
                &program.source,
                start.line,
                format!(
                    "`{column}` is {value} in `trajectory_start`, but the trajectory begins at {begins}"
                ),
                format!(
                    "both must be the same within {GAP}: plan again from where the robot is, or correct the one that is wrong"
                ),
            ));
        }
        Ok(())
    }
}

/// What the state says, as far as the cell knows it.
#[derive(Default)]
struct State {
    joints: Vec<(JointId, f64)>,
    /// Whether no name can be that of a joint of which nothing is stated.
    is_complete: bool,
    unknown: Vec<String>,
    fixed: Vec<String>,
    unclear: Vec<String>,
    follows: Vec<String>,
    unused: Vec<String>,
}

impl State {
    /// A value of a joint of the cell.
    fn joint(&mut self, joint: JointId, value: f64, cell: &Cell) {
        match self.joints.iter().find(|stated| stated.0 == joint) {
            // Under both of its names.
            Some(&(_, before)) if before == value => {}
            Some(_) => {
                let label = cell.joint_label(joint);
                self.unclear.push(format!("`{label}` (two values)"));
            }
            None => self.joints.push((joint, value)),
        }
    }

    /// Whether every joint of the robots that the message is about has a value by the state or by the
    /// trajectory.
    fn is_complete(&self, moved: &[Option<JointId>], cell: &Cell) -> bool {
        let stated = self.joints.iter().map(|stated| stated.0);
        let known: Vec<JointId> = stated.chain(moved.iter().copied().flatten()).collect();
        let robot = |joint: JointId| cell.joints[joint].robot;
        let is_meant = |joint: JointId| {
            known.is_empty() || known.iter().any(|&other| robot(other) == robot(joint))
        };
        let mut open = (0..cell.joints.len()).filter(|joint| !known.contains(joint));
        !open.any(|joint| cell.joints[joint].mimic.is_none() && is_meant(joint))
    }

    /// Gives joints that only their followers tell of the values that these need.
    fn leaders(&mut self, moved: &[Option<JointId>], cell: &Cell) {
        for (joint, value) in self.joints.clone() {
            let Some(mimic) = cell.joints[joint].mimic else {
                continue;
            };
            let known = self.joints.iter().any(|stated| stated.0 == mimic.source);
            if !known && !moved.contains(&Some(mimic.source)) && mimic.multiplier != 0.0 {
                let due = (value - mimic.offset) / mimic.multiplier;
                self.joints.push((mimic.source, due));
            }
        }
    }

    fn said(&self, place: &Location) -> Vec<Diagnostic> {
        let (severity, remedy) = if self.is_complete {
            (Severity::Note, "")
        } else {
            // It may mean one of these.
            (
                Severity::Open,
                ", and it states no value of some joints that it does; correct the names",
            )
        };
        let all = [
            (
                &self.unknown,
                Code::StaleName,
                severity,
                "states values of joints that the cell does not have: ",
                remedy,
            ),
            (
                &self.fixed,
                Code::RestingJoints,
                Severity::Open,
                "states values of joints that the robot has fixed at 0: ",
                "; let them move in the URDF, or correct the state",
            ),
            (
                &self.unclear,
                Code::RestingJoints,
                Severity::Open,
                "states values, and it is not clear of which joint: ",
                "; write `robot/joint`, or name the robot of the program (ROBOT=FILE)",
            ),
            (
                &self.follows,
                Code::FollowingJoint,
                Severity::Open,
                "contradicts the robot: ",
                "; correct the value, or state that of the joint that is followed",
            ),
            (
                &self.unused,
                Code::RestingJoints,
                Severity::Open,
                "is not used where programs run together; it states ",
                ", and the cell has other values",
            ),
        ];
        let filled = all.into_iter().filter(|(names, ..)| !names.is_empty());
        filled
            .map(|(names, code, severity, before, behind)| Diagnostic {
                code,
                place: Some(place.clone()),
                severity,
                subject: place.to_string(),
                message: format!("`trajectory_start` {before}{}{behind}", names.join(", ")),
            })
            .collect()
    }
}
