//! Neighbours in the kinematic tree.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::geometry::aabb::Aabb;
use crate::model::{Body, BodyId, Cell, Form, JointId, JointKind, Role};

/// Axes that pass a point, or one another, at no more than this distance meet there, metres.
const MEET: f64 = 1e-3;
/// Axes whose directions differ by no more than this, in radians, are parallel.
const PARALLEL: f64 = 1e-3;

/// The nearest body with shapes on the way to the root of the kinematic tree, if one joint is all
/// that is between the two.
///
/// Links without geometry (bare frames) are looked through: a hand whose `<link>` hangs on an empty
/// flange is the neighbour of the last link that one can touch. But bodies overlap by design at the
/// joint that joins them, not across an arm or a wrist of bare links. Nor do a tool or a workpiece
/// overlap with a link that moves against them: nobody has made one for the other.
pub(super) fn neighbour(cell: &Cell, body: BodyId) -> Option<BodyId> {
    let carrier = carrier(cell, body)?;
    let chain = chain(cell, cell.bodies[carrier].joint, cell.bodies[body].joint)?;
    if cell.bodies[body].role == Role::Attached && !chain.is_empty() {
        return None;
    }
    (chain.len() <= 1 || is_one_joint(cell, &chain, [carrier, body])).then_some(carrier)
}

/// The joints between two neighbours, from the base on.
pub(super) fn joints_between(cell: &Cell, [a, b]: [BodyId; 2]) -> Vec<JointId> {
    let [a, b] = [a, b].map(|body| cell.bodies[body].joint);
    chain(cell, a, b)
        .or_else(|| chain(cell, b, a))
        .unwrap_or_default()
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

/// Whether several joints between two bodies are one in the machine: turns whose axes meet in a
/// point of both, whatever their values (a ball joint, a universal joint), or turns and slides
/// along one line (a quill).
fn is_one_joint(cell: &Cell, chain: &[JointId], [above, below]: [BodyId; 2]) -> bool {
    let mut pose = Isometry3::identity();
    let axes: Vec<(Point3<f64>, Vector3<f64>)> = chain
        .iter()
        .map(|&joint| {
            let joint = &cell.joints[joint];
            pose *= joint.parent_from_joint;
            let direction = pose.rotation * joint.axis.into_inner();
            (Point3::from(pose.translation.vector), direction)
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
    // No turn moves the point where the axes meet, so its place in the last joint is one for all
    // values.
    axes.iter().any(|(point, _)| {
        axes.iter().all(|axis| passes(axis, point))
            && reaches(&cell.bodies[above], point)
            && reaches(&cell.bodies[below], &pose.inverse_transform_point(point))
    })
}

/// Whether a point of the joint that a body moves with lies in the box around one of its shapes: in
/// the ball or in its socket. Behind a bare wrist it lies before the hand.
fn reaches(body: &Body, point: &Point3<f64>) -> bool {
    let point = body.joint_from_body.inverse_transform_point(point);
    body.shapes.iter().any(|shape| {
        let point = shape.body_from_shape.inverse_transform_point(&point);
        let around = bounds(&shape.form).map(|around| around.grown(MEET));
        around.is_some_and(|x| x.min <= point && point <= x.max)
    })
}

/// The box around a form; nothing is made to turn in a cloud of points.
fn bounds(form: &Form) -> Option<Aabb> {
    let half = match *form {
        Form::Mesh { ref mesh, .. } => return mesh.bounds(),
        Form::Cloud { .. } => return None,
        Form::Box { size } => size / 2.0,
        Form::Sphere { radius } => Vector3::repeat(radius),
        Form::Cylinder { radius, length } | Form::Cone { radius, length } => {
            Vector3::new(radius, radius, length / 2.0)
        }
        Form::Capsule { radius, length } => Vector3::new(radius, radius, length / 2.0 + radius),
    };
    Some(Aabb::around(&Point3::origin(), &half))
}
