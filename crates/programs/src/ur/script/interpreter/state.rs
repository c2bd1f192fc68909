//! What the rest of a script depends on, and where ways join.

use std::collections::BTreeMap;
use std::sync::Arc;

use nalgebra::Isometry3;

use clearance_proof::model::moves::Unknown;

use super::{ScriptInterpreter, Variables};
use crate::answers::KnownAnswers;
use crate::block::arm::{at_pose, is_unsettled, passed};
use crate::comes_back::StateAtPose;
use crate::ur::script::effects::DefinedFunction;
use crate::ur::script::syntax::{ScriptExpression, ScriptStatement};
use crate::value::{Known, Value};
use crate::ways_join::{JoinState, KnownState, WayPlace};

/// The place behind a statement, and the one before each round of a loop: different ones, whatever
/// else stands there.
pub(super) fn behind(statement: &ScriptStatement) -> usize {
    2 * (std::ptr::from_ref(statement) as usize)
}

pub(super) fn before_loop(condition: &ScriptExpression) -> usize {
    2 * (std::ptr::from_ref(condition) as usize) + 1
}

/// The values on which the rest of a program depends, where a loop begins again.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::ur::script) struct ScriptState {
    scopes: Vec<Variables>,
    functions: Vec<DefinedFunction>,
    /// Variables that running threads change, and why they are not known.
    shared: BTreeMap<Arc<str>, Arc<Unknown>>,
    tool: Known<Isometry3<f64>>,
    /// The moves since joint values were stated: by poses alone the arm may come back with a wrist
    /// that is a turn further.
    passed: Vec<Value>,
    /// The radius of the corner at the last point.
    radius: Option<f64>,
    lost: bool,
}

impl JoinState for ScriptState {
    fn covers(&self, other: &Self) -> bool {
        self == other
    }
}

impl ScriptInterpreter<'_> {
    /// Whether the way ends behind this statement, or before this loop, because it or another one went
    /// on from there in the same state. Only where the arm stops, and outside of functions and
    /// counted loops, where the state is all that the rest of the program depends on.
    pub(super) fn ends_at(&mut self, place: usize, state: &ScriptState) -> bool {
        if state.lost || is_unsettled(self.controller, self.record.moves()) {
            return false;
        }
        let at = WayPlace {
            place,
            moves: self.record.moves().len(),
            now: 0,
        };
        // Variables of a script are its own.
        let nothing = KnownAnswers::default();
        let mut ways_join = self.ways_join.borrow_mut();
        match ways_join.ends(self.flow, at, state.clone(), (&nothing, &[])) {
            Some(KnownState::OfAnother) => self.record.joins(),
            Some(KnownState::OfThis { .. }) => self.record.goes_round(),
            None => return false,
        }
        true
    }

    /// Whether the state is all that the rest of the program depends on.
    pub(super) fn may_end(&self) -> bool {
        let stops = self.radii.last().is_some_and(|radius| *radius == 0.0);
        self.ways_join.borrow().is_on()
            && stops
            && self.flow.calls() == 0
            && self.counted_loops == 0
    }

    /// The state with the arm at its pose.
    pub(super) fn state_at_pose(&self) -> Option<StateAtPose<ScriptState>> {
        let at_pose = at_pose(self.controller, self.record.moves())?;
        Some(at_pose.map(|passed| self.state_where(passed)))
    }

    pub(super) fn state(&self) -> ScriptState {
        self.state_where(passed(self.controller, self.record.moves()))
    }

    /// `passed`: the moves that say where the arm is.
    fn state_where(&self, passed: Vec<Value>) -> ScriptState {
        let values = self.scopes.iter().flat_map(BTreeMap::values);
        self.flow.count(values.map(Value::size).sum());
        self.flow.count(passed.iter().map(Value::size).sum());
        ScriptState {
            scopes: self.scopes.clone(),
            functions: self.functions.defined(),
            shared: self.shared.clone(),
            tool: self.tool.clone(),
            passed,
            radius: self.radii.last().copied(),
            lost: self.record.is_lost(),
        }
    }
}
