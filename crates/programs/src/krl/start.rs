//! In what a program begins: the modes, and what other routines have left behind.

mod forms;
mod interrupts;
mod lasting;

use clearance_proof::model::moves::{MoveKind, MoveProgram, Target};
use clearance_proof::report::Location;

use super::builtin::MODES;
use super::words::MOVES;
use crate::Assumption;
use crate::block::at_start::{begins_with, is_set_back};
use crate::block::elsewhere::given;
use crate::block::syntax::{BlockProgram, Call, Expression, Routine, Statement, StatementKind};
use crate::controller::ControlledArm;

/// A mode, and its value where nothing has set it.
#[derive(Clone, Copy)]
struct StartMode {
    name: &'static str,
    first: &'static str,
}

impl StartMode {
    /// Whether an expression is another value than the first one, or may be.
    fn is_otherwise(&self, value: &Expression) -> bool {
        !value.shown().eq_ignore_ascii_case(self.first)
    }
}

/// What is taken for granted where a program begins: one that calls it may have set modes otherwise,
/// switched on what moves the arm, or declared interrupts.
pub(super) fn assumed(
    program: &BlockProgram,
    entry: &Routine,
    ways: &[MoveProgram],
    controller: &ControlledArm,
) -> Vec<Assumption> {
    let modes = assumed_modes(program, entry, ways);
    modes
        .into_iter()
        .chain(lasting::lasting(program, entry, ways))
        .chain(interrupts::declared(program, entry, controller))
        .chain(interrupts::switched_on(program, entry))
        .collect()
}

/// The command of a call of `BAS`.
fn command(call: &Call) -> Option<String> {
    let is_bas = *call.name == *"bas";
    let given = call.positional().next().filter(|_| is_bas)?;
    Some(given.shown().to_lowercase())
}

/// The modes on which the moves depend, and which a program does not set before anything moves.
fn open_modes(program: &BlockProgram, entry: &Routine, ways: &[MoveProgram]) -> Vec<StartMode> {
    let moves = || ways.iter().flat_map(|way| &way.moves);
    let counts = |mode: &StartMode| match mode.name {
        // Poses of joint moves count from a base as well.
        "$ipo_mode" => moves()
            .any(|step| step.kind != MoveKind::Joint || matches!(step.target, Target::Pose { .. })),
        "$ori_type" => moves().any(|step| step.kind != MoveKind::Joint),
        _ => moves().any(|step| matches!(step.kind, MoveKind::Circular { .. })),
    };
    let all = MODES.map(|(name, first)| StartMode { name, first });
    let mut open: Vec<StartMode> = all.into_iter().filter(counts).collect();
    for statement in begins_with(program, entry, |name| MOVES.contains(&name)) {
        match &statement.what {
            StatementKind::Assign(path, _) => open.retain(|mode| *mode.name != *path.name),
            StatementKind::Call(call) if command(call).as_deref() == Some("#initmov") => {
                open.clear();
            }
            _ => {}
        }
    }
    open
}

/// Where a routine sets one of these modes otherwise: what it calls, and what runs later, may begin so.
/// It does not where it sets the mode back at once, with nothing but instructions between.
fn leaves_otherwise<'p>(
    program: &BlockProgram,
    routine: &'p Routine,
    modes: &[StartMode],
) -> Option<&'p Location> {
    let leaves = |statement: &Statement, mode: &StartMode| {
        sets_otherwise(program, routine, statement, mode)
            && !is_set_back(program, routine, statement, |s| sets_back(s, mode))
    };
    let statements = routine.statements().into_iter();
    let mut statements = statements.filter(|s| modes.iter().any(|mode| leaves(s, mode)));
    statements.next().map(|statement| &statement.place)
}

fn sets_otherwise(
    program: &BlockProgram,
    routine: &Routine,
    statement: &Statement,
    mode: &StartMode,
) -> bool {
    let is_mode = |value: &Expression| value.as_variable().is_some_and(|n| **n == *mode.name);
    // A routine may set what it is handed by reference.
    let hands = |call: &&Call| {
        let mut called = program.routines.iter().filter(|r| r.name == call.name);
        called.any(|r| {
            let mut given = given(r, call).into_iter();
            given.any(|(parameter, value)| parameter.by_reference && is_mode(value))
        })
    };
    let sets = match &statement.what {
        StatementKind::Assign(path, value) => *path.name == *mode.name && mode.is_otherwise(value),
        StatementKind::Call(call) => command(call)
            .is_some_and(|command| forms::sets_otherwise(program, routine, &command, mode)),
        StatementKind::Unread(_, names) => names.iter().any(|name| **name == *mode.name),
        _ => false,
    };
    sets || statement.calls().iter().any(hands)
}

fn sets_back(statement: &Statement, mode: &StartMode) -> bool {
    match &statement.what {
        StatementKind::Assign(path, value) => *path.name == *mode.name && !mode.is_otherwise(value),
        _ => false,
    }
}

fn assumed_modes(program: &BlockProgram, entry: &Routine, ways: &[MoveProgram]) -> Vec<Assumption> {
    let open = open_modes(program, entry, ways);
    if open.is_empty() {
        return Vec::new();
    }
    let shown = |mode: &StartMode| format!("{}={}", mode.name, mode.first).to_uppercase();
    let taken: Vec<String> = open.iter().map(shown).collect();
    // The program itself too: so the next start finds them.
    let mut routines = program.routines.iter();
    let stated = || {
        let mut stated = program.stated.iter();
        let is_otherwise = |mode: &StartMode, name: &str, value: &Expression| {
            *mode.name == *name && mode.is_otherwise(value)
        };
        let found = stated.find(|s| open.iter().any(|m| is_otherwise(m, &s.name, &s.value)));
        found.map(|stated| &stated.place)
    };
    let otherwise = routines
        .find_map(|routine| leaves_otherwise(program, routine, &open))
        .or_else(stated);
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
