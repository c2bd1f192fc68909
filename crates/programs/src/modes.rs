//! Modes that change how the arm moves (weaving, tracking, forces, shifts), where a program ends one
//! that it has not begun. A program that begins one is not followed. One that ends it before it moves
//! makes sure that it is off; one that ends it behind its moves takes it to be on while they run.

use std::collections::BTreeSet;

use clearance_proof::report::Location;

use crate::value::Fault;

/// What a way says of such modes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Modes {
    /// Those that were ended.
    ended: BTreeSet<String>,
    /// Whether the arm has moved in the program that is followed.
    moved: bool,
    /// The same of those that have called it, the first one first.
    callers_moved: Vec<bool>,
}

impl Modes {
    /// The arm moves.
    pub(crate) fn moves(&mut self) {
        self.moved = true;
    }

    /// Another program is called.
    pub(crate) fn enters(&mut self) {
        self.callers_moved.push(self.moved);
        self.moved = false;
    }

    /// It comes back.
    pub(crate) fn leaves(&mut self) {
        self.moved |= self.callers_moved.pop().unwrap_or_default();
    }

    /// A statement ends a mode. Why it is not known how the arm has moved before, if the program has
    /// moved it and has not ended the mode before it did.
    pub(crate) fn ends(&mut self, statement: &str, place: &Location) -> Option<Fault> {
        let is_first = self.ended.insert(statement.to_ascii_uppercase());
        (is_first && self.moved).then(|| {
            let reason = format!(
                "`{statement}` ends a mode behind moves: it may have been on while they ran, begun by the caller or by an earlier run; check the program that begins it, or write `{statement}` before the first move, too"
            );
            Fault::new(place, reason)
        })
    }
}
