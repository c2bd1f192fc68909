//! Exact distance of two parts at one instant.

use nalgebra::{Point3, Vector3};

use crate::bvh::{Node, SphereTree};
use crate::check::Snapshot;
use crate::check::scene::{PartPair, Scene};
use crate::geometry::triangle::Closest;

mod bounds;
mod hulls;
mod search;
mod simplex;
use search::{DistanceSearch, NearestFound};

impl Scene<'_> {
    /// Distance of a pair of bodies: over all their part pairs. `below` cuts the search: nothing is
    /// returned unless a distance below it is found.
    pub fn pair_distance(
        &self,
        pair: usize,
        snapshot: &mut Snapshot,
        below: f64,
        tests: &mut u64,
    ) -> Option<Closest> {
        self.pair_distance_about(pair, snapshot, below, 0.0, tests)
    }

    /// Like [`Self::pair_distance`], but the result may be larger than the true distance by this
    /// share of itself. That is much cheaper where many places are about equally near.
    pub fn pair_distance_about(
        &self,
        pair: usize,
        snapshot: &mut Snapshot,
        below: f64,
        share: f64,
        tests: &mut u64,
    ) -> Option<Closest> {
        let mut best = None;
        let mut below = below;
        let range = self.part_pairs_of(pair);
        for part_pair in &self.part_pairs[range] {
            if below <= 0.0 {
                break;
            }
            if let Some(found) = part_distance_about(self, part_pair, snapshot, below, share, tests)
            {
                below = found.distance;
                // Part pairs may name the bodies the other way round.
                let swapped = self.parts[part_pair.a].body != self.pairs[pair].a;
                best = Some(if swapped {
                    Closest {
                        point_a: found.point_b,
                        point_b: found.point_a,
                        ..found
                    }
                } else {
                    found
                });
            }
        }
        best
    }
}

/// Two triangles that are as near as any of two parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NearTriangles {
    /// Distance between their surfaces, metres.
    pub distance: f64,
    /// Their indices, in the order (a, b) of the part pair.
    pub triangles: [u32; 2],
}

/// The nearest triangles of two parts; nothing unless they are nearer than `below`, metres.
pub(crate) fn near_triangles(
    scene: &Scene,
    pair: &PartPair,
    snapshot: &mut Snapshot,
    below: f64,
    tests: &mut u64,
) -> Option<NearTriangles> {
    near_triangles_within(scene, pair, snapshot, below, u64::MAX, tests)
}

/// The same, but the search ends after about so many tests: others may be nearer than what it has
/// found by then.
pub(crate) fn near_triangles_within(
    scene: &Scene,
    pair: &PartPair,
    snapshot: &mut Snapshot,
    below: f64,
    most_tests: u64,
    tests: &mut u64,
) -> Option<NearTriangles> {
    let last = tests.saturating_add(most_tests);
    let mut search = DistanceSearch::new(scene, pair, snapshot, tests);
    search.below = below;
    search.last_test = last;
    search.run();
    let found = search.best?;
    Some(NearTriangles {
        distance: found.distance,
        triangles: found.triangles,
    })
}

/// Distance of two parts, with the points in the order (a, b) of the part pair.
pub(crate) fn part_distance(
    scene: &Scene,
    pair: &PartPair,
    snapshot: &mut Snapshot,
    below: f64,
    tests: &mut u64,
) -> Option<Closest> {
    part_distance_about(scene, pair, snapshot, below, 0.0, tests)
}

fn part_distance_about(
    scene: &Scene,
    pair: &PartPair,
    snapshot: &mut Snapshot,
    below: f64,
    share: f64,
    tests: &mut u64,
) -> Option<Closest> {
    let found = closest(scene, pair, snapshot, below, share, tests)?;
    let [point_a, point_b] = pair.on_surfaces(scene, snapshot, found.points);
    Some(Closest {
        distance: found.distance,
        point_a,
        point_b,
    })
}

/// The nearest points of two parts; nothing unless they are nearer than `below`, metres.
fn closest(
    scene: &Scene,
    pair: &PartPair,
    snapshot: &mut Snapshot,
    below: f64,
    share: f64,
    tests: &mut u64,
) -> Option<NearestFound> {
    let mut search = DistanceSearch::new(scene, pair, snapshot, tests);
    search.below = below;
    search.worthwhile = 1.0 - share;
    search.run_by_clusters();
    search.best
}

/// A lower bound of the distance of two parts from the first nodes of their trees, metres.
pub(super) fn part_at_least(scene: &Scene, pair: &PartPair, snapshot: &mut Snapshot) -> f64 {
    DistanceSearch::new(scene, pair, snapshot, &mut 0).at_least()
}

impl PartPair {
    /// The nearest points of two cores (a ball's or a capsule's is its axis), moved onto the
    /// surfaces around them: from the frame that both parts share to the world, metres.
    pub fn on_surfaces(
        &self,
        scene: &Scene,
        snapshot: &mut Snapshot,
        [pa, pb]: [Vector3<f64>; 2],
    ) -> [Point3<f64>; 2] {
        let frame = self.common_frame(scene, snapshot);
        let [ra, rb] = [self.a, self.b].map(|part| scene.parts[part].tree.radius);
        let moved = match (pb - pa).try_normalize(0.0) {
            Some(n) => [
                pa + n * ra.min((pb - pa).norm()),
                pb - n * rb.min((pb - pa).norm()),
            ],
            None => [pa, pb],
        };
        moved.map(|p| Point3::from(frame.apply(&p)))
    }
}

/// The gap between two triangles along a direction from b to a, times its length.
pub(super) fn gap_along(n: &Vector3<f64>, a: &[Vector3<f64>; 3], b: &[Vector3<f64>; 3]) -> f64 {
    let along = |c: &[Vector3<f64>; 3]| c.map(|c| n.dot(&c));
    let ([a0, a1, a2], [b0, b1, b2]) = (along(a), along(b));
    a0.min(a1).min(a2) - b0.max(b1).max(b2)
}

/// Triangles of a leaf.
pub(super) fn triangles(leaf: &Node) -> std::ops::Range<usize> {
    leaf.first as usize..(leaf.first + leaf.count) as usize
}

/// Corners of a triangle in its part's frame.
#[inline]
pub(super) fn corners(tree: &SphereTree, triangle: usize) -> [Vector3<f64>; 3] {
    let [a, b, c] = tree.triangles[triangle];
    let from_origin = |v: u32| tree.vertices[v as usize] - tree.origin;
    [from_origin(a), from_origin(b), from_origin(c)]
}

#[cfg(test)]
mod tests;
