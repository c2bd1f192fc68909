//! `fixed_frame_transforms` of a message: where frames stand that are no link's.

use super::{Reader, unsupported};
use crate::ImportError;
use crate::program::node::{NodeKind, ProgramNode};

/// Of a TransformStamped.
const STAMPED: [&str; 3] = ["header", "child_frame_id", "transform"];
/// Of a Transform.
const TRANSFORM: [&str; 2] = ["translation", "rotation"];

impl Reader<'_> {
    /// Refuses objects in a frame `world` that stands elsewhere than the scene.
    pub(super) fn still_world(
        &self,
        root: &ProgramNode,
        objects: &[ProgramNode],
    ) -> Result<(), ImportError> {
        let is_world = |node: &ProgramNode| matches!(&node.kind, NodeKind::Text(name) if matches!(name.as_str(), "world" | "/world"));
        let in_world = |object: &ProgramNode| {
            let frame = object.get("header").and_then(|h| h.get("frame_id"));
            frame.is_some_and(is_world)
        };
        let needed = objects.iter().any(in_world);
        for stamped in self.part(root, "fixed_frame_transforms")? {
            self.only(stamped, "a fixed frame", &STAMPED)?;
            let of_world = stamped.get("child_frame_id").is_some_and(is_world);
            let Some(transform) = stamped.get("transform").filter(|_| needed && of_world) else {
                continue;
            };
            self.only(transform, "a transform", &TRANSFORM)?;
            let mut moved = 0.0_f64;
            if let Some(part) = transform.get("translation") {
                let by = self.vector(part, ["x", "y", "z"])?;
                moved = by.iter().fold(moved, |most, x| most.max(x.abs()));
            }
            if let Some(part) = transform.get("rotation") {
                let [x, y, z, _] = self.vector(part, ["x", "y", "z", "w"])?;
                moved = [x, y, z].iter().fold(moved, |most, x| most.max(x.abs()));
            }
            if moved > 1e-9 {
                let what = "a frame `world` that `fixed_frame_transforms` puts elsewhere";
                let remedy = "state the poses of the objects in the frame of the robot's root, with an empty `frame_id`";
                return Err(self.error(transform, unsupported(what, remedy)));
            }
        }
        Ok(())
    }
}
