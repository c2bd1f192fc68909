//! How far a point can move in an interval: poses at instants, and bounds on what happens between two of them.

mod chain;
mod chord_bound;
mod cubic;
mod deviation;
mod joint_poses;
pub mod programmed;
mod swept_ball;
pub mod tool_line;

pub use chain::Chains;
pub use chord_bound::{
    AxisDistances, ChordBound, ChordBounds, JointBounds, MOST_ROUNDING, axis_distances_at,
    value_margin,
};
pub use cubic::{Cubic, cubic_error};
pub use deviation::ElementError;
pub use joint_poses::JointPoses;
pub use swept_ball::{JointRange, SweptBall};

#[cfg(test)]
mod tests;
