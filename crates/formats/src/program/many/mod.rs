//! Files of many programs: a Parquet or CSV table with a column that tells the programs apart, and
//! recordings of ROS.
//!
//! A program in such a file is named `FILE#ID`: `plans.parquet#17`, `plans.csv#pick 3`,
//! `run.mcap#/joint_states`, `run.bag#/plan@2`. The file is read as a stream: what is in memory is
//! one program, and some rows of the table.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use clearance_proof::model::{Cell, Program};

use crate::{ImportError, Problem};

mod bag;
mod builder;
mod columns;
mod cut;
mod parquet;
mod parts;
mod shadow;
mod table;

/// How the columns of a table are to be understood, where their names do not say it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// Column that tells the programs apart.
    pub id: Option<String>,
    /// Column of times.
    pub time: Option<String>,
    /// Column of lists with a number for each joint.
    pub list: Option<String>,
    /// The columns that are joints, or the joints of the list's entries, each as in a header:
    /// `joint`, `joint[deg]`, and `-` for an entry that is not a joint.
    pub joints: Option<Vec<String>>,
}

pub(super) use columns::ID_NAMES;
use cut::CutPrograms;
pub use parts::{LaterPart, later_part};
use shadow::shadowed_in;
pub use shadow::{may_be_shadowed, shadowed};

/// Programs that one file may have: their names are in memory.
pub const MOST_PROGRAMS: usize = 10_000_000;
/// Numbers that one program may have: 512 MiB of them.
const MOST_NUMBERS: usize = 1 << 26;

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Parquet,
    Text,
    Recording,
}

fn kind(file: &Path) -> Option<Kind> {
    let extension = file.extension()?.to_string_lossy().to_lowercase();
    match extension.as_str() {
        "parquet" | "pq" => Some(Kind::Parquet),
        "csv" | "tsv" => Some(Kind::Text),
        // A database is refused by name.
        "mcap" | "bag" | "db3" => Some(Kind::Recording),
        _ => None,
    }
}

/// A name taken apart: the file, and what stands behind its `#`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramInFile {
    /// The file.
    pub file: PathBuf,
    /// Which program in it (of a recording: which topic, and perhaps which message); `None`:
    /// nothing is said.
    pub id: Option<String>,
}

/// Takes the name of a program in a file of many apart. `None`: it is a file of one program by its
/// name. A table of text may be either; only its header tells ([`names`]).
pub fn place(name: &Path) -> Option<ProgramInFile> {
    if let Some(text) = name.to_str() {
        for (at, _) in text.match_indices('#') {
            let file = Path::new(&text[..at]);
            // A file whose own name has a `#` is that file.
            if kind(file).is_some() && name.symlink_metadata().is_err() {
                return Some(ProgramInFile {
                    file: file.to_owned(),
                    id: Some(text[at + 1..].to_owned()),
                });
            }
        }
    }
    match kind(name)? {
        Kind::Parquet | Kind::Recording => Some(ProgramInFile {
            file: name.to_owned(),
            id: None,
        }),
        Kind::Text => None,
    }
}

/// The file that holds the program of this name.
pub fn file_of(name: &Path) -> PathBuf {
    place(name).map_or_else(|| name.to_owned(), |place| place.file)
}

/// Whether a file has many programs, as far as its name and its header tell it.
pub fn is_many(file: &Path) -> bool {
    match kind(file) {
        Some(Kind::Parquet | Kind::Recording) => true,
        Some(Kind::Text) => table::is_many(file, &Layout::default()),
        None => false,
    }
}

impl ProgramInFile {
    /// The id with which [`members`] gives this program along with all others of its kind: of a
    /// recording the topic, of a table none, for everything.
    pub fn whole(&self) -> Option<String> {
        match kind(&self.file) {
            Some(Kind::Recording) => self.id.as_deref().map(|id| bag::topic_of(id).to_owned()),
            _ => None,
        }
    }
}

/// Files beside a file of many that say what its columns are; also those that would if they were
/// there.
pub fn files_read_with(file: &Path) -> Vec<PathBuf> {
    match kind(file) {
        Some(Kind::Parquet) => parquet::infos(file),
        Some(Kind::Text | Kind::Recording) | None => Vec::new(),
    }
}

/// The name of a program in a file.
fn named(file: &Path, id: &str) -> PathBuf {
    let file = file.as_os_str();
    let mut name = OsString::with_capacity(file.len() + 1 + id.len());
    name.push(file);
    name.push("#");
    name.push(id);
    PathBuf::from(name)
}

/// The names that `name` stands for: of all programs in a table, of all messages of a topic; `None`
/// where it stands for itself.
///
/// # Errors
/// When the file cannot be read that far, or an id comes back after another one.
pub fn names(name: &Path, layout: &Layout) -> Result<Option<Vec<PathBuf>>, ImportError> {
    let listed = calmly(|| Ok(names_of(name, layout)));
    listed.unwrap_or_else(|why| Err(broken_off(name, why)))
}

fn names_of(name: &Path, layout: &Layout) -> Result<Option<Vec<PathBuf>>, ImportError> {
    let place = place(name);
    let names = match &place {
        Some(ProgramInFile { file, id }) => match (kind(file), id) {
            (Some(Kind::Parquet), None) => parquet::names(file, layout).map(Some)?,
            (Some(Kind::Recording), Some(topic)) => bag::names(file, topic)?,
            _ => None,
        },
        None if kind(name) == Some(Kind::Text) && table::is_many(name, layout) => {
            table::names(name, layout).map(Some)?
        }
        None => None,
    };
    let file = place.as_ref().map_or(name, |place| &place.file);
    match names.as_ref().and_then(|names| shadowed_in(file, names)) {
        Some(both) => Err(both),
        None => Ok(names),
    }
}

/// A program of a file of many.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name, `FILE#ID`.
    pub name: PathBuf,
    /// The program, or why it is not one: the others may be programs all the same.
    pub program: Result<Program, ImportError>,
}

/// The programs of a file one after the other, in the order of the file.
pub struct Members {
    /// Columns that are not joints and are not read, by name.
    pub passed_over: Vec<String>,
    file: PathBuf,
    rows: Box<dyn Iterator<Item = Result<Member, ImportError>> + Send>,
}

impl std::fmt::Debug for Members {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Members")
            .field("passed_over", &self.passed_over)
            .finish_non_exhaustive()
    }
}

impl Iterator for Members {
    /// An error is about the rest of the file: nothing follows it.
    type Item = Result<Member, ImportError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Self { file, rows, .. } = self;
        match calmly(|| Ok(rows.next())) {
            Ok(next) => next,
            Err(why) => {
                *rows = Box::new(std::iter::empty());
                Some(Err(broken_off(file, why)))
            }
        }
    }
}

/// Opens a file of many. `only` is the one program that is wanted (of a recording: the topic, or
/// the topic and a message); the others are then not made. `cell` tells which columns are joints.
///
/// # Errors
/// When the file cannot be read, or its columns cannot be meant.
pub fn members(
    file: &Path,
    only: Option<&str>,
    layout: &Layout,
    cell: &Cell,
) -> Result<Members, ImportError> {
    let opened = calmly(|| {
        Ok(match kind(file) {
            Some(Kind::Parquet) => parquet::members(file, only, layout, cell),
            Some(Kind::Recording) => bag::members(file, only, layout, cell),
            _ => table::members(file, only, layout, cell),
        })
    });
    let mut members = opened.unwrap_or_else(|why| Err(broken_off(file, why)))?;
    let cut = CutPrograms::of(file, layout);
    if !cut.is_empty() {
        let rows = members.rows;
        members.rows = Box::new(rows.map(move |member| Ok(cut.refused(member?))));
    }
    Ok(members)
}

/// The result of a library, with a fault of it as an error: it must not take other programs along.
fn calmly<T>(what: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(what))
        .unwrap_or_else(|_| Err("its reader broke off over it".to_owned()))
}

fn broken_off(file: &Path, why: String) -> ImportError {
    let remedy = "write the file anew; please report it as well".to_owned();
    syntax(file, why, remedy)
}

/// The one program of this name.
///
/// # Errors
/// When there is none, or two of them, or it cannot be read.
pub fn one(place: &ProgramInFile, layout: &Layout, cell: &Cell) -> Result<Program, ImportError> {
    let ProgramInFile { file, id } = place;
    let Some(id) = id else {
        if kind(file) == Some(Kind::Recording) {
            return Err(bag::topics_are(file));
        }
        // A problem of the file as a whole is reported first.
        names(file, layout)?;
        members(file, None, layout, cell)?;
        let cause = "it holds many programs".to_owned();
        let remedy = format!("name one of them, as in `{}#ID`", file.display());
        return Err(syntax(file, cause, remedy));
    };
    let mut found = None;
    // To the end: the id may come back.
    for member in members(file, Some(id), layout, cell)? {
        let member = member?;
        if found.is_some() {
            return Err(comes_back(file, id, first_row(&member)));
        }
        found = Some(member);
    }
    match found {
        Some(member) => member.program,
        None => Err(syntax(
            file,
            format!("there is no program `{id}` in it"),
            "name one that is there; `clearance batch` takes them all".to_owned(),
        )),
    }
}

fn first_row(member: &Member) -> usize {
    let line = |p: &Program| p.waypoints.first().map_or(0, |w| w.line);
    member
        .program
        .as_ref()
        .map_or_else(|e| e.place.line.unwrap_or(0), line)
}

/// An error about an id whose rows do not stand together.
fn comes_back(file: &Path, id: &str, row: usize) -> ImportError {
    let problem = Problem::Syntax {
        cause: format!("program `{id}` comes back here after another one"),
        remedy: "let the rows of a program stand together: sort the table by program and time"
            .to_owned(),
    };
    ImportError::at(file, row, None, problem)
}

/// Names of programs as they are found, with the check that none comes back.
struct Names {
    file: PathBuf,
    names: Vec<PathBuf>,
    rows: Vec<u64>,
}

impl Names {
    fn new(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            names: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// One more, which begins at this row.
    fn add(&mut self, id: &str, row: usize) -> Result<(), ImportError> {
        if self.names.len() == MOST_PROGRAMS {
            let cause = format!("there are more than {MOST_PROGRAMS} programs");
            return Err(syntax(&self.file, cause, "split the file".to_owned()));
        }
        self.names.push(named(&self.file, id));
        self.rows.push(row as u64);
        Ok(())
    }

    fn finish(self) -> Result<Vec<PathBuf>, ImportError> {
        let Self { file, names, rows } = self;
        // A file that stands for no program would be left out, and nobody would hear of it.
        if names.is_empty() {
            let cause = "there is no program in it: the table has no rows".to_owned();
            let remedy = "give at least one row, or leave the file out".to_owned();
            return Err(syntax(&file, cause, remedy));
        }
        let mut order: Vec<u32> = (0..names.len() as u32).collect();
        let name = |i: usize| names[i].as_os_str();
        // Shorter ones first: numbers that count up are in order already, which this sort sees.
        order.sort_by(|&a, &b| {
            let (a, b) = (name(a as usize), name(b as usize));
            a.len().cmp(&b.len()).then_with(|| a.cmp(b))
        });
        let pairs = order.windows(2).map(|w| (w[0] as usize, w[1] as usize));
        let twice = pairs.filter(|&(a, b)| name(a) == name(b));
        match twice.map(|(_, b)| b).min() {
            None => Ok(names),
            Some(back) => {
                let id = place(&names[back]).and_then(|p| p.id).unwrap_or_default();
                Err(comes_back(&file, &id, rows[back] as usize))
            }
        }
    }
}

fn syntax(file: &Path, cause: String, remedy: String) -> ImportError {
    ImportError::file(file, Problem::Syntax { cause, remedy })
}

/// An error of a program that is too long.
fn too_long(name: &Path, row: usize) -> ImportError {
    let problem = Problem::Unsupported {
        what: format!("a program of more than {MOST_NUMBERS} numbers"),
        remedy: "split it".to_owned(),
    };
    ImportError::at(name, row, None, problem)
}

#[cfg(test)]
mod tests;
