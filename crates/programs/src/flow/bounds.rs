//! How far programs are followed.

use std::time::Instant;

/// How far a program is followed. What lies beyond is not verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Ways through it that differ in what is found.
    pub ways: usize,
    /// As many of them are followed to their ends; if there are more, ways join where they can.
    pub whole_ways: usize,
    /// Statements on one way.
    pub steps: usize,
    /// Calls within calls.
    pub depth: usize,
    /// Statements on all ways together. Each way counts as 500 at least.
    pub work: usize,
    /// Nothing is followed after this instant; none: no clock is read.
    pub until: Option<Instant>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            ways: 64,
            whole_ways: 64,
            steps: 1_000_000,
            depth: 64,
            work: 8_000_000,
            until: None,
        }
    }
}

impl Bounds {
    /// Whether the time is up.
    pub(super) fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}
