//! A cell that is ready to be checked, for those who use the proof as a library.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3};

use super::Snapshot;
use super::bisection::{CheckOptions, CheckResult};
use super::nearest::InstantAnswer;
use super::scene::Scene;
use crate::ProofError;
use crate::bvh::SphereTree;
use crate::model::{Cell, Form, Polynomials, Segment, Shape, Trajectory, Uncertainty};
use crate::pairs::PairTable;
use crate::report::{Severity, Verdict};

fn unsupported<T>(why: &str) -> Result<T, ProofError> {
    Err(ProofError::Unsupported(why.to_owned()))
}

/// A cell with a sphere tree for every shape, and the pairs that are checked.
#[derive(Debug, Clone)]
pub struct Checker {
    cell: Cell,
    trees: Vec<Vec<Arc<SphereTree>>>,
    pairs: PairTable,
    usable: Result<(), ProofError>,
}

/// Refuses numbers for which a comparison always says that bodies are far enough apart, or which a
/// box around points leaves out: NaN and infinite ones, sizes below 0. And joints that follow a joint
/// which follows another one: their values are taken from it as they are.
fn is_usable(cell: &Cell) -> Result<(), ProofError> {
    let finite = |pose: &Isometry3<f64>| {
        pose.translation.vector.iter().all(|x| x.is_finite())
            && pose.rotation.coords.iter().all(|x| x.is_finite())
    };
    for joint in &cell.joints {
        if !finite(&joint.parent_from_joint) || !joint.axis.iter().all(|x| x.is_finite()) {
            return unsupported(&format!(
                "the place and axis of the joint `{}` must be finite numbers",
                joint.name
            ));
        }
        if let Some(mimic) = joint.mimic {
            let number = mimic.multiplier.is_finite() && mimic.offset.is_finite();
            let source = cell.joints.get(mimic.source);
            if !number || source.is_none_or(|source| source.mimic.is_some()) {
                return unsupported(&format!(
                    "the joint `{}` must follow a joint that follows none, by finite numbers",
                    joint.name
                ));
            }
        }
    }
    for body in &cell.bodies {
        let places = body.shapes.iter().map(|shape| &shape.body_from_shape);
        let sized = body.shapes.iter().all(|shape| is_sized(&shape.form));
        if !finite(&body.joint_from_body) || !places.into_iter().all(finite) || !sized {
            return unsupported(&format!(
                "the place, the corners and the sizes of the body `{}` must be finite numbers, and sizes 0 or more",
                body.name
            ));
        }
    }
    Ok(())
}

/// Whether all numbers of a shape are finite, sizes are none below 0, and triangles have their
/// corners.
fn is_sized(form: &Form) -> bool {
    let length = |x: &f64| x.is_finite() && *x >= 0.0;
    let is_place = |p: &Point3<f64>| p.iter().all(|x| x.is_finite());
    match form {
        Form::Mesh { mesh, .. } => {
            let (known, mut corners) = (mesh.vertices.len(), mesh.triangles.iter().flatten());
            corners.all(|&v| (v as usize) < known) && mesh.vertices.iter().all(is_place)
        }
        Form::Box { size } => size.iter().all(length),
        Form::Cloud { cloud, .. } => {
            length(&cloud.radius) && cloud.points().all(|point| is_place(&point))
        }
        Form::Sphere { radius } => length(radius),
        Form::Cylinder {
            radius,
            length: along,
        }
        | Form::Cone {
            radius,
            length: along,
        }
        | Form::Capsule {
            radius,
            length: along,
        } => length(radius) && length(along),
    }
}

/// Closes what counts as closed.
fn close(shape: &mut Shape) {
    let Form::Mesh { mesh, .. } = &mut shape.form else {
        return;
    };
    if let Some(closed) = mesh.with_shared_corners().seams_closed() {
        *mesh = Arc::new(closed.mesh);
    }
    if shape.solid == Some(true)
        && let Some(closed) = mesh.with_shared_corners().holes_closed()
    {
        *mesh = Arc::new(closed.mesh);
    }
}

impl Checker {
    /// Builds the trees. Seams that only rounding has opened are closed first, and meshes that are
    /// stated to be solid ([`crate::model::Shape::solid`]), as those of cell files are. The
    /// triangles that close them count as surface and are part of [`Self::cell`]. A cell with
    /// numbers that are none is taken, and every question about it is refused.
    pub fn new(mut cell: Cell) -> Self {
        let usable = is_usable(&cell);
        if usable.is_ok() {
            for shape in cell.bodies.iter_mut().flat_map(|body| &mut body.shapes) {
                close(shape);
            }
        }
        let tree = |shape: &Shape| match usable {
            Ok(()) => Arc::new(SphereTree::of(&shape.form)),
            // No question is answered, so nobody asks for it.
            Err(_) => Arc::new(SphereTree::of(&Form::Sphere { radius: 0.0 })),
        };
        let bodies = cell.bodies.iter();
        let trees = bodies
            .map(|body| body.shapes.iter().map(tree).collect())
            .collect();
        let pairs = PairTable::new(&cell);
        Checker {
            cell,
            trees,
            pairs,
            usable,
        }
    }

    /// The cell.
    pub fn cell(&self) -> &Cell {
        &self.cell
    }

    /// The trees of every shape of every body.
    pub fn trees(&self) -> &[Vec<Arc<SphereTree>>] {
        &self.trees
    }

    /// Which pairs are checked, and for every other one the reason why not.
    pub fn pairs(&self) -> &PairTable {
        &self.pairs
    }

    /// Whether every checked pair stays more than `required_clearance` (metres) apart at every
    /// instant of the motion. Pairs with a threshold of their own keep it. Where there is no pair
    /// to check, or the cell says that something which moves is not checked ([`Severity::Open`]),
    /// the answer is never better than `unverified`.
    ///
    /// # Errors
    /// When threshold or resolution are not lengths, when the motion is empty or that of another
    /// cell, or when numbers of the cell are not finite.
    pub fn check(
        &self,
        trajectory: &Trajectory,
        required_clearance: f64,
        options: &CheckOptions,
    ) -> Result<CheckResult, ProofError> {
        self.usable.clone()?;
        let length = |x: f64, least: f64| x.is_finite() && x >= least;
        if !length(required_clearance, 0.0) || !length(options.resolution, f64::MIN_POSITIVE) {
            return unsupported(
                "the required clearance must be 0 m or more, the resolution above 0 m",
            );
        }
        if trajectory.segments.is_empty() {
            return unsupported("the motion has no segment; give it a waypoint");
        }
        if !trajectory.segments.iter().all(|s| self.fits(&s.joints)) {
            return unsupported("every segment must give finite values for all joints of the cell");
        }
        let sized = |u: &Uncertainty| {
            let bodies = [u.tool.len(), u.obstacle.len(), u.mesh.len()];
            bodies == [self.cell.bodies.len(); 3]
                && u.base.len() == self.cell.robots.len()
                && u.model.len() == self.cell.joints.len()
                && u.joint.len() == self.cell.joints.len()
        };
        if !self.cell.uncertainty.as_ref().is_none_or(sized) {
            return unsupported("the uncertainty must have one entry for everything in the cell");
        }
        if !self.cell.uncertainty.iter().all(Uncertainty::is_bounded) {
            return unsupported(
                "every error of the uncertainty must be a finite number, 0 or more",
            );
        }
        self.thresholds_are_lengths()?;
        let scene = self.scene(required_clearance);
        let mut result = scene.check(trajectory, options, &|_| ());
        let mut said = self.cell.unchecked.iter().chain(&self.cell.notices);
        let open = scene.pairs.is_empty() || said.any(|d| d.severity == Severity::Open);
        if open && result.verdict == Verdict::Clear {
            result.verdict = Verdict::Unverified;
        }
        Ok(result)
    }

    /// Refuses thresholds that are not lengths: no distance is less than NaN, so every pair would
    /// be clear.
    fn thresholds_are_lengths(&self) -> Result<(), ProofError> {
        let mut lengths = self.cell.thresholds.iter().map(|t| t.clearance);
        if lengths.all(|x| x.is_finite() && x >= 0.0) {
            return Ok(());
        }
        unsupported("every pair's own clearance must be a finite length, 0 m or more")
    }

    /// Whether there is a finite polynomial for every joint.
    fn fits(&self, joints: &Polynomials) -> bool {
        joints.len() == self.cell.joints.len() && joints.iter().flatten().all(f64::is_finite)
    }

    /// The nearest pair of bodies, and all contacts, where the joints have these values (radians or
    /// metres, one per joint).
    ///
    /// # Errors
    /// When there is not one finite value for every joint, or the threshold is not a length.
    pub fn distance(
        &self,
        values: &[f64],
        required_clearance: f64,
    ) -> Result<InstantAnswer, ProofError> {
        self.usable.clone()?;
        let instant = Segment::instant(values);
        if !self.fits(&instant.joints)
            || !required_clearance.is_finite()
            || required_clearance < 0.0
        {
            return unsupported(
                "give a finite value for every joint, and a required clearance of 0 m or more",
            );
        }
        self.thresholds_are_lengths()?;
        let scene = self.scene(required_clearance);
        let mut snapshot = Snapshot::default();
        snapshot.set(&scene, &instant, 0.0);
        Ok(scene.at_instant(&mut snapshot, &[]))
    }

    fn scene(&self, required_clearance: f64) -> Scene<'_> {
        Scene::new(&self.cell, &self.trees, &self.pairs, required_clearance)
    }
}

#[cfg(test)]
mod tests;
