//! Sphere trees built to be looked at: measured, proved, and shown as spheres.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use nalgebra::{Isometry3, Point3, Vector3};

use super::prepare::{prepare, reported};
use super::{CellJob, Events};
use crate::findings::{LevelFacts, TreeFacts, TreeReport, Unchecked};
use crate::geometry::mesh::Mesh;
use crate::import;
use crate::model::kinematics::{body_pose, forward};
use crate::spheres::balls::{BallTree, Below, Combine, Leaves};
use crate::spheres::export::Ball;
use crate::spheres::ranked::{Budget, Faces, Fineness, RankedCover};
use crate::spheres::{SphereTree, build};

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
    /// Compact sphere trees, as the default check uses them.
    Compact,
    /// Greedy trees with tiles of this radius, metres; `None`: of a sixteenth of the shape's.
    Greedy(Option<f64>),
    /// Ranked covers.
    Ranked(Fineness),
}

/// Spheres that the ranked covers of a mesh or a cell may have together: about 100 MB.
const MOST_SPHERES: usize = 4_000_000;

/// A shape to be covered.
struct Given {
    name: String,
    tree: Arc<SphereTree>,
    world_from_shape: Isometry3<f64>,
}

/// What was built for a shape.
enum Built {
    Compact(SphereTree),
    Greedy(BallTree, Point3<f64>),
    Ranked(RankedCover),
}

/// The trees of a mesh or a cell.
pub struct Trees {
    given: Vec<Given>,
    built: Vec<Built>,
    report: TreeReport,
}

impl Trees {
    /// Builds a tree for every shape, one after another, and measures it.
    ///
    /// # Errors
    /// When a file cannot be used, or the spheres asked for are too many; with a remedy.
    pub fn new(source: &TreeSource, kind: TreeKind, events: &dyn Events) -> Result<Self, String> {
        let mut trees = Self::given(source, events)?;
        let report = &mut trees.report;
        match kind {
            TreeKind::Compact => "sphere-tree".clone_into(&mut report.shape),
            TreeKind::Greedy(leaf_radius) => {
                "greedy".clone_into(&mut report.shape);
                report.leaf_radius = leaf_radius;
                if let Some(radius) = leaf_radius {
                    BallTree::tiles_fit(trees.given.iter().map(|g| &*g.tree), radius)?;
                }
            }
            TreeKind::Ranked(fineness) => {
                "ranked".clone_into(&mut report.shape);
                report.leaf_radius = Some(fineness.leaf_radius);
                report.ratio = Some(fineness.ratio);
            }
        }
        let budget = Budget::new(MOST_SPHERES);
        for given in &trees.given {
            let start = Instant::now();
            let built = match kind {
                TreeKind::Compact => Built::Compact(compact(&given.tree)),
                TreeKind::Greedy(radius) => {
                    let leaves = Leaves::of(&given.tree, radius);
                    let built = BallTree::new(&given.tree, Combine::Greedy, leaves)
                        .map_err(|why| format!("{}: {why}", given.name))?;
                    Built::Greedy(built, given.tree.origin)
                }
                TreeKind::Ranked(fineness) => {
                    let cover = RankedCover::build(faces(&given.tree), &fineness, &budget);
                    Built::Ranked(cover.map_err(|_| refusal(&trees.given, &fineness))?)
                }
            };
            let build_seconds = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let gap = built.gap(&given.tree);
            let check_seconds = start.elapsed().as_secs_f64();
            report.trees.push(TreeFacts {
                name: given.name.clone(),
                triangles: given.tree.triangles.len(),
                rounding: given.tree.rounding,
                levels: (0..built.levels()).map(|k| built.facts(k)).collect(),
                covered: gap.is_none(),
                gap,
                bytes: built.bytes(),
                build_seconds,
                check_seconds,
            });
            trees.built.push(built);
        }
        Ok(trees)
    }

    /// What there is to say about them.
    pub fn report(&self) -> &TreeReport {
        &self.report
    }

    /// The spheres of one level (1: the largest) of every tree, or of the last ones; of a mesh in its own frame, of a cell in
    /// the world. Where a branch ends before that level, its end stands for it, so that these spheres cover the shape too.
    ///
    /// # Errors
    /// When no tree is so deep.
    pub fn spheres(&self, level: Option<usize>) -> Result<Vec<Ball>, String> {
        let deepest = self.built.iter().map(Built::levels).max().unwrap_or(0);
        let level = level.unwrap_or(deepest);
        if !(1..=deepest).contains(&level) {
            return Err(format!(
                "there is no level {level}; there are {deepest}, and level 1 has the largest spheres"
            ));
        }
        let mut balls = Vec::new();
        for (given, built) in self.given.iter().zip(&self.built) {
            built.cover_at(level - 1, given.tree.rounding, &mut |ball| {
                balls.push(Ball {
                    center: given.world_from_shape * ball.center,
                    ..ball
                });
            });
        }
        Ok(balls)
    }

    fn given(source: &TreeSource, events: &dyn Events) -> Result<Self, String> {
        let mut report = TreeReport {
            schema: 1,
            tool: "clearance".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            source: String::new(),
            shape: String::new(),
            leaf_radius: None,
            ratio: None,
            trees: Vec::new(),
            unchecked: Vec::new(),
            notes: Vec::new(),
        };
        let mut given = Vec::new();
        match source {
            TreeSource::Mesh(file, scale) => {
                let loaded = import::mesh::load(file, Vector3::repeat(*scale));
                let loaded = loaded.map_err(|e| e.to_string())?;
                report.source = file.display().to_string();
                report.notes.extend(loaded.notes.into_iter().map(|why| {
                    let what = report.source.clone();
                    Unchecked { what, why }
                }));
                given.push(Given {
                    name: report.source.clone(),
                    tree: Arc::new(build(&loaded.mesh, 0.0)),
                    world_from_shape: Isometry3::identity(),
                });
            }
            TreeSource::Cell(job) => {
                let prepared = prepare(job, events).map_err(|e| e.to_string())?;
                report.source = job.source.name();
                report.unchecked = reported(&prepared.unchecked);
                report.notes = reported(&prepared.notes);
                let cell = &prepared.cell;
                let joints = forward(cell, &cell.rest);
                for (id, body) in cell.bodies.iter().enumerate() {
                    let world_from_body = body_pose(cell, &joints, id);
                    let several = body.shapes.len() > 1;
                    for (k, shape) in body.shapes.iter().enumerate() {
                        let number = if several {
                            format!(" ({})", k + 1)
                        } else {
                            String::new()
                        };
                        given.push(Given {
                            name: body.name.clone() + &number,
                            tree: prepared.trees[id][k].clone(),
                            world_from_shape: world_from_body * shape.body_from_shape,
                        });
                    }
                }
            }
        }
        if given.is_empty() {
            return Err(format!("{}: there is no shape in there", report.source));
        }
        Ok(Self {
            given,
            built: Vec::new(),
            report,
        })
    }
}

impl Built {
    fn levels(&self) -> usize {
        match self {
            Built::Compact(tree) => depths(tree).into_iter().max().map_or(0, |d| d + 1),
            Built::Greedy(tree, _) => tree.depths().into_iter().max().map_or(0, |d| d + 1),
            Built::Ranked(cover) => cover.ranks.len(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Built::Compact(tree) => tree.memory_bytes(),
            Built::Greedy(tree, _) => tree.memory_bytes(),
            Built::Ranked(cover) => cover.memory_bytes(),
        }
    }

    /// Where the proof that it covers its shape fails.
    fn gap(&self, tree: &SphereTree) -> Option<String> {
        match self {
            Built::Compact(built) => built.check().err(),
            Built::Greedy(built, _) => built.check().err(),
            Built::Ranked(cover) => cover.prove(faces(tree)).err().map(|gap| {
                let [x, y, z]: [f64; 3] = gap.point.into();
                format!("triangle {} near ({x:.6}, {y:.6}, {z:.6})", gap.triangle)
            }),
        }
    }

    fn facts(&self, level: usize) -> LevelFacts {
        let mut radii = Vec::new();
        match self {
            Built::Compact(tree) => {
                let at_level = tree.nodes.iter().zip(depths(tree));
                let at_level = at_level.filter(|(_, depth)| *depth == level);
                radii.extend(at_level.map(|(node, _)| f64::from(node.radius)));
            }
            Built::Greedy(tree, _) => {
                let at_level = tree.nodes.iter().zip(tree.depths());
                let at_level = at_level.filter(|(_, depth)| *depth == level);
                radii.extend(at_level.map(|(node, _)| node.radius));
            }
            Built::Ranked(cover) => {
                radii.extend(cover.ranks[level].iter().map(|s| f64::from(s.radius)));
            }
        }
        let nominal_radius = match self {
            Built::Compact(_) | Built::Greedy(..) => None,
            Built::Ranked(cover) => Some(cover.radii[level]),
        };
        LevelFacts {
            spheres: radii.len(),
            nominal_radius,
            least_radius: radii.iter().copied().fold(f64::INFINITY, f64::min),
            mean_radius: radii.iter().sum::<f64>() / radii.len() as f64,
            greatest_radius: radii.iter().copied().fold(0.0, f64::max),
        }
    }

    /// The spheres of a level and those of branches that end before it, in the shape's frame.
    fn cover_at(&self, level: usize, rounding: f64, show: &mut dyn FnMut(Ball)) {
        let mut ball = |center: Vector3<f64>, radius: f64, origin: &Point3<f64>| {
            show(Ball {
                center: origin + center,
                radius: radius + rounding,
            });
        };
        match self {
            Built::Compact(tree) => {
                for (node, depth) in tree.nodes.iter().zip(depths(tree)) {
                    if depth == level || (depth < level && node.is_leaf()) {
                        let center = Vector3::from(node.center.map(f64::from));
                        ball(center, f64::from(node.radius), &tree.origin);
                    }
                }
            }
            Built::Greedy(tree, origin) => {
                for (node, depth) in tree.nodes.iter().zip(tree.depths()) {
                    let ends = matches!(node.below, Below::Triangle(_));
                    if depth == level || (depth < level && ends) {
                        ball(node.center, node.radius, origin);
                    }
                }
            }
            Built::Ranked(cover) => {
                let last = cover.ranks.len().saturating_sub(1);
                for sphere in cover.ranks.get(level.min(last)).into_iter().flatten() {
                    ball(sphere.place(), f64::from(sphere.radius), &cover.origin);
                }
            }
        }
    }
}

/// How deep every node lies; the root at 0.
fn depths(tree: &SphereTree) -> Vec<usize> {
    let mut depths = vec![0; tree.nodes.len()];
    for (index, node) in tree.nodes.iter().enumerate() {
        if !node.is_leaf() {
            let (first, below) = (node.first as usize, depths[index] + 1);
            depths[first..first + 2].fill(below);
        }
    }
    depths
}

fn faces(tree: &SphereTree) -> Faces<'_> {
    (&tree.vertices, &tree.triangles)
}

/// Built again, so that its time is that of building.
fn compact(tree: &SphereTree) -> SphereTree {
    let mesh = Mesh {
        vertices: tree.vertices.clone(),
        triangles: tree.triangles.clone(),
    };
    build(&mesh, tree.rounding)
}

fn refusal(given: &[Given], fineness: &Fineness) -> String {
    let all: Vec<Faces> = given.iter().map(|g| faces(&g.tree)).collect();
    fineness.refusal(&all, MOST_SPHERES)
}
