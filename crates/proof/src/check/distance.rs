//! Exact distance of two parts at one instant.

use nalgebra::{Point3, Vector3};
use smallvec::{SmallVec, smallvec};

use crate::bvh::{Node, SphereTree};
use crate::check::Snapshot;
use crate::check::scene::{PartPair, Scene};
use crate::geometry::pose::Pose;
use crate::geometry::triangle::distance_triangle_triangle;

mod bounds;
use bounds::{LANES, NodeBounds};

/// The closest pair of points of two bodies, world frame, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// Distance between the surfaces.
    pub distance: f64,
    /// Point on the first body.
    pub point_a: Point3<f64>,
    /// Point on the second body.
    pub point_b: Point3<f64>,
}

impl Scene<'_> {
    /// Distance of a pair of bodies: over all their part pairs. `below` cuts the search: nothing is
    /// returned unless a distance below it is found.
    pub fn pair_distance(
        &self,
        pair: usize,
        snapshot: &mut Snapshot,
        below: f64,
        tests: &mut u64,
    ) -> Option<Nearest> {
        self.pair_distance_about(pair, snapshot, below, 0.0, tests)
    }

    /// The same, but what is found may be farther than the true distance by this share of itself:
    /// much cheaper where many places are about equally near.
    pub fn pair_distance_about(
        &self,
        pair: usize,
        snapshot: &mut Snapshot,
        below: f64,
        share: f64,
        tests: &mut u64,
    ) -> Option<Nearest> {
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
                    Nearest {
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
) -> Option<Nearest> {
    part_distance_about(scene, pair, snapshot, below, 0.0, tests)
}

fn part_distance_about(
    scene: &Scene,
    pair: &PartPair,
    snapshot: &mut Snapshot,
    below: f64,
    share: f64,
    tests: &mut u64,
) -> Option<Nearest> {
    let found = closest(scene, pair, snapshot, below, share, tests)?;
    let frame = pair.common_frame(scene, snapshot);
    let radius = |part: usize| scene.parts[part].tree.radius;
    let [pa, pb] = found.points;
    let (point_a, point_b) = on_surfaces(pa, pb, radius(pair.a), radius(pair.b));
    Some(Nearest {
        distance: found.distance,
        point_a: Point3::from(frame.apply(&point_a)),
        point_b: Point3::from(frame.apply(&point_b)),
    })
}

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
    search.run();
    search.best
}

/// A lower bound of the distance of two parts from the first nodes of their trees, metres.
pub(super) fn part_at_least(scene: &Scene, pair: &PartPair, snapshot: &mut Snapshot) -> f64 {
    let (roots, mut tests) = (OpenNodes::ROOTS, 0);
    let search = DistanceSearch::new(scene, pair, snapshot, &mut tests);
    if search.ta.nodes.is_empty() || search.tb.nodes.is_empty() {
        return f64::INFINITY;
    }
    let children = search.children(roots);
    let below = search.bounds.of(search.nodes(&children)).into_iter();
    f64::from(below.fold(f32::INFINITY, f32::min))
}

/// Moves core points of balls and capsules onto their surfaces.
pub fn on_surfaces(
    pa: Vector3<f64>,
    pb: Vector3<f64>,
    ra: f64,
    rb: f64,
) -> (Vector3<f64>, Vector3<f64>) {
    match (pb - pa).try_normalize(0.0) {
        Some(n) => (
            pa + n * ra.min((pb - pa).norm()),
            pb - n * rb.min((pb - pa).norm()),
        ),
        None => (pa, pb),
    }
}

/// The nearest points so far.
#[derive(Clone, Copy)]
struct NearestFound {
    distance: f64,
    triangles: [u32; 2],
    /// Of the cores, in the common frame.
    points: [Vector3<f64>; 2],
}

struct DistanceSearch<'s> {
    ta: &'s SphereTree,
    tb: &'s SphereTree,
    a: Pose,
    b: Pose,
    bounds: NodeBounds,
    radii: f64,
    best: Option<NearestFound>,
    /// The direction from b to a between the closest points so far.
    towards: Option<Towards>,
    below: f64,
    /// Distances beyond this share of the nearest so far are not looked for.
    worthwhile: f64,
    /// Where the search ends, whatever is left.
    last_test: u64,
    tests: &'s mut u64,
}

/// A direction from b to a, length 1.
#[derive(Clone, Copy)]
struct Towards {
    /// In the axes of a.
    from_a: Vector3<f64>,
    /// In the axes of b.
    from_b: Vector3<f64>,
    /// How far a's origin lies beyond b's along it, metres.
    shift: f64,
}

impl Towards {
    /// How far along it a triangle of a begins, in a's frame, metres.
    fn begin(&self, a: &[Vector3<f64>; 3]) -> f64 {
        let [a0, a1, a2] = a.map(|c| self.from_a.dot(&c));
        a0.min(a1).min(a2)
    }

    /// How far along it a triangle of b reaches, in b's frame, metres.
    fn end(&self, b: &[Vector3<f64>; 3]) -> f64 {
        let [b0, b1, b2] = b.map(|c| self.from_b.dot(&c));
        b0.max(b1).max(b2)
    }
}

/// Two nodes that may hold what is nearest.
#[derive(Clone, Copy)]
struct OpenNodes {
    /// Their triangles are at least so far apart, metres.
    bound: f32,
    a: u32,
    b: u32,
}

impl OpenNodes {
    const ROOTS: OpenNodes = OpenNodes {
        bound: f32::NEG_INFINITY,
        a: 0,
        b: 0,
    };
}

/// The pairs into which two nodes are divided.
struct Children {
    /// Where only one of the two is divided, the last two are the first two again; where none is,
    /// all four are the two themselves.
    pairs: [[u32; 2]; LANES],
    /// How many of them are different.
    count: usize,
}

/// Nodes of which neither is more than this many times as large as the other are divided both at
/// once.
const ALIKE: f32 = 2.0;

impl<'s> DistanceSearch<'s> {
    /// Nothing has been looked at yet.
    fn new(scene: &'s Scene, pair: &PartPair, snapshot: &mut Snapshot, tests: &'s mut u64) -> Self {
        let [a, b] = pair.in_common_frame(scene, snapshot);
        let [part_a, part_b] = [pair.a, pair.b].map(|part| &scene.parts[part]);
        let reach = part_a.bounding_radius + part_b.bounding_radius;
        DistanceSearch {
            bounds: NodeBounds::new(&b.seen(&a), pair.radii, reach),
            ta: &part_a.tree,
            tb: &part_b.tree,
            a,
            b,
            radii: pair.radii,
            best: None,
            towards: None,
            below: f64::INFINITY,
            worthwhile: 1.0,
            last_test: u64::MAX,
            tests,
        }
    }

    /// Only what is nearer than this is of interest; nothing is nearer than touching.
    fn limit(&self) -> f64 {
        if self.below > 0.0 {
            self.below * self.worthwhile
        } else {
            f64::NEG_INFINITY
        }
    }

    /// Divides two nodes: both, or the one that is much larger, or the only one that has children.
    fn children(&self, pair: OpenNodes) -> Children {
        let (na, nb) = (
            &self.ta.nodes[pair.a as usize],
            &self.tb.nodes[pair.b as usize],
        );
        let split_a = !na.is_leaf() && (nb.is_leaf() || ALIKE * na.radius >= nb.radius);
        let split_b = !nb.is_leaf() && (na.is_leaf() || ALIKE * nb.radius >= na.radius);
        let below = |split: bool, node: &Node, index: u32| {
            if split {
                [node.first, node.first + 1]
            } else {
                [index; 2]
            }
        };
        let [a0, a1] = below(split_a, na, pair.a);
        let [b0, b1] = below(split_b, nb, pair.b);
        Children {
            pairs: if split_a {
                [[a0, b0], [a1, b0], [a0, b1], [a1, b1]]
            } else {
                [[a0, b0], [a0, b1], [a0, b0], [a0, b1]]
            },
            count: if split_a && split_b { LANES } else { 2 },
        }
    }

    /// The nodes of a and those of b.
    fn nodes(&self, children: &Children) -> [[&Node; LANES]; 2] {
        [
            children.pairs.map(|[a, _]| &self.ta.nodes[a as usize]),
            children.pairs.map(|[_, b]| &self.tb.nodes[b as usize]),
        ]
    }

    /// Looks at the pairs of nodes depth first, the nearer ones first.
    fn run(&mut self) {
        let mut open: SmallVec<[OpenNodes; 64]> = smallvec![OpenNodes::ROOTS];
        while let Some(pair) = open.pop() {
            if f64::from(pair.bound) >= self.limit() {
                continue;
            }
            if *self.tests > self.last_test {
                break;
            }
            let (na, nb) = (
                &self.ta.nodes[pair.a as usize],
                &self.tb.nodes[pair.b as usize],
            );
            if na.is_leaf() && nb.is_leaf() {
                self.leaves(na, nb);
                continue;
            }
            let children = self.children(pair);
            let bounds = self.bounds.of(self.nodes(&children));
            *self.tests += children.count as u64;
            let limit = self.limit();
            let mut fresh = [pair; LANES];
            let mut count = 0;
            for (&[a, b], &bound) in children.pairs[..children.count].iter().zip(&bounds) {
                if f64::from(bound) < limit {
                    // The nearest one on top.
                    let mut at = count;
                    while at > 0 && fresh[at - 1].bound < bound {
                        fresh[at] = fresh[at - 1];
                        at -= 1;
                    }
                    fresh[at] = OpenNodes { bound, a, b };
                    count += 1;
                }
            }
            open.extend_from_slice(&fresh[..count]);
        }
    }

    fn leaves(&mut self, na: &Node, nb: &Node) {
        let nothing = [Vector3::zeros(); 3];
        let (of_a, of_b) = (triangles(na), triangles(nb));
        let mut corners_b = [nothing; SphereTree::LEAF];
        for (corners_b, k) in corners_b.iter_mut().zip(of_b.clone()) {
            *corners_b = corners(self.tb, k);
        }
        // The bound that the direction so far gives for each triangle.
        let ends = |towards: &Option<Towards>| towards.map(|n| corners_b.map(|b| n.end(&b)));
        let mut ends_b = ends(&self.towards);
        let mut placed_b = [None; SphereTree::LEAF];
        for i in of_a {
            let corners_a = corners(self.ta, i);
            let mut begin_a = self.towards.map(|n| (n.begin(&corners_a), n.shift));
            let mut placed_a = None;
            for (k, j) in of_b.clone().enumerate() {
                // Of faces that run alongside each other, one pair of triangles is as near as the
                // next.
                let limit = self.limit() + self.radii;
                if let (Some((begin, shift)), Some(ends)) = (begin_a, ends_b)
                    && begin - ends[k] + shift >= limit
                {
                    continue;
                }
                let in_a = placed_a.get_or_insert_with(|| corners_a.map(|c| self.a.apply(&c)));
                let in_b =
                    placed_b[k].get_or_insert_with(|| corners_b[k].map(|c| self.b.apply(&c)));
                let middles = (in_a[0] - in_b[0]) + (in_a[1] - in_b[1]) + (in_a[2] - in_b[2]);
                if gap_along(&middles, in_a, in_b) < limit * middles.norm()
                    && self.triangles([i as u32, j as u32], in_a, in_b)
                {
                    begin_a = self.towards.map(|n| (n.begin(&corners_a), n.shift));
                    ends_b = ends(&self.towards);
                }
            }
        }
    }

    /// Measures two triangles in the common frame; whether they are nearer than all before.
    fn triangles(
        &mut self,
        triangles: [u32; 2],
        a: &[Vector3<f64>; 3],
        b: &[Vector3<f64>; 3],
    ) -> bool {
        let closest = distance_triangle_triangle(&a.map(Point3::from), &b.map(Point3::from));
        let distance = (closest.distance - self.radii).max(0.0);
        if distance >= self.below {
            return false;
        }
        self.below = distance;
        self.best = Some(NearestFound {
            distance,
            triangles,
            points: [closest.point_a.coords, closest.point_b.coords],
        });
        let between = closest.point_a - closest.point_b;
        self.towards = between.try_normalize(1e-12).map(|n| {
            let (from_a, from_b) = (self.a.rotation.tr_mul(&n), self.b.rotation.tr_mul(&n));
            self.bounds.look_along(&from_a, &from_b);
            let shift = n.dot(&(self.a.translation - self.b.translation));
            Towards {
                from_a,
                from_b,
                shift,
            }
        });
        true
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
