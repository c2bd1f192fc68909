//! Where errors leave the least between two bodies at an instant: not always where they are nearest, because a tool's tip
//! can be off by more than its root.

use nalgebra::Vector3;

use super::Errors;
use crate::bvh::{Node, SphereTree};
use crate::check::Snapshot;
use crate::check::distance::{corners, triangles};
use crate::check::scene::PartPair;
use crate::geometry::pose::Pose;
use crate::geometry::triangle::distance_triangle_triangle;
use crate::model::Tubes;
use crate::motion::ChordBound;

/// A place of a pair of bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limiting {
    /// Index into [`crate::check::scene::Scene::part_pairs`].
    pub part_pair: usize,
    /// How far apart two surface points are without errors, metres.
    pub distance: f64,
    /// The points, on the first and on the second part, world, metres: of balls and capsules those of what is within the
    /// rounding, which is off as much as its surface.
    pub points: [Vector3<f64>; 2],
    /// How far errors can bring them together, metres.
    pub off: f64,
}

impl Limiting {
    /// What errors leave, metres; negative where they can use up more than there is.
    pub fn left(&self) -> f64 {
        self.distance - self.off
    }
}

/// Two parts at an instant.
struct Placed<'t> {
    trees: [&'t SphereTree; 2],
    poses: [Pose; 2],
    off: [ChordBound; 2],
    radii: f64,
    index: usize,
    below: f64,
}

impl Errors<'_> {
    /// The place of a pair of bodies where errors leave the least at an instant, if that is `below` so much, metres.
    pub fn limiting(
        &self,
        pair: usize,
        snapshot: &mut Snapshot,
        tubes: &Tubes,
        below: f64,
    ) -> Option<Limiting> {
        let scene = self.scene;
        let mut found: Option<Limiting> = None;
        for index in scene.part_pairs_of(pair) {
            let part_pair: &PartPair = &scene.part_pairs[index];
            let parts = [part_pair.a, part_pair.b];
            let placed = Placed {
                trees: parts.map(|part| &*scene.parts[part].tree),
                off: parts.map(|part| self.deviation_at(part_pair, part, snapshot, tubes)),
                poses: parts.map(|part| snapshot.part(scene, part).pose),
                radii: part_pair.radii,
                index,
                below,
            };
            placed.descend([0, 0], &mut found);
        }
        found
    }
}

impl Placed<'_> {
    /// Below what errors leave of two nodes, metres.
    fn bound(&self, nodes: [&Node; 2]) -> f64 {
        let centers = nodes.map(|node| Vector3::from(node.center.map(f64::from)));
        let radii = nodes.map(|node| f64::from(node.radius));
        let [a, b] = [0, 1].map(|side| self.poses[side].apply(&centers[side]));
        let off = [0, 1].map(|side| self.off[side].at(centers[side].norm() + radii[side]));
        (a - b).norm() - (radii[0] + radii[1]) - self.radii - (off[0] + off[1])
    }

    fn descend(&self, [ia, ib]: [u32; 2], found: &mut Option<Limiting>) {
        let node = |side: usize, i: u32| &self.trees[side].nodes[i as usize];
        let (na, nb) = (node(0, ia), node(1, ib));
        let least = found.map_or(self.below, |known| known.left());
        if self.bound([na, nb]) > least {
            return;
        }
        if na.is_leaf() && nb.is_leaf() {
            return self.leaves([na, nb], found);
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
            self.descend(pair, found);
        }
    }

    fn leaves(&self, nodes: [&Node; 2], found: &mut Option<Limiting>) {
        let place = |side: usize, t: usize| {
            let [a, b, c] = corners(self.trees[side], t).map(|c| self.poses[side].apply(&c));
            [a.into(), b.into(), c.into()]
        };
        for i in triangles(nodes[0]) {
            for k in triangles(nodes[1]) {
                let closest = distance_triangle_triangle(&place(0, i), &place(1, k));
                let points = [closest.point_a.coords, closest.point_b.coords];
                let off = [0, 1].map(|side| {
                    let from_origin = points[side] - self.poses[side].translation;
                    self.off[side].at(from_origin.norm())
                });
                let here = Limiting {
                    part_pair: self.index,
                    distance: (closest.distance - self.radii).max(0.0),
                    points,
                    off: off[0] + off[1],
                };
                if found.is_none_or(|known| here.left() < known.left()) {
                    *found = Some(here);
                }
            }
        }
    }
}
