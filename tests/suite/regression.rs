//! Every bug that was found, as a scene of a few lines.

use clearance::findings::{ContactKind, Verdict};
use clearance_proof::model::{Form, JointKind};
use nalgebra::{Isometry3, Vector3};

use crate::common::oracle::Oracle;
use crate::common::shapes::{ball, mesh};
use crate::common::{Random, Scenario};

/// 1. Eight triangles within a few nanometres, on a mesh of 6 m, pass a ball within the resolution:
///    the last bit of a position in single precision was taken for motion, and time was split until
///    the stack was used up.
#[test]
fn rounding_of_tiny_triangles_is_not_motion() {
    let mut scenario = Scenario::new();
    let at = Isometry3::new(Vector3::zeros(), Vector3::new(0.3, 0.2, 0.1));
    let slide = scenario.joint(
        None,
        Isometry3::identity(),
        Vector3::x(),
        JointKind::Prismatic,
    );
    let mut random = Random(1);
    let mut corners: Vec<[f64; 3]> = (0..24).map(|_| (random.vector() * 1e-9).into()).collect();
    corners.extend([[0.0, 6.0, 0.0], [0.0, 6.0, 1.0], [1.0, 6.0, 0.0]]);
    let triangles: Vec<[u32; 3]> = (0..9).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    scenario.mesh(Some(slide), at, mesh(&corners, &triangles));
    let place = Isometry3::translation(0.0, -0.05 - 1e-6, 0.0);
    scenario.body(None, None, vec![(place, Form::Sphere { radius: 0.05 })]);
    scenario.linear(&[(-0.5, 0.5)]);
    assert_eq!(scenario.check(0.0, 1e-4, true).verdict, Verdict::Clear);
}

/// 2. The least distance of a pair was that of the two triangles that happened to be looked at; at
///    the instant that was named, two others were nearer.
#[test]
fn the_least_distance_is_that_of_the_pair_at_its_time() {
    let mut random = Random(2);
    for _ in 0..40 {
        let mut scenario = Scenario::new();
        let joint = scenario.hinge(None, 0.0, 0.0);
        let arm = random.pose(0.3);
        scenario.mesh(Some(joint), arm, ball(true).scaled(Vector3::repeat(0.1)));
        for away in [0.6, 1.5] {
            let place = random.pose(away);
            scenario.mesh(None, place, ball(true).scaled(Vector3::repeat(0.2)));
        }
        scenario.linear(&[(0.0, 3.0)]);
        for minimum in scenario.check(0.0, 1e-4, true).pair_minimums {
            let place = scenario.trajectory.locate(minimum.time);
            let obstacle = scenario.cell.body(&minimum.b).expect("an obstacle");
            let attained =
                Oracle::new(&scenario).distance(place.segment, place.fraction, (0, obstacle));
            assert!(
                (attained - minimum.distance).abs() < 1e-12,
                "{attained} at the time of {minimum:?}"
            );
        }
    }
}

/// 3. Two meshes that are a single point each pass at a micrometre: with no extent to compare their
///    motion with, time was split without end.
#[test]
fn single_points_are_settled_in_bounded_time() {
    let mut scenario = Scenario::new();
    let slide = scenario.joint(
        None,
        Isometry3::identity(),
        Vector3::x(),
        JointKind::Prismatic,
    );
    let at = Isometry3::identity();
    for (joint, z) in [(Some(slide), 1e-6), (None, 0.0)] {
        scenario.mesh(joint, at, mesh(&[[0.0, 0.0, z]; 3], &[[0, 1, 2]]));
    }
    scenario.linear(&[(-0.4, 0.6)]);
    assert_eq!(scenario.check(0.0, 1e-4, true).verdict, Verdict::Clear);
    assert_eq!(scenario.check(2e-6, 1e-4, true).verdict, Verdict::Collision);
}

/// 4. Cubics that leave the range of their waypoints: a hull over the waypoints only says that the
///    arm never gets to the post.
#[test]
fn a_cubic_that_overshoots_between_waypoints_is_seen() {
    let mut scenario = Scenario::new();
    let arm = scenario.hinge(None, 0.0, 0.0);
    let bar = Vector3::new(1.0, 0.02, 0.02);
    let at = Isometry3::translation(0.5, 0.0, 0.0);
    scenario.body(Some(arm), None, vec![(at, Form::Box { size: bar })]);
    // A post at 0.6 rad; no waypoint is beyond 0.2.
    let post = Isometry3::translation(0.8 * 0.6f64.cos(), 0.8 * 0.6f64.sin(), 0.0);
    scenario.body(None, None, vec![(post, Form::Sphere { radius: 0.02 })]);
    for q in [0.0, 0.05, 0.1] {
        scenario.linear(&[(q, q + 0.05)]);
    }
    // From 0.15 with 3 rad/s to 0.2 with −3 rad/s: up to 0.93 on the way.
    scenario.segment(vec![[
        0.15,
        3.0,
        3.0 * 0.05 - 6.0 + 3.0,
        -2.0 * 0.05,
        0.0,
        0.0,
    ]]);
    for q in [0.2, 0.15, 0.1] {
        scenario.linear(&[(q, q - 0.05)]);
    }
    let found = scenario.check(0.0, 1e-4, true);
    assert_eq!(found.verdict, Verdict::Collision);
    let first = found.first_contact.expect("a contact");
    assert!((3.1..3.4).contains(&first.time), "{first:?}");
}

/// 5. Two arms whose tips meet half-way, where both are farthest from the chords of their arcs: the
///    chord bound of one alone leaves a gap of 0.4 m.
#[test]
fn the_chord_bound_of_the_second_body_counts_too() {
    for swapped in [false, true] {
        let mut scenario = Scenario::new();
        let turn = Isometry3::rotation(Vector3::z() * std::f64::consts::PI);
        let places = [
            Isometry3::identity(),
            Isometry3::translation(1.95, 0.0, 0.0) * turn,
        ];
        for k in [usize::from(swapped), usize::from(!swapped)] {
            let joint = scenario.joint(None, places[k], Vector3::z(), JointKind::Revolute);
            let tip = Isometry3::translation(1.0, 0.0, 0.0);
            scenario.body(
                Some(joint),
                None,
                vec![(tip, Form::Sphere { radius: 1e-3 })],
            );
        }
        scenario.linear(&[(-1.0, 1.0), (1.0, -1.0)]);
        let found = scenario.check(0.0, 1e-4, true);
        assert_eq!(found.verdict, Verdict::Collision, "swapped: {swapped}");
    }
}

/// 6. Velocities and times that no robot has: time was halved without end.
#[test]
fn absurd_motions_are_answered_in_bounded_work() {
    for (speed, duration) in [(1e100, 1.0), (1e300, 1.0), (1e12, 1e-310), (1e100, 1e-310)] {
        let mut scenario = Scenario::new();
        let joint = scenario.hinge(None, 0.0, 0.0);
        let at = Isometry3::translation(1.0, 0.0, 0.0);
        scenario.body(Some(joint), None, vec![(at, Form::Sphere { radius: 0.1 })]);
        let place = Isometry3::translation(0.0, 1.15, 0.0);
        scenario.body(None, None, vec![(place, Form::Sphere { radius: 0.1 })]);
        scenario.segment(vec![[0.0, speed, -3.0 * speed, 2.0 * speed, 0.0, 0.0]]);
        scenario.trajectory.segments[0].end = duration;
        let found = scenario.check(0.0, 1e-4, true);
        // The sphere passes by the other one more often than anybody could count, and does touch
        // it.
        assert_ne!(found.verdict, Verdict::Clear, "{speed} {duration}");
        assert!(
            found.statistics.intervals < 10_000,
            "{:?}",
            found.statistics
        );
        assert!(!found.contacts.is_empty());
        let least = found.minimum.expect("a least distance");
        assert!(least.lower_bound <= 0.0, "{least:?}");
    }
}

/// 7. At 10¹² rad a joint's value is rounded by 0.1 mrad. The bar stands 30 µm beside the post
///    where its value is computed, and may stand in it where its value is meant.
#[test]
fn values_that_are_rounded_by_more_than_the_gap_are_not_clear() {
    let value = 1e12;
    let mut scenario = Scenario::new();
    let joint = scenario.hinge(None, 0.0, 0.0);
    let at = Isometry3::translation(1.0, 0.0, 0.0);
    scenario.body(Some(joint), None, vec![(at, Form::Sphere { radius: 0.1 })]);
    let tip = Isometry3::rotation(Vector3::z() * f64::atan2(f64::sin(value), f64::cos(value)));
    let beside = tip * Isometry3::translation(1.0, 0.2 + 30e-6, 0.0);
    scenario.body(None, None, vec![(beside, Form::Sphere { radius: 0.1 })]);
    scenario.linear(&[(value, value)]);
    assert_ne!(scenario.check(0.0, 1e-4, false).verdict, Verdict::Clear);
    // The same at an angle of every day.
    let every_day = f64::atan2(f64::sin(value), f64::cos(value));
    scenario.trajectory.segments[0].change_joints(|joints| joints[0][0] = every_day);
    assert_eq!(scenario.check(0.0, 1e-4, false).verdict, Verdict::Clear);
}

/// 8. A post through a box: surfaces cross, nothing is wholly inside.
#[test]
fn a_post_through_a_box_is_a_contact_and_not_inside() {
    for up in [1.0, -1.0] {
        for moving_first in [true, false] {
            let mut scenario = Scenario::new();
            let joint = scenario.hinge(None, 0.0, 0.0);
            let post = (
                Isometry3::translation(0.0, 0.0, up * 0.8),
                Vector3::new(0.1, 0.1, 2.0),
            );
            let cube = (Isometry3::identity(), Vector3::repeat(1.0));
            let order = if moving_first {
                [post, cube]
            } else {
                [cube, post]
            };
            for (k, (at, size)) in order.into_iter().enumerate() {
                let body = scenario.body(
                    (k == 0).then_some(joint),
                    None,
                    vec![(at, Form::Box { size })],
                );
                scenario.cell.bodies[body].shapes[0].solid = None;
            }
            scenario.linear(&[(0.0, 0.1)]);
            let found = scenario.check(0.0, 1e-4, true);
            let first = found.first_contact.expect("they cross");
            assert_eq!((first.kind, first.distance), (ContactKind::Contact, 0.0));
            let kinds: Vec<_> = found.contacts.iter().map(|c| (c.kind, c.until)).collect();
            assert_eq!(kinds, [(ContactKind::Contact, Some(1.0))]);
        }
    }
}

/// A joint that may be off its polynomial, as the certified curves of straight tool moves may: what
/// it can reach counts.
#[test]
fn a_joint_that_may_be_off_its_polynomial_is_clear_of_what_it_can_reach_only() {
    for (off, verdict) in [
        (1e-3, Verdict::Clear),
        (1e-2, Verdict::Undecided),
        (2e-6, Verdict::Clear),
    ] {
        let mut scenario = Scenario::new();
        let joint = scenario.hinge(None, 0.0, 0.0);
        let at = Isometry3::translation(1.0, 0.0, 0.0);
        scenario.body(Some(joint), None, vec![(at, Form::Sphere { radius: 0.1 })]);
        let beside = Isometry3::translation(1.0, 0.205, 0.0);
        scenario.body(None, None, vec![(beside, Form::Sphere { radius: 0.1 })]);
        scenario.linear(&[(-0.5, 0.0)]);
        *scenario.trajectory.segments[0].taken_over_of(0) = off;
        let found = scenario.check(0.0, 1e-4, false);
        assert_eq!(found.verdict, verdict, "{off}");
        // Through the post there is contact wherever in its tube the motion is.
        scenario.linear(&[(-0.5, 0.5)]);
        *scenario.trajectory.segments[0].taken_over_of(0) = off;
        let found = scenario.check(0.0, 1e-4, false);
        assert_eq!(found.verdict, Verdict::Collision, "{off}");
    }
}
