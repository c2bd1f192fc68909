//! `clearance inspect`: what a cell consists of.

use clap::Args;

use super::exit;
use super::options::CellOptions;
use super::output::{Format, print, say_errors, width};
use super::progress::Progress;
use crate::render::{inspection_json, inspection_text, wrap_paragraphs};
use crate::run::inspect;

/// Show what a cell consists of.
#[derive(Debug, Args)]
pub(super) struct Inspect {
    #[command(flatten)]
    cell: CellOptions,
    /// Every pair with its state and reason, not only counts; and which pairs can never meet within the joint limits
    #[arg(long)]
    pairs: bool,
    /// Text for people or JSON for machines
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
}

impl Inspect {
    pub(super) fn run(self) -> Result<u8, String> {
        let progress = Progress::new(0, self.quiet);
        let listed = self.pairs || matches!(self.format, Format::Json);
        let found = inspect(&self.cell.job()?, listed, &progress);
        progress.finish();
        let found = found.map_err(|e| e.to_string())?;
        let wrong = found.impossible.iter();
        say_errors(wrong.map(|wrong| format!("`{}`: {}", wrong.subject, wrong.message)));
        print(&match self.format {
            Format::Text => wrap_paragraphs(&inspection_text(&found, self.pairs), width()),
            Format::Json => inspection_json(&found),
        })?;
        Ok(match found.impossible.is_empty() {
            true => exit::CLEAR,
            false => exit::UNVERIFIED,
        })
    }
}
