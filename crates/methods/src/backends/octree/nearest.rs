//! Distances through the octree.
//!
//! A white cube knows how far its centre is from everything that stands there, so any point of it
//! has a lower bound: that distance less its own from the centre. A ball of a moving body's sphere
//! tree has one too, less its radius. Where that is enough, no face of the cell is looked at, and
//! how many there are does not matter.

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::triangle::Closest;
use clearance_proof::report::Work;
use nalgebra::Point3;

use super::cube::Cube;
use super::cubes::{Cubes, PlacedSolid};
use super::table::Colour;
use super::walk::BodyFaces;

/// Distances of the centres of white cubes from the cell, found when first asked for.
#[derive(Debug, Clone)]
pub struct DistanceField {
    /// By cube, metres, rounded down; not a number: unknown.
    known: Vec<f32>,
}

impl DistanceField {
    /// Nothing is known yet.
    pub fn new(cubes: &Cubes) -> Self {
        DistanceField {
            known: vec![f32::NAN; cubes.nodes.len()],
        }
    }

    /// A lower bound of a point's distance from everything that stands there, metres; 0 within
    /// mixed and black cubes.
    pub fn at_least(&mut self, cubes: &Cubes, p: &Point3<f64>) -> f64 {
        let beyond = Aabb::at(p).gap(&cubes.bounds);
        let Some((index, cube)) = cubes.locate(p) else {
            return beyond;
        };
        if cubes.colour(&cubes.nodes[index as usize]) != Colour::White {
            return beyond;
        }
        let center = cube.center();
        let known = &mut self.known[index as usize];
        if known.is_nan() {
            *known = (from_center(cubes, &center) as f32).next_down().max(0.0);
        }
        (f64::from(*known) - (p - center).norm() - cubes.slack()).max(beyond)
    }

    /// Size in memory, bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.known[..])
    }
}

/// Distance of a point outside all solids from the cell, metres, rounded down.
fn from_center(cubes: &Cubes, p: &Point3<f64>) -> f64 {
    let mut nearest = f64::INFINITY;
    let around = Aabb::at(p);
    visit(cubes, &around, &mut nearest, &mut |face, nearest| {
        let radius = cubes.solid(face).tree.radius;
        let distance = Closest::of_point(p, &cubes.faces[face as usize]).distance;
        *nearest = nearest.min(distance - radius);
    });
    (nearest - cubes.slack()).max(0.0)
}

/// Tells of all faces in cubes nearer to a box than `nearest`, which the visitor lowers; nearer
/// cubes first.
fn visit(cubes: &Cubes, around: &Aabb, nearest: &mut f64, seen: &mut impl FnMut(u32, &mut f64)) {
    let mut open: Vec<(f64, u32, Cube)> = vec![(0.0, 0, cubes.root)];
    while let Some((gap, index, cube)) = open.pop() {
        if gap > *nearest {
            continue;
        }
        let node = &cubes.nodes[index as usize];
        if node.children == 0 {
            for &face in cubes.faces_in(node) {
                seen(face, nearest);
            }
            continue;
        }
        let from = open.len();
        for k in 0..8 {
            let child = node.children + k;
            let cube = cube.child(k as usize);
            if cubes.colour(&cubes.nodes[child as usize]) == Colour::Mixed {
                let gap = cube.bounds().gap(around);
                if gap <= *nearest {
                    open.push((gap, child, cube));
                }
            }
        }
        open[from..].sort_by(|x, y| y.0.total_cmp(&x.0));
    }
}

/// Whether white cubes alone show that a moving shape's surface is at least this far from
/// everything that stands there; the bound that they give, metres.
pub fn clear_of_all(
    cubes: &Cubes,
    field: &mut DistanceField,
    body: &PlacedSolid,
    enough: f64,
    work: &mut Work,
) -> Option<f64> {
    let mut least = f64::INFINITY;
    let mut open = vec![0];
    while let Some(index) = open.pop() {
        let node = &body.tree.nodes[index];
        work.cell_tests += 1;
        let bound = ball_at_least(cubes, field, body, index);
        if bound >= enough {
            least = least.min(bound);
        } else if node.is_leaf() {
            return None;
        } else {
            let first = node.first as usize;
            open.extend([first, first + 1]);
        }
    }
    Some(least)
}

fn ball_at_least(cubes: &Cubes, field: &mut DistanceField, body: &PlacedSolid, node: usize) -> f64 {
    let (center, radius) = ball(body, node);
    field.at_least(cubes, &center) - radius - body.tree.radius
}

/// The ball of a node of a shape's tree, in the world.
fn ball(body: &PlacedSolid, node: usize) -> (Point3<f64>, f64) {
    let node = &body.tree.nodes[node];
    let center = node.ball_center();
    (body.pose.apply(&center).into(), f64::from(node.radius))
}

/// The distance of a moving shape from one standing body.
pub struct NearestCube<'n> {
    /// The cubes of the standing bodies.
    pub cubes: &'n Cubes,
    /// The distances that its white cubes show.
    pub field: &'n mut DistanceField,
    /// The moving shape.
    pub body: &'n PlacedSolid,
    /// Its faces in the world.
    pub faces: &'n mut BodyFaces,
    /// Number of the standing body.
    pub slot: usize,
    /// The box around that body.
    pub around: Aabb,
    /// Nothing farther than this is looked for; the least distance so far, metres.
    pub below: f64,
    /// Nothing is nearer than this of what was looked at or left out, metres.
    pub beyond: f64,
    /// Parts that cannot be nearer than this share of the least distance are left out.
    pub worthwhile: f64,
    /// Counters.
    pub work: &'n mut Work,
}

impl NearestCube<'_> {
    /// Goes down the shape's tree; what is far from all by the white cubes, or from the body by its
    /// box, is left out.
    pub fn search(&mut self, node: usize) {
        if self.below <= 0.0 {
            return;
        }
        let (center, radius) = ball(self.body, node);
        self.work.cell_tests += 1;
        let at = Aabb::at(&center);
        let bound = self
            .field
            .at_least(self.cubes, &center)
            .max(at.gap(&self.around))
            - radius
            - self.body.tree.radius;
        if bound >= self.below * self.worthwhile {
            self.beyond = self.beyond.min(bound);
            return;
        }
        let what = self.body.tree.nodes[node];
        if what.is_leaf() {
            for t in what.first..what.first + what.count {
                self.face(t);
            }
            return;
        }
        // The nearer child first: it may rule out the other one.
        let first = what.first as usize;
        let [x, y] = [first, first + 1].map(|n| {
            let (center, radius) = ball(self.body, n);
            Aabb::at(&center).gap(&self.around) - radius
        });
        let order = if y < x {
            [first + 1, first]
        } else {
            [first, first + 1]
        };
        for child in order {
            self.search(child);
        }
    }

    fn face(&mut self, triangle: u32) {
        let face = *self.faces.get(self.body, triangle);
        let out = self.body.tree.radius;
        let cubes = self.cubes;
        let worthwhile = self.below * self.worthwhile;
        let mut reach = worthwhile + out;
        if face.bounds.gap(&self.around) > reach {
            self.beyond = self.beyond.min(face.bounds.gap(&self.around) - out);
            return;
        }
        let (slot, work) = (self.slot, &mut *self.work);
        let mut found = None;
        visit(cubes, &face.bounds, &mut reach, &mut |other, reach| {
            let solid = cubes.solid(other);
            let corners = &cubes.faces[other as usize];
            let gap = face.bounds.gap(&Aabb::of(*corners)) - solid.tree.radius;
            if solid.slot == slot && gap < *reach {
                work.triangle_tests += 1;
                let closest = Closest::of_triangles(&face.corners, corners);
                let distance = closest.distance - solid.tree.radius;
                if distance < *reach {
                    *reach = distance;
                    found = Some(distance - out);
                }
            }
        });
        if let Some(distance) = found {
            self.below = distance;
        }
        self.beyond = self.beyond.min(found.unwrap_or(worthwhile));
    }
}
