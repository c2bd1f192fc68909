//! The cell: everything that stands or moves in it, as one flat forest of joints and a list of bodies.

use std::path::PathBuf;
use std::sync::Arc;

use nalgebra::{Isometry3, Unit, Vector3};

use crate::geometry::mesh::Mesh;

/// Index into [`Cell::joints`].
pub type JointId = usize;
/// Index into [`Cell::bodies`].
pub type BodyId = usize;

/// What a joint does with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointKind {
    /// Turns about its axis between limits (radians).
    Revolute,
    /// Turns about its axis without limits (radians); values are never wrapped.
    Continuous,
    /// Slides along its axis (metres).
    Prismatic,
}

/// Limits that the URDF and a file of joint limits state; absent ones are not checked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// Least and greatest position, radians or metres.
    pub position: Option<(f64, f64)>,
    /// Greatest speed, rad/s or m/s.
    pub velocity: Option<f64>,
    /// Greatest acceleration, speeding up or slowing down, rad/s² or m/s².
    pub acceleration: Option<f64>,
}

/// A joint whose value follows another one: `multiplier * q[source] + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mimic {
    /// The joint that is followed; itself not a mimic joint (chains are resolved on import).
    pub source: JointId,
    /// Factor.
    pub multiplier: f64,
    /// Radians or metres.
    pub offset: f64,
}

/// A movable joint. Fixed joints are folded into the poses of what they carry.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Name in the URDF.
    pub name: String,
    /// Index into [`Cell::robots`].
    pub robot: usize,
    /// Nearest movable joint towards the base; it stands earlier in the list. `None`: fixed to the world.
    pub parent: Option<JointId>,
    /// Pose of this joint's frame at value 0 in the parent's moving frame (or the world).
    pub parent_from_joint: Isometry3<f64>,
    /// Axis in the joint's frame.
    pub axis: Unit<Vector3<f64>>,
    /// What the value does.
    pub kind: JointKind,
    /// What the URDF allows.
    pub limits: Limits,
    /// Set when the value follows another joint.
    pub mimic: Option<Mimic>,
}

/// The outer form of a body's shape, in the shape's own frame (metres; cylinder, capsule and cone along z, centred).
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// Triangles from a file, scale already applied.
    Mesh {
        /// The triangles.
        mesh: Arc<Mesh>,
        /// File that they came from.
        file: PathBuf,
    },
    /// Full edge lengths.
    Box {
        /// Along x, y, z.
        size: Vector3<f64>,
    },
    /// Ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Cylinder along z.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Full length.
        length: f64,
    },
    /// Cylinder with half balls on both ends; `length` is that of the cylinder between them.
    Capsule {
        /// Radius.
        radius: f64,
        /// Length between the centres of the two half balls.
        length: f64,
    },
}

/// One rigid piece of geometry on a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Name of the `<collision>` element where it has one, else empty.
    pub name: String,
    /// Pose in the body's frame.
    pub body_from_shape: Isometry3<f64>,
    /// Its form.
    pub form: Form,
    /// Whether the inside counts as material: `None` decides from the mesh (closed or not).
    pub solid: Option<bool>,
    /// Whether the input says in which unit the mesh is: a `scale` in the cell file, or one other than 1 in the URDF.
    pub scaled: bool,
}

/// What a body is in the cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A link of a robot.
    Link {
        /// Index into [`Cell::robots`].
        robot: usize,
    },
    /// A tool or workpiece that a link carries.
    Attached,
    /// Stands still in the cell.
    Obstacle,
}

/// One rigid thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// `robot/link`, bare link name for a single unnamed robot, or the name given in the cell file.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// Joint that it moves with; `None`: fixed to the world.
    pub joint: Option<JointId>,
    /// Pose in that joint's moving frame (or the world).
    pub joint_from_body: Isometry3<f64>,
    /// Link that it hangs on in the URDF tree, or the link that carries an attachment.
    pub parent: Option<BodyId>,
    /// Its geometry; may be empty (a bare frame).
    pub shapes: Vec<Shape>,
}

/// One robot of the cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Robot {
    /// Name in the cell file; empty for a single unnamed robot.
    pub name: String,
    /// URDF file.
    pub urdf: PathBuf,
    /// Named joint values of the SRDF (`group_state`): (group, state, joint values).
    pub states: Vec<NamedState>,
}

/// A named state of an SRDF group.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedState {
    /// Group.
    pub group: String,
    /// State.
    pub name: String,
    /// Joint values, radians or metres.
    pub values: Vec<(JointId, f64)>,
}

/// Who allows a pair to touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedBy {
    /// `disable_collisions` of an SRDF.
    Srdf(PathBuf),
    /// `[[allow]]` in the cell file.
    Cell,
    /// `touch` of an `[[attach]]`.
    Touch,
    /// An event of the program: its file and line.
    Event(PathBuf, usize),
}

/// A pair of bodies (or patterns, `*` matching any text) that is not checked, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// Body name or pattern.
    pub a: String,
    /// Body name or pattern.
    pub b: String,
    /// Stated reason, may be empty.
    pub reason: String,
    /// Who says so.
    pub by: AllowedBy,
}

/// A pair in an SRDF that names links which the robot lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleAllowance {
    /// What it says.
    pub allowance: Allowance,
    /// Line in the SRDF, 1-based.
    pub line: usize,
    /// The names that nothing has.
    pub missing: Vec<String>,
}

/// A threshold of its own for the pairs that match.
#[derive(Debug, Clone, PartialEq)]
pub struct PairThreshold {
    /// Body name or pattern.
    pub a: String,
    /// Body name or pattern.
    pub b: String,
    /// Threshold D, metres.
    pub clearance: f64,
    /// Warn distance, metres: nearer than it is a near miss.
    pub warn: Option<f64>,
}

/// `[check]` of the cell file.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CheckSettings {
    /// Threshold D, metres.
    pub clearance: Option<f64>,
    /// Warn distance, metres: nearer than it is a near miss.
    pub warn: Option<f64>,
    /// Resolution, metres.
    pub resolution: Option<f64>,
    /// Whether joint limits are checked too.
    pub limits: Option<bool>,
}

/// Something that a reader of the report must know was not checked, or was found on the way in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Body, file or joint that it is about.
    pub what: String,
    /// What about it.
    pub why: String,
    /// Whether it leaves the question open: the verdict can then not be better than `unverified`.
    pub open: bool,
}

/// Everything that is verified, except the program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    /// Cell file, or the URDF in the single-robot short form.
    pub source: PathBuf,
    /// Every file that was read, in the order of reading.
    pub files: Vec<PathBuf>,
    /// Robots.
    pub robots: Vec<Robot>,
    /// Movable joints of all robots, parents before children.
    pub joints: Vec<Joint>,
    /// Links, attachments, obstacles.
    pub bodies: Vec<Body>,
    /// Value of every joint that a program does not move (mimic joints resolved), radians or metres.
    pub rest: Vec<f64>,
    /// Contacts that are allowed.
    pub allowed: Vec<Allowance>,
    /// Pairs of SRDFs that name a link which the robot lacks: they allow nothing.
    pub stale: Vec<StaleAllowance>,
    /// Pairs with a threshold of their own; the last one that matches counts.
    pub thresholds: Vec<PairThreshold>,
    /// Settings from the cell file.
    pub settings: CheckSettings,
    /// What is not checked (links without collision geometry, visual-only links, …).
    pub unchecked: Vec<Remark>,
    /// What was noticed on the way in and does not leave anything unchecked (stale SRDF names, dropped triangles, …).
    pub notes: Vec<Remark>,
}

impl Cell {
    /// The body of that name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name)
    }

    /// Name of a joint as programs and reports use it: `robot/joint` with several robots, else the bare name.
    pub fn joint_label(&self, joint: JointId) -> String {
        let joint = &self.joints[joint];
        match self.robots.get(joint.robot) {
            Some(robot) if self.robots.len() > 1 && !robot.name.is_empty() => {
                format!("{}/{}", robot.name, joint.name)
            }
            _ => joint.name.clone(),
        }
    }

    /// The joints that a name in a program can mean: `robot/joint` names one, a bare name may occur in several robots.
    pub fn joints_named(&self, name: &str) -> Vec<JointId> {
        let full = |joint: &Joint| {
            let robot = self.robots.get(joint.robot).map_or("", |r| r.name.as_str());
            !robot.is_empty()
                && name
                    .strip_prefix(robot)
                    .and_then(|rest| rest.strip_prefix('/'))
                    == Some(joint.name.as_str())
        };
        let matching = |test: &dyn Fn(&Joint) -> bool| -> Vec<JointId> {
            (0..self.joints.len())
                .filter(|&id| test(&self.joints[id]))
                .collect()
        };
        let qualified = matching(&full);
        if qualified.is_empty() {
            matching(&|joint| joint.name == name)
        } else {
            qualified
        }
    }
}
