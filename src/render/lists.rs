//! Lists of remarks, short enough to be read: cells have many bare frames.

use crate::findings::Unchecked;

/// Groups by reason, in the order of first appearance.
pub(super) fn grouped(list: &[Unchecked]) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for Unchecked { what, why, .. } in list {
        match groups.iter_mut().find(|(w, _)| w == why) {
            Some((_, names)) => names.push(what),
            None => groups.push((why, vec![what])),
        }
    }
    groups
}

/// The first names of a list and how many more there are.
pub(super) fn some_of(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    let shown = names
        .iter()
        .take(SHOWN)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
