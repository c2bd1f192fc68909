//! Scenes of MoveIt in a cell: what stands in them, what the robot carries by them, and which pairs
//! they allow.

mod matrix;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use clearance_proof::model::{Allowance, AllowedBy, Body, BodyId, Role, Shape};
use clearance_proof::report::{Code, Diagnostic, Severity};
use nalgebra::{Isometry3, Vector3};

use super::bodies::shape;
use super::build::{Builder, Named};
use super::pose::unitless_shift;
use super::reader::CellReader;
use super::table::Table;
use crate::names::suggestion;
use crate::notes::note_at;
use crate::scene::{self, PlanningScene, SceneObject};
use crate::{ImportError, Location, Problem};

/// How a scene is put into the cell.
#[derive(Default)]
pub(crate) struct ScenePlacement<'n> {
    /// Where its frame stands in the world; `None`: nobody says.
    pub(crate) world_from_scene: Option<Isometry3<f64>>,
    /// How far that shifts it by numbers without a unit, metres.
    pub(crate) unitless: Option<Vector3<f64>>,
    /// The robot whose links it means; `None`: any.
    pub(crate) robot: Option<&'n str>,
}

/// What the names in a scene stand for.
#[derive(Default)]
struct SceneNames {
    /// Its bodies, and links that its matrix names.
    known: BTreeMap<String, BodyId>,
    /// Objects among its touch links.
    touch_objects: BTreeSet<String>,
    /// Names of what neither the robot nor the scene has.
    stale: BTreeSet<String>,
}

/// A link that a carried object may touch.
struct TouchLink {
    object: String,
    link: String,
    line: usize,
}

impl CellReader {
    /// `[world]`: scenes of MoveIt.
    pub(super) fn scenes(&mut self, root: &Table) -> Result<(), ImportError> {
        let Some(world) = root.get("world") else {
            return Ok(());
        };
        let table = world.table("[world]", &["scene", "pose", "robot"])?;
        let scenes = table.required("scene")?;
        let scenes = match scenes.string() {
            Ok(_) => vec![scenes],
            Err(_) => scenes.list()?,
        };
        let world_from_scene = match table.get("pose") {
            Some(_) => Some(self.pose(&table, "pose")?),
            None => None,
        };
        let robot = table.get("robot");
        let robot = match &robot {
            None => None,
            Some(value) => {
                let name = value.name()?;
                let robots = || {
                    self.builder
                        .loaded
                        .cell
                        .robots
                        .iter()
                        .map(|r| r.name.as_str())
                };
                if !robots().any(|robot| robot == name) {
                    return Err(value.error(Problem::UnknownName {
                        what: "robot",
                        name: name.to_owned(),
                        remedy: if robots().all(str::is_empty) {
                            "the only robot has no name: leave `robot` out".to_owned()
                        } else {
                            suggestion(name, robots())
                        },
                    }));
                }
                Some(name)
            }
        };
        for value in &scenes {
            let file = self.file(value)?;
            let placed = ScenePlacement {
                world_from_scene,
                unitless: unitless_shift(&table, "pose")?,
                robot,
            };
            self.builder.scene_file(&file, &placed)?;
        }
        Ok(())
    }
}

impl Builder {
    /// Reads a scene and adds what it says.
    pub(crate) fn scene_file(
        &mut self,
        file: &Path,
        placed: &ScenePlacement,
    ) -> Result<(), ImportError> {
        self.loaded.files.push(file.to_owned());
        let read = scene::read(file)?;
        self.scene(file, read, placed)
    }

    /// Adds what a scene says.
    pub(super) fn scene(
        &mut self,
        file: &Path,
        scene: PlanningScene,
        placed: &ScenePlacement,
    ) -> Result<(), ImportError> {
        self.remarks_of_scene(file, &scene);
        let allows = scene.matrix.names().next().is_some() || !scene.carried.is_empty();
        if let Some((named, place)) = scene.model.as_ref().filter(|_| allows) {
            self.of_this_robot(named, place, placed);
        }
        if scene.is_of_model && !scene.objects.is_empty() && placed.world_from_scene.is_none() {
            self.one_frame_of_scene_and_robot(file, placed);
        }
        if let Some(place) = scene.in_world.filter(|_| placed.world_from_scene.is_none()) {
            self.one_frame_called_world(place, placed);
        }
        let mut names = SceneNames::default();
        for object in scene.objects {
            let name = object.name.clone();
            let id = self.add_standing(object, placed)?;
            names.known.insert(name, id);
        }
        let mut touch_links = Vec::new();
        for carried in scene.carried {
            let name = carried.object.name.clone();
            touch_links.extend(carried.touch.into_iter().map(|link| TouchLink {
                object: name.clone(),
                link,
                line: carried.touch_line,
            }));
            let id = self.add_carried(&carried.link, carried.object, placed)?;
            names.known.insert(name, id);
        }
        for touch in touch_links {
            self.touch_link(file, touch, &mut names, placed)?;
        }
        self.matrix(file, &scene.matrix, &mut names, placed)?;
        if !names.touch_objects.is_empty() {
            let objects = in_a_sentence(&names.touch_objects);
            self.said_of_scene(
                file,
                format!(
                    "its touch_links name objects, and touch links are links of the robot: contacts with these are not allowed by that: {objects}"
                ),
            );
        }
        if !names.stale.is_empty() {
            let stale = in_a_sentence(&names.stale);
            self.said_of_scene(
                file,
                format!("it allows contacts of what neither the robot nor the scene has: {stale}"),
            );
        }
        Ok(())
    }

    /// What reading a scene has left to say.
    fn remarks_of_scene(&mut self, file: &Path, scene: &PlanningScene) {
        for why in &scene.notes {
            self.said_of_scene(file, why.clone());
        }
        for why in &scene.doubts {
            let of_file = note_at(Code::SceneFile, Location::file(file), why.clone());
            self.loaded.cell.notices.push(Diagnostic {
                severity: Severity::Open,
                ..of_file
            });
        }
        for why in &scene.notices {
            self.loaded.cell.notices.push(Diagnostic {
                subject: file.display().to_string(),
                place: Some(Location::file(file)),
                message: why.clone(),
                severity: Severity::Notice,
                code: Code::SceneFile,
            });
        }
    }

    /// Says so where a scene that allows pairs of links is of another robot than those that it may
    /// mean, as of an SRDF: links of many arms have the same names.
    fn of_this_robot(&mut self, named: &str, place: &Location, placed: &ScenePlacement) {
        let loaded = &mut self.loaded;
        let robots = loaded.cell.robots.iter().zip(&loaded.robots);
        let meant = robots.filter(|(robot, _)| placed.robot.is_none_or(|name| name == robot.name));
        let of_urdfs: BTreeSet<&str> = meant.map(|(_, robot)| &*robot.urdf_name).collect();
        let is_one = |of_urdf: &&str| of_urdf.is_empty() || *of_urdf == named;
        if named.is_empty() || of_urdfs.is_empty() || of_urdfs.iter().any(is_one) {
            return;
        }
        let of_urdfs: Vec<String> = of_urdfs.iter().map(|name| format!("`{name}`")).collect();
        let message = format!(
            "this scene is of the robot `{named}`, and the URDF is of {}: pairs that it allows may be those of another arm",
            of_urdfs.join(" or ")
        );
        loaded.cell.notices.push(Diagnostic {
            subject: place.to_string(),
            place: Some(place.clone()),
            message,
            severity: Severity::Notice,
            code: Code::OtherRobot,
        });
    }

    /// Adds an object that stands in the scene.
    fn add_standing(
        &mut self,
        object: SceneObject,
        placed: &ScenePlacement,
    ) -> Result<BodyId, ImportError> {
        let world_from_scene = placed.world_from_scene.unwrap_or_else(Isometry3::identity);
        let pose = world_from_scene * object.frame_from_object;
        let id = self.scene_body(object, |shapes, name| Body {
            name,
            role: Role::Obstacle,
            joint: None,
            joint_from_body: pose,
            parent: None,
            shapes,
        })?;
        let shift = placed.unitless.map(|shift| (id, shift));
        self.loaded.unitless.obstacles.extend(shift);
        Ok(id)
    }

    /// Adds an object that a link carries.
    fn add_carried(
        &mut self,
        link: &str,
        object: SceneObject,
        placed: &ScenePlacement,
    ) -> Result<BodyId, ImportError> {
        let carrier = self.link(link, placed, &object.place)?;
        let Body {
            joint,
            joint_from_body,
            ..
        } = self.loaded.cell.bodies[carrier];
        let pose = joint_from_body * object.frame_from_object;
        self.scene_body(object, |shapes, name| Body {
            name,
            role: Role::Attached,
            joint,
            joint_from_body: pose,
            parent: Some(carrier),
            shapes,
        })
    }

    /// Allows a carried object to touch a link.
    fn touch_link(
        &mut self,
        file: &Path,
        touch: TouchLink,
        names: &mut SceneNames,
        placed: &ScenePlacement,
    ) -> Result<(), ImportError> {
        let TouchLink { object, link, line } = touch;
        // MoveIt asks them about links only.
        let other = match self.links(&link, placed)[..] {
            [] if names.known.contains_key(&link) => {
                names.touch_objects.insert(link);
                return Ok(());
            }
            [] => {
                names.stale.insert(link);
                return Ok(());
            }
            _ => self.link(&link, placed, &Location::at(file, line, None))?,
        };
        self.loaded.cell.allowed.push(Allowance {
            a: object.clone(),
            b: self.loaded.cell.bodies[other].name.clone(),
            reason: format!("touch_links of `{object}`"),
            by: AllowedBy::SceneTouch(file.to_owned(), line),
        });
        Ok(())
    }

    /// Says that objects have two places: in MoveIt the root of the robot stands at the origin of
    /// the scene, and here the cell file puts the root elsewhere.
    fn one_frame_of_scene_and_robot(&mut self, file: &Path, placed: &ScenePlacement) {
        let cell = &mut self.loaded.cell;
        let is_meant = |name: &str| placed.robot.is_none_or(|robot| robot == name);
        let moved = cell.robots.iter().find(|robot| {
            let elsewhere = robot.world_from_base != Isometry3::identity();
            is_meant(&robot.name) && elsewhere
        });
        let Some(robot) = moved else {
            return;
        };
        let of_robot = match &*robot.name {
            "" => "the robot".to_owned(),
            name => format!("the robot `{name}`"),
        };
        let message = format!(
            "its objects have two places: in MoveIt the root link of {of_robot} stands at the origin of the scene, but the cell \
             file gives this robot a `base`, and no place to the scene. Here the origin of the scene is that of the cell. State \
             `pose` under [world] of the cell file: the pose of `base` if the objects go with the robot, or \
             `pose = {{ xyz = [0, 0, 0] }}` if they stand in the cell"
        );
        let place = Location::file(file);
        cell.notices.push(Diagnostic {
            severity: Severity::Open,
            ..note_at(Code::SceneFile, place, message)
        });
    }

    /// The scene's own frame may be called `world`, and so may a link of the robot.
    fn one_frame_called_world(&mut self, place: Location, placed: &ScenePlacement) {
        let cell = &self.loaded.cell;
        let is_elsewhere = |id: &BodyId| {
            let body = &cell.bodies[*id];
            let Role::Link { robot } = body.role else {
                return false;
            };
            body.joint.is_some() || body.joint_from_body != cell.robots[robot].world_from_base
        };
        if !self.links("world", placed).iter().any(is_elsewhere) {
            return;
        }
        let message = "its objects have two places: they stand in the frame `world`, which is the scene's own one, and the robot \
             has a link `world` that is not at its root. Here the frame is the scene's own. State `pose` under [world] of the cell \
             file: where this frame stands in the cell";
        self.loaded.cell.notices.push(Diagnostic {
            severity: Severity::Open,
            ..note_at(Code::SceneFile, place, message.to_owned())
        });
    }

    fn said_of_scene(&mut self, file: &Path, why: String) {
        let of_file = note_at(Code::SceneFile, Location::file(file), why);
        self.loaded.cell.notes.push(of_file);
    }

    /// The links that a scene may mean by a name.
    fn links(&self, name: &str, placed: &ScenePlacement) -> Vec<BodyId> {
        let meant = |id: &BodyId| {
            let body = &self.loaded.cell.bodies[*id];
            let Role::Link { robot } = body.role else {
                return false;
            };
            let of = self.loaded.cell.robots[robot].name.as_str();
            // A free body has the name of its robot. The cell file adds it: no scene knows it.
            if body.name == of {
                return false;
            }
            let bare = body
                .name
                .strip_prefix(of)
                .and_then(|rest| rest.strip_prefix('/'));
            placed.robot.is_none_or(|robot| robot == of)
                && (body.name == name || !of.is_empty() && bare == Some(name))
        };
        (0..self.loaded.cell.bodies.len()).filter(meant).collect()
    }

    /// The one link that a scene means by a name.
    fn link(
        &self,
        name: &str,
        placed: &ScenePlacement,
        place: &Location,
    ) -> Result<BodyId, ImportError> {
        let problem = |problem| {
            Err(ImportError {
                place: place.clone(),
                problem,
            })
        };
        match self.links(name, placed)[..] {
            [one] => Ok(one),
            [] => problem(Problem::UnknownName {
                what: "link",
                name: name.to_owned(),
                remedy: suggestion(
                    name,
                    self.loaded.cell.bodies.iter().map(|b| b.name.as_str()),
                ),
            }),
            _ => problem(Problem::Syntax {
                cause: format!("several robots have a link `{name}`"),
                remedy: "say which one the scene means: `robot = \"…\"` under [world]".into(),
            }),
        }
    }

    /// Adds the body that `made` makes of an object's shapes and name.
    fn scene_body(
        &mut self,
        object: SceneObject,
        made: impl FnOnce(Vec<Shape>, String) -> Body,
    ) -> Result<BodyId, ImportError> {
        if object.name.contains('*') {
            return Err(ImportError {
                place: object.place,
                problem: Problem::Syntax {
                    cause: format!("the object `{}` has a `*` in its name", object.name),
                    remedy: "`*` stands for any text in patterns; choose a name without it".into(),
                },
            });
        }
        let shapes = object.shapes.into_iter().map(|piece| Shape {
            body_from_shape: piece.object_from_shape,
            ..shape(piece.form, None, None)
        });
        self.add_body(Named {
            body: made(shapes.collect(), object.name),
            place: object.place,
        })
    }
}

fn in_a_sentence(names: &BTreeSet<String>) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
