//! Where ways through a program join that parted before.

use std::cell::RefCell;

use crate::answers::KnownAnswers;
use crate::flow::Flow;

/// So many states are kept of all ways together.
const MOST_JOINTS: usize = 1_000;

/// The states in which ways came to a statement behind a condition that is not known. What other
/// answers bring from there on, ways with the same answers up to there have, and they are all
/// followed before any way with others. So a later way that comes to the same place in such a state
/// ends there: all that it would do has been done from that state.
///
/// The state has to hold all that the rest of the program depends on, as that of a
/// [`Cycle`](crate::flow::Cycle) has, and within which calls and loops the place is.
#[derive(Debug)]
pub(crate) struct WaysJoin<S> {
    states: Vec<JointState<S>>,
    joined: bool,
    /// Whether one has joined another one behind more or fewer moves than that has there.
    shifted: bool,
}

#[derive(Debug)]
struct JointState<S> {
    place: usize,
    state: S,
    /// The answers of the way that came there first.
    answers: Vec<bool>,
    /// How many moves it had made.
    moves: usize,
}

impl<S> Default for WaysJoin<S> {
    fn default() -> Self {
        Self {
            states: Vec::new(),
            joined: false,
            shifted: false,
        }
    }
}

impl<S: PartialEq> WaysJoin<S> {
    /// Whether another way went on from there in this state; `moves`: how many this one has made.
    pub(crate) fn went_on(&mut self, flow: &Flow, place: usize, state: &S, moves: usize) -> bool {
        let answers = flow.answers();
        let mut same = self.states.iter();
        match same.find(|known| known.place == place && known.state == *state) {
            Some(known) => {
                let is_other = known.answers.iter().zip(&answers).any(|(a, b)| a != b);
                self.joined |= is_other;
                self.shifted |= is_other && known.moves != moves;
                is_other
            }
            None => false,
        }
    }

    /// Keeps a state from which this way goes on, unless it is known.
    pub(crate) fn goes_on(&mut self, flow: &Flow, place: usize, state: S, moves: usize) {
        let mut known = self.states.iter();
        if self.states.len() < MOST_JOINTS
            && !known.any(|known| known.place == place && known.state == state)
        {
            self.states.push(JointState {
                place,
                state,
                answers: flow.answers(),
                moves,
            });
        }
    }

    /// Whether a way has ended so, and its whole motion is not the one that is left. Where only one
    /// is left, the other ones begin as it does, and go on at the same move.
    pub(crate) fn have_joined(&self, left: usize) -> bool {
        self.shifted || self.joined && left > 1
    }
}

/// One way, and where it may end because another one went on from there.
#[derive(Debug, Default)]
pub(crate) struct Joining {
    /// How many answers the values of the program gave before the first condition that is not known.
    first: usize,
    /// How many conditions were not known when it was asked for the last time.
    asked: usize,
}

impl Joining {
    /// Whether another way went on from this place in the same state, so that this one ends. To be
    /// asked behind every statement; no state: it does not say for certain how the arm passes the
    /// point where it is.
    ///
    /// Where the values of the program have answered since the ways parted, each way is followed by
    /// itself: a loop in which an answer never changes is told by the way that goes round it.
    pub(crate) fn ends<S: PartialEq>(
        &mut self,
        place: usize,
        state: impl FnOnce() -> Option<S>,
        (answers, flow, moves): (&KnownAnswers, &Flow, usize),
        ways: &RefCell<WaysJoin<S>>,
    ) -> bool {
        let asked = flow.decisions();
        if asked == 0 {
            self.first = answers.count();
        }
        if asked == self.asked || answers.count() > self.first {
            return false;
        }
        self.asked = asked;
        let Some(state) = state() else {
            return false;
        };
        let mut ways = ways.borrow_mut();
        let went_on = ways.went_on(flow, place, &state, moves);
        if !went_on {
            ways.goes_on(flow, place, state, moves);
        }
        went_on
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clearance_proof::report::Location;

    use super::*;
    use crate::flow::{Bounds, Cycle, ways};

    /// The states of a loop that goes from 0 by the answers to two questions, and stays there or
    /// comes back.
    #[test]
    fn ways_that_come_to_the_state_of_another_one_end_there() {
        let next = |state: usize, a: bool, b: bool| match (a, b) {
            (true, true) => (state + 1) % 5,
            (true, false) => 0,
            (false, true) => 3,
            (false, false) => state,
        };
        let mut gone = BTreeSet::new();
        let mut join = WaysJoin::default();
        let found = ways(Bounds::default(), |flow| {
            let mut cycle = Cycle::default();
            let mut state = 0;
            loop {
                let [a, b] =
                    [1, 2].map(|line| flow.decide(&Location::at("a".as_ref(), line, None), "x"));
                let before = state;
                state = next(state, a, b);
                gone.insert((before, state));
                if cycle.repeats(|| state) || join.went_on(flow, 0, &state, 0) {
                    return;
                }
                join.goes_on(flow, 0, state, 0);
            }
        });
        assert_eq!(found.left, None);
        assert!(join.have_joined(2));
        // Nothing that any way does is left out.
        let all: BTreeSet<_> = (0..5)
            .flat_map(|state| {
                let answers = [(true, true), (true, false), (false, true), (false, false)];
                answers.map(|(a, b)| (state, next(state, a, b)))
            })
            .collect();
        assert_eq!(gone, all);
    }
}
