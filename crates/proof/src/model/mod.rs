//! The things that are verified: cell, robot, program. Pure and immutable.

mod build;
mod cell;
pub mod controller;
mod kinematics;
pub mod moves;
mod path;
mod pattern;
mod program;
mod schedule;
mod timeline;
mod uncertainty;
pub use cell::*;
pub use path::*;
pub use pattern::matches;
pub use program::*;
pub(crate) use schedule::{ChangingCell, JointState};
pub use schedule::{Phase, Schedule};
pub use timeline::*;
pub use uncertainty::{RigidError, Uncertainty};
