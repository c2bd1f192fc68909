//! Options that several commands share.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use clearance_formats::program::events::{has_own, unread, unread_in};
use clearance_formats::program::many::{self, Layout};
use clearance_formats::units::is_length_unit;
use clearance_methods::Method;
use clearance_proof::model::Interpolation;
use clearance_proof::motion::programmed::CellMoves;

use super::fail_on::fail_on;
use super::method::MethodOptions;
use super::output::{Color, Report, Reports};
use super::terminal::say;
use super::values::{length, pair_distance, resolution, time_limit, warn_distance, xacro_arg};
use crate::batch::{is_pattern, matching, refuse_alike};
use crate::error::Error;
use crate::findings::FailOn;
use crate::run::{CacheFolder, CellJob, CellSource, Job, MinimumScope};

/// Which cell, and how it is read.
#[derive(Debug, Args)]
pub(super) struct CellOptions {
    /// Cell file [default: cell.toml of this folder, unless --robot is given]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["robot", "obstacle", "srdf", "joint_limits", "xacro_arg"])]
    cell: Option<PathBuf>,
    /// Robot (URDF or xacro), in place of a cell file
    #[arg(long, value_name = "URDF")]
    robot: Option<PathBuf>,
    /// Obstacle beside the robot: a mesh in metres, in world coordinates; repeatable
    #[arg(long, value_name = "MESH", requires = "robot")]
    obstacle: Vec<PathBuf>,
    /// SRDF of the robot: its disabled pairs are allowed contacts
    #[arg(long, value_name = "FILE", requires = "robot")]
    srdf: Option<PathBuf>,
    /// Joint limits of the robot beside those of the URDF (MoveIt's joint_limits.yaml): the tighter
    /// ones count
    #[arg(long, value_name = "FILE", requires = "robot")]
    joint_limits: Option<PathBuf>,
    /// Argument of xacro for the robot and its SRDF; repeatable
    #[arg(long, value_name = "NAME=VALUE", requires = "robot", value_parser = xacro_arg)]
    xacro_arg: Vec<(String, String)>,
    /// Scene of MoveIt beside what the cell has: a `.scene` file, or a PlanningScene message as
    /// YAML or JSON; repeatable
    #[arg(long, value_name = "FILE")]
    scene: Vec<PathBuf>,
    /// Folder of a package:// name, which counts before [packages] of the cell file; repeatable
    #[arg(long, value_name = "NAME=DIR", value_parser = package)]
    package: Vec<(String, PathBuf)>,
    /// Check links without collision geometry by their visual geometry
    #[arg(long)]
    visual_as_collision: bool,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    cache: CacheOptions,
}

/// The question about every program.
#[derive(Debug, Args)]
pub(super) struct ProgramOptions {
    /// Threshold D: closer than this, or as close, is contact (`5mm`, `0.2in`; a bare number is
    /// metres) [default: 0]
    #[arg(long, value_name = "LEN", value_parser = length, allow_hyphen_values = true)]
    clearance: Option<f64>,
    /// Warn distance, above the threshold: pairs that come nearer than it are listed as near misses
    /// [default: none]
    #[arg(long, value_name = "LEN", value_parser = warn_distance, allow_hyphen_values = true)]
    warn: Option<f64>,
    /// Refinement stops at this length; what is still open then is undecided, never clear [default:
    /// 0.1mm]
    #[arg(long, value_name = "LEN", value_parser = resolution, allow_hyphen_values = true)]
    resolution: Option<f64>,
    /// Every contact interval of every pair, not only the first contact
    #[arg(long)]
    all: bool,
    /// Certified least clearance over the whole program, overall and of each class of pairs. With
    /// `overall` that of all pairs alone, which takes little longer than a check
    #[arg(long, value_name = "PAIRS", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "classes")]
    minimum: Option<MinimumChoice>,
    /// The same, and that of every pair that comes nearer than LEN; all others are proved farther
    /// apart [default of LEN: 50mm]
    #[arg(long, value_name = "LEN", value_parser = pair_distance, num_args = 0..=1, require_equals = true, default_missing_value = "50mm")]
    minimum_pairs: Option<f64>,
    /// The largest multiple of [uncertainty] in the cell file for which the program is still clear,
    /// overall and by class of pairs. Without [uncertainty] it is asked about 1 mm and 0.1° for
    /// every base, tool and obstacle, 0.05° for every turning and 0.5 mm for every sliding joint
    #[arg(long)]
    margin: bool,
    /// Path law between waypoints [default: the one that belongs to the program's fields]
    #[arg(long, value_enum, value_name = "LAW")]
    interpolation: Option<InterpolationChoice>,
    /// The routine that runs, of controllers' programs that have several
    #[arg(long, value_name = "NAME")]
    routine: Option<String>,
    /// How far the tool's orientation may be off an even turn on a straight move: a share (0 to
    /// 0.5) of the angle that it turns, or `any` for half of it [default: 0.1, and more from 80° on]
    #[arg(long, value_name = "SHARE", value_parser = tube)]
    orientation_tube: Option<f64>,
    /// Corners that the controller may round: the whole hull is proved, or they are left out
    #[arg(long, value_enum, value_name = "HOW", default_value_t = CornerChoice::Hull)]
    corners: CornerChoice,
    #[command(flatten)]
    tables: TableOptions,
    #[command(flatten)]
    method: MethodOptions,
    /// Do not check joint limits
    #[arg(long)]
    no_limits: bool,
    /// How long the check of one program may take (`10s`, `500ms`); what is open then is undecided,
    /// never clear [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = time_limit, allow_hyphen_values = true)]
    time_limit: Option<f64>,
}

/// The columns of tables with many programs.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct TableOptions {
    /// Tables of many programs (Parquet, CSV): the column that tells them apart [default: program,
    /// program_id or episode_index]
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,
    /// Tables of many programs: the column of times [default: time or timestamp]
    #[arg(long, value_name = "NAME")]
    time_column: Option<String>,
    /// Tables of many programs: the column of lists with a number for each joint, such as
    /// `observation.state`
    #[arg(long, value_name = "NAME")]
    list_column: Option<String>,
    /// The columns that are joints, or the joints of the list's entries (`-`: no joint), with
    /// units: `a[deg],b[deg],-` [default: columns with the name of a joint; names in LeRobot's
    /// meta/info.json]
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    joint_columns: Option<Vec<String>>,
}

impl TableOptions {
    pub(super) fn layout(&self) -> Layout {
        Layout {
            id: self.id_column.clone(),
            time: self.time_column.clone(),
            list: self.list_column.clone(),
            joints: self.joint_columns.clone(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CornerChoice {
    /// Everything between the programmed corner and where its zone begins and ends
    Hull,
    /// Only the way through the taught points
    Exact,
}

fn tube(text: &str) -> Result<f64, Error> {
    match (text, text.parse::<f64>()) {
        ("any", _) => Ok(0.5),
        (_, Ok(share)) if (0.0..=0.5).contains(&share) => Ok(share),
        _ => Err(Error::usage("give a share from 0 to 0.5, or `any`")),
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MinimumChoice {
    /// Of all pairs, and of each class of pairs
    Classes,
    /// Of all pairs alone
    Overall,
}

impl MinimumChoice {
    fn scope(self) -> MinimumScope {
        match self {
            Self::Classes => MinimumScope::Classes,
            Self::Overall => MinimumScope::Overall,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum InterpolationChoice {
    /// Straight in joint space
    Linear,
    /// Through positions and velocities
    Cubic,
    /// Through positions, velocities and accelerations
    Quintic,
}

impl ProgramOptions {
    /// How columns of tables are to be understood.
    pub(super) fn layout(&self) -> Layout {
        self.tables.layout()
    }

    /// The question, and why it cannot be asked by this method: reports shall say so.
    pub(super) fn job(self, cell: CellJob, programs: Vec<PathBuf>) -> (Job, Option<Error>) {
        let (method, unknown) = match self.method.method() {
            Ok(method) => (method, None),
            Err(why) => (Method::default(), Some(why)),
        };
        let job = Job {
            ideal: false,
            cell,
            programs,
            together: Vec::new(),
            any_delay: None,
            events: None,
            layout: self.tables.layout(),
            clearance: self.clearance,
            warn: self.warn,
            resolution: self.resolution,
            limits: self.no_limits.then_some(false),
            all: self.all,
            minimum: self.minimum.map(MinimumChoice::scope),
            minimum_pairs: self.minimum_pairs,
            margin: self.margin,
            audit_allowed: false,
            interpolation: self.interpolation.map(|interpolation| match interpolation {
                InterpolationChoice::Linear => Interpolation::Linear,
                InterpolationChoice::Cubic => Interpolation::Cubic,
                InterpolationChoice::Quintic => Interpolation::Quintic,
            }),
            routine: self.routine,
            orientation_tube: self.orientation_tube.unwrap_or(CellMoves::USUAL_TUBE),
            exact_corners: self.corners == CornerChoice::Exact,
            method,
            time_limit: self
                .time_limit
                // More than a clock can tell is not a limit.
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        };
        (job, unknown)
    }
}

/// The reports, and the findings that make a run fail.
#[derive(Debug, Args)]
pub(super) struct ReportOptions {
    /// Report to write: text, json, html, junit, sarif, github, markdown or parquet, behind `=` its
    /// file (`-`: standard output); repeatable [default: text]
    #[arg(long, value_name = "FORMAT[=PATH]", value_parser = Report::parse)]
    report: Vec<Report>,
    /// Findings that make the run fail: collision, near-miss and suspicious (which include collision),
    /// limit; with commas between them. What is unverified always fails, with 2 [default:
    /// collision,limit]
    #[arg(long, value_name = "LIST", value_parser = fail_on)]
    fail_on: Option<FailOn>,
    /// Colours in text reports
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    color: Color,
}

impl ReportOptions {
    /// Whether the run is to fail by near misses.
    pub(super) fn counts_near_misses(&self) -> bool {
        self.fail_on
            .as_ref()
            .is_some_and(|fail_on| fail_on.near_miss)
    }

    /// The reports, and what makes the run fail.
    pub(super) fn read(self, quiet: bool) -> Result<Reports, Error> {
        let fail_on = self.fail_on.unwrap_or_default();
        Reports::new(self.report, self.color, fail_on, quiet)
    }
}

/// Where sphere trees are kept.
#[derive(Debug, Args)]
pub(super) struct CacheOptions {
    /// Folder of the sphere-tree cache [default: user cache folder]
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
    /// Neither read nor write sphere trees on disk
    #[arg(long, conflicts_with = "cache_dir")]
    no_cache: bool,
}

impl CacheOptions {
    pub(super) fn folder(self) -> CacheFolder {
        match self.cache_dir {
            _ if self.no_cache => CacheFolder::Off,
            Some(folder) => CacheFolder::At(folder),
            None => CacheFolder::Default,
        }
    }
}

impl CellOptions {
    /// The same for commands whose report has no place for it: standard error says where the cell
    /// file of the folder is meant.
    pub(super) fn said_job(self, quiet: bool) -> Result<CellJob, Error> {
        let job = self.job()?;
        if let Some(note) = job.default_cell().filter(|_| !quiet) {
            say(&format!("{}: {}", note.subject, note.message));
        }
        Ok(job)
    }

    /// The file that is meant to be the cell, whether it can be one or not.
    pub(super) fn meant(&self) -> CellJob {
        let named = self.cell.as_deref().or(self.robot.as_deref());
        CellJob::file(named.unwrap_or(Path::new(DEFAULT_CELL)))
    }

    /// Whether a cell or a robot is named, or the cell file of the folder is meant.
    pub(super) fn is_there(&self) -> bool {
        self.cell.is_some() || self.robot.is_some() || Path::new(DEFAULT_CELL).is_file()
    }

    /// The cell that is meant. `./cell.toml` is meant where neither a cell nor a robot is named:
    /// who reports says so.
    pub(super) fn job(self) -> Result<CellJob, Error> {
        let mut by_default = false;
        let source = match (self.cell, self.robot) {
            (Some(cell), _) => {
                is_cell(&cell)?;
                CellSource::File(cell)
            }
            (None, Some(urdf)) => {
                is_robot(&urdf)?;
                CellSource::Robot {
                    urdf,
                    srdf: self.srdf,
                    xacro_args: self.xacro_arg,
                    joint_limits: self.joint_limits,
                    obstacles: self.obstacle,
                }
            }
            (None, None) if Path::new(DEFAULT_CELL).is_file() => {
                by_default = true;
                CellSource::File(DEFAULT_CELL.into())
            }
            (None, None) => {
                return Err(Error::usage(format!(
                    "no cell given, and no {DEFAULT_CELL} in this folder: name its file, as in `--cell cell.toml`, or a robot, as in `--robot robot.urdf`"
                )));
            }
        };
        for (k, (name, folder)) in self.package.iter().enumerate() {
            let before = self.package[..k]
                .iter()
                .find(|(n, f)| n == name && f != folder);
            if let Some((_, other)) = before {
                return Err(Error::usage(format!(
                    "--package states two folders for `{name}`: {} and {}; keep one",
                    other.display(),
                    folder.display()
                )));
            }
        }
        Ok(CellJob {
            source,
            by_default,
            scenes: self.scene,
            packages: self.package,
            visual_as_collision: self.visual_as_collision,
            cache: self.cache.folder(),
            threads: self.threads.map(usize::from),
        })
    }
}

/// The cell file that is meant where none is named.
const DEFAULT_CELL: &str = "cell.toml";

/// Refuses what cannot be a cell file and says what was meant.
fn is_cell(path: &Path) -> Result<(), Error> {
    let shown = path.display();
    match extension(path).as_str() {
        "urdf" | "xml" | "xacro" => Err(Error::usage(format!(
            "{shown} is not a cell file; a robot alone is named by `--robot {shown}`"
        ))),
        _ => Ok(()),
    }
}

/// Refuses what cannot be a URDF and says what was meant.
fn is_robot(path: &Path) -> Result<(), Error> {
    let shown = path.display();
    match extension(path).as_str() {
        "toml" => Err(Error::usage(format!(
            "{shown} is not a URDF; a cell file is named by `--cell {shown}`"
        ))),
        _ => Ok(()),
    }
}

pub(super) fn extension(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// Programs that are named by a pattern which the shell left alone, as `batch` takes them:
/// `'programs/*.csv'`; and of files of many all that are in them.
///
/// # Errors
/// When a pattern is none, or leads to what cannot be read or told apart: nobody knows what it
/// matches.
pub(super) fn expand(programs: Vec<PathBuf>, layout: &Layout) -> Result<Vec<PathBuf>, Error> {
    let mut all = Vec::with_capacity(programs.len());
    for program in programs {
        let text = program.to_string_lossy();
        let found = is_pattern(&program).then(|| matching(&text, layout));
        let found = found.transpose()?;
        match found {
            Some(found) if !found.is_empty() => all.extend(found),
            // Its reader says that there is no such file, or what is wrong with it.
            _ => match many::names(&program, layout) {
                Ok(Some(names)) => all.extend(names),
                _ => all.push(program),
            },
        }
    }
    refuse_alike(&all)?;
    Ok(all)
}

/// Refuses programs that are a slip on the command line: the unit of a length behind a space, or
/// the cell file.
pub(super) fn are_programs(programs: &[PathBuf]) -> Result<(), Error> {
    for program in programs.iter().filter(|p| !p.exists()) {
        let unit = program.to_string_lossy();
        if is_length_unit(&unit) {
            return Err(Error::usage(format!(
                "`{unit}` stands alone: write a length and its unit without a space, as in `--clearance 5{unit}`"
            )));
        }
        let (is_scope, is_length) = (unit == "overall", pair_distance(&unit).is_ok());
        if is_scope || is_length {
            let (what, option) = if is_scope {
                ("word of an option", "minimum")
            } else {
                ("length", "minimum-pairs")
            };
            return Err(Error::usage(format!(
                "`{unit}` is a {what} and not a program: write it with its option, as in `--{option}={unit}`"
            )));
        }
        if unit == "-" {
            return Err(Error::usage(
                "`-` is not a program: `clearance batch -` reads names of programs from standard input, `clearance serve --stdin` programs",
            ));
        }
    }
    // What is wrong with events is told where they are read.
    let is_cell = |p: &&PathBuf| extension(p) == "toml" && unread(p).is_none();
    match programs.iter().find(is_cell) {
        Some(cell) => Err(Error::usage(format!(
            "{0} is not a program; a cell file is named by `--cell {0}`",
            cell.display()
        ))),
        None => Ok(()),
    }
}

/// Refuses programs without events beside which there are events of no program: they may be meant.
pub(super) fn have_their_events<'p>(programs: impl Iterator<Item = &'p Path>) -> Result<(), Error> {
    let without = programs.filter(|program| !has_own(program));
    let folders: BTreeSet<PathBuf> = without
        .map(many::file_of)
        .filter(|file| file.exists())
        .filter_map(|file| file.parent().map(Path::to_owned))
        .collect();
    let mut left = folders.iter().flat_map(|folder| unread_in(folder));
    match left.find_map(|file| unread(&file)) {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}

pub(super) fn package(text: &str) -> Result<(String, PathBuf), Error> {
    match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() && !folder.is_empty() => {
            Ok((name.to_owned(), PathBuf::from(folder)))
        }
        _ => Err(Error::usage(
            "write the package's name and its folder, as in `ur_description=../ur_description`",
        )),
    }
}
