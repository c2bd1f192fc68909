//! The conductor: a job from files to outcome.

pub mod limits;
