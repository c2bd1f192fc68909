//! A straight segment between two points.

use nalgebra::Vector3;

/// Squared distance of the origin from the segment between two points.
pub fn segment_distance_squared(from: &Vector3<f64>, to: &Vector3<f64>) -> f64 {
    let u = to - from;
    let uu = u.norm_squared();
    let t = if uu > 1e-200 {
        (-from.dot(&u) / uu).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (from + u * t).norm_squared()
}
