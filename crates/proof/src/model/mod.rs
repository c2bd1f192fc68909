//! The things that are verified: cell, robot, program. Pure and immutable.

mod build;
mod cell;
mod degrees;
mod kinematics;
pub mod moves;
mod pattern;
mod program;
mod schedule;
mod timeline;
mod trajectory;
mod uncertainty;
pub use cell::*;
pub use pattern::matches;
pub use program::*;
pub(crate) use schedule::{ChangingCell, JointState};
pub use schedule::{Phase, Schedule};
pub use timeline::*;
pub use trajectory::*;
pub use uncertainty::{RigidError, Uncertainty};
