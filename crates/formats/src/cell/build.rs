//! Puts robots, attachments and obstacles into a cell.

mod meshes;
mod robot;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use clearance_proof::model::{Body, BodyId, Form, JointId};
use clearance_proof::report::{Code, Diagnostic, Severity};

use self::meshes::ReadMeshes;
pub(crate) use self::meshes::{BodyMesh, is_collada};
use crate::loaded::LoadedCell;
use crate::mesh::{KeptMeshes, UpAxisRule};
use crate::notes::note_at;
use crate::resolve::Resolver;
use crate::{ImportError, Location, Problem};

/// A cell under construction.
pub(crate) struct Builder {
    pub(crate) loaded: LoadedCell,
    pub(crate) resolver: Resolver,
    visual_as_collision: bool,
    meshes: ReadMeshes,
    /// Who keeps what reading meshes gave, if anybody does.
    pub(crate) kept: Option<Arc<dyn KeptMeshes>>,
    /// The rule of the robot that is being added for up axes of its meshes.
    up_axis: Option<UpAxisRule>,
    names: HashMap<String, BodyId>,
    /// Pairs that the matrices of scenes want checked.
    pub(crate) checked_by_scenes: HashSet<(BodyId, BodyId)>,
    /// For each joint that follows another one: the joint that its own `<mimic>` names.
    pub(crate) leaders: HashMap<JointId, JointLeader>,
}

/// A joint that another one follows, by this factor.
pub(crate) struct JointLeader {
    pub(crate) joint: JointId,
    pub(crate) factor: f64,
}

/// A body and where the input names it.
pub(crate) struct Named {
    pub(crate) body: Body,
    pub(crate) place: Location,
}

impl Builder {
    pub(crate) fn new(source: &Path, resolver: Resolver, visual_as_collision: bool) -> Self {
        let mut loaded = LoadedCell::default();
        loaded.cell.source = source.to_owned();
        Self {
            loaded,
            resolver,
            visual_as_collision,
            meshes: ReadMeshes::default(),
            kept: None,
            up_axis: None,
            names: HashMap::new(),
            checked_by_scenes: HashSet::new(),
            leaders: HashMap::new(),
        }
    }

    /// The cell, once everything is added.
    pub(crate) fn finished(mut self) -> LoadedCell {
        for name in self.resolver.packages_unused() {
            let place = Location::file(&self.loaded.cell.source);
            let said = format!(
                "stale name: a folder of the package `{name}` is stated, and no file that was read names this package"
            );
            let notes = &mut self.loaded.cell.notes;
            notes.push(note_at(Code::StaleName, place, said));
        }
        LoadedCell {
            packages: self.resolver.packages_used(),
            absent: self.resolver.absent(),
            ..self.loaded
        }
    }

    /// Says that angles of a pose can hardly be meant.
    pub(crate) fn suspicious_angle(&mut self, place: &Location, why: String, severity: Severity) {
        self.loaded.cell.notices.push(Diagnostic {
            subject: place.to_string(),
            place: Some(place.clone()),
            message: why,
            severity,
            code: Code::SuspiciousRpy,
        });
    }

    /// Adds a body under a name of its own.
    pub(crate) fn add_body(&mut self, named: Named) -> Result<BodyId, ImportError> {
        fits(&named.body.name, &named.place)?;
        within_reach(reach(&named.body), &named.body.name, &named.place)?;
        let id = self.loaded.cell.bodies.len();
        if self.names.insert(named.body.name.clone(), id).is_some() {
            return Err(ImportError {
                place: named.place,
                problem: Problem::Syntax {
                    cause: format!("a second body is called `{}`", named.body.name),
                    remedy: "give it a name of its own".into(),
                },
            });
        }
        self.loaded.cell.bodies.push(named.body);
        self.loaded.cell.places.insert(id, named.place);
        Ok(id)
    }

    /// Refuses a cell in which nothing is as large as a thousandth of a millimetre, and nothing as
    /// far apart: computing with it would underflow.
    pub(crate) fn large_enough(&self) -> Result<(), ImportError> {
        let joints = self.loaded.cell.joints.iter();
        let steps = joints.map(|j| j.parent_from_joint.translation.vector.norm());
        let bodies = self
            .loaded
            .cell
            .bodies
            .iter()
            .filter(|b| !b.shapes.is_empty());
        let sizes = bodies.clone().map(|b| reach(b) + farthest_vertex(b));
        let extent = steps.chain(sizes).fold(0.0, f64::max);
        if extent >= LEAST_M || bodies.count() == 0 {
            return Ok(());
        }
        Err(ImportError::file(
            &self.loaded.cell.source,
            Problem::BadValue {
                what: "size of the whole cell".into(),
                value: format!("below {LEAST_M:e} m"),
                remedy: "check the units: lengths are metres".into(),
            },
        ))
    }

    /// The body of that name.
    pub(crate) fn body(&self, name: &str) -> Option<BodyId> {
        self.names.get(name).copied()
    }
}

/// Refuses names that no report could show.
fn fits(name: &str, place: &Location) -> Result<(), ImportError> {
    if name.len() <= Diagnostic::LONGEST_QUOTE {
        return Ok(());
    }
    Err(ImportError {
        place: place.clone(),
        problem: Problem::BadValue {
            what: format!("the name `{name}`"),
            value: "too long".into(),
            remedy: format!("names have {} bytes at most", Diagnostic::LONGEST_QUOTE),
        },
    })
}

/// No robot's world is larger; beyond it sums lose their digits, and at last overflow.
const FARTHEST_M: f64 = 1e7;

/// A cell that is smaller than this altogether is a mistake of units: single precision underflows
/// in its squares, metres.
const LEAST_M: f64 = 1e-6;

/// How far the vertices of a body's meshes lie from the origins of their own frames, metres.
fn farthest_vertex(body: &Body) -> f64 {
    let farthest = body.shapes.iter().map(|shape| match &shape.form {
        Form::Mesh { mesh, .. } => {
            let away = mesh.vertices.iter().map(|v| v.coords.norm_squared());
            away.fold(0.0, f64::max).sqrt()
        }
        Form::Cloud { cloud, .. } => {
            let away = cloud.points().map(|p| p.coords.norm());
            away.fold(0.0, f64::max) + cloud.radius
        }
        _ => 0.0,
    });
    farthest.fold(0.0, f64::max)
}

fn within_reach(distance_m: f64, name: &str, place: &Location) -> Result<(), ImportError> {
    // Written so that an overflow to infinity or NaN is refused too.
    if distance_m.is_finite() && distance_m <= FARTHEST_M {
        return Ok(());
    }
    Err(ImportError {
        place: place.clone(),
        problem: Problem::BadValue {
            what: format!("place or size of `{name}`"),
            value: format!("beyond {FARTHEST_M:e} m"),
            remedy: "check the units: lengths are metres".into(),
        },
    })
}

/// A bound on how far the origin of a body's frame and its primitives lie from the frame that it
/// moves with.
fn reach(body: &Body) -> f64 {
    let shapes = body.shapes.iter().map(|shape| {
        let size = match &shape.form {
            Form::Mesh { .. } | Form::Cloud { .. } => 0.0, // checked when it was loaded
            Form::Box { size } => size.sum(),
            Form::Sphere { radius } => *radius,
            Form::Cylinder { radius, length }
            | Form::Cone { radius, length }
            | Form::Capsule { radius, length } => radius + length,
        };
        shape.body_from_shape.translation.vector.norm() + size
    });
    body.joint_from_body.translation.vector.norm() + shapes.sum::<f64>()
}
