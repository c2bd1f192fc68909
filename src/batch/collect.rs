//! Which programs a batch has: folders, patterns and lists to one sorted list without repetitions.

use crate::error::Error;
use crate::findings::printable;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use clearance_formats::program::events::{has_own, unread_in};
use clearance_formats::program::many::{self, Layout};
use glob::{MatchOptions, Pattern};
use walkdir::{DirEntry, WalkDir};

use super::names::{in_order, shown};

/// Extensions of programs; files of a folder with another one are something else.
const EXTENSIONS: [&str; 16] = [
    "csv", "tsv", "json", "yaml", "yml", "script", "urp", "mod", "modx", "prg", "pgf", "src", "ls",
    "jbi", "parquet", "pq",
];

/// Programs of FANUC as the controller has them: the same programs as text are `.ls`.
const COMPILED: &str = "tp";

fn is_beside_its_text(compiled: &Path) -> bool {
    let stem = compiled.file_stem().unwrap_or_default().to_string_lossy();
    let stems = [stem.to_string(), stem.to_lowercase(), stem.to_uppercase()];
    let named = |stem: &String| {
        let mut ends = ["ls", "LS", "Ls"].iter();
        ends.any(|end| compiled.with_file_name(format!("{stem}.{end}")).exists())
    };
    stems.iter().any(named)
}

/// All programs that the arguments name, sorted by name. Each argument is a file, a folder
/// (searched with all its folders for files with the extension of a program; names that begin with
/// a dot are left out), a pattern with `*`, `?`, `[…]` or `**`, or `-` for what `stdin` names.
/// `lists` are files with one file name a line, taken as they are. A file of many stands for all
/// programs in it.
///
/// # Errors
/// When an argument or a list names nothing, or a folder or a list cannot be read.
pub fn collect(
    arguments: &[String],
    lists: &[PathBuf],
    layout: &Layout,
    stdin: &mut dyn FnMut() -> Result<Vec<PathBuf>, Error>,
) -> Result<Vec<PathBuf>, Error> {
    let mut found = Found::new(layout);
    for list in lists {
        let what = if list.as_os_str() == "-" {
            "the list on standard input".to_owned()
        } else {
            format!("the list {}", list.display())
        };
        let names = if list.as_os_str() == "-" {
            stdin().map_err(|e| e.to_string())
        } else {
            std::fs::read(list)
                .map_err(|e| e.to_string())
                .and_then(|bytes| listed(&text_of_list(bytes)?))
        };
        let names = names.map_err(|cause| Error::Unreadable {
            what: what.clone(),
            cause,
        })?;
        if names.is_empty() {
            return Err(Error::usage(format!("no program matched: {what} is empty")));
        }
        names.into_iter().for_each(|name| found.add_named(name));
    }
    for argument in arguments {
        let before = found.programs.len();
        match argument.as_str() {
            "-" => {
                let names = stdin().map_err(|e| Error::Unreadable {
                    what: "the list on standard input".to_owned(),
                    cause: e.to_string(),
                })?;
                names.into_iter().for_each(|name| found.add_named(name));
            }
            _ => named(argument, &mut found)?,
        }
        if found.programs.len() == before {
            return Err(Error::usage(match argument.as_str() {
                "-" => "no program matched: the list on standard input is empty".to_owned(),
                _ => format!(
                    "no program matched `{argument}`; programs end in .{}; of a recording name a topic: `run.mcap#/TOPIC`, \
                     `run.bag#/TOPIC`",
                    EXTENSIONS.join(", .")
                ),
            }));
        }
    }
    found.sorted()
}

/// The programs that a pattern matches, as [`collect`] finds them; none: it matches nothing.
///
/// # Errors
/// When it cannot be read as a pattern, or leads to what cannot be read or told apart.
pub(crate) fn matching(pattern: &str, layout: &Layout) -> Result<Vec<PathBuf>, Error> {
    let mut found = Found::new(layout);
    named(pattern, &mut found)?;
    found.sorted()
}

/// Whether a name is one of a pattern: no file has it.
pub(crate) fn is_pattern(program: &Path) -> bool {
    let is_written_so = program.to_string_lossy().contains(['*', '?', '[']);
    is_written_so && program.symlink_metadata().is_err()
}

/// Refuses programs that differ and whose names are shown alike: bytes that are not text are, and so
/// is a line break beside `\n`.
///
/// # Errors
/// When there are such.
pub(crate) fn refuse_alike(programs: &[PathBuf]) -> Result<(), Error> {
    // Nearly all are shown as they are.
    let is_as_shown = |p: &PathBuf| p.to_str().is_some_and(|text| printable(text) == text);
    let others: Vec<&PathBuf> = programs.iter().filter(|p| !is_as_shown(p)).collect();
    if others.is_empty() {
        return Ok(());
    }
    let said = |program: &Path| printable(&shown(program)).into_owned();
    let mut known: HashMap<String, &PathBuf> = HashMap::new();
    for one in others {
        known.entry(said(one)).or_insert(one);
    }
    for program in programs {
        let said = said(program);
        match known.get(&said) {
            Some(other) if *other != program => {
                return Err(Error::usage(format!(
                    "{other:?} and {program:?} are both shown as {said}; rename one: answers are found by the name"
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Programs as they are found.
struct Found<'l> {
    layout: &'l Layout,
    programs: Vec<PathBuf>,
    /// Folders in which there are programs.
    folders: BTreeSet<PathBuf>,
}

impl<'l> Found<'l> {
    fn new(layout: &'l Layout) -> Self {
        Self {
            layout,
            programs: Vec::new(),
            folders: BTreeSet::new(),
        }
    }

    /// A file that is named. Events of no program beside it may be meant for it, unless it has its
    /// own.
    fn add_named(&mut self, program: PathBuf) {
        if has_own(&program) {
            self.add(program);
        } else {
            self.add_of_folder(program);
        }
    }

    /// A file beside which events may stand that belong to no program.
    fn add_of_folder(&mut self, program: PathBuf) {
        if let Some(folder) = many::file_of(&program).parent()
            && !self.folders.contains(folder)
        {
            self.folders.insert(folder.to_owned());
        }
        self.add(program);
    }

    /// Those that were found, in order and each once.
    ///
    /// # Errors
    /// When two cannot be told apart.
    fn sorted(self) -> Result<Vec<PathBuf>, Error> {
        let mut programs = self.programs;
        // Their programs would be checked without them.
        programs.extend(self.folders.iter().flat_map(|folder| unread_in(folder)));
        // Numbered programs come in few runs that are in order already: this sort looks for such.
        programs.sort_by(|a, b| in_order(a, b));
        programs.dedup_by(|a, b| a.as_os_str() == b.as_os_str());
        refuse_alike(&programs)?;
        programs.shrink_to_fit();
        Ok(programs)
    }

    /// A file, or all programs in it. One that cannot be read stays: it is unverified.
    fn add(&mut self, program: PathBuf) {
        match many::names(&program, self.layout) {
            Ok(Some(names)) if self.programs.is_empty() => self.programs = names,
            Ok(Some(names)) => self.programs.extend(names),
            Ok(None) | Err(_) => self.programs.push(program),
        }
    }

    /// What a folder names and is not there, such as a link to a file that is gone: it stays too,
    /// whatever it was.
    ///
    /// # Errors
    /// When it may have held many programs: a folder that cannot be read, or a circle of links.
    fn add_unreadable(&mut self, error: &walkdir::Error) -> Result<(), Error> {
        let gone = |e: &std::io::Error| e.kind() == std::io::ErrorKind::NotFound;
        let name = error.path().and_then(Path::file_name).unwrap_or_default();
        // As editors have it, which lock a file by a link that leads nowhere.
        if error.depth() > 0 && is_left_out(name) {
            return Ok(());
        }
        match error.path() {
            Some(path) if error.io_error().is_some_and(gone) => {
                self.programs.push(path.to_owned());
                Ok(())
            }
            _ => Err(unreadable(error)),
        }
    }
}

/// The text of a list, or in which line it is none.
pub(super) fn text_of_list(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|why| {
        let sound = &why.as_bytes()[..why.utf8_error().valid_up_to()];
        let line = 1 + sound.iter().filter(|&&byte| byte == b'\n').count();
        format!("line {line} is not UTF-8; save the list as UTF-8")
    })
}

/// The files that a list names, one a line; a line that is `#`, or begins with it and a blank, is a
/// comment. Or in which line it is not clear what is meant.
pub(super) fn listed(text: &str) -> Result<Vec<PathBuf>, String> {
    // Some editors put a byte-order mark in front.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut names = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        let is_comment = trimmed == "#" || trimmed.starts_with("# ");
        if is_comment && is_there(trimmed) {
            return Err(format!(
                "line {} is a comment, and there is a file `{trimmed}`; write `./{trimmed}` if that is meant, or another comment",
                number + 1
            ));
        }
        if !trimmed.is_empty() && !is_comment {
            // A name may begin or end with a blank.
            names.push(PathBuf::from(if is_there(line) { line } else { trimmed }));
        }
    }
    Ok(names)
}

/// Whether there is a file of that name.
fn is_there(name: &str) -> bool {
    many::file_of(Path::new(name)).symlink_metadata().is_ok()
}

/// Another file that a pattern matches which is the name of a file itself, such as one that a shell
/// has made of `> programs/*.csv`.
fn other_match(pattern: &str) -> Option<PathBuf> {
    let path = Path::new(pattern);
    if !pattern.contains('*') || path.symlink_metadata().is_err() {
        return None;
    }
    let mut matches = glob::glob(pattern).ok()?.filter_map(Result::ok);
    matches.find(|found| found != path)
}

/// Adds what a file, folder or pattern names.
fn named(argument: &str, found: &mut Found) -> Result<(), Error> {
    let path = Path::new(argument);
    if let Some(other) = other_match(argument) {
        return Err(Error::usage(format!(
            "`{argument}` is a file, and a pattern that matches {} too; rename the file, or name its folder",
            other.display()
        )));
    }
    if path.exists() || many::place(path).is_some_and(|place| place.file.exists()) {
        return below(path, found);
    }
    if !argument.contains(['*', '?', '[']) {
        return Err(Error::usage(format!(
            "`{argument}` does not exist; name a folder, a pattern such as 'programs/**/*.csv', or a file"
        )));
    }
    // The library takes a trailing `**` for the folders below alone.
    let whole = argument.trim_end_matches('/');
    let pattern = match whole.strip_suffix("/**") {
        Some("") => "/",
        Some(folder) => folder,
        None if whole == "**" => ".",
        None => argument,
    };
    let matches = glob::glob(pattern)
        .map_err(|e| Error::usage(format!("`{argument}` is not a pattern: {e}")))?;
    all_can_match(pattern, argument)?;
    let before = found.programs.len();
    let mut passed_over = None;
    for entry in matches {
        let path = entry.map_err(|e| Error::unreadable(e.path(), e.error()))?;
        // As in a folder, unless the pattern names it by its dot.
        if left_out(&path) > left_out(Path::new(pattern)) {
            passed_over = Some(path);
            continue;
        }
        if pattern == argument || path.is_dir() {
            below(&path, found)?;
        }
    }
    match passed_over.filter(|_| found.programs.len() == before) {
        Some(path) => Err(Error::usage(format!(
            "`{argument}` matches names that begin with a dot only, such as {}, and these are left out; write the dot in the pattern",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Refuses a pattern that looks where names are not text, which the library passes over without
/// trying whether they match, or where links lead back: it would follow them as long as names can be.
/// Folders that no part of the pattern names are not looked at.
pub(crate) fn all_can_match(pattern: &str, argument: &str) -> Result<(), Error> {
    let parts: Vec<&str> = pattern.split('/').collect();
    let fixed = parts.iter().take_while(|p| !p.contains(['*', '?', '[']));
    let fixed: Vec<&str> = fixed.copied().collect();
    let root = match fixed[..] {
        [] => ".".to_owned(),
        [""] => "/".to_owned(),
        _ => fixed.join("/"),
    };
    let inside = &parts[fixed.len()..];
    let deep = match inside.len() {
        0 => return Ok(()),
        _ if parts.contains(&"**") => usize::MAX,
        deep => deep,
    };
    // These lead elsewhere than the walk below: nothing is left out for them.
    let is_each_a_name = !inside.iter().any(|p| matches!(*p, "**" | "" | "." | ".."));
    let is_named = |depth: usize, name: Option<&OsStr>| {
        let part = depth.checked_sub(1).and_then(|above| inside.get(above));
        let both = part.zip(name).filter(|_| is_each_a_name);
        both.is_none_or(|(part, name)| may_name(part, name))
    };
    // With `*.csv` only these can match.
    let stated = |end: &&OsStr| !end.to_string_lossy().contains(['*', '?', '[']);
    let stated = Path::new(pattern).extension().filter(stated);
    let may_match = |file: &Path| stated.is_none() || file.extension() == stated;
    let below = WalkDir::new(root).min_depth(1).max_depth(deep);
    let below = below.follow_links(true).into_iter();
    for entry in below.filter_entry(|e| is_named(e.depth(), Some(e.file_name()))) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error)
                if error.loop_ancestor().is_some()
                    && is_named(error.depth(), error.path().and_then(Path::file_name)) =>
            {
                return Err(unreadable(&error));
            }
            Err(_) => continue,
        };
        let is_text = entry.file_name().to_str().is_some();
        if !is_text && (entry.file_type().is_dir() || may_match(entry.path())) {
            return Err(Error::usage(format!(
                "the name {:?} is not text, and patterns such as `{argument}` pass over it; rename it, or name its folder",
                entry.path()
            )));
        }
    }
    Ok(())
}

/// Whether a name may be one that a part of a pattern matches. Of one that is not text only the
/// beginning is compared. Capitals never tell names apart: on some disks they do not.
fn may_name(part: &str, name: &OsStr) -> bool {
    let Some(text) = name.to_str() else {
        let plain: String = part.chars().take_while(|c| !"*?[".contains(*c)).collect();
        let text = name.to_string_lossy().to_lowercase();
        return text.starts_with(&plain.to_lowercase());
    };
    let any_case = MatchOptions {
        case_sensitive: false,
        ..MatchOptions::new()
    };
    Pattern::new(part).map_or(true, |part| part.matches_with(text, any_case))
}

/// The error about what a batch leads to and cannot be looked through.
fn unreadable(error: &walkdir::Error) -> Error {
    let remedy = match error.loop_ancestor() {
        Some(_) => "; remove the link, or name the folders",
        None => "",
    };
    Error::Unreadable {
        what: "the batch".to_owned(),
        cause: format!("{error}{remedy}"),
    }
}

/// Whether nobody looks for programs under such a name in a folder.
pub(super) fn is_left_out(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// How many parts of a path are such names.
fn left_out(path: &Path) -> usize {
    let parts = path.components();
    parts
        .filter(|part| matches!(part, Component::Normal(name) if is_left_out(name)))
        .count()
}

/// Whether it is what rosbag2 writes beside a recording: no program, and nothing is lost by leaving
/// it out. A pipe of that name is not opened: it might never answer.
fn describes_recording(entry: &DirEntry) -> bool {
    const BEGINS: &[u8] = b"rosbag2_bagfile_information:";
    if entry.file_name() != "metadata.yaml" || !entry.file_type().is_file() {
        return false;
    }
    let mut head = Vec::new();
    let file = File::open(entry.path());
    let read = file.and_then(|file| file.take(BEGINS.len() as u64).read_to_end(&mut head));
    read.is_ok() && head == BEGINS
}

/// A file stands for itself; of a folder the programs are taken.
fn below(path: &Path, found: &mut Found) -> Result<(), Error> {
    if !path.is_dir() {
        found.add_named(path.to_owned());
        return Ok(());
    }
    let shown = |e: &DirEntry| e.depth() == 0 || !is_left_out(e.file_name());
    for entry in WalkDir::new(path)
        .follow_links(true)
        .into_iter()
        .filter_entry(shown)
    {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                found.add_unreadable(&error)?;
                continue;
            }
        };
        let extension = entry.path().extension().unwrap_or_default();
        let extension = extension.to_string_lossy().to_lowercase();
        let is_program = match extension.as_str() {
            // Its reader says what is to be done about it.
            COMPILED => !is_beside_its_text(entry.path()),
            other => EXTENSIONS.contains(&other),
        };
        if !entry.file_type().is_dir() && is_program && !describes_recording(&entry) {
            found.add_of_folder(entry.into_path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
