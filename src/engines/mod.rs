//! The checks: sound answers over a motion.

pub mod bisection;
mod budget;
mod contact;
pub mod containment;
pub mod delay;
pub mod depth;
pub mod distance;
pub mod halving;
mod insides;
pub mod intersection;
mod moment;
pub mod nearest;
pub mod profile;
pub mod reach;
pub mod sampling;
pub mod scene;
pub mod shapes;
mod stretch;
mod travel;
mod way;
pub use budget::Budget;
pub use moment::Moment;
pub use travel::Travels;
pub use way::{Method, Way};
