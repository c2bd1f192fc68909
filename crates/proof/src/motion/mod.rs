//! How far a point can move in an interval: poses at instants, and bounds on what happens between two of them.

mod bulge;
mod chain;
mod cubic;
mod instant;
mod swing;

pub use bulge::{AxisDistances, Bulge, Bulges, Stroke, axis_distances_at, value_margin};
pub use chain::{Chains, POSITION_ROUNDING};
pub use cubic::{Cubic, cubic_error};
pub use instant::Instant;
pub use swing::{Range, Swing};

#[cfg(test)]
mod tests;
