//! Cores and covers of the primitive shapes. A cover contains the true shape; a core, thickened by
//! a radius, is it.

use std::f64::consts::{PI, TAU};

use nalgebra::{Point3, Vector3};

use super::mesh::Mesh;

/// How far a cover's corners stand out from the round surface where segments are not used up,
/// metres.
const EXCESS: f64 = 1e-5;
const LEAST_SEGMENTS: usize = 16;
const MOST_SEGMENTS: usize = 512;

/// Covers are larger than circumscribed by this share, which is more than the rounding of their
/// corners.
const OUTWARD: f64 = 1.0 + 1e-15;

impl Mesh {
    /// The box of these full edge lengths around the origin, exact.
    pub fn cuboid(size: &Vector3<f64>) -> Self {
        let vertices = (0..8)
            .map(|i| {
                let half = |k: usize| if i >> k & 1 == 1 { 0.5 } else { -0.5 };
                Point3::new(half(0) * size.x, half(1) * size.y, half(2) * size.z)
            })
            .collect();
        let faces = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        let triangles = faces
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect();
        Self {
            vertices,
            triangles,
        }
    }

    /// Closes a convex polygon: every other corner is cut off, again and again, so that triangles
    /// stay as compact as they can.
    pub fn cap(&mut self, mut polygon: Vec<u32>) {
        while polygon.len() > 3 {
            let mut kept = Vec::with_capacity(polygon.len() / 2 + 1);
            for corners in polygon.chunks(2) {
                kept.push(corners[0]);
            }
            for (i, corners) in polygon.chunks(2).enumerate() {
                if let [a, b] = *corners {
                    self.triangles.push([a, b, kept[(i + 1) % kept.len()]]);
                }
            }
            polygon = kept;
        }
        if let [a, b, c] = polygon[..] {
            self.triangles.push([a, b, c]);
        }
    }
}

/// A prism around the cylinder along z, centred; it stands out by [`cylinder_excess`] at most, its
/// caps are those of the cylinder.
pub fn cylinder_cover(radius: f64, length: f64) -> Mesh {
    let n = segments(radius);
    let mut mesh = Mesh::default();
    ring(&mut mesh, radius, n, -length / 2.0);
    ring(&mut mesh, radius, n, length / 2.0);
    let n = n as u32;
    for i in 0..n {
        let j = (i + 1) % n;
        mesh.triangles.extend([[i, j, n + j], [i, n + j, n + i]]);
    }
    mesh.cap((0..n).rev().collect());
    mesh.cap((n..2 * n).collect());
    mesh
}

/// A pyramid around the cone along z, centred, tip up; it stands out by [`cylinder_excess`] at
/// most.
pub fn cone_cover(radius: f64, length: f64) -> Mesh {
    let n = segments(radius);
    let mut mesh = Mesh::default();
    ring(&mut mesh, radius, n, -length / 2.0);
    mesh.vertices.push(Point3::new(0.0, 0.0, length / 2.0));
    let n = n as u32;
    mesh.triangles.extend((0..n).map(|i| [i, (i + 1) % n, n]));
    mesh.cap((0..n).rev().collect());
    mesh
}

/// How far, at most, the covers of a cylinder or cone of this radius stand out from it, metres: 10
/// µm up to a radius of half a metre.
pub fn cylinder_excess(radius: f64) -> f64 {
    // A little up, for the rounding of this line and of the corners.
    (circumscribed(radius, segments(radius)) - radius) * (1.0 + 1e-9) + radius * 1e-14
}

/// The core of a ball around the origin: a point, as one triangle. The rounding is the ball's
/// radius.
pub fn sphere_core() -> Mesh {
    Mesh {
        vertices: vec![Point3::origin()],
        triangles: vec![[0; 3]],
    }
}

/// The core of a capsule along z, centred: a segment, as one triangle. The rounding is the
/// capsule's radius.
pub fn capsule_core(length: f64) -> Mesh {
    Mesh {
        vertices: vec![
            Point3::new(0.0, 0.0, -length / 2.0),
            Point3::new(0.0, 0.0, length / 2.0),
        ],
        triangles: vec![[0, 1, 1]],
    }
}

/// Number of corners of the polygon around a circle.
fn segments(radius: f64) -> usize {
    let n = (PI / (radius / (radius + EXCESS)).acos()).ceil();
    // A huge radius gives infinity, which ends at the most.
    n.clamp(LEAST_SEGMENTS as f64, MOST_SEGMENTS as f64) as usize
}

fn circumscribed(radius: f64, n: usize) -> f64 {
    radius / (PI / n as f64).cos() * OUTWARD
}

fn ring(mesh: &mut Mesh, radius: f64, n: usize, z: f64) {
    let outer = circumscribed(radius, n);
    mesh.vertices.extend((0..n).map(|i| {
        let (sin, cos) = (TAU * i as f64 / n as f64).sin_cos();
        Point3::new(outer * cos, outer * sin, z)
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::components::Components;
    use crate::geometry::random::Random;
    use crate::geometry::triangle::Closest;

    /// How far a point stands out of a convex mesh that is wound outwards; negative inside.
    fn outside(mesh: &Mesh, p: &Point3<f64>) -> f64 {
        (0..mesh.triangles.len())
            .map(|t| {
                let [a, b, c] = mesh.corners(t);
                (b - a).cross(&(c - a)).normalize().dot(&(p - a))
            })
            .fold(f64::NEG_INFINITY, f64::max)
    }

    fn closed_and_outwards(mesh: &Mesh) {
        let components = Components::new(&mesh.triangles, mesh.vertices.len());
        assert_eq!(components.closed, [true]);
        assert!(outside(mesh, &Point3::origin()) < 0.0);
    }

    #[test]
    fn covers_contain_the_true_shape_and_little_more() {
        let mut r = Random(6);
        for radius in [1e-4, 1e-3, 0.03, 0.1, 0.4999, 0.5, 3.0] {
            let length = radius * (0.2 + 4.0 * r.unit());
            let excess = cylinder_excess(radius);
            assert!(
                excess > 0.0 && (radius > 0.5 || excess <= 1.01e-5),
                "{excess}"
            );
            let (cylinder, cone) = (cylinder_cover(radius, length), cone_cover(radius, length));
            closed_and_outwards(&cylinder);
            closed_and_outwards(&cone);
            for _ in 0..300 {
                let turn = TAU * r.unit();
                let up = r.unit();
                let at = |share: f64| {
                    let z = length * (up - 0.5);
                    Point3::new(radius * share * turn.cos(), radius * share * turn.sin(), z)
                };
                // Points of the true surface; 1e-13 allows for the rounding of this test.
                assert!(outside(&cylinder, &at(1.0)) <= 1e-13 * radius);
                assert!(outside(&cone, &at(1.0 - up)) <= 1e-13 * radius);
            }
            for v in &cylinder.vertices {
                assert!(v.xy().coords.norm() - radius <= excess && v.z.abs() == length / 2.0);
            }
            for v in &cone.vertices {
                let allowed = radius * (0.5 - v.z / length);
                assert!(v.xy().coords.norm() - allowed <= excess);
            }
        }
    }

    #[test]
    fn boxes_are_exact() {
        let size = Vector3::new(0.1, 2.0, 0.03);
        let mesh = Mesh::cuboid(&size);
        closed_and_outwards(&mesh);
        let around = mesh.bounds().unwrap();
        assert_eq!(
            (around.max.coords, around.min.coords),
            (size / 2.0, -size / 2.0)
        );
        let area: f64 = (0..12)
            .map(|t| {
                let [a, b, c] = mesh.corners(t);
                (b - a).cross(&(c - a)).norm() / 2.0
            })
            .sum();
        assert!((area - 2.0 * (0.2 + 0.06 + 0.003)).abs() < 1e-15);
    }

    #[test]
    fn cores_are_a_point_and_a_segment() {
        let p = Point3::new(3.0, 4.0, 1.5);
        let to = |mesh: &Mesh| Closest::of_point(&p, &mesh.corners(0)).distance;
        assert!((to(&sphere_core()) - p.coords.norm()).abs() < 1e-15);
        assert!((to(&capsule_core(4.0)) - 5.0).abs() < 1e-15);
        assert!((to(&capsule_core(1.0)) - 26f64.sqrt()).abs() < 1e-15);
    }
}
