//! Why there is no certificate.

use std::fmt;

/// Why there is no certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CertifyError {
    /// The question has something that certificates do not cover.
    NotCovered(String),
    /// The pair was found within its distance, though the check says otherwise.
    Contradiction(String),
    /// No certificate was found.
    NotFound(String),
}

impl fmt::Display for CertifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertifyError::NotCovered(why) => write!(f, "certificates do not cover this: {why}"),
            CertifyError::Contradiction(where_) => write!(
                f,
                "internal error: the check says `clear`, and the certificate finds a contact: {where_}; believe the contact, \
                 and please report it with this program and cell"
            ),
            CertifyError::NotFound(why) => write!(f, "no certificate was found: {why}"),
        }
    }
}

impl std::error::Error for CertifyError {}
