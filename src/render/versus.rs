//! What became of programs since an earlier run, in words.

use crate::findings::{Change, Outcome, Verdict, Versus};

/// `newly broken: it was clear`; `None`: nothing about the verdict is other than it was.
pub(super) fn said(versus: &Versus) -> Option<String> {
    let was = match (versus.verdict, versus.limits) {
        (Some(Verdict::Clear), Some(1..)) => "beyond its limits",
        (Some(Verdict::Clear), _) => "clear",
        (Some(Verdict::Unverified), _) => "unverified",
        (Some(Verdict::Undecided), _) => "undecided",
        (Some(Verdict::Possible), _) => "possible",
        (Some(Verdict::Collision), _) => "collision",
        (None, _) => "not there",
    };
    match versus.change {
        Change::New | Change::None | Change::Clearance => None,
        Change::NewlyBroken => Some(format!("newly broken: it was {was}")),
        Change::NewlyFixed => Some(format!("newly fixed: it was {was}")),
        Change::Verdict => Some(format!("it was {was}")),
    }
}

/// How many programs have which change.
#[derive(Default)]
pub(super) struct Changes([usize; 6]);

impl Changes {
    /// Those of a report; `None`: there was no earlier run.
    pub(super) fn of(outcome: &Outcome) -> Option<Self> {
        let all = outcome.programs.iter();
        let mut versus = all.filter_map(|p| p.baseline.as_ref()).peekable();
        versus.peek()?;
        let mut changes = Self::default();
        versus.for_each(|versus| changes.add(versus.change));
        Some(changes)
    }

    /// Counts one more.
    pub(super) fn add(&mut self, change: Change) {
        self.0[change as usize] += 1;
    }

    /// `1 newly broken`, `12 as before`: what there is, the worst first.
    pub(super) fn said(&self) -> Vec<String> {
        let words = [
            (Change::NewlyBroken, "newly broken"),
            (Change::NewlyFixed, "newly fixed"),
            (Change::Verdict, "with another verdict"),
            (Change::Clearance, "with another least clearance"),
            (Change::New, "new"),
            (Change::None, "as before"),
        ];
        let counts = words.map(|(change, word)| (self.0[change as usize], word));
        let there = counts.iter().filter(|(n, _)| *n > 0);
        there.map(|(n, word)| format!("{n} {word}")).collect()
    }
}
