//! Words: what a check found and what a cell consists of, as plain data.

mod inspection;
mod outcome;
pub use inspection::*;
pub use outcome::*;
