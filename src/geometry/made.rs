//! Meshes made of meshes, for tests.

use nalgebra::Vector3;

use super::mesh::Mesh;

/// The same elsewhere, metres.
pub(crate) fn moved(mut mesh: Mesh, by: Vector3<f64>) -> Mesh {
    mesh.vertices.iter_mut().for_each(|v| *v += by);
    mesh
}

/// The same wound the other way round.
pub(crate) fn reversed(mut mesh: Mesh) -> Mesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    mesh
}

/// One mesh of many.
pub(crate) fn together(parts: &[Mesh]) -> Mesh {
    let mut all = Mesh::default();
    for part in parts {
        let n = all.vertices.len() as u32;
        all.vertices.extend(&part.vertices);
        all.triangles
            .extend(part.triangles.iter().map(|t| t.map(|v| v + n)));
    }
    all
}
