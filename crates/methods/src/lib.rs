//! The methods that others use, to compare with: sampling, halving by distances, and shapes beside the sphere tree (grid,
//! octree, greedy and ranked sphere trees, every triangle). The default check uses none of them.

pub mod balls;
mod error;
pub mod halving;
mod promise;
pub mod ranked;
pub mod sampling;
pub mod shapes;
#[cfg(test)]
mod testing;
mod way;

pub use error::MethodError;
pub use promise::Promise;
pub use way::{Method, Way};
