//! The triangles by which a shape is checked, and a radius around them.

use std::borrow::Cow;

use super::SphereTree;
use crate::geometry::mesh::Mesh;
use crate::geometry::primitive::{capsule_core, cone_cover, cylinder_cover, sphere_core};
use crate::model::Form;

impl Form {
    /// Triangles whose points, each with a ball of the radius (metres) around it, cover a shape.
    /// They are the shape itself for meshes, clouds, boxes, balls and capsules; a cylinder is
    /// covered by a prism around it, a cone by a pyramid.
    pub fn mesh_and_radius(&self) -> (Cow<'_, Mesh>, f64) {
        match self {
            Form::Mesh { mesh, .. } => (Cow::Borrowed(mesh), 0.0),
            Form::Cloud { cloud, .. } => (Cow::Owned(cloud.mesh()), cloud.radius),
            Form::Box { size } => (Cow::Owned(Mesh::cuboid(size)), 0.0),
            Form::Cylinder { radius, length } => {
                (Cow::Owned(cylinder_cover(*radius, *length)), 0.0)
            }
            Form::Cone { radius, length } => (Cow::Owned(cone_cover(*radius, *length)), 0.0),
            Form::Sphere { radius } => (Cow::Owned(sphere_core()), *radius),
            Form::Capsule { radius, length } => (Cow::Owned(capsule_core(*length)), *radius),
        }
    }
}

impl SphereTree {
    /// The tree of a shape.
    pub fn of(form: &Form) -> SphereTree {
        if let Form::Cloud { cloud, .. } = form {
            return SphereTree::of_cloud(cloud);
        }
        let (mesh, radius) = form.mesh_and_radius();
        SphereTree::new(&mesh, radius)
    }
}
