//! The result file: written as results come, read back in order.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{NamedTempFile, TempDir};

use super::claim::{Claim, folder, put, unwritable};
use super::held::{LinePlace, line_at};
use super::record::{Footer, Record, ResultHeader};
use super::seal::sealed;
use crate::error::Error;
use crate::findings::{Outcome, Tally};

/// Where the results of a run go.
#[derive(Debug)]
pub(super) enum ResultTarget {
    /// A file of the user's.
    Named(Claim),
    /// Nobody wants to keep them: they only keep memory flat.
    Temporary(TempDir),
}

impl ResultTarget {
    /// Claims the file, if one is named.
    pub(super) fn open(named: Option<&Path>) -> Result<Self, Error> {
        match named {
            Some(path) => Claim::of(path).map(Self::Named),
            None => TempDir::new().map(Self::Temporary).map_err(|e| {
                Error::internal(format!(
                    "no temporary folder can be had: {e}; name a file with --results"
                ))
            }),
        }
    }

    fn path(&self) -> PathBuf {
        match self {
            Self::Named(claim) => claim.path().to_owned(),
            Self::Temporary(folder) => folder.path().join("results.jsonl"),
        }
    }

    /// Puts a finished file there. Whoever looks meanwhile, or after a power cut, finds the old one
    /// or the new one.
    fn replace(&mut self, fresh: NamedTempFile) -> std::io::Result<File> {
        match self {
            Self::Named(claim) => claim.replace(fresh),
            Self::Temporary(_) => put(fresh, &self.path()),
        }
    }
}

/// Lines of an older file that are kept: one place for each program of the list; unknown ones are
/// still to be verified.
pub(super) struct KeptResults {
    pub(super) places: Vec<LinePlace>,
    pub(super) tally: Tally,
    /// Length of the longest name of a program that reports name, in characters.
    pub(super) longest_name: usize,
    /// Where they are.
    pub(super) file: Option<File>,
}

/// A result file that grows.
#[derive(Debug)]
pub(super) struct Store {
    target: ResultTarget,
    header: ResultHeader,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The very file that was locked, whatever has its name.
    file: File,
    end: u64,
    /// By place of the program in the sorted list.
    places: Vec<LinePlace>,
    tally: Tally,
    longest_name: usize,
}

impl Store {
    /// A file with a header and, of an older file, the lines of programs that are done.
    pub(super) fn begin(
        mut target: ResultTarget,
        header: ResultHeader,
        kept: KeptResults,
    ) -> Result<Self, Error> {
        let path = target.path();
        let failed = |e: std::io::Error| unwritable(&path, e);
        let KeptResults {
            mut places,
            tally,
            longest_name,
            file: mut old,
        } = kept;
        let mut fresh = beside(&path).map_err(failed)?;
        let mut out = BufWriter::new(fresh.as_file_mut());
        let mut end = write_line(&mut out, &header, "").map_err(failed)?;
        if let Some(old) = &mut old {
            for place in places.iter_mut().filter(|p| p.is_known()) {
                let text = line_at(old, *place).map_err(failed)?;
                out.write_all(&text).map_err(failed)?;
                place.start = end;
                end += place.length;
            }
        }
        out.flush().map_err(failed)?;
        drop(out);
        let state = State {
            file: target.replace(fresh).map_err(failed)?,
            end,
            places,
            tally,
            longest_name,
        };
        Ok(Self {
            target,
            header,
            state: Mutex::new(state),
        })
    }

    /// Adds a line. It is in the file when this returns.
    pub(super) fn put(&self, index: usize, record: &Record) -> Result<(), Error> {
        let mut text = Vec::new();
        let failed = |e: std::io::Error| unwritable(&self.target.path(), e);
        let length = write_line(&mut text, record, &self.header.key).map_err(failed)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.file.write_all(&text).map_err(failed)?;
        state.places[index] = LinePlace {
            start: state.end,
            length,
        };
        state.end += length;
        state.tally.add(&record.outcome);
        state.longest_name = state.longest_name.max(record.name_width());
        Ok(())
    }

    /// Puts the lines in order and closes the file.
    pub(super) fn finish(self, gone: Vec<String>) -> Result<Results, Error> {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let lines = ResultLines {
            sources: vec![state.file],
            order: state.places.iter().map(|&place| (0, place)).collect(),
            longest_name: state.longest_name,
        };
        let footer = Footer {
            finished: state.tally,
            gone,
        };
        assemble(self.target, self.header, lines, footer)
    }
}

/// Lines of programs in other files.
pub(super) struct ResultLines {
    pub(super) sources: Vec<File>,
    /// Source and place of each, in the order that they are to have.
    pub(super) order: Vec<(usize, LinePlace)>,
    /// Length of the longest name of a program that reports name, in characters.
    pub(super) longest_name: usize,
}

/// Makes a finished file from lines of other files.
pub(super) fn assemble(
    mut target: ResultTarget,
    header: ResultHeader,
    lines: ResultLines,
    footer: Footer,
) -> Result<Results, Error> {
    let ResultLines {
        mut sources,
        order,
        longest_name,
    } = lines;
    let path = target.path();
    let failed = |e: std::io::Error| unwritable(&path, e);
    let mut fresh = beside(&path).map_err(failed)?;
    let mut out = BufWriter::new(fresh.as_file_mut());
    let mut end = write_line(&mut out, &header, "").map_err(failed)?;
    let mut places = Vec::with_capacity(order.len());
    for (source, place) in order {
        let text = line_at(&mut sources[source], place).map_err(failed)?;
        out.write_all(&text).map_err(failed)?;
        places.push(LinePlace {
            start: end,
            ..place
        });
        end += place.length;
    }
    write_line(&mut out, &footer, &header.key).map_err(failed)?;
    out.flush().map_err(failed)?;
    drop(out);
    let file = target.replace(fresh).map_err(failed)?;
    let report_header = header.outcome(footer.finished.worst()).map_err(|e| {
        Error::unusable(format!(
            "{}:1: this line is damaged ({e}); verify anew",
            path.display()
        ))
    })?;
    Ok(Results {
        uncertified: Vec::new(),
        path,
        file: Mutex::new(file),
        _target: target,
        header,
        places,
        longest_name,
        footer,
        report_header,
    })
}

/// A file in the same folder, to be renamed; it gets the permissions that new files have.
fn beside(path: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".results-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder(path))
}

/// Writes one value as a line of this run; says how long it is.
fn write_line(
    out: &mut impl Write,
    value: &impl serde::Serialize,
    run: &str,
) -> std::io::Result<u64> {
    let text = sealed(value, run)?;
    out.write_all(&text)?;
    Ok(text.len() as u64)
}

/// A finished result file, in the order of the programs' names. Nobody else of us writes it as long
/// as this lives.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    file: Mutex<File>,
    /// Keeps the claim, or the temporary folder.
    _target: ResultTarget,
    header: ResultHeader,
    places: Vec<LinePlace>,
    longest_name: usize,
    footer: Footer,
    /// The report without its programs.
    report_header: Outcome,
    /// Programs that are clear and should have a certificate, with the reasons why they have none.
    pub uncertified: Vec<String>,
}

impl Results {
    /// The question and the cell.
    pub fn header(&self) -> &ResultHeader {
        &self.header
    }

    /// How many programs have which answer.
    pub fn tally(&self) -> &Tally {
        &self.footer.finished
    }

    /// Programs of the earlier run that the batch does not have any more.
    pub fn gone(&self) -> &[String] {
        &self.footer.gone
    }

    /// Length of the longest name of a program that there is something to say about, in
    /// characters.
    pub fn longest_name(&self) -> usize {
        self.longest_name
    }

    /// One after the other: they need not all fit into memory.
    pub fn records(&self) -> impl Iterator<Item = Result<Record, Error>> {
        self.places.iter().map(move |&place| {
            let text =
                line_at(&mut self.file(), place).map_err(|e| Error::unreadable(&self.path, e))?;
            serde_json::from_slice(&text).map_err(|e| Error::unreadable(&self.path, e))
        })
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The report without its programs.
    pub fn report_header(&self) -> Outcome {
        self.report_header.clone()
    }

    /// The whole report, every program in memory.
    ///
    /// # Errors
    /// When the file cannot be read back.
    pub fn outcome(&self) -> Result<Outcome, Error> {
        let programs: Result<Vec<_>, Error> = self
            .records()
            .map(|record| Ok(record?.into_outcome()))
            .collect();
        Ok(Outcome {
            programs: programs?,
            ..self.report_header()
        })
    }
}
