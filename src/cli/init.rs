//! `clearance init`: a first cell file from what is there.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

use clap::Args;
use clearance_formats::folder_of;
use clearance_formats::program::many::Layout;
use clearance_formats::units::length_unit;
use walkdir::{DirEntry, WalkDir};

use super::exit;
use super::options::{CacheOptions, extension, package};
use super::outputs::Outputs;
use super::own_meshes::{called_like_own, dialect};
use super::progress::Progress;
use super::sink::{unwritable, write_file};
use super::terminal::{print, say_errors, width};
use super::values::xacro_arg;
use crate::batch::{all_can_match, collect};
use crate::error::Error;
use crate::findings::{Draft, DraftObstacle, DraftRobot};
use crate::render::{draft_text, draft_toml, wrap_paragraphs};
use crate::run::{CellJob, CellSource, DraftJob, complete};

/// Write a first cell file from a URDF, meshes and programs.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct Init {
    /// URDF (and SRDF, joint_limits.yaml) of the robot, meshes of obstacles, and programs: files or
    /// patterns, and folders of programs
    #[arg(value_name = "FILES", required = true)]
    files: Vec<OsString>,
    /// The cell file to write; what it names is named relative to it
    #[arg(long, short, value_name = "FILE", default_value = "cell.toml")]
    output: PathBuf,
    /// Write over the file if it is there
    #[arg(long)]
    force: bool,
    /// The unit of the numbers in STL, OBJ and PLY files (`mm`, `in`, `m`, …): written as their
    /// `scale` [default: metres, and a mesh that looks otherwise is reported]
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    mesh_unit: Option<f64>,
    /// Folder of a package:// name, written as `[packages]`; repeatable
    #[arg(long, value_name = "NAME=DIR", value_parser = package)]
    package: Vec<(String, PathBuf)>,
    /// Argument of xacro for the robots and their SRDF, written as `xacro_args`; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = xacro_arg)]
    xacro_arg: Vec<(String, String)>,
    /// Check links without collision geometry by their visual geometry
    #[arg(long)]
    visual_as_collision: bool,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    cache: CacheOptions,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
}

const HELP: &str = "\
Links of a robot that touch each other at rest, at other postures and all the time in all given programs are proposed as
[[allow]], as a comment: nothing is allowed before you take the # away. A proposal may be a real crash: look first. Exit codes: 0 the file is written, 2 it is not, or a program could not be read.";

fn unit(text: &str) -> Result<f64, Error> {
    length_unit(text).ok_or_else(|| {
        Error::usage(format!(
            "`{text}` is not a unit of length; give mm, in, m or another one"
        ))
    })
}

/// The given files, by kind.
#[derive(Default)]
struct GivenFiles {
    urdf: Vec<PathBuf>,
    srdf: Vec<PathBuf>,
    joint_limits: Vec<PathBuf>,
    meshes: Vec<PathBuf>,
    programs: Vec<String>,
    /// What given folders hold beside programs.
    not_taken: Vec<String>,
}

/// Extensions of meshes.
const MESHES: [&str; 7] = ["stl", "obj", "ply", "dae", "wrl", "wrz", "vrml"];
/// Extensions of drawings and meshes that are not read.
const DRAWINGS: [&str; 13] = [
    "step", "stp", "iges", "igs", "glb", "gltf", "3mf", "fbx", "dxf", "off", "x3d", "blend", "amf",
];
/// Meshes whose files state their unit, or have one by their kind.
const OWN_UNIT: [&str; 4] = ["dae", "wrl", "wrz", "vrml"];

impl GivenFiles {
    fn sorted(files: &[OsString]) -> Result<Self, Error> {
        let mut given = Self::default();
        for file in files {
            let file = file.to_str().ok_or_else(|| not_text(Path::new(file)))?;
            for path in matched(file)? {
                given.add(path)?;
            }
        }
        given.are_there()?;
        let what = match () {
            () if given.urdf.is_empty() => {
                "no robot is given: name its URDF, as in `clearance init robot.urdf table.stl programs/`"
            }
            () if given.srdf.len() > 1 || given.joint_limits.len() > 1 => {
                "only one SRDF and one file of joint limits are taken; name the others in the cell file"
            }
            () if given.urdf.len() > 1 && given.srdf.len() + given.joint_limits.len() > 0 => {
                "with several robots it is not known whose SRDF or joint limits these are; name them in the cell file"
            }
            () => return Ok(given),
        };
        Err(Error::usage(what))
    }

    /// All of them but the programs.
    fn named(&self) -> impl Iterator<Item = &PathBuf> {
        let robots = self.urdf.iter().chain(&self.srdf).chain(&self.joint_limits);
        robots.chain(&self.meshes)
    }

    /// Whether each of them is a file, and a robot is given once: the cell file would be blamed
    /// otherwise, which is not written yet.
    fn are_there(&self) -> Result<(), Error> {
        for file in self.named() {
            let about = file.metadata().map_err(|e| {
                Error::unreadable(file, format!("{e}; check the name on the command line"))
            })?;
            if about.is_dir() {
                return Err(Error::usage(format!(
                    "{} is a folder, though its name is that of a file; name the file in it",
                    file.display()
                )));
            }
        }
        for (k, urdf) in self.urdf.iter().enumerate() {
            let same = |other: &&PathBuf| other.file_stem() == urdf.file_stem();
            if let Some(other) = self.urdf[..k].iter().find(same) {
                return Err(Error::usage(format!(
                    "{} and {} would be robots of the same name; name each robot once, or rename one of the files",
                    other.display(),
                    urdf.display()
                )));
            }
        }
        Ok(())
    }

    fn add(&mut self, path: PathBuf) -> Result<(), Error> {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let kind = extension(&path);
        match kind.as_str() {
            "xacro" if stem.to_lowercase().ends_with(".srdf") => self.srdf.push(path),
            "urdf" | "xacro" => self.urdf.push(path),
            "srdf" => self.srdf.push(path),
            "yaml" | "yml" if stem.contains("joint_limits") => self.joint_limits.push(path),
            "toml" => {
                return Err(Error::usage(format!(
                    "{} is a cell file already; name the URDF, meshes and programs that a new one is to be made of",
                    path.display()
                )));
            }
            mesh if MESHES.contains(&mesh) => self.meshes.push(path),
            drawing if DRAWINGS.contains(&drawing) => {
                return Err(Error::usage(format!(
                    "{}: the format `.{drawing}` is not read; export the mesh as .stl, .obj, .dae, .ply or .wrl",
                    path.display()
                )));
            }
            _ => {
                let beside = beside_programs(&path)?;
                if !beside.is_empty() && programs_of(&path).is_err() {
                    return Err(Error::usage(format!(
                        "the folder `{0}` has no programs; name each mesh in it, or a pattern, as in `clearance init robot.urdf '{0}/*.stl'`",
                        path.display()
                    )));
                }
                self.not_taken.extend(beside);
                self.programs.push(path.to_string_lossy().into_owned());
            }
        }
        Ok(())
    }
}

fn programs_of(argument: &Path) -> Result<Vec<PathBuf>, Error> {
    let argument = argument.to_string_lossy().into_owned();
    collect(&[argument], &[], &Layout::default(), &mut || Ok(Vec::new()))
}

/// The files that an argument stands for: what a pattern matches, or the one that it names.
fn matched(argument: &str) -> Result<Vec<PathBuf>, Error> {
    let itself = PathBuf::from(argument);
    if itself.exists() || !argument.contains(['*', '?', '[']) {
        return Ok(vec![itself]);
    }
    let matches = glob::glob(argument)
        .map_err(|e| Error::usage(format!("`{argument}` is not a pattern: {e}")))?;
    all_can_match(argument, argument)?;
    let found: Result<Vec<PathBuf>, _> = matches.collect();
    let found = found.map_err(|e| Error::unreadable(e.path(), e.error()))?;
    Ok(if found.is_empty() {
        vec![itself]
    } else {
        found
    })
}

/// Files of a folder that may be meant to be part of the cell, and are not: whose robot they belong
/// to is not known.
fn beside_programs(folder: &Path) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    let shown = |e: &DirEntry| e.depth() == 0 || !e.file_name().to_string_lossy().starts_with('.');
    let entries = WalkDir::new(folder).follow_links(true).sort_by_file_name();
    for entry in entries.into_iter().filter_entry(shown) {
        let entry = entry.map_err(|e| {
            let remedy = match e.loop_ancestor() {
                Some(_) => "; remove the link, or name the files",
                None => "",
            };
            Error::unreadable(folder, format!("{e}{remedy}"))
        })?;
        let kind = extension(entry.path());
        let known = MESHES.into_iter().chain(["urdf", "xacro", "srdf"]);
        if entry.file_type().is_file() && known.into_iter().any(|k| k == kind) {
            found.push(entry.path().display().to_string());
        }
    }
    Ok(found)
}

impl Init {
    pub(super) fn run(self) -> Result<u8, Error> {
        if !self.force && self.output.symlink_metadata().is_ok() {
            return Err(there(&self.output));
        }
        let given = GivenFiles::sorted(&self.files)?;
        let programs = if given.programs.is_empty() {
            Vec::new()
        } else {
            collect(&given.programs, &[], &Layout::default(), &mut || {
                Ok(Vec::new())
            })?
        };
        let outputs = Outputs::of([self.output.as_path()])?;
        outputs.refuse_if_read(given.named().chain(&programs))?;
        for urdf in &given.urdf {
            outputs.refuse_cell_files(&CellJob {
                source: CellSource::Robot {
                    urdf: urdf.clone(),
                    srdf: given.srdf.first().cloned(),
                    joint_limits: None,
                    xacro_args: self.xacro_arg.clone(),
                    obstacles: Vec::new(),
                },
                packages: self.package.clone(),
                ..CellJob::file(urdf)
            })?;
        }
        let cell = CellJob {
            packages: self.package,
            visual_as_collision: self.visual_as_collision,
            cache: self.cache.folder(),
            threads: self.threads.map(usize::from),
            ..CellJob::file(&self.output)
        };
        let of_controllers = programs.iter().find_map(|program| dialect(program));
        let mut draft = draft(&given, &self.output, self.mesh_unit)?;
        draft.visual_as_collision = self.visual_as_collision;
        for (name, folder) in &cell.packages {
            // The first of a name counts.
            if draft.packages.iter().all(|(known, _)| known != name) {
                let folder = seen_from(folder, &self.output)?;
                draft.packages.push((name.clone(), folder));
            }
        }
        for robot in &mut draft.robots {
            robot.dialect = of_controllers;
            let mut files = std::iter::once(&robot.urdf).chain(&robot.srdf);
            if files.any(|file| file.to_lowercase().ends_with(".xacro")) {
                robot.xacro_args.clone_from(&self.xacro_arg);
            }
        }
        let progress = Progress::new(programs.len(), self.quiet);
        let job = DraftJob {
            cell: &cell,
            file: &self.output,
            programs: &programs,
            written: &draft_toml,
        };
        let draft = complete(draft, &job, &progress);
        progress.finish();
        let draft = draft?;
        put(&self.output, &draft_toml(&draft), self.force)?;
        say_errors(draft.unread.iter().map(|(_, why)| why.clone()));
        let text = draft_text(&draft, &self.output.display().to_string());
        print(&wrap_paragraphs(&text, width()))?;
        Ok(if draft.unread.is_empty() && draft.refused.is_none() {
            exit::CLEAR
        } else {
            exit::UNVERIFIED
        })
    }
}

/// The draft as it is known before anything is read.
fn draft(given: &GivenFiles, output: &Path, scale: Option<f64>) -> Result<Draft, Error> {
    // In patterns * stands for any text, and / parts a robot from its link.
    let name_of = |file: &Path| {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        stem.replace(['*', '/'], "_")
    };
    let several = given.urdf.len() > 1;
    let first = |files: &[PathBuf]| files.first().map(|f| seen_from(f, output)).transpose();
    let mut robots = Vec::new();
    for urdf in &given.urdf {
        robots.push(DraftRobot {
            name: several.then(|| name_of(urdf)),
            urdf: seen_from(urdf, output)?,
            srdf: first(&given.srdf)?,
            joint_limits: first(&given.joint_limits)?,
            ..DraftRobot::default()
        });
    }
    let alike = called_like_own(&given.urdf, &given.meshes)?;
    let mut obstacles = Vec::new();
    for mesh in &given.meshes {
        let own_unit = OWN_UNIT.contains(&extension(mesh).as_str());
        obstacles.push(DraftObstacle {
            name: name_of(mesh),
            mesh: seen_from(mesh, output)?,
            given: mesh.display().to_string(),
            is_called_like_own: alike.contains(mesh),
            scale: scale.filter(|_| !own_unit),
            own_unit: own_unit && scale.is_some(),
            doubt: None,
        });
    }
    Ok(Draft {
        robots,
        obstacles,
        not_taken: given.not_taken.clone(),
        ..Draft::default()
    })
}

/// A file as one in the folder of `output` names it.
fn seen_from(file: &Path, output: &Path) -> Result<String, Error> {
    let failed = |path: &Path, e: std::io::Error| Error::unreadable(path, e);
    let from = (folder_of(output).canonicalize()).map_err(|e| unwritable(output, &e))?;
    // A link stays a link: only its folder is looked up.
    let place = folder_of(file);
    let whole = |path: &Path| path.canonicalize().map_err(|e| failed(file, e));
    let to = match file.file_name() {
        Some(name) => whole(place)?.join(name),
        // `.` and `..`: folders of packages are named like this.
        None => whole(file)?,
    };
    let [from_parts, to_parts]: [Vec<Component>; 2] =
        [&from, &to].map(|path| path.components().collect());
    let same = from_parts
        .iter()
        .zip(&to_parts)
        .take_while(|(a, b)| a == b)
        .count();
    let relative: PathBuf = match same {
        // Another drive.
        0 => to.clone(),
        _ => std::iter::repeat_n(Component::ParentDir, from_parts.len() - same)
            .chain(to_parts[same..].iter().copied())
            .collect(),
    };
    let text = relative.to_str().ok_or_else(|| not_text(file))?;
    let text = if text.is_empty() { "." } else { text };
    Ok(if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        text.to_owned()
    })
}

fn not_text(file: &Path) -> Error {
    Error::usage(format!(
        "the name {file:?} is not UTF-8, so no cell file can name it; rename it"
    ))
}

fn there(file: &Path) -> Error {
    Error::usage(format!(
        "{} is there already and is not written over; say --force, or name another file with --output",
        file.display()
    ))
}

/// Writes the file; over another one only where that is asked for, whoever made it in the meantime.
fn put(file: &Path, text: &str, force: bool) -> Result<(), Error> {
    if force {
        return write_file(file, text);
    }
    let failed = |e: std::io::Error| match e.kind() {
        ErrorKind::AlreadyExists => there(file),
        _ => unwritable(file, &e),
    };
    let mut options = OpenOptions::new();
    let mut made = options
        .write(true)
        .create_new(true)
        .open(file)
        .map_err(failed)?;
    made.write_all(text.as_bytes()).map_err(failed)
}
