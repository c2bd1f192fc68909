//! `controller` and `start` of a robot: how its controller counts joints, and from where it states
//! poses.

mod data_list;
mod posture;

use std::collections::{BTreeMap, BTreeSet};

use crate::controller::{Controller, ControllerFile, ControllerJoint, ControllerPoint, Coupling};
use clearance_proof::model::moves::Frame;
use clearance_proof::model::{JointId, JointKind};
use clearance_proof::report::{Code, Diagnostic, Severity};

use data_list::add_data_lists;
use posture::complete;

use super::pose::suspicious_value;
use super::reader::CellReader;
use super::table::{Table, TableValue};
use crate::files::{MOST_TEXT, read_bytes};
use crate::names::{qualified, suggestion};
use crate::patterns::FilePattern;
use crate::{ImportError, Problem};

/// Languages of controllers.
const DIALECTS: [&str; 5] = ["ur", "rapid", "krl", "fanuc", "inform"];
const KEYS: [&str; 12] = [
    "dialect",
    "joints",
    "base",
    "flange",
    "frames",
    "tools",
    "files",
    "still",
    "not_modelled",
    "model_difference",
    "points",
    "home",
];

impl CellReader {
    /// Reads what a robot's controller is set to.
    pub(super) fn controller(&mut self, table: &Table, robot: usize) -> Result<(), ImportError> {
        let said = table.get("controller");
        let found = match &said {
            Some(value) => Some(self.said(value, robot)?),
            None => None,
        };
        self.builder.loaded.robots[robot].controller = found;
        Ok(())
    }

    /// A group of axes that moves what the cell does not move: every report says so.
    fn leave_out_group(&mut self, value: &TableValue, robot: usize) -> Result<(), ImportError> {
        let group = value.key;
        let number = group.strip_prefix("GP").and_then(|n| n.parse::<u32>().ok());
        if number.is_none_or(|number| number < 2) {
            return Err(value.bad("write groups beside the arm's: `GP2`, `GP3`, …"));
        }
        let reason = value.name()?.trim();
        let cell = &mut self.builder.loaded.cell;
        cell.unchecked.push(Diagnostic {
            subject: qualified(&cell.robots[robot].name, group),
            place: Some(value.place()),
            message: format!(
                "it may move, and what it moves stands where the cell has it: {reason}"
            ),
            severity: Severity::Unchecked,
            code: Code::Accepted,
        });
        Ok(())
    }

    fn said(&mut self, value: &TableValue, robot: usize) -> Result<Controller, ImportError> {
        let table = value.table("`controller`", &KEYS)?;
        let dialect = table.required("dialect")?;
        let word = dialect.string()?;
        if !DIALECTS.contains(&word) {
            return Err(dialect.bad(format!("write one of {}", DIALECTS.join(", "))));
        }
        let mut found = Controller {
            place: value.place(),
            dialect: word.to_owned(),
            joints: self.counted(&table, robot)?,
            base: self.frame(&table, "base", robot)?,
            flange: self.frame(&table, "flange", robot)?,
            frames: BTreeMap::new(),
            tools: BTreeMap::new(),
            files: Vec::new(),
            still: Vec::new(),
            not_modelled: BTreeMap::new(),
            points: Vec::new(),
            books_model_difference: true,
            home: None,
        };
        if let Some(value) = table.get("model_difference") {
            found.books_model_difference = match value.string()? {
                "booked" => true,
                "reported" => false,
                _ => return Err(value.bad("write `\"booked\"` or `\"reported\"`")),
            };
        }
        if let Some(frames) = table.get("frames") {
            for value in frames.free_table("`frames`")?.entries() {
                let frame = self.placed(&value, robot, found.base.as_ref())?;
                found.frames.insert(value.key.to_owned(), frame);
            }
        }
        if let Some(tools) = table.get("tools") {
            for value in tools.free_table("`tools`")?.entries() {
                let tool = self.pose_of(&value.table("a tool", &["xyz", "rpy", "quat"])?)?;
                found.tools.insert(value.key.to_owned(), tool);
            }
        }
        if let Some(files) = table.get("files") {
            found.files = self.controller_files(&files)?;
            if word == "krl" {
                add_data_lists(&mut found.files)?;
            }
            let paths = found.files.iter().map(|file| file.path.clone());
            self.builder.loaded.files.extend(paths);
        }
        if let Some(points) = table.get("points") {
            for value in points.list()? {
                let point = self.point(&value, &found)?;
                found.points.push(point);
            }
        }
        if let Some(still) = table.get("still") {
            for value in still.list()? {
                found.still.push(value.name()?.to_owned());
            }
        }
        if let Some(groups) = table.get("not_modelled") {
            if word != "fanuc" {
                return Err(groups.bad("only programs of `fanuc` have groups that can be left out"));
            }
            for value in groups.free_table("`not_modelled`")?.entries() {
                self.leave_out_group(&value, robot)?;
                let reason = value.name()?.trim().to_owned();
                found.not_modelled.insert(value.key.to_owned(), reason);
            }
        }
        if let Some(home) = table.get("home") {
            let ids = self.counted_ids(&home, &found, robot)?;
            let values = self.posture(&home, robot)?;
            found.home = Some(complete(&home, &ids, &values, &self.builder.loaded.cell)?);
        }
        Ok(found)
    }

    /// The controller's own files, by their names and by patterns. One that a pattern matches and that
    /// is there already counts once: two patterns may overlap.
    fn controller_files(&mut self, value: &TableValue) -> Result<Vec<ControllerFile>, ImportError> {
        let mut found: Vec<ControllerFile> = Vec::new();
        let mut known = BTreeSet::new();
        for value in value.list()? {
            let name = value.name()?;
            let is_pattern = FilePattern::is_one(&self.folder, name);
            let paths = if is_pattern {
                let pattern = FilePattern::new(&self.folder, name);
                let pattern = pattern.map_err(|why| value.error(why))?.in_any_case();
                let paths = pattern.files().map_err(|why| value.error(why))?;
                let matched = (pattern, paths.clone());
                self.builder.loaded.patterns.push(matched);
                paths
            } else {
                vec![self.file(&value)?]
            };
            for path in paths {
                let place = path.canonicalize().unwrap_or_else(|_| path.clone());
                if known.insert(place) || !is_pattern {
                    let bytes = read_bytes(&path, MOST_TEXT)?.into();
                    found.push(ControllerFile { path, bytes });
                }
            }
        }
        Ok(found)
    }

    /// A point that was read at the controller.
    fn point(
        &mut self,
        value: &TableValue,
        said: &Controller,
    ) -> Result<ControllerPoint, ImportError> {
        let keys = ["joints", "xyz", "rpy", "quat", "tool", "frame"];
        let table = value.table("a point of the controller", &keys)?;
        let unknown = |value: &TableValue, what, known: Vec<&String>| {
            let name = value.string().unwrap_or_default();
            value.error(Problem::UnknownName {
                what,
                name: name.to_owned(),
                remedy: suggestion(name, known.into_iter().map(String::as_str)),
            })
        };
        let tool = match table.get("tool") {
            None => nalgebra::Isometry3::identity(),
            Some(value) => *(said.tools.get(value.name()?))
                .ok_or_else(|| unknown(&value, "tool", said.tools.keys().collect()))?,
        };
        let frame = match table.get("frame") {
            None => None,
            Some(value) => Some(
                (said.frames.get(value.name()?).cloned())
                    .ok_or_else(|| unknown(&value, "frame", said.frames.keys().collect()))?,
            ),
        };
        table.required("xyz")?;
        let joints = table.required("joints")?.list()?;
        Ok(ControllerPoint {
            place: value.place(),
            joints: joints
                .iter()
                .map(TableValue::number)
                .collect::<Result<_, _>>()?,
            frame_from_tool: self.pose_of(&table)?,
            tool,
            frame,
        })
    }

    /// Joints of a robot that follow no other.
    fn own_joints(&self, robot: usize) -> impl Iterator<Item = JointId> + Clone {
        let joints = &self.builder.loaded.cell.joints;
        (0..joints.len()).filter(move |&j| joints[j].robot == robot && joints[j].mimic.is_none())
    }

    fn joint(&self, value: &TableValue, name: &str, robot: usize) -> Result<JointId, ImportError> {
        let joints = &self.builder.loaded.cell.joints;
        let own = || self.own_joints(robot);
        own().find(|&j| joints[j].name == name).ok_or_else(|| {
            let known = own().map(|j| joints[j].name.as_str());
            value.error(Problem::UnknownName {
                what: "joint",
                name: name.to_owned(),
                remedy: suggestion(name, known),
            })
        })
    }

    /// The controller's joints in its order.
    fn counted(
        &mut self,
        table: &Table,
        robot: usize,
    ) -> Result<Vec<ControllerJoint>, ImportError> {
        let Some(value) = table.get("joints") else {
            return Ok(Vec::new());
        };
        let list = value.list()?;
        let mut names: Vec<String> = Vec::new();
        let mut tables = Vec::new();
        for value in &list {
            let (name, table) = match value.string() {
                Ok(name) => (name, None),
                Err(_) => {
                    let known = ["joint", "sign", "offset", "pulses", "with"];
                    let table = value.table("a joint of the controller", &known)?;
                    (table.required("joint")?.name()?, Some(table))
                }
            };
            self.joint(value, name, robot)?;
            if names.iter().any(|n| n == name) {
                return Err(value.bad("each joint stands once"));
            }
            names.push(name.to_owned());
            tables.push(table);
        }
        if names.is_empty() {
            return Err(value.bad("name the joints in the controller's order"));
        }
        let joints = names.iter().zip(&tables).zip(&list);
        joints
            .map(|((name, table), value)| {
                let id = self.joint(value, name, robot)?;
                self.counted_so(name, id, table.as_ref(), &names)
            })
            .collect()
    }

    fn counted_so(
        &mut self,
        name: &str,
        id: JointId,
        table: Option<&Table>,
        names: &[String],
    ) -> Result<ControllerJoint, ImportError> {
        let get = |key: &'static str| table.and_then(|t| t.get(key));
        let mut joint = ControllerJoint {
            name: name.to_owned(),
            sign: 1.0,
            offset: 0.0,
            pulses: None,
            coupled: Vec::new(),
        };
        if let Some(value) = get("sign") {
            joint.sign = value.number()?;
            if joint.sign.abs() != 1.0 {
                return Err(value.bad("write 1 or -1"));
            }
        }
        if let Some(value) = get("offset") {
            joint.offset = self.length_or_angle(&value, id)?;
        }
        if let Some(value) = get("pulses") {
            let pulses = value.number()?;
            if pulses <= 0.0 {
                return Err(value.bad(
                    "write how many pulses a degree (or a millimetre) has; `sign` says which way",
                ));
            }
            joint.pulses = Some(pulses);
        }
        if let Some(value) = get("with") {
            for value in value.free_table("`with`")?.entries() {
                let place = names.iter().position(|n| n == value.key);
                let Some(place) = place.filter(|&k| names[k] != name) else {
                    let known = names.iter().map(String::as_str).filter(|n| *n != name);
                    return Err(value.key_error(Problem::UnknownName {
                        what: "joint",
                        name: value.key.to_owned(),
                        remedy: suggestion(value.key, known),
                    }));
                };
                joint.coupled.push(Coupling {
                    joint: place,
                    factor: value.number()?,
                });
            }
        }
        Ok(joint)
    }

    fn length_or_angle(&mut self, value: &TableValue, id: JointId) -> Result<f64, ImportError> {
        let joint = &self.builder.loaded.cell.joints[id];
        let kind = joint.kind;
        if let Some(why) = suspicious_value(value, joint) {
            (self.builder).suspicious_angle(&value.place(), why, Severity::Notice);
        }
        match kind {
            JointKind::Prismatic => value.length(),
            JointKind::Revolute | JointKind::Continuous => value.angle(),
        }
    }

    /// A link, or `{ link = …, xyz = …, rpy = … }`.
    fn frame(
        &mut self,
        table: &Table,
        key: &'static str,
        robot: usize,
    ) -> Result<Option<Frame>, ImportError> {
        let Some(value) = table.get(key) else {
            return Ok(None);
        };
        match value.string() {
            Ok(_) => {
                let link = self.link(&value, robot)?;
                Ok(Some(Frame {
                    link,
                    link_from_frame: nalgebra::Isometry3::identity(),
                }))
            }
            Err(_) => self.placed(&value, robot, None).map(Some),
        }
    }

    /// A pose on a link; without one, in the controller's base.
    fn placed(
        &mut self,
        value: &TableValue,
        robot: usize,
        base: Option<&Frame>,
    ) -> Result<Frame, ImportError> {
        let table = value.table("a frame", &["link", "xyz", "rpy", "quat"])?;
        let pose = self.pose_of(&table)?;
        match (table.get("link"), base) {
            (Some(link), _) => Ok(Frame {
                link: self.link(&link, robot)?,
                link_from_frame: pose,
            }),
            (None, Some(base)) => Ok(Frame {
                link: base.link.clone(),
                link_from_frame: base.link_from_frame * pose,
            }),
            (None, None) => Err(value.error(Problem::Syntax {
                cause: format!("`{}` is on no link", value.key),
                remedy: "add `link = \"…\"`, or say which link is the controller's own frame, in which frames without one are: \
                         `base = \"…\"`"
                    .into(),
            })),
        }
    }

    fn link(&self, value: &TableValue, robot: usize) -> Result<String, ImportError> {
        let name = value.name()?;
        let prefix = &self.builder.loaded.cell.robots[robot].name;
        if self.builder.body(&qualified(prefix, name)).is_some() {
            return Ok(name.to_owned());
        }
        let start = qualified(prefix, "");
        let bodies = self.builder.loaded.cell.bodies.iter();
        let known = bodies.filter_map(|b| b.name.strip_prefix(start.as_str()));
        Err(value.error(Problem::UnknownName {
            what: "link",
            name: name.to_owned(),
            remedy: suggestion(name, known),
        }))
    }
}
