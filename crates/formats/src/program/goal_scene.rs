//! The scene that the goal of an action states besides what is to be moved.

use super::node::{NodeKind, ProgramNode};

/// What a `planning_scene_diff` may change of the cell, key by key from there.
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

/// What a goal changes of the scene before it plans, by its key: it is not in the cell.
pub(super) fn stated_scene(root: &ProgramNode) -> Option<(&'static str, &ProgramNode)> {
    let goals = [Some(root), root.get("goal")].into_iter().flatten();
    let options = goals.filter_map(|goal| goal.get("planning_options"));
    let mut diffs = options.filter_map(|options| options.get("planning_scene_diff"));
    diffs.find_map(|diff| {
        CHANGES.iter().find_map(|keys| {
            let found = keys.iter().try_fold(diff, |node, key| node.get(key))?;
            let says = !matches!(&found.kind, NodeKind::Null)
                && !matches!(&found.kind, NodeKind::List(list) if list.is_empty());
            says.then_some((keys[keys.len() - 1], found))
        })
    })
}
