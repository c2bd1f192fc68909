//! Headers of tables that can be read and can hardly be meant: columns with and without units, and
//! poses of the tool.

use clearance_proof::model::{Cell, Column, JointId, JointKind, Program, Quantity};

use crate::{ImportError, Problem};

/// Columns of poses, as other programs call them.
const PLACE: [&str; 3] = ["x", "y", "z"];
const TURN: [&str; 10] = [
    "rx", "ry", "rz", "qx", "qy", "qz", "qw", "roll", "pitch", "yaw",
];

/// Refuses a program whose columns are poses of the tool, and no joints of the cell.
///
/// # Errors
/// With the first of them.
pub fn refuse_poses(program: &Program, cell: &Cell) -> Result<(), ImportError> {
    let is_one = |name: &str, of: &[&str]| of.iter().any(|known| name.eq_ignore_ascii_case(known));
    // Joints are looked up for these names only: a program may have thousands of columns.
    let called = |of: &'static [&'static str]| {
        let columns = program.columns.iter();
        let columns = columns.filter(move |c| is_one(&c.joint, of));
        columns.filter(|c| cell.joints_named(&c.joint).is_empty())
    };
    let turns = called(&TURN).next().is_some();
    let (true, true, Some(first)) = (
        called(&PLACE).count() == PLACE.len(),
        turns,
        called(&PLACE).next(),
    ) else {
        return Ok(());
    };
    let problem = Problem::UnknownName {
        what: "joint",
        name: first.joint.to_string(),
        remedy:
            "poses of the tool are not read: docs/joint-paths.md says how to get the joint values"
                .into(),
    };
    Err(ImportError::at(&program.source, first.line, None, problem))
}

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
    let with_joints = program.columns.iter().zip(columns);
    let turning: Vec<&Column> = with_joints
        .filter(|&(_, &joint)| cell.joints[joint].kind != JointKind::Prismatic)
        .map(|(column, _)| column)
        .collect();
    let states = |quantity| turning.iter().find(|column| column.quantity == quantity);
    let (Some(_), Some(bare)) = (states(Quantity::Angle), states(Quantity::Unstated)) else {
        return Ok(());
    };
    let name = &bare.joint;
    let problem = Problem::Syntax {
        cause: format!("`{name}` has no unit, other turning joints have one"),
        remedy: format!("write `{name}[deg]` or `{name}[rad]`"),
    };
    Err(ImportError::at(&program.source, bare.line, None, problem))
}
