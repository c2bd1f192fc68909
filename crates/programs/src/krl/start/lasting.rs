//! What a routine that the program does not call may have switched on: it lasts until something
//! switches it off.

use std::path::Path;

use clearance_proof::model::matches;
use clearance_proof::model::moves::{MoveKind, MoveProgram};
use clearance_proof::report::Location;

use crate::Assumption;
use crate::block::at_start::{is_set_back, others};
use crate::block::syntax::{
    BlockProgram, Call, Expression, Name, Routine, Statement, StatementKind,
};

/// An instruction by which sensors move the arm from then on, and the one that ends that, where it is
/// known.
struct Switch {
    on: &'static str,
    off: &'static str,
}

const SWITCHES: [Switch; 3] = [
    Switch {
        on: "rsi_on",
        off: "rsi_off",
    },
    Switch {
        on: "st_on",
        off: "",
    },
    Switch {
        on: "st_on1",
        off: "",
    },
];

/// Variables of the controller that say where the arm and its bases stand, how lines turn, and what
/// weaves. The submit interpreter has the same ones.
const VARIABLES: [&str; 5] = ["$robroot", "$world", "$ersysroot", TURNS_FREELY, "$tech*"];

/// Whether the tool may turn otherwise on lines near stretched-out arms.
const TURNS_FREELY: &str = "$spl_ori_joint_auto";

/// How the reasons begin why external axes that go on moving are not read.
const ASYNCHRONOUS: [&str; 2] = ["`ASYPTP`", "`ASYCONT`"];

/// What lasts, and where it stands.
struct Found<'p> {
    name: String,
    place: &'p Location,
}

/// What other routines have switched on, and what may hold while the program runs.
pub(super) fn lasting(
    program: &BlockProgram,
    entry: &Routine,
    ways: &[MoveProgram],
) -> Option<Assumption> {
    let statements =
        others(program, entry).flat_map(|r| r.statements().into_iter().map(move |s| (r, s)));
    let mut found = statements.filter_map(|(routine, statement)| {
        let name = switched_on(statement)?;
        // What runs beside the program may do so between any two of its statements.
        let extension = Path::new(&routine.place.file).extension();
        let is_beside = extension.is_some_and(|e| e.eq_ignore_ascii_case("sub"));
        let ends = |later: &Statement| switches_off(statement, later);
        let is_over = !is_beside && is_set_back(program, routine, statement, ends);
        (!is_over).then_some(Found {
            name,
            place: &statement.place,
        })
    });
    let Found { name, place } = found.next().or_else(|| stated(program, ways))?;
    Some(Assumption {
        place: entry.place.clone(),
        message: format!(
            "line {} of {} has {name}, which may hold while this program runs, so another way may be driven: verify the program that calls it",
            place.line.unwrap_or(1),
            place.file,
        ),
        contradicted: true,
    })
}

/// What a list of the controller says of how lines turn.
fn stated<'p>(program: &'p BlockProgram, ways: &[MoveProgram]) -> Option<Found<'p>> {
    let mut moves = ways.iter().flat_map(|way| &way.moves);
    if !moves.any(|step| step.kind != MoveKind::Joint) {
        return None;
    }
    let mut stated = program.stated.iter();
    let found = stated.find(|stated| *stated.name == *TURNS_FREELY && !is_off(&stated.value))?;
    Some(Found {
        name: found.name.to_uppercase(),
        place: &found.place,
    })
}

/// What a statement switches on that lasts.
fn switched_on(statement: &Statement) -> Option<String> {
    match &statement.what {
        StatementKind::Call(call) => {
            let is_one = SWITCHES.iter().any(|switch| *switch.on == *call.name);
            is_one.then(|| call.name.to_uppercase())
        }
        StatementKind::Assign(path, value) => {
            (lasts(&path.name) && !is_off(value)).then(|| path.name.to_uppercase())
        }
        StatementKind::Unread(reason, _) => {
            let begins = |word: &&&str| reason.starts_with(**word);
            let found = ASYNCHRONOUS.iter().find(begins)?;
            Some(found.trim_matches('`').to_owned())
        }
        _ => None,
    }
}

fn lasts(name: &Name) -> bool {
    VARIABLES.iter().any(|pattern| matches(pattern, name))
}

fn is_off(value: &Expression) -> bool {
    value.shown().eq_ignore_ascii_case("#off")
}

/// Whether a later statement switches off what this one has switched on.
fn switches_off(on: &Statement, later: &Statement) -> bool {
    let ends = |call: &Call, by: &Call| {
        let mut switches = SWITCHES.iter();
        switches.any(|s| *s.on == *call.name && *s.off == *by.name)
    };
    match (&on.what, &later.what) {
        (StatementKind::Call(call), StatementKind::Call(by)) => ends(call, by),
        (StatementKind::Assign(path, _), StatementKind::Assign(again, value)) => {
            path == again && is_off(value)
        }
        _ => false,
    }
}
