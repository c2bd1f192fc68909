//! Errors: input and questions that the proof refuses.

use std::path::PathBuf;

use crate::report::{Diagnostic, Location};

/// Why there is no answer. The message says what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// A program that does not fit its cell.
    #[error("{}: {}; {}", Location::at(.file, *.line, None), Diagnostic::quote(.problem), Diagnostic::quote(.remedy))]
    Program {
        /// Program file.
        file: PathBuf,
        /// Line, 1-based, where it has lines.
        line: Option<usize>,
        /// The problem.
        problem: String,
        /// The remedy.
        remedy: String,
    },
    /// A question that a method cannot answer in this cell.
    #[error("{0}")]
    Unsupported(String),
    /// Joint values that are not certain: the way of the tool may have other ones, or none.
    #[error("{0}")]
    UncertainJoints(String),
    /// A tree that does not hold its mesh, or cover it.
    #[error("{0}")]
    BadTree(String),
}
