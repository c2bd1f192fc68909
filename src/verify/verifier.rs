//! A prepared cell that verifies programs one by one.

use std::path::Path as FilePath;

use super::check::{self, Hooks};
use super::{Job, Prepared, Scenes, Settings, described, warn_distances};
use crate::engines::scene::Scene;
use crate::findings::{Outcome, ProgramOutcome};
use crate::import::ImportError;
use crate::import::program::{parse, read};
use crate::model::{Path, Program};

/// Verifies programs in one cell, from as many threads as there are: everything that they share was prepared once.
#[derive(Debug, Clone)]
pub struct Verifier<'p> {
    job: &'p Job,
    prepared: &'p Prepared,
    settings: Settings,
    scenes: Scenes<'p>,
}

impl<'p> Verifier<'p> {
    /// Gets ready. The programs of the job have no say here.
    ///
    /// # Errors
    /// When the settings, or the size of a body, cannot be meant.
    pub fn new(job: &'p Job, prepared: &'p Prepared) -> Result<Self, String> {
        let settings = Settings::of(job, Some(&prepared.cell))?;
        if let Some(first) = prepared.impossible.first() {
            let more = match prepared.impossible.len() {
                1 => String::new(),
                n => format!(" ({} more bodies likewise)", n - 1),
            };
            return Err(format!(
                "{}: `{}`: {}{more}",
                prepared.cell.source.display(),
                first.body,
                first.why
            ));
        }
        Ok(Self {
            job,
            prepared,
            settings,
            scenes: Scenes::new(prepared, &settings),
        })
    }

    /// The settings that hold.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What the cell consists of, as the engines see it.
    pub fn scene(&self) -> &Scene<'p> {
        &self.scenes.contact
    }

    /// The warn distance of every pair of [`Verifier::scene`], metres; `None`: not watched for near misses.
    pub fn warn_distances(&self) -> Vec<Option<f64>> {
        warn_distances(self.prepared, &self.settings)
    }

    /// The prepared cell.
    pub fn prepared(&self) -> &'p Prepared {
        self.prepared
    }

    /// Verifies one program. `progress` is told the share that is done, 0 … 1.
    pub fn program(&self, file: &FilePath, progress: &dyn Fn(f64)) -> ProgramOutcome {
        self.program_in(file, &read(file), &|_| (), progress)
    }

    /// Verifies one program whose bytes are known. `laid` is shown its path before the check; it is not called when there
    /// is none.
    pub fn program_in(
        &self,
        file: &FilePath,
        bytes: &Result<Vec<u8>, ImportError>,
        laid: &dyn Fn(&Path),
        progress: &dyn Fn(f64),
    ) -> ProgramOutcome {
        let load = || match bytes {
            Ok(bytes) => parse(file, bytes),
            Err(error) => Err(error.clone()),
        };
        let hooks = Hooks {
            load: &load,
            laid,
            progress,
        };
        let question = (self.job, &self.settings);
        check::program(file, self.prepared, &self.scenes, question, &hooks)
    }

    /// A program laid onto the cell, as it is checked; `None` when it does not fit.
    pub fn path(&self, program: &Program) -> Option<Path> {
        let cell = &self.prepared.cell;
        let laid = Path::lay(program, cell, self.job.interpolation);
        laid.ok().map(|(path, _)| path)
    }

    /// The outcome without its programs: what was asked, about which cell.
    pub fn question(&self) -> Outcome {
        described(self.job, Some(self.prepared), &self.settings)
    }
}
