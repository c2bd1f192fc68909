//! The arm that a program moves, and what the cell says of its controller: how joints are counted,
//! and from where poses are stated. What the cell does not say is asked for.

mod counting;
mod model_difference;
mod sides;

use nalgebra::Isometry3;

use counting::has_parallel_rod;
pub use model_difference::{PointDifference, TOLERANCE_M, TOLERANCE_RAD, model_difference, shown};

use clearance_formats::controller::{Controller, ControllerFile, ControllerJoint};
use clearance_formats::{LoadedCell, LoadedRobot, Problem};
use clearance_proof::model::moves::Frame;
use clearance_proof::model::{BodyId, Cell, JointId, JointKind, Role, matches};

/// In what a program counts joint values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointUnit {
    /// Radians, and metres.
    Radians,
    /// Degrees, and millimetres.
    Degrees,
    /// Pulses, as many for a degree (or millimetre) as the cell says.
    Pulses,
}

/// The arm, and what is known of its controller.
#[derive(Debug, Clone)]
pub struct ControlledArm<'c> {
    cell: &'c Cell,
    robot: usize,
    settings: Option<&'c Controller>,
    /// What the cell states of where programs begin.
    stated_start: &'c [(JointId, f64)],
    joints: Vec<ControllerJoint>,
    ids: Vec<JointId>,
    start: Option<Vec<f64>>,
    /// Whether its name is that of an arm whose forearm is moved by a rod beside the upper arm.
    has_parallel_rod: bool,
}

/// Where the cell says that programs begin, one value for each of these joints; nothing where one
/// of them has none.
fn start_of(stated: &[(JointId, f64)], ids: &[JointId]) -> Option<Vec<f64>> {
    let of = |id: &JointId| {
        stated
            .iter()
            .find(|(j, _)| j == id)
            .map(|(_, value)| *value)
    };
    (!stated.is_empty()).then(|| ids.iter().map(of).collect())?
}

/// What has to hold of something that a cell calls still.
pub(crate) const STILL: &str = "neither moves the arm nor sets what this program reads (variables, registers, positions, tools)";

impl<'c> ControlledArm<'c> {
    /// The controller of a robot of the cell; without a name, of the only one.
    ///
    /// # Errors
    /// When there is no such robot, several to choose from, or a joint that is not the robot's.
    pub fn of(loaded: &'c LoadedCell, robot: Option<&str>) -> Result<Self, Problem> {
        let cell = &loaded.cell;
        let names = || cell.robots.iter().map(|r| format!("`{}`", r.name));
        let listed = || names().collect::<Vec<_>>().join(", ");
        let robot = match robot {
            Some(name) => (cell.robots.iter().position(|r| r.name == name)).ok_or_else(|| {
                Problem::UnknownName {
                    what: "robot",
                    name: name.to_owned(),
                    remedy: format!("the cell has {}", listed()),
                }
            })?,
            None if cell.robots.len() == 1 => 0,
            None => {
                return Err(Problem::Syntax {
                    cause: "the program does not say which robot it moves".into(),
                    remedy: format!("write ROBOT=FILE; the cell has {}", listed()),
                });
            }
        };
        let LoadedRobot {
            urdf_name,
            controller,
            start: stated_start,
            ..
        } = &loaded.robots[robot];
        let file = cell.robots[robot].urdf.file_stem().unwrap_or_default();
        let has_parallel_rod =
            has_parallel_rod(urdf_name) || has_parallel_rod(&file.to_string_lossy());
        let settings = controller.as_ref();
        let own = (0..cell.joints.len()).filter(|&j| {
            let joint = &cell.joints[j];
            joint.robot == robot && joint.mimic.is_none()
        });
        let joints = match settings {
            Some(settings) if !settings.joints.is_empty() => settings.joints.clone(),
            _ => own
                .map(|j| ControllerJoint {
                    name: cell.joints[j].name.clone(),
                    sign: 1.0,
                    offset: 0.0,
                    pulses: None,
                    coupled: Vec::new(),
                })
                .collect(),
        };
        let id = |name: &str| {
            let of = |j: &clearance_proof::model::Joint| j.robot == robot && j.name == name;
            cell.joints.iter().position(of)
        };
        let ids = (joints.iter())
            .map(|joint| {
                id(&joint.name).ok_or_else(|| Problem::UnknownName {
                    what: "joint",
                    name: joint.name.clone(),
                    remedy: "`joints` of the controller are joints of its robot".into(),
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let start = start_of(stated_start, &ids);
        Ok(Self {
            cell,
            robot,
            settings,
            stated_start,
            joints,
            ids,
            start,
            has_parallel_rod,
        })
    }

    /// The same with those joints only whose names end so, in this order, where the cell names none
    /// and there is one of each: controllers whose joints have names that are known leave out those
    /// of a gripper.
    pub fn narrowed(&self, endings: &[&str]) -> Self {
        if self.states_joints() {
            return self.clone();
        }
        let with = |ending: &&str| {
            let mut found =
                (0..self.joints.len()).filter(|&k| self.joints[k].name.ends_with(*ending));
            found.next().filter(|_| found.next().is_none())
        };
        let Some(places) = endings.iter().map(with).collect::<Option<Vec<usize>>>() else {
            return self.clone();
        };
        let ids: Vec<JointId> = places.iter().map(|&k| self.ids[k]).collect();
        Self {
            joints: places.iter().map(|&k| self.joints[k].clone()).collect(),
            start: start_of(self.stated_start, &ids),
            ids,
            ..self.clone()
        }
    }

    /// The controller's settings in the cell, if the cell has any.
    pub fn settings(&self) -> Option<&'c Controller> {
        self.settings
    }

    /// The controller's own files that the cell names.
    pub fn files(&self) -> &'c [ControllerFile] {
        self.settings.map_or(&[], |settings| &settings.files)
    }

    /// Whether the cell says how the controller counts its joints. If not, they are those of the
    /// URDF in its order, and that is right for languages only whose controllers count like this
    /// always.
    pub fn states_joints(&self) -> bool {
        self.settings
            .is_some_and(|settings| !settings.joints.is_empty())
    }

    /// The cell that it stands in.
    pub(crate) fn cell(&self) -> &'c Cell {
        self.cell
    }

    /// How many joints it has.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Its joints in its order, as the URDF names them.
    pub fn joint_names(&self) -> Vec<String> {
        self.joints.iter().map(|j| j.name.clone()).collect()
    }

    /// The robot's name in a cell that has several.
    pub fn robot_name(&self) -> Option<String> {
        let name = &self.cell.robots[self.robot].name;
        (!name.is_empty()).then(|| name.clone())
    }

    /// Joint values before the first move.
    pub fn start(&self) -> Option<Vec<f64>> {
        self.start.clone()
    }

    /// Joint values of the URDF from those of the controller, one for each of its joints.
    ///
    /// # Errors
    /// When their number is not that of the joints, or pulses are not settings. The sentence says what
    /// to do.
    pub(crate) fn to_urdf(&self, values: &[f64], counted: JointUnit) -> Result<Vec<f64>, String> {
        if values.len() != self.joints.len() {
            return Err(format!(
                "there are {} joint values, and the robot has {} joints; name those of its controller by `joints = […]`",
                values.len(),
                self.joints.len()
            ));
        }
        let mut own = Vec::with_capacity(values.len());
        for (k, (&value, joint)) in values.iter().zip(&self.joints).enumerate() {
            let slides = self.cell.joints[self.ids[k]].kind == JointKind::Prismatic;
            let degrees = |value: f64| {
                if slides {
                    value / 1e3
                } else {
                    value.to_radians()
                }
            };
            let value = match (counted, joint.pulses) {
                (JointUnit::Radians, _) => value,
                (JointUnit::Degrees, _) => degrees(value),
                (JointUnit::Pulses, Some(pulses)) => degrees(value / pulses),
                (JointUnit::Pulses, None) => {
                    return Err(format!(
                        "how many pulses of `{name}` are a degree is not known; in the robot's `controller` write `joints = [{{ joint = \"{name}\", pulses = … }}, …]`",
                        name = joint.name
                    ));
                }
            };
            own.push(joint.sign * (value - joint.offset));
        }
        let coupled = (self.joints.iter().zip(&own)).map(|(joint, &value)| {
            let along = joint.coupled.iter();
            value + along.map(|c| c.factor * own[c.joint]).sum::<f64>()
        });
        Ok(coupled.collect())
    }

    /// The frame that the controller takes for the robot's own: as the cell says, else the link
    /// `default`, if the robot has it.
    ///
    /// # Errors
    /// When neither is there.
    pub(crate) fn base(&self, default: Option<&str>) -> Result<Frame, String> {
        let stated = self.settings.and_then(|settings| settings.base.clone());
        self.frame_or(stated, default, "base")
    }

    /// The frame that the controller takes for the end of the arm: as the cell says, else the link
    /// `default`, if the robot has it.
    ///
    /// # Errors
    /// When neither is there.
    pub(crate) fn flange(&self, default: Option<&str>) -> Result<Frame, String> {
        let stated = self.settings.and_then(|settings| settings.flange.clone());
        self.frame_or(stated, default, "flange")
    }

    fn frame_or(
        &self,
        stated: Option<Frame>,
        default: Option<&str>,
        what: &str,
    ) -> Result<Frame, String> {
        let default = default.filter(|link| self.link(link).is_some());
        let default = default.map(|link| Frame {
            link: link.to_owned(),
            link_from_frame: Isometry3::identity(),
        });
        stated.or(default).ok_or_else(|| {
            format!("the cell does not say which link is the controller's {what}; write `{what} = \"LINK\"` in the robot's `controller`")
        })
    }

    /// A frame of that number or name.
    pub fn frame(&self, name: &str) -> Option<&'c Frame> {
        self.settings.and_then(|settings| settings.frames.get(name))
    }

    /// A tool of that number or name, in the flange.
    pub fn tool(&self, name: &str) -> Option<Isometry3<f64>> {
        self.settings
            .and_then(|settings| settings.tools.get(name).copied())
    }

    /// Whether the cell says that a function, job or node of this name is still: it neither moves the
    /// arm nor sets what the program reads.
    pub fn is_still(&self, name: &str) -> bool {
        // All languages but those of Universal Robots take capitals and small letters for the same.
        let tells_apart = self
            .settings
            .is_some_and(|settings| settings.dialect == "ur");
        let patterns = self
            .settings
            .into_iter()
            .flat_map(|settings| &settings.still);
        patterns.into_iter().any(|p| {
            let same = || matches(&p.to_lowercase(), &name.to_lowercase());
            matches(p, name) || !tells_apart && same()
        })
    }

    /// Whether it says so by the name itself, and not by a pattern only.
    pub fn is_still_by_name(&self, name: &str) -> bool {
        (self.settings).is_some_and(|settings| settings.still.iter().any(|still| still == name))
    }

    /// The same, whether in capitals or small letters.
    pub(crate) fn is_still_in_full(&self, name: &str) -> bool {
        let is_name = |still: &String| still.eq_ignore_ascii_case(name);
        (self.settings).is_some_and(|settings| settings.still.iter().any(is_name))
    }

    /// Whether the cell leaves a group of axes out, whatever it does.
    pub fn leaves_out(&self, group: u32) -> bool {
        let group = format!("GP{group}");
        (self.settings).is_some_and(|settings| settings.not_modelled.contains_key(&group))
    }

    /// The body of a link.
    fn link(&self, name: &str) -> Option<BodyId> {
        let prefix = &self.cell.robots[self.robot].name;
        let full = if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}/{name}")
        };
        let robot = self.robot;
        let of = |body: &clearance_proof::model::Body| {
            matches!(body.role, Role::Link { robot: r } if r == robot) && body.name == full
        };
        self.cell.bodies.iter().position(of)
    }

    /// The pose of a tool in a frame at joint values of the URDF, in the controller's order.
    ///
    /// # Errors
    /// When a link is not the robot's.
    pub(crate) fn pose(
        &self,
        joints: &[f64],
        tool: &Frame,
        frame: &Frame,
    ) -> Result<Isometry3<f64>, String> {
        Ok(self.pose_in_world(joints, frame)?.inverse() * self.pose_in_world(joints, tool)?)
    }

    /// The pose of a tool in the world at joint values of the URDF, in the controller's order.
    ///
    /// # Errors
    /// When the link of the tool is not the robot's.
    pub(crate) fn pose_in_world(
        &self,
        joints: &[f64],
        tool: &Frame,
    ) -> Result<Isometry3<f64>, String> {
        let body = self.known_link(&tool.link)?;
        let pose = self.cell.body_pose(&self.placed(joints), body);
        Ok(pose * tool.link_from_frame)
    }

    /// Where all joints of the cell stand at joint values of the URDF, in the controller's order.
    fn placed(&self, joints: &[f64]) -> Vec<Isometry3<f64>> {
        let mut q = self.cell.rest.clone();
        for (&id, &value) in self.ids.iter().zip(joints) {
            q[id] = value;
        }
        self.cell.resolve_mimic(&mut q);
        self.cell.forward(&q)
    }

    fn known_link(&self, name: &str) -> Result<BodyId, String> {
        (self.link(name)).ok_or_else(|| format!("the robot has no link `{name}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_formats::controller::Coupling;
    use clearance_proof::model::{Joint, Limits};
    use clearance_proof::report::Location;
    use nalgebra::Vector3;

    /// Two joints about z and one that slides, with a controller that counts them backwards, from
    /// elsewhere, and coupled.
    fn cell() -> LoadedCell {
        let mut cell = Cell::with_one_robot();
        for (name, kind) in [
            ("a", JointKind::Revolute),
            ("b", JointKind::Revolute),
            ("c", JointKind::Prismatic),
        ] {
            cell.add_joint(Joint {
                name: name.into(),
                robot: 0,
                parent: None,
                parent_from_joint: Isometry3::identity(),
                axis: Vector3::z_axis(),
                kind,
                limits: Limits::default(),
                mimic: None,
            });
        }
        let joint = |name: &str, sign, offset, coupled: &[Coupling]| ControllerJoint {
            name: name.into(),
            sign,
            offset,
            pulses: Some(100.0),
            coupled: coupled.to_vec(),
        };
        let along = Coupling {
            joint: 0,
            factor: 1.0,
        };
        let mut loaded = LoadedCell::of(cell);
        loaded.robots[0].controller = Some(Controller {
            place: Location::file("cell.toml".as_ref()),
            dialect: "fanuc".into(),
            joints: vec![
                joint("b", -1.0, 0.0, &[]),
                joint("a", 1.0, 0.5, &[along]),
                joint("c", 1.0, 0.0, &[]),
            ],
            base: None,
            flange: None,
            frames: Default::default(),
            tools: Default::default(),
            files: vec![],
            still: vec![],
            not_modelled: Default::default(),
            points: Vec::new(),
            books_model_difference: true,
            home: None,
        });
        loaded
    }

    #[test]
    fn values_are_mapped_by_sign_offset_coupling_and_unit() {
        let cell = cell();
        let controller = ControlledArm::of(&cell, None).unwrap();
        assert_eq!(controller.joint_names(), ["b", "a", "c"]);
        let near = |got: Result<Vec<f64>, String>, right: [f64; 3]| {
            let got = got.unwrap();
            assert!(
                got.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-12),
                "{got:?}"
            );
        };
        // r = (−0.2, 0.9 − 0.5), and `a` goes along with `b`.
        let radians = controller.to_urdf(&[0.2, 0.9, 0.3], JointUnit::Radians);
        near(radians, [-0.2, 0.2, 0.3]);
        let degrees = [0.2_f64.to_degrees(), 0.9_f64.to_degrees(), 300.0];
        near(
            controller.to_urdf(&degrees, JointUnit::Degrees),
            [-0.2, 0.2, 0.3],
        );
        near(
            controller.to_urdf(&degrees.map(|d| 100.0 * d), JointUnit::Pulses),
            [-0.2, 0.2, 0.3],
        );
        assert!(controller.to_urdf(&[0.2, 0.9], JointUnit::Radians).is_err());
        let mut silent = cell.clone();
        silent.robots[0].controller = None;
        let controller = ControlledArm::of(&silent, None).unwrap();
        let said = controller
            .to_urdf(&[0.0; 3], JointUnit::Pulses)
            .unwrap_err();
        assert!(said.contains("pulses of `a`"), "{said}");
    }
}
