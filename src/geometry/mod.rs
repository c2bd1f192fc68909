//! Workbench for shapes.

pub mod mesh;
#[cfg(test)]
pub(crate) mod random;
pub mod triangle;
