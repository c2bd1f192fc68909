//! Lists of remarks, short enough to be read: cells have many bare frames.

use std::collections::HashMap;

use crate::findings::Diagnostic;

/// Groups by reason, in the order of first appearance.
pub(super) fn grouped<'d>(
    list: impl IntoIterator<Item = &'d Diagnostic>,
) -> Vec<(&'d str, Vec<&'d str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    // A stale file may have thousands of reasons.
    let mut places: HashMap<&str, usize> = HashMap::new();
    for Diagnostic {
        subject, message, ..
    } in list
    {
        let place = *places.entry(message).or_insert(groups.len());
        if place == groups.len() {
            groups.push((message, Vec::new()));
        }
        groups[place].1.push(subject);
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
