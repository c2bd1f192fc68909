//! Sphere trees over exact triangles.

mod tree;
pub use tree::{Node, SphereTree};
