//! How far a point can move in an interval: poses at instants, and bounds on what happens between
//! two of them.

mod chain;
mod chord_bound;
mod cubic;
mod deviation;
mod joint_poses;
pub mod programmed;
mod swept_ball;
pub(crate) mod tool_line;

pub(crate) use chain::Chains;
pub(crate) use chord_bound::{
    AxisDistances, ChainInterval, ChordBound, ChordBounds, JointBounds, axis_distances_at,
    least_between_ends, value_margin,
};
pub(crate) use cubic::{Cubic, cubic_error};
pub(crate) use deviation::ElementError;
pub(crate) use joint_poses::JointPoses;
pub(crate) use swept_ball::{JointRange, SweptBall};

#[cfg(test)]
mod tests;
