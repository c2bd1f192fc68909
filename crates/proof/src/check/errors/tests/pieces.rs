//! Large triangles, whose points are off by very different amounts: they are proved piece by piece.

use super::*;
use crate::geometry::mesh::Mesh;

/// A triangle of 2 m from its origin on, which may be turned about it by so much, and a ball over
/// it, at this distance from the origin. The triangle stands, or the link carries it.
fn over_a_plate([at, gap]: [f64; 2], carried: bool, angle: f64) -> Verdict {
    let mut cell = Cell::with_one_robot();
    let joint = Joint::revolute("j", None, Isometry3::identity(), Vector3::z_axis());
    let joint = cell.add_joint(joint);
    let corners = [[0.0, -0.05, 0.0], [2.0, -0.05, 0.0], [0.9, 0.2, 0.0]];
    let plate = Form::Mesh {
        file: "triangle.stl".into(),
        mesh: Arc::new(Mesh {
            vertices: corners.map(nalgebra::Point3::from).to_vec(),
            triangles: vec![[0, 1, 2]],
        }),
    };
    let ball = Form::Sphere { radius: 0.01 };
    // The ball hardly moves: the joint turns about it.
    let pose = |x: f64, z: f64| Isometry3::translation(x, 0.0, z);
    let body = |form: Form, pose: Isometry3<f64>, name: &str, moves: bool| {
        if moves {
            Body::link(name, form, joint, pose, None)
        } else {
            Body::obstacle(name, form, pose)
        }
    };
    let plate = body(plate, pose(0.0, 0.0), "plate", carried);
    let ball = body(ball, pose(at, gap + 0.01), "ball", !carried);
    let [link, thing] = if carried {
        [plate, ball]
    } else {
        [ball, plate]
    };
    cell.add_body(link);
    cell.add_body(thing);
    let mut budget = Uncertainty::none(&cell);
    let turn = RigidError {
        shift_m: 0.0,
        turn_rad: angle,
    };
    if carried {
        budget.model[0] = turn;
    } else {
        budget.obstacle[1] = turn;
    }
    cell.uncertainty = Some(budget);
    let trees = trees(&cell);
    let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
    let trajectory = Trajectory::linear(&cell, &[(0.0, vec![0.0]), (1.0, vec![1e-6])]).unwrap();
    scene
        .check(&trajectory, &CheckOptions::default(), &|_| ())
        .verdict
}

/// Catches a proof for some of the pieces only, and none by pieces at all.
#[test]
fn a_large_triangle_is_as_far_off_as_its_part_there() {
    for carried in [false, true] {
        // 0.01 rad are 10 mm in the middle, at 1 m, and 20 mm at the end. What is said of a part
        // grows with the distance from its middle, on both sides.
        for (at, expected) in [
            (0.7, Verdict::Clear),
            (1.0, Verdict::Clear),
            (1.3, Verdict::Clear),
            (1.7, Verdict::Possible),
        ] {
            let found = over_a_plate([at, 0.015], carried, 0.01);
            assert_eq!(found, expected, "{at} {carried}");
        }
        // Below the ball the bound is 421 mm of 435 mm; beside that, 1.2 m from the origin, it is
        // 483 mm, and the ball is 478 mm away: the nearest place is not the worst.
        for (gap, expected) in [(0.435, Verdict::Possible), (0.6, Verdict::Clear)] {
            let found = over_a_plate([1.0, gap], carried, 0.4);
            assert_eq!(found, expected, "{gap} {carried}");
        }
    }
}

/// A slab that turns by 0.2 rad, 3.9 m long: in the middle it reaches 19 mm beyond the chords of
/// its points. A block stands so far from where it ends then, and may be off by 30 mm.
fn beyond_chords(gap: f64) -> Verdict {
    let mut cell = Cell::with_one_robot();
    let joint = Joint::revolute("j", None, Isometry3::identity(), Vector3::z_axis());
    let joint = cell.add_joint(joint);
    let cuboid = |size: [f64; 3]| Form::Box {
        size: Vector3::from(size),
    };
    let at = |x: f64| Isometry3::translation(x, 0.0, 0.0);
    let slab = cuboid([1.8, 0.02, 1.8]);
    cell.add_body(Body::link("slab", slab, joint, at(3.0), None));
    let block = cuboid([1.8, 1.8, 1.8]);
    cell.add_body(Body::obstacle("block", block, at(4.8 + gap)));
    let mut budget = Uncertainty::none(&cell);
    budget.obstacle[1].shift_m = 0.03;
    cell.uncertainty = Some(budget);
    let trees = trees(&cell);
    let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
    let trajectory = Trajectory::linear(&cell, &[(0.0, vec![-0.1]), (1.0, vec![0.1])]).unwrap();
    scene
        .check(&trajectory, &CheckOptions::default(), &|_| ())
        .verdict
}

/// Catches nodes that are told apart with all their errors, but along their chords only.
#[test]
fn errors_are_no_reason_to_forget_how_far_points_leave_their_chords() {
    for (gap, expected) in [
        (-0.001, Verdict::Collision),
        (0.005, Verdict::Possible),
        (0.015, Verdict::Possible),
        (0.02, Verdict::Possible),
        (0.028, Verdict::Possible),
        (0.032, Verdict::Clear),
    ] {
        assert_eq!(beyond_chords(gap), expected, "{gap}");
    }
}
