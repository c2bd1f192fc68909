//! Joints that must stand still while a program of moves is driven, though it does not move them:
//! they carry a tool or a frame, and joint values were found with them where the cell has them.

use super::{CellMoves, Laying};
use crate::model::moves::{MoveKind, Target, Zone};
use crate::model::{Cell, JointId};
use crate::motion::tool_line::link;

impl CellMoves {
    /// The first of these joints that must not be moved by anything else, because joint values were
    /// found with it (or with one that follows it) at rest.
    pub fn must_rest(
        &self,
        cell: &Cell,
        mut moved: impl Iterator<Item = JointId>,
    ) -> Option<JointId> {
        moved.find(|&joint| {
            let is_it = |&rests: &JointId| {
                rests == joint || cell.joints[rests].mimic.is_some_and(|m| m.source == joint)
            };
            self.at_rest.iter().any(is_it)
        })
    }
}

impl Laying<'_> {
    /// Joints that carry a tool or a frame on which a move's joint values, or where its zone
    /// begins, depend, and that the program does not move.
    pub(super) fn at_rest(&self) -> Vec<JointId> {
        let mut links: Vec<&str> = Vec::new();
        for step in &self.program.moves {
            let via = match &step.kind {
                MoveKind::Circular { via, .. } => Some(via),
                MoveKind::Joint | MoveKind::Linear => None,
            };
            let frames = [Some(&step.target), via].into_iter().flatten();
            let frames = frames.filter_map(|target| match target {
                Target::Pose { frame, .. } => Some(frame.link.as_str()),
                Target::Joints(_) => None,
            });
            let known = links.len();
            links.extend(frames);
            if links.len() > known || step.kind != MoveKind::Joint || step.zone != Zone::Stop {
                links.push(&step.tool.link);
            }
        }
        let parent = |&joint: &JointId| self.cell.joints[joint].parent;
        let mut at_rest: Vec<JointId> = (links.into_iter())
            .filter_map(|name| link(self.cell, name, &self.columns).ok())
            .flat_map(|body| std::iter::successors(self.cell.bodies[body].joint, parent))
            .filter(|joint| !self.columns.contains(joint))
            .collect();
        at_rest.sort_unstable();
        at_rest.dedup();
        at_rest
    }
}
