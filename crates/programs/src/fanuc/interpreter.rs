//! One way through a program, statement by statement.

mod expression;
mod flow;
mod forms;
pub(super) mod kept;
mod motion;
mod registers;
mod state;
mod stays_still;
mod unread;
mod while_moving;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use clearance_proof::report::Location;

use super::backup::Backup;
use super::listing::{Listing, Position, is_move, is_straight_move};
use crate::answers::SharedValue;
use crate::controller::{ControlledArm, STILL};
use crate::lines::cursor::LineCursor;
use crate::lines::interpreter::LineInterpreter;
use crate::lines::waited::MAY_SET_TOO;
use crate::lines::way::LineWay;
use crate::lines::{NextLine, SourceLine, arithmetic, compared, known_by};
use crate::record::MoveRecord;
use crate::value::{Fault, Known, Value};
use kept::{Kept, plain};
use state::{FanucCaller, Loop};
use words::{FOREIGN, foreign, has_another, is_comment, is_own, outside_brackets, parted};

pub(super) struct FanucInterpreter<'m> {
    way: LineWay<'m, Listing>,
    backup: &'m Backup,
    /// The registers with which the loops count within which the condition stands that is asked.
    counters: BTreeSet<u32>,
    /// Whether a number of a position is computed.
    takes_numbers: bool,
    /// Parentheses within which an expression is read.
    parentheses: usize,
    /// Values within which a value is read: in parentheses, behind signs, as numbers in brackets.
    nested: usize,
}

impl<'m> FanucInterpreter<'m> {
    pub(super) fn new(way: LineWay<'m, Listing>, backup: &'m Backup) -> Self {
        Self {
            way,
            backup,
            counters: BTreeSet::new(),
            takes_numbers: false,
            parentheses: 0,
            nested: 0,
        }
    }

    /// Follows a program to its end.
    pub(super) fn follow(mut self, program: &Rc<Listing>) -> MoveRecord {
        self.way.loads(&program.name);
        self.load(program);
        if let Err(fault) = self.run(program) {
            self.way.record.lose(fault);
        }
        self.way.record
    }

    /// Follows a statement, or the action of one.
    fn follow_text(
        &mut self,
        program: &Rc<Listing>,
        at: usize,
        text: &str,
    ) -> Result<NextLine, Fault> {
        let place = &program.lines[at].place;
        if is_comment(text) {
            return Ok(NextLine::Line);
        }
        // Branches of a SELECT that was left are passed.
        if flow::is_branch(text) {
            return if flow::of_select(program, at) {
                Ok(NextLine::Line)
            } else {
                Err(Fault::new(place, "a branch without its SELECT"))
            };
        }
        let mut cursor = LineCursor::new(text);
        let word = cursor.word().to_owned();
        match word.as_str() {
            "J" | "L" | "C" | "A" if self.is_of_others(program) => {
                if parted(text).is_some() || program.while_moving.contains_key(&at) {
                    let reason =
                        "it moves another group than the arm's, and does something else beside";
                    return Err(Fault::new(place, reason));
                }
                self.way.record.pass_over("moves of other groups");
                Ok(NextLine::Line)
            }
            "J" | "L" | "C" | "A" => {
                self.motion(program, at, &word, &mut cursor)?;
                Ok(NextLine::Line)
            }
            "UFRAME_NUM" | "UTOOL_NUM" | "UFRAME" | "UTOOL" | "PR" | "OFFSET" | "TOOL_OFFSET"
                if self.is_of_others(program) =>
            {
                let reason = format!(
                    "whether `{word}` in a program that only moves other groups is that of the arm, too, is not certain"
                );
                Err(Fault::new(place, reason))
            }
            "UFRAME_NUM" | "UTOOL_NUM" | "UFRAME" | "UTOOL" | "R" | "PR" => {
                self.assign(program, &word, &mut cursor, place)
            }
            "OFFSET" | "TOOL_OFFSET" if cursor.eat_word("CONDITION") => {
                if !cursor.eat_word("PR") {
                    return Err(Fault::new(place, "an offset has no position register"));
                }
                let number = self.known_index(&mut cursor, place)?;
                let held = Some((number, self.position_register(number, place)));
                match word.as_str() {
                    "OFFSET" => self.way.state.offset = held,
                    _ => self.way.state.tool_offset = held,
                }
                done(&cursor, place)
            }
            "SKIP" if forms::is_skip(cursor) => {
                self.way.record.pass_over("SKIP CONDITION");
                Ok(NextLine::Line)
            }
            "LBL" => {
                self.index(&mut cursor, place)?.ok();
                done(&cursor, place)
            }
            "JMP" => self.jump(program, &mut cursor, place),
            "CALL" => self.call((program, at), &mut cursor),
            "END" if cursor.is_done() => Ok(NextLine::Return),
            "ABORT" if cursor.is_done() => Ok(NextLine::End),
            "PAUSE" if cursor.is_done() => {
                self.way.record.pass_over("PAUSE");
                Ok(NextLine::Line)
            }
            "WAIT" if !forms::is_macro(text) => self.wait((program, at), text),
            "IF" => self.branch(program, at, &mut cursor),
            "ELSE" if cursor.is_done() => Ok(NextLine::At(
                self.skip(program, at, &["ENDIF"], "IF", "ENDIF")? + 1,
            )),
            "ENDIF" if cursor.is_done() => Ok(NextLine::Line),
            "SELECT" => self.select(program, at, &mut cursor),
            "FOR" => self.begin(program, at, &mut cursor),
            "ENDFOR" if cursor.is_done() => self.again(program, at, place),
            _ if forms::ends_mode(&word, &cursor) => {
                self.way.record.pass_over(text);
                Ok(NextLine::Line)
            }
            _ if is_passed_over(self.way.controller, &word, text, &cursor) => {
                if has_another(text) {
                    let reason = format!("another statement stands behind the first in `{text}`");
                    return Err(Fault::new(place, reason));
                }
                let told = if is_still(self.way.controller, &word, text) {
                    text
                } else {
                    &word
                };
                self.way.record.pass_over(told);
                Ok(NextLine::Line)
            }
            _ if FOREIGN.contains(&word.as_str()) => Err(foreign(&word, place)),
            "RUN" => Err(Fault::new(place, "another program runs at the same time")),
            "MONITOR" | "ERROR_PROG" | "RESUME_PROG" => {
                let reason = format!("`{word}`: another program may run in between");
                Err(Fault::new(place, reason))
            }
            _ => {
                let mut reason = format!(
                    "`{text}` is not understood, and could move the arm or change how it moves"
                );
                if !is_own(&word, text) && !text.contains(['"', '[']) {
                    reason += &format!(
                        "; if it is a macro that {STILL}, write `still = [\"{text}\"]` in the robot's `controller`"
                    );
                }
                // `Arc Start[1]`
                if word == "Arc" {
                    reason += &format!(
                        "; if the welding that begins and ends so {STILL}, also where the arc does not begin at once, write `still = [\"Arc\"]` in the robot's `controller`"
                    );
                }
                Err(Fault::new(place, reason))
            }
        }
    }

    /// [`block_end`].
    fn skip(
        &self,
        program: &Listing,
        from: usize,
        words: &[&str],
        begin: &str,
        end: &str,
    ) -> Result<usize, Fault> {
        let at = block_end(program, from, words, begin, end)?;
        self.way.flow.count(at - from);
        Ok(at)
    }

    /// Whether a program only moves groups that the cell leaves out.
    fn is_of_others(&self, program: &Listing) -> bool {
        let leaves_out = |group: &u32| *group != 1 && self.way.controller.leaves_out(*group);
        let groups = program.groups.as_deref();
        groups.is_some_and(|groups| !groups.is_empty() && groups.iter().all(leaves_out))
    }

    fn sign(&self, cursor: &mut LineCursor, sign: &str, place: &Location) -> Result<(), Fault> {
        if cursor.eat(sign) {
            Ok(())
        } else {
            Err(Fault::new(place, format!("there is no `{sign}`")))
        }
    }
}

impl<'m> LineInterpreter<'m> for FanucInterpreter<'m> {
    type Program = Listing;

    fn way(&mut self) -> &mut LineWay<'m, Listing> {
        &mut self.way
    }

    fn load(&mut self, program: &Listing) {
        program
            .doubts
            .iter()
            .for_each(|d| self.way.record.unknown(d.clone()));
        let mut lines = program.lines.iter().map(|line| &line.text);
        if let Some(doubt) = &program.near_singularities
            && lines.clone().any(|text| is_straight_move(text))
        {
            self.way.record.unknown(doubt.clone());
        }
        if !lines.any(|text| is_move(text)) {
            return;
        }
        let at = &program.groups_at;
        let is_of_others = self.is_of_others(program);
        let mut unknown = |reason: String| self.way.record.unknown(Fault::new(at, reason));
        match program.groups.as_deref() {
            None => unknown("DEFAULT_GROUP does not say which groups the program moves".to_owned()),
            Some(_) if is_of_others => {}
            Some(groups) if !groups.contains(&1) => {
                unknown("the program moves another group than the first one, and only the first one is the arm".to_owned());
            }
            Some(groups) => {
                let others =
                    (groups.iter()).filter(|g| **g != 1 && !self.way.controller.leaves_out(**g));
                for group in others {
                    if !self.way.controller.is_still(&format!("GP{group}")) {
                        unknown(format!(
                            "the program also moves group {group}; {}",
                            motion::other_group(*group)
                        ));
                    }
                }
            }
        }
    }

    fn statement(&mut self, program: &Rc<Listing>, at: usize) -> Result<NextLine, Fault> {
        self.follow_text(program, at, &program.lines[at].text)
    }

    /// Nothing else sets the counter of a loop that runs.
    fn may_be_set(&self, &(kind, number): &SharedValue) -> bool {
        let name = format!("R[{number}]");
        kind == 'R'
            && !self.counters.contains(&number)
            && !self.way.controller.is_still_by_name(&name)
    }

    fn forget_shared(&mut self, registers: &BTreeSet<SharedValue>, place: &Location) {
        for &(_, number) in registers {
            let read = self.way.answers.reads_so_far();
            self.set_register(number, Value::unknown(place, MAY_SET_TOO), read);
        }
    }
}

/// The next line that begins with one of these words, of the same block.
fn block_end(
    program: &Listing,
    from: usize,
    words: &[&str],
    begin: &str,
    end: &str,
) -> Result<usize, Fault> {
    let mut depth = 0_usize;
    for (at, line) in program.lines.iter().enumerate().skip(from + 1) {
        let text = line.text.as_str();
        let word = LineCursor::new(text).word();
        if depth == 0 && words.contains(&word) && !flow::is_branch(text) {
            if text.trim() != word {
                let reason = format!("`{text}` is not understood");
                return Err(Fault::new(&line.place, reason));
            }
            return Ok(at);
        }
        // An IF with an action has a comma.
        let has_action = || outside_brackets(text).contains(',');
        let opens = word == begin && (begin != "IF" || !has_action());
        if opens {
            depth += 1;
        } else if word == end {
            depth = depth.saturating_sub(1);
        }
    }
    let reason = format!("there is no {} for it", words[words.len() - 1]);
    Err(Fault::new(&program.lines[from].place, reason))
}

/// Whether a statement neither moves the arm nor changes what does: known as such, a signal that is
/// set, or one that the cell file says so of.
fn is_passed_over(controller: &ControlledArm, word: &str, text: &str, after: &LineCursor) -> bool {
    forms::is_instruction(word, after) || is_still(controller, word, text)
}

/// Whether the cell says so of a statement, by its first word or by all of it.
fn is_still(controller: &ControlledArm, word: &str, text: &str) -> bool {
    !is_own(word, text) && (controller.is_still(word) || controller.is_still(text))
}

/// The next line, where nothing is left of this one.
fn done(cursor: &LineCursor, place: &Location) -> Result<NextLine, Fault> {
    cursor.ends(place).map(|()| NextLine::Line)
}

pub(super) fn unknown(
    place: &Location,
    reason: &str,
) -> std::sync::Arc<clearance_proof::model::moves::Unknown> {
    std::sync::Arc::new(Fault::new(place, reason).into())
}
