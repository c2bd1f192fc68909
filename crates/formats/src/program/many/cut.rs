//! Tables of one series of names, `plans-00000-of-00002.parquet` and the like: the rows of a program
//! may end one file and begin the next one. The move between the two is in neither, so neither half
//! is the program.

use std::path::{Path, PathBuf};

use super::columns::TableEnd;
use super::{Kind, Layout, Member, kind, named, parquet, syntax, table};
use crate::ImportError;
use crate::files::folder_of;

/// Programs of a file that may be halves: their names, and the error about each.
#[derive(Debug, Default)]
pub(super) struct CutPrograms(Vec<(PathBuf, ImportError)>);

impl CutPrograms {
    /// Looks at the ends of a file and of those beside it.
    pub(super) fn of(file: &Path, layout: &Layout) -> Self {
        let mut cut = Vec::new();
        for end in [TableEnd::First, TableEnd::Last] {
            let parts = next_parts(file, end);
            if parts.is_empty() {
                continue;
            }
            // What is wrong with the file itself, its reader says.
            let Ok(Some(id)) = end_id(file, layout, end) else {
                continue;
            };
            let why = parts
                .iter()
                .find_map(|other| halves(other, layout, end, &id));
            if let Some(cause) = why {
                let remedy = "write all rows of a program into one file; if these are two programs, give them two ids";
                let error = syntax(file, cause, remedy.to_owned());
                cut.push((named(file, &id), error));
            }
        }
        Self(cut)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The program, unless it may be half of one.
    pub(super) fn refused(&self, member: Member) -> Member {
        let known = self
            .0
            .iter()
            .find(|(name, _)| name.as_os_str() == member.name.as_os_str());
        match known {
            Some((_, error)) if member.program.is_ok() => Member {
                program: Err(error.clone()),
                ..member
            },
            _ => member,
        }
    }
}

/// Why the program with this id, at that end of its file, may be half of one with rows in the other
/// file.
fn halves(other: &Path, layout: &Layout, end: TableEnd, id: &str) -> Option<String> {
    let shown = other.file_name().unwrap_or_default().to_string_lossy();
    let (opposite, goes_on, row) = match end {
        TableEnd::First => (TableEnd::Last, "begins", "last"),
        TableEnd::Last => (TableEnd::First, "goes on", "first"),
    };
    match end_id(other, layout, opposite) {
        Ok(Some(theirs)) if theirs == id => Some(format!(
            "program `{id}` {goes_on} in {shown}, whose {row} row has that id too: the move from the one file to the \
             other would be checked in neither"
        )),
        Ok(_) => None,
        Err(_) => Some(format!(
            "whether program `{id}` {goes_on} in {shown} is not known: that file cannot be read"
        )),
    }
}

/// The id of the first or the last row; none where there are no rows, or no ids.
fn end_id(file: &Path, layout: &Layout, end: TableEnd) -> Result<Option<String>, ImportError> {
    match kind(file) {
        Some(Kind::Parquet) => parquet::end_id(file, layout, end),
        Some(Kind::Text) => table::end_id(file, layout, end),
        _ => Ok(None),
    }
}

/// The files beside one that its name may number as the one before it, or the one after it.
fn next_parts(file: &Path, end: TableEnd) -> Vec<PathBuf> {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else {
        return Vec::new();
    };
    let folder = folder_of(file);
    let others = numbers(name).into_iter().flat_map(|(start, digits)| {
        let number = digits.parse::<u64>().ok();
        let other = number.and_then(|number| match end {
            TableEnd::First => number.checked_sub(1),
            TableEnd::Last => number.checked_add(1),
        });
        let (before, behind) = (&name[..start], &name[start + digits.len()..]);
        // `_9` comes before `_10`, and `_09` before `_10` too.
        let plain = other.map(|other| other.to_string());
        let padded = other.map(|other| format!("{other:0width$}", width = digits.len()));
        let texts = plain.into_iter().chain(padded);
        texts.map(move |number| folder.join(format!("{before}{number}{behind}")))
    });
    let mut others: Vec<PathBuf> = others.filter(|other| other.is_file()).collect();
    others.dedup();
    others
}

/// The numbers in a name that may count the files of a series, each with where it begins: those of
/// `plans-00001-of-00004.parquet`, of `part-00001-….parquet`, and of `plans_1.csv` and `1.parquet`.
fn numbers(name: &str) -> Vec<(usize, &str)> {
    let bytes = name.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let starts = (0..bytes.len()).filter(|&at| is_digit(at) && (at == 0 || !is_digit(at - 1)));
    let runs = starts.map(|start| {
        let length = bytes[start..]
            .iter()
            .take_while(|c| c.is_ascii_digit())
            .count();
        (start, &name[start..start + length])
    });
    let counts = |&(start, digits): &(usize, &str)| {
        let (before, behind) = (&name[..start], &name[start + digits.len()..]);
        let stands_alone = before.is_empty() || before.ends_with(['_', '-', '.']);
        let ends =
            behind.starts_with('.') || behind.starts_with("-of-") || behind.starts_with("_of_");
        let of_spark = ["part-", "part_"].contains(&before);
        // The number of all files is no number of one.
        let of_all = before.ends_with("-of-") || before.ends_with("_of_");
        stands_alone && (ends || of_spark) && !of_all
    };
    runs.filter(counts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Catches files of a series that are not known as such, by the names that tools write.
    #[test]
    fn files_of_a_series_are_known_by_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "train-00000-of-00002.parquet",
            "train-00001-of-00002.parquet",
            "train-00002-of-00003.parquet",
            "part-00000-a1-c000.snappy.parquet",
            "part-00001-a1-c000.snappy.parquet",
            "p_9.csv",
            "p_10.csv",
            "q_09.csv",
            "q_10.csv",
            "0.parquet",
            "1.parquet",
            "line1_robot.csv",
            "line2_robot.csv",
        ] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let of = |name: &str, end| {
            let found = next_parts(&folder.path().join(name), end);
            let names = found
                .iter()
                .map(|file| file.file_name().unwrap().to_str().unwrap().to_owned());
            names.collect::<Vec<_>>()
        };
        for [before, after] in [
            [
                "train-00000-of-00002.parquet",
                "train-00001-of-00002.parquet",
            ],
            [
                "part-00000-a1-c000.snappy.parquet",
                "part-00001-a1-c000.snappy.parquet",
            ],
            ["p_9.csv", "p_10.csv"],
            ["q_09.csv", "q_10.csv"],
            ["0.parquet", "1.parquet"],
        ] {
            assert_eq!(of(before, TableEnd::Last), [after]);
            assert_eq!(of(after, TableEnd::First), [before]);
            assert!(of(before, TableEnd::First).is_empty(), "{before}");
            assert!(of(after, TableEnd::Last).is_empty(), "{after}");
        }
        assert!(of("line1_robot.csv", TableEnd::Last).is_empty());
    }
}
