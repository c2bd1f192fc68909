//! The checks: sound answers over a motion.

pub mod bisection;
mod checker;
mod classes;
pub(crate) mod contact;
mod containment;
pub mod delay;
mod depth;
pub mod distance;
mod errors;
#[cfg(any(test, feature = "testing"))]
pub mod fixture;
pub mod insides;
mod intersection;
pub mod joined;
pub mod nearest;
mod options;
pub mod profile;
pub mod scene;
mod snapshot;
pub mod swept_boxes;
mod threads;
mod time_limit;
mod travel;
mod unreachable;
pub mod unresolved;

pub use checker::Checker;
#[cfg(feature = "testing")]
pub use intersection::IntersectionWork;
pub use snapshot::Snapshot;
pub use threads::SpareThreads;
pub use time_limit::TimeLimit;
pub use travel::Travels;
