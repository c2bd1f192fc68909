//! Words: what a check found and what a cell consists of, as plain data.

mod audit;
mod comparison;
mod distance;
mod fail_on;
mod inspection;
mod library;
mod outcome;
mod replay;
mod timeline;
mod trees;
pub use audit::*;
pub use comparison::*;
pub use distance::*;
pub use fail_on::*;
pub use inspection::*;
pub use library::*;
pub use outcome::*;
pub use replay::*;
pub use timeline::*;
pub use trees::*;

pub use clearance_methods::Promise;
pub use clearance_proof::report::*;
