//! By how much two bodies would have to be moved apart at least, by their convex pieces: a finger
//! that goes through a thin plate has no deep point, but the plate holds it until it is pulled out.
//!
//! **A convex piece** is a closed piece of a mesh, its corners drawn a little towards its middle,
//! so that each lies below the planes of all its triangles: then no part of the piece's surface is
//! between them, and all of that is solid. Whoever parts two bodies parts every piece of the one
//! from every piece of the other.
//!
//! **Two convex pieces overlap** after the displacements that are differences of their points.
//! These are a convex set: the least displacement that is not one of them is the least extent of
//! that set over all directions. For the directions between three of them, any point of the set
//! says how far it goes at least; a search over ever smaller such triangles, the least first,
//! proves the bound.

use std::cell::Cell;

use nalgebra::{Matrix3, Point3, Vector3};

use super::TOUCH_M;
use crate::bvh::SphereTree;
use crate::check::Snapshot;
use crate::check::scene::{Part, Scene};
use crate::geometry::aabb::Aabb;
use crate::geometry::components::Components;
use crate::geometry::enclosing_ball::Ball;
use crate::geometry::packed_corners::PackedCorners;
use crate::numeric::MinHeap;

/// Shapes of more triangles are not looked at.
const MOST_TRIANGLES: usize = 6_000;
/// Pieces of more triangles are not looked at.
const MOST_OF_PIECE: usize = 600;
/// A piece of which a corner has to be drawn to the middle by more than this share of its way
/// counts as not convex.
const MOST_SHRINK: f64 = 0.1;
/// More than what computing a piece rounds by, as a share.
const ROUNDING: f64 = 1e-9;
/// So many corners are looked at together. Files mostly list them beside their neighbours.
const GROUP: usize = 8;
/// A bound is good enough if the truth is no more than this share above it.
const RELATIVE_TOLERANCE: f64 = 0.01;
/// How many corners are compared with directions for one contact, at most: a bound on the work.
const MOST_CORNERS: usize = 400_000;
/// How many triangles of directions are looked at: first along the axes, then about the shortest
/// way that was found.
const MOST_TRIANGLES_OF_DIRECTIONS: [usize; 2] = [40, 120];

/// The convex pieces of the two bodies of a pair, by part.
pub(super) struct Convex<'s> {
    /// Their corners are relative to the part's origin.
    pieces: Vec<[(usize, &'s [PackedCorners]); 2]>,
    /// The shortest way out that was found last: it is a good guess for the next time.
    last: Vector3<f64>,
    /// How many more corners are compared with directions.
    left: Cell<usize>,
}

impl<'s> Convex<'s> {
    /// Of the bodies of this pair.
    pub(super) fn of(scene: &'s Scene, pair: usize) -> Self {
        let pairs = scene.part_pairs[scene.part_pairs_of(pair)].iter();
        let first = scene.pairs[pair].a;
        let pieces = pairs
            .map(|p| {
                if scene.parts[p.a].body == first {
                    [p.a, p.b]
                } else {
                    [p.b, p.a]
                }
            })
            .map(|parts| parts.map(|part| (part, pieces(&scene.parts[part]))));
        Convex {
            pieces: pieces
                .filter(|[a, b]| !a.1.is_empty() && !b.1.is_empty())
                .collect(),
            last: Vector3::z(),
            left: Cell::new(MOST_CORNERS),
        }
    }

    /// Proved: the two have to be moved apart by at least this much, metres; `None` where that is
    /// no more than `known`.
    pub(super) fn penetration_depth(
        &mut self,
        scene: &Scene,
        snapshot: &mut Snapshot,
        known: f64,
    ) -> Option<f64> {
        let mut best = None;
        let mut known = known;
        for [(a, of_a), (b, of_b)] in &self.pieces {
            let margin = snapshot.margin(scene, *a) + snapshot.margin(scene, *b);
            let mut placed = |part: usize, pieces: &[PackedCorners]| -> Vec<PackedCorners> {
                let pose = snapshot.part(scene, part).pose;
                pieces.iter().map(|piece| piece.placed(&pose)).collect()
            };
            let (of_a, of_b) = (placed(*a, of_a), placed(*b, of_b));
            let axes = snapshot.part(scene, *b).pose.rotation;
            for (x, y) in of_a.iter().flat_map(|x| of_b.iter().map(move |y| (x, y))) {
                let overlap = ConvexOverlap {
                    a: x,
                    b: y,
                    left: &self.left,
                };
                let floor = (known + margin) * (1.0 + RELATIVE_TOLERANCE) + TOUCH_M;
                if let Some((depth, way)) = overlap.least(&axes, self.last, floor) {
                    known = depth - margin;
                    best = Some(known);
                    self.last = way;
                }
            }
        }
        best
    }
}

/// The convex pieces of a part.
fn pieces(part: &Part) -> &[PackedCorners] {
    if part.may_be_solid == Some(false) {
        return &[];
    }
    part.tree.convex_pieces(found_pieces)
}

/// The convex pieces of a shape, as far as nothing else may be hollow there.
fn found_pieces(tree: &SphereTree) -> Vec<PackedCorners> {
    let count = tree.triangles.len();
    if tree.radius > 0.0 || count > MOST_TRIANGLES {
        return Vec::new();
    }
    let components = Components::new(&tree.triangles, tree.vertices.len());
    let mut triangles: Vec<Vec<usize>> = vec![Vec::new(); components.closed.len()];
    for t in 0..count {
        if let Some(piece) = triangles.get_mut(components.of[t] as usize) {
            piece.push(t);
        }
    }
    let closed = triangles.iter().zip(&components.closed);
    let closed: Vec<&Vec<usize>> = closed.filter(|(_, closed)| **closed).map(|p| p.0).collect();
    let found: Vec<Option<PackedCorners>> = closed.iter().map(|t| convex(tree, t)).collect();
    // A closed piece that is not convex may be a hollow: nothing is said of pieces that it meets.
    let corners = |t: &Vec<usize>| Aabb::of(t.iter().flat_map(|&t| tree.corners(t)));
    let boxes: Vec<Aabb> = closed.iter().map(|t| corners(t)).collect();
    let others = || (0..found.len()).filter(|&k| found[k].is_none());
    let alone = |k: usize| !others().any(|other| boxes[k].meets(&boxes[other]));
    let alone: Vec<bool> = (0..found.len()).map(alone).collect();
    let found = found.into_iter().zip(alone);
    found
        .filter_map(|(piece, alone)| piece.filter(|_| alone))
        .collect()
}

/// Corners that lie below the planes of all these triangles of a closed piece: its own, each drawn
/// towards their middle as far as it has to be. What is thin and long would lose its end if all
/// were drawn alike.
fn convex(tree: &SphereTree, triangles: &[usize]) -> Option<PackedCorners> {
    if triangles.len() > MOST_OF_PIECE {
        return None;
    }
    let mut vertices: Vec<u32> = triangles.iter().flat_map(|&t| tree.triangles[t]).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let corners = vertices
        .iter()
        .map(|&v| tree.vertices[v as usize] - tree.origin);
    let mut corners: Vec<Vector3<f64>> = corners.collect();
    let middle = corners.iter().sum::<Vector3<f64>>() / corners.len() as f64;
    corners.iter_mut().for_each(|corner| *corner -= middle);
    let size = corners.iter().map(|c| c.norm()).fold(0.0, f64::max);
    let points: Vec<Point3<f64>> = corners.iter().map(|&c| c.into()).collect();
    let groups: Vec<Ball> = points.chunks(GROUP).map(Ball::around).collect();
    // Of single corners, and of all of them.
    let (mut kept, mut all_kept) = (vec![1.0_f64; corners.len()], 1.0_f64);
    for &t in triangles {
        let [p, q, r] = tree.corners(t).map(|c| c - tree.origin - middle);
        let normal = (q - p).cross(&(r - p)) * f64::from(tree.sides[t].signum());
        let Some(normal) = normal.try_normalize(0.0) else {
            continue;
        };
        let plane = normal.dot(&p);
        let (below, hardly_above) = (plane - ROUNDING * size, plane + ROUNDING * size);
        if below <= 0.0 {
            return None;
        }
        all_kept = all_kept.min(below / hardly_above);
        for (k, group) in groups.iter().enumerate() {
            if normal.dot(&group.center.coords) + group.radius <= hardly_above {
                continue;
            }
            let from = k * GROUP;
            let to = corners.len().min(from + GROUP);
            for (corner, kept) in corners[from..to].iter().zip(&mut kept[from..to]) {
                let height = normal.dot(corner);
                if height > hardly_above && height * *kept > below {
                    *kept = below / height;
                }
            }
        }
    }
    let least = kept.iter().copied().fold(all_kept, f64::min);
    if least < 1.0 - MOST_SHRINK {
        return None;
    }
    for (corner, kept) in corners.iter_mut().zip(kept) {
        *corner = middle + *corner * (kept.min(all_kept) - ROUNDING);
    }
    Some(PackedCorners::new(&corners))
}

/// Two convex sets of points in the world.
struct ConvexOverlap<'p> {
    a: &'p PackedCorners,
    b: &'p PackedCorners,
    /// How many more corners may be looked at.
    left: &'p Cell<usize>,
}

/// A direction, and the displacement that goes farthest that way.
#[derive(Clone, Copy)]
struct Ray {
    way: Vector3<f64>,
    support: Vector3<f64>,
}

/// The directions between three of them, and how far the set of displacements goes at least in each
/// of these.
struct Cone {
    at_least: f64,
    rays: [Ray; 3],
}

/// The shortest way seen so far that parts the two.
struct ShortestWay {
    /// Metres.
    length: f64,
    way: Vector3<f64>,
}

impl ShortestWay {
    fn look_along(&mut self, ray: Ray) {
        let far = ray.way.dot(&ray.support);
        if far < self.length {
            (self.length, self.way) = (far, ray.way);
        }
    }
}

impl ConvexOverlap<'_> {
    /// The displacement of `a`, of those after which the two overlap, that goes farthest this way.
    fn support(&self, way: &Vector3<f64>) -> Vector3<f64> {
        let corners = self.a.len() + self.b.len();
        self.left.set(self.left.get().saturating_sub(corners));
        self.b.support(way).corner - self.a.support(&-way).corner
    }

    fn ray(&self, way: Vector3<f64>) -> Ray {
        let support = self.support(&way);
        Ray { way, support }
    }

    /// No displacement shorter than this parts the two, metres, with the way that comes near it;
    /// `None` if there is one no longer than `floor`, or if that was not shown to be otherwise. The
    /// search begins with the guess and along these axes.
    fn least(
        &self,
        axes: &Matrix3<f64>,
        guess: Vector3<f64>,
        floor: f64,
    ) -> Option<(f64, Vector3<f64>)> {
        let mut shortest = ShortestWay {
            length: f64::INFINITY,
            way: guess,
        };
        // Where the two are less deep than known, the way that was short last time mostly tells.
        let along_axes = axes.column_iter().map(|c| c.normalize());
        let along_axes = along_axes.flat_map(|axis| [axis, -axis]);
        for way in std::iter::once(guess).chain(along_axes) {
            if self.left.get() == 0 {
                return None;
            }
            shortest.look_along(self.ray(way));
            if shortest.length <= floor {
                return None;
            }
        }
        let mut proved = 0.0_f64;
        let mut frame = *axes;
        for looks in MOST_TRIANGLES_OF_DIRECTIONS {
            proved = proved.max(self.prove_all_cones(&frame, looks, &mut shortest, floor)?);
            if proved * (1.0 + RELATIVE_TOLERANCE) >= shortest.length {
                break;
            }
            frame = about(shortest.way);
        }
        let proved = proved * (1.0 - ROUNDING);
        (proved > floor).then_some((proved, shortest.way))
    }

    /// How far the set of displacements goes at least in every direction, metres: of the cones
    /// between the axes of a frame, those with the least bounds are divided up to `looks` times.
    /// `None` where a way no longer than `floor` is seen.
    fn prove_all_cones(
        &self,
        frame: &Matrix3<f64>,
        looks: usize,
        shortest: &mut ShortestWay,
        floor: f64,
    ) -> Option<f64> {
        // The cone with the least bound comes first.
        let mut open = MinHeap::new();
        for k in 0..8 {
            let sign = |bit: u8| if k & bit == 0 { -1.0 } else { 1.0 };
            let ray = |axis: usize, sign: f64| self.ray(frame.column(axis).normalize() * sign);
            let rays = [ray(0, sign(1)), ray(1, sign(2)), ray(2, sign(4))];
            let at_least = f64::NEG_INFINITY;
            open.push([at_least], Cone { at_least, rays });
        }
        let mut count = 0;
        while let Some(Cone { at_least, rays }) = open.pop() {
            let over = count >= looks || self.left.get() == 0;
            if over || at_least * (1.0 + RELATIVE_TOLERANCE) >= shortest.length {
                return Some(at_least);
            }
            count += 1;
            for rays in self.quarters(rays) {
                let middle = self.ray((rays[0].way + rays[1].way + rays[2].way).normalize());
                shortest.look_along(middle);
                if shortest.length <= floor {
                    return None;
                }
                let mean = (rays[0].support + rays[1].support + rays[2].support) / 3.0;
                // A direction between three is a sum of them with weights that come to 1 or more.
                let by = |point: &Vector3<f64>| {
                    let along = rays.map(|ray| ray.way.dot(point));
                    along.into_iter().fold(f64::INFINITY, f64::min)
                };
                let at_least = at_least.max(by(&middle.support)).max(by(&mean));
                open.push([at_least], Cone { at_least, rays });
            }
        }
        Some(0.0)
    }

    /// The rays of a cone, divided into four by those half-way between two of them.
    fn quarters(&self, [x, y, z]: [Ray; 3]) -> [[Ray; 3]; 4] {
        let half = |a: Ray, b: Ray| self.ray((a.way + b.way).normalize());
        let [xy, yz, zx] = [half(x, y), half(y, z), half(z, x)];
        [[x, xy, zx], [y, yz, xy], [z, zx, yz], [xy, yz, zx]]
    }
}

/// Axes of which the first one goes this way.
fn about(way: Vector3<f64>) -> Matrix3<f64> {
    let other = Vector3::ith(way.iamin(), 1.0);
    let second = way.cross(&other).normalize();
    Matrix3::from_columns(&[way, second, way.cross(&second).normalize()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Fixture, cube, moved};
    use crate::geometry::primitive::cylinder_cover;
    use crate::geometry::random::Random;

    /// Catches pieces that are looked for again with every contact, and a changed copy of a tree
    /// that has the pieces of the first one.
    #[test]
    fn pieces_are_found_once_for_each_tree() {
        let tree = SphereTree::new(&cube(0.1), 0.0);
        let mut found = 0;
        for _ in 0..3 {
            let pieces = tree.convex_pieces(|tree| {
                found += 1;
                found_pieces(tree)
            });
            assert_eq!((pieces.len(), pieces[0].len()), (1, 8));
        }
        assert_eq!(found, 1);
        let mut copy = tree.clone();
        copy.vertices.iter_mut().for_each(|v| v.coords *= 2.0);
        let size = |tree: &SphereTree| {
            let corners = tree.convex_pieces(found_pieces)[0].iter();
            corners.map(|c| c.norm()).fold(0.0, f64::max)
        };
        assert!(size(&copy) > 1.9 * size(&tree));
    }

    /// Boxes and cylinders, stretched and dented: whatever lies between the corners of a convex
    /// piece is in the solid, below the planes of all triangles. Catches corners that are not drawn
    /// below all planes, and groups of them that are left out.
    #[test]
    fn what_lies_between_the_corners_of_a_piece_is_solid() {
        let mut r = Random(142);
        let (mut found, mut dented, mut many) = (0, 0, 0);
        for case in 0..60 {
            // Narrow faces are turned much by a small dent.
            let (mut mesh, deepest) = if r.one_in(2) {
                (cube(0.1), 0.06)
            } else {
                (cylinder_cover(0.02, 0.04), 1e-4)
            };
            // Some hardly more than numbers are rounded.
            let dent = [0.0, 2e-9, 0.5 * deepest, deepest][case % 4];
            let size = r.vector().map(|x| 0.2 + x.abs());
            for v in &mut mesh.vertices {
                let share = 1.0 - dent * r.unit();
                v.coords = v.coords.component_mul(&size) * share;
            }
            let mesh = moved(mesh, r.vector());
            let mut fixture = Fixture::new();
            fixture.body(true, &[(mesh, 0.0)], None);
            let scene = fixture.scene(0.0);
            let tree = &scene.parts[0].tree;
            for corners in pieces(&scene.parts[0]) {
                found += 1;
                dented += usize::from(dent > 0.0);
                many += usize::from(dent > 0.0 && corners.len() > 2 * GROUP);
                for t in 0..tree.triangles.len() {
                    let [p, q, r] = tree.corners(t).map(|c| c - tree.origin);
                    let across = (q - p).cross(&(r - p)) * f64::from(tree.sides[t].signum());
                    for corner in corners.iter() {
                        assert!(across.dot(&(corner - p)) < 0.0, "case {case}: {corner}");
                    }
                }
                for _ in 0..200 {
                    let weights: Vec<f64> = corners.iter().map(|_| r.unit().powi(8)).collect();
                    let sum: f64 = weights.iter().sum();
                    let parts = corners.iter().zip(&weights).map(|(c, w)| c * (w / sum));
                    let point = tree.origin + parts.sum::<Vector3<f64>>();
                    assert!(tree.contains(&point, None), "case {case}: {point}");
                }
            }
        }
        assert!(found > 20 && dented > many, "{found} {dented}");
        assert!(many > 5, "{many}");
    }
}
