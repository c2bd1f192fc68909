//! `clearance check`: the main job.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::options::{CellOptions, length, positive_length};
use super::output::{Format, Report};
use super::progress::Progress;
use super::{exit, output};
use crate::model::Interpolation;
use crate::report::{Style, json, text};
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
    /// Report to write: text or json, behind `=` its file (`-`: standard output); repeatable [default: text]
    #[arg(long, value_name = "FORMAT[=PATH]", value_parser = Report::parse)]
    report: Vec<Report>,
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
        if self.programs.is_empty() {
            return Err("no program given: name at least one, as in `clearance check --cell cell.toml pick.csv`".to_owned());
        }
        let reports = match self.report.is_empty() {
            true => vec![Report::TEXT],
            false => self.report,
        };
        if reports.iter().filter(|r| r.to_stdout()).count() > 1 {
            return Err("two reports go to standard output: give one of them a file, as in `--report json=out.json`".to_owned());
        }
        // One value each today; naming them keeps scripts valid when there are more.
        let (Method::Bisection, Shape::SphereTree) = (self.method, self.shape);
        let job = Job {
            cell: self.cell.job()?,
            programs: self.programs,
            clearance: self.clearance,
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
        let progress = Progress::new(job.programs.len(), self.quiet);
        let outcome = run(&job, &progress);
        progress.finish();
        for report in &reports {
            let style = Style {
                color: report.to_stdout() && output::color(),
            };
            report.write(&match report.format {
                Format::Text => text(&outcome, &style),
                Format::Json => json(&outcome),
            })?;
        }
        Ok(exit::code(&outcome))
    }
}
