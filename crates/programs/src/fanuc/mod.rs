//! Listings of FANUC's controllers (TP, `.ls`): statements and taught positions (`listing`), which
//! are followed (`interpreter`), with position registers and frames of the controller's own lists
//! (`backup`).

mod backup;
mod interpreter;
mod listing;
#[cfg(test)]
mod tests;

use std::path::Path;

use clearance_formats::ImportError;

use self::backup::Backup;
use self::interpreter::FanucInterpreter;
use crate::controller::ControlledArm;
use crate::lines::reading::{only_routine, reading};
use crate::{Dialect, Options, Reading};

/// Reads a listing.
pub(crate) fn read(
    path: &Path,
    bytes: &[u8],
    controller: &ControlledArm,
    options: &Options,
) -> Result<Reading, ImportError> {
    let program = listing::parse(path, bytes)?;
    only_routine(path, &program, options)?;
    let mut backup = Backup::default();
    for file in controller.files() {
        backup.read(file)?;
    }
    let dialect = Dialect::Fanuc;
    Ok(reading(
        path,
        dialect,
        program,
        controller,
        options,
        |way, program| FanucInterpreter::new(way, &backup).follow(program),
    ))
}
