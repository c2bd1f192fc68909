//! Progress of a run, for the part of the program that shows it.

use crate::findings::ProgramOutcome;

/// A step of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ProgressEvent<'a> {
    /// Files of the cell are being read.
    Loading,
    /// Sphere trees are being built or fetched.
    Trees {
        /// Trees that are ready.
        done: usize,
        /// Trees in all.
        total: usize,
    },
    /// A program is being checked.
    Program {
        /// Index of the program, in the order given.
        index: usize,
        /// Share that is done, 0 … 1.
        fraction: f64,
    },
    /// A program has its verdict.
    ProgramDone {
        /// Index of the program, in the order given.
        index: usize,
        /// Its answer.
        outcome: &'a ProgramOutcome,
    },
}

/// Hears what happens. Called from many threads at once.
pub trait ProgressListener: Sync {
    /// Something happened.
    fn event(&self, event: &ProgressEvent);
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl ProgressListener for NoProgress {
    fn event(&self, _: &ProgressEvent) {}
}
