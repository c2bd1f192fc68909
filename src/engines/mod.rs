//! The checks: sound answers over a motion.

pub mod bisection;
pub mod containment;
pub mod delay;
pub mod distance;
mod moment;
pub mod nearest;
pub mod profile;
pub mod reach;
pub mod scene;
pub use moment::Moment;
