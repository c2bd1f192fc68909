//! Do two triangles cross? Decided by exact signs of volumes.

use nalgebra::Point3;

use super::Closest;

/// A point that both triangles share, if an edge of one meets the other without lying in its plane.
/// Coplanar and degenerate triangles are not looked at: where those meet, the distances between
/// edges and corners are 0 already.
pub(super) fn common_point(a: &[Point3<f64>; 3], b: &[Point3<f64>; 3]) -> Option<Point3<f64>> {
    let heights_b = b.map(|p| volume(a, &p));
    if same_side(&heights_b) {
        return None;
    }
    let heights_a = a.map(|p| volume(b, &p));
    if same_side(&heights_a) {
        return None;
    }
    pierced(a, b, &heights_b).or_else(|| pierced(b, a, &heights_a))
}

/// Six times the volume of the tetrahedron, with an exact sign: which side of the triangle's plane
/// the point is on.
fn volume(triangle: &[Point3<f64>; 3], p: &Point3<f64>) -> f64 {
    let coord = |p: &Point3<f64>| robust::Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    };
    let [a, b, c] = triangle.each_ref().map(coord);
    robust::orient3d(a, b, c, coord(p))
}

fn same_side(heights: &[f64; 3]) -> bool {
    heights.iter().all(|&h| h > 0.0) || heights.iter().all(|&h| h < 0.0)
}

/// Where an edge of `other`, whose corners have these heights over the plane of `face`, meets
/// `face`.
fn pierced(
    face: &[Point3<f64>; 3],
    other: &[Point3<f64>; 3],
    heights: &[f64; 3],
) -> Option<Point3<f64>> {
    for i in 0..3 {
        let j = (i + 1) % 3;
        let (h, k) = (heights[i], heights[j]);
        if h == k || (h > 0.0 && k > 0.0) || (h < 0.0 && k < 0.0) {
            continue;
        }
        let (p, q) = (other[i], other[j]);
        let around = [0, 1, 2].map(|m| volume(&[face[m], face[(m + 1) % 3], p], &q));
        if around.iter().all(|&v| v >= 0.0) || around.iter().all(|&v| v <= 0.0) {
            let on_edge = p + (q - p) * (h / (h - k));
            return Some(Closest::of_point(&on_edge, face).point_b);
        }
    }
    None
}
