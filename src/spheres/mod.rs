//! Sphere trees over exact triangles.

pub mod build;
mod check;
mod tree;
pub use build::build;
pub use tree::{Node, SphereTree};
