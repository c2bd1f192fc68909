//! Refuses output files that are input files of the same run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clearance_formats::{ImportError, Problem, folder_of};
use same_file::Handle;

use crate::error::Error;
use crate::run::{CellJob, CellSource, Job};

/// More links in a row than any system follows.
const MOST_LINKS: usize = 64;

/// The files that a run is going to write.
pub(super) struct Outputs {
    /// Those that are there already, each with its length.
    present: Vec<(PathBuf, u64, Handle)>,
}

impl Outputs {
    /// # Errors
    /// When two of them are one file.
    pub(super) fn of<'p>(files: impl IntoIterator<Item = &'p Path>) -> Result<Self, Error> {
        let all: Vec<&Path> = files.into_iter().collect();
        are_distinct(all.iter().copied())?;
        let present = all.into_iter().filter_map(|file| {
            let length = length(file)?;
            Some((file.to_owned(), length, Handle::from_path(file).ok()?))
        });
        Ok(Self {
            present: present.collect(),
        })
    }

    /// Whether nothing is there yet that could be written over.
    pub(super) fn is_new(&self) -> bool {
        self.present.is_empty()
    }

    /// Sees that none of these files, which are read, would be written over.
    ///
    /// # Errors
    /// When one would be, by whatever name or link.
    pub(super) fn refuse_if_read<'p>(
        &self,
        read: impl IntoIterator<Item = &'p PathBuf>,
    ) -> Result<(), Error> {
        for input in read {
            let bytes = length(input);
            // Programs may be very many: nothing is opened that cannot be the same file.
            let alike = || (self.present.iter()).filter(|(_, length, _)| Some(*length) == bytes);
            if alike().next().is_none() {
                continue;
            }
            let Ok(known) = Handle::from_path(input) else {
                continue;
            };
            if let Some((output, ..)) = alike().find(|(.., handle)| *handle == known) {
                return Err(Error::usage(format!(
                    "{}: this file is read, and what is written there would take its place ({}): name another file to write \
                     to",
                    output.display(),
                    input.display()
                )));
            }
        }
        Ok(())
    }

    /// The same for the files of which a cell is made.
    ///
    /// # Errors
    /// As [`Outputs::refuse_if_read`].
    pub(super) fn refuse_cell_files(&self, cell: &CellJob) -> Result<(), Error> {
        if self.is_new() {
            return Ok(());
        }
        match cell.load() {
            Ok(loaded) => self.refuse_if_read(&loaded.files),
            // Whoever reads it next says so.
            Err(error) => self.refuse_if_read(&concerned(&error)),
        }
    }
}

/// The files that the command line names.
pub(super) fn named(job: &Job) -> BTreeSet<PathBuf> {
    let mut files: BTreeSet<PathBuf> = job.files().into_iter().collect();
    files.extend(job.cell.scenes.iter().cloned());
    match &job.cell.source {
        CellSource::File(file) => {
            files.insert(file.clone());
        }
        CellSource::Robot {
            urdf,
            srdf,
            joint_limits,
            obstacles,
            xacro_args: _,
        } => {
            files.insert(urdf.clone());
            files.extend(srdf.iter().chain(joint_limits).chain(obstacles).cloned());
        }
    }
    files
}

/// The files that may have to change before an error is gone.
pub(super) fn concerned(error: &ImportError) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::from([PathBuf::from(&error.place.file)]);
    if let Problem::NotFound { tried, .. } = &error.problem {
        files.extend(tried.iter().cloned());
    }
    files
}

/// Whether files that are to be written are so many files, by whatever names.
///
/// # Errors
/// When two of them are one.
pub(super) fn are_distinct<'p>(files: impl IntoIterator<Item = &'p Path>) -> Result<(), Error> {
    let mut places: Vec<PathBuf> = Vec::new();
    for file in files {
        let place = place(file);
        if places.contains(&place) {
            return Err(Error::usage(format!(
                "{}: two things would be written to this file: give each a file of its own",
                file.display()
            )));
        }
        places.push(place);
    }
    Ok(())
}

/// The resolved path: two names of one file give the same one. A file that is not there yet is
/// known by its folder, and a link to such a file by where it leads.
fn place(file: &Path) -> PathBuf {
    if let Ok(place) = file.canonicalize() {
        return place;
    }
    // Links that lead to each other have no end: the system refuses them when they are written to.
    let mut file = file.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&file) {
            Ok(target) => file = folder_of(&file).join(target),
            Err(_) => break,
        }
    }
    let file = &*file;
    match (folder_of(file).canonicalize(), file.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => file.to_owned(),
    }
}

/// The length of a file on disk. Pipes and devices lose nothing when they are written to, and
/// whoever opens them may wait for ever.
fn length(file: &Path) -> Option<u64> {
    let about = fs::metadata(file).ok()?;
    about.is_file().then_some(about.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        fs::write(&a, "a").unwrap();
        fs::hard_link(&a, folder.path().join("link")).unwrap();
        let spares = |output: &Path, input: &Path| {
            let outputs = Outputs::of([output]).unwrap();
            outputs.refuse_if_read([&input.to_owned()]).is_ok()
        };
        assert!(spares(&b, &a) && spares(&a, &b));
        assert!(!spares(&a, &a));
        assert!(!spares(&a, &folder.path().join(".").join("a")));
        assert!(!spares(&folder.path().join("link"), &a));
        assert!(Outputs::of([a.as_path(), &b, &a]).is_err());
        // Whether it is there or not.
        for name in ["a", "new"] {
            let (plain, roundabout) =
                (folder.path().join(name), folder.path().join(".").join(name));
            assert!(
                Outputs::of([plain.as_path(), &roundabout]).is_err(),
                "{name}"
            );
        }
    }
}
