//! How large bodies are, and whether that can be meant.

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::model::{Body, BodyId, Cell, Form, Joint, JointKind, Role, Shape};
use clearance_proof::report::{Location, Severity};
use nalgebra::{Point3, Unit, Vector3};

/// A body this many times the robot's reach is a mistake of units: nothing else in a cell is that
/// large.
const IMPOSSIBLE: f64 = 100.0;
/// From here on a body is worth a second look: 25.4 (inches read as metres) and 1000 (millimetres)
/// lie beyond.
const LARGE: f64 = 12.0;
/// A mesh that has no stated scale, and is as large as that beside the reach and in metres, holds the
/// arm inside its hollow shell, or is out of its reach: nothing is hit, where the real part may be.
const LARGE_M: f64 = 12.0;
/// A body this small is worth one too: millimetres scaled twice.
pub(super) const SMALL: f64 = 1.0 / 700.0;
/// A body that moves is worth a second look from here on, whatever was stated about its size:
/// unlike a floor it is carried.
const LARGE_PART: f64 = 10.0;
/// A moving body smaller than this share of the reach is worth a second look too.
const SMALL_PART: f64 = 1.0 / 1000.0;
/// A mesh whose stated scale leaves so little of it, in shares of the reach and in metres, is
/// checked as next to nothing: whatever runs through the real body is clear.
const TINY: f64 = 1.0 / 500.0;
pub(super) const TINY_M: f64 = 0.006;
/// The same for what stands still: a fence of 5 m, scaled as if it were in millimetres. Pins on a
/// fixture are as small, so this is worth a second look only.
const TINY_OBSTACLE: f64 = 1.0 / 150.0;
const TINY_OBSTACLE_M: f64 = 0.012;
/// The scale of a file in millimetres.
const MILLIMETRE_M: f64 = 1e-3;
/// A unit of length is at most so many metres (a decimetre): a larger factor corrects a size.
pub(super) const LARGEST_UNIT_M: f64 = 0.1;
/// No slide is longer, metres.
const LONGEST_SLIDE_M: f64 = 1000.0;
/// Robots with less reach than this say nothing about the size of their cell, metres.
pub(super) const LEAST_REACH_M: f64 = 0.01;

/// A body whose size does not fit the robot's.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspicion {
    /// Its name.
    pub body: String,
    /// Where the input names it.
    pub place: Option<Location>,
    /// The suspicious fact, and what would be right.
    pub why: String,
    /// The consequence of a suspicious size.
    pub consequence: Consequence,
}

/// The consequence of a suspicious size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consequence {
    /// Nothing: it is said.
    Notice,
    /// No program is clear: the body is too small to be met, or so large that it is probably in
    /// another unit.
    Open,
    /// Nothing is checked: a verdict would answer another question than the user's.
    Refused,
}

impl Consequence {
    /// As it is shown.
    pub fn severity(self) -> Severity {
        match self {
            Consequence::Notice => Severity::Notice,
            Consequence::Open | Consequence::Refused => Severity::Open,
        }
    }
}

/// The box around a body in its own frame; `None` without geometry.
pub fn bounds(body: &Body) -> Option<Aabb> {
    let boxes = body.shapes.iter().map(shape_bounds);
    boxes.reduce(|a, b| a.join(&b))
}

/// The boxes around the shapes of all bodies, in the frames of these: many questions ask for them,
/// and to make one takes a walk over all corners of a mesh.
pub(super) struct BodyBoxes {
    of_shapes: Vec<Vec<Aabb>>,
}

impl BodyBoxes {
    pub(super) fn of(cell: &Cell) -> Self {
        BodyBoxes {
            of_shapes: cell.bodies.iter().map(boxes).collect(),
        }
    }

    /// Those around the shapes of a body.
    pub(super) fn of_shapes(&self, body: BodyId) -> &[Aabb] {
        &self.of_shapes[body]
    }

    /// How large a body is by a measure of sizes: at most as large as its shapes end to end, for
    /// where one of them lies may be what is wrong. `None` without geometry.
    pub(super) fn size_by(
        &self,
        body: BodyId,
        measure: impl Fn(Vector3<f64>) -> f64,
    ) -> Option<f64> {
        let shapes = self.of_shapes(body).iter();
        let end_to_end = shapes.clone().map(|around| measure(around.size()));
        let around = shapes.copied().reduce(|a, b| a.join(&b))?;
        Some(measure(around.size()).min(end_to_end.sum()))
    }
}

/// The box around each shape of a body, in its frame.
pub(super) fn boxes(body: &Body) -> Vec<Aabb> {
    body.shapes.iter().map(shape_bounds).collect()
}

/// The box around a shape in the frame of its body.
fn shape_bounds(shape: &Shape) -> Aabb {
    let placed = |p: Point3<f64>| shape.body_from_shape * p;
    // How far a primitive reaches from its middle in a direction.
    let support: &dyn Fn(&Unit<Vector3<f64>>) -> f64 = match &shape.form {
        // Every vertex of a mesh that was read belongs to a triangle.
        Form::Mesh { mesh, .. } => return Aabb::of(mesh.vertices.iter().copied().map(placed)),
        Form::Cloud { cloud, .. } => {
            return Aabb::of(cloud.points().map(placed)).grown(cloud.radius);
        }
        Form::Box { size } => &move |d| size.dot(&d.abs()) / 2.0,
        Form::Sphere { radius } => &move |_| *radius,
        Form::Cylinder { radius, length } => {
            &move |d| d.z.abs() * length / 2.0 + radius * d.xy().norm()
        }
        Form::Cone { radius, length } => &move |d| {
            let tip = d.z * length / 2.0;
            tip.max(radius * d.xy().norm() - tip)
        },
        Form::Capsule { radius, length } => &move |d| d.z.abs() * length / 2.0 + radius,
    };
    let (turn, middle) = (
        shape.body_from_shape.rotation,
        Point3::from(shape.body_from_shape.translation.vector),
    );
    let mut around = Aabb::at(&middle);
    for axis in 0..3 {
        let direction = turn.inverse() * Vector3::ith_axis(axis);
        around.max[axis] += support(&direction);
        around.min[axis] -= support(&-direction);
    }
    around
}

/// Reach of the robots: the longest chain of joint offsets and travels, metres. No flange reaches
/// further. Of a turntable, which has no such chain: how far what it carries reaches.
pub fn reach(cell: &Cell) -> f64 {
    match reach_of_chains(cell) {
        longest if longest >= LEAST_REACH_M => longest,
        longest => longest.max(reach_of_turntables(cell)),
    }
}

/// The farthest corner of what turns about joints alone. Free bodies slide.
fn reach_of_turntables(cell: &Cell) -> f64 {
    let mut slides: Vec<bool> = Vec::with_capacity(cell.joints.len());
    for joint in &cell.joints {
        let before = joint.parent.is_some_and(|parent| slides[parent]);
        slides.push(before || joint.kind == JointKind::Prismatic);
    }
    let turning = cell.bodies.iter().filter(|body| {
        matches!(body.role, Role::Link { .. }) && body.joint.is_some_and(|joint| !slides[joint])
    });
    let farthest = turning.filter_map(|body| {
        let corners = bounds(body)?.corners();
        let away = corners.map(|p| (body.joint_from_body * p).coords.norm());
        away.into_iter().reduce(f64::max)
    });
    farthest.fold(0.0, f64::max)
}

/// The limits of a joint that slides; limits of kilometres stand for none.
pub(super) fn slide_limits(joint: &Joint) -> Option<(f64, f64)> {
    let slides = joint.kind == JointKind::Prismatic;
    let limits = joint.limits.position.filter(|_| slides);
    limits.filter(|(lower, upper)| lower.abs().max(upper.abs()) <= LONGEST_SLIDE_M)
}

fn reach_of_chains(cell: &Cell) -> f64 {
    let mut reached: Vec<f64> = Vec::with_capacity(cell.joints.len());
    let mut longest = 0.0f64;
    for joint in &cell.joints {
        let travel = slide_limits(joint).map_or(0.0, |(lower, upper)| lower.abs().max(upper.abs()));
        let so_far = match joint.parent {
            // Where a robot stands in the world is not part of its reach.
            None => travel,
            Some(parent) => {
                reached[parent] + joint.parent_from_joint.translation.vector.norm() + travel
            }
        };
        reached.push(so_far);
        longest = longest.max(so_far);
    }
    for body in &cell.bodies {
        if let (Role::Link { .. }, Some(joint)) = (body.role, body.joint) {
            longest = longest.max(reached[joint] + body.joint_from_body.translation.vector.norm());
        }
    }
    longest
}

/// Bodies that are much too large or too small for the robot.
pub(super) fn suspicions(cell: &Cell, boxes: &BodyBoxes) -> Vec<Suspicion> {
    let reach = reach(cell);
    if reach < LEAST_REACH_M {
        return Vec::new();
    }
    let judged = cell.bodies.iter().enumerate().filter_map(|(id, body)| {
        let extent = boxes.size_by(id, |size| size.max())?;
        let unstated = unstated_extent(body, boxes.of_shapes(id));
        let (advice, consequence) = advice(body, [extent, unstated], reach)?;
        Some(Suspicion {
            body: body.name.clone(),
            place: cell.place(id),
            why: format!(
                "suspicious scale: it is {}; {advice}",
                beside_reach(extent, reach)
            ),
            consequence,
        })
    });
    judged.collect()
}

/// How long something is, in words.
pub(super) fn beside_reach(extent: f64, reach: f64) -> String {
    let ratio = match extent / reach {
        ratio if ratio >= 1.0 => format!("{ratio:.0} times"),
        ratio => format!("1/{:.0} of", 1.0 / ratio),
    };
    let [extent, reach] = [extent, reach].map(metres);
    format!("{extent} long, {ratio} the robot's reach of {reach}")
}

/// The largest side of a mesh of a body whose scale is not stated, metres; zero if it has none.
fn unstated_extent(body: &Body, of_shapes: &[Aabb]) -> f64 {
    let shapes = body.shapes.iter().zip(of_shapes);
    let unstated = shapes
        .filter(|(shape, _)| matches!(shape.form, Form::Mesh { .. }) && shape.scale.is_none());
    unstated
        .map(|(_, around)| around.size().max())
        .fold(0.0, f64::max)
}

/// What is to be done about a body of that extent, and how much it matters; `None`: its size is
/// plausible. `unstated` is the extent of what has no stated scale.
fn advice(body: &Body, [extent, unstated]: [f64; 2], reach: f64) -> Option<(String, Consequence)> {
    let is_mesh = |s: &Shape| matches!(s.form, Form::Mesh { .. });
    let mesh = body.shapes.iter().any(is_mesh);
    let stated = body.shapes.iter().all(|s| s.scale.is_some() || !is_mesh(s));
    let part = body.joint.is_some();
    let unscaled = body.shapes.iter().filter_map(unscaled_extent);
    let scaled_away = (unscaled.reduce(f64::max))
        .and_then(|unscaled| scaled_away(body.role, [extent, unscaled], reach));
    let notice = |said: &str| Some((said.to_owned(), Consequence::Notice));
    match extent / reach {
        r if r >= IMPOSSIBLE && !mesh => notice("check its size: lengths are metres"),
        r if r >= IMPOSSIBLE && stated => {
            notice("it is checked as it is, since its scale is stated")
        }
        r if r >= IMPOSSIBLE => Some((too_large(body, extent), Consequence::Refused)),
        _ if unstated >= LARGE_M.max(LARGE * reach) => {
            Some((too_large(body, unstated), Consequence::Open))
        }
        _ if scaled_away.is_some() => scaled_away,
        r if part && !(SMALL_PART..=LARGE_PART).contains(&r) && stated => {
            notice("look whether its size, or its `scale`, is in metres")
        }
        r if part && r > LARGE_PART => notice(&too_large(body, extent)),
        // Nothing that one draws a mesh of: `scale = 0.001` of a file that is in metres.
        r if r <= SMALL && stated && mesh => {
            notice("look whether its `scale` is meant: a file in metres needs none")
        }
        // Whoever states a scale, or a size, has thought about it.
        _ if stated => None,
        r if r >= LARGE => notice(&too_large(body, extent)),
        r if r <= SMALL => notice(&format!(
            "if it was scaled to metres twice, `scale = 1000` makes it {}",
            metres(extent * 1e3)
        )),
        _ => None,
    }
}

/// The advice for a body, or a shape of it, that its `scale` makes next to nothing: the file is in
/// metres already, the scale of one in millimetres was applied twice, or the part is as small as a
/// grain.
pub(super) fn scaled_away(
    role: Role,
    [extent, unscaled]: [f64; 2],
    reach: f64,
) -> Option<(String, Consequence)> {
    if extent > LARGEST_UNIT_M * unscaled {
        return None;
    }
    let consequence = match extent {
        e if e <= TINY_M.min(TINY * reach) => Consequence::Open,
        e if e <= TINY_OBSTACLE_M.min(TINY_OBSTACLE * reach) && role == Role::Obstacle => {
            Consequence::Notice
        }
        _ => return None,
    };
    Some((other_scales("it", [extent, unscaled]), consequence))
}

/// What a mesh that its `scale` makes next to nothing would be by other ones; `it` stands for it.
pub(super) fn other_scales(it: &str, [extent, unscaled]: [f64; 2]) -> String {
    let by_millimetres = MILLIMETRE_M * unscaled;
    let so_small = "if the part really is so small, give a box of that size in place of the mesh, or export the mesh in metres and leave \
                    `scale` out";
    if extent <= LARGEST_UNIT_M * by_millimetres {
        return format!(
            "without its `scale` {it} would be {}, and by that of a file in millimetres, 0.001, {}: state the one that is right; {so_small}",
            metres(unscaled),
            metres(by_millimetres)
        );
    }
    format!(
        "without its `scale` {it} would be {}: if the file is in metres, leave `scale` out; {so_small}",
        metres(unscaled)
    )
}

/// The largest extent of a mesh by the numbers of its file; `None` without a stated scale.
pub(super) fn unscaled_extent(shape: &Shape) -> Option<f64> {
    let Form::Mesh { mesh, .. } = &shape.form else {
        return None;
    };
    let scale = shape.scale?.abs();
    Some(mesh.bounds()?.size().component_div(&scale).max())
}

fn too_large(body: &Body, extent: f64) -> String {
    let [mm, cm, inches] = [1e-3, 1e-2, 0.0254].map(|unit| metres(extent * unit));
    if matches!(body.role, Role::Link { .. }) {
        return format!(
            "if the file is in millimetres, write `scale=\"0.001 0.001 0.001\"` at its `<mesh>` in the URDF ({mm}); if in centimetres, \
             `scale=\"0.01 0.01 0.01\"` ({cm}); if in inches, `scale=\"0.0254 0.0254 0.0254\"` ({inches}); if it is really meant, take it \
             out of the URDF, and name it in the cell file, with `scale = 1`"
        );
    }
    format!(
        "if the file is in millimetres, state `scale = 0.001` ({mm}); if in centimetres, `scale = 0.01` ({cm}); if in inches, \
         `scale = 0.0254` ({inches}); `scale = 1` if it is really meant"
    )
}

pub(super) fn metres(length: f64) -> String {
    match length {
        l if l < 0.01 => format!("{:.3} mm", l * 1e3),
        l if l < 1.0 => format!("{:.0} mm", l * 1e3),
        l => format!("{l:.1} m"),
    }
}

#[cfg(test)]
mod tests;
