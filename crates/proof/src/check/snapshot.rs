//! One instant of a trajectory, with the poses of the parts that were asked for.

use crate::check::scene::Scene;
use crate::geometry::pose::Pose;
use crate::model::{JointId, MotionInstant, Segment, Trajectory};
use crate::motion::{AxisDistances, JointPoses, axis_distances_at, value_margin};

/// Surfaces touch where their computed distance passes the threshold by no more than this many
/// rounding margins. One is for the rounding of the distance itself; of the others two are the
/// least that leave no gap between "proved apart" and "in contact" for a pair that stands still.
pub(super) const TOUCH_MARGINS: f64 = 5.0;

/// A part at an instant.
#[derive(Debug, Clone)]
pub(crate) struct PartAt {
    /// Pose in the world.
    pub pose: Pose,
    /// Distance of the part's origin from each axis of its chain, metres (0 for prismatic joints).
    pub axis_distances: AxisDistances,
    /// How far its computed position can be off if joint values are exact, metres.
    fixed_margin: f64,
    /// How far it can be off with the rounding of joint values, metres; `None` until asked for.
    margin: Option<f64>,
    /// The joint from whose frame its pose was last asked for, with that pose.
    seen: Option<(Option<JointId>, Pose)>,
}

/// The scene at an instant; parts are placed when they are first asked for. It is asked with the
/// scene that it was set with: places and margins are those of that scene's parts.
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
            fixed_margin: 0.0,
            margin: None,
            seen: None,
        };
        self.parts.resize_with(scene.parts.len(), nowhere);
    }

    /// Moves this record to a place of a trajectory.
    pub fn set_at(&mut self, scene: &Scene, trajectory: &Trajectory, instant: MotionInstant) {
        self.set(scene, trajectory.segment_at(instant), instant.fraction);
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
    // Every pair asks for both of its parts several times.
    #[inline(always)]
    pub(crate) fn part(&mut self, scene: &Scene, part: usize) -> &PartAt {
        if !self.placed[part] {
            self.place_part(scene, part);
        }
        &self.parts[part]
    }

    /// Pose of a part in the world.
    pub fn part_pose(&mut self, scene: &Scene, part: usize) -> Pose {
        self.part(scene, part).pose
    }

    /// A part that was placed already.
    pub(crate) fn placed(&self, part: usize) -> &PartAt {
        debug_assert!(self.placed[part]);
        &self.parts[part]
    }

    #[inline(never)]
    fn place_part(&mut self, scene: &Scene, part: usize) {
        self.placed[part] = true;
        let what = &scene.parts[part];
        let pose = match what.joint {
            Some(_) => self.instant.pose(what.joint).compose(&what.joint_from_part),
            None => what.joint_from_part,
        };
        let size = pose.translation.norm() + what.offset + what.bounding_radius;
        let fixed_margin = self.rounding(size) + what.handover_error;
        let at = &mut self.parts[part];
        at.pose = pose;
        at.fixed_margin = fixed_margin;
        at.margin = None;
        at.seen = None;
        if what.joint.is_none() {
            return;
        }
        axis_distances_at(
            &scene.chains,
            scene.chains.of(what.joint),
            &self.instant,
            &at.pose.translation,
            &mut at.axis_distances,
        );
    }

    /// Pose of a part seen from a joint's moving frame (or the world). The one that was asked for
    /// last is kept: a part has several pairs with parts that share the same joints with it.
    pub fn part_seen_from(&mut self, scene: &Scene, joint: Option<JointId>, part: usize) -> Pose {
        if let Some((from, pose)) = self.part(scene, part).seen
            && from == joint
        {
            return pose;
        }
        let at = &mut self.parts[part];
        let pose = self.instant.pose(joint).inverse_compose(&at.pose);
        at.seen = Some((joint, pose));
        pose
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
    /// - An event that has put a part there while joints were off has put it off as far.
    /// - The values of the joints are rounded themselves, relative to their own sizes: an error δ
    ///   of an angle moves a point by at most δ times its distance from the axis, one of a slide by
    ///   δ ([`crate::model::Segment::value_rounding`]). No higher order is missing
    ///   (`motion/deviation.rs`).
    pub fn margin(&mut self, scene: &Scene, part: usize) -> f64 {
        if let Some(margin) = self.part(scene, part).margin {
            return margin;
        }
        let margin = self.fixed_margin(scene, part) + self.value_margin(scene, part);
        self.parts[part].margin = Some(margin);
        margin
    }

    /// The part of [`Self::margin`] that does not come from the rounding of joint values, metres.
    pub fn fixed_margin(&mut self, scene: &Scene, part: usize) -> f64 {
        self.part(scene, part).fixed_margin
    }

    /// The part of [`Self::margin`] that comes from the rounding of joint values, metres.
    fn value_margin(&mut self, scene: &Scene, part: usize) -> f64 {
        let what = &scene.parts[part];
        let chain = scene.chains.of(what.joint);
        self.part(scene, part);
        let distances = &self.parts[part].axis_distances;
        let rounding = |joint| self.instant.value_rounding(joint);
        value_margin(
            &scene.chains,
            chain,
            rounding,
            distances,
            what.bounding_radius,
        )
    }
}

#[cfg(test)]
mod tests;
