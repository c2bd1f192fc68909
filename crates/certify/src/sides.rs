//! Which triangles of a shape bound what is solid, as the check has it.

use std::hash::{BuildHasher, RandomState};

use clearance_proof::bvh::SphereTree;
use clearance_proof::geometry::mesh::Mesh;
use nalgebra::Point3;

use crate::CertifyError;

/// For each triangle of a mesh: 0, it bounds no inside; 1, it does; −1, it does if it is wound the
/// other way round. The tree has the same triangles in another order.
pub(crate) fn sides(mesh: &Mesh, tree: &SphereTree) -> Result<Vec<i8>, CertifyError> {
    let mut sides = vec![0; mesh.triangles.len()];
    if !tree.has_closed_components() {
        return Ok(sides);
    }
    // +0 and −0 are the same.
    let key =
        |corners: [Point3<f64>; 3]| corners.map(|p| [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits()));
    let hasher = RandomState::new();
    let by_hash = |count: usize, key: &dyn Fn(usize) -> [[u64; 3]; 3]| {
        let mut all: Vec<(u64, usize)> = (0..count).map(|t| (hasher.hash_one(key(t)), t)).collect();
        all.sort_unstable();
        all
    };
    let ours = |t: usize| key(mesh.corners(t));
    let theirs = |t: usize| key(tree.corners(t));
    let of_mesh = by_hash(mesh.triangles.len(), &ours);
    let of_tree = by_hash(tree.triangles.len(), &theirs);
    let same = of_mesh.len() == of_tree.len()
        && (of_mesh.iter().zip(&of_tree)).all(|(m, t)| ours(m.1) == theirs(t.1));
    if !same {
        let why = "internal error: a shape and its tree have other triangles; please report it";
        return Err(CertifyError::NotFound(why.to_owned()));
    }
    for ((_, in_mesh), (_, in_tree)) in of_mesh.into_iter().zip(of_tree) {
        // Those of open components are ±2.
        if let side @ (1 | -1) = tree.sides[in_tree] {
            sides[in_mesh] = side;
        }
    }
    Ok(sides)
}
