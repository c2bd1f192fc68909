//! `clearance batch`: a batch of programs.

use std::borrow::Cow;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::batch_progress::BatchProgress;
use super::exit;
use super::fail_on::idle;
use super::options::{CellOptions, ProgramOptions, ReportOptions};
use super::output::{Reports, input_error};
use super::outputs::{Outputs, are_distinct, named};
use super::pages::{ForPages, Pages, remove_pages, write_pages};
use super::refusal::refuse_in_reports;
use super::sink::{Sink, can_be_made, write_file, write_parquet};
use super::terminal::{say, say_errors};
use crate::batch::{
    self, AlikePrograms, Failure, Input, Results, Shard, StdinPrograms, collect, not_searched,
};
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
    #[arg(value_name = "PROGRAMS")]
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
    /// [default: findings]
    #[arg(long, value_enum, value_name = "WHICH")]
    html_pages: Option<Pages>,
    /// No progress bar, and no summary on standard error
    #[arg(long)]
    quiet: bool,
}

impl BatchCommand {
    /// All programs by name, and those among them that came on standard input.
    fn programs(&self) -> Result<(Vec<PathBuf>, Option<StdinPrograms>), Error> {
        // Not by the command line's parser: a report that is asked for says so too.
        if self.programs.is_empty() && self.list.is_empty() {
            return Err(Error::usage(
                "no program given: name a folder, a pattern or a file, as in `clearance batch --cell cell.toml programs/`",
            ));
        }
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

    /// The files that some of the arguments name, where others name none.
    fn known_programs(&self) -> Vec<PathBuf> {
        let layout = self.options.layout();
        let mut none = || Ok(Vec::new());
        let words = self.programs.iter();
        let words = words.map(|word| (std::slice::from_ref(word), &[][..]));
        let lists = self.list.iter();
        let lists = lists.map(|list| (&[][..], std::slice::from_ref(list)));
        words
            .chain(lists)
            .flat_map(|(words, lists)| {
                collect(words, lists, &layout, &mut none).unwrap_or_default()
            })
            .collect()
    }

    pub(super) fn run(self) -> Result<u8, Error> {
        // Also where nothing else is said: a batch without them looks complete.
        for said in not_searched(&self.programs) {
            say(&format!("notice: {said}"));
        }
        // Why there is nothing to begin with: the reports shall say so.
        let mut refused = None;
        let (programs, given) = self.programs().unwrap_or_else(|why| {
            refused = Some(why);
            (self.known_programs(), None)
        });
        let meant = self.cell.meant();
        let cell = self.cell.job().unwrap_or_else(|why| {
            refused.get_or_insert(why);
            meant
        });
        let reports = self.report.read(self.quiet)?;
        let (job, unknown) = self.options.job(cell, programs);
        refused = refused.or(unknown);
        // The process ends with this command: to free a million names one by one would take longer
        // than to put their results into order.
        let request = ManuallyDrop::new(batch::BatchJob {
            job: Job {
                audit_allowed: self.audit_allowed,
                ..job
            },
            given: given.map(Arc::new),
            shard: self.shard,
            results: self.results,
            resume: self.resume,
            baseline: self.baseline,
            timings: self.timings,
            certificates: self.certificates,
        });
        are_distinct(reports.files().chain(request.results.as_deref()))?;
        let mut also_read = self.list;
        also_read.extend(request.baseline.clone());
        let refuse = |why| {
            let code = refuse_in_reports(&reports, &request.job, &also_read, why)?;
            remove_pages(&reports)?;
            Ok(code)
        };
        // Reports may go into the folder of the certificates, which is made in any case: whoever
        // puts certificates there says why it cannot be.
        if let Some(folder) = &request.certificates
            && reports.files().next().is_some()
        {
            let _ = std::fs::create_dir_all(folder);
        }
        if self.html_pages.is_some() && reports.pages().next().is_none() {
            refused.get_or_insert(Error::usage(
                "--html-pages belongs to a page in a file: `--report html=FILE`",
            ));
        }
        if let Some(why) = refused {
            return refuse(why);
        }
        // The result file is not among them: `batch` itself checks that it holds results.
        let outputs = Outputs::of(reports.files())?;
        if !outputs.is_new() {
            outputs.refuse_if_read(named(&request.job).iter().chain(&also_read))?;
        }
        // Now, because a batch may run for hours before it writes them.
        if let Err(why) = reports.files().try_for_each(can_be_made) {
            return refuse(why);
        }
        let progress = BatchProgress::new(self.quiet, outputs);
        let results = batch::run(&request, &progress);
        progress.finish();
        match results {
            Ok(results) => {
                let pages = ForPages {
                    job: &request.job,
                    which: self.html_pages.unwrap_or(Pages::Findings),
                    quiet: self.quiet,
                    given: request.given.is_some(),
                };
                Ok(report(&results, &request, &reports, pages))
            }
            Err(Failure::Refused(outcome)) => {
                if let Some(at) = &outcome.error_at {
                    progress
                        .outputs()
                        .refuse_if_read([&PathBuf::from(&at.file)])?;
                }
                let written = reports.write(&outcome, None);
                remove_pages(&reports)?;
                written?;
                Ok(exit::code(&outcome, reports.fail_on()))
            }
            Err(Failure::Stopped(why)) if progress.refused() => Err(why),
            Err(Failure::Stopped(why)) => refuse(why),
        }
    }
}

/// Writes the reports of a batch that came to its end; the exit code.
fn report(results: &Results, request: &batch::BatchJob, reports: &Reports, pages: ForPages) -> u8 {
    // No answer is no success, although nothing is missing when all parts are joined.
    let programs = request.job.programs.len();
    let empty = (request.shard).and_then(|part| part.without_program(programs));
    let header = results.report_header();
    let wrong: Vec<String> = empty
        .into_iter()
        .chain(idle(reports.fail_on(), &header))
        .collect();
    let wrong = (!wrong.is_empty()).then(|| wrong.join("; "));
    let reported = with_threads(request.job.cell.threads, || {
        write_reports(reports, results, wrong.as_deref(), Some(pages))
    });
    let errors = reported.err().into_iter().chain(uncertified(results));
    let code = exit::batch_code(results.tally(), &header, wrong.is_some(), reports.fail_on());
    exit::despite(errors, code)
}

/// The error about programs without a certificate.
fn uncertified(results: &Results) -> Option<Error> {
    let (first, more) = results.uncertified.split_first()?;
    let more = match more.len() {
        0 => String::new(),
        n => format!(" ({n} more programs likewise; certificates.txt in the folder lists them)"),
    };
    Some(Error::no_certificate(format!("{first}{more}")))
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
    reports.say_exit_code_note(results.tally(), &results.report_header().notices);
    let text = |out: &mut Sink, style: &Style| {
        let header = about(results.report_header());
        let mut text = BatchText::new(&header, style, results.longest_name());
        for alike in results.in_brief() {
            let AlikePrograms { record, programs } = alike?;
            let said = text.program(&record.outcome);
            text.more_like(&record.outcome, programs - 1);
            if !said.is_empty() {
                out.write(&said)?;
            }
        }
        out.write(&text.finish(results.gone(), reports.fail_on()))
    };
    let html = |list: &Path, outcome: &Outcome| match &pages {
        Some(wanted) => write_pages(list, wanted, results, outcome),
        None => write_file(list, &html_list(outcome, &[])),
    };
    let parquet = |path: &Path| {
        let rows = results.records();
        let rows = rows.map(|record| Ok(Cow::Owned(record?.into_outcome())));
        write_parquet(path, &about(results.report_header()), rows)
    };
    reports.write_batch(text, || Ok(about(results.outcome()?)), html, parquet)
}
