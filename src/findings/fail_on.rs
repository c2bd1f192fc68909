//! Which findings make a run fail.

use super::{Diagnostic, Outcome, ProgramOutcome, Tally, Verdict};

/// Which findings make a run fail, and so a job in CI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailOn {
    /// Contacts, bodies inside others, what errors within the budgets may bring together, and what
    /// stayed undecided.
    pub collision: bool,
    /// Pairs that came nearer than their warn distance.
    pub near_miss: bool,
    /// Joints outside their limits.
    pub limit: bool,
    /// Notices: what a reader must see first, such as a size that can hardly be meant.
    pub suspicious: bool,
    /// Whether the user has named them: what is named must be looked for.
    pub stated: bool,
}

impl Default for FailOn {
    /// Everything but near misses and notices.
    fn default() -> Self {
        Self {
            collision: true,
            near_miss: false,
            limit: true,
            suspicious: false,
            stated: false,
        }
    }
}

impl FailOn {
    /// Whether a program fails by something that was found in it, or in the cell that it runs in.
    pub fn found(&self, program: &ProgramOutcome, run: &Outcome) -> bool {
        (self.collision && program.verdict >= Verdict::Undecided)
            || (self.near_miss && !program.near_misses.is_empty())
            || (self.limit && !program.limits.is_empty())
            || (self.suspicious && !(program.notices.is_empty() && run.notices.is_empty()))
    }

    /// Whether the question about a program could not be answered: this fails whatever was asked
    /// for.
    pub fn unanswered(program: &ProgramOutcome) -> bool {
        // A contact is the worse verdict, and may be one that does not count.
        program.verdict == Verdict::Unverified || program.unsettled
    }

    /// [`FailOn::found`] for any of many programs; `run` is what they have in common.
    pub fn found_among(&self, tally: &Tally, run: &Outcome) -> bool {
        (self.collision && tally.undecided + tally.possible + tally.collision > 0)
            || (self.near_miss && tally.near_misses > 0)
            || (self.limit && tally.beyond_limits > 0)
            || (self.suspicious && (tally.suspicious > 0 || !run.notices.is_empty()))
    }

    /// What the exit code does not say by itself: that findings which a run usually fails by do not
    /// count here, so that 0 would pass for clear; or that a run whose programs are all clear fails
    /// by near misses or notices, also those `of_cell`. `None`: nothing.
    pub fn exit_code_note(&self, tally: &Tally, of_cell: &[Diagnostic]) -> Option<String> {
        let found = [
            (tally.collision, "a collision", "collision", self.collision),
            (
                tally.possible,
                "a possible collision",
                "collision",
                self.collision,
            ),
            (
                tally.undecided,
                "an undecided program",
                "collision",
                self.collision,
            ),
            (tally.beyond_limits, "a violated limit", "limit", self.limit),
        ];
        let left_out = found.iter().filter(|(n, _, _, counts)| *n > 0 && !counts);
        let mut said: Vec<String> = left_out
            .map(|(_, what, word, _)| {
                format!("{what} does not count here: --fail-on does not name `{word}`")
            })
            .collect();
        // A near miss, or a notice, is clear in every other line.
        let collisions = tally.undecided + tally.possible + tally.collision;
        let others = (self.collision && collisions > 0) || (self.limit && tally.beyond_limits > 0);
        let suspicious = tally.suspicious > 0 || !of_cell.is_empty();
        let alone = [
            (self.near_miss && tally.near_misses > 0, "near misses"),
            (self.suspicious && suspicious, "notices"),
        ];
        let by: Vec<&str> = alone
            .iter()
            .filter(|(by, _)| *by)
            .map(|(_, what)| *what)
            .collect();
        if !others && !by.is_empty() {
            said.insert(
                0,
                format!("1, because {} count (--fail-on)", by.join(" and ")),
            );
        }
        (!said.is_empty()).then(|| format!("exit code: {}", said.join("; ")))
    }

    /// [`FailOn::unanswered`] for any of many programs.
    pub fn unanswered_among(tally: &Tally) -> bool {
        tally.unverified > 0 || tally.unsettled > 0
    }

    /// Whether a run gave no answer at all: the cell could not be used, or there was no program.
    pub fn nothing_answered(outcome: &Outcome) -> bool {
        outcome.error.is_some() || outcome.programs.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_fails_by_near_misses_alone_says_so() {
        let near = FailOn {
            near_miss: true,
            ..FailOn::default()
        };
        let tally = Tally {
            programs: 1,
            clear: 1,
            near_misses: 1,
            ..Tally::default()
        };
        let said = near.exit_code_note(&tally, &[]);
        let expected = "exit code: 1, because near misses count (--fail-on)";
        assert_eq!(said.as_deref(), Some(expected));
        assert_eq!(FailOn::default().exit_code_note(&tally, &[]), None);
        // So does one by notices, of a program or of the cell.
        let strict = FailOn {
            suspicious: true,
            ..near
        };
        let noticed = Tally {
            near_misses: 0,
            suspicious: 1,
            ..tally
        };
        let said = strict.exit_code_note(&noticed, &[]);
        let expected = "exit code: 1, because notices count (--fail-on)";
        assert_eq!(said.as_deref(), Some(expected));
        assert_eq!(near.exit_code_note(&noticed, &[]), None);
        let with_contact = Tally {
            collision: 1,
            ..tally
        };
        assert_eq!(near.exit_code_note(&with_contact, &[]), None);
    }
}
