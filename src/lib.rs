//! `clearance` proves that a taught robot motion hits nothing, or finds the first contact.
//!
//! **The guarantee.** `clear` means: at every instant of the interpolated motion every checked pair of bodies is more
//! than its threshold D apart; every bound behind it is rounded towards contact. `collision` means: at the reported
//! instant a pair was within D, and everything before `free_until` is proved free.
//!
//! Data goes one way, through the rooms in this order: [`import`] → [`model`] → [`spheres`] → [`pairs`] → [`motion`] →
//! [`engines`] → [`findings`] → [`report`]; [`verify`] conducts, [`library`] takes care of thousands of programs, [`cli`] is the front desk, [`geometry`] and [`rigor`]
//! are the workbenches.

pub mod cli;
pub mod engines;
pub mod findings;
pub mod geometry;
pub mod import;
pub mod library;
pub mod model;
pub mod motion;
pub mod pairs;
pub mod report;
pub mod rigor;
pub mod spheres;
pub mod verify;
