//! The search for the nearest triangles of two parts, down both of their trees.
//!
//! Bounds of nodes say little where curved surfaces lie alongside each other: to prove of two
//! triangles that they are the nearest ones, hundreds of others would have to be looked at. So the
//! search for distances goes down to clusters (`bvh/clusters.rs`) first. A plane between two of
//! them (`hulls.rs`) mostly tells that nothing in them is near enough. Where it does not, the
//! triangles with the corners between which both are nearest are measured: mostly they are as near
//! as the plane lets anything be. Where they are not, the search goes on below the two, along the
//! direction across their plane, and ends with triangles that are no farther apart than the plane
//! says.

use nalgebra::{Point3, Vector3};
use smallvec::{SmallVec, smallvec};

use super::bounds::{LANES, NodeBounds};
use super::hulls::{ClusterPair, Plane};
use super::{corners, gap_along, triangles};
use crate::bvh::{Node, SphereTree};
use crate::check::Snapshot;
use crate::check::scene::{PartPair, Scene};
use crate::geometry::pose::Pose;
use crate::geometry::triangle::Closest;

/// The nearest points so far.
#[derive(Clone, Copy)]
pub(super) struct NearestFound {
    pub(super) distance: f64,
    pub(super) triangles: [u32; 2],
    /// Of the cores, in the common frame.
    pub(super) points: [Vector3<f64>; 2],
}

pub(super) struct DistanceSearch<'s> {
    ta: &'s SphereTree,
    tb: &'s SphereTree,
    a: Pose,
    b: Pose,
    bounds: NodeBounds,
    radii: f64,
    pub(super) best: Option<NearestFound>,
    /// The direction from b to a between the closest points so far.
    towards: Option<Towards>,
    pub(super) below: f64,
    /// How far corners lie from their origins, both parts together, metres.
    reach: f64,
    /// Distances beyond this share of the nearest so far are not looked for.
    pub(super) worthwhile: f64,
    /// Where the search ends, whatever is left.
    pub(super) last_test: u64,
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

/// Two clusters whose plane does not tell enough, and whose nearest corners do not either.
struct Deferred {
    nodes: OpenNodes,
    plane: Plane,
    /// What the plane proves, metres.
    at_least: f64,
}

/// Nodes of which neither is more than this many times as large as the other are divided both at
/// once.
const ALIKE: f32 = 2.0;

/// What could be nearer by no more than this share of the parts' sizes is not looked for where a
/// plane proves that much: about what distances of triangles are off by.
const ROUNDING: f64 = 2.0 * Closest::ERROR;

impl<'s> DistanceSearch<'s> {
    /// Nothing has been looked at yet.
    pub(super) fn new(
        scene: &'s Scene,
        pair: &PartPair,
        snapshot: &mut Snapshot,
        tests: &'s mut u64,
    ) -> Self {
        let [a, b] = pair.in_common_frame(scene, snapshot);
        let [part_a, part_b] = [pair.a, pair.b].map(|part| &scene.parts[part]);
        let reach = part_a.bounding_radius + part_b.bounding_radius;
        DistanceSearch {
            bounds: NodeBounds::new(&b.inverse_compose(&a), pair.radii, reach),
            ta: &part_a.tree,
            tb: &part_b.tree,
            a,
            b,
            radii: pair.radii,
            best: None,
            towards: None,
            below: f64::INFINITY,
            reach,
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

    /// A lower bound of the distance from the first nodes, metres.
    pub(super) fn at_least(&self) -> f64 {
        if self.ta.nodes.is_empty() || self.tb.nodes.is_empty() {
            return f64::INFINITY;
        }
        let children = self.children(OpenNodes::ROOTS, [false; 2]);
        let below = self.bounds.of(self.nodes(&children)).into_iter();
        f64::from(below.fold(f32::INFINITY, f32::min))
    }

    /// The whole search by clusters; by nodes alone where a tree has none.
    ///
    /// All planes come first, with the triangles where hulls are nearest: these are mostly the
    /// nearest there, or nearly. Below clusters it is only looked after that, so that most of them
    /// turn out to be too far by then.
    pub(super) fn run_by_clusters(&mut self) {
        let clusters = [self.ta.clusters(), self.tb.clusters()];
        if clusters.iter().any(|clusters| clusters.is_empty()) {
            self.run();
            return;
        }
        let size = (self.a.translation - self.b.translation).norm() + self.reach;
        let mut deferred: SmallVec<[Deferred; 4]> = SmallVec::new();
        let mut open: SmallVec<[OpenNodes; 64]> = smallvec![OpenNodes::ROOTS];
        while let Some(pair) = open.pop() {
            if f64::from(pair.bound) >= self.limit() {
                continue;
            }
            let [a, b] = [(0, pair.a), (1, pair.b)].map(|(k, node)| clusters[k].at_node(node));
            let (Some(a), Some(b)) = (a, b) else {
                self.divide(&self.children(pair, [a.is_some(), b.is_some()]), &mut open);
                continue;
            };
            let hulls = ClusterPair {
                a,
                b,
                poses: [self.a, self.b],
                size,
            };
            let plane = hulls.plane(self.limit() + self.radii, self.tests);
            let Some(plane) = plane else {
                self.run_below(pair, f64::NEG_INFINITY);
                continue;
            };
            let at_least = plane.at_least - self.radii;
            if at_least < self.limit() && !self.measure_between(&hulls, &plane, at_least) {
                deferred.push(Deferred {
                    nodes: pair,
                    plane,
                    at_least,
                });
            }
        }
        deferred.sort_by(|x, y| x.at_least.total_cmp(&y.at_least));
        for Deferred {
            nodes,
            plane,
            at_least,
        } in deferred
        {
            if at_least < self.limit() {
                self.look_along(plane.towards);
                self.run_below(nodes, at_least + ROUNDING * size);
            }
        }
    }

    /// Measures the triangles with the corners between which two hulls are nearest. Whether they
    /// are as near as the plane lets anything be: so they are where neither surface recedes behind
    /// its hull.
    fn measure_between(&mut self, hulls: &ClusterPair, plane: &Plane, at_least: f64) -> bool {
        let corners_of = |k: usize| -> SmallVec<[u32; 4]> {
            plane.nearest.iter().map(|corners| corners.of[k]).collect()
        };
        let of_a = hulls.a.triangle_with(&self.ta.triangles, &corners_of(0));
        let of_b = hulls.b.triangle_with(&self.tb.triangles, &corners_of(1));
        let in_a = corners(self.ta, of_a).map(|c| self.a.apply(&c));
        let in_b = corners(self.tb, of_b).map(|c| self.b.apply(&c));
        self.triangles([of_a as u32, of_b as u32], &in_a, &in_b);
        self.best.is_some() && self.limit() <= at_least + ROUNDING * hulls.size
    }

    /// The whole search by nodes.
    pub(super) fn run(&mut self) {
        self.run_below(OpenNodes::ROOTS, f64::NEG_INFINITY);
    }

    /// From now on, what lies between the parts along this direction from b to a counts.
    fn look_along(&mut self, n: Vector3<f64>) {
        let (from_a, from_b) = (self.a.rotation.tr_mul(&n), self.b.rotation.tr_mul(&n));
        self.bounds.look_along(&from_a, &from_b);
        let shift = n.dot(&(self.a.translation - self.b.translation));
        self.towards = Some(Towards {
            from_a,
            from_b,
            shift,
        });
    }

    /// Divides two nodes: both, or the one that is much larger, or the only one that has children
    /// and is not `whole`.
    fn children(&self, pair: OpenNodes, whole: [bool; 2]) -> Children {
        let (na, nb) = (
            &self.ta.nodes[pair.a as usize],
            &self.tb.nodes[pair.b as usize],
        );
        let (whole_a, whole_b) = (whole[0] || na.is_leaf(), whole[1] || nb.is_leaf());
        let split_a = !whole_a && (whole_b || ALIKE * na.radius >= nb.radius);
        let split_b = !whole_b && (whole_a || ALIKE * nb.radius >= na.radius);
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

    /// Looks at the pairs of nodes below two of them depth first, the nearer ones first. The search
    /// ends with triangles that are no farther apart than `enough`, metres.
    fn run_below(&mut self, pair: OpenNodes, enough: f64) {
        let mut open: SmallVec<[OpenNodes; 64]> = smallvec![pair];
        while let Some(pair) = open.pop() {
            let limit = self.limit();
            if f64::from(pair.bound) >= limit {
                continue;
            }
            let settled = self.best.is_some() && limit <= enough;
            if settled || *self.tests > self.last_test {
                break;
            }
            let (na, nb) = (
                &self.ta.nodes[pair.a as usize],
                &self.tb.nodes[pair.b as usize],
            );
            if na.is_leaf() && nb.is_leaf() {
                self.leaves(na, nb);
            } else {
                self.divide(&self.children(pair, [false; 2]), &mut open);
            }
        }
    }

    /// Puts those of the children that may hold what is nearer on top, the nearest one last.
    fn divide(&mut self, children: &Children, open: &mut SmallVec<[OpenNodes; 64]>) {
        let bounds = self.bounds.of(self.nodes(children));
        *self.tests += children.count as u64;
        let limit = self.limit();
        let mut fresh = [OpenNodes::ROOTS; LANES];
        let mut count = 0;
        for (&[a, b], &bound) in children.pairs[..children.count].iter().zip(&bounds) {
            if f64::from(bound) < limit {
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
                // Two whose middles are at one place have no such direction, and touch.
                let length = middles.norm();
                let is_far = length > 0.0 && gap_along(&middles, in_a, in_b) >= limit * length;
                if !is_far && self.triangles([i as u32, j as u32], in_a, in_b) {
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
        let closest = Closest::of_triangles(&a.map(Point3::from), &b.map(Point3::from));
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
        match between.try_normalize(1e-12) {
            Some(n) => self.look_along(n),
            None => self.towards = None,
        }
        true
    }
}
