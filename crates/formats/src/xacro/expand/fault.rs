//! Faults of an expansion.

use crate::xacro::tree::XacroPlace;
use crate::{ImportError, Problem};

/// A fault: here (the caller knows the place), or at a place of its own.
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

/// The error for a statement of the file that cannot be meant.
pub(super) fn wrong(cause: impl Into<String>, remedy: &str) -> ExpansionError {
    ExpansionError::Here(Problem::Syntax {
        cause: cause.into(),
        remedy: remedy.to_owned(),
    })
}

/// The error for a part of xacro that is not supported.
pub(super) fn unsupported(what: impl Into<String>, remedy: &str) -> ExpansionError {
    ExpansionError::Here(Problem::Unsupported {
        what: what.into(),
        remedy: remedy.to_owned(),
    })
}

pub(super) type ExpansionResult<T> = Result<T, ExpansionError>;
