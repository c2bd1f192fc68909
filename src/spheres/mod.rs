//! Sphere trees over exact triangles.

pub mod balls;
pub mod build;
pub mod cache;
mod check;
mod depth;
pub mod export;
mod inside;
pub mod ranked;
mod tree;
pub use build::build;
pub use tree::{Node, SphereTree};
