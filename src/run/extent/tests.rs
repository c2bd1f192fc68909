use std::sync::Arc;

use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::Limits;
use nalgebra::{Isometry3, UnitQuaternion};

use super::*;

fn judged(cell: &Cell) -> Vec<Suspicion> {
    suspicions(cell, &BodyBoxes::of(cell))
}

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
        (25.4, None, Some(Consequence::Open)),
        (11.9, None, None),
        (12.1, None, Some(Consequence::Open)),
        (25.4, Some(1.0), None),
        (0.0005, None, Some(Consequence::Notice)),
        (0.0005, Some(1.0), Some(Consequence::Notice)),
    ] {
        let found = judged(&cell(extent, scale));
        let got = found.first().map(|s| s.consequence);
        assert_eq!(got, expected, "{extent} m, scale {scale:?}: {found:?}");
    }
    let why = &judged(&cell(8500.0, None))[0].why;
    assert!(
        why.contains("8500.0 m long, 8500 times the robot's reach of 1.0 m"),
        "{why}"
    );
    assert!(why.contains("`scale = 0.001` (8.5 m)"), "{why}");
}

/// The arm stands inside such a shell, or it is out of reach: the real part is never met.
#[test]
fn a_mesh_that_is_large_without_a_stated_scale_is_open() {
    let why = &judged(&cell(60.0, None))[0].why;
    for said in [
        "`scale = 0.001` (60 mm)",
        "`scale = 0.01` (600 mm)",
        "`scale = 0.0254` (1.5 m)",
        "`scale = 1` if it is really meant",
    ] {
        assert!(why.contains(said), "{why}");
    }
    let verdict = |cell: &Cell| judged(cell).first().map(|s| s.consequence);
    // A tool, and a link of the URDF, which names its scale elsewhere.
    let mut carried = cell(60.0, None);
    carried.bodies[0].joint = Some(1);
    carried.bodies[0].role = Role::Attached;
    assert_eq!(verdict(&carried), Some(Consequence::Open));
    carried.bodies[0].role = Role::Link { robot: 0 };
    assert_eq!(verdict(&carried), Some(Consequence::Open));
    assert!(judged(&carried)[0].why.contains("with `scale = 1`"));
    // Whoever states a scale means it; a box has none.
    carried.bodies[0].shapes[0].scale = Some(Vector3::repeat(1.0));
    assert_eq!(verdict(&carried), Some(Consequence::Notice));
    let mut hall = cell(60.0, None);
    hall.bodies[0].shapes[0].form = Form::Box {
        size: Vector3::repeat(60.0),
    };
    assert_eq!(verdict(&hall), None);
    // Beside a small mesh without a scale what is large has a stated one, or none at all.
    let [small, large] = [cell(0.5, None), cell(60.0, Some(0.001))];
    let mut both = small.clone();
    both.bodies[0]
        .shapes
        .push(large.bodies[0].shapes[0].clone());
    assert_eq!(verdict(&both), Some(Consequence::Notice));
    both.bodies[0].shapes[1].scale = None;
    assert_eq!(verdict(&both), Some(Consequence::Open));
    // A small robot says little about a hall; a large one needs a larger part.
    let mut desk = cell(11.0, None);
    desk.joints[1].parent_from_joint = Isometry3::translation(0.5, 0.0, 0.0);
    assert_eq!(verdict(&desk), Some(Consequence::Notice));
    desk.joints[1].parent_from_joint = Isometry3::translation(5.0, 0.0, 0.0);
    desk.bodies = cell(50.0, None).bodies;
    assert_eq!(verdict(&desk), None);
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
        // A table in millimetres, scaled twice; a part in micrometres, as large as a grain.
        (0.0012, 1e-6, Some(Consequence::Open)),
        (0.0012, 1e-5, Some(Consequence::Open)),
        // A fence of 2.5 m in millimetres, scaled twice; a table in micrometres.
        (0.0025, 1e-6, Some(Consequence::Notice)),
        (1.2, 1e-6, None),
        // Corrected a little.
        (0.0012, 0.9, Some(Consequence::Notice)),
    ] {
        let found = judged(&cell(extent, Some(scale)));
        let got = found.first().map(|s| s.consequence);
        assert_eq!(got, expected, "{extent} m by {scale}: {found:?}");
    }
    let why = &judged(&cell(0.0012, Some(0.001)))[0].why;
    let expected = "it is 1.200 mm long, 1/833 of the robot's reach of 1.0 m; without its `scale` it would be 1.2 m";
    assert!(why.contains(expected), "{why}");
    let why = &judged(&cell(0.0012, Some(1e-6)))[0].why;
    let expected = "without its `scale` it would be 1200.0 m, and by that of a file in millimetres, 0.001, 1.2 m: state the one that is right";
    assert!(why.contains(expected), "{why}");
    // A part that is carried may be as small as a pin; on a long rail nothing is a measure.
    let mut carried = cell(0.005, Some(0.001));
    carried.bodies[0].joint = Some(1);
    carried.bodies[0].role = Role::Attached;
    assert_eq!(judged(&carried), []);
    let mut rail = cell(0.02, Some(0.001));
    rail.joints[0].kind = JointKind::Prismatic;
    rail.joints[0].limits.position = Some((0.0, 12.0));
    assert_eq!(judged(&rail), []);
    // Limits that stand for none are no reach.
    rail.joints[0].limits.position = Some((-1e6, 1e6));
    assert_eq!(reach(&rail), 1.0);
}

#[test]
fn a_robot_without_reach_is_no_measure() {
    let mut cell = cell(8500.0, None);
    cell.joints.pop();
    assert_eq!(judged(&cell), []);
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
            let d =
                Vector3::new(turn.cos(), turn.sin(), 0.0) * (1.0 - z * z).sqrt() + Vector3::z() * z;
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
