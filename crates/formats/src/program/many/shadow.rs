//! A file that is named like a program in another file, `plans.csv#pick` beside `plans.csv`: either
//! may be meant, so neither is taken.

use std::path::{Path, PathBuf};

use super::{kind, syntax};
use crate::ImportError;
use crate::files::folder_of;

/// The error about a name that a file has, and perhaps a program in another file.
pub fn shadowed(name: &Path) -> Option<ImportError> {
    let text = name.to_str()?;
    let files = text
        .match_indices('#')
        .map(|(at, _)| Path::new(&text[..at]));
    let mut tables = files.filter(|file| kind(file).is_some() && file.is_file());
    let table = tables.next()?;
    name.symlink_metadata()
        .is_ok()
        .then(|| two_things(name, table))
}

/// The error about the first program of `file` that shares its name with a file.
pub(super) fn shadowed_in(file: &Path, names: &[PathBuf]) -> Option<ImportError> {
    let exists = |name: &&PathBuf| name.symlink_metadata().is_ok();
    // A million programs are looked for one by one only where it can be worth it.
    let both = may_be_shadowed(file).then(|| names.iter().find(exists));
    Some(two_things(both.flatten()?, file))
}

/// Whether its folder holds anything that begins with its name and a `#`, in any case.
pub fn may_be_shadowed(file: &Path) -> bool {
    let mut start = file.file_name().unwrap_or_default().to_owned();
    start.push("#");
    let folder = folder_of(file);
    let Ok(mut entries) = std::fs::read_dir(folder) else {
        return true;
    };
    entries.any(|entry| {
        entry.map_or(true, |entry| {
            let name = entry.file_name();
            let begin = name.as_encoded_bytes().get(..start.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_encoded_bytes()))
        })
    })
}

fn two_things(name: &Path, table: &Path) -> ImportError {
    syntax(
        table,
        format!(
            "{} is a file, and may be a program in this one as well",
            name.display()
        ),
        "rename one of the two files".to_owned(),
    )
}
