//! `clearance check`: the main job.

use std::path::PathBuf;

use clap::Args;

use super::exit;
use super::options::{
    CellOptions, QuestionOptions, ReportOptions, are_programs, near_misses_are_watched,
};
use super::progress::Progress;
use super::watch::watch;
use crate::verify::{run, run_with_picture};

/// Verify programs in a cell.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(super) struct Check {
    /// Programs: CSV, or ROS trajectories as JSON or YAML
    #[arg(value_name = "PROGRAM")]
    programs: Vec<PathBuf>,
    #[command(flatten)]
    cell: CellOptions,
    #[command(flatten)]
    question: QuestionOptions,
    #[command(flatten)]
    report: ReportOptions,
    /// Check again whenever an input file changes; Ctrl-C ends
    #[arg(long)]
    watch: bool,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
}

impl Check {
    pub(super) fn run(self) -> Result<u8, String> {
        are_programs(&self.programs)?;
        if self.programs.is_empty() {
            return Err("no program given: name at least one, as in `clearance check --cell cell.toml pick.csv`".to_owned());
        }
        let (reports, fail_on) = self.report.read()?;
        let job = self.question.job(self.cell.job()?, self.programs);
        if self.watch {
            return watch(&job, &reports, &fail_on, self.quiet);
        }
        let progress = Progress::new(job.programs.len(), self.quiet);
        let (outcome, picture) = match reports.want_picture() {
            true => run_with_picture(&job, &progress),
            false => (run(&job, &progress), None),
        };
        progress.finish();
        reports.write(&outcome, picture.as_ref())?;
        near_misses_are_watched(&fail_on, &outcome)?;
        Ok(exit::code(&outcome, &fail_on))
    }
}
