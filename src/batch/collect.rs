//! Which programs a batch has: folders, patterns and lists to one sorted list without repetitions.

use crate::error::Error;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use clearance_formats::program::many::{self, Layout};
use walkdir::{DirEntry, WalkDir};

/// Extensions of programs; files of a folder with another one are something else.
const EXTENSIONS: [&str; 16] = [
    "csv", "tsv", "json", "yaml", "yml", "script", "urp", "mod", "modx", "prg", "pgf", "src", "ls",
    "jbi", "parquet", "pq",
];

/// A program as results name it.
pub fn name(program: &Path) -> String {
    shown(program).into_owned()
}

/// The same without a new text, where its own is one.
pub(super) fn shown(program: &Path) -> Cow<'_, str> {
    match program.to_str() {
        Some(text) => Cow::Borrowed(text),
        None => program.to_string_lossy(),
    }
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
    let mut found = Found {
        layout,
        programs: Vec::new(),
    };
    for list in lists {
        let what = if list.as_os_str() == "-" {
            "the list on standard input".to_owned()
        } else {
            format!("the list {}", list.display())
        };
        let names = if list.as_os_str() == "-" {
            stdin().map_err(|e| e.to_string())
        } else {
            std::fs::read_to_string(list)
                .map(|text| listed(&text))
                .map_err(|e| e.to_string())
        };
        let names = names.map_err(|cause| Error::Unreadable {
            what: what.clone(),
            cause,
        })?;
        if names.is_empty() {
            return Err(Error::usage(format!("no program matched: {what} is empty")));
        }
        names.into_iter().for_each(|name| found.add(name));
    }
    for argument in arguments {
        let before = found.programs.len();
        match argument.as_str() {
            "-" => {
                let names = stdin().map_err(|e| Error::Unreadable {
                    what: "the list on standard input".to_owned(),
                    cause: e.to_string(),
                })?;
                names.into_iter().for_each(|name| found.add(name));
            }
            _ => named(argument, &mut found)?,
        }
        if found.programs.len() == before {
            return Err(Error::usage(match argument.as_str() {
                "-" => "no program matched: the list on standard input is empty".to_owned(),
                _ => format!(
                    "no program matched `{argument}`; programs end in .{}",
                    EXTENSIONS.join(", .")
                ),
            }));
        }
    }
    let mut programs = found.programs;
    // Numbered programs come in few runs that are in order already: this sort looks for such.
    programs.sort_by(|a, b| in_order(a, b));
    programs.dedup_by(|a, b| a.as_os_str() == b.as_os_str());
    if let Some([a, b]) = alike(&programs) {
        return Err(Error::usage(format!(
            "{a:?} and {b:?} are both shown as {}; rename one: results are found by the name",
            shown(a)
        )));
    }
    programs.shrink_to_fit();
    Ok(programs)
}

/// The first two programs with one name, as it is shown: bytes that are no text are shown alike.
fn alike(programs: &[PathBuf]) -> Option<[&PathBuf; 2]> {
    let pairs = programs.iter().zip(programs.iter().skip(1));
    let mut no_texts = pairs.filter(|(a, b)| a.to_str().is_none() || b.to_str().is_none());
    let (a, b) = no_texts.find(|(a, b)| shown(a) == shown(b))?;
    Some([a, b])
}

/// The order of programs in a batch: that of their names.
pub(super) fn in_order(a: &Path, b: &Path) -> Ordering {
    let [x, y] = [a, b].map(|path| path.as_os_str().as_encoded_bytes());
    let same = common_start(x, y);
    let differ = [x.get(same), y.get(same)];
    if differ.into_iter().flatten().all(u8::is_ascii) {
        // What both have in common is shown alike, text or not, and ASCII as it is. A batch of very
        // many compares so often that finding out what is text would take longer than the rest.
        differ[0].cmp(&differ[1])
    } else {
        shown(a).cmp(&shown(b))
    }
}

/// How many bytes both begin with.
fn common_start(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 16;
    let steps = a.chunks_exact(STEP).zip(b.chunks_exact(STEP));
    let start = STEP * steps.take_while(|(a, b)| a == b).count();
    let rest = a[start..].iter().zip(&b[start..]);
    start + rest.take_while(|(a, b)| a == b).count()
}

/// Programs as they are found.
struct Found<'l> {
    layout: &'l Layout,
    programs: Vec<PathBuf>,
}

impl Found<'_> {
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
        match error.path() {
            Some(path) if error.io_error().is_some_and(gone) => {
                self.programs.push(path.to_owned());
                Ok(())
            }
            _ => Err(Error::Unreadable {
                what: "the batch".to_owned(),
                cause: error.to_string(),
            }),
        }
    }
}

/// The files that a list names, one a line.
pub fn listed(text: &str) -> Vec<PathBuf> {
    // Some editors put a byte-order mark in front.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let names = text.lines().map(str::trim).filter(|l| !l.is_empty());
    names.map(PathBuf::from).collect()
}

/// Adds what a file, folder or pattern names.
fn named(argument: &str, found: &mut Found) -> Result<(), Error> {
    let path = Path::new(argument);
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
    for entry in matches {
        let path = entry.map_err(|e| Error::unreadable(e.path(), e.error()))?;
        if pattern == argument || path.is_dir() {
            below(&path, found)?;
        }
    }
    Ok(())
}

/// A file stands for itself; of a folder the programs are taken.
fn below(path: &Path, found: &mut Found) -> Result<(), Error> {
    if !path.is_dir() {
        found.add(path.to_owned());
        return Ok(());
    }
    let shown = |e: &DirEntry| e.depth() == 0 || !e.file_name().to_string_lossy().starts_with('.');
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
        if !entry.file_type().is_dir() && EXTENSIONS.contains(&extension.as_str()) {
            found.add(entry.into_path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn none() -> Result<Vec<PathBuf>, Error> {
        Ok(Vec::new())
    }

    fn all(
        arguments: &[String],
        lists: &[PathBuf],
        mut stdin: impl FnMut() -> Result<Vec<PathBuf>, Error>,
    ) -> Result<Vec<PathBuf>, Error> {
        collect(arguments, lists, &Layout::default(), &mut stdin)
    }

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        folder
    }

    /// Names below the folder.
    fn names(folder: &tempfile::TempDir, arguments: &[&str]) -> Result<Vec<String>, Error> {
        let root = folder.path().display().to_string();
        let full: Vec<String> = arguments.iter().map(|a| format!("{root}/{a}")).collect();
        Ok(all(&full, &[], none)?
            .iter()
            .map(|p| name(p)[root.len() + 1..].to_owned())
            .collect())
    }

    /// Names that are no texts among them.
    #[cfg(unix)]
    #[test]
    fn the_order_is_that_of_the_names_as_they_are_shown() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let parts: [&[u8]; 9] = [
            b"a",
            b"b",
            b"0123456789abcdef",
            "é".as_bytes(),
            "ß".as_bytes(),
            "\u{10348}".as_bytes(),
            b"\xc3",
            b"\xff",
            b"\xf0\x90",
        ];
        let mut names: Vec<Vec<u8>> = vec![Vec::new()];
        for _ in 0..3 {
            let longer = names
                .iter()
                .flat_map(|n| parts.map(|part| [n, part].concat()));
            names = [Vec::new()].into_iter().chain(longer).collect();
        }
        let paths: Vec<&Path> = names
            .iter()
            .map(|n| Path::new(OsStr::from_bytes(n)))
            .collect();
        let mut kinds = [0; 3];
        for a in &paths {
            for b in &paths {
                let order = in_order(a, b);
                assert_eq!(order, name(a).cmp(&name(b)), "{a:?} {b:?}");
                kinds[(order as i8 + 1) as usize] += 1;
            }
        }
        assert!(kinds.iter().all(|&count| count > 100), "{kinds:?}");
    }

    #[test]
    fn folders_are_searched_for_programs_only() {
        let batch = folder(&[
            "b/2.YAML",
            "b/1.csv",
            "a.json",
            "readme.md",
            "a.jsonl",
            ".git/x.csv",
            "b/.h.csv",
            "a/z.tsv",
        ]);
        let found = names(&batch, &["."]).unwrap();
        assert_eq!(found, ["./a.json", "./a/z.tsv", "./b/1.csv", "./b/2.YAML"]);
    }

    /// The other programs are verified all the same, and nobody takes the dead one for none.
    #[cfg(unix)]
    #[test]
    fn a_dead_link_is_a_program_that_cannot_be_read() {
        let folder = folder(&["a.csv", "d/b.pq"]);
        for link in ["dead.csv", "d/old"] {
            std::os::unix::fs::symlink("/nowhere", folder.path().join(link)).unwrap();
        }
        let found = names(&folder, &[""]).unwrap();
        assert_eq!(found, ["a.csv", "d/b.pq", "d/old", "dead.csv"]);
        std::os::unix::fs::symlink(".", folder.path().join("d/circle")).unwrap();
        assert!(names(&folder, &[""]).is_err());
    }

    /// A batch in parts would count them as one.
    #[cfg(unix)]
    #[test]
    fn names_that_are_shown_alike_are_refused() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let folder = folder(&["a.csv"]);
        let root = folder.path().display().to_string();
        let found = || all(std::slice::from_ref(&root), &[], none);
        for (bytes, well) in [(&b"x\xfe.csv"[..], true), (b"x\xff.csv", false)] {
            fs::write(folder.path().join(OsStr::from_bytes(bytes)), "x").unwrap();
            assert_eq!(found().is_ok(), well, "{bytes:?}");
        }
    }

    /// A pattern that ends in `**` means what lies directly in its folder as well.
    #[test]
    fn a_pattern_for_all_below_takes_the_folder_itself() {
        let folder = folder(&["p/a.csv", "p/d/b.csv", "p/d/readme.txt", "q/d/c.csv"]);
        let both = ["p/a.csv", "p/d/b.csv"];
        for pattern in ["p/**", "p/**/", "p/**/*.csv"] {
            assert_eq!(names(&folder, &[pattern]).unwrap(), both, "{pattern}");
        }
        let all = ["p/a.csv", "p/d/b.csv", "q/d/c.csv"];
        assert_eq!(names(&folder, &["*/**"]).unwrap(), all);
        fs::write(folder.path().join("top.csv"), "x").unwrap();
        assert_eq!(names(&folder, &["*/**"]).unwrap(), all);
        assert!(names(&folder, &["none/**"]).is_err());
    }

    #[test]
    fn patterns_folders_and_files_may_overlap() {
        let batch = folder(&["a/1.csv", "a/2.csv", "a/c/3.csv", "odd.txt", "x[1].csv"]);
        assert_eq!(
            names(&batch, &["a/*.csv", "a/2.csv", "odd.txt", "x[1].csv"]).unwrap(),
            ["a/1.csv", "a/2.csv", "odd.txt", "x[1].csv"]
        );
        assert_eq!(
            names(&batch, &["**/*.csv", "a"]).unwrap(),
            ["a/1.csv", "a/2.csv", "a/c/3.csv", "x[1].csv"]
        );
    }

    #[test]
    fn whoever_names_nothing_hears_of_it() {
        let batch = folder(&["a/1.csv", "b/readme.md"]);
        for nothing in ["b", "*.yaml", "gone", "gone.csv", "a/[.csv"] {
            assert!(names(&batch, &["a", nothing]).is_err(), "{nothing}");
        }
        assert!(all(&["-".into()], &[], none).is_err());
    }

    #[test]
    fn lists_are_taken_as_they_are() {
        let list = || Ok(listed(" b.csv\r\n\na.txt\nb.csv\n"));
        let found = all(&["-".into()], &[], list).unwrap();
        assert_eq!(found, [PathBuf::from("a.txt"), PathBuf::from("b.csv")]);
    }

    /// A list is not a folder: nothing is looked up, and what it names twice is there once.
    #[test]
    fn lists_may_be_files() {
        let batch = folder(&["a/1.csv", "a/2.csv"]);
        let list = batch.path().join("list.txt");
        fs::write(&list, "\u{feff}a/9.csv\r\na/1.csv\n\na\na/1.csv\n").unwrap();
        let found = all(&[], &[list.clone(), "-".into()], || Ok(listed("z.csv\n"))).unwrap();
        assert_eq!(
            found,
            ["a", "a/1.csv", "a/9.csv", "z.csv"].map(PathBuf::from)
        );
        fs::write(&list, "\n").unwrap();
        assert!(
            all(&[], &[list], none)
                .unwrap_err()
                .to_string()
                .contains("is empty")
        );
        assert!(
            all(&[], &["gone.txt".into()], none)
                .unwrap_err()
                .to_string()
                .contains("gone.txt cannot be read")
        );
    }
}
