//! What the rest of a way depends on, and where ways join.

use std::collections::{BTreeMap, BTreeSet};

use clearance_proof::model::moves::Move;
use clearance_proof::report::Location;

use super::motion::Arc as ArcOf;
use super::variable::InformVariable;
use super::{Caller, ExternalAxes, InformInterpreter, InformJob, InformPoint};
use crate::answers::SharedValue;
use crate::comes_back::StateAtPose;
use crate::lines::cursor::LineCursor;
use crate::lines::{at_pose, is_certain, known_by, tail};
use crate::value::{Value, map_covers};
use crate::ways_join::{JoinState, WayPlace, ends_way};

/// All that the rest of a way depends on.
#[derive(PartialEq)]
pub(super) struct InformState {
    variables: BTreeMap<InformVariable, Value>,
    points: BTreeMap<u32, InformPoint>,
    others_changed: BTreeSet<u32>,
    told: Option<Location>,
    tail: Vec<Move>,
    /// How many moves were made, where the last of them do not say how the arm passes its point.
    uncertain: Option<usize>,
    arc: ArcOf,
    listed: BTreeMap<u32, InformPoint>,
    external_axes: ExternalAxes,
    just_set: BTreeSet<SharedValue>,
}

/// The state in which a way may join another one, which may have come from elsewhere.
pub(in crate::inform) struct InformJoinState {
    job: String,
    variables: BTreeMap<InformVariable, Value>,
    /// All but the variables.
    rest: InformState,
    callers: Vec<Caller>,
}

impl JoinState for InformJoinState {
    fn covers(&self, other: &Self) -> bool {
        self.job == other.job
            && map_covers(&self.variables, &other.variables)
            && self.rest == other.rest
            && self.callers == other.callers
    }
}

impl InformInterpreter<'_> {
    /// All that the rest of the way depends on; what it takes to compare it is counted.
    pub(super) fn counted_state(&self) -> InformState {
        self.state(self.counted_tail())
    }

    /// The same with the arm at its pose.
    pub(super) fn state_at_pose(&self) -> Option<StateAtPose<InformState>> {
        let at_pose = at_pose(self.controller, self.record.moves())?;
        Some(at_pose.map(|moves| self.state(moves)))
    }

    fn counted_tail(&self) -> Vec<Move> {
        let tail = tail(self.controller, self.record.moves());
        let kept = self.variables.len() + self.changed.len() + self.listed.len();
        self.flow.count(10 * (tail.len() + kept));
        tail
    }

    fn state(&self, tail: Vec<Move>) -> InformState {
        let made = self.record.moves();
        InformState {
            variables: self.variables.clone(),
            points: self.changed.clone(),
            others_changed: self.others_changed.clone(),
            told: self.told.clone(),
            uncertain: (!is_certain(self.controller, &tail, made)).then_some(made.len()),
            tail,
            arc: self.arc.clone(),
            listed: self.listed.clone(),
            external_axes: self.external_axes.clone(),
            just_set: self.just_set.now(self.time_passed()),
        }
    }

    /// Whether the way ends before this line because another one went on from there.
    pub(super) fn joins(&mut self, job: &InformJob, next: usize) -> bool {
        if self.record.is_lost() || self.arc != ArcOf::None {
            return false;
        }
        let mut joining = std::mem::take(&mut self.joining);
        let state = || {
            let tail = self.counted_tail();
            is_certain(self.controller, &tail, self.record.moves()).then(|| {
                let mut rest = self.state(tail);
                InformJoinState {
                    job: known_by(&job.name),
                    variables: std::mem::take(&mut rest.variables),
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
        let meets = meet_at(job, next);
        let from = (&self.answers, &*self.flow);
        let ends = joining.ends(at, meets, state, from, self.ways_join);
        self.joining = joining;
        ends_way(ends, &self.answers, &mut self.record)
    }
}

/// Whether courses that part at conditions may meet before this line: at a label, or behind a block or
/// a call.
fn meet_at(job: &InformJob, line: usize) -> bool {
    let text = |line: usize| job.lines.get(line).map_or("", |line| &line.text);
    let behind = |line: usize| {
        let word = LineCursor::new(text(line)).word();
        matches!(word, "ENDIF" | "ENDWHILE" | "CALL")
    };
    text(line).starts_with('*') || line.checked_sub(1).is_some_and(behind)
}
