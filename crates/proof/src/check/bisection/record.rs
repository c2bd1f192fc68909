//! The findings that a search records.

use crate::report::Statistics;

/// The goal of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The first contact of all pairs: a contact cuts everything later.
    First,
    /// All contact intervals of all pairs.
    All,
    /// Least distances, of classes of pairs or of pairs.
    Minimum,
}

/// An instant at which a pair was found within its threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Body pair.
    pub pair: usize,
    /// Segment.
    pub segment: usize,
    /// Share of the segment.
    pub s: f64,
}

/// The work of two searches of the same motion.
pub(super) fn sum(a: &Statistics, b: &Statistics) -> Statistics {
    // The same motion: what the first search left out, the others do too.
    let mut sum = *a;
    sum.add_work(b);
    sum
}
