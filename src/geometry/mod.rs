//! Workbench for shapes.

pub mod enclosing_ball;
pub mod mesh;
pub mod pieces;
pub mod primitive;
#[cfg(test)]
pub(crate) mod random;
pub mod ray;
pub mod triangle;
