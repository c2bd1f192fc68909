//! Files of folders that look like programs and have the name of something else, and files that a
//! pattern would match but for capital letters: whoever gives a folder, or a pattern, counts on all
//! that is in it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, glob_with};
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

/// A sentence about each given folder, and each pattern, that has such files.
pub(crate) fn not_searched(arguments: &[String]) -> Vec<String> {
    let (folders, files): (Vec<&Path>, Vec<&Path>) =
        (arguments.iter().map(Path::new)).partition(|path| path.is_dir());
    // Those that are named beside their folder are taken.
    let named: Vec<PathBuf> = (files.iter())
        .filter_map(|file| file.canonicalize().ok())
        .collect();
    let of_folders = folders.iter().filter_map(|folder| said(folder, &named));
    let patterns = files.iter().filter_map(|file| file.to_str());
    let patterns: Vec<&str> = patterns.filter(|p| p.contains(['*', '?', '['])).collect();
    let matched = patterns.iter().flat_map(|pattern| matches(pattern, true));
    let taken: HashSet<PathBuf> = matched.chain(named.iter().cloned()).collect();
    let whole: Vec<PathBuf> = (folders.iter())
        .filter_map(|folder| folder.canonicalize().ok())
        .collect();
    let is_taken =
        |file: &PathBuf| taken.contains(file) || whole.iter().any(|f| file.starts_with(f));
    let of_patterns = patterns.iter().filter_map(|pattern| {
        let files = matches(pattern, false).filter(|file| !is_taken(file));
        let names: Vec<String> = files.map(|file| file.display().to_string()).collect();
        let (count, are, them) = counted(names.len())?;
        let named = some(&names);
        Some(format!(
            "{count} {are} not taken by `{pattern}`, which tells capital letters apart: {named}; if they are programs, name {them} too"
        ))
    });
    of_folders.chain(of_patterns).collect()
}

/// The files that a pattern matches, capital letters told apart or not; names that begin with a dot
/// are left out as they are there.
fn matches(pattern: &str, case_sensitive: bool) -> impl Iterator<Item = PathBuf> {
    let options = MatchOptions {
        case_sensitive,
        require_literal_leading_dot: true,
        ..MatchOptions::new()
    };
    let found = glob_with(pattern, options).into_iter().flatten();
    let found = found.filter_map(|path| path.ok()?.canonicalize().ok());
    found.filter(|path| path.is_file())
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
    let names: Vec<String> = files.iter().map(shown).collect();
    let (count, are, _) = counted(names.len())?;
    let (programs, remedy) = match names.len() {
        1 => ("a program", "if it is one, name it"),
        _ => ("programs", "if they are, name them"),
    };
    Some(format!(
        "{count} in the folder `{}` {are} not taken for {programs}: {}; {remedy}",
        folder.display(),
        some(&names)
    ))
}

/// "1 file", "is", "it"; of none nothing is said.
fn counted(files: usize) -> Option<(String, &'static str, &'static str)> {
    match files {
        0 => None,
        1 => Some(("1 file".to_owned(), "is", "it")),
        n => Some((format!("{n} files"), "are", "them")),
    }
}

/// The first names, and how many more there are.
fn some(names: &[String]) -> String {
    let first = names[..names.len().min(NAMED)].join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
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
