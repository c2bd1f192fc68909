//! The methods that others use, to compare with: sampling, halving by distances, and shapes beside
//! the sphere tree (grid, octree, greedy and ranked sphere trees, every triangle). The default
//! check uses none of them.

pub mod backends;
pub mod balls;
mod error;
mod features;
mod halves;
pub mod halving;
pub mod least;
mod method;
mod promise;
pub mod ranked;
mod rounding;
pub mod sampling;
#[cfg(test)]
mod testing;

pub use error::MethodError;
pub use method::{Method, TimeMethod};
pub use promise::Promise;
