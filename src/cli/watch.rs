//! `check --watch`: the same question again whenever an input file has changed.
//!
//! The files are looked at a few times a second; nothing is asked of the system's notification
//! service. So it works on network drives, for editors that put a new file in the place of the old
//! one, and for files that are not there yet.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clearance_formats::{ImportError, folder_of};

use super::exit;
use super::fail_on::with_what_is_idle;
use super::output::Reports;
use super::outputs::{Outputs, concerned};
use super::progress::Progress;
use super::terminal::say;
use crate::error::Error;
use crate::run::{CellSource, Job, Prepared, files_beside, picture, prepare, refuse, run_in};

/// The end of the name of a file of events.
const EVENTS: &str = ".events.toml";
/// How often files are looked at.
const LOOK: Duration = Duration::from_millis(200);
/// Files must have been left alone for so long: whoever writes them may not be done.
const SETTLED: Duration = Duration::from_millis(80);
/// Times of files come from a clock that may be so much behind.
#[cfg(unix)]
const CLOCK_STEP: Duration = Duration::from_millis(10);
/// How often that is waited for at most: what never comes to rest is checked all the same.
const WAITS: usize = 25;

/// Checks, reports, waits for a change, and starts again. It ends when nobody reads standard output
/// any more, with the last exit code; otherwise with Ctrl-C.
pub(super) fn watch(job: &Job, reports: &Reports, quiet: bool) -> Result<u8, Error> {
    let mut known = named(job);
    // Readers look there for other files, by names that are not known before.
    known.extend(job.files().iter().map(|file| folder_of(file).to_owned()));
    let mut cell_files = BTreeSet::new();
    let mut prepared: Option<Result<Prepared, ImportError>> = None;
    // What was written just before does not count as changed.
    #[cfg(unix)]
    std::thread::sleep(CLOCK_STEP);
    loop {
        // Before anything is read, so that a change in the meantime is seen.
        let (mut before, since) = (Stamps::of(&known), SystemTime::now());
        let progress = Progress::new(job.checks().len(), quiet);
        let cell = prepared.get_or_insert_with(|| prepare(&job.cell, &progress));
        let outcome = match cell {
            Ok(cell) => run_in(job, cell, &progress),
            Err(error) => refuse(job, error),
        };
        let outcome = with_what_is_idle(reports.fail_on(), outcome);
        let picture = match cell {
            Ok(cell) if reports.want_picture() => picture(job, cell, &outcome),
            _ => None,
        };
        progress.finish();
        let more = match cell {
            Ok(cell) => cell.loaded.files.iter().cloned().collect(),
            Err(error) => concerned(error),
        };
        if let Ok(cell) = cell {
            known.extend(files_beside(job, cell));
        }
        // Whatever a program is at fault for may be gone when this file is.
        let faults = outcome.programs.iter().filter_map(|p| p.error_at.as_ref());
        known.extend(faults.map(|at| PathBuf::from(&at.file)));
        // Files of a cell that cannot be read now are known from when it could.
        cell_files.extend(more.iter().cloned());
        known.extend(more);
        before.add(&known, since);

        Outputs::of(reports.files())?.refuse_if_read(&known)?;
        if !reports.write(&outcome, picture.as_ref())? {
            return Ok(exit::code(&outcome, reports.fail_on()));
        }
        let files = known.iter().filter(|file| !file.is_dir()).count();
        say(&format!("watching {files} files; Ctrl-C ends"));
        let changed = before.wait_for_change(&known);
        let names: Vec<String> = changed.iter().map(|p| p.display().to_string()).collect();
        say(&format!("changed: {}", names.join(", ")));
        // Programs are read anew in any case; the cell and its trees only if they have to be.
        if matches!(prepared, Some(Err(_))) || changed.iter().any(|p| cell_files.contains(p)) {
            prepared = None;
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

/// How each file was found, and what stood in each folder.
#[derive(Debug, Clone, Default)]
struct Stamps {
    /// `None` where there is none.
    files: BTreeMap<PathBuf, Option<Stamp>>,
    folders: BTreeMap<PathBuf, BTreeSet<OsString>>,
}

/// What tells a file from the one that was there before.
#[derive(Debug, Clone, PartialEq)]
struct Stamp {
    written: SystemTime,
    length: u64,
    /// Which file it is, and when anything about it was changed, its name too: another one may be
    /// as long, and say that it was written at the same time.
    #[cfg(unix)]
    identity: [i64; 4],
}

impl Stamp {
    fn is_before(&self, since: SystemTime) -> bool {
        #[cfg(unix)]
        {
            let [.., seconds, nanoseconds] = self.identity;
            let since = since.duration_since(SystemTime::UNIX_EPOCH);
            let since = since.unwrap_or_default().saturating_sub(CLOCK_STEP);
            let changed = (seconds, nanoseconds);
            if changed >= (since.as_secs().cast_signed(), since.subsec_nanos().into()) {
                return false;
            }
        }
        self.written < since
    }
}

impl Stamps {
    fn of(files: &BTreeSet<PathBuf>) -> Self {
        let mut stamps = Self::default();
        for file in files {
            stamps.put(file, |stamp| stamp);
        }
        stamps
    }

    fn put(&mut self, file: &Path, kept: impl Fn(Option<Stamp>) -> Option<Stamp>) {
        if file.is_dir() {
            let entries = std::fs::read_dir(file).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name()).collect();
            self.folders.insert(file.to_owned(), names);
        } else {
            self.files.insert(file.to_owned(), kept(stamp(file)));
        }
    }

    /// Files that were not known before. One that was written, or put there, after `since` may have
    /// changed while it was read: it counts as changed.
    fn add(&mut self, files: &BTreeSet<PathBuf>, since: SystemTime) {
        for file in files {
            if !self.files.contains_key(file) && !self.folders.contains_key(file) {
                self.put(file, |stamp| stamp.filter(|stamp| stamp.is_before(since)));
            }
        }
    }

    /// Files and folders that differ `later`. In a folder only names count that readers may look for: those
    /// of these files, in whatever letters, and those of files of events.
    fn changed(&self, later: &Stamps, files: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let known: HashSet<OsString> = (files.iter())
            .filter_map(|file| Some(file.file_name()?.to_ascii_lowercase()))
            .collect();
        let counts = |name: &&OsString| {
            let lower = name.to_ascii_lowercase();
            known.contains(&lower) || lower.to_string_lossy().ends_with(EVENTS)
        };
        let folders = later.folders.iter().filter(|(folder, names)| {
            let before = self.folders.get(*folder).into_iter().flatten();
            !before.filter(counts).eq(names.iter().filter(counts))
        });
        let files = later.files.iter();
        let files = files.filter(|(file, stamp)| self.files.get(*file) != Some(stamp));
        let files = files.map(|(file, _)| file.clone());
        folders.map(|(f, _)| f.clone()).chain(files).collect()
    }

    /// Waits until something is not what it was, and everything has come to rest; gives what
    /// changed.
    fn wait_for_change(&self, files: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let mut now = Stamps::of(files);
        while self.changed(&now, files).is_empty() {
            std::thread::sleep(LOOK);
            now = Stamps::of(files);
        }
        for _ in 0..WAITS {
            std::thread::sleep(SETTLED);
            let later = Stamps::of(files);
            let is_at_rest = now.changed(&later, files).is_empty();
            now = later;
            if is_at_rest {
                break;
            }
        }
        self.changed(&now, files)
    }
}

fn stamp(file: &Path) -> Option<Stamp> {
    let facts = std::fs::metadata(file).ok()?;
    Some(Stamp {
        written: facts.modified().ok()?,
        length: facts.len(),
        #[cfg(unix)]
        identity: {
            use std::os::unix::fs::MetadataExt;
            [
                facts.dev().cast_signed(),
                facts.ino().cast_signed(),
                facts.ctime(),
                facts.ctime_nsec(),
            ]
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Readers look for such files, and find none as long as they are not there.
    #[test]
    fn a_new_name_that_a_reader_may_look_for_is_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str| std::fs::write(folder.path().join(name), "").unwrap();
        put("sub.src");
        let files = BTreeSet::from([folder.path().to_owned(), folder.path().join("sub.src")]);
        let mut before = Stamps::of(&files);
        for (name, changes) in [
            ("report.json", false),
            ("main.src~", false),
            ("sUb.SRC", true),
            ("p.csv.events.toml", true),
        ] {
            put(name);
            let now = Stamps::of(&files);
            assert_eq!(!before.changed(&now, &files).is_empty(), changes, "{name}");
            before = now;
        }
    }

    /// As `mv` puts it there, with the time of the other one (`cp -p`, `touch -r`, `git stash`).
    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_by_one_as_long_and_as_old_is_another_one() {
        use std::fs;

        let folder = tempfile::tempdir().unwrap();
        let [file, other] = ["p.csv", "other"].map(|name| folder.path().join(name));
        fs::write(&file, "0,1").unwrap();
        let (before, written) = (
            stamp(&file),
            fs::metadata(&file).unwrap().modified().unwrap(),
        );
        assert_eq!(stamp(&file), before);
        fs::write(&other, "0,2").unwrap();
        let opened = fs::File::options().write(true).open(&other).unwrap();
        opened.set_modified(written).unwrap();
        fs::rename(&other, &file).unwrap();
        assert_ne!(stamp(&file), before);
    }

    /// It was put there while the files were read, and says that it is old.
    #[cfg(unix)]
    #[test]
    fn an_old_file_that_was_put_there_during_a_run_counts_as_changed() {
        use std::fs;

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.csv");
        fs::write(&file, "0,1").unwrap();
        std::thread::sleep(3 * CLOCK_STEP);
        let since = SystemTime::now();
        let files = BTreeSet::from([file.clone()]);
        let known = || {
            let mut stamps = Stamps::default();
            stamps.add(&files, since);
            stamps.files[&file].is_some()
        };
        assert!(known());
        let old = since - Duration::from_secs(100);
        let opened = fs::File::options().write(true).open(&file).unwrap();
        opened.set_modified(old).unwrap();
        assert!(!known());
    }
}
