//! Reads a program, whatever it is written in.

use std::path::Path;

use clearance_formats::program::motion::{self, Motion};
use clearance_formats::{ImportError, program};
use clearance_proof::model::{Cell, Program};

use super::{Job, RobotProgram, native};

/// A program as it was read.
#[derive(Debug, Clone)]
pub(super) enum Taught {
    /// Joint values, one set after the other.
    Waypoints(Program),
    /// Moves, whose joint values are found once the robot is known.
    Moves(Box<Motion>),
}

/// Reads a file; of a program of a controller the only way through it.
///
/// # Errors
/// When it cannot be read, or is no program.
pub(super) fn load(named: &RobotProgram, job: &Job, cell: &Cell) -> Result<Taught, ImportError> {
    let file = &named.file;
    let bytes = program::read(file)?;
    let robot = named.robot.as_deref();
    match native::ways(file, &bytes, robot, job, cell, &program::read) {
        Some(reading) => native::only(file, &reading?, cell),
        None => parse(file, &bytes),
    }
}

/// What the bytes of a program say that is in no language of a controller.
///
/// # Errors
/// When they are no program.
pub(super) fn parse(file: &Path, bytes: &[u8]) -> Result<Taught, ImportError> {
    match motion::is_motion(file) {
        true => Ok(Taught::Moves(Box::new(motion::parse(file, bytes)?))),
        false => match program::parse(file, bytes) {
            Ok(program) => Ok(Taught::Waypoints(program)),
            // What is said of no line in particular is said better of what the name promises.
            Err(error) if error.place.line.is_none() => {
                Err(clearance_programs::misnamed(file).unwrap_or(error))
            }
            Err(error) => Err(error),
        },
    }
}
