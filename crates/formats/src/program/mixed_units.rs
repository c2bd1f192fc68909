//! Tables whose header gives some turning joints an angle unit and others none: a column in degrees
//! that would be read as radians turns the joint elsewhere.

use clearance_proof::model::{Cell, JointId, JointKind, Program, Quantity};

use crate::{ImportError, Problem};

/// Refuses a program whose header gives angle units to some turning joints and not to others;
/// `columns` are the joints of its columns.
///
/// # Errors
/// With the first column that has none.
pub fn refuse_mixed_units(
    program: &Program,
    columns: &[JointId],
    cell: &Cell,
) -> Result<(), ImportError> {
    let with_joints = || program.columns.iter().zip(columns);
    let turning = || with_joints().filter(|&(_, &j)| cell.joints[j].kind != JointKind::Prismatic);
    let states = |quantity| turning().find(move |(column, _)| column.quantity == quantity);
    let (Some(_), Some((bare, _))) = (states(Quantity::Angle), states(Quantity::Unstated)) else {
        return Ok(());
    };
    let name = &bare.joint;
    let problem = Problem::Syntax {
        cause: format!("`{name}` has no unit, other turning joints have one"),
        remedy: format!("write `{name}[deg]` or `{name}[rad]`"),
    };
    Err(ImportError::at(&program.source, bare.line, None, problem))
}
