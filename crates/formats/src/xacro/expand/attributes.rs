//! Attributes and names of directives.

use super::fault::{ExpansionError, ExpansionResult, wrong};
use crate::Problem;
use crate::names::suggestion;
use crate::xacro::tree::SourceElement;

/// Whether XML knows this name.
pub(super) fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'))
}

/// The attributes of a directive, those that must be there first; others are refused.
pub(super) fn known<'s, const N: usize>(
    source: &'s SourceElement,
    required: &[&str],
    optional: &[&str],
) -> ExpansionResult<[Option<&'s str>; N]> {
    let all = || required.iter().chain(optional).copied();
    for (name, _) in &source.attributes {
        if !all().any(|k| k == name) {
            return Err(ExpansionError::Here(Problem::UnknownName {
                what: "attribute",
                name: name.clone(),
                remedy: suggestion(name, all()),
            }));
        }
    }
    let mut values = [None; N];
    for (slot, name) in values.iter_mut().zip(all()) {
        *slot = source.attribute(name);
    }
    match required
        .iter()
        .zip(&values)
        .find(|(_, value)| value.is_none())
    {
        None => Ok(values),
        Some((missing, _)) => Err(wrong(
            format!("`<{}>` has no `{missing}`", source.name),
            "add it",
        )),
    }
}
