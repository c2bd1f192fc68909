//! A prepared cell that verifies programs one by one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use clearance_formats::{ImportError, LoadedCell};
use clearance_methods::backends::Prebuilt;
use clearance_proof::check::scene::Scene;
use clearance_proof::check::{SpareThreads, TimeLimit};
use clearance_proof::model::{Cell, Phase, Program, Schedule, Trajectory, Uncertainty};

use super::check::{self, Hooks, ReadyCell};
use super::load::{Fetched, load, parse, waypoints};
use super::motion::{Motion, ProgramPart};
use super::opened::OpenedProgram;
use super::panics::catch_panic;
use super::program_hash::hash_of_all;
use super::report_header::described;
use super::scenes::{Scenes, warn_distances};
use super::taught::Taught;
use super::{Job, Prepared, RobotProgram, Settings, controller_program};
use crate::error::Error;
use crate::findings::{Outcome, ProgramOutcome};

/// Verifies programs in one cell, from as many threads as there are: everything that they share was
/// prepared once.
#[derive(Debug, Clone)]
pub struct Verifier<'p> {
    job: Cow<'p, Job>,
    prepared: &'p Prepared,
    settings: Settings,
    scenes: Scenes<'p>,
}

/// A motion as it is checked.
#[derive(Debug)]
pub(super) struct CheckedMotion {
    pub trajectory: Trajectory,
    /// How long it takes without any delay.
    pub undelayed: f64,
    /// Times of the waypoints, if it is one program.
    pub waypoints: Option<Vec<f64>>,
    /// Its programs.
    pub parts: Vec<ProgramPart>,
    /// Where events change what moves along it.
    pub phases: Option<Vec<Phase>>,
    /// Whether corners of it may be rounded.
    pub rounds_corners: bool,
    /// The errors that its check allows for, where they are more than the cell states.
    pub more_errors: Option<Uncertainty>,
}

impl<'p> Verifier<'p> {
    /// Gets ready. The programs of the job are not used.
    ///
    /// # Errors
    /// When the settings, or the size of a body, are not usable.
    pub fn new(job: &'p Job, prepared: &'p Prepared) -> Result<Self, Error> {
        Self::about(Cow::Borrowed(job), prepared)
    }

    /// The same for a job that nobody else keeps.
    ///
    /// # Errors
    /// As for [`Verifier::new`].
    pub fn owning(job: Job, prepared: &'p Prepared) -> Result<Self, Error> {
        Self::about(Cow::Owned(job), prepared)
    }

    fn about(job: Cow<'p, Job>, prepared: &'p Prepared) -> Result<Self, Error> {
        let settings = Settings::of(&job, Some(&prepared.loaded.settings))?;
        prepared.refuse_impossible()?;
        let Prepared {
            loaded: LoadedCell { cell, .. },
            trees,
            pairs,
            ..
        } = prepared;
        let mut scenes = Scenes::new(
            cell,
            trees,
            pairs,
            &settings,
            Arc::new(Ok(Prebuilt::default())),
        );
        scenes.prebuild(&settings);
        Ok(Self {
            job,
            prepared,
            settings,
            scenes,
        })
    }

    /// The same without range-of-motion hulls: every pair is searched in every segment. For
    /// measurements; answers are the same.
    pub fn without_hulls(mut self) -> Self {
        self.scenes.set_hulls(false);
        self
    }

    /// The same, where long programs are searched with the help of threads that have nothing else
    /// to do. Answers are the same.
    pub fn helped_by(mut self, threads: &SpareThreads) -> Self {
        self.scenes.set_threads(threads);
        self
    }

    /// The settings that hold.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The cell as the engines see it.
    pub fn scene(&self) -> &Scene<'p> {
        &self.scenes.contact
    }

    /// The warn distance of every pair of [`Verifier::scene`], metres; `None`: not watched for near
    /// misses.
    pub fn warn_distances(&self) -> Vec<Option<f64>> {
        warn_distances(&self.prepared.pairs, &self.settings)
    }

    /// The job that was asked for.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The prepared cell.
    pub fn prepared(&self) -> &'p Prepared {
        self.prepared
    }

    /// Verifies one program. `progress` is told the share that is done, 0 … 1.
    pub fn verify_file(&self, file: &Path, progress: &dyn Fn(f64)) -> ProgramOutcome {
        self.verify_and_drop(self.open(file), progress)
    }

    /// Reads one program with all files that it takes.
    pub fn open(&self, file: &Path) -> OpenedProgram {
        OpenedProgram::new(&RobotProgram::alone(file), &self.job, &self.prepared.loaded)
    }

    /// The same for a program that has been fetched from where it is.
    pub fn open_fetched(
        &self,
        named: RobotProgram,
        fetched: Result<Fetched, ImportError>,
    ) -> OpenedProgram {
        OpenedProgram::of(named, fetched, &self.job, &self.prepared.loaded)
    }

    /// Reads programs that run at the same time, or one, with all files that they take.
    pub fn open_all(&self, programs: &[RobotProgram]) -> Vec<OpenedProgram> {
        let open = |named| OpenedProgram::new(named, &self.job, &self.prepared.loaded);
        programs.iter().map(open).collect()
    }

    /// Verifies one program that is in memory already.
    pub fn verify_program(&self, program: &Program, progress: &dyn Fn(f64)) -> ProgramOutcome {
        let load = |_: &RobotProgram| waypoints(&program.source, program.clone(), &self.job);
        let given = [RobotProgram::without_events(&program.source)];
        self.checked(&given, &load, progress)
    }

    /// Verifies programs that run at the same time (or one that runs alone). `progress` is told the
    /// share that is done, 0 … 1.
    pub fn verify_together(
        &self,
        programs: &[RobotProgram],
        progress: &dyn Fn(f64),
    ) -> ProgramOutcome {
        let opened = self.open_all(programs);
        let hash = hash_of_all(&opened);
        let answer = self.verify_opened_together(opened, progress);
        ProgramOutcome { hash, ..answer }
    }

    /// The same for programs whose files were read and are not needed any more.
    pub fn verify_opened_together(
        &self,
        mut opened: Vec<OpenedProgram>,
        progress: &dyn Fn(f64),
    ) -> ProgramOutcome {
        if opened.len() == 1
            && let Some(alone) = opened.pop()
        {
            return self.verify_and_drop(alone, progress);
        }
        let programs: Vec<RobotProgram> = opened.iter().map(|one| one.named.clone()).collect();
        let broken_off = opened
            .iter()
            .find_map(|o| o.controller_program.as_ref().err());
        if let Some(error) = broken_off {
            return check::unverified(&programs, Some(error));
        }
        let load = |named: &RobotProgram| self.taught_of(&opened, named);
        self.checked(&programs, &load, progress)
    }

    /// Verifies one program whose files were read and are not needed any more: what is in them does
    /// not stay in memory beside the motion that is made of it.
    pub fn verify_and_drop(&self, opened: OpenedProgram, progress: &dyn Fn(f64)) -> ProgramOutcome {
        if !matches!(opened.controller_program, Ok(None)) {
            return self.verify_opened(&opened, progress);
        }
        let OpenedProgram { named, fetched, .. } = opened;
        let fetched = std::cell::Cell::new(Some(fetched));
        let load = |named: &RobotProgram| match fetched.take() {
            Some(Ok(Fetched::Bytes(bytes))) => {
                let taught = parse(&named.file, &bytes, self.routine(), &self.tips_for(named));
                // A program of moves may be asked for once more.
                if let Ok(Taught::Moves(_)) = taught {
                    fetched.set(Some(Ok(Fetched::Bytes(bytes))));
                }
                taught
            }
            Some(Ok(Fetched::Program(program))) => waypoints(&named.file, *program, &self.job),
            Some(Err(error)) => Err(error),
            None => load(named, &self.job, &self.prepared.loaded),
        };
        self.checked(std::slice::from_ref(&named), &load, progress)
    }

    /// Verifies one program whose files were read: one motion, or the worst of all ways through it.
    pub fn verify_opened(&self, opened: &OpenedProgram, progress: &dyn Fn(f64)) -> ProgramOutcome {
        let programs = std::slice::from_ref(&opened.named);
        let file = opened.named.file.as_path();
        let (reading, given_up_after) = match &opened.controller_program {
            Err(error) => return check::unverified(programs, Some(error)),
            Ok(Some(controller_program)) => match &controller_program.reading {
                Ok(reading) => (reading, controller_program.given_up_after),
                Err(error) => {
                    let load = |_: &RobotProgram| Err(error.clone());
                    return self.checked(programs, &load, progress);
                }
            },
            Ok(None) => {
                let load = |_: &RobotProgram| self.parsed(opened);
                return self.checked(programs, &load, progress);
            }
        };
        let ways = controller_program::moving(reading);
        let count = ways.len();
        // For all of them together.
        let time_limit = TimeLimit::of(self.settings.time_limit);
        let mut answers = Vec::with_capacity(count);
        for (k, way) in ways.iter().enumerate() {
            let load = |_: &RobotProgram| {
                controller_program::taught(way, reading, &self.prepared.loaded.cell)
            };
            let share = |done: f64| progress((k as f64 + done) / count as f64);
            answers.push(self.checked_within(&time_limit, programs, &load, &share));
        }
        let answer = controller_program::together(reading, &ways, answers);
        let mut answer = answer.unwrap_or_else(|| {
            let why = format!(
                "{}: there is no way through the program; please report this with the program",
                file.display()
            );
            check::unverified(programs, Some(&Error::Unusable(why)))
        });
        let while_read = given_up_after.map(|limit| limit.as_secs_f64());
        answer.given_up_after = answer.given_up_after.or(while_read);
        answer
    }

    /// The trajectory of one program whose files were read; none where it is not all of the motion:
    /// events change what moves along it, and the way through rounded corners is another one.
    pub fn trajectory_of(&self, opened: &OpenedProgram) -> Option<Arc<Trajectory>> {
        // Programs of controllers are programs of moves.
        let Ok(None) = &opened.controller_program else {
            return None;
        };
        let load = |_: &RobotProgram| self.parsed(opened);
        let programs = std::slice::from_ref(&opened.named);
        let read = || Motion::read(programs, &self.job, &load, &self.prepared.loaded);
        let motion = catch_panic(read).ok()?.ok()?;
        let alone = motion.timeline.events.is_empty() && !motion.has_moves();
        alone.then_some(motion.trajectory)
    }

    /// A program that is in no language of a controller, out of what was read.
    fn parsed(&self, opened: &OpenedProgram) -> Result<Taught, ImportError> {
        let file = opened.named.file.as_path();
        match &opened.fetched {
            Ok(Fetched::Bytes(bytes)) => {
                parse(file, bytes, self.routine(), &self.tips_for(&opened.named))
            }
            Ok(Fetched::Program(program)) => waypoints(file, (**program).clone(), &self.job),
            Err(error) => Err(error.clone()),
        }
    }

    /// Where the planning groups end that a program may name.
    fn tips_for(&self, named: &RobotProgram) -> BTreeMap<String, String> {
        self.prepared.loaded.planning_tips(named.robot.as_deref())
    }

    /// The routine that is asked for.
    fn routine(&self) -> Option<&str> {
        self.job.routine.as_deref()
    }

    fn checked(
        &self,
        programs: &[RobotProgram],
        load: &dyn Fn(&RobotProgram) -> Result<Taught, ImportError>,
        progress: &dyn Fn(f64),
    ) -> ProgramOutcome {
        let time_limit = TimeLimit::of(self.settings.time_limit);
        self.checked_within(&time_limit, programs, load, progress)
    }

    /// The same, where the time may be shared with other questions.
    fn checked_within(
        &self,
        time_limit: &TimeLimit,
        programs: &[RobotProgram],
        load: &dyn Fn(&RobotProgram) -> Result<Taught, ImportError>,
        progress: &dyn Fn(f64),
    ) -> ProgramOutcome {
        let hooks = Hooks { load, progress };
        let ready = ReadyCell {
            prepared: self.prepared,
            scenes: &self.scenes,
            job: &self.job,
            settings: &self.settings,
        };
        check::checked_or_error(programs, &ready, &hooks, time_limit)
    }

    /// The motion of programs whose files were read, as it was checked for an answer, each started so
    /// much later, seconds; `None` when they do not fit.
    pub(super) fn motion_of(
        &self,
        opened: &[OpenedProgram],
        delays: &[f64],
        answer: &ProgramOutcome,
    ) -> Option<CheckedMotion> {
        if opened.iter().any(|one| one.controller_program.is_err()) {
            return None;
        }
        let narrow = answer.narrow_joint_ranges;
        let programs = opened.iter().map(|one| one.named.narrowed(narrow));
        let programs: Vec<RobotProgram> = programs.collect();
        let load = |named: &RobotProgram| self.taught_of(opened, named);
        self.checked_motion(&programs, delays, &load)
    }

    /// What one of these programs teaches; it may be asked for with narrower ranges of the joints.
    fn taught_of(
        &self,
        opened: &[OpenedProgram],
        named: &RobotProgram,
    ) -> Result<Taught, ImportError> {
        let asked = |one: &&OpenedProgram| one.named.narrowed(named.narrow) == *named;
        match opened.iter().find(asked) {
            Some(one) => self.taught(one),
            None => load(named, &self.job, &self.prepared.loaded),
        }
    }

    /// What a program whose files were read teaches: of one of a controller the only way through it.
    fn taught(&self, opened: &OpenedProgram) -> Result<Taught, ImportError> {
        match opened
            .controller_program
            .as_ref()
            .ok()
            .and_then(Option::as_ref)
        {
            None => self.parsed(opened),
            Some(controller_program) => {
                let reading = controller_program.reading.as_ref().map_err(Clone::clone)?;
                controller_program::only(&opened.named.file, reading, &self.prepared.loaded.cell)
            }
        }
    }

    fn checked_motion(
        &self,
        programs: &[RobotProgram],
        delays: &[f64],
        load: &dyn Fn(&RobotProgram) -> Result<Taught, ImportError>,
    ) -> Option<CheckedMotion> {
        let loaded = &self.prepared.loaded;
        let cell = &loaded.cell;
        let motion = Motion::read(programs, &self.job, load, loaded).ok()?;
        let undelayed = motion.trajectory.duration();
        let motion = if delays.iter().any(|&delay| delay != 0.0) {
            motion.late(delays, cell).ok()?
        } else {
            motion
        };
        let waypoints = match &motion.parts[..] {
            [only] => Some(only.lines().into_iter().map(|(time, _)| time).collect()),
            _ => None,
        };
        let more_errors = motion.more_errors(cell).filter(|_| !self.job.ideal);
        let own_cell = more_errors.as_ref().map(|errors| Cell {
            uncertainty: Some(errors.clone()),
            ..cell.clone()
        });
        let phases = if motion.timeline.cuts().is_empty() {
            None
        } else {
            let cell = own_cell.as_ref().unwrap_or(cell);
            Some(
                Schedule::new(cell, &motion.trajectory, &motion.timeline)
                    .ok()?
                    .phases,
            )
        };
        let rounds_corners = motion.has_corners();
        Some(CheckedMotion {
            more_errors,
            rounds_corners,
            trajectory: Arc::unwrap_or_clone(motion.trajectory),
            parts: motion.parts,
            undelayed,
            waypoints,
            phases,
        })
    }

    /// The outcome without its programs: what was asked, about which cell.
    pub fn report_header(&self) -> Outcome {
        described(&self.job, Some(self.prepared), &self.settings)
    }
}
