//! Where a text is no token of its language.

/// Something that is not a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenError {
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// What is wrong.
    pub(crate) cause: String,
}
