//! Everything on which a cached tree depends, as one hash.

use clearance_proof::bvh::SphereTree;
use clearance_proof::geometry::mesh::Mesh;

use super::digest::{blocks, digest};
use super::format::VERSION;

/// Hash of everything that goes into a tree: the version of file and builder, the parameters, the
/// mesh, the radius.
pub(super) fn key(mesh: &Mesh, radius: f64) -> blake3::Hash {
    let numbers = [
        u64::from(VERSION),
        SphereTree::LEAF as u64,
        SphereTree::DEEPEST as u64,
        radius.to_bits(),
        mesh.vertices.len() as u64,
        mesh.triangles.len() as u64,
    ];
    let start = [b"clearance sphere tree", bytemuck::cast_slice(&numbers)].concat();
    let vertices = blocks(bytemuck::cast_slice(&mesh.vertices));
    let triangles = blocks(bytemuck::cast_slice(&mesh.triangles));
    digest(&start, &[vertices, triangles])
}
