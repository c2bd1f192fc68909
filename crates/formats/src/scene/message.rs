//! `moveit_msgs/PlanningScene`, or its world alone, as YAML or JSON.

mod shape;

use std::path::Path;

use nalgebra::Isometry3;

use super::{CarriedObject, Matrix, PlanningScene, SceneObject, ScenePiece};
use crate::names::suggestion;
use crate::program::node::{NodeKind, ProgramNode, documents};
use crate::program::ros::still_base;
use crate::{ImportError, Location, Problem};

/// Frames that are the scene's own.
const OWN: [&str; 3] = ["", "world", "/world"];

/// The keys of a PlanningScene.
const SCENE: [&str; 11] = [
    "name",
    "robot_state",
    "robot_model_name",
    "fixed_frame_transforms",
    "allowed_collision_matrix",
    "link_padding",
    "link_scale",
    "object_colors",
    "object_types",
    "world",
    "is_diff",
];
/// Of a PlanningSceneWorld.
const WORLD: [&str; 2] = ["collision_objects", "octomap"];
/// Of a RobotState.
const ROBOT_STATE: [&str; 4] = [
    "joint_state",
    "multi_dof_joint_state",
    "attached_collision_objects",
    "is_diff",
];
/// Of a CollisionObject.
const OBJECT: [&str; 13] = [
    "header",
    "pose",
    "id",
    "type",
    "primitives",
    "primitive_poses",
    "meshes",
    "mesh_poses",
    "planes",
    "plane_poses",
    "subframe_names",
    "subframe_poses",
    "operation",
];
/// Of an AttachedCollisionObject.
const CARRIED: [&str; 5] = [
    "link_name",
    "object",
    "touch_links",
    "detach_posture",
    "weight",
];

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

    /// Refuses keys that a message does not have: what stands under them would be lost.
    fn only(&self, node: &ProgramNode, known: &[&str]) -> Result<(), ImportError> {
        let NodeKind::Map(entries) = &node.kind else {
            return Ok(());
        };
        let is_known = |key: &ProgramNode| match &key.kind {
            NodeKind::Text(text) => known.contains(&text.as_str()),
            _ => false,
        };
        match entries.iter().find(|(key, _)| !is_known(key)) {
            None => Ok(()),
            Some((key, _)) => {
                let name = match &key.kind {
                    NodeKind::Text(text) => text.clone(),
                    _ => key.word(),
                };
                let remedy = suggestion(&name, known.iter().copied());
                let what = "key";
                Err(self.error(key, Problem::UnknownName { what, name, remedy }))
            }
        }
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
                self.only(world, &WORLD)?;
                SCENE.to_vec()
            }
            None => [&SCENE[..], &WORLD].concat(),
        };
        self.only(root, &known)?;
        if let Some(state) = root.get("robot_state") {
            self.only(state, &ROBOT_STATE)?;
            still_base(self.file, state, "robot_state")?;
        }
        let tree = world.get("octomap").and_then(|o| o.get("octomap"));
        if let Some(data) = tree.and_then(|o| o.get("data"))
            && !matches!(&data.kind, NodeKind::List(l) if l.is_empty())
        {
            let remedy = "leave it out of the message, and put what it stands for into the cell as meshes or boxes";
            return Err(self.error(data, unsupported("an octomap", remedy)));
        }
        let state = root.get("robot_state");
        if let Some(objects) = world.get("collision_objects") {
            for object in self.list(objects)? {
                let own = |frame: &str| OWN.contains(&frame);
                let rule = (own, "state its pose in `world`");
                let object = self.object(object, rule, &mut scene.notes)?;
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
        if matches!(
            root.get("is_diff").map(|d| &d.kind),
            Some(NodeKind::Bool(true))
        ) {
            scene.notices.push(
                "the scene is a change (`is_diff: true`): what stood there before it is not in it"
                    .to_owned(),
            );
        }
        let padded = |key: &str, plain: f64| {
            let Some(NodeKind::List(entries)) = root.get(key).map(|list| &list.kind) else {
                return false;
            };
            entries.iter().any(|entry| {
                let value = entry.get("padding").or(entry.get("scale"));
                !matches!(value.map(|v| &v.kind), Some(NodeKind::Number(x)) if *x == plain)
            })
        };
        if padded("link_padding", 0.0) || padded("link_scale", 1.0) {
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
        (own, remedy): (impl Fn(&str) -> bool, &str),
        notes: &mut Vec<String>,
    ) -> Result<SceneObject, ImportError> {
        self.only(node, &OBJECT)?;
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
        self.only(node, &CARRIED)?;
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
        let object = self.object(object, (own, &remedy), notes)?;
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

    fn matrix(&self, node: &ProgramNode) -> Result<Matrix, ImportError> {
        let mut matrix = Matrix::default();
        let (names, rows) = (
            self.part(node, "entry_names")?,
            self.part(node, "entry_values")?,
        );
        self.as_many_names(node, names.len(), rows.len())?;
        for (name, row) in names.iter().zip(rows) {
            let enabled = self.list(row.get("enabled").unwrap_or(row))?;
            self.as_many_names(row, names.len(), enabled.len())?;
            let enabled = enabled.iter().map(|value| self.truth(value));
            matrix.enabled.push(enabled.collect::<Result<_, _>>()?);
            matrix
                .entries
                .push((self.text(name)?, row.line.unwrap_or(1)));
        }
        let (names, values) = (
            self.part(node, "default_entry_names")?,
            self.part(node, "default_entry_values")?,
        );
        self.as_many_names(node, names.len(), values.len())?;
        for (name, value) in names.iter().zip(values) {
            let default = (
                self.text(name)?,
                self.truth(value)?,
                value.line.unwrap_or(1),
            );
            matrix.defaults.push(default);
        }
        let mut all: Vec<&String> = matrix.entries.iter().map(|e| &e.0).collect();
        all.sort();
        let mut defaults: Vec<&String> = matrix.defaults.iter().map(|d| &d.0).collect();
        defaults.sort();
        let twice = |names: &[&String]| {
            names
                .windows(2)
                .find(|w| w[0] == w[1])
                .map(|w| w[0].clone())
        };
        match twice(&all).or_else(|| twice(&defaults)) {
            None => Ok(matrix),
            Some(name) => {
                let cause = format!("the allowed_collision_matrix has `{name}` twice");
                Err(self.error(node, syntax(cause, "keep one")))
            }
        }
    }

    fn as_many_names(
        &self,
        node: &ProgramNode,
        names: usize,
        values: usize,
    ) -> Result<(), ImportError> {
        if names == values {
            Ok(())
        } else {
            let cause =
                format!("{names} names and {values} values in the allowed_collision_matrix");
            Err(self.error(node, syntax(cause, "give one value for each name")))
        }
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

    fn truth(&self, node: &ProgramNode) -> Result<bool, ImportError> {
        match &node.kind {
            NodeKind::Bool(truth) => Ok(*truth),
            NodeKind::Number(0.0) => Ok(false),
            NodeKind::Number(1.0) => Ok(true),
            _ => {
                let cause = format!("{} stands where true or false should be", node.word());
                Err(self.error(node, syntax(cause, "write true or false")))
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
