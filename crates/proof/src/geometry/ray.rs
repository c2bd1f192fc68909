//! A ray along an axis and a triangle, exactly: rays that graze edges and corners are counted as
//! rightly as all others.

use nalgebra::Point3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// A ray from a point along a coordinate axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisRay {
    /// Where it begins.
    pub from: Point3<f64>,
    /// 0 for x, 1 for y, 2 for z.
    pub axis: usize,
    /// Whether it runs towards greater coordinates.
    pub upwards: bool,
}

impl AxisRay {
    /// +1 if the ray leaves through the triangle (it is counter-clockwise seen from ahead), −1 if
    /// it enters, 0 if it passes.
    ///
    /// Taken over a closed surface the sum is how often that goes round the ray's beginning. This
    /// is so without exception because the ray is taken to run a little beside its place, towards
    /// greater coordinates in the next two axes, always the same way: of two triangles at an edge
    /// that the ray meets exactly one counts. A triangle that the beginning lies on is passed.
    pub fn crossing(&self, corners: &[Point3<f64>; 3]) -> i32 {
        let [a, b, c] = corners;
        let turns: i32 = [(a, b), (b, c), (c, a)]
            .iter()
            .map(|(p, q)| self.edge_past(p, q))
            .sum();
        if turns == 0 {
            return 0;
        }
        let coord = |p: &Point3<f64>| Coord3D {
            x: p.x,
            y: p.y,
            z: p.z,
        };
        // Positive: the beginning lies on the side from which the corners are seen to run
        // clockwise.
        let behind = orient3d(coord(a), coord(b), coord(c), coord(&self.from));
        let ahead = behind != 0.0 && (behind > 0.0) == ((turns > 0) == self.upwards);
        match (ahead, self.upwards) {
            (false, _) => 0,
            (true, true) => turns,
            (true, false) => -turns,
        }
    }

    /// Seen against the axis, with the other two axes to the right and up: +1 if the edge runs up
    /// past the ray on its right side, −1 if it runs down there, else 0. The three edges of a
    /// triangle make up its turns around the ray.
    fn edge_past(&self, p: &Point3<f64>, q: &Point3<f64>) -> i32 {
        let (right, up) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        // An end at the height of the ray counts as below it.
        let [p_below, q_below] = [p, q].map(|end| end[up] <= self.from[up]);
        if p_below == q_below {
            return 0;
        }
        // The edge is asked about in one direction, whichever way a triangle runs along it.
        let (low, high) = if p_below { (p, q) } else { (q, p) };
        let flat = |p: &Point3<f64>| Coord {
            x: p[right],
            y: p[up],
        };
        if orient2d(flat(low), flat(high), flat(&self.from)) <= 0.0 {
            return 0;
        }
        if p_below { 1 } else { -1 }
    }
}
