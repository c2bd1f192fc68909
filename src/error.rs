//! Why the program cannot do what it is asked to.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clearance_formats::ImportError;
use clearance_methods::MethodError;
use clearance_proof::ProofError;
use clearance_proof::report::Location;

/// Why there is no answer, or why it cannot be handed over. The message names the cause and says
/// what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The command line, a line of a request or a variable of the environment asks for what cannot
    /// be.
    #[error("{0}")]
    Usage(String),
    /// A program to convert, through which several ways lead, of which none was chosen.
    #[error("{}: {} ways lead through it; choose one with `--way NUMBER`", file.display(), ways.len())]
    SeveralWays {
        /// The program.
        file: PathBuf,
        /// What each way is called, in their order.
        ways: Vec<String>,
    },
    /// A file of the cell, or a program, that cannot be used.
    #[error(transparent)]
    Input(#[from] ImportError),
    /// A method that cannot be used here: the input is right.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// A refusal of the proof: a program that does not fit its cell, for instance.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// Something that was read and cannot be used: a list of programs, a pack, results of an
    /// earlier run.
    #[error("{0}")]
    Unusable(String),
    /// A result file of this version with a damaged first line: nothing of it is known, and a run
    /// may begin it anew.
    #[error("{0}")]
    Damaged(String),
    /// Something that the system does not give.
    #[error("{what} cannot be read: {cause}")]
    Unreadable {
        /// File, folder or stream.
        what: String,
        /// The system's message.
        cause: String,
    },
    /// Something that the system does not take.
    #[error("{what} cannot be written: {cause}")]
    Unwritable {
        /// File, folder or stream.
        what: String,
        /// The system's message.
        cause: String,
    },
    /// There is no certificate of what was asked.
    #[error("{0}")]
    NoCertificate(String),
    /// The system lacks something, or the program is at fault.
    #[error("{0}")]
    Internal(String),
}

impl Error {
    /// [`Error::Usage`].
    pub(crate) fn usage(why: impl Display) -> Self {
        Self::Usage(why.to_string())
    }

    /// [`Error::Unusable`].
    pub(crate) fn unusable(why: impl Display) -> Self {
        Self::Unusable(why.to_string())
    }

    /// [`Error::Unreadable`], of a file or folder.
    pub(crate) fn unreadable(file: &Path, cause: impl Display) -> Self {
        Self::Unreadable {
            what: file.display().to_string(),
            cause: cause.to_string(),
        }
    }

    /// [`Error::Unwritable`].
    pub(crate) fn unwritable(what: impl Display, cause: impl Display) -> Self {
        Self::Unwritable {
            what: what.to_string(),
            cause: cause.to_string(),
        }
    }

    /// [`Error::Unwritable`]: no temporary file or folder can be made.
    pub(crate) fn no_temporary(cause: impl Display) -> Self {
        let folder = std::env::temp_dir();
        Self::unwritable(
            format!("temporary files in {}", folder.display()),
            format!("{cause}; set TMPDIR to a folder with room"),
        )
    }

    /// [`Error::NoCertificate`].
    pub(crate) fn no_certificate(why: impl Display) -> Self {
        Self::NoCertificate(why.to_string())
    }

    /// [`Error::Internal`].
    pub(crate) fn internal(why: impl Display) -> Self {
        Self::Internal(why.to_string())
    }

    /// Where an input is wrong, if it is one place.
    pub fn place(&self) -> Option<Location> {
        match self {
            Self::Input(error) => Some(error.place.clone()),
            Self::Proof(ProofError::Program { file, line, .. }) => {
                Some(Location::at(file, *line, None))
            }
            _ => None,
        }
    }

    /// Whether it is the chosen method that cannot be used, with input that is right.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Method(_))
    }
}
