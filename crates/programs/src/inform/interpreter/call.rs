//! Calls of other jobs.

use std::collections::BTreeMap;
use std::rc::Rc;

use clearance_proof::report::Location;

use super::super::job::InformJob;
use super::{Caller, InformInterpreter, InformVariable};
use crate::controller::STILL;
use crate::lines::{NextLine, known_by, other_name};
use crate::value::{Fault, Value};

impl InformInterpreter<'_> {
    /// The job of this name; none: it keeps the arm still, and is passed over.
    pub(super) fn other_job(
        &mut self,
        name: &str,
        from: &InformJob,
        place: &Location,
    ) -> Result<Option<Rc<InformJob>>, Fault> {
        let Some(job) = self
            .jobs
            .borrow_mut()
            .find(from, name, self.options)
            .map_err(|e| Fault::new(place, format!("the job `{name}` is not read: {e}")))?
        else {
            // Of a job that can be followed, what the cell says does not count.
            if self.controller.is_still(name) {
                self.record.pass_over(&format!("CALL {name}"));
                return Ok(None);
            }
            return Err(Fault::new(
                place,
                format!(
                    "there is no `{name}.JBI` beside this job; if it {STILL}, write `still = [\"{name}\"]` in the robot's `controller`"
                ),
            ));
        };
        let known = known_by(name);
        if self.loaded.insert(known.clone()) {
            self.load(&job);
        }
        if known_by(&job.name) != known {
            let reason = other_name("job", &job.path, &job.name);
            return Err(Fault::new(place, reason));
        }
        self.is_whole(place)?;
        let passed =
            self.jobs
                .borrow_mut()
                .passes_by(name, &job, self.controller, self.options, self.flow);
        if let Some(written) = passed {
            let is_kept =
                |v: &&InformVariable| !(self.unread.contains(**v) || self.waited.contains(**v));
            for &variable in written.iter().filter(is_kept) {
                let reason = "it is set by a job that is not followed";
                self.variables
                    .insert(variable, Value::unknown(place, reason));
            }
            self.record.pass_over(&format!("CALL {name}"));
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
        self.flow.enter(place)?;
        let own = self.replace_locals(BTreeMap::new());
        self.callers.push(Caller {
            job: known_by(&from.name),
            place: place.clone(),
            locals: own.clone(),
        });
        let ended = self.job(&job)?;
        self.callers.pop();
        self.replace_locals(own);
        self.flow.leave();
        match ended {
            NextLine::Line | NextLine::At(_) => {
                let reason = format!("the job `{name}` has no END: it is cut off");
                Err(Fault::new(place, reason))
            }
            ended => Ok(ended),
        }
    }
}
