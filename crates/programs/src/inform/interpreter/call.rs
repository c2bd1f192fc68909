//! Calls of other jobs.

use std::collections::BTreeMap;
use std::rc::Rc;

use clearance_proof::report::Location;

use super::super::job::InformJob;
use super::{InformCaller, InformInterpreter, InformVariable};
use crate::lines::interpreter::LineInterpreter;
use crate::lines::{NextLine, known_by};
use crate::value::{Fault, Value};

impl InformInterpreter<'_> {
    /// The job of this name; none: it keeps the arm still, and is passed over.
    pub(super) fn other_job(
        &mut self,
        name: &str,
        from: &InformJob,
        place: &Location,
    ) -> Result<Option<Rc<InformJob>>, Fault> {
        let Some(job) = self.called(from, name, place)? else {
            self.way.record.pass_over(&format!("CALL {name}"));
            return Ok(None);
        };
        self.is_whole(place)?;
        if let Some(written) = self.passes_by(name, &job) {
            let is_kept = |v: &&InformVariable| {
                !(self.way.text.unread.contains(**v) || self.way.text.waited.contains(**v))
            };
            for &variable in written.iter().filter(is_kept) {
                let reason = "it is set by a job that is not followed";
                self.way
                    .state
                    .variables
                    .insert(variable, Value::unknown(place, reason));
            }
            self.way.record.pass_over(&format!("CALL {name}"));
            return Ok(None);
        }
        Ok(Some(job))
    }

    pub(super) fn call(
        &mut self,
        name: &str,
        from: &InformJob,
        place: &Location,
    ) -> Result<NextLine, Fault> {
        let Some(job) = self.other_job(name, from, place)? else {
            return Ok(NextLine::Line);
        };
        self.way.flow.enter(place)?;
        let own = self.replace_locals(BTreeMap::new());
        self.way.callers.push(InformCaller {
            job: known_by(&from.name),
            place: place.clone(),
            locals: own.clone(),
        });
        let ended = self.run(&job)?;
        self.way.callers.pop();
        self.replace_locals(own);
        self.way.flow.leave();
        match ended {
            NextLine::Line | NextLine::At(_) => {
                let reason = format!("the job `{name}` has no END: it is cut off");
                Err(Fault::new(place, reason))
            }
            ended => Ok(ended),
        }
    }
}
