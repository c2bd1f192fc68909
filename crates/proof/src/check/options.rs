//! What a check looks for, and what it found.

use crate::report::{Contact, MinimumClearance, Sampled, Statistics, Verdict};

/// What to look for, and how finely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckOptions {
    /// Resolution ε, metres.
    pub resolution: f64,
    /// Every contact interval of every pair rather than the first contact.
    pub all: bool,
    /// Certified least clearance too.
    pub minimum: bool,
}

impl Default for CheckOptions {
    /// The first contact, to a tenth of a millimetre.
    fn default() -> Self {
        CheckOptions {
            resolution: 1e-4,
            all: false,
            minimum: false,
        }
    }
}

/// What a check found.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckResult {
    /// Answer.
    pub verdict: Verdict,
    /// Earliest contact; without one the earliest interval that stayed undecided.
    pub first_contact: Option<Contact>,
    /// With `all`: every interval of every pair, by time.
    pub contacts: Vec<Contact>,
    /// With `minimum`: over all pairs.
    pub minimum: Option<MinimumClearance>,
    /// With `minimum`: per pair, nearest first.
    pub pair_minimums: Vec<MinimumClearance>,
    /// By a method that only looks at instants: how closely it looked.
    pub sampled: Option<Sampled>,
    /// The budget was spent before the end of the motion: without a contact nothing is known.
    pub given_up: bool,
    /// What is called contact may be this much farther apart than the threshold, metres; 0 where triangles are exact.
    pub coarseness: f64,
    /// Work done.
    pub statistics: Statistics,
}
