//! How far a point is from a surface, and how deep in a solid.

use nalgebra::{Point3, Vector3};
use smallvec::{SmallVec, smallvec};

use super::{Node, SphereTree};
use crate::geometry::triangle::Closest;

/// Nodes that are still to be looked at, each with the square of its distance, m².
type OpenNodes = SmallVec<[(f64, usize); 64]>;

impl SphereTree {
    /// How deep a point (of the shape's frame) lies in the solid: its distance from the nearest
    /// triangle inside, and minus that outside, metres. Where that is not more than `floor`, the
    /// answer may be anything from it up to `floor`. `guess` is a triangle that may be near; what
    /// comes back in it may be near the next point, if that lies near this one.
    pub(crate) fn depth(
        &self,
        point: &Point3<f64>,
        solid: Option<bool>,
        floor: f64,
        guess: &mut usize,
    ) -> f64 {
        if self.contains(point, solid) {
            return self.distance_to_triangles(point, [floor, f64::INFINITY], guess);
        }
        if floor < 0.0 {
            -self.distance_to_triangles(point, [0.0, -floor], guess)
        } else {
            floor
        }
    }

    /// Distance of a point (of the shape's frame) from the nearest triangle, metres. Exactness ends
    /// outside of a range: at `enough` or below, the answer may be more than the true distance, but
    /// not more than `enough`; where no triangle is nearer than `below`, it is `below`.
    fn distance_to_triangles(
        &self,
        point: &Point3<f64>,
        [enough, below]: [f64; 2],
        guess: &mut usize,
    ) -> f64 {
        let enough2 = enough.max(0.0).powi(2);
        let mut best2 = below.powi(2);
        let mut nearest = None;
        let mut look = |triangle: usize| {
            if let Some(found2) = Closest::square_below(point, &self.corners(triangle), best2) {
                (best2, nearest) = (found2, Some(triangle));
            }
            best2
        };
        let from = look(*guess);
        self.visit_nearest_first(point, [enough2, from], &mut look);
        match nearest {
            Some(triangle) => {
                *guess = triangle;
                best2.sqrt()
            }
            None => below,
        }
    }

    /// The place on the triangles nearest to a point (of the shape's frame), and the corners of its
    /// triangle.
    pub fn nearest_on_triangles(
        &self,
        point: &Point3<f64>,
    ) -> Option<(Point3<f64>, [Point3<f64>; 3])> {
        let mut best = (f64::INFINITY, None);
        let mut look = |triangle: usize| {
            let corners = self.corners(triangle);
            if let Some(found2) = Closest::square_below(point, &corners, best.0) {
                best = (found2, Some(corners));
            }
            best.0
        };
        self.visit_nearest_first(point, [0.0, f64::INFINITY], &mut look);
        let corners = best.1?;
        Some((Closest::of_point(point, &corners).point_b, corners))
    }

    /// Goes through the triangles that are nearer to a point than `matters`, those of the nearest
    /// nodes first. `look` looks at one, and says what matters from then on. It ends when that is no
    /// more than `enough`. All are squares of distances, m².
    fn visit_nearest_first(
        &self,
        point: &Point3<f64>,
        [enough, mut matters]: [f64; 2],
        look: &mut impl FnMut(usize) -> f64,
    ) {
        if matters <= enough {
            return;
        }
        let place = point - self.origin;
        let mut open: OpenNodes = smallvec![(self.square_at_least(0, &place), 0)];
        while let Some((bound, index)) = open.pop() {
            if bound >= matters {
                continue;
            }
            let node: &Node = &self.nodes[index];
            let first = node.first as usize;
            if node.is_leaf() {
                for triangle in first..first + node.count as usize {
                    matters = look(triangle);
                }
                if matters <= enough {
                    return;
                }
            } else {
                let mut both =
                    [first, first + 1].map(|child| (self.square_at_least(child, &place), child));
                if both[0].0 < both[1].0 {
                    both.swap(0, 1); // the nearer one is looked at next
                }
                open.extend(both.into_iter().filter(|(bound, _)| *bound < matters));
            }
        }
    }

    /// Square of the distance of a place (relative to the origin) from a node's box, m².
    fn square_at_least(&self, node: usize, place: &Vector3<f64>) -> f64 {
        let [center, half] = self.nodes[node].aabb();
        let outside = (place - center).abs() - half;
        outside.sup(&Vector3::zeros()).norm_squared()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::SphereTree;
    use crate::geometry::mesh::Mesh;
    use crate::geometry::random::Random;

    /// A box knows the answer by formula; all of space around and inside it.
    #[test]
    fn agrees_with_the_formula_of_a_box() {
        let size = Vector3::new(0.4, 0.2, 0.1);
        let tree = SphereTree::new(&Mesh::cuboid(&size), 0.0);
        let mut guesses = Random(7);
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
            let mut guess = guesses.below(tree.triangles.len());
            let found = tree.distance_to_triangles(&p, [0.0, f64::INFINITY], &mut guess);
            assert!((found - expected).abs() < 1e-12, "{p}: {found}, {expected}");
            // What comes back as the next guess is the nearest triangle, or one of them.
            let nearest = Closest::of_point(&p, &tree.corners(guess)).distance;
            assert_eq!(nearest, found, "{p}");
            let half = [0.0, 0.5 * expected];
            assert_eq!(tree.distance_to_triangles(&p, half, &mut guess), half[1]);
            let hasty = tree.distance_to_triangles(&p, [0.03, f64::INFINITY], &mut 0);
            assert!(
                hasty == expected
                    || (expected..=0.03).contains(&hasty)
                    || (hasty - expected).abs() < 1e-12
            );
        }
        assert!(inside > 100, "{inside}");
    }
}
