//! Which jobs keep the arm still, by their text.

use std::path::Path;

use super::*;
use crate::lines::at_hand::{CalledProgram, StillWalk};

impl CalledProgram for InformJob {
    fn path(&self) -> &Path {
        &self.path
    }

    fn is_certain(&self) -> bool {
        // Without END it is cut off.
        let mut lines = self.lines.iter().map(|line| line.text.trim());
        let last = lines.rfind(|text| !text.is_empty());
        self.doubts.is_empty() && last == Some("END")
    }

    fn keeps_still(
        &self,
        line: &SourceLine,
        controller: &ControlledArm,
        walk: &mut StillWalk<InformVariable>,
    ) -> Option<()> {
        let mut cursor = LineCursor::new(&line.text);
        if let Some(label) = line.text.strip_prefix('*') {
            return (!label.trim().contains(char::is_whitespace)).then_some(());
        }
        if cursor.is_done() {
            return Some(());
        }
        let word = cursor.word();
        let is_plain = match word {
            "END" => cursor.is_done(),
            "RET" | "PAUSE" => ends(cursor, walk),
            "JUMP" if cursor.eat("*") => {
                let label = cursor.until(char::is_whitespace);
                label_at(self, label, &line.place).is_ok() && ends(cursor, walk)
            }
            "CALL" if cursor.eat_word("JOB") && cursor.eat(":") => {
                walk.calls
                    .push(cursor.until(char::is_whitespace).to_owned());
                ends(cursor, walk)
            }
            "IFTHENEXP" | "IFTHEN" | "ELSEIFEXP" | "ELSEIF" | "WHILEEXP" | "WHILE" => {
                walk.branches = true;
                !has_another(word, cursor.rest())
            }
            "ELSE" | "ENDIF" | "ENDWHILE" => cursor.is_done(),
            "SET" | "ADD" | "SUB" | "MUL" | "DIV" | "INC" | "DEC" => writes(cursor, walk),
            _ if FORGETS.contains(&word) => writes(cursor, walk),
            "WAIT" => {
                let asked = cursor.rest().split(" T=").next().unwrap_or("");
                !has_another(word, cursor.rest()) && !names_variable(asked)
            }
            _ if PASSED_OVER.contains(&word) => !has_another(word, cursor.rest()),
            _ => {
                // It may write its answer into the variables that it names.
                let rest = cursor.rest();
                !word.is_empty()
                    && !is_own(word)
                    && controller.is_still(word)
                    && !has_another(word, rest)
                    && !names_variable(rest)
            }
        };
        is_plain.then_some(())
    }
}

/// Whether an instruction ends there, or with a condition.
fn ends(mut rest: LineCursor, walk: &mut StillWalk<InformVariable>) -> bool {
    if rest.is_done() {
        return true;
    }
    walk.branches = true;
    rest.eat_word("IF") && !has_another("IF", rest.rest())
}

/// Takes in the variable that an instruction writes; it may be no position, and of no number that is
/// itself in a variable.
fn writes(mut rest: LineCursor, walk: &mut StillWalk<InformVariable>) -> bool {
    let word = rest.word();
    let Some((kind, digits)) = VariableKind::of(word) else {
        return false;
    };
    let Ok(number) = digits.parse() else {
        return false;
    };
    if !kind.own {
        walk.writes.insert(kind.numbered(number));
    }
    !rest.rest().starts_with('[') && !has_another("SET", rest.rest())
}
