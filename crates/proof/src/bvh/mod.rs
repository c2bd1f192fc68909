//! Sphere trees over exact triangles.

mod build;
mod check;
mod cloud;
mod depth;
mod form;
mod inside;
mod split;
mod tree;

pub use tree::{Node, SphereTree};
