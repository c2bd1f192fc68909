//! What is verified: cell, robot, program. Pure and immutable.

mod cell;
pub mod kinematics;
mod path;
mod pattern;
mod program;
pub use cell::*;
pub use path::*;
pub use pattern::matches;
pub use program::*;
