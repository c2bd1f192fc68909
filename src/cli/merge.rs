//! `clearance merge`: results of several runs as one.

use std::path::PathBuf;

use clap::Args;

use super::batch::write_reports;
use super::exit;
use super::options::{ReportOptions, near_misses_are_watched};
use crate::batch::merge;
use crate::error::Error;

/// Join result files of `batch`: the shards of a batch, or batches that were asked the same
/// question.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(super) struct MergeCommand {
    /// Result files
    #[arg(value_name = "RESULTS", required = true)]
    files: Vec<PathBuf>,
    /// Result file to write
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    #[command(flatten)]
    report: ReportOptions,
}

impl MergeCommand {
    pub(super) fn run(self) -> Result<u8, Error> {
        let (reports, fail_on) = self.report.read(false)?;
        let (joined, missing) = merge(&self.files, self.results.as_deref())?;
        let error = (!missing.is_empty()).then(|| missing.join("; "));
        write_reports(&reports, &joined, error.as_deref(), None)?;
        near_misses_are_watched(&fail_on, &joined.report_header())?;
        Ok(exit::batch_code(
            joined.tally(),
            &joined.report_header(),
            error.is_some(),
            &fail_on,
        ))
    }
}
