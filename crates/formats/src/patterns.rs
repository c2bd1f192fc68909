//! Names of files with `*`, `?` and `[…]` in them, as cell files and files of xacro may have them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};
use walkdir::WalkDir;

use crate::Problem;

/// Names that are looked at for one pattern.
const MOST_NAMES: usize = 200_000;
/// Files that one pattern may match.
const MOST_FILES: usize = 10_000;

/// A name that stands for all files that it matches. Names of files that are not text are matched
/// too: nothing is passed over.
#[derive(Debug, Clone, PartialEq)]
pub struct FilePattern {
    /// As it is written.
    written: String,
    /// The folder in which it looks.
    folder: PathBuf,
    /// What a name in there is like.
    inside: Pattern,
    /// What the names on the way to it are like, folder by folder; none where `**` stands for any.
    parts: Vec<Pattern>,
    /// So many folders deep at most.
    depth: usize,
    /// Whether it looks into folders whose names begin with a dot.
    hidden: bool,
    options: MatchOptions,
}

impl FilePattern {
    /// Whether a name is a pattern, and no file is called so.
    pub fn is_one(folder: &Path, name: &str) -> bool {
        name.contains(['*', '?', '[']) && folder.join(name).symlink_metadata().is_err()
    }

    /// The pattern that a file in this folder names. `**` stands for any folders.
    ///
    /// # Errors
    /// When it is none.
    pub fn new(folder: &Path, written: &str) -> Result<Self, Problem> {
        let wrong = |cause: &str| Problem::Syntax {
            cause: format!("`{written}` is no pattern of files: {cause}"),
            remedy: "write it as in `RAPID/TASK1/*/*.mod` or `Program/**/*.src`".into(),
        };
        let parts: Vec<&str> = written.split('/').collect();
        let is_plain = |part: &&&str| !part.contains(['*', '?', '[']);
        let (fixed, inside) = parts.split_at(parts.iter().take_while(is_plain).count());
        if inside.iter().any(|part| matches!(*part, "" | "." | "..")) {
            return Err(wrong(
                "from the first part with `*`, `?` or `[` on, each part between `/` is a name",
            ));
        }
        let fixed = match fixed {
            [""] => "/".to_owned(),
            _ => fixed.join("/"),
        };
        let is_any_depth = inside.contains(&"**");
        let pattern = |text: &str| Pattern::new(text).map_err(|e| wrong(e.msg));
        let parts = inside.iter().filter(|_| !is_any_depth);
        Ok(Self {
            written: written.to_owned(),
            folder: folder.join(fixed),
            inside: pattern(&inside.join("/"))?,
            parts: parts.map(|part| pattern(part)).collect::<Result<_, _>>()?,
            depth: if is_any_depth {
                usize::MAX
            } else {
                inside.len()
            },
            hidden: inside.iter().any(|part| part.starts_with('.')),
            options: MatchOptions {
                case_sensitive: true,
                require_literal_separator: true,
                require_literal_leading_dot: true,
            },
        })
    }

    /// The same for names in which capitals do not matter, as controllers have them.
    #[must_use]
    pub fn in_any_case(mut self) -> Self {
        self.options.case_sensitive = false;
        self
    }

    /// The files that it matches, by their names as texts.
    ///
    /// # Errors
    /// When it matches none, or it is not known which: a folder cannot be looked through.
    pub fn files(&self) -> Result<Vec<PathBuf>, Problem> {
        let mut found = Vec::new();
        let hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
        let here = Path::new(".");
        let root = Some(&*self.folder).filter(|folder| !folder.as_os_str().is_empty());
        let root = root.unwrap_or(here);
        let walk = WalkDir::new(root)
            .min_depth(1)
            .max_depth(self.depth)
            .follow_links(true)
            .into_iter()
            .filter_entry(|e| {
                let is_seen = e.depth() == 0 || self.hidden || !hidden(e.file_name());
                is_seen && self.names(e.depth(), e.file_name())
            });
        for (count, entry) in walk.enumerate() {
            if count >= MOST_NAMES || found.len() > MOST_FILES {
                let cause = "there are too many names where it looks";
                return Err(self.unclear(cause, "name more of the folders"));
            }
            let path = match &entry {
                Ok(entry) => entry.path(),
                Err(why) => match (why.path(), why.loop_ancestor()) {
                    // Nothing would be looked for in there.
                    (_, Some(_)) if why.depth() >= self.depth => continue,
                    (Some(path), _)
                        if !self.names(why.depth(), path.file_name().unwrap_or_default()) =>
                    {
                        continue;
                    }
                    (_, Some(_)) => {
                        let cause = format!("a link leads back to where it lies: {why}");
                        return Err(self.unclear(&cause, "remove the link, or name the files"));
                    }
                    // The folder is not there, or a link that leads nowhere is called otherwise.
                    (Some(path), None)
                        if is_missing(why) && (why.depth() == 0 || !self.matches(path)) =>
                    {
                        continue;
                    }
                    _ => {
                        let cause = format!("it cannot be looked through: {why}");
                        return Err(self.unclear(&cause, "let it be read, or name the files"));
                    }
                },
            };
            let is_file = entry.as_ref().is_ok_and(|e| !e.file_type().is_dir());
            if is_file && self.matches(path) {
                found.push(path.strip_prefix(here).unwrap_or(path).to_owned());
            }
        }
        // As Python sorts them: `parts-left/a` comes before `parts/a`.
        found.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        if found.is_empty() {
            return Err(Problem::NotFound {
                uri: self.written.clone(),
                // The folder of the file that names it is no news.
                tried: Some(self.folder.clone())
                    .filter(|folder| !folder.as_os_str().is_empty())
                    .into_iter()
                    .collect(),
                remedy: "no file matches this pattern: correct it, or take it out".into(),
            });
        }
        Ok(found)
    }

    /// Whether a name so many folders deep may be one on the way to a file.
    fn names(&self, depth: usize, name: &OsStr) -> bool {
        let part = depth.checked_sub(1).and_then(|above| self.parts.get(above));
        part.is_none_or(|part| part.matches_with(&name.to_string_lossy(), self.options))
    }

    fn matches(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(".").unwrap_or(path);
        let inside = inside.strip_prefix(&self.folder).unwrap_or(inside);
        self.inside
            .matches_with(&inside.to_string_lossy(), self.options)
    }

    fn unclear(&self, cause: &str, remedy: &str) -> Problem {
        Problem::Syntax {
            cause: format!("it is not known what `{}` matches: {cause}", self.written),
            remedy: remedy.into(),
        }
    }
}

fn is_missing(why: &walkdir::Error) -> bool {
    let why = why.io_error();
    why.is_some_and(|why| why.kind() == std::io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, write};

    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let file = folder.path().join(name);
            create_dir_all(file.parent().unwrap()).unwrap();
            write(file, "").unwrap();
        }
        folder
    }

    fn found(folder: &Path, written: &str) -> Result<Vec<String>, String> {
        let said = |problem: Problem| problem.to_string();
        let pattern = FilePattern::new(folder, written).map_err(said)?;
        let files = pattern.in_any_case().files().map_err(said)?;
        let inside = files
            .iter()
            .map(|file| file.strip_prefix(folder).unwrap_or(file));
        Ok(inside.map(|file| file.display().to_string()).collect())
    }

    /// Regression: nothing stood behind `tried` for the folder of the cell file.
    #[test]
    fn a_pattern_in_the_working_folder_names_no_empty_folder() {
        let said = found(Path::new(""), "*.no_such_file").unwrap_err();
        let begins = "`*.no_such_file` was not found; no file matches this pattern";
        assert!(said.starts_with(begins), "{said}");
        let said = found(Path::new("src"), "*.no_such_file").unwrap_err();
        assert!(said.contains("was not found; tried src"), "{said}");
    }

    /// As backups of controllers lie on a disk.
    #[test]
    fn patterns_find_what_lies_below_the_folders_that_they_name() {
        let folder = folder(&[
            "B/RAPID/TASK1/PROGMOD/main.mod",
            "B/RAPID/TASK1/PROGMOD/Lib.MOD",
            "B/RAPID/TASK1/PROGMOD/old/kept.mod",
            "B/RAPID/TASK1/PROGMOD/.lib.mod",
            "B/RAPID/TASK1/SYSMOD/user.sys",
            "B/RAPID/TASK2/PROGMOD/main.mod",
            "cells/cell.toml",
        ]);
        let of = |written: &str| found(&folder.path().join("cells"), written).unwrap();
        let progmod = |names: &[&str]| -> Vec<String> {
            let named = names.iter();
            (named.map(|name| format!("../B/RAPID/TASK1/PROGMOD/{name}"))).collect()
        };
        let both = progmod(&["Lib.MOD", "main.mod"]);
        assert_eq!(of("../B/RAPID/TASK1/PROGMOD/*.mod"), both);
        assert_eq!(of("../B/RAPID/TASK1/*MOD/*.[ms][oy][ds]").len(), 3);
        assert_eq!(of("../B/RAPID/TASK1/**/*.mod").len(), 3);
        assert_eq!(of("../B/RAPID/*/PROGMOD/main.mod").len(), 2);
        assert_eq!(of("../B/RAPID/TASK1/**").len(), 4);
        assert_eq!(of("../B/RAPID/TASK1/PROGMOD/.*.mod").len(), 1);
        let whole = format!("{}/B/**/user.s?s", folder.path().display());
        let [only] = &of(&whole)[..] else {
            panic!("one");
        };
        assert!(only.ends_with("/B/RAPID/TASK1/SYSMOD/user.sys"), "{only}");
    }

    #[test]
    fn a_pattern_that_matches_nothing_or_is_none_says_so() {
        let folder = folder(&["a/x.mod"]);
        for (written, said) in [
            ("a/*.sys", "no file matches"),
            ("b/*.mod", "no file matches"),
            ("*.mod", "no file matches"),
            ("*/../a/x.mod", "each part between `/` is a name"),
            ("a**b/x.mod", "no pattern of files"),
            ("a/[x.mod", "no pattern of files"),
        ] {
            let why = found(folder.path(), written).unwrap_err();
            assert!(why.contains(said), "{written}: {why}");
        }
        assert!(FilePattern::is_one(folder.path(), "a/[x.mod"));
        assert!(!FilePattern::is_one(folder.path(), "a/x.mod"));
    }

    /// What cannot be looked through may hold a file that is meant.
    #[cfg(unix)]
    #[test]
    fn nothing_is_passed_over() {
        use std::os::unix::ffi::OsStrExt;
        use std::os::unix::fs::symlink;

        let folder = folder(&["a/x.mod"]);
        let a = folder.path().join("a");
        write(a.join(OsStr::from_bytes(b"caf\xe9.mod")), "").unwrap();
        assert_eq!(found(folder.path(), "a/*.mod").unwrap().len(), 2);
        symlink("gone", a.join("link.sys")).unwrap();
        assert_eq!(found(folder.path(), "a/*.mod").unwrap().len(), 2);
        assert!(found(folder.path(), "a/*.sys").is_err());
        symlink("..", a.join("back")).unwrap();
        assert_eq!(found(folder.path(), "a/*.mod").unwrap().len(), 2);
        let why = found(folder.path(), "a/**/*.mod").unwrap_err();
        assert!(why.contains("leads back"), "{why}");
        // A link in a folder that cannot match is no matter.
        create_dir_all(folder.path().join("b/c")).unwrap();
        symlink("..", folder.path().join("b/back")).unwrap();
        write(folder.path().join("b/c/x.mod"), "").unwrap();
        assert_eq!(found(folder.path(), "a*/*.mod").unwrap().len(), 2);
        assert_eq!(found(folder.path(), "[b]/c*/x.mod").unwrap().len(), 1);
        let why = found(folder.path(), "[b]/*/x.mod").unwrap_err();
        assert!(why.contains("leads back"), "{why}");
    }
}
