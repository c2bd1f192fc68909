//! `clearance tree`: sphere trees and octrees to be looked at.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::exit;
use super::method::RankOptions;
use super::options::CellOptions;
use super::outputs::Outputs;
use super::progress::Progress;
use super::sink::write_file;
use super::terminal::{print, say_errors, width};
use super::values::positive_length;
use crate::error::Error;
use crate::render::{trees_json, trees_text, wrap_paragraphs};
use crate::run::export::{Look, PictureFormat, picture};
use crate::run::{SphereKind, TreeKind, TreeRequest, TreeSource};

/// Build sphere trees or octrees, measure them, and write them as spheres or cubes.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct TreeCommand {
    /// Mesh file (.stl, .obj, .dae, .ply, .wrl), in place of a cell
    #[arg(value_name = "MESH", conflicts_with_all = ["cell", "robot"])]
    mesh: Option<PathBuf>,
    /// The factor from the mesh's numbers to metres: 0.001 where they are millimetres [default: 1]
    #[arg(long, value_name = "FACTOR")]
    scale: Option<f64>,
    #[command(flatten)]
    cell: CellOptions,
    /// Which trees
    #[arg(long, value_enum, default_value_t = Kind::SphereTree)]
    shape: Kind,
    /// Radius of the smallest spheres, tiles, or spheres around cubes [default: ranked 0.1mm, or what
    /// takes no more than a million spheres; greedy 1/16 of the shape's; octree cubes of 1/128 of the
    /// whole]
    #[arg(long, value_name = "LEN", value_parser = positive_length, allow_hyphen_values = true)]
    leaf_radius: Option<f64>,
    /// Ranked: radius of the smallest spheres where `--leaf-radius` gives none
    #[arg(long, value_name = "LEN", value_parser = positive_length, allow_hyphen_values = true)]
    resolution: Option<f64>,
    #[command(flatten)]
    ranks: RankOptions,
    /// Write the spheres or cubes of one level as a mesh, to be looked at in a viewer (.obj or
    /// .ply); of a cell in the world
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// Level to write; 1 has the largest spheres or cubes [default: the last]
    #[arg(long, value_name = "N", requires = "export")]
    level: Option<usize>,
    /// JSON (SI units) in place of text
    #[arg(long)]
    json: bool,
    /// No progress bar while a cell is loaded
    #[arg(long)]
    quiet: bool,
}

const HELP: &str = "Exit codes: 0 every tree is proved to cover its shape (of an octree: every cube to hold what it says), 2 not so, or wrong usage.\n\
     --shape grid and --shape raw of `clearance check` build nothing that could be shown.";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Compact sphere trees over exact triangles
    SphereTree,
    /// Greedy sphere trees, large triangles tiled
    Greedy,
    /// Ranked covers of the surface by spheres
    Ranked,
    /// Octrees: a mesh as cubes, or what stands still in a cell
    Octree,
}

/// Spheres or cubes that are written to a file at most: viewers are slow beyond.
const MOST_SHOWN: usize = 500_000;

impl TreeCommand {
    pub(super) fn run(self) -> Result<u8, Error> {
        let format = self.export.as_deref().map(format_of).transpose()?;
        let kind = self.kind()?;
        let source = match self.mesh {
            Some(mesh) => TreeSource::Mesh(mesh, self.scale.unwrap_or(1.0)),
            None if self.scale.is_some() => {
                return Err(Error::usage(
                    "--scale belongs to a mesh file; in a cell file, `scale` stands beside the mesh",
                ));
            }
            None => TreeSource::Cell(self.cell.said_job(self.quiet).map_err(|e| {
                Error::usage(format!("{e}; or a mesh file: `clearance tree part.stl`"))
            })?),
        };
        if let Some(file) = &self.export {
            let outputs = Outputs::of([file.as_path()])?;
            match &source {
                TreeSource::Mesh(mesh, _) => outputs.refuse_if_read([mesh])?,
                TreeSource::Cell(cell) => outputs.refuse_cell_files(cell)?,
            }
        }
        let progress = Progress::new(0, self.quiet);
        let trees = TreeRequest::new(&source, kind, &progress);
        progress.finish();
        let trees = trees?;
        if let (Some(file), Some(format)) = (&self.export, format) {
            let (look, marks) = trees.marks(self.level)?;
            if marks.len() > MOST_SHOWN {
                let what = match look {
                    Look::Spheres => "spheres",
                    Look::Cubes => "cubes",
                };
                return Err(Error::usage(format!(
                    "{} {what} are too many for a viewer (at most {MOST_SHOWN}); write a coarser level with `--level`",
                    marks.len()
                )));
            }
            write_file(file, &picture(&marks, look, format))?;
        }
        let report = trees.report();
        say_errors(report.trees.iter().filter_map(|tree| {
            let gap = tree.gap.as_ref()?;
            Some(format!(
                "{}: not proved to cover its shape: {gap}",
                tree.name
            ))
        }));
        print(&if self.json {
            trees_json(report)
        } else {
            wrap_paragraphs(&trees_text(report), width())
        })?;
        Ok(if report.trees.iter().all(|tree| tree.covered) {
            exit::CLEAR
        } else {
            exit::UNVERIFIED
        })
    }

    fn kind(&self) -> Result<TreeKind, Error> {
        let resolution = self.resolution.map(|_| "--resolution");
        let wrong = resolution.or(self.ranks.given());
        let spheres = match (self.shape, wrong) {
            (Kind::Ranked, _) => {
                SphereKind::Ranked(self.leaf_radius.or(self.resolution), self.ranks.ranks())
            }
            (_, Some(option)) => {
                return Err(Error::usage(format!(
                    "`{option}` says how fine ranked covers are; add `--shape ranked`"
                )));
            }
            (Kind::SphereTree, None) if self.leaf_radius.is_some() => {
                return Err(Error::usage(
                    "`--leaf-radius` is the radius of smallest parts, and compact trees end in triangles; add \
                     `--shape ranked`, `greedy` or `octree`",
                ));
            }
            (Kind::SphereTree, None) => SphereKind::Compact,
            (Kind::Greedy, None) => SphereKind::Greedy(self.leaf_radius),
            (Kind::Octree, None) => return Ok(TreeKind::Octree(self.leaf_radius)),
        };
        Ok(TreeKind::Spheres(spheres))
    }
}

pub(super) fn format_of(file: &Path) -> Result<PictureFormat, Error> {
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    match extension.to_lowercase().as_str() {
        "obj" => Ok(PictureFormat::Obj),
        "ply" => Ok(PictureFormat::Ply),
        _ => Err(Error::usage(format!(
            "{}: spheres are written as .obj or .ply; give the file one of these names",
            file.display()
        ))),
    }
}
