//! Lower bounds of the distances of node pairs, four pairs at a time in f32.
//!
//! Of two nodes three things are known: balls, boxes, and (once some triangles have been measured)
//! a direction along which the parts lie behind each other. The gap between balls, the gap between
//! boxes seen in the axes of either, and the gap along that direction are all lower bounds; the
//! largest one counts.

use nalgebra::Vector3;

use crate::bvh::Node;
use crate::geometry::pose::Pose;
use crate::numeric::round_up;

/// Pairs at a time. Four numbers of f32 are one register of every x86-64 and aarch64 machine.
pub(super) const LANES: usize = 4;

/// Bound on the rounding of one bound, in units of 2⁻²⁴ times the size of the numbers in it.
///
/// A coordinate of the relative position is a sum of at most 5 products and terms, each no larger
/// than `size` (the distance of the two origins plus both reaches) and each rounded once, with
/// matrix entries rounded once before: fewer than 15 roundings. Turning it into the other axes adds
/// 8, lengths and differences 5; √3 for what is not along an axis.
const ROUNDINGS: f64 = 64.0;

type Vector32 = [f32; 3];

/// Two parts as their nodes are seen in b's frame.
pub(super) struct NodeBounds {
    /// Rows of the rotation from a to b, and their absolute values rounded up.
    turn: [Vector32; 3],
    turn_abs: [Vector32; 3],
    /// a's origin, seen from b's.
    shift: Vector32,
    /// The amount that roundings, and balls around the triangles, take from every bound.
    less: f32,
    /// A direction from b to a, in b's axes, and the absolute values of it in a's and in b's axes,
    /// rounded up.
    towards: Option<[Vector32; 3]>,
}

impl NodeBounds {
    /// Parts at these poses to each other. `radii`: of the balls around their triangles, both
    /// together, metres; `reach`: how far their nodes lie from their origins, both together.
    pub(super) fn new(b_from_a: &Pose, radii: f64, reach: f64) -> Self {
        let size = b_from_a.translation.norm() + reach;
        let rows = [0, 1, 2].map(|r| [0, 1, 2].map(|c| b_from_a.rotation[(r, c)] as f32));
        NodeBounds {
            turn: rows,
            turn_abs: rows.map(|row| row.map(|x| x.abs().next_up())),
            shift: rounded(&b_from_a.translation),
            less: round_up(radii + ROUNDINGS * f64::from(f32::EPSILON) / 2.0 * size),
            towards: None,
        }
    }

    /// From now on, what lies between the parts along this direction counts: the same one in a's
    /// axes and in b's, length 1.
    pub(super) fn look_along(&mut self, from_a: &Vector3<f64>, from_b: &Vector3<f64>) {
        let outward = |v: &Vector3<f64>| rounded(v).map(|x| x.abs().next_up());
        self.towards = Some([rounded(from_b), outward(from_a), outward(from_b)]);
    }

    /// A lower bound of the distance of what two nodes hold, for each of four pairs, metres.
    pub(super) fn of(&self, nodes: [[&Node; LANES]; 2]) -> [f32; LANES] {
        let [a, b] = nodes.map(NodeLanes::new);
        let mut bounds = [0.0; LANES];
        for (l, bound) in bounds.iter_mut().enumerate() {
            let at = |lanes: &[[f32; LANES]; 3]| [lanes[0][l], lanes[1][l], lanes[2][l]];
            let centers = self.between(&at(&a.center), &at(&b.center));
            let balls = dot(&centers, &centers).sqrt() - a.radius[l] - b.radius[l];
            let boxes = self.between(&at(&a.box_center), &at(&b.box_center));
            let (half_a, half_b) = (at(&a.box_half), at(&b.box_half));
            let along_b = [0, 1, 2]
                .map(|k| positive(boxes[k].abs() - dot(&self.turn_abs[k], &half_a) - half_b[k]));
            let column = |rows: &[Vector32; 3], k: usize| [rows[0][k], rows[1][k], rows[2][k]];
            let along_a = [0, 1, 2].map(|k| {
                let seen = dot(&column(&self.turn, k), &boxes).abs();
                positive(seen - half_a[k] - dot(&column(&self.turn_abs, k), &half_b))
            });
            let gap = max(dot(&along_a, &along_a), dot(&along_b, &along_b)).sqrt();
            // Of boxes that overlap the balls tell which ones overlap most: that is where surfaces
            // cross.
            *bound = max(balls, if gap > 0.0 { gap } else { f32::NEG_INFINITY });
            if let Some([n, from_a, from_b]) = &self.towards {
                let along = dot(n, &boxes) - dot(from_a, &half_a) - dot(from_b, &half_b);
                *bound = max(*bound, along);
            }
            *bound -= self.less;
        }
        bounds
    }

    /// Where a point of a lies, seen from a point of b, in b's axes.
    #[inline(always)]
    fn between(&self, a: &Vector32, b: &Vector32) -> Vector32 {
        [0, 1, 2].map(|k| (dot(&self.turn[k], a) - b[k]) + self.shift[k])
    }
}

/// Nodes side by side.
struct NodeLanes {
    center: [[f32; LANES]; 3],
    radius: [f32; LANES],
    box_center: [[f32; LANES]; 3],
    box_half: [[f32; LANES]; 3],
}

impl NodeLanes {
    #[inline(always)]
    fn new(nodes: [&Node; LANES]) -> Self {
        let rows =
            |numbers: fn(&Node) -> &Vector32| [0, 1, 2].map(|k| nodes.map(|n| numbers(n)[k]));
        NodeLanes {
            center: rows(|n| &n.center),
            radius: nodes.map(|n| n.radius),
            box_center: rows(|n| &n.box_center),
            box_half: rows(|n| &n.box_half),
        }
    }
}

fn rounded(v: &Vector3<f64>) -> Vector32 {
    [v.x as f32, v.y as f32, v.z as f32]
}

#[inline(always)]
fn dot(a: &Vector32, b: &Vector32) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

// Comparisons compile to one instruction each; there is no NaN here: trees and poses are finite.
#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn positive(x: f32) -> f32 {
    max(x, 0.0)
}

#[cfg(test)]
mod tests;
