//! Are two triangles within a distance of each other? Planes first, because most triangles lie on
//! one side of the other's.

use nalgebra::Point3;

use super::Closest;

impl Closest {
    /// Distance of two triangles if it is at most `limit`, metres; 0 where they cross. Coplanar and
    /// degenerate triangles are compared like all others, by their edges, corners and faces.
    pub fn within(a: &[Point3<f64>; 3], b: &[Point3<f64>; 3], limit: f64) -> Option<f64> {
        if beyond_plane(a, b, limit) || beyond_plane(b, a, limit) {
            return None;
        }
        let distance = Self::of_triangles(a, b).distance;
        (distance <= limit).then_some(distance)
    }
}

/// Whether all corners of `other` are on one side of the plane of `face`, farther away than
/// `limit`.
fn beyond_plane(face: &[Point3<f64>; 3], other: &[Point3<f64>; 3], limit: f64) -> bool {
    let (u, v) = (face[1] - face[0], face[2] - face[0]);
    let normal = u.cross(&v);
    let to = other.map(|p| p - face[0]);
    // Every term of a height is a product of three differences: its rounding is relative to the
    // product of the lengths, however short the normal of a sliver is. A degenerate face has no
    // side: nothing is beyond 0.
    let longest = to.iter().map(|d| d.norm()).fold(0.0, f64::max);
    let far = limit * normal.norm() + Closest::ERROR * u.norm() * v.norm() * longest;
    let heights = to.map(|d| normal.dot(&d));
    heights.iter().all(|&h| h > far) || heights.iter().all(|&h| h < -far)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::Random;

    fn triangle(random: &mut Random, size: f64) -> [Point3<f64>; 3] {
        [0; 3].map(|_| Point3::new(random.signed(), random.signed(), random.signed()) * size)
    }

    /// Catches a plane test that rejects too much: needles, far and near, flat ones.
    #[test]
    fn planes_reject_nothing_that_is_near() {
        let mut random = Random(31);
        let mut seen = [0; 2];
        for case in 0..20_000 {
            let mut a = triangle(&mut random, 1.0);
            let b = triangle(&mut random, 1.0);
            if case % 3 == 0 {
                a[2] = a[0] + (a[1] - a[0]) * random.signed() + (a[2] - a[0]) * 1e-12;
            }
            let distance = Closest::of_triangles(&a, &b).distance;
            for limit in [0.0, 0.1, distance * (1.0 + 1e-9), distance * (1.0 - 1e-9)] {
                let near = Closest::within(&a, &b, limit);
                assert_eq!(
                    near.is_some(),
                    distance <= limit,
                    "case {case}: {limit}, {distance}"
                );
                seen[usize::from(near.is_some())] += 1;
            }
        }
        assert!(seen[0] > 1000 && seen[1] > 1000, "{seen:?}");
    }

    /// Šinjur looks for a corner of one triangle inside the other: crossed ones have none.
    #[test]
    fn coplanar_triangles_that_cross_without_a_corner_inside_touch() {
        let p = |x: f64, y: f64| Point3::new(x, y, 0.0);
        let star = [
            [p(-1.0, -0.6), p(1.0, -0.6), p(0.0, 1.2)],
            [p(-1.0, 0.6), p(1.0, 0.6), p(0.0, -1.2)],
        ];
        assert_eq!(Closest::within(&star[0], &star[1], 0.0), Some(0.0));
    }
}
