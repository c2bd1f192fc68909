//! Mesh files in, checked triangle meshes out: STL, OBJ, COLLADA, PLY and VRML97.
//!
//! Nothing that has surface is left out in silence: a reader either gives every triangle of the
//! file, or an error that says where it stopped. Whatever was done beyond plain reading (polygons
//! cut into triangles, units applied) is noted.

mod checks;
mod dae;
mod kept;
mod obj;
mod ply;
mod polygon;
mod stl;
#[cfg(test)]
mod tests;
mod vrml;

pub(crate) use checks::{one_kind_of_line_end, shown};
pub use kept::{FileKey, KeptMesh, KeptMeshes};

use std::path::Path;

use clearance_proof::geometry::mesh::Mesh;
use nalgebra::Vector3;

use super::files::{MOST_MESH, open_up_to, read_bytes};
use super::foreign::foreign;
use super::stated_unit::other_than_metres;
use super::{ImportError, Problem};

/// A mesh as it came out of a file, and what the user should know about how it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedMesh {
    /// The triangles, in metres when the file's unit is the metre (STL, OBJ and PLY have no unit of
    /// their own; VRML97's is the metre).
    pub mesh: Mesh,
    /// Steps beyond plain reading, one sentence each.
    pub notes: Vec<String>,
    /// The up axis that the file states, where it is another one than z.
    pub up_axis: Option<&'static str>,
    /// What can be read in two ways until somebody states the scale: the file contradicts itself
    /// about its unit.
    pub unit_doubt: Option<String>,
    /// The unit that a comment states, where it is another one than the metre. The numbers are taken
    /// as metres all the same.
    pub comment_unit: Option<CommentUnit>,
    /// How far the surface may be from the one that another way of cutting polygons into triangles
    /// gives, in the unit of the mesh.
    pub bend: f64,
    /// Whether it has open round shapes, whose walls are closed bodies here: what they hold cannot be
    /// filled.
    pub open_walls: bool,
}

/// A comment or a heading of a mesh that states a unit of length.
#[derive(Debug, Clone, PartialEq)]
pub struct CommentUnit {
    /// The line, as it may stand in a message.
    line: String,
    /// Metres of that unit.
    metres: f64,
}

impl CommentUnit {
    /// That of a line, where it is another one than the metre.
    fn of(line: &str) -> Option<Self> {
        let metres = other_than_metres(line)?.metres;
        let line = shown(line.trim());
        Some(Self { line, metres })
    }

    /// What leaves the question open about a body that nobody has stated the scale of.
    pub(crate) fn doubt(&self) -> String {
        self.doubt_with(&format!(
            "state the `scale` of the body in the cell file, {} by that line, or 1 for metres",
            self.metres
        ))
    }

    /// The same of a scene, which has no scale.
    pub(crate) fn scene_doubt(&self) -> String {
        self.doubt_with(&format!(
            "name the file as `mesh` of an [[obstacle]] with a `scale`, {} by that line, or 1 for metres; or write the file \
             in metres, without that line",
            self.metres
        ))
    }

    fn doubt_with(&self, remedy: &str) -> String {
        format!(
            "it says `{}`, and its numbers are taken as metres, as in all formats that state no unit elsewhere: {remedy}",
            self.line
        )
    }
}

/// Bent polygons leave the question open where ways of cutting them into triangles lie farther apart
/// than this, metres: the file does not say which way is meant. Files with four decimals of a metre
/// bend flat polygons by as much, and answers are no finer by default.
const APART_M: f64 = 1e-4;

impl LoadedMesh {
    /// What leaves the question open about its polygons.
    pub(crate) fn bend_doubt(&self) -> Option<String> {
        // Not `>`: what is no number is no small one.
        let small = self.bend <= APART_M;
        (!small).then(|| {
            format!(
                "it has bent polygons: the file does not say into which triangles they are cut, and by each way the body is \
                 another one, up to {:.2} mm away; triangulate the mesh in the program that wrote it",
                self.bend * 1e3
            )
        })
    }
}

/// The rule for an up axis that a COLLADA file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum UpAxisRule {
    /// The mesh is turned until that axis is z: COLLADA's own rule.
    #[default]
    Apply,
    /// The mesh stays as it is written: what RViz, MoveIt and most other ROS tools do.
    Ignore,
}

/// Reads and checks a mesh file, and scales it along its axes (a mirroring scale turns its
/// triangles round).
///
/// The format follows from the extension in any case: `stl`, `obj`, `dae`, `ply`, `wrl`.
///
/// # Errors
/// When the file cannot be read or is no valid mesh, the scale is no scale, or a corner would lie
/// farther out than is computed with.
pub fn load(path: &Path, scale: Vector3<f64>) -> Result<LoadedMesh, ImportError> {
    load_by(path, scale, UpAxisRule::Apply)
}

/// The same, by a rule about up axes.
///
/// # Errors
/// When [`load`] would refuse the file.
pub fn load_by(
    path: &Path,
    scale: Vector3<f64>,
    rule: UpAxisRule,
) -> Result<LoadedMesh, ImportError> {
    load_kept(path, scale, rule, None)
}

/// The same where somebody may keep what reading large files gave.
pub(crate) fn load_kept(
    path: &Path,
    scale: Vector3<f64>,
    rule: UpAxisRule,
    kept: Option<&dyn KeptMeshes>,
) -> Result<LoadedMesh, ImportError> {
    checks::scale(scale).map_err(|problem| ImportError::file(path, problem))?;
    let kept = kept.filter(|_| extension(path).as_deref() == Some("stl"));
    let mut asked = match kept {
        Some(kept) => {
            let (file, length) = open_up_to(path, MOST_MESH)?;
            kept::Asked::new(kept, file, length)
        }
        None => None,
    };
    let loaded = match asked.as_mut().and_then(kept::Asked::fetched) {
        Some(loaded) => loaded,
        None => {
            let bytes = read_bytes(path, MOST_MESH)?;
            let loaded = parse_by(&bytes, path, rule)?;
            if let Some(asked) = asked {
                asked.keep(&loaded.mesh);
            }
            loaded
        }
    };
    let mesh = loaded.mesh.scaled(scale);
    checks::within_reach(&mesh).map_err(|problem| ImportError::file(path, problem))?;
    let bend = loaded.bend * scale.amax();
    Ok(LoadedMesh {
        mesh,
        bend,
        ..loaded
    })
}

/// Reads and checks a mesh from bytes, without scaling it. `name` decides the format and stands in
/// errors.
///
/// # Errors
/// When the extension names no format of a mesh, or the bytes are no valid mesh of it.
pub fn parse(bytes: &[u8], name: &Path) -> Result<LoadedMesh, ImportError> {
    parse_by(bytes, name, UpAxisRule::Apply)
}

/// A checked mesh of triangles that stand in another file; corners are numbers of vertices that are
/// there.
pub(crate) fn polygon_free_mesh(
    vertices: Vec<nalgebra::Point3<f64>>,
    triangles: Vec<[u32; 3]>,
) -> Result<LoadedMesh, Problem> {
    let mut soup = checks::Soup {
        vertices,
        ..Default::default()
    };
    soup.triangles = triangles;
    let loaded = checks::finish(soup)?;
    checks::within_reach(&loaded.mesh)?;
    Ok(loaded)
}

/// The parts of a VRML97 file by the names that `DEF` gives; the name is empty for what has none.
/// `notes` of the first one are about the whole file.
pub(crate) fn vrml_parts(
    bytes: &[u8],
    name: &Path,
) -> Result<Vec<(String, LoadedMesh)>, ImportError> {
    let parts = vrml::read_parts(bytes, name)?;
    let mut notes = Vec::new();
    let mut loaded = Vec::with_capacity(parts.len());
    for (part, soup) in parts {
        if soup.triangles.is_empty() {
            notes.extend(soup.notes);
            continue;
        }
        let mesh = checks::finish(soup).and_then(|loaded| {
            checks::within_reach(&loaded.mesh)?;
            Ok(loaded)
        });
        loaded.push((
            part,
            mesh.map_err(|problem| ImportError::file(name, problem))?,
        ));
    }
    if let Some((_, first)) = loaded.first_mut() {
        first.notes.extend(notes);
    }
    Ok(loaded)
}

/// The extension of the file's name, which tells the format.
fn extension(name: &Path) -> Option<String> {
    let extension = name.extension()?;
    Some(extension.to_string_lossy().to_ascii_lowercase())
}

fn parse_by(bytes: &[u8], name: &Path, rule: UpAxisRule) -> Result<LoadedMesh, ImportError> {
    let extension = extension(name);
    let reader = match extension.as_deref() {
        Some("stl") => stl::read,
        Some("obj") => obj::read,
        Some("dae") => match rule {
            UpAxisRule::Apply => dae::read,
            UpAxisRule::Ignore => dae::read_unturned,
        },
        Some("ply") => ply::read,
        Some("wrl" | "wrz" | "vrml") => vrml::read,
        _ => {
            let what = extension.map_or_else(
                || "a mesh file without an extension".to_owned(),
                |e| format!("the mesh format `.{e}`"),
            );
            let remedy = "export the mesh as .stl, .obj, .dae, .ply or .wrl".to_owned();
            return Err(ImportError::file(
                name,
                Problem::Unsupported { what, remedy },
            ));
        }
    };
    if bytes.is_empty() {
        let problem = checks::geometry("the file is empty (0 bytes)", "export the mesh again");
        return Err(ImportError::file(name, problem));
    }
    if let Some(problem) = foreign(bytes) {
        return Err(ImportError::file(name, problem));
    }
    let soup = reader(bytes, name)?;
    checks::finish(soup).map_err(|problem| ImportError::file(name, problem))
}

/// "1 group", "2 groups".
fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
