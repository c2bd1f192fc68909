//! Words for answers about many programs: counts, and how an answer differs from an earlier one.

use super::{Change, ProgramOutcome, Verdict, Versus};

/// How many programs have which answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Tally {
    /// All of them.
    pub programs: usize,
    /// Proved clear, every joint within its limits.
    pub clear: usize,
    /// Proved clear, but some joint leaves its limits.
    pub limit: usize,
    /// Without an answer.
    pub unverified: usize,
    /// Not separable at the resolution.
    pub undecided: usize,
    /// Clear, but not for every error within the budgets.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub possible: usize,
    /// In contact.
    pub collision: usize,
    /// With a violated limit, whatever the verdict.
    pub beyond_limits: usize,
    /// With a near miss, whatever the verdict.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub near_misses: usize,
    /// With notices of their own, whatever the verdict.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub suspicious: usize,
    /// With something that is not settled, whatever the verdict.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub unsettled: usize,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Tally {
    /// Counts one more.
    pub fn add(&mut self, program: &ProgramOutcome) {
        let (limits, near) = (&program.limits, &program.near_misses);
        self.add_one(program.verdict, !limits.is_empty(), !near.is_empty());
        self.suspicious += usize::from(!program.notices.is_empty());
        self.unsettled += usize::from(program.unsettled);
    }

    /// Counts one more of which only this is known: its verdict, whether it leaves its limits, and
    /// whether it has near misses.
    pub fn add_one(&mut self, verdict: Verdict, beyond_limits: bool, near_misses: bool) {
        self.programs += 1;
        self.beyond_limits += usize::from(beyond_limits);
        self.near_misses += usize::from(near_misses);
        *match (verdict, beyond_limits) {
            (Verdict::Clear, false) => &mut self.clear,
            (Verdict::Clear, true) => &mut self.limit,
            (Verdict::Unverified, _) => &mut self.unverified,
            (Verdict::Undecided, _) => &mut self.undecided,
            (Verdict::Possible, _) => &mut self.possible,
            (Verdict::Collision, _) => &mut self.collision,
        } += 1;
    }

    /// The worst verdict; `unverified` where there is no program.
    pub fn worst(&self) -> Verdict {
        match self {
            t if t.collision > 0 => Verdict::Collision,
            t if t.possible > 0 => Verdict::Possible,
            t if t.undecided > 0 => Verdict::Undecided,
            t if t.unverified > 0 || t.programs == 0 => Verdict::Unverified,
            _ => Verdict::Clear,
        }
    }
}

impl Versus {
    /// Compares two answers.
    pub fn new(old: Option<&ProgramOutcome>, new: &ProgramOutcome, checked: bool) -> Self {
        let Some(old) = old else {
            return Self {
                change: Change::New,
                checked,
                verdict: None,
                limits: None,
                distance: None,
            };
        };
        let good = |p: &ProgramOutcome| p.verdict == Verdict::Clear && p.limits.is_empty();
        // Each lies between its bound and what was attained: they differ for certain where these do
        // not overlap.
        let differ = match (&old.minimum_clearance, &new.minimum_clearance) {
            (Some(a), Some(b)) => a.distance < b.lower_bound || b.distance < a.lower_bound,
            _ => false,
        };
        let change = match (good(old), good(new)) {
            (true, false) => Change::NewlyBroken,
            (false, true) => Change::NewlyFixed,
            _ if old.verdict != new.verdict => Change::Verdict,
            _ if differ => Change::Clearance,
            _ => Change::None,
        };
        Self {
            change,
            checked,
            verdict: Some(old.verdict),
            limits: Some(old.limits.len()),
            distance: old.minimum_clearance.as_ref().map(|m| m.distance),
        }
    }
}
