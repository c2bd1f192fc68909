//! `clearance convert`: a program as a program of moves.

use std::path::PathBuf;

use clap::Args;

use super::exit;
use super::output::print;
use crate::run::convert;

/// Print a program as a program of moves (`*.motion.json`).
#[derive(Debug, Args)]
pub(super) struct Convert {
    /// Program: a table, a trajectory message, or a program of moves
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
}

impl Convert {
    pub(super) fn run(self) -> Result<u8, String> {
        print(&convert(&self.program)?)?;
        Ok(exit::CLEAR)
    }
}
