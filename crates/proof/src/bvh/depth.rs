//! How far a point is from a surface, and how deep in a solid.

use nalgebra::{Point3, Vector3};
use smallvec::{SmallVec, smallvec};

use super::{Node, SphereTree};
use crate::geometry::triangle::Closest;

/// Nodes that are still to be looked at, each with its distance, metres.
type OpenNodes = SmallVec<[(f64, usize); 64]>;

impl SphereTree {
    /// Distance of a point (of the shape's frame) from the nearest triangle, metres. Exactness ends
    /// outside of a range: at `enough` or below, the answer may be more than the true distance, but
    /// not more than `enough`; where no triangle is nearer than `below`, it is `below`.
    pub fn distance_to_triangles(&self, point: &Point3<f64>, enough: f64, below: f64) -> f64 {
        let position = point - self.origin;
        let mut best = below;
        let mut open: OpenNodes = smallvec![(self.box_distance(0, &position), 0)];
        while let Some((bound, index)) = open.pop() {
            if bound >= best {
                continue;
            }
            let node: &Node = &self.nodes[index];
            let first = node.first as usize;
            if node.is_leaf() {
                for triangle in first..first + node.count as usize {
                    let found = Closest::of_point(point, &self.corners(triangle));
                    best = best.min(found.distance);
                }
                if best <= enough {
                    return best;
                }
            } else {
                let mut both =
                    [first, first + 1].map(|child| (self.box_distance(child, &position), child));
                if both[0].0 < both[1].0 {
                    both.swap(0, 1); // the nearer one is looked at next
                }
                open.extend(both);
            }
        }
        best
    }

    /// How deep a point (of the shape's frame) lies in the solid: its distance from the nearest
    /// triangle inside, and minus that outside, metres. Where that is not more than `floor`, the
    /// answer may be anything from it up to `floor`.
    pub fn depth(&self, point: &Point3<f64>, solid: Option<bool>, floor: f64) -> f64 {
        if self.contains(point, solid) {
            return self.distance_to_triangles(point, floor, f64::INFINITY);
        }
        if floor < 0.0 {
            -self.distance_to_triangles(point, 0.0, -floor)
        } else {
            floor
        }
    }

    /// The place on the triangles nearest to a point (of the shape's frame), and the corners of its
    /// triangle.
    pub fn nearest_on_triangles(
        &self,
        point: &Point3<f64>,
    ) -> Option<(Point3<f64>, [Point3<f64>; 3])> {
        let position = point - self.origin;
        let mut best = (f64::INFINITY, None);
        let mut open: OpenNodes = smallvec![(self.box_distance(0, &position), 0)];
        while let Some((bound, index)) = open.pop() {
            if bound >= best.0 {
                continue;
            }
            let node: &Node = &self.nodes[index];
            let first = node.first as usize;
            if node.is_leaf() {
                for corners in (first..first + node.count as usize).map(|t| self.corners(t)) {
                    let found = Closest::of_point(point, &corners);
                    if found.distance < best.0 {
                        best = (found.distance, Some((found.point_b, corners)));
                    }
                }
            } else {
                let mut both =
                    [first, first + 1].map(|child| (self.box_distance(child, &position), child));
                if both[0].0 < both[1].0 {
                    both.swap(0, 1);
                }
                open.extend(both);
            }
        }
        best.1
    }

    /// Distance of a place (relative to the origin) from a node's box.
    fn box_distance(&self, node: usize, position: &Vector3<f64>) -> f64 {
        let node = &self.nodes[node];
        let outside = |k: usize| {
            let off = (position[k] - f64::from(node.box_center[k])).abs();
            (off - f64::from(node.box_half[k])).max(0.0)
        };
        Vector3::new(outside(0), outside(1), outside(2)).norm()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::SphereTree;
    use crate::geometry::mesh::Mesh;

    /// A box knows the answer by formula; all of space around and inside it.
    #[test]
    fn agrees_with_the_formula_of_a_box() {
        let size = Vector3::new(0.4, 0.2, 0.1);
        let tree = SphereTree::new(&Mesh::cuboid(&size), 0.0);
        let mut inside = 0;
        for k in 0..2000_u32 {
            let at = |m: u32| f64::from((k * m) % 997) / 997.0 - 0.5;
            let p = Point3::new(0.6 * at(7), 0.4 * at(31), 0.2 * at(101));
            let q = Vector3::from_fn(|i, _| p[i].abs() - 0.5 * size[i]);
            let expected = if q.max() <= 0.0 {
                -q.max()
            } else {
                q.map(|x| x.max(0.0)).norm()
            };
            inside += usize::from(q.max() <= 0.0);
            let found = tree.distance_to_triangles(&p, 0.0, f64::INFINITY);
            assert!((found - expected).abs() < 1e-12, "{p}: {found}, {expected}");
            assert_eq!(
                tree.distance_to_triangles(&p, 0.0, 0.5 * expected),
                0.5 * expected
            );
            let hasty = tree.distance_to_triangles(&p, 0.03, f64::INFINITY);
            assert!(
                hasty == expected
                    || (expected..=0.03).contains(&hasty)
                    || (hasty - expected).abs() < 1e-12
            );
        }
        assert!(inside > 100, "{inside}");
    }
}
