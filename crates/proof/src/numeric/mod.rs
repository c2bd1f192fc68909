//! Workbench for certainty: rounding, polynomial bounds and roots.

pub mod bernstein;
pub mod polynomial;
mod rounding;

pub use rounding::{LONGEST_COUNTED, POSITION_ROUNDING};
