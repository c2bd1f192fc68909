//! `clearance distance`: single configurations, as they come.

use std::io::BufRead;

use clap::Args;

use super::exit;
use super::options::{CellOptions, length};
use super::output::{print, say};
use super::progress::Progress;
use crate::findings::{DistanceAnswer, Verdict};
use crate::report::printable_json as json;
use crate::verify::{Configurations, Job, Settings, prepare};

/// Least distance of single configurations.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct Distance {
    #[command(flatten)]
    cell: CellOptions,
    /// The configuration, in place of lines on standard input; repeatable
    #[arg(long, value_name = "JSON")]
    at: Vec<String>,
    /// Threshold D: closer than this, or as close, is contact (`5mm`, `0.2in`; a bare number is metres) [default: 0]
    #[arg(long, value_name = "LEN", value_parser = length, allow_hyphen_values = true)]
    clearance: Option<f64>,
    /// Say which joints an array of values stands for, and end
    #[arg(long)]
    joints: bool,
    /// No progress bar while the cell is loaded
    #[arg(long)]
    quiet: bool,
}

const HELP: &str = r#"A configuration is one line of JSON, in radians and metres: {"joint_1": 0.5, "joint_3": -1.2}, where joints that are
not named keep the cell's values, or an array with a value for every joint. Each gets one line of JSON as its answer,
at once. Exit codes: 0 all clear, 1 at least one contact or joint beyond its limits, 2 nothing worse but a line that
could not be answered."#;

impl Distance {
    pub(super) fn run(self) -> Result<u8, String> {
        let job = Job {
            cell: self.cell.job()?,
            clearance: self.clearance,
            ..Job::new("", Vec::new())
        };
        let progress = Progress::new(0, self.quiet);
        let prepared = prepare(&job.cell, &progress);
        progress.finish();
        let prepared = prepared.map_err(|e| e.to_string())?;
        if let Some(first) = prepared.impossible.first() {
            return Err(format!("`{}`: {}", first.body, first.why));
        }
        let settings = Settings::of(&job, Some(&prepared.cell))?;
        let mut configurations = Configurations::new(&prepared, settings);
        if self.joints {
            print(&(configurations.joints().join("\n") + "\n"))?;
            return Ok(exit::CLEAR);
        }
        let mut code = Code::default();
        for (index, text) in self.at.iter().enumerate() {
            if !code.take(&configurations.answer(index + 1, text))? {
                return Ok(code.value());
            }
        }
        if !self.at.is_empty() {
            return Ok(code.value());
        }
        for (index, line) in std::io::stdin().lock().lines().enumerate() {
            let line = line.map_err(|e| format!("standard input, line {}: {e}", index + 1))?;
            if !line.trim().is_empty() && !code.take(&configurations.answer(index + 1, &line))? {
                break;
            }
        }
        Ok(code.value())
    }
}

/// The exit code as it adds up.
#[derive(Default)]
struct Code {
    found: bool,
    unanswered: bool,
    answers: usize,
    /// The last error that was said.
    said: Option<String>,
}

impl Code {
    /// Prints an answer; whether somebody still listens.
    fn take(&mut self, answer: &DistanceAnswer) -> Result<bool, String> {
        self.answers += 1;
        self.found |= answer.verdict == Verdict::Collision || !answer.beyond_limits.is_empty();
        self.unanswered |= answer.verdict == Verdict::Unverified;
        // What the cell leaves open it leaves open in every configuration.
        if let (Some(error), false) = (&answer.error, answer.error == self.said) {
            say(&format!("error: configuration {}: {error}", answer.line));
            self.said = answer.error.clone();
        }
        let mut line = serde_json::to_string(answer)
            .map(json)
            .map_err(|e| e.to_string())?;
        line.push('\n');
        print(&line)
    }

    /// No configuration at all is no success.
    fn value(&self) -> u8 {
        match (self.found, self.unanswered || self.answers == 0) {
            (true, _) => exit::FOUND,
            (false, true) => exit::UNVERIFIED,
            (false, false) => exit::CLEAR,
        }
    }
}
