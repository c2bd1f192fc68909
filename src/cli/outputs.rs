//! What a run writes is none of what it reads.

use std::fs;
use std::path::{Path, PathBuf};

use same_file::Handle;

use crate::error::Error;

/// The files that a run is going to write.
pub(super) struct Outputs {
    /// Those that are there already, each with its length.
    present: Vec<(PathBuf, u64, Handle)>,
}

impl Outputs {
    /// # Errors
    /// When two of them are one file by name.
    pub(super) fn of<'p>(files: impl IntoIterator<Item = &'p Path>) -> Result<Self, Error> {
        let mut all: Vec<&Path> = Vec::new();
        for file in files {
            if all.contains(&file) {
                return Err(Error::usage(format!(
                    "{}: two things would be written to this file: give each a file of its own",
                    file.display()
                )));
            }
            all.push(file);
        }
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

    /// Whether none of these files, which are read, would be written over.
    ///
    /// # Errors
    /// When one would be, by whatever name or link.
    pub(super) fn spare<'p>(
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
            outputs.spare([&input.to_owned()]).is_ok()
        };
        assert!(spares(&b, &a) && spares(&a, &b));
        assert!(!spares(&a, &a));
        assert!(!spares(&a, &folder.path().join(".").join("a")));
        assert!(!spares(&folder.path().join("link"), &a));
        assert!(Outputs::of([a.as_path(), &b, &a]).is_err());
    }
}
