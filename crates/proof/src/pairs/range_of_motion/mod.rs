//! Which pairs can ever meet: range-of-motion hulls, and the tables that say which parts of a robot
//! never hit one another.
//!
//! Words, for a moving link k (everything that its joint carries) and given ranges of all joints:
//! - M_k: a ball around everything that link k sweeps over its own joint's range, in the frame of
//!   its parent ([`Hulls::link`]).
//! - MR_k: a ball around link k together with all that its children sweep, in k's frame
//!   ([`Hulls::subtree`]); built from the outermost link inwards.
//!
//! Both are certain outer bounds ([`crate::motion::SweptBall`] has the argument). What they tell
//! apart never meets; what they leave open can be looked at more closely ([`closer`]).
//!
//! All of it holds while every joint value lies in the range that the hulls were built for, and no
//! longer. A program may leave its joint limits, and joints may rest outside of them, so a check
//! drops pairs by the ranges of its own motion ([`ranges_of`]).

pub mod closer;
mod hulls;
mod tables;

use nalgebra::Point3;

pub use hulls::{Hulls, SweptBallsByJoint};
pub use tables::{Tables, least_by_hulls};

use crate::bvh::SphereTree;
use crate::geometry::enclosing_ball::Ball;
use crate::geometry::pose::Pose;
use crate::model::{Cell, JointId, Segment};
use crate::motion::JointRange;
use crate::numeric::polynomial::range;

/// One rigid shape.
#[derive(Debug, Clone, Copy)]
pub struct PlacedShape<'t> {
    /// Joint that it moves with.
    pub joint: Option<JointId>,
    /// Pose in that joint's moving frame (or the world); its frame's origin is that of the tree.
    pub joint_from_part: Pose,
    /// Its surface.
    pub tree: &'t SphereTree,
    /// How far computed positions can be off, metres.
    pub slack: f64,
}

impl PlacedShape<'_> {
    /// A ball around a node, in the moving frame of the joint.
    fn ball(&self, node: usize) -> Ball {
        let node = &self.tree.nodes[node];
        let center = node.ball_center();
        Ball {
            center: Point3::from(self.joint_from_part.apply(&center)),
            radius: f64::from(node.radius) + self.tree.radius + self.slack,
        }
    }
}

/// Two shapes of which somebody wants to know whether they can meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// First shape.
    pub a: usize,
    /// Second shape.
    pub b: usize,
    /// Number of joints that the chains of both share: they are looked at in the moving frame of
    /// the last one.
    pub shared: usize,
    /// They must stay farther apart than this, metres.
    pub threshold: f64,
}

/// Limits are widened by this (radians or metres), so that a program that goes up to them lies
/// within in spite of rounding.
const ROOM: f64 = 1e-9;

/// The ranges of all joints within their limits; what the cell file lets a joint rest at counts
/// too. Joints without limits take any value. Mimic joints take what their leader makes of them,
/// whatever limits of their own they have.
pub fn ranges_within_limits(cell: &Cell) -> Vec<JointRange> {
    let resting = |joint: usize| JointRange {
        low: cell.rest[joint],
        high: cell.rest[joint],
    };
    let own: Vec<JointRange> = cell
        .joints
        .iter()
        .enumerate()
        .map(|(id, joint)| match joint.limits.position {
            Some((low, high)) => JointRange {
                low: low - ROOM,
                high: high + ROOM,
            }
            .with(&resting(id)),
            None => JointRange::ANY,
        })
        .collect();
    let of = |(id, joint): (usize, &crate::model::Joint)| match joint.mimic {
        Some(mimic) => {
            followed(&own[mimic.source], mimic.multiplier, mimic.offset).with(&resting(id))
        }
        None => own[id],
    };
    cell.joints.iter().enumerate().map(of).collect()
}

/// The values `multiplier · q + offset`, rounded outwards.
fn followed(range: &JointRange, multiplier: f64, offset: f64) -> JointRange {
    if multiplier == 0.0 {
        return JointRange {
            low: offset,
            high: offset,
        };
    }
    let (x, y) = (
        multiplier * range.low + offset,
        multiplier * range.high + offset,
    );
    let slack = 4.0 * f64::EPSILON * ((x - offset).abs().max((y - offset).abs()) + offset.abs());
    if slack.is_finite() {
        JointRange {
            low: x.min(y) - slack,
            high: x.max(y) + slack,
        }
    } else {
        JointRange {
            low: x.min(y),
            high: x.max(y),
        }
    }
}

/// The values that each joint takes in a segment: of the polynomial that is followed, not of its
/// ends, and widened by what rounding can do to them.
pub fn ranges_of(segment: &Segment) -> impl Iterator<Item = JointRange> + '_ {
    segment.joints.iter().enumerate().map(|(joint, c)| {
        let (low, high) = range(&c, 0.0, 1.0);
        let rounding = segment.value_rounding(joint);
        JointRange {
            low: low - rounding,
            high: high + rounding,
        }
    })
}

#[cfg(test)]
mod tests;
