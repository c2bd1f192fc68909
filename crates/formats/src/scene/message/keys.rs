//! The keys of each part of a message, as ROS defines them.

use super::{Reader, syntax};
pub(super) use crate::message_keys::{HEADER, POSE, ROBOT_STATE, SCENE, WORLD};
use crate::names::suggestion;
use crate::program::node::{NodeKind, ProgramNode};
use crate::{ImportError, Problem};

/// Of a CollisionObject.
pub(super) const OBJECT: [&str; 13] = [
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
pub(super) const CARRIED: [&str; 5] = [
    "link_name",
    "object",
    "touch_links",
    "detach_posture",
    "weight",
];
/// Of an OctomapWithPose.
const PLACED_OCTOMAP: [&str; 3] = ["header", "origin", "octomap"];
/// Of an Octomap.
const OCTOMAP: [&str; 5] = ["header", "binary", "id", "resolution", "data"];
/// Of a SolidPrimitive.
pub(super) const PRIMITIVE: [&str; 3] = ["type", "dimensions", "polygon"];
/// Of a Mesh.
pub(super) const MESH: [&str; 2] = ["triangles", "vertices"];
/// Of a MeshTriangle.
pub(super) const TRIANGLE: [&str; 1] = ["vertex_indices"];
/// Of an AllowedCollisionMatrix.
pub(super) const MATRIX: [&str; 4] = [
    "entry_names",
    "entry_values",
    "default_entry_names",
    "default_entry_values",
];

impl Reader<'_> {
    /// Refuses keys that a message does not have: what stands under them would be lost. So would
    /// what stands in a list or a word where keys should be.
    pub(super) fn only(
        &self,
        node: &ProgramNode,
        what: &str,
        known: &[&str],
    ) -> Result<(), ImportError> {
        let NodeKind::Map(entries) = &node.kind else {
            let cause = format!("{} stands where the keys of {what} should be", node.word());
            let remedy = format!("write its keys: {}", known.join(", "));
            return Err(self.error(node, syntax(cause, &remedy)));
        };
        let is_known = |key: &ProgramNode| match &key.kind {
            NodeKind::Text(text) => known.contains(&text.as_str()),
            // YAML takes the `y` of a point for a yes.
            NodeKind::Bool(true) => known.contains(&"y"),
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

    /// Refuses an octomap that has something in it.
    pub(super) fn no_octomap(&self, world: &ProgramNode) -> Result<(), ImportError> {
        let Some(placed) = world.get("octomap") else {
            return Ok(());
        };
        self.only(placed, "the octomap of a world", &PLACED_OCTOMAP)?;
        let Some(octomap) = placed.get("octomap") else {
            return Ok(());
        };
        self.only(octomap, "an octomap", &OCTOMAP)?;
        match octomap.get("data").map(|data| (data, &data.kind)) {
            None => Ok(()),
            Some((_, NodeKind::List(cells))) if cells.is_empty() => Ok(()),
            Some((_, NodeKind::Text(bytes))) if bytes.is_empty() => Ok(()),
            Some((data, _)) => {
                let problem = Problem::Unsupported {
                    what: "an octomap".to_owned(),
                    remedy: "leave it out of the message, and put what it stands for into the cell as meshes or boxes".to_owned(),
                };
                Err(self.error(data, problem))
            }
        }
    }

    /// Whether a list of LinkPadding or LinkScale says another number than the plain one.
    pub(super) fn is_padded(
        &self,
        root: &ProgramNode,
        list: &str,
        number: &str,
        plain: f64,
    ) -> Result<bool, ImportError> {
        let mut is_padded = false;
        for entry in self.part(root, list)? {
            self.only(entry, list, &["link_name", number])?;
            if let Some(value) = entry.get(number) {
                is_padded |= self.number(value)? != plain;
            }
        }
        Ok(is_padded)
    }
}
