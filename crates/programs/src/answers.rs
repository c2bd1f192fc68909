//! What the values of a program answer to its conditions, and loops that come back to where they
//! were. Registers and variables belong to all tasks of a controller: a loop in which such an answer
//! never changes is there because something else changes it.

use std::collections::BTreeMap;

use clearance_proof::report::Location;

use crate::flow::{Cycle, FOR_EVER};
use crate::record::MoveRecord;
use crate::value::{Fault, Value};

/// Which of the questions of a line it is: what the reader tells them apart by. Empty where a line
/// has one.
pub(crate) type QuestionId = Vec<usize>;

/// Answers that the values of a program gave, in the order in which they were asked for.
#[derive(Debug, Default)]
pub(crate) struct KnownAnswers {
    asked: usize,
    /// By file, line and question.
    last: BTreeMap<(String, usize, QuestionId), KnownAnswer>,
}

/// The answer to a question.
#[derive(Debug)]
struct KnownAnswer {
    value: Value,
    /// When it became this one, having been another; 0: it never was.
    changed: usize,
    /// When it was asked for the last time.
    asked: usize,
}

impl KnownAnswers {
    /// A value that a condition has, or that chooses a branch, a position, a label or how often a
    /// loop is run.
    pub(crate) fn add(&mut self, place: &Location, question: QuestionId, value: Value) {
        self.asked += 1;
        let asked = self.asked;
        let key = (place.file.clone(), place.line.unwrap_or(1), question);
        let changed = match self.last.get(&key) {
            None => 0,
            Some(old) if old.value == value => old.changed,
            Some(_) => asked,
        };
        self.last.insert(
            key,
            KnownAnswer {
                value,
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
        let mut all = self.last.iter();
        let ((file, line, _), _) =
            all.find(|(_, known)| known.asked > count && known.changed <= count)?;
        Some(Location::at(file.as_ref(), *line, None))
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
        let asks = |answers: &mut KnownAnswers, line: usize, truth: bool| {
            answers.add(&place(line), Vec::new(), Value::Boolean(truth));
        };
        asks(&mut answers, 1, true);
        let count = answers.count();
        assert_eq!(answers.same_since(count), None);
        asks(&mut answers, 2, true);
        assert_eq!(answers.same_since(count), Some(place(2)));
        asks(&mut answers, 2, false);
        assert_eq!(answers.same_since(count), None);
        asks(&mut answers, 2, false);
        assert_eq!(answers.same_since(count + 2), Some(place(2)));
        let count = answers.count();
        let number = |answers: &mut KnownAnswers, question: usize, number: f64| {
            answers.add(&place(4), vec![question], Value::Number(number));
        };
        number(&mut answers, 1, 1.0);
        number(&mut answers, 1, 2.0);
        assert_eq!(answers.same_since(count), None);
        // Another question of the same line.
        number(&mut answers, 2, 1.0);
        assert_eq!(answers.same_since(count), Some(place(4)));
        let count = answers.count();
        number(&mut answers, 1, 2.0);
        assert_eq!(answers.same_since(count), Some(place(4)));
    }
}
