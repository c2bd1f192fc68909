//! The flat joint tree, prepared for fast forward kinematics.

use nalgebra::Vector3;

use crate::geometry::pose::Pose;
use crate::model::{Cell, JointId, JointKind};
use crate::numeric::{LONGEST_COUNTED, POSITION_ROUNDING};

/// One joint, prepared.
#[derive(Debug, Clone)]
pub(super) struct ChainLink {
    pub parent: Option<JointId>,
    pub parent_from_joint: Pose,
    pub axis: Vector3<f64>,
    pub prismatic: bool,
}

/// All joints of a cell, parents first.
#[derive(Debug, Clone)]
pub struct Chains {
    pub(super) links: Vec<ChainLink>,
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
                ChainLink {
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

    /// The axis of a joint in its own frame, through its origin.
    pub fn axis(&self, joint: JointId) -> Vector3<f64> {
        self.links[joint].axis
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Rounding of computed positions, relative to the size of the numbers.
    pub fn rounding(&self) -> f64 {
        let longest = self.chains.iter().map(Vec::len).max().unwrap_or(0);
        POSITION_ROUNDING * (longest as f64 / LONGEST_COUNTED as f64).max(1.0)
    }
}
