//! Workbench for shapes.

pub mod enclosing_ball;
pub mod mesh;
#[cfg(test)]
pub(crate) mod random;
pub mod triangle;
