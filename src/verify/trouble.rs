//! Why a program cannot be checked, and where its input is wrong.

use crate::findings::FilePlace;
use crate::import::ImportError;
use crate::model::PathError;

/// Why a program cannot be checked.
#[derive(Debug, Clone)]
pub(super) struct Trouble {
    /// The sentence.
    pub error: String,
    /// Where, if it is one place.
    pub at: Option<FilePlace>,
}

impl From<ImportError> for Trouble {
    fn from(error: ImportError) -> Self {
        Self {
            error: error.to_string(),
            at: Some(place(&error)),
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
        }
    }
}

impl From<String> for Trouble {
    fn from(error: String) -> Self {
        Self { error, at: None }
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
