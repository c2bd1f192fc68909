//! Meshes of a cell: each file is read once, and what was done to it is told once.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::Form;
use clearance_proof::report::{Code, Diagnostic, Severity};
use nalgebra::{Point3, Vector3};

use super::Builder;
use crate::loaded::UpAxis;
use crate::mesh::{CommentUnit, LoadedMesh, UpAxisRule, load_kept};
use crate::notes::note;
use crate::{ImportError, Location};

/// The mesh of an attachment, an obstacle or a free body.
pub(crate) struct BodyMesh<'a> {
    pub(crate) file: &'a Path,
    /// `None`: no scale is stated.
    pub(crate) scale: Option<Vector3<f64>>,
    /// The stated rule for its up axis, if there is one.
    pub(crate) up_axis: Option<UpAxisRule>,
    /// Name of the body.
    pub(crate) body: &'a str,
    /// Where the input names the body.
    pub(crate) place: Location,
}

/// A mesh file, its scale by bits, and how its up axis is taken.
type MeshKey = (PathBuf, [u64; 3], UpAxisRule);

/// What was read so far.
#[derive(Default)]
pub(super) struct ReadMeshes {
    known: HashMap<MeshKey, ReadMesh>,
    /// What was told of each file.
    told: HashSet<(PathBuf, String)>,
    /// Files with open round shapes.
    open_walls: HashSet<PathBuf>,
}

#[derive(Clone)]
struct ReadMesh {
    mesh: Arc<Mesh>,
    /// The up axis that the file states.
    axis: Option<&'static str>,
    /// The steps beyond plain reading.
    notes: Vec<String>,
    /// What leaves the question open.
    bend_doubt: Option<String>,
    /// The same, where no scale is stated; without a remedy as long as it is not known whose mesh it is.
    unit_doubt: Option<String>,
    /// The same, for bodies that are no links: the numbers of a robot's meshes are metres, whatever
    /// their exporters wrote into comments.
    comment_unit: Option<CommentUnit>,
}

impl Builder {
    /// Sets the rule for up axes of meshes in the URDFs that are added from now on; `None`: no
    /// rule.
    pub(crate) fn set_up_axis(&mut self, rule: Option<UpAxisRule>) {
        self.up_axis = rule;
    }

    /// Whether a mesh that was read has open round shapes, whose walls have both sides.
    pub(crate) fn has_open_walls(&self, file: &Path) -> bool {
        self.meshes.open_walls.contains(&real(file))
    }

    /// The mesh of a body that is no link. Where nobody has said what its up axis means it is turned
    /// upright, as COLLADA says; but exporters write an up axis over meshes that they did not turn,
    /// and there is no neighbour to hold the two readings against: the question stays open.
    pub(crate) fn body_mesh(&mut self, mesh: BodyMesh) -> Result<Form, ImportError> {
        let BodyMesh {
            file,
            scale,
            up_axis,
            body,
            place,
        } = mesh;
        let factors = scale.unwrap_or(Vector3::repeat(1.0));
        let mut read = self.mesh_by(file, factors, up_axis.unwrap_or_default())?;
        let of_unit = read.unit_doubt.map(|why| {
            format!(
                "{why}: state its `scale` (1 if the number is right), or correct <unit> in the file"
            )
        });
        let of_comment = read.comment_unit.as_ref().map(CommentUnit::doubt);
        read.unit_doubt = of_unit.or(of_comment).filter(|_| scale.is_none());
        let (form, axis) = self.used(file, read);
        if let (None, Some(axis)) = (up_axis, axis) {
            // The other reading is only compared: it adds no notes.
            let mesh = self.mesh_by(file, factors, UpAxisRule::Ignore)?.mesh;
            let unturned = Form::Mesh {
                mesh,
                file: file.to_owned(),
            };
            if !same_place(&form, &unturned) {
                let why = format!(
                    "the mesh states {axis}, and is turned upright, as COLLADA says; many tools leave such a mesh as it is \
                     written, and it is another body then: look at it in the HTML report, and say `dae_up_axis = \"apply\"` \
                     (turned) or `\"ignore\"` (as it is written) beside its `mesh` in a cell file"
                );
                let said = note(Code::UpAxis, body.to_owned(), why).at(place);
                self.loaded.cell.notices.push(Diagnostic {
                    severity: Severity::Open,
                    ..said
                });
            }
        }
        Ok(form)
    }

    /// A mesh of a link. Where nobody has said what its up axis means, the other reading is kept
    /// beside it.
    pub(super) fn link_mesh(
        &mut self,
        file: &Path,
        scale: Option<Vector3<f64>>,
        shape: usize,
    ) -> Result<Form, ImportError> {
        let rule = self.up_axis.unwrap_or(UpAxisRule::Ignore);
        let factors = scale.unwrap_or(Vector3::repeat(1.0));
        let mut read = self.mesh_by(file, factors, rule)?;
        // Exporters write "1 1 1" over every mesh: nobody has looked at it.
        let is_stated = factors != Vector3::repeat(1.0);
        let of_unit = read.unit_doubt.filter(|_| !is_stated);
        read.unit_doubt = of_unit.map(|why| {
            format!("{why}: correct <unit> in the file, or state another `scale` than \"1 1 1\" in the URDF")
        });
        let (form, axis) = self.used(file, read);
        if let (None, Some(axis)) = (self.up_axis, axis) {
            // The other reading is only compared: it adds no notes.
            let mesh = self.mesh_by(file, factors, UpAxisRule::Apply)?.mesh;
            let turned = Form::Mesh {
                mesh,
                file: file.to_owned(),
            };
            if !same_place(&form, &turned) {
                let body = self.loaded.cell.bodies.len(); // the link is added next
                self.loaded.up_axes.push(UpAxis {
                    body,
                    shape,
                    axis,
                    turned,
                });
            }
        }
        Ok(form)
    }

    /// A mesh from a file; the same file at the same scale is loaded once.
    fn mesh_by(
        &mut self,
        file: &Path,
        scale: Vector3<f64>,
        rule: UpAxisRule,
    ) -> Result<ReadMesh, ImportError> {
        // Other formats state no up axis: a mesh of a link and the same one in the cell are one.
        let rule = if is_collada(file) {
            rule
        } else {
            UpAxisRule::Apply
        };
        let scale_bits = [scale.x, scale.y, scale.z].map(f64::to_bits);
        let key = (real(file), scale_bits, rule);
        if let Some(known) = self.meshes.known.get(&key) {
            return Ok(known.clone());
        }
        let loaded = load_kept(file, scale, rule, self.kept.as_deref())?;
        let bend_doubt = loaded.bend_doubt();
        let LoadedMesh {
            mesh,
            notes,
            up_axis,
            unit_doubt,
            comment_unit,
            bend: _,
            open_walls,
        } = loaded;
        if open_walls {
            self.meshes.open_walls.insert(real(file));
        }
        if !self.loaded.files.iter().any(|f| f == file) {
            self.loaded.files.push(file.to_owned());
        }
        let read = ReadMesh {
            mesh: Arc::new(mesh),
            axis: up_axis,
            notes,
            bend_doubt,
            unit_doubt,
            comment_unit,
        };
        self.meshes.known.insert(key, read.clone());
        Ok(read)
    }

    /// Tells how a file was read that is part of the cell: each thing once, for both readings of an
    /// up axis where both are used.
    fn used(&mut self, file: &Path, read: ReadMesh) -> (Form, Option<&'static str>) {
        let real = real(file);
        for why in read.notes {
            if self.meshes.told.insert((real.clone(), why.clone())) {
                let said = note(Code::MeshFile, file.display().to_string(), why);
                self.loaded.cell.notes.push(said.at(Location::file(file)));
            }
        }
        for why in read.bend_doubt.into_iter().chain(read.unit_doubt) {
            if self.meshes.told.insert((real.clone(), why.clone())) {
                let said = note(Code::MeshFile, file.display().to_string(), why);
                self.loaded.cell.notices.push(Diagnostic {
                    severity: Severity::Open,
                    ..said.at(Location::file(file))
                });
            }
        }
        let form = Form::Mesh {
            mesh: read.mesh,
            file: file.to_owned(),
        };
        (form, read.axis)
    }
}

/// Whether the file's name is that of a COLLADA file.
pub(crate) fn is_collada(file: &Path) -> bool {
    file.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("dae"))
}

/// The file itself, by whatever name it is called.
fn real(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_owned())
}

/// A corner, rounded to a millionth of the mesh's size.
type Corner = [i64; 3];

/// Whether two meshes have the same surface: a cube that is turned by a quarter is where it was,
/// however its faces are cut into triangles.
fn same_place(a: &Form, b: &Form) -> bool {
    let (Form::Mesh { mesh: a, .. }, Form::Mesh { mesh: b, .. }) = (a, b) else {
        return false;
    };
    let size = a
        .vertices
        .iter()
        .map(|v| v.coords.amax())
        .fold(0.0, f64::max);
    let cell = (1e-6 * size).max(f64::MIN_POSITIVE);
    let rounded = |v: &Point3<f64>| [v.x, v.y, v.z].map(|x| (x / cell).round() as i64);
    let corners = |mesh: &Mesh| -> BTreeSet<Corner> { mesh.vertices.iter().map(rounded).collect() };
    corners(a) == corners(b) && outline(a, &rounded) == outline(b, &rounded)
}

/// The edges at which a surface ends or bends, each with the directions in which it goes on from
/// there, in thousandths. Edges between triangles of one plane are left out: what they bound
/// together says where the plane's part of the surface is.
fn outline(
    mesh: &Mesh,
    rounded: &impl Fn(&Point3<f64>) -> Corner,
) -> BTreeMap<[Corner; 2], BTreeSet<Corner>> {
    let mut seen = HashSet::new();
    let mut at: BTreeMap<[Corner; 2], Vec<Vector3<f64>>> = BTreeMap::new();
    for triangle in 0..mesh.triangles.len() {
        let corners = mesh.corners(triangle);
        let keys = corners.map(|p| rounded(&p));
        let mut sorted = keys;
        sorted.sort_unstable();
        if !seen.insert(sorted) {
            continue;
        }
        for k in 0..3 {
            let [from, to, other] = [k, (k + 1) % 3, (k + 2) % 3];
            let mut edge = [keys[from], keys[to]];
            edge.sort_unstable();
            let along = (corners[to] - corners[from]).normalize();
            let inwards = corners[other] - corners[from];
            let inwards = (inwards - along * inwards.dot(&along)).normalize();
            at.entry(edge).or_default().push(inwards);
        }
    }
    at.into_iter()
        .filter(|(_, on)| !matches!(on[..], [a, b] if (a + b).norm() < 1e-5))
        .map(|(edge, on)| {
            let thousandths = |d: Vector3<f64>| [d.x, d.y, d.z].map(|x| (x * 1e3).round() as i64);
            (edge, on.into_iter().map(thousandths).collect())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use clearance_proof::geometry::mesh::Mesh;

    use super::*;

    /// Triangles between corners of a cube of 2 m, numbered by the signs of x, y and z.
    fn of(triangles: &[[u32; 3]]) -> Form {
        let corner =
            |k: u32| Point3::from([0, 1, 2].map(|axis| f64::from(k >> axis & 1) * 2.0 - 1.0));
        Form::Mesh {
            mesh: Arc::new(Mesh {
                vertices: (0..8).map(corner).collect(),
                triangles: triangles.to_vec(),
            }),
            file: PathBuf::new(),
        }
    }

    fn square([a, b, c, d]: [u32; 4]) -> [[u32; 3]; 2] {
        [[a, b, c], [a, c, d]]
    }

    /// The faces at the lower and the upper end of each axis.
    const FACES: [[[u32; 4]; 2]; 3] = [
        [[0, 4, 6, 2], [1, 3, 7, 5]],
        [[0, 1, 5, 4], [2, 6, 7, 3]],
        [[0, 2, 3, 1], [4, 5, 7, 6]],
    ];

    fn faces(axes: &[usize]) -> Vec<[[u32; 4]; 2]> {
        axes.iter().map(|&axis| FACES[axis]).collect()
    }

    fn mesh(faces: &[[[u32; 4]; 2]]) -> Form {
        of(&faces
            .as_flattened()
            .iter()
            .flat_map(|&f| square(f))
            .collect::<Vec<_>>())
    }

    /// Catches plates of which each lies on corners of the other: all of their points are the same.
    #[test]
    fn surfaces_are_compared_and_not_points() {
        let plates = [0, 1, 2].map(|axis| mesh(&faces(&[axis])));
        let tubes = [[1, 2], [0, 2], [0, 1]].map(|axes| mesh(&faces(&axes)));
        for all in [plates, tubes] {
            for (i, a) in all.iter().enumerate() {
                for (j, b) in all.iter().enumerate() {
                    assert_eq!(same_place(a, b), i == j, "{i} {j}");
                }
            }
        }
    }

    /// Catches a question about a mesh that is cut into other triangles and stands where it stood.
    #[test]
    fn how_a_face_is_cut_does_not_matter() {
        let whole = faces(&[0, 1, 2]);
        let other = whole
            .iter()
            .map(|pair| pair.map(|[a, b, c, d]| [b, c, d, a]));
        let other: Vec<_> = other.collect();
        assert!(same_place(&mesh(&whole), &mesh(&other)));
        let mut back = whole.clone();
        back.reverse();
        for face in back.as_flattened_mut() {
            face.reverse();
        }
        assert!(same_place(&mesh(&whole), &mesh(&back)));
        // A triangle less is another surface.
        let Form::Mesh { mesh: cut, .. } = mesh(&whole) else {
            panic!("a mesh")
        };
        assert!(!same_place(&mesh(&whole), &of(&cut.triangles[1..])));
    }
}
