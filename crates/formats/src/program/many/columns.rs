//! What the columns of a table of many programs mean.

use std::path::Path;

use clearance_proof::model::{Cell, Column, JointNames, Program, Quantity, Waypoint};

use super::super::csv::{Head, UnitKind, head};
use super::{Layout, MOST_NUMBERS, Member, named, syntax, too_long};
use crate::{ImportError, Problem};

/// Names of the column that tells the programs apart, where none is stated.
pub(in crate::program) const ID_NAMES: [&str; 3] = ["program", "program_id", "episode_index"];
/// Names of the column of times, likewise; with or without a unit.
const TIME_NAMES: [&str; 2] = ["time", "timestamp"];

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

/// What a table's columns mean.
#[derive(Debug, Clone)]
pub(super) struct Meaning {
    pub(super) id: usize,
    pub(super) time: Option<TimeColumn>,
    pub(super) joints: Vec<JointColumn>,
    /// Of a list: for every entry its place among the joints, or none.
    pub(super) entries: Option<Vec<Option<usize>>>,
    pub(super) passed_over: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct TimeColumn {
    pub(super) at: usize,
    pub(super) scale: (f64, f64),
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
                "call it {}, or name it by --id-column; the columns are {}",
                ID_NAMES.join(", "),
                list(found.iter().map(|f| f.name.as_str()))
            ),
        )
    })
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
                "the columns are {}",
                list(found.iter().map(|f| f.name.as_str()))
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

/// What a file beside the table says of a column of lists: the names of its entries, if it says them.
type ListNames<'n> = &'n dyn Fn(&str) -> Result<Option<Vec<String>>, ImportError>;

/// Makes out what every column is. `list_names` knows the joints of a list's entries where the user does not say them.
pub(super) fn meaning(
    file: &Path,
    found: &[TableColumn],
    layout: &Layout,
    cell: &Cell,
    list_names: ListNames,
) -> Result<Meaning, ImportError> {
    let choice = Choice {
        file,
        found,
        layout,
        known: Known::of(cell),
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
                Some(names) => Some(names.clone()),
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
    Ok(Meaning {
        id,
        time,
        joints,
        entries,
        passed_over,
    })
}

/// The joints among columns that all have numbers, and the names of the rest.
pub(super) fn joints_of(
    file: &Path,
    found: &[TableColumn],
    layout: &Layout,
    cell: &Cell,
) -> Result<(Vec<JointColumn>, Vec<String>), ImportError> {
    let choice = Choice {
        file,
        found,
        layout,
        known: Known::of(cell),
    };
    let all: Vec<usize> = (0..found.len()).collect();
    let joints = choice.of_columns(&all)?;
    let rest = (all.iter()).filter(|at| joints.iter().all(|j| j.at != **at));
    let passed_over = rest.map(|&at| found[at].name.clone()).collect();
    Ok((joints, passed_over))
}

/// The joints of a cell by name.
struct Known<'c> {
    names: JointNames,
    cell: &'c Cell,
}

impl<'c> Known<'c> {
    fn of(cell: &'c Cell) -> Self {
        Self {
            names: JointNames::new(cell),
            cell,
        }
    }

    /// Whether a program may use the name: also that of a fixed joint, about which it gets an answer of its own.
    fn has(&self, name: &str) -> bool {
        !self.names.get(name).is_empty() || self.cell.is_fixed(name)
    }

    /// Joints that a program may drive and that no column names.
    fn missing(&self, joints: &[JointColumn]) -> Vec<String> {
        let named: Vec<usize> = (joints.iter())
            .flat_map(|j| self.names.get(&j.column.joint).to_vec())
            .collect();
        (0..self.cell.joints.len())
            .filter(|j| self.cell.joints[*j].mimic.is_none() && !named.contains(j))
            .map(|j| format!("`{}`", self.cell.joint_label(j)))
            .collect()
    }
}

struct Choice<'c> {
    file: &'c Path,
    found: &'c [TableColumn],
    layout: &'c Layout,
    known: Known<'c>,
}

impl Choice<'_> {
    fn bad(&self, problem: Problem) -> ImportError {
        ImportError::file(self.file, problem)
    }

    fn time(&self, id: usize) -> Result<Option<TimeColumn>, ImportError> {
        let at = match &self.layout.time {
            Some(name) => stated(self.file, self.found, name, "--time-column")?,
            None => {
                let named = |at: &usize| {
                    let bare = self.found[*at].name.split('[').next().unwrap_or_default();
                    *at != id
                        && TIME_NAMES
                            .iter()
                            .any(|n| bare.trim().eq_ignore_ascii_case(n))
                };
                let known: Vec<usize> = (0..self.found.len()).filter(named).collect();
                match known[..] {
                    [] => return Ok(None),
                    [one] => one,
                    [first, second, ..] => {
                        return Err(syntax(
                            self.file,
                            format!(
                                "both `{}` and `{}` may be the time",
                                self.found[first].name, self.found[second].name
                            ),
                            "say which one is by --time-column".to_owned(),
                        ));
                    }
                }
            }
        };
        let TableColumn { name, what } = &self.found[at];
        let scale = match what {
            ColumnType::Number | ColumnType::Whole => {
                // Whatever it is called, its unit is one of time.
                let unit = name.find('[').map_or("", |from| &name[from..]);
                head(&format!("time{unit}"))
                    .map_err(|problem| self.bad(problem))?
                    .scale
            }
            ColumnType::Instant(per_second) => (1.0, *per_second as f64),
            _ => {
                return Err(syntax(
                    self.file,
                    format!("column `{name}`, the time, has no numbers"),
                    "give seconds as numbers, or timestamps".to_owned(),
                ));
            }
        };
        Ok(Some(TimeColumn { at, scale }))
    }

    /// The column of lists that holds the joints, if one does.
    fn list_column(&self, rest: &[usize]) -> Result<Option<usize>, ImportError> {
        if let Some(name) = &self.layout.list {
            let at = stated(self.file, self.found, name, "--list-column")?;
            return match self.found[at].what == ColumnType::List && rest.contains(&at) {
                true => Ok(Some(at)),
                false => Err(syntax(
                    self.file,
                    format!("column `{name}` has no lists of numbers"),
                    "name one that has, or leave out --list-column".to_owned(),
                )),
            };
        }
        let is_list = |at: &&usize| self.found[**at].what == ColumnType::List;
        let lists: Vec<usize> = rest.iter().filter(is_list).copied().collect();
        let joint = |at: &usize| self.joint(*at).is_some_and(|h| self.known.has(&h.name));
        match lists[..] {
            _ if rest.iter().any(joint) => Ok(None),
            [] => Ok(None),
            [one] => Ok(Some(one)),
            _ => Err(syntax(
                self.file,
                format!(
                    "several columns may hold the joints: {}",
                    list(lists.iter().map(|&at| self.found[at].name.as_str()))
                ),
                "say by --list-column which one is to be verified".to_owned(),
            )),
        }
    }

    /// A column's name as that of a joint.
    fn joint(&self, at: usize) -> Option<Head> {
        let TableColumn { name, what } = &self.found[at];
        match what {
            ColumnType::Number | ColumnType::Whole => head(name).ok(),
            _ => None,
        }
    }

    /// Joints that have a column each.
    fn of_columns(&self, rest: &[usize]) -> Result<Vec<JointColumn>, ImportError> {
        if let Some(names) = &self.layout.joints {
            return self.of_named_columns(names);
        }
        let mut joints = Vec::new();
        let mut strangers = Vec::new();
        for &at in rest {
            match self.joint(at) {
                Some(head) if self.known.has(&head.name) => joints.push(joint_column(at, head)),
                None if self.found[at].what == ColumnType::Number => {
                    // Velocities would change the motion.
                    if let Err(problem @ Problem::Unsupported { .. }) = head(&self.found[at].name) {
                        return Err(self.bad(problem));
                    }
                    strangers.push(at);
                }
                _ if self.found[at].what == ColumnType::Number => strangers.push(at),
                _ => {}
            }
        }
        if joints.is_empty() {
            return Err(syntax(
                self.file,
                "no column has the name of a joint".to_owned(),
                format!(
                    "the columns are {}; the joints are {}",
                    list(self.found.iter().map(|f| f.name.as_str())),
                    self.known.missing(&[]).join(", ")
                ),
            ));
        }
        twice(self.file, &joints)?;
        // A slip in a name must not make a joint stand still unnoticed.
        let missing = self.known.missing(&joints);
        if let (Some(&stranger), false) = (strangers.first(), missing.is_empty()) {
            return Err(self.bad(Problem::UnknownName {
                what: "joint in a column's name:",
                name: self.found[stranger].name.clone(),
                remedy: format!(
                    "these joints have no column: {}; correct the name, or say by --joint-columns which columns are joints",
                    missing.join(", ")
                ),
            }));
        }
        Ok(joints)
    }

    /// Joints by the columns that the user names.
    fn of_named_columns(&self, names: &[String]) -> Result<Vec<JointColumn>, ImportError> {
        let mut joints = Vec::new();
        for name in names {
            let stated_head = head(name).map_err(|problem| self.bad(problem))?;
            // `joint[deg]` is the column of that name, or the column `joint` with a unit that the user knows.
            let at = match self.found.iter().any(|f| f.name == *name) {
                true => stated(self.file, self.found, name, "--joint-columns")?,
                false => stated(self.file, self.found, &stated_head.name, "--joint-columns")?,
            };
            if self.joint(at).is_none() {
                return Err(syntax(
                    self.file,
                    format!("column `{name}` has no numbers"),
                    "name columns of numbers by --joint-columns".to_owned(),
                ));
            }
            self.is_known(&stated_head.name)?;
            joints.push(joint_column(at, stated_head));
        }
        twice(self.file, &joints)?;
        Ok(joints)
    }

    /// Joints that are entries of a list.
    fn of_list(
        &self,
        at: usize,
        names: Option<Vec<String>>,
        rest: &[usize],
    ) -> Result<(Vec<JointColumn>, Vec<Option<usize>>), ImportError> {
        let own = |at: &&usize| self.joint(**at).is_some_and(|h| self.known.has(&h.name));
        if let Some(&other) = rest.iter().find(own) {
            return Err(syntax(
                self.file,
                format!(
                    "joint values stand in `{}` and in `{}`",
                    self.found[at].name, self.found[other].name
                ),
                "keep one of them, or leave out --list-column".to_owned(),
            ));
        }
        let Some(names) = names else {
            return Err(syntax(
                self.file,
                format!("nothing says which joints the entries of `{}` are", self.found[at].name),
                "name them in their order by --joint-columns, with units: `a[deg],b[deg],-` (`-`: no joint)".to_owned(),
            ));
        };
        let mut joints = Vec::new();
        let mut entries = Vec::with_capacity(names.len());
        for name in &names {
            if name == "-" {
                entries.push(None);
                continue;
            }
            let head = head(name).map_err(|problem| self.bad(problem))?;
            self.is_known(&head.name)?;
            entries.push(Some(joints.len()));
            joints.push(joint_column(at, head));
        }
        if joints.is_empty() {
            return Err(syntax(
                self.file,
                format!("no entry of `{}` is a joint", self.found[at].name),
                "name at least one by --joint-columns".to_owned(),
            ));
        }
        twice(self.file, &joints)?;
        Ok((joints, entries))
    }

    fn is_known(&self, name: &str) -> Result<(), ImportError> {
        if self.known.has(name) {
            return Ok(());
        }
        Err(self.bad(Problem::UnknownName {
            what: "joint",
            name: name.to_owned(),
            remedy: format!(
                "the joints are {}; say by --joint-columns which entries or columns are which joints",
                self.known.missing(&[]).join(", ")
            ),
        }))
    }
}

fn joint_column(at: usize, head: Head) -> JointColumn {
    JointColumn {
        at,
        column: Column {
            joint: head.name,
            line: 1,
            quantity: match head.quantity {
                UnitKind::Angle => Quantity::Angle,
                UnitKind::Length => Quantity::Length,
                UnitKind::Unstated | UnitKind::Time => Quantity::Unstated,
            },
        },
        scale: head.scale,
    }
}

fn twice(file: &Path, joints: &[JointColumn]) -> Result<(), ImportError> {
    let mut names: Vec<&str> = joints.iter().map(|j| j.column.joint.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(syntax(
            file,
            format!("joint `{}` has two columns", pair[0]),
            "keep one of them".to_owned(),
        )),
        None => Ok(()),
    }
}

/// A program that grows row by row.
#[derive(Debug)]
pub(super) struct ProgramBuilder {
    pub(super) id: String,
    /// The id as a number, where it is one.
    pub(super) number: Option<i64>,
    name: std::path::PathBuf,
    columns: Vec<Column>,
    timed: bool,
    waypoints: Vec<Waypoint>,
    /// Why it is none.
    wrong: Option<ImportError>,
}

impl ProgramBuilder {
    pub(super) fn new(file: &Path, id: String, meaning: &Meaning, row: usize) -> Self {
        Self {
            timed: meaning.time.is_some(),
            ..Self::of_columns(file, id, &meaning.joints, row)
        }
    }

    /// The same with times, for joints that stand in no table.
    pub(super) fn of_columns(file: &Path, id: String, joints: &[JointColumn], row: usize) -> Self {
        let mut columns: Vec<Column> = joints.iter().map(|j| j.column.clone()).collect();
        // A table of bytes has no line with names; what is said of a column points at the program's first row.
        columns.iter_mut().for_each(|c| c.line = row);
        Self {
            name: named(file, &id),
            id,
            number: None,
            columns,
            timed: true,
            waypoints: Vec::new(),
            wrong: None,
        }
    }

    /// Whether its rows are still of use.
    pub(super) fn is_sound(&self) -> bool {
        self.wrong.is_none()
    }

    /// One more waypoint: `time` and `positions` in SI units, or what is wrong with one of them, in which column.
    pub(super) fn add(&mut self, row: usize, time: Option<f64>, positions: Vec<f64>) {
        if !self.is_sound() {
            return;
        }
        if (self.waypoints.len() + 1) * (self.columns.len() + 1) > MOST_NUMBERS {
            self.wrong = Some(too_long(&self.name, row));
            return;
        }
        let time = time.unwrap_or(self.waypoints.len() as f64);
        if let Some(before) = self.waypoints.last()
            && time <= before.time
        {
            let value = format!("{time} s, after {} s in row {}", before.time, before.line);
            self.refuse(row, "time", value, "times must increase from row to row");
            return;
        }
        self.waypoints.push(Waypoint {
            time,
            positions,
            velocities: None,
            accelerations: None,
            line: row,
        });
    }

    /// Says that a value of it cannot be meant; the first one counts.
    pub(super) fn refuse(&mut self, row: usize, column: &str, value: String, remedy: &str) {
        let problem = Problem::BadValue {
            what: format!("`{column}`"),
            value,
            remedy: remedy.to_owned(),
        };
        self.refuse_for(row, problem);
    }

    /// The same for any reason.
    pub(super) fn refuse_for(&mut self, row: usize, problem: Problem) {
        if self.wrong.is_none() {
            self.wrong = Some(ImportError::at(&self.name, row, None, problem));
            self.waypoints = Vec::new();
        }
    }

    pub(super) fn finish(self) -> Member {
        let program = match self.wrong {
            Some(error) => Err(error),
            None => Ok(Program {
                source: self.name.clone(),
                columns: self.columns,
                waypoints: self.waypoints,
                timed: self.timed,
                start: None,
            }),
        };
        Member {
            name: self.name,
            program,
        }
    }
}
