//! The task of a run: what is verified, and how. It is the command line in plain data.

use std::fmt;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clearance_formats::mesh::KeptMeshes;
use clearance_formats::program::events::sidecar;
use clearance_formats::program::many::{Layout, file_of};
use clearance_formats::units::parse_time;
use clearance_formats::{
    CheckSettings, ImportError, LoadOptions, LoadedCell, load_cell, load_robot,
};
use clearance_methods::{Method, TimeMethod};
use clearance_proof::model::Interpolation;
use clearance_proof::motion::programmed::CellMoves;

use crate::error::Error;
use crate::findings::{Code, Diagnostic, Severity};

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
        /// Its joint limits (`joint_limits.yaml`).
        joint_limits: Option<PathBuf>,
        /// Arguments of xacro for both, names and values.
        xacro_args: Vec<(String, String)>,
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
    /// Nobody named it: it is the cell file of the folder.
    pub by_default: bool,
    /// Scenes of MoveIt beside what the cell has.
    pub scenes: Vec<PathBuf>,
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
            by_default: false,
            scenes: Vec::new(),
            packages: Vec::new(),
            visual_as_collision: false,
            cache: CacheFolder::Default,
            threads: None,
        }
    }

    /// The note for reports where nobody named the cell.
    pub fn default_cell(&self) -> Option<Diagnostic> {
        let message = "no --cell was given: this file of the folder is the cell";
        let note = || Diagnostic::note(Code::DefaultCell, self.source.name(), message);
        self.by_default.then(note)
    }

    /// Reads a cell that does not come from a pack, where large meshes may be kept.
    pub(super) fn load_kept(
        &self,
        kept: Option<Arc<dyn KeptMeshes>>,
    ) -> Result<LoadedCell, ImportError> {
        let mut options = LoadOptions {
            visual_as_collision: self.visual_as_collision,
            srdf: None,
            joint_limits: None,
            xacro_args: Vec::new(),
            scenes: self.scenes.clone(),
            package_roots: self.packages.clone(),
            only_package_roots: false,
            kept,
        };
        match &self.source {
            CellSource::File(path) => load_cell(path, &options),
            CellSource::Robot {
                urdf,
                srdf,
                joint_limits,
                xacro_args,
                obstacles,
            } => {
                options.srdf.clone_from(srdf);
                options.joint_limits.clone_from(joint_limits);
                options.xacro_args.clone_from(xacro_args);
                load_robot(urdf, obstacles, &options)
            }
        }
    }
}

/// One of several programs that run at the same time.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotProgram {
    /// Robot that it moves: its bare joint names are that robot's. `None`: its names say it all.
    pub robot: Option<String>,
    /// File.
    pub file: PathBuf,
    /// Time on the common clock at which the program's own clock is at 0, seconds.
    pub offset_s: f64,
    /// Whether the user says so.
    pub offset_is_stated: bool,
    /// Nobody looks for events beside it: it did not come in a file, and its name is that of no
    /// file, or it stands in a file of many that has none.
    pub without_events: bool,
    /// The bytes of its events, where its files were read already: what is hashed is checked,
    /// whoever writes meanwhile.
    pub events: Option<Arc<EventBytes>>,
    /// Whether the ranges of the joints on straight moves whose tool turns are made as narrow as some
    /// more work makes them: the wider ones left a check undecided.
    pub narrow: bool,
}

/// The bytes of the events of a program, if it has any; an error: nobody can say.
pub type EventBytes = Result<Option<Vec<u8>>, ImportError>;

impl RobotProgram {
    /// A program that runs alone.
    pub fn alone(file: &FilePath) -> Self {
        Self {
            robot: None,
            file: file.to_owned(),
            offset_s: 0.0,
            offset_is_stated: false,
            without_events: false,
            events: None,
            narrow: false,
        }
    }

    /// A program that runs alone, and beside which nobody looks for events.
    pub fn without_events(name: &FilePath) -> Self {
        Self {
            without_events: true,
            ..Self::alone(name)
        }
    }

    /// The same with [`RobotProgram::narrow`].
    pub fn narrowed(&self, narrow: bool) -> Self {
        Self {
            narrow,
            ..self.clone()
        }
    }

    /// Reads `[ROBOT=]FILE[@OFFSET]`. What follows the last `@` is an offset only if it is a time;
    /// behind a `#` only if it has a unit: `run.mcap#/plan@1` is a message's name.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let (robot, rest) = match text.split_once('=') {
            Some((robot, rest)) => (Some(robot.trim().to_owned()), rest),
            None => (None, text),
        };
        let (file, offset) = match rest.rsplit_once('@') {
            Some((file, offset)) => match parse_time(offset) {
                Ok(seconds) if has_unit(offset) || !file.contains('#') => (file, Some(seconds)),
                _ => (rest, None),
            },
            None => (rest, None),
        };
        if file.is_empty() || robot.as_ref().is_some_and(String::is_empty) {
            return Err(Error::usage(
                "write the robot, its program and its start, as in `left=pick.csv` or `left=pick.csv@1.5s`",
            ));
        }
        Ok(Self {
            robot,
            file: PathBuf::from(file),
            offset_s: offset.unwrap_or(0.0),
            offset_is_stated: offset.is_some(),
            without_events: false,
            events: None,
            narrow: false,
        })
    }
}

fn has_unit(time: &str) -> bool {
    time.trim_end().ends_with(char::is_alphabetic)
}

impl fmt::Display for RobotProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(robot) = &self.robot {
            write!(f, "{robot}=")?;
        }
        match self.file.to_str() {
            // Faster: a batch has very many of them.
            Some(text) => f.write_str(text)?,
            None => write!(f, "{}", self.file.display())?,
        }
        if self.offset_s != 0.0 {
            write!(f, "@{}s", self.offset_s)?;
        }
        Ok(())
    }
}

/// A run: programs to be verified in a cell. `None` leaves a setting to the cell file, and then to
/// the default.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The cell.
    pub cell: CellJob,
    /// Programs, each for itself.
    pub programs: Vec<PathBuf>,
    /// Programs that run at the same time: one more question, about all of them together.
    pub together: Vec<RobotProgram>,
    /// Their starts may be delayed against each other by up to this, seconds; infinity: each may be
    /// anywhere on its way while the others move.
    pub any_delay: Option<f64>,
    /// Events file in place of the one beside the program.
    pub events: Option<PathBuf>,
    /// How the columns of files of many programs are to be understood.
    pub layout: Layout,
    /// Threshold D, metres; by default 0.
    pub clearance: Option<f64>,
    /// Warn distance, metres: pairs that come nearer than it are listed as near misses; by default
    /// none.
    pub warn: Option<f64>,
    /// Resolution ε, metres; by default 0.1 mm.
    pub resolution: Option<f64>,
    /// Whether joint limits are checked; by default yes.
    pub limits: Option<bool>,
    /// Every contact interval of every pair rather than the first contact.
    pub all: bool,
    /// Certified least clearance too, over which pairs.
    pub minimum: Option<MinimumScope>,
    /// That of every pair that comes nearer than this too, metres; asks for `minimum` of classes
    /// where nothing else is said.
    pub minimum_pairs: Option<f64>,
    /// Whether the largest multiple of the budget of errors is asked for, too, for which the program
    /// is still clear.
    pub margin: bool,
    /// Whether allowed pairs are audited, too.
    pub audit_allowed: bool,
    /// Another path law than the one that belongs to the program's fields.
    pub interpolation: Option<Interpolation>,
    /// How far the tool may be off an even turn on a straight move, as a share of the angle.
    pub orientation_tube: f64,
    /// Whether rounded corners are left out.
    pub exact_corners: bool,
    /// Method in time and in shape.
    pub method: Method,
    /// The routine of a controller's program that runs, where a file has several.
    pub routine: Option<String>,
    /// How long the check of one program may take; what is open then is undecided.
    pub time_limit: Option<Duration>,
    /// Whether nothing is allowed for that programs show of errors: methods are compared over the
    /// ideal motion.
    pub ideal: bool,
}

/// Over which pairs a least clearance is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MinimumScope {
    /// Over all together, for little more than the price of a check.
    Overall,
    /// Over those of each class, too.
    Classes,
}

impl Job {
    /// Over which pairs least clearances are asked for.
    pub fn minimum_scope(&self) -> Option<MinimumScope> {
        let of_pairs = self.minimum_pairs.map(|_| MinimumScope::Classes);
        self.minimum.or(of_pairs)
    }

    /// Programs in a cell file, everything else by default.
    pub fn new(cell: impl Into<PathBuf>, programs: Vec<PathBuf>) -> Self {
        Self {
            cell: CellJob::file(cell),
            programs,
            together: Vec::new(),
            any_delay: None,
            events: None,
            layout: Layout::default(),
            clearance: None,
            warn: None,
            resolution: None,
            limits: None,
            all: false,
            minimum: None,
            minimum_pairs: None,
            margin: false,
            audit_allowed: false,
            interpolation: None,
            orientation_tube: CellMoves::USUAL_TUBE,
            exact_corners: false,
            method: Method::default(),
            routine: None,
            time_limit: None,
            ideal: false,
        }
    }

    /// The files of all programs and of their events, also of events that are not there (yet).
    pub fn files(&self) -> Vec<PathBuf> {
        let programs: Vec<RobotProgram> = self.checks().into_iter().flatten().collect();
        let files = programs.iter().map(|program| file_of(&program.file));
        let mut files: Vec<PathBuf> = files.collect();
        match &self.events {
            Some(events) => files.push(events.clone()),
            None => files.extend(programs.iter().map(|program| sidecar(&program.file))),
        }
        files
    }

    /// The questions: the programs of each one, in the order of the answers.
    pub fn checks(&self) -> Vec<Vec<RobotProgram>> {
        let alone = self.programs.iter();
        let mut checks: Vec<_> = alone.map(|file| vec![RobotProgram::alone(file)]).collect();
        if !self.together.is_empty() {
            checks.push(self.together.clone());
        }
        checks
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
    /// Method in time and in shape.
    pub method: Method,
    /// How long the check of one program may take.
    pub time_limit: Option<Duration>,
}

impl Settings {
    /// Resolution when nobody says otherwise, metres.
    pub const RESOLUTION_M: f64 = 1e-4;

    /// Says so when joint limits are not checked, and who wants it so.
    pub fn unjudged_limits(&self, job: &Job) -> Option<Diagnostic> {
        let by = match job.limits {
            Some(_) => "--no-limits",
            None => "`limits = false` in the cell file",
        };
        (!self.limits).then(|| Diagnostic {
            code: Code::UnjudgedLimits,
            severity: Severity::Unchecked,
            subject: "joint limits".to_owned(),
            place: None,
            message: by.to_owned(),
        })
    }

    /// The settings of a job, or what is wrong with them. `stated` is what the cell file says;
    /// `None`: it could not be read.
    pub fn of(job: &Job, stated: Option<&CheckSettings>) -> Result<Self, Error> {
        let file = stated.copied().unwrap_or_default();
        let settings = Settings {
            clearance: job.clearance.or(file.clearance).unwrap_or(0.0),
            warn: job.warn.or(file.warn),
            resolution: job
                .resolution
                .or(file.resolution)
                .unwrap_or(Self::RESOLUTION_M),
            limits: job.limits.or(file.limits).unwrap_or(true),
            method: job.method,
            time_limit: job.time_limit,
        };
        let is_default = settings.method.is_default();
        if job.margin && job.any_delay.is_some() {
            return Err(Error::usage(
                "--margin is not known for all delays: leave out --any-delay",
            ));
        }
        // The least clearance is proved by halving over any shape that knows distances.
        let by_halving = settings.method.time == TimeMethod::Bisection;
        let minimum = job.minimum_pairs.is_some() || job.minimum.is_some() && !by_halving;
        if !is_default && (minimum || job.margin || job.any_delay.is_some()) {
            return Err(Error::usage(format!(
                "--minimum-pairs, --margin and --any-delay are answered by bisection over sphere trees only, and --minimum by bisection, not by {}; leave out --method and --shape",
                settings.method
            )));
        }
        if !(settings.clearance >= 0.0 && settings.clearance.is_finite()) {
            return Err(Error::usage(format!(
                "the clearance is {} m; it is a length from 0 on",
                settings.clearance
            )));
        }
        if !(settings.resolution > 0.0 && settings.resolution.is_finite()) {
            return Err(Error::usage(format!(
                "the resolution is {} m; it is a length above 0",
                settings.resolution
            )));
        }
        if let Some(warn) = settings.warn
            && !(warn > settings.clearance && warn.is_finite())
        {
            // Nothing is wrong in the cell file where it does not come from there.
            let whose = match job.warn {
                Some(_) => "the warn distance of --warn",
                None => "the warn distance",
            };
            return Err(Error::usage(format!(
                "{whose} is {warn} m and the clearance {} m; near misses lie between the two, so give a warn \
                 distance above the clearance",
                settings.clearance
            )));
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn programs_on_one_clock_are_written_with_robot_and_offset() {
        for (text, robot, file, offset_s) in [
            ("left=a.csv", Some("left"), "a.csv", 0.0),
            ("left=a.csv@1.5s", Some("left"), "a.csv", 1.5),
            ("left=a.csv@-250ms", Some("left"), "a.csv", -0.25),
            ("a.csv@2", None, "a.csv", 2.0),
            ("a@home.csv", None, "a@home.csv", 0.0),
            // The second message, not the first one a second late.
            ("r.mcap#/plan@1", None, "r.mcap#/plan@1", 0.0),
            ("r.mcap#/plan@1@2s", None, "r.mcap#/plan@1", 2.0),
            ("m.csv#17@0.5s", None, "m.csv#17", 0.5),
        ] {
            let read = RobotProgram::parse(text).unwrap();
            assert_eq!(read.robot.as_deref(), robot, "{text}");
            assert_eq!(
                (read.file, read.offset_s),
                (file.into(), offset_s),
                "{text}"
            );
        }
        for text in ["", "left=", "=a.csv", "left=@2"] {
            assert!(RobotProgram::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_command_line_comes_before_the_file_and_the_file_before_the_default() {
        let mut job = Job::new("cell.toml", vec![]);
        let mut stated = CheckSettings::default();
        let default = Settings {
            clearance: 0.0,
            warn: None,
            resolution: 1e-4,
            limits: true,
            method: Method::default(),
            time_limit: None,
        };
        assert_eq!(Settings::of(&job, Some(&stated)), Ok(default));
        stated = CheckSettings {
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
            method: Method::default(),
            time_limit: None,
        };
        assert_eq!(Settings::of(&job, Some(&stated)), Ok(expected));
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
                Settings::of(&job, Some(&stated)).is_err(),
                "{clearance} {resolution}"
            );
        }
    }
}
