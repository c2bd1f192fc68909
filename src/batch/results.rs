//! The result file: written as results come, read back in order.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clearance_formats::folder_of;
use rayon::prelude::*;
use tempfile::{NamedTempFile, TempDir};

use super::alike::Alike;
use super::claim::{Claim, put, unwritable};
use super::line_writer::{LineWriter, WrittenLines};
use super::record::{Footer, Record, ResultHeader};
use super::result_file::{LinePlace, LineReader, REPLACED, copy_lines, is_finished};
use super::seal::sealed;
use crate::error::Error;
use crate::findings::{Outcome, Tally};
use crate::run::Prepared;

/// Lines that one thread reads of a finished file at a time.
const EACH: usize = 128;
/// Lines that all threads read of it at a time.
const TOGETHER: usize = 16 * EACH;

/// Where the results of a run go.
#[derive(Debug)]
pub(super) enum ResultTarget {
    /// A file of the user's.
    Named(Claim),
    /// A temporary folder: the user keeps no results, but they may not fit into memory.
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

    /// Whether what is written to the claimed file will be found under its name.
    fn is_there(&self) -> bool {
        match self {
            Self::Named(claim) => claim.is_there(),
            Self::Temporary(_) => true,
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

/// Whether joined results may take the place of a file: if it is new, empty, or holds results of a
/// run that came to its end.
///
/// # Errors
/// When it holds something else, or cannot be read.
pub fn may_be_replaced(file: &Path) -> Result<(), Error> {
    let blank = |m: std::fs::Metadata| m.len() == 0;
    if std::fs::metadata(file).map_or(true, blank) || is_finished(file, &REPLACED)? {
        return Ok(());
    }
    Err(Error::unusable(format!(
        "{} holds results of a run that did not come to its end; name another file, or remove this one",
        file.display()
    )))
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
    /// Writes to the file that was locked, even if another file has its name by now.
    lines: LineWriter,
    /// Length of the first line.
    header_length: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    alike: Alike,
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
        let mut fresh = new_in_folder_of(&path).map_err(failed)?;
        let mut out = BufWriter::new(fresh.as_file_mut());
        let header_length = write_line(&mut out, &header, "").map_err(failed)?;
        let mut end = header_length;
        if let Some(old) = &mut old {
            let known = places.iter_mut().filter(|p| p.is_known());
            let known: Vec<(usize, &mut LinePlace)> = known.map(|place| (0, place)).collect();
            let order = known.iter().map(|(source, place)| (*source, **place));
            copy_lines(std::slice::from_mut(old), order, &mut out).map_err(failed)?;
            for (_, place) in known {
                place.start = end;
                end += place.length;
            }
        }
        out.flush().map_err(failed)?;
        drop(out);
        let state = State {
            alike: Alike::new(places.len()),
            tally,
            longest_name,
        };
        Ok(Self {
            lines: LineWriter::new(target.replace(fresh).map_err(failed)?, end, places),
            target,
            header,
            header_length,
            state: Mutex::new(state),
        })
    }

    /// Adds a line. It is in the file a moment after this returns, be it the last one for long.
    pub(super) fn put(&self, index: usize, record: &Record) -> Result<(), Error> {
        let failed = |e: std::io::Error| unwritable(&self.target.path(), e);
        let text = sealed(record, &self.header.key).map_err(failed)?;
        self.lines.put(index, &text).map_err(failed)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.alike.see(index, record);
        state.tally.add(&record.outcome);
        state.longest_name = state.longest_name.max(record.name_width());
        Ok(())
    }

    /// Puts the lines in order and closes the file. One that was removed meanwhile is written anew.
    pub(super) fn finish(self, gone: Vec<String>) -> Result<Results, Error> {
        let failed = |e: std::io::Error| unwritable(&self.target.path(), e);
        let WrittenLines { mut file, places } = self.lines.finish().map_err(failed)?;
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let footer = Footer {
            finished: state.tally,
            gone,
        };
        let alike = state.alike;
        let longest_name = state.longest_name;
        if are_in_order(&places, self.header_length) {
            write_line(&mut file, &footer, &self.header.key).map_err(failed)?;
            file.sync_all().map_err(failed)?;
            // Somebody may have removed the file meanwhile: it is read as long as it is open.
            if self.target.is_there() {
                return FinishedFile {
                    target: self.target,
                    file,
                    header: self.header,
                    places,
                    footer,
                }
                .results(alike, longest_name);
            }
        }
        let lines = ResultLines {
            sources: vec![file],
            order: places.into_iter().map(|place| (0, place)).collect(),
            alike,
            longest_name,
        };
        assemble(self.target, self.header, lines, footer)
    }
}

/// Whether lines stand in the order of their programs, one behind the other from `start` on.
fn are_in_order(places: &[LinePlace], start: u64) -> bool {
    let mut end = start;
    places.iter().all(|place| {
        let follows = place.is_known() && place.start == end;
        end += place.length;
        follows
    })
}

/// A file with its first line, all others in order, and its last one.
struct FinishedFile {
    target: ResultTarget,
    file: File,
    header: ResultHeader,
    places: Vec<LinePlace>,
    footer: Footer,
}

impl FinishedFile {
    fn results(self, alike: Alike, longest_name: usize) -> Result<Results, Error> {
        let path = self.target.path();
        let report_header = self.header.outcome(self.footer.finished.worst());
        let report_header = report_header.map_err(|e| {
            Error::unusable(format!(
                "{}:1: this line is damaged ({e}); verify anew",
                path.display()
            ))
        })?;
        Ok(Results {
            uncertified: Vec::new(),
            prepared: None,
            path,
            file: Mutex::new(self.file),
            _target: self.target,
            header: self.header,
            places: self.places,
            alike,
            longest_name,
            footer: self.footer,
            report_header,
        })
    }
}

/// Lines of programs in other files.
pub(super) struct ResultLines {
    pub(super) sources: Vec<File>,
    /// Source and place of each, in the order that they are to have.
    pub(super) order: Vec<(usize, LinePlace)>,
    /// Which of them are alike, by their place in that order.
    pub(super) alike: Alike,
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
        alike,
        longest_name,
    } = lines;
    let path = target.path();
    let failed = |e: std::io::Error| unwritable(&path, e);
    let mut fresh = new_in_folder_of(&path).map_err(failed)?;
    let mut out = BufWriter::new(fresh.as_file_mut());
    let mut end = write_line(&mut out, &header, "").map_err(failed)?;
    copy_lines(&mut sources, order.iter().copied(), &mut out).map_err(failed)?;
    let places = order.into_iter().map(|(_, place)| {
        let start = end;
        end += place.length;
        LinePlace { start, ..place }
    });
    let places: Vec<LinePlace> = places.collect();
    write_line(&mut out, &footer, &header.key).map_err(failed)?;
    out.flush().map_err(failed)?;
    drop(out);
    let file = target.replace(fresh).map_err(failed)?;
    FinishedFile {
        target,
        file,
        header,
        places,
        footer,
    }
    .results(alike, longest_name)
}

/// A file in the same folder, to be renamed; it gets the permissions that new files have.
fn new_in_folder_of(path: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".results-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder_of(path))
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
    alike: Alike,
    longest_name: usize,
    footer: Footer,
    /// The report without its programs.
    report_header: Outcome,
    /// Programs that are clear and should have a certificate, with the reasons why they have none.
    pub uncertified: Vec<String>,
    /// The cell that was checked; absent where results of earlier runs were joined. Its files may be
    /// others by now.
    pub prepared: Option<Prepared>,
}

/// Programs of which a report in brief says the same.
#[derive(Debug)]
pub struct AlikePrograms {
    /// The first of them.
    pub record: Record,
    /// How many they are.
    pub programs: usize,
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
        let mut reader = LineReader::default();
        let places = self.places.iter();
        places.map(move |&place| self.record(&mut reader, place))
    }

    /// The same for a report that says nothing of programs that are clear but how many they are:
    /// of those that are alike the first one stands for all. Their answers have their lines.
    pub fn in_brief(&self) -> impl Iterator<Item = Result<AlikePrograms, Error>> {
        let firsts = self.alike.firsts(self.places.len());
        let mut rest = firsts.into_iter();
        // Many at a time, so that all threads read.
        let pieces = std::iter::from_fn(move || {
            let together: Vec<(usize, usize)> = rest.by_ref().take(TOGETHER).collect();
            (!together.is_empty()).then_some(together)
        });
        let read = |firsts: &[(usize, usize)]| {
            let mut reader = LineReader::default();
            let read = firsts.iter().map(|&(index, programs)| {
                let mut record = self.record(&mut reader, self.places[index])?;
                record.give_lines_to_outcome();
                Ok(AlikePrograms { record, programs })
            });
            read.collect::<Vec<_>>()
        };
        pieces.flat_map(move |together| {
            let pieces = together.par_chunks(EACH).flat_map_iter(read);
            pieces.collect::<Vec<_>>()
        })
    }

    fn record(&self, reader: &mut LineReader, place: LinePlace) -> Result<Record, Error> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let text = reader.line(&mut file, place);
        drop(file);
        let text = text.map_err(|e| Error::unreadable(&self.path, e))?;
        Record::read(text).map_err(|e| Error::unreadable(&self.path, e))
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
