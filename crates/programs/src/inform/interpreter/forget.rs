//! What is not known any more because something else may have set what it was computed of.

use super::assign::computed;
use super::*;
use crate::answers::ANY;

/// For answers: a position variable.
pub(super) const POSITION: char = 'p';

impl InformInterpreter<'_> {
    /// What sets a variable for which the job waits may set the others of all jobs too, and position
    /// variables: not those of which the cell says so.
    pub(super) fn forget_brought(&mut self, place: &Location) {
        // What was computed of them before stays what it is.
        let all = self.way.state.variables.keys().copied();
        let may_be_set = |v: &InformVariable| v.shared().is_some_and(|v| self.may_be_set(&v));
        let others: Vec<InformVariable> = all.filter(may_be_set).collect();
        others.into_iter().for_each(|v| self.forget_one(v, place));
        let controller = self.way.controller;
        (self.way.state.changed)
            .retain(|number, _| controller.is_still_by_name(&format!("P{number:03}")));
        self.way
            .state
            .positions_open_since
            .get_or_insert_with(|| place.clone());
    }

    /// Before a condition is asked: in a loop that waits, what it asks for may have come, and the rest
    /// with it.
    pub(super) fn may_have_come(&mut self, (job, at): (&InformJob, usize)) {
        if self.way.text.waited.asks_in_wait(&job.name, at) {
            self.forget_brought(&job.lines[at].place);
        }
    }

    /// Variables say which one of a kind is set: with others it would be another one. `before`: how
    /// often shared variables had been read before its number was.
    pub(super) fn chooses(&mut self, letter: char, before: usize) {
        self.way.answers.sets_in_part((letter, ANY), before);
    }

    /// Forgets these values and all that was computed of them. What the cell says nothing else sets is
    /// forgotten as far as it was.
    pub(super) fn forget_computed(&mut self, set: &BTreeSet<SharedValue>, place: &Location) {
        let is_kept = |what: &SharedValue| !self.may_be_set(what);
        let set: BTreeSet<SharedValue> = set.iter().copied().filter(|v| !is_kept(v)).collect();
        for what in self.way.answers.with_computed(&set) {
            let state = &mut self.way.state;
            match what {
                (POSITION, ANY) => {
                    let all = state.changed.keys().chain(state.listed.keys());
                    let all: Vec<u32> = all.copied().collect();
                    let all = all.into_iter().map(|number| (number, computed(place)));
                    state.changed.extend(all);
                }
                (POSITION, number) => _ = state.changed.insert(number, computed(place)),
                (letter, ANY) => {
                    let all = state.variables.keys().copied();
                    let all: Vec<_> = all.filter(|v| v.kind.letter == letter).collect();
                    all.into_iter().for_each(|v| self.forget_one(v, place));
                    let own = self.way.callers.iter_mut().flat_map(|c| &mut c.locals);
                    own.filter(|(v, _)| v.kind.letter == letter)
                        .for_each(|(_, value)| *value = Value::unknown(place, MAY_SET_TOO));
                }
                _ => match InformVariable::of_own(what) {
                    Some((calls, variable)) => self.forget_own(calls, variable, place),
                    None => {
                        let mut all = state.variables.keys().copied();
                        if let Some(variable) = all.find(|v| v.shared() == Some(what)) {
                            self.forget_one(variable, place);
                        }
                    }
                },
            }
        }
    }

    fn forget_one(&mut self, variable: InformVariable, place: &Location) {
        let value = Value::unknown(place, MAY_SET_TOO);
        let Some(is_other) = self.way.set(variable, value) else {
            return;
        };
        if let Some(shared) = variable.shared() {
            self.way.answers.forgets(shared, is_other);
            self.way.sets_now(shared);
        }
    }

    /// Forgets a variable of the job that is followed, or of one that has led to it.
    fn forget_own(&mut self, calls: usize, variable: InformVariable, place: &Location) {
        let all = match self.way.callers.get_mut(calls) {
            Some(caller) => &mut caller.locals,
            None => &mut self.way.state.variables,
        };
        if let Some(value) = all.get_mut(&variable) {
            *value = Value::unknown(place, MAY_SET_TOO);
        }
    }
}
