//! Which programs keep the arm still, by their text.

use std::path::Path;

use super::words::{ends_call, timed_out};
use super::*;
use crate::fanuc::listing::label;
use crate::lines::at_hand::{CalledProgram, StillWalk};

impl CalledProgram for Listing {
    fn path(&self) -> &Path {
        &self.path
    }

    fn is_certain(&self) -> bool {
        // What runs beside moves is followed.
        self.doubts.is_empty() && self.while_moving.is_empty()
    }

    fn keeps_still(
        &self,
        line: &SourceLine,
        controller: &ControlledArm,
        walk: &mut StillWalk<u32>,
    ) -> Option<()> {
        keeps_still(self, &line.text, controller, walk)
    }
}

/// The same for a statement, or the action of one.
fn keeps_still(
    program: &Listing,
    text: &str,
    controller: &ControlledArm,
    walk: &mut StillWalk<u32>,
) -> Option<()> {
    if is_comment(text) {
        return Some(());
    }
    let mut cursor = LineCursor::new(text);
    let word = cursor.word();
    match word {
        _ if is_move(text) => None,
        // `=1,CALL A`, `ELSE,CALL A`, `SELECT R[1]=1,CALL A`
        _ if flow::is_branch(text) || word == "SELECT" => {
            walk.branches = true;
            let (_, action) = parted(text)?;
            let is_plain = !flow::is_nested(action);
            is_plain.then_some(())?;
            keeps_still(program, action, controller, walk)
        }
        "IF" => {
            walk.branches = true;
            match parted(text) {
                Some((asked, action)) if !has_another(asked) => {
                    keeps_still(program, action, controller, walk)
                }
                None if outside_brackets(text).trim_end().ends_with("THEN")
                    && !has_another(text) =>
                {
                    Some(())
                }
                _ => None,
            }
        }
        "R" | "FOR" => {
            // How often is not known where it is another register that says it.
            walk.branches |= word == "FOR";
            let named = word == "R" || cursor.eat_word("R");
            let number = (named && cursor.eat("[")).then(|| cursor.index())??;
            // `R[1:a]`, and not `R[R[1]]`.
            let is_whole = cursor.rest().starts_with([']', ':']);
            walk.writes.insert(number);
            (is_whole && !has_another(text)).then_some(())
        }
        "CALL" => {
            let name = cursor.word();
            walk.calls.push(name.to_owned());
            ends_call(cursor.rest()).then_some(())
        }
        "JMP" => leads_to_one(program, cursor),
        "WAIT" => {
            let (asked, late) = timed_out(text);
            let asks_memory = flow::names_register(asked) && asked.contains(['=', '<', '>']);
            let is_plain = !asks_memory && forms::is_wait(asked) && !has_another(asked);
            is_plain.then_some(())?;
            if let Some(late) = late {
                walk.branches = true;
                let mut action = LineCursor::new(late.strip_prefix(',')?);
                action.eat_word("JMP");
                leads_to_one(program, action)?;
            }
            Some(())
        }
        "LBL" => {
            label(LineCursor::new(text))?;
            (!has_another(text)).then_some(())
        }
        "ELSE" | "ENDIF" | "ENDFOR" | "END" | "PAUSE" => cursor.is_done().then_some(()),
        _ => (is_passed_over(controller, word, text, &cursor) && !has_another(text)).then_some(()),
    }
}

/// Whether a jump leads to the one label of that number in this program, and says nothing else.
fn leads_to_one(program: &Listing, mut jump: LineCursor) -> Option<()> {
    let found = program.labels.get(&label(jump)?)?;
    let is_whole = !has_another(jump.rest());
    let is_number = jump.eat_word("LBL") && jump.eat("[") && jump.index().is_some();
    let ends = jump.rest().starts_with([']', ':']);
    (found.len() == 1 && is_whole && is_number && ends).then_some(())
}
