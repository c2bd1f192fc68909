//! Which robot a program of moves is about.

use clearance_proof::model::Cell;
use clearance_proof::model::moves::MoveProgram;

/// The robot that a program moves.
pub(super) fn robot_of(program: &MoveProgram, cell: &Cell) -> Option<usize> {
    match &program.robot {
        Some(name) => cell.robots.iter().position(|r| r.name == *name),
        None => (cell.robots.len() == 1).then_some(0),
    }
}
