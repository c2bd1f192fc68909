//! Code that the benches and the work counts share: workloads from files, scenes made by formula, a
//! clock.
#![allow(dead_code)] // everyone uses a part of it

use std::path::{Path, PathBuf};

use clearance::run::{
    CacheFolder, CellJob, CellSource, Job, NoProgress, Prepared, Settings, prepare,
};
use clearance_formats::program;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::scene::Scene;
use clearance_proof::model::Trajectory;

pub mod groove;
pub mod kitchen;
mod measure;
pub mod random_errors;
pub mod scenes;

#[allow(unused_imports)] // everyone uses a part of it
pub use measure::{median, milliseconds, programs, stem};

/// A cell ready to be checked, with its settings.
pub struct Workload {
    pub prepared: Prepared,
    pub settings: Settings,
}

impl Workload {
    /// Reads a cell; trees are built, not fetched from a cache.
    pub fn load(source: CellSource) -> Result<Self, String> {
        let mut job = Job::new("", Vec::new());
        job.cell.source = source;
        job.cell.cache = CacheFolder::Off;
        Self::prepare(&job)
    }

    /// Reads a cell file.
    pub fn file(cell: impl Into<PathBuf>) -> Result<Self, String> {
        Self::load(CellSource::File(cell.into()))
    }

    fn prepare(job: &Job) -> Result<Self, String> {
        let cell: &CellJob = &job.cell;
        let prepared = prepare(cell, &NoProgress).map_err(|e| e.to_string())?;
        let settings =
            Settings::of(job, Some(&prepared.loaded.settings)).map_err(|e| e.to_string())?;
        Ok(Self { prepared, settings })
    }

    /// The scene that the engine checks.
    pub fn scene(&self) -> Scene<'_> {
        self.scene_at(self.settings.clearance)
    }

    /// The same with another threshold, metres.
    pub fn scene_at(&self, clearance: f64) -> Scene<'_> {
        Scene::new(
            &self.prepared.loaded.cell,
            &self.prepared.trees,
            &self.prepared.pairs,
            clearance,
        )
    }

    /// The plain question: first contact only.
    pub fn options(&self) -> CheckOptions {
        CheckOptions {
            resolution: self.settings.resolution,
            all: false,
            minimum: false,
            minimum_by_class: false,
            minimum_pairs: None,
        }
    }

    /// Reads a program and lays it onto the cell.
    pub fn trajectory(&self, file: &Path) -> Result<Trajectory, String> {
        let program = program::load(file).map_err(|e| e.to_string())?;
        let laid = Trajectory::for_cell(&program, &self.prepared.loaded.cell, None);
        laid.map(|(trajectory, _)| trajectory)
            .map_err(|e| e.to_string())
    }
}

/// A file of this repository.
pub fn ours(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// A check, timed.
pub struct Timed {
    /// The first time in this scene, milliseconds.
    pub first_ms: f64,
    /// The shortest time after that, milliseconds.
    pub ms: f64,
    pub result: CheckResult,
}

/// Runs a check a few times. For `first_ms` to mean something, the scene is to be new.
pub fn timed(scene: &Scene, trajectory: &Trajectory, options: &CheckOptions) -> Timed {
    const ENOUGH_MS: f64 = 500.0;
    let once = || milliseconds(|| scene.check(trajectory, options, &|_| ()));
    let (first_ms, result) = once();
    let (mut ms, mut spent) = (f64::INFINITY, 0.0);
    while spent < ENOUGH_MS {
        let (again, _) = once();
        ms = ms.min(again);
        spent += again;
    }
    Timed {
        first_ms,
        ms,
        result,
    }
}

/// The mean value.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
