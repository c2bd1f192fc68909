//! The progress bar: on standard error, only on a terminal, only for runs of more than a second.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::terminal::is_dumb;
use crate::run::{ProgressEvent, ProgressListener};

const PATIENCE: Duration = Duration::from_secs(1);
/// Steps of the bar for one program.
const STEPS: u64 = 1000;

/// Whether a bar can be drawn: on a terminal that can draw a line again.
pub(super) fn can_draw() -> bool {
    std::io::stderr().is_terminal() && !is_dumb(std::env::var_os("TERM").as_deref())
}

/// Shows events as a bar.
pub(super) struct Progress {
    start: Instant,
    state: Mutex<State>,
    programs: usize,
    wanted: bool,
}

struct State {
    /// Hidden until the run has taken long enough.
    bar: ProgressBar,
    shown: bool,
    /// Share of every program that is done.
    shares: Vec<f64>,
}

impl Progress {
    pub(super) fn new(programs: usize, quiet: bool) -> Self {
        Self {
            start: Instant::now(),
            state: Mutex::new(State {
                bar: ProgressBar::hidden(),
                shown: false,
                shares: vec![0.0; programs],
            }),
            programs,
            wanted: !quiet && can_draw(),
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        if let Ok(state) = self.state.lock() {
            state.bar.finish_and_clear();
        }
    }
}

impl State {
    fn show(&mut self) {
        let style = ProgressStyle::with_template("{msg:<14} [{bar:40}] {percent:>3} %  {elapsed}");
        self.bar.set_style(
            style
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> "),
        );
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        // Moves on even while a large tree is built.
        self.bar.enable_steady_tick(Duration::from_millis(200));
        self.shown = true;
    }
}

impl ProgressListener for Progress {
    fn event(&self, event: &ProgressEvent) {
        let (true, Ok(mut state)) = (self.wanted, self.state.lock()) else {
            return;
        };
        if !state.shown && self.start.elapsed() >= PATIENCE {
            state.show();
        }
        match *event {
            ProgressEvent::Loading => state.bar.set_message("loading"),
            ProgressEvent::Trees { done, total } => {
                state.bar.set_message("sphere trees");
                state.bar.set_length(total as u64);
                state.bar.set_position(done as u64);
            }
            ProgressEvent::Program { index, fraction } => {
                state.program(index, fraction, self.programs)
            }
            ProgressEvent::ProgramDone { index, .. } => state.program(index, 1.0, self.programs),
        }
    }
}

impl State {
    fn program(&mut self, index: usize, fraction: f64, programs: usize) {
        if let Some(share) = self.shares.get_mut(index) {
            *share = fraction.clamp(0.0, 1.0);
        }
        let done = self.shares.iter().filter(|&&s| s >= 1.0).count();
        self.bar.set_message(match programs {
            1 => "checking".to_owned(),
            _ => format!("checked {done}/{programs}"),
        });
        self.bar.set_length(STEPS * programs as u64);
        self.bar
            .set_position((self.shares.iter().sum::<f64>() * STEPS as f64) as u64);
    }
}
