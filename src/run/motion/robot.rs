//! Which robot a program of moves is about, and which of its joints hang on which.

use clearance_proof::model::moves::MoveProgram;
use clearance_proof::model::{Cell, JointId};

/// The robot that a program moves.
pub(super) fn robot_of(program: &MoveProgram, cell: &Cell) -> Option<usize> {
    match &program.robot {
        Some(name) => cell.robots.iter().position(|r| r.name == *name),
        None => (cell.robots.len() == 1).then_some(0),
    }
}

/// Whether a joint is carried by another one.
pub(super) fn hangs_on(cell: &Cell, joint: JointId, carrier: JointId) -> bool {
    let parents = std::iter::successors(cell.joints[joint].parent, |&at| cell.joints[at].parent);
    parents.into_iter().any(|at| at == carrier)
}
