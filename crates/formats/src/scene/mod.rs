//! Scenes of MoveIt: `.scene` text files, and PlanningScene messages as YAML or JSON: what stands
//! there, what the robot carries, which pairs may touch. What else a message says is refused where
//! it would make the cell larger, and noted where it would not.

mod matrix;
mod message;
#[cfg(test)]
mod tests;
mod text;

use std::path::Path;
use std::sync::Arc;

use clearance_proof::model::Form;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion};

pub(crate) use matrix::{Matrix, PairRule};

use super::files::{MOST_TEXT, read_bytes, utf8};
use super::mesh::{CommentUnit, polygon_free_mesh, vrml_parts};
use super::{ImportError, Location, Problem};

/// An object of the scene.
#[derive(Debug)]
pub(crate) struct SceneObject {
    pub(crate) name: String,
    pub(crate) place: Location,
    /// The frame is that of the scene, or of the link that carries it.
    pub(crate) frame_from_object: Isometry3<f64>,
    pub(crate) shapes: Vec<ScenePiece>,
}

/// One shape of an object.
#[derive(Debug)]
pub(crate) struct ScenePiece {
    pub(crate) object_from_shape: Isometry3<f64>,
    pub(crate) form: Form,
}

/// An object that a link carries.
#[derive(Debug)]
pub(crate) struct CarriedObject {
    pub(crate) object: SceneObject,
    pub(crate) link: String,
    /// Links that it may touch.
    pub(crate) touch: Vec<String>,
    /// Where that stands, 1-based.
    pub(crate) touch_line: usize,
}

/// The content of a scene.
#[derive(Debug, Default)]
pub(crate) struct PlanningScene {
    pub(crate) objects: Vec<SceneObject>,
    pub(crate) carried: Vec<CarriedObject>,
    pub(crate) matrix: Matrix,
    /// The name of the robot's model in MoveIt, and where it stands.
    pub(crate) model: Option<(String, Location)>,
    /// Its frame is that of the robot's model in MoveIt, where the robot's root stands.
    pub(crate) is_of_model: bool,
    /// Where it puts an object into a frame that is called `world`.
    pub(crate) in_world: Option<Location>,
    /// What can be read in two ways, and leaves the question open: sentences.
    pub(crate) doubts: Vec<String>,
    /// Other content, which is not used: sentences.
    pub(crate) notes: Vec<String>,
    /// Notices that must be seen before a verdict is believed: sentences.
    pub(crate) notices: Vec<String>,
}

/// Reads a scene.
pub(crate) fn read(file: &Path) -> Result<PlanningScene, ImportError> {
    parse(file, &read_bytes(file, MOST_TEXT)?)
}

/// The same with the bytes of the file.
pub(crate) fn parse(file: &Path, bytes: &[u8]) -> Result<PlanningScene, ImportError> {
    if file
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("wrl"))
    {
        return vrml(file, bytes);
    }
    let content = utf8(file, bytes)?;
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    let extension = file
        .extension()
        .map(|e| e.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    match extension.as_str() {
        "scene" => text::read(file, content),
        "yaml" | "yml" => message::read(file, content),
        "json" => message::read(file, &content.replace('\t', " ")),
        _ => Err(ImportError::file(
            file,
            Problem::Unsupported {
                what: "a scene of this kind".into(),
                remedy: "name a `.scene` file, a PlanningScene message as `.yaml` or `.json`, or a `.wrl` file"
                    .into(),
            },
        )),
    }
}

/// A VRML97 file whose `DEF` names are bodies; what has no name is called after the file.
fn vrml(file: &Path, bytes: &[u8]) -> Result<PlanningScene, ImportError> {
    let mut scene = PlanningScene::default();
    let parts = vrml_parts(bytes, file)?;
    let unit = parts
        .iter()
        .find_map(|(_, part)| part.comment_unit.as_ref());
    scene.doubts.extend(unit.map(CommentUnit::scene_doubt));
    for (name, loaded) in parts {
        scene.doubts.extend(loaded.bend_doubt());
        scene.notes.extend(loaded.notes);
        let stem = || {
            file.file_stem()
                .unwrap_or(file.as_os_str())
                .to_string_lossy()
        };
        scene.objects.push(SceneObject {
            name: if name.is_empty() {
                stem().into_owned()
            } else {
                name
            },
            place: Location::file(file),
            frame_from_object: Isometry3::identity(),
            shapes: vec![ScenePiece {
                object_from_shape: Isometry3::identity(),
                form: Form::Mesh {
                    mesh: Arc::new(loaded.mesh),
                    file: file.to_owned(),
                },
            }],
        });
    }
    if scene.objects.is_empty() {
        return Err(ImportError::file(
            file,
            Problem::Syntax {
                cause: "the scene shows no triangle".into(),
                remedy: "export it with its shapes".into(),
            },
        ));
    }
    Ok(scene)
}

/// A pose of a position and a quaternion (x, y, z, w), or what is wrong with it.
fn pose(p: [f64; 3], [x, y, z, w]: [f64; 4]) -> Result<Isometry3<f64>, Problem> {
    let quaternion = Quaternion::new(w, x, y, z);
    if (quaternion.norm() - 1.0).abs() > 1e-2 {
        return Err(Problem::BadValue {
            what: "the orientation".into(),
            value: format!("[{x}, {y}, {z}, {w}]"),
            remedy: "a rotation has length 1".into(),
        });
    }
    Ok(Isometry3::from_parts(
        Translation3::new(p[0], p[1], p[2]),
        UnitQuaternion::from_quaternion(quaternion),
    ))
}

/// A primitive by its word, from sizes that must be above 0.
fn primitive(word: &str, sizes: &[f64]) -> Result<Form, Problem> {
    if let Some(bad) = sizes.iter().find(|s| !(**s > 0.0 && s.is_finite())) {
        return Err(Problem::BadValue {
            what: format!("a size of a {word}"),
            value: bad.to_string(),
            remedy: "it must be above 0".into(),
        });
    }
    match (word, sizes) {
        ("box", &[x, y, z]) => Ok(Form::Box {
            size: [x, y, z].into(),
        }),
        ("sphere", &[radius]) => Ok(Form::Sphere { radius }),
        ("cylinder", &[radius, length]) => Ok(Form::Cylinder { radius, length }),
        ("cone", &[radius, length]) => Ok(Form::Cone { radius, length }),
        _ => Err(Problem::Syntax {
            cause: format!("a {word} with {} sizes", sizes.len()),
            remedy: "a box has 3, a sphere 1, a cylinder and a cone 2".into(),
        }),
    }
}

/// A mesh whose triangles stand in the scene itself.
fn mesh(
    file: &Path,
    vertices: Vec<Point3<f64>>,
    triangles: Vec<[u32; 3]>,
) -> Result<(Form, Vec<String>), Problem> {
    let count = vertices.len();
    if let Some(bad) = triangles.iter().flatten().find(|v| **v as usize >= count) {
        return Err(Problem::BadValue {
            what: "a corner of a triangle".into(),
            value: format!("{bad}, of {count} vertices"),
            remedy: "corners count from 0".into(),
        });
    }
    let loaded = polygon_free_mesh(vertices, triangles)?;
    let form = Form::Mesh {
        mesh: Arc::new(loaded.mesh),
        file: file.to_owned(),
    };
    Ok((form, loaded.notes))
}
