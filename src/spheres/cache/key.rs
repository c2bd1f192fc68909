//! What a cached tree depends on, as one hash.

use crate::geometry::mesh::Mesh;
use crate::spheres::build::{DEEPEST, LEAF};

use super::format::VERSION;

/// Hash of everything that goes into a tree: the version of file and builder, the parameters, the mesh, the rounding.
pub(super) fn key(mesh: &Mesh, rounding: f64) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"clearance sphere tree");
    let numbers = [
        u64::from(VERSION),
        LEAF as u64,
        DEEPEST as u64,
        rounding.to_bits(),
        mesh.vertices.len() as u64,
        mesh.triangles.len() as u64,
    ];
    hasher.update(bytemuck::cast_slice(&numbers));
    hasher.update(bytemuck::cast_slice(&mesh.vertices));
    hasher.update(bytemuck::cast_slice(&mesh.triangles));
    hasher.finalize()
}
