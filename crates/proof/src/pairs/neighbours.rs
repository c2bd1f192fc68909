//! Neighbours in the kinematic tree.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::model::{BodyId, Cell, JointId, JointKind, Role};

/// Axes that pass a point, or one another, at no more than this distance meet there, metres.
const MEET: f64 = 1e-3;
/// Axes whose directions differ by no more than this, in radians, are parallel.
const PARALLEL: f64 = 1e-3;

/// The nearest body with shapes on the way to the root of the kinematic tree, if one joint is all
/// that is between the two.
///
/// Links without geometry (bare frames) are looked through: a hand whose `<link>` hangs on an empty
/// flange is the neighbour of the last link that one can touch. But bodies overlap by design at the
/// joint that joins them, not across an arm of bare links. Nor do a tool or a workpiece overlap with
/// a link that moves against them: nobody has made one for the other.
pub(super) fn neighbour(cell: &Cell, body: BodyId) -> Option<BodyId> {
    let carrier = carrier(cell, body)?;
    let chain = chain(cell, cell.bodies[carrier].joint, cell.bodies[body].joint)?;
    if cell.bodies[body].role == Role::Attached && !chain.is_empty() {
        return None;
    }
    (chain.len() <= 1 || is_one_joint(cell, &chain)).then_some(carrier)
}

fn carrier(cell: &Cell, body: BodyId) -> Option<BodyId> {
    if cell.bodies[body].role == Role::Obstacle {
        return None;
    }
    let mut at = cell.bodies[body].parent;
    while let Some(parent) = at {
        if !cell.bodies[parent].shapes.is_empty() {
            return Some(parent);
        }
        at = cell.bodies[parent].parent;
    }
    None
}

/// The joints behind one up to another, that one included, from the base on.
fn chain(cell: &Cell, above: Option<JointId>, below: Option<JointId>) -> Option<Vec<JointId>> {
    let mut chain = Vec::new();
    let mut at = below;
    while at != above {
        let joint = at?;
        chain.push(joint);
        at = cell.joints[joint].parent;
    }
    chain.reverse();
    Some(chain)
}

/// Whether several joints are one in the machine: turns whose axes meet in a point whatever their
/// values (a ball joint, a universal joint), or turns and slides along one line (a quill).
fn is_one_joint(cell: &Cell, chain: &[JointId]) -> bool {
    let mut place = Isometry3::identity();
    let axes: Vec<(Point3<f64>, Vector3<f64>)> = chain
        .iter()
        .map(|&joint| {
            let joint = &cell.joints[joint];
            place *= joint.parent_from_joint;
            let direction = place.rotation * joint.axis.into_inner();
            (Point3::from(place.translation.vector), direction)
        })
        .collect();
    let passes = |(origin, direction): &(Point3<f64>, Vector3<f64>), point: &Point3<f64>| {
        (point - origin).cross(direction).norm() <= MEET
    };
    let slides = chain
        .iter()
        .any(|&joint| cell.joints[joint].kind == JointKind::Prismatic);
    if slides {
        let first = &axes[0];
        return axes
            .iter()
            .all(|axis| axis.1.cross(&first.1).norm() <= PARALLEL && passes(first, &axis.0));
    }
    axes.iter()
        .any(|(point, _)| axes.iter().all(|axis| passes(axis, point)))
}
