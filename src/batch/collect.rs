//! Which programs a batch has: folders, patterns and lists to one sorted list without repetitions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

/// Extensions of programs; files of a folder with another one are something else.
const EXTENSIONS: [&str; 14] = [
    "csv", "tsv", "json", "yaml", "yml", "script", "urp", "mod", "modx", "prg", "pgf", "src", "ls",
    "jbi",
];

/// A program as results name it.
pub fn name(program: &Path) -> String {
    program.display().to_string()
}

/// All programs that the arguments name, sorted by name. Each argument is a file, a folder (searched with all its folders
/// for files with the extension of a program; names that begin with a dot are left out), a pattern with `*`, `?`, `[…]`
/// or `**`, or `-` for one file name a line from `stdin`. `lists` are files with one file name a line, taken as they are.
///
/// # Errors
/// When an argument or a list names nothing, or a folder or a list cannot be read.
pub fn collect(
    arguments: &[String],
    lists: &[PathBuf],
    stdin: impl Fn() -> std::io::Result<String>,
) -> Result<Vec<PathBuf>, String> {
    let mut found = BTreeMap::new();
    for list in lists {
        let from_stdin = list.as_os_str() == "-";
        let text = match from_stdin {
            true => stdin(),
            false => std::fs::read_to_string(list),
        };
        let what = match from_stdin {
            true => "the list on standard input".to_owned(),
            false => format!("the list {}", list.display()),
        };
        let text = text.map_err(|e| format!("{what} cannot be read: {e}"))?;
        found.extend(listed(&text).map(|program| (name(&program), program)));
        if listed(&text).next().is_none() {
            return Err(format!("no program matched: {what} is empty"));
        }
    }
    for argument in arguments {
        let before = found.len();
        let mut add = |program: PathBuf| {
            found.insert(name(&program), program);
        };
        let matched = match argument.as_str() {
            "-" => {
                let text = stdin()
                    .map_err(|e| format!("the list on standard input cannot be read: {e}"))?;
                listed(&text).map(add).count()
            }
            _ => named(argument, &mut add)?,
        };
        if matched == 0 && found.len() == before {
            return Err(match argument.as_str() {
                "-" => "no program matched: the list on standard input is empty".to_owned(),
                _ => format!(
                    "no program matched `{argument}`; programs end in .{}",
                    EXTENSIONS.join(", .")
                ),
            });
        }
    }
    Ok(found.into_values().collect())
}

/// The files that a list names, one a line.
fn listed(text: &str) -> impl Iterator<Item = PathBuf> {
    // Some editors put a byte-order mark in front.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let names = text.lines().map(str::trim).filter(|l| !l.is_empty());
    names.map(PathBuf::from)
}

/// Adds what a file, folder or pattern names; says how many files that were.
fn named(argument: &str, add: &mut dyn FnMut(PathBuf)) -> Result<usize, String> {
    let path = Path::new(argument);
    if path.exists() {
        return below(path, add);
    }
    if !argument.contains(['*', '?', '[']) {
        return Err(format!(
            "`{argument}` does not exist; name a folder, a pattern such as 'programs/**/*.csv', or a file"
        ));
    }
    let matches = glob::glob(argument).map_err(|e| format!("`{argument}` is no pattern: {e}"))?;
    let mut count = 0;
    for entry in matches {
        let path =
            entry.map_err(|e| format!("{} cannot be read: {}", e.path().display(), e.error()))?;
        count += below(&path, add)?;
    }
    Ok(count)
}

/// A file stands for itself; of a folder the programs are taken.
fn below(path: &Path, add: &mut dyn FnMut(PathBuf)) -> Result<usize, String> {
    if !path.is_dir() {
        add(path.to_owned());
        return Ok(1);
    }
    let shown = |e: &DirEntry| e.depth() == 0 || !e.file_name().to_string_lossy().starts_with('.');
    let mut count = 0;
    for entry in WalkDir::new(path)
        .follow_links(true)
        .into_iter()
        .filter_entry(shown)
    {
        let entry = entry.map_err(|e| format!("the batch cannot be read: {e}"))?;
        let extension = entry.path().extension().unwrap_or_default();
        let extension = extension.to_string_lossy().to_lowercase();
        if !entry.file_type().is_dir() && EXTENSIONS.contains(&extension.as_str()) {
            add(entry.into_path());
            count += 1;
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn none() -> std::io::Result<String> {
        Ok(String::new())
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
    fn names(folder: &tempfile::TempDir, arguments: &[&str]) -> Result<Vec<String>, String> {
        let root = folder.path().display().to_string();
        let full: Vec<String> = arguments.iter().map(|a| format!("{root}/{a}")).collect();
        Ok(collect(&full, &[], none)?
            .iter()
            .map(|p| name(p)[root.len() + 1..].to_owned())
            .collect())
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
        assert!(collect(&["-".into()], &[], none).is_err());
    }

    #[test]
    fn lists_are_taken_as_they_are() {
        let list = || Ok(" b.csv\r\n\na.txt\nb.csv\n".to_owned());
        let found = collect(&["-".into()], &[], list).unwrap();
        assert_eq!(found, [PathBuf::from("a.txt"), PathBuf::from("b.csv")]);
    }

    /// A list is not a folder: nothing is looked up, and what it names twice is there once.
    #[test]
    fn lists_may_be_files() {
        let batch = folder(&["a/1.csv", "a/2.csv"]);
        let list = batch.path().join("list.txt");
        fs::write(&list, "\u{feff}a/9.csv\r\na/1.csv\n\na\na/1.csv\n").unwrap();
        let found = collect(
            &[],
            &[list.clone(), "-".into()],
            || Ok("z.csv\n".to_owned()),
        )
        .unwrap();
        assert_eq!(
            found,
            ["a", "a/1.csv", "a/9.csv", "z.csv"].map(PathBuf::from)
        );
        fs::write(&list, "\n").unwrap();
        assert!(
            collect(&[], &[list], none)
                .unwrap_err()
                .contains("is empty")
        );
        assert!(
            collect(&[], &["gone.txt".into()], none)
                .unwrap_err()
                .contains("gone.txt cannot be read")
        );
    }
}
