//! Which columns of a table are times and joints, by what the user says, by the cell, or by what
//! their names say.

use std::path::Path;

use clearance_proof::model::{Cell, Column, JointId, JointNames, Quantity};

use super::super::super::column_head::{Head, UnitKind, head};
use super::super::{Layout, syntax};
use super::{
    ColumnType, JointColumn, ORDER_NAMES, TIME_NAMES, TIME_UNITS, TIME_WORDS, TableColumn,
    TimeColumn, list, stated,
};
use crate::{ImportError, Problem};

/// The joints of a cell by name.
pub(super) struct KnownJoints<'c> {
    pub(super) names: JointNames,
    pub(super) cell: &'c Cell,
}

impl<'c> KnownJoints<'c> {
    pub(super) fn of(cell: &'c Cell) -> Self {
        Self {
            names: JointNames::new(cell),
            cell,
        }
    }

    /// Whether a program may use the name: also that of a fixed joint, about which it gets an
    /// answer of its own.
    fn has(&self, name: &str) -> bool {
        !self.names.get(name).is_empty() || self.cell.is_fixed(name)
    }

    /// Joints that a program may drive and that no column names for sure: a bare name that several
    /// robots have is that of one of them.
    fn missing(&self, joints: &[JointColumn]) -> Vec<JointId> {
        let named: Vec<JointId> = (joints.iter())
            .filter_map(|j| match self.names.get(&j.column.joint) {
                [one] => Some(*one),
                _ => None,
            })
            .collect();
        (0..self.cell.joints.len())
            .filter(|j| self.cell.joints[*j].mimic.is_none() && !named.contains(j))
            .collect()
    }

    /// The names of joints, in a sentence.
    fn labels(&self, joints: &[JointId]) -> String {
        let labels = joints.iter();
        let labels: Vec<String> = labels
            .map(|&j| format!("`{}`", self.cell.joint_label(j)))
            .collect();
        labels.join(", ")
    }
}

pub(super) struct ColumnChoice<'c> {
    pub(super) file: &'c Path,
    pub(super) found: &'c [TableColumn],
    pub(super) layout: &'c Layout,
    pub(super) known: KnownJoints<'c>,
}

impl ColumnChoice<'_> {
    fn bad(&self, problem: Problem) -> ImportError {
        ImportError::file(self.file, problem)
    }

    pub(super) fn time(&self, id: usize) -> Result<Option<TimeColumn>, ImportError> {
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
                    [] => return self.order(id),
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
        let (scale, states_unit) = match what {
            ColumnType::Number | ColumnType::Whole => {
                // Whatever it is called, its unit is one of time.
                let unit = name.find('[').map_or("", |from| &name[from..]);
                let head = head(&format!("time{unit}")).map_err(|problem| self.bad(problem))?;
                (head.scale, head.states_unit)
            }
            ColumnType::Instant(per_second) => ((1.0, *per_second as f64), true),
            _ => {
                return Err(syntax(
                    self.file,
                    format!("column `{name}`, the time, has no numbers"),
                    "give seconds as numbers, or timestamps".to_owned(),
                ));
            }
        };
        Ok(Some(TimeColumn {
            at,
            scale,
            states_unit,
            is_order: false,
        }))
    }

    /// The column that numbers the rows of a program without times, if one does.
    ///
    /// # Errors
    /// When a column looks like one of times: then the rows would be taken as they stand.
    fn order(&self, id: usize) -> Result<Option<TimeColumn>, ImportError> {
        let is_number = |at: &usize| {
            let TableColumn { name, what } = &self.found[*at];
            let numbers = matches!(
                what,
                ColumnType::Number | ColumnType::Whole | ColumnType::Instant(_)
            );
            *at != id && numbers && !head(name).is_ok_and(|head| self.known.has(&head.name))
        };
        let numbers: Vec<usize> = (0..self.found.len()).filter(is_number).collect();
        let is_time = |at: &&usize| {
            let TableColumn { name, what } = &self.found[**at];
            let name = name.to_lowercase();
            let bare = name.split('[').next().unwrap_or_default().trim();
            let unit = bare.rsplit_once('_');
            matches!(what, ColumnType::Instant(_))
                || TIME_WORDS.contains(&bare)
                || unit.is_some_and(|(word, unit)| {
                    TIME_WORDS.contains(&word) && TIME_UNITS.contains(&unit)
                })
        };
        if let Some(&at) = numbers.iter().find(is_time) {
            let name = &self.found[at].name;
            return Err(syntax(
                self.file,
                format!("no column is called `time`, and `{name}` may be the times"),
                format!("say so by `--time-column '{name}'`, or leave the column out"),
            ));
        }
        let is_called = |name: &&str| {
            let same = |at: &&usize| self.found[**at].name.eq_ignore_ascii_case(name);
            numbers.iter().find(same).copied()
        };
        Ok(ORDER_NAMES.iter().find_map(is_called).map(|at| TimeColumn {
            at,
            scale: (1.0, 1.0),
            states_unit: false,
            is_order: true,
        }))
    }

    /// The column of lists that holds the joints, if one does.
    pub(super) fn list_column(&self, rest: &[usize]) -> Result<Option<usize>, ImportError> {
        if let Some(name) = &self.layout.list {
            let at = stated(self.file, self.found, name, "--list-column")?;
            return if self.found[at].what == ColumnType::List && rest.contains(&at) {
                Ok(Some(at))
            } else {
                Err(syntax(
                    self.file,
                    format!("column `{name}` has no lists of numbers"),
                    "name one that has, or leave out --list-column".to_owned(),
                ))
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

    /// Refuses a column that has the name of a joint, and no numbers that are read: the joint would
    /// stand still.
    fn unread(&self, rest: &[usize]) -> Result<(), ImportError> {
        let is_unread = |at: &&usize| {
            let TableColumn { name, what } = &self.found[**at];
            let read = [ColumnType::Number, ColumnType::Whole, ColumnType::List];
            !read.contains(what) && head(name).is_ok_and(|head| self.known.has(&head.name))
        };
        match rest.iter().find(is_unread) {
            None => Ok(()),
            Some(&at) => {
                let name = &self.found[at].name;
                let cause = format!(
                    "column `{name}` has the name of a joint, and no numbers that are read"
                );
                Err(syntax(
                    self.file,
                    cause,
                    "write it as float64 (DOUBLE)".to_owned(),
                ))
            }
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
    pub(super) fn of_columns(&self, rest: &[usize]) -> Result<Vec<JointColumn>, ImportError> {
        if let Some(names) = &self.layout.joints {
            return self.of_named_columns(names);
        }
        self.unread(rest)?;
        let mut joints = Vec::new();
        for &at in rest {
            match self.joint(at) {
                Some(head) if self.known.has(&head.name) => joints.push(joint_column(at, head)),
                None if self.found[at].what == ColumnType::Number => {
                    // Velocities would change the motion.
                    if let Err(problem @ Problem::Unsupported { .. }) = head(&self.found[at].name) {
                        return Err(self.bad(problem));
                    }
                }
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
                    self.known.labels(&self.known.missing(&[]))
                ),
            ));
        }
        twice(self.file, &joints)?;
        self.no_stranger(rest, &joints)?;
        Ok(joints)
    }

    /// Refuses a column that may be a joint and has no name of one, while some joint has no column:
    /// a slip in a name must not make a joint stand still unnoticed.
    fn no_stranger(&self, rest: &[usize], joints: &[JointColumn]) -> Result<(), ImportError> {
        let missing = self.known.missing(joints);
        let is_stranger =
            |at: &&usize| joints.iter().all(|j| j.at != **at) && self.may_be_one_of(**at, &missing);
        match rest.iter().find(is_stranger) {
            Some(&stranger) if !missing.is_empty() => Err(self.bad(Problem::UnknownName {
                what: "joint in a column's name:",
                name: self.found[stranger].name.clone(),
                remedy: format!(
                    "these joints have no column: {}; correct the name, or say by --joint-columns which columns are joints",
                    self.known.labels(&missing)
                ),
            })),
            _ => Ok(()),
        }
    }

    /// Whether a column may hold the values of one of these joints, under another name: all numbers
    /// with a fraction; others by a unit of joints, or by the joint's name among other words.
    fn may_be_one_of(&self, at: usize, joints: &[JointId]) -> bool {
        let TableColumn { name, what } = &self.found[at];
        match what {
            ColumnType::Number | ColumnType::List | ColumnType::Unread => true,
            ColumnType::Instant(_) => false,
            ColumnType::Whole | ColumnType::Text | ColumnType::Other => {
                let has_unit = head(name)
                    .is_ok_and(|h| matches!(h.quantity, UnitKind::Angle | UnitKind::Length));
                let of_column = words(name);
                let is_named = |&joint: &JointId| {
                    let of_joint = words(&self.known.cell.joints[joint].name);
                    !of_joint.is_empty()
                        && of_column
                            .windows(of_joint.len())
                            .any(|part| part == of_joint)
                };
                has_unit || joints.iter().any(is_named)
            }
        }
    }

    /// Joints by the columns that the user names.
    fn of_named_columns(&self, names: &[String]) -> Result<Vec<JointColumn>, ImportError> {
        let mut joints = Vec::new();
        for name in names {
            let stated_head = head(name).map_err(|problem| self.bad(problem))?;
            // `joint[deg]` is the column of that name, or the column `joint` with a unit that the
            // user knows.
            let at = if self.found.iter().any(|f| f.name == *name) {
                stated(self.file, self.found, name, "--joint-columns")?
            } else {
                stated(self.file, self.found, &stated_head.name, "--joint-columns")?
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
    pub(super) fn of_list(
        &self,
        at: usize,
        names: Option<Vec<String>>,
        rest: &[usize],
    ) -> Result<(Vec<JointColumn>, Vec<Option<usize>>), ImportError> {
        self.unread(rest)?;
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
        // Who names the joints has seen all columns; who names the list, the other lists.
        if self.layout.joints.is_none() {
            let is_list = |other: usize| self.found[other].what == ColumnType::List;
            let seen = |other: usize| other == at || self.layout.list.is_some() && is_list(other);
            let others: Vec<usize> = rest.iter().copied().filter(|&c| !seen(c)).collect();
            self.no_stranger(&others, &joints)?;
        }
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
                self.known.labels(&self.known.missing(&[]))
            ),
        }))
    }
}

/// The words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

pub(super) fn joint_column(at: usize, head: Head) -> JointColumn {
    JointColumn {
        at,
        column: Column {
            joint: head.name.into(),
            line: Some(1),
            quantity: match head.quantity {
                UnitKind::Angle => Quantity::Angle,
                UnitKind::Length => Quantity::Length,
                UnitKind::Unstated | UnitKind::Time => Quantity::Unstated,
            },
        },
        scale: head.scale,
    }
}

pub(super) fn twice(file: &Path, joints: &[JointColumn]) -> Result<(), ImportError> {
    let mut names: Vec<&str> = joints.iter().map(|j| &*j.column.joint).collect();
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
