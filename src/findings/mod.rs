//! Words: what a check found and what a cell consists of, as plain data.

mod audit;
mod batch;
mod comparison;
mod distance;
mod draft;
mod fail_on;
mod inspection;
mod outcome;
mod printable;
mod replay;
mod served;
mod timeline;
mod trees;
mod versus;
pub use audit::*;
pub use batch::*;
pub use comparison::*;
pub use distance::*;
pub use draft::*;
pub use fail_on::*;
pub use inspection::*;
pub use outcome::*;
pub use printable::*;
pub use replay::*;
pub use served::*;
pub use timeline::*;
pub use trees::*;
pub use versus::*;

pub use clearance_methods::Promise;
pub use clearance_proof::report::*;
