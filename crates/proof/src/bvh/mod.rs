//! Sphere trees over exact triangles.

mod build;
mod check;
mod cloud;
mod clusters;
mod depth;
mod form;
mod inside;
mod split;
mod tree;

pub(crate) use clusters::Cluster;
pub use tree::{Node, SphereTree};
