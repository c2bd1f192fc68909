//! `check --watch`: the same question again whenever an input file has changed.
//!
//! The files are looked at a few times a second; nothing is asked of the system's notification
//! service. So it works on network drives, for editors that put a new file in the place of the old
//! one, and for files that are not there yet.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clearance_formats::program::events::is_named_like_events;
use clearance_formats::{FilePattern, ImportError, Problem, folder_of};

use super::exit;
use super::fail_on::with_what_is_idle;
use super::options::{expand, have_their_events};
use super::output::Reports;
use super::outputs::{Outputs, concerned, named};
use super::progress::Progress;
use super::refusal::refuse_in_reports;
use super::terminal::say;
use crate::batch::is_pattern;
use crate::error::Error;
use crate::run::{Job, Prepared, files_beside, picture, prepare, refuse, run_in};

/// How often files are looked at.
const LOOK: Duration = Duration::from_millis(200);
/// Files must have been left alone for so long: whoever writes them may not be done.
const SETTLED: Duration = Duration::from_millis(80);
/// Times of files come from a clock that may be so much behind.
#[cfg(unix)]
const CLOCK_STEP: Duration = Duration::from_millis(10);
/// How often that is waited for at most: what never comes to rest is checked all the same.
const WAITS: usize = 25;
/// What patterns match is looked for every so many looks: they may lead through large folders.
const LOOKS_A_MATCH: usize = 5;
/// Links that lead to one another, at most: as many as systems follow.
const MOST_LINKS: usize = 40;

/// A check that is asked again and again.
pub(super) struct Watch<'w> {
    pub job: Job,
    /// The programs as the command line names them: what patterns match, and what is in files of many,
    /// may be other programs by and by.
    pub words: &'w [PathBuf],
    pub reports: &'w Reports,
    pub quiet: bool,
}

impl Watch<'_> {
    /// Checks, reports, waits for a change, and starts again. It ends when nobody reads standard
    /// output any more, with the last exit code; otherwise with Ctrl-C.
    pub(super) fn run(mut self) -> Result<u8, Error> {
        let mut known = BTreeSet::new();
        let mut cell_files = BTreeSet::new();
        let mut prepared: Option<Result<Prepared, ImportError>> = None;
        let mut last_look = Stamps::default();
        // What was written just before does not count as changed.
        #[cfg(unix)]
        std::thread::sleep(CLOCK_STEP);
        loop {
            known.extend(looked_at(&self.job));
            // Before anything is read, so that a change in the meantime is seen.
            let (mut before, since) = (Stamps::of(&known), SystemTime::now());
            // Much may have happened since the last look: it takes as long as nobody reads what is said.
            let missed = last_look.changed(&before, &known);
            if missed.iter().any(|file| cell_files.contains(file)) {
                prepared = None;
            }
            let matched = self.matched();
            match self.name_programs() {
                Ok(()) => {
                    known.extend(looked_at(&self.job));
                    let progress = Progress::new(self.job.checks().len(), self.quiet);
                    let cell = prepared.get_or_insert_with(|| prepare(&self.job.cell, &progress));
                    let (more, code) = self.check(cell, &progress, &mut known)?;
                    if let Some(code) = code {
                        return Ok(code);
                    }
                    // Files of a cell that cannot be read now are known from when it could.
                    cell_files.extend(more);
                }
                Err(why) => {
                    if let Err(why) = refuse_in_reports(self.reports, &self.job, &[], why) {
                        say(&format!("error: {why}"));
                    }
                }
            }
            before.add(&known, since);
            let files = known.iter().filter(|file| file.is_file()).count();
            say(&format!("watching {files} files; Ctrl-C ends"));
            let of_cell = || prepared.as_ref().is_some_and(matches_others);
            let match_others = || self.matched() != matched || of_cell();
            let changed;
            (changed, last_look) = before.wait_for_change(&known, &match_others);
            let is_other_cell = of_cell();
            let names: Vec<String> = changed.iter().map(|p| p.display().to_string()).collect();
            say(&match &names[..] {
                [] if is_other_cell => "changed: which files of the cell match".to_owned(),
                [] => "changed: which programs match".to_owned(),
                names => format!("changed: {}", names.join(", ")),
            });
            // Programs are read anew in any case; the cell and its trees only if they have to be.
            let is_of_cell = |file: &PathBuf| cell_files.contains(file);
            if is_other_cell || matches!(prepared, Some(Err(_))) || changed.iter().any(is_of_cell) {
                prepared = None;
            }
        }
    }

    /// Names the programs that there are now.
    fn name_programs(&mut self) -> Result<(), Error> {
        self.job.programs = expand(self.words.to_vec(), &self.job.layout)?;
        if self.job.events.is_some() {
            return Ok(());
        }
        let together = self.job.together.iter().map(|one| &one.file);
        let programs = self.job.programs.iter().chain(together);
        have_their_events(programs.map(PathBuf::as_path))
    }

    /// What the patterns of the command line match; none for what is no pattern, or cannot be read.
    fn matched(&self) -> Vec<Option<Vec<PathBuf>>> {
        let patterns = self.words.iter().filter(|word| is_pattern(word));
        let each = patterns.map(|word| expand(vec![word.clone()], &self.job.layout).ok());
        each.collect()
    }

    /// One check and its reports. Gives the files of the cell, and the exit code once nobody reads
    /// the answers any more.
    fn check(
        &self,
        cell: &Result<Prepared, ImportError>,
        progress: &Progress,
        known: &mut BTreeSet<PathBuf>,
    ) -> Result<(Vec<PathBuf>, Option<u8>), Error> {
        let (job, reports) = (&self.job, self.reports);
        let outcome = match cell {
            Ok(cell) => run_in(job, cell, progress),
            Err(error) => refuse(job, error),
        };
        let outcome = with_what_is_idle(reports.fail_on(), outcome);
        let picture = match cell {
            Ok(cell) if reports.want_picture() => picture(job, cell, &outcome),
            _ => None,
        };
        progress.finish();
        // Readers of the cell look there for other files.
        let mut more: Vec<PathBuf> = match cell {
            Ok(cell) => cell.loaded.files.clone(),
            Err(error) => concerned(error).into_iter().collect(),
        };
        let folders = more.iter().map(|file| folder_of(file).to_owned());
        more.extend(folders.collect::<BTreeSet<PathBuf>>());
        if let Ok(cell) = cell {
            known.extend(files_beside(job, cell));
            more.extend(cell.loaded.absent.iter().cloned());
        }
        // Whatever a program is at fault for may be gone when this file is.
        let faults = outcome.programs.iter().filter_map(|p| p.error_at.as_ref());
        known.extend(faults.map(|at| PathBuf::from(&at.file)));
        known.extend(more.iter().cloned());
        Outputs::of(reports.files())?.refuse_if_read(&*known)?;
        let goes_on = reports.write(&outcome, picture.as_ref())?;
        let code = (!goes_on).then(|| exit::code(&outcome, reports.fail_on()));
        Ok((more, code))
    }
}

/// Whether patterns in a cell file match others than when it was read.
fn matches_others(cell: &Result<Prepared, ImportError>) -> bool {
    match cell {
        Ok(cell) => {
            let mut patterns = cell.loaded.patterns.iter();
            patterns.any(|(pattern, files)| pattern.files().ok().as_ref() != Some(files))
        }
        // One that matched nothing.
        Err(ImportError { place, problem }) => match problem {
            Problem::NotFound { uri, .. } => {
                let folder = folder_of(Path::new(&place.file));
                let pattern = FilePattern::new(folder, uri);
                FilePattern::is_one(folder, uri)
                    && pattern.is_ok_and(|pattern| pattern.in_any_case().files().is_ok())
            }
            _ => false,
        },
    }
}

/// The files that a job names, and the folders in which readers look for other files, by names that
/// are not known before.
fn looked_at(job: &Job) -> BTreeSet<PathBuf> {
    let mut known = named(job);
    for file in job.files() {
        let mut at = file;
        for _ in 0..MOST_LINKS {
            let folder = folder_of(&at).to_owned();
            let target = std::fs::read_link(&at).map(|target| folder.join(target));
            known.insert(folder);
            match target {
                Ok(target) => at = target,
                Err(_) => break,
            }
        }
    }
    known
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

    /// Files and folders that differ `later`. In a folder only names count that readers may look for:
    /// those of these files, in whatever letters and with whatever extension, those of files of events
    /// and of xacro.
    fn changed(&self, later: &Stamps, files: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        // A data list is called like its module, and includes of xacro may be patterns.
        let stem = |name: &Path| Some(name.file_stem()?.to_ascii_lowercase());
        let known: HashSet<OsString> = files.iter().filter_map(|file| stem(file)).collect();
        let counts = |name: &&OsString| {
            let name = Path::new(name);
            let is_xacro = name.extension().is_some_and(|end| end == "xacro");
            let is_alike = stem(name).is_some_and(|stem| known.contains(&stem));
            is_alike || is_xacro || is_named_like_events(name)
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

    /// Waits until something is not what it was, or patterns match something else, and everything
    /// has come to rest; gives which files changed, and how they were found last.
    fn wait_for_change(
        &self,
        files: &BTreeSet<PathBuf>,
        match_others: &dyn Fn() -> bool,
    ) -> (Vec<PathBuf>, Stamps) {
        let mut now = Stamps::of(files);
        for look in 1_usize.. {
            let is_other = look.is_multiple_of(LOOKS_A_MATCH) && match_others();
            if is_other || !self.changed(&now, files).is_empty() {
                break;
            }
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
        (self.changed(&now, files), now)
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
            ("sub.dat", true),
            ("tool.xacro", true),
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
