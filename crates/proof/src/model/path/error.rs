//! Why a program cannot be laid onto a cell.

use std::path::PathBuf;

use crate::model::quote;

/// A program that does not fit its cell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {}; {}", .file.display(), quote(.problem), quote(.remedy))]
pub struct PathError {
    /// Program file.
    pub file: PathBuf,
    /// Line, 1-based.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub remedy: String,
}
