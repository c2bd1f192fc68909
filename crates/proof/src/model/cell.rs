//! The cell: everything that stands or moves in it, as one flat forest of joints and a list of
//! bodies.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use nalgebra::{Isometry3, Unit, Vector3};
use smallvec::SmallVec;

use super::Uncertainty;
use crate::geometry::cloud::Cloud;
use crate::geometry::mesh::Mesh;
use crate::geometry::primitive::cylinder_excess;
use crate::report::{Diagnostic, Location};

/// Index into [`Cell::joints`].
pub type JointId = usize;
/// Index into [`Cell::bodies`].
pub type BodyId = usize;

/// How a joint moves with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointKind {
    /// Turns about its axis between limits (radians).
    Revolute,
    /// Turns about its axis without limits (radians); values are never wrapped.
    Continuous,
    /// Slides along its axis (metres).
    Prismatic,
}

impl JointKind {
    /// A value of such a joint as people read it: degrees or millimetres, four significant digits.
    pub fn show(self, value: f64) -> String {
        match self {
            JointKind::Prismatic => format!("{} mm", four_digits(value * 1e3)),
            JointKind::Revolute | JointKind::Continuous => {
                format!("{}°", four_digits(value.to_degrees()))
            }
        }
    }
}

fn four_digits(value: f64) -> String {
    let before = match value.abs() {
        x if x > 0.0 => x.log10().floor(),
        _ => 0.0,
    };
    let behind = (3.0 - before).clamp(0.0, 6.0) as usize;
    let text = format!("{value:.behind$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    match text {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
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
    /// Nearest movable joint towards the base; it stands earlier in the list. `None`: fixed to the
    /// world.
    pub parent: Option<JointId>,
    /// Pose of this joint's frame at value 0 in the parent's moving frame (or the world).
    pub parent_from_joint: Isometry3<f64>,
    /// Axis in the joint's frame.
    pub axis: Unit<Vector3<f64>>,
    /// How the joint moves with its value.
    pub kind: JointKind,
    /// The limits that the URDF states.
    pub limits: Limits,
    /// Set when the value follows another joint.
    pub mimic: Option<Mimic>,
}

/// The outer form of a body's shape, in the shape's own frame (metres; cylinder, capsule and cone
/// along z, centred).
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// Triangles from a file, scale already applied.
    Mesh {
        /// The triangles.
        mesh: Arc<Mesh>,
        /// File that they came from.
        file: PathBuf,
    },
    /// Balls about the points of a file.
    Cloud {
        /// The balls.
        cloud: Arc<Cloud>,
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
    /// Cone along z, centred, its tip up.
    Cone {
        /// Radius of its base.
        radius: f64,
        /// Full length, from base to tip.
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

impl Form {
    /// How much larger than itself it is checked, at most, metres.
    pub fn excess(&self) -> f64 {
        match *self {
            Form::Cylinder { radius, .. } | Form::Cone { radius, .. } => cylinder_excess(radius),
            Form::Mesh { .. }
            | Form::Cloud { .. }
            | Form::Box { .. }
            | Form::Sphere { .. }
            | Form::Capsule { .. } => 0.0,
        }
    }
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
    /// Whether the inside counts as material: `None` decides from the mesh (closed or not). A URDF
    /// has no word for this, so links always have `None`; `Some(true)` on an open mesh closes its
    /// holes ([`crate::check::Checker::new`]).
    pub solid: Option<bool>,
    /// The factors from the numbers of a mesh file to metres, where the input states them: a `scale`
    /// in the cell file, or one other than 1 in the URDF. The mesh has them already.
    pub scale: Option<Vector3<f64>>,
}

/// The role of a body in the cell.
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
    /// Its role.
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
    /// Pose of its base link in the world.
    pub world_from_base: Isometry3<f64>,
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
    /// The allowed collision matrix of a scene: its file and line.
    Scene(PathBuf, usize),
    /// `touch_links` of an attached object of a scene: its file and line. The object may no longer
    /// touch them once it is released.
    SceneTouch(PathBuf, usize),
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
    /// Where the cell file has it.
    pub place: Option<Location>,
}

/// Everything that is verified, except the program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    /// Cell file, or the URDF in the single-robot short form.
    pub source: PathBuf,
    /// Robots.
    pub robots: Vec<Robot>,
    /// Movable joints of all robots, parents before children.
    pub joints: Vec<Joint>,
    /// Fixed joints, by robot (index) and name: no program moves them, and messages say so.
    pub fixed: Vec<(usize, String)>,
    /// Links, attachments, obstacles.
    pub bodies: Vec<Body>,
    /// Where the input names a body, for those that come from a file.
    pub places: BTreeMap<BodyId, Location>,
    /// Value of every joint that a program does not move (mimic joints resolved), radians or
    /// metres.
    pub rest: Vec<f64>,
    /// Contacts that are allowed.
    pub allowed: Vec<Allowance>,
    /// Pairs of bodies, by name, that somebody asks to check although they are neighbours.
    pub enabled: Vec<[String; 2]>,
    /// Pairs of bodies, the earlier one first, that hang on one joint since an event has put one of
    /// them there: they are checked, for nobody has seen them there before.
    pub put_together: BTreeSet<[BodyId; 2]>,
    /// Pairs with a threshold of their own; the last one that matches counts.
    pub thresholds: Vec<PairThreshold>,
    /// How far the real cell may be off: for every error within it a check has to hold. `None`: not
    /// stated.
    pub uncertainty: Option<Uncertainty>,
    /// Things that are not checked (links without collision geometry, visual-only links, …).
    pub unchecked: Vec<Diagnostic>,
    /// Facts that were noticed while reading and leave nothing unchecked (stale SRDF names, dropped
    /// triangles, …).
    pub notes: Vec<Diagnostic>,
    /// Facts that a reader must see before the verdict is believed: input that can be read in two
    /// ways, sizes and places that can hardly be meant. Each has a code.
    pub notices: Vec<Diagnostic>,
}

impl Cell {
    /// The errors that are allowed for, where there are any.
    pub fn allowed_errors(&self) -> Option<&Uncertainty> {
        self.uncertainty.as_ref().filter(|u| !u.is_none())
    }

    /// The body of that name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name)
    }

    /// Where the input names a body.
    pub fn place(&self, body: BodyId) -> Option<Location> {
        self.places.get(&body).cloned()
    }

    /// Name of a joint as programs and reports use it: `robot/joint` with several robots, else the
    /// bare name.
    pub fn joint_label(&self, joint: JointId) -> String {
        let joint = &self.joints[joint];
        match self.robots.get(joint.robot) {
            Some(robot) if self.robots.len() > 1 && !robot.name.is_empty() => {
                format!("{}/{}", robot.name, joint.name)
            }
            _ => joint.name.clone(),
        }
    }

    /// The joints that a name in a program can mean: as `robot/joint`, or bare. For a few names it
    /// is less work to look at every joint than to build [`JointNames`].
    pub fn joints_named(&self, name: &str) -> SmallVec<[JointId; 2]> {
        // Names of a robot's joints often differ in their last letter only.
        let last = name.as_bytes().last();
        let meant = |joint: &Joint| {
            let own = joint.name.as_str();
            if own.as_bytes().last() != last {
                return false;
            }
            let robot = self.robots.get(joint.robot).map_or("", |r| r.name.as_str());
            let rest = name.strip_prefix(robot).filter(|_| !robot.is_empty());
            own == name || rest.and_then(|rest| rest.strip_prefix('/')) == Some(own)
        };
        let joints = self.joints.iter().enumerate();
        let found = joints.filter(|(_, joint)| meant(joint));
        found.map(|(id, _)| id).collect()
    }

    /// Whether a URDF of the cell has a fixed joint of that name (`robot/joint`, or bare).
    pub fn is_fixed(&self, name: &str) -> bool {
        let bare = name.rsplit('/').next().unwrap_or(name);
        let of_robot = |robot: usize| {
            let robot = self.robots.get(robot).map_or("", |r| r.name.as_str());
            name.strip_suffix(bare)
                .is_some_and(|prefix| prefix.trim_end_matches('/') == robot)
        };
        let mut fixed = self.fixed.iter();
        fixed.any(|(robot, joint)| joint == name || joint == bare && of_robot(*robot))
    }
}

/// The joints that names in a program can mean, each found at once.
#[derive(Debug)]
pub struct JointNames {
    /// By `robot/joint`, for robots that have a name, and by the joint's own name.
    joints: HashMap<String, Vec<JointId>>,
}

impl JointNames {
    /// The names of a cell's movable joints.
    pub fn new(cell: &Cell) -> Self {
        let mut joints: HashMap<String, Vec<JointId>> = HashMap::new();
        for (id, joint) in cell.joints.iter().enumerate() {
            let robot = cell.robots.get(joint.robot).map_or("", |r| r.name.as_str());
            if !robot.is_empty() {
                let full = format!("{robot}/{}", joint.name);
                joints.entry(full).or_default().push(id);
            }
            joints.entry(joint.name.clone()).or_default().push(id);
        }
        Self { joints }
    }

    /// The joints of a name. Several robots may have a joint of a bare name, and the name of a
    /// joint may be that of a robot's joint in full: then more than one is meant.
    pub fn get(&self, name: &str) -> &[JointId] {
        self.joints.get(name).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression: `part/x` was the joint `x` of the robot `part`, and never the joint of another
    /// robot whose own name is that: the one stayed that the program moves.
    #[test]
    fn a_name_means_every_joint_that_has_it() {
        let robot = |name: &str| Robot {
            name: name.to_owned(),
            urdf: PathBuf::new(),
            world_from_base: Isometry3::identity(),
        };
        let joint = |name: &str, robot: usize| Joint {
            name: name.to_owned(),
            robot,
            parent: None,
            parent_from_joint: Isometry3::identity(),
            axis: Vector3::z_axis(),
            kind: JointKind::Prismatic,
            limits: Limits::default(),
            mimic: None,
        };
        let cell = Cell {
            robots: vec![robot(""), robot("part")],
            joints: vec![
                joint("part/x", 0),
                joint("x", 1),
                joint("y", 1),
                joint("x", 0),
            ],
            ..Cell::default()
        };
        let names = JointNames::new(&cell);
        for (name, meant) in [
            ("part/x", &[0, 1][..]),
            ("x", &[1, 3]),
            ("part/y", &[2]),
            ("y", &[2]),
            ("part", &[]),
        ] {
            assert_eq!(cell.joints_named(name)[..], *meant, "{name}");
            assert_eq!(names.get(name), meant, "{name}");
        }
    }

    #[test]
    fn values_of_joints_have_four_digits_and_units_of_people() {
        for (kind, value, shown) in [
            (JointKind::Revolute, 0.523_598_775_598_298_8, "30°"),
            (JointKind::Revolute, -2.617_993_877_991_494, "-150°"),
            (JointKind::Continuous, 1.234_567_890_123, "70.74°"),
            (JointKind::Continuous, -1e-15, "0°"),
            (JointKind::Prismatic, 0.004, "4 mm"),
            (JointKind::Prismatic, 0.000_123_456_7, "0.1235 mm"),
            (JointKind::Prismatic, 1.0 / 3.0, "333.3 mm"),
            (JointKind::Prismatic, 12.345_678, "12346 mm"),
        ] {
            assert_eq!(kind.show(value), shown);
        }
    }
}
