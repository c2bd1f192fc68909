//! Workbench for shapes.

pub mod enclosing_ball;
pub mod inside;
pub mod mesh;
pub mod primitive;
#[cfg(test)]
pub(crate) mod random;
pub mod triangle;
