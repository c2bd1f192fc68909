//! The question of a check, and its result.

use crate::report::{ClassMinimum, Contact, MinimumClearance, Sampled, Statistics, Verdict};

/// The question: what to look for, and how finely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckOptions {
    /// Resolution ε, metres.
    pub resolution: f64,
    /// Every contact interval of every pair rather than the first contact.
    pub all: bool,
    /// Certified least clearance of all pairs too. It costs little more than a check: of pairs
    /// other than the nearest no more is proved than that they are no nearer.
    pub minimum: bool,
    /// With `minimum`: also that of each class of pairs.
    pub minimum_by_class: bool,
    /// With `minimum`: also the least clearance of every pair that comes nearer than this, metres.
    pub minimum_pairs: Option<f64>,
}

impl Default for CheckOptions {
    /// The first contact, to a tenth of a millimetre.
    fn default() -> Self {
        CheckOptions {
            resolution: 1e-4,
            all: false,
            minimum: false,
            minimum_by_class: false,
            minimum_pairs: None,
        }
    }
}

/// The result of a check.
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
    /// With `minimum_by_class`: of each class of pairs that there is.
    pub minimum_by_class: Vec<ClassMinimum>,
    /// With `minimum_pairs`: of every pair that is not proved farther apart than that, nearest
    /// first.
    pub pair_minimums: Vec<MinimumClearance>,
    /// With `minimum_pairs`: proved, all other pairs are farther apart than this at every instant,
    /// metres. `None`: nothing is known of some.
    pub others_farther_than: Option<f64>,
    /// By a method that only looks at instants: how closely it looked.
    pub sampled: Option<Sampled>,
    /// The time limit was spent before the end of the motion: without a contact nothing is known.
    pub given_up: bool,
    /// Bodies that are reported in contact may be this much farther apart than the threshold,
    /// metres; 0 where triangles are exact.
    pub coarseness: f64,
    /// Work done.
    pub statistics: Statistics,
}
