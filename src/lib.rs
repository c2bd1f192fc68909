//! `clearance` proves that a taught robot motion hits nothing, or finds the first contact: the
//! program, as a crate.
//!
//! `clear` rests on the crate [`clearance_proof`]. [`clearance_formats`] reads files, and
//! [`clearance_programs`] the programs of controllers. The methods to compare with are in
//! [`clearance_methods`]. [`clearance_certify`] makes certificates, [`clearance_recheck`] checks
//! them. This crate makes a program of them: [`run`] conducts, [`batch`] takes care of thousands of
//! programs, [`findings`] are their answers as plain data, [`render`] makes reports of them,
//! [`cache`] keeps trees on disk, and [`cli`] is the front desk.

pub mod batch;
pub mod cache;
pub mod cli;
mod error;
pub mod findings;
pub mod render;
pub mod run;

pub use error::Error;
