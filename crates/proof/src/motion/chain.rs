//! The flat joint tree, prepared for fast forward kinematics.

use nalgebra::{Isometry3, Matrix3, Vector3};

use crate::model::{Cell, JointId, JointKind};

/// Rounding of positions at the end of a chain of up to `SHORT` joints, relative to the size of the numbers.
///
/// Each joint turns by a matrix that is off by fewer than 40 u (u = ε/2, one rounding: its own entries 10, those of the pose it
/// starts from 12, two products 9 each), which moves what is beyond it by 40 u times its distance, at most twice the size; and
/// its place is the sum of four numbers of that size. That is less than 84 u = 42 ε a joint, whatever the others do.
pub const POSITION_ROUNDING: f64 = 4096.0 * f64::EPSILON;

/// Up to so many joints the bound above holds; beyond, it grows with their number.
const SHORT: usize = 97;

/// A rigid motion as rotation matrix and translation: what inner loops want.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Rotation.
    pub rotation: Matrix3<f64>,
    /// Translation, metres.
    pub translation: Vector3<f64>,
}

impl Pose {
    /// No motion at all.
    pub fn identity() -> Self {
        Pose {
            rotation: Matrix3::identity(),
            translation: Vector3::zeros(),
        }
    }

    /// `self` after `inner`: maps what `inner` maps into, one frame further out.
    pub fn then(&self, inner: &Pose) -> Pose {
        Pose {
            rotation: self.rotation * inner.rotation,
            translation: self.rotation * inner.translation + self.translation,
        }
    }

    /// The image of a point.
    pub fn apply(&self, p: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * p + self.translation
    }

    /// `self⁻¹ ∘ other`: `other` seen from `self`.
    pub fn seen(&self, other: &Pose) -> Pose {
        let back = self.rotation.transpose();
        Pose {
            rotation: back * other.rotation,
            translation: back * (other.translation - self.translation),
        }
    }
}

impl From<&Isometry3<f64>> for Pose {
    fn from(iso: &Isometry3<f64>) -> Self {
        Pose {
            rotation: *iso.rotation.to_rotation_matrix().matrix(),
            translation: iso.translation.vector,
        }
    }
}

/// One joint, prepared.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub parent: Option<JointId>,
    pub parent_from_joint: Pose,
    pub axis: Vector3<f64>,
    pub prismatic: bool,
}

/// All joints of a cell, parents first.
#[derive(Debug, Clone)]
pub struct Chains {
    pub(super) links: Vec<Link>,
    chains: Vec<Vec<JointId>>,
}

impl Chains {
    /// Prepares the joints of a cell.
    pub fn new(cell: &Cell) -> Self {
        let mut chains: Vec<Vec<JointId>> = Vec::with_capacity(cell.joints.len());
        let links = cell
            .joints
            .iter()
            .enumerate()
            .map(|(id, joint)| {
                let mut chain = joint.parent.map_or_else(Vec::new, |p| chains[p].clone());
                chain.push(id);
                chains.push(chain);
                Link {
                    parent: joint.parent,
                    parent_from_joint: Pose::from(&joint.parent_from_joint),
                    axis: joint.axis.into_inner(),
                    prismatic: joint.kind == JointKind::Prismatic,
                }
            })
            .collect();
        Chains { links, chains }
    }

    /// Joints from the world to `joint`, itself included; empty for the world.
    pub fn of(&self, joint: Option<JointId>) -> &[JointId] {
        joint.map_or(&[], |j| &self.chains[j])
    }

    /// Whether a joint slides rather than turns.
    pub fn is_prismatic(&self, joint: JointId) -> bool {
        self.links[joint].prismatic
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Rounding of computed positions, relative to the size of the numbers.
    pub fn rounding(&self) -> f64 {
        let longest = self.chains.iter().map(Vec::len).max().unwrap_or(0);
        POSITION_ROUNDING * (longest as f64 / SHORT as f64).max(1.0)
    }

    /// Whether nothing can move.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }
}
