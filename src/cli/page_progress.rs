//! The bar while the pages of a batch are written: they take about as long as checks, after the
//! checks are done.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows how many pages are written: on standard error, and only on a terminal. It goes away with
/// the value.
pub(super) struct PageProgress(ProgressBar);

impl PageProgress {
    pub(super) fn new(pages: usize, quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target = if shown {
            ProgressDrawTarget::stderr_with_hz(5)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(pages as u64), target);
        let style = ProgressStyle::with_template("{pos}/{len} pages [{bar:24}] {eta} left");
        bar.set_style(
            style
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> "),
        );
        if shown {
            // Moves on even while the cell is made ready and the first pages are under way.
            bar.enable_steady_tick(Duration::from_millis(500));
            bar.tick();
        }
        Self(bar)
    }

    /// One more page is on the disk.
    pub(super) fn written(&self) {
        self.0.inc(1);
    }
}

impl Drop for PageProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_and_the_bar_goes_away() {
        let progress = PageProgress::new(3, true);
        let bar = progress.0.clone();
        progress.written();
        progress.written();
        assert_eq!((bar.position(), bar.length()), (2, Some(3)));
        drop(progress);
        assert!(bar.is_finished());
    }
}
