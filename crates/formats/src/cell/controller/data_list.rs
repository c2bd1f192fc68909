//! The data lists of KRL modules among the files of a controller.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::controller::ControllerFile;
use crate::files::{MOST_TEXT, folder_of, read_bytes};
use crate::{ImportError, Problem};

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
    let folder = folder_of(module);
    let unreadable = |why: std::io::Error| {
        let cause = why.to_string();
        let remedy = format!(
            "allow this folder to be read: the data list of {} may be in it",
            module.display()
        );
        ImportError::file(folder, Problem::Unreadable { cause, remedy })
    };
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    let entries: Vec<_> = entries.collect::<Result<_, _>>().map_err(unreadable)?;
    let mut lists: Vec<PathBuf> = entries
        .iter()
        .map(|entry| module.with_file_name(entry.file_name()))
        .filter(|path| is(path, "dat") && in_small(path.file_stem()) == stem)
        .collect();
    lists.sort();
    ControllerFile::only(lists.into_iter().map(|path| {
        let bytes = read_bytes(&path, MOST_TEXT)?.into();
        Ok(ControllerFile { path, bytes })
    }))
}

#[cfg(test)]
mod tests {
    use std::fs::write;

    use super::*;

    #[test]
    fn lists_are_found_however_they_are_written_and_two_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let module = folder.path().join("lib.src");
        let found = || data_list(&module).map(|list| list.map(|list| list.path));
        assert_eq!(found().unwrap(), None);
        write(folder.path().join("LIB.Dat"), "one").unwrap();
        assert_eq!(found().unwrap(), Some(folder.path().join("LIB.Dat")));
        write(folder.path().join("lib.dat"), "two").unwrap();
        assert!(found().unwrap_err().to_string().contains("it differs from"));
        // A folder that cannot be listed may hold one.
        let gone = folder.path().join("gone/lib.src");
        assert!(data_list(&gone).is_err());
    }
}
