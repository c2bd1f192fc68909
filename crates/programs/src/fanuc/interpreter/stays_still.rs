//! Programs at hand that the cell calls still, and that are so by their text: gripper programs that
//! set signals, wait and branch. What they ask of the cell would make two ways of every call, which
//! differ in nothing that the arm does; so they are passed over, and the registers that they write
//! are unknown afterwards.

use std::collections::BTreeSet;

use super::words::{ends_call, timed_out};
use super::*;
use crate::fanuc::listing::label;

/// What programs write that keep the arm still: registers, by number.
pub(super) type WrittenRegisters = Rc<BTreeSet<u32>>;

/// Written registers, branches and calls of the programs that were looked at.
#[derive(Default)]
struct ListingWalk {
    writes: BTreeSet<u32>,
    /// Whether anything is asked that leads to one line or another.
    branches: bool,
    /// Programs that it calls, and those that call them.
    calls: Vec<(String, Rc<Listing>)>,
}

impl FanucInterpreter<'_> {
    /// The registers that a program of this name writes, if the cell calls it still, it is so by its
    /// text with all that it may call, and it has branches: one without is followed on one way.
    pub(super) fn passes_by(
        &mut self,
        name: &str,
        program: &Rc<Listing>,
    ) -> Option<WrittenRegisters> {
        if !self.controller.is_still(name) {
            return None;
        }
        let known = known_by(name);
        if let Some(found) = self.still.get(&known) {
            return found.clone();
        }
        let found = self.written_by(program);
        self.still.insert(known, found.clone());
        found
    }

    fn written_by(&mut self, program: &Rc<Listing>) -> Option<WrittenRegisters> {
        let mut walk = ListingWalk::default();
        let mut seen = BTreeSet::new();
        let mut left = vec![program.clone()];
        while let Some(program) = left.pop() {
            // What cannot be read for certain, or runs beside moves, is followed.
            if !program.doubts.is_empty() || !program.while_moving.is_empty() {
                return None;
            }
            for line in &program.lines {
                self.keeps_still(&program, &line.text, &mut walk)?;
            }
            self.flow.count(program.lines.len());
            for (name, from) in std::mem::take(&mut walk.calls) {
                if !seen.insert(known_by(&name)) {
                    continue;
                }
                match self.at_hand(&from, &name).ok()? {
                    Some(called) if known_by(&called.name) != known_by(&name) => return None,
                    Some(called) => left.push(called),
                    None if self.controller.is_still(&name) => {}
                    None => return None,
                }
            }
        }
        walk.branches.then(|| Rc::new(walk.writes))
    }

    /// Takes in a statement that neither moves the arm nor changes anything but registers, and leads
    /// to no line outside of its program; none: it may do so.
    fn keeps_still(&self, program: &Rc<Listing>, text: &str, walk: &mut ListingWalk) -> Option<()> {
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
                self.keeps_still(program, action, walk)
            }
            "IF" => {
                walk.branches = true;
                match parted(text) {
                    Some((asked, action)) if !has_another(asked) => {
                        self.keeps_still(program, action, walk)
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
                walk.calls.push((name.to_owned(), program.clone()));
                ends_call(cursor.rest()).then_some(())
            }
            "JMP" => leads_to_one(program, cursor),
            "WAIT" => {
                let (asked, late) = timed_out(text);
                let asks_memory = flow::names_register(asked) && asked.contains(['=', '<', '>']);
                let is_plain = !asks_memory && parted(asked).is_none() && !has_another(asked);
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
            _ => (self.is_passed_over(word, text, &cursor) && !has_another(text)).then_some(()),
        }
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
