//! Joint limits beside the URDF: MoveIt's `joint_limits.yaml`.
//!
//! URDF and file hold together: the tighter limit of both counts.

use std::collections::HashMap;
use std::path::Path;

use clearance_proof::model::{Cell, JointId, JointKind, Limits};
use clearance_proof::report::Code;

use super::files::{MOST_TEXT, read_bytes, utf8};
use super::loaded::LoadedCell;
use super::names::{nearest, qualified, suggestion};
use super::program::node::{NodeKind, ProgramNode, documents};
use super::{ImportError, Location, Problem};
use crate::notes::note_at;

/// Sections that may stand around `joint_limits`.
const AROUND: [&str; 3] = ["/**", "ros__parameters", "robot_description_planning"];
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
/// When the file cannot be read, or says something that cannot be meant.
pub(crate) fn read(file: &Path, loaded: &mut LoadedCell, robot: usize) -> Result<(), ImportError> {
    loaded.files.push(file.to_owned());
    parse(file, &read_bytes(file, MOST_TEXT)?, &mut loaded.cell, robot)
}

/// The same with the bytes of the file (the robot is its index in [`Cell::robots`]). `file` stands
/// in errors.
///
/// # Errors
/// When the bytes are not such a file, or say something that cannot be meant.
pub fn parse(file: &Path, bytes: &[u8], cell: &mut Cell, robot: usize) -> Result<(), ImportError> {
    from_yaml(file, utf8(file, bytes)?, cell, robot)
}

fn from_yaml(file: &Path, text: &str, cell: &mut Cell, robot: usize) -> Result<(), ImportError> {
    let documents = documents(text).map_err(|e| ImportError {
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
    let mut filled = (documents.iter()).filter(|d| !matches!(d.kind, NodeKind::Null));
    if let Some(second) = filled.nth(1) {
        let cause = "a second document begins here".to_owned();
        let remedy = "keep one".to_owned();
        let problem = Problem::Syntax { cause, remedy };
        return Err(ImportError::at(file, second.line.max(1), None, problem));
    }
    let Some(section) = documents.iter().find_map(section) else {
        let cause = "it has no `joint_limits`".to_owned();
        let remedy = "start it with `joint_limits:`, and the joints below".to_owned();
        return Err(ImportError::file(file, Problem::Syntax { cause, remedy }));
    };
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
        wider: Vec::new(),
    };
    for (key, value) in entries {
        reader.joint(key, value)?;
    }
    reader.finish();
    Ok(())
}

/// `joint_limits` of a document, however deep it stands.
fn section(node: &ProgramNode) -> Option<&ProgramNode> {
    let found = node.get("joint_limits");
    found.or_else(|| AROUND.iter().find_map(|key| section(node.get(key)?)))
}

fn wrong(file: &Path, node: &ProgramNode, what: &str, expected: &str) -> ImportError {
    let problem = Problem::BadValue {
        what: what.to_owned(),
        value: node.word(),
        remedy: format!("write {expected}"),
    };
    ImportError::at(file, node.line, Some(node.column), problem)
}

struct Reader<'a> {
    file: &'a Path,
    cell: &'a mut Cell,
    robot: usize,
    /// The robot's joints.
    by_name: HashMap<String, JointId>,
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
                return Err(ImportError::at(
                    self.file,
                    key.line,
                    Some(key.column),
                    problem,
                ));
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
            return Err(ImportError::at(
                self.file,
                key.line,
                Some(key.column),
                problem,
            ));
        }
        joint.limits = limits;
        let ranged = joint.kind != JointKind::Continuous;
        if let (Some((lower, upper)), true) = (limits.position, ranged) {
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
                Some(joint.column),
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
                    Some(joint.column),
                    problem,
                ))
            }
            Some(node) => match node.kind {
                NodeKind::Number(x) if x.is_finite() => Ok(x),
                _ => Err(wrong(self.file, node, &what, &expected)),
            },
        }
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
mod tests {
    use super::*;
    use crate::{LoadOptions, load_robot};

    const URDF: &str = r#"<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="turn" type="revolute"><parent link="a"/><child link="b"/><limit lower="-2" upper="2" velocity="3" effort="1" acceleration="20"/></joint>
        <joint name="slide" type="prismatic"><parent link="b"/><child link="c"/><limit lower="0" upper="1" velocity="0.5" effort="1"/></joint></robot>"#;

    fn load(yaml: &str) -> Result<Cell, ImportError> {
        load_whole(yaml).map(|loaded| loaded.cell)
    }

    fn load_whole(yaml: &str) -> Result<LoadedCell, ImportError> {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("r.urdf"), URDF).unwrap();
        std::fs::write(at("joint_limits.yaml"), yaml).unwrap();
        let options = LoadOptions {
            joint_limits: Some(at("joint_limits.yaml")),
            ..LoadOptions::default()
        };
        load_robot(&at("r.urdf"), &[], &options)
    }

    #[test]
    fn the_tighter_limit_counts() {
        let loaded = load_whole(
            "default_velocity_scaling_factor: 0.1\njoint_limits:\n  turn:\n    has_velocity_limits: true\n    max_velocity: 2.5\n    \
             has_acceleration_limits: true\n    max_acceleration: 30\n  slide:\n    has_position_limits: true\n    min_position: 0.1\n    \
             max_position: 4\n    has_velocity_limits: false\n    max_velocity: 0\n    has_acceleration_limits: true\n    \
             max_acceleration: 1.5\n    has_jerk_limits: false\n  gone:\n    has_velocity_limits: true\n    max_velocity: 1\n",
        )
        .unwrap();
        let cell = &loaded.cell;
        let limits = |position, velocity, acceleration| Limits {
            position: Some(position),
            velocity: Some(velocity),
            acceleration: Some(acceleration),
        };
        assert_eq!(cell.joints[0].limits, limits((-2.0, 2.0), 2.5, 20.0));
        assert_eq!(cell.joints[1].limits, limits((0.1, 1.0), 0.5, 1.5));
        // At rest a joint stays within its limits.
        assert_eq!(cell.rest, [0.0, 0.1]);
        let noted = |words: &str| cell.notes.iter().any(|n| n.message.contains(words));
        assert!(noted("no movable joint `gone`"), "{:?}", cell.notes);
        assert!(
            noted("wider than the urdf's, which count: turn, slide"),
            "{:?}",
            cell.notes
        );
        assert_eq!(loaded.files.len(), 2);
    }

    #[test]
    fn limits_that_do_not_count_are_told() {
        let cell = load(
            "joint_limits:\n  turn:\n    max_velocity: 1\n    min_position: -1\n    max_position: 1\n    \
             has_acceleration_limits: false\n    max_acceleration: 1\n",
        )
        .unwrap();
        assert_eq!(cell.joints[0].limits.velocity, Some(3.0));
        let idle = cell.notes.iter().filter(|n| n.code == Code::MissingLimits);
        let told: Vec<&str> = idle.map(|n| n.message.as_str()).collect();
        assert_eq!(
            told,
            [
                "`min_position` of `turn` does not count: write `has_position_limits: true`, or false",
                "`max_velocity` of `turn` does not count: write `has_velocity_limits: true`, or false",
            ]
        );
    }

    #[test]
    fn ros_2_puts_it_deeper() {
        let cell = load("/**:\n  ros__parameters:\n    robot_description_planning:\n      joint_limits:\n        slide:\n          has_acceleration_limits: true\n          max_acceleration: 2\n").unwrap();
        assert_eq!(cell.joints[1].limits.acceleration, Some(2.0));
        assert_eq!(cell.joints[0].limits.acceleration, Some(20.0));
    }

    #[test]
    fn errors_say_where_and_what_would_be_right() {
        for (yaml, words) in [
            ("turn:\n  max_velocity: 1\n", "has no `joint_limits`"),
            (
                "joint_limits:\n  turn: {}\n---\njoint_limits:\n  turn: {}\n",
                ":4: a second document begins here",
            ),
            ("joint_limits: 3\n", ":1:15: `joint_limits` is the number 3"),
            (
                "joint_limits:\n  turn: fast\n",
                "joint `turn` is the text `fast`",
            ),
            (
                "joint_limits:\n  turn:\n    max_velocty: 1\n",
                ":3:5: unknown key `max_velocty`; did you mean `max_velocity`?",
            ),
            (
                "joint_limits:\n  turn:\n    has_velocity_limits: true\n",
                "`max_velocity` of `turn` is missing",
            ),
            (
                "joint_limits:\n  turn:\n    has_velocity_limits: 1\n",
                "write true or false",
            ),
            (
                "joint_limits:\n  turn:\n    has_acceleration_limits: true\n    max_acceleration: 0\n",
                ":4:23: `max_acceleration` of `turn` is the number 0; write a number above 0, or `has_acceleration_limits: false`",
            ),
            (
                "joint_limits:\n  turn:\n    has_velocity_limits: true\n    max_velocity: .nan\n",
                "write a number",
            ),
            (
                "joint_limits:\n  turn:\n    has_position_limits: true\n    min_position: 1\n    max_position: 0\n",
                "exchange them",
            ),
            (
                "joint_limits:\n  turn:\n    has_position_limits: true\n    min_position: 3\n    max_position: 4\n",
                "outside of the urdf's",
            ),
            ("joint_limits: [\n", "joint_limits.yaml:"),
        ] {
            let error = load(yaml).unwrap_err().to_string();
            assert!(error.contains(words), "{yaml}: {error}");
        }
    }
}
