//! The modes in which a program begins.

use std::collections::BTreeSet;
use std::rc::Rc;

use clearance_proof::model::moves::{MoveKind, MoveProgram};
use clearance_proof::report::Location;

use super::words::MOVES;
use crate::Assumption;
use crate::block::syntax::{BlockProgram, Expression, Name, Routine, Statement, StatementKind};

/// Modes that count for lines, and what each is where nothing has set it.
pub(super) const MODES: [(&str, &str); 3] = [
    ("$ipo_mode", "#base"),
    ("$ori_type", "#var"),
    ("$circ_type", "#base"),
];

/// What is taken for granted where a program begins: one that calls it may have set modes otherwise,
/// or declared interrupts.
pub(super) fn assumed(
    program: &BlockProgram,
    entry: &Routine,
    ways: &[MoveProgram],
) -> Vec<Assumption> {
    let modes = assumed_modes(program, entry, ways);
    modes
        .into_iter()
        .chain(interrupted(program, entry))
        .collect()
}

/// The routines that a program does not call itself.
fn others<'p>(program: &'p BlockProgram, entry: &Routine) -> impl Iterator<Item = &'p Rc<Routine>> {
    let own = program.reached([entry.name.clone()]);
    let all = program.routines.iter();
    all.filter(move |r| !own.iter().any(|o| Rc::ptr_eq(o, r)))
}

/// An interrupt that such a routine declares, and that could change what the arm does.
fn interrupted(program: &BlockProgram, entry: &Routine) -> Option<Assumption> {
    let statements = others(program, entry).flat_map(|r| r.statements());
    let declared =
        statements.filter(|s| matches!(s.as_call(), Some(c) if *c.name == *"interrupt decl"));
    // What the program asks for, and what the controller's moves do.
    let own = program.reached([entry.name.clone()]).into_iter();
    let asked: BTreeSet<&Name> = own
        .flat_map(|routine| routine.parts())
        .filter_map(Expression::as_variable)
        .collect();
    let counts = |name: &Name| {
        let is_output = ["$out", "$anout", "$timer"].contains(&&**name);
        asked.contains(name) || name.starts_with('$') && !is_output
    };
    let acts = |statement: &&Statement| match &statement.what {
        StatementKind::Call(call) => MOVES.contains(&&*call.name),
        StatementKind::Assign(path, _) => counts(&path.name),
        StatementKind::Unread(_) => true,
        _ => false,
    };
    let mut handlers = declared.filter_map(|statement| {
        let handler = statement.as_call()?.positional().next()?;
        Some((handler, &statement.place))
    });
    let (handler, place) = handlers.find(|(handler, _)| match handler {
        Expression::Call(call) => {
            let reached = program.reached([call.name.clone()]);
            reached
                .iter()
                .flat_map(|r| r.statements())
                .any(|s| acts(&s))
        }
        other => other.as_variable().is_some_and(&counts),
    })?;
    let does = match handler {
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
