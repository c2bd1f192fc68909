//! Shapes and poses of a message.

use nalgebra::{Isometry3, Point3};

use super::super::{mesh, pose, primitive};
use super::keys::{MESH, POSE, PRIMITIVE, TRIANGLE};
use super::{Reader, syntax, unsupported};
use crate::ImportError;
use crate::program::node::{NodeKind, ProgramNode};

impl Reader<'_> {
    pub(super) fn primitive(
        &self,
        node: &ProgramNode,
    ) -> Result<clearance_proof::model::Form, ImportError> {
        self.only(node, "a primitive", &PRIMITIVE)?;
        let kind = node.get("type");
        let word = match kind.map(|k| &k.kind) {
            Some(NodeKind::Number(1.0)) => "box",
            Some(NodeKind::Number(2.0)) => "sphere",
            Some(NodeKind::Number(3.0)) => "cylinder",
            Some(NodeKind::Number(4.0)) => "cone",
            Some(NodeKind::Text(t)) => match t.as_str() {
                "box" => "box",
                "sphere" => "sphere",
                "cylinder" => "cylinder",
                "cone" => "cone",
                _ => {
                    return Err(self.error(
                        node,
                        unsupported(
                            format!("the primitive `{t}`"),
                            "use box, sphere, cylinder, cone or a mesh",
                        ),
                    ));
                }
            },
            _ => {
                return Err(self.error(
                    node,
                    unsupported(
                        "a primitive of another type than 1 to 4",
                        "use box, sphere, cylinder, cone or a mesh",
                    ),
                ));
            }
        };
        let mut sizes = Vec::new();
        for size in self.part(node, "dimensions")? {
            sizes.push(self.number(size)?);
        }
        // The message has the height first.
        if matches!(word, "cylinder" | "cone") {
            sizes.reverse();
        }
        primitive(word, &sizes).map_err(|problem| self.error(node, problem))
    }

    pub(super) fn mesh(
        &self,
        node: &ProgramNode,
    ) -> Result<(clearance_proof::model::Form, Vec<String>), ImportError> {
        self.only(node, "a mesh", &MESH)?;
        let mut vertices = Vec::new();
        for vertex in self.part(node, "vertices")? {
            vertices.push(Point3::from(self.vector(vertex, ["x", "y", "z"])?));
        }
        let mut triangles = Vec::new();
        for triangle in self.part(node, "triangles")? {
            let corners = match (&triangle.kind, triangle.get("vertex_indices")) {
                (NodeKind::Map(_), Some(corners)) => {
                    self.only(triangle, "a triangle", &TRIANGLE)?;
                    corners
                }
                _ => triangle,
            };
            let items = self.list(corners)?;
            let mut indices = [0; 3];
            if items.len() != 3 {
                return Err(self.error(
                    corners,
                    syntax("a triangle has three corners", "write three"),
                ));
            }
            for (slot, item) in indices.iter_mut().zip(items) {
                let value = self.number(item)?;
                if value.fract() != 0.0 || !(0.0..4e9).contains(&value) {
                    return Err(self.error(
                        item,
                        syntax("a corner is not a number of a vertex", "count from 0"),
                    ));
                }
                *slot = value as u32;
            }
            triangles.push(indices);
        }
        mesh(self.file, vertices, triangles).map_err(|problem| self.error(node, problem))
    }

    pub(super) fn number(&self, node: &ProgramNode) -> Result<f64, ImportError> {
        match node.kind {
            NodeKind::Number(x) if x.is_finite() => Ok(x),
            _ => Err(self.error(
                node,
                syntax(
                    format!("{} stands where a number should be", node.word()),
                    "write a number",
                ),
            )),
        }
    }

    /// `{x: …, y: …}` or a list.
    pub(super) fn vector<const N: usize>(
        &self,
        node: &ProgramNode,
        keys: [&str; N],
    ) -> Result<[f64; N], ImportError> {
        let mut out = [0.0; N];
        let wrong = || {
            self.error(
                node,
                syntax(
                    format!("{} stands where {N} numbers should be", node.word()),
                    "write them all",
                ),
            )
        };
        match &node.kind {
            NodeKind::List(items) if items.len() == N => {
                for (slot, item) in out.iter_mut().zip(items) {
                    *slot = self.number(item)?;
                }
            }
            NodeKind::Map(_) => {
                self.only(node, "a position or a turn", &keys)?;
                for (slot, key) in out.iter_mut().zip(keys) {
                    *slot = match node.get(key) {
                        Some(number) => self.number(number)?,
                        // As ROS fills what a message leaves out. Of `w` versions differ.
                        None if key == "w" || !keys.iter().any(|key| node.get(key).is_some()) => {
                            let what = format!("`{key}` is missing");
                            return Err(self.error(node, syntax(what, "write all numbers")));
                        }
                        None => 0.0,
                    };
                }
            }
            _ => return Err(wrong()),
        }
        Ok(out)
    }

    pub(super) fn pose(&self, node: &ProgramNode) -> Result<Isometry3<f64>, ImportError> {
        self.only(node, "a pose", &POSE)?;
        let missing =
            |what: &str| self.error(node, syntax(format!("a pose has no `{what}`"), "give both"));
        let position = node.get("position").ok_or_else(|| missing("position"))?;
        let orientation = node
            .get("orientation")
            .ok_or_else(|| missing("orientation"))?;
        let position = self.vector(position, ["x", "y", "z"])?;
        let turn = self.vector(orientation, ["x", "y", "z", "w"])?;
        // As messages are written of which nobody has set the pose.
        let turn = if turn == [0.0; 4] {
            [0.0, 0.0, 0.0, 1.0]
        } else {
            turn
        };
        pose(position, turn).map_err(|problem| self.error(node, problem))
    }
}
