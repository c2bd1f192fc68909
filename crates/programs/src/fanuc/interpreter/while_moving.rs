//! Statements that run while the arm moves: the action that TB, TA or DB of a move names, and the
//! lines of P-SPS below it (programs of carmakers have them). Only the controller knows when they
//! run beside the statements of the program, how far, and for how long. So they are not followed:
//! every statement that may run must neither move the arm nor change how it moves, and the
//! registers that it writes are unknown from then on, also after the program itself has written
//! them.

use std::collections::BTreeSet;

use super::words::{ends_call, timed_out};
use super::*;
use crate::fanuc::listing::{P_SPS, label};

/// Registers that may be written while the arm moves, with the statement that does it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct WrittenWhileMoving {
    registers: BTreeMap<u32, Location>,
    /// The statement that writes a register of which only the controller knows the number.
    any_register: Option<Location>,
    positions: BTreeMap<u32, Location>,
}

impl WrittenWhileMoving {
    const REASON: &str = "it is written while the arm moves";

    /// Why a register is not known.
    pub(super) fn register(&self, number: u32) -> Option<Value> {
        let place = self.registers.get(&number).or(self.any_register.as_ref())?;
        Some(Value::unknown(place, Self::REASON))
    }

    /// Why a position register is not known.
    pub(super) fn position(&self, number: u32) -> Option<Known<Position>> {
        let place = self.positions.get(&number)?;
        Some(Err(unknown(place, Self::REASON)))
    }
}

/// Whether a statement only leads to another line of the same lines, or waits.
fn is_only_flow(word: &str, after: &LineCursor, text: &str) -> bool {
    match word {
        "LBL" | "JMP" => after.rest().starts_with('[') || after.peek_word() == "LBL",
        "WAIT" => forms::is_wait(timed_out(text).0),
        "ELSE" | "ENDIF" | "ENDFOR" | "END" | "PAUSE" => after.is_done(),
        _ => false,
    }
}

/// Lines that run while the arm moves, of a program or below one of its moves.
struct Lines<'p> {
    program: &'p Listing,
    lines: &'p [SourceLine],
}

impl FanucInterpreter<'_> {
    /// Takes in an action of the move in line `at`.
    pub(super) fn runs_while_moving(
        &mut self,
        program: &Listing,
        at: usize,
        action: &str,
    ) -> Result<(), Fault> {
        let alone = [SourceLine {
            text: action.to_owned(),
            place: program.lines[at].place.clone(),
        }];
        let lines = match action {
            P_SPS => (program.while_moving.get(&at)).map_or(&[][..], Vec::as_slice),
            _ => &alone,
        };
        self.may_run_lines(&Lines { program, lines }, &mut BTreeSet::new())
    }

    fn may_run_lines(&mut self, lines: &Lines, called: &mut BTreeSet<String>) -> Result<(), Fault> {
        (lines.lines.iter())
            .try_for_each(|line| self.may_run(lines, &line.text, &line.place, called))
    }

    /// Takes in a statement that may run or not, once or often.
    fn may_run(
        &mut self,
        lines: &Lines,
        text: &str,
        place: &Location,
        called: &mut BTreeSet<String>,
    ) -> Result<(), Fault> {
        if is_comment(text) {
            return Ok(());
        }
        let mut cursor = LineCursor::new(text);
        let word = cursor.word();
        match word {
            // `=1,CALL A`, `ELSE,CALL A`, `SELECT R[1]=1,CALL A`
            _ if flow::is_branch(text) || word == "SELECT" => {
                let Some((_, action)) = parted(text) else {
                    return Err(Fault::new(place, "a branch of SELECT is not understood"));
                };
                if flow::is_nested(action) {
                    let reason = "a SELECT stands in a branch of a SELECT";
                    return Err(Fault::new(place, reason));
                }
                self.may_run(lines, action, place, called)
            }
            "IF" => {
                self.value(&mut cursor, place)?;
                if cursor.eat(",") {
                    self.may_run(lines, cursor.rest(), place, called)
                } else if cursor.eat_word("THEN") && cursor.is_done() {
                    Ok(())
                } else {
                    let reason = format!("`{}` is not understood", cursor.rest());
                    Err(Fault::new(place, reason))
                }
            }
            "R" => {
                self.forget_register(cursor, place);
                Ok(())
            }
            "FOR" if cursor.eat_word("R") => {
                self.forget_register(cursor, place);
                Ok(())
            }
            "PR" => {
                let number = cursor.eat("[").then(|| cursor.index()).flatten();
                let number = number.ok_or_else(|| {
                    Fault::new(place, "which position register changes is not known")
                })?;
                let written = &mut self.way.state.written_while_moving;
                written.positions.insert(number, place.clone());
                Ok(())
            }
            "CALL" => {
                let name = cursor.word();
                if !ends_call(cursor.rest()) {
                    let reason = format!("`{}` is not understood", cursor.rest());
                    return Err(Fault::new(place, reason));
                }
                let Some(other) = self.called(lines.program, name, place)? else {
                    self.way.record.pass_over(&format!("CALL {name}"));
                    return Ok(());
                };
                if !called.insert(name.to_owned()) {
                    return Ok(());
                }
                self.way.flow.enter(place)?;
                let blocks = other.while_moving.values();
                for lines in blocks.chain([&other.lines]) {
                    let program = &other;
                    self.may_run_lines(&Lines { program, lines }, called)?;
                }
                self.way.flow.leave();
                Ok(())
            }
            // `PS +10mm -0.1sec DO[1]=ON`: a signal at a place on the path.
            "PS" => {
                let place_and_time = cursor.number().is_some()
                    && cursor.eat_word("mm")
                    && cursor.number().is_some()
                    && cursor.eat_word("sec");
                if !place_and_time {
                    return Err(Fault::new(place, "when PS runs is not understood"));
                }
                self.may_run(lines, cursor.rest(), place, called)
            }
            _ if is_move(text) => Err(Fault::new(
                place,
                "it moves the arm, and may run while another move is not at its end",
            )),
            _ if lines.are_left(word, cursor) => Err(Fault::new(
                place,
                format!("`{text}` may run while the arm moves, and leads out of these lines"),
            )),
            _ if is_only_flow(word, &cursor, text) => Ok(()),
            _ if is_passed_over(self.way.controller, word, text, &cursor) => {
                if has_another(text) {
                    let reason = format!("another statement stands behind the first in `{text}`");
                    return Err(Fault::new(place, reason));
                }
                self.way.record.pass_over(word);
                Ok(())
            }
            _ if FOREIGN.contains(&word) => Err(foreign(word, place)),
            _ => Err(Fault::new(
                place,
                format!(
                    "`{text}` may run while the arm moves, and could change how it moves from then on"
                ),
            )),
        }
    }

    /// A number that is itself in a register may be another one when the statement runs.
    fn forget_register(&mut self, mut after: LineCursor, place: &Location) {
        let number = after.eat("[").then(|| after.index()).flatten();
        let written = &mut self.way.state.written_while_moving;
        match number.filter(|_| after.rest().starts_with([']', ':'])) {
            Some(number) => _ = written.registers.insert(number, place.clone()),
            None => written.any_register = Some(place.clone()),
        }
    }
}

impl Lines<'_> {
    /// Whether a jump, or a WAIT whose time is out, leads to a label that is in none of them.
    fn are_left(&self, word: &str, after: LineCursor) -> bool {
        let mut jump = match word {
            "JMP" => after,
            "WAIT" => match timed_out(after.rest()) {
                (_, Some(action)) => {
                    let mut action = LineCursor::new(action);
                    action.eat(",");
                    action
                }
                _ => return false,
            },
            _ => return false,
        };
        jump.eat_word("JMP");
        let wanted = label(jump);
        let mut labels = self.lines.iter().map(|l| label(LineCursor::new(&l.text)));
        wanted.is_none() || labels.all(|found| found != wanted)
    }
}
