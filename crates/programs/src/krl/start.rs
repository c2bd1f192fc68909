//! The modes in which a program begins.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use clearance_proof::model::moves::{MoveKind, MoveProgram};
use clearance_proof::report::Location;

use super::Krl;
use super::builtin::{self, MODES};
use super::motion::{is_its_own, only_stops};
use super::words::MOVES;
use crate::block::Does;
use crate::block::elsewhere::UnknownAtStart;
use crate::block::interpreter::{BlockInterpreter, counted};
use crate::block::syntax::{BlockProgram, Expression, Name, Routine, Statement, StatementKind};
use crate::controller::ControlledArm;
use crate::flow::{Flow, Followed, ways};
use crate::one_sided::OneSidedConditions;
use crate::ways_join::WaysJoin;
use crate::{Assumption, Bounds};

/// What is taken for granted where a program begins: one that calls it may have set modes otherwise,
/// or declared interrupts.
pub(super) fn assumed(
    program: &BlockProgram,
    entry: &Routine,
    ways: &[MoveProgram],
    controller: &ControlledArm,
) -> Vec<Assumption> {
    let modes = assumed_modes(program, entry, ways);
    modes
        .into_iter()
        .chain(interrupted(program, entry, controller))
        .collect()
}

/// The routines that a program does not call itself.
fn others<'p>(program: &'p BlockProgram, entry: &Routine) -> impl Iterator<Item = &'p Rc<Routine>> {
    let own = program.reached([entry.name.clone()]);
    let all = program.routines.iter();
    all.filter(move |r| !own.iter().any(|o| Rc::ptr_eq(o, r)))
}

/// An interrupt that such a routine declares.
struct Declared<'p> {
    by: &'p Routine,
    place: &'p Location,
    /// What it calls or sets.
    runs: &'p Expression,
}

impl Followed for Option<Declared<'_>> {}

/// An interrupt that such a routine declares, and that could change what the arm does.
fn interrupted(
    program: &BlockProgram,
    entry: &Routine,
    controller: &ControlledArm,
) -> Option<Assumption> {
    let statements =
        others(program, entry).flat_map(|r| r.statements().into_iter().map(move |s| (r, s)));
    let declared = statements.filter_map(|(by, statement)| {
        let call = statement
            .as_call()
            .filter(|c| *c.name == *"interrupt decl")?;
        Some(Declared {
            by,
            place: &statement.place,
            runs: call.positional().next()?,
        })
    });
    let declared: Vec<Declared> = declared.collect();
    let Declared { place, runs, .. } = first_that_acts(program, entry, controller, declared)?;
    let does = match runs {
        Expression::Call(call) => format!("runs `{}`", program.as_written(&call.name)),
        other => format!("sets `{}`", other.shown()),
    };
    Some(Assumption {
        place: entry.place.clone(),
        message: format!(
            "line {} of {} declares an interrupt that {does}, which could change what the arm does; it may be on while this program runs: verify the program that calls it",
            place.line.unwrap_or(1),
            place.file,
        ),
        contradicted: true,
    })
}

/// The first of these that could change what the arm does, judged as the program's own are.
fn first_that_acts<'p>(
    program: &BlockProgram,
    entry: &Routine,
    controller: &ControlledArm,
    declared: Vec<Declared<'p>>,
) -> Option<Declared<'p>> {
    if declared.is_empty() {
        return None;
    }
    // What the program asks for: it need not set it.
    let own = program.reached([entry.name.clone()]).into_iter();
    let asked: BTreeSet<&Name> = own
        .flat_map(|routine| routine.parts())
        .filter_map(Expression::as_variable)
        .collect();
    let counted = counted::<Krl>(program, entry, controller);
    let changed = UnknownAtStart::new();
    let apart = RefCell::new(WaysJoin::new(false));
    let mut declared = Some(declared);
    // Nothing is decided here: there is one way.
    let follow = |flow: &mut Flow| {
        let start = Krl::default();
        let interpreter =
            BlockInterpreter::new(program, controller, start, flow, &counted, &changed, &apart);
        let acts = |interrupt: &Declared| match interrupt.runs {
            Expression::Call(call) => {
                let what = StatementKind::Call(call.clone());
                let place = interrupt.place.clone();
                let effects = interpreter.effects_of(interrupt.by, &[&Statement { place, what }]);
                let mut sets = effects.assigns.iter();
                if only_stops(&interpreter, call) {
                    let mut seen = sets.filter(|name| !is_its_own(&interpreter, call, name));
                    return seen.any(|name| asked.contains(name));
                }
                let told = counted.shared.set_by_others().iter();
                let told = told.filter(|_| effects.brings);
                let mut sets = sets.by_ref().chain(&effects.awaits).chain(told);
                !effects.are_quiet() || sets.any(|name| asked.contains(name))
            }
            other => other.as_variable().is_none_or(|name| {
                let is_output = name.starts_with('$') && builtin::does(name) == Does::Nothing;
                asked.contains(name) || name.starts_with('$') && !is_output
            }),
        };
        declared
            .take()?
            .into_iter()
            .find(|interrupt| acts(interrupt))
    };
    let mut none = OneSidedConditions::default();
    let found = ways(Bounds::default(), &mut none, follow, |ways, way| {
        ways.push(way);
    });
    found.ways.into_iter().find_map(|way| way.found)
}

/// Where a routine that the program does not call sets one of these modes otherwise.
fn sets_otherwise<'p>(
    program: &'p BlockProgram,
    entry: &Routine,
    modes: &[(&str, &str)],
) -> Option<&'p Location> {
    let mut statements = others(program, entry).flat_map(|r| r.statements());
    let found = statements.find(|statement| match &statement.what {
        StatementKind::Assign(path, value) => modes.iter().any(|(mode, first)| {
            *path.name == **mode && !value.shown().eq_ignore_ascii_case(first)
        }),
        _ => false,
    });
    found.map(|statement| &statement.place)
}

fn assumed_modes(program: &BlockProgram, entry: &Routine, ways: &[MoveProgram]) -> Vec<Assumption> {
    let mut moves = ways.iter().flat_map(|way| &way.moves);
    if !moves.any(|step| step.kind != MoveKind::Joint) {
        return Vec::new();
    }
    let mut open = MODES.to_vec();
    for statement in &entry.body {
        match &statement.what {
            StatementKind::Assign(path, _) => open.retain(|(mode, _)| **mode != *path.name),
            StatementKind::Call(call) if &*call.name == "bas" => {
                let command = call.positional().next().map(|given| given.shown());
                if command.is_some_and(|c| c.eq_ignore_ascii_case("#initmov")) {
                    open.clear();
                }
            }
            StatementKind::Call(call) => {
                let routine = program.routines.iter().any(|r| r.name == call.name);
                if routine || MOVES.contains(&&*call.name) {
                    break;
                }
            }
            _ => {}
        }
    }
    if open.is_empty() {
        return Vec::new();
    }
    let upper = |(mode, value): &(&str, &str)| format!("{mode}={value}").to_uppercase();
    let taken: Vec<String> = open.iter().map(upper).collect();
    let otherwise = sets_otherwise(program, entry, &open);
    let told = match otherwise {
        None => "a program that calls it, or ran before, may leave them otherwise".to_owned(),
        Some(place) => format!(
            "line {} of {} sets them otherwise, so another way may be driven",
            place.line.unwrap_or(1),
            place.file,
        ),
    };
    vec![Assumption {
        place: entry.place.clone(),
        message: format!(
            "it is taken to begin with {}, for it does not set them: {told}; set them, or begin with BAS(#INITMOV,0)",
            taken.join(", ")
        ),
        contradicted: otherwise.is_some(),
    }]
}
