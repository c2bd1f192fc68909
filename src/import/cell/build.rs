//! Puts robots, attachments and obstacles into a [`Cell`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};

use crate::geometry::mesh::Mesh;
use crate::import::resolve::Resolver;
use crate::import::urdf::{self, Description, Outline, Piece, Subject, Tree};
use crate::import::{ImportError, Place, Problem};
use crate::model::{Body, BodyId, Cell, Form, Joint, JointId, Mimic, Remark, Robot, Role, Shape};

/// A cell under construction.
pub(crate) struct Builder {
    pub(crate) cell: Cell,
    resolver: Resolver,
    visual_as_collision: bool,
    meshes: HashMap<(PathBuf, [u64; 3]), Arc<Mesh>>,
    names: HashMap<String, BodyId>,
}

/// A body and where the input names it.
pub(crate) struct Named {
    pub(crate) body: Body,
    pub(crate) place: Place,
}

/// Where a link is: the movable joint that it moves with, its pose in that joint's moving frame, its body.
type Carried = (Option<JointId>, Isometry3<f64>, BodyId);

impl Builder {
    pub(crate) fn new(source: &Path, resolver: Resolver, visual_as_collision: bool) -> Self {
        Self {
            cell: Cell {
                source: source.to_owned(),
                ..Cell::default()
            },
            resolver,
            visual_as_collision,
            meshes: HashMap::new(),
            names: HashMap::new(),
        }
    }

    /// Adds a robot with its base link at a pose in the world; returns its index.
    pub(crate) fn add_robot(
        &mut self,
        name: &str,
        file: &Path,
        world_from_base: Isometry3<f64>,
    ) -> Result<usize, ImportError> {
        let mut description = urdf::read(file, self.visual_as_collision)?;
        let tree = Tree::new(&mut description)?;
        let robot = self.cell.robots.len();
        self.cell.files.push(file.to_owned());
        self.cell.robots.push(Robot {
            name: name.to_owned(),
            urdf: file.to_owned(),
            states: Vec::new(),
        });

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
                        None => (joint, parent_from_joint, Some(parent)),
                        Some(kind) => {
                            joint_ids[j] = Some(self.cell.joints.len());
                            self.cell.joints.push(Joint {
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
                    shapes: self.link_shapes(name, file, &description, l)?,
                },
                place: description.links[l].place.clone(),
            };
            carried[l] = Some((joint, pose, self.add_body(named)?));
        }
        for (j, follows) in tree.mimics.iter().enumerate() {
            if let (Some(id), Some((source, multiplier, offset))) = (joint_ids[j], *follows)
                && let Some(source) = joint_ids[source]
            {
                self.cell.joints[id].mimic = Some(Mimic {
                    source,
                    multiplier,
                    offset,
                });
            }
        }
        let new = &self.cell.joints[self.cell.rest.len()..];
        self.cell
            .rest
            .extend(new.iter().map(|joint| match joint.limits.position {
                Some((lower, upper)) => 0.0_f64.clamp(lower, upper), // lower ≤ upper was checked
                None => 0.0,
            }));
        let notes = description
            .notes
            .into_iter()
            .map(|(subject, why)| match subject {
                Subject::Joint(joint) => note(qualified(name, &joint), why),
                Subject::Place(place) => note(place.to_string(), why),
            });
        self.cell.notes.extend(notes);
        Ok(robot)
    }

    fn link_shapes(
        &mut self,
        robot: &str,
        file: &Path,
        description: &Description,
        l: usize,
    ) -> Result<Vec<Shape>, ImportError> {
        let link = &description.links[l];
        let name = qualified(robot, &link.name);
        let pieces: &[Piece] = match (link.collisions.is_empty(), link.has_visual) {
            (true, true) if self.visual_as_collision => {
                self.cell.notes.push(note(
                    name,
                    "its visual geometry is used as collision geometry".into(),
                ));
                &link.visuals
            }
            (true, true) => {
                self.cell.unchecked.push(Remark {
                    what: name,
                    why: "no collision geometry, only visual".into(),
                    open: false,
                });
                &[]
            }
            _ => &link.collisions,
        };
        pieces
            .iter()
            .map(|piece| {
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
                        self.mesh(&path, *scale)?
                    }
                };
                Ok(Shape {
                    name: piece.name.clone(),
                    body_from_shape: piece.link_from_shape,
                    form,
                    solid: None,
                    scaled: matches!(&piece.outline, Outline::Mesh { scale, .. } if *scale != Vector3::repeat(1.0)),
                })
            })
            .collect()
    }

    /// A mesh from a file; the same file at the same scale is loaded once.
    pub(crate) fn mesh(&mut self, file: &Path, scale: Vector3<f64>) -> Result<Form, ImportError> {
        let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let key = (real, [scale.x, scale.y, scale.z].map(f64::to_bits));
        let mesh = match self.meshes.get(&key) {
            Some(mesh) => mesh.clone(),
            None => {
                let loaded = crate::import::mesh::load(file, scale)?;
                self.cell.files.push(file.to_owned());
                let what = file.display().to_string();
                self.cell
                    .notes
                    .extend(loaded.notes.into_iter().map(|why| note(what.clone(), why)));
                let mesh = Arc::new(loaded.mesh);
                self.meshes.insert(key, mesh.clone());
                mesh
            }
        };
        Ok(Form::Mesh {
            mesh,
            file: file.to_owned(),
        })
    }

    /// Adds a body under a name of its own.
    pub(crate) fn add_body(&mut self, named: Named) -> Result<BodyId, ImportError> {
        within_reach(reach(&named.body), &named.body.name, &named.place)?;
        let id = self.cell.bodies.len();
        if self.names.insert(named.body.name.clone(), id).is_some() {
            return Err(ImportError {
                place: named.place,
                problem: Problem::Syntax {
                    cause: format!("a second body is called `{}`", named.body.name),
                    remedy: "give it a name of its own".into(),
                },
            });
        }
        self.cell.bodies.push(named.body);
        Ok(id)
    }

    /// The body of that name.
    pub(crate) fn body(&self, name: &str) -> Option<BodyId> {
        self.names.get(name).copied()
    }
}

/// No robot's world is larger; beyond it sums lose their digits, and at last overflow.
const FARTHEST_M: f64 = 1e7;

fn within_reach(distance_m: f64, name: &str, place: &Place) -> Result<(), ImportError> {
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

/// A bound on how far the origin of a body's frame and its primitives lie from the frame that it moves with.
fn reach(body: &Body) -> f64 {
    let shapes = body.shapes.iter().map(|shape| {
        let size = match &shape.form {
            Form::Mesh { .. } => 0.0, // checked when it was loaded
            Form::Box { size } => size.sum(),
            Form::Sphere { radius } => *radius,
            Form::Cylinder { radius, length } | Form::Capsule { radius, length } => radius + length,
        };
        shape.body_from_shape.translation.vector.norm() + size
    });
    body.joint_from_body.translation.vector.norm() + shapes.sum::<f64>()
}

/// `robot/link`, or the bare link of an unnamed robot.
pub(crate) fn qualified(robot: &str, link: &str) -> String {
    if robot.is_empty() {
        link.to_owned()
    } else {
        format!("{robot}/{link}")
    }
}

/// Something that was noticed and leaves nothing unchecked.
pub(crate) fn note(what: String, why: String) -> Remark {
    Remark {
        what,
        why,
        open: false,
    }
}
