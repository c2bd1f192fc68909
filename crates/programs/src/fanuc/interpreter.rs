//! One way through a program, statement by statement.

mod expression;
mod flow;
pub(super) mod kept;
mod motion;
mod registers;
mod state;
mod stays_still;
mod unread;
mod while_moving;
mod words;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use clearance_proof::report::Location;

use super::backup::Backup;
use super::listing::{Listing, Position, is_move, is_straight_move};
use crate::Options;
use crate::answers::KnownAnswers;
use crate::comes_back::JumpsBack;
use crate::controller::{ControlledArm, STILL};
use crate::flow::Flow;
use crate::lines::at_hand::ProgramsAtHand;
use crate::lines::cursor::LineCursor;
use crate::lines::kept::KeptChanges;
use crate::lines::unread::UnreadValues;
use crate::lines::waited::WaitedValues;
use crate::lines::{NextLine, SourceLine, arithmetic, compared, known_by, other_name};
use crate::most_moves::{MOST_MOVES, too_many_moves};
use crate::one_sided::JustSet;
use crate::record::MoveRecord;
use crate::value::{Fault, Known, Value};
use crate::ways_join::{Joining, WaysJoin};
use expression::SIGNALS;
use kept::{Kept, plain};
use state::LoopState;
pub(super) use state::{FanucJoinState, FanucState};
use words::{
    FOREIGN, PASSED_OVER, foreign, has_another, is_comment, is_own, outside_brackets, parted,
};

/// A loop that is gone through.
#[derive(Debug, Clone, PartialEq)]
struct Loop {
    begins: usize,
    register: u32,
    last: f64,
    /// How the line states `last`; none: as a number.
    bound: Option<String>,
    step: f64,
}

pub(super) struct FanucInterpreter<'m> {
    pub(super) controller: &'m ControlledArm<'m>,
    pub(super) backup: &'m Backup,
    options: &'m Options<'m>,
    pub(super) flow: &'m mut Flow,
    pub(super) record: MoveRecord,
    programs: &'m RefCell<ProgramsAtHand<Listing>>,
    /// Those whose doubts are told: they are called, or followed.
    loaded: BTreeSet<String>,
    pub(super) state: FanucState,
    /// The actions of other groups, as the first move that states them has them.
    pub(super) others: BTreeMap<u32, String>,
    answers: KnownAnswers,
    just_set: JustSet<u32>,
    /// The registers with which the loops count within which the condition stands that is asked.
    counters: BTreeSet<u32>,
    /// How often it has jumped back.
    jumps_back: usize,
    /// The changes of what the controller keeps.
    kept: &'m KeptChanges<Kept>,
    /// The registers that nobody reads: they are never set.
    unread: &'m UnreadValues<u32>,
    /// The registers that something else sets.
    waited: &'m WaitedValues<u32>,
    /// Programs that have called the one that is followed.
    callers: Vec<Caller>,
    joining: Joining,
    /// Where ways join that parted before.
    ways_join: &'m RefCell<WaysJoin<FanucJoinState>>,
    /// Whether a number of a position is computed.
    takes_numbers: bool,
    /// Parentheses within which an expression is read.
    parentheses: usize,
    /// Values within which a value is read: in parentheses, behind signs, as numbers in brackets.
    nested: usize,
}

/// What is found in the text of all programs that may run.
pub(super) struct FanucText {
    /// Those that were read, on whichever way.
    pub(super) programs: RefCell<ProgramsAtHand<Listing>>,
    pub(super) kept: KeptChanges<Kept>,
    pub(super) unread: UnreadValues<u32>,
    pub(super) waited: WaitedValues<u32>,
}

/// A program that has called another one, and goes on when that is at its end.
#[derive(Clone, PartialEq)]
struct Caller {
    program: String,
    at: usize,
    /// The registers with which the loops count within which it calls.
    counters: BTreeSet<u32>,
    loops: Vec<Loop>,
    arguments: Vec<Value>,
    conditions: [Option<(u32, Known<Position>)>; 2],
}

impl<'m> FanucInterpreter<'m> {
    pub(super) fn new(
        controller: &'m ControlledArm<'m>,
        backup: &'m Backup,
        options: &'m Options<'m>,
        text: &'m FanucText,
        ways_join: &'m RefCell<WaysJoin<FanucJoinState>>,
        flow: &'m mut Flow,
    ) -> Self {
        Self {
            controller,
            backup,
            options,
            flow,
            record: MoveRecord::default(),
            programs: &text.programs,
            loaded: BTreeSet::new(),
            state: FanucState::default(),
            others: BTreeMap::new(),
            answers: KnownAnswers::default(),
            just_set: JustSet::default(),
            counters: BTreeSet::new(),
            jumps_back: 0,
            kept: &text.kept,
            unread: &text.unread,
            waited: &text.waited,
            callers: Vec::new(),
            joining: Joining::default(),
            ways_join,
            takes_numbers: false,
            parentheses: 0,
            nested: 0,
        }
    }

    /// Follows a program to its end.
    pub(super) fn follow(mut self, program: &Rc<Listing>) -> MoveRecord {
        self.loaded.insert(known_by(&program.name));
        self.load(program);
        if let Err(fault) = self.run(program) {
            self.record.lose(fault);
        }
        self.record
    }

    fn load(&mut self, program: &Listing) {
        program
            .doubts
            .iter()
            .for_each(|d| self.record.unknown(d.clone()));
        let mut lines = program.lines.iter().map(|line| &line.text);
        if let Some(doubt) = &program.near_singularities
            && lines.clone().any(|text| is_straight_move(text))
        {
            self.record.unknown(doubt.clone());
        }
        if !lines.any(|text| is_move(text)) {
            return;
        }
        let at = &program.groups_at;
        let mut unknown = |reason: String| self.record.unknown(Fault::new(at, reason));
        match program.groups.as_deref() {
            None => unknown("DEFAULT_GROUP does not say which groups the program moves".to_owned()),
            Some(groups) if !groups.contains(&1) => {
                unknown("the program moves another group than the first one, and only the first one is the arm".to_owned());
            }
            Some(groups) => {
                let others =
                    (groups.iter()).filter(|g| **g != 1 && !self.controller.leaves_out(**g));
                for group in others {
                    if !self.controller.is_still(&format!("GP{group}")) {
                        unknown(format!(
                            "the program also moves group {group}; {}",
                            motion::other_group(*group)
                        ));
                    }
                }
            }
        }
    }

    fn run(&mut self, program: &Rc<Listing>) -> Result<NextLine, Fault> {
        let mut jumps = JumpsBack::<LoopState>::default();
        let mut loops: Vec<Loop> = Vec::new();
        let mut at = 0;
        while let Some(line) = program.lines.get(at) {
            self.flow.step(&line.place)?;
            if self.record.moves().len() > MOST_MOVES {
                let reason = too_many_moves(self.record.moves().len());
                return Err(Fault::new(&line.place, reason));
            }
            let next = match self.statement(program, at, &line.text, &mut loops)? {
                NextLine::Line => at + 1,
                NextLine::At(next) => next,
                ended => return Ok(ended),
            };
            if next <= at {
                self.jumps_back += 1;
                let state = || self.counted_state(&loops);
                let at_pose = || self.state_at_pose(&loops);
                if let Some(repeated) = jumps.back_to(next, self.answers.now(), state, at_pose) {
                    repeated.note(&self.answers, &mut self.record);
                    return Ok(NextLine::End);
                }
            }
            if self.joins(program, next, &loops) {
                return Ok(NextLine::End);
            }
            at = next;
        }
        Ok(NextLine::Return)
    }

    fn statement(
        &mut self,
        program: &Rc<Listing>,
        at: usize,
        text: &str,
        loops: &mut Vec<Loop>,
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
            "J" | "L" | "C" | "A" => {
                self.motion(program, at, &word, &mut cursor)?;
                Ok(NextLine::Line)
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
                    "OFFSET" => self.state.offset = held,
                    _ => self.state.tool_offset = held,
                }
                done(&cursor, place)
            }
            "SKIP" if cursor.eat_word("CONDITION") => {
                self.record.pass_over("SKIP CONDITION");
                Ok(NextLine::Line)
            }
            "LBL" => {
                self.index(&mut cursor, place)?.ok();
                done(&cursor, place)
            }
            "JMP" => self.jump(program, &mut cursor, place),
            "CALL" => self.call((program, at), loops, &mut cursor),
            "END" if cursor.is_done() => Ok(NextLine::Return),
            "ABORT" if cursor.is_done() => Ok(NextLine::End),
            "PAUSE" if cursor.is_done() => {
                self.record.pass_over("PAUSE");
                Ok(NextLine::Line)
            }
            "WAIT" => self.wait((program, at), text, loops),
            "IF" => self.branch(program, at, &mut cursor, loops),
            "ELSE" if cursor.is_done() => Ok(NextLine::At(
                self.skip(program, at, &["ENDIF"], "IF", "ENDIF")? + 1,
            )),
            "ENDIF" if cursor.is_done() => Ok(NextLine::Line),
            "SELECT" => self.select(program, at, &mut cursor, loops),
            "FOR" => self.begin(program, at, &mut cursor, loops),
            "ENDFOR" if cursor.is_done() => self.again(program, at, loops, place),
            _ if is_passed_over(self.controller, &word, text, &cursor) => {
                if has_another(text) {
                    let reason = format!("another statement stands behind the first in `{text}`");
                    return Err(Fault::new(place, reason));
                }
                let told = if is_still(self.controller, &word, text) {
                    text
                } else {
                    &word
                };
                self.record.pass_over(told);
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
                if !is_own(&word) && !text.contains(['"', '[']) {
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
        self.flow.count(at - from);
        Ok(at)
    }

    fn sign(&self, cursor: &mut LineCursor, sign: &str, place: &Location) -> Result<(), Fault> {
        if cursor.eat(sign) {
            Ok(())
        } else {
            Err(Fault::new(place, format!("there is no `{sign}`")))
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
    PASSED_OVER.contains(&word)
        || SIGNALS.contains(&word) && after.rest().starts_with('[')
        || is_still(controller, word, text)
}

/// Whether the cell says so of a statement, by its first word or by all of it.
fn is_still(controller: &ControlledArm, word: &str, text: &str) -> bool {
    !is_own(word) && (controller.is_still(word) || controller.is_still(text))
}

/// The next line, where nothing is left of this one.
fn done(cursor: &LineCursor, place: &Location) -> Result<NextLine, Fault> {
    if cursor.is_done() {
        Ok(NextLine::Line)
    } else {
        let reason = format!("`{}` is not understood", cursor.rest());
        Err(Fault::new(place, reason))
    }
}

pub(super) fn unknown(
    place: &Location,
    reason: &str,
) -> std::sync::Arc<clearance_proof::model::moves::Unknown> {
    std::sync::Arc::new(Fault::new(place, reason).into())
}

/// The line in which the loop begins that ends here.
fn loop_of(program: &Listing, end: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for at in (0..end).rev() {
        match LineCursor::new(&program.lines[at].text).word() {
            "ENDFOR" => depth += 1,
            "FOR" if depth == 0 => return Some(at),
            "FOR" => depth -= 1,
            _ => {}
        }
    }
    None
}
