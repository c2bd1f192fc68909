//! Articulated motions whose first contact is known in closed form. Any checker can be run on them.
//!
//! All lengths are metres, angles radians; every segment lasts one second, joints move linearly in it unless a law is
//! given. A *blade* of length l is one triangle (0, 0, −0.01), (l, 0, 0), (0, 0, 0.01): it has no thickness in the plane
//! in which it turns. Joints turn about z unless they are said to slide. D is the threshold, t* the first contact.
//!
//! | scene | moves | against | D | t* |
//! |---|---|---|---|---|
//! | tip-to-wall | joint at 0, blade 1; θ: 0 → 1.5 | box y 0.5…0.6, x ±2, z ±1 | 0 | asin(0.5)/1.5 |
//! | tip-to-wall-far | the same, 100 m from the origin along x, y and z | the same | 0 | asin(0.5)/1.5 |
//! | tip-to-wall-threshold | the same as tip-to-wall | the same | 0.01 | asin(0.49)/1.5 |
//! | down-to-wall | blade 1; θ: 3 → 0 | box x 0.25…0.35, y ±2, z ±1 | 0 | (3 − acos(0.25))/3 |
//! | two-joints | joints at 0 and at 1 on the first, blades 1 and 1; θ₁: 0 → 1, θ₂: 0.2 → 1 | box y 1.2…1.3 | 0 | sin θ₁ + sin(θ₁ + θ₂) = 1.2 |
//! | opposed-joints | the same; θ₁: 0 → 1.2, θ₂: 0 → −0.6 | box y 1.1…1.2 | 0 | sin 1.2t + sin 0.6t = 1.1 |
//! | slide-to-plate | slide along x, box ±0.1; q: 0 → 2 | box x 1.5…1.6 | 0 | 1.4/2 |
//! | slide-to-touch | the same; q: 0 → 1.4 | the same | 0 | 1 (the last instant, and only there) |
//! | touch-and-leave | the same; q: 0 → 1.4, then 1.4 → 0 | the same | 0 | 1 (a waypoint, and only there) |
//! | slide-to-plate-threshold | the same | the same | 0.01 | 1.39/2 |
//! | two-slides | boxes ±0.1 on slides along x, q: 0 → 1.2 and 2 → 0.9 | each other | 0 | 1.8/2.3 |
//! | ball-on-arm | joint at 0, ball of radius 0.05 at (1, 0, 0); θ: 0 → 1.5 | plane y = 0.5 (two triangles) | 0 | asin(0.45)/1.5 |
//! | blade-through-plate | blade 1; θ: −3 → 3 in one segment | box x 0.9…1.5, y ±5·10⁻⁵ | 0 | (3 − atan(5·10⁻⁵/0.9))/6 |
//! | two-arms | blade 1 at (−0.5, 0), θ: 1.8 → 0; blade 1 at (0.5, 0), θ: π − 1.8 → π | each other | 0 | (1.8 − π/3)/1.8 |
//! | cubic | tip-to-wall with θ = 1.5 (3s² − 2s³) | as tip-to-wall | 0 | θ = asin 0.5 |
//! | quintic | tip-to-wall with θ = 1.5 (10s³ − 15s⁴ + 6s⁵) | as tip-to-wall | 0 | θ = asin 0.5 |
//! | there-and-back | cubic θ = 6.4 s(1 − s): rises to 1.6 and falls to 0 | as tip-to-wall | 0 | first root of θ = asin 0.5 |
//! | turn-and-slide | joint at 0, slide along x on it, box ±0.01 with its far corners at 0.51 + q; θ: 0 → 1, q: 0 → 0.5 | box y 0.6…0.7 | 0 | (0.51 + q) sin θ + 0.01 cos θ = 0.6 |
//! | kiss | blade 1; θ: 0 → π | box y 1.001…1.1 | 0.001 | 0.5 (touches the threshold, does not pass it) |
//! | near-kiss | the same | box y 1.001001…1.1 | 0.001 | none: 1 µm is left |
//!
//! For a tool that brackets the contact, the bracket must contain t*; a tool that says "clear" without one has missed it.

mod common;

use clearance::findings::{ContactKind, Verdict};
use clearance::model::{Form, JointKind};
use common::Bench;
use common::shapes::{blade, block, cuboid, mesh};
use nalgebra::{Isometry3, Vector3};
use std::f64::consts::PI;

/// Resolution, metres.
const EPSILON: f64 = 1e-4;

/// The root of a function that rises (or falls) through zero between two places.
fn root(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let sign = f(low).signum();
    assert!(f(high).signum() != sign, "no root in the bracket");
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle).signum() == sign {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The bracket contains `expected`, and nothing moves farther than a few ε in it (`speed`: m/s of the fastest point).
fn meets(name: &str, bench: &Bench, clearance: f64, expected: f64, speed: f64) {
    let result = bench.check(clearance, EPSILON, true);
    assert_eq!(result.verdict, Verdict::Collision, "{name}");
    let first = result.first_contact.expect("a contact");
    let (free, time) = (first.free_until, first.time);
    // Closed forms and positions are rounded too: 10⁻¹¹ s is less than a nanometre here.
    assert!(
        free <= expected + 1e-11 && expected <= time + 1e-11,
        "{name}: t* = {expected} is not in {free} … {time}"
    );
    assert!(
        (time - free) * speed <= 3.0 * EPSILON,
        "{name}: bracket of {} m",
        (time - free) * speed
    );
    assert!(first.distance <= clearance + 1e-8, "{name}: {first:?}");
    let begins = &result.contacts[0];
    assert!(
        begins.free_until <= expected + 1e-11 && expected <= begins.until.unwrap() + 1e-11,
        "{name}: first interval {begins:?}"
    );
    let minimum = result.minimum.expect("a minimum");
    assert_eq!(minimum.lower_bound, 0.0, "{name}: contact was found");
}

/// A wall across y.
fn wall(low: f64, high: f64) -> clearance::geometry::mesh::Mesh {
    cuboid([-2.0, low, -1.0], [2.0, high, 1.0])
}

/// One arm of length 1 in front of a wall.
fn arm(wall_y: (f64, f64), from: f64, to: f64) -> Bench {
    let mut bench = Bench::new();
    let joint = bench.hinge(None, 0.0, 0.0);
    bench.mesh(Some(joint), Isometry3::identity(), blade(1.0));
    bench.mesh(None, Isometry3::identity(), wall(wall_y.0, wall_y.1));
    bench.linear(&[(from, to)]);
    bench
}

#[test]
fn tip_to_wall() {
    let bench = arm((0.5, 0.6), 0.0, 1.5);
    meets("tip-to-wall", &bench, 0.0, 0.5_f64.asin() / 1.5, 1.5);
    meets("threshold", &bench, 0.01, 0.49_f64.asin() / 1.5, 1.5);
}

#[test]
fn tip_to_wall_far_from_the_origin() {
    let mut bench = arm((0.5, 0.6), 0.0, 1.5);
    let far = Vector3::repeat(100.0);
    bench.cell.joints[0].parent_from_joint.translation.vector += far;
    bench.cell.bodies[1].joint_from_body.translation.vector += far;
    meets("far", &bench, 0.0, 0.5_f64.asin() / 1.5, 1.5);
}

#[test]
fn down_to_wall() {
    let mut bench = Bench::new();
    let joint = bench.hinge(None, 0.0, 0.0);
    bench.mesh(Some(joint), Isometry3::identity(), blade(1.0));
    let wall = cuboid([0.25, -2.0, -1.0], [0.35, 2.0, 1.0]);
    bench.mesh(None, Isometry3::identity(), wall);
    bench.linear(&[(3.0, 0.0)]);
    let expected = (3.0 - 0.25_f64.acos()) / 3.0;
    meets("down-to-wall", &bench, 0.0, expected, 3.0);
}

/// Two arms in a chain in front of a wall.
fn two_joints(wall_y: f64, from_to: [(f64, f64); 2]) -> Bench {
    let mut bench = Bench::new();
    let inner = bench.hinge(None, 0.0, 0.0);
    let outer = bench.hinge(Some(inner), 1.0, 0.0);
    let link = bench.mesh(Some(inner), Isometry3::identity(), blade(1.0));
    let tool = bench.mesh(Some(outer), Isometry3::identity(), blade(1.0));
    bench.cell.bodies[tool].parent = Some(link);
    bench.mesh(None, Isometry3::identity(), wall(wall_y, wall_y + 0.1));
    bench.linear(&from_to);
    bench
}

#[test]
fn two_joints_in_a_chain() {
    let height = |t: f64| {
        let (a, b) = (t, 0.2 + 0.8 * t);
        a.sin() + (a + b).sin() - 1.2
    };
    let bench = two_joints(1.2, [(0.0, 1.0), (0.2, 1.0)]);
    // The tip moves at 2·1 + 1·0.8 m/s at most.
    meets("two-joints", &bench, 0.0, root(height, 0.0, 0.8), 2.8);
    let height = |t: f64| (1.2 * t).sin() + (0.6 * t).sin() - 1.1;
    let bench = two_joints(1.1, [(0.0, 1.2), (0.0, -0.6)]);
    meets("opposed-joints", &bench, 0.0, root(height, 0.0, 1.0), 3.0);
}

#[test]
fn slides() {
    let mut bench = Bench::new();
    let at = Isometry3::identity();
    let slide = bench.joint(None, at, Vector3::x(), JointKind::Prismatic);
    bench.mesh(Some(slide), at, block(Vector3::repeat(0.1)));
    let one = bench.clone();
    bench.mesh(None, at, cuboid([1.5, -1.0, -1.0], [1.6, 1.0, 1.0]));
    bench.linear(&[(0.0, 2.0)]);
    meets("slide-to-plate", &bench, 0.0, 0.7, 2.0);
    meets("slide-to-plate-threshold", &bench, 0.01, 1.39 / 2.0, 2.0);

    let mut touch = bench.clone();
    touch.path.segments.clear();
    touch.linear(&[(0.0, 1.4)]);
    meets("slide-to-touch", &touch, 0.0, 1.0, 1.4);
    touch.linear(&[(1.4, 0.0)]);
    meets("touch-and-leave", &touch, 0.0, 1.0, 1.4);

    let mut bench = one;
    let other = bench.joint(None, at, Vector3::x(), JointKind::Prismatic);
    bench.mesh(Some(other), at, block(Vector3::repeat(0.1)));
    bench.linear(&[(0.0, 1.2), (2.0, 0.9)]);
    meets("two-slides", &bench, 0.0, 1.8 / 2.3, 2.3);
}

#[test]
fn ball_on_an_arm() {
    let mut bench = Bench::new();
    let joint = bench.hinge(None, 0.0, 0.0);
    let tip = Isometry3::translation(1.0, 0.0, 0.0);
    bench.body(
        Some(joint),
        None,
        vec![(tip, Form::Sphere { radius: 0.05 })],
    );
    let corner = |x: f64, z: f64| [2.0 * x, 0.5, z];
    let corners = [
        corner(-1.0, -1.0),
        corner(1.0, -1.0),
        corner(1.0, 1.0),
        corner(-1.0, 1.0),
    ];
    let plane = mesh(&corners, &[[0, 1, 2], [0, 2, 3]]);
    bench.mesh(None, Isometry3::identity(), plane);
    bench.linear(&[(0.0, 1.5)]);
    meets("ball-on-arm", &bench, 0.0, 0.45_f64.asin() / 1.5, 1.5);
}

#[test]
fn a_thin_plate_between_two_waypoints() {
    let mut bench = Bench::new();
    let joint = bench.hinge(None, 0.0, 0.0);
    bench.mesh(Some(joint), Isometry3::identity(), blade(1.0));
    let plate = cuboid([0.9, -5e-5, -1.0], [1.5, 5e-5, 1.0]);
    bench.mesh(None, Isometry3::identity(), plate);
    bench.linear(&[(-3.0, 3.0)]);
    let begins = (3.0 - (5e-5_f64 / 0.9).atan()) / 6.0;
    meets("blade-through-plate", &bench, 0.0, begins, 6.0);
    // And it is free again on the other side.
    let contacts = bench.check(0.0, EPSILON, true).contacts;
    let [only] = &contacts[..] else {
        panic!("one contact interval: {contacts:?}");
    };
    let until = only.until.expect("an end");
    assert!(until >= 1.0 - begins - 1e-11 && (until - (1.0 - begins)) * 6.0 < 3.0 * EPSILON);
}

#[test]
fn two_arms_meet() {
    let mut bench = Bench::new();
    for x in [-0.5, 0.5] {
        let joint = bench.hinge(None, x, 0.0);
        bench.mesh(Some(joint), Isometry3::identity(), blade(1.0));
    }
    bench.linear(&[(1.8, 0.0), (PI - 1.8, PI)]);
    meets("two-arms", &bench, 0.0, (1.8 - PI / 3.0) / 1.8, 3.6);
}

#[test]
fn laws() {
    let contact = 0.5_f64.asin();
    let cubic = |s: f64| 1.5 * s * s * (3.0 - 2.0 * s);
    let mut bench = arm((0.5, 0.6), 0.0, 0.0);
    bench.path.segments[0].joints = vec![[0.0, 0.0, 4.5, -3.0, 0.0, 0.0]];
    let expected = root(|s| cubic(s) - contact, 0.0, 1.0);
    meets("cubic", &bench, 0.0, expected, 2.25);

    let quintic = |s: f64| 1.5 * s * s * s * (10.0 + s * (6.0 * s - 15.0));
    bench.path.segments[0].joints = vec![[0.0, 0.0, 0.0, 15.0, -22.5, 9.0]];
    let expected = root(|s| quintic(s) - contact, 0.0, 1.0);
    meets("quintic", &bench, 0.0, expected, 2.9);

    bench.path.segments[0].joints = vec![[0.0, 6.4, -6.4, 0.0, 0.0, 0.0]];
    let expected = root(|s| 6.4 * s * (1.0 - s) - contact, 0.0, 0.5);
    meets("there-and-back", &bench, 0.0, expected, 6.4);
    let contacts = bench.check(0.0, EPSILON, true).contacts;
    let end = contacts.last().and_then(|c| c.until).expect("an end");
    assert!(end >= 1.0 - expected - 1e-11 && (end - (1.0 - expected)) * 6.4 < 3.0 * EPSILON);
}

#[test]
fn a_slide_on_a_turning_arm() {
    let mut bench = Bench::new();
    let turn = bench.hinge(None, 0.0, 0.0);
    let at = Isometry3::translation(0.5, 0.0, 0.0);
    let slide = bench.joint(Some(turn), at, Vector3::x(), JointKind::Prismatic);
    let tool = block(Vector3::repeat(0.01));
    bench.mesh(Some(slide), Isometry3::identity(), tool);
    bench.mesh(None, Isometry3::identity(), wall(0.6, 0.7));
    bench.linear(&[(0.0, 1.0), (0.0, 0.5)]);
    let height = |t: f64| (0.51 + 0.5 * t) * t.sin() + 0.01 * t.cos() - 0.6;
    meets("turn-and-slide", &bench, 0.0, root(height, 0.0, 1.0), 1.6);
}

#[test]
fn kisses() {
    let kiss = arm((1.001, 1.1), 0.0, PI).check(1e-3, EPSILON, false);
    assert_ne!(kiss.verdict, Verdict::Clear);
    let first = kiss.first_contact.expect("a place");
    assert!(first.free_until <= 0.5, "{first:?}");
    assert!(first.distance <= 1e-3 + EPSILON, "{first:?}");
    if kiss.verdict == Verdict::Undecided {
        assert_eq!(first.kind, ContactKind::Unresolved);
        assert!(first.until.is_some_and(|until| until >= 0.5), "{first:?}");
    }
    // A micrometre farther, and looked at more closely, it is free.
    let missed = arm((1.001 + 1e-6, 1.1), 0.0, PI).check(1e-3, 1e-6, false);
    assert_eq!(missed.verdict, Verdict::Clear);
}
