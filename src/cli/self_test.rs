//! `clearance self-test`.

use std::path::PathBuf;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::exit;
use super::progress::can_draw;
use super::sink::write_bytes;
use super::terminal::print;
use crate::error::Error;
use crate::run::{SelfTest, SelfTestRecord};

/// Test the program on this machine, with questions whose answers are known by other means, and
/// write a record of it.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 all passed, 2 not.")]
pub(super) struct SelfTestCommand {
    /// Folder for the record, `self-test-TIME.json`
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// First number of everything random; the same number asks the same questions
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// How many motions in closed form, and how many random scenes
    #[arg(long, value_name = "NUMBER", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    scenes: u64,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
}

const STEPS: u64 = 1000;

impl SelfTestCommand {
    pub(super) fn run(self) -> Result<u8, Error> {
        let bar = if !self.quiet && can_draw() {
            ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr())
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) =
            ProgressStyle::with_template("self-test [{bar:40}] {percent} %  {elapsed}")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        let test = SelfTest {
            seed: self.seed,
            scenes: self.scenes,
        };
        let record = test.run(&|share| bar.set_position((share * STEPS as f64) as u64));
        bar.finish_and_clear();
        let record = record?;
        let mut text = words(&record);
        if let Some(folder) = &self.report {
            std::fs::create_dir_all(folder)
                .map_err(|e| Error::internal(format!("{}: {e}", folder.display())))?;
            let file = folder.join(format!("self-test-{}.json", record.began.replace(':', "-")));
            let mut json = serde_json::to_vec_pretty(&record).map_err(Error::internal)?;
            json.push(b'\n');
            write_bytes(&file, &json)?;
            text += &format!("record: {}\n", file.display());
        }
        print(&text)?;
        Ok(if record.passed {
            exit::CLEAR
        } else {
            exit::UNVERIFIED
        })
    }
}

fn words(record: &SelfTestRecord) -> String {
    let mut text = format!(
        "clearance {}, {}, seed {}, began {}\n",
        record.version, record.system, record.seed, record.began
    );
    for suite in &record.suites {
        let wrong = match suite.wrong.len() {
            0 if suite.asked == 0 => "NOTHING ASKED".to_owned(),
            0 => "passed".to_owned(),
            n => format!("{n} WRONG"),
        };
        text += &format!(
            "{:<14} {:>6} asked, {:>5} clear, {:>5} collision, {:>3} other: {wrong}\n",
            suite.name, suite.asked, suite.clear, suite.collision, suite.other
        );
        for why in suite.wrong.iter().take(10) {
            text += &format!("  {why}\n");
        }
    }
    text += if record.passed {
        "all passed\n"
    } else if record.suites.iter().all(|suite| suite.wrong.is_empty()) {
        "NOT PASSED: a suite had nothing to ask; take more scenes (--scenes)\n"
    } else {
        "NOT PASSED: do not rely on this program on this machine, and report this\n"
    };
    text
}
