//! `clearance pack`: a cell in one file.

use std::path::{Path, PathBuf};

use clap::Args;
use clearance_formats::ImportError;
use tempfile::NamedTempFile;

use super::atomic_file::AtomicFile;
use super::exit;
use super::options::CellOptions;
use super::outputs::Outputs;
use super::progress::Progress;
use super::sink::{can_be_made, unwritable};
use super::terminal::print;
use crate::batch::cell_hash;
use crate::error::Error;
use crate::run::{CacheFolder, CellJob, CellSource, Job, NoProgress, Verifier, pack, prepare};

/// Write a cell with all its files and sphere trees into one file.
#[derive(Debug, Args)]
// A pack is one of a cell file, and holds what that file names.
#[command(
    mut_arg("robot", |arg| arg.hide(true)),
    mut_arg("obstacle", |arg| arg.hide(true)),
    mut_arg("srdf", |arg| arg.hide(true)),
    mut_arg("joint_limits", |arg| arg.hide(true)),
    mut_arg("xacro_arg", |arg| arg.hide(true)),
    mut_arg("scene", |arg| arg.hide(true)),
    mut_arg("cell", |arg| arg.help("Cell file [default: cell.toml of this folder]")),
    after_help = "The file is a cell for every command: `--cell cell.pack`. Exit codes: 0 it is written, 2 it is not."
)]
pub(super) struct Pack {
    #[command(flatten)]
    cell: CellOptions,
    /// The file to write
    #[arg(long, short, value_name = "FILE", default_value = "cell.pack")]
    output: PathBuf,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
}

impl Pack {
    pub(super) fn run(self) -> Result<u8, Error> {
        let job = self.cell.said_job(self.quiet)?;
        Outputs::of([self.output.as_path()])?.refuse_cell_files(&job)?;
        // Fail before the work rather than after it.
        can_be_made(&self.output)?;
        // It is read back before it is handed over, which a pipe would not allow.
        let mut file = NamedTempFile::new().map_err(Error::no_temporary)?;
        let progress = Progress::new(0, self.quiet);
        let packed = pack(&job, file.as_file_mut(), &progress);
        progress.finish();
        let packed = packed?;
        same_cell(&job, file.path(), &self.output)?;
        let bytes = file.as_file().metadata().map_or(0, |about| about.len());
        let put = || {
            let mut output = AtomicFile::begin(&self.output)?;
            output.copy(&mut file.reopen()?)?;
            output.finish()
        };
        put().map_err(|e: std::io::Error| unwritable(&self.output, &e))?;
        print(&format!(
            "{} is written: {} files and {} sphere trees, {:.1} MB\n",
            self.output.display(),
            packed.files,
            packed.trees,
            bytes as f64 / 1e6
        ))?;
        Ok(exit::CLEAR)
    }
}

/// Reads the pack, which shall be called `output`, as a worker would, and holds it to the cell that
/// it was made from.
fn same_cell(job: &CellJob, file: &Path, output: &Path) -> Result<(), Error> {
    // Nobody knows the name that the file has so far.
    let named = |mut error: ImportError| {
        let unnamed = file.display().to_string();
        error.place.file = if error.place.file == unnamed {
            job.source.name()
        } else {
            error
                .place
                .file
                .replace(&unnamed, &output.display().to_string())
        };
        error
    };
    let hash = |cell: CellJob| -> Result<String, Error> {
        let job = Job {
            cell,
            ..Job::new("", Vec::new())
        };
        let prepared = prepare(&job.cell, &NoProgress).map_err(named)?;
        Ok(cell_hash(&Verifier::new(&job, &prepared)?))
    };
    let packed = CellJob {
        source: CellSource::File(file.to_owned()),
        packages: Vec::new(),
        // The pack has to say it by itself.
        visual_as_collision: false,
        cache: CacheFolder::Off,
        ..job.clone()
    };
    // The cell itself could be read just now.
    let read_back = hash(packed).map_err(|error| {
        Error::unusable(format!(
            "{error}; the pack is not written, for it cannot be read back: if a folder on the way to a file of the cell is a symbolic link, \
             name the folder that it leads to"
        ))
    });
    if read_back? == hash(job.clone())? {
        Ok(())
    } else {
        Err(Error::internal(
            "the packed cell is not the one that was packed: something in it depends on where its files are; please report it",
        ))
    }
}
