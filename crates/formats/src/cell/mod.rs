//! The cell file, and the short form of one robot and some obstacles.

mod bodies;
mod build;
mod controller;
mod free;
mod pairs;
mod pose;
mod reader;
mod robots;
mod scenes;
pub(super) mod table;
mod uncertainty;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use nalgebra::Isometry3;

use self::bodies::shape;
use self::build::{BodyMesh, Builder, Named};
pub(super) use self::pose::{pose, suspicious_rpy, suspicious_value, without_unit};
use self::reader::{CellReader, warn};
use self::scenes::ScenePlacement;
use clearance_proof::model::{Body, BodyId, Role};

use self::table::{Table, TomlText};
use super::loaded::{CheckSettings, LoadedCell};
use super::mesh::KeptMeshes;
use super::resolve::Resolver;
use super::xml::XmlText;
use super::{ImportError, Location, Problem, joint_limits, scene, srdf, xacro};

/// The options of the command line, beside the files.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Links without `<collision>` are checked by their `<visual>` geometry.
    pub visual_as_collision: bool,
    /// SRDF of the robot in the short form. A cell file names its own.
    pub srdf: Option<PathBuf>,
    /// Joint limits (`joint_limits.yaml`) of the robot in the short form. A cell file names its
    /// own.
    pub joint_limits: Option<PathBuf>,
    /// Arguments of xacro, name and value, of the robot in the short form. A cell file states its
    /// own.
    pub xacro_args: Vec<(String, String)>,
    /// Scenes of MoveIt beside those of the cell file: their frame is the world.
    pub scenes: Vec<PathBuf>,
    /// Package names and their folders; they count before `[packages]` of the cell file.
    pub package_roots: Vec<(String, PathBuf)>,
    /// Packages are `package_roots` or beside the file that names them: `[packages]` of the cell
    /// file and the environment say nothing about where the files are now.
    pub only_package_roots: bool,
    /// Who keeps what reading large meshes gave, if anybody does.
    pub kept: Option<Arc<dyn KeptMeshes>>,
}

/// Loads one robot at the world's origin and obstacles in world coordinates (metres), named by
/// their file stems.
///
/// # Errors
/// When a file of the robot, its scenes or its obstacles cannot be used, or the options do not fit
/// the robot.
pub fn load_robot(
    urdf: &Path,
    obstacles: &[PathBuf],
    options: &LoadOptions,
) -> Result<LoadedCell, ImportError> {
    robot_among(XmlText::read(urdf)?, obstacles, options)
}

/// The same as [`load_robot`], with a URDF whose bytes are known and no obstacles. Other files
/// (meshes, and those that `options` name) are read from where they are.
///
/// # Errors
/// When the URDF, or a file that it needs, cannot be used.
pub fn parse_robot(
    urdf: &Path,
    bytes: &[u8],
    options: &LoadOptions,
) -> Result<LoadedCell, ImportError> {
    robot_among(XmlText::new(urdf, bytes.to_vec())?, &[], options)
}

fn robot_among(
    urdf: XmlText,
    obstacles: &[PathBuf],
    options: &LoadOptions,
) -> Result<LoadedCell, ImportError> {
    let resolver = resolver(Vec::new(), options);
    let mut builder = Builder::new(urdf.file(), resolver, options.visual_as_collision);
    builder.kept.clone_from(&options.kept);
    let mut arguments = xacro::Arguments::new(&options.xacro_args);
    let source = urdf.file().to_owned();
    let opened = xacro::expanded(urdf, &mut arguments, &builder.resolver)?;
    let robot = builder.add_robot("", &opened, Isometry3::identity())?;
    if let Some(file) = &options.srdf {
        let opened = xacro::open(file, &mut arguments, &builder.resolver)?;
        srdf::read(&opened, &mut builder.loaded, robot)?;
    }
    let used = arguments.all_used();
    used.map_err(|problem| ImportError::file(&source, problem))?;
    if let Some(file) = &options.joint_limits {
        joint_limits::read(file, &mut builder.loaded, robot)?;
    }
    for file in obstacles {
        let name = file
            .file_stem()
            .unwrap_or(file.as_os_str())
            .to_string_lossy()
            .into_owned();
        if let Some(other) = builder.body(&name) {
            return Err(called_alike(&builder, other, file, &name));
        }
        let form = builder.body_mesh(BodyMesh {
            file,
            scale: None,
            up_axis: None,
            body: &name,
            place: Location::file(file),
        })?;
        builder.add_body(Named {
            body: Body {
                name,
                role: Role::Obstacle,
                joint: None,
                joint_from_body: Isometry3::identity(),
                parent: None,
                shapes: vec![shape(form, None, None)],
            },
            place: Location::file(file),
        })?;
    }
    for file in &options.scenes {
        builder.scene_file(file, &ScenePlacement::default())?;
    }
    builder.large_enough()?;
    let mut loaded = builder.finished();
    let mut rest = std::mem::take(&mut loaded.cell.rest);
    loaded.cell.resolve_mimic(&mut rest);
    loaded.cell.rest = rest;
    Ok(loaded)
}

/// Loads a cell file.
///
/// # Errors
/// When the cell file, or a file that it names, cannot be used; and when the options name what a cell
/// file names itself: an SRDF, joint limits, arguments of xacro.
pub fn load_cell(path: &Path, options: &LoadOptions) -> Result<LoadedCell, ImportError> {
    for (file, what, key) in [
        (&options.srdf, "an srdf", "srdf"),
        (
            &options.joint_limits,
            "a file of joint limits",
            "joint_limits",
        ),
    ] {
        if let Some(file) = file {
            return Err(ImportError::file(
                file,
                Problem::Unsupported {
                    what: format!("{what} beside a cell file"),
                    remedy: format!("name it in the cell file: `{key} = \"…\"` under [[robot]]"),
                },
            ));
        }
    }
    if let Some((name, _)) = options.xacro_args.first() {
        return Err(ImportError::file(
            path,
            Problem::Unsupported {
                what: format!("the xacro argument `{name}` beside a cell file"),
                remedy: format!(
                    "write it in the cell file: `xacro_args = {{ {name} = \"…\" }}` under [[robot]]"
                ),
            },
        ));
    }
    from_toml(&TomlText::read(path)?, options)
}

/// The same as [`load_cell`], with a cell file whose bytes are known. The files that it names are
/// read from where they are.
///
/// # Errors
/// When the cell file, or a file that it names, cannot be used.
pub fn parse_cell(
    path: &Path,
    bytes: &[u8],
    options: &LoadOptions,
) -> Result<LoadedCell, ImportError> {
    from_toml(&TomlText::new(path, bytes.to_vec())?, options)
}

/// The obstacles of a scene of MoveIt, alone, out of the bytes of its file.
///
/// # Errors
/// When the bytes are not a scene, or say something that is not understood.
pub fn parse_scene(path: &Path, bytes: &[u8]) -> Result<LoadedCell, ImportError> {
    let mut builder = Builder::new(path, Resolver::default(), false);
    builder.scene(path, scene::parse(path, bytes)?, &ScenePlacement::default())?;
    Ok(builder.loaded)
}

fn from_toml(text: &TomlText, options: &LoadOptions) -> Result<LoadedCell, ImportError> {
    let parsed = text.parse()?;
    let root = Table::root(
        text,
        parsed.get_ref(),
        &[
            "robot",
            "attach",
            "obstacle",
            "free",
            "world",
            "packages",
            "check",
            "allow",
            "pair",
            "unchecked",
            "uncertainty",
        ],
    )?;
    let folder = text.file.parent().unwrap_or(Path::new("")).to_owned();
    let mut packages = Vec::new();
    if let Some(table) = root.get("packages") {
        for entry in table.free_table("[packages]")?.entries() {
            packages.push((entry.key.to_owned(), folder.join(entry.name()?)));
        }
    }
    let resolver = resolver(packages, options);
    let mut reader = CellReader {
        folder,
        builder: Builder::new(&text.file, resolver, options.visual_as_collision),
    };
    reader.builder.kept.clone_from(&options.kept);
    reader.builder.loaded.files.push(text.file.clone());
    reader.robots(&root)?;
    reader.free_bodies(&root)?;
    reader.starts(&root)?;
    reader.attachments(&root)?;
    reader.obstacles(&root)?;
    reader.scenes(&root)?;
    for file in &options.scenes {
        reader
            .builder
            .scene_file(file, &ScenePlacement::default())?;
    }
    reader.builder.loaded.settings = settings(&root)?;
    reader.uncertainty(&root)?;
    reader.allowances(&root)?;
    reader.thresholds(&root)?;
    reader.left_out(&root)?;
    reader.builder.large_enough()?;
    Ok(reader.builder.finished())
}

/// The error for an obstacle whose file has the name of another body: a link, or another obstacle.
fn called_alike(builder: &Builder, other: BodyId, file: &Path, name: &str) -> ImportError {
    let cell = &builder.loaded.cell;
    let other = match (cell.bodies[other].role, cell.place(other)) {
        (Role::Obstacle, Some(place)) => format!("{place} is"),
        _ => "a link of the robot is".to_owned(),
    };
    ImportError::file(
        file,
        Problem::Syntax {
            cause: format!("it is called `{name}` after its file, and {other} called so too"),
            remedy:
                "name it once, rename the file, or name it in a cell file with a `name` of its own"
                    .into(),
        },
    )
}

/// Where packages are looked for, with `[packages]` of the cell file.
fn resolver(of_cell: Vec<(String, PathBuf)>, options: &LoadOptions) -> Resolver {
    let mut packages = options.package_roots.clone();
    if options.only_package_roots {
        Resolver::of_packages(packages)
    } else {
        packages.extend(of_cell);
        Resolver::from_environment(packages)
    }
}

fn settings(root: &Table) -> Result<CheckSettings, ImportError> {
    let Some(check) = root.get("check") else {
        return Ok(CheckSettings::default());
    };
    let check = check.table("[check]", &["clearance", "warn", "resolution", "limits"])?;
    let clearance = check
        .get("clearance")
        .map(|v| v.length_from_zero())
        .transpose()?;
    Ok(CheckSettings {
        clearance,
        warn: warn(&check, clearance.unwrap_or(0.0))?,
        resolution: check
            .get("resolution")
            .map(|v| v.positive_length())
            .transpose()?,
        limits: check.get("limits").map(|v| v.boolean()).transpose()?,
    })
}

#[cfg(test)]
mod tests;
