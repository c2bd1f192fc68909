//! Building compact sphere trees: top-down by surface area, bounds from the bottom up.

use nalgebra::{Point3, Vector3};

use super::split::{self, Item};
use super::{Node, SphereTree};
use crate::geometry::aabb::Aabb;
use crate::geometry::enclosing_ball::smallest_ball_by;
use crate::geometry::mesh::Mesh;
use crate::numeric::{UNIT, round_up};

#[cfg(test)]
pub(super) mod tests;

/// From this depth on triangles are halved by number, which ends within 32 levels.
pub(super) const HALVE_FROM_DEPTH: usize = SphereTree::DEEPEST - 33;

/// Subtrees of more triangles than this are worth a task of their own.
const TASK: usize = 4096;

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
        let builder = TreeBuilder {
            mesh,
            vertices,
            // Coordinates relative to the origin are off by one rounding of themselves; twice that,
            // and twice again to spare.
            slack: 4.0 * UNIT * reach,
        };
        let root = (!items.is_empty())
            .then(|| builder.grow(&mut Workspace::default(), &mut items, 0, 0).0);
        let order = items.iter().map(|item| item.triangle).collect();
        // Free the builder before the nodes are written: both at once would need more memory.
        drop((items, builder));
        let mut nodes = Vec::new();
        if let Some(root) = root {
            nodes.push(root.node);
            flatten(root, 0, &mut nodes);
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

/// A node on its way into the tree.
struct GrownNode {
    node: Node,
    children: Option<Box<[GrownNode; 2]>>,
}

struct TreeBuilder<'a> {
    mesh: &'a Mesh,
    /// Relative to the tree's origin.
    vertices: Vec<Vector3<f64>>,
    slack: f64,
}

/// What one node after another needs for a moment: room for it is asked for once a task.
#[derive(Default)]
struct Workspace {
    cut: split::Cut,
    corners: Vec<Vector3<f64>>,
    indices: Vec<u32>,
}

impl TreeBuilder<'_> {
    fn grow(
        &self,
        work: &mut Workspace,
        items: &mut [Item],
        first: usize,
        depth: usize,
    ) -> (GrownNode, Aabb) {
        if items.len() <= SphereTree::LEAF {
            let corners = self.few_corners(work, items);
            let bounds = Aabb::of(corners.iter().copied().map(Point3::from));
            let mut node = self.bounded(&bounds, corners[0], |center| farthest(corners, center));
            node.first = first as u32;
            node.count = items.len() as u32;
            let children = None;
            return (GrownNode { node, children }, bounds);
        }
        let middle = if depth < HALVE_FROM_DEPTH {
            work.cut.by_area(items)
        } else {
            split::by_number(items)
        };
        let count = items.len();
        let (left, right) = items.split_at_mut(middle);
        let mut grow_left = |work: &mut Workspace| self.grow(work, left, first, depth + 1);
        let mut grow_right =
            |work: &mut Workspace| self.grow(work, right, first + middle, depth + 1);
        let ((a, bounds_a), (b, bounds_b)) = if count > TASK {
            rayon::join(|| grow_left(work), || grow_right(&mut Workspace::default()))
        } else {
            (grow_left(work), grow_right(work))
        };
        let bounds = bounds_a.join(&bounds_b);
        let children = Box::new([a, b]);
        let node = if count <= FEW {
            let corners = self.few_corners(work, items);
            self.bounded(&bounds, corners[0], |center| farthest(corners, center))
        } else {
            let any = self.corners(items[0].triangle)[0];
            self.bounded(&bounds, any, |center| {
                let mut found = (-1.0, *center);
                self.search(&children, items, first, center, &mut found);
                found.1
            })
        };
        let children = Some(children);
        (GrownNode { node, children }, bounds)
    }

    fn corners(&self, triangle: u32) -> [Vector3<f64>; 3] {
        self.mesh.triangles[triangle as usize].map(|v| self.vertices[v as usize])
    }

    /// The corners of a few triangles, each vertex once.
    fn few_corners<'w>(&self, work: &'w mut Workspace, items: &[Item]) -> &'w [Vector3<f64>] {
        work.corners.clear();
        work.indices.clear();
        for item in items {
            for v in self.mesh.triangles[item.triangle as usize] {
                if !work.indices.contains(&v) {
                    work.indices.push(v);
                    work.corners.push(self.vertices[v as usize]);
                }
            }
        }
        &work.corners
    }

    /// Finds the vertex below two branches that is farthest from `center`; their balls say where it
    /// cannot be.
    fn search(
        &self,
        pair: &[GrownNode; 2],
        items: &[Item],
        first: usize,
        center: &Vector3<f64>,
        found: &mut (f64, Vector3<f64>),
    ) {
        let farthest_possible = |b: &GrownNode| {
            let c = b.node.ball_center();
            (c - center).norm() + f64::from(b.node.radius)
        };
        let reach = [farthest_possible(&pair[0]), farthest_possible(&pair[1])];
        let order = if reach[0] >= reach[1] { [0, 1] } else { [1, 0] };
        for i in order {
            if reach[i] * reach[i] < found.0 {
                continue;
            }
            let branch = &pair[i];
            if let Some(children) = &branch.children {
                self.search(children, items, first, center, found);
            } else {
                let start = branch.node.first as usize - first;
                for item in &items[start..start + branch.node.count as usize] {
                    for corner in self.corners(item.triangle) {
                        let d2 = (corner - center).norm_squared();
                        if d2 > found.0 {
                            *found = (d2, corner);
                        }
                    }
                }
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

/// Writes the children of node `at`, side by side, and what lies below them.
fn flatten(branch: GrownNode, at: usize, nodes: &mut Vec<Node>) {
    let Some(children) = branch.children else {
        return;
    };
    let first = nodes.len();
    nodes[at].first = first as u32;
    let [a, b] = *children;
    nodes.extend([a.node, b.node]);
    flatten(a, first, nodes);
    flatten(b, first + 1, nodes);
}

/// Triangles in the order of the leaves, vertices in the order in which these first use them.
fn in_leaf_order(mesh: &Mesh, order: &[u32]) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    const UNSEEN: u32 = u32::MAX;
    let same = mesh.welded();
    let mut index_of = vec![UNSEEN; mesh.vertices.len()];
    let mut vertices = Vec::with_capacity(mesh.vertices.len());
    let triangles = order
        .iter()
        .map(|&triangle| {
            mesh.triangles[triangle as usize].map(|v| {
                let v = same[v as usize] as usize;
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
