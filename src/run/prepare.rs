//! From files to a cell that can be checked: read, judged, every shape with its tree, every pair with its state.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use clearance_formats::ImportError;
use clearance_proof::bvh::{SphereTree, mesh_and_radius};
use clearance_proof::geometry::primitive::cylinder_excess;
use clearance_proof::model::{Cell, Form, Remark, Shape, codes};
use clearance_proof::pairs::{PairTable, table};
use rayon::prelude::*;

use super::extent::{Suspicion, suspicions};
use super::uncovered::uncovered;
use super::up_axis::up_axes;
use super::{CacheFolder, CellJob, Event, Events, suspicious};
use crate::cache::Cache;
use crate::findings::Unchecked;

/// A cell that can be checked.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// As it was read.
    pub cell: Cell,
    /// One tree per shape of every body.
    pub trees: Vec<Vec<Arc<SphereTree>>>,
    /// Which pairs are checked.
    pub pairs: PairTable,
    /// What is not checked in this cell.
    pub unchecked: Vec<Remark>,
    /// What was noticed and leaves nothing unchecked.
    pub notes: Vec<Remark>,
    /// What a reader must see first.
    pub notices: Vec<Remark>,
    /// Bodies of a size that cannot be meant.
    pub impossible: Vec<Suspicion>,
    /// Seconds for reading files.
    pub load_seconds: f64,
    /// Seconds for building or fetching trees.
    pub tree_seconds: f64,
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

/// Reads a cell and prepares it.
///
/// # Errors
/// When a file that is needed cannot be used.
pub fn prepare(job: &CellJob, events: &dyn Events) -> Result<Prepared, ImportError> {
    events.event(&Event::Loading);
    let start = Instant::now();
    let cell = job.load()?;
    let load_seconds = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let cache = job.cache.open();
    let trees = trees(&cell, &cache, events);
    let tree_seconds = start.elapsed().as_secs_f64();

    let pairs = table(&cell);
    let mut unchecked = cell.unchecked.clone();
    unchecked.extend(surfaces_only(&cell, &trees));
    let (impossible, sizes): (Vec<_>, Vec<_>) =
        suspicions(&cell).into_iter().partition(|s| s.impossible);
    // What may change the reader's mind comes first; how a mesh file was read is for those who look closely.
    let mut notes: Vec<Remark> = pairs.notes.clone();
    let (about_files, other): (Vec<Remark>, Vec<Remark>) =
        cell.notes.iter().cloned().partition(about_mesh_file(&cell));
    notes.extend(other);
    notes.extend(covers(&cell));
    if let Some(trouble) = cache.trouble() {
        let folder = cache
            .folder()
            .map_or("tree cache".to_owned(), |f| f.display().to_string());
        notes.push(note(folder, trouble));
    }
    notes.extend(about_files);
    let mut notices = uncovered(&cell);
    notices.extend(sizes.into_iter().map(|s| Remark {
        what: s.body,
        why: s.why,
        open: false,
        code: Some(codes::SUSPICIOUS_SCALE),
    }));
    notices.extend(suspicious::suspicious(&cell));
    notices.extend(up_axes(&cell, &trees, &cache));
    notices.extend(cell.notices.iter().cloned());
    Ok(Prepared {
        cell,
        trees,
        pairs,
        unchecked,
        notes,
        notices,
        impossible,
        load_seconds,
        tree_seconds,
    })
}

/// A tree for every shape, in parallel.
fn trees(cell: &Cell, cache: &Cache, events: &dyn Events) -> Vec<Vec<Arc<SphereTree>>> {
    let total = cell.bodies.iter().map(|b| b.shapes.len()).sum();
    let done = AtomicUsize::new(0);
    let tree = |shape: &Shape| {
        let tree = tree(&shape.form, cache);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        events.event(&Event::Trees { done, total });
        tree
    };
    cell.bodies
        .par_iter()
        .map(|body| body.shapes.par_iter().map(tree).collect())
        .collect()
}

/// The tree of a shape, kept or built.
pub(super) fn tree(form: &Form, cache: &Cache) -> Arc<SphereTree> {
    let (mesh, radius) = mesh_and_radius(form);
    cache.tree(&mesh, radius)
}

/// Meshes that are not closed: a body wholly inside such a one cannot be told from one outside. `solid` of the cell file
/// answers the question either way.
fn surfaces_only(cell: &Cell, trees: &[Vec<Arc<SphereTree>>]) -> Vec<Remark> {
    let mut found = Vec::new();
    for (body, trees) in cell.bodies.iter().zip(trees) {
        let shapes = body.shapes.iter().zip(trees);
        let open: Vec<_> = shapes.filter(|(s, t)| is_open(s, t)).collect();
        // What lies within a closed piece is seen, whatever else the mesh has.
        let partly = open.iter().any(|(_, tree)| tree.has_closed_pieces());
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
        found.push(Remark {
            what: body.name.clone(),
            why: why.to_owned(),
            open: false,
            code: None,
        });
    }
    found
}

fn is_open(shape: &Shape, tree: &SphereTree) -> bool {
    matches!(shape.form, Form::Mesh { .. }) && shape.solid.is_none() && !tree.closed
}

/// Whether a remark is about a mesh file of the cell.
fn about_mesh_file(cell: &Cell) -> impl Fn(&Remark) -> bool {
    let shapes = cell.bodies.iter().flat_map(|b| &b.shapes);
    let files: HashSet<String> = shapes
        .filter_map(|shape| match &shape.form {
            Form::Mesh { file, .. } => Some(file.display().to_string()),
            _ => None,
        })
        .collect();
    move |remark| files.contains(&remark.what)
}

/// Primitives that are checked by something a little larger.
fn covers(cell: &Cell) -> Vec<Remark> {
    let mut found = Vec::new();
    for body in &cell.bodies {
        let excess = body
            .shapes
            .iter()
            .map(|shape| match shape.form {
                Form::Cylinder { radius, .. } => cylinder_excess(radius),
                _ => 0.0,
            })
            .fold(0.0, f64::max);
        if excess > 0.0 {
            let why = format!(
                "cylinder checked by a prism around it, at most {:.3} mm larger",
                (excess * 1e6).ceil() * 1e-3
            );
            found.push(note(body.name.clone(), why));
        }
    }
    found
}

fn note(what: String, why: String) -> Remark {
    Remark {
        what,
        why,
        open: false,
        code: None,
    }
}

/// A remark as reports print it.
pub(super) fn reported(remarks: &[Remark]) -> Vec<Unchecked> {
    let remarks = remarks.iter();
    remarks
        .map(|r| Unchecked {
            what: r.what.clone(),
            why: r.why.clone(),
            code: r.code.map(str::to_owned),
        })
        .collect()
}
