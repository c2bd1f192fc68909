//! Jobs of Yaskawa's controllers (INFORM, `.jbi`): a list of positions under headers that count
//! until the next one (`job`), and instructions that are followed (`interpreter`), with tools and
//! user frames of the controller's own lists (`backup`).

mod backup;
mod interpreter;
mod job;
#[cfg(test)]
mod tests;

use std::path::Path;

use clearance_formats::ImportError;

use self::backup::InformBackup;
use self::interpreter::InformInterpreter;
use crate::controller::ControlledArm;
use crate::lines::reading::{only_routine, reading};
use crate::{Dialect, Options, Reading};

/// Reads a job.
pub(crate) fn read(
    path: &Path,
    bytes: &[u8],
    controller: &ControlledArm,
    options: &Options,
) -> Result<Reading, ImportError> {
    let job = job::parse(path, bytes)?;
    only_routine(path, &job, options)?;
    let mut backup = InformBackup::default();
    for file in controller.files() {
        backup.read(file)?;
    }
    let dialect = Dialect::Inform;
    Ok(reading(
        path,
        dialect,
        job,
        controller,
        options,
        |way, job| InformInterpreter::new(way, &backup).follow(job),
    ))
}
