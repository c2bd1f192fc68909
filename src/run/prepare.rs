//! From files to a cell that can be checked: read, judged, every shape with its tree, every pair
//! with its state.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clearance_formats::mesh::{FileKey, KeptMesh, KeptMeshes};
use clearance_formats::{ImportError, LoadedCell, Problem};
use clearance_proof::bvh::SphereTree;
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::{Cell, Form, Shape};
use clearance_proof::pairs::PairTable;
use rayon::prelude::*;

use super::extent::{BodyBoxes, Consequence, Suspicion, suspicions};
use super::loose_links::loose_links;
use super::several_shapes::lost_shapes;
use super::shape_tree::tree;
use super::suspicious_places::{FarObstacles, suspicious_places};
use super::uncovered::{allowed_widely, uncovered};
use super::unpack::{Unpacked, is_pack};
use super::up_axis::up_axes;
use super::urdf_unit::too_long_arms;
use super::{CacheFolder, CellJob, CellSource, ProgressEvent, ProgressListener, suspicious};
use crate::cache::Cache;
use crate::error::Error;
use crate::findings::{Code, Diagnostic, Severity};

/// A cell that can be checked.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// As it was read.
    pub loaded: LoadedCell,
    /// One tree per shape of every body.
    pub trees: Vec<Vec<Arc<SphereTree>>>,
    /// Which pairs are checked.
    pub pairs: PairTable,
    /// Parts of this cell that are not checked.
    pub unchecked: Vec<Diagnostic>,
    /// Notes that leave nothing unchecked.
    pub notes: Vec<Diagnostic>,
    /// Notices that a reader must see first.
    pub notices: Vec<Diagnostic>,
    /// Obstacles that one of the notices is about, and that events may bring.
    pub far_obstacles: Option<FarObstacles>,
    /// Bodies of a size that cannot be meant.
    pub impossible: Vec<Suspicion>,
    /// Seconds for reading files.
    pub load_seconds: f64,
    /// Seconds for building or fetching trees.
    pub tree_seconds: f64,
}

impl Prepared {
    /// Refuses a cell with bodies of a size that cannot be meant.
    ///
    /// # Errors
    /// With the first of them.
    pub fn refuse_impossible(&self) -> Result<(), Error> {
        let Some(first) = self.impossible.first() else {
            return Ok(());
        };
        let more = match self.impossible.len() {
            1 => String::new(),
            n => format!(" ({} more bodies likewise)", n - 1),
        };
        if let Some(place) = &first.place
            && let Some((cause, remedy)) = first.why.split_once("; ")
        {
            let problem = Problem::Geometry {
                cause: format!("`{}`: {cause}", first.body),
                remedy: format!("{remedy}{more}"),
            };
            let place = place.clone();
            return Err(ImportError { place, problem }.into());
        }
        let cell = self.loaded.cell.source.display();
        Err(Error::usage(format!(
            "{cell}: `{}`: {}{more}",
            first.body, first.why
        )))
    }
}

impl CacheFolder {
    /// Opens the cache.
    pub fn open(&self) -> Cache {
        match self {
            CacheFolder::Default => Cache::open(None),
            CacheFolder::At(folder) => Cache::open(Some(folder)),
            CacheFolder::Off => Cache::off(),
        }
    }
}

/// The results of reading large meshes, kept beside the trees.
#[derive(Debug)]
struct MeshesInCache(Arc<Cache>);

impl KeptMeshes for MeshesInCache {
    fn key(&self, length: u64, file: &mut dyn Read) -> io::Result<FileKey> {
        Cache::mesh_key(length, file)
    }

    fn get(&self, key: &FileKey) -> Option<KeptMesh> {
        let (mesh, degenerate) = self.0.mesh(key)?;
        Some(KeptMesh { mesh, degenerate })
    }

    fn put(&self, key: &FileKey, mesh: &Mesh, degenerate: u64) {
        self.0.keep_mesh(key, mesh, degenerate);
    }
}

impl CellJob {
    /// Reads it, be it a pack or not.
    ///
    /// # Errors
    /// When a file that is needed cannot be used.
    pub fn load(&self) -> Result<LoadedCell, ImportError> {
        match unpacked(self)? {
            Some(pack) => pack.load(self, None),
            None => self.load_kept(None),
        }
    }
}

/// The cell laid out, if it is a pack.
fn unpacked(job: &CellJob) -> Result<Option<Unpacked>, ImportError> {
    match &job.source {
        CellSource::File(file) if is_pack(file) => Unpacked::open(file).map(Some),
        _ => Ok(None),
    }
}

/// Reads a cell and prepares it.
///
/// # Errors
/// When a file that is needed cannot be used.
pub fn prepare(job: &CellJob, listener: &dyn ProgressListener) -> Result<Prepared, ImportError> {
    listener.event(&ProgressEvent::Loading);
    let start = Instant::now();
    let unpacked = unpacked(job)?;
    let cache = job.cache.open();
    let cache = Arc::new(match &unpacked {
        Some(pack) => cache.with_trees_of(pack.trees()),
        None => cache,
    });
    let kept: Option<Arc<dyn KeptMeshes>> = match cache.folder() {
        Some(_) => Some(Arc::new(MeshesInCache(cache.clone()))),
        None => None,
    };
    let loaded = match &unpacked {
        Some(pack) => pack.load(job, kept)?,
        None => job.load_kept(kept)?,
    };
    Ok(prepare_cell(loaded, start.elapsed(), &cache, listener))
}

/// Prepares a cell that has been read, in so much time.
pub(super) fn prepare_cell(
    loaded: LoadedCell,
    loading: Duration,
    cache: &Cache,
    listener: &dyn ProgressListener,
) -> Prepared {
    let start = Instant::now();
    let cell = &loaded.cell;
    let trees = trees(cell, cache, listener);
    let tree_seconds = start.elapsed().as_secs_f64();

    let pairs = PairTable::new(cell);
    let mut unchecked = cell.unchecked.clone();
    unchecked.extend(surfaces_only(cell, &trees));
    let boxes = BodyBoxes::of(cell);
    let (impossible, sizes): (Vec<_>, Vec<_>) = suspicions(cell, &boxes)
        .into_iter()
        .partition(|s| s.consequence == Consequence::Refused);
    // Notes that may change the reader's mind come first; how a mesh file was read is for those who
    // look closely.
    let (idle, mut notes): (Vec<Diagnostic>, Vec<Diagnostic>) =
        (pairs.notes.iter().cloned()).partition(|note| note.severity != Severity::Note);
    let (about_files, other): (Vec<Diagnostic>, Vec<Diagnostic>) = cell
        .notes
        .iter()
        .cloned()
        .partition(|note| note.code == Code::MeshFile);
    notes.extend(other);
    notes.extend(covers(cell));
    if let Some(problem) = cache.problem() {
        let folder = cache
            .folder()
            .map_or("tree cache".to_owned(), |f| f.display().to_string());
        notes.push(Diagnostic::note(Code::TreeCache, folder, problem));
    }
    notes.extend(about_files);
    let mut notices = uncovered(cell);
    notices.extend(allowed_widely(cell, &pairs));
    let too_long = too_long_arms(&loaded);
    let loose = loose_links(cell, &boxes);
    // Both make the reach that sizes are judged by.
    let is_open = |said: &Diagnostic| said.severity == Severity::Open;
    let judged = too_long.is_empty() && !loose.iter().any(is_open);
    notices.extend(too_long);
    notices.extend(loose);
    let sizes = sizes.into_iter().filter(|_| judged);
    notices.extend(sizes.map(|s| Diagnostic {
        subject: s.body,
        message: s.why,
        place: s.place,
        severity: s.consequence.severity(),
        code: Code::SuspiciousScale,
    }));
    notices.extend(lost_shapes(cell, &boxes));
    notices.extend(suspicious::without_area(cell));
    notices.extend(suspicious::limits_in_degrees(cell));
    notices.extend(suspicious::suspicious(cell, &boxes));
    let places = suspicious_places(&loaded, &boxes);
    notices.extend(places.notices);
    notices.extend(idle);
    notices.extend(up_axes(&loaded, &trees, cache));
    notices.extend(cell.notices.iter().cloned());
    Prepared {
        loaded,
        trees,
        pairs,
        unchecked,
        notes,
        notices,
        far_obstacles: places.far_obstacles,
        impossible,
        load_seconds: loading.as_secs_f64(),
        tree_seconds,
    }
}

/// A tree for every shape, in parallel.
fn trees(cell: &Cell, cache: &Cache, listener: &dyn ProgressListener) -> Vec<Vec<Arc<SphereTree>>> {
    let total = cell.bodies.iter().map(|b| b.shapes.len()).sum();
    let done = AtomicUsize::new(0);
    let tree = |shape: &Shape| {
        let tree = tree(&shape.form, cache);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        listener.event(&ProgressEvent::Trees { done, total });
        tree
    };
    cell.bodies
        .par_iter()
        .map(|body| body.shapes.par_iter().map(tree).collect())
        .collect()
}

/// A mesh that lies this many times its own size from its origin has too few digits for its inside.
const FAR: f64 = 1e5;

/// Meshes that are not closed: a body wholly inside such a one cannot be told from one outside.
/// `solid` of the cell file answers the question either way.
fn surfaces_only(cell: &Cell, trees: &[Vec<Arc<SphereTree>>]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (id, (body, trees)) in cell.bodies.iter().zip(trees).enumerate() {
        let shapes = body.shapes.iter().zip(trees);
        let open: Vec<_> = shapes.filter(|(s, t)| is_open(s, t)).collect();
        // A body within a closed piece is seen, whatever else the mesh has.
        let partly = open.iter().any(|(_, tree)| tree.has_closed_components());
        let why = match (open.is_empty(), partly) {
            (true, _) => continue,
            (false, true) => {
                "partly surface only: some pieces of its mesh are not closed, and what lies wholly inside one of these is not \
                 seen; inside the closed ones it is"
            }
            (false, false) => {
                "surface only: its mesh is not closed, so what lies wholly inside is not seen"
            }
        };
        let far = open
            .iter()
            .find_map(|(shape, _)| far_from_origin(&shape.form));
        let why = match far {
            Some(metres) => format!(
                "surface only: its mesh lies {metres:.0} m from the origin of its file, and so far away it is too thin to tell \
                 whether it encloses anything: what lies wholly inside is not seen; export it near the origin, and write the \
                 distance into `pose`"
            ),
            None => why.to_owned(),
        };
        found.push(Diagnostic {
            subject: body.name.clone(),
            message: why,
            place: cell.place(id),
            severity: Severity::Unchecked,
            code: Code::SurfaceOnly,
        });
    }
    found
}

/// How far from its origin a mesh lies whose closed pieces enclose nothing on that account, metres:
/// what is so far away is taken for a sheet that is drawn from both sides.
fn far_from_origin(form: &Form) -> Option<f64> {
    let Form::Mesh { mesh, .. } = form else {
        return None;
    };
    let around = mesh.bounds()?;
    let away = around.largest_coordinate();
    let is_far = away > FAR * around.size().amax();
    (is_far && mesh.flat_components() > 0).then_some(away)
}

fn is_open(shape: &Shape, tree: &SphereTree) -> bool {
    matches!(shape.form, Form::Mesh { .. }) && shape.solid.is_none() && !tree.closed
}

/// Primitives that are checked by something a little larger.
fn covers(cell: &Cell) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (id, body) in cell.bodies.iter().enumerate() {
        let excess = body
            .shapes
            .iter()
            .filter_map(|shape| {
                let what = match shape.form {
                    Form::Cylinder { .. } => "cylinder checked by a prism",
                    Form::Cone { .. } => "cone checked by a pyramid",
                    _ => return None,
                };
                Some((shape.form.excess(), what))
            })
            .max_by(|x, y| x.0.total_cmp(&y.0));
        if let Some((excess, what)) = excess {
            let why = format!(
                "{what} around it, at most {:.3} mm larger",
                (excess * 1e6).ceil() * 1e-3
            );
            let said = Diagnostic::note(Code::LargerShape, body.name.clone(), why);
            found.push(said.at(cell.place(id)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use clearance_proof::geometry::made::torus;
    use nalgebra::Vector3;

    use super::*;

    /// Catches a closed body of which it is said that it is open, with no word about why.
    #[test]
    fn a_closed_mesh_far_from_its_origin_is_told_as_that() {
        let at = |x: f64, closed: bool| {
            let mut mesh = torus(12);
            if !closed {
                mesh.triangles.pop();
            }
            for vertex in &mut mesh.vertices {
                *vertex += Vector3::new(x, 0.0, 0.0);
            }
            far_from_origin(&Form::Mesh {
                mesh: Arc::new(mesh),
                file: PathBuf::new(),
            })
        };
        assert!(at(9e6, true).is_some_and(|metres| metres >= 9e6));
        assert_eq!(at(0.0, true), None);
        assert_eq!(at(9e6, false), None);
    }
}
