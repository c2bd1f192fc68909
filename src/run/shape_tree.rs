//! The sphere tree of one shape.

use std::sync::Arc;

use crate::cache::Cache;
use clearance_proof::bvh::SphereTree;
use clearance_proof::model::Form;

/// The tree of a shape, kept or built.
pub(super) fn tree(form: &Form, cache: &Cache) -> Arc<SphereTree> {
    // The tree of a cloud is built as fast as one from disk is read and proved.
    if let Form::Cloud { cloud, .. } = form {
        return Arc::new(SphereTree::of_cloud(cloud));
    }
    let (mesh, radius) = form.mesh_and_radius();
    cache.tree(&mesh, radius)
}
