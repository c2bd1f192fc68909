//! Scenes of MoveIt in a cell: what stands in them, what the robot carries by them, and which pairs
//! they allow.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use clearance_proof::model::{Allowance, AllowedBy, Body, BodyId, Role, Shape};
use clearance_proof::report::{Code, Diagnostic, Severity};
use nalgebra::Isometry3;

use super::bodies::shape;
use super::build::{Builder, Named};
use super::reader::CellReader;
use super::table::Table;
use crate::names::suggestion;
use crate::notes::note_at;
use crate::scene::{self, PairRule, PlanningScene, SceneObject};
use crate::{ImportError, Location, Problem};

/// Pairs that a matrix may allow: more than any robot has.
const MOST_ALLOWED: usize = 1_000_000;

/// How a scene is put into the cell.
#[derive(Default)]
pub(crate) struct ScenePlacement<'n> {
    /// Where its frame stands in the world; `None`: nobody says.
    pub(crate) world_from_scene: Option<Isometry3<f64>>,
    /// The robot whose links it means; `None`: any.
    pub(crate) robot: Option<&'n str>,
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
        for why in scene.notes {
            self.said_of_scene(file, why);
        }
        for why in scene.doubts {
            let of_file = note_at(Code::SceneFile, Location::file(file), why);
            self.loaded.cell.notices.push(Diagnostic {
                severity: Severity::Open,
                ..of_file
            });
        }
        for why in scene.notices {
            self.loaded.cell.notices.push(Diagnostic {
                subject: file.display().to_string(),
                place: Some(Location::file(file)),
                message: why,
                severity: Severity::Notice,
                code: Code::SceneFile,
            });
        }
        if scene.is_of_model && !scene.objects.is_empty() && placed.world_from_scene.is_none() {
            self.one_frame_of_scene_and_robot(file, placed);
        }
        let world_from_scene = placed.world_from_scene.unwrap_or_else(Isometry3::identity);
        // The bodies by their names in the scene.
        let mut known: BTreeMap<String, BodyId> = BTreeMap::new();
        for object in scene.objects {
            let pose = world_from_scene * object.frame_from_object;
            let name = object.name.clone();
            let id = self.scene_body(object, |shapes, name| Body {
                name,
                role: Role::Obstacle,
                joint: None,
                joint_from_body: pose,
                parent: None,
                shapes,
            })?;
            known.insert(name, id);
        }
        let mut touches: Vec<(String, String, usize)> = Vec::new();
        for carried in scene.carried {
            let carrier = self.link(&carried.link, placed, &carried.object.place)?;
            let Body {
                joint,
                joint_from_body,
                ..
            } = self.loaded.cell.bodies[carrier];
            let pose = joint_from_body * carried.object.frame_from_object;
            let name = carried.object.name.clone();
            let line = carried.touch_line;
            let touch = carried.touch.into_iter();
            touches.extend(touch.map(|link| (name.clone(), link, line)));
            let id = self.scene_body(carried.object, |shapes, name| Body {
                name,
                role: Role::Attached,
                joint,
                joint_from_body: pose,
                parent: Some(carrier),
                shapes,
            })?;
            known.insert(name, id);
        }
        let mut stale: BTreeSet<String> = BTreeSet::new();
        let mut objects: BTreeSet<String> = BTreeSet::new();
        for (name, link, line) in touches {
            let place = Location::at(file, line, None);
            // MoveIt asks them about links only.
            let other = match self.links(&link, placed)[..] {
                [] if known.contains_key(&link) => {
                    objects.insert(link);
                    continue;
                }
                [] => {
                    stale.insert(link);
                    continue;
                }
                _ => self.link(&link, placed, &place)?,
            };
            self.loaded.cell.allowed.push(Allowance {
                a: name.clone(),
                b: self.loaded.cell.bodies[other].name.clone(),
                reason: format!("touch_links of `{name}`"),
                by: AllowedBy::SceneTouch(file.to_owned(), line),
            });
        }
        self.matrix(file, &scene.matrix, (known, &mut stale), placed)?;
        let in_a_sentence = |names: &BTreeSet<String>| {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            names.join(", ")
        };
        if !objects.is_empty() {
            self.said_of_scene(
                file,
                format!(
                    "its touch_links name objects, and touch links are links of the robot: contacts with these are not allowed by that: {}",
                    in_a_sentence(&objects)
                ),
            );
        }
        if !stale.is_empty() {
            self.said_of_scene(
                file,
                format!(
                    "it allows contacts of what neither the robot nor the scene has: {}",
                    in_a_sentence(&stale)
                ),
            );
        }
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

    /// The pairs that the allowed collision matrix takes out, each with its line.
    fn matrix(
        &mut self,
        file: &Path,
        matrix: &scene::Matrix,
        (mut known, stale): (BTreeMap<String, BodyId>, &mut BTreeSet<String>),
        placed: &ScenePlacement,
    ) -> Result<(), ImportError> {
        let names: BTreeSet<&str> = matrix.names().collect();
        if names.is_empty() {
            return Ok(());
        }
        for name in names {
            if known.contains_key(name) {
                continue;
            }
            match self.links(name, placed)[..] {
                [] => drop(stale.insert(name.to_owned())),
                _ => {
                    let line = matrix.line(name);
                    let link = self.link(name, placed, &Location::at(file, line, None))?;
                    known.insert(name.to_owned(), link);
                }
            }
        }
        // Defaults are about links that the matrix does not name, too.
        for id in 0..self.loaded.cell.bodies.len() {
            let body = &self.loaded.cell.bodies[id];
            let Role::Link { robot } = body.role else {
                continue;
            };
            let of = &self.loaded.cell.robots[robot].name;
            let bare = body
                .name
                .strip_prefix(&format!("{of}/"))
                .unwrap_or(&body.name);
            if placed.robot.is_none_or(|name| name == of) && self.links(bare, placed).len() == 1 {
                known.entry(bare.to_owned()).or_insert(id);
            }
        }
        let asked = matrix.asked();
        let known: Vec<(String, BodyId)> = known.into_iter().collect();
        let (mut differing, mut checked) = (Vec::new(), Vec::new());
        // What the matrix says nothing of, MoveIt checks.
        let mut unsaid = Vec::new();
        let before = self.loaded.cell.allowed.len();
        for (k, (a, id_a)) in known.iter().enumerate() {
            for (b, id_b) in &known[k + 1..] {
                match asked.pair(a, b) {
                    PairRule::Unsaid => unsaid.push((*id_a, *id_b)),
                    PairRule::Checked => checked.push((*id_a, *id_b)),
                    PairRule::Both(line) => {
                        differing.push(format!("`{a}` – `{b}` (line {line})"));
                        checked.push((*id_a, *id_b));
                    }
                    PairRule::Allowed(line) => {
                        let body = |id: BodyId| self.loaded.cell.bodies[id].name.clone();
                        self.loaded.cell.allowed.push(Allowance {
                            a: body(*id_a),
                            b: body(*id_b),
                            reason: "allowed_collision_matrix".to_owned(),
                            by: AllowedBy::Scene(file.to_owned(), line),
                        });
                    }
                }
                if self.loaded.cell.allowed.len() - before > MOST_ALLOWED {
                    return Err(ImportError::file(
                        file,
                        Problem::Unsupported {
                            what: format!("a matrix that allows more than {MOST_ALLOWED} pairs"),
                            remedy: "name the pairs that may touch with [[allow]]".into(),
                        },
                    ));
                }
            }
        }
        if !differing.is_empty() {
            let differing = a_few(differing);
            self.said_of_scene(
                file,
                format!(
                    "its allowed_collision_matrix allows some pairs in one place and not in another; they are checked: {differing}"
                ),
            );
        }
        self.overrule(file, checked, unsaid);
        Ok(())
    }

    /// Takes back what an SRDF allows of pairs that the matrix of a scene does not allow: in MoveIt
    /// the matrix takes the place of the SRDF. What one scene allows and another one wants checked
    /// is checked, whichever comes first.
    fn overrule(
        &mut self,
        file: &Path,
        checked: Vec<(BodyId, BodyId)>,
        unsaid: Vec<(BodyId, BodyId)>,
    ) {
        let bodies = &self.loaded.cell.bodies;
        let name = |id: BodyId| bodies[id].name.as_str();
        let both = |&(a, b): &(BodyId, BodyId)| [(name(a), name(b)), (name(b), name(a))];
        let unsaid: HashSet<(&str, &str)> = unsaid.iter().flat_map(both).collect();
        self.checked_by_scenes.extend(checked);
        let checked = self.checked_by_scenes.iter().flat_map(both);
        let checked: HashSet<(&str, &str)> = checked.collect();
        let (mut of_srdf, mut of_scenes) = (Vec::new(), Vec::new());
        self.loaded.cell.allowed.retain(|allowed| {
            let pair = (&*allowed.a, &*allowed.b);
            let overruled = match allowed.by {
                AllowedBy::Srdf(_) if checked.contains(&pair) || unsaid.contains(&pair) => {
                    &mut of_srdf
                }
                AllowedBy::Scene(..) if checked.contains(&pair) => &mut of_scenes,
                _ => return true,
            };
            overruled.push(format!("`{}` – `{}`", allowed.a, allowed.b));
            false
        });
        if !of_srdf.is_empty() {
            let overruled = a_few(of_srdf);
            self.said_of_scene(
                file,
                format!(
                    "its allowed_collision_matrix does not allow some pairs that the SRDF allows; they are checked: {overruled}"
                ),
            );
        }
        if !of_scenes.is_empty() {
            let overruled = a_few(of_scenes);
            self.said_of_scene(
                file,
                format!(
                    "of its allowed_collision_matrix and that of another scene one allows some pairs and the other does not; they are checked: {overruled}"
                ),
            );
        }
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

/// Pairs in a sentence; of many the first five.
fn a_few(mut pairs: Vec<String>) -> String {
    let count = pairs.len();
    pairs.truncate(5);
    if count > 5 {
        pairs.push(format!("and {} more", count - 5));
    }
    pairs.join(", ")
}
