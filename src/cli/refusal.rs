//! Runs that cannot begin, or broke off, as their reports show them.

use std::path::PathBuf;

use super::exit;
use super::output::Reports;
use super::outputs::{Outputs, named};
use crate::error::Error;
use crate::run::{Job, refused};

/// Writes that there is no answer, and why, to the reports that the user has named: whoever reads
/// them must not find those of an earlier run. Without any, the message alone tells it. `also_read`
/// are files that are read besides those that the job names.
///
/// # Errors
/// That message; or when the reports cannot be written.
pub(super) fn refuse_in_reports(
    reports: &Reports,
    job: &Job,
    also_read: &[PathBuf],
    why: Error,
) -> Result<u8, Error> {
    if !reports.are_asked_for() {
        return Err(why);
    }
    let outputs = Outputs::of(reports.files())?;
    if !outputs.is_new() {
        outputs.refuse_if_read(named(job).iter().chain(also_read))?;
        outputs.refuse_cell_files(&job.cell)?;
    }
    reports.write(&refused(job, None, &why), None)?;
    Ok(exit::UNVERIFIED)
}
