//! Loading dock: files in, model out; every error says file, line and what would be right.

mod error;
pub use error::{ImportError, Place, Problem};
