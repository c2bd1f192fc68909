//! Where errors leave the least between two bodies at an instant: not always where they are
//! nearest, because a tool's tip can be off by more than its root.

use nalgebra::Vector3;
use smallvec::SmallVec;

use super::{ErrorBounds, PointErrors};
use crate::bvh::{Node, SphereTree};
use crate::check::Snapshot;
use crate::check::distance::{corners, gap_along, near_triangles, triangles};
use crate::check::scene::PartPair;
use crate::geometry::pose::Pose;
use crate::geometry::triangle::Closest;
use crate::model::Tubes;
use crate::motion::ChordBound;

/// A place of a pair of bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LimitingPoints {
    /// Index into [`crate::check::scene::Scene::part_pairs`].
    pub part_pair: usize,
    /// How far apart two surface points are without errors, metres.
    pub distance: f64,
    /// The points, on the first and on the second part, world, metres: of balls and capsules those
    /// of what is within the rounding, which is off as much as its surface.
    pub points: [Vector3<f64>; 2],
    /// How far errors can bring them together, metres.
    pub deviation: f64,
}

impl LimitingPoints {
    /// The distance that errors leave, metres; negative where they can use up more than there is.
    pub fn distance_left(&self) -> f64 {
        self.distance - self.deviation
    }
}

/// Two parts at an instant.
struct PartsAtInstant<'t> {
    trees: [&'t SphereTree; 2],
    poses: [Pose; 2],
    deviations: [ChordBound; 2],
    radii: f64,
    index: usize,
    below: f64,
}

impl ErrorBounds<'_> {
    /// The place of a pair of bodies where errors leave the least at an instant, if that is `below`
    /// so much, metres.
    pub fn limiting(
        &self,
        pair: usize,
        snapshot: &mut Snapshot,
        tubes: &Tubes,
        below: f64,
    ) -> Option<LimitingPoints> {
        let mut found: Option<LimitingPoints> = None;
        for index in self.scene.part_pairs_of(pair) {
            let placed = self.placed(index, snapshot, tubes, below);
            let errors = self.at_instant(index, snapshot, tubes);
            placed.descend([0, 0], &errors, &mut found);
        }
        found
    }

    /// Where the parts of two bodies are nearest at an instant, and what errors leave there, if
    /// that is `below` so much, metres. That is sooner found, and mostly not far from what errors
    /// leave anywhere. `tests` counts the nodes that were looked at.
    pub fn limiting_at_nearest(
        &self,
        pair: usize,
        snapshot: &mut Snapshot,
        tubes: &Tubes,
        below: f64,
        tests: &mut u64,
    ) -> Option<LimitingPoints> {
        let scene = self.scene;
        let mut found: Option<LimitingPoints> = None;
        for index in scene.part_pairs_of(pair) {
            let part_pair = &scene.part_pairs[index];
            let placed = self.placed(index, snapshot, tubes, below);
            let radii = [part_pair.a, part_pair.b].map(|part| scene.parts[part].bounding_radius);
            let most =
                below + placed.deviations[0].at(radii[0]) + placed.deviations[1].at(radii[1]);
            let [a, b] = &placed.poses;
            *tests += 1;
            if (a.translation - b.translation).norm() - (radii[0] + radii[1]) > most {
                continue;
            }
            let near = near_triangles(scene, part_pair, snapshot, most, tests);
            if let Some(near) = near {
                let [i, k] = near.triangles.map(|t| t as usize);
                let errors = self.at_instant(index, snapshot, tubes);
                let triangles = [&placed.world_corners(0, i), &placed.world_corners(1, k)];
                placed.triangles(triangles, f64::INFINITY, &errors, &mut found);
            }
        }
        found.filter(|found| found.distance_left() <= below)
    }

    /// Errors of points of two parts, which have been placed.
    fn at_instant<'e>(
        &'e self,
        index: usize,
        snapshot: &'e Snapshot,
        tubes: &'e Tubes,
    ) -> PointErrors<'e, 'e> {
        let pair = &self.scene.part_pairs[index];
        PointErrors::new(self, pair, (snapshot, None), tubes)
    }

    /// Two parts at an instant.
    fn placed(
        &self,
        index: usize,
        snapshot: &mut Snapshot,
        tubes: &Tubes,
        below: f64,
    ) -> PartsAtInstant<'_> {
        let scene = self.scene;
        let part_pair: &PartPair = &scene.part_pairs[index];
        let parts = [part_pair.a, part_pair.b];
        PartsAtInstant {
            trees: parts.map(|part| &*scene.parts[part].tree),
            deviations: parts.map(|part| self.deviation_at(part_pair, part, snapshot, tubes)),
            poses: parts.map(|part| snapshot.part(scene, part).pose),
            radii: part_pair.radii,
            index,
            below,
        }
    }
}

impl PartsAtInstant<'_> {
    /// Below what errors leave of two nodes, metres.
    fn bound(&self, nodes: [&Node; 2]) -> f64 {
        let centers = nodes.map(|node| node.ball_center());
        let [a, b] = [0, 1].map(|side| self.poses[side].apply(&centers[side]));
        let radii = f64::from(nodes[0].radius) + f64::from(nodes[1].radius);
        (a - b).norm() - radii - self.radii - self.deviation(nodes)
    }

    /// How far errors can bring points of two nodes together, at most, metres.
    fn deviation(&self, nodes: [&Node; 2]) -> f64 {
        let [a, b] = [0, 1].map(|side| {
            let center = nodes[side].ball_center();
            self.deviations[side].at(center.norm() + f64::from(nodes[side].radius))
        });
        a + b
    }

    /// A new finding must leave less than this, metres.
    fn least(&self, found: &Option<LimitingPoints>) -> f64 {
        found.map_or(self.below, |known| known.distance_left())
    }

    fn descend(
        &self,
        [ia, ib]: [u32; 2],
        errors: &PointErrors,
        found: &mut Option<LimitingPoints>,
    ) {
        let node = |side: usize, i: u32| &self.trees[side].nodes[i as usize];
        let (na, nb) = (node(0, ia), node(1, ib));
        if self.bound([na, nb]) > self.least(found) {
            return;
        }
        if na.is_leaf() && nb.is_leaf() {
            return self.leaves([na, nb], errors, found);
        }
        let first = !na.is_leaf() && (nb.is_leaf() || na.radius >= nb.radius);
        let mut children = if first {
            [[na.first, ib], [na.first + 1, ib]]
        } else {
            [[ia, nb.first], [ia, nb.first + 1]]
        };
        let bounds = children.map(|[ia, ib]| self.bound([node(0, ia), node(1, ib)]));
        if bounds[1] < bounds[0] {
            children.swap(0, 1);
        }
        for pair in children {
            self.descend(pair, errors, found);
        }
    }

    /// The corners of a triangle, world.
    fn world_corners(&self, side: usize, triangle: usize) -> [Vector3<f64>; 3] {
        corners(self.trees[side], triangle).map(|c| self.poses[side].apply(&c))
    }

    fn leaves(&self, nodes: [&Node; 2], errors: &PointErrors, found: &mut Option<LimitingPoints>) {
        let deviation = self.deviation(nodes);
        let in_b = triangles(nodes[1]).map(|k| self.world_corners(1, k));
        let in_b: SmallVec<[[Vector3<f64>; 3]; SphereTree::LEAF]> = in_b.collect();
        for i in triangles(nodes[0]) {
            let a = self.world_corners(0, i);
            for b in &in_b {
                let need = self.least(found) + self.radii + deviation;
                // Errors cannot use up the gap between them along a direction.
                let is_far = |n: Vector3<f64>| gap_along(&n, &a, b) > need * n.norm();
                let middles = (a[0] - b[0]) + (a[1] - b[1]) + (a[2] - b[2]);
                let known = found.map(|known| known.points[0] - known.points[1]);
                if !is_far(middles) && !known.is_some_and(is_far) {
                    self.triangles([&a, b], need, errors, found);
                }
            }
        }
    }

    /// Two triangles; nothing of them is wanted if they are farther apart than `need`, metres.
    fn triangles(
        &self,
        [a, b]: [&[Vector3<f64>; 3]; 2],
        need: f64,
        errors: &PointErrors,
        found: &mut Option<LimitingPoints>,
    ) {
        let closest = Closest::of_triangles(&a.map(Into::into), &b.map(Into::into));
        if closest.distance > need {
            return;
        }
        let points = [closest.point_a.coords, closest.point_b.coords];
        let deviations = [0, 1].map(|side| errors.at_world_point(side, &points[side]));
        let here = LimitingPoints {
            part_pair: self.index,
            distance: (closest.distance - self.radii).max(0.0),
            points,
            deviation: deviations[0] + deviations[1],
        };
        if found.is_none_or(|known| here.distance_left() < known.distance_left()) {
            *found = Some(here);
        }
    }
}
