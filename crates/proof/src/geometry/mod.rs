//! Workbench for shapes.

pub mod aabb;
pub mod closing;
pub mod cloud;
pub(crate) mod components;
mod duplicates;
pub(crate) mod enclosed;
pub mod enclosing_ball;
#[cfg(any(test, feature = "testing"))]
pub mod made;
pub mod mesh;
pub(crate) mod packed_corners;
pub mod pose;
pub(crate) mod primitive;
#[cfg(any(test, feature = "testing"))]
pub mod random;
pub mod ray;
pub(crate) mod segment;
pub mod triangle;
