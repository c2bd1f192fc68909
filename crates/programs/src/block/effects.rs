//! Possible effects of statements, and those that were found out before.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::syntax::{BlockProgram, Name, Routine, Statement};

/// Possible effects of statements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    /// Move the arm, change what moves it, or something that is not understood.
    pub(crate) moves: bool,
    /// Go on elsewhere than after them.
    pub(crate) leaves: bool,
    /// Leave the routine in which they stand, with no value.
    pub(crate) returns: bool,
    /// Call routines of the program.
    pub(crate) calls: bool,
    /// Variables that they set.
    pub(crate) assigns: BTreeSet<Name>,
    /// Variables that something beside the program may set, for which a wait or a loop asks: once
    /// they have gone through it, these may hold something else.
    pub(crate) awaits: BTreeSet<Name>,
    /// Such a wait may also bring all that others hand over before they end it.
    pub(crate) brings: bool,
}

impl Effects {
    /// Whether only variables are changed.
    pub(crate) fn are_quiet(&self) -> bool {
        !self.moves && !self.leaves && !self.returns
    }
}

/// Effects that were found out before. They depend on the program and the cell alone, and a long
/// chain of conditions asks at each of its links for those of all that follow, on every way.
#[derive(Debug, Default, Clone)]
pub(crate) struct KnownEffects {
    /// Statements of the program, by their addresses: others are gone soon, and another one may come
    /// to stand at the same address.
    lasting: HashSet<usize>,
    found: RefCell<HashMap<StatementsInScope, Rc<Effects>>>,
}

/// Statements, the routine in which they stand (0: not known), by their addresses, and the module.
type StatementsInScope = (Vec<usize>, usize, usize);

impl KnownEffects {
    pub(crate) fn of(program: &BlockProgram) -> Self {
        let bodies = program.routines.iter();
        let bodies = bodies.flat_map(|routine| routine.body.iter().chain(&routine.handlers));
        let all = Statement::within(bodies).into_iter();
        Self {
            lasting: all.map(|s| std::ptr::from_ref(s) as usize).collect(),
            found: RefCell::default(),
        }
    }

    /// Those of statements that stand in this routine, as far as it is known, and this module.
    pub(crate) fn get(
        &self,
        body: &[&Statement],
        (routine, module): (Option<&Routine>, usize),
        find: impl FnOnce() -> Effects,
    ) -> Rc<Effects> {
        let addresses = body.iter().map(|s| std::ptr::from_ref(*s) as usize);
        let addresses: Vec<usize> = addresses.collect();
        if !addresses.iter().all(|at| self.lasting.contains(at)) {
            return find().into();
        }
        let routine = routine.map_or(0, |r| std::ptr::from_ref(r) as usize);
        let key = (addresses, routine, module);
        if let Some(known) = self.found.borrow().get(&key) {
            return known.clone();
        }
        let found = Rc::new(find());
        self.found.borrow_mut().insert(key, found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use clearance_proof::report::Location;

    use super::*;
    use crate::block::syntax::StatementKind;

    /// A call that is made up for a question is gone behind it, and the next one may stand where it
    /// stood. Catches: what was found out of one statement is taken for another one.
    #[test]
    fn only_what_statements_of_the_program_do_is_kept() {
        let statement = Statement {
            place: Location::at("a.mod".as_ref(), 1, None),
            what: StatementKind::End,
        };
        let ask = |known: &KnownEffects, module: usize, moves: bool| {
            let find = || Effects {
                moves,
                ..Effects::default()
            };
            known.get(&[&statement], (None, module), find).moves
        };
        let none = KnownEffects::of(&BlockProgram::default());
        assert_eq!(
            [true, false].map(|moves| ask(&none, 0, moves)),
            [true, false]
        );
        let own = KnownEffects {
            lasting: HashSet::from([std::ptr::from_ref(&statement) as usize]),
            found: RefCell::default(),
        };
        assert_eq!([true, false].map(|moves| ask(&own, 0, moves)), [true, true]);
        // In another module its names mean other routines.
        assert!(!ask(&own, 1, false));
    }
}
