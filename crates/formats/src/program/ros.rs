//! ROS trajectory messages, as JSON or as YAML: `JointTrajectory`, MoveIt's `RobotTrajectory` and
//! `DisplayTrajectory`.

mod find;
mod keys;
mod point;
mod start;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use clearance_proof::model::{Column, Program, Quantity, Waypoint};

use super::node::{NodeKind, ProgramNode, documents};
use crate::json_words::json_words;
use crate::{ImportError, Problem};
pub(super) use keys::keys;
use point::waypoint;
pub(crate) use start::still_base;

/// The greatest gap that MoveIt accepts between the robot's state and a trajectory's first
/// waypoint, radians or metres.
pub(super) const JOIN_GAP: f64 = 0.01;

/// YAML of ROS takes `y`, `no` and `on` for truth values.
const IN_QUOTES: &str =
    "write the joint's name; one that is another word of YAML, such as `y` or `no`, in quotes";

const EXPECTED: &str = "expected a trajectory_msgs/JointTrajectory (`joint_names`, `points`), a MoveIt RobotTrajectory (`joint_trajectory`) or DisplayTrajectory (`trajectory`)";

/// Reads a JSON message.
pub fn read_json(path: &Path, text: &str) -> Result<Program, ImportError> {
    // JSON's own reader judges the syntax. What it accepts is YAML as well, but for tabs between
    // values (within texts they are always escaped).
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|e| {
        let cause = json_words(&e);
        ImportError::at(
            path,
            e.line().max(1),
            Some(e.column().max(1)),
            syntax(
                format!("this is not JSON: {cause}"),
                "write plain JSON (no NaN, no comments, no comma after the last value)",
            ),
        )
    })?;
    read_yaml(path, &text.replace('\t', " "))
}

/// Reads a YAML message.
pub fn read_yaml(path: &Path, text: &str) -> Result<Program, ImportError> {
    message(path, &document(path, text)?)
}

/// The only document of a text, YAML or JSON.
///
/// # Errors
/// When it cannot be read, or there is another one.
pub(super) fn document(path: &Path, text: &str) -> Result<ProgramNode, ImportError> {
    let documents = documents(text).map_err(|e| {
        let problem = syntax(
            e.cause,
            "correct the text; ROS writes such files with `ros2 topic echo` or `rostopic echo`",
        );
        match e.line {
            Some(line) => ImportError::at(path, line, e.column, problem),
            None => ImportError::file(path, problem),
        }
    })?;
    let mut filled = documents
        .into_iter()
        .filter(|d| !matches!(d.kind, NodeKind::Null));
    let Some(root) = filled.next() else {
        return Err(ImportError::file(
            path,
            syntax("the document is empty", EXPECTED),
        ));
    };
    if let Some(second) = filled.next() {
        return Err(at(
            path,
            &second,
            syntax(
                "a second document begins here",
                "keep one message per file (`rostopic echo -n 1`)",
            ),
        ));
    }
    Ok(root)
}

pub(super) fn syntax(cause: impl Into<String>, remedy: impl Into<String>) -> Problem {
    Problem::Syntax {
        cause: cause.into(),
        remedy: remedy.into(),
    }
}

pub(super) fn at(path: &Path, node: &ProgramNode, problem: Problem) -> ImportError {
    ImportError::at(path, node.line, node.column, problem)
}

/// Finds the trajectories in a message and joins them.
pub(super) fn message(path: &Path, root: &ProgramNode) -> Result<Program, ImportError> {
    let found = find::trajectories(path, root)?;
    let several = found.trajectories.len() > 1;
    let nodes = found.trajectories.into_iter();
    // Planners leave a stage in which nothing moves as it is.
    let mut nodes = nodes.filter(|node| !(several && is_empty(node)));
    let Some(first) = nodes.next() else {
        return Err(at(
            path,
            root,
            syntax("the message holds no trajectory", EXPECTED),
        ));
    };
    let mut program = trajectory(path, first)?;
    for node in nodes {
        join(path, node, &mut program)?;
    }
    if let Some(state) = found.start {
        start::apply(path, state, &mut program)?;
    }
    Ok(program)
}

/// Whether a trajectory has no joints and no points.
fn is_empty(node: &ProgramNode) -> bool {
    ["joint_names", "points"].iter().all(|key| {
        let list = node.get(key).map(|list| &list.kind);
        matches!(list, Some(NodeKind::List(items)) if items.is_empty())
    })
}

/// One `JointTrajectory`.
fn trajectory(path: &Path, node: &ProgramNode) -> Result<Program, ImportError> {
    let columns = columns(path, node)?;
    let points = list(path, node, "points")?;
    let mut waypoints: Vec<Waypoint> = Vec::with_capacity(points.len());
    for (number, point) in points.iter().enumerate() {
        let waypoint = waypoint(path, point, number + 1, columns.len())?;
        if let Some(before) = waypoints.last() {
            follows(path, point, number + 1, &waypoint, before)?;
        }
        waypoints.push(waypoint);
    }
    if waypoints.is_empty() {
        return Err(at(
            path,
            node,
            syntax(
                "the program is empty: `points` has no entry",
                "give at least one point",
            ),
        ));
    }
    Ok(Program {
        source: path.to_owned(),
        columns,
        waypoints,
        timed: true,
        stamp_ns: stamp(path, node)?,
        ..Program::default()
    })
}

/// The joints that a trajectory moves.
fn columns(path: &Path, node: &ProgramNode) -> Result<Vec<Column>, ImportError> {
    let names = list(path, node, "joint_names")?;
    let mut columns: Vec<Column> = Vec::with_capacity(names.len());
    let mut seen: HashSet<&str> = HashSet::new();
    for name in names {
        let NodeKind::Text(text) = &name.kind else {
            let cause = format!("{} stands where a joint name should be", name.word());
            return Err(at(path, name, syntax(cause, IN_QUOTES)));
        };
        if !seen.insert(text) {
            let cause = format!("joint `{text}` occurs twice");
            return Err(at(path, name, syntax(cause, "name every joint once")));
        }
        columns.push(Column {
            joint: text.clone().into(),
            line: name.line,
            quantity: Quantity::Message,
        });
    }
    if columns.is_empty() {
        return Err(at(
            path,
            node,
            syntax("`joint_names` is empty", "name the joints that move"),
        ));
    }
    Ok(columns)
}

/// Refuses a point that is not later than the one before, or that has velocities or accelerations
/// where that has none, or the other way round.
fn follows(
    path: &Path,
    point: &ProgramNode,
    number: usize,
    waypoint: &Waypoint,
    before: &Waypoint,
) -> Result<(), ImportError> {
    if waypoint.time <= before.time {
        return Err(at(
            path,
            point.get("time_from_start").unwrap_or(point),
            Problem::BadValue {
                what: format!("time_from_start of point {number}"),
                value: format!("{} s, after {} s", waypoint.time, before.time),
                remedy: "times must increase from point to point".into(),
            },
        ));
    }
    let Some(lone) = lone_derivative(before, waypoint) else {
        return Ok(());
    };
    let (with, without) = if lone.of_next {
        (number, number - 1)
    } else {
        (number - 1, number)
    };
    Err(at(
        path,
        point,
        syntax(
            format!(
                "point {with} has {} and point {without} has none",
                lone.what
            ),
            "give them at every point or at none",
        ),
    ))
}

/// Velocities or accelerations that only one of two waypoints in a row has.
struct LoneDerivative {
    what: &'static str,
    /// The later one has it.
    of_next: bool,
}

fn lone_derivative(before: &Waypoint, next: &Waypoint) -> Option<LoneDerivative> {
    let [had, has] = [before, next].map(|w| (w.velocities.is_some(), w.accelerations.is_some()));
    if had.0 != has.0 {
        return Some(LoneDerivative {
            what: "velocities",
            of_next: has.0,
        });
    }
    (had.1 != has.1).then_some(LoneDerivative {
        what: "accelerations",
        of_next: has.1,
    })
}

/// When a trajectory is to begin; `None`: at once, which a stamp of 0 says.
fn stamp(path: &Path, node: &ProgramNode) -> Result<Option<i128>, ImportError> {
    let Some(stamp) = node.get("header").and_then(|header| header.get("stamp")) else {
        return Ok(None);
    };
    // ROS 2 and ROS 1.
    let part = |keys: [&str; 2]| match keys.map(|key| stamp.get(key)) {
        [Some(_), Some(second)] => Err(at(
            path,
            second,
            syntax(
                "`stamp` has a key of ROS 1 and one of ROS 2 for the same",
                "keep one of them",
            ),
        )),
        [Some(part), None] | [None, Some(part)] => {
            finite(path, part, "a part of `stamp`").map(|number| number as i128)
        }
        [None, None] => Ok(0),
    };
    let stamp = part(["sec", "secs"])? * 1_000_000_000 + part(["nanosec", "nsecs"])?;
    Ok(Some(stamp).filter(|&stamp| stamp != 0))
}

/// A list under a key that has to be there.
pub(super) fn list<'a>(
    path: &Path,
    node: &'a ProgramNode,
    key: &str,
) -> Result<&'a [ProgramNode], ImportError> {
    match node.get(key) {
        Some(ProgramNode {
            kind: NodeKind::List(items),
            ..
        }) => Ok(items),
        Some(other) => Err(at(
            path,
            other,
            syntax(format!("`{key}` is {}", other.word()), "write a list"),
        )),
        None => Err(at(
            path,
            node,
            syntax(format!("`{key}` is missing"), EXPECTED),
        )),
    }
}

pub(super) fn finite(path: &Path, node: &ProgramNode, what: &str) -> Result<f64, ImportError> {
    match node.kind {
        NodeKind::Number(value) if value.is_finite() => Ok(value),
        _ => Err(at(
            path,
            node,
            Problem::BadValue {
                what: what.to_owned(),
                value: node.word(),
                remedy: "give a finite number".into(),
            },
        )),
    }
}

/// Appends a further trajectory of the message: it must begin where the one before ended. Both
/// waypoints are kept, so that each trajectory keeps its own velocities there, and the small step
/// between them is checked like any motion.
fn join(path: &Path, node: &ProgramNode, program: &mut Program) -> Result<(), ImportError> {
    let next = trajectory(path, node)?;
    let same_joints = next.columns.len() == program.columns.len();
    let of_next = next.columns.iter().enumerate();
    let of_next: HashMap<&str, usize> = of_next.map(|(i, n)| (&*n.joint, i)).collect();
    let order: Option<Vec<usize>> = program
        .columns
        .iter()
        .map(|c| of_next.get(&*c.joint).copied())
        .collect();
    let (true, Some(order)) = (same_joints, order) else {
        return Err(at(
            path,
            node,
            syntax(
                "this trajectory moves other joints than the one before",
                "save each of them to a file of its own",
            ),
        ));
    };
    let sort = |values: &[f64]| -> Box<[f64]> { order.iter().map(|&i| values[i]).collect() };
    let (Some(last), Some(first)) = (program.waypoints.last(), next.waypoints.first()) else {
        return Ok(());
    };
    let offset = last.time;
    for (column, (a, b)) in program
        .columns
        .iter()
        .zip(last.positions.iter().zip(sort(&first.positions)))
    {
        if (a - b).abs() > JOIN_GAP {
            return Err(ImportError::at(
                path,
                first.line,
                None,
                Problem::BadValue {
                    what: format!("`{}` at the start of this trajectory", column.joint),
                    value: format!("{b}, but the one before ended at {a}"),
                    remedy: format!(
                        "trajectories of one message must follow each other within {JOIN_GAP}; else save each to a file of its own"
                    ),
                },
            ));
        }
    }
    if let Some(LoneDerivative { what, .. }) = lone_derivative(last, first) {
        return Err(ImportError::at(
            path,
            first.line,
            None,
            syntax(
                format!("only one of this trajectory and the one before has {what}"),
                "save each of them to a file of its own",
            ),
        ));
    }
    let mut own = f64::NEG_INFINITY;
    for w in &next.waypoints {
        let before = program.waypoints.last().map_or(offset, |w| w.time);
        // Late on the common clock, short steps are lost in the rounding: the law of the motion
        // would be another one.
        if w.time > own && own.is_finite() && offset + w.time <= before {
            return Err(ImportError::at(
                path,
                w.line,
                None,
                Problem::BadValue {
                    what: "time_from_start".into(),
                    value: format!("{} s, which is lost beside the {offset} s before", w.time),
                    remedy: "check the times, or save each trajectory to a file of its own".into(),
                },
            ));
        }
        own = w.time;
        program.waypoints.push(Waypoint {
            time: offset + w.time,
            positions: sort(&w.positions).into_vec().into(),
            velocities: w.velocities.as_deref().map(sort),
            accelerations: w.accelerations.as_deref().map(sort),
            line: w.line,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
