//! The elements that carry a body, and what each of them may be off.

use nalgebra::Vector3;
use smallvec::SmallVec;

use super::{BodyElements, ErrorRoot};
use crate::check::scene::Scene;
use crate::model::{BodyId, RigidError, Role, Uncertainty};

/// The elements of a body.
pub(super) fn body_elements(
    scene: &Scene,
    uncertainty: Option<&Uncertainty>,
    body: BodyId,
) -> BodyElements {
    let cell = scene.cell;
    let mut elements = BodyElements {
        mesh: uncertainty.map_or(0.0, |u| u.mesh[body]),
        tools: SmallVec::new(),
        model: RigidError::default(),
        root: ErrorRoot::Nothing,
        root_error: RigidError::default(),
        root_origin: Vector3::zeros(),
    };
    if let (Some(uncertainty), Some(joint)) = (uncertainty, cell.bodies[body].joint) {
        elements.model = uncertainty.model[joint];
    }
    let mut at = Some(body);
    // No more steps than there are bodies: nothing carries itself.
    for _ in 0..=cell.bodies.len() {
        let Some(id) = at else { break };
        let what = &cell.bodies[id];
        match what.role {
            Role::Attached => {
                if let Some(error) = uncertainty.map(|u| u.tool[id]).filter(|e| !e.is_none()) {
                    elements
                        .tools
                        .push((error, what.joint_from_body.translation.vector));
                }
                at = what.parent;
            }
            Role::Link { robot } => {
                elements.root = ErrorRoot::Robot(robot);
                if let Some(robot) = cell.robots.get(robot) {
                    elements.root_origin = robot.world_from_base.translation.vector;
                }
                elements.root_error = uncertainty
                    .and_then(|u| u.base.get(robot).copied())
                    .unwrap_or_default();
                break;
            }
            Role::Obstacle => {
                elements.root = ErrorRoot::Standing(id);
                elements.root_origin = what.joint_from_body.translation.vector;
                elements.root_error = uncertainty.map(|u| u.obstacle[id]).unwrap_or_default();
                break;
            }
        }
    }
    elements
}
