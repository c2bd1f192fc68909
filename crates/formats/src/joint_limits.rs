//! Joint limits beside the URDF: MoveIt's `joint_limits.yaml`.
//!
//! URDF and file hold together: the tighter limit of both counts.

mod angles;

use std::collections::HashMap;
use std::path::Path;

use clearance_proof::model::{Cell, JointId, JointKind, Limits};
use clearance_proof::report::Code;

use angles::AngleTags;

use super::files::{MOST_TEXT, read_bytes, utf8};
use super::loaded::LoadedCell;
use super::names::{nearest, qualified, suggestion};
use super::program::node::{NodeKind, ProgramNode, documents};
use super::{ImportError, Location, Problem};
use crate::notes::note_at;

/// Sections that may stand around `joint_limits`.
const AROUND: [&str; 2] = ["/**", "robot_description_planning"];
/// Around this ROS 2 has names of nodes and of their groups, whatever they are.
const OF_NODE: &str = "ros__parameters";
/// The keys of a joint that are not read: none of them limits a taught motion that is followed.
const PASSED_OVER: [&str; 12] = [
    "has_jerk_limits",
    "max_jerk",
    "has_effort_limits",
    "max_effort",
    "has_soft_limits",
    "k_position",
    "k_velocity",
    "soft_lower_limit",
    "soft_upper_limit",
    "angle_wraparound",
    "has_deceleration_limits",
    "max_deceleration",
];
const READ: [&str; 7] = [
    "has_position_limits",
    "min_position",
    "max_position",
    "has_velocity_limits",
    "max_velocity",
    "has_acceleration_limits",
    "max_acceleration",
];
/// What says whether limits count, and these limits.
const SWITCHES: [(&str, &[&str]); 3] = [
    ("has_position_limits", &["min_position", "max_position"]),
    ("has_velocity_limits", &["max_velocity"]),
    ("has_acceleration_limits", &["max_acceleration"]),
];

/// Reads the limits of a robot that is in the cell already, and tightens those of its joints.
///
/// # Errors
/// When the file cannot be read, or has a value that makes no sense.
pub(crate) fn read(file: &Path, loaded: &mut LoadedCell, robot: usize) -> Result<(), ImportError> {
    loaded.files.push(file.to_owned());
    parse(file, &read_bytes(file, MOST_TEXT)?, &mut loaded.cell, robot)
}

/// The same with the bytes of the file (the robot is its index in [`Cell::robots`]). `file` stands
/// in errors.
///
/// # Errors
/// When the bytes are not such a file, or have a value that makes no sense.
pub fn parse(file: &Path, bytes: &[u8], cell: &mut Cell, robot: usize) -> Result<(), ImportError> {
    from_yaml(file, utf8(file, bytes)?, cell, robot)
}

fn from_yaml(file: &Path, text: &str, cell: &mut Cell, robot: usize) -> Result<(), ImportError> {
    let (text, mut angles) = angles::without_tags(text);
    let mut documents = documents(&text).map_err(|e| ImportError {
        place: super::Location {
            line: e.line,
            column: e.column,
            ..super::Location::file(file)
        },
        problem: Problem::Syntax {
            cause: e.cause,
            remedy: "correct the YAML".into(),
        },
    })?;
    angles.apply(&mut documents).map_err(|wrong| {
        let (cause, remedy) = (wrong.cause.to_owned(), wrong.remedy.to_owned());
        ImportError::at(file, wrong.line, None, Problem::Syntax { cause, remedy })
    })?;
    let mut filled = (documents.iter()).filter(|d| !matches!(d.kind, NodeKind::Null));
    if let Some(second) = filled.nth(1) {
        let cause = "a second document begins here".to_owned();
        let remedy = "keep one".to_owned();
        let problem = Problem::Syntax { cause, remedy };
        return Err(ImportError::at(
            file,
            second.line.or(Some(1)),
            None,
            problem,
        ));
    }
    let mut all = Vec::new();
    for document in &documents {
        sections(document, &mut Vec::new(), &mut all);
    }
    let Some(first) = all.first() else {
        let cause = "it has no `joint_limits`".to_owned();
        let remedy = "start it with `joint_limits:`, and the joints below".to_owned();
        return Err(ImportError::file(file, Problem::Syntax { cause, remedy }));
    };
    if let [_, second, ..] = &all[..] {
        let cause = "a second `joint_limits` begins here".to_owned();
        let remedy = "keep one, with the limits of both".to_owned();
        let problem = Problem::Syntax { cause, remedy };
        return Err(ImportError::at(
            file,
            second.key.line.or(Some(1)),
            None,
            problem,
        ));
    }
    if let Some(other) = first.other_around {
        let cause = format!("`joint_limits` stands below `{other}`, which is not looked into");
        let remedy = format!(
            "move it to the top of the file, or write `{OF_NODE}:` around it below the name of a node"
        );
        let problem = Problem::Syntax { cause, remedy };
        let line = first.key.line.or(Some(1));
        return Err(ImportError::at(file, line, None, problem));
    }
    let section = first.value;
    let NodeKind::Map(entries) = &section.kind else {
        return Err(wrong(file, section, "`joint_limits`", "a group of joints"));
    };
    let joints = cell.joints.iter().enumerate();
    let by_name = joints
        .filter(|(_, joint)| joint.robot == robot)
        .map(|(id, joint)| (joint.name.clone(), id))
        .collect();
    let mut reader = Reader {
        file,
        by_name,
        cell,
        robot,
        angles,
        wider: Vec::new(),
    };
    for (key, value) in entries {
        reader.joint(key, value)?;
    }
    reader.finish();
    Ok(())
}

/// A `joint_limits` of a document.
struct LimitSection<'n> {
    key: &'n ProgramNode,
    value: &'n ProgramNode,
    /// A key around it that nobody who reads limits looks into.
    other_around: Option<&'n str>,
}

/// Every `joint_limits` of a document, however deep: one that is not read would vanish in silence.
fn sections<'n>(node: &'n ProgramNode, around: &mut Vec<&'n str>, all: &mut Vec<LimitSection<'n>>) {
    let NodeKind::Map(entries) = &node.kind else {
        return;
    };
    for (key, value) in entries {
        let word = match &key.kind {
            NodeKind::Text(word) => word.as_str(),
            _ => "",
        };
        if word == "joint_limits" {
            let of_node = around.iter().rposition(|key| *key == OF_NODE);
            let below = &around[of_node.map_or(0, |at| at + 1)..];
            let other_around = below.iter().find(|key| !AROUND.contains(key)).copied();
            if !matches!(value.kind, NodeKind::Null) {
                all.push(LimitSection {
                    key,
                    value,
                    other_around,
                });
            }
        } else {
            around.push(word);
            sections(value, around, all);
            around.pop();
        }
    }
}

fn wrong(file: &Path, node: &ProgramNode, what: &str, expected: &str) -> ImportError {
    let problem = Problem::BadValue {
        what: what.to_owned(),
        value: node.word(),
        remedy: format!("write {expected}"),
    };
    ImportError::at(file, node.line, node.column, problem)
}

struct Reader<'a> {
    file: &'a Path,
    cell: &'a mut Cell,
    robot: usize,
    /// The robot's joints.
    by_name: HashMap<String, JointId>,
    angles: AngleTags,
    /// Joints of which the file states a limit beyond the URDF's.
    wider: Vec<String>,
}

impl Reader<'_> {
    fn joint(&mut self, key: &ProgramNode, value: &ProgramNode) -> Result<(), ImportError> {
        let NodeKind::Text(name) = &key.kind else {
            return Err(wrong(self.file, key, "a joint", "its name"));
        };
        let NodeKind::Map(entries) = &value.kind else {
            let what = format!("joint `{name}`");
            return Err(wrong(self.file, value, &what, "its limits, a line each"));
        };
        for (key, _) in entries {
            let known = READ.into_iter().chain(PASSED_OVER);
            let NodeKind::Text(word) = &key.kind else {
                return Err(wrong(self.file, key, "a limit", "its name"));
            };
            if !known.clone().any(|k| k == word) {
                let known: Vec<&str> = known.collect();
                let problem = Problem::UnknownName {
                    what: "key",
                    name: word.clone(),
                    remedy: suggestion(word, known),
                };
                return Err(ImportError::at(self.file, key.line, key.column, problem));
            }
        }
        let stated = Limits {
            position: self.range(name, value)?,
            velocity: self.most(name, value, "has_velocity_limits", "max_velocity")?,
            acceleration: self.most(name, value, "has_acceleration_limits", "max_acceleration")?,
        };
        let Some(&id) = self.by_name.get(name) else {
            let names = self.cell.joints.iter().filter(|j| j.robot == self.robot);
            let near = nearest(name, names.map(|j| j.name.as_str()))
                .map_or(String::new(), |n| format!("; did you mean `{n}`?"));
            self.cell.notes.push(note_at(
                Code::StaleName,
                Location::at(self.file, key.line, None),
                format!("stale name: the urdf has no movable joint `{name}`; its limits are ignored{near}"),
            ));
            return Ok(());
        };
        let joint = &mut self.cell.joints[id];
        let (limits, wider) = tightened(&joint.limits, &stated);
        if let Some((lower, upper)) = limits.position
            && lower > upper
        {
            let problem = Problem::BadValue {
                what: format!("range of `{name}`"),
                value: "outside of the urdf's".into(),
                remedy: "let the two overlap".into(),
            };
            return Err(ImportError::at(self.file, key.line, key.column, problem));
        }
        joint.limits = limits;
        if let Some((lower, upper)) = limits.position {
            let rest = &mut self.cell.rest[id];
            *rest = rest.clamp(lower, upper);
        }
        if wider {
            self.wider.push(name.clone());
        }
        self.idle(name, value);
        Ok(())
    }

    /// MoveIt takes no limit whose `has_…` is missing. Whoever wrote one believes that it counts.
    fn idle(&mut self, name: &str, joint: &ProgramNode) {
        for (switch, keys) in SWITCHES {
            let stated = keys.iter().find(|key| joint.get(key).is_some());
            if let (Some(key), None) = (stated, joint.get(switch)) {
                let line = joint.get(key).map_or(joint.line, |node| node.line);
                self.cell.notes.push(note_at(
                    Code::MissingLimits,
                    Location::at(self.file, line, None),
                    format!("`{key}` of `{name}` does not count: write `{switch}: true`, or false"),
                ));
            }
        }
    }

    fn range(&self, name: &str, joint: &ProgramNode) -> Result<Option<(f64, f64)>, ImportError> {
        if !self.has(name, joint, "has_position_limits")? {
            return Ok(None);
        }
        let lower = self.number(name, joint, "min_position", "has_position_limits")?;
        let upper = self.number(name, joint, "max_position", "has_position_limits")?;
        if lower <= upper {
            Ok(Some((lower, upper)))
        } else {
            let problem = Problem::BadValue {
                what: format!("`min_position` of `{name}`"),
                value: format!("{lower}, above `max_position` {upper}"),
                remedy: "exchange them".into(),
            };
            Err(ImportError::at(
                self.file,
                joint.line,
                joint.column,
                problem,
            ))
        }
    }

    /// A limit above 0, if there is one.
    fn most(
        &self,
        name: &str,
        joint: &ProgramNode,
        switch: &str,
        key: &str,
    ) -> Result<Option<f64>, ImportError> {
        if !self.has(name, joint, switch)? {
            return Ok(None);
        }
        let value = self.number(name, joint, key, switch)?;
        if value > 0.0 {
            return Ok(Some(value));
        }
        let node = joint.get(key).unwrap_or(joint);
        let what = format!("`{key}` of `{name}`");
        let expected = format!("a number above 0, or `{switch}: false`");
        Err(wrong(self.file, node, &what, &expected))
    }

    fn has(&self, name: &str, joint: &ProgramNode, key: &str) -> Result<bool, ImportError> {
        match joint.get(key) {
            None => Ok(false),
            Some(node) => match node.kind {
                NodeKind::Bool(value) => Ok(value),
                _ => {
                    let what = format!("`{key}` of `{name}`");
                    Err(wrong(self.file, node, &what, "true or false"))
                }
            },
        }
    }

    fn number(
        &self,
        name: &str,
        joint: &ProgramNode,
        key: &str,
        switch: &str,
    ) -> Result<f64, ImportError> {
        let what = format!("`{key}` of `{name}`");
        let expected = format!("a number, or `{switch}: false`");
        match joint.get(key) {
            None => {
                let problem = Problem::BadValue {
                    what,
                    value: "missing".into(),
                    remedy: format!("write {expected}"),
                };
                Err(ImportError::at(
                    self.file,
                    joint.line,
                    joint.column,
                    problem,
                ))
            }
            Some(node) => match node.kind {
                NodeKind::Number(_) if self.angles.has(node) && self.slides(name) => {
                    let what = format!("{what}, an angle by its tag,");
                    let expected = "the number in metres, without a tag: the joint slides";
                    Err(wrong(self.file, node, &what, expected))
                }
                NodeKind::Number(x) if x.is_finite() => Ok(x),
                _ => Err(wrong(self.file, node, &what, &expected)),
            },
        }
    }

    fn slides(&self, name: &str) -> bool {
        let joint = self.by_name.get(name).map(|&id| &self.cell.joints[id]);
        joint.is_some_and(|joint| joint.kind == JointKind::Prismatic)
    }

    /// Whoever wrote a wider limit must hear that it does not count.
    fn finish(self) {
        if self.wider.is_empty() {
            return;
        }
        let prefix = &self.cell.robots[self.robot].name;
        let names: Vec<String> = self.wider.iter().map(|n| qualified(prefix, n)).collect();
        self.cell.notes.push(note_at(
            Code::WiderLimits,
            Location::file(self.file),
            format!(
                "states limits wider than the urdf's, which count: {}",
                names.join(", ")
            ),
        ));
    }
}

/// The limits that hold where both hold, and whether one of the stated ones lies beyond the URDF's.
fn tightened(urdf: &Limits, stated: &Limits) -> (Limits, bool) {
    let mut wider = false;
    let mut least = |urdf: Option<f64>, stated: Option<f64>| match (urdf, stated) {
        (Some(u), Some(s)) => {
            wider |= s > u;
            Some(u.min(s))
        }
        (one, other) => one.or(other),
    };
    let lower = |l: &Limits| l.position.map(|p| -p.0);
    let upper = |l: &Limits| l.position.map(|p| p.1);
    let position = (
        least(lower(urdf), lower(stated)).map(|x| -x),
        least(upper(urdf), upper(stated)),
    );
    let limits = Limits {
        position: position.0.zip(position.1),
        velocity: least(urdf.velocity, stated.velocity),
        acceleration: least(urdf.acceleration, stated.acceleration),
    };
    (limits, wider)
}

#[cfg(test)]
mod tests;
