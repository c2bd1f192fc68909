//! The bar of `batch`: how many programs are done, how fast, how long it will take, and what was
//! found.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::outputs::Outputs;
use super::progress::can_draw;
use super::terminal::say;
use crate::batch::BatchListener;
use crate::error::Error;
use crate::findings::{ProgramOutcome, Tally};
use crate::run::{ProgressEvent, ProgressListener};

/// Shows how a batch gets on: on standard error, and only on a terminal.
pub(super) struct BatchProgress {
    bar: ProgressBar,
    tally: Mutex<Tally>,
    quiet: bool,
    shown: bool,
    outputs: Outputs,
    /// Whether an output would have taken the place of what is read.
    refused: AtomicBool,
}

impl BatchProgress {
    pub(super) fn new(quiet: bool, outputs: Outputs) -> Self {
        let bar = ProgressBar::hidden();
        let shown = !quiet && can_draw();
        if shown {
            bar.set_style(style("{msg} {elapsed}"));
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        Self {
            bar,
            tally: Mutex::default(),
            quiet,
            shown,
            outputs,
            refused: AtomicBool::new(false),
        }
    }

    pub(super) fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// Whether the run ended because an output would have taken the place of what is read: then
    /// nothing is to be written at all.
    pub(super) fn refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
        .with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
            // A closed standard error does not stop the run.
            let _ = write!(out, "{}/s", rate(state.per_sec()));
        })
}

impl ProgressListener for BatchProgress {
    fn event(&self, event: &ProgressEvent) {
        match *event {
            ProgressEvent::Loading => self.bar.set_message("loading"),
            ProgressEvent::Trees { done, total } => {
                self.bar.set_message(format!("sphere trees {done}/{total}"))
            }
            ProgressEvent::Program { .. } | ProgressEvent::ProgramDone { .. } => {}
        }
    }
}

impl BatchListener for BatchProgress {
    fn reads(&self, files: &[PathBuf]) -> Result<(), Error> {
        let spared = self.outputs.refuse_if_read(files);
        if spared.is_err() {
            self.refused.store(true, Ordering::Relaxed);
        }
        spared
    }

    fn begin(&self, programs: usize, done: &Tally, news: &[String]) {
        if let Ok(mut tally) = self.tally.lock() {
            *tally = *done;
        }
        if !self.quiet {
            for line in news {
                self.bar.suspend(|| say(line));
            }
        }
        self.bar
            .set_style(style("{pos}/{len} [{bar:24}] {rate}, {eta} left  {msg}"));
        self.bar.set_length(programs as u64);
        self.bar.set_position(done.programs as u64);
        // The rate is that of the programs which are verified now.
        self.bar.reset_eta();
        self.bar.set_message(words(done));
    }

    fn done(&self, outcome: &ProgramOutcome) {
        if !self.shown {
            return;
        }
        if let Ok(mut tally) = self.tally.lock() {
            tally.add(outcome);
            self.bar.set_message(words(&tally));
        }
        self.bar.inc(1);
    }
}

/// Programs a second, as people read it.
fn rate(per_second: f64) -> String {
    match per_second {
        r if r < 10.0 => format!("{r:.1}"),
        r => format!("{r:.0}"),
    }
}

/// `9981 clear, 12 collision`.
fn words(tally: &Tally) -> String {
    let counts = [
        (tally.clear, "clear"),
        (tally.limit, "limit"),
        (tally.unverified, "unverified"),
        (tally.undecided, "undecided"),
        (tally.possible, "possible"),
        (tally.collision, "collision"),
    ];
    let said = counts.iter().filter(|(n, _)| *n > 0);
    said.map(|(n, word)| format!("{n} {word}"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Verdict;

    #[test]
    fn rates_have_as_many_digits_as_say_something() {
        assert_eq!([0.32, 9.5, 571.5773].map(rate), ["0.3", "9.5", "572"]);
    }

    #[test]
    fn counts_are_by_verdict_and_leave_out_what_is_not_there() {
        let mut tally = Tally::default();
        assert_eq!(words(&tally), "");
        for (verdict, beyond) in [
            (Verdict::Clear, false),
            (Verdict::Clear, true),
            (Verdict::Collision, true),
            (Verdict::Clear, false),
        ] {
            tally.add_one(verdict, beyond, false);
        }
        assert_eq!(words(&tally), "2 clear, 1 limit, 1 collision");
    }
}
