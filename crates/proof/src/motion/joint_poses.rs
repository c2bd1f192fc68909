//! Everything that is known about one instant: joint values, joint poses, and the axes in the
//! world.

use nalgebra::{Matrix3, Vector3};

use super::chain::Chains;
use crate::geometry::pose::Pose;
use crate::model::{JointId, MOST_ROUNDING, Segment};
use crate::numeric::max_or_nan;
use crate::numeric::polynomial::value;

/// The joint tree at one instant of a segment.
#[derive(Debug, Clone, Default)]
pub struct JointPoses {
    /// Share of the segment that has passed, 0 … 1.
    pub s: f64,
    /// Greatest distance of a joint from the world's origin, metres: what rounding is relative to.
    pub size: f64,
    /// Rounding of positions, relative to that size.
    pub rounding: f64,
    value_rounding: Vec<f64>,
    world_from_joint: Vec<Pose>,
    axis: Vec<Vector3<f64>>,
}

impl JointPoses {
    /// Moves this record to share `s` of a segment.
    pub fn set(&mut self, chains: &Chains, segment: &Segment, s: f64) {
        self.s = s;
        self.world_from_joint.clear();
        self.axis.clear();
        self.size = 0.0;
        self.rounding = chains.rounding();
        self.value_rounding.clear();
        let joints = chains.links.len();
        self.world_from_joint.reserve(joints);
        self.axis.reserve(joints);
        self.value_rounding.reserve(joints);
        for (link, polynomial) in chains.links.iter().zip(segment.joints.iter()) {
            let q = value(&polynomial, s);
            let joint = self.world_from_joint.len();
            self.value_rounding.push(segment.value_rounding(joint));
            let mut pose = match link.parent {
                Some(parent) => self.world_from_joint[parent].compose(&link.parent_from_joint),
                None => link.parent_from_joint,
            };
            let axis = pose.rotation * link.axis;
            if link.prismatic {
                pose.translation += axis * q;
            } else {
                pose.rotation *= rotation(&link.axis, q);
            }
            self.size = max_or_nan(self.size, pose.translation.norm());
            self.world_from_joint.push(pose);
            self.axis.push(axis);
        }
    }

    /// Pose of a joint's moving frame; the world's own for `None`.
    pub fn pose(&self, joint: Option<JointId>) -> Pose {
        joint.map_or_else(Pose::identity, |j| self.world_from_joint[j])
    }

    /// How far the value of a joint can be off, radians or metres.
    pub fn value_rounding(&self, joint: JointId) -> f64 {
        self.value_rounding[joint]
    }

    /// The same, where it is rounding: what is more than that counts pair by pair
    /// ([`crate::check::errors`]).
    pub fn value_rounding_without_tube(&self, joint: JointId) -> f64 {
        let rounding = self.value_rounding[joint];
        if rounding > MOST_ROUNDING {
            0.0
        } else {
            rounding
        }
    }

    /// Distance of a world point from the axis of a joint, metres.
    pub fn axis_distance(&self, joint: JointId, point: &Vector3<f64>) -> f64 {
        (point - self.world_from_joint[joint].translation)
            .cross(&self.axis[joint])
            .norm()
    }
}

/// Rotation by an angle about a unit axis (Rodrigues).
pub(super) fn rotation(axis: &Vector3<f64>, angle: f64) -> Matrix3<f64> {
    let (sin, cos) = angle.sin_cos();
    let (x, y, z) = (axis.x, axis.y, axis.z);
    let k = 1.0 - cos;
    Matrix3::new(
        cos + k * x * x,
        k * x * y - sin * z,
        k * x * z + sin * y,
        k * x * y + sin * z,
        cos + k * y * y,
        k * y * z - sin * x,
        k * x * z - sin * y,
        k * y * z + sin * x,
        cos + k * z * z,
    )
}
