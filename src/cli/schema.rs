//! `clearance schema`: the schemas of the JSON reports.

use clap::{Args, ValueEnum};

use super::exit;
use super::terminal::print;
use crate::error::Error;
use crate::render::{comparison_schema, inspection_schema, report_schema, trees_schema};

/// Print the JSON schema of a report.
#[derive(Debug, Args)]
pub(super) struct Schema {
    /// Which one
    #[arg(value_enum, default_value_t = Which::Report)]
    which: Which,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Which {
    /// `check --report json`
    Report,
    /// `inspect --format json`
    Inspection,
    /// `compare --format json`
    Comparison,
    /// `tree --json`
    Tree,
    /// A program of moves, `*.motion.json`
    Motion,
}

impl Schema {
    pub(super) fn run(self) -> Result<u8, Error> {
        print(&match self.which {
            Which::Report => report_schema(),
            Which::Inspection => inspection_schema(),
            Which::Comparison => comparison_schema(),
            Which::Tree => trees_schema(),
            Which::Motion => clearance_formats::program::motion::schema(),
        })?;
        Ok(exit::CLEAR)
    }
}
