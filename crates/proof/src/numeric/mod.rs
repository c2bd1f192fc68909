//! Workbench for certainty: rounding, polynomial bounds and roots.

pub mod bernstein;
pub mod polynomial;
