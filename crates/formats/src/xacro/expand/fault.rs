//! What goes wrong in an expansion.

use crate::xacro::tree::Place;
use crate::{ImportError, Problem};

/// What went wrong: here (the caller knows the place), or at a place of its own.
pub(super) enum Fault {
    Here(Problem),
    At(ImportError),
}

impl From<ImportError> for Fault {
    fn from(error: ImportError) -> Self {
        Fault::At(error)
    }
}

impl Fault {
    pub(super) fn at(self, place: &Place) -> ImportError {
        match self {
            Fault::Here(problem) => ImportError {
                place: place.location(),
                problem,
            },
            Fault::At(error) => error,
        }
    }
}

/// What the file says and cannot mean.
pub(super) fn wrong(cause: impl Into<String>, remedy: &str) -> Fault {
    Fault::Here(Problem::Syntax {
        cause: cause.into(),
        remedy: remedy.to_owned(),
    })
}

/// What is not done.
pub(super) fn unsupported(what: impl Into<String>, remedy: &str) -> Fault {
    Fault::Here(Problem::Unsupported {
        what: what.into(),
        remedy: remedy.to_owned(),
    })
}

pub(super) type Done<T> = Result<T, Fault>;
