//! `clearance convert`: a program as a program of moves.

use std::path::PathBuf;

use clap::Args;
use clearance_formats::program::events::sidecar;

use super::exit;
use super::options::{CellOptions, TableOptions};
use super::terminal::{print, say};
use crate::error::Error;
use crate::run::{Job, convert, convert_controller_program, needs_cell};

/// Print a program as a program of moves (`*.motion.json`).
#[derive(Debug, Args)]
pub(super) struct Convert {
    #[command(flatten)]
    cell: CellOptions,
    /// Program: a table, a trajectory message, a program of moves, or one in a controller's
    /// language or in a file of many (these two need the cell)
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// The routine that runs, where a controller's program has several
    #[arg(long, value_name = "NAME")]
    routine: Option<String>,
    /// Which way through a controller's program, where there are several, counted from 1
    #[arg(long, value_name = "NUMBER")]
    way: Option<usize>,
    #[command(flatten)]
    tables: TableOptions,
}

impl Convert {
    pub(super) fn run(self) -> Result<u8, Error> {
        let events = sidecar(&self.program);
        if events.symlink_metadata().is_ok() {
            say(&format!(
                "note: a program of moves has neither times nor events in it: write those of {} anew for it, as \
                 `pick.motion.events.toml` beside `pick.motion.json`, with waypoints in place of times (`waypoint` for `at`, \
                 `until_waypoint` for `until`; `duration` counts waypoints). Without them the answer is about a cell in which \
                 nothing happens",
                events.display()
            ));
        }
        let mut job = Job::new(PathBuf::new(), vec![self.program]);
        job.routine = self.routine;
        job.layout = self.tables.layout();
        let converted = if needs_cell(&job)? {
            // The file that is printed may be checked with any.
            job.orientation_tube = 0.0;
            job.cell = self.cell.said_job(false)?;
            convert_controller_program(&job, self.way).inspect_err(list_ways)?
        } else {
            if let Some(way) = self.way {
                return Err(Error::usage(format!(
                    "--way {way}: only programs of controllers have several ways, and {} is none; leave it out",
                    job.programs[0].display()
                )));
            }
            // Without one a table is converted as well, if its columns say what they are.
            let cell = self.cell.is_there().then(|| self.cell.said_job(false));
            let cell = cell.transpose()?;
            convert(&job, cell.as_ref())?
        };
        for said in &converted.said {
            say(&format!("note: {said}"));
        }
        print(&converted.text)?;
        Ok(exit::CLEAR)
    }
}

/// Each way that may be chosen has a line, with its number.
fn list_ways(error: &Error) {
    if let Error::SeveralWays { ways, .. } = error {
        for (k, way) in ways.iter().enumerate() {
            say(&format!("  {} where {way}", k + 1));
        }
    }
}
