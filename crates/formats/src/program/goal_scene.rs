//! The scene that the goal of an action states besides what is to be moved.

use std::path::Path;

use super::node::{NodeKind, ProgramNode};
use super::ros::keys;
use crate::ImportError;
use crate::message_keys::{ROBOT_STATE, SCENE, WORLD};

/// Keys of `PlanningOptions`.
const OPTIONS: [&str; 8] = [
    "planning_scene_diff",
    "plan_only",
    "look_around",
    "look_around_attempts",
    "max_safe_execution_cost",
    "replan",
    "replan_attempts",
    "replan_delay",
];

/// What a scene may change of the cell, key by key.
const CHANGES: [&[&str]; 9] = [
    &["world", "collision_objects"],
    &["world", "octomap", "octomap", "data"],
    &["robot_state", "attached_collision_objects"],
    &["robot_state", "joint_state", "name"],
    &["robot_state", "multi_dof_joint_state", "joint_names"],
    &["allowed_collision_matrix", "entry_names"],
    &["allowed_collision_matrix", "default_entry_names"],
    &["link_padding"],
    &["link_scale"],
];

/// A change of the scene.
pub(super) struct SceneChange<'n> {
    /// Its key.
    pub key: &'static str,
    /// Its value.
    pub node: &'n ProgramNode,
}

/// The first change that a goal makes of the scene before it plans. The cell does not have it.
///
/// # Errors
/// At a key that these messages do not have: a misspelt one would hide a change.
pub(super) fn scene_change<'n>(
    path: &Path,
    root: &'n ProgramNode,
) -> Result<Option<SceneChange<'n>>, ImportError> {
    for goal in [Some(root), root.get("goal")].into_iter().flatten() {
        let Some(options) = goal.get("planning_options") else {
            continue;
        };
        keys(path, options, "planning_options", &OPTIONS)?;
        let Some(diff) = options.get("planning_scene_diff") else {
            continue;
        };
        keys(path, diff, "planning_scene_diff", &SCENE)?;
        for (key, known) in [("world", &WORLD[..]), ("robot_state", &ROBOT_STATE)] {
            if let Some(part) = diff.get(key) {
                keys(path, part, key, known)?;
            }
        }
        let change = CHANGES.iter().find_map(|keys| {
            let node = keys.iter().try_fold(diff, |node, key| node.get(key))?;
            let key = keys.last()?;
            (!says_nothing(node)).then_some(SceneChange { key, node })
        });
        if change.is_some() {
            return Ok(change);
        }
    }
    Ok(None)
}

/// Whether a node says nothing: an empty list, text, or group.
pub(super) fn says_nothing(node: &ProgramNode) -> bool {
    match &node.kind {
        NodeKind::Null => true,
        NodeKind::List(list) => list.is_empty(),
        NodeKind::Map(map) => map.is_empty(),
        NodeKind::Text(text) => text.is_empty(),
        NodeKind::Bool(_) | NodeKind::Number(_) => false,
    }
}
