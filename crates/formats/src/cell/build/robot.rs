//! A robot in the cell: its links as bodies, and its movable joints.

use std::path::Path;

use clearance_proof::model::{Body, BodyId, Form, Joint, JointId, Mimic, Robot, Role, Shape};
use clearance_proof::report::{Code, Diagnostic, Severity};
use nalgebra::{Isometry3, Vector3};

use super::{Builder, JointLeader, Named, fits, within_reach};
use crate::names::qualified;
use crate::notes::{note, note_at};
use crate::urdf::{
    self, Description, Outline, UrdfGeometry, UrdfLink, UrdfNote, UrdfSubject, UrdfTree,
};
use crate::xacro::Opened;
use crate::{ImportError, Problem};

/// Frames have masses of some grams, for simulators that ask for one.
const LEAST_MASS_KG: f64 = 0.1;

/// A robot that is being added.
struct NewRobot<'r> {
    /// Its index in the cell.
    index: usize,
    name: &'r str,
    file: &'r Path,
    description: &'r Description,
    /// The bodies of the description's links, as far as they are added.
    bodies: Vec<Option<BodyId>>,
    /// The movable ones of the description's joints, as far as they are added.
    joints: Vec<Option<JointId>>,
}

/// Where a link is.
struct LinkPlace {
    /// The movable joint that it moves with.
    joint: Option<JointId>,
    /// Its pose in that joint's moving frame.
    joint_from_link: Isometry3<f64>,
    /// The body of the link that carries it.
    parent: Option<BodyId>,
}

impl Builder {
    /// Adds a robot with its base link at a pose in the world; returns its index.
    pub(crate) fn add_robot(
        &mut self,
        name: &str,
        opened: &Opened,
        world_from_base: Isometry3<f64>,
    ) -> Result<usize, ImportError> {
        let file = opened.xml.file();
        opened.has_more_than_macros()?;
        let mut description = urdf::read(&opened.xml, self.visual_as_collision)?;
        let tree = UrdfTree::new(&mut description)?;
        names_can_stand(&description)?;
        self.loaded.files.extend(opened.files.iter().cloned());
        self.loaded.cell.notes.extend(opened.missing_notes());
        let index = self.loaded.add_robot(Robot {
            name: name.to_owned(),
            urdf: file.to_owned(),
            world_from_base,
        });
        (self.loaded.robots[index].urdf_name).clone_from(&description.name);
        let mut robot = NewRobot {
            index,
            name,
            file,
            description: &description,
            bodies: vec![None; description.links.len()],
            joints: vec![None; description.joints.len()],
        };
        for &(link, carrier) in &tree.order {
            let place = match carrier {
                None => LinkPlace {
                    joint: None,
                    joint_from_link: world_from_base,
                    parent: None,
                },
                Some(joint) => {
                    // The order puts parents first, and the tree has looked up every name.
                    let parent = tree.links.get(&description.joints[joint].parent.0);
                    let Some(parent) = parent.and_then(|&parent| robot.bodies[parent]) else {
                        continue;
                    };
                    self.carry(&mut robot, joint, parent)?
                }
            };
            self.add_link(&mut robot, link, &place)?;
        }
        self.add_bare_masses(&robot);
        self.add_mimics(&robot.joints, &tree);
        self.add_rest();
        self.add_notes(name, description.notes);
        let doubts = description.doubts.into_iter();
        let doubts = doubts.map(|doubt| Diagnostic {
            subject: doubt.place.to_string(),
            message: doubt.why,
            place: Some(doubt.place),
            severity: doubt.severity,
            code: doubt.code,
        });
        self.loaded.cell.notices.extend(doubts);
        Ok(index)
    }

    /// Where a link is that a joint carries, beside the body of the joint's parent. A movable joint
    /// is added to the cell.
    fn carry(
        &mut self,
        robot: &mut NewRobot,
        joint: usize,
        parent: BodyId,
    ) -> Result<LinkPlace, ImportError> {
        let tag = &robot.description.joints[joint];
        let cell = &mut self.loaded.cell;
        let before = &cell.bodies[parent];
        let parent_from_joint = before.joint_from_body * tag.parent_from_joint;
        let Some(kind) = tag.kind else {
            cell.fixed.push((robot.index, tag.name.clone()));
            return Ok(LinkPlace {
                joint: before.joint,
                joint_from_link: parent_from_joint,
                parent: Some(parent),
            });
        };
        within_reach(
            parent_from_joint.translation.vector.norm(),
            &tag.name,
            &tag.place,
        )?;
        let id = cell.joints.len();
        cell.joints.push(Joint {
            name: tag.name.clone(),
            robot: robot.index,
            parent: before.joint,
            parent_from_joint,
            axis: tag.axis,
            kind,
            limits: tag.limits,
            mimic: None,
        });
        robot.joints[joint] = Some(id);
        Ok(LinkPlace {
            joint: Some(id),
            joint_from_link: Isometry3::identity(),
            parent: Some(parent),
        })
    }

    fn add_link(
        &mut self,
        robot: &mut NewRobot,
        link: usize,
        place: &LinkPlace,
    ) -> Result<(), ImportError> {
        let tag = &robot.description.links[link];
        let named = Named {
            body: Body {
                name: qualified(robot.name, &tag.name),
                role: Role::Link { robot: robot.index },
                joint: place.joint,
                joint_from_body: place.joint_from_link,
                parent: place.parent,
                shapes: self.link_shapes(robot, tag, place)?,
            },
            place: tag.place.clone(),
        };
        robot.bodies[link] = Some(self.add_body(named)?);
        Ok(())
    }

    /// Links that move, weigh something and have no shape: a tool that was never drawn. What hangs
    /// on such a link without a joint between them may be drawn in its place.
    fn add_bare_masses(&mut self, robot: &NewRobot) {
        let cell = &mut self.loaded.cell;
        let links = robot.description.links.iter().zip(&robot.bodies);
        let links = links.filter_map(|(link, body)| Some((link, (*body)?)));
        let links: Vec<(&UrdfLink, BodyId)> = links.collect();
        let drawn = |link: &UrdfLink| link.has_visual || has_a_size(link);
        for &(link, id) in &links {
            let joint = cell.bodies[id].joint;
            if drawn(link) || joint.is_none() || link.mass_kg < LEAST_MASS_KG {
                continue;
            }
            let hangs_on_it = |other: BodyId| {
                let bodies = std::iter::successors(Some(other), |&at| cell.bodies[at].parent);
                let mut rigid = bodies.take_while(|&at| cell.bodies[at].joint == joint);
                rigid.any(|at| at == id)
            };
            if links
                .iter()
                .any(|&(other, at)| drawn(other) && hangs_on_it(at))
            {
                continue;
            }
            cell.unchecked.push(Diagnostic {
                subject: cell.bodies[id].name.clone(),
                place: Some(link.place.clone()),
                message: format!("a mass of {} kg, and no geometry at all", link.mass_kg),
                severity: Severity::Unchecked,
                code: Code::UncheckedMass,
            });
        }
    }

    fn add_mimics(&mut self, joints: &[Option<JointId>], tree: &UrdfTree) {
        for (joint, follows) in joints.iter().zip(&tree.mimics) {
            if let (Some(id), Some(follows)) = (*joint, *follows)
                && let (Some(source), Some(leader)) =
                    (joints[follows.source], joints[follows.leader])
            {
                self.loaded.cell.joints[id].mimic = Some(Mimic {
                    source,
                    multiplier: follows.multiplier,
                    offset: follows.offset,
                });
                let factor = follows.factor;
                self.leaders.insert(
                    id,
                    JointLeader {
                        joint: leader,
                        factor,
                    },
                );
            }
        }
    }

    /// Where the joints rest that are new in the cell: at 0, or as near as their limits let them.
    fn add_rest(&mut self) {
        let cell = &mut self.loaded.cell;
        let new = &cell.joints[cell.rest.len()..];
        cell.rest
            .extend(new.iter().map(|joint| match joint.limits.position {
                Some((lower, upper)) => 0.0_f64.clamp(lower, upper), // lower ≤ upper was checked
                None => 0.0,
            }));
    }

    fn add_notes(&mut self, robot: &str, notes: Vec<UrdfNote>) {
        let notes = notes.into_iter().map(|said| match said.subject {
            UrdfSubject::Joint(joint) => note(said.code, qualified(robot, &joint), said.message),
            UrdfSubject::Location(place) => note_at(said.code, place, said.message),
        });
        self.loaded.cell.notes.extend(notes);
    }

    fn link_shapes(
        &mut self,
        robot: &NewRobot,
        link: &UrdfLink,
        place: &LinkPlace,
    ) -> Result<Vec<Shape>, ImportError> {
        let name = qualified(robot.name, &link.name);
        // Marks without any size are no geometry of a link that is drawn.
        let pieces: &[UrdfGeometry] = match (has_a_size(link), link.has_visual) {
            (false, true) if self.visual_as_collision => {
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
            (false, true) => {
                let message = if link.collisions.is_empty() {
                    "no collision geometry, only visual"
                } else {
                    "its collision geometry has no size, only its visual geometry has"
                };
                self.loaded.cell.unchecked.push(Diagnostic {
                    subject: name.clone(),
                    place: Some(link.place.clone()),
                    message: message.into(),
                    // The notice that is made of it leaves the question open.
                    severity: Severity::Unchecked,
                    code: if place.joint.is_some() {
                        Code::UncheckedLink
                    } else {
                        Code::UncheckedBody
                    },
                });
                &link.collisions
            }
            _ => &link.collisions,
        };
        pieces
            .iter()
            .enumerate()
            .map(|(shape, piece)| {
                let form = match &piece.outline {
                    Outline::Primitive(form) if is_a_point(&piece.outline) => with_a_size(form),
                    Outline::Primitive(form) => form.clone(),
                    Outline::Mesh { uri, scale } => {
                        let path = self.resolver.resolve(uri, robot.file).map_err(|problem| {
                            ImportError {
                                place: piece.place.clone(),
                                problem,
                            }
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
}

/// Refuses names of joints that no report could show, and names of links that could not stand in a
/// pattern.
fn names_can_stand(description: &Description) -> Result<(), ImportError> {
    for joint in &description.joints {
        fits(&joint.name, &joint.place)?;
    }
    // Allowances have names of links, and there it stands for any text.
    let mut links = description.links.iter();
    let Some(link) = links.find(|link| link.name.contains('*')) else {
        return Ok(());
    };
    Err(ImportError {
        place: link.place.clone(),
        problem: Problem::BadValue {
            what: "the name of a link".into(),
            value: format!("`{}`", link.name),
            remedy: "`*` stands for any text in patterns: choose a name without it".into(),
        },
    })
}

/// A mark without any size is a point; what stands for it holds that point.
const POINT_M: f64 = 1e-6;

/// Whether its collision geometry is more than marks.
fn has_a_size(link: &UrdfLink) -> bool {
    let mut pieces = link.collisions.iter();
    pieces.any(|piece| !is_a_point(&piece.outline))
}

fn is_a_point(outline: &Outline) -> bool {
    match outline {
        Outline::Primitive(Form::Box { size }) => size.amax() == 0.0,
        Outline::Primitive(Form::Sphere { radius }) => *radius == 0.0,
        _ => false,
    }
}

fn with_a_size(form: &Form) -> Form {
    match form {
        Form::Box { .. } => Form::Box {
            size: Vector3::repeat(POINT_M),
        },
        _ => Form::Sphere { radius: POINT_M },
    }
}
