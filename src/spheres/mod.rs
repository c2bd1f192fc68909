//! Sphere trees over exact triangles.

pub mod build;
pub mod cache;
mod check;
mod inside;
mod tree;
pub use build::build;
pub use tree::{Node, SphereTree};
