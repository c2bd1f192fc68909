//! Words: what a check found and what a cell consists of, as plain data.

mod fail_on;
mod inspection;
mod library;
mod outcome;
pub use fail_on::*;
mod replay;
pub use inspection::*;
pub use library::*;
pub use outcome::*;
pub use replay::*;
