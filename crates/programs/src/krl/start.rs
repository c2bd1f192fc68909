//! The modes in which a program begins.

use clearance_proof::model::moves::{MoveKind, MoveProgram};

use super::words::MOVES;
use crate::Assumption;
use crate::block::syntax::{BlockProgram, Routine, StatementKind};

/// Modes that count for lines, and what each is where nothing has set it.
pub(super) const MODES: [(&str, &str); 3] = [
    ("$ipo_mode", "#base"),
    ("$ori_type", "#var"),
    ("$circ_type", "#base"),
];

/// What is taken for granted of them: a program that calls this one may have set them otherwise.
pub(super) fn assumed(
    program: &BlockProgram,
    entry: &Routine,
    ways: &[MoveProgram],
) -> Vec<Assumption> {
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
    vec![Assumption {
        place: entry.place.clone(),
        message: format!(
            "it is taken to begin with {}, for it does not set them: a program that calls it, or ran before, may leave them otherwise; set them, or begin with BAS(#INITMOV,0)",
            taken.join(", ")
        ),
        contradicted: false,
    }]
}
