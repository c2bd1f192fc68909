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
    let robot = program.robot.as_deref();
    if let Some(robot) = robot
        && cell.robots.iter().all(|known| known.name != robot)
    {
        let known = cell.robots.iter().filter(|known| !known.name.is_empty());
        let known: Vec<String> = known.map(|known| format!("`{}`", known.name)).collect();
        let remedy = match known.len() {
            0 => "its only robot has no name: leave `robot` out".to_owned(),
            _ => format!("its robots are {}", known.join(", ")),
        };
        return fail(format!("the cell has no robot `{robot}`"), &remedy);
    }
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
            [joint] if robot.is_some_and(|robot| !is_of(cell, *joint, robot)) => {
                return fail(
                    format!(
                        "`{name}` is no joint of `{}`, which the program is for",
                        robot.unwrap_or_default()
                    ),
                    "name the joints of that robot, or the other robot",
                );
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

fn is_of(cell: &Cell, joint: JointId, robot: &str) -> bool {
    let of = cell.robots.get(cell.joints[joint].robot);
    of.is_some_and(|of| of.name == robot)
}
