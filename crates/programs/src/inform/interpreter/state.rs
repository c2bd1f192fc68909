//! What instructions set.

use std::collections::{BTreeMap, BTreeSet};

use clearance_proof::report::Location;

use super::motion::Arc;
use super::variable::InformVariable;
use super::{InformJob, InformPoint};
use crate::lines::SourceLine;
use crate::lines::cursor::LineCursor;
use crate::lines::way::{LineProgram, LineState};
use crate::value::Value;

/// All that the rest of a way depends on, beside where the arm is.
#[derive(Clone, PartialEq, Default)]
pub(in crate::inform) struct InformState {
    /// The job's own and those that all jobs share.
    pub(super) variables: BTreeMap<InformVariable, Value>,
    /// Position variables as the jobs' lists have them.
    pub(super) listed: BTreeMap<u32, InformPoint>,
    /// Those that the program has changed.
    pub(super) changed: BTreeMap<u32, InformPoint>,
    /// The numbers of `BP` and `EX` that it has changed.
    pub(super) others_changed: BTreeSet<u32>,
    /// Since where something else may have set position variables.
    pub(super) positions_open_since: Option<Location>,
    pub(super) arc: Arc,
    /// Whether the arm is on a carriage, as a job that has run says.
    pub(super) on_carriage: bool,
    pub(super) external_axes: ExternalAxes,
}

/// Where axes beside the arm stand, as moves say it.
#[derive(Clone, Default, PartialEq)]
pub(in crate::inform) struct ExternalAxes {
    /// Of what carries the arm.
    pub(super) carrier: Option<Vec<f64>>,
    /// Of stations.
    pub(super) station: Option<Vec<f64>>,
}

/// A job that has called another one, or has jumped there.
#[derive(Clone, PartialEq)]
pub(in crate::inform) struct InformCaller {
    pub(super) job: String,
    pub(super) place: Location,
    pub(super) locals: BTreeMap<InformVariable, Value>,
}

impl LineState for InformState {
    type Value = InformVariable;

    fn values(&self) -> &BTreeMap<InformVariable, Value> {
        &self.variables
    }

    fn values_mut(&mut self) -> &mut BTreeMap<InformVariable, Value> {
        &mut self.variables
    }

    fn size(&self) -> usize {
        self.variables.len() + self.changed.len() + self.listed.len()
    }
}

impl LineProgram for InformJob {
    type State = InformState;
    type Caller = InformCaller;

    fn lines(&self) -> &[SourceLine] {
        &self.lines
    }

    fn meet_at(&self, line: usize) -> bool {
        let text = |line: usize| self.lines.get(line).map_or("", |line| &line.text);
        let behind = |line: usize| {
            let word = LineCursor::new(text(line)).word();
            matches!(word, "ENDIF" | "ENDWHILE" | "CALL")
        };
        text(line).starts_with('*') || line.checked_sub(1).is_some_and(behind)
    }
}
