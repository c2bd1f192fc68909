//! What is wrong at a line of a program.

use std::path::Path;

use clearance_proof::ProofError;

use crate::error::Error;

/// An error at a line of a program.
pub(super) fn wrong(
    file: &Path,
    line: impl Into<Option<usize>>,
    problem: String,
    remedy: String,
) -> Error {
    let (file, line) = (file.to_owned(), line.into());
    Error::from(ProofError::Program {
        file,
        line,
        problem,
        remedy,
    })
}
