//! The meaning of the columns in a table of many programs.

mod joints;

use std::path::Path;
use std::sync::Arc;

use clearance_proof::model::{Cell, Column};

use super::{Layout, syntax};
use crate::ImportError;
use joints::{ColumnChoice, KnownJoints};

/// Names of the column that tells the programs apart, where none is stated.
pub(in crate::program) const ID_NAMES: [&str; 3] = ["program", "program_id", "episode_index"];
/// Names of the column of times, likewise; with or without a unit.
const TIME_NAMES: [&str; 2] = ["time", "timestamp"];
/// Words that a column of times may be called by, alone or with a unit behind `_`.
const TIME_WORDS: [&str; 8] = [
    "t",
    "ts",
    "time",
    "elapsed",
    "stamp",
    "timestamp",
    "sec",
    "seconds",
];
const TIME_UNITS: [&str; 8] = ["s", "sec", "secs", "seconds", "ms", "us", "ns", "stamp"];
/// Names of a column that numbers the rows of a program, likewise.
const ORDER_NAMES: [&str; 12] = [
    "frame_index",
    "frame",
    "waypoint_index",
    "waypoint",
    "step_index",
    "step",
    "row_index",
    "timestep",
    "time_step",
    "seq",
    "order",
    "index",
];

/// A column as the file describes it.
#[derive(Debug, Clone)]
pub(super) struct TableColumn {
    pub(super) name: String,
    pub(super) what: ColumnType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnType {
    /// Numbers that may be joint values.
    Number,
    /// Whole numbers: a joint only if they have the name of one.
    Whole,
    /// Instants, so many of them in a second.
    Instant(i64),
    /// Text.
    Text,
    /// Lists of numbers.
    List,
    /// Numbers with a fraction that are not read: decimals, half precision, within something else.
    Unread,
    /// Something else.
    Other,
}

/// A column, or an entry of the list, that is a joint.
#[derive(Debug, Clone)]
pub(super) struct JointColumn {
    /// Place of the column in the table.
    pub(super) at: usize,
    /// The program's column.
    pub(super) column: Column,
    /// The SI value is the written one times the first divided by the second.
    pub(super) scale: (f64, f64),
}

/// The meaning of a table's columns.
#[derive(Debug, Clone)]
pub(super) struct Meaning {
    pub(super) id: usize,
    pub(super) time: Option<TimeColumn>,
    pub(super) joints: Vec<JointColumn>,
    /// Of a list: for every entry its place among the joints, or none.
    pub(super) entries: Option<Vec<Option<usize>>>,
    pub(super) passed_over: Vec<String>,
    /// The name of the column that numbers the rows of a program without times.
    pub(super) order: Option<Arc<str>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct TimeColumn {
    pub(super) at: usize,
    pub(super) scale: (f64, f64),
    /// Whether its name or its type says the unit.
    pub(super) states_unit: bool,
    /// Whether it has no times: it numbers the rows of a program that has none.
    pub(super) is_order: bool,
}

/// The first or the last row of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableEnd {
    First,
    Last,
}

/// Which column tells the programs apart; `None`: none does.
pub(super) fn id_column(
    file: &Path,
    found: &[TableColumn],
    layout: &Layout,
) -> Result<Option<usize>, ImportError> {
    if let Some(name) = &layout.id {
        return stated(file, found, name, "--id-column").map(Some);
    }
    let known: Vec<usize> = (0..found.len())
        .filter(|&at| ID_NAMES.contains(&found[at].name.as_str()))
        .collect();
    match known[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        [first, second, ..] => Err(syntax(
            file,
            format!(
                "both `{}` and `{}` may tell the programs apart",
                found[first].name, found[second].name
            ),
            "say which one does by --id-column".to_owned(),
        )),
    }
}

/// The same where one is needed.
pub(super) fn needed_id(
    file: &Path,
    found: &[TableColumn],
    layout: &Layout,
) -> Result<usize, ImportError> {
    id_column(file, found, layout)?.ok_or_else(|| {
        syntax(
            file,
            "no column tells its programs apart".to_owned(),
            format!(
                "call it {}, or name it by --id-column; the columns are {}{}",
                ID_NAMES.join(", "),
                list(found.iter().map(|f| f.name.as_str())),
                if layout.id.is_some() {
                    ""
                } else {
                    "; --time-column, --list-column and --joint-columns are about tables of many programs"
                }
            ),
        )
    })
}

/// What to do about columns of numbers that are not read, if there are any.
fn not_read(found: &[TableColumn]) -> String {
    let unread = |f: &&TableColumn| f.what == ColumnType::Unread;
    let names = found.iter().filter(unread).map(|f| f.name.as_str());
    match list(names) {
        none if none.is_empty() => none,
        names => format!(
            "; decimals, half precision and what stands within a group are not read, which are {names}: write them as float64 (DOUBLE)"
        ),
    }
}

fn stated(
    file: &Path,
    found: &[TableColumn],
    name: &str,
    option: &str,
) -> Result<usize, ImportError> {
    let mut same = (0..found.len()).filter(|&at| found[at].name == name);
    match (same.next(), same.next()) {
        (Some(at), None) => Ok(at),
        (None, _) => Err(syntax(
            file,
            format!("there is no column `{name}`, which {option} names"),
            format!(
                "the columns are {}{}",
                list(found.iter().map(|f| f.name.as_str())),
                not_read(found)
            ),
        )),
        _ => Err(syntax(
            file,
            format!("there are two columns `{name}`"),
            "give each column a name of its own".to_owned(),
        )),
    }
}

/// Names in a sentence; of very many the first ones.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 40;
    let names: Vec<&str> = names.collect();
    let mut text = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    text
}

/// The names of the entries in a column of lists, from a file beside the table, if that file states
/// them.
type ListNames<'n> = &'n dyn Fn(&str) -> Result<Option<Vec<String>>, ImportError>;

/// Makes out what every column is. `list_names` knows the joints of a list's entries where the user
/// does not say them.
pub(super) fn meaning(
    file: &Path,
    found: &[TableColumn],
    layout: &Layout,
    cell: &Cell,
    list_names: ListNames,
) -> Result<Meaning, ImportError> {
    let choice = ColumnChoice {
        file,
        found,
        layout,
        known: KnownJoints::of(cell),
    };
    let id = needed_id(file, found, layout)?;
    let time = choice.time(id)?;
    let mut rest: Vec<usize> = (0..found.len())
        .filter(|&at| at != id && time.is_none_or(|t| t.at != at))
        .collect();
    let list = choice.list_column(&rest)?;
    let (joints, entries) = match list {
        Some(at) => {
            let names = match &layout.joints {
                Some(names) => {
                    // What the file beside the table says is asked only whether it agrees.
                    let theirs = list_names(&found[at].name).ok().flatten();
                    if let Some(own) = theirs.and_then(|theirs| other_place(names, &theirs)) {
                        return Err(syntax(
                            file,
                            format!(
                                "--joint-columns has `{own}` at another place than the file that names the entries of `{}`",
                                found[at].name
                            ),
                            "put the names into the order of that file, or leave the option out"
                                .to_owned(),
                        ));
                    }
                    Some(names.clone())
                }
                None => list_names(&found[at].name)?,
            };
            let (joints, entries) = choice.of_list(at, names, &rest)?;
            (joints, Some(entries))
        }
        None => (choice.of_columns(&rest)?, None),
    };
    rest.retain(|at| joints.iter().all(|j| j.at != *at) && list != Some(*at));
    let mut passed_over: Vec<String> = rest.iter().map(|&at| found[at].name.clone()).collect();
    if let (Some(at), Some(entries)) = (list, &entries) {
        let left = (entries.iter().enumerate()).filter(|(_, joint)| joint.is_none());
        passed_over.extend(left.map(|(n, _)| format!("{}[{n}]", found[at].name)));
    }
    let order = time.filter(|time| time.is_order);
    Ok(Meaning {
        order: order.map(|order| found[order.at].name.as_str().into()),
        id,
        time,
        joints,
        entries,
        passed_over,
    })
}

/// A name that stands at another place in `theirs`.
fn other_place<'n>(names: &'n [String], theirs: &[String]) -> Option<&'n str> {
    let bare = |name: &'n String| name.split('[').next().unwrap_or_default().trim();
    let own = |name: &String| name.split('[').next().unwrap_or_default().trim().to_owned();
    let theirs: Vec<String> = theirs.iter().map(own).collect();
    let moved = |(at, name): &(usize, &str)| {
        theirs.iter().any(|n| n == name) && theirs.get(*at).is_none_or(|n| n != name)
    };
    (names.iter().map(bare).enumerate())
        .find(moved)
        .map(|(_, name)| name)
}

/// The joints among columns that all have numbers, and the names of the rest.
pub(super) fn joints_of(
    file: &Path,
    found: &[TableColumn],
    layout: &Layout,
    cell: &Cell,
) -> Result<(Vec<JointColumn>, Vec<String>), ImportError> {
    let choice = ColumnChoice {
        file,
        found,
        layout,
        known: KnownJoints::of(cell),
    };
    let all: Vec<usize> = (0..found.len()).collect();
    let joints = choice.of_columns(&all)?;
    let rest = (all.iter()).filter(|at| joints.iter().all(|j| j.at != **at));
    let passed_over = rest.map(|&at| found[at].name.clone()).collect();
    Ok((joints, passed_over))
}
