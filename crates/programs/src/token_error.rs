//! Where a text has something that is not of its language.

/// Something that is not a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenError {
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// The fault, in words.
    pub(crate) cause: String,
}
