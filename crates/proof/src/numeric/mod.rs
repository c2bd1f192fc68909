//! Workbench for certainty: rounding, polynomial bounds and roots.

pub(crate) mod bernstein;
pub(crate) mod polynomial;
mod rounding;

pub use rounding::round_up;
pub(crate) use rounding::{LONGEST_COUNTED, POSITION_ROUNDING};
