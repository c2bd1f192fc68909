//! Reads a program, whatever it is written in.

use std::path::Path;

use clearance_formats::ImportError;
use clearance_formats::program;
use clearance_proof::model::Program;

/// Reads a file.
///
/// # Errors
/// When it cannot be read, is no program, or one of a language that is not read.
pub(super) fn load(file: &Path) -> Result<Program, ImportError> {
    parse(file, &program::read(file)?)
}

/// What [`load`] does once the bytes are there.
///
/// # Errors
/// When they are no program, or one of a language that is not read.
pub(super) fn parse(file: &Path, bytes: &[u8]) -> Result<Program, ImportError> {
    match clearance_programs::recognise(bytes, file) {
        Some(dialect) => Err(ImportError::file(file, dialect.refusal())),
        None => program::parse(file, bytes),
    }
}
