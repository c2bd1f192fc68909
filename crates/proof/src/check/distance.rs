//! Exact distance of two parts at one instant.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::bvh::{Node, SphereTree};
use crate::check::Snapshot;
use crate::check::scene::{PartPair, Scene};
use crate::geometry::pose::Pose;
use crate::geometry::triangle::distance_triangle_triangle;

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
    /// Distance of a pair of bodies: over all their part pairs. `below` cuts the search: nothing is returned unless a
    /// distance below it is found.
    pub fn pair_distance(
        &self,
        pair: usize,
        snapshot: &mut Snapshot,
        below: f64,
        tests: &mut u64,
    ) -> Option<Nearest> {
        self.pair_distance_about(pair, snapshot, below, 0.0, tests)
    }

    /// The same, but what is found may be farther than the true distance by this share of itself: much cheaper where many
    /// places are about equally near.
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
    let found = closest(scene, pair, snapshot, below, 0.0, tests)?;
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
    let [a, b] = pair.in_common_frame(scene, snapshot);
    let (ta, tb) = (&*scene.parts[pair.a].tree, &*scene.parts[pair.b].tree);
    let b_from_a = b.seen(&a);
    let mut search = DistanceSearch {
        turn: b_from_a.rotation.abs(),
        b_from_a,
        ta,
        tb,
        a,
        b,
        radii: pair.radii,
        best: None,
        towards: None,
        below,
        worthwhile: 1.0 - share,
        tests,
    };
    search.descend(0, 0);
    search.best
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

/// What is nearest so far.
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
    b_from_a: Pose,
    /// Absolute values of that rotation.
    turn: Matrix3<f64>,
    radii: f64,
    best: Option<NearestFound>,
    towards: Option<Towards>,
    below: f64,
    /// What lies beyond this share of the nearest so far is not looked for.
    worthwhile: f64,
    tests: &'s mut u64,
}

impl DistanceSearch<'_> {
    /// A lower bound of what two nodes hold: from their balls, from the gaps between their boxes seen in the axes of
    /// either, and from what lies between the boxes along the direction of the closest points so far. Along that
    /// direction the true distance is measured, so that parts far from each other need not be opened.
    fn bound(&self, a: &Node, b: &Node) -> f64 {
        let vector = |v: [f32; 3]| Vector3::from(v.map(f64::from));
        let boxes = self.b_from_a.apply(&vector(a.box_center)) - vector(b.box_center);
        let (ha, hb) = (vector(a.box_half), vector(b.box_half));
        let mut bound = f64::NEG_INFINITY;
        if let Some(Towards { from_a, from_b, .. }) = &self.towards {
            bound = from_b.dot(&boxes) - from_a.abs().dot(&ha) - from_b.abs().dot(&hb);
            if bound - self.radii >= self.limit() {
                return bound - self.radii;
            }
        }
        let centers = self.b_from_a.apply(&vector(a.center)) - vector(b.center);
        let balls = centers.norm() - f64::from(a.radius) - f64::from(b.radius);
        let gaps = |gaps: Vector3<f64>| gaps.sup(&Vector3::zeros()).norm();
        let along_b = gaps(boxes.abs() - self.turn * ha - hb);
        let seen_from_a = self.b_from_a.rotation.tr_mul(&boxes);
        let along_a = gaps(seen_from_a.abs() - self.turn.tr_mul(&hb) - ha);
        bound.max(balls).max(along_b).max(along_a) - self.radii
    }

    /// Only what is nearer than this is of interest; nothing is nearer than touching.
    fn limit(&self) -> f64 {
        if self.below > 0.0 {
            self.below * self.worthwhile
        } else {
            f64::NEG_INFINITY
        }
    }

    fn descend(&mut self, ia: usize, ib: usize) {
        let (na, nb) = (&self.ta.nodes[ia], &self.tb.nodes[ib]);
        if na.is_leaf() && nb.is_leaf() {
            return self.leaves(na, nb);
        }
        let split_a = !na.is_leaf() && (nb.is_leaf() || na.radius >= nb.radius);
        let children = if split_a {
            let c = na.first as usize;
            [(c, ib), (c + 1, ib)]
        } else {
            let c = nb.first as usize;
            [(ia, c), (ia, c + 1)]
        };
        let mut bounds =
            children.map(|(x, y)| (self.bound(&self.ta.nodes[x], &self.tb.nodes[y]), x, y));
        *self.tests += 2;
        if bounds[1].0 < bounds[0].0 {
            bounds.swap(0, 1);
        }
        for (k, (bound, x, y)) in bounds.into_iter().enumerate() {
            // What the first child brought to light may rule out the second one.
            let bound = match k {
                1 if bound < self.limit() => self.bound(&self.ta.nodes[x], &self.tb.nodes[y]),
                _ => bound,
            };
            if bound < self.limit() {
                self.descend(x, y);
            }
        }
    }

    fn leaves(&mut self, na: &Node, nb: &Node) {
        for i in triangles(na) {
            let a = corners(self.ta, i).map(|c| self.a.apply(&c));
            for k in triangles(nb) {
                let b = corners(self.tb, k).map(|c| self.b.apply(&c));
                // Of faces that run alongside each other, one pair of triangles is as near as the next.
                let apart = self.towards.map_or(f64::NEG_INFINITY, |towards| {
                    let along = |c: &[Vector3<f64>; 3]| c.map(|c| towards.n.dot(&c));
                    let ([a0, a1, a2], [b0, b1, b2]) = (along(&a), along(&b));
                    a0.min(a1).min(a2) - b0.max(b1).max(b2)
                });
                if apart - self.radii < self.limit() {
                    self.triangles([i as u32, k as u32], &a, &b);
                }
            }
        }
    }

    /// Two triangles in the common frame.
    fn triangles(&mut self, triangles: [u32; 2], a: &[Vector3<f64>; 3], b: &[Vector3<f64>; 3]) {
        let closest = distance_triangle_triangle(&a.map(Point3::from), &b.map(Point3::from));
        let distance = (closest.distance - self.radii).max(0.0);
        if distance < self.below {
            self.below = distance;
            self.best = Some(NearestFound {
                distance,
                triangles,
                points: [closest.point_a.coords, closest.point_b.coords],
            });
            let n = (closest.point_a - closest.point_b).try_normalize(1e-12);
            self.towards = n.map(|n| Towards {
                n,
                from_a: self.a.rotation.tr_mul(&n),
                from_b: self.b.rotation.tr_mul(&n),
            });
        }
    }
}

/// The direction from b to a between the closest points so far: in the common frame, in a's axes, in b's.
#[derive(Clone, Copy)]
struct Towards {
    n: Vector3<f64>,
    from_a: Vector3<f64>,
    from_b: Vector3<f64>,
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
