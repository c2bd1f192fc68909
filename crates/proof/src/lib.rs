//! What `clear` rests on. Whoever wants to believe a proof of `clearance` reads this crate and nothing else.
//!
//! **The guarantee.** `clear` means: at every instant of the interpolated motion every checked pair of bodies is more
//! than its threshold D apart; every bound behind it is rounded towards contact. `collision` means: at the reported
//! instant a pair was within D, and everything before `free_until` is proved free.
//!
//! Nothing here reads a file, knows a command line, or writes text. Data goes one way: [`model`] → [`bvh`] → [`pairs`] →
//! [`motion`] → [`check`] → [`report`]; [`geometry`] and [`numeric`] are the tools of all. The order in which to read them
//! is in docs/architecture.md.

pub mod bvh;
pub mod check;
pub mod geometry;
pub mod model;
pub mod motion;
pub mod numeric;
pub mod pairs;
pub mod report;
