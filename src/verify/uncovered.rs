//! What a check does not cover although it moves: said first, and never clear.

use crate::model::{Cell, Remark, codes};

const REMEDIES: &str = "use `--visual-as-collision`, give it <collision> geometry, or leave it out in the cell file with `[[unchecked]]`: \
                        `link = \"NAME\"` (`*` stands for any text), `reason = \"…\"`";

/// Links with a shape to look at and none to check: one notice for those that move, one for those that stand.
pub(super) fn uncovered(cell: &Cell) -> Vec<Remark> {
    let notice = |code: &'static str, open: bool, says: &str| {
        let links = cell.unchecked.iter().filter(|r| r.code == Some(code));
        let names: Vec<&str> = links.map(|r| r.what.as_str()).collect();
        (!names.is_empty()).then(|| Remark {
            what: some_of(&names),
            why: format!("{says}, so what hits it is not seen: {REMEDIES}"),
            open,
            code: Some(code),
        })
    };
    let moving = notice(
        codes::UNCHECKED_LINK,
        true,
        "moves and has <visual> geometry only",
    );
    let standing = notice(
        codes::UNCHECKED_BODY,
        false,
        "stands still and has <visual> geometry only",
    );
    moving.into_iter().chain(standing).collect()
}

/// Why nothing is checked where there is no pair of bodies at all.
pub(super) fn nothing_checked(cell: &Cell) -> Remark {
    let shaped = cell.bodies.iter().filter(|b| !b.shapes.is_empty()).count();
    let why = match shaped {
        0 => "no body has collision geometry".to_owned(),
        1 => format!("`{}` is the only body with collision geometry", {
            let only = cell.bodies.iter().find(|b| !b.shapes.is_empty());
            only.map_or("", |b| b.name.as_str())
        }),
        _ => "every pair of bodies is allowed to touch, adjacent, rigidly joined, or fixed to the world".to_owned(),
    };
    Remark {
        what: cell.source.display().to_string(),
        why: format!(
            "no pair of bodies is checked: {why}; use `--visual-as-collision`, give the links <collision> geometry, or correct the \
             [[allow]] that takes every pair out (`inspect --pairs` says why each one is not checked; with `[[unchecked]]` single links \
             are left out, not all)"
        ),
        open: true,
        code: Some(codes::NOTHING_CHECKED),
    }
}

/// The first names of a list and how many more there are.
pub(super) fn some_of(names: &[&str]) -> String {
    const SHOWN: usize = 4;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
