//! The variables of modules that a routine may read before it has set them, on whatever way.
//!
//! It is found in the text, statement by statement: what has been set as a whole on every way up to
//! there is known, and what is read beside that counts. Loops may run not at all, and behind a jump
//! nothing counts as set. A name counts as set only where it can mean no other variable.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Language;
use super::syntax::{BlockProgram, Call, Expression, Name, Routine, RoutineKind};
use super::syntax::{Statement, StatementKind};

/// So many statements are looked at; where there are more, all that is read counts.
const MOST_STATEMENTS: usize = 100_000;

/// The names that have been set on every way to a statement; `None`: no way leads there.
type SetNames = Option<BTreeSet<Name>>;

/// The names of variables that a routine and all that it calls may read before setting them.
pub(crate) fn read_first<L: Language>(program: &BlockProgram, entry: &Routine) -> BTreeSet<Name> {
    let reached = program.reached([entry.name.clone()]);
    let beside = program.routines.iter();
    let beside = beside.filter(|r| r.sort == RoutineKind::Trap || !r.handlers.is_empty());
    let mut walk = Walk {
        program,
        found: L::READ_UNNAMED.iter().map(|n| Name::from(*n)).collect(),
        ambiguous: ambiguous(program),
        running: Vec::new(),
        left: MOST_STATEMENTS,
    };
    // Interrupts and handlers run nobody knows when.
    for routine in program.reached(beside.map(|r| r.name.clone())) {
        walk.all_of(routine);
    }
    walk.routine(entry, BTreeSet::new());
    if walk.left == 0 {
        for routine in reached {
            walk.all_of(routine);
        }
    }
    walk.found
}

/// Names that several modules declare, or a routine or a loop of its own: they may mean one variable
/// here and another one there.
fn ambiguous(program: &BlockProgram) -> BTreeSet<Name> {
    let mut seen = BTreeSet::new();
    let data = program.modules.iter().flat_map(|m| &m.data);
    let again = data.filter(|d| !seen.insert(d.name.clone()));
    let statements = program.routines.iter().flat_map(|r| r.statements());
    let counters = statements.filter_map(|s| match &s.what {
        StatementKind::For(counting) if counting.declares => Some(counting.name.clone()),
        _ => None,
    });
    let own = program.routines.iter().flat_map(|r| {
        let parameters = r.parameters.iter().map(|p| &p.name);
        r.data.iter().map(|d| &d.name).chain(parameters).cloned()
    });
    let again = again.map(|d| d.name.clone());
    again.chain(counters).chain(own).collect()
}

struct Walk<'p> {
    program: &'p BlockProgram,
    found: BTreeSet<Name>,
    ambiguous: BTreeSet<Name>,
    /// The routines that are followed, each called by the one before.
    running: Vec<&'p Routine>,
    /// How many more statements are looked at.
    left: usize,
}

impl<'p> Walk<'p> {
    /// All that a routine asks for counts as read.
    fn all_of(&mut self, routine: &Routine) {
        for statement in routine.statements() {
            self.found.extend(names(statement.parts()));
            if let StatementKind::Assign(path, _) = &statement.what {
                self.found.insert(path.name.clone());
            }
            if let StatementKind::For(counting) = &statement.what {
                self.found.insert(counting.name.clone());
            }
        }
        let declared = routine.data.iter().flat_map(|d| d.parts());
        self.found.extend(names(declared.collect()));
    }

    /// The names that are set when a routine comes back.
    fn routine(&mut self, routine: &'p Routine, set: BTreeSet<Name>) -> SetNames {
        let runs = self.running.iter().any(|r| std::ptr::eq(*r, routine));
        let statements = routine.statements();
        let goes_on = |s: &&Statement| matches!(s.what, StatementKind::Goto(_));
        if runs || statements.iter().any(goes_on) {
            for reached in self.program.reached([routine.name.clone()]) {
                self.all_of(reached);
            }
            return Some(set);
        }
        let own = |name: &Name| {
            let mut data = routine.data.iter().map(|d| &d.name);
            let mut parameters = routine.parameters.iter().map(|p| &p.name);
            data.any(|own| own == name) || parameters.any(|own| own == name)
        };
        for declared in &routine.data {
            for part in declared.parts() {
                self.expression(part, &set);
            }
        }
        self.running.push(routine);
        let mut returns = Vec::new();
        // Names that are its own mean no variable of a module in it.
        let hidden: BTreeSet<Name> = set.iter().filter(|name| own(name)).cloned().collect();
        let within = set.into_iter().filter(|name| !own(name)).collect();
        let end = self.block(&routine.body, Some(within), &mut returns);
        self.running.pop();
        returns.push(end);
        let after = returns.into_iter().fold(None, both);
        after.map(|set| {
            let set = set.into_iter().filter(|name| !own(name));
            set.chain(hidden).collect()
        })
    }

    fn block(
        &mut self,
        body: &'p [Statement],
        mut set: SetNames,
        returns: &mut Vec<SetNames>,
    ) -> SetNames {
        for statement in body {
            let before = set?;
            if self.left == 0 {
                return Some(before);
            }
            self.left -= 1;
            set = self.statement(statement, before, returns);
        }
        set
    }

    fn statement(
        &mut self,
        statement: &'p Statement,
        mut set: BTreeSet<Name>,
        returns: &mut Vec<SetNames>,
    ) -> SetNames {
        for part in statement.parts() {
            self.expression(part, &set);
        }
        match &statement.what {
            StatementKind::Assign(path, _) => {
                if !path.parts.is_empty() {
                    self.read(&path.name, &set);
                } else if !self.ambiguous.contains(&path.name) {
                    set.insert(path.name.clone());
                }
                Some(set)
            }
            StatementKind::If(arms, otherwise) => {
                let bodies = arms.iter().map(|(_, body)| body).chain([otherwise]);
                self.choice(bodies, set, returns)
            }
            StatementKind::Switch(_, cases, otherwise) => {
                let bodies = cases.iter().map(|(_, body)| body).chain([otherwise]);
                self.choice(bodies, set, returns)
            }
            StatementKind::For(counting) => {
                self.read(&counting.name, &set);
                self.block(&counting.body, Some(set.clone()), returns);
                Some(set)
            }
            StatementKind::While(_, body)
            | StatementKind::Repeat(body, _)
            | StatementKind::Loop(body) => {
                self.block(body, Some(set.clone()), returns);
                Some(set)
            }
            // It may run when nothing has been set.
            StatementKind::Aside(body) => {
                self.block(body, Some(BTreeSet::new()), &mut Vec::new());
                Some(set)
            }
            StatementKind::Return(_) => {
                returns.push(Some(set));
                None
            }
            StatementKind::End => None,
            StatementKind::Call(call) => self.call(call, set),
            // Behind a loop what was set before it counts, so that it may be left anywhere.
            StatementKind::Leave => None,
            StatementKind::Label(_)
            | StatementKind::Goto(_)
            | StatementKind::Pass(_)
            | StatementKind::Unread(..) => Some(set),
        }
    }

    /// One of these is followed.
    fn choice(
        &mut self,
        bodies: impl Iterator<Item = &'p Vec<Statement>>,
        set: BTreeSet<Name>,
        returns: &mut Vec<SetNames>,
    ) -> SetNames {
        let mut after = None;
        for body in bodies {
            let end = self.block(body, Some(set.clone()), returns);
            after = both(after, end);
        }
        after
    }

    fn call(&mut self, call: &'p Call, set: BTreeSet<Name>) -> SetNames {
        let program = self.program;
        let routines: Vec<&Rc<Routine>> = (program.routines.iter())
            .filter(|r| r.name == call.name)
            .collect();
        if routines.is_empty() {
            return Some(set);
        }
        let mut after = None;
        for routine in routines {
            let end = self.routine(routine, set.clone());
            after = both(after, end);
        }
        after
    }

    fn expression(&mut self, part: &'p Expression, set: &BTreeSet<Name>) {
        match part {
            Expression::Variable(path) => self.read(&path.name, set),
            Expression::Call(call) => {
                let program = self.program;
                for routine in program.routines.iter().filter(|r| r.name == call.name) {
                    // Nothing that a function sets counts: it may not be asked.
                    self.routine(routine, set.clone());
                }
            }
            _ => {}
        }
    }

    fn read(&mut self, name: &Name, set: &BTreeSet<Name>) {
        if !set.contains(name) {
            self.found.insert(name.clone());
        }
    }
}

/// The names that are set on both of two ways.
fn both(one: SetNames, other: SetNames) -> SetNames {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.intersection(&other).cloned().collect()),
        (one, other) => one.or(other),
    }
}

fn names(parts: Vec<&Expression>) -> Vec<Name> {
    let names = parts.into_iter().filter_map(|part| match part {
        Expression::Variable(path) => Some(path.name.clone()),
        _ => None,
    });
    names.collect()
}
