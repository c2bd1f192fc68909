//! One point of a trajectory: its positions, and when it is reached.

use std::path::Path;

use clearance_proof::model::Waypoint;

use super::super::node::{NodeKind, ProgramNode};
use super::{at, finite, list, syntax};
use crate::{ImportError, Problem};

pub(super) fn waypoint(
    path: &Path,
    point: &ProgramNode,
    number: usize,
    joints: usize,
) -> Result<Waypoint, ImportError> {
    let NodeKind::Map(entries) = &point.kind else {
        let remedy = match &point.kind {
            NodeKind::Text(text) if text == "..." => {
                "the middle of the list was left out: write it again by `ros2 topic echo --full-length`"
            }
            _ => "write `positions` and `time_from_start`",
        };
        let cause = format!("point {number} is {}", point.word());
        return Err(at(path, point, syntax(cause, remedy)));
    };
    // A misspelt `velocity:` would change the motion in silence.
    const KEYS: [&str; 5] = [
        "positions",
        "velocities",
        "accelerations",
        "effort",
        "time_from_start",
    ];
    if let Some((key, _)) = entries
        .iter()
        .find(|(k, _)| !matches!(&k.kind, NodeKind::Text(t) if KEYS.contains(&t.as_str())))
    {
        return Err(at(
            path,
            key,
            Problem::UnknownName {
                what: "key of a point",
                name: match &key.kind {
                    NodeKind::Text(t) => t.clone(),
                    _ => key.word(),
                },
                remedy: format!("known are {}", KEYS.join(", ")),
            },
        ));
    }
    let Some(positions) = numbers(path, point, "positions", number, joints)? else {
        return Err(at(
            path,
            point,
            syntax(
                format!("point {number} has no positions"),
                "give one position per joint",
            ),
        ));
    };
    let velocities = numbers(path, point, "velocities", number, joints)?;
    let accelerations = numbers(path, point, "accelerations", number, joints)?;
    if accelerations.is_some() && velocities.is_none() {
        return Err(at(
            path,
            point,
            syntax(
                format!("point {number} has accelerations but no velocities"),
                "give both, or positions only",
            ),
        ));
    }
    let Some(time) = point.get("time_from_start") else {
        return Err(at(
            path,
            point,
            syntax(
                format!("point {number} has no time_from_start"),
                "give it as `{sec: 1, nanosec: 500000000}` or as a number of seconds",
            ),
        ));
    };
    Ok(Waypoint {
        time: seconds(path, time, number)?,
        positions: positions.into(),
        velocities: velocities.map(Into::into),
        accelerations: accelerations.map(Into::into),
        line: point.line.unwrap_or(number),
    })
}

/// One number per joint; an empty list is how ROS writes that there are none.
fn numbers(
    path: &Path,
    point: &ProgramNode,
    key: &str,
    number: usize,
    joints: usize,
) -> Result<Option<Vec<f64>>, ImportError> {
    if point.get(key).is_none() {
        return Ok(None);
    }
    let items = list(path, point, key)?;
    if items.is_empty() {
        return Ok(None);
    }
    if items.len() != joints {
        return Err(at(
            path,
            point.get(key).unwrap_or(point),
            syntax(
                format!(
                    "point {number} has {} {key} for {joints} joints",
                    items.len()
                ),
                "give one per joint, or leave the list empty",
            ),
        ));
    }
    items
        .iter()
        .map(|item| finite(path, item, &format!("{key} of point {number}")))
        .collect::<Result<Vec<f64>, _>>()
        .map(Some)
}

/// A duration: ROS 1 (`secs`, `nsecs`), ROS 2 (`sec`, `nanosec`), or a number of seconds.
fn seconds(path: &Path, node: &ProgramNode, number: usize) -> Result<f64, ImportError> {
    let what = format!("time_from_start of point {number}");
    let NodeKind::Map(entries) = &node.kind else {
        let value = finite(path, node, &what)?;
        return if value >= 0.0 {
            Ok(value)
        } else {
            Err(at(path, node, negative(&what, value)))
        };
    };
    let (mut whole, mut nano): (Option<f64>, Option<f64>) = (None, None);
    for (key, value) in entries {
        let part = match &key.kind {
            NodeKind::Text(t) if t == "sec" || t == "secs" => &mut whole,
            NodeKind::Text(t) if t == "nanosec" || t == "nsecs" => &mut nano,
            _ => {
                return Err(at(
                    path,
                    key,
                    syntax(
                        format!("{} stands in {what}", key.word()),
                        "write `sec` and `nanosec` (ROS 2) or `secs` and `nsecs` (ROS 1)",
                    ),
                ));
            }
        };
        let number = finite(path, value, &what)?;
        if number < 0.0 {
            return Err(at(path, value, negative(&what, number)));
        }
        if part.replace(number).is_some() {
            return Err(at(
                path,
                key,
                syntax(
                    format!("{what} has a key of ROS 1 and one of ROS 2 for the same"),
                    "write `sec` and `nanosec` (ROS 2) or `secs` and `nsecs` (ROS 1)",
                ),
            ));
        }
    }
    if whole.is_none() && nano.is_none() {
        return Err(at(
            path,
            node,
            syntax(
                format!("{what} is empty"),
                "write `sec` and `nanosec`, or a number of seconds",
            ),
        ));
    }
    let (whole, nano) = (whole.unwrap_or(0.0), nano.unwrap_or(0.0));
    if nano >= 1e9 {
        return Err(at(
            path,
            node,
            Problem::BadValue {
                what,
                value: format!("{nano} ns beside its seconds"),
                remedy: "nanoseconds must be below 1000000000".into(),
            },
        ));
    }
    Ok(whole + nano * 1e-9)
}

fn negative(what: &str, value: f64) -> Problem {
    Problem::BadValue {
        what: what.to_owned(),
        value: value.to_string(),
        remedy: "times count from the start of the trajectory, from 0 up".into(),
    }
}
