//! `moveit_msgs/PlanningScene`, or its world alone, as YAML or JSON.

mod allowed;
mod frames;
mod keys;
mod shape;

use std::path::Path;

use nalgebra::Isometry3;

use self::keys::{CARRIED, HEADER, OBJECT, ROBOT_STATE, SCENE, WORLD};
use super::{CarriedObject, PlanningScene, SceneObject, ScenePiece};
use crate::program::node::{NodeKind, ProgramNode, documents};
use crate::program::ros::still_base;
use crate::{ImportError, Location, Problem};

/// Frames that are the scene's own.
const OWN: [&str; 3] = ["", "world", "/world"];

struct Reader<'f> {
    file: &'f Path,
}

pub(super) fn read(file: &Path, text: &str) -> Result<PlanningScene, ImportError> {
    let reader = Reader { file };
    let documents = documents(text).map_err(|e| {
        let problem = syntax(e.cause, "correct it, or save the message again");
        match e.line {
            Some(line) => ImportError::at(file, line, e.column, problem),
            None => ImportError::file(file, problem),
        }
    })?;
    let mut filled = documents
        .iter()
        .filter(|d| !matches!(d.kind, NodeKind::Null));
    match (filled.next(), filled.next()) {
        (Some(root), None) => reader.scene(root),
        (Some(_), Some(second)) => Err(reader.error(
            second,
            syntax("a second document begins here", "keep one message"),
        )),
        (None, _) => Err(ImportError::file(
            file,
            syntax("the file is empty", "name a PlanningScene message"),
        )),
    }
}

fn syntax(cause: impl Into<String>, remedy: &str) -> Problem {
    Problem::Syntax {
        cause: cause.into(),
        remedy: remedy.to_owned(),
    }
}

fn unsupported(what: impl Into<String>, remedy: &str) -> Problem {
    Problem::Unsupported {
        what: what.into(),
        remedy: remedy.to_owned(),
    }
}

impl Reader<'_> {
    fn error(&self, node: &ProgramNode, problem: Problem) -> ImportError {
        ImportError::at(self.file, node.line, node.column, problem)
    }

    fn scene(&self, root: &ProgramNode) -> Result<PlanningScene, ImportError> {
        let mut scene = PlanningScene {
            is_of_model: true,
            ..PlanningScene::default()
        };
        let world = root.get("world").unwrap_or(root);
        if world.get("collision_objects").is_none() && root.get("world").is_none() {
            let problem = syntax(
                "the message has no `world`",
                "name a moveit_msgs/PlanningScene",
            );
            return Err(self.error(root, problem));
        }
        let known: Vec<&str> = match root.get("world") {
            Some(world) => {
                self.only(world, "a world", &WORLD)?;
                SCENE.to_vec()
            }
            None => [&SCENE[..], &WORLD].concat(),
        };
        self.only(root, "a PlanningScene", &known)?;
        if let Some(state) = root.get("robot_state") {
            self.only(state, "a robot_state", &ROBOT_STATE)?;
            still_base(self.file, state, "robot_state")?;
        }
        self.no_octomap(world)?;
        let state = root.get("robot_state");
        if let Some(objects) = world.get("collision_objects") {
            let objects = self.list(objects)?;
            self.still_world(root, objects)?;
            for object in objects {
                let own = |frame: &str| OWN.contains(&frame);
                let remedy = "state its pose in `world`";
                let frame = object.get("header").and_then(|h| h.get("frame_id"));
                let is_named = frame
                    .is_some_and(|f| !matches!(&f.kind, NodeKind::Text(name) if name.is_empty()));
                let object = self.object(object, own, remedy, &mut scene.notes)?;
                if is_named {
                    scene.in_world.get_or_insert(object.place.clone());
                }
                scene.objects.push(object);
            }
        }
        if let Some(carried) = state.and_then(|s| s.get("attached_collision_objects")) {
            for carried in self.list(carried)? {
                let carried = self.carried(carried, &mut scene.notes)?;
                scene.carried.push(carried);
            }
        }
        if let Some(matrix) = root.get("allowed_collision_matrix") {
            scene.matrix = self.matrix(matrix)?;
        }
        if let Some(node) = root.get("robot_model_name")
            && let NodeKind::Text(name) = &node.kind
        {
            let place = Location::at(self.file, node.line.unwrap_or(1), None);
            scene.model = Some((name.clone(), place));
        }
        let is_diff = root.get("is_diff").map(|node| self.truth(node));
        if is_diff.transpose()? == Some(true) {
            scene.notices.push(
                "the scene is a change (`is_diff: true`): what stood there before it is not in it"
                    .to_owned(),
            );
        }
        let padding = self.is_padded(root, "link_padding", "padding", 0.0)?;
        let scale = self.is_padded(root, "link_scale", "scale", 1.0)?;
        if padding || scale {
            scene.notes.push(
                "its link_padding and link_scale are not used: ask for a clearance instead"
                    .to_owned(),
            );
        }
        if state.is_some_and(|s| s.get("joint_state").is_some()) {
            scene.notes.push(
                "its robot_state is not used: joints that do not move have the values of the cell file".to_owned(),
            );
        }
        Ok(scene)
    }

    fn list<'n>(&self, node: &'n ProgramNode) -> Result<&'n [ProgramNode], ImportError> {
        match &node.kind {
            NodeKind::List(items) => Ok(items),
            _ => Err(self.error(
                node,
                syntax(
                    format!("{} stands where a list should be", node.word()),
                    "write a list",
                ),
            )),
        }
    }

    fn part<'n>(&self, node: &'n ProgramNode, key: &str) -> Result<&'n [ProgramNode], ImportError> {
        node.get(key).map_or(Ok(&[]), |part| self.list(part))
    }

    /// An object in the frame that `own` knows by its name; what to do with others is the remedy.
    fn object(
        &self,
        node: &ProgramNode,
        own: impl Fn(&str) -> bool,
        remedy: &str,
        notes: &mut Vec<String>,
    ) -> Result<SceneObject, ImportError> {
        self.only(node, "a collision object", &OBJECT)?;
        if let Some(header) = node.get("header") {
            self.only(header, "a header", &HEADER)?;
        }
        let name = match node.get("id").map(|id| &id.kind) {
            Some(NodeKind::Text(name)) if !name.is_empty() => name.clone(),
            Some(NodeKind::Number(number)) => number.to_string(),
            _ => {
                return Err(self.error(
                    node,
                    syntax("a collision object has no `id`", "give it a name"),
                ));
            }
        };
        let frame = node.get("header").and_then(|h| h.get("frame_id"));
        let named = frame.map_or(Some(""), |frame| match &frame.kind {
            NodeKind::Text(name) => Some(name),
            _ => None,
        });
        if !named.is_some_and(&own) {
            let what = match frame {
                Some(frame) if named != Some("") => {
                    format!("`{name}` in a frame of its own ({})", frame.word())
                }
                _ => format!("`{name}`, whose `header` has no `frame_id`,"),
            };
            return Err(self.error(frame.unwrap_or(node), unsupported(what, remedy)));
        }
        if let Some(operation) = node.get("operation")
            && !matches!(operation.kind, NodeKind::Number(0.0))
            && !matches!(&operation.kind, NodeKind::Text(t) if t.is_empty() || t == "\0" || t == "add")
        {
            let what = format!("the operation {} of `{name}`", operation.word());
            return Err(self.error(
                operation,
                unsupported(
                    what,
                    "save the whole scene, in which objects are only added",
                ),
            ));
        }
        if let [plane, ..] = self.part(node, "planes")? {
            let what = format!("the endless plane in `{name}`");
            return Err(self.error(
                plane,
                unsupported(what, "put a large, flat box in its place"),
            ));
        }
        let mut shapes = Vec::new();
        let (primitives, poses) = (
            self.part(node, "primitives")?,
            self.part(node, "primitive_poses")?,
        );
        self.as_many(node, primitives.len(), poses.len(), "primitive")?;
        for (primitive, pose) in primitives.iter().zip(poses) {
            shapes.push(ScenePiece {
                form: self.primitive(primitive)?,
                object_from_shape: self.pose(pose)?,
            });
        }
        let (meshes, poses) = (self.part(node, "meshes")?, self.part(node, "mesh_poses")?);
        self.as_many(node, meshes.len(), poses.len(), "mesh")?;
        for (mesh, pose) in meshes.iter().zip(poses) {
            let (form, said) = self.mesh(mesh)?;
            notes.extend(said.into_iter().map(|why| format!("`{name}`: {why}")));
            shapes.push(ScenePiece {
                form,
                object_from_shape: self.pose(pose)?,
            });
        }
        if shapes.is_empty() {
            let problem = syntax(
                format!("`{name}` has no shape"),
                "give it `primitives` or `meshes`; objects of a data base (`type`) are not known here",
            );
            return Err(self.error(node, problem));
        }
        Ok(SceneObject {
            name,
            place: Location::at(self.file, node.line.unwrap_or(1), None),
            frame_from_object: match node.get("pose") {
                Some(pose) => self.pose(pose)?,
                None => Isometry3::identity(),
            },
            shapes,
        })
    }

    /// An `AttachedCollisionObject`.
    fn carried(
        &self,
        node: &ProgramNode,
        notes: &mut Vec<String>,
    ) -> Result<CarriedObject, ImportError> {
        self.only(node, "an attached object", &CARRIED)?;
        let link = match node.get("link_name").map(|link| &link.kind) {
            Some(NodeKind::Text(link)) if !link.is_empty() => link.clone(),
            _ => {
                let problem = syntax(
                    "an attached object has no `link_name`",
                    "name the link that carries it",
                );
                return Err(self.error(node, problem));
            }
        };
        let object = node.get("object").ok_or_else(|| {
            self.error(
                node,
                syntax("an attached object has no `object`", "save the whole scene"),
            )
        })?;
        // Without a name it is not that of the link: MoveIt takes the frame of the whole scene.
        let own = |frame: &str| frame.trim_start_matches('/') == link;
        let remedy = format!("state its pose in the frame of `{link}`, the link that carries it");
        let object = self.object(object, own, &remedy, notes)?;
        let touch = self.part(node, "touch_links")?.iter();
        let touch: Result<Vec<String>, ImportError> = touch.map(|link| self.text(link)).collect();
        let mut touch = touch?;
        // The link that carries it is never checked against it.
        touch.retain(|other| *other != link);
        Ok(CarriedObject {
            object,
            link,
            touch,
            touch_line: node
                .get("touch_links")
                .map_or(node.line, |t| t.line)
                .unwrap_or(1),
        })
    }

    fn text(&self, node: &ProgramNode) -> Result<String, ImportError> {
        match &node.kind {
            NodeKind::Text(text) => Ok(text.clone()),
            NodeKind::Number(number) => Ok(number.to_string()),
            _ => {
                let cause = format!("{} stands where a name should be", node.word());
                Err(self.error(node, syntax(cause, "write a name")))
            }
        }
    }

    fn as_many(
        &self,
        node: &ProgramNode,
        shapes: usize,
        poses: usize,
        what: &str,
    ) -> Result<(), ImportError> {
        if shapes == poses {
            Ok(())
        } else {
            Err(self.error(
                node,
                syntax(
                    format!("{shapes} shapes and {poses} poses of kind {what}"),
                    "give one pose for each",
                ),
            ))
        }
    }
}
