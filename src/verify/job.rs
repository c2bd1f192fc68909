//! What is to be verified, and how: the command line in plain data.

use std::path::PathBuf;

use crate::import::{ImportError, LoadOptions, load_cell, load_robot};
use crate::model::{Cell, Interpolation};

/// Where the cell comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellSource {
    /// A cell file.
    File(PathBuf),
    /// The short form: one robot at the world's origin, obstacles in world coordinates.
    Robot {
        /// URDF.
        urdf: PathBuf,
        /// Its SRDF.
        srdf: Option<PathBuf>,
        /// Mesh files.
        obstacles: Vec<PathBuf>,
    },
}

impl CellSource {
    /// How the user named it.
    pub fn name(&self) -> String {
        let (CellSource::File(path) | CellSource::Robot { urdf: path, .. }) = self;
        path.display().to_string()
    }
}

/// Where sphere trees are kept between runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CacheFolder {
    /// The user's cache folder.
    #[default]
    Default,
    /// This folder.
    At(PathBuf),
    /// Nowhere.
    Off,
}

/// A cell and how it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellJob {
    /// Where it comes from.
    pub source: CellSource,
    /// `package://` roots by name.
    pub packages: Vec<(String, PathBuf)>,
    /// Links without `<collision>` are checked by their `<visual>` geometry.
    pub visual_as_collision: bool,
    /// Where sphere trees are kept.
    pub cache: CacheFolder,
    /// Number of threads; `None`: all cores.
    pub threads: Option<usize>,
}

impl CellJob {
    /// A cell file with nothing out of the ordinary.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self {
            source: CellSource::File(path.into()),
            packages: Vec::new(),
            visual_as_collision: false,
            cache: CacheFolder::Default,
            threads: None,
        }
    }

    /// Reads it.
    pub fn load(&self) -> Result<Cell, ImportError> {
        let mut options = LoadOptions {
            visual_as_collision: self.visual_as_collision,
            srdf: None,
            package_roots: self.packages.clone(),
        };
        match &self.source {
            CellSource::File(path) => load_cell(path, &options),
            CellSource::Robot {
                urdf,
                srdf,
                obstacles,
            } => {
                options.srdf.clone_from(srdf);
                load_robot(urdf, obstacles, &options)
            }
        }
    }
}

/// A run: programs to be verified in a cell. `None` leaves a setting to the cell file, and then to the default.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The cell.
    pub cell: CellJob,
    /// Programs.
    pub programs: Vec<PathBuf>,
    /// Threshold D, metres; by default 0.
    pub clearance: Option<f64>,
    /// Warn distance, metres: pairs that come nearer than it are listed as near misses; by default none.
    pub warn: Option<f64>,
    /// Resolution ε, metres; by default 0.1 mm.
    pub resolution: Option<f64>,
    /// Whether joint limits are checked; by default yes.
    pub limits: Option<bool>,
    /// Every contact interval of every pair rather than the first contact.
    pub all: bool,
    /// Certified least clearance too.
    pub minimum: bool,
    /// Another path law than the one that belongs to the program's fields.
    pub interpolation: Option<Interpolation>,
}

impl Job {
    /// Programs in a cell file, everything else by default.
    pub fn new(cell: impl Into<PathBuf>, programs: Vec<PathBuf>) -> Self {
        Self {
            cell: CellJob::file(cell),
            programs,
            clearance: None,
            warn: None,
            resolution: None,
            limits: None,
            all: false,
            minimum: false,
            interpolation: None,
        }
    }
}

/// Settings as they hold in a run: command line before cell file before default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Threshold D, metres.
    pub clearance: f64,
    /// Warn distance, metres.
    pub warn: Option<f64>,
    /// Resolution ε, metres.
    pub resolution: f64,
    /// Whether joint limits are checked.
    pub limits: bool,
}

impl Settings {
    /// Resolution when nobody says otherwise, metres.
    pub const RESOLUTION_M: f64 = 1e-4;

    /// The settings of a job, or what is wrong with them. Without a cell (it could not be read) the file has no say.
    pub fn of(job: &Job, cell: Option<&Cell>) -> Result<Self, String> {
        let file = cell.map(|c| c.settings).unwrap_or_default();
        let settings = Settings {
            clearance: job.clearance.or(file.clearance).unwrap_or(0.0),
            warn: job.warn.or(file.warn),
            resolution: job
                .resolution
                .or(file.resolution)
                .unwrap_or(Self::RESOLUTION_M),
            limits: job.limits.or(file.limits).unwrap_or(true),
        };
        if !(settings.clearance >= 0.0 && settings.clearance.is_finite()) {
            return Err(format!(
                "the clearance is {} m; it is a length from 0 on",
                settings.clearance
            ));
        }
        if !(settings.resolution > 0.0 && settings.resolution.is_finite()) {
            return Err(format!(
                "the resolution is {} m; it is a length above 0",
                settings.resolution
            ));
        }
        if let Some(warn) = settings.warn
            && !(warn > settings.clearance && warn.is_finite())
        {
            return Err(format!(
                "the warn distance is {warn} m and the clearance {} m; near misses lie between the two, so give a warn \
                 distance above the clearance",
                settings.clearance
            ));
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CheckSettings;

    #[test]
    fn the_command_line_comes_before_the_file_and_the_file_before_the_default() {
        let mut job = Job::new("cell.toml", vec![]);
        let mut cell = Cell::default();
        let default = Settings {
            clearance: 0.0,
            warn: None,
            resolution: 1e-4,
            limits: true,
        };
        assert_eq!(Settings::of(&job, Some(&cell)), Ok(default));
        cell.settings = CheckSettings {
            clearance: Some(0.005),
            warn: Some(0.02),
            resolution: Some(0.001),
            limits: Some(false),
        };
        job.clearance = Some(0.0);
        let expected = Settings {
            clearance: 0.0,
            warn: Some(0.02),
            resolution: 0.001,
            limits: false,
        };
        assert_eq!(Settings::of(&job, Some(&cell)), Ok(expected));
        for (clearance, resolution) in [
            (-1.0, 1.0),
            (f64::NAN, 1.0),
            (0.0, 0.0),
            (0.0, f64::NAN),
            (0.0, f64::INFINITY),
        ] {
            job.clearance = Some(clearance);
            job.resolution = Some(resolution);
            assert!(
                Settings::of(&job, Some(&cell)).is_err(),
                "{clearance} {resolution}"
            );
        }
    }
}
