//! Where in a message its trajectories are, and the state before them.

use std::path::Path;

use super::super::goal_scene::{SceneChange, scene_change};
use super::super::node::{NodeKind, ProgramNode};
use super::{EXPECTED, at, syntax};
use crate::names::nearest;
use crate::{ImportError, Problem};

/// What a message holds.
#[derive(Default)]
pub(super) struct Found<'n> {
    /// The `JointTrajectory` nodes, in order.
    pub trajectories: Vec<&'n ProgramNode>,
    /// The state before the first of them.
    pub start: Option<&'n ProgramNode>,
}

/// The key of the state before.
const START: &str = "trajectory_start";
/// What only a state has: beside a trajectory it would be passed over.
const OF_STATES: [&str; 5] = [
    "joint_state",
    "multi_dof_joint_state",
    "attached_collision_objects",
    "start_state",
    "robot_state",
];

/// Finds the trajectories of a message and the state before them.
///
/// # Errors
/// When it holds none, holds them in two ways, or states where the robot begins at a place where it
/// is not read.
pub(super) fn trajectories<'n>(
    path: &Path,
    root: &'n ProgramNode,
) -> Result<Found<'n>, ImportError> {
    let mut found = Found::default();
    if let Some(SceneChange { key, node }) = scene_change(path, root)? {
        return Err(at(
            path,
            node,
            syntax(
                format!("`{key}` of the goal's scene is not read"),
                "put it into the cell file",
            ),
        ));
    }
    collect(path, root, None, &mut found)?;
    if let Some((key, other)) = unread(root, &found.trajectories) {
        return Err(at(
            path,
            other,
            syntax(
                format!("there is another trajectory under `{key}`, where it is not read"),
                "keep the one that is driven, or give each a file of its own",
            ),
        ));
    }
    Ok(found)
}

/// A trajectory that is none of these, with the key above it.
fn unread<'n>(root: &'n ProgramNode, read: &[&ProgramNode]) -> Option<(String, &'n ProgramNode)> {
    let mut waiting = vec![(String::new(), root)];
    while let Some((under, node)) = waiting.pop() {
        match &node.kind {
            NodeKind::Map(entries) => {
                let is_read = read.iter().any(|known| std::ptr::eq(*known, node));
                if !is_read && has_values(node) {
                    return Some((under, node));
                }
                for (key, value) in entries {
                    let key = match &key.kind {
                        NodeKind::Text(text) => text.clone(),
                        _ => key.word(),
                    };
                    // There may be millions.
                    if !(is_read && key == "points") {
                        waiting.push((key, value));
                    }
                }
            }
            NodeKind::List(items) => {
                waiting.extend(items.iter().map(|item| (under.clone(), item)));
            }
            NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) => {}
        }
    }
    None
}

/// Whether a message has points with values of joints, or with poses of a base that moves. Polygons
/// have points, too.
fn has_values(node: &ProgramNode) -> bool {
    let has_value = |item: &ProgramNode| {
        let keys = ["positions", "transforms"];
        keys.iter().any(|key| item.get(key).is_some())
    };
    let points = node.get("points").map(|points| &points.kind);
    matches!(points, Some(NodeKind::List(items)) if items.iter().any(has_value))
}

/// `inner`: where the message is no whole one, the words for where it is; the state before the
/// trajectory does not belong there.
fn collect<'n>(
    path: &Path,
    node: &'n ProgramNode,
    inner: Option<&str>,
    found: &mut Found<'n>,
) -> Result<(), ImportError> {
    if !matches!(node.kind, NodeKind::Map(_)) {
        return Err(at(
            path,
            node,
            syntax(
                format!("{} stands where a message should be", node.word()),
                EXPECTED,
            ),
        ));
    }
    // Of a RobotTrajectory, and of the goal of a FollowJointTrajectory.
    for key in ["multi_dof_joint_trajectory", "multi_dof_trajectory"] {
        let Some(multi) = node.get(key) else {
            continue;
        };
        let filled = |key| {
            multi
                .get(key)
                .is_some_and(|n| !matches!(&n.kind, NodeKind::List(l) if l.is_empty()))
        };
        if filled("points") || filled("joint_names") {
            return Err(at(
                path,
                multi,
                Problem::Unsupported {
                    what: format!("`{key}` (a moving base)"),
                    remedy:
                        "give the base a fixed pose, or model it by prismatic and revolute joints"
                            .into(),
                },
            ));
        }
    }
    let own = ["joint_names", "points"].into_iter().find_map(|key| {
        let value = node.get(key)?;
        Some((key, value))
    });
    let of = |key| node.get(key).map(|value| (key, value));
    let forms = [own, of("joint_trajectory"), of("trajectory")];
    let mut forms = forms.into_iter().flatten();
    let Some((key, value)) = forms.next() else {
        let problem = match node.get("clearance_motion") {
            Some(_) => syntax(
                "this is a program of moves, and not named as one",
                "end its name in `.motion.json`",
            ),
            None => syntax("the message holds no trajectory", EXPECTED),
        };
        return Err(at(path, node, problem));
    };
    start(path, node, inner, found)?;
    if let Some((other, second)) = forms.next() {
        return Err(at(
            path,
            second,
            syntax(
                format!("`{key}` and `{other}` stand beside each other"),
                "keep the one that is driven: a message has its trajectory in one form",
            ),
        ));
    }
    match (key, &value.kind) {
        ("joint_trajectory", _) => collect(path, value, Some("under `joint_trajectory`"), found),
        ("trajectory", NodeKind::List(list)) => {
            let within = Some("within the list of trajectories");
            (list.iter()).try_for_each(|entry| collect(path, entry, within, found))
        }
        ("trajectory", _) => collect(path, value, inner, found),
        _ => {
            found.trajectories.push(node);
            Ok(())
        }
    }
}

/// Takes the state before the trajectory, where this message has it.
fn start<'n>(
    path: &Path,
    node: &'n ProgramNode,
    inner: Option<&str>,
    found: &mut Found<'n>,
) -> Result<(), ImportError> {
    let NodeKind::Map(entries) = &node.kind else {
        return Ok(());
    };
    let remedy = format!("write it as `{START}`, beside `trajectory`");
    for (key, _) in entries {
        let NodeKind::Text(text) = &key.kind else {
            continue;
        };
        if text == START {
            let problem = match (inner, found.start) {
                (Some(inner), _) => format!("`{START}` stands {inner}, where it is not read"),
                (None, Some(_)) => format!("a second `{START}`"),
                (None, None) => continue,
            };
            return Err(at(path, key, syntax(problem, remedy)));
        }
        if nearest(text, [START]).is_some() || OF_STATES.contains(&text.as_str()) {
            let problem = format!("`{text}` beside a trajectory is not read");
            return Err(at(path, key, syntax(problem, remedy)));
        }
    }
    found.start = node.get(START).or(found.start);
    Ok(())
}
