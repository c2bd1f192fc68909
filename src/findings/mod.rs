//! Words: what a check found, as plain data.

mod outcome;
pub use outcome::*;
