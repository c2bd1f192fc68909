//! Sphere trees and octrees built to be looked at: measured, proved, and shown as spheres or cubes.

mod built;
mod cubes;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clearance_methods::MethodError;
use clearance_methods::balls::{BallLeaves, BallTree, Combine};
use clearance_methods::ranked::{
    CoverFineness, CoverRanks, MeshFaces, RankedCover, SphereBudget, usual_radius,
};
use clearance_proof::bvh::SphereTree;
use clearance_proof::geometry::mesh::Mesh;
use nalgebra::{Isometry3, Vector3};

use built::{Built, faces};

use super::prepare::{Prepared, prepare};
use super::{CellJob, ProgressListener, Settings};
use crate::error::Error;
use crate::findings::{Code, Diagnostic, Location, SCHEMA, TreeFacts, TreeReport};
use crate::run::export::{Look, Mark};

/// Where the shapes come from.
#[derive(Debug, Clone, PartialEq)]
pub enum TreeSource {
    /// A mesh file, and what makes metres of its numbers.
    Mesh(PathBuf, f64),
    /// All shapes of a cell, where they stand while nothing moves.
    Cell(CellJob),
}

/// Which trees are built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TreeKind {
    /// Trees of spheres.
    Spheres(SphereKind),
    /// Octrees; spheres around the least cubes have this radius at most, metres; `None`: cubes of a
    /// 128th of the whole.
    Octree(Option<f64>),
}

/// Which trees of spheres are built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SphereKind {
    /// Compact sphere trees, as the default check uses them.
    Compact,
    /// Greedy trees with tiles of this radius, metres; `None`: of a sixteenth of the shape's.
    Greedy(Option<f64>),
    /// Ranked covers with smallest spheres of this radius, metres; `None`: of the usual resolution,
    /// or of what takes no more than a million spheres.
    Ranked(Option<f64>, CoverRanks),
}

/// Spheres that the ranked covers of a mesh or a cell may have together: about 100 MB.
const MOST_SPHERES: usize = 4_000_000;

/// A shape to be covered.
struct GivenMesh {
    name: String,
    tree: Arc<SphereTree>,
    world_from_shape: Isometry3<f64>,
}

/// A tree at its place.
struct MadeTree {
    world_from_shape: Isometry3<f64>,
    built: Built,
}

/// The trees of a mesh or a cell.
pub struct TreeRequest {
    made: Vec<MadeTree>,
    report: TreeReport,
}

impl TreeRequest {
    /// Builds a tree for every shape, one after another, and measures it. Octrees are those of what
    /// stands still together.
    ///
    /// # Errors
    /// When a file cannot be used, or the spheres asked for are too many; with a remedy.
    pub fn new(
        source: &TreeSource,
        kind: TreeKind,
        listener: &dyn ProgressListener,
    ) -> Result<Self, Error> {
        match kind {
            TreeKind::Spheres(kind) => Self::spheres(source, kind, listener),
            TreeKind::Octree(leaf_radius) => Self::octrees(source, leaf_radius, listener),
        }
    }

    fn spheres(
        source: &TreeSource,
        kind: SphereKind,
        listener: &dyn ProgressListener,
    ) -> Result<Self, Error> {
        let (given, mut report) = given(source, listener)?;
        let mut fineness = CoverFineness::of(Settings::RESOLUTION_M);
        match kind {
            SphereKind::Compact => "sphere-tree".clone_into(&mut report.shape),
            SphereKind::Greedy(leaf_radius) => {
                "greedy".clone_into(&mut report.shape);
                report.leaf_radius = leaf_radius;
                if let Some(radius) = leaf_radius {
                    BallTree::tiles_fit(given.iter().map(|g| &*g.tree), radius)?;
                }
            }
            SphereKind::Ranked(leaf_radius, ranks) => {
                let usual = || usual_radius(&all_faces(&given), &ranks, fineness.leaf_radius);
                fineness = CoverFineness {
                    leaf_radius: leaf_radius.unwrap_or_else(usual),
                    ranks,
                };
                "ranked".clone_into(&mut report.shape);
                report.leaf_radius = Some(fineness.leaf_radius);
                report.ratio = Some(fineness.ranks.ratio);
            }
        }
        let budget = SphereBudget::new(MOST_SPHERES);
        let mut made = Vec::new();
        for shape in &given {
            let start = Instant::now();
            let built = match kind {
                SphereKind::Compact => Built::Compact(compact(&shape.tree)),
                SphereKind::Greedy(radius) => {
                    let leaves = BallLeaves::of(&shape.tree, radius);
                    let built = BallTree::new(&shape.tree, Combine::Greedy, leaves)
                        .map_err(|why| Error::usage(format!("{}: {why}", shape.name)))?;
                    Built::Greedy(built, shape.tree.clone())
                }
                SphereKind::Ranked(..) => {
                    let cover = RankedCover::build(faces(&shape.tree), &fineness, &budget);
                    let cover =
                        cover.map_err(|_| MethodError::Unsupported(refusal(&given, &fineness)))?;
                    Built::Ranked(cover, shape.tree.clone())
                }
            };
            let build_seconds = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let gap = built.gap();
            let check_seconds = start.elapsed().as_secs_f64();
            report.trees.push(TreeFacts {
                name: shape.name.clone(),
                triangles: shape.tree.triangles.len(),
                rounding: shape.tree.radius,
                levels: (0..built.levels()).map(|k| built.facts(k)).collect(),
                cubes: Vec::new(),
                covered: gap.is_none(),
                gap,
                bytes: built.bytes(),
                build_seconds,
                check_seconds,
            });
            made.push(MadeTree {
                world_from_shape: shape.world_from_shape,
                built,
            });
        }
        Ok(TreeRequest { made, report })
    }

    /// The report about them.
    pub fn report(&self) -> &TreeReport {
        &self.report
    }

    /// The spheres of one level (1: the largest) of every tree, or of the last ones; of a mesh in
    /// its own frame, of a cell in the world. Where a branch ends before that level, its end stands
    /// for it, so that these spheres cover the shape too. Of octrees the cubes that are not white.
    ///
    /// # Errors
    /// When no tree is so deep.
    pub fn marks(&self, level: Option<usize>) -> Result<(Look, Vec<Mark>), Error> {
        let deepest = self.made.iter().map(|m| m.built.levels()).max();
        let deepest = deepest.unwrap_or(0);
        let level = level.unwrap_or(deepest);
        let look = match self.made.first().map(|m| &m.built) {
            Some(Built::Octree(_)) => Look::Cubes,
            _ => Look::Spheres,
        };
        if !(1..=deepest).contains(&level) {
            let what = match look {
                Look::Spheres => "spheres",
                Look::Cubes => "cubes",
            };
            return Err(Error::usage(format!(
                "there is no level {level}; there are {deepest}, and level 1 has the largest {what}"
            )));
        }
        let mut marks = Vec::new();
        for made in &self.made {
            made.built.marks_at(level - 1, &mut |mark| {
                marks.push(Mark {
                    center: made.world_from_shape * mark.center,
                    ..mark
                });
            });
        }
        Ok((look, marks))
    }
}

/// A report about nothing yet.
fn empty(shape: &str) -> TreeReport {
    TreeReport {
        schema: SCHEMA,
        tool: "clearance".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        source: String::new(),
        shape: shape.to_owned(),
        leaf_radius: None,
        ratio: None,
        trees: Vec::new(),
        unchecked: Vec::new(),
        notes: Vec::new(),
    }
}

/// The shape of a mesh file; what makes metres of its numbers is `scale`.
fn load_mesh(file: &Path, scale: f64, report: &mut TreeReport) -> Result<Arc<SphereTree>, Error> {
    let loaded = clearance_formats::mesh::load(file, Vector3::repeat(scale))?;
    report.source = file.display().to_string();
    let notes = loaded.notes.into_iter();
    report.notes = notes
        .map(|why| Diagnostic::note(Code::MeshFile, &report.source, why).at(Location::file(file)))
        .collect();
    Ok(Arc::new(SphereTree::new(&loaded.mesh, 0.0)))
}

/// A cell, and what it leaves unchecked.
fn prepared(
    job: &CellJob,
    report: &mut TreeReport,
    listener: &dyn ProgressListener,
) -> Result<Prepared, Error> {
    let prepared = prepare(job, listener)?;
    report.source = job.source.name();
    report.unchecked = prepared.unchecked.clone();
    report.notes = prepared.notes.clone();
    Ok(prepared)
}

/// Every shape by itself.
fn given(
    source: &TreeSource,
    listener: &dyn ProgressListener,
) -> Result<(Vec<GivenMesh>, TreeReport), Error> {
    let mut report = empty("");
    let mut given = Vec::new();
    match source {
        TreeSource::Mesh(file, scale) => {
            let tree = load_mesh(file, *scale, &mut report)?;
            given.push(GivenMesh {
                name: report.source.clone(),
                tree,
                world_from_shape: Isometry3::identity(),
            });
        }
        TreeSource::Cell(job) => {
            let prepared = prepared(job, &mut report, listener)?;
            let cell = &prepared.loaded.cell;
            let joints = cell.forward(&cell.rest);
            for (id, body) in cell.bodies.iter().enumerate() {
                let world_from_body = cell.body_pose(&joints, id);
                let several = body.shapes.len() > 1;
                for (k, shape) in body.shapes.iter().enumerate() {
                    let number = if several {
                        format!(" ({})", k + 1)
                    } else {
                        String::new()
                    };
                    given.push(GivenMesh {
                        name: body.name.clone() + &number,
                        tree: prepared.trees[id][k].clone(),
                        world_from_shape: world_from_body * shape.body_from_shape,
                    });
                }
            }
        }
    }
    if given.is_empty() {
        Err(Error::usage(format!(
            "{}: no body has a shape; name a mesh file, or a cell with geometry",
            report.source
        )))
    } else {
        Ok((given, report))
    }
}

/// Built again, so that its time is that of building.
fn compact(tree: &SphereTree) -> SphereTree {
    let mesh = Mesh {
        vertices: tree.vertices.clone(),
        triangles: tree.triangles.clone(),
    };
    SphereTree::new(&mesh, tree.radius)
}

fn all_faces(given: &[GivenMesh]) -> Vec<MeshFaces<'_>> {
    given.iter().map(|g| faces(&g.tree)).collect()
}

fn refusal(given: &[GivenMesh], fineness: &CoverFineness) -> String {
    fineness.refusal(&all_faces(given), MOST_SPHERES)
}
