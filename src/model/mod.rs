//! What is verified: cell, robot, program. Pure and immutable.

mod cell;
mod path;
mod program;
pub use cell::*;
pub use path::*;
pub use program::*;
