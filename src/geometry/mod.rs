//! Workbench for shapes.

pub mod mesh;
