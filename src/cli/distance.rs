//! `clearance distance`: single configurations, as they come.

use clap::Args;
use clearance_methods::backends::DistanceRange;

use super::exit;
use super::options::CellOptions;
use super::output::say_of_cell;
use super::progress::Progress;
use super::terminal::{print, say};
use super::values::{length, positive_length};
use crate::error::Error;
use crate::findings::{DistanceAnswer, Verdict};
use crate::render::printable_json as json;
use crate::run::{Configurations, Job, Line, Settings, next_line, prepare, without_mark};

/// Least distance of single configurations.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct Distance {
    #[command(flatten)]
    cell: CellOptions,
    /// The configuration, in place of lines on standard input; repeatable
    #[arg(long, value_name = "JSON")]
    at: Vec<String>,
    /// Threshold D: closer than this, or as close, is contact (`5mm`, `0.2in`; a bare number is
    /// metres) [default: 0]
    #[arg(long, value_name = "LEN", value_parser = length, allow_hyphen_values = true)]
    clearance: Option<f64>,
    /// The search for the nearest pair ends once one is found that is as near as this
    #[arg(long, value_name = "LEN", value_parser = length)]
    min: Option<f64>,
    /// Pairs farther apart than this are not measured
    #[arg(long, value_name = "LEN", value_parser = positive_length)]
    max: Option<f64>,
    /// `at_least` may be smaller than the true distance by this share (`0.1`: a tenth). It is never
    /// larger
    #[arg(long, value_name = "SHARE", value_parser = share)]
    tolerance: Option<f64>,
    /// Leave out pairs that are proved never to come near each other within the joint limits
    #[arg(long)]
    tables: bool,
    /// Print the order of the joints in an array of values, and end
    #[arg(long, conflicts_with = "at")]
    joints: bool,
    /// No progress bar while the cell is loaded
    #[arg(long)]
    quiet: bool,
}

const HELP: &str = r#"A configuration is one line of JSON, in radians and metres: {"joint_1": 0.5, "joint_3": -1.2}, where joints that are
not named keep the cell's values, or an array with a value for every joint. Each gets one line of JSON as its answer,
at once. Exit codes: 0 all clear, 1 at least one contact or joint beyond its limits, 2 nothing worse but a line that
could not be answered."#;

/// Bytes that a line on standard input may have: 16 MiB, values for some 800 000 joints.
const MOST_LINE: u64 = 16 << 20;

/// A share of a distance.
fn share(text: &str) -> Result<f64, Error> {
    match text.parse() {
        Ok(share) if (0.0..1.0).contains(&share) => Ok(share),
        _ => Err(Error::usage("write a share from 0 to below 1, such as 0.1")),
    }
}

impl Distance {
    pub(super) fn run(self) -> Result<u8, Error> {
        let job = Job {
            cell: self.cell.said_job(self.quiet)?,
            clearance: self.clearance,
            ..Job::new("", Vec::new())
        };
        let progress = Progress::new(0, self.quiet);
        let prepared = prepare(&job.cell, &progress);
        progress.finish();
        let prepared = prepared?;
        prepared.refuse_impossible()?;
        let settings = Settings::of(&job, Some(&prepared.loaded.settings))?;
        say_of_cell(&prepared, &settings, &job);
        let mut configurations = Configurations::new(&prepared, settings);
        if self.tables {
            configurations = configurations.with_tables();
        }
        if self.min.is_some() || self.max.is_some() || self.tolerance.is_some() {
            let range = DistanceRange {
                min: self.min.unwrap_or(0.0),
                max: self.max.unwrap_or(f64::INFINITY),
                tolerance: self.tolerance.unwrap_or(0.0),
            };
            if range.min > range.max {
                return Err(Error::usage(
                    "`--min` is above `--max`: give the lower end of the range first",
                ));
            }
            configurations = configurations.in_range(range)?;
        }
        if self.joints {
            print(&(configurations.joints().join("\n") + "\n"))?;
            return Ok(exit::CLEAR);
        }
        let mut code = ExitCounts::default();
        for (index, text) in self.at.iter().enumerate() {
            if !code.take(&configurations.answer(index + 1, text))? {
                return Ok(code.value());
            }
        }
        if !self.at.is_empty() {
            return Ok(code.value());
        }
        let mut input = std::io::stdin().lock();
        for number in 1.. {
            let line = next_line(&mut input, MOST_LINE)
                .map_err(|e| Error::unusable(format!("standard input, line {number}: {e}")))?;
            let Some(mut line) = line else { break };
            if number == 1 {
                line = without_mark(line);
            }
            let answer = match line {
                Line::Text(blank) if blank.trim().is_empty() => continue,
                Line::Text(text) => configurations.answer(number, &text),
                Line::Broken(why) => DistanceAnswer::refused(number, why),
            };
            if !code.take(&answer)? {
                break;
            }
        }
        if code.answers == 0 {
            say(
                r#"error: no configuration was given: name one, as in `--at '{"joint_1": 0.5}'`, or send lines on standard input"#,
            );
        }
        Ok(code.value())
    }
}

/// The exit code as it adds up.
#[derive(Default)]
struct ExitCounts {
    found: bool,
    unanswered: bool,
    answers: usize,
    /// The last error that was said.
    said: Option<String>,
}

impl ExitCounts {
    /// Prints an answer; whether somebody still listens.
    fn take(&mut self, answer: &DistanceAnswer) -> Result<bool, Error> {
        self.answers += 1;
        self.found |= answer.verdict == Verdict::Collision || !answer.beyond_limits.is_empty();
        self.unanswered |= answer.verdict == Verdict::Unverified;
        // A question that the cell leaves open is open in every configuration.
        if let (Some(error), false) = (&answer.error, answer.error == self.said) {
            say(&format!("error: configuration {}: {error}", answer.line));
            self.said = answer.error.clone();
        }
        let mut line = serde_json::to_string(answer)
            .map(json)
            .map_err(Error::internal)?;
        line.push('\n');
        print(&line)
    }

    /// No configuration at all is not a success.
    fn value(&self) -> u8 {
        match (self.found, self.unanswered || self.answers == 0) {
            (true, _) => exit::FOUND,
            (false, true) => exit::UNVERIFIED,
            (false, false) => exit::CLEAR,
        }
    }
}
