//! The same text read by urdf-rs: two readers that share no code must see the same robot.

use clearance_proof::model::{Form, JointKind};
use clearance_proof::report::Code;
use nalgebra::Vector3;

use super::{Description, Outline, UrdfNote, UrdfSubject, pose};
use crate::xml::XmlText;
use crate::{ImportError, Location, Problem};

/// An error where urdf-rs understood something else; a note where it cannot read the file at all
/// (it refuses much that ROS loads, for example a `<limit>` without velocity).
pub(super) fn compare(xml: &XmlText, description: &mut Description) -> Result<(), ImportError> {
    let robot = match urdf_rs::read_from_string(xml.text()) {
        Ok(robot) => robot,
        Err(error) => {
            let cause = error.to_string().replace('\n', " ");
            description.notes.push(UrdfNote {
                code: Code::ReadOnce,
                subject: UrdfSubject::Location(Location::file(xml.file())),
                message: format!(
                    "urdf-rs cannot read this file ({cause}): it was read once, not compared"
                ),
            });
            return Ok(());
        }
    };
    let ours = &*description;
    same(
        robot.links.len() == ours.links.len(),
        "the number of links",
        &ours.root,
    )?;
    same(
        robot.joints.len() == ours.joints.len(),
        "the number of joints",
        &ours.root,
    )?;
    for (theirs, link) in robot.links.iter().zip(&ours.links) {
        let what = |part: &str| format!("{part} of link `{}`", link.name);
        same(theirs.name == link.name, &what("the name"), &link.place)?;
        same(
            theirs.collision.len() == link.collisions.len(),
            &what("the number of collision shapes"),
            &link.place,
        )?;
        for (theirs, piece) in theirs.collision.iter().zip(&link.collisions) {
            let theirs_pose = pose(*theirs.origin.xyz, *theirs.origin.rpy);
            same(
                close(&theirs_pose, &piece.link_from_shape),
                &what("the origin of a collision shape"),
                &piece.place,
            )?;
            same(
                same_shape(&theirs.geometry, &piece.outline),
                &what("the geometry"),
                &piece.place,
            )?;
        }
    }
    for (theirs, joint) in robot.joints.iter().zip(&ours.joints) {
        let what = |part: &str| format!("{part} of joint `{}`", joint.name);
        let kind = match theirs.joint_type {
            urdf_rs::JointType::Revolute => Some(JointKind::Revolute),
            urdf_rs::JointType::Continuous => Some(JointKind::Continuous),
            urdf_rs::JointType::Prismatic => Some(JointKind::Prismatic),
            _ => None,
        };
        same(theirs.name == joint.name, &what("the name"), &joint.place)?;
        same(kind == joint.kind, &what("the type"), &joint.place)?;
        same(
            theirs.parent.link == joint.parent.0,
            &what("the parent"),
            &joint.place,
        )?;
        same(
            theirs.child.link == joint.child.0,
            &what("the child"),
            &joint.place,
        )?;
        let theirs_pose = pose(*theirs.origin.xyz, *theirs.origin.rpy);
        same(
            close(&theirs_pose, &joint.parent_from_joint),
            &what("the origin"),
            &joint.place,
        )?;
        if kind.is_some() {
            let axis = Vector3::from(*theirs.axis.xyz);
            let axis = (axis / axis.amax()).normalize();
            same(
                (axis - joint.axis.into_inner()).norm() < 1e-9,
                &what("the axis"),
                &joint.place,
            )?;
        }
        let theirs_mimic = theirs.mimic.as_ref().map(|m| {
            (
                m.joint.as_str(),
                m.multiplier.unwrap_or(1.0),
                m.offset.unwrap_or(0.0),
            )
        });
        let mimic = joint
            .mimic
            .as_ref()
            .map(|m| (m.joint.as_str(), m.multiplier, m.offset));
        same(theirs_mimic == mimic, &what("the mimic"), &joint.place)?;
    }
    Ok(())
}

fn close(a: &nalgebra::Isometry3<f64>, b: &nalgebra::Isometry3<f64>) -> bool {
    // Both come from the same digits; quaternions take a detour through angles in urdf-rs.
    let size = 1.0 + a.translation.vector.norm();
    (a.translation.vector - b.translation.vector).norm() <= 1e-9 * size
        && a.rotation.angle_to(&b.rotation) < 1e-6
}

fn same_shape(theirs: &urdf_rs::Geometry, ours: &Outline) -> bool {
    use urdf_rs::Geometry;
    match (theirs, ours) {
        (Geometry::Mesh { filename, scale }, Outline::Mesh { uri, scale: ours }) => {
            let ours = ours.map_or([1.0; 3], <[f64; 3]>::from);
            filename == uri && scale.as_ref().map_or([1.0; 3], |s| **s) == ours
        }
        (theirs, Outline::Primitive(form)) => match (theirs, form) {
            (Geometry::Box { size }, Form::Box { size: ours }) => **size == <[f64; 3]>::from(*ours),
            (Geometry::Sphere { radius }, Form::Sphere { radius: r }) => radius == r,
            (
                Geometry::Cylinder { radius, length },
                Form::Cylinder {
                    radius: r,
                    length: l,
                },
            )
            | (
                Geometry::Capsule { radius, length },
                Form::Capsule {
                    radius: r,
                    length: l,
                },
            ) => radius == r && length == l,
            _ => false,
        },
        _ => false,
    }
}

fn same(agree: bool, what: &str, place: &Location) -> Result<(), ImportError> {
    if agree {
        return Ok(());
    }
    Err(ImportError {
        place: place.clone(),
        problem: Problem::Syntax {
            cause: format!("two independent readers understand {what} differently"),
            remedy: "write it in the plain form of the urdf documentation".into(),
        },
    })
}
