//! Why a program cannot be checked, and where its input is wrong.

use clearance_formats::ImportError;
use clearance_proof::model::PathError;

use crate::findings::FilePlace;

/// Why a program cannot be checked.
#[derive(Debug, Clone)]
pub(super) struct Trouble {
    /// The sentence.
    pub error: String,
    /// Where, if it is one place.
    pub at: Option<FilePlace>,
    /// Whether it is the way that was chosen which cannot be gone, with input that is right.
    pub refused: bool,
}

impl Trouble {
    /// A method or a shape cannot be used here.
    pub(super) fn refused(error: String) -> Self {
        Self {
            refused: true,
            ..error.into()
        }
    }
}

impl From<ImportError> for Trouble {
    fn from(error: ImportError) -> Self {
        Self {
            error: error.to_string(),
            at: Some(place(&error)),
            refused: false,
        }
    }
}

impl From<PathError> for Trouble {
    fn from(error: PathError) -> Self {
        Self {
            error: error.to_string(),
            at: Some(FilePlace {
                file: error.file.display().to_string(),
                line: Some(error.line),
                column: None,
            }),
            refused: false,
        }
    }
}

impl From<String> for Trouble {
    fn from(error: String) -> Self {
        Self {
            error,
            at: None,
            refused: false,
        }
    }
}

/// Where an input is wrong, as reports say it.
pub(super) fn place(error: &ImportError) -> FilePlace {
    FilePlace {
        file: error.place.file.display().to_string(),
        line: error.place.line,
        column: error.place.column,
    }
}
