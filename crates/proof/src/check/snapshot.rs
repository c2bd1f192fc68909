//! One instant of a path, with the poses of the parts that were asked for.

use crate::check::scene::Scene;
use crate::geometry::pose::Pose;
use crate::model::JointId;
use crate::model::Segment;
use crate::motion::{AxisDistances, JointPoses, axis_distances_at, value_margin};

/// A part at an instant.
#[derive(Debug, Clone)]
pub struct PartAt {
    /// Pose in the world.
    pub pose: Pose,
    /// Distance of the part's origin from each axis of its chain, metres (0 for prismatic joints).
    pub axis_distances: AxisDistances,
}

/// The scene at an instant; parts are placed when they are first asked for.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    instant: JointPoses,
    parts: Vec<PartAt>,
    placed: Vec<bool>,
}

impl Snapshot {
    /// Moves this record to share `s` of a segment.
    pub fn set(&mut self, scene: &Scene, segment: &Segment, s: f64) {
        self.instant.set(&scene.chains, segment, s);
        self.placed.clear();
        self.placed.resize(scene.parts.len(), false);
        let nowhere = || PartAt {
            pose: Pose::identity(),
            axis_distances: AxisDistances::new(),
        };
        self.parts.resize_with(scene.parts.len(), nowhere);
    }

    /// Share of the segment that has passed.
    pub fn s(&self) -> f64 {
        self.instant.s
    }

    /// Pose of a joint's moving frame (or of the world) in the world.
    pub fn joint_pose(&self, joint: Option<JointId>) -> Pose {
        self.instant.pose(joint)
    }

    /// The joint tree at this instant.
    pub(crate) fn instant(&self) -> &JointPoses {
        &self.instant
    }

    /// A part at this instant.
    pub fn part(&mut self, scene: &Scene, part: usize) -> &PartAt {
        if !self.placed[part] {
            self.placed[part] = true;
            let what = &scene.parts[part];
            let at = &mut self.parts[part];
            if what.joint.is_none() {
                at.pose = what.joint_from_part;
                return &self.parts[part];
            }
            at.pose = self.instant.pose(what.joint).then(&what.joint_from_part);
            axis_distances_at(
                &scene.chains,
                scene.chains.of(what.joint),
                &self.instant,
                &at.pose.translation,
                &mut at.axis_distances,
            );
        }
        &self.parts[part]
    }

    /// How far computed positions can be off that are made from numbers of this size, metres, were
    /// the values of the joints exact.
    pub fn rounding(&self, size: f64) -> f64 {
        self.instant.rounding * (self.instant.size + size)
    }

    /// How far computed positions of a part can be off, metres.
    ///
    /// - They pass through the joints and the world: a cell far from the world's origin is rounded
    ///   more (`Chains::rounding`).
    /// - The values of the joints are rounded themselves, relative to their own sizes: an error δ
    ///   of an angle moves a point by at most δ times its distance from the axis, one of a slide by
    ///   δ ([`crate::model::Segment::value_rounding`]). No higher order is missing
    ///   (`motion/deviation.rs`).
    pub fn margin(&mut self, scene: &Scene, part: usize) -> f64 {
        self.fixed_margin(scene, part) + self.value_margin(scene, part)
    }

    /// The first of the two, metres.
    pub fn fixed_margin(&mut self, scene: &Scene, part: usize) -> f64 {
        let what = &scene.parts[part];
        let place = self.part(scene, part).pose.translation.norm();
        self.rounding(place + what.offset + what.bounding_radius)
    }

    /// The second of the two, metres.
    fn value_margin(&mut self, scene: &Scene, part: usize) -> f64 {
        let what = &scene.parts[part];
        let chain = scene.chains.of(what.joint);
        self.part(scene, part);
        let distances = &self.parts[part].axis_distances;
        let off = |joint| self.instant.value_rounding(joint);
        value_margin(&scene.chains, chain, off, distances, what.bounding_radius)
    }
}

#[cfg(test)]
mod tests;
