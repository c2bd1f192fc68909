//! `clearance generate`: shell completions and man pages, made from the same definition as the
//! command line.

use std::path::PathBuf;

use clap::{Args, Command, Subcommand};
use clap_complete::Shell;

use super::exit;
use super::terminal::print;
use crate::error::Error;

/// Write shell completions or man pages.
#[derive(Debug, Args)]
pub(super) struct Generate {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print completions for a shell
    Completions {
        /// Which shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the man page, or write the pages of all commands to a folder
    Man {
        /// Folder for the pages of all commands
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

impl Generate {
    /// `command` is the whole command line.
    pub(super) fn run(self, mut command: Command) -> Result<u8, Error> {
        let mut bytes = Vec::new();
        match self.what {
            What::Completions { shell } => {
                clap_complete::generate(shell, &mut command, "clearance", &mut bytes);
            }
            What::Man { dir: None } => clap_mangen::Man::new(command)
                .render(&mut bytes)
                .map_err(|e| Error::usage(format!("the man page cannot be made: {e}")))?,
            What::Man { dir: Some(folder) } => {
                let written = std::fs::create_dir_all(&folder)
                    .and_then(|()| clap_mangen::generate_to(command, &folder));
                written.map_err(|e| {
                    Error::usage(format!(
                        "man pages cannot be written to {}: {e}",
                        folder.display()
                    ))
                })?;
            }
        }
        print(&String::from_utf8_lossy(&bytes))?;
        Ok(exit::CLEAR)
    }
}
