//! Reads a program, whatever it is written in.

use clearance_formats::{ImportError, program};
use clearance_proof::model::{Cell, Program};

use super::{Job, RobotProgram, native};

/// Reads a file; of a program of a controller the only way through it.
///
/// # Errors
/// When it cannot be read, is no program, or one that is not waypoints.
pub(super) fn load(named: &RobotProgram, job: &Job, cell: &Cell) -> Result<Program, ImportError> {
    let file = &named.file;
    let bytes = program::read(file)?;
    match native::ways(file, &bytes, named.robot.as_deref(), job, cell) {
        Some(reading) => native::only(file, &reading?),
        None => program::parse(file, &bytes),
    }
}
