//! Conditions that have the same answer each time. Where something beside the program may set what a
//! condition asks for, a program that never has the other answer by its own values is not written for
//! itself alone: the branch that is never taken is there because somebody else sets what leads to it.
//! So both answers are followed at such a condition, however the program came to it.

use std::collections::{BTreeMap, BTreeSet};

/// Which of the questions of a line it is: what the reader tells them apart by. Empty where a line
/// has one.
pub(crate) type QuestionId = Vec<usize>;

/// A condition: its file, its line, and which of that line.
pub(crate) type ConditionId = (String, usize, QuestionId);

/// How often a program is followed anew because conditions had the same answer each time.
const MOST_ROUNDS: usize = 16;

/// What a condition was answered by the values of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Always(bool),
    Both,
}

/// The conditions of a program about what something beside it may set.
#[derive(Debug, Default)]
pub(crate) struct OneSidedConditions {
    seen: BTreeMap<ConditionId, Seen>,
    /// Those at which both answers are followed.
    open: BTreeSet<ConditionId>,
    rounds: usize,
}

impl OneSidedConditions {
    /// Whether both answers are followed there.
    pub(crate) fn is_open(&self, condition: &ConditionId) -> bool {
        self.open.contains(condition)
    }

    /// Takes in an answer that the values of the program gave.
    pub(crate) fn answered(&mut self, condition: ConditionId, answer: bool) {
        let seen = self.seen.entry(condition).or_insert(Seen::Always(answer));
        if *seen != Seen::Always(answer) {
            *seen = Seen::Both;
        }
    }

    /// Once all ways were followed: opens the conditions that had the same answer on all of them.
    /// False: there were none.
    pub(crate) fn opens_more(&mut self) -> bool {
        self.rounds += 1;
        let seen = std::mem::take(&mut self.seen);
        let before = self.open.len();
        let same = seen.into_iter().filter(|(_, seen)| *seen != Seen::Both);
        self.open.extend(same.map(|(condition, _)| condition));
        self.open.len() > before
    }

    /// Whether it was followed anew so often that it is given up.
    pub(crate) fn are_too_many(&self) -> bool {
        self.rounds > MOST_ROUNDS
    }
}

/// What the program has set since it last let time pass, by a move, a wait, a signal or a jump back:
/// nobody else sets it in between.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JustSet<V> {
    values: BTreeSet<V>,
    /// How often time had passed.
    passed: usize,
}

impl<V> Default for JustSet<V> {
    fn default() -> Self {
        Self {
            values: BTreeSet::new(),
            passed: 0,
        }
    }
}

impl<V: Ord + Clone> JustSet<V> {
    /// The program sets it where time has passed so often.
    pub(crate) fn set(&mut self, value: V, passed: usize) {
        if self.passed != passed {
            self.values.clear();
            self.passed = passed;
        }
        self.values.insert(value);
    }

    /// Those that are set where time has passed so often.
    pub(crate) fn now(&self, passed: usize) -> BTreeSet<V> {
        if self.passed == passed {
            self.values.clone()
        } else {
            BTreeSet::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_with_one_answer_are_opened() {
        let condition = |line: usize| ("A.LS".to_owned(), line, Vec::new());
        let mut conditions = OneSidedConditions::default();
        for (line, answer) in [(1, true), (2, true), (1, true), (2, false), (3, false)] {
            conditions.answered(condition(line), answer);
        }
        assert!(!conditions.is_open(&condition(1)));
        assert!(conditions.opens_more());
        let open = [1, 2, 3].map(|line| conditions.is_open(&condition(line)));
        assert_eq!(open, [true, false, true]);
        // What only the other answer leads to is looked at next.
        conditions.answered(condition(4), true);
        assert!(conditions.opens_more() && conditions.is_open(&condition(4)));
        assert!(!conditions.opens_more());
    }

    #[test]
    fn what_was_set_before_time_passed_is_not_just_set() {
        let mut just_set = JustSet::default();
        just_set.set(1, 0);
        just_set.set(2, 0);
        assert_eq!(just_set.now(0), BTreeSet::from([1, 2]));
        assert_eq!(just_set.now(1), BTreeSet::new());
        just_set.set(3, 1);
        assert_eq!(just_set.now(1), BTreeSet::from([3]));
    }
}
