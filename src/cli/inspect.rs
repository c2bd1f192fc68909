//! `clearance inspect`: what a cell consists of.

use std::path::PathBuf;

use clap::Args;

use super::exit;
use super::options::CellOptions;
use super::output::Format;
use super::outputs::Outputs;
use super::progress::Progress;
use super::sink::write_file;
use super::terminal::{print, say_errors, width};
use crate::error::Error;
use crate::findings::Inspection;
use crate::render::{Scenery, html_cell, inspection_json, inspection_text, wrap_paragraphs};
use crate::run::{CellPicture, cell_picture, inspect};

/// Show what a cell consists of.
#[derive(Debug, Args)]
pub(super) struct Inspect {
    #[command(flatten)]
    cell: CellOptions,
    /// Every pair with its state and reason, not only counts
    #[arg(long)]
    pairs: bool,
    /// Also prove which pairs can never meet within the joint limits: seconds in cells with many
    /// links
    #[arg(long)]
    unreachable: bool,
    /// Text for people or JSON for machines
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "report")]
    format: Format,
    /// Page to look at in a browser, in place of text (`-`: standard output)
    #[arg(long, value_name = "html[=PATH]", value_parser = page)]
    report: Option<InspectPage>,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
}

/// Where the page goes.
#[derive(Debug, Clone)]
enum InspectPage {
    Stdout,
    File(PathBuf),
}

fn page(text: &str) -> Result<InspectPage, Error> {
    match text.split_once('=') {
        None if text == "html" => Ok(InspectPage::Stdout),
        Some(("html", "-")) => Ok(InspectPage::Stdout),
        Some(("html", file)) if !file.is_empty() => Ok(InspectPage::File(file.into())),
        _ => Err(Error::usage(
            "the report of a cell is `html=FILE`; `--format` chooses text or JSON",
        )),
    }
}

impl Inspect {
    pub(super) fn run(self) -> Result<u8, Error> {
        if let Some(page) = self.report.clone() {
            return self.write_page(&page);
        }
        let progress = Progress::new(0, self.quiet);
        let found = inspect(&self.cell.job()?, self.unreachable, &progress);
        progress.finish();
        let found = found?;
        print(&match self.format {
            Format::Text => wrap_paragraphs(&inspection_text(&found, self.pairs), width()),
            Format::Json => inspection_json(&found),
        })?;
        Ok(judged(&found))
    }

    /// Writes the page of a cell.
    fn write_page(self, page: &InspectPage) -> Result<u8, Error> {
        let job = self.cell.job()?;
        if let InspectPage::File(file) = page {
            Outputs::of([file.as_path()])?.refuse_cell_files(&job)?;
        }
        let progress = Progress::new(0, self.quiet);
        let picture = cell_picture(&job, self.unreachable, &progress);
        progress.finish();
        let CellPicture {
            outcome,
            inspection,
            cell,
            poses,
        } = picture?;
        let text = html_cell(&outcome, &inspection, &Scenery::new(&cell), &poses);
        match page {
            InspectPage::Stdout => print(&text).map(|_| ())?,
            InspectPage::File(file) => write_file(file, &text)?,
        }
        Ok(judged(&inspection))
    }
}

/// Says what keeps programs from being verified; the exit code.
fn judged(found: &Inspection) -> u8 {
    let wrong = found.impossible.iter();
    say_errors(wrong.map(|wrong| format!("`{}`: {}", wrong.subject, wrong.message)));
    if found.impossible.is_empty() {
        exit::CLEAR
    } else {
        exit::UNVERIFIED
    }
}
