//! `clearance serve`: programs as they come, in a cell that is read once.

use std::io::BufReader;
use std::thread::available_parallelism;

use clap::Args;

use super::exit;
use super::options::{CellOptions, ProgramOptions};
use super::output::say_of_cell;
use super::progress::Progress;
use super::terminal::{print, say};
use crate::error::Error;
use crate::findings::{FailOn, ServedAnswer, Tally};
use crate::render::printable_json as json;
use crate::run::{Pump, Served, Service, Settings, prepare};

/// Answer programs as they come: JSON lines in, JSON lines out.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct Serve {
    /// Lines come on standard input, answers go to standard output
    #[arg(long, required = true)]
    stdin: bool,
    /// Answers as they are ready, in place of the order of the lines
    #[arg(long)]
    as_ready: bool,
    #[command(flatten)]
    cell: CellOptions,
    #[command(flatten)]
    options: ProgramOptions,
    /// Say what allowed pairs do; verdicts do not depend on it
    #[arg(long)]
    audit_allowed: bool,
    /// Put the seconds that each check took into the answers
    #[arg(long)]
    timings: bool,
    /// No progress bar while the cell is loaded
    #[arg(long)]
    quiet: bool,
}

const HELP: &str = r#"A line is {"id": …, "file": "pick.csv"} or {"id": …, "joints": […], "times": […], "positions": [[…], …]}, with "velocities" and
"accelerations" in the same shape where the motion has them: radians, metres, seconds. It may ask differently than the command
line: clearance, warn, resolution, time_limit (numbers in SI units, or texts such as "5mm"), limits, all, minimum, margin,
audit_allowed, interpolation, routine. Each line gets one line: {"line", "id", "verdict", "outcome" or "error"}.
Exit codes, at the end of the input or when nobody reads on: 0 all clear, 1 at least one collision, possible contact, undecided
interval or violated limit, 2 nothing worse but something unverified, a line that could not be understood, or no line at all."#;

/// Bytes that a line may have: 64 MiB, half a million waypoints of six joints.
const MOST_LINE: u64 = 64 << 20;
/// Lines that are on the way for each thread: one is answered while the next one is read and the
/// last one waits for those before.
const LINES_PER_THREAD: usize = 4;

impl Serve {
    pub(super) fn run(self) -> Result<u8, Error> {
        let cell = self.cell.said_job(self.quiet)?;
        let all = available_parallelism().map_or(1, usize::from);
        let threads = cell.threads.unwrap_or(all);
        let (mut job, unknown) = self.options.job(cell, Vec::new());
        unknown.map_or(Ok(()), Err)?;
        job.audit_allowed = self.audit_allowed;
        let progress = Progress::new(0, self.quiet);
        let prepared = prepare(&job.cell, &progress);
        progress.finish();
        let prepared = prepared?;
        let settings = Settings::of(&job, Some(&prepared.loaded.settings))?;
        say_of_cell(&prepared, &settings, &job);
        let service = Service::new(job, &prepared, self.timings)?;
        let pump = Pump {
            threads,
            window: threads * LINES_PER_THREAD,
            most_line: MOST_LINE,
            as_ready: self.as_ready,
        };
        let mut tally = Tally::default();
        let mut bad = 0;
        let mut put = |answer: ServedAnswer| {
            match &answer.outcome {
                Some(outcome) => tally.add(outcome),
                None => bad += 1,
            }
            let mut line = serde_json::to_string(&answer)
                .map(json)
                .map_err(Error::internal)?;
            line.push('\n');
            print(&line)
        };
        let input = BufReader::with_capacity(1 << 16, std::io::stdin());
        let served = pump.run(
            input,
            &|number, line| service.answer(number, line),
            &mut put,
        )?;
        let mut incomplete = bad > 0;
        if let Served::Broken(why) = &served {
            say(&format!("error: {why}"));
            incomplete = true;
        }
        if tally.programs == 0 && !incomplete {
            say(
                r#"error: no line came on standard input: send one for each program, such as {"file": "pick.csv"}"#,
            );
        }
        Ok(exit::batch_code(
            &tally,
            service.report_header(),
            incomplete,
            &FailOn::default(),
        ))
    }
}
