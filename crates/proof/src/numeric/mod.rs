//! Workbench for certainty: rounding, polynomial bounds and roots.

pub(crate) mod bernstein;
pub(crate) mod golden;
mod min_heap;
pub(crate) mod polynomial;
mod rounding;

pub(crate) use min_heap::MinHeap;
pub(crate) use rounding::{
    LONGEST_COUNTED, POSITION_ROUNDING, ROUND_UP, ROUND_UP_FAR, UNIT, round_up,
};

/// The greater of two; none where one of them is no number: `f64::max` would go on with the other.
pub(crate) fn max_or_nan(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}
