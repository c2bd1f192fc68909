//! KUKA's own package behind inline forms, `bas.src`, which archives of a controller have among their
//! files.
//!
//! What its `BAS` and its functions do is known (`motion/form.rs`), so its text is not followed: it
//! handles errors by going on, which makes ways that nobody drives.

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use super::{builtin, correction};
use crate::block::Does;
use crate::block::syntax::{Call, Expression, Name, Operator, Routine, Statement, StatementKind};

/// Routines that it has in every version.
const ROUTINES: [&str; 7] = [
    "bas", "initmov", "frames", "cp_dat", "ptp_dat", "tool", "base",
];

/// What it makes tools and bases of, beside numbers of them.
const PARTS: [&str; 13] = [
    "fsp",
    "$nullframe",
    "$world",
    "tool_data",
    "tool_corr",
    "tool_corr_w",
    "base_data",
    "base_corr",
    "m_base_corr",
    "machine_def",
    "machine_frame_dat",
    "conv_part_nbr",
    "$coop_krc",
];

/// What holds tools and bases there.
const FRAMES: [&str; 4] = ["$tool", "$base", "ret_tool", "ret_base"];

/// What it takes from the controller's lists and never sets.
const LISTS: [&str; 4] = ["tool_data", "base_data", "machine_def", "machine_frame_dat"];

/// Routines of that file whose work the reader does itself, if these are all its routines: `BAS`, the
/// functions of inline forms, and what they call. None: it is another file, or a plant has changed
/// what these make of tools and bases; they move nothing, and make these of the lists and the
/// corrections alone. Others of the file are followed where a program calls them.
pub(super) fn known(file: &Path, routines: &[Rc<Routine>]) -> BTreeSet<Name> {
    let named = file.file_stem().unwrap_or_default().to_string_lossy();
    let has = |name: &&str| routines.iter().any(|r| *r.name == **name);
    if !named.eq_ignore_ascii_case("bas") || !ROUTINES.iter().all(has) {
        return BTreeSet::new();
    }
    let is_known =
        |r: &&Rc<Routine>| *r.name == *"bas" || builtin::function_does(&r.name) == Does::Nothing;
    let mut names = BTreeSet::new();
    let mut left: Vec<_> = routines.iter().filter(is_known).collect();
    while let Some(routine) = left.pop() {
        let begins = *routine.name == *"initmov";
        if !routine.statements().iter().all(|s| is_own(s, begins)) {
            return BTreeSet::new();
        }
        if names.insert(routine.name.clone()) {
            let calls = routine.calls();
            let called = |r: &&Rc<Routine>| calls.iter().any(|call| call.name == r.name);
            left.extend(routines.iter().filter(called));
        }
    }
    names
}

/// Whether a statement may stand in that file; `begins`: where a program begins, it takes the first tool.
fn is_own(statement: &Statement, begins: bool) -> bool {
    let hands_on = |call: &Call| {
        let mut given = call.positional().filter_map(Expression::as_variable);
        given.any(|name| FRAMES[..2].contains(&&**name) || LISTS.contains(&&**name))
    };
    let calls = statement.calls();
    let mut calls = calls.iter();
    let only_reads = |name: &str| name == "strcopy" || joins_frames(name);
    if calls.any(|call| moves(call) || hands_on(call) && !only_reads(&call.name)) {
        return false;
    }
    match &statement.what {
        StatementKind::Assign(path, value) if FRAMES.contains(&&*path.name) => {
            path.parts.is_empty()
                && value
                    .parts()
                    .into_iter()
                    .all(|part| is_a_part(part, begins))
        }
        StatementKind::Assign(path, _) if LISTS.contains(&&*path.name) => false,
        StatementKind::Assign(path, value) if correction::is_one(&path.name) => {
            let is_nothing = value
                .as_variable()
                .is_some_and(|name| **name == *"$nullframe");
            is_nothing || *value == Expression::Boolean(false)
        }
        StatementKind::Unread(reason, _) => reason.starts_with("`ON_ERROR_PROCEED`"),
        _ => true,
    }
}

/// Whether a frame may be made of this: a frame by its number, and what joins frames.
fn is_a_part(part: &Expression, begins: bool) -> bool {
    match part {
        Expression::Variable(path) => {
            let name = &*path.name;
            PARTS.contains(&name) || name.ends_with("_no") || name.ends_with("_idx")
        }
        Expression::Call(call) => joins_frames(&call.name),
        Expression::Binary(Operator::Compose, ..) => true,
        Expression::Number(..) => begins,
        _ => false,
    }
}

/// Frames of external kinematic systems, of other robots, and of conveyors, and frames by number.
fn joins_frames(name: &str) -> bool {
    ["ek", "lk", "eb", "eb_abs", "stool", "sbase"].contains(&name) || builtin::is_operator(name)
}

/// Whether an instruction moves the arm: `BAS` itself only calls its other routines, and lets the
/// controller's own handler of a stop run again.
fn moves(call: &Call) -> bool {
    let mut runs = call.positional().filter_map(Expression::as_call);
    match &*call.name {
        "bas" => false,
        "interrupt decl" => !runs.any(|run| *run.name == *"ir_stopm"),
        name => builtin::is_motion(name),
    }
}
