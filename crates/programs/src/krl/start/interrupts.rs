//! Interrupts that may be on while a program runs, though it does not declare them itself.

use std::cell::RefCell;
use std::collections::BTreeSet;

use clearance_proof::report::Location;

use crate::block::Does;
use crate::block::at_start::others;
use crate::block::elsewhere::UnknownAtStart;
use crate::block::interpreter::{BlockInterpreter, counted};
use crate::block::syntax::{BlockProgram, Expression, Name, Routine, Statement, StatementKind};
use crate::controller::ControlledArm;
use crate::flow::{Flow, Followed, ways};
use crate::krl::motion::{is_its_own, only_stops};
use crate::krl::words::{ASKING, BRAKING};
use crate::krl::{Krl, builtin};
use crate::one_sided::OneSidedConditions;
use crate::ways_join::WaysJoin;
use crate::{Assumption, Bounds};

/// An interrupt that a routine declares which the program does not call itself.
struct Declared<'p> {
    by: &'p Routine,
    place: &'p Location,
    /// What it calls or sets; none: it stops the arm on its way, or a function of its declaration may
    /// do something.
    runs: Option<&'p Expression>,
}

impl Followed for Option<Declared<'_>> {}

/// An interrupt that such a routine declares, and that could change what the arm does.
pub(super) fn declared(
    program: &BlockProgram,
    entry: &Routine,
    controller: &ControlledArm,
) -> Option<Assumption> {
    let statements =
        others(program, entry).flat_map(|r| r.statements().into_iter().map(move |s| (r, s)));
    let declared = statements.filter_map(|(by, statement)| {
        let runs = match &statement.what {
            StatementKind::Call(call) if *call.name == *"interrupt decl" => {
                Some(call.positional().next()?)
            }
            StatementKind::Unread(reason, _)
                if reason.starts_with(BRAKING) || reason.starts_with(ASKING) =>
            {
                None
            }
            _ => return None,
        };
        Some(Declared {
            by,
            place: &statement.place,
            runs,
        })
    });
    let declared: Vec<Declared> = declared.collect();
    let Declared { place, runs, .. } = first_that_acts(program, entry, controller, declared)?;
    let does = match runs {
        Some(Expression::Call(call)) => format!("runs `{}`", program.as_written(&call.name)),
        Some(other) => format!("sets `{}`", other.shown()),
        None => "is not read".to_owned(),
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
            None => true,
            Some(Expression::Call(call)) => {
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
            Some(other) => other.as_variable().is_none_or(|name| {
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

/// Where the program switches an interrupt on that is declared in no file: what it runs is not at
/// hand, and it comes all the same.
pub(super) fn switched_on(program: &BlockProgram, entry: &Routine) -> Option<Assumption> {
    let all = program.routines.iter().flat_map(|r| r.statements());
    let declared = all.filter_map(|statement| {
        let call = statement.as_call()?;
        (*call.name == *"interrupt decl").then(|| call.named("number").flatten())?
    });
    let declared: BTreeSet<String> = declared.map(Expression::shown).collect();
    let own = program.reached([entry.name.clone()]).into_iter();
    let mut own = own.flat_map(|routine| routine.statements());
    let (place, which) = own.find_map(|statement| {
        let call = statement
            .as_call()
            .filter(|call| *call.name == *"interrupt on")?;
        let number = call.positional().next().map(Expression::shown);
        let is_known = match &number {
            Some(number) => declared.contains(number),
            // All that are declared.
            None => !declared.is_empty(),
        };
        let which = number.map_or_else(|| "interrupts".into(), |n| format!("interrupt {n}"));
        (!is_known).then_some((&statement.place, which))
    })?;
    Some(Assumption {
        place: entry.place.clone(),
        message: format!(
            "line {} of {} switches {which} on, declared in no file that was read: what it runs could move the arm; name the file that declares it in `files` of the robot's `controller`",
            place.line.unwrap_or(1),
            place.file,
        ),
        contradicted: true,
    })
}
