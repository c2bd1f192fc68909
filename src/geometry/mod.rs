//! Workbench for shapes.

pub mod closing;
pub mod enclosing_ball;
#[cfg(test)]
pub(crate) mod made;
pub mod mesh;
pub mod pieces;
pub mod primitive;
#[cfg(test)]
pub(crate) mod random;
pub mod ray;
pub mod triangle;
