//! Files that are written: whole, piece by piece, or row by row.

use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::path::Path;

use super::atomic_file::AtomicFile;
use super::terminal::print;
use crate::error::Error;
use crate::findings::{Outcome, ProgramOutcome};
use crate::render::ParquetTable;

/// A text that is written piece by piece.
pub(super) enum Sink<'r> {
    /// To standard output.
    Stdout,
    /// To a file.
    File(AtomicFile, &'r Path),
    /// Nowhere; the last piece is kept.
    Last(String),
}

impl<'r> Sink<'r> {
    pub(super) fn to(path: Option<&'r Path>) -> Result<Self, Error> {
        Ok(match path {
            None => Sink::Stdout,
            Some(path) => {
                let file = AtomicFile::begin(path).map_err(|e| unwritable(path, &e))?;
                Sink::File(file, path)
            }
        })
    }

    pub(super) fn write(&mut self, text: &str) -> Result<(), Error> {
        match self {
            Sink::Stdout => print(text).map(|_| ()),
            Sink::File(file, path) => file
                .write(text.as_bytes())
                .map_err(|e| unwritable(path, &e)),
            Sink::Last(last) => {
                text.clone_into(last);
                Ok(())
            }
        }
    }

    /// Everything is written, or there is an error.
    pub(super) fn close(self) -> Result<(), Error> {
        match self {
            Sink::Stdout | Sink::Last(_) => Ok(()),
            Sink::File(file, path) => file.finish().map_err(|e| unwritable(path, &e)),
        }
    }
}

/// Writes a table of programs as they come.
pub(super) fn write_parquet<'o>(
    path: &Path,
    about: &Outcome,
    programs: impl Iterator<Item = Result<Cow<'o, ProgramOutcome>, Error>>,
) -> Result<(), Error> {
    let out = AtomicFile::begin(path).map_err(|e| unwritable(path, &e))?;
    let said = |why: &dyn std::fmt::Display| Error::unwritable(path.display(), why);
    let mut table = ParquetTable::begin(AsideWriter(out), about).map_err(|e| said(&e))?;
    for program in programs {
        table.add(program?.as_ref()).map_err(|e| said(&e))?;
    }
    let AsideWriter(out) = table.finish().map_err(|e| said(&e))?;
    out.finish().map_err(|e| unwritable(path, &e))
}

/// For those who write by the standard library's trait.
struct AsideWriter(AtomicFile);

impl Write for AsideWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes a whole file.
pub(super) fn write_file(path: &Path, text: &str) -> Result<(), Error> {
    write_bytes(path, text.as_bytes())
}

/// Writes a whole file that need not be text.
pub(super) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let whole = || {
        let mut file = AtomicFile::begin(path)?;
        file.write(bytes)?;
        file.finish()
    };
    whole().map_err(|e| unwritable(path, &e))
}

/// Whether a file can be made there, as far as that shows before it is written.
///
/// # Errors
/// When its folder is missing, or takes no files.
pub(super) fn can_be_made(path: &Path) -> Result<(), Error> {
    AtomicFile::can_begin(path).map_err(|e| unwritable(path, &e))
}

/// The error where a file cannot be made or written, with what to do.
pub(super) fn unwritable(path: &Path, e: &std::io::Error) -> Error {
    let remedy = match path.parent() {
        _ if path.is_dir() => "; it is a folder: name a file in it".to_owned(),
        Some(folder) if e.kind() == ErrorKind::NotFound => {
            format!("; make the folder {} first", folder.display())
        }
        _ => String::new(),
    };
    let cause = e.to_string();
    // Nobody knows the name of the file that is written beside the place.
    let cause = cause.split(" at path ").next().unwrap_or(&cause);
    Error::unwritable(path.display(), format!("{cause}{remedy}"))
}
