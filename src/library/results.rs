//! The result file: written as results come, read back in order.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{NamedTempFile, TempDir};

use super::record::{Brief, Footer, Header, RESULTS, Record};
use crate::findings::{Outcome, Tally};

/// Where a line stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    start: u64,
    /// With its line break; 0: nowhere.
    length: u64,
}

impl Place {
    pub(super) fn is_known(self) -> bool {
        self.length > 0
    }
}

/// A line of a result file, as far as it is needed without its program's findings.
pub(super) enum Line {
    Program(Brief),
    Footer(Footer),
}

/// Goes through a result file. A last line that was torn off while it was written is passed over.
pub(super) fn scan(
    path: &Path,
    mut each: impl FnMut(Line, Place) -> Result<(), String>,
) -> Result<Header, String> {
    let failed = |e: std::io::Error| format!("{} cannot be read: {e}", path.display());
    let mut reader = BufReader::new(File::open(path).map_err(failed)?);
    let mut text = Vec::new();
    let (mut start, mut number) = (0, 0);
    let mut header = None;
    loop {
        text.clear();
        let length = reader.read_until(b'\n', &mut text).map_err(failed)? as u64;
        if text.last() != Some(&b'\n') {
            break;
        }
        number += 1;
        let place = Place { start, length };
        start += length;
        let damaged = |e: serde_json::Error| {
            format!(
                "{}:{number}: this line is damaged ({e}); remove it, and its program is verified again with --resume",
                path.display()
            )
        };
        if header.is_none() {
            header = Some(first_line(path, &text)?);
        } else if text.starts_with(b"{\"finished\":") {
            each(
                Line::Footer(serde_json::from_slice(&text).map_err(damaged)?),
                place,
            )?;
        } else {
            each(
                Line::Program(serde_json::from_slice(&text).map_err(damaged)?),
                place,
            )?;
        }
    }
    header.ok_or_else(|| not_ours(path))
}

fn not_ours(path: &Path) -> String {
    format!(
        "{} is no result file of `clearance batch`; name one, or a file that does not exist yet",
        path.display()
    )
}

fn first_line(path: &Path, text: &[u8]) -> Result<Header, String> {
    /// Kept in every version.
    #[derive(serde::Deserialize)]
    struct Version {
        results: u32,
        tool: String,
    }
    match serde_json::from_slice::<Version>(text) {
        Ok(v) if v.tool == "clearance" && v.results != RESULTS => Err(format!(
            "{} has structure {} of another version of clearance; this one reads {RESULTS}: verify anew",
            path.display(),
            v.results
        )),
        Ok(v) if v.tool == "clearance" => serde_json::from_slice(text).map_err(|e| {
            format!(
                "{}:1: this line is damaged ({e}); verify anew",
                path.display()
            )
        }),
        _ => Err(not_ours(path)),
    }
}

/// What an unfinished or finished file holds: the last line of every program.
pub(super) struct Held {
    pub(super) header: Header,
    pub(super) programs: HashMap<String, (Place, Brief)>,
    pub(super) footer: Option<Footer>,
}

pub(super) fn held(path: &Path) -> Result<Held, String> {
    let mut programs = HashMap::new();
    let mut footer = None;
    let header = scan(path, |line, place| {
        match line {
            Line::Program(brief) => {
                programs.insert(brief.program.clone(), (place, brief));
            }
            Line::Footer(last) => footer = Some(last),
        }
        Ok(())
    })?;
    Ok(Held {
        header,
        programs,
        footer,
    })
}

/// Reads one line.
pub(super) fn line_at(file: &mut File, place: Place) -> std::io::Result<Vec<u8>> {
    let mut text = vec![0; usize::try_from(place.length).unwrap_or(usize::MAX)];
    file.seek(SeekFrom::Start(place.start))?;
    file.read_exact(&mut text)?;
    Ok(text)
}

/// Where the results of a run go.
#[derive(Debug)]
enum Target {
    Named(PathBuf),
    /// Nobody wants to keep them: they only keep memory flat.
    Temporary(TempDir),
}

impl Target {
    fn open(named: Option<&Path>) -> Result<Self, String> {
        match named {
            Some(path) => Ok(Self::Named(path.to_owned())),
            None => TempDir::new().map(Self::Temporary).map_err(|e| {
                format!("no temporary folder can be had: {e}; name a file with --results")
            }),
        }
    }

    fn path(&self) -> PathBuf {
        match self {
            Self::Named(path) => path.clone(),
            Self::Temporary(folder) => folder.path().join("results.jsonl"),
        }
    }
}

/// A result file that grows.
#[derive(Debug)]
pub(super) struct Store {
    target: Target,
    header: Header,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    end: u64,
    /// By place of the program in the sorted list.
    places: Vec<Place>,
    tally: Tally,
}

impl Store {
    /// A file with a header and, of an older file, the lines of programs that are done. `kept` has one place for each
    /// program of the list; unknown ones are still to be verified.
    pub(super) fn begin(
        named: Option<&Path>,
        header: Header,
        mut kept: Vec<Place>,
        tally: Tally,
    ) -> Result<Self, String> {
        let target = Target::open(named)?;
        let path = target.path();
        let failed = |e: std::io::Error| unwritable(&path, &e);
        let mut old = match kept.iter().any(|p| p.is_known()) {
            true => Some(File::open(&path).map_err(failed)?),
            false => None,
        };
        // Whoever looks meanwhile, or after a power cut, finds the old file or the new one.
        let mut fresh = beside(&path).map_err(failed)?;
        let mut out = BufWriter::new(fresh.as_file_mut());
        let mut end = write_line(&mut out, &header).map_err(failed)?;
        if let Some(old) = &mut old {
            for place in kept.iter_mut().filter(|p| p.is_known()) {
                let text = line_at(old, *place).map_err(failed)?;
                out.write_all(&text).map_err(failed)?;
                place.start = end;
                end += place.length;
            }
        }
        out.flush().map_err(failed)?;
        drop(out);
        fresh.persist(&path).map_err(|e| failed(e.error))?;
        let file = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(failed)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(busy(&path));
        }
        let state = State {
            file,
            end,
            places: kept,
            tally,
        };
        Ok(Self {
            target,
            header,
            state: Mutex::new(state),
        })
    }

    /// Adds a line. It is in the file when this returns.
    pub(super) fn put(&self, index: usize, record: &Record) -> Result<(), String> {
        let mut text = Vec::new();
        let failed = |e: std::io::Error| unwritable(&self.target.path(), &e);
        let length = write_line(&mut text, record).map_err(failed)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.file.write_all(&text).map_err(failed)?;
        state.places[index] = Place {
            start: state.end,
            length,
        };
        state.end += length;
        state.tally.add(&record.outcome);
        Ok(())
    }

    /// Puts the lines in order and closes the file.
    pub(super) fn finish(self, gone: Vec<String>) -> Result<Results, String> {
        let path = self.target.path();
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let source = File::open(&path).map_err(|e| unwritable(&path, &e))?;
        let order = state.places.iter().map(|&place| (0, place)).collect();
        ordered(
            self.target,
            self.header,
            vec![source],
            order,
            Footer {
                finished: state.tally,
                gone,
            },
        )
    }
}

/// Makes a finished file from lines of other files, in this order.
pub(super) fn assemble(
    named: Option<&Path>,
    header: Header,
    sources: Vec<File>,
    order: Vec<(usize, Place)>,
    footer: Footer,
) -> Result<Results, String> {
    ordered(Target::open(named)?, header, sources, order, footer)
}

fn ordered(
    target: Target,
    header: Header,
    mut sources: Vec<File>,
    order: Vec<(usize, Place)>,
    footer: Footer,
) -> Result<Results, String> {
    let path = target.path();
    let failed = |e: std::io::Error| unwritable(&path, &e);
    let mut fresh = beside(&path).map_err(failed)?;
    let mut out = BufWriter::new(fresh.as_file_mut());
    let mut end = write_line(&mut out, &header).map_err(failed)?;
    let mut places = Vec::with_capacity(order.len());
    for (source, place) in order {
        let text = line_at(&mut sources[source], place).map_err(failed)?;
        out.write_all(&text).map_err(failed)?;
        places.push(Place {
            start: end,
            ..place
        });
        end += place.length;
    }
    write_line(&mut out, &footer).map_err(failed)?;
    out.flush().map_err(failed)?;
    drop(out);
    fresh.as_file().sync_all().map_err(failed)?;
    fresh.persist(&path).map_err(|e| failed(e.error))?;
    let question = header.outcome(footer.finished.worst()).map_err(|e| {
        format!(
            "{}:1: this line is damaged ({e}); verify anew",
            path.display()
        )
    })?;
    Ok(Results {
        target,
        header,
        places,
        footer,
        question,
    })
}

fn busy(path: &Path) -> String {
    format!(
        "{} is being written by another run; wait for it, or name another file",
        path.display()
    )
}

fn unwritable(path: &Path, error: &std::io::Error) -> String {
    format!("the results {} cannot be written: {error}", path.display())
}

/// Whether another run is writing this file.
pub(super) fn is_busy(path: &Path) -> Result<(), String> {
    match File::open(path).map(|file| file.try_lock_shared()) {
        Ok(Err(TryLockError::WouldBlock)) => Err(busy(path)),
        _ => Ok(()),
    }
}

/// A file in the same folder, to be renamed; it gets the permissions that new files have.
fn beside(path: &Path) -> std::io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".results-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Writes one value as a line; says how long it is.
fn write_line(out: &mut impl Write, value: &impl serde::Serialize) -> std::io::Result<u64> {
    let mut text = serde_json::to_vec(value)?;
    text.push(b'\n');
    out.write_all(&text)?;
    Ok(text.len() as u64)
}

/// A finished result file, in the order of the programs' names.
#[derive(Debug)]
pub struct Results {
    target: Target,
    header: Header,
    places: Vec<Place>,
    footer: Footer,
    /// The report without its programs.
    question: Outcome,
}

impl Results {
    /// What was asked, about which cell.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many programs have which answer.
    pub fn tally(&self) -> &Tally {
        &self.footer.finished
    }

    /// Programs of the earlier run that the library does not have any more.
    pub fn gone(&self) -> &[String] {
        &self.footer.gone
    }

    /// One after the other: they need not all fit into memory.
    pub fn records(&self) -> impl Iterator<Item = Result<Record, String>> {
        self.lines()
    }

    /// Length of the longest name of a program that is not clear, in characters.
    ///
    /// # Errors
    /// When the file cannot be read back.
    pub fn longest_name(&self) -> Result<usize, String> {
        let mut longest = 0;
        for brief in self.lines::<Brief>() {
            let brief = brief?;
            if !brief.is_good() {
                longest = longest.max(brief.program.chars().count());
            }
        }
        Ok(longest)
    }

    fn lines<T: serde::de::DeserializeOwned>(&self) -> impl Iterator<Item = Result<T, String>> {
        let path = self.target.path();
        let mut file = File::open(&path);
        self.places.iter().map(move |&place| {
            let broken =
                |e: &dyn std::fmt::Display| format!("{} cannot be read: {e}", path.display());
            let file = file.as_mut().map_err(|e| broken(&*e))?;
            let text = line_at(file, place).map_err(|e| broken(&e))?;
            serde_json::from_slice(&text).map_err(|e| broken(&e))
        })
    }

    /// The report without its programs.
    pub fn question(&self) -> Outcome {
        self.question.clone()
    }

    /// The whole report, every program in memory.
    ///
    /// # Errors
    /// When the file cannot be read back.
    pub fn outcome(&self) -> Result<Outcome, String> {
        let programs: Result<Vec<_>, String> = self
            .records()
            .map(|record| Ok(record?.into_outcome()))
            .collect();
        Ok(Outcome {
            programs: programs?,
            ..self.question()
        })
    }
}
