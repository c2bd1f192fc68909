//! Files of folders that look like programs and have the name of something else: whoever gives a
//! folder counts on all that is in it.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::collect::is_left_out;

/// Extensions under which tables and messages are stored as well.
const DATA: [&str; 12] = [
    "txt", "dat", "data", "asc", "prn", "xls", "xlsx", "ods", "jsonl", "mcap", "bag", "traj",
];
/// What texts beside programs are called.
const TEXTS: [&str; 8] = [
    "readme",
    "license",
    "licence",
    "notes",
    "changelog",
    "requirements",
    "cmakelists",
    "certificates",
];
/// Files that are named one by one.
const NAMED: usize = 5;

/// What is said of each given folder that has such files.
pub(crate) fn not_searched(arguments: &[String]) -> Vec<String> {
    let (folders, files): (Vec<&Path>, Vec<&Path>) =
        (arguments.iter().map(Path::new)).partition(|path| path.is_dir());
    // Those that are named beside their folder are taken.
    let named: Vec<PathBuf> = (files.iter())
        .filter_map(|file| file.canonicalize().ok())
        .collect();
    let said = |folder: &Path| said(folder, &named);
    folders.into_iter().filter_map(said).collect()
}

fn said(folder: &Path, named: &[PathBuf]) -> Option<String> {
    let shown = |e: &walkdir::DirEntry| e.depth() == 0 || !is_left_out(e.file_name());
    let entries = WalkDir::new(folder).follow_links(true).sort_by_file_name();
    let entries = entries
        .into_iter()
        .filter_entry(shown)
        .filter_map(Result::ok);
    let files = entries
        .filter(|e| e.file_type().is_file())
        .map(walkdir::DirEntry::into_path);
    let is_named = |file: &PathBuf| file.canonicalize().is_ok_and(|full| named.contains(&full));
    let files = files.filter(|file| looks_like_a_program(file) && !is_named(file));
    let files: Vec<PathBuf> = files.collect();
    let shown = |file: &PathBuf| {
        file.strip_prefix(folder)
            .unwrap_or(file)
            .display()
            .to_string()
    };
    let names: Vec<String> = files.iter().take(NAMED).map(shown).collect();
    let more = match files.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (count, are, them) = match files.len() {
        0 => return None,
        1 => ("1 file".to_owned(), "is", "it"),
        n => (format!("{n} files"), "are", "them"),
    };
    Some(format!(
        "{count} of {} {are} not taken for programs: {}{more}; if they are programs, name {them}",
        folder.display(),
        names.join(", ")
    ))
}

fn looks_like_a_program(file: &Path) -> bool {
    let lower =
        |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().to_lowercase();
    let (stem, extension) = (lower(file.file_stem()), lower(file.extension()));
    if !DATA.contains(&extension.as_str()) || TEXTS.iter().any(|text| stem.starts_with(text)) {
        return false;
    }
    // KUKA's data lists belong to a program, or to the controller.
    let source = ["src", "SRC", "Src"].map(|extension| file.with_extension(extension));
    extension != "dat" || !stem.starts_with('$') && !source.iter().any(|source| source.exists())
}
