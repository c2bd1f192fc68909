//! Keys that a message has.

use std::path::Path;

use super::super::node::{NodeKind, ProgramNode};
use super::{at, syntax};
use crate::ImportError;
use crate::names::suggestion;

/// Refuses what is no group of keys, and keys that it does not have: a misspelt one would be passed
/// over.
pub(in crate::program) fn keys(
    path: &Path,
    node: &ProgramNode,
    what: &str,
    known: &[&str],
) -> Result<(), ImportError> {
    let NodeKind::Map(entries) = &node.kind else {
        let cause = format!("`{what}` is {}", node.word());
        let remedy = format!("write its keys: {}", known.join(", "));
        return Err(at(path, node, syntax(cause, remedy)));
    };
    for (key, _) in entries {
        let text = match &key.kind {
            NodeKind::Text(text) if known.contains(&text.as_str()) => continue,
            // YAML takes the `y` of a point for a yes.
            NodeKind::Bool(true) if known.contains(&"y") => continue,
            NodeKind::Text(text) => text.clone(),
            _ => key.word(),
        };
        let problem = syntax(
            format!("unknown key `{text}` in `{what}`"),
            suggestion(&text, known.iter().copied()),
        );
        return Err(at(path, key, problem));
    }
    Ok(())
}
