//! Lists of remarks, short enough to be read: cells have many bare frames.

use crate::findings::Diagnostic;

/// Groups by reason, in the order of first appearance.
pub(super) fn grouped<'d>(
    list: impl IntoIterator<Item = &'d Diagnostic>,
) -> Vec<(&'d str, Vec<&'d str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for Diagnostic {
        subject, message, ..
    } in list
    {
        match groups.iter_mut().find(|(w, _)| w == message) {
            Some((_, names)) => names.push(subject),
            None => groups.push((message, vec![subject])),
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
