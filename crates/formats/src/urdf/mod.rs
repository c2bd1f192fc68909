//! URDF.
//!
//! The DOM (roxmltree) is what is read, and urdf-rs reads the same text a second time as a check
//! that both understood the same robot. The other way round would be unsound: urdf-rs drops words
//! that it cannot parse (`0 0, 0 1` is three numbers to it), forgets where anything stood, and
//! never sees elements that it does not know.

mod describe;
mod misplaced;
mod second_reading;
mod tree;

use clearance_proof::model::{Form, JointKind, Limits};
use clearance_proof::report::{Code, Severity};
use nalgebra::{Isometry3, Unit, Vector3};

use super::xml::XmlText;
use super::{ImportError, Location};

pub(crate) use tree::UrdfTree;

/// The content of a URDF, names not yet looked up.
#[derive(Debug)]
pub(crate) struct Description {
    pub(crate) root: Location,
    /// Its `name`; empty: none.
    pub(crate) name: String,
    pub(crate) links: Vec<UrdfLink>,
    pub(crate) joints: Vec<UrdfJoint>,
    /// Notes.
    pub(crate) notes: Vec<UrdfNote>,
    /// What can hardly be meant as it is read.
    pub(crate) doubts: Vec<UrdfDoubt>,
}

/// Something in a URDF that can hardly be meant as it is read.
#[derive(Debug)]
pub(crate) struct UrdfDoubt {
    pub(crate) code: Code,
    pub(crate) place: Location,
    pub(crate) why: String,
    pub(crate) severity: Severity,
}

/// A note about a URDF, before its robot has a name in a cell.
#[derive(Debug)]
pub(crate) struct UrdfNote {
    pub(crate) code: Code,
    pub(crate) subject: UrdfSubject,
    pub(crate) message: String,
}

/// The subject of a note.
#[derive(Debug)]
pub(crate) enum UrdfSubject {
    /// A joint, by name.
    Joint(String),
    /// A place in the file.
    Location(Location),
}

#[derive(Debug)]
pub(crate) struct UrdfLink {
    pub(crate) name: String,
    pub(crate) place: Location,
    pub(crate) collisions: Vec<UrdfGeometry>,
    /// Read only on request: a broken `<visual>` harms nobody who does not use it.
    pub(crate) visuals: Vec<UrdfGeometry>,
    pub(crate) has_visual: bool,
    /// What its `<inertial>` states; 0: nothing that can be read.
    pub(crate) mass_kg: f64,
}

/// One `<collision>` or `<visual>`.
#[derive(Debug)]
pub(crate) struct UrdfGeometry {
    pub(crate) name: String,
    pub(crate) link_from_shape: Isometry3<f64>,
    pub(crate) outline: Outline,
    /// Place of the geometry.
    pub(crate) place: Location,
}

#[derive(Debug)]
pub(crate) enum Outline {
    /// `None`: no scale is stated.
    Mesh {
        uri: String,
        scale: Option<Vector3<f64>>,
    },
    Primitive(Form),
}

#[derive(Debug)]
pub(crate) struct UrdfJoint {
    pub(crate) name: String,
    pub(crate) place: Location,
    /// `None`: fixed.
    pub(crate) kind: Option<JointKind>,
    pub(crate) parent: (String, Location),
    pub(crate) child: (String, Location),
    pub(crate) parent_from_joint: Isometry3<f64>,
    pub(crate) axis: Unit<Vector3<f64>>,
    pub(crate) limits: Limits,
    pub(crate) mimic: Option<MimicTag>,
}

#[derive(Debug)]
pub(crate) struct MimicTag {
    pub(crate) joint: String,
    pub(crate) multiplier: f64,
    pub(crate) offset: f64,
    pub(crate) place: Location,
}

/// The content of a URDF; geometry of `<visual>` only when it is asked for.
pub(crate) fn read(xml: &XmlText, visuals: bool) -> Result<Description, ImportError> {
    let mut description = describe::describe(xml, visuals)?;
    second_reading::compare(xml, &mut description)?;
    Ok(description)
}

/// Why angles of a pose can hardly be radians: one of them is more than a full turn.
pub(crate) fn degrees_taken_for_radians(what: &str, angles: &[f64]) -> Option<String> {
    let large = beyond_a_turn(angles)?;
    Some(format!(
        "{what} is {large} rad, more than a full turn: if degrees are meant, it is {:.4} rad",
        large.to_radians()
    ))
}

/// The first angle that is more than a full turn.
pub(crate) fn beyond_a_turn(angles: &[f64]) -> Option<f64> {
    // A full turn that was rounded up is one.
    let is_large = |a: &&f64| a.abs() > std::f64::consts::TAU + 0.01;
    angles.iter().find(is_large).copied()
}

/// Orientation from roll, pitch, yaw: R = Rz(yaw)·Ry(pitch)·Rx(roll).
pub(crate) fn pose(xyz: [f64; 3], [roll, pitch, yaw]: [f64; 3]) -> Isometry3<f64> {
    Isometry3::from_parts(
        nalgebra::Translation3::new(xyz[0], xyz[1], xyz[2]),
        nalgebra::UnitQuaternion::from_euler_angles(roll, pitch, yaw),
    )
}

#[cfg(test)]
mod tests;
