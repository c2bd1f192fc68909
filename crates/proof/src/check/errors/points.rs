//! Errors of single points.
//!
//! A bound for all points of a part grows with the distance from the part's origin: a point beside
//! an axis gets the lever of the origin and as much as it is away from there, which for a long link
//! with its origin in the middle is many times its own lever. Where triangles are to be told apart
//! their corners are asked one by one.
//!
//! About an instant a lever is known as it is there; in half an interval to either side it grows by
//! no more than half of what the joints beyond can move the point (`motion/chord_bound.rs`).

use nalgebra::Vector3;

use super::{ErrorBounds, Levers};
use crate::check::Snapshot;
use crate::check::scene::PartPair;
use crate::geometry::pose::Pose;
use crate::model::Tubes;
use crate::motion::{AxisDistances, ChordBound, ElementError, JointBounds};
use crate::report::ErrorKind;

/// Asked for points of both parts of a pair, at an instant or in an interval about it.
///
/// The bound is a convex function of the point, so that between points it is no more than what they
/// have. It is so because all points of a part are treated alike: of two bounds, each convex, the
/// lesser one at each point would not be.
pub(crate) struct PointErrors<'e, 's> {
    errors: &'e ErrorBounds<'s>,
    pair: &'e PartPair,
    /// The instant. Both parts have been placed.
    snapshot: &'e Snapshot,
    /// How joints move in an interval with the instant in its middle; `None`: that instant alone.
    bounds: Option<&'e JointBounds>,
    /// As [`Levers::tubes`].
    tubes: &'e Tubes,
    /// Of each part, whether its tool is off as a whole rather than by its joints.
    pub by_tool: [bool; 2],
}

impl<'e, 's> PointErrors<'e, 's> {
    /// For a pair whose parts have been placed in the snapshot, in an interval with that instant in
    /// its middle if there are `bounds`.
    pub fn new(
        errors: &'e ErrorBounds<'s>,
        pair: &'e PartPair,
        (snapshot, bounds): (&'e Snapshot, Option<&'e JointBounds>),
        tubes: &'e Tubes,
    ) -> Self {
        let mut points =
            PointErrors::with_tools(errors, pair, (snapshot, bounds), tubes, [false; 2]);
        if !tubes.tools.is_empty() {
            points.by_tool = [0, 1].map(|side| {
                let origin = points.pose(side).translation;
                let shared = errors.counted_elements(pair).from_joint;
                points.with_levers(side, &origin, |levers| {
                    errors
                        .tool_step_if_tighter(points.part(side), shared, levers)
                        .is_some()
                })
            });
        }
        points
    }

    /// The same where it is known already whether tools count as a whole
    /// ([`PointErrors::by_tool`]).
    pub fn with_tools(
        errors: &'e ErrorBounds<'s>,
        pair: &'e PartPair,
        (snapshot, bounds): (&'e Snapshot, Option<&'e JointBounds>),
        tubes: &'e Tubes,
        by_tool: [bool; 2],
    ) -> Self {
        PointErrors {
            errors,
            pair,
            snapshot,
            bounds,
            tubes,
            by_tool,
        }
    }

    fn part(&self, side: usize) -> usize {
        [self.pair.a, self.pair.b][side]
    }

    /// The pose of the first (0) or second part in the world.
    fn pose(&self, side: usize) -> &Pose {
        &self.snapshot.placed(self.part(side)).pose
    }

    /// How far a point of the first (0) or second part can be off, metres; it is given in the
    /// frame of the part.
    pub fn at_part_point(&self, side: usize, point: &Vector3<f64>) -> f64 {
        self.at_world_point(side, &self.pose(side).apply(point))
    }

    /// The same of a point given by its position in the world at the instant.
    pub fn at_world_point(&self, side: usize, position: &Vector3<f64>) -> f64 {
        let mut deviation = ChordBound::default();
        self.walk(side, position, |_, step| deviation.add_error(step));
        deviation.base
    }

    /// Walks over the elements that count, from the outermost inwards, with the levers of the
    /// point.
    pub fn walk(
        &self,
        side: usize,
        position: &Vector3<f64>,
        visit: impl FnMut(ErrorKind, ElementError),
    ) {
        let (part, errors) = (self.part(side), self.errors);
        let what = &errors.scene.parts[part];
        let carrier = self.snapshot.instant().pose(what.joint);
        let tool_lever = |origin: &Vector3<f64>| (carrier.apply(origin) - position).norm();
        let counts = errors.counted_elements(self.pair);
        self.with_levers(side, position, |levers| {
            let tool = (self.by_tool[side])
                .then(|| errors.tool_step(part, counts.from_joint, levers))
                .flatten();
            errors.walk_with(part, (counts, tool), levers, tool_lever, visit);
        })
    }

    /// Asks with the levers of a point.
    fn with_levers<T>(
        &self,
        side: usize,
        position: &Vector3<f64>,
        ask: impl FnOnce(&Levers) -> T,
    ) -> T {
        let (part, scene) = (self.part(side), self.errors.scene);
        let what = &scene.parts[part];
        let chain = scene.chains.of(what.joint);
        let instant = self.snapshot.instant();
        let shared = self.errors.counted_elements(self.pair).from_joint;
        let tool = self.tubes.tool_on(chain, shared).map(|(_, _, last)| last);
        // How far the joints beyond can move the point in the interval.
        let (mut beyond, mut beyond_tool) = (0.0, 0.0);
        let mut axis_distances = AxisDistances::from_elem(0.0, chain.len());
        for (k, &joint) in chain.iter().enumerate().rev() {
            if tool == Some(k) {
                beyond_tool = beyond;
            }
            axis_distances[k] = if scene.chains.is_prismatic(joint) {
                1.0
            } else {
                instant.axis_distance(joint, position) + 0.5 * beyond
            };
            let speed = self.bounds.map_or(0.0, |bounds| bounds.speed(joint));
            beyond += speed * axis_distances[k];
        }
        let tool = (self.errors).tool_distance((part, shared), self.snapshot, position, self.tubes);
        let root = (position - self.errors.root_origin(part)).norm();
        let size = position.norm() + what.offset + what.bounding_radius;
        ask(&Levers {
            axis_distances: &axis_distances,
            root: root + 0.5 * beyond,
            rounding: self.snapshot.rounding(size) + what.handover_error,
            tool: tool + 0.5 * beyond_tool,
            tubes: self.tubes,
        })
    }
}
