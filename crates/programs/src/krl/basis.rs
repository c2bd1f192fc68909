//! KUKA's own package behind inline forms, `bas.src`, which archives of a controller have among their
//! files.
//!
//! What its `BAS` and its functions do is known (`motion/form.rs`), so its text is not followed: it
//! handles errors by going on, which makes ways that nobody drives.

use std::path::Path;
use std::rc::Rc;

use super::builtin;
use crate::block::syntax::{Expression, Routine, StatementKind};

/// Routines that it has in every version.
const ROUTINES: [&str; 7] = [
    "bas", "initmov", "frames", "cp_dat", "ptp_dat", "tool", "base",
];

/// What it makes tools and bases of, beside numbers of them.
const PARTS: [&str; 12] = [
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

/// Whether these are the routines of that file, and a plant has not changed what they do: they move
/// nothing, and make tools and bases of nothing else.
pub(super) fn is_it(file: &Path, routines: &[Rc<Routine>]) -> bool {
    let named = file.file_stem().unwrap_or_default().to_string_lossy();
    let has = |name: &str| routines.iter().any(|r| *r.name == *name);
    let mut statements = routines.iter().flat_map(|routine| routine.statements());
    named.eq_ignore_ascii_case("bas")
        && ROUTINES.iter().all(|name| has(name))
        && statements.all(|statement| match &statement.what {
            StatementKind::Assign(path, _) if ["$tool", "$base"].contains(&&*path.name) => {
                statement.parts().into_iter().all(is_a_part)
            }
            StatementKind::Unread(reason, _) => reason.starts_with("`ON_ERROR_PROCEED`"),
            _ => !statement.calls().iter().any(|call| moves(&call.name)),
        })
}

/// Whether a frame may be made of this: a frame by its number, a number, or what joins them.
fn is_a_part(part: &Expression) -> bool {
    match part {
        Expression::Variable(path) => {
            let name = &*path.name;
            PARTS.contains(&name) || name.ends_with("_no") || name.ends_with("_idx")
        }
        // Frames of external kinematic systems, of other robots, and of conveyors.
        Expression::Call(call) => {
            ["ek", "lk", "eb"].contains(&&*call.name) || builtin::is_operator(&call.name)
        }
        _ => true,
    }
}

/// Whether an instruction moves the arm: `BAS` itself only calls its other routines.
fn moves(name: &str) -> bool {
    name != "bas" && builtin::is_motion(name)
}
