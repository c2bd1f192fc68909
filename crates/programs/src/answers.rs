//! What the values of a program answer to its conditions, and loops that come back to where they
//! were. Registers and variables belong to all tasks of a controller: a loop in which such an answer
//! never changes is there because something else changes it.

use std::collections::BTreeMap;

use clearance_proof::report::Location;

use crate::flow::{Cycle, FOR_EVER};
use crate::record::MoveRecord;
use crate::value::Fault;

/// Answers that the values of a program gave, in the order in which they were asked for.
#[derive(Debug, Default)]
pub(crate) struct KnownAnswers {
    asked: usize,
    /// By file and line, when the answer was no, and yes, for the last time; 0: never.
    last: BTreeMap<(String, usize), [usize; 2]>,
    /// By file, line and what was left of the line: a number that chose something.
    numbers: BTreeMap<(String, usize, usize), ChosenAnswer>,
}

/// A number that chose something.
#[derive(Debug)]
struct ChosenAnswer {
    number: f64,
    /// When it became this one, having been another; 0: it never was.
    changed: usize,
    /// When it was asked for the last time.
    asked: usize,
}

impl KnownAnswers {
    pub(crate) fn add(&mut self, place: &Location, answer: bool) {
        self.asked += 1;
        let line = (place.file.clone(), place.line.unwrap_or(1));
        self.last.entry(line).or_default()[usize::from(answer)] = self.asked;
    }

    /// A number that chooses a position, a label or how often a loop is run, with `rest` behind it.
    pub(crate) fn add_number(&mut self, place: &Location, rest: &str, number: f64) {
        self.asked += 1;
        let asked = self.asked;
        let key = (place.file.clone(), place.line.unwrap_or(1), rest.len());
        let changed = match self.numbers.get(&key) {
            None => 0,
            Some(old) if old.number == number => old.changed,
            Some(_) => asked,
        };
        self.numbers.insert(
            key,
            ChosenAnswer {
                number,
                changed,
                asked,
            },
        );
    }

    /// How many there were.
    pub(crate) fn count(&self) -> usize {
        self.asked
    }

    /// What was asked after so many answers, and always had the same.
    pub(crate) fn same_since(&self, count: usize) -> Option<Location> {
        let is_same = |last: &[usize; 2]| last.iter().filter(|&&k| k > count).count() == 1;
        let condition = self.last.iter().find(|(_, last)| is_same(last));
        let condition = condition.map(|((file, line), _)| (file, *line));
        let is_same = |chosen: &ChosenAnswer| chosen.asked > count && chosen.changed <= count;
        let number = || self.numbers.iter().find(|(_, chosen)| is_same(chosen));
        let number = || number().map(|((file, line, _), _)| (file, *line));
        let (file, line) = condition.or_else(number)?;
        Some(Location::at(file.as_ref(), line, None))
    }
}

/// Jumps back in a program, by the statements to which they lead. The state `S` is all that the rest
/// of the way depends on.
pub(crate) struct JumpsBack<S> {
    to: BTreeMap<usize, Cycle<S>>,
}

impl<S> Default for JumpsBack<S> {
    fn default() -> Self {
        Self {
            to: BTreeMap::new(),
        }
    }
}

impl<S: PartialEq> JumpsBack<S> {
    /// Whether a jump back comes to a statement in a state in which an earlier one came there. The
    /// program then goes round for ever, which is recorded, with a doubt where the loop asks for
    /// what something else may change.
    pub(crate) fn goes_round(
        &mut self,
        to: usize,
        state: impl FnOnce() -> S,
        answers: &KnownAnswers,
        record: &mut MoveRecord,
    ) -> bool {
        let cycle = self.to.entry(to).or_default();
        let Some(mark) = cycle.back_to(answers.count(), state) else {
            return false;
        };
        if let Some(asks) = answers.same_since(mark) {
            record.unknown(Fault::new(&asks, FOR_EVER));
        }
        record.goes_round();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_conditions_that_are_asked_again_with_one_answer_count() {
        let place = |line: usize| Location::at("A.LS".as_ref(), line, None);
        let mut answers = KnownAnswers::default();
        answers.add(&place(1), true);
        let count = answers.count();
        assert_eq!(answers.same_since(count), None);
        answers.add(&place(2), true);
        assert_eq!(answers.same_since(count), Some(place(2)));
        answers.add(&place(2), false);
        assert_eq!(answers.same_since(count), None);
        answers.add(&place(2), false);
        assert_eq!(answers.same_since(count + 2), Some(place(2)));
        let count = answers.count();
        answers.add_number(&place(4), "]", 1.0);
        answers.add_number(&place(4), "]", 2.0);
        assert_eq!(answers.same_since(count), None);
        let count = answers.count();
        answers.add_number(&place(4), "]", 2.0);
        assert_eq!(answers.same_since(count), Some(place(4)));
    }
}
