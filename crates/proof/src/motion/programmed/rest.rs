//! Joints that must stand still while a program of moves is driven, though it does not move them:
//! they carry a tool or a frame, and joint values were found with them where the cell has them.

use super::{CellMoves, ProgramInCell};
use crate::model::moves::{Move, MoveKind, Target, Zone};
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

impl ProgramInCell<'_> {
    /// Joints on which a move's joint values, or where its zone begins, depend, and that the program
    /// does not move: those between the arm and its tool, and those between the tool and the frame
    /// of a target. What carries the whole arm with the frame changes nothing.
    pub(super) fn at_rest(&self) -> Vec<JointId> {
        let mut at_rest: Vec<JointId> = Vec::new();
        // How much of both moves a corner takes depends on the tools of both.
        let sized = |step: &Move| matches!(step.zone, Zone::Radius(_) | Zone::Ball(_));
        let rounds = self.program.moves.iter().any(sized);
        for step in &self.program.moves {
            let tool = self.carrying(&step.tool.link);
            if step.kind != MoveKind::Joint || rounds {
                let innermost = tool.iter().rposition(|j| self.columns.contains(j));
                at_rest.extend(&tool[..innermost.unwrap_or(0)]);
            }
            let via = match &step.kind {
                MoveKind::Circular { via, .. } => Some(via),
                MoveKind::Joint | MoveKind::Linear => None,
            };
            for target in [Some(&step.target), via].into_iter().flatten() {
                if let Target::Pose { frame, .. } = target {
                    let frame = self.carrying(&frame.link);
                    at_rest.extend(tool.iter().filter(|j| !frame.contains(j)));
                    at_rest.extend(frame.iter().filter(|j| !tool.contains(j)));
                }
            }
        }
        at_rest.retain(|joint| !self.columns.contains(joint));
        at_rest.sort_unstable();
        at_rest.dedup();
        at_rest
    }

    /// The joints that carry a link, the nearest one first.
    fn carrying(&self, name: &str) -> Vec<JointId> {
        let parent = |&joint: &JointId| self.cell.joints[joint].parent;
        let body = link(self.cell, name, &self.columns).ok();
        let joint = body.and_then(|body| self.cell.bodies[body].joint);
        std::iter::successors(joint, parent).collect()
    }
}
