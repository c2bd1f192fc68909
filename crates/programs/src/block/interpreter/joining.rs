//! Where a way through a program ends because another one went on from there in the same state
//! ([`WaysJoin`]).
//!
//! The routines of a program are followed by functions that call themselves. What these keep aside
//! is a part of the state too: which calls and loops the place is in, how far counted loops go, and
//! which variable a counter hides. Where a function of the program is followed for the value of an
//! expression, the parts of it that were found before are kept aside as well; ways do not join there.

use super::*;

/// All that the rest of a way depends on. It is compared with that of ways that came from elsewhere,
/// so more belongs to it than to the [`State`] of a loop, in which calls, parameters and counters are
/// the same ones each time.
#[derive(Debug)]
pub(crate) struct BlockJoinState<L> {
    language: L,
    modules: BTreeMap<(usize, Name), Value>,
    system: BTreeMap<Name, Value>,
    calls: Vec<OpenCall>,
    loops: Vec<CountedLoop>,
    just_set: BTreeSet<Name>,
    /// As [`arm::passed`] answers it.
    passed: Vec<Value>,
}

impl<L: Language> JoinState for BlockJoinState<L> {
    fn covers(&self, other: &Self) -> bool {
        // What differs between the rounds of a loop comes first: very many states are compared.
        map_covers(&self.modules, &other.modules)
            && self.just_set.is_subset(&other.just_set)
            && self.calls == other.calls
            && self.loops == other.loops
            && self.language == other.language
            && self.system == other.system
            && self.passed == other.passed
    }
}

/// A routine that is followed.
#[derive(Debug, PartialEq)]
struct OpenCall {
    /// The call that led to it, by its address in the program.
    call: usize,
    /// By its address in the program.
    routine: usize,
    variables: BTreeMap<Name, HeldHere>,
}

/// What a variable of a routine holds.
#[derive(Debug, Clone, PartialEq)]
enum HeldHere {
    Value(Value),
    Same(VariablePlace),
    /// Nothing: a parameter that was left out.
    Absent,
    /// A value on which nothing depends.
    Any,
}

/// A loop that counts and is not at its end. Where it is, its counter says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CountedLoop {
    to: f64,
    by: f64,
    /// What the name of its counter means behind it.
    hides: Option<HeldHere>,
}

impl<L: Language> BlockInterpreter<'_, L> {
    /// A loop that counts begins. It is taken from `loops` when it is at its end.
    pub(super) fn opens_loop(&mut self, to: f64, by: f64, hides: Option<&Variable>) {
        // A variable of which nobody has asked yet what it holds is none of a routine.
        let hides = hides.map(|variable| held_here(variable).unwrap_or(HeldHere::Any));
        self.loops.push(CountedLoop { to, by, hides });
    }

    /// Whether the way ends behind this statement; which is recorded.
    pub(super) fn joins_behind(&mut self, statement: &Statement) -> bool {
        if !self.may_join {
            return false;
        }
        let is_routine = |call: &Call| self.program.routines.iter().any(|r| r.name == call.name);
        let meets = match &statement.what {
            StatementKind::If(..)
            | StatementKind::Switch(..)
            | StatementKind::For(_)
            | StatementKind::While(..)
            | StatementKind::Repeat(..)
            | StatementKind::Loop(_)
            | StatementKind::Label(_) => true,
            StatementKind::Call(call) => is_routine(call) || self.has_settled(&statement.place),
            _ => false,
        };
        let known = self.known_state(std::ptr::from_ref(statement) as usize, meets);
        // It may be the state of an earlier round of the program.
        if let Some(KnownState::OfThis { then }) = known
            && self.round_began.is_some_and(|began| then < began)
            && let Some(routine) = self.frames.first().map(|frame| frame.routine.clone())
        {
            self.goes_round_since(then, &routine);
            return true;
        }
        ends_way(known, &self.answers, &mut self.record)
    }

    /// Whether this statement has moved the arm to joint values that it states, or on from there: from
    /// elsewhere another way comes to the same state.
    fn has_settled(&self, place: &Location) -> bool {
        let states = |step: &Move| arm::states(step);
        match self.record.moves() {
            [.., before, last] if last.place == *place => {
                states(last) && last.zone == Zone::Stop || states(before)
            }
            _ => false,
        }
    }

    /// Whether a way was in this state at this place before. `meets`: courses that part at conditions
    /// may meet there.
    pub(super) fn known_state(&mut self, place: usize, meets: bool) -> Option<KnownState> {
        if !self.may_join || self.functions > 0 || self.is_over() {
            return None;
        }
        let at = WayPlace {
            place,
            moves: self.record.moves().len(),
            now: self.answers.now(),
        };
        let mut joining = std::mem::take(&mut self.joining);
        let from = (&self.answers, &*self.flow);
        let known = joining.ends(at, meets, || self.join_state(), from, self.ways_join);
        self.joining = joining;
        known
    }

    /// All that the rest of the way depends on; none: it cannot be compared.
    fn join_state(&self) -> Option<BlockJoinState<L>> {
        if self.apart || arm::is_unsettled(self.controller, self.record.moves()) {
            return None;
        }
        let value = |variable: &Variable| match &variable.holds {
            Holds::Value(value) => Some(value.clone()),
            _ => None,
        };
        let mut modules = BTreeMap::new();
        for (k, variables) in self.modules.iter().enumerate() {
            for (name, variable) in variables {
                let key = (k, name.clone());
                if !variable.constant && (self.counts(name) || self.set_beside.contains(&key)) {
                    modules.insert(key, value(variable)?);
                }
            }
        }
        let mut system = BTreeMap::new();
        for (name, variable) in &self.system {
            system.insert(name.clone(), value(variable)?);
        }
        let calls = self.frames.iter().map(|frame| self.open_call(frame));
        let state = BlockJoinState {
            language: self.language.clone(),
            modules,
            system,
            calls: calls.collect::<Option<_>>()?,
            loops: self.loops.clone(),
            just_set: self.just_set.now(self.time_passed()),
            passed: arm::passed(self.controller, self.record.moves()),
        };
        self.flow.count(state.size());
        Some(state)
    }

    fn open_call(&self, frame: &RoutineFrame) -> Option<OpenCall> {
        let mut variables = BTreeMap::new();
        for (name, variable) in &frame.variables {
            let held = match held_here(variable)? {
                HeldHere::Value(_) if !self.counted.compared.contains(name) => HeldHere::Any,
                held => held,
            };
            variables.insert(name.clone(), held);
        }
        Some(OpenCall {
            call: frame.call,
            routine: Rc::as_ptr(&frame.routine) as usize,
            variables,
        })
    }
}

impl<L> BlockJoinState<L> {
    /// How much is compared.
    fn size(&self) -> usize {
        let held = self.calls.iter().flat_map(|call| call.variables.values());
        let own = held.filter_map(|held| match held {
            HeldHere::Value(value) => Some(value),
            _ => None,
        });
        let all = self.modules.values().chain(self.system.values());
        all.chain(own).chain(&self.passed).map(Value::size).sum()
    }
}

/// None: nobody has asked for it yet, or somebody is about to.
fn held_here(variable: &Variable) -> Option<HeldHere> {
    match &variable.holds {
        Holds::Value(value) => Some(HeldHere::Value(value.clone())),
        Holds::Same(place) => Some(HeldHere::Same(place.clone())),
        Holds::Absent => Some(HeldHere::Absent),
        Holds::Declared(_) | Holds::Being => None,
    }
}
