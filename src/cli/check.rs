//! `clearance check`: the main job.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::exit;
use super::options::{CellOptions, ReportOptions, are_programs, length, positive_length};
use super::progress::Progress;
use super::watch::watch;
use crate::model::Interpolation;
use crate::verify::{Job, run};

/// Verify programs in a cell.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(super) struct Check {
    /// Programs: CSV, or ROS trajectories as JSON or YAML
    #[arg(value_name = "PROGRAM")]
    programs: Vec<PathBuf>,
    #[command(flatten)]
    cell: CellOptions,
    /// Threshold D: closer than this, or as close, is contact (`5mm`, `0.2in`; a bare number is metres) [default: 0]
    #[arg(long, value_name = "LEN", value_parser = length, allow_hyphen_values = true)]
    clearance: Option<f64>,
    /// Warn distance, above the threshold: pairs that come nearer than it are listed as near misses [default: none]
    #[arg(long, value_name = "LEN", value_parser = positive_length, allow_hyphen_values = true)]
    warn: Option<f64>,
    /// Refinement stops at this length; what is still open then is undecided, never clear [default: 0.1mm]
    #[arg(long, value_name = "LEN", value_parser = positive_length, allow_hyphen_values = true)]
    resolution: Option<f64>,
    /// Every contact interval of every pair, not only the first contact
    #[arg(long)]
    all: bool,
    /// Certified least clearance over the whole program, overall and per pair
    #[arg(long)]
    minimum: bool,
    /// Path law between waypoints [default: the one that belongs to the program's fields]
    #[arg(long, value_enum, value_name = "LAW")]
    interpolation: Option<Law>,
    /// How time is handled
    #[arg(long, value_enum, default_value_t = Method::Bisection)]
    method: Method,
    /// How shape is handled
    #[arg(long, value_enum, default_value_t = Shape::SphereTree)]
    shape: Shape,
    /// Do not check joint limits
    #[arg(long)]
    no_limits: bool,
    #[command(flatten)]
    report: ReportOptions,
    /// Check again whenever an input file changes; Ctrl-C ends
    #[arg(long)]
    watch: bool,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Law {
    /// Straight in joint space
    Linear,
    /// Through positions and velocities
    Cubic,
    /// Through positions, velocities and accelerations
    Quintic,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Method {
    /// Halve time until every pair is proved apart or found in contact
    Bisection,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shape {
    /// Compact sphere trees over exact triangles
    SphereTree,
}

impl Check {
    pub(super) fn run(self) -> Result<u8, String> {
        are_programs(&self.programs)?;
        if self.programs.is_empty() {
            return Err("no program given: name at least one, as in `clearance check --cell cell.toml pick.csv`".to_owned());
        }
        let (reports, fail_on) = self.report.read()?;
        // One value each today; naming them keeps scripts valid when there are more.
        let (Method::Bisection, Shape::SphereTree) = (self.method, self.shape);
        let job = Job {
            cell: self.cell.job()?,
            programs: self.programs,
            clearance: self.clearance,
            warn: self.warn,
            resolution: self.resolution,
            limits: self.no_limits.then_some(false),
            all: self.all,
            minimum: self.minimum,
            interpolation: self.interpolation.map(|law| match law {
                Law::Linear => Interpolation::Linear,
                Law::Cubic => Interpolation::Cubic,
                Law::Quintic => Interpolation::Quintic,
            }),
        };
        if self.watch {
            return watch(&job, &reports, &fail_on, self.quiet);
        }
        let progress = Progress::new(job.programs.len(), self.quiet);
        let outcome = run(&job, &progress);
        progress.finish();
        reports.write(&outcome)?;
        if fail_on.near_miss && outcome.warn_pairs == 0 && outcome.error.is_none() {
            return Err("`--fail-on near-miss` asks for near misses, but no pair has a warn distance: give one with `--warn LEN`, or `warn` under [check] in the cell file".to_owned());
        }
        Ok(exit::code(&outcome, &fail_on))
    }
}
