//! One way through programs of lines, whichever language they are in: what is known on it, where loops
//! come back to, and where ways join.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use clearance_proof::model::moves::Move;

use super::arm::{at_pose, is_certain, tail};
use super::at_hand::{CalledProgram, ProgramsAtHand};
use super::kept::{KeptChanges, kept_changes};
use super::unread::UnreadValues;
use super::waited::WaitedValues;
use super::{SourceLine, known_by};
use crate::Options;
use crate::answers::{KnownAnswers, SharedValue};
use crate::comes_back::{JumpsBack, StateAtPose};
use crate::controller::ControlledArm;
use crate::flow::Flow;
use crate::one_sided::JustSet;
use crate::record::MoveRecord;
use crate::value::{Value, map_covers};
use crate::ways_join::{JoinState, Joining, WayPlace, WaysJoin, ends_way};

/// A program that is followed line by line.
pub(crate) trait LineProgram: CalledProgram {
    /// What its statements and those that they call have set.
    type State: LineState<Value = Self::Value>;
    /// A program that has called another one, with what counts there when it goes on.
    type Caller: Clone + PartialEq;

    fn lines(&self) -> &[SourceLine];

    /// Whether courses that part at conditions may meet before this line: at a label, or behind a
    /// block or a call.
    fn meet_at(&self, line: usize) -> bool;
}

/// What statements set: all that the rest of a way depends on, beside where the arm is.
pub(crate) trait LineState: Clone + PartialEq + Default {
    /// A register or variable.
    type Value: Ord;

    /// The values of those that were set.
    fn values(&self) -> &BTreeMap<Self::Value, Value>;

    fn values_mut(&mut self) -> &mut BTreeMap<Self::Value, Value>;

    /// How much is copied with it.
    fn size(&self) -> usize;
}

/// All programs that may run, and what is found in their text.
pub(crate) struct ProgramTexts<P: CalledProgram> {
    /// Those that were read, on whichever way.
    pub(crate) at_hand: RefCell<ProgramsAtHand<P>>,
    /// The changes of what the controller keeps.
    pub(crate) kept: KeptChanges<P::Kept>,
    /// The values that nobody reads: they are never set.
    pub(crate) unread: UnreadValues<P::Value>,
    /// The values that something else sets.
    pub(crate) waited: WaitedValues<P::Value>,
}

impl<P: CalledProgram> ProgramTexts<P> {
    /// Of a program that is followed, and all that it may call.
    pub(crate) fn of(program: &Rc<P>, options: &Options) -> Self {
        let mut at_hand = ProgramsAtHand::default();
        let programs = at_hand.all_from(program, options);
        Self {
            at_hand: RefCell::new(at_hand),
            kept: kept_changes(&programs),
            unread: UnreadValues::of(&programs),
            waited: WaitedValues::of(&programs),
        }
    }
}

/// One way while it is followed.
pub(crate) struct LineWay<'m, P: LineProgram> {
    pub(crate) controller: &'m ControlledArm<'m>,
    pub(crate) options: &'m Options<'m>,
    pub(crate) text: &'m ProgramTexts<P>,
    pub(crate) flow: &'m mut Flow,
    pub(crate) record: MoveRecord,
    pub(crate) state: P::State,
    /// Programs that have led to the one that is followed.
    pub(crate) callers: Vec<P::Caller>,
    pub(crate) answers: KnownAnswers,
    just_set: JustSet<SharedValue>,
    /// Whether a condition is read once more, with the other answers of its parts.
    pub(super) asks_parts: bool,
    /// How often it has jumped back.
    jumps_back: usize,
    /// Programs whose doubts are told: they are followed, or called.
    loaded: BTreeSet<String>,
    joining: Joining,
    ways_join: &'m RefCell<WaysJoin<LineJoinState<P>>>,
}

/// The state to which a jump back may come back: if all of it is as before, the program goes round for
/// ever.
#[derive(PartialEq)]
pub(crate) struct LineLoopState<S> {
    state: S,
    moves: Vec<Move>,
    /// How many moves were made, where the last of them do not say how the arm passes its point.
    uncertain: Option<usize>,
    just_set: BTreeSet<SharedValue>,
}

/// Jumps back in programs of this kind.
pub(crate) type LineJumpsBack<P> = JumpsBack<LineLoopState<<P as LineProgram>::State>>;

/// The state in which a way may join another one, which may have come from elsewhere.
pub(crate) struct LineJoinState<P: LineProgram> {
    program: String,
    values: BTreeMap<P::Value, Value>,
    /// All but these values.
    rest: LineLoopState<P::State>,
    callers: Vec<P::Caller>,
}

impl<P: LineProgram> JoinState for LineJoinState<P> {
    fn covers(&self, other: &Self) -> bool {
        self.program == other.program
            && map_covers(&self.values, &other.values)
            && self.rest == other.rest
            && self.callers == other.callers
    }
}

impl<'m, P: LineProgram> LineWay<'m, P> {
    /// At the start of a program.
    pub(crate) fn new(
        controller: &'m ControlledArm<'m>,
        options: &'m Options<'m>,
        text: &'m ProgramTexts<P>,
        ways_join: &'m RefCell<WaysJoin<LineJoinState<P>>>,
        flow: &'m mut Flow,
    ) -> Self {
        Self {
            controller,
            options,
            text,
            flow,
            record: MoveRecord::default(),
            state: P::State::default(),
            callers: Vec::new(),
            answers: KnownAnswers::default(),
            just_set: JustSet::default(),
            asks_parts: false,
            jumps_back: 0,
            loaded: BTreeSet::new(),
            joining: Joining::default(),
            ways_join,
        }
    }

    /// Whether a program of this name is loaded for the first time.
    pub(crate) fn loads(&mut self, name: &str) -> bool {
        self.loaded.insert(known_by(name))
    }

    /// How often time has passed in which something else may have set a value.
    fn time_passed(&self) -> usize {
        self.record.passed() + self.jumps_back
    }

    /// The value of a register or variable; none: it is from before the program.
    pub(crate) fn value(&self, of: P::Value) -> Option<Value> {
        let set = || self.state.values().get(&of).cloned();
        self.text.waited.why(of).or_else(set)
    }

    /// Sets a register or variable. Whether it was another value before; none: it is not kept, because
    /// nobody reads it, or because something else sets it as well.
    pub(crate) fn set(&mut self, of: P::Value, value: Value) -> Option<bool> {
        if self.text.unread.contains(of) || self.text.waited.contains(of) {
            return None;
        }
        let old = self.state.values_mut().insert(of, value);
        Some(old.as_ref() != self.state.values().get(&of))
    }

    /// The program sets a value that something else may set too.
    pub(crate) fn sets_now(&mut self, value: SharedValue) {
        let passed = self.time_passed();
        self.just_set.set(value, passed);
    }

    /// What the program has set since time last passed.
    pub(crate) fn just_set(&self) -> BTreeSet<SharedValue> {
        self.just_set.now(self.time_passed())
    }

    /// The program jumps back to this statement. Whether it has been there in the same state, and so
    /// goes round for ever; which is recorded.
    pub(crate) fn jumps_back(&mut self, jumps: &mut LineJumpsBack<P>, to: usize) -> bool {
        self.jumps_back += 1;
        let (state, at_pose) = (|| self.counted_state(), || self.state_at_pose());
        let repeated = jumps.back_to(to, self.answers.now(), state, at_pose);
        if let Some(repeated) = repeated {
            repeated.note(&self.answers, &mut self.record);
        }
        repeated.is_some()
    }

    /// Whether the way ends before this line because another one went on from there.
    pub(crate) fn joins(&mut self, program: &P, next: usize) -> bool {
        if self.record.is_lost() {
            return false;
        }
        let mut joining = std::mem::take(&mut self.joining);
        let state = || {
            let moves = self.counted_tail();
            is_certain(self.controller, &moves, self.record.moves()).then(|| {
                let mut rest = self.loop_state(moves);
                LineJoinState {
                    program: known_by(program.name()),
                    values: std::mem::take(rest.state.values_mut()),
                    rest,
                    callers: self.callers.clone(),
                }
            })
        };
        let at = WayPlace {
            place: next,
            moves: self.record.moves().len(),
            now: self.answers.now(),
        };
        let meets = program.meet_at(next);
        let from = (&self.answers, &*self.flow);
        let ends = joining.ends(at, meets, state, from, self.ways_join);
        self.joining = joining;
        ends_way(ends, &self.answers, &mut self.record)
    }

    /// All that the rest of the way depends on; what it takes to compare it is counted.
    fn counted_state(&self) -> LineLoopState<P::State> {
        self.loop_state(self.counted_tail())
    }

    /// The same with the arm at its pose.
    fn state_at_pose(&self) -> Option<StateAtPose<LineLoopState<P::State>>> {
        let at_pose = at_pose(self.controller, self.record.moves())?;
        Some(at_pose.map(|moves| self.loop_state(moves)))
    }

    fn counted_tail(&self) -> Vec<Move> {
        let moves = tail(self.controller, self.record.moves());
        self.flow.count(10 * (moves.len() + self.state.size()));
        moves
    }

    fn loop_state(&self, moves: Vec<Move>) -> LineLoopState<P::State> {
        let made = self.record.moves();
        LineLoopState {
            state: self.state.clone(),
            uncertain: (!is_certain(self.controller, &moves, made)).then_some(made.len()),
            moves,
            just_set: self.just_set(),
        }
    }
}
