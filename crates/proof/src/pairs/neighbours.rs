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
/// joint that joins them, not across an arm or a wrist of bare links. Nor does what carries a bare
/// link, and does not touch the body, have a housing of its joint: it is the table, or the whole cell.
/// Nor do a tool or a workpiece overlap with a link that moves against them: nobody has made one for
/// the other.
pub(super) fn neighbour(cell: &Cell, body: BodyId) -> Option<BodyId> {
    let carrier = carrier(cell, body)?;
    let chain = chain(cell, cell.bodies[carrier].joint, cell.bodies[body].joint)?;
    if cell.bodies[body].role == Role::Attached && !chain.is_empty() {
        return None;
    }
    let is_one = match chain[..] {
        [] => true,
        [joint] => {
            !is_on_bare_link(cell, carrier, body) || !are_apart(cell, joint, [carrier, body])
        }
        _ => is_one_joint(cell, &chain, [carrier, body]),
    };
    is_one.then_some(carrier)
}

/// Whether a link without geometry, fixed to the carrier, has the joint of a body, and not the carrier
/// itself.
fn is_on_bare_link(cell: &Cell, carrier: BodyId, body: BodyId) -> bool {
    let above = |&at: &BodyId| cell.bodies[at].parent;
    let mut between = std::iter::successors(above(&body), above).take_while(|&at| at != carrier);
    between.any(|at| cell.bodies[at].joint == cell.bodies[carrier].joint)
}

/// Whether all shapes of two bodies are apart at rest: housings of one joint are not.
fn are_apart(cell: &Cell, joint: JointId, bodies: [BodyId; 2]) -> bool {
    boxes_at_rest(cell, joint, bodies).is_some_and(|[above, below]| {
        let mut above = above.iter();
        above.all(|a| below.iter().all(|b| a.gap(b) > MEET))
    })
}

/// The boxes around the shapes of two bodies where the joint between them is at 0, or at its limit
/// nearest to 0. None: one has a cloud of points.
fn boxes_at_rest(
    cell: &Cell,
    joint: JointId,
    [carrier, body]: [BodyId; 2],
) -> Option<[Vec<Aabb>; 2]> {
    let joint = &cell.joints[joint];
    let limits = joint.limits.position;
    let value = limits.map_or(0.0, |(lower, upper)| lower.max(0.0).min(upper));
    let carrier_from_joint = joint.parent_from_joint * joint.motion(value);
    let boxes = |body: BodyId, place: &Isometry3<f64>| -> Option<Vec<Aabb>> {
        let body = &cell.bodies[body];
        let around = body.shapes.iter().map(|shape| {
            let place = place * body.joint_from_body * shape.body_from_shape;
            let corners = bounds(&shape.form)?.corners();
            Some(Aabb::of(corners.map(|corner| place * corner)))
        });
        around.collect()
    };
    Some([
        boxes(carrier, &Isometry3::identity())?,
        boxes(body, &carrier_from_joint)?,
    ])
}

/// Why two neighbours may be none.
pub(super) struct Guess {
    /// What makes them neighbours.
    pub why: String,
    /// Whether something may be hit that is not checked: else they are housings of one joint, as far
    /// as their boxes tell.
    pub open: bool,
}

impl Guess {
    /// About two neighbours; none: nothing is between their joint and them.
    pub(super) fn about(cell: &Cell, [a, b]: [BodyId; 2]) -> Option<Self> {
        let [above, below] = if carrier(cell, b) == Some(a) {
            [a, b]
        } else {
            [b, a]
        };
        let joints = chain(cell, cell.bodies[above].joint, cell.bodies[below].joint)?;
        let stands = cell.bodies[above].joint.is_none();
        match joints[..] {
            [] => None,
            [joint] if stands && is_on_bare_link(cell, above, below) => {
                let [above_boxes, below_boxes] = boxes_at_rest(cell, joint, [above, below])?;
                let is_far = |of: &Aabb| below_boxes.iter().all(|b| of.gap(b) > MEET);
                let why = "between the two stands a link without geometry, and they are near each other at rest";
                let far = "; but not all shapes of the one that stands are";
                let open = above_boxes.iter().any(is_far);
                Some(Guess {
                    why: format!("{why}{}", if open { far } else { "" }),
                    open,
                })
            }
            [_] => None,
            _ => {
                let names: Vec<String> = joints.iter().map(|&j| cell.joint_label(j)).collect();
                let slides = |&j: &JointId| cell.joints[j].kind == JointKind::Prismatic;
                Some(Guess {
                    why: format!(
                        "the axes of {} meet in both of them, and nothing is drawn between",
                        names.join(", ")
                    ),
                    // A quill stays in its housing; what turns about a point may fold.
                    open: !joints.iter().any(slides),
                })
            }
        }
    }
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
