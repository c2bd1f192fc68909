//! Loading dock: files in, model out; every error says file, line and what would be right.

mod cell;
mod error;
pub mod mesh;
mod names;
pub mod program;
mod resolve;
mod srdf;
pub mod units;
mod urdf;
mod xml;

use std::path::Path;

#[cfg(test)]
mod mutations;

pub use cell::{LoadOptions, load_cell, load_robot};
pub use error::{ImportError, Place, Problem};
pub(crate) use names::suggestion;

/// The bytes of a file, or why they cannot be had.
pub(crate) fn read_bytes(file: &Path) -> Result<Vec<u8>, ImportError> {
    let unreadable = |cause: String, remedy: &str| {
        ImportError::file(
            file,
            Problem::Unreadable {
                cause,
                remedy: remedy.into(),
            },
        )
    };
    if file.is_dir() {
        return Err(unreadable("it is a folder".into(), "name a file"));
    }
    std::fs::read(file).map_err(|e| {
        let remedy = match e.kind() {
            std::io::ErrorKind::NotFound => "check the path",
            std::io::ErrorKind::PermissionDenied => "check its permissions",
            _ => "check the file",
        };
        unreadable(e.to_string().to_lowercase(), remedy)
    })
}
