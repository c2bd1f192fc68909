//! How large bodies are, and whether that can be meant.

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::model::{Body, Cell, Form, Joint, JointKind, Role, Shape};
use clearance_proof::report::{Location, Severity};
use nalgebra::{Point3, Unit, Vector3};

/// A body this many times the robot's reach is a mistake of units: nothing else in a cell is that
/// large.
const IMPOSSIBLE: f64 = 100.0;
/// From here on a body is worth a second look: 25.4 (inches read as metres) and 1000 (millimetres)
/// lie beyond.
const LARGE: f64 = 12.0;
/// A body this small is worth one too: millimetres scaled twice.
const SMALL: f64 = 1.0 / 700.0;
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
    /// No program is clear: the body is too small to be met.
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

/// The box around a shape in the frame of its body.
pub(super) fn shape_bounds(shape: &Shape) -> Aabb {
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
pub fn suspicions(cell: &Cell) -> Vec<Suspicion> {
    let reach = reach(cell);
    if reach < LEAST_REACH_M {
        return Vec::new();
    }
    let judged = cell.bodies.iter().enumerate().filter_map(|(id, body)| {
        let extent = bounds(body)?.size().max();
        let (advice, consequence) = advice(body, extent, reach)?;
        let ratio = extent / reach;
        let ratio = if ratio >= 1.0 {
            format!("{ratio:.0} times")
        } else {
            format!("1/{:.0} of", 1.0 / ratio)
        };
        Some(Suspicion {
            body: body.name.clone(),
            place: cell.place(id),
            why: format!(
                "suspicious scale: it is {} long, {ratio} the robot's reach of {}; {advice}",
                metres(extent),
                metres(reach)
            ),
            consequence,
        })
    });
    judged.collect()
}

/// What is to be done about a body of that extent, and how much it matters; `None`: its size is
/// plausible.
fn advice(body: &Body, extent: f64, reach: f64) -> Option<(String, Consequence)> {
    let is_mesh = |s: &Shape| matches!(s.form, Form::Mesh { .. });
    let mesh = body.shapes.iter().any(is_mesh);
    let stated = body.shapes.iter().all(|s| s.scale.is_some() || !is_mesh(s));
    let part = body.joint.is_some();
    let scaled_away = scaled_away(body, extent, reach);
    let notice = |said: &str| Some((said.to_owned(), Consequence::Notice));
    match extent / reach {
        r if r >= IMPOSSIBLE && !mesh => notice("check its size: lengths are metres"),
        r if r >= IMPOSSIBLE && stated => {
            notice("it is checked as it is, since its scale is stated")
        }
        r if r >= IMPOSSIBLE => Some((too_large(body, extent), Consequence::Refused)),
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

/// What is said about a body that its `scale` makes next to nothing, and that fits the robot
/// without it: the file is in metres already, or the part is as small as a grain.
fn scaled_away(body: &Body, extent: f64, reach: f64) -> Option<(String, Consequence)> {
    let unscaled = body.shapes.iter().filter_map(unscaled_extent);
    let unscaled = unscaled.reduce(f64::max)?;
    if extent > LARGEST_UNIT_M * unscaled || unscaled > LARGE * reach {
        return None;
    }
    let consequence = match extent {
        e if e <= TINY_M.min(TINY * reach) => Consequence::Open,
        e if e <= TINY_OBSTACLE_M.min(TINY_OBSTACLE * reach) && body.role == Role::Obstacle => {
            Consequence::Notice
        }
        _ => return None,
    };
    let advice = format!(
        "without its `scale` it would be {}: if the file is in metres, leave `scale` out; if the part really is so small, \
         give a `box` of that size in place of the mesh, or export the mesh in metres and leave `scale` out",
        metres(unscaled)
    );
    Some((advice, consequence))
}

/// The largest extent of a mesh by the numbers of its file; `None` without a stated scale.
pub(super) fn unscaled_extent(shape: &Shape) -> Option<f64> {
    let Form::Mesh { mesh, .. } = &shape.form else {
        return None;
    };
    let size = mesh.bounds()?.size();
    Some(size.component_div(&shape.scale?.abs()).max())
}

fn too_large(body: &Body, extent: f64) -> String {
    if matches!(body.role, Role::Link { .. }) {
        return format!(
            "if the file is in millimetres, write `scale=\"0.001 0.001 0.001\"` at its `<mesh>` in the URDF ({}); if in inches, \
             `scale=\"0.0254 0.0254 0.0254\"` ({})",
            metres(extent * 1e-3),
            metres(extent * 0.0254)
        );
    }
    format!(
        "if the file is in millimetres, state `scale = 0.001` ({}); if in inches, `scale = 0.0254` ({}); `scale = 1` if it is really meant",
        metres(extent * 1e-3),
        metres(extent * 0.0254)
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
mod tests {
    use std::sync::Arc;

    use clearance_proof::geometry::mesh::Mesh;
    use clearance_proof::model::Limits;
    use nalgebra::{Isometry3, UnitQuaternion};

    use super::*;

    /// Two joints a metre apart, and one obstacle: a triangle of that extent.
    fn cell(extent: f64, scale: Option<f64>) -> Cell {
        let joint = |parent| Joint {
            name: "j".into(),
            robot: 0,
            parent,
            parent_from_joint: Isometry3::translation(1.0, 0.0, 0.0),
            axis: Vector3::z_axis(),
            kind: JointKind::Revolute,
            limits: Limits::default(),
            mimic: None,
        };
        let mesh = Mesh {
            vertices: vec![
                Point3::origin(),
                Point3::new(extent, 0.0, 0.0),
                Point3::new(0.0, extent / 2.0, 0.0),
            ],
            triangles: vec![[0, 1, 2]],
        };
        let shape = Shape {
            name: String::new(),
            body_from_shape: Isometry3::identity(),
            form: Form::Mesh {
                mesh: Arc::new(mesh),
                file: "part.stl".into(),
            },
            solid: None,
            scale: scale.map(Vector3::repeat),
        };
        let body = Body {
            name: "part".into(),
            role: Role::Obstacle,
            joint: None,
            joint_from_body: Isometry3::identity(),
            parent: None,
            shapes: vec![shape],
        };
        Cell {
            joints: vec![joint(None), joint(Some(0))],
            bodies: vec![body],
            ..Cell::default()
        }
    }

    #[test]
    fn only_sizes_that_do_not_fit_are_suspicious() {
        assert_eq!(reach(&cell(1.0, None)), 1.0); // the base's place in the world does not count
        for (extent, scale, expected) in [
            (0.002, None, None),
            (0.5, None, None),
            (8.5, None, None),
            (8500.0, None, Some(Consequence::Refused)),
            (8500.0, Some(1.0), Some(Consequence::Notice)), // stated: a warning is enough
            (25.4, None, Some(Consequence::Notice)),
            (25.4, Some(1.0), None),
            (0.0005, None, Some(Consequence::Notice)),
            (0.0005, Some(1.0), Some(Consequence::Notice)),
        ] {
            let found = suspicions(&cell(extent, scale));
            let got = found.first().map(|s| s.consequence);
            assert_eq!(got, expected, "{extent} m, scale {scale:?}: {found:?}");
        }
        let why = &suspicions(&cell(8500.0, None))[0].why;
        assert!(
            why.contains("8500.0 m long, 8500 times the robot's reach of 1.0 m"),
            "{why}"
        );
        assert!(why.contains("`scale = 0.001` (8.5 m)"), "{why}");
    }

    #[test]
    fn a_scale_that_leaves_next_to_nothing_is_open() {
        for (extent, scale, expected) in [
            // A table, and a gripper, in metres, scaled as if they were in millimetres.
            (0.0012, 0.001, Some(Consequence::Open)),
            (0.00014, 0.001, Some(Consequence::Open)),
            (0.000005, 0.001, Some(Consequence::Open)),
            (0.002, 0.0254, Some(Consequence::Open)),
            // A screw in millimetres.
            (0.008, 0.001, None),
            // A fence of 5 m, or a pin.
            (0.005, 0.001, Some(Consequence::Notice)),
            // Without the scale it would not fit either.
            (0.0012, 0.00001, Some(Consequence::Notice)),
            // Corrected a little.
            (0.0012, 0.9, Some(Consequence::Notice)),
        ] {
            let found = suspicions(&cell(extent, Some(scale)));
            let got = found.first().map(|s| s.consequence);
            assert_eq!(got, expected, "{extent} m by {scale}: {found:?}");
        }
        let why = &suspicions(&cell(0.0012, Some(0.001)))[0].why;
        let expected = "it is 1.200 mm long, 1/833 of the robot's reach of 1.0 m; without its `scale` it would be 1.2 m";
        assert!(why.contains(expected), "{why}");
        // A part that is carried may be as small as a pin; on a long rail nothing is a measure.
        let mut carried = cell(0.005, Some(0.001));
        carried.bodies[0].joint = Some(1);
        carried.bodies[0].role = Role::Attached;
        assert_eq!(suspicions(&carried), []);
        let mut rail = cell(0.02, Some(0.001));
        rail.joints[0].kind = JointKind::Prismatic;
        rail.joints[0].limits.position = Some((0.0, 12.0));
        assert_eq!(suspicions(&rail), []);
        // Limits that stand for none are no reach.
        rail.joints[0].limits.position = Some((-1e6, 1e6));
        assert_eq!(reach(&rail), 1.0);
    }

    #[test]
    fn a_robot_without_reach_is_no_measure() {
        let mut cell = cell(8500.0, None);
        cell.joints.pop();
        assert_eq!(suspicions(&cell), []);
    }

    /// Bounds of turned primitives against many points of their surface.
    #[test]
    fn bounds_hold_the_surface_tightly() {
        let rotation = UnitQuaternion::from_euler_angles(0.7, -0.4, 1.9);
        let center = Vector3::new(0.3, -0.2, 0.9);
        type Surface = fn(Vector3<f64>) -> Vector3<f64>;
        let forms: [(Form, Surface); 5] = [
            (Form::Sphere { radius: 0.5 }, |d| 0.5 * d),
            (
                Form::Box {
                    size: Vector3::new(1.0, 2.0, 3.0),
                },
                |d| Vector3::new(0.5 * d.x.signum(), d.y.signum(), 1.5 * d.z.signum()),
            ),
            (
                Form::Cylinder {
                    radius: 0.5,
                    length: 2.0,
                },
                |d| {
                    let across = d.xy().normalize() * 0.5;
                    Vector3::new(across.x, across.y, d.z.signum())
                },
            ),
            (
                Form::Cone {
                    radius: 0.5,
                    length: 2.0,
                },
                |d| {
                    if d.z > 0.5 {
                        Vector3::z()
                    } else {
                        let across = d.xy().normalize() * 0.5;
                        Vector3::new(across.x, across.y, -1.0)
                    }
                },
            ),
            (
                Form::Capsule {
                    radius: 0.5,
                    length: 2.0,
                },
                |d| 0.5 * d + Vector3::z() * d.z.signum(),
            ),
        ];
        for (form, surface) in forms {
            let mut shape = cell(1.0, None).bodies.remove(0).shapes.remove(0);
            shape.form = form;
            shape.body_from_shape = Isometry3::from_parts(center.into(), rotation);
            let Aabb { min, max } = shape_bounds(&shape);
            let mut seen = Aabb::EMPTY;
            for i in 0..40_000 {
                // A spiral over the unit sphere.
                let z = 1.0 - (2.0 * i as f64 + 1.0) / 40_000.0;
                let turn = 2.399_963 * i as f64;
                let d = Vector3::new(turn.cos(), turn.sin(), 0.0) * (1.0 - z * z).sqrt()
                    + Vector3::z() * z;
                let p = Point3::from(rotation * surface(d) + center);
                seen = seen.with(&p);
            }
            for axis in 0..3 {
                assert!(
                    (0.0..2e-3).contains(&(seen.min[axis] - min[axis] + 1e-12)),
                    "{:?} {axis}",
                    shape.form
                );
                assert!(
                    (0.0..2e-3).contains(&(max[axis] - seen.max[axis] + 1e-12)),
                    "{:?} {axis}",
                    shape.form
                );
            }
        }
    }
}
