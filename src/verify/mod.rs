//! The conductor: a job from files to outcome.
