//! Nodes whose points are off by much: each corner of their boxes with its own error.
//!
//! The test of many nodes at once (`kernel.rs`) knows errors of a part only as they grow with the
//! distance from its origin. Where they are larger than what moves in the interval, no shorter
//! interval proves more, and without a closer look all triangles that they reach would be asked one
//! by one, in every interval again.
//!
//! Where only joints are off, what they do along the direction counts (`errors/along.rs`), and no
//! corners are looked at.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::IntervalSearch;
use super::interval::Leaves;
use crate::bvh::Node;
use crate::check::bisection::leaf::DirectionInParts;
use crate::check::errors::{AlongErrors, PointErrors};
use crate::geometry::pose::Pose;

/// The box of a node, in the frame of its part.
struct NodeBox {
    center: Vector3<f64>,
    half: Vector3<f64>,
}

impl NodeBox {
    fn of(node: &Node) -> Self {
        let [center, half] = node.aabb();
        NodeBox { center, half }
    }

    /// Distance of the farthest corner from the part's origin, at most, metres.
    fn max_radius(&self) -> f64 {
        self.center.norm() + self.half.norm()
    }

    /// The least of it along a direction.
    fn least(&self, n: &Vector3<f64>) -> f64 {
        n.dot(&self.center) - n.abs().dot(&self.half)
    }
}

/// The corners of a node's box, in the frame of its part, and how far errors can put each of them
/// off, metres.
struct BoxCorners([(Vector3<f64>, f64); 8]);

impl BoxCorners {
    fn new(node: &NodeBox, deviation: impl Fn(&Vector3<f64>) -> f64) -> Self {
        BoxCorners([0, 1, 2, 3, 4, 5, 6, 7].map(|k: usize| {
            let side = |axis: usize| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
            let half = Vector3::new(side(0), side(1), side(2)).component_mul(&node.half);
            let corner = node.center + half;
            (corner, deviation(&corner))
        }))
    }

    /// The least of the corners along a direction, each as far off as errors can put it. What a
    /// point is off is a convex function of its place, so the corners stand for all of the box.
    fn least(&self, n: &Vector3<f64>) -> f64 {
        let along = self
            .0
            .iter()
            .map(|(corner, deviation)| n.dot(corner) - deviation);
        along.fold(f64::INFINITY, f64::min)
    }
}

/// Nodes of both parts of a pair that were looked at in an interval.
#[derive(Default)]
pub(super) struct KnownNodes {
    nodes: [HashMap<u32, BoxCorners>; 2],
    /// Errors of both parts along directions, where there are such, once that is known.
    along: Option<Option<[AlongErrors; 2]>>,
    /// [`PointErrors::by_tool`], once it is known.
    by_tool: Option<[bool; 2]>,
}

/// A direction that separates two boxes without errors.
struct Ideal {
    turned: DirectionInParts,
    /// Distance between the boxes along it, metres.
    separation: f64,
}

impl IntervalSearch<'_> {
    /// Whether two nodes are proved apart for all errors in the interval, each corner of their
    /// boxes with its own.
    pub(super) fn nodes_are_separated(
        &mut self,
        leaves: &mut Leaves,
        numbers: [u32; 2],
        known: &mut KnownNodes,
        middle: &mut Option<usize>,
    ) -> bool {
        let (scene, interval) = (self.scene, leaves.interval);
        let pair = &scene.part_pairs[leaves.part_pair];
        let trees = [pair.a, pair.b].map(|part| &scene.parts[part].tree);
        let boxes = [0, 1].map(|side| NodeBox::of(&trees[side].nodes[numbers[side] as usize]));
        let view = leaves.view;
        let chord_bounds = view.chord_bound_a.at(boxes[0].max_radius())
            + view.chord_bound_b.at(boxes[1].max_radius());
        // Twice the vector from the frame's origin: only its direction is used.
        let half_way = |poses: &[Pose; 2], node: &NodeBox| {
            poses[0].apply(&node.center) + poses[1].apply(&node.center)
        };
        let between = half_way(&view.a, &boxes[0]) - half_way(&view.b, &boxes[1]);
        // A direction that does not separate the boxes without errors cannot separate them with
        // errors.
        let directions = [leaves.recent, between.try_normalize(0.0)].map(|n| {
            let turned = DirectionInParts::new(n?, &view.a, &view.b);
            let [a, b] = &boxes;
            let separation = turned.least_between(|n| a.least(n), |n| b.least(n), chord_bounds);
            (separation > leaves.required_gap).then_some(Ideal { turned, separation })
        });
        if directions.iter().all(Option::is_none) {
            return false;
        }
        let middle =
            *middle.get_or_insert_with(|| self.snapshot(interval.segment, interval.middle()));
        // Places both parts.
        let poses = leaves
            .at_middle
            .get_or_insert_with(|| pair.in_common_frame(scene, &mut self.snapshots[middle]));
        let Some(errors) = self.errors.as_ref().or(self.no_errors.as_ref()) else {
            return false;
        };
        self.statistics.distance_tests += 1;
        let (snapshot, bounds) = (&self.snapshots[middle], &self.sweeps.joint_bounds);
        let along = known.along.get_or_insert_with(|| {
            let of = |side: usize| {
                let pose = (side, &poses[side]);
                AlongErrors::new(errors, pair, pose, (snapshot, bounds), &self.tubes)
            };
            Some([of(0)?, of(1)?])
        });
        if let Some(along) = along {
            return directions.iter().flatten().any(|ideal| {
                let most = |side: usize| {
                    let NodeBox { center, half } = &boxes[side];
                    along[side].most(&ideal.turned.n, (center, half), boxes[side].max_radius())
                };
                ideal.separation - most(0) - most(1) > leaves.required_gap
            });
        }
        let about = (snapshot, Some(bounds));
        let by_tool = *(known.by_tool)
            .get_or_insert_with(|| PointErrors::new(errors, pair, about, &self.tubes).by_tool);
        let points = PointErrors::with_tools(errors, pair, about, &self.tubes, by_tool);
        let [in_a, in_b] = &mut known.nodes;
        let [a, b] = [(0, in_a), (1, in_b)].map(|(side, nodes)| {
            &*nodes.entry(numbers[side]).or_insert_with(|| {
                BoxCorners::new(&boxes[side], |corner| points.at_part_point(side, corner))
            })
        });
        let separated = |Ideal { turned, .. }: &Ideal| {
            turned.least_between(|n| a.least(n), |n| b.least(n), chord_bounds) > leaves.required_gap
        };
        directions.iter().flatten().any(separated)
    }
}
