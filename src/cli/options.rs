//! Options that several commands share.

use std::path::PathBuf;

use clap::Args;

use crate::import::units::parse_length;
use crate::verify::{CacheFolder, CellJob, CellSource};

/// Which cell, and how it is read.
#[derive(Debug, Args)]
pub(super) struct CellOptions {
    /// Cell file (cell.toml)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["robot", "obstacle", "srdf"], required_unless_present = "robot")]
    cell: Option<PathBuf>,
    /// Robot (URDF), in place of a cell file
    #[arg(long, value_name = "URDF")]
    robot: Option<PathBuf>,
    /// Obstacle beside the robot: a mesh in metres, in world coordinates; repeatable
    #[arg(long, value_name = "MESH", requires = "robot")]
    obstacle: Vec<PathBuf>,
    /// SRDF of the robot: its disabled pairs are allowed contacts
    #[arg(long, value_name = "FILE", requires = "robot")]
    srdf: Option<PathBuf>,
    /// Folder of a package:// name; repeatable
    #[arg(long, value_name = "NAME=DIR", value_parser = package)]
    package: Vec<(String, PathBuf)>,
    /// Check links without collision geometry by their visual geometry
    #[arg(long)]
    visual_as_collision: bool,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    cache: CacheOptions,
}

/// Where sphere trees are kept.
#[derive(Debug, Args)]
pub(super) struct CacheOptions {
    /// Folder of the sphere-tree cache [default: user cache folder]
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
    /// Neither read nor write sphere trees on disk
    #[arg(long, conflicts_with = "cache_dir")]
    no_cache: bool,
}

impl CacheOptions {
    fn folder(self) -> CacheFolder {
        match self.cache_dir {
            _ if self.no_cache => CacheFolder::Off,
            Some(folder) => CacheFolder::At(folder),
            None => CacheFolder::Default,
        }
    }
}

impl CellOptions {
    pub(super) fn job(self) -> Result<CellJob, String> {
        let source = match (self.cell, self.robot) {
            (Some(cell), _) => CellSource::File(cell),
            (None, Some(urdf)) => CellSource::Robot {
                urdf,
                srdf: self.srdf,
                obstacles: self.obstacle,
            },
            (None, None) => {
                return Err("name a cell: `--cell cell.toml` or `--robot robot.urdf`".to_owned());
            }
        };
        Ok(CellJob {
            source,
            packages: self.package,
            visual_as_collision: self.visual_as_collision,
            cache: self.cache.folder(),
            threads: self.threads.map(usize::from),
        })
    }
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() && !folder.is_empty() => {
            Ok((name.to_owned(), PathBuf::from(folder)))
        }
        _ => Err(
            "write the package's name and its folder, as in `ur_description=../ur_description`"
                .to_owned(),
        ),
    }
}

/// A length from 0 on, metres.
pub(super) fn length(text: &str) -> Result<f64, String> {
    match parse_length(text)? {
        metres if metres >= 0.0 => Ok(metres),
        _ => Err("the length is negative; write one from 0 on".to_owned()),
    }
}

/// A length above 0, metres.
pub(super) fn positive_length(text: &str) -> Result<f64, String> {
    match parse_length(text)? {
        metres if metres > 0.0 => Ok(metres),
        _ => Err("the length must be above 0; the default is 0.1mm".to_owned()),
    }
}
