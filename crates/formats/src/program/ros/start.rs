//! `trajectory_start` of a DisplayTrajectory: where the robot is before it moves, and what it
//! carries.

use std::collections::HashMap;
use std::path::Path;

use clearance_proof::model::{Column, Program, StartState, Waypoint};

use super::super::node::{NodeKind, ProgramNode};
use super::keys::keys;
use super::{JOIN_GAP, at, finite, list, syntax};
use crate::{ImportError, Problem};

/// The keys of a `moveit_msgs/RobotState`.
const OF_STATE: [&str; 4] = [
    "joint_state",
    "multi_dof_joint_state",
    "attached_collision_objects",
    "is_diff",
];
/// Those of a `sensor_msgs/JointState`.
const OF_JOINTS: [&str; 5] = ["header", "name", "position", "velocity", "effort"];
/// Those of a `sensor_msgs/MultiDOFJointState`.
const OF_BASES: [&str; 5] = ["header", "joint_names", "transforms", "twist", "wrench"];

/// A joint as the message states it.
struct Stated<'n> {
    value: f64,
    velocity: f64,
    node: &'n ProgramNode,
}

/// Takes the state into the program: as its first waypoint, unless the trajectory begins right there
/// at 0 s; and as values of joints that the trajectory does not move. A small step from the state to
/// a trajectory that begins at 0 s is checked like any motion.
///
/// # Errors
/// When it is not a state, or contradicts the first waypoint.
pub(super) fn apply(
    path: &Path,
    state: &ProgramNode,
    program: &mut Program,
) -> Result<(), ImportError> {
    keys(path, state, "trajectory_start", &OF_STATE)?;
    still_base(path, state, "trajectory_start")?;
    let stated = match state.get("joint_state") {
        Some(joints) => joint_state(path, joints)?,
        None => Vec::new(),
    };
    let by_name: HashMap<&str, &Stated> = stated.iter().map(|(n, s)| (*n, s)).collect();
    let of_columns: Option<Vec<&Stated>> = program
        .columns
        .iter()
        .map(|c| by_name.get(&*c.joint).copied())
        .collect();
    let first = program.waypoints.first().cloned();
    if let Some(first) = first {
        let late = first.time > 0.0;
        let names = |column: &Column| by_name.contains_key(&*column.joint);
        if late && of_columns.is_none() && program.columns.iter().any(names) {
            let cause =
                "`trajectory_start` has values of some joints of the trajectory, and not of all";
            return Err(at(
                path,
                state,
                syntax(cause.to_owned(), "give them all, or none"),
            ));
        }
        for (k, column) in program.columns.iter().enumerate() {
            let Some(stated) = by_name.get(&*column.joint) else {
                continue;
            };
            if !late && (stated.value - first.positions[k]).abs() > JOIN_GAP {
                return Err(at(
                    path,
                    stated.node,
                    Problem::BadValue {
                        what: format!("`{}` in `trajectory_start`", column.joint),
                        value: format!(
                            "{}, but the trajectory begins at {}",
                            stated.value, first.positions[k]
                        ),
                        remedy: format!(
                            "both must be the same within {JOIN_GAP}: plan again from where the robot is, or correct the one that is wrong"
                        ),
                    },
                ));
            }
        }
        // Joints of which it says nothing are where the trajectory begins.
        let each = |stated: fn(&Stated) -> f64, of_first: &[f64]| -> Vec<f64> {
            let columns = program.columns.iter().zip(of_first);
            let values = columns.map(|(column, &begins)| {
                let of_state = by_name.get(&*column.joint);
                of_state.map_or(begins, |&known| stated(known))
            });
            values.collect()
        };
        let positions = each(|s| s.value, &first.positions);
        let is_elsewhere = positions[..] != first.positions[..];
        if late && of_columns.is_some() || !late && is_elsewhere {
            let velocities = first.velocities.as_deref();
            let accelerations = first.accelerations.as_deref();
            let waypoint = Waypoint {
                time: first.time.min(0.0),
                velocities: velocities.map(|own| each(|s| s.velocity, own).into()),
                accelerations: accelerations.map(|own| each(|_| 0.0, own).into()),
                positions: positions.into(),
                line: state.line.unwrap_or(first.line),
            };
            program.waypoints.insert(0, waypoint);
            program.begins_with_state = true;
        }
    }
    let moved = |name: &str| program.columns.iter().any(|c| *c.joint == *name);
    let rest = stated.iter().filter(|(name, _)| !moved(name));
    let joints = rest
        .map(|(name, s)| ((*name).to_owned(), s.value))
        .collect();
    program.start = Some(StartState {
        joints,
        carried: carried(path, state)?,
        line: state.line,
    });
    Ok(())
}

/// Names and values of a `sensor_msgs/JointState`.
fn joint_state<'n>(
    path: &Path,
    node: &'n ProgramNode,
) -> Result<Vec<(&'n str, Stated<'n>)>, ImportError> {
    keys(path, node, "joint_state", &OF_JOINTS)?;
    if node.get("name").is_none() && node.get("position").is_none() {
        return Ok(Vec::new());
    }
    let (names, positions) = (list(path, node, "name")?, list(path, node, "position")?);
    let velocities = match node.get("velocity") {
        Some(_) => list(path, node, "velocity")?,
        None => &[],
    };
    if names.len() != positions.len() || !(velocities.is_empty() || velocities.len() == names.len())
    {
        let cause = format!(
            "`joint_state` has {} names, {} positions and {} velocities",
            names.len(),
            positions.len(),
            velocities.len()
        );
        return Err(at(
            path,
            node,
            syntax(cause, "give one of each for every joint"),
        ));
    }
    let mut all: Vec<(&str, Stated)> = Vec::with_capacity(names.len());
    let mut seen = std::collections::HashSet::new();
    for (k, name) in names.iter().enumerate() {
        let NodeKind::Text(text) = &name.kind else {
            let cause = format!("{} stands where a joint name should be", name.word());
            return Err(at(path, name, syntax(cause, super::IN_QUOTES)));
        };
        if !seen.insert(text.as_str()) {
            let cause = format!("joint `{text}` occurs twice in `joint_state`");
            return Err(at(path, name, syntax(cause, "name every joint once")));
        }
        let what = || format!("`{text}` in `trajectory_start`");
        let velocity = match velocities.get(k) {
            Some(node) => finite(path, node, &what())?,
            None => 0.0,
        };
        let stated = Stated {
            value: finite(path, &positions[k], &what())?,
            velocity,
            node: &positions[k],
        };
        all.push((text, stated));
    }
    Ok(all)
}

/// Refuses a base that the RobotState under this key puts elsewhere: the cell says where it stands.
pub(crate) fn still_base(path: &Path, state: &ProgramNode, key: &str) -> Result<(), ImportError> {
    let Some(joints) = state.get("multi_dof_joint_state") else {
        return Ok(());
    };
    keys(path, joints, "multi_dof_joint_state", &OF_BASES)?;
    let Some(transforms) = joints.get("transforms") else {
        return Ok(());
    };
    let transforms = match &transforms.kind {
        NodeKind::List(transforms) => transforms,
        NodeKind::Null => return Ok(()),
        _ => {
            let cause = "`transforms` is not a list".to_owned();
            return Err(at(path, transforms, syntax(cause, "write a list")));
        }
    };
    for transform in transforms {
        keys(path, transform, "transforms", &["translation", "rotation"])?;
        let mut moved = false;
        for of in ["translation", "rotation"] {
            let Some(part) = transform.get(of) else {
                continue;
            };
            // Some write the numbers as a list, in the order of the keys.
            let numbers: Vec<&ProgramNode> = match &part.kind {
                NodeKind::List(numbers) => numbers.iter().take(3).collect(),
                _ => {
                    keys(path, part, of, &["x", "y", "z", "w"])?;
                    let axes = ["x", "y", "z"].iter();
                    axes.filter_map(|axis| part.get(axis)).collect()
                }
            };
            for number in numbers {
                let what = format!("a number of a `{of}`");
                moved |= finite(path, number, &what)?.abs() > 1e-9;
            }
        }
        if moved {
            return Err(at(
                path,
                transform,
                Problem::Unsupported {
                    what: format!("a base that `multi_dof_joint_state` of `{key}` moves"),
                    remedy: "state that pose as `base` of the robot in the cell file, and empty the list".into(),
                },
            ));
        }
    }
    Ok(())
}

/// What the robot carries, each with the link that carries it.
fn carried(path: &Path, state: &ProgramNode) -> Result<Vec<(String, Option<String>)>, ImportError> {
    if state.get("attached_collision_objects").is_none() {
        return Ok(Vec::new());
    }
    let text = |node: Option<&ProgramNode>| match node.map(|node| &node.kind) {
        Some(NodeKind::Text(name)) => Some(name.clone()),
        Some(NodeKind::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let mut names = Vec::new();
    for entry in list(path, state, "attached_collision_objects")? {
        let name = text(entry.get("object").and_then(|object| object.get("id")));
        let name = name.unwrap_or_else(|| "an object without a name".to_owned());
        let operation = entry
            .get("object")
            .and_then(|object| object.get("operation"));
        if let Some(other) = operation.filter(|node| !is_add(node)) {
            return Err(at(
                path,
                other,
                Problem::Unsupported {
                    what: format!("the `operation` {} of `{name}` in `trajectory_start`", other.word()),
                    remedy: "ADD (0) is read: the robot carries it. Write what it lets go as an event, `release`".into(),
                },
            ));
        }
        names.push((name, text(entry.get("link_name"))));
    }
    Ok(names)
}

/// Whether the operation of an object is the one that adds it.
fn is_add(node: &ProgramNode) -> bool {
    match &node.kind {
        NodeKind::Number(number) => *number == 0.0,
        NodeKind::Text(text) => text.is_empty() || text == "\0",
        NodeKind::Null => true,
        NodeKind::Bool(_) | NodeKind::List(_) | NodeKind::Map(_) => false,
    }
}
