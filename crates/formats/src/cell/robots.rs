//! The robots of a cell file: description, files beside it, place and joint values.

use std::collections::{HashMap, HashSet};

use clearance_proof::model::{Joint, JointId, JointKind, Trajectory};
use clearance_proof::report::{Code, Diagnostic, Location, Severity};

use super::pose::{suspicious_value, unitless_shift, without_unit};
use super::reader::{CellReader, section, up_axis};
use super::table::Table;
use crate::names::{qualified, suggestion};
use crate::notes::note;
use crate::{ImportError, Problem, joint_limits, srdf, xacro};

/// What a robot may have.
const KEYS: [&str; 12] = [
    "name",
    "urdf",
    "urdf_unit",
    "srdf",
    "joint_limits",
    "base",
    "joints",
    "dae_up_axis",
    "controller",
    "start",
    "state",
    "xacro_args",
];

/// `urdf_unit`, by which somebody says that a robot really is as large as its URDF has it.
fn in_metres(table: &Table) -> Result<bool, ImportError> {
    match table.get("urdf_unit") {
        None => Ok(false),
        Some(value) if value.string()? == "m" => Ok(true),
        Some(value) => {
            Err(value
                .bad("a URDF is in metres: write \"m\", and the lengths of the URDF in metres"))
        }
    }
}

impl CellReader {
    pub(super) fn robots(&mut self, root: &Table) -> Result<(), ImportError> {
        let robots = section(root, "robot", "[[robot]]", &KEYS)?;
        if robots.is_empty() && root.get("free").is_none() {
            return Err(root.error(Problem::Syntax {
                cause: "the cell has no robot".into(),
                remedy: "add [[robot]] with `urdf = \"…\"`, or [[free]] for bodies that move by themselves".into(),
            }));
        }
        let mut names: HashSet<&str> = HashSet::new();
        for table in &robots {
            let name = match table.get("name") {
                Some(value) => {
                    let name = value.name()?;
                    if name.contains(['/', '*']) {
                        return Err(value.bad("the name of a robot has no `/` and no `*`"));
                    }
                    if names.contains(name) {
                        return Err(value.bad("every robot needs a name of its own"));
                    }
                    name
                }
                None if robots.len() == 1 => "",
                None => table.required("name")?.name()?,
            };
            names.insert(name);
            let base = self.pose(table, "base")?;
            self.builder.set_up_axis(up_axis(table)?);
            let urdf = table.required("urdf")?;
            let file = self.file(&urdf)?;
            let mut arguments = xacro::Arguments::new(&xacro_arguments(table)?);
            let opened = xacro::open(&file, &mut arguments, &self.builder.resolver)?;
            let robot = self.builder.add_robot(name, &opened, base)?;
            let shift = unitless_shift(table, "base")?.map(|shift| (robot, shift));
            self.builder.loaded.unitless.robots.extend(shift);
            self.builder.loaded.robots[robot].urdf_in_metres = in_metres(table)?;
            if let Some(value) = table.get("srdf") {
                let file = self.file(&value)?;
                let opened = xacro::open(&file, &mut arguments, &self.builder.resolver)?;
                srdf::read(&opened, &mut self.builder.loaded, robot)?;
            }
            if let (Some(value), Err(problem)) = (table.get("xacro_args"), arguments.all_used()) {
                return Err(value.error(problem));
            }
            if let Some(value) = table.get("joint_limits") {
                let file = self.file(&value)?;
                joint_limits::read(&file, &mut self.builder.loaded, robot)?;
            }
            self.states(table, robot)?;
            self.joint_values(table, robot)?;
            self.controller(table, robot)?;
        }
        Ok(())
    }

    /// Where programs begin. The program before may move every joint of the cell, so all of them
    /// have to be known.
    pub(super) fn starts(&mut self, root: &Table) -> Result<(), ImportError> {
        let robots = section(root, "robot", "[[robot]]", &KEYS)?;
        for (robot, table) in robots.iter().enumerate() {
            if let Some(value) = table.get("start") {
                let controller = self.builder.loaded.robots[robot].controller.clone();
                let start = self.start(&value, controller.as_ref(), robot)?;
                self.builder.loaded.robots[robot].start = start;
            }
        }
        Ok(())
    }

    /// `state`: one state of the SRDF, or several of other joints.
    fn states(&mut self, table: &Table, robot: usize) -> Result<(), ImportError> {
        let Some(value) = table.get("state") else {
            return Ok(());
        };
        let names = match value.string() {
            Ok(_) => vec![value],
            Err(_) => value.list()?,
        };
        let mut set: HashMap<JointId, f64> = HashMap::new();
        let mut unknown = None;
        for name in &names {
            let of_state = &self.state(name, robot)?.unknown;
            unknown = unknown.or_else(|| Some((name, of_state.first()?.clone())));
            for (joint, q) in self.state(name, robot)?.values.clone() {
                if set.insert(joint, q).is_some_and(|before| before != q) {
                    let joint = &self.builder.loaded.cell.joints[joint].name;
                    return Err(
                        name.bad(format!("the states before it give `{joint}` another value"))
                    );
                }
            }
        }
        let stated = table.get("joints").map(|v| v.free_table("`joints`"));
        let stated = stated.transpose()?;
        for name in &names {
            let cell = &self.builder.loaded.cell;
            // `joints` comes after the state and may put a joint that others follow elsewhere.
            let mut state = self.state(name, robot)?.clone();
            state.followers.retain(|&(id, _)| {
                let source = cell.joints[id]
                    .mimic
                    .map(|mimic| &cell.joints[mimic.source].name);
                source.is_none_or(|name| stated.as_ref().is_none_or(|t| t.get(name).is_none()))
            });
            let value_of = |id| set.get(&id).copied().unwrap_or(cell.rest[id]);
            if let Some(why) = state.follower_elsewhere(cell, value_of) {
                return Err(name.bad(format!(
                    "{why}: correct the SRDF, or state the joint that is followed in `joints`"
                )));
            }
        }
        let cell = &mut self.builder.loaded.cell;
        if let Some((state, joint)) = unknown {
            // A name that is spelt in another way may be that of a joint which would then stay.
            let stays = cell.joints.iter().enumerate().find(|(id, own)| {
                own.robot == robot
                    && own.mimic.is_none()
                    && !set.contains_key(id)
                    && stated.as_ref().is_none_or(|t| t.get(&own.name).is_none())
            });
            if let Some((_, stays)) = stays {
                return Err(state.bad(format!(
                    "the state has a value of `{joint}`, which is no joint of the robot that moves, and none of `{}`: correct the \
                     name in the SRDF, or state the value of that joint in `joints`",
                    stays.name
                )));
            }
        }
        for (joint, q) in set {
            let farthest = match cell.joints[joint].kind {
                JointKind::Prismatic => Trajectory::FARTHEST_M,
                JointKind::Revolute | JointKind::Continuous => Trajectory::FARTHEST_RAD,
            };
            if q.abs() > farthest {
                return Err(value_beyond(table, &cell.joints[joint].name, farthest));
            }
            cell.rest[joint] = q;
            let far = rests_far_away(&cell.joints[joint], q, &table.place());
            cell.notices.extend(far);
            if let Some((lower, upper)) = cell.joints[joint].limits.position
                && !(lower..=upper).contains(&q)
            {
                let named = qualified(&cell.robots[robot].name, &cell.joints[joint].name);
                let why = format!(
                    "its value {q} in the state of the SRDF is outside its limits {lower} … {upper}"
                );
                cell.notes
                    .push(note(Code::RestOutsideLimits, named, why).at(table.place()));
            }
        }
        Ok(())
    }

    fn joint_values(&mut self, table: &Table, robot: usize) -> Result<(), ImportError> {
        let cell = &mut self.builder.loaded.cell;
        let mut rest = std::mem::take(&mut cell.rest);
        let (mut notes, mut doubts, mut far) = (Vec::new(), Vec::new(), Vec::new());
        let of_robot = cell.joints.iter().enumerate();
        let of_robot = of_robot.filter(|(_, joint)| joint.robot == robot);
        let by_name: HashMap<&str, JointId> = of_robot
            .map(|(id, joint)| (joint.name.as_str(), id))
            .collect();
        let values = table
            .get("joints")
            .map(|v| v.free_table("`joints`"))
            .transpose()?;
        for value in values.iter().flat_map(|t| t.entries()) {
            let name = value.key;
            let Some(&id) = by_name.get(name) else {
                let known = cell
                    .joints
                    .iter()
                    .filter(|j| j.robot == robot)
                    .map(|j| j.name.as_str());
                return Err(value.key_error(Problem::UnknownName {
                    what: "joint",
                    name: name.to_owned(),
                    remedy: suggestion(name, known),
                }));
            };
            let joint = &cell.joints[id];
            if let Some(mimic) = joint.mimic {
                return Err(value.key_error(Problem::BadValue {
                    what: format!("joint `{name}`"),
                    value: format!("a follower of `{}`", cell.joints[mimic.source].name),
                    remedy: format!("set `{}`", cell.joints[mimic.source].name),
                }));
            }
            if let Some(why) = suspicious_value(&value, joint) {
                doubts.push((value.place(), why));
            }
            let farthest;
            (rest[id], farthest) = match joint.kind {
                JointKind::Prismatic => (value.length()?, Trajectory::FARTHEST_M),
                JointKind::Revolute | JointKind::Continuous => {
                    (value.angle()?, Trajectory::FARTHEST_RAD)
                }
            };
            if rest[id].abs() > farthest {
                return Err(value.bad(format!("write a value within {farthest:e}")));
            }
            if without_unit(&value).is_some() {
                far.extend(rests_far_away(joint, rest[id], &value.place()));
            }
            if let Some((lower, upper)) = joint.limits.position
                && !(lower..=upper).contains(&rest[id])
            {
                notes.push(
                    note(
                        Code::RestOutsideLimits,
                        qualified(&cell.robots[robot].name, name),
                        format!(
                            "its value {} in the cell file is outside its limits {lower} … {upper}",
                            rest[id]
                        ),
                    )
                    .at(value.place()),
                );
            }
        }
        cell.resolve_mimic(&mut rest);
        cell.rest = rest;
        cell.notes.extend(notes);
        for (place, why) in doubts {
            (self.builder).suspicious_angle(&place, why, Severity::Notice);
        }
        self.builder.loaded.cell.notices.extend(far);
        Ok(())
    }
}

/// A slide without limits rests no farther away, metres; one with limits, no so many times farther.
const FAR_M: f64 = 100.0;
const FAR_TIMES: f64 = 10.0;

/// That a slide rests where it can hardly be meant: millimetres are a thousand times as many.
fn rests_far_away(joint: &Joint, q: f64, place: &Location) -> Option<Diagnostic> {
    let farthest = match joint.limits.position {
        Some((lower, upper)) => FAR_TIMES * lower.abs().max(upper.abs()).max(0.1),
        None => FAR_M,
    };
    let is_far = joint.kind == JointKind::Prismatic && q.abs() > farthest;
    is_far.then(|| Diagnostic {
        subject: place.to_string(),
        message: format!(
            "`{}` rests at {q} m, where it can hardly be: values are metres; in a cell file write one with its unit, as in \
             \"500mm\" or \"{q}m\"",
            joint.name
        ),
        place: Some(place.clone()),
        severity: Severity::Open,
        code: Code::SuspiciousPlace,
    })
}

/// `xacro_args` of a robot: texts, numbers and truth values, as they stand behind `:=` on the
/// command line of xacro.
fn xacro_arguments(table: &Table) -> Result<Vec<(String, String)>, ImportError> {
    let Some(value) = table.get("xacro_args") else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for entry in value.free_table("`xacro_args`")?.entries() {
        all.push((entry.key.to_owned(), entry.scalar()?));
    }
    Ok(all)
}

fn value_beyond(table: &Table, joint: &str, farthest: f64) -> ImportError {
    table.error(Problem::BadValue {
        what: format!("`{joint}` in the state of the SRDF"),
        value: format!("beyond {farthest:e}"),
        remedy: "check the unit: radians or metres".into(),
    })
}
