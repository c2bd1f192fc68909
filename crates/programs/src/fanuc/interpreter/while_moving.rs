//! What runs while the arm moves: the action that TB, TA or DB of a move names, and the lines of P-SPS
//! below it (programs of carmakers have them). When it runs beside the statements of the program,
//! and how far, only the controller knows. So it is not followed: whatever of it may run must
//! neither move the arm nor change how it moves, and the registers that it writes are unknown from
//! then on.

use std::collections::BTreeSet;

use super::*;

/// The option of a move below which its own lines are written.
pub(super) const P_SPS: &str = "P-SPS";

/// Statements that only lead from one line to another, or wait.
const ONLY_FLOW: [&str; 8] = [
    "LBL", "JMP", "WAIT", "ELSE", "ENDIF", "ENDFOR", "END", "PAUSE",
];

impl FanucInterpreter<'_> {
    /// Takes in the action of the move in line `at`.
    pub(super) fn runs_while_moving(
        &mut self,
        program: &Listing,
        at: usize,
        action: &str,
    ) -> Result<(), Fault> {
        let mut called = BTreeSet::new();
        if action != P_SPS {
            let place = &program.lines[at].place;
            return self.may_run(program, action, place, &mut called);
        }
        for line in program.while_moving.get(&at).into_iter().flatten() {
            self.may_run(program, &line.text, &line.place, &mut called)?;
        }
        Ok(())
    }

    /// Takes in a statement that may run or not, once or often.
    fn may_run(
        &mut self,
        program: &Listing,
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
                let action = text.split_once(',').map_or("", |(_, action)| action);
                self.may_run(program, action.trim(), place, called)
            }
            "IF" => {
                self.value(&mut cursor, place)?;
                if cursor.eat(",") {
                    self.may_run(program, cursor.rest(), place, called)
                } else if cursor.eat_word("THEN") && cursor.is_done() {
                    Ok(())
                } else {
                    let reason = format!("`{}` is not understood", cursor.rest());
                    Err(Fault::new(place, reason))
                }
            }
            "R" => self.forget_register(&mut cursor, place),
            "FOR" if cursor.eat_word("R") => self.forget_register(&mut cursor, place),
            "PR" => {
                let number = cursor.eat("[").then(|| cursor.index()).flatten();
                let number = number.ok_or_else(|| {
                    Fault::new(place, "which position register changes is not known")
                })?;
                let why = unknown(place, "it is written while the arm moves");
                self.state.positions.insert(number, Err(why));
                Ok(())
            }
            "CALL" => {
                let name = cursor.word();
                if self.controller.is_still(name) {
                    self.record.pass_over(&format!("CALL {name}"));
                    return Ok(());
                }
                if !called.insert(name.to_owned()) {
                    return Ok(());
                }
                let other = self.called(program, name, place)?;
                for line in other
                    .lines
                    .iter()
                    .chain(other.while_moving.values().flatten())
                {
                    self.may_run(&other, &line.text, &line.place, called)?;
                }
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
                self.may_run(program, cursor.rest(), place, called)
            }
            "J" | "L" | "C" | "A" => Err(Fault::new(
                place,
                "it moves the arm, and may run while another move is not at its end",
            )),
            _ if ONLY_FLOW.contains(&word) => Ok(()),
            _ if self.is_passed_over(word, text, &cursor) => {
                self.record.pass_over(word);
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

    fn forget_register(&mut self, cursor: &mut LineCursor, place: &Location) -> Result<(), Fault> {
        let forget = || Value::unknown(place, "it is written while the arm moves");
        match self.index(cursor, place)? {
            Ok(number) => _ = self.state.registers.insert(number, forget()),
            Err(_) => {
                (self.state.registers.values_mut()).for_each(|value| *value = forget());
            }
        }
        Ok(())
    }
}
