//! The data lists of KRL modules among the files of a controller.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::ImportError;
use crate::controller::ControllerFile;
use crate::files::{MOST_TEXT, folder_of, read_bytes};

/// Adds the list (`lib.dat`) of each module (`lib.src`), however its name is written. It is part of
/// the module whether the cell names it or not, so it goes wherever the module goes.
///
/// # Errors
/// When a list cannot be read, or when two of a module differ: without it, or with the wrong one,
/// the module would be another one.
pub(super) fn add_data_lists(files: &mut Vec<ControllerFile>) -> Result<(), ImportError> {
    for at in 0..files.len() {
        let list = data_list(&files[at].path)?;
        let real = |file: &ControllerFile| file.path.canonicalize().ok();
        let new = list.filter(|list| files.iter().all(|known| real(known) != real(list)));
        files.extend(new);
    }
    Ok(())
}

fn data_list(module: &Path) -> Result<Option<ControllerFile>, ImportError> {
    let is = |path: &Path, extension: &str| {
        let own = path.extension().unwrap_or_default();
        own.eq_ignore_ascii_case(extension)
    };
    if !is(module, "src") {
        return Ok(None);
    }
    let in_small = |name: Option<&OsStr>| name.unwrap_or_default().to_string_lossy().to_lowercase();
    let stem = in_small(module.file_stem());
    let entries = std::fs::read_dir(folder_of(module)).into_iter().flatten();
    let mut lists: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| module.with_file_name(entry.file_name()))
        .filter(|path| is(path, "dat") && in_small(path.file_stem()) == stem)
        .collect();
    lists.sort();
    ControllerFile::only(lists.into_iter().map(|path| {
        let bytes = read_bytes(&path, MOST_TEXT)?.into();
        Ok(ControllerFile { path, bytes })
    }))
}
