//! Octrees built to be looked at.

use std::sync::Arc;
use std::time::Instant;

use clearance_methods::backends::octree::{Colour, CubeFineness, Cubes, PlacedSolid, standing};
use clearance_proof::bvh::SphereTree;
use clearance_proof::check::scene::Scene;
use clearance_proof::geometry::pose::Pose;
use nalgebra::{Isometry3, Translation3};

use super::built::Built;
use super::{MadeTree, TreeRequest, TreeSource, empty, load_mesh, prepared};
use crate::error::Error;
use crate::findings::{
    Code, CubeLevelFacts, Diagnostic, Location, Severity, TreeFacts, TreeReport,
};
use crate::run::{CellJob, ProgressListener};

/// Shapes that stand together, and are divided together.
struct GivenCubes {
    name: String,
    solids: Vec<PlacedSolid>,
}

impl TreeRequest {
    /// The octree of a mesh, or those that a check makes of what stands still in a cell.
    pub(super) fn octrees(
        source: &TreeSource,
        leaf_radius: Option<f64>,
        listener: &dyn ProgressListener,
    ) -> Result<Self, Error> {
        let mut report = empty("octree");
        report.leaf_radius = leaf_radius;
        let given = match source {
            TreeSource::Mesh(file, scale) => {
                let tree = load_mesh(file, *scale, &mut report)?;
                if tree.has_open_components() {
                    report.unchecked.push(Diagnostic {
                        subject: report.source.clone(),
                        message: "its surface is open and has no inside: no cube is black because of what does not close"
                            .to_owned(),
                        place: Some(Location::file(file)),
severity: Severity::Unchecked,
                        code: Code::SurfaceOnly,
                    });
                }
                vec![GivenCubes {
                    name: report.source.clone(),
                    solids: vec![alone(tree)],
                }]
            }
            TreeSource::Cell(job) => of_cell(job, &mut report, listener)?,
        };
        let fineness = CubeFineness::of(leaf_radius);
        let mut made = Vec::new();
        for GivenCubes { name, solids } in given {
            let start = Instant::now();
            let cubes = Cubes::new(solids, &fineness);
            let build_seconds = start.elapsed().as_secs_f64();
            if cubes.cut_short {
                report.notes.push(Diagnostic::note(
                    Code::CoarseCubes,
                    &name,
                    format!(
                        "at most {} cubes: some mixed ones are larger than asked for, which changes no answer",
                        fineness.cubes
                    ),
                ));
            }
            let start = Instant::now();
            let gap = cubes.check().err().map(|e| e.to_string());
            report.trees.push(TreeFacts {
                name,
                triangles: cubes.faces.len(),
                rounding: 0.0,
                levels: Vec::new(),
                cubes: levels(&cubes),
                covered: gap.is_none(),
                gap,
                bytes: cubes.bytes(),
                build_seconds,
                check_seconds: start.elapsed().as_secs_f64(),
            });
            made.push(MadeTree {
                world_from_shape: Isometry3::identity(),
                built: Built::Octree(cubes),
            });
        }
        Ok(TreeRequest { made, report })
    }
}

/// Standing bodies, grouped as a check at the cell's thresholds groups them.
fn of_cell(
    job: &CellJob,
    report: &mut TreeReport,
    listener: &dyn ProgressListener,
) -> Result<Vec<GivenCubes>, Error> {
    let prepared = prepared(job, report, listener)?;
    let cell = &prepared.loaded.cell;
    let clearance = prepared.loaded.settings.clearance.unwrap_or(0.0);
    let scene = Scene::new(cell, &prepared.trees, &prepared.pairs, clearance);
    let groups = standing(&scene);
    let given: Vec<GivenCubes> = groups
        .iter()
        .map(|group| {
            let names: Vec<&str> = group
                .bodies
                .iter()
                .map(|&body| cell.bodies[body].name.as_str())
                .collect();
            GivenCubes {
                name: named(&names),
                solids: group.solids(&scene),
            }
        })
        .collect();
    if given.is_empty() {
        Err(Error::usage(format!(
            "{}: nothing stands still that is checked against something that moves, so there is no octree",
            report.source
        )))
    } else {
        Ok(given)
    }
}

/// Bodies that a line names at most.
const NAMED: usize = 8;

fn named(names: &[&str]) -> String {
    match names.split_at_checked(NAMED) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{} and {} more", first.join(", "), rest.len())
        }
        _ => names.join(", "),
    }
}

/// A mesh in its own frame.
fn alone(tree: Arc<SphereTree>) -> PlacedSolid {
    let place = Isometry3::from_parts(Translation3::from(tree.origin.coords), Default::default());
    PlacedSolid {
        pose: Pose::from(&place),
        solid: None,
        slot: 0,
        tree,
    }
}

fn levels(cubes: &Cubes) -> Vec<CubeLevelFacts> {
    let mut levels: Vec<CubeLevelFacts> = Vec::new();
    cubes.each(|depth, cube, node| {
        if levels.len() <= depth {
            levels.resize(
                depth + 1,
                CubeLevelFacts {
                    edge: cubes.root.edge * 0.5f64.powi(depth as i32),
                    white: 0,
                    mixed: 0,
                    black: 0,
                },
            );
        }
        debug_assert!(levels[depth].edge == cube.edge);
        match cubes.colour(node) {
            Colour::White => levels[depth].white += 1,
            Colour::Mixed => levels[depth].mixed += 1,
            Colour::Black => levels[depth].black += 1,
        }
    });
    levels
}
