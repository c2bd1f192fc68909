//! The modes in which a routine begins that is not `main`.

use clearance_proof::model::moves::{Branch, MoveKind, MoveProgram, Target};

use super::motion::is_move;
use crate::Assumption;
use crate::block::syntax::{BlockProgram, Call, Routine, StatementKind};

/// Modes, and the switch that each of them has at the start of a program.
const MODES: [(&str, &str, &str); 3] = [
    ("confj", "on", "ConfJ\\On"),
    ("singarea", "off", "SingArea\\Off"),
    ("cirpathmode", "pathframe", "CirPathMode\\PathFrame"),
];

/// What is taken for granted of them: whoever calls the routine may have set them otherwise.
pub(super) fn assumed(
    program: &BlockProgram,
    entry: &Routine,
    ways: &[MoveProgram],
) -> Vec<Assumption> {
    let moves = || ways.iter().flat_map(|way| &way.moves);
    let chosen = |target: &Target| {
        let stated = |branch: &Branch| matches!(branch, Branch::Configuration(_));
        matches!(target, Target::Pose { branch, .. } if stated(branch))
    };
    let counts = |mode: &str| match mode {
        "confj" => moves().any(|step| step.kind == MoveKind::Joint && chosen(&step.target)),
        "singarea" => moves().any(|step| step.kind != MoveKind::Joint),
        _ => moves().any(|step| matches!(step.kind, MoveKind::Circular { .. })),
    };
    let mut open: Vec<_> = (MODES.into_iter())
        .filter(|(mode, ..)| counts(mode))
        .collect();
    for statement in &entry.body {
        let StatementKind::Call(call) = &statement.what else {
            continue;
        };
        if is_move(&call.name) || program.routines.iter().any(|r| r.name == call.name) {
            break;
        }
        open.retain(|(mode, ..)| **mode != *call.name);
    }
    if open.is_empty() {
        return Vec::new();
    }
    let all = program.routines.iter();
    let mut all = all.flat_map(|routine| routine.statements());
    let otherwise = all.find(|statement| match &statement.what {
        StatementKind::Call(call) => open.iter().any(|mode| sets_otherwise(call, mode)),
        _ => false,
    });
    let taken: Vec<&str> = open.iter().map(|(_, _, shown)| *shown).collect();
    let told = match otherwise {
        None => "whoever calls it may have set them otherwise".to_owned(),
        Some(statement) => format!(
            "line {} of {} sets them otherwise",
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

fn sets_otherwise(call: &Call, (mode, switch, _): &(&str, &str, &str)) -> bool {
    *call.name == **mode && call.named(switch).is_none()
}
