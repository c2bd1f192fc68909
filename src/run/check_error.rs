//! Why a program cannot be checked, and where its input is wrong.

use clearance_formats::ImportError;
use clearance_proof::model::PathError;

use crate::findings::Location;

/// Why a program cannot be checked.
#[derive(Debug, Clone)]
pub(super) struct CheckError {
    /// The sentence.
    pub error: String,
    /// Where, if it is one place.
    pub at: Option<Location>,
    /// Whether it is the way that was chosen which cannot be gone, with input that is right.
    pub refused: bool,
}

impl CheckError {
    /// A method or a shape cannot be used here.
    pub(super) fn refused(error: String) -> Self {
        Self {
            refused: true,
            ..error.into()
        }
    }
}

impl From<ImportError> for CheckError {
    fn from(error: ImportError) -> Self {
        Self {
            error: error.to_string(),
            at: Some(error.place),
            refused: false,
        }
    }
}

impl From<PathError> for CheckError {
    fn from(error: PathError) -> Self {
        Self {
            error: error.to_string(),
            at: Some(Location::at(&error.file, error.line, None)),
            refused: false,
        }
    }
}

impl From<String> for CheckError {
    fn from(error: String) -> Self {
        Self {
            error,
            at: None,
            refused: false,
        }
    }
}
