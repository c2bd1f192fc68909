//! A task's list of modules.

use std::path::Path;

use clearance_formats::{ImportError, Problem};

/// The files that a list names, in order.
///
/// # Errors
/// When it names none, or a name has no end.
pub(crate) fn modules(path: &Path, text: &str) -> Result<Vec<String>, ImportError> {
    let fail = |line: usize, cause: &str| {
        let problem = Problem::Syntax {
            cause: cause.into(),
            remedy: "a list has lines such as <Module>MainModule.mod</Module>".into(),
        };
        ImportError::at(path, line, None, problem)
    };
    let mut found = Vec::new();
    let mut rest = text;
    // A module that is commented out is not loaded.
    while let Some(start) = ["<Module>", "<!--"]
        .iter()
        .filter_map(|w| rest.find(w))
        .min()
    {
        let line = text[..text.len() - rest.len() + start]
            .matches('\n')
            .count()
            + 1;
        let (open, close) = if rest[start..].starts_with("<!--") {
            ("<!--", "-->")
        } else {
            ("<Module>", "</Module>")
        };
        let inner = &rest[start + open.len()..];
        let end = inner
            .find(close)
            .ok_or_else(|| fail(line, "this has no end"))?;
        if open == "<Module>" {
            let name = inner[..end].trim();
            // A list names files beside itself.
            if name.is_empty() || name.contains(['/', '\\', '<', '&']) {
                return Err(fail(line, "this is not a name of a module's file"));
            }
            found.push(name.to_owned());
        }
        rest = &inner[end + close.len()..];
    }
    if found.is_empty() {
        Err(fail(1, "the list names no module"))
    } else {
        Ok(found)
    }
}
