//! Sphere trees over exact triangles.

pub mod build;
mod check;
mod cloud;
mod depth;
mod form;
mod inside;
mod split;
mod tree;

pub use build::build;
pub use form::mesh_and_radius;
pub use tree::{Node, SphereTree};
