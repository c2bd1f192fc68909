//! `clearance compare`: the same question by every method and shape.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clearance_formats::program::many::Layout;
use clearance_methods::sampling::SamplingStep;

use super::exit;
use super::method::{RankOptions, step};
use super::options::{CellOptions, are_programs, expand, have_their_events};
use super::output::Format;
use super::progress::Progress;
use super::terminal::{print, say_errors, width};
use super::values::{length, positive_length, resolution, time_limit};
use crate::error::Error;
use crate::findings::Verdict;
use crate::render::{comparison_json, comparison_text, wrap_paragraphs};
use crate::run::{CompareOptions, Job, RobotProgram, compare, prepare};

/// Answer programs by every method and shape, side by side.
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// Programs: CSV, ROS trajectories as JSON or YAML, programs of controllers
    #[arg(value_name = "PROGRAM", required_unless_present = "together")]
    programs: Vec<PathBuf>,
    /// Program of one robot; repeatable: all of them run at the same time, as in `check`
    #[arg(long = "program", value_name = "[ROBOT=]FILE[@OFFSET]", value_parser = RobotProgram::parse, conflicts_with = "programs")]
    together: Vec<RobotProgram>,
    #[command(flatten)]
    cell: CellOptions,
    /// Threshold D: closer than this, or as close, is contact [default: 0]
    #[arg(long, value_name = "LEN", value_parser = length, allow_hyphen_values = true)]
    clearance: Option<f64>,
    /// Refinement stops at this length [default: 0.1mm]
    #[arg(long, value_name = "LEN", value_parser = resolution, allow_hyphen_values = true)]
    resolution: Option<f64>,
    /// From one instant to the next, for methods that look at instants: `10ms`, `1deg`, `5mm`
    /// [default: 5mm]
    #[arg(long, value_name = "STEP", value_parser = step)]
    step: Option<SamplingStep>,
    /// Radius of the smallest parts of ranked covers, greedy trees and octrees [default: as in
    /// `check`]
    #[arg(long, value_name = "LEN", value_parser = positive_length)]
    leaf_radius: Option<f64>,
    #[command(flatten)]
    ranks: RankOptions,
    /// How long each method may take, the default one excepted
    #[arg(long, value_name = "TIME", value_parser = time_limit, default_value = "20s")]
    time_limit: f64,
    /// Text for people or JSON for machines
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
}

impl Compare {
    pub(super) fn run(mut self) -> Result<u8, Error> {
        self.programs = expand(self.programs, &Layout::default())?;
        are_programs(&self.programs)?;
        have_their_events(self.programs.iter().map(PathBuf::as_path))?;
        let progress = Progress::new(self.programs.len(), self.quiet);
        let job = Job {
            cell: self.cell.said_job(self.quiet)?,
            clearance: self.clearance,
            resolution: self.resolution,
            together: self.together,
            ..Job::new("", self.programs)
        };
        let prepared = prepare(&job.cell, &progress).map_err(Error::from);
        let time_limit = Duration::try_from_secs_f64(self.time_limit)
            .map_err(|e| Error::usage(format!("the time limit is not a length of time: {e}")))?;
        let found = prepared.and_then(|p| {
            let options = CompareOptions {
                step: self.step.unwrap_or_default(),
                leaf_radius: self.leaf_radius,
                ranks: self.ranks.ranks(),
                time_limit,
            };
            compare(&job, &p, &options, &progress)
        });
        progress.finish();
        let found = found?;
        // Where the default method has no answer, the input is at fault.
        let default = found.programs.iter().filter_map(|p| p.methods.first());
        say_errors(
            default
                .filter(|w| !w.refused)
                .filter_map(|w| w.error.clone()),
        );
        print(&match self.format {
            Format::Text => wrap_paragraphs(&comparison_text(&found), width()),
            Format::Json => comparison_json(&found),
        })?;
        // The default method is the one that counts, and no other one may contradict it.
        let methods = found.programs.iter().filter_map(|p| p.methods.first());
        let worst = methods.map(|w| w.verdict).max();
        let contradicted = found.programs.iter().any(|p| !p.contradictions.is_empty());
        Ok(match worst {
            _ if contradicted => exit::FOUND,
            Some(Verdict::Clear) => exit::CLEAR,
            Some(Verdict::Collision | Verdict::Possible | Verdict::Undecided) => exit::FOUND,
            Some(Verdict::Unverified) | None => exit::UNVERIFIED,
        })
    }
}
