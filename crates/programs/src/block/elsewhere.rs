//! Data that routines set which the program that is followed does not run: somebody else runs them,
//! and what they left is not what the declaration says.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use clearance_proof::model::moves::Unknown;
use clearance_proof::report::Location;

use super::syntax::{
    BlockProgram, Call, Declaration, Expression, Name, Parameter, PathStep, Routine, RoutineKind,
    Statement, StatementKind,
};
use super::{Does, Language};

/// Variables of modules and parts of them that are not known at the start, and why.
pub(crate) type UnknownAtStart = BTreeMap<(usize, Name, Vec<PathStep>), Arc<Unknown>>;

/// Parameters that their routines set, by the routine's address.
type SetParameters = BTreeSet<(usize, Name)>;

/// Routines that could run by themselves and that no other one calls.
pub(crate) fn roots(program: &BlockProgram) -> Vec<&Rc<Routine>> {
    let called = |name: &Name| {
        program.routines.iter().any(|routine| {
            let all = routine.statements();
            all.iter().any(|statement| {
                let parts = statement.parts();
                let asked = |e: &&Expression| matches!(e, Expression::Call(c) if c.name == *name);
                let by_statement = |c: &Call| c.name == *name && routine.name != *name;
                matches!(&statement.what, StatementKind::Call(c) if by_statement(c))
                    || parts.iter().any(asked)
            })
        })
    };
    let all = program.routines.iter();
    let alone = |r: &&Rc<Routine>| {
        r.sort == RoutineKind::Procedure
            && r.parameters.iter().all(|p| p.optional)
            && !called(&r.name)
    };
    all.filter(alone).collect()
}

/// The data that are not known where a routine starts, because others set them. `again`: it starts
/// anew whenever it has ended, and only persistent data keep what was left in them.
pub(super) fn set_elsewhere<L: Language>(
    program: &BlockProgram,
    entry: &Rc<Routine>,
    again: bool,
) -> UnknownAtStart {
    let own = reached(program, vec![entry], None);
    let is_own = |r: &Rc<Routine>| own.iter().any(|o| Rc::ptr_eq(o, r));
    let others: Vec<_> = program.routines.iter().filter(|r| !is_own(r)).collect();
    let runs = if others.iter().any(|r| is_open(r)) {
        let all = program.routines.iter();
        all.filter(|r| !Rc::ptr_eq(r, entry)).collect()
    } else {
        // What the entry itself leaves is found by following it.
        reached(program, others, Some(entry))
    };
    // A controller can be set to run a routine that nothing calls where a program starts: what that
    // leaves in other data is there too.
    let events = roots(program).into_iter();
    let events = events.filter(|r| r.parameters.is_empty() && !is_own(r));
    let events = reached(program, events.collect(), Some(entry));
    let parameters = set_parameters::<L>(program);
    let mut found = UnknownAtStart::new();
    for routine in runs {
        let at_start = events.iter().any(|event| Rc::ptr_eq(event, routine));
        let counts = |d: &Declaration| d.persistent || !again || at_start;
        let by_name = sets_by_name::<L>(program, routine).into_iter();
        for (module, data, place) in by_name.filter(|(_, d, _)| counts(d)) {
            let why = || Arc::new(reason(program, entry, routine, &data.name, place, again));
            let key = (module, data.name.clone(), Vec::new());
            found.entry(key).or_insert_with(why);
        }
        for (name, place) in sets::<L>(program, routine, &parameters) {
            if routine.declares(name) {
                continue;
            }
            for module in declaring(program, routine.module, name) {
                let mut data = program.modules[module].data.iter();
                if data.any(|d| d.name == *name && !d.constant && counts(d)) {
                    let why = || Arc::new(reason(program, entry, routine, name, place, again));
                    let key = (module, name.clone(), Vec::new());
                    found.entry(key).or_insert_with(why);
                }
            }
        }
    }
    found
}

/// What the functions of a program, with all that they call, do with variables that they do not
/// declare.
#[derive(Debug, Default, Clone)]
pub(crate) struct FunctionEffects {
    /// The parameters that they set.
    parameters: SetParameters,
    /// By the function's address.
    asks: BTreeMap<usize, BTreeSet<Name>>,
    sets: BTreeMap<usize, BTreeSet<Name>>,
}

impl FunctionEffects {
    pub(super) fn of<L: Language>(program: &BlockProgram) -> Self {
        let mut found = Self {
            parameters: set_parameters::<L>(program),
            ..Self::default()
        };
        let is_function = |r: &&Rc<Routine>| matches!(r.sort, RoutineKind::Function(_));
        for function in program.routines.iter().filter(is_function) {
            let (mut asks, mut sets_names) = (BTreeSet::new(), BTreeSet::new());
            for routine in reached(program, vec![function], None) {
                let foreign = |name: &&Name| !routine.declares(name);
                let parts = routine.parts().into_iter();
                let asked = parts.filter_map(Expression::as_variable);
                asks.extend(asked.filter(foreign).cloned());
                let set = sets::<L>(program, routine, &found.parameters).into_iter();
                sets_names.extend(set.map(|(name, _)| name).filter(foreign).cloned());
            }
            found.asks.insert(address(function), asks);
            found.sets.insert(address(function), sets_names);
        }
        found
    }

    /// The variables for which a function asks.
    pub(super) fn asks(&self, function: &Rc<Routine>) -> impl Iterator<Item = &Name> {
        self.asks.get(&address(function)).into_iter().flatten()
    }

    /// The variables that it sets.
    pub(super) fn sets(&self, function: &Rc<Routine>) -> impl Iterator<Item = &Name> {
        self.sets.get(&address(function)).into_iter().flatten()
    }

    /// Those that a call of it hands it, and that it sets.
    pub(super) fn sets_of_given<'c>(
        &self,
        function: &'c Rc<Routine>,
        call: &'c Call,
    ) -> Vec<&'c Name> {
        let is_set = |parameter: &Parameter| {
            let key = (address(function), parameter.name.clone());
            parameter.by_reference && self.parameters.contains(&key)
        };
        let given = given(function, call).into_iter();
        let set = given.filter(|(parameter, _)| is_set(parameter));
        set.filter_map(|(_, value)| value.as_variable()).collect()
    }
}

fn reason(
    program: &BlockProgram,
    entry: &Routine,
    routine: &Routine,
    name: &Name,
    place: &Location,
    again: bool,
) -> Unknown {
    let (sets, starts) = (&routine.written, &entry.written);
    let written = program.as_written(name);
    let line = place.line.unwrap_or(1);
    let remedy = if again {
        format!("set it in `{starts}` before it is used")
    } else {
        format!(
            "check the program that calls `{starts}`, or set it in `{starts}` before it is used"
        )
    };
    Unknown {
        place: place.clone(),
        reason: format!(
            "`{sets}` sets `{written}` (line {line}), and what it holds when `{starts}` starts is not known; {remedy}"
        ),
    }
}

/// Whether a routine may call another one whose name is not written in it.
fn is_open(routine: &Rc<Routine>) -> bool {
    let statements = routine.statements().into_iter();
    let mut calls = statements.map(|statement| match &statement.what {
        StatementKind::Call(call) => *call.name == *"callbyvar",
        StatementKind::Unread(reason, _) => reason.contains("decided at run time"),
        _ => false,
    });
    calls.any(|is| is)
}

/// The data of modules that instructions of a routine may set by names that they find out.
fn sets_by_name<'p, L: Language>(
    program: &'p BlockProgram,
    routine: &'p Rc<Routine>,
) -> Vec<(usize, &'p Declaration, &'p Location)> {
    let mut found = Vec::new();
    for statement in routine.statements() {
        for call in statement.calls() {
            for (k, module) in program.modules.iter().enumerate() {
                let data = module.data.iter().filter(|d| !d.constant);
                let data = data.filter(|d| L::sets_by_name(call, d));
                found.extend(data.map(|d| (k, d, &statement.place)));
            }
        }
    }
    found
}

/// The routines of that name that a module sees.
fn visible<'p>(program: &'p BlockProgram, module: usize, name: &Name) -> Vec<&'p Rc<Routine>> {
    let named = || program.routines.iter().filter(|r| r.name == *name);
    match named().find(|r| r.module == module) {
        Some(own) => vec![own],
        None => named().filter(|r| !r.local).collect(),
    }
}

/// These routines and all that they call, but for one that is not gone into.
fn reached<'p>(
    program: &'p BlockProgram,
    from: Vec<&'p Rc<Routine>>,
    but: Option<&Rc<Routine>>,
) -> Vec<&'p Rc<Routine>> {
    let (mut left, mut found) = (from.clone(), from);
    while let Some(routine) = left.pop() {
        let calls = routine.calls().into_iter();
        for called in calls.flat_map(|call| visible(program, routine.module, &call.name)) {
            let is_out = but.is_some_and(|but| Rc::ptr_eq(but, called));
            if !is_out && !found.iter().any(|f| Rc::ptr_eq(f, called)) {
                found.push(called);
                left.push(called);
            }
        }
    }
    found
}

/// The modules whose data a name means that a routine of a module does not declare itself.
fn declaring(program: &BlockProgram, module: usize, name: &Name) -> Vec<usize> {
    let has = |k: usize, others: bool| {
        let mut data = program.modules[k].data.iter();
        data.any(|d| d.name == *name && !(others && d.local))
    };
    if has(module, false) {
        return vec![module];
    }
    let all = 0..program.modules.len();
    all.filter(|&k| has(k, true)).collect()
}

/// The parameters of a routine that a call gives a value, with that.
pub(crate) fn given<'p>(
    called: &'p Routine,
    call: &'p Call,
) -> Vec<(&'p Parameter, &'p Expression)> {
    let mut needed = called.parameters.iter().filter(|p| !p.optional);
    let given = call.arguments.iter().filter_map(|argument| {
        let parameter = match &argument.name {
            Some(name) => called.parameters.iter().find(|p| p.name == *name),
            None => needed.next(),
        };
        Some((parameter?, argument.value.as_ref()?))
    });
    given.collect()
}

/// The parameters that routines set, or hand on to others that do.
fn set_parameters<L: Language>(program: &BlockProgram) -> SetParameters {
    let mut found = SetParameters::new();
    loop {
        let mut further = SetParameters::new();
        for routine in &program.routines {
            let is_parameter = |name: &Name| routine.parameters.iter().any(|p| p.name == *name);
            let sets = sets::<L>(program, routine, &found).into_iter();
            let own = sets.filter(|(name, _)| is_parameter(name));
            further.extend(own.map(|(name, _)| (address(routine), name.clone())));
        }
        if further.is_subset(&found) {
            return found;
        }
        found.extend(further);
    }
}

fn address(routine: &Rc<Routine>) -> usize {
    Rc::as_ptr(routine) as usize
}

/// The variables that the statements of a routine may set, each with its place.
fn sets<'p, L: Language>(
    program: &'p BlockProgram,
    routine: &'p Rc<Routine>,
    parameters: &SetParameters,
) -> Vec<(&'p Name, &'p Location)> {
    let mut found: Vec<(&Name, &Location)> = Vec::new();
    let mut asked = |call: &'p Call, does: Does, place: &'p Location| {
        let names = handed::<L>(program, routine, call, does, parameters);
        found.extend(names.into_iter().map(|name| (name, place)));
    };
    for declared in &routine.data {
        let calls = declared.parts().into_iter().filter_map(Expression::as_call);
        calls.for_each(|call| asked(call, L::function_does(call), &declared.place));
    }
    let statements = routine.statements();
    for statement in &statements {
        let calls = statement
            .parts()
            .into_iter()
            .filter_map(Expression::as_call);
        calls.for_each(|call| asked(call, L::function_does(call), &statement.place));
        if let Some(call) = statement.as_call() {
            asked(call, L::does(call), &statement.place);
        }
    }
    let assigned = |statement: &&'p Statement| match &statement.what {
        StatementKind::Assign(path, _) => Some((&path.name, &statement.place)),
        StatementKind::For(counting) if !counting.declares => {
            Some((&counting.name, &statement.place))
        }
        _ => None,
    };
    found.extend(statements.iter().filter_map(assigned));
    for statement in &statements {
        if let StatementKind::Unread(_, names) = &statement.what {
            found.extend(names.iter().map(|name| (name, &statement.place)));
        }
    }
    found
}

/// The variables that a call may set of those that it is handed.
fn handed<'p, L: Language>(
    program: &'p BlockProgram,
    routine: &Routine,
    call: &'p Call,
    does: Does,
    parameters: &SetParameters,
) -> Vec<&'p Name> {
    let called = visible(program, routine.module, &call.name);
    if called.is_empty() {
        let given = call.arguments.iter().filter_map(|a| a.value.as_ref());
        return match does {
            Does::Nothing => Vec::new(),
            Does::Moves if L::only_reads(call) => Vec::new(),
            _ => given.filter_map(Expression::as_variable).collect(),
        };
    }
    let mut names = Vec::new();
    for called in called {
        for (parameter, value) in given(called, call) {
            let is_set = parameters.contains(&(address(called), parameter.name.clone()));
            if let (true, true, Some(name)) = (parameter.by_reference, is_set, value.as_variable())
            {
                names.push(name);
            }
        }
    }
    names
}
