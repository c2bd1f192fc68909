//! What can be wrong with an input file, where, and what would be right.

use std::path::{Path, PathBuf};

/// Where in the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// File, as the user or the referring file named it.
    pub file: PathBuf,
    /// Line, 1-based.
    pub line: Option<usize>,
    /// Column, 1-based.
    pub column: Option<usize>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        Ok(())
    }
}

/// What is wrong. Every message is lower case, names the cause, and says what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The file could not be read at all.
    #[error("cannot be read: {cause}; {remedy}")]
    Unreadable {
        /// What the system says.
        cause: String,
        /// What to do.
        remedy: String,
    },
    /// The text does not follow the format.
    #[error("{cause}; {remedy}")]
    Syntax {
        /// What the format expects.
        cause: String,
        /// What to do.
        remedy: String,
    },
    /// A name that nothing answers to.
    #[error("unknown {what} `{name}`; {remedy}")]
    UnknownName {
        /// Kind of thing: key, joint, link, …
        what: &'static str,
        /// As written.
        name: String,
        /// The nearest known one, or the list.
        remedy: String,
    },
    /// A value that cannot be meant.
    #[error("{what} is {value}; {remedy}")]
    BadValue {
        /// Which value.
        what: String,
        /// As written.
        value: String,
        /// What would be right.
        remedy: String,
    },
    /// Understood, but not something that this tool verifies.
    #[error("{what} is not supported; {remedy}")]
    Unsupported {
        /// What.
        what: String,
        /// What to do instead.
        remedy: String,
    },
    /// A file that another one refers to is nowhere.
    #[error("`{uri}` was not found; tried {}; {remedy}", list(.tried))]
    NotFound {
        /// As written.
        uri: String,
        /// Every place that was tried, in order.
        tried: Vec<PathBuf>,
        /// What to do.
        remedy: String,
    },
    /// Geometry that cannot be verified.
    #[error("{cause}; {remedy}")]
    Geometry {
        /// What is wrong with the mesh.
        cause: String,
        /// What to do.
        remedy: String,
    },
}

fn list(paths: &[PathBuf]) -> String {
    paths
        .iter()
        .map(|p| p.display().to_string())
        .collect::<Vec<_>>()
        .join(", ")
}

/// An input that cannot be used, with its place and its remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ImportError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
}

impl ImportError {
    /// An error about a file as a whole.
    pub fn file(file: &Path, problem: Problem) -> Self {
        Self {
            place: Place {
                file: file.to_owned(),
                line: None,
                column: None,
            },
            problem,
        }
    }

    /// An error at a line and, where it is known, a column (both 1-based).
    pub fn at(file: &Path, line: usize, column: Option<usize>, problem: Problem) -> Self {
        Self {
            place: Place {
                file: file.to_owned(),
                line: Some(line),
                column,
            },
            problem,
        }
    }
}
