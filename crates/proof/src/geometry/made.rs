//! Meshes made of meshes, for tests.

use nalgebra::{Point3, Vector3};

pub use super::components::Components;
use super::mesh::Mesh;
pub use super::primitive::{capsule_core, cone_cover, cylinder_cover, sphere_core};

/// The same elsewhere, metres.
pub fn moved(mut mesh: Mesh, by: Vector3<f64>) -> Mesh {
    mesh.vertices.iter_mut().for_each(|v| *v += by);
    mesh
}

/// The same wound the other way round.
pub fn reversed(mut mesh: Mesh) -> Mesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    mesh
}

/// One mesh of many.
pub fn together(parts: &[Mesh]) -> Mesh {
    let mut all = Mesh::default();
    for part in parts {
        let n = all.vertices.len() as u32;
        all.vertices.extend(&part.vertices);
        all.triangles
            .extend(part.triangles.iter().map(|t| t.map(|v| v + n)));
    }
    all
}

/// A torus of 2·n·n triangles: curved, with a hole, in no way special.
pub fn torus(n: u32) -> Mesh {
    let vertices = (0..n * n)
        .map(|i| {
            let (u, v) = ((i / n) as f64, (i % n) as f64);
            let turn = std::f64::consts::TAU / n as f64;
            let r = 0.5 + 0.2 * (v * turn).cos();
            Point3::new(
                r * (u * turn).cos() + 3.0,
                r * (u * turn).sin(),
                0.2 * (v * turn).sin(),
            )
        })
        .collect();
    let at = |u: u32, v: u32| (u % n) * n + v % n;
    let triangles = (0..n * n)
        .flat_map(|i| {
            let (u, v) = (i / n, i % n);
            let (a, b, c, d) = (at(u, v), at(u + 1, v), at(u + 1, v + 1), at(u, v + 1));
            [[a, b, c], [a, c, d]]
        })
        .collect();
    Mesh {
        vertices,
        triangles,
    }
}
