//! `clearance batch`: a batch of programs.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::batch_progress::BatchProgress;
use super::certificate::lacks_certificate;
use super::exit;
use super::options::{CellOptions, ProgramOptions, ReportOptions, near_misses_are_watched};
use super::output::{Reports, input_error};
use super::outputs::Outputs;
use super::pages::{ForPages, Pages, write_pages};
use super::sink::{Sink, write_file, write_parquet};
use super::terminal::say_errors;
use super::watch::named;
use crate::batch::{self, Failure, Given, Input, Results, Shard, collect};
use crate::error::Error;
use crate::findings::{Outcome, Verdict};
use crate::render::{BatchText, Style, html_list};
use crate::run::{Job, with_threads};

/// Verify a batch of programs.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(super) struct BatchCommand {
    /// Folders (searched for programs), patterns such as 'programs/**/*.csv', files, tables of many
    /// programs, or `-` for standard input: a list of them, or programs as lines of JSON, as
    /// `serve` takes them
    #[arg(value_name = "PROGRAMS", required_unless_present = "list")]
    programs: Vec<String>,
    /// File with the names of programs, one a line (`-`: standard input); repeatable. No folder is
    /// searched for them
    #[arg(long, value_name = "FILE")]
    list: Vec<PathBuf>,
    #[command(flatten)]
    cell: CellOptions,
    #[command(flatten)]
    options: ProgramOptions,
    /// Result file: one line a program, written as they come
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Keep the results that the result file has of unchanged programs
    #[arg(long, requires = "results")]
    resume: bool,
    /// Verify part K of N only, or `auto`: the part that Slurm, Kubernetes or AWS Batch has given
    /// to this process; `merge` joins the parts
    #[arg(long, value_name = "K/N", value_parser = shard)]
    shard: Option<Shard>,
    /// Result file of an earlier run: say what became better or worse, and verify only what a
    /// change can concern
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Say what allowed pairs do: which allowances hid a contact along a program; verdicts do not
    /// depend on it
    #[arg(long)]
    audit_allowed: bool,
    /// Put the seconds that each check took into the results
    #[arg(long)]
    timings: bool,
    /// Write a certificate of each program that is clear or has a contact into this folder, which
    /// has to be new or empty; see docs/certificates.md. Exit code 2 when a program that is clear
    /// has none, and nothing worse was found
    #[arg(long, value_name = "DIR", conflicts_with_all = ["resume", "baseline"])]
    certificates: Option<PathBuf>,
    #[command(flatten)]
    report: ReportOptions,
    /// With `--report html=FILE`: programs that get a page of their own
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Pages::Findings)]
    html_pages: Pages,
    /// No progress bar, and no summary on standard error
    #[arg(long)]
    quiet: bool,
}

impl BatchCommand {
    /// All programs by name, and those among them that came on standard input.
    fn programs(&self) -> Result<(Vec<PathBuf>, Option<Given>), Error> {
        let asked = self.programs.iter().filter(|p| *p == "-").count()
            + self.list.iter().filter(|p| p.as_os_str() == "-").count();
        let input = match asked {
            0 => Input::Names(Vec::new()),
            _ => Input::read(std::io::stdin().lock())?,
        };
        match input {
            Input::Names(names) => collect(
                &self.programs,
                &self.list,
                &self.options.layout(),
                &mut || Ok(names.clone()),
            )
            .map(|programs| (programs, None)),
            Input::Programs(given) if self.programs.len() + self.list.len() == 1 => {
                Ok((given.names(), Some(given)))
            }
            Input::Programs(_) => Err(Error::usage(
                "programs as lines of JSON on standard input are a batch of their own: leave out the other arguments",
            )),
        }
    }

    pub(super) fn run(self) -> Result<u8, Error> {
        let (programs, given) = self.programs()?;
        let (reports, fail_on) = self.report.read(self.quiet)?;
        let request = batch::BatchJob {
            job: Job {
                audit_allowed: self.audit_allowed,
                ..self.options.job(self.cell.job()?, programs)?
            },
            given: given.map(Arc::new),
            shard: self.shard,
            results: self.results,
            resume: self.resume,
            baseline: self.baseline,
            timings: self.timings,
            certificates: self.certificates,
        };
        // Of the result file `batch` knows that it holds results.
        let outputs = Outputs::of(reports.files())?;
        if !outputs.is_new() {
            let more = self.list.iter().chain(&request.baseline);
            outputs.spare(named(&request.job).iter().chain(more))?;
        }
        let progress = BatchProgress::new(self.quiet, outputs);
        let results = batch::run(&request, &progress);
        progress.finish();
        match results {
            Ok(results) => {
                write_reports(
                    &reports,
                    &results,
                    None,
                    Some(ForPages {
                        job: &request.job,
                        which: self.html_pages,
                        quiet: self.quiet,
                        given: request.given.is_some(),
                    }),
                )?;
                near_misses_are_watched(&fail_on, &results.report_header())?;
                let code =
                    exit::batch_code(results.tally(), &results.report_header(), false, &fail_on);
                if let [first, more @ ..] = &results.uncertified[..] {
                    let more = match more.len() {
                        0 => String::new(),
                        n => format!(
                            " ({n} more programs likewise; certificates.txt in the folder lists them)"
                        ),
                    };
                    let why = Error::no_certificate(format!("{first}{more}"));
                    return lacks_certificate(why, code);
                }
                Ok(code)
            }
            Err(Failure::Refused(outcome)) => {
                reports.write(&outcome, None)?;
                Ok(exit::code(&outcome, &fail_on))
            }
            Err(Failure::Stopped(why)) => Err(why),
        }
    }
}

fn shard(text: &str) -> Result<Shard, Error> {
    match text {
        "auto" => Shard::scheduled(|name| std::env::var(name).ok()),
        _ => Shard::parse(text),
    }
}

/// Writes reports about a batch; `error` says why it is not whole, `pages` which programs get a
/// page of their own.
pub(super) fn write_reports(
    reports: &Reports,
    results: &Results,
    error: Option<&str>,
    pages: Option<ForPages>,
) -> Result<(), Error> {
    let about = |outcome: Outcome| Outcome {
        error: error.map(str::to_owned),
        verdict: match error {
            Some(_) => outcome.verdict.max(Verdict::Unverified),
            None => outcome.verdict,
        },
        ..outcome
    };
    if !reports.shows_errors() {
        let broken = results.tally().unverified > 0;
        let programs = results
            .records()
            .take_while(|_| broken)
            .filter_map(Result::ok);
        let programs = programs.filter_map(|record| input_error(&record.into_outcome()));
        say_errors(error.map(str::to_owned).into_iter().chain(programs));
    }
    let text = |out: &mut Sink, style: &Style| {
        let header = about(results.report_header());
        let mut text = BatchText::new(&header, style, results.longest_name());
        for record in results.in_brief() {
            let record = record?;
            let said = text.program(&record.outcome, record.baseline.as_ref());
            if !said.is_empty() {
                out.write(&said)?;
            }
        }
        out.write(&text.finish(results.gone()))
    };
    let html = |list: &Path, outcome: &Outcome| match &pages {
        Some(wanted) => with_threads(wanted.job.cell.threads, || {
            write_pages(list, wanted, results, outcome)
        }),
        None => write_file(list, &html_list(outcome, &[])),
    };
    let parquet = |path: &Path| {
        let rows = results.records();
        let rows = rows.map(|record| Ok(Cow::Owned(record?.into_outcome())));
        write_parquet(path, &about(results.report_header()), rows)
    };
    reports.write_batch(text, || Ok(about(results.outcome()?)), html, parquet)
}
