//! The part of a triangle that lies in a cube, found by cutting the triangle at the cube's six
//! sides one after the other.

use nalgebra::Point3;

use super::cube::Cube;

/// Corners of the part of a triangle that lies in the cube, which is taken `grow` larger on every
/// side (smaller if negative); none if they do not meet. Rounded.
pub fn clipped(corners: &[Point3<f64>; 3], cube: &Cube, grow: f64) -> Vec<Point3<f64>> {
    let bounds = cube.bounds().grown(grow);
    let mut polygon = corners.to_vec();
    for axis in 0..3 {
        for (side, place) in [(1.0, bounds.min[axis]), (-1.0, bounds.max[axis])] {
            let depth = |p: &Point3<f64>| side * (p[axis] - place);
            let mut cut = Vec::with_capacity(polygon.len() + 1);
            for (i, p) in polygon.iter().enumerate() {
                let q = &polygon[(i + 1) % polygon.len()];
                let (h, k) = (depth(p), depth(q));
                if h >= 0.0 {
                    cut.push(*p);
                }
                if (h > 0.0 && k < 0.0) || (h < 0.0 && k > 0.0) {
                    let mut border = p + (q - p) * (h / (h - k));
                    border[axis] = place;
                    cut.push(border);
                }
            }
            polygon = cut;
        }
    }
    polygon
}
