//! One way through a job, instruction by instruction.

mod assign;
mod jump;
pub(super) mod kept;
mod load;
mod motion;
mod operands;
mod stays_still;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use clearance_formats::ImportError;
use clearance_proof::model::moves::{Move, Unknown};
use clearance_proof::report::Location;

use super::backup::InformBackup;
use super::job::{InformJob, InformPoint, PointKind};
use crate::Options;
use crate::answers::{JumpsBack, KnownAnswers};
use crate::controller::{ControlledArm, STILL};
use crate::flow::Flow;
use crate::lines::cursor::LineCursor;
use crate::lines::kept::KeptChanges;
use crate::lines::{
    MOST_MOVES, NextLine, SourceLine, arithmetic, known_by, other_name, stored_program, tail,
};
use crate::record::MoveRecord;
use crate::value::{Fault, Value};
use jump::{IF, WHILE, back, is_job, label_at, skip};
use motion::Arc as ArcOf;
use operands::Operand;

/// Instructions that neither move the arm nor change what does.
const PASSED_OVER: [&str; 11] = [
    "NOP", "DOUT", "TIMER", "PULSE", "AOUT", "MSG", "ADVINIT", "ADVSTOP", "SPEED", "SFTOF", "PRINT",
];

/// Instructions that change the variable or position that they name first.
const FORGETS: [&str; 19] = [
    "DIN", "GETS", "GETE", "SETE", "GETPOS", "CNVRT", "GETFILE", "SQRT", "SIN", "COS", "ATAN",
    "AND", "OR", "NOT", "XOR", "MULMAT", "INVMAT", "VAL", "LEN",
];

/// All that the rest of a way depends on.
#[derive(PartialEq)]
struct InformState {
    variables: BTreeMap<(char, u32), Value>,
    points: BTreeMap<u32, InformPoint>,
    tail: Vec<Move>,
    arc: ArcOf,
}

pub(super) struct InformInterpreter<'m> {
    pub(super) controller: &'m ControlledArm<'m>,
    pub(super) backup: &'m InformBackup,
    options: &'m Options<'m>,
    pub(super) flow: &'m mut Flow,
    pub(super) record: MoveRecord,
    /// Jobs that were read, by what they are known by; none: it is not there.
    jobs: BTreeMap<String, Option<Rc<InformJob>>>,
    /// Those that were taken over: they are called.
    loaded: BTreeSet<String>,
    /// What jobs write that the cell calls still; none: they are followed all the same.
    still: BTreeMap<String, Option<stays_still::WrittenVariables>>,
    /// By letter, in small letters those of the job alone (`LB000`), and number.
    variables: BTreeMap<(char, u32), Value>,
    /// Position variables as the jobs' lists have them.
    listed: BTreeMap<u32, InformPoint>,
    /// Those that the program has changed.
    changed: BTreeMap<u32, InformPoint>,
    answers: KnownAnswers,
    /// The changes of position variables, which the controller keeps.
    kept: &'m KeptChanges<PointKind>,
    /// Calls within which it is; jumps to other jobs are none.
    calls: usize,
    arc: ArcOf,
    /// Where the axes of stations stand (`false`), and of what carries the arm (`true`), as moves
    /// say it.
    pub(super) external_axes: BTreeMap<bool, Vec<f64>>,
}

impl<'m> InformInterpreter<'m> {
    pub(super) fn new(
        controller: &'m ControlledArm<'m>,
        backup: &'m InformBackup,
        options: &'m Options<'m>,
        kept: &'m KeptChanges<PointKind>,
        flow: &'m mut Flow,
    ) -> Self {
        Self {
            controller,
            backup,
            options,
            flow,
            record: MoveRecord::default(),
            jobs: BTreeMap::new(),
            loaded: BTreeSet::new(),
            still: BTreeMap::new(),
            variables: BTreeMap::new(),
            listed: BTreeMap::new(),
            changed: BTreeMap::new(),
            answers: KnownAnswers::default(),
            kept,
            calls: 0,
            arc: ArcOf::None,
            external_axes: BTreeMap::new(),
        }
    }

    /// Follows a job to its end.
    pub(super) fn follow(mut self, job: &Rc<InformJob>) -> MoveRecord {
        let known = known_by(&job.name);
        self.jobs.insert(known.clone(), Some(job.clone()));
        self.loaded.insert(known);
        self.load(job);
        if let Err(fault) = self.run(job) {
            self.record.lose(fault);
        }
        if !self.record.is_lost()
            && let Err(fault) = self.end_arc(&job.groups_at)
        {
            self.record.lose(fault);
        }
        self.record
    }

    fn run(&mut self, job: &Rc<InformJob>) -> Result<(), Fault> {
        match self.job(job)? {
            NextLine::End | NextLine::Return => Ok(()),
            _ => {
                let place = job.lines.last().map_or(&job.groups_at, |l| &l.place);
                Err(Fault::new(place, "the job has no END: it is cut off"))
            }
        }
    }

    fn job(&mut self, job: &Rc<InformJob>) -> Result<NextLine, Fault> {
        let mut jumps = JumpsBack::<InformState>::default();
        let mut at = 0;
        while let Some(line) = job.lines.get(at) {
            self.flow.step(&line.place)?;
            if self.record.moves().len() > MOST_MOVES {
                let reason = format!("more than {MOST_MOVES} moves are not followed");
                return Err(Fault::new(&line.place, reason));
            }
            let next = self.instruction(job, at, line)?;
            if !matches!(next, NextLine::Line) {
                self.is_whole(&line.place)?;
            }
            let next = match next {
                NextLine::Line => at + 1,
                NextLine::At(next) => next,
                ended => return Ok(ended),
            };
            if next <= at {
                let tail = tail(self.record.moves());
                let kept = self.variables.len() + self.changed.len();
                self.flow.count(10 * (tail.len() + kept));
                let state = || InformState {
                    variables: self.variables.clone(),
                    points: self.changed.clone(),
                    tail,
                    arc: self.arc.clone(),
                };
                if jumps.goes_round(next, state, &self.answers, &mut self.record) {
                    return Ok(NextLine::End);
                }
            }
            at = next;
        }
        Ok(NextLine::Line)
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
                self.record.pass_over(&word);
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
                interpreter.record.pass_over("PAUSE");
                Ok(NextLine::Line)
            }),
            "ABORT" if cursor.is_done() => Ok(NextLine::End),
            "JUMP" if cursor.eat("*") => {
                let label = cursor.until(char::is_whitespace).to_owned();
                let target = label_at(job, &label, place)?;
                self.when(&mut cursor, place, |_| Ok(NextLine::At(target)))
            }
            "JUMP" if is_job(&mut cursor) => self.jump_to_job(job, &mut cursor, place),
            "CALL" if is_job(&mut cursor) => self.call_job(job, &mut cursor, place),
            "IFTHENEXP" | "IFTHEN" => {
                if self.holds(&mut cursor, place)? {
                    Ok(NextLine::Line)
                } else {
                    self.otherwise(job, at)
                }
            }
            // The branch before has been gone through.
            "ELSEIFEXP" | "ELSEIF" | "ELSE" => {
                Ok(NextLine::At(skip(self.flow, job, at, &["ENDIF"], &IF)? + 1))
            }
            "ENDIF" if cursor.is_done() => Ok(NextLine::Line),
            "WHILEEXP" | "WHILE" => {
                if self.holds(&mut cursor, place)? {
                    Ok(NextLine::Line)
                } else {
                    Ok(NextLine::At(
                        skip(self.flow, job, at, &["ENDWHILE"], &WHILE)? + 1,
                    ))
                }
            }
            "ENDWHILE" if cursor.is_done() => Ok(NextLine::At(back(self.flow, job, at)?)),
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
                && self.controller.is_still(&word) =>
            {
                self.forget_named(&word, cursor.rest(), place);
                self.record.pass_over(&word);
                Ok(NextLine::Line)
            }
            _ => Err(Fault::new(place, why_not_followed(&line.text, &word))),
        }
    }

    /// `WAIT B000=1 T=1.00`
    fn wait(&mut self, line: &str, cursor: &mut LineCursor, place: &Location) -> Result<(), Fault> {
        let asked = cursor.rest();
        if has_another("WAIT", asked) {
            return Err(Fault::new(place, why_not_followed(line, "WAIT")));
        }
        if names_variable(asked.split(" T=").next().unwrap_or("")) {
            let reason =
                "this waits for a variable: what something else writes into it is not known";
            self.record.unknown(Fault::new(place, reason));
        }
        self.record.pass_over("WAIT");
        Ok(())
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
                self.flow,
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

    fn call(&mut self, name: &str, from: &InformJob, place: &Location) -> Result<NextLine, Fault> {
        let Some(job) = self
            .at_hand(from, name)
            .map_err(|e| Fault::new(place, format!("the job `{name}` is not read: {e}")))?
        else {
            // Of a job that can be followed, what the cell says does not count.
            if self.controller.is_still(name) {
                self.record.pass_over(&format!("CALL {name}"));
                return Ok(NextLine::Line);
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
        if let Some(written) = self.passes_by(name, &job) {
            for &variable in &*written {
                let reason = "it is set by a job that is not followed";
                self.variables
                    .insert(variable, Value::unknown(place, reason));
            }
            self.record.pass_over(&format!("CALL {name}"));
            return Ok(NextLine::Line);
        }
        self.flow.enter(place)?;
        let own = self.replace_locals(BTreeMap::new());
        let ended = self.job(&job)?;
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

    /// The job of a name, beside another one, if it is there.
    fn at_hand(
        &mut self,
        from: &InformJob,
        name: &str,
    ) -> Result<Option<Rc<InformJob>>, ImportError> {
        let known = known_by(name);
        if let Some(found) = self.jobs.get(&known) {
            return Ok(found.clone());
        }
        let found = stored_program::<InformJob>(&from.path, name, self.options)?.map(Rc::new);
        self.jobs.insert(known, found.clone());
        Ok(found)
    }

    pub(super) fn variable(&self, of: char, number: u32, place: &Location) -> Value {
        self.variables
            .get(&(of, number))
            .cloned()
            .unwrap_or_else(|| {
                let reason = if of.is_ascii_lowercase() {
                    let of = of.to_ascii_uppercase();
                    format!("the job has not set `L{of}{number:03}` before")
                } else {
                    format!("the value of `{of}{number:03}` is from before the program")
                };
                Value::unknown(place, reason)
            })
    }

    /// Puts the variables of one call of a job in the place of those of another one.
    fn replace_locals(
        &mut self,
        others: BTreeMap<(char, u32), Value>,
    ) -> BTreeMap<(char, u32), Value> {
        let all = std::mem::take(&mut self.variables);
        let (own, shared) = (all.into_iter()).partition(|((of, _), _)| of.is_ascii_lowercase());
        self.variables = shared;
        self.variables.extend(others);
        own
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
            PointKind::Variable => match self.changed.get(&number) {
                Some(own) => Some(own),
                None => {
                    let name = format!("P{number:03}");
                    if let Some(reason) = self.kept.why(PointKind::Variable, number, &name) {
                        return Err(Fault::new(place, reason));
                    }
                    self.listed.get(&number)
                }
            },
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

/// Refuses a line that has more than a label.
fn stands_alone(label: &str, place: &Location) -> Result<(), Fault> {
    if label.trim().contains(char::is_whitespace) {
        let reason = "more than a label stands in the line of a label";
        return Err(Fault::new(place, reason));
    }
    Ok(())
}

/// Words with which another instruction begins.
const BEGINS: [&str; 22] = [
    "MOVJ", "MOVL", "MOVC", "MOVS", "IMOV", "REFP", "JUMP", "CALL", "RET", "END", "ABORT", "SET",
    "ADD", "SUB", "MUL", "DIV", "INC", "DEC", "CLEAR", "SFTON", "PSTART", "IF",
];

/// Whether an instruction that is to be passed over names a position, as a move by another name
/// would, or another instruction or a label to jump to stands behind it. Texts may say anything.
fn has_another(word: &str, rest: &str) -> bool {
    let is_point = |word: &str| {
        let kinds = ["BC", "EC", "BP", "EX", "LP", "C", "P"];
        let number = kinds.iter().find_map(|kind| word.strip_prefix(kind));
        number.is_some_and(|number| {
            number.starts_with('[')
                || number.len() >= 3 && number.bytes().all(|b| b.is_ascii_digit())
        })
    };
    let is_label = |word: &str| word.len() > 1 && word.starts_with('*');
    let mut words = rest.split_whitespace();
    !["MSG", "PRINT"].contains(&word)
        && words.any(|word| is_point(word) || is_label(word) || BEGINS.contains(&word))
}

/// Instructions that are not read, and move the arm, change how it moves or lead elsewhere, whatever
/// their arguments.
const CHANGES_MOTION: [&str; 22] = [
    "SMOVJ",
    "SMOVL",
    "SMOVC",
    "SYMOVJ",
    "SYMOVL",
    "SYMOVC",
    "SYSTART",
    "SVSPOTMOV",
    "CVSHIFT",
    "EIMOVL",
    "EIMOVC",
    "MSHIFT",
    "WVON",
    "MFRAME",
    "SETUF",
    "SETTOOL",
    "FOR",
    "NEXT",
    "SWITCH",
    "CASE",
    "DEFAULT",
    "ENDSWITCH",
];

/// Whether an instruction is one of the controller's own that no cell file can call still.
fn is_own(word: &str) -> bool {
    [&BEGINS[..], &PASSED_OVER, &FORGETS, &CHANGES_MOTION]
        .into_iter()
        .any(|words| words.contains(&word))
}

/// Why an instruction is not followed.
fn why_not_followed(line: &str, word: &str) -> String {
    match word {
        "MOVS" => "the curve of MOVS is not known".to_owned(),
        "SFTON" | "MSHIFT" => "positions that are shifted are not read".to_owned(),
        "PSTART" => "other jobs run at the same time".to_owned(),
        "REFP" | "ARCON" | "WVON" => format!("`{word}` may change how the arm moves"),
        "SMOVL" | "SMOVC" => "moves of one arm with another are not read".to_owned(),
        "MFRAME" | "SETUF" => "a user frame is made while the program runs".to_owned(),
        _ => {
            let reason = format!(
                "`{line}` is not understood, and could move the arm or change how it moves"
            );
            let rest = line.trim_start().strip_prefix(word).unwrap_or_default();
            if word.is_empty() || is_own(word) || has_another(word, rest) {
                return reason;
            }
            format!(
                "{reason}; if every `{word}` {STILL}, write `still = [\"{word}\"]` in the robot's `controller`"
            )
        }
    }
}

fn names_variable(text: &str) -> bool {
    let mut pairs = text.as_bytes().windows(2);
    pairs.any(|two| b"BIDR".contains(&two[0]) && (two[1].is_ascii_digit() || two[1] == b'['))
}
