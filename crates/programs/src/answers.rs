//! What the values of a program answer to its conditions. Registers and variables belong to all tasks
//! of a controller: a loop in which such an answer never changes is there because something else
//! changes it.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use clearance_proof::report::Location;

use crate::one_sided::QuestionId;
use crate::record::MoveRecord;
use crate::value::{Fault, Value};

/// A register or variable that all programs of a controller share: what it is called by, and its
/// number.
pub(crate) type SharedValue = (char, u32);

/// Why it is not known what comes after a loop whose state comes back.
const FOR_EVER: &str = "by the values of the files this loop has no end: something else may set what it asks for, and what comes after it then is not read";

/// So many answers are kept in their order.
const MOST_FIRST: usize = 500;

/// Answers that the values of a program gave, in the order in which they were asked for.
#[derive(Debug, Default)]
pub(crate) struct KnownAnswers {
    asked: usize,
    /// The first of them, each with a number of its question.
    first: Vec<(u64, Value)>,
    /// Grows with each answer and each change of a shared value.
    clock: usize,
    /// By file, line and question.
    last: BTreeMap<(String, usize, QuestionId), KnownAnswer>,
    /// Shared values in the order in which they were read.
    read: Vec<SharedValue>,
    /// When each shared value was last set to another one by the program.
    set: BTreeMap<SharedValue, usize>,
    /// The shared values of which each one was computed, beside itself.
    of: BTreeMap<SharedValue, BTreeSet<SharedValue>>,
}

/// The answer to a question.
#[derive(Debug)]
struct KnownAnswer {
    value: Value,
    /// When it became this one, having been another; 0: it never was.
    changed: usize,
    /// When it was asked for the last time.
    asked: usize,
    /// The shared values that it then depended on; empty: not said.
    of: Vec<SharedValue>,
}

impl KnownAnswers {
    /// A value that a condition has, or that chooses a branch, a position, a label or how often a
    /// loop is run.
    pub(crate) fn add(&mut self, place: &Location, question: QuestionId, value: Value) {
        self.add_of(place, question, value, self.read.len());
    }

    /// The same; it depends on the shared values that were read since there were so many.
    pub(crate) fn add_of(
        &mut self,
        place: &Location,
        question: QuestionId,
        value: Value,
        read: usize,
    ) {
        let of = self.read[read..].to_vec();
        self.clock += 1;
        let asked = self.clock;
        let key = (place.file.clone(), place.line.unwrap_or(1), question);
        self.asked += 1;
        if self.first.len() < MOST_FIRST {
            let mut number = DefaultHasher::new();
            key.hash(&mut number);
            self.first.push((number.finish(), value.clone()));
        }
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
                of,
            },
        );
    }

    /// How many there were.
    pub(crate) fn count(&self) -> usize {
        self.asked
    }

    /// The first of them, each with a number of its question.
    pub(crate) fn first(&self) -> &[(u64, Value)] {
        &self.first
    }

    /// Now, as answers and changes are counted.
    pub(crate) fn now(&self) -> usize {
        self.clock
    }

    /// A shared value is read, and with it those of which it was computed.
    pub(crate) fn reads(&mut self, what: SharedValue) {
        self.read.push(what);
        self.read.extend(self.of.get(&what).into_iter().flatten());
    }

    /// A value that only the program sets is read, and with it the shared ones of which it was computed.
    pub(crate) fn reads_own(&mut self, what: SharedValue) {
        self.read.extend(self.of.get(&what).into_iter().flatten());
    }

    /// Those that were read since there were so many.
    pub(crate) fn read_since(&self, read: usize) -> BTreeSet<SharedValue> {
        self.read[read..].iter().copied().collect()
    }

    /// How often one was read.
    pub(crate) fn reads_so_far(&self) -> usize {
        self.read.len()
    }

    /// The program sets a shared value to what it computed of those that were read since there were so
    /// many; `is_other`: to another value than it had.
    pub(crate) fn sets(&mut self, what: SharedValue, is_other: bool, read: usize) {
        if is_other {
            self.clock += 1;
            self.set.insert(what, self.clock);
        }
        let of = self.read[read..].iter().copied();
        self.of
            .insert(what, of.filter(|other| *other != what).collect());
    }

    /// Records that the way goes round for ever since then, with a doubt where it asks for what
    /// something else may change.
    pub(crate) fn goes_round(&self, mark: usize, record: &mut MoveRecord) {
        if let Some(asks) = self.same_since(mark) {
            record.unknown(Fault::new(&asks, FOR_EVER));
        }
        record.goes_round();
    }

    /// What was asked since then, and always had the same answer, though nothing in between has set
    /// to another value what it depends on.
    pub(crate) fn same_since(&self, then: usize) -> Option<Location> {
        let is_set = |what: &SharedValue| self.set.get(what).is_some_and(|at| *at > then);
        let is_same = |known: &KnownAnswer| {
            let is_managed = !known.of.is_empty() && known.of.iter().all(is_set);
            known.asked > then && known.changed <= then && !is_managed
        };
        let mut all = self.last.iter();
        let ((file, line, _), _) = all.find(|(_, known)| is_same(known))?;
        Some(Location::at(file.as_ref(), *line, None))
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
        let count = answers.now();
        assert_eq!(answers.same_since(count), None);
        asks(&mut answers, 2, true);
        assert_eq!(answers.same_since(count), Some(place(2)));
        asks(&mut answers, 2, false);
        assert_eq!(answers.same_since(count), None);
        asks(&mut answers, 2, false);
        assert_eq!(answers.same_since(count + 2), Some(place(2)));
        let count = answers.now();
        let number = |answers: &mut KnownAnswers, question: usize, number: f64| {
            answers.add(&place(4), vec![question], Value::Number(number));
        };
        number(&mut answers, 1, 1.0);
        number(&mut answers, 1, 2.0);
        assert_eq!(answers.same_since(count), None);
        // Another question of the same line.
        number(&mut answers, 2, 1.0);
        assert_eq!(answers.same_since(count), Some(place(4)));
        let count = answers.now();
        number(&mut answers, 1, 2.0);
        assert_eq!(answers.same_since(count), Some(place(4)));
    }

    /// What the program itself sets to other values in a loop is not there for something else to
    /// change; all that a question depends on has to be so.
    #[test]
    fn what_the_program_sets_in_between_is_not_told() {
        let place = |line: usize| Location::at("A.LS".as_ref(), line, None);
        let (one, two) = (('R', 1), ('R', 2));
        let mut answers = KnownAnswers::default();
        let asks = |answers: &mut KnownAnswers, of: &[SharedValue]| {
            let read = answers.reads_so_far();
            of.iter().for_each(|what| answers.reads(*what));
            answers.add_of(&place(1), Vec::new(), Value::Boolean(true), read);
        };
        let sets = |answers: &mut KnownAnswers, what: SharedValue, of: &[SharedValue]| {
            let read = answers.reads_so_far();
            of.iter().for_each(|what| answers.reads(*what));
            answers.sets(what, true, read);
        };
        sets(&mut answers, one, &[]);
        asks(&mut answers, &[one]);
        let then = answers.now();
        asks(&mut answers, &[one]);
        assert_eq!(answers.same_since(then), Some(place(1)));
        // It counts.
        sets(&mut answers, one, &[one]);
        assert_eq!(answers.same_since(then), None);
        asks(&mut answers, &[one, two]);
        assert_eq!(answers.same_since(then), Some(place(1)));
        sets(&mut answers, two, &[]);
        assert_eq!(answers.same_since(then), None);
        // A copy of what nothing sets.
        sets(&mut answers, one, &[('R', 3)]);
        asks(&mut answers, &[one]);
        assert_eq!(answers.same_since(then), Some(place(1)));
        let then = answers.now();
        asks(&mut answers, &[one, two]);
        assert_eq!(answers.same_since(then), Some(place(1)));
    }
}
