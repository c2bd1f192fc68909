//! What is verified: cell, robot, program. Pure and immutable.

mod cell;
pub mod kinematics;
mod path;
mod pattern;
mod program;
mod timeline;
pub use cell::*;
pub use path::*;
pub use pattern::matches;
pub use program::*;
pub use timeline::*;
