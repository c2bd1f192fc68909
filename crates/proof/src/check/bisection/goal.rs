//! What a search looks for, and the contact that it finds.

use crate::model::MotionInstant;
use crate::report::Statistics;

/// The goal of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The first contact of all pairs: a contact cuts everything later.
    First,
    /// All contact intervals of all pairs.
    All,
    /// Least distances, per class of pairs or per pair.
    Minimum,
}

/// An instant at which a pair was found within its threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Body pair.
    pub pair: usize,
    /// Where on the trajectory.
    pub at: MotionInstant,
}

/// The work of two searches of the same motion.
pub(super) fn sum(a: &Statistics, b: &Statistics) -> Statistics {
    // Both searches are of the same motion, so the counts of pairs left out are not added.
    let mut sum = *a;
    sum.add_work(b);
    sum
}
