//! Times that are known in closed form, and degenerate cases.

use super::*;
use ContactFeature::{EdgeEdge, FaceVertex, VertexFace};

/// A thin tetrahedron along x that turns about z, its tip at `reach`.
fn pointer(reach: f64) -> Mesh {
    tetrahedron([
        [reach, 0.0, 0.0],
        [0.1, 0.0, 0.02],
        [0.1, 0.0, -0.02],
        [0.1, -0.03, 0.0],
    ])
}

#[test]
fn a_turning_tip_meets_a_wall() {
    for (turn, reach, wall) in [(2.0f64, 1.0f64, 0.8f64), (1.2, 0.7, 0.3), (6.0, 2.0, 1.9)] {
        let world = World::new(vec![vec![linear(0.0, turn)]])
            .joint(None, Isometry3::identity(), Vector3::z(), false)
            .body(Some(0), Isometry3::identity(), pointer(reach))
            .body(None, at(0.3, wall + 0.5, 0.1), block(8.0, 1.0, 2.0));
        world.touches((wall / reach).asin() / turn, VertexFace);
    }
}

/// The wall is first in the cell: what is named first decides what is called vertex.
#[test]
fn the_kind_is_told_from_the_first_body() {
    let world = World::new(vec![vec![linear(0.0, 2.0)]])
        .joint(None, Isometry3::identity(), Vector3::z(), false)
        .body(None, at(0.3, 1.3, 0.1), block(8.0, 1.0, 2.0))
        .body(Some(0), Isometry3::identity(), pointer(1.0));
    world.touches(0.8f64.asin() / 2.0, FaceVertex);
}

#[test]
fn a_turning_edge_meets_an_edge() {
    // The far edge of the blade is parallel to z, the one of the roof to x.
    let blade = tetrahedron([
        [1.0, 0.0, -0.1],
        [1.0, 0.0, 0.1],
        [0.1, 0.0, 0.0],
        [0.1, -0.05, 0.0],
    ]);
    let roof = tetrahedron([
        [0.0, 0.7, 0.03],
        [2.0, 0.7, 0.03],
        [1.0, 1.2, 0.5],
        [1.0, 1.2, -0.4],
    ]);
    let world = World::new(vec![vec![linear(0.0, 1.5)]])
        .joint(None, Isometry3::identity(), Vector3::z(), false)
        .body(Some(0), Isometry3::identity(), blade)
        .body(None, Isometry3::identity(), roof);
    world.touches(0.7f64.asin() / 1.5, EdgeEdge);
}

#[test]
fn a_falling_face_meets_a_tip_under_any_law() {
    // 1 − 0.2 s − 0.3 s² − 0.4 s⁵ is the height of the plate.
    let law = [1.0, -0.2, -0.3, 0.0, 0.0, -0.4];
    let tip = 0.55;
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..60 {
        let s = 0.5 * (low + high);
        if 1.0 - 0.2 * s - 0.3 * s * s - 0.4 * s.powi(5) > tip {
            low = s
        } else {
            high = s
        }
    }
    let spike = tetrahedron([
        [0.01, 0.02, tip],
        [0.1, 0.0, 0.0],
        [-0.1, 0.1, 0.0],
        [-0.1, -0.1, 0.0],
    ]);
    let world = World::new(vec![vec![law]])
        .joint(None, Isometry3::identity(), Vector3::z(), true)
        .body(Some(0), at(0.0, 0.0, 0.05), block(1.0, 1.0, 0.1))
        .body(None, Isometry3::identity(), spike);
    world.touches(low, FaceVertex);
}

/// Both bodies turn: neither is fixed in the frame that they share, the determinant has its full
/// degree.
#[test]
fn two_tips_and_plates_that_turn_towards_each_other() {
    let plate = block(0.02, 0.8, 0.8);
    let world = World::new(vec![vec![linear(0.0, 0.5), linear(0.0, 0.5)]])
        .joint(None, Isometry3::identity(), Vector3::z(), false)
        .joint(None, at(0.0, 1.5, 0.0), Vector3::z(), true)
        .body(Some(0), Isometry3::identity(), pointer(1.0))
        .body(
            Some(1),
            at(0.0, 0.0, -1.0)
                * Isometry3::rotation(Vector3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2)),
            plate,
        );
    // The plate slides up and does not come nearer; the tip never gets as far as y = 1.49.
    world.is(Verdict::Clear);
    let world = World::new(vec![vec![linear(0.0, 1.0), linear(0.0, -1.0)]])
        .joint(None, Isometry3::identity(), Vector3::z(), false)
        .joint(None, at(0.0, 1.5, 0.0), Vector3::y(), true)
        .body(Some(0), Isometry3::identity(), pointer(1.0))
        .body(Some(1), at(0.0, 0.5, 0.0), block(4.0, 1.0, 1.0));
    // sin t = 1.5 − t.
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..60 {
        let t = 0.5 * (low + high);
        if t.sin() < 1.5 - t { low = t } else { high = t }
    }
    world.touches(low, VertexFace);
}

#[test]
fn the_second_segment_is_searched_too() {
    let world = World::new(vec![vec![linear(0.0, 0.5)], vec![linear(0.5, 0.6)]])
        .joint(None, Isometry3::identity(), Vector3::z(), false)
        .body(Some(0), Isometry3::identity(), pointer(1.0))
        .body(None, at(0.3, 1.3, 0.1), block(8.0, 1.0, 2.0));
    world.touches(1.0 + (0.8f64.asin() - 0.5) / 0.6, VertexFace);
}

/// A block whose place along x is the joint's value plus `x`, against another one of the given size
/// and place.
fn sliding(from: f64, by: f64, size: Mesh, other: Mesh, pose: Isometry3<f64>) -> World {
    World::new(vec![vec![linear(from, by)]])
        .joint(None, Isometry3::identity(), Vector3::x(), true)
        .body(Some(0), Isometry3::identity(), size)
        .body(None, pose, other)
}

/// Catches: determinants that vanish all along taken for contact, or for none.
#[test]
fn faces_that_slide_in_their_plane() {
    // Flat on the level of the other one's top, sides in line as well: coplanar three times, then
    // an edge is met.
    let world = sliding(
        0.0,
        2.0,
        block(1.0, 1.0, 1.0),
        block(1.0, 1.0, 1.0),
        at(2.0, 0.0, -1.0),
    );
    let found = world.check();
    let contact = found.first_contact.expect("a contact");
    assert!((contact.time - 0.5).abs() < 1e-9, "{}", contact.time);
    assert!(contact.feature.is_some());
    // One millimetre above it: never.
    sliding(
        0.0,
        4.0,
        block(1.0, 1.0, 1.0),
        block(1.0, 1.0, 1.0),
        at(2.0, 0.0, -1.001),
    )
    .is(Verdict::Clear);
    // Coplanar, past each other with a gap on the side.
    sliding(
        0.0,
        4.0,
        block(1.0, 1.0, 1.0),
        block(1.0, 1.0, 1.0),
        at(2.0, 1.01, -1.0),
    )
    .is(Verdict::Clear);
}

#[test]
fn faces_that_meet_flush() {
    let world = sliding(
        0.0,
        2.0,
        block(1.0, 1.0, 1.0),
        block(1.0, 0.7, 2.0),
        at(2.0, 0.1, 0.0),
    );
    let contact = world.check().first_contact.expect("a contact");
    assert!((contact.time - 0.5).abs() < 1e-9, "{}", contact.time);
    // All corners and edges in line.
    let world = sliding(
        0.0,
        2.0,
        block(1.0, 1.0, 1.0),
        block(1.0, 1.0, 1.0),
        at(2.0, 0.0, 0.0),
    );
    let contact = world.check().first_contact.expect("a contact");
    assert!((contact.time - 0.5).abs() < 1e-9, "{}", contact.time);
}

#[test]
fn parallel_edges() {
    let ridge = |s: f64| {
        tetrahedron([
            [0.0, -0.5, 0.0],
            [0.0, 0.5, 0.0],
            [s * 0.5, 0.0, 0.2],
            [s * 0.5, 0.0, -0.2],
        ])
    };
    // One ridge is a little farther on along the common line.
    let world = sliding(0.0, 1.0, ridge(-1.0), ridge(1.0), at(0.625, 0.3, 0.0));
    let contact = world.check().first_contact.expect("a contact");
    assert!((contact.time - 0.625).abs() < 1e-9, "{}", contact.time);
    // Beyond each other's ends, or past each other: never.
    sliding(0.0, 2.0, ridge(-1.0), ridge(1.0), at(0.625, 1.01, 0.0)).is(Verdict::Clear);
}

/// Nothing but coplanar triangles: every determinant vanishes all along.
#[test]
fn triangles_in_one_plane() {
    let triangle = |x: f64| Mesh {
        vertices: vec![
            Point3::new(x, 0.0, 0.0),
            Point3::new(0.0, 0.5, 0.0),
            Point3::new(0.0, -0.5, 0.0),
        ],
        triangles: vec![[0, 1, 2]],
    };
    let world = sliding(0.0, 1.0, triangle(0.5), triangle(-0.25), at(1.0, 0.0, 0.0));
    let contact = world.check().first_contact.expect("a contact");
    assert!(
        (contact.time - 0.25).abs() < 1e-5 && contact.free_until <= 0.25,
        "{contact:?}"
    );
    sliding(0.0, 1.0, triangle(0.5), triangle(-0.25), at(1.0, 1.1, 0.0)).is(Verdict::Clear);
}

/// A tip that just reaches a wall, or stays a little short of it.
#[test]
fn kisses() {
    let world = |wall: f64| {
        World::new(vec![vec![linear(0.0, 3.0)]])
            .joint(None, Isometry3::identity(), Vector3::z(), false)
            .body(Some(0), Isometry3::identity(), pointer(1.0))
            .body(None, at(0.3, wall + 0.5, 0.1), block(8.0, 1.0, 2.0))
    };
    assert_ne!(world(1.0).check().verdict, Verdict::Clear);
    world(1.00002).is(Verdict::Clear);
    world(0.999_999_9).touches(0.999_999_9f64.asin() / 3.0, VertexFace);
}

#[test]
fn at_the_start() {
    let cube = || block(1.0, 1.0, 1.0);
    for (pose, kind) in [
        // Surfaces that cross, faces that touch, faces that touch with all corners in line.
        (at(0.5, 0.2, 0.1), ContactKind::Contact),
        (at(1.0, 0.2, 0.1), ContactKind::Contact),
        (at(1.0, 0.0, 0.0), ContactKind::Contact),
    ] {
        let contact = sliding(0.0, 4.0, cube(), cube(), pose)
            .check()
            .first_contact;
        let contact = contact.expect("a contact");
        assert_eq!(
            (contact.time, contact.free_until, contact.kind),
            (0.0, 0.0, kind)
        );
        assert_eq!(contact.feature, None);
    }
    let within = sliding(
        0.0,
        0.1,
        block(0.1, 0.1, 0.1),
        cube(),
        Isometry3::identity(),
    );
    let contact = within.check().first_contact.expect("a body inside");
    assert_eq!((contact.time, contact.kind), (0.0, ContactKind::Inside));
    // Standing still apart.
    sliding(0.0, 0.0, cube(), cube(), at(1.01, 0.0, 0.0)).is(Verdict::Clear);
}

#[test]
fn what_it_cannot_answer_is_refused_with_a_remedy() {
    let mut world = sliding(
        0.0,
        0.1,
        block(1.0, 1.0, 1.0),
        block(1.0, 1.0, 1.0),
        at(3.0, 0.0, 0.0),
    );
    let refusal = |world: &World, clearance: f64, all: bool| {
        let options = CheckOptions {
            all,
            ..World::options(1e-4)
        };
        check(
            &world.scene_at(clearance),
            &world.trajectory,
            &options,
            &|_| (),
        )
        .expect_err("a refusal")
        .to_string()
    };
    for error in [refusal(&world, 0.01, false), refusal(&world, 0.0, true)] {
        assert!(error.contains("--method bisection"), "{error}");
    }
    assert!(refusal(&world, 0.01, false).contains("`b0` and `b1`"));
    let ball = SphereTree::new(&crate::geometry::primitive::sphere_core(), 0.1);
    world.trees[1] = vec![Arc::new(ball)];
    let error = refusal(&world, 0.0, false);
    assert!(
        error.contains("`b1`") && error.contains("--method bisection"),
        "{error}"
    );
    // The default check answers; what features meet is not told.
    world.trajectory.segments[0].joints = [linear(0.0, 3.0)].into();
    let scene = world.scene();
    let found = scene.check(&world.trajectory, &World::options(1e-4), &|_| ());
    let contact = found.first_contact.expect("a contact");
    assert_eq!((contact.feature, contact.exact_time), (None, None));
}

/// Between what touches within rounding and what is proved apart lies a little that stays open,
/// where the resolution is too coarse to go on. Catches an end of narrowing that forgets it.
#[test]
fn what_cannot_be_told_apart_stays_open() {
    let verdicts: Vec<Verdict> = (0..40)
        .map(|k| {
            let gap = 1e-11 * 1.1f64.powi(k);
            let world = World::new(vec![vec![linear(0.0, 3.0)]])
                .joint(None, Isometry3::identity(), Vector3::z(), false)
                .body(Some(0), Isometry3::identity(), pointer(1.0))
                .body(None, at(0.3, 1.5 + gap, 0.1), block(8.0, 1.0, 2.0));
            let found = check(
                &world.scene(),
                &world.trajectory,
                &World::options(1.0),
                &|_| (),
            );
            found.expect("no refusal").verdict
        })
        .collect();
    let clear = verdicts.iter().position(|&v| v == Verdict::Clear);
    let (near, far) = verdicts.split_at(clear.expect("proved from some distance on"));
    assert!(near.contains(&Verdict::Collision), "{verdicts:?}");
    assert!(near.contains(&Verdict::Undecided), "{verdicts:?}");
    assert!(!far.contains(&Verdict::Collision), "{verdicts:?}");
}

/// A joint that may be off its polynomial has no exact time, and passing beside something exactly
/// says nothing.
#[test]
fn a_motion_that_is_only_near_a_curve_is_refused_and_has_no_exact_time() {
    let mut world = World::new(vec![vec![linear(0.0, 2.0)]])
        .joint(None, Isometry3::identity(), Vector3::z(), false)
        .body(Some(0), Isometry3::identity(), pointer(1.0))
        .body(None, at(0.3, 1.3, 0.1), block(8.0, 1.0, 2.0));
    world.trajectory.segments[0].errors = SegmentErrors::new(vec![1e-6], Vec::new());
    let scene = world.scene();
    let refused = check(&scene, &world.trajectory, &World::options(1e-4), &|_| ());
    assert!(refused.is_err());
    let default = scene.check(&world.trajectory, &World::options(1e-4), &|_| ());
    assert_eq!(default.verdict, Verdict::Collision);
    assert_eq!(default.first_contact.and_then(|c| c.exact_time), None);
}
