//! The checks: sound answers over a motion.

pub mod bisection;
pub mod distance;
mod moment;
pub mod scene;
pub use moment::Moment;
