//! The fuzz targets. What they do is in `targets`, which the plain test `tests/suite/fuzz.rs` of
//! the main package uses too.

#[path = "../../tests/suite/common/mod.rs"]
pub mod common;
pub mod targets;

/// The folder `fuzz/`.
pub const FUZZ: &str = env!("CARGO_MANIFEST_DIR");
