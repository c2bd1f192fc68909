//! Where ways through a program join that parted before.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::answers::KnownAnswers;
use crate::flow::{Bounds, Flow, Ways, ways};
use crate::one_sided::OneSidedConditions;
use crate::record::{MoveRecord, share_turn_lead, take_in};
use crate::value::Value;

/// So many states are kept of all ways together.
const MOST_PLACES: usize = 2_000;
/// Ways that join may be so many times as many: most of them end soon.
const TIMES_AS_MANY: usize = 8;
/// What part of all work is done to follow each way to its end.
const SHARE_OF_FEW: usize = 8;

/// All that the rest of a way depends on.
pub(crate) trait JoinState {
    /// Whether all that may follow on another state may follow on this one: it is the same, or less of
    /// it is known.
    fn covers(&self, other: &Self) -> bool;
}

/// The states in which ways came to a statement behind a condition that is not known. What other
/// answers bring from there on, ways with the same answers up to there have, and they are all
/// followed before any way with others. So a later way that comes to the same place in such a state
/// ends there: all that it would do has been done from that state. So does a way that comes back to
/// a state of its own.
///
/// The state has to hold all that the rest of the program depends on, as that of a
/// [`Cycle`](crate::comes_back::Cycle) has, and within which calls and loops the place is.
#[derive(Debug)]
pub(crate) struct WaysJoin<S> {
    /// Whether ways join at all.
    on: bool,
    /// By the statements before which they are.
    states: BTreeMap<usize, Vec<KnownPlace<S>>>,
    /// How many they are.
    kept: usize,
    joined: bool,
    /// Whether one has joined another one behind more or fewer moves than that has there.
    shifted: bool,
}

#[derive(Debug)]
struct KnownPlace<S> {
    state: S,
    /// The answers of the way that came there first.
    answers: Vec<bool>,
    /// How many moves it had made.
    moves: usize,
    /// When that was, as [`KnownAnswers::now`] counts.
    then: usize,
    /// [`KnownAnswers::first`].
    known_answers: Vec<(u64, Value)>,
}

/// Where a way is, and how much it has behind it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WayPlace {
    /// The next statement.
    pub(crate) place: usize,
    /// How many moves the way has made.
    pub(crate) moves: usize,
    /// As [`KnownAnswers::now`] counts.
    pub(crate) now: usize,
}

/// A state in which a way came to this place before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KnownState {
    /// Another way did, with other answers.
    OfAnother,
    /// This way did.
    OfThis {
        /// When, as [`KnownAnswers::now`] counts.
        then: usize,
    },
}

/// The ways through a program that were followed to their ends, or to where they join others.
pub(crate) struct FollowedWays {
    pub(crate) ways: Ways<MoveRecord>,
    /// Whether ways have joined, and the whole motion of one is not the only one that is left.
    pub(crate) join: bool,
}

/// Follows a program on every way through it: each to its end if they are few, because a way that is
/// whole can be shown, converted, and run beside other programs; else to where they join. It is
/// followed anew with both answers of [conditions that had one answer alone](OneSidedConditions), until
/// there are no more of them.
pub(crate) fn ways_that_join<S: JoinState>(
    bounds: Bounds,
    mut follow: impl FnMut(&mut Flow, &RefCell<WaysJoin<S>>) -> MoveRecord,
) -> FollowedWays {
    let mut one_sided = OneSidedConditions::default();
    loop {
        let mut followed = ways_with(bounds, &mut one_sided, &mut follow);
        if followed.ways.left.is_some() || !one_sided.opens_more() {
            return followed;
        }
        if one_sided.are_too_many() {
            let left = "too many conditions about what something else may set lead to one another";
            followed.ways.left = Some(left.to_owned());
            return followed;
        }
    }
}

/// The same with both answers of the conditions that are open.
fn ways_with<S: JoinState>(
    bounds: Bounds,
    one_sided: &mut OneSidedConditions,
    follow: &mut impl FnMut(&mut Flow, &RefCell<WaysJoin<S>>) -> MoveRecord,
) -> FollowedWays {
    if bounds.whole_ways > 0 {
        let join = RefCell::new(WaysJoin::new(false));
        let few = Bounds {
            ways: bounds.whole_ways,
            work: bounds.work / SHARE_OF_FEW,
            ..bounds
        };
        let ways = ways(few, one_sided, |flow| follow(flow, &join), take_in);
        if ways.left.is_none() {
            return FollowedWays { ways, join: false };
        }
    }
    let join = RefCell::new(WaysJoin::new(true));
    let more = Bounds {
        ways: bounds.ways.saturating_mul(TIMES_AS_MANY),
        ..bounds
    };
    let mut ways = ways(more, one_sided, |flow| follow(flow, &join), take_in);
    share_turn_lead(&mut ways.ways);
    let left = ways.ways.len() + usize::from(ways.left.is_some());
    FollowedWays {
        join: join.into_inner().have_joined(left),
        ways,
    }
}

impl<S: JoinState> WaysJoin<S> {
    /// For all ways through a program; `on`: they join.
    pub(crate) fn new(on: bool) -> Self {
        Self {
            on,
            states: BTreeMap::new(),
            kept: 0,
            joined: false,
            shifted: false,
        }
    }

    /// Whether ways join at all.
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// Whether this way ends because it, or another one, went on from there in this state. If not,
    /// the state is kept as one from which it goes on. `known_answers` are those of the values of
    /// the program on this way, and `before`, how many they were before each condition that is not known.
    pub(crate) fn ends(
        &mut self,
        flow: &Flow,
        at: WayPlace,
        state: S,
        (known_answers, before): (&KnownAnswers, &[usize]),
    ) -> Option<KnownState> {
        let here = self.states.entry(at.place).or_default();
        let Some(known) = here.iter().find(|known| known.state.covers(&state)) else {
            if self.kept < MOST_PLACES {
                self.kept += 1;
                here.push(KnownPlace {
                    state,
                    answers: flow.answers(),
                    moves: at.moves,
                    then: at.now,
                    known_answers: known_answers.first().to_vec(),
                });
            }
            return None;
        };
        // They may be very many, and are copied here alone.
        let answers = flow.answers();
        let mut both = known.answers.iter().zip(&answers);
        if let Some(parted_at) = both.position(|(a, b)| a != b) {
            // Answers before that are the same ones.
            let since = before.get(parted_at).copied().unwrap_or(0);
            let own = known_answers.first();
            let is_whole = known_answers.count() == own.len();
            let are_same = || known.known_answers.get(since..) == own.get(since..);
            let asks_alone = known_answers.count() > since && !(is_whole && are_same());
            if asks_alone {
                return None;
            }
            self.joined = true;
            self.shifted |= known.moves != at.moves;
            return Some(KnownState::OfAnother);
        }
        // With as many answers it is this very place, on a way that begins likewise.
        let then = known.then;
        (known.answers.len() < answers.len()).then_some(KnownState::OfThis { then })
    }

    /// Whether a way has ended so, and its whole motion is not the one that is left. Where only one
    /// is left, the other ones begin as it does, and go on at the same move.
    fn have_joined(&self, left: usize) -> bool {
        self.shifted || self.joined && left > 1
    }
}

/// One way, and where it may end because another one went on from there.
#[derive(Debug, Default)]
pub(crate) struct Joining {
    /// How often the values of the program had answered before the statement that asked for each of
    /// the conditions that are not known.
    before: Vec<usize>,
    /// And before this statement.
    now: usize,
}

impl Joining {
    /// Whether the way ends at this place, because another way or this one went on from there in the
    /// same state. To be asked behind every statement; `meets` says that courses of the program that
    /// part at conditions may meet there again. No state: it does not say for certain how the arm
    /// passes the point where it is.
    ///
    /// Where the values of the program have answered something else since the two ways parted, each is
    /// followed by itself: a loop in which an answer never changes is told by the way that goes round
    /// it.
    pub(crate) fn ends<S: JoinState>(
        &mut self,
        at: WayPlace,
        meets: bool,
        state: impl FnOnce() -> Option<S>,
        (answers, flow): (&KnownAnswers, &Flow),
        ways: &RefCell<WaysJoin<S>>,
    ) -> Option<KnownState> {
        let before = std::mem::replace(&mut self.now, answers.count());
        let decisions = flow.decisions();
        let is_new = decisions > self.before.len();
        self.before.resize(decisions, before);
        let may_meet = is_new || meets && decisions > 0;
        if !may_meet || !ways.borrow().is_on() {
            return None;
        }
        let state = state()?;
        let known = (answers, &self.before[..]);
        ways.borrow_mut().ends(flow, at, state, known)
    }
}

/// Whether a way ends, because it or another one was in this state before; which is recorded.
pub(crate) fn ends_way(
    known: Option<KnownState>,
    answers: &KnownAnswers,
    record: &mut MoveRecord,
) -> bool {
    match known {
        Some(KnownState::OfAnother) => record.joins(),
        Some(KnownState::OfThis { then }) => answers.goes_round(then, record),
        None => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clearance_proof::report::Location;

    use super::*;
    use crate::flow::Way;

    impl JoinState for usize {
        fn covers(&self, other: &Self) -> bool {
            self == other
        }
    }

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
        let mut join = WaysJoin::new(true);
        let follow = |flow: &mut Flow| {
            let mut state = 0;
            loop {
                let [a, b] =
                    [1, 2].map(|line| flow.decide(&Location::at("a".as_ref(), line, None), "x"));
                let before = state;
                state = next(state, a, b);
                gone.insert((before, state));
                let at = WayPlace {
                    place: 0,
                    moves: 0,
                    now: 0,
                };
                if join
                    .ends(flow, at, state, (&KnownAnswers::default(), &[]))
                    .is_some()
                {
                    return;
                }
            }
        };
        let mut none = OneSidedConditions::default();
        let found = ways(
            Bounds::default(),
            &mut none,
            follow,
            |ways, way: Way<()>| {
                ways.push(way);
            },
        );
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
