//! Which joints the columns of a program of moves are.

use super::error;
use crate::ProofError;
use crate::model::moves::MoveProgram;
use crate::model::{Cell, JointId, JointNames};
use crate::report::Location;

/// The joint of every column.
pub(super) fn columns(program: &MoveProgram, cell: &Cell) -> Result<Vec<JointId>, ProofError> {
    let names = JointNames::new(cell);
    let fail = |problem: String, remedy: &str| {
        Err(error(
            &program.source,
            &Location::file(&program.source),
            problem,
            remedy,
        ))
    };
    let mut columns = Vec::with_capacity(program.joints.len());
    for name in &program.joints {
        let full = match &program.robot {
            Some(robot) if !name.contains('/') => format!("{robot}/{name}"),
            _ => name.clone(),
        };
        let found = match names.get(&full) {
            [] => names.get(name),
            found => found,
        };
        match found {
            [joint] if cell.joints[*joint].mimic.is_some() => {
                return fail(format!("`{name}` follows another joint"), "leave it out");
            }
            [joint] if columns.contains(joint) => {
                return fail(format!("`{name}` is named twice"), "name every joint once");
            }
            [joint] => columns.push(*joint),
            [] => {
                return fail(
                    format!("the cell has no joint `{name}`"),
                    "name the URDF's joints",
                );
            }
            _ => {
                return fail(
                    format!("several robots have a joint `{name}`"),
                    "name the robot",
                );
            }
        }
    }
    Ok(columns)
}
