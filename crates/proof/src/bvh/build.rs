//! Building compact sphere trees: first top-down by surface area where triangles are cut in two, then
//! bounds from the bottom up.
//!
//! Once all cuts are known, so is the number of nodes and the place of each: they are written where
//! they stay, by several threads at once, and what was needed to choose cuts is gone by then.

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use self::cuts::Cuts;
pub(super) use self::cuts::HALVE_FROM_DEPTH;
use super::split::Item;
use super::{Node, SphereTree};
use crate::geometry::aabb::Aabb;
use crate::geometry::enclosing_ball::smallest_ball_by;
use crate::geometry::mesh::Mesh;
use crate::numeric::{UNIT, round_up};

mod cuts;
#[cfg(test)]
pub(super) mod tests;

/// The farthest corner of so few triangles is found by looking at each.
const FEW: usize = 8;

/// Point of the mesh's frame that node coordinates refer to.
fn origin(mesh: &Mesh) -> Point3<f64> {
    mesh.bounds()
        .map_or(Point3::origin(), |around| around.center())
}

impl SphereTree {
    /// Most triangles of a leaf.
    pub const LEAF: usize = 2;

    /// No node lies deeper below the root than this.
    pub const DEEPEST: usize = 88;

    /// The tree of a mesh whose vertices are finite and whose indices are valid. Vertices at the
    /// same place become one; the tree is the same whatever the number of threads. A mesh without
    /// triangles gives a tree without nodes.
    ///
    /// `radius` is kept for the reader: how far the true surface lies from the triangles at most
    /// (ball, capsule), metres.
    pub fn new(mesh: &Mesh, radius: f64) -> SphereTree {
        let (nodes, order) = Self::build_nodes(mesh);
        let mut tree = Self::from_nodes(mesh, radius, nodes, &order);
        tree.find_solids();
        tree
    }

    /// The part of building that takes long: nodes, and the triangles of the mesh in the order of
    /// the leaves.
    pub fn build_nodes(mesh: &Mesh) -> (Vec<Node>, Vec<u32>) {
        let origin = origin(mesh);
        let vertices: Vec<Vector3<f64>> = mesh.vertices.iter().map(|v| v - origin).collect();
        let reach = mesh
            .triangles
            .iter()
            .flatten()
            .map(|&v| vertices[v as usize].norm())
            .fold(0.0, f64::max);
        let mut items: Vec<Item> = mesh
            .triangles
            .iter()
            .enumerate()
            .map(|(i, t)| Item::new(i as u32, t.map(|v| vertices[v as usize])))
            .collect();
        if items.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let cuts = Cuts::of(&mut items);
        let order: Vec<u32> = items.iter().map(|item| item.triangle).collect();
        drop(items);
        let builder = TreeBuilder {
            mesh,
            vertices,
            order: &order,
            // Coordinates relative to the origin are off by one rounding of themselves; twice that,
            // and twice again to spare.
            slack: 4.0 * UNIT * reach,
        };
        let mut nodes: Vec<Node> = bytemuck::zeroed_vec(cuts.nodes());
        if let Some((root, below)) = nodes.split_first_mut() {
            let place = Place { below, first: 1 };
            let all = 0..order.len();
            *root = builder.grow(&mut Workspace::default(), &cuts, place, all).0;
        }
        (nodes, order)
    }

    /// The tree of nodes over the triangles of a mesh in this order, which has valid indices. What
    /// is inside is not known yet.
    pub fn from_nodes(mesh: &Mesh, radius: f64, nodes: Vec<Node>, order: &[u32]) -> SphereTree {
        let (vertices, triangles) = in_leaf_order(mesh, order);
        // All corners that are used, each once: the same box as that of the mesh.
        let around = (!vertices.is_empty()).then(|| Aabb::of(vertices.iter().copied()));
        SphereTree {
            origin: around.map_or(Point3::origin(), |around| around.center()),
            nodes,
            vertices,
            triangles,
            radius,
            closed: false,
            components: Vec::new(),
            sides: Vec::new(),
            convex_pieces: Default::default(),
            clusters: Default::default(),
        }
    }
}

/// The nodes below one, where they stay.
struct Place<'a> {
    below: &'a mut [Node],
    /// Index of the first of them in the tree.
    first: usize,
}

struct TreeBuilder<'a> {
    mesh: &'a Mesh,
    /// Relative to the tree's origin.
    vertices: Vec<Vector3<f64>>,
    /// Triangles in the order of the leaves.
    order: &'a [u32],
    slack: f64,
}

/// What one node after another needs for a moment: room for it is asked for once a task.
#[derive(Default)]
struct Workspace {
    corners: Vec<Vector3<f64>>,
    indices: Vec<u32>,
}

impl TreeBuilder<'_> {
    /// The node over triangles of the order, and the box around them. What is below it is written.
    fn grow(
        &self,
        work: &mut Workspace,
        cuts: &Cuts,
        place: Place,
        range: Range<usize>,
    ) -> (Node, Aabb) {
        let Place { below, first } = place;
        let branch = match cuts {
            Cuts::Many(branch) => branch,
            Cuts::Few(cuts) => return self.grow_few(work, cuts, below, first, &mut 0, range),
        };
        let [left, right] = [
            range.start..range.start + branch.middle,
            range.start + branch.middle..range.end,
        ];
        let [a, b] = &branch.sides;
        let (children, rest) = below.split_at_mut(2);
        let (below_a, below_b) = rest.split_at_mut(a.nodes() - 1);
        let place_b = Place {
            first: first + 2 + below_a.len(),
            below: below_b,
        };
        let place_a = Place {
            first: first + 2,
            below: below_a,
        };
        let (one, two) = rayon::join(
            || self.grow(work, a, place_a, left),
            || self.grow(&mut Workspace::default(), b, place_b, right),
        );
        children.copy_from_slice(&[one.0, two.0]);
        self.joined(work, below, first, 0, &one.1.join(&two.1), range)
    }

    /// The same for few triangles, one node after the other. `next`: how many nodes are written.
    fn grow_few(
        &self,
        work: &mut Workspace,
        cuts: &[u16],
        below: &mut [Node],
        first: usize,
        next: &mut usize,
        range: Range<usize>,
    ) -> (Node, Aabb) {
        if range.len() <= SphereTree::LEAF {
            let corners = self.few_corners(work, &self.order[range.clone()]);
            let bounds = Aabb::of(corners.iter().copied().map(Point3::from));
            let mut node = self.bounded(&bounds, corners[0], |center| farthest(corners, center));
            node.first = range.start as u32;
            node.count = range.len() as u32;
            return (node, bounds);
        }
        // Each cut gives two nodes, and cuts stand in the order of this walk.
        let middle = range.start + usize::from(cuts[*next / 2]);
        let pair = *next;
        *next += 2;
        let (a, bounds_a) = self.grow_few(work, cuts, below, first, next, range.start..middle);
        below[pair] = a;
        let (b, bounds_b) = self.grow_few(work, cuts, below, first, next, middle..range.end);
        below[pair + 1] = b;
        self.joined(work, below, first, pair, &bounds_a.join(&bounds_b), range)
    }

    /// The node above a pair of nodes.
    fn joined(
        &self,
        work: &mut Workspace,
        below: &[Node],
        first: usize,
        pair: usize,
        bounds: &Aabb,
        range: Range<usize>,
    ) -> (Node, Aabb) {
        let triangles = &self.order[range];
        let mut node = if triangles.len() <= FEW {
            let corners = self.few_corners(work, triangles);
            self.bounded(bounds, corners[0], |center| farthest(corners, center))
        } else {
            let any = self.corners(triangles[0])[0];
            self.bounded(bounds, any, |center| {
                let mut found = (-1.0, *center);
                self.search(below, first, pair, center, &mut found);
                found.1
            })
        };
        node.first = (first + pair) as u32;
        (node, *bounds)
    }

    fn corners(&self, triangle: u32) -> [Vector3<f64>; 3] {
        self.mesh.triangles[triangle as usize].map(|v| self.vertices[v as usize])
    }

    /// The corners of a few triangles, each vertex once.
    fn few_corners<'w>(&self, work: &'w mut Workspace, triangles: &[u32]) -> &'w [Vector3<f64>] {
        work.corners.clear();
        work.indices.clear();
        for &triangle in triangles {
            for v in self.mesh.triangles[triangle as usize] {
                if !work.indices.contains(&v) {
                    work.indices.push(v);
                    work.corners.push(self.vertices[v as usize]);
                }
            }
        }
        &work.corners
    }

    /// Finds the vertex below a pair of nodes that is farthest from `center`; their balls say where
    /// it cannot be. `first`: index of the first of these nodes in the tree.
    fn search(
        &self,
        nodes: &[Node],
        first: usize,
        pair: usize,
        center: &Vector3<f64>,
        found: &mut (f64, Vector3<f64>),
    ) {
        let pair = &nodes[pair..pair + 2];
        let farthest_possible = |node: &Node| {
            let c = node.ball_center();
            (c - center).norm() + f64::from(node.radius)
        };
        let reach = [farthest_possible(&pair[0]), farthest_possible(&pair[1])];
        let order = if reach[0] >= reach[1] { [0, 1] } else { [1, 0] };
        for i in order {
            if reach[i] * reach[i] < found.0 {
                continue;
            }
            let node = &pair[i];
            let start = node.first as usize;
            if node.is_leaf() {
                for &triangle in &self.order[start..start + node.count as usize] {
                    for corner in self.corners(triangle) {
                        let d2 = (corner - center).norm_squared();
                        if d2 > found.0 {
                            *found = (d2, corner);
                        }
                    }
                }
            } else {
                self.search(nodes, first, start - first, center, found);
            }
        }
    }

    /// Ball and box, rounded outwards to single precision. Children are left to be filled in.
    fn bounded(
        &self,
        bounds: &Aabb,
        any: Vector3<f64>,
        mut farthest_from: impl FnMut(&Vector3<f64>) -> Vector3<f64>,
    ) -> Node {
        let ball = smallest_ball_by(Point3::from(any), |c| {
            Point3::from(farthest_from(&c.coords))
        });
        let center = ball.center.coords.map(|x| x as f32);
        let center_exact = center.map(f64::from);
        let farthest = (farthest_from(&center_exact) - center_exact).norm();
        let box_center = bounds.center().map(|x| x as f32);
        let box_center_exact = box_center.map(f64::from);
        let half = (bounds.max - box_center_exact).sup(&(box_center_exact - bounds.min));
        let outward = |x: f64| round_up(x * (1.0 + 16.0 * UNIT) + self.slack);
        Node {
            center: center.into(),
            radius: outward(farthest),
            box_center: box_center.into(),
            first: 0,
            box_half: half.map(outward).into(),
            count: 0,
        }
    }
}

fn farthest(points: &[Vector3<f64>], center: &Vector3<f64>) -> Vector3<f64> {
    let mut most = (-1.0, *center);
    for p in points {
        let d2 = (p - center).norm_squared();
        if d2 > most.0 {
            most = (d2, *p);
        }
    }
    most.1
}

/// Triangles in the order of the leaves, vertices in the order in which these first use them.
fn in_leaf_order(mesh: &Mesh, order: &[u32]) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    if mesh.corners_differ() {
        return by_first_use(mesh, order, |v| v);
    }
    let same = mesh.welded();
    by_first_use(mesh, order, |v| same[v as usize])
}

/// The same with one index in place of all that `same` gives the same.
fn by_first_use(
    mesh: &Mesh,
    order: &[u32],
    same: impl Fn(u32) -> u32,
) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    const UNSEEN: u32 = u32::MAX;
    let mut index_of = vec![UNSEEN; mesh.vertices.len()];
    let mut vertices = Vec::with_capacity(mesh.vertices.len());
    let triangles = order
        .iter()
        .map(|&triangle| {
            mesh.triangles[triangle as usize].map(|v| {
                let v = same(v) as usize;
                if index_of[v] == UNSEEN {
                    index_of[v] = vertices.len() as u32;
                    vertices.push(mesh.vertices[v]);
                }
                index_of[v]
            })
        })
        .collect();
    (vertices, triangles)
}
