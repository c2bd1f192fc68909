//! Which findings make a run fail.

use super::{Outcome, ProgramOutcome, Tally, Verdict};

/// Which findings make a run fail, and so a job in CI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailOn {
    /// Contacts, bodies inside others, and what stayed undecided.
    pub collision: bool,
    /// Pairs that came nearer than their warn distance.
    pub near_miss: bool,
    /// Joints outside their limits.
    pub limit: bool,
    /// Programs about which the question could not be answered.
    pub unverified: bool,
}

impl Default for FailOn {
    /// Everything but near misses.
    fn default() -> Self {
        Self {
            collision: true,
            near_miss: false,
            limit: true,
            unverified: true,
        }
    }
}

impl FailOn {
    /// Whether a program fails by something that was found in it.
    pub fn found(&self, program: &ProgramOutcome) -> bool {
        (self.collision && program.verdict >= Verdict::Undecided)
            || (self.near_miss && !program.near_misses.is_empty())
            || (self.limit && !program.limits.is_empty())
    }

    /// Whether a program fails because the question could not be answered.
    pub fn unanswered(&self, program: &ProgramOutcome) -> bool {
        self.unverified && program.verdict == Verdict::Unverified
    }

    /// [`FailOn::found`] for any of many programs.
    pub fn found_among(&self, tally: &Tally) -> bool {
        (self.collision && tally.undecided + tally.collision > 0)
            || (self.near_miss && tally.near_misses > 0)
            || (self.limit && tally.beyond_limits > 0)
    }

    /// [`FailOn::unanswered`] for any of many programs.
    pub fn unanswered_among(&self, tally: &Tally) -> bool {
        self.unverified && tally.unverified > 0
    }

    /// Whether a run gave no answer at all: the cell could not be used, or there was no program.
    pub fn nothing_answered(outcome: &Outcome) -> bool {
        outcome.error.is_some() || outcome.programs.is_empty()
    }
}
