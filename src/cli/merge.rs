//! `clearance merge`: results of several runs as one.

use std::path::PathBuf;

use clap::Args;

use super::batch::write_reports;
use super::exit;
use super::fail_on::idle;
use super::options::ReportOptions;
use super::outputs::Outputs;
use super::refusal::refuse_in_reports;
use crate::batch::{may_be_replaced, merge};
use crate::error::Error;
use crate::run::Job;

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
        let reports = self.report.read(false)?;
        let results = self.results.as_deref();
        // A part that is written over could not be joined a second time.
        Outputs::of(reports.files().chain(results))?.refuse_if_read(&self.files)?;
        let free = results.map_or(Ok(()), may_be_replaced);
        let (joined, mut missing) = match free.and_then(|()| merge(&self.files, results)) {
            Ok(joined) => joined,
            Err(why) => {
                // A report has to be about something: the cell is in none of the files for certain.
                let first = self.files.first().cloned().unwrap_or_default();
                return refuse_in_reports(&reports, &Job::new(first, Vec::new()), &self.files, why);
            }
        };
        // Whoever reads it next must not take what is there for what was joined now.
        if let Some(results) = results.filter(|_| !missing.is_empty()) {
            missing.push(format!("{} is not written", results.display()));
        }
        let header = joined.report_header();
        let missing = missing.into_iter().chain(idle(reports.fail_on(), &header));
        let missing: Vec<String> = missing.collect();
        let error = (!missing.is_empty()).then(|| missing.join("; "));
        let reported = write_reports(&reports, &joined, error.as_deref(), None);
        let code = exit::batch_code(joined.tally(), &header, error.is_some(), reports.fail_on());
        Ok(exit::despite(reported.err(), code))
    }
}
