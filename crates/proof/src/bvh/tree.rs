//! The sphere tree: a binary tree of balls and boxes over exact triangles.

use std::sync::OnceLock;

use nalgebra::{Point3, Vector3};

use super::clusters::Clusters;
use crate::geometry::packed_corners::PackedCorners;

/// One node, as it lies in memory and in the cache file.
///
/// Coordinates are relative to [`SphereTree::origin`], axes are those of the shape's frame. Both
/// the ball and the box contain every vertex below the node, rounded outwards; neither contains the
/// children's balls ("compact").
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Node {
    /// Centre of the smallest enclosing ball.
    pub center: [f32; 3],
    /// Its radius, rounded up.
    pub radius: f32,
    /// Centre of the axis-aligned box.
    pub box_center: [f32; 3],
    /// Inner node: index of the first child, the second one follows it. Leaf: index of its first
    /// triangle.
    pub first: u32,
    /// Half the edge lengths of that box, rounded up.
    pub box_half: [f32; 3],
    /// Number of triangles of a leaf; 0 for an inner node.
    pub count: u32,
}

/// A shape ready to be checked.
#[derive(Debug, Clone, PartialEq)]
pub struct SphereTree {
    /// Point of the shape's frame that node coordinates refer to, so that f32 stays fine far from
    /// the frame's origin.
    pub origin: Point3<f64>,
    /// Nodes; 0 is the root.
    pub nodes: Vec<Node>,
    /// Corner points, in the shape's frame, exact.
    pub vertices: Vec<Point3<f64>>,
    /// Corners of each triangle, in leaf order. Points and segments (the cores of balls and
    /// capsules) repeat a corner.
    pub triangles: Vec<[u32; 3]>,
    /// Every surface point lies within this distance of a triangle: 0 for meshes, the radius for
    /// balls and capsules, metres.
    pub radius: f64,
    /// Whether the triangles enclose a solid: there are some, and every component of them is
    /// closed.
    pub closed: bool,
    /// The first triangle of everything that hangs together by vertices, in order.
    pub components: Vec<u32>,
    /// How each triangle bounds the inside: 0 if it uses a corner twice, ±1 in closed components,
    /// ±2 in open ones; negative if it is to be taken as wound the other way round, so that
    /// outermost components are wound outwards.
    pub sides: Vec<i8>,
    /// Found when they are first asked for.
    pub(super) convex_pieces: DerivedValue<Vec<PackedCorners>>,
    /// Found when they are first asked for.
    pub(super) clusters: DerivedValue<Clusters>,
}

/// A value that follows from the rest of a tree and is computed when first asked for. It is not
/// part of the tree's identity; a clone starts without it, because it may be changed.
#[derive(Debug)]
pub(super) struct DerivedValue<T>(OnceLock<T>);

impl<T> DerivedValue<T> {
    /// What was found, or is found now.
    pub(super) fn get_or_compute(&self, find: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(find)
    }
}

impl<T> Default for DerivedValue<T> {
    fn default() -> Self {
        DerivedValue(OnceLock::new())
    }
}

impl<T> Clone for DerivedValue<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> PartialEq for DerivedValue<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Node {
    /// Whether triangles lie right below.
    pub fn is_leaf(&self) -> bool {
        self.count > 0
    }

    /// Splits the larger one of two nodes, of which one at least is not a leaf.
    #[inline]
    pub(crate) fn split_larger([ia, ib]: [u32; 2], [na, nb]: [&Node; 2], out: &mut Vec<[u32; 2]>) {
        if !na.is_leaf() && (nb.is_leaf() || na.radius >= nb.radius) {
            out.extend_from_slice(&[[na.first, ib], [na.first + 1, ib]]);
        } else {
            out.extend_from_slice(&[[ia, nb.first], [ia, nb.first + 1]]);
        }
    }

    /// Centre of its ball, metres from the origin of the tree.
    #[inline]
    pub fn ball_center(&self) -> Vector3<f64> {
        Vector3::from(self.center.map(f64::from))
    }

    /// Centre of its box, metres from the origin of the tree, and half of the box's edges.
    #[inline]
    pub fn aabb(&self) -> [Vector3<f64>; 2] {
        [self.box_center, self.box_half].map(|v| Vector3::from(v.map(f64::from)))
    }
}

impl SphereTree {
    /// Size of it, bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.nodes[..])
            + size_of_val(&self.vertices[..])
            + size_of_val(&self.triangles[..])
            + size_of_val(&self.components[..])
            + size_of_val(&self.sides[..])
    }

    /// Corners of its convex pieces, relative to its origin. `find` finds them, once for each tree:
    /// that takes longer than to look at most contacts.
    pub(crate) fn convex_pieces(
        &self,
        find: impl FnOnce(&SphereTree) -> Vec<PackedCorners>,
    ) -> &[PackedCorners] {
        self.convex_pieces.get_or_compute(|| find(self))
    }

    /// The three corners of one triangle, in the shape's frame.
    pub fn corners(&self, triangle: usize) -> [Point3<f64>; 3] {
        self.triangles[triangle].map(|v| self.vertices[v as usize])
    }
}
