//! What goes wrong in an expansion.

use crate::xacro::tree::XacroPlace;
use crate::{ImportError, Problem};

/// What went wrong: here (the caller knows the place), or at a place of its own.
pub(super) enum ExpansionError {
    Here(Problem),
    At(ImportError),
}

impl From<ImportError> for ExpansionError {
    fn from(error: ImportError) -> Self {
        ExpansionError::At(error)
    }
}

impl ExpansionError {
    pub(super) fn at(self, place: &XacroPlace) -> ImportError {
        match self {
            ExpansionError::Here(problem) => ImportError {
                place: place.location(),
                problem,
            },
            ExpansionError::At(error) => error,
        }
    }
}

/// What the file says and cannot mean.
pub(super) fn wrong(cause: impl Into<String>, remedy: &str) -> ExpansionError {
    ExpansionError::Here(Problem::Syntax {
        cause: cause.into(),
        remedy: remedy.to_owned(),
    })
}

/// What is not done.
pub(super) fn unsupported(what: impl Into<String>, remedy: &str) -> ExpansionError {
    ExpansionError::Here(Problem::Unsupported {
        what: what.into(),
        remedy: remedy.to_owned(),
    })
}

pub(super) type ExpansionResult<T> = Result<T, ExpansionError>;
