//! Possible effects of statements, whichever of them are reached, and the variables on which moves
//! and the flow depend.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::effects::Effects;
use super::super::elsewhere::given;
use super::super::shared::SharedVariables;
use super::super::syntax::{
    BlockProgram, Call, Expression, Name, Routine, Statement, StatementKind,
};
use super::super::{Does, Language};
use super::BlockInterpreter;

/// Statements that are looked at: those of the routine that is followed, or of one that is called.
#[derive(Clone, Copy)]
struct Scope<'r> {
    /// The routine in which they stand, where it is known.
    routine: Option<&'r Routine>,
    /// The module whose names are seen there.
    module: usize,
    /// Whether a `RETURN` there only comes back to the statements that were asked about.
    called: bool,
    /// Whether they run after an error: where they lead is judged apart.
    handles: bool,
}

impl<'r> Scope<'r> {
    /// Statements of this routine.
    fn of(routine: &'r Routine) -> Self {
        Self {
            routine: Some(routine),
            module: routine.module,
            called: false,
            handles: false,
        }
    }

    /// Whether a name means a variable of a routine that is called, gone when it comes back.
    fn is_gone(&self, name: &Name) -> bool {
        let declares = |routine: &Routine| routine.declares(name) && !name.starts_with('$');
        self.called && self.routine.is_some_and(declares)
    }
}

/// What was found out so far.
#[derive(Default)]
struct Walk {
    effects: Effects,
    /// Routines that are called, each of which is looked at once.
    seen: Vec<Rc<Routine>>,
}

impl<L: Language> BlockInterpreter<'_, L> {
    /// Possible effects of these statements of the routine that is followed, with all that they call.
    pub(crate) fn effects(&self, body: &[&Statement]) -> Rc<Effects> {
        let scope = Scope {
            routine: self.here().filter(|_| self.inside).map(Rc::as_ref),
            module: self.module,
            called: false,
            handles: false,
        };
        self.effects_in(body, scope)
    }

    /// The same for statements of another routine.
    pub(crate) fn effects_of(&self, routine: &Routine, body: &[&Statement]) -> Rc<Effects> {
        self.effects_in(body, Scope::of(routine))
    }

    fn effects_in(&self, body: &[&Statement], scope: Scope) -> Rc<Effects> {
        let within = (scope.routine, scope.module);
        self.counted.effects.get(body, within, || {
            let mut walk = Walk::default();
            self.add(body, scope, &mut walk);
            walk.effects
        })
    }

    fn add(&self, body: &[&Statement], scope: Scope, walk: &mut Walk) {
        for statement in Statement::within(body.iter().copied()) {
            let effects = &mut walk.effects;
            match &statement.what {
                StatementKind::Assign(path, _) if scope.is_gone(&path.name) => {}
                StatementKind::Assign(path, _) => {
                    effects.assigns.insert(path.name.clone());
                    effects.moves |= path.name.starts_with('$') && self.matters(&path.name);
                }
                // A counter that the loop declares is no variable outside of it.
                StatementKind::For(counting) if counting.declares => {}
                StatementKind::For(counting) if scope.is_gone(&counting.name) => {}
                StatementKind::For(counting) => _ = effects.assigns.insert(counting.name.clone()),
                StatementKind::Return(_) | StatementKind::End if scope.handles => {}
                StatementKind::Leave | StatementKind::Goto(_) | StatementKind::End => {
                    effects.leaves = true
                }
                StatementKind::Return(None) if !scope.called => effects.returns = true,
                StatementKind::Return(Some(_)) if !scope.called => effects.leaves = true,
                StatementKind::Unread(..) => effects.moves = true,
                StatementKind::Call(call) if scope.handles && leads_elsewhere(call) => {}
                StatementKind::Call(call) => self.add_call(call, self.does(call), scope, walk),
                _ => {}
            }
            for waits in statement.waits_for() {
                let shared = &self.counted.shared;
                let asked = shared.asked(waits, scope.routine);
                if !asked.is_empty() {
                    walk.effects.brings = true;
                }
                walk.effects.awaits.extend(asked);
            }
            self.add_parts(statement.parts(), scope, walk);
        }
    }

    /// What the parts of expressions may do: the functions that they call.
    fn add_parts(&self, parts: Vec<&Expression>, scope: Scope, walk: &mut Walk) {
        for part in parts {
            match part {
                Expression::Call(call) => {
                    self.add_call(call, self.function_does(call), scope, walk)
                }
                Expression::Unread(_) => walk.effects.moves = true,
                _ => {}
            }
        }
    }

    fn add_call(&self, call: &Call, does: Does, scope: Scope, walk: &mut Walk) {
        let effects = &mut walk.effects;
        match self.routine_from(scope.module, &call.name) {
            Err(_) => effects.moves = true,
            Ok(Some(routine)) => {
                effects.calls = true;
                let lent = given(&routine, call).into_iter();
                let lent = lent.filter(|(parameter, _)| parameter.by_reference);
                let lent = lent.filter_map(|(_, value)| value.as_variable());
                effects
                    .assigns
                    .extend(lent.filter(|name| !scope.is_gone(name)).cloned());
                if !walk.seen.iter().any(|s| Rc::ptr_eq(s, &routine)) {
                    walk.seen.push(routine.clone());
                    let body: Vec<_> = routine.body.iter().chain(&routine.handlers).collect();
                    let scope = Scope {
                        called: true,
                        ..Scope::of(&routine)
                    };
                    self.add_data(&routine, scope, walk);
                    self.add(&body, scope, walk);
                }
            }
            Ok(None) => match does {
                Does::Nothing => {}
                Does::Answers | Does::Computes => {
                    let handed = call.arguments.iter().flat_map(|a| &a.value);
                    let handed = handed.filter_map(Expression::as_variable);
                    effects
                        .assigns
                        .extend(handed.filter(|name| !scope.is_gone(name)).cloned());
                }
                Does::Moves => effects.moves = true,
            },
        }
    }

    /// What the first values of a routine's own variables may do: they are computed in each call.
    fn add_data(&self, routine: &Routine, scope: Scope, walk: &mut Walk) {
        let parts = routine.data.iter().flat_map(|declared| declared.parts());
        self.add_parts(parts.collect(), scope, walk);
    }

    /// Whether the program goes on after an error in a routine: then it was left half-way, or
    /// statements of it were.
    pub(crate) fn handler_resumes(&self, routine: &Routine) -> bool {
        let all = Statement::within(&routine.handlers);
        all.iter().any(|s| match &s.what {
            StatementKind::Call(call) => ["trynext", "retry"].contains(&&*call.name),
            StatementKind::Return(_) | StatementKind::Goto(_) => true,
            _ => false,
        })
    }

    /// Whether an error handler of a routine could change what the arm does: it moves, or it leads
    /// to other statements than those that would have come.
    pub(crate) fn handler_matters(&self, routine: &Routine) -> bool {
        let mut walk = Walk::default();
        let handlers: Vec<_> = routine.handlers.iter().collect();
        let scope = Scope {
            handles: true,
            ..Scope::of(routine)
        };
        self.add(&handlers, scope, &mut walk);
        let own = walk.effects;
        if own.moves || own.leaves || self.sets_what_counts(&own) {
            return true;
        }
        let mut walk = Walk::default();
        self.add_data(routine, Scope::of(routine), &mut walk);
        let body: Vec<_> = routine.body.iter().collect();
        self.add(&body, Scope::of(routine), &mut walk);
        let guarded = walk.effects;
        let counts = || guarded.assigns.iter().any(|name| self.counts(name));
        self.handler_resumes(routine) && (guarded.moves || guarded.calls && counts())
    }

    /// The variables with which loops of the program count, but for those of routines that these
    /// statements call: what runs beside the program must not set them, whatever else they are for.
    pub(crate) fn counters_beside(&self, within: &[&Statement]) -> BTreeSet<Name> {
        let all = Statement::within(within.iter().copied());
        let called = all.iter().flat_map(|s| s.calls()).map(|c| c.name.clone());
        let called = self.program.reached(called);
        let is_called = |r: &Rc<Routine>| called.iter().any(|c| Rc::ptr_eq(c, r));
        let others = self.program.routines.iter().filter(|r| !is_called(r));
        let counters = others.flat_map(|routine| {
            let loops = routine.statements().into_iter();
            let counters = loops.filter_map(|s| match &s.what {
                StatementKind::For(counting) if !counting.declares => Some(&counting.name),
                _ => None,
            });
            let is_here = self.here().is_some_and(|here| Rc::ptr_eq(here, routine));
            let seen = move |name: &&Name| is_here || !routine.declares(name);
            counters.filter(seen).cloned()
        });
        counters.collect()
    }

    /// Whether something on which moves or the flow depend may hold another value after this.
    pub(super) fn sets_what_counts(&self, effects: &Effects) -> bool {
        let sets = effects.assigns.iter().chain(&effects.awaits);
        let others = self.counted.shared.set_by_others().iter();
        let mut sets = sets.chain(others.filter(|_| effects.brings));
        sets.any(|name| self.counts(name))
    }
}

/// Whether an instruction leads to statements elsewhere, after an error.
fn leads_elsewhere(call: &Call) -> bool {
    ["trynext", "retry", "raise"].contains(&&*call.name)
}

/// Names of variables by what depends on them.
pub(super) struct CountedNames {
    /// Variables that are set somewhere and on which moves or the flow depend: what a loop has to
    /// come back to. A counter that is only shown to somebody is none of them.
    pub(super) names: BTreeSet<Name>,
    /// All on which moves or the flow depend, and that a wait asks for: another way may hold another
    /// value, set or not.
    pub(super) compared: BTreeSet<Name>,
}

/// The variables of a program that count.
pub(super) fn counted<L: Language>(
    program: &BlockProgram,
    shared: &SharedVariables,
    does: impl Fn(&Call) -> Does,
) -> CountedNames {
    let is_routine = |name: &Name| program.routines.iter().any(|r| r.name == *name);
    let routines = program.routines.iter();
    let all: Vec<&Statement> = routines.flat_map(|r| r.statements()).collect();
    let unnamed = L::READ_UNNAMED.iter();
    let mut needed: BTreeSet<Name> = unnamed.map(|name| Name::from(*name)).collect();
    // An argument of a routine counts, so the name that the routine has for it does too.
    let parameters = program.routines.iter().flat_map(|r| &r.parameters);
    needed.extend(
        parameters
            .filter(|p| p.by_reference)
            .map(|p| p.name.clone()),
    );
    let mut set = BTreeSet::new();
    // Something else sets what a wait asks for.
    for routine in &program.routines {
        for waits in routine.statements().iter().flat_map(|s| s.waits_for()) {
            set.extend(shared.asked(waits, Some(routine)));
        }
    }
    set.extend(shared.set_by_others().iter().cloned());
    // A variable that is handed to a function may come back changed, and the function may depend on
    // it, in the first value of another variable too.
    let asked = program.routines.iter().flat_map(|r| r.parts());
    for call in asked.filter_map(Expression::as_call) {
        if is_routine(&call.name) || L::function_does(call) != Does::Nothing {
            let handed = variables(call);
            needed.extend(handed.iter().cloned());
            set.extend(handed);
        }
    }
    let mut depends: Vec<(Name, Vec<Name>)> = Vec::new();
    // What loops ask for that only wait, and what statements of the program set.
    let mut gates: BTreeSet<Name> = BTreeSet::new();
    let mut own: BTreeSet<Name> = BTreeSet::new();
    for statement in all {
        let parts = statement.parts().into_iter();
        let names: Vec<Name> = parts.filter_map(Expression::as_variable).cloned().collect();
        match &statement.what {
            StatementKind::Assign(path, _) => {
                set.insert(path.name.clone());
                own.insert(path.name.clone());
                if path.name.starts_with('$') {
                    needed.extend(names.iter().cloned());
                }
                depends.push((path.name.clone(), names));
            }
            StatementKind::Call(call) if !is_routine(&call.name) => match does(call) {
                Does::Nothing => {}
                Does::Answers => {
                    own.extend(variables(call));
                    set.extend(variables(call));
                }
                Does::Computes => {
                    own.extend(variables(call));
                    set.extend(variables(call));
                    for name in variables(call) {
                        depends.push((name, names.clone()));
                    }
                }
                Does::Moves => needed.extend(names),
            },
            StatementKind::Call(call) => {
                own.extend(variables(call));
                set.extend(variables(call));
                needed.extend(names);
            }
            StatementKind::For(counting) => {
                own.insert(counting.name.clone());
                set.insert(counting.name.clone());
                needed.extend(names);
                // How often what stands in it is done depends on it, whoever else sets it.
                if !counting.declares {
                    needed.insert(counting.name.clone());
                }
            }
            // A loop that only waits sets nothing: what others set ends it, or what the program has
            // set before, in a loop perhaps of which another number of rounds would have opened it.
            StatementKind::While(_, body) | StatementKind::Repeat(body, _)
                if only_waits::<L>(program, body) =>
            {
                gates.extend(names)
            }
            // Where all that is chosen is what variables hold, what chooses counts if these do.
            StatementKind::If(..) | StatementKind::Switch(..) => {
                match set_within::<L>(program, statement) {
                    Some(targets) => {
                        depends.extend(targets.into_iter().map(|name| (name, names.clone())));
                    }
                    None => needed.extend(names),
                }
            }
            _ => needed.extend(names),
        }
    }
    // Routines begin with what their declarations say.
    for declared in program.routines.iter().flat_map(|r| &r.data) {
        let parts = declared.parts().into_iter();
        let names = parts.filter_map(Expression::as_variable).cloned();
        depends.push((declared.name.clone(), names.collect()));
    }
    needed.extend(gates.intersection(&own).cloned());
    add_computed_from(&mut needed, &depends);
    let names = needed.intersection(&set).cloned().collect();
    for statement in program.routines.iter().flat_map(|r| r.statements()) {
        let waits = statement.waits_for().into_iter();
        let asked = waits.flat_map(Expression::parts);
        needed.extend(asked.filter_map(Expression::as_variable).cloned());
        // How far the loop is.
        if let StatementKind::For(counting) = &statement.what {
            needed.insert(counting.name.clone());
        }
    }
    add_computed_from(&mut needed, &depends);
    CountedNames {
        names,
        compared: needed,
    }
}

/// If a variable counts, the variables from which it is computed count too.
fn add_computed_from(needed: &mut BTreeSet<Name>, depends: &[(Name, Vec<Name>)]) {
    loop {
        let before = needed.len();
        for (name, of) in depends {
            if needed.contains(name) {
                needed.extend(of.iter().cloned());
            }
        }
        if needed.len() == before {
            return;
        }
    }
}

/// Whether a variable of the controller itself matters to the arm.
pub(super) fn matters<L: Language>(name: &Name) -> bool {
    let call = Call {
        name: name.clone(),
        arguments: Vec::new(),
    };
    L::does(&call) == Does::Moves
}

/// Whether statements neither set anything nor call a routine of the program, nor lead elsewhere.
fn only_waits<L: Language>(program: &BlockProgram, body: &[Statement]) -> bool {
    let is_routine = |call: &Call| program.routines.iter().any(|r| r.name == call.name);
    let passes =
        |call: &Call| !leads_elsewhere(call) && !is_routine(call) && L::does(call) == Does::Nothing;
    body.iter().all(|statement| {
        let asked = statement
            .parts()
            .into_iter()
            .filter_map(Expression::as_call);
        let plain = match &statement.what {
            StatementKind::Pass(_) => true,
            StatementKind::Call(call) => passes(call),
            _ => false,
        };
        let reads = |call: &Call| !is_routine(call) && L::function_does(call) == Does::Nothing;
        plain && asked.into_iter().all(reads)
    })
}

/// The variables that a choice can change, or that something else may change while a wait in it
/// lasts; none: it can do more than that.
fn set_within<L: Language>(program: &BlockProgram, choice: &Statement) -> Option<Vec<Name>> {
    let mut targets = Vec::new();
    let mut seen: Vec<&Routine> = Vec::new();
    let mut open = Statement::within([choice]);
    let asks_more = |part: &Expression| match part {
        Expression::Call(call) => {
            program.routines.iter().any(|r| r.name == call.name)
                || L::function_does(call) == Does::Moves
        }
        Expression::Unread(_) => true,
        _ => false,
    };
    while let Some(statement) = open.pop() {
        let mut parts = statement.parts().into_iter();
        if parts.any(asks_more) {
            return None;
        }
        match &statement.what {
            StatementKind::Assign(path, _) => {
                if path.name.starts_with('$') && matters::<L>(&path.name) {
                    return None;
                }
                targets.push(path.name.clone());
            }
            StatementKind::If(..) | StatementKind::Switch(..) | StatementKind::Pass(_) => {}
            // These lead elsewhere.
            StatementKind::Call(call) if leads_elsewhere(call) => return None,
            StatementKind::Call(call) => {
                let routines = program.routines.iter().filter(|r| r.name == call.name);
                for routine in routines.clone() {
                    let mut first = routine.data.iter().flat_map(|declared| declared.parts());
                    if !routine.handlers.is_empty() || first.any(asks_more) {
                        return None;
                    }
                    if !seen.iter().any(|seen| std::ptr::eq(*seen, &**routine)) {
                        seen.push(routine);
                        open.extend(Statement::within(&routine.body));
                        targets.extend(routine.data.iter().map(|d| d.name.clone()));
                    }
                }
                match (routines.count(), L::does(call)) {
                    (0, Does::Moves) => return None,
                    (0, Does::Nothing) if !call.waits() => {}
                    _ => targets.extend(variables(call)),
                }
            }
            _ => return None,
        }
    }
    Some(targets)
}

fn variables(call: &Call) -> Vec<Name> {
    let given = call.arguments.iter().flat_map(|a| &a.value);
    let parts = given.flat_map(Expression::parts);
    let names = parts.filter_map(|part| match part {
        Expression::Variable(path) => Some(path.name.clone()),
        _ => None,
    });
    names.collect()
}
