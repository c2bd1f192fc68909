//! The right to write a result file: one run at a time has it, from before it reads the file until
//! it is done with it.
//!
//! The lock is on the file itself, not on its name. A file that takes the place of another one is
//! locked before it does, so there is no instant at which nobody has the lock.

use crate::error::Error;
use std::fmt::Display;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clearance_formats::folder_of;
use same_file::Handle;
use tempfile::NamedTempFile;

/// A file that nobody else of us writes as long as this lives.
#[derive(Debug)]
pub(super) struct Claim {
    /// Where it is: a link stays a link.
    path: PathBuf,
    /// The file of that name, locked.
    file: File,
    /// Whether it was made for the lock and holds nothing yet.
    made: bool,
}

/// How often another run may replace the file between opening and locking it.
const TRIES: usize = 100;

impl Claim {
    /// Claims a file, which need not exist.
    ///
    /// # Errors
    /// When another run is writing it, or when it cannot be written.
    pub(super) fn of(named: &Path) -> Result<Self, Error> {
        let failed = |e: std::io::Error| unwritable(named, e);
        for _ in 0..TRIES {
            let mut options = OpenOptions::new();
            options.read(true).write(true);
            let (file, made) = match options.clone().create_new(true).open(named) {
                Ok(file) => (file, true),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                    match options.create(true).truncate(false).open(named) {
                        Ok(file) => (file, false),
                        Err(e) => return Err(failed(e)),
                    }
                }
                Err(e) => return Err(failed(e)),
            };
            if !file.metadata().map_err(failed)?.is_file() {
                return Err(unwritable(named, "this is not a regular file; name one"));
            }
            // Some file systems have no locks; there the file is used without one.
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                return Err(busy(named));
            }
            // Between opening and locking it, another run may have put its own file there.
            if is_at(&file, named) {
                return Ok(Self {
                    path: named.canonicalize().map_err(failed)?,
                    file,
                    made,
                });
            }
        }
        Err(busy(named))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the claimed file still has its name. It may have been removed, or another one put
    /// there, by somebody who knows nothing of claims.
    pub(super) fn is_there(&self) -> bool {
        is_at(&self.file, &self.path)
    }

    /// Puts a finished file into its place, and keeps the claim. Where nothing has the name any more,
    /// the file gets it all the same.
    ///
    /// # Errors
    /// When another file has the name: it is not ours to replace.
    pub(super) fn replace(&mut self, fresh: NamedTempFile) -> std::io::Result<File> {
        if !self.is_there() && self.path.symlink_metadata().is_ok() {
            return Err(std::io::Error::other(
                "another file was put in its place while this run wrote it, and these results are in no file; run again \
                 with the name of another file",
            ));
        }
        // Nobody else knows this file yet, so the lock is free.
        if let Err(TryLockError::Error(e)) = fresh.as_file().try_lock()
            && e.kind() != ErrorKind::Unsupported
        {
            return Err(e);
        }
        let file = put(fresh, &self.path)?;
        self.file = file.try_clone()?;
        self.made = false;
        Ok(file)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A run that came to nothing leaves nothing of its own.
        let is_empty = self.file.metadata().is_ok_and(|m| m.len() == 0);
        if self.made && is_empty && self.is_there() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Gives a finished file its name. What is in it is on the disk before, and its name after.
pub(super) fn put(fresh: NamedTempFile, path: &Path) -> std::io::Result<File> {
    fresh.as_file().sync_all()?;
    let file = fresh.persist(path).map_err(|e| e.error)?;
    #[cfg(unix)]
    File::open(folder_of(path))?.sync_all()?;
    Ok(file)
}

/// Whether an open file is still the one of this name.
fn is_at(file: &File, path: &Path) -> bool {
    let open = file.try_clone().and_then(Handle::from_file);
    matches!((open, Handle::from_path(path)), (Ok(a), Ok(b)) if a == b)
}

fn busy(path: &Path) -> Error {
    Error::usage(format!(
        "{} is being written by another run; wait for it, or name another file",
        path.display()
    ))
}

/// The error when results cannot be written.
pub(super) fn unwritable(path: &Path, cause: impl Display) -> Error {
    Error::unwritable(format!("the results {}", path.display()), cause)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn one_has_it_and_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let mut claim = Claim::of(&path).unwrap();
        assert!(Claim::of(&path).is_err());
        for text in ["one", "two"] {
            let mut fresh = NamedTempFile::new_in(folder.path()).unwrap();
            fresh.write_all(text.as_bytes()).unwrap();
            claim.replace(fresh).unwrap();
            assert!(Claim::of(&path).is_err(), "after {text}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        drop(claim);
        drop(Claim::of(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    }

    /// Catches results that nobody finds: of a file that was removed, or in place of a stranger's.
    #[test]
    fn a_file_that_is_gone_is_made_again_and_a_strangers_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let mut claim = Claim::of(&path).unwrap();
        let fresh = |text: &str| {
            let mut fresh = NamedTempFile::new_in(folder.path()).unwrap();
            fresh.write_all(text.as_bytes()).unwrap();
            fresh
        };
        assert!(claim.is_there());
        fs::remove_file(&path).unwrap();
        assert!(!claim.is_there());
        claim.replace(fresh("ours")).unwrap();
        assert!(claim.is_there());
        assert_eq!(fs::read_to_string(&path).unwrap(), "ours");
        fs::remove_file(&path).unwrap();
        fs::write(&path, "theirs").unwrap();
        let said = claim.replace(fresh("ours")).unwrap_err().to_string();
        assert!(said.contains("these results are in no file"), "{said}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        // Nor is it removed by a run that came to nothing.
        fs::remove_file(&path).unwrap();
        let claim = Claim::of(&path).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "theirs").unwrap();
        drop(claim);
        assert!(path.exists());
    }

    #[test]
    fn what_came_to_nothing_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        drop(Claim::of(&path).unwrap());
        assert!(!path.exists());
        fs::write(&path, "").unwrap();
        drop(Claim::of(&path).unwrap());
        assert!(path.exists(), "an empty file of the user's own stays");
        assert!(Claim::of(folder.path()).is_err());
        assert!(Claim::of(Path::new("/dev/null")).is_err());
    }

    /// Many at once: whoever has it is alone, and everybody gets it in the end.
    #[test]
    fn many_at_once() {
        use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let inside = AtomicUsize::new(0);
        let had = AtomicUsize::new(0);
        let take = || {
            // However slow the disk is: whoever is refused asks again.
            let mut claim = loop {
                match Claim::of(&path) {
                    Ok(claim) => break claim,
                    Err(error) => {
                        let said = error.to_string();
                        assert!(said.contains("by another run"), "{said}");
                        std::thread::yield_now();
                    }
                }
            };
            assert_eq!(inside.fetch_add(1, SeqCst), 0);
            let fresh = NamedTempFile::new_in(folder.path()).unwrap();
            claim.replace(fresh).unwrap();
            had.fetch_add(1, SeqCst);
            inside.fetch_sub(1, SeqCst);
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..5).for_each(|_| take()));
            }
        });
        assert_eq!(had.into_inner(), 40);
    }
}
