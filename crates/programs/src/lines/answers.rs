//! What the values of a program answer to its conditions. Registers and variables belong to all
//! tasks of a controller: a loop in which such an answer never changes is there because something
//! else changes it.

use std::collections::BTreeMap;

use clearance_proof::report::Location;

/// Answers that the values of a program gave, in the order in which they were asked for.
#[derive(Debug, Default)]
pub(crate) struct KnownAnswers {
    asked: usize,
    /// By file and line, when the answer was no, and yes, for the last time; 0: never.
    last: BTreeMap<(String, usize), [usize; 2]>,
}

impl KnownAnswers {
    pub(crate) fn add(&mut self, place: &Location, answer: bool) {
        self.asked += 1;
        let line = (place.file.clone(), place.line.unwrap_or(1));
        self.last.entry(line).or_default()[usize::from(answer)] = self.asked;
    }

    /// How many there were.
    pub(crate) fn count(&self) -> usize {
        self.asked
    }

    /// A condition that was asked after so many answers, and always had the same.
    pub(crate) fn same_since(&self, count: usize) -> Option<Location> {
        let is_same = |last: &[usize; 2]| last.iter().filter(|&&k| k > count).count() == 1;
        let (line, _) = self.last.iter().find(|(_, last)| is_same(last))?;
        Some(Location::at(line.0.as_ref(), line.1, None))
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
    }
}
