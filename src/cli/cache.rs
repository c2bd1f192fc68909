//! `clearance cache`: the sphere trees on disk.

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::exit;
use super::terminal::print;
use crate::error::Error;
use crate::run::CacheFolder;

/// Look after the sphere trees that are kept on disk.
#[derive(Debug, Args)]
pub(super) struct CacheCommand {
    #[command(subcommand)]
    action: Action,
    /// Folder of the sphere-tree cache [default: user cache folder]
    #[arg(long, value_name = "DIR", global = true)]
    cache_dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print its folder
    Path,
    /// List the trees that it holds
    List,
    /// Remove them
    Clear,
}

impl CacheCommand {
    pub(super) fn run(self) -> Result<u8, Error> {
        let cache = self
            .cache_dir
            .map_or(CacheFolder::Default, CacheFolder::At)
            .open();
        let Some(folder) = cache.folder().map(|f| f.display().to_string()) else {
            return Err(Error::usage(
                "there is no user cache folder; name one with `--cache-dir DIR`",
            ));
        };
        if cache.folder().is_some_and(|f| f.exists() && !f.is_dir()) {
            return Err(Error::usage(format!(
                "{folder} is no folder; name one with `--cache-dir DIR`"
            )));
        }
        let mut out = String::new();
        match self.action {
            Action::Path => out = folder + "\n",
            Action::List => {
                let entries = cache.list();
                for entry in &entries {
                    let name = entry.file.file_name().unwrap_or_default().to_string_lossy();
                    let (triangles, kilobytes) = (entry.triangles, entry.bytes.div_ceil(1000));
                    let days = entry.age.as_secs() / 86_400;
                    let _ = writeln!(
                        out,
                        "{name}  {triangles:>9} triangles  {kilobytes:>7} kB  {days:>4} days old"
                    );
                }
                let total: u64 = entries.iter().map(|e| e.bytes).sum();
                let _ = writeln!(
                    out,
                    "{} trees, {} kB in {folder}",
                    entries.len(),
                    total.div_ceil(1000)
                );
            }
            Action::Clear => {
                let removed = cache
                    .clear()
                    .map_err(|e| Error::usage(format!("cannot clear the cache {folder}: {e}")))?;
                let _ = writeln!(out, "{removed} files removed from {folder}");
            }
        }
        print(&out)?;
        Ok(exit::CLEAR)
    }
}
