//! A program whose files were read once: what its hash is taken of is what is checked.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clearance_formats::program::events::{bytes_of, misnamed, sidecar_bytes};
use clearance_formats::program::many::{files_read_with, place};
use clearance_formats::program::read;
use clearance_formats::{ImportError, LoadedCell};
use clearance_programs::{Reading, is_missing};

use super::load::{Fetched, fetch};
use super::panics::catch_panic;
use super::robot_program::EventBytes;
use super::{Job, Prepared, RobotProgram, controller_program};
use crate::error::Error;

/// The content of a program in the language of a controller, and the files that it took.
pub(super) struct ControllerProgram {
    pub reading: Result<Reading, ImportError>,
    /// Files beside the program that were asked for; also those that are not there.
    others: BTreeMap<PathBuf, Result<Vec<u8>, ImportError>>,
    /// The time limit, where reading it has taken as long.
    pub given_up_after: Option<Duration>,
}

/// A file beside a program as it was when it was asked for. One that could not be read is looked up
/// again, to tell whether it is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OtherFile<'f> {
    /// Its bytes.
    Read(&'f [u8]),
    /// It is not there.
    Missing,
    /// It is there and cannot be read, or is a folder, or a link that leads nowhere.
    Unreadable,
}

/// A program whose files have been read. It is hashed and checked without looking at them again.
pub struct OpenedProgram {
    pub(super) named: RobotProgram,
    pub(super) fetched: Result<Fetched, ImportError>,
    /// None: it is in no controller's language. An error: reading it broke off.
    pub(super) controller_program: Result<Option<ControllerProgram>, Error>,
}

impl OpenedProgram {
    pub(super) fn new(named: &RobotProgram, job: &Job, loaded: &LoadedCell) -> Self {
        let fetched = fetch(&named.file, job, &loaded.cell);
        Self::of(named.clone(), fetched, job, loaded)
    }

    /// The same for one that has been fetched from where it is.
    pub(super) fn of(
        named: RobotProgram,
        fetched: Result<Fetched, ImportError>,
        job: &Job,
        loaded: &LoadedCell,
    ) -> Self {
        // Reading must not stop the others either.
        let controller_program = catch_panic(|| {
            let Ok(Fetched::Bytes(bytes)) = &fetched else {
                return None;
            };
            let others = RefCell::new(BTreeMap::new());
            let read_neighbour = |path: &Path| {
                // The same file twice is the same text twice, whoever writes to it meanwhile.
                let mut others = others.borrow_mut();
                let known = others.entry(path.to_owned()).or_insert_with(|| read(path));
                known.clone()
            };
            let robot = named.robot.as_deref();
            let began = Instant::now();
            let reading =
                controller_program::ways(&named.file, bytes, robot, job, loaded, &read_neighbour)?;
            Some(ControllerProgram {
                reading,
                others: others.into_inner(),
                given_up_after: job.time_limit.filter(|limit| began.elapsed() >= *limit),
            })
        });
        let events = Some(Arc::new(event_bytes(&named, job.events.as_deref())));
        Self {
            named: RobotProgram { events, ..named },
            fetched,
            controller_program,
        }
    }

    /// The contents of the program's own file, or of its place in a file of many; none: it cannot
    /// be read, or reading it broke off.
    pub fn fetched(&self) -> Option<&Fetched> {
        match self.controller_program {
            Ok(_) => self.fetched.as_ref().ok(),
            Err(_) => None,
        }
    }

    /// The bytes of its events, if it has any. None: nobody can say, because they cannot be read or
    /// have another name.
    pub fn events(&self) -> Option<Option<&[u8]>> {
        match self.named.events.as_deref() {
            Some(Ok(bytes)) => Some(bytes.as_deref()),
            Some(Err(_)) | None => None,
        }
    }

    /// The other files that were asked for while it was read.
    pub fn others(&self) -> impl Iterator<Item = (&Path, OtherFile<'_>)> {
        let others = self
            .controller_program
            .as_ref()
            .ok()
            .and_then(Option::as_ref);
        let others = others
            .into_iter()
            .flat_map(|controller_program| &controller_program.others);
        others.map(|(path, read)| {
            let file = match read {
                Ok(bytes) => OtherFile::Read(bytes),
                Err(_) if is_missing(path) => OtherFile::Missing,
                Err(_) => OtherFile::Unreadable,
            };
            (path.as_path(), file)
        })
    }
}

/// Those in the file beside a program, or in the one that is `stated` in its place.
pub(super) fn event_bytes(named: &RobotProgram, stated: Option<&Path>) -> EventBytes {
    match stated {
        Some(stated) => bytes_of(stated).map(Some),
        None if named.without_events => Ok(None),
        None => match misnamed(&named.file) {
            Some(error) => Err(error),
            None => sidecar_bytes(&named.file),
        },
    }
}

/// Files that the programs of a job ask for beside their own, such as data lists and programs that
/// they call; also those that are not there.
pub fn files_beside(job: &Job, prepared: &Prepared) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut tables = BTreeSet::new();
    for named in job.checks().into_iter().flatten() {
        // Files of many hold no program of a controller, and are large.
        if let Some(place) = place(&named.file) {
            tables.insert(place.file);
            continue;
        }
        let program = OpenedProgram::new(&named, job, &prepared.loaded);
        found.extend(program.others().map(|(path, _)| path.to_owned()));
    }
    found.extend(tables.iter().flat_map(|file| files_read_with(file)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Verdict;
    use crate::run::{CacheFolder, NoProgress, Verifier, prepare};

    /// Catches events that are hashed as they were and checked as they are now.
    #[test]
    fn events_are_read_once() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pick.csv");
        std::fs::copy(root.join("trajectories/arm6/pick_place.csv"), &file).unwrap();
        let mut job = Job::new(root.join("robots/arm6/cell.toml"), vec![file.clone()]);
        job.cell.cache = CacheFolder::Off;
        let prepared = prepare(&job.cell, &NoProgress).unwrap();
        let verifier = Verifier::new(&job, &prepared).unwrap();
        let before = [verifier.open(&file), verifier.open(&file)];
        std::fs::write(
            folder.path().join("pick.events.toml"),
            "[[event]]\nat = \"?\"\n",
        )
        .unwrap();
        let now = verifier.verify_opened(&verifier.open(&file), &|_| ());
        assert_eq!(now.verdict, Verdict::Unverified);
        let [kept, taken] = before;
        assert_eq!(kept.events(), Some(None));
        for outcome in [
            verifier.verify_opened(&kept, &|_| ()),
            verifier.verify_and_drop(taken, &|_| ()),
        ] {
            assert_eq!(outcome.verdict, Verdict::Clear, "{outcome:?}");
        }
    }
}
