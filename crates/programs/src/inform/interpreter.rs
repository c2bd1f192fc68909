//! One way through a job, instruction by instruction.

mod assign;
mod call;
mod jump;
pub(super) mod kept;
mod load;
mod motion;
mod operands;
mod state;
mod stays_still;
mod unread;
mod variable;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use clearance_proof::model::moves::Unknown;
use clearance_proof::report::Location;

use super::backup::InformBackup;
use super::job::{InformJob, InformPoint, PointKind};
use crate::answers::SharedValue;
use crate::controller::ControlledArm;
use crate::flow::Flow;
use crate::lines::cursor::LineCursor;
use crate::lines::interpreter::LineInterpreter;
use crate::lines::unread::UsesValues;
use crate::lines::waited::MAY_SET_TOO;
use crate::lines::way::{LineJumpsBack, LineWay};
use crate::lines::{NextLine, SourceLine, arithmetic, known_by, may_set};
use crate::record::MoveRecord;
use crate::value::{Fault, Value};
use jump::{IF, WHILE, back, is_job, label_at, skip};
use motion::Arc;
use operands::Operand;
use state::InformCaller;
use variable::{InformVariable, VariableKind};
use words::{
    FORGETS, PASSED_OVER, has_another, is_own, names_variable, stands_alone, why_not_followed,
};

pub(super) struct InformInterpreter<'m> {
    way: LineWay<'m, InformJob>,
    backup: &'m InformBackup,
    /// Calls within which it is; jumps to other jobs are none.
    calls: usize,
    /// The job in which it goes on where this one ends.
    jumps_to: Option<Rc<InformJob>>,
}

impl<'m> InformInterpreter<'m> {
    pub(super) fn new(way: LineWay<'m, InformJob>, backup: &'m InformBackup) -> Self {
        Self {
            way,
            backup,
            calls: 0,
            jumps_to: None,
        }
    }

    /// Follows a job to its end.
    pub(super) fn follow(mut self, job: &Rc<InformJob>) -> MoveRecord {
        self.way.loads(&job.name);
        self.load(job);
        if let Err(fault) = self.run_jobs(job) {
            self.way.record.lose(fault);
        }
        if !self.way.record.is_lost()
            && let Err(fault) = self.end_arc(&job.groups_at)
        {
            self.way.record.lose(fault);
        }
        self.way.record
    }

    /// Follows a job, and those to which jobs jump.
    fn run_jobs(&mut self, job: &Rc<InformJob>) -> Result<(), Fault> {
        let mut job = job.clone();
        // Jobs that jump to one another go round as the lines of one job do.
        let mut jumps = LineJumpsBack::<InformJob>::default();
        let mut jobs: BTreeMap<String, usize> = BTreeMap::new();
        loop {
            if !matches!(self.run(&job)?, NextLine::End | NextLine::Return) {
                let place = job.lines.last().map_or(&job.groups_at, |l| &l.place);
                return Err(Fault::new(place, "the job has no END: it is cut off"));
            }
            let Some(next) = self.jumps_to.take() else {
                return Ok(());
            };
            self.replace_locals(BTreeMap::new());
            let place = jobs.len();
            let to = *jobs.entry(known_by(&next.name)).or_insert(place);
            if self.way.jumps_back(&mut jumps, to) {
                return Ok(());
            }
            job = next;
        }
    }

    fn instruction(
        &mut self,
        job: &Rc<InformJob>,
        at: usize,
        line: &SourceLine,
    ) -> Result<NextLine, Fault> {
        let place = &line.place;
        let mut cursor = LineCursor::new(&line.text);
        if let Some(label) = line.text.strip_prefix('*') {
            stands_alone(label, place)?;
            return Ok(NextLine::Line);
        }
        if cursor.is_done() {
            return Ok(NextLine::Line);
        }
        let word = cursor.word().to_owned();
        match word.as_str() {
            _ if PASSED_OVER.contains(&word.as_str()) && !has_another(&word, cursor.rest()) => {
                self.way.record.pass_over(&word);
                Ok(NextLine::Line)
            }
            "MOVJ" | "MOVL" | "MOVC" | "IMOV" => {
                self.motion(job, &word, &mut cursor, place)?;
                Ok(NextLine::Line)
            }
            "END" if cursor.is_done() => Ok(NextLine::Return),
            "RET" => self.when(&mut cursor, place, |_| Ok(NextLine::Return)),
            "PAUSE" => self.when(&mut cursor, place, |interpreter| {
                // It stops there until somebody lets it go on.
                interpreter.way.record.pass_over("PAUSE");
                Ok(NextLine::Line)
            }),
            "ABORT" if cursor.is_done() => Ok(NextLine::End),
            "JUMP" if cursor.eat("*") => {
                let label = cursor.until(char::is_whitespace).to_owned();
                let target = label_at(job, &label, place)?;
                if self.way.text.unread.passes_by(&job.name, at) && cursor.eat_word("IF") {
                    self.pass_by(&mut cursor, place)?;
                    return Ok(NextLine::Line);
                }
                if job.polls(at).is_some() {
                    self.forget_brought(place);
                }
                self.when(&mut cursor, place, |_| Ok(NextLine::At(target)))
            }
            "JUMP" if is_job(&mut cursor) => self.jump_to_job(job, &mut cursor, place),
            "CALL" if is_job(&mut cursor) => self.call_job(job, &mut cursor, place),
            "IFTHENEXP" | "IFTHEN" if self.way.text.unread.passes_by(&job.name, at) => {
                self.pass_by(&mut cursor, place)?;
                self.otherwise(job, at)
            }
            "IFTHENEXP" | "IFTHEN" => {
                if self.holds(&mut cursor, place)? {
                    Ok(NextLine::Line)
                } else {
                    self.otherwise(job, at)
                }
            }
            // The branch before has been gone through.
            "ELSEIFEXP" | "ELSEIF" | "ELSE" => Ok(NextLine::At(
                skip(self.way.flow, job, at, &["ENDIF"], &IF)? + 1,
            )),
            "ENDIF" if cursor.is_done() => Ok(NextLine::Line),
            "WHILEEXP" | "WHILE" => {
                if job.polls(at).is_some() {
                    self.forget_brought(place);
                }
                if self.holds(&mut cursor, place)? {
                    Ok(NextLine::Line)
                } else {
                    Ok(NextLine::At(
                        skip(self.way.flow, job, at, &["ENDWHILE"], &WHILE)? + 1,
                    ))
                }
            }
            "ENDWHILE" if cursor.is_done() => Ok(NextLine::At(back(self.way.flow, job, at)?)),
            "SET" | "ADD" | "SUB" | "MUL" | "DIV" | "INC" | "DEC" => {
                self.assign(&word, job, &mut cursor, place)?;
                Ok(NextLine::Line)
            }
            "WAIT" => {
                self.wait(&line.text, &mut cursor, place)?;
                Ok(NextLine::Line)
            }
            "CLEAR" => {
                self.clear(&mut cursor, place)?;
                Ok(NextLine::Line)
            }
            _ if FORGETS.contains(&word.as_str()) => {
                self.forget(&word, &mut cursor, place)?;
                Ok(NextLine::Line)
            }
            _ if !word.is_empty()
                && !is_own(&word)
                && !has_another(&word, cursor.rest())
                && self.way.controller.is_still(&word) =>
            {
                self.forget_named(&word, cursor.rest(), place);
                self.way.record.pass_over(&word);
                Ok(NextLine::Line)
            }
            _ => Err(Fault::new(place, why_not_followed(&line.text, &word))),
        }
    }

    /// `WAIT B000=1 T=1.00`
    fn wait(&mut self, line: &str, cursor: &mut LineCursor, place: &Location) -> Result<(), Fault> {
        let not_understood = || Fault::new(place, why_not_followed(line, "WAIT"));
        if has_another("WAIT", cursor.rest()) {
            return Err(not_understood());
        }
        let (asked, time) = match cursor.rest().split_once(" T=") {
            Some((asked, time)) => (asked, Some(time)),
            None => (cursor.rest(), None),
        };
        if let Some(time) = time {
            let mut cursor = LineCursor::new(time);
            self.value(&mut cursor, place)?.number(place)?.ok();
            if !cursor.is_done() {
                return Err(not_understood());
            }
        }
        if names_variable(asked) {
            match InformJob::waits_for(line) {
                Some(waited) if waited.iter().all(|v| self.way.text.waited.contains(*v)) => {
                    self.forget_brought(place);
                }
                _ => {
                    let reason = "this waits for a variable of which only the controller knows the number, or one of the job alone: what something else writes into it is not known";
                    self.way.record.unknown(Fault::new(place, reason));
                }
            }
        }
        self.way.record.pass_over("WAIT");
        Ok(())
    }

    /// What sets a variable for which the job waits may set the others of all jobs too, and position
    /// variables: not those of which the cell says so.
    fn forget_brought(&mut self, place: &Location) {
        let all: BTreeSet<_> = (self.way.state.variables.keys())
            .filter_map(|variable| variable.shared())
            .collect();
        self.forget_shared(&all, place);
        let controller = self.way.controller;
        (self.way.state.changed)
            .retain(|number, _| controller.is_still_by_name(&format!("P{number:03}")));
        self.way
            .state
            .positions_open_since
            .get_or_insert_with(|| place.clone());
    }

    /// Does something, unless the instruction ends with a condition that does not hold.
    fn when(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
        then: impl FnOnce(&mut Self) -> Result<NextLine, Fault>,
    ) -> Result<NextLine, Fault> {
        let holds = match cursor.is_done() {
            true => true,
            false if cursor.eat_word("IF") => self.holds(cursor, place)?,
            false => {
                let reason = format!("`{}` is not understood", cursor.rest());
                return Err(Fault::new(place, reason));
            }
        };
        if holds {
            then(self)
        } else {
            Ok(NextLine::Line)
        }
    }

    /// From a condition that does not hold to the next branch.
    fn otherwise(&mut self, job: &InformJob, mut at: usize) -> Result<NextLine, Fault> {
        loop {
            at = skip(
                self.way.flow,
                job,
                at,
                &["ELSEIFEXP", "ELSEIF", "ELSE", "ENDIF"],
                &IF,
            )?;
            let line = &job.lines[at];
            let mut cursor = LineCursor::new(&line.text);
            let holds = match cursor.word() {
                // `skip` has seen that nothing stands behind it.
                "ELSE" | "ENDIF" => true,
                _ => self.holds(&mut cursor, &line.place)?,
            };
            if holds {
                return Ok(NextLine::At(at + 1));
            }
        }
    }

    pub(super) fn variable(&self, variable: InformVariable, place: &Location) -> Value {
        self.way.value(variable).unwrap_or_else(|| {
            let reason = if variable.kind.own {
                format!("the job has not set `{variable}` before")
            } else {
                format!("the value of `{variable}` is from before the program")
            };
            Value::unknown(place, reason)
        })
    }

    /// Puts the variables of one call of a job in the place of those of another one.
    fn replace_locals(
        &mut self,
        others: BTreeMap<InformVariable, Value>,
    ) -> BTreeMap<InformVariable, Value> {
        let all = std::mem::take(&mut self.way.state.variables);
        let (own, shared) = (all.into_iter()).partition(|(variable, _)| variable.kind.own);
        self.way.state.variables = shared;
        self.way.state.variables.extend(others);
        own
    }

    /// Refuses a position that something else may have set.
    fn nobody_else_sets(&self, name: &str) -> Result<(), Fault> {
        match &self.way.state.positions_open_since {
            Some(told) if !self.way.controller.is_still_by_name(name) => {
                Err(Fault::new(told, may_set(name)))
            }
            _ => Ok(()),
        }
    }

    /// A position.
    pub(super) fn point(
        &self,
        job: &InformJob,
        kind: PointKind,
        number: u32,
        place: &Location,
    ) -> Result<InformPoint, Fault> {
        let found = match kind {
            PointKind::Variable => match self.way.state.changed.get(&number) {
                Some(own) => Some(own),
                None => {
                    let name = format!("P{number:03}");
                    self.nobody_else_sets(&name)?;
                    if let Some(reason) = self.way.text.kept.why(PointKind::Variable, number, &name)
                    {
                        return Err(Fault::new(place, reason));
                    }
                    self.way.state.listed.get(&number)
                }
            },
            PointKind::BaseVariable | PointKind::StationVariable => {
                let name = match kind {
                    PointKind::BaseVariable => format!("BP{number:03}"),
                    _ => format!("EX{number:03}"),
                };
                self.nobody_else_sets(&name)?;
                if let Some(reason) = self.way.text.kept.why(kind, number, &name) {
                    return Err(Fault::new(place, reason));
                }
                if self.way.state.others_changed.contains(&number) {
                    let reason = "the position is computed while the program runs";
                    return Err(Fault::new(place, reason));
                }
                job.points.get(&(kind, number))
            }
            _ => job.points.get(&(kind, number)),
        };
        found.cloned().ok_or_else(|| {
            Fault::new(
                place,
                format!("the position {number} is not in the job's list"),
            )
        })
    }
}

impl<'m> LineInterpreter<'m> for InformInterpreter<'m> {
    type Program = InformJob;

    fn way(&mut self) -> &mut LineWay<'m, InformJob> {
        &mut self.way
    }

    fn load(&mut self, job: &InformJob) {
        self.take_over(job);
    }

    fn statement(&mut self, job: &Rc<InformJob>, at: usize) -> Result<NextLine, Fault> {
        let line = &job.lines[at];
        let next = self.instruction(job, at, line)?;
        if !matches!(next, NextLine::Line) {
            self.is_whole(&line.place)?;
        }
        Ok(next)
    }

    /// Not within an arc.
    fn may_join(&self) -> bool {
        self.way.state.arc == Arc::None
    }

    fn may_be_set(&self, &(letter, number): &SharedValue) -> bool {
        let name = format!("{letter}{number:03}");
        !self.way.controller.is_still_by_name(&name)
    }

    fn forget_shared(&mut self, set: &BTreeSet<SharedValue>, place: &Location) {
        let all = self.way.state.variables.keys().copied();
        let is_set = |variable: &InformVariable| {
            let is_shared = variable.shared().is_some_and(|v| set.contains(&v));
            is_shared && !self.way.controller.is_still_by_name(&variable.to_string())
        };
        let shared: Vec<_> = all.filter(is_set).collect();
        for variable in shared {
            let read = self.way.answers.reads_so_far();
            self.set_variable(variable, Value::unknown(place, MAY_SET_TOO), read);
        }
    }
}
