//! Problems of an input file: the fault, its place, and the remedy.

use std::path::{Path, PathBuf};

use clearance_proof::report::Diagnostic;
use clearance_proof::report::Location;

/// A problem of an input file. Every message is lower case, names the cause, and says what would be
/// right. Every quote from a file is cut at a kilobyte.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The file could not be read at all.
    #[error("cannot be read: {}; {}", Diagnostic::quote(.cause), Diagnostic::quote(.remedy))]
    Unreadable {
        /// The system's message.
        cause: String,
        /// The remedy.
        remedy: String,
    },
    /// The text does not follow the format.
    #[error("{}; {}", Diagnostic::quote(.cause), Diagnostic::quote(.remedy))]
    Syntax {
        /// The form that the format expects.
        cause: String,
        /// The remedy.
        remedy: String,
    },
    /// A name that nothing answers to.
    #[error("unknown {what} `{}`; {}", Diagnostic::quote(.name), Diagnostic::quote(.remedy))]
    UnknownName {
        /// Kind of thing: key, joint, link, …
        what: &'static str,
        /// As written.
        name: String,
        /// The nearest known one, or the list.
        remedy: String,
    },
    /// A value that makes no sense.
    #[error("{} is {}; {}", Diagnostic::quote(.what), Diagnostic::quote(.value), Diagnostic::quote(.remedy))]
    BadValue {
        /// Which value.
        what: String,
        /// As written.
        value: String,
        /// A value that would be right.
        remedy: String,
    },
    /// Understood, but not something that this tool verifies.
    #[error("{} is not supported; {}", Diagnostic::quote(.what), Diagnostic::quote(.remedy))]
    Unsupported {
        /// The thing that is not supported.
        what: String,
        /// The remedy.
        remedy: String,
    },
    /// A file that another one refers to is nowhere.
    #[error("`{}` was not found{}; {}", Diagnostic::quote(.uri), Diagnostic::quote(&list(.tried)), Diagnostic::quote(.remedy))]
    NotFound {
        /// As written.
        uri: String,
        /// Every place that was tried, in order.
        tried: Vec<PathBuf>,
        /// The remedy.
        remedy: String,
    },
    /// A file that another one refers to cannot be used.
    #[error("{problem}; it is {} in {by}", Diagnostic::quote(.role))]
    Referred {
        /// The problem, at the place of the error.
        problem: Box<Problem>,
        /// The role of the file there, such as "the mesh of link `hand`".
        role: String,
        /// Where the other file names it.
        by: Location,
    },
    /// Geometry that cannot be verified.
    #[error("{}; {}", Diagnostic::quote(.cause), Diagnostic::quote(.remedy))]
    Geometry {
        /// The fault of the mesh.
        cause: String,
        /// The remedy.
        remedy: String,
    },
}

/// The places that were tried, in the sentence; where there is none, nothing.
fn list(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
    match paths.len() {
        0 => String::new(),
        _ => format!("; tried {}", paths.join(", ")),
    }
}

/// An input that cannot be used, with its place and its remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ImportError {
    /// Where.
    pub place: Location,
    /// The problem.
    pub problem: Problem,
}

impl ImportError {
    /// An error about a file as a whole.
    pub fn file(file: &Path, problem: Problem) -> Self {
        Self {
            place: Location::file(file),
            problem,
        }
    }

    /// The same error of a file that another one refers to: `role` says what it is there.
    pub(crate) fn referred(self, role: String, by: &Location) -> Self {
        Self {
            place: self.place,
            problem: Problem::Referred {
                problem: Box::new(self.problem),
                role,
                by: by.clone(),
            },
        }
    }

    /// An error at a line, where the file has lines, and, where it is known, a column (both 1-based).
    pub fn at(
        file: &Path,
        line: impl Into<Option<usize>>,
        column: Option<usize>,
        problem: Problem,
    ) -> Self {
        Self {
            place: Location::at(file, line, column),
            problem,
        }
    }
}

/// A piece of the file as it may stand in a message: short, and on one line.
pub(crate) fn shown(token: &str) -> String {
    let mut text: String = token
        .chars()
        .take(40)
        .flat_map(char::escape_debug)
        .collect();
    if token.chars().nth(40).is_some() {
        text.push('…');
    }
    text
}
