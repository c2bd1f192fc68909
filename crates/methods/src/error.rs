//! Refusals of a method.

use clearance_proof::ProofError;

/// Why a method cannot be used, or gave no answer. The message says what can be used instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MethodError {
    /// A method, or what it is built of, that does not go with this cell or these options.
    #[error("{0}")]
    Unsupported(String),
    /// A tree or a cover that does not cover its shape.
    #[error("{0}")]
    BadCover(String),
    /// A refusal of the proof.
    #[error(transparent)]
    Proof(#[from] ProofError),
}

/// A refusal.
pub(crate) fn unsupported<T>(why: String) -> Result<T, MethodError> {
    Err(MethodError::Unsupported(why))
}

/// A cover that fails its proof.
pub(crate) fn bad_cover<T>(why: String) -> Result<T, MethodError> {
    Err(MethodError::BadCover(why))
}
