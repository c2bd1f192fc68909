//! The modes in which a routine begins that is not `main`.

use std::rc::Rc;

use clearance_proof::model::moves::{Branch, MoveKind, MoveProgram, Target};
use clearance_proof::report::Location;

use super::motion::is_move;
use super::words::CONNECTED;
use crate::Assumption;
use crate::block::at_start::{begins_with, is_set_back, others};
use crate::block::elsewhere::roots;
use crate::block::syntax::{BlockProgram, Routine, Statement, StatementKind};

/// A mode, with the switch that it has at the start of a program.
struct StartMode {
    name: &'static str,
    switch: &'static str,
    shown: &'static str,
}

const MODES: [StartMode; 4] = [
    StartMode {
        name: "confj",
        switch: "on",
        shown: "ConfJ\\On",
    },
    StartMode {
        name: "confl",
        switch: "on",
        shown: "ConfL\\On",
    },
    StartMode {
        name: "singarea",
        switch: "off",
        shown: "SingArea\\Off",
    },
    StartMode {
        name: "cirpathmode",
        switch: "pathframe",
        shown: "CirPathMode\\PathFrame",
    },
];

/// Instructions that change moves from then on, in routines that are called or run later too, and
/// what ends that.
const LASTING: [(&str, &str); 21] = [
    ("corrcon", ""),
    ("cssact", ""),
    ("cssacttcp", ""),
    ("egmactjoint", ""),
    ("egmactmove", ""),
    ("egmactpose", ""),
    ("eoffson", "eoffsoff"),
    ("eoffsset", "eoffsoff"),
    ("fcact", ""),
    ("fcpress1lstart", "fcpressend"),
    ("indamove", "indreset"),
    ("indcmove", "indreset"),
    ("inddmove", "indreset"),
    ("indrmove", "indreset"),
    ("pdispon", "pdispoff"),
    ("pdispset", "pdispoff"),
    ("setleadthrough", ""),
    ("softact", "softdeact"),
    ("supsyncsensoron", ""),
    ("syncmoveon", ""),
    ("synctosensor", ""),
];

/// What is taken for granted where a routine begins: whoever calls it may have set modes otherwise,
/// displaced its points or connected interrupts.
pub(super) fn assumed(
    program: &BlockProgram,
    entry: &Routine,
    ways: &[MoveProgram],
) -> Vec<Assumption> {
    let modes = assumed_modes(program, entry, ways);
    modes.into_iter().chain(lasting(program, entry)).collect()
}

/// An instruction of a routine that the entry does not call, and that may still hold when it begins.
fn lasting(program: &BlockProgram, entry: &Routine) -> Option<Assumption> {
    let (name, place) = leaves(program, others(program, entry))?;
    Some(Assumption {
        place: entry.place.clone(),
        message: format!(
            "`{}` is taken to begin as a program does: line {} of {} has {name}, which may still hold then, so another way may be driven; verify the program that calls it",
            entry.written,
            place.line.unwrap_or(1),
            place.file,
        ),
        contradicted: true,
    })
}

/// Routines that nothing in the files calls, and that leave behind what changes moves: a controller
/// can be set to run them when something happens.
pub(super) fn events(
    program: &BlockProgram,
    main: &Routine,
    ways: &[MoveProgram],
) -> Vec<Assumption> {
    let open = open_modes(program, main, ways);
    let own = program.reached([main.name.clone()]);
    let is_own = |r: &Rc<Routine>| own.iter().any(|o| Rc::ptr_eq(o, r));
    let others = roots(program).into_iter().filter(|r| !is_own(r));
    let found = others.filter_map(|routine| {
        let runs = || {
            let all = program.reached([routine.name.clone()]).into_iter();
            all.filter(|r| !is_own(r))
        };
        let mode = || {
            let mut runs = runs().map(Rc::as_ref);
            let (mode, statement) = runs.find_map(|r| leave_otherwise(program, r, &open))?;
            Some((mode.name.to_uppercase(), &statement.place))
        };
        let (name, place) = leaves(program, runs()).or_else(mode)?;
        Some(Assumption {
            place: routine.place.clone(),
            message: format!(
                "`{}` is taken not to run before or beside `{}`, for nothing in the files calls it: it has {name} (line {} of {}); if the controller runs it as an event routine (at a start, a stop, …), another way may be driven",
                routine.written,
                main.written,
                place.line.unwrap_or(1),
                place.file,
            ),
            contradicted: false,
        })
    });
    found.collect()
}

/// The first statement of these routines that changes moves from then on.
fn leaves<'p>(
    program: &'p BlockProgram,
    routines: impl Iterator<Item = &'p Rc<Routine>>,
) -> Option<(String, &'p Location)> {
    let mut found = routines.flat_map(|r| r.statements().into_iter().map(move |s| (r, s)));
    found.find_map(|(routine, statement)| {
        let name = match &statement.what {
            StatementKind::Call(call) => {
                let (name, end) = LASTING.iter().find(|(name, _)| **name == *call.name)?;
                let ends = |s: &Statement| matches!(s.as_call(), Some(c) if *c.name == **end);
                if is_set_back(program, routine, statement, ends) {
                    return None;
                }
                name
            }
            StatementKind::Unread(reason, _) if reason.starts_with(CONNECTED) => "connect",
            _ => return None,
        };
        Some((name.to_uppercase(), &statement.place))
    })
}

/// The modes on which the moves depend, and which a routine does not set before anything moves.
fn open_modes(program: &BlockProgram, entry: &Routine, ways: &[MoveProgram]) -> Vec<StartMode> {
    let moves = || ways.iter().flat_map(|way| &way.moves);
    let chosen = |target: &Target| {
        let stated = |branch: &Branch| matches!(branch, Branch::Configuration(_));
        matches!(target, Target::Pose { branch, .. } if stated(branch))
    };
    let counts = |mode: &str| match mode {
        "confj" => moves().any(|step| step.kind == MoveKind::Joint && chosen(&step.target)),
        // Only the first move of all asks for it.
        "confl" => ways.iter().flat_map(|way| way.moves.first()).any(|step| {
            let is_set = |routine: &Rc<Routine>| {
                let mut all = MODES.iter().filter(|mode| mode.name == "confl");
                all.any(|mode| leaves_otherwise(program, routine, mode).is_some())
            };
            step.kind != MoveKind::Joint
                && chosen(&step.target)
                && program.routines.iter().any(is_set)
        }),
        "singarea" => moves().any(|step| step.kind != MoveKind::Joint),
        _ => moves().any(|step| matches!(step.kind, MoveKind::Circular { .. })),
    };
    let mut open: Vec<_> = (MODES.into_iter())
        .filter(|mode| counts(mode.name))
        .collect();
    let first = begins_with(program, entry, is_move);
    for call in first.into_iter().filter_map(Statement::as_call) {
        open.retain(|mode| *mode.name != *call.name);
    }
    open
}

fn assumed_modes(program: &BlockProgram, entry: &Routine, ways: &[MoveProgram]) -> Vec<Assumption> {
    let open = open_modes(program, entry, ways);
    if open.is_empty() {
        return Vec::new();
    }
    let mut routines = program.routines.iter().map(Rc::as_ref);
    let otherwise = routines.find_map(|routine| leave_otherwise(program, routine, &open));
    let taken: Vec<&str> = open.iter().map(|mode| mode.shown).collect();
    let told = match otherwise {
        None => "whoever calls it may have set them otherwise".to_owned(),
        Some((_, statement)) => format!(
            "line {} of {} sets them otherwise, so another way may be driven",
            statement.place.line.unwrap_or(1),
            statement.place.file
        ),
    };
    vec![Assumption {
        place: entry.place.clone(),
        message: format!(
            "`{}` is taken to begin with {}, as a program does: {told}; set them in it, or verify the program that calls it",
            entry.written,
            taken.join(", ")
        ),
        contradicted: otherwise.is_some(),
    }]
}

/// The first of these modes that a routine sets otherwise, and where.
fn leave_otherwise<'p, 'm>(
    program: &BlockProgram,
    routine: &'p Routine,
    modes: &'m [StartMode],
) -> Option<(&'m StartMode, &'p Statement)> {
    let mut modes = modes.iter();
    modes.find_map(|mode| Some((mode, leaves_otherwise(program, routine, mode)?)))
}

/// Where a routine sets a mode otherwise, so that what is called then, or runs later, may begin with
/// it. It does not where it sets the mode back at once, with nothing but instructions between.
fn leaves_otherwise<'p>(
    program: &BlockProgram,
    routine: &'p Routine,
    mode: &StartMode,
) -> Option<&'p Statement> {
    let sets = |statement: &Statement, otherwise: bool| match &statement.what {
        StatementKind::Call(call) => {
            *call.name == *mode.name && call.named(mode.switch).is_none() == otherwise
        }
        _ => false,
    };
    let statements = routine.statements().into_iter();
    statements
        .filter(|statement| sets(statement, true))
        .find(|statement| !is_set_back(program, routine, statement, |later| sets(later, false)))
}
