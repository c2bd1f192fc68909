//! Programs as robots' controllers store them: every dialect that is read or refused.
//!
//! A reader follows the program statement by statement with values that may be unknown ([`value`]),
//! one way through it after another ([`flow`]), and writes down moves and whatever keeps them from
//! being known ([`record`]). Nothing that could move the arm is passed over in silence, and nothing
//! is guessed: what the program does not say, the cell file says ([`controller`]), or the program
//! is not verified.

mod block;
pub mod controller;
mod dialect;
mod fanuc;
pub mod flow;
mod inform;
mod krl;
mod lines;
mod ranges;
mod rapid;
pub mod record;
#[cfg(test)]
mod testing;
mod ur;
pub mod value;

use std::path::Path;

use clearance_formats::{ImportError, Problem};
use clearance_proof::model::moves::MoveProgram;

pub use controller::ControlledArm;
use controller::JointUnit;
pub use dialect::{Dialect, misnamed, recognise};
pub use flow::Bounds;

/// How a file is read.
pub struct Options<'o> {
    /// The routine that runs, where the file has several and the user names one.
    pub routine: Option<&'o str>,
    /// How far programs are followed.
    pub bounds: Bounds,
    /// Reads another file that the program needs, such as the `.dat` beside a `.src`. It is asked
    /// for every file that an answer depends on, and for no other.
    pub beside: &'o dyn Fn(&Path) -> Result<Vec<u8>, ImportError>,
}

/// The content of a program file.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Its language.
    pub dialect: Dialect,
    /// One for each way through it; more than one where its flow depends on something that is not
    /// known.
    pub ways: Vec<MoveProgram>,
    /// Joint values and poses of the same points, where the file has both.
    pub compared: Vec<controller::Compared>,
}

/// Reads a program. Whatever the bytes are, the answer is a reading or an error with its place;
/// never a panic.
///
/// # Errors
/// When the language is not read, or the file does not follow it, or joint values and poses in it
/// contradict each other.
pub fn read(
    path: &Path,
    bytes: &[u8],
    controller: &ControlledArm,
    options: &Options,
) -> Result<Reading, ImportError> {
    let mut reading = dialect_read(path, bytes, controller, options)?;
    // Points that were read at the pendant count as much as the points of a program.
    reading.compared.extend(match reading.dialect {
        Dialect::PolyScope | Dialect::UrScript => {
            let controller = controller.narrowed(&ur::JOINTS);
            controller.points(JointUnit::Radians, Some("base"))?
        }
        Dialect::Inform => controller.points(JointUnit::Pulses, None)?,
        _ => controller.points(JointUnit::Degrees, None)?,
    });
    // An arm does not come nearer to its model because another way is taken.
    let beside_model = controller::beside_model(&reading.compared);
    for way in &mut reading.ways {
        way.beside_model = beside_model;
    }
    Ok(reading)
}

fn dialect_read(
    path: &Path,
    bytes: &[u8],
    controller: &ControlledArm,
    options: &Options,
) -> Result<Reading, ImportError> {
    match recognise(bytes, path) {
        Some(Dialect::PolyScope) => {
            let controller = controller.narrowed(&ur::JOINTS);
            ur::polyscope::read(path, bytes, &controller, options)
        }
        Some(Dialect::UrScript) => {
            let controller = controller.narrowed(&ur::JOINTS);
            ur::script::read(path, bytes, &controller, options)
        }
        Some(Dialect::Rapid | Dialect::RapidList) => rapid::read(path, bytes, controller, options),
        Some(Dialect::Krl) => krl::read(path, bytes, controller, options),
        Some(Dialect::Fanuc) => fanuc::read(path, bytes, controller, options),
        Some(Dialect::Inform) => inform::read(path, bytes, controller, options),
        Some(dialect) => Err(ImportError::file(path, dialect.refusal())),
        None => Err(ImportError::file(
            path,
            Problem::Syntax {
                cause: "this is not a robot program of a language that is known".into(),
                remedy: "docs/formats.md lists what is read".into(),
            },
        )),
    }
}
