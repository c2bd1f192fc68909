//! Loading dock: files in, model out; every error says file, line and what would be right.

mod cell;
mod error;
mod joint_limits;
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
        let cell = file.join("cell.toml");
        let remedy = match cell.is_file() {
            true => format!("name a file, such as `{}`", cell.display()),
            false => "name a file".to_owned(),
        };
        return Err(unreadable("it is a folder".into(), &remedy));
    }
    std::fs::read(file).map_err(|e| {
        let remedy = match e.kind() {
            std::io::ErrorKind::NotFound => whereabouts(file),
            std::io::ErrorKind::PermissionDenied => "check its permissions".to_owned(),
            _ => "check the file".to_owned(),
        };
        unreadable(e.to_string().to_lowercase(), &remedy)
    })
}

/// Where a file that is not there may be: a pattern that the shell left as it is, a folder that is not there either, or a
/// file of nearly the same name.
fn whereabouts(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    if name.contains(['*', '?']) {
        return "no file matches this pattern".to_owned();
    }
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return format!("check the path: there is no folder {}", folder.display());
    };
    let mut there: Vec<String> = entries
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .collect();
    there.sort();
    match names::nearest(&name, there.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{}`?", file.with_file_name(near).display()),
        None => "check the path".to_owned(),
    }
}
