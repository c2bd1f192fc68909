//! Where programs begin: joint values of a robot, from one of the places that have them.

use std::collections::HashSet;
use std::path::PathBuf;

use clearance_proof::ProofError;
use clearance_proof::model::{Cell, CellTrajectory, JointId, Program};

use super::super::reader::CellReader;
use super::super::table::TableValue;
use crate::controller::Controller;
use crate::loaded::NamedState;
use crate::names::{qualified, suggestion};
use crate::program::events;
use crate::program::many::{self, Layout};
use crate::program::refuse_mixed_units;
use crate::{ImportError, Problem};

impl CellReader {
    /// The joints that a controller counts: those of `joints`, or all of the robot.
    pub(super) fn counted_ids(
        &self,
        value: &TableValue,
        controller: &Controller,
        robot: usize,
    ) -> Result<Vec<JointId>, ImportError> {
        if controller.joints.is_empty() {
            Ok(self.own_joints(robot).collect())
        } else {
            (controller.joints.iter())
                .map(|j| self.joint(value, &j.name, robot))
                .collect()
        }
    }

    /// Where programs begin: the controller's home, a state of the SRDF, joint values, or the end
    /// of a program.
    pub(in crate::cell) fn start(
        &mut self,
        value: &TableValue,
        controller: Option<&Controller>,
        robot: usize,
    ) -> Result<Vec<(JointId, f64)>, ImportError> {
        let ids = match controller {
            Some(controller) => Some(self.counted_ids(value, controller, robot)?),
            None => None,
        };
        let home = controller.and_then(|c| c.home.as_ref());
        if let (Ok("home"), Some(home), Some(ids)) = (value.string(), home, &ids) {
            return Ok(ids.iter().copied().zip(home.iter().copied()).collect());
        }
        let after = match value.string() {
            Ok(_) => None,
            Err(_) => value.free_table("joint values")?.get("after"),
        };
        let values = match after {
            Some(file) => self.end_of(&file, robot)?,
            None => self.posture(value, robot)?,
        };
        // A controller's programs say nothing of joints that they leave where they are.
        match ids {
            // Where it is not said which joints the controller counts, the language of the program
            // tells.
            Some(ids) if controller.is_some_and(|c| !c.joints.is_empty()) => {
                let complete = complete(value, &ids, &values, &self.builder.loaded.cell)?;
                Ok(ids.into_iter().zip(complete).collect())
            }
            _ => Ok(values),
        }
    }

    /// Where a program of waypoints leaves the robot: joints that it does not move are where it
    /// says that it finds them, or else where the cell has them. What a check would ask about the
    /// program is asked here.
    fn end_of(
        &mut self,
        value: &TableValue,
        robot: usize,
    ) -> Result<Vec<(JointId, f64)>, ImportError> {
        let (file, mut program) = self.program_before(value)?;
        let of_program = |problem: ProofError| {
            value.bad(format!(
                "of the program before nothing can be taken: {problem}"
            ))
        };
        self.builder.loaded.files.push(file);
        let cell = &self.builder.loaded.cell;
        let prefix = &cell.robots[robot].name;
        let own: Vec<(JointId, String)> = self
            .own_joints(robot)
            .map(|id| (id, qualified(prefix, &cell.joints[id].name)))
            .collect();
        for column in &mut program.columns {
            // A bare name is meant for this robot.
            let mut of_robot = cell.joints.iter().filter(|j| j.robot == robot);
            if of_robot.any(|j| *j.name == *column.joint) {
                column.joint = qualified(prefix, &column.joint).into();
            }
        }
        let for_cell = CellTrajectory::new(&program, cell, None).map_err(of_program)?;
        refuse_mixed_units(&program, &for_cell.columns, cell)?;
        let last = program.waypoints.last();
        let start = program
            .start
            .as_ref()
            .map_or(&[][..], |start| &start.joints);
        let mut values: Vec<(JointId, f64)> = Vec::new();
        let mut moved = false;
        for (id, label) in own {
            let joint = &cell.joints[id];
            let column = for_cell.columns.iter().position(|&joint| joint == id);
            let end = match column {
                Some(column) => {
                    moved = true;
                    last.map(|w| w.positions[column])
                }
                None => {
                    let named = |name: &str| name == label || name == joint.name;
                    let mut stated = start.iter().filter(|(name, _)| named(name));
                    let first = stated.next().map(|&(_, value)| value);
                    if stated.any(|&(_, value)| Some(value) != first) {
                        return Err(value.bad(format!(
                            "`trajectory_start` of the program before has two values of `{label}`"
                        )));
                    }
                    first
                }
            };
            values.push((id, end.unwrap_or(cell.rest[id])));
        }
        if moved {
            Ok(values)
        } else {
            Err(value.bad("it moves no joint of this robot"))
        }
    }

    /// The program that ends where others begin, and its file.
    fn program_before(&self, value: &TableValue) -> Result<(PathBuf, Program), ImportError> {
        let file = self.file(value)?;
        if file.to_string_lossy().ends_with(".motion.json") {
            return Err(value.bad("the end of a CSV file or of a ROS trajectory is known here; write joint values for other programs"));
        }
        let referred =
            |error: ImportError| error.referred("the program before".to_owned(), &value.place());
        if events::any_beside(&file) {
            return Err(value
                .bad("the program before has events, which may move joints: write joint values"));
        }
        let several = many::names(&file, &Layout::default()).map_err(referred)?;
        if several.is_some() || many::place(&file).is_some() {
            return Err(value.bad("a file of many programs has many ends: write joint values, or name a file of one program"));
        }
        let program = crate::program::load(&file).map_err(referred)?;
        Ok((file, program))
    }

    /// A state of the SRDF, by its name, or by those of group and state.
    pub(in crate::cell) fn state(
        &self,
        value: &TableValue,
        robot: usize,
    ) -> Result<&NamedState, ImportError> {
        let name = value.name()?;
        let states = &self.builder.loaded.robots[robot].states;
        let whole = |s: &NamedState| format!("{}/{}", s.group, s.name);
        let named: Vec<&NamedState> = states
            .iter()
            .filter(|s| s.name == name || whole(s) == name)
            .collect();
        match named.as_slice() {
            [state] => Ok(state),
            [] => {
                let names: Vec<String> = states.iter().map(whole).collect();
                let known = states.iter().map(|s| s.name.as_str());
                let known = known.chain(names.iter().map(String::as_str));
                let known = once_each(known);
                Err(value.error(Problem::UnknownName {
                    what: "state of the SRDF",
                    name: name.to_owned(),
                    remedy: if states.is_empty() {
                        "name the robot's `srdf`, or write joint values: `{ joint = value }`".into()
                    } else {
                        format!(
                            "{}, or write joint values: `{{ joint = value }}`",
                            suggestion(name, known.iter().copied())
                        )
                    },
                }))
            }
            several => {
                let names: Vec<String> =
                    several.iter().map(|s| format!("`{}`", whole(s))).collect();
                let names = once_each(names.iter().map(String::as_str));
                Err(value.bad(match names[..] {
                    [one] => format!("{one} stands more than once in the SRDF: keep one of them"),
                    _ => format!(
                        "several groups have a state of this name: write one of {}",
                        names.join(", ")
                    ),
                }))
            }
        }
    }

    /// Joint values: a state of the SRDF, or a table.
    pub(super) fn posture(
        &mut self,
        value: &TableValue,
        robot: usize,
    ) -> Result<Vec<(JointId, f64)>, ImportError> {
        if value.string().is_ok() {
            let (state, cell) = (self.state(value, robot)?, &self.builder.loaded.cell);
            let of = |id| state.values.iter().find(|(joint, _)| *joint == id);
            let value_of = |id| of(id).map_or(cell.rest[id], |&(_, q)| q);
            return match state.follower_elsewhere(cell, value_of) {
                Some(why) => {
                    Err(value.bad(format!("{why}: correct the SRDF, or write joint values")))
                }
                None => Ok(state.values.clone()),
            };
        }
        let mut values = Vec::new();
        for value in value.free_table("joint values")?.entries() {
            let id = self.joint(&value, value.key, robot)?;
            values.push((id, self.length_or_angle(&value, id)?));
        }
        Ok(values)
    }
}

/// Names in their order, without those that came before.
fn once_each<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut seen = HashSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

/// A value for each joint, or which one has none.
pub(super) fn complete(
    value: &TableValue,
    ids: &[JointId],
    values: &[(JointId, f64)],
    cell: &Cell,
) -> Result<Vec<f64>, ImportError> {
    let of = |id: &JointId| values.iter().find(|(j, _)| j == id).map(|(_, v)| *v);
    match ids.iter().find(|id| of(id).is_none()) {
        Some(&id) => Err(value.error(Problem::Syntax {
            cause: format!(
                "`{}` has no value for `{}`",
                value.key, cell.joints[id].name
            ),
            remedy: "give one for each joint of the controller".into(),
        })),
        None => Ok(ids.iter().filter_map(of).collect()),
    }
}
