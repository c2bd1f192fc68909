//! Puts robots, attachments and obstacles into a cell.

mod meshes;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use clearance_proof::model::{Body, BodyId, Form, Joint, JointId, Mimic, Robot, Role, Shape};
use clearance_proof::report::{Code, Diagnostic, Severity};
use nalgebra::{Isometry3, Vector3};

use self::meshes::ReadMeshes;
pub(crate) use self::meshes::{BodyMesh, is_collada};
use crate::loaded::LoadedCell;
use crate::mesh::{KeptMeshes, UpAxisRule};
use crate::names::qualified;
use crate::notes::{note, note_at};
use crate::resolve::Resolver;
use crate::urdf::{self, Description, Outline, UrdfGeometry, UrdfSubject, UrdfTree};
use crate::xacro::Opened;
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
}

/// A body and where the input names it.
pub(crate) struct Named {
    pub(crate) body: Body,
    pub(crate) place: Location,
}

/// Where a link is: the movable joint that it moves with, its pose in that joint's moving frame,
/// its body.
type Carried = (Option<JointId>, Isometry3<f64>, BodyId);

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
            ..self.loaded
        }
    }

    /// Adds a robot with its base link at a pose in the world; returns its index.
    pub(crate) fn add_robot(
        &mut self,
        name: &str,
        opened: &Opened,
        world_from_base: Isometry3<f64>,
    ) -> Result<usize, ImportError> {
        let file = opened.xml.file();
        let mut description = urdf::read(&opened.xml, self.visual_as_collision)?;
        let tree = UrdfTree::new(&mut description)?;
        for joint in &description.joints {
            fits(&joint.name, &joint.place)?;
        }
        // Allowances have names of links, and there it stands for any text.
        if let Some(link) = description
            .links
            .iter()
            .find(|link| link.name.contains('*'))
        {
            let problem = Problem::BadValue {
                what: "the name of a link".into(),
                value: format!("`{}`", link.name),
                remedy: "`*` stands for any text in patterns: choose a name without it".into(),
            };
            let place = link.place.clone();
            return Err(ImportError { place, problem });
        }
        self.loaded.files.extend(opened.files.iter().cloned());
        self.loaded.cell.notes.extend(opened.missing_notes());
        let robot = self.loaded.add_robot(Robot {
            name: name.to_owned(),
            urdf: file.to_owned(),
            world_from_base,
        });
        (self.loaded.robots[robot].urdf_name).clone_from(&description.name);

        let mut carried: Vec<Option<Carried>> = vec![None; description.links.len()];
        let mut joint_ids: Vec<Option<JointId>> = vec![None; description.joints.len()];
        for &(l, carrier) in &tree.order {
            let (joint, pose, parent) = match carrier {
                None => (None, world_from_base, None),
                Some(j) => {
                    let tag = &description.joints[j];
                    // The order puts parents first, and the tree has looked up every name.
                    let Some((joint, pose, parent)) =
                        tree.links.get(&tag.parent.0).and_then(|&p| carried[p])
                    else {
                        continue;
                    };
                    let parent_from_joint = pose * tag.parent_from_joint;
                    if tag.kind.is_some() {
                        within_reach(
                            parent_from_joint.translation.vector.norm(),
                            &tag.name,
                            &tag.place,
                        )?;
                    }
                    match tag.kind {
                        None => {
                            self.loaded.cell.fixed.push((robot, tag.name.clone()));
                            (joint, parent_from_joint, Some(parent))
                        }
                        Some(kind) => {
                            joint_ids[j] = Some(self.loaded.cell.joints.len());
                            self.loaded.cell.joints.push(Joint {
                                name: tag.name.clone(),
                                robot,
                                parent: joint,
                                parent_from_joint,
                                axis: tag.axis,
                                kind,
                                limits: tag.limits,
                                mimic: None,
                            });
                            (joint_ids[j], Isometry3::identity(), Some(parent))
                        }
                    }
                }
            };
            let named = Named {
                body: Body {
                    name: qualified(name, &description.links[l].name),
                    role: Role::Link { robot },
                    joint,
                    joint_from_body: pose,
                    parent,
                    shapes: self.link_shapes(name, file, &description, (l, joint.is_some()))?,
                },
                place: description.links[l].place.clone(),
            };
            carried[l] = Some((joint, pose, self.add_body(named)?));
        }
        for (j, follows) in tree.mimics.iter().enumerate() {
            if let (Some(id), Some((source, multiplier, offset))) = (joint_ids[j], *follows)
                && let Some(source) = joint_ids[source]
            {
                self.loaded.cell.joints[id].mimic = Some(Mimic {
                    source,
                    multiplier,
                    offset,
                });
            }
        }
        let new = &self.loaded.cell.joints[self.loaded.cell.rest.len()..];
        self.loaded
            .cell
            .rest
            .extend(new.iter().map(|joint| match joint.limits.position {
                Some((lower, upper)) => 0.0_f64.clamp(lower, upper), // lower ≤ upper was checked
                None => 0.0,
            }));
        let notes = description
            .notes
            .into_iter()
            .map(|said| match said.subject {
                UrdfSubject::Joint(joint) => note(said.code, qualified(name, &joint), said.message),
                UrdfSubject::Location(place) => note_at(said.code, place, said.message),
            });
        self.loaded.cell.notes.extend(notes);
        for (place, why) in description.notices {
            self.suspicious_angle(&place, why);
        }
        Ok(robot)
    }

    /// Says that angles of a pose can hardly be meant.
    pub(crate) fn suspicious_angle(&mut self, place: &Location, why: String) {
        self.loaded.cell.notices.push(Diagnostic {
            subject: place.to_string(),
            place: Some(place.clone()),
            message: why,
            severity: Severity::Notice,
            code: Code::SuspiciousRpy,
        });
    }

    fn link_shapes(
        &mut self,
        robot: &str,
        file: &Path,
        description: &Description,
        (l, moves): (usize, bool),
    ) -> Result<Vec<Shape>, ImportError> {
        let link = &description.links[l];
        let name = qualified(robot, &link.name);
        let pieces: &[UrdfGeometry] = match (link.collisions.is_empty(), link.has_visual) {
            (true, true) if self.visual_as_collision => {
                self.loaded.cell.notes.push(
                    note(
                        Code::VisualAsCollision,
                        name.clone(),
                        "its visual geometry is used as collision geometry".into(),
                    )
                    .at(link.place.clone()),
                );
                &link.visuals
            }
            (true, true) => {
                self.loaded.cell.unchecked.push(Diagnostic {
                    subject: name.clone(),
                    place: Some(link.place.clone()),
                    message: "no collision geometry, only visual".into(),
                    // The notice that is made of it leaves the question open.
                    severity: Severity::Unchecked,
                    code: if moves {
                        Code::UncheckedLink
                    } else {
                        Code::UncheckedBody
                    },
                });
                &[]
            }
            _ => &link.collisions,
        };
        pieces
            .iter()
            .enumerate()
            .map(|(shape, piece)| {
                let form = match &piece.outline {
                    Outline::Primitive(form) => form.clone(),
                    Outline::Mesh { uri, scale } => {
                        let path =
                            self.resolver
                                .resolve(uri, file)
                                .map_err(|problem| ImportError {
                                    place: piece.place.clone(),
                                    problem,
                                })?;
                        let mesh = self.link_mesh(&path, *scale, shape);
                        let role = || format!("the mesh of link `{name}`");
                        mesh.map_err(|error| error.referred(role(), &piece.place))?
                    }
                };
                Ok(Shape {
                    name: piece.name.clone(),
                    body_from_shape: piece.link_from_shape,
                    form,
                    solid: None,
                    scale: match piece.outline {
                        Outline::Mesh { scale, .. } => {
                            scale.filter(|scale| *scale != Vector3::repeat(1.0))
                        }
                        _ => None,
                    },
                })
            })
            .collect()
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
