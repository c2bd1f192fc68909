//! Parts of a request that could change the motion and are not read.

use super::super::goal_scene::{SceneChange, says_nothing, scene_change};
use super::super::node::ProgramNode;
use super::super::ros::{self, still_base};
use super::{PIPELINE, Reader, Stopped, keys};

impl Reader<'_> {
    /// Stops at parts of a request that could change the motion and are not read.
    pub(super) fn only_what_is_read(
        &mut self,
        req: &ProgramNode,
        first: bool,
    ) -> Result<(), Stopped> {
        if let Some(pipeline) = req.get("pipeline_id") {
            let name = self.text(pipeline)?;
            if !name.is_empty() && name != PIPELINE {
                return self.unknown(
                    pipeline,
                    format!("what the planning pipeline `{name}` makes of it is not known"),
                );
            }
        }
        if let Some(node) = req.get("group_name") {
            let group = self.text(node)?;
            if *self.group.get_or_insert_with(|| group.clone()) != group {
                return self.unknown(
                    node,
                    "items of several planning groups: make a file of each",
                );
            }
        }
        if let Some(state) = req.get("start_state") {
            self.state(state)?;
        }
        for key in ["trajectory_constraints", "reference_trajectories"] {
            let node = req.get(key);
            let inner = node.and_then(|node| node.get("constraints")).or(node);
            if let Some(node) = inner.filter(|node| !says_nothing(node)) {
                return self.unknown(node, format!("`{key}` is not read"));
            }
        }
        let joints = req
            .get("start_state")
            .and_then(|s| s.get("joint_state"))
            .and_then(|j| j.get("name"));
        match joints.filter(|names| !first && !says_nothing(names)) {
            Some(node) => self.unknown(
                node,
                "only the first item may state where it starts: the others start where the one before ends",
            ),
            None => Ok(()),
        }
    }

    /// Stops at parts of a start state that say more than where joints are.
    fn state(&self, state: &ProgramNode) -> Result<(), Stopped> {
        self.keys(state, "start_state", &keys::ROBOT_STATE)?;
        if let Some(joints) = state.get("joint_state") {
            self.keys(joints, "joint_state", &keys::JOINT_STATE)?;
        }
        still_base(self.path, state, "start_state")?;
        let carried = state.get("attached_collision_objects");
        match carried.filter(|node| !says_nothing(node)) {
            Some(node) => self.unknown(
                node,
                "`attached_collision_objects` of the start state is not read: put it into the cell file",
            ),
            None => Ok(()),
        }
    }

    /// Stops where the goal states a scene of its own.
    pub(super) fn only_the_cell(&self, root: &ProgramNode) -> Result<(), Stopped> {
        self.keys(root, "the message", &keys::GOAL)?;
        match scene_change(self.path, root)? {
            Some(SceneChange { key, node }) => self.unknown(
                node,
                format!("`{key}` of the goal's scene is not read: put it into the cell file"),
            ),
            None => Ok(()),
        }
    }

    /// Stops at keys that a message does not have: a misspelt one would be passed over.
    pub(super) fn keys(
        &self,
        node: &ProgramNode,
        what: &str,
        known: &[&str],
    ) -> Result<(), Stopped> {
        Ok(ros::keys(self.path, node, what, known)?)
    }
}
