//! Small scenes that every way has to get right.

use std::sync::Arc;

use clearance_proof::check::fixture::{Bench, JOINTS, cube, moved};
use clearance_proof::model::{Interpolation, Segment};
use clearance_proof::report::Verdict;
use nalgebra::Vector3;

use super::*;
use crate::ranked::Fineness;
use crate::shapes::balls::Balls;
use crate::shapes::octree::{self, Octree};
use crate::shapes::ranked::Ranked;

const OPTIONS: CheckOptions = CheckOptions {
    resolution: 1e-3,
    all: false,
    minimum: false,
};

/// Both chains slide along x, y and z, a second for each segment: where they start and how far they go.
fn slides(segments: &[[[f64; 2]; 6]]) -> Path {
    let segments = segments.iter().enumerate().map(|(k, laws)| Segment {
        start: k as f64,
        end: k as f64 + 1.0,
        joints: (0..2 * JOINTS)
            .map(|j| {
                let law = (j % JOINTS < 3).then(|| laws[j / JOINTS * 3 + j % JOINTS]);
                let [from, by] = law.unwrap_or_default();
                [from, by, 0.0, 0.0, 0.0, 0.0]
            })
            .collect(),
        taken_over: Vec::new(),
    });
    Path {
        segments: segments.collect(),
        interpolation: Interpolation::Linear,
        timed: true,
    }
}

/// The answers of every way to a threshold, metres. Ranked covers go down to 5 mm.
fn answers(bench: &Bench, clearance: f64, path: &Path) -> Vec<(Way, CheckResult)> {
    let scene = bench.scene(clearance);
    let ways = Way::all(Step::Travel(0.01)).into_iter().map(|way| Way {
        leaf_radius: (way.shape == ShapeKind::Ranked).then_some(0.005),
        ..way
    });
    let refuses = |way: &Way| way.method == Method::Intersection && clearance > 0.0;
    ways.filter(|way| !refuses(way))
        .map(|way| {
            let result = way.check(&scene, path, &Stock::default(), &OPTIONS, &|_| ());
            (way, result.unwrap())
        })
        .collect()
}

/// Two cubes of 0.2 m, each on a slide of its own.
fn two_cubes() -> Bench {
    let mut bench = Bench::new();
    for chain in 0..2 {
        bench.carried(Some(chain), &[(cube(0.2), 0.0)], None);
    }
    bench
}

/// Each of them crosses the way of the other one: both are far apart at both ends, and it takes the travel of both to see
/// that they can meet.
#[test]
fn bodies_that_cross() {
    let crossing = |z: f64| {
        slides(&[[
            [-1.0, 2.0],
            [0.0, 0.0],
            [0.0, 0.0],
            [0.0, 0.0],
            [-1.0, 2.0],
            [z, 0.0],
        ]])
    };
    let bench = two_cubes();
    for (way, result) in answers(&bench, 0.0, &crossing(0.1)) {
        assert_eq!(result.verdict, Verdict::Collision, "{way}");
        let first = result.first_contact.unwrap();
        // Both are 0.2 m from the middle of the crossing.
        assert!(first.free_until <= 0.4, "{way}: {first:?}");
        let early = 0.4 - result.coarseness - 1e-9;
        assert!(first.time > early && first.time < 0.42, "{way}: {first:?}");
    }
    for (z, verdict) in [(0.22, Verdict::Collision), (0.3, Verdict::Clear)] {
        for (way, result) in answers(&bench, 0.05, &crossing(z)) {
            let expected = match (way.method, verdict) {
                (Method::Sampling(_), Verdict::Clear) => Verdict::Unverified,
                _ => verdict,
            };
            assert_eq!(result.verdict, expected, "{way} {z}");
        }
    }
}

/// Passing just above the threshold is clear, and is not taken for contact by what tells distances a little too small.
#[test]
fn bodies_that_pass_just_above_the_threshold() {
    let law = |z: f64| {
        let still = [0.0; 2];
        slides(&[[[-1.0, 2.0], still, still, [0.0, 0.0], still, [z, 0.0]]])
    };
    let bench = two_cubes();
    for (z, verdict) in [
        (0.2 + 0.0505, Verdict::Clear),
        (0.2 + 0.0495, Verdict::Collision),
    ] {
        for (way, result) in answers(&bench, 0.05, &law(z)) {
            if way.method == Method::Bisection && way.shape.is_exact() {
                assert_eq!(result.verdict, verdict, "{way} {z}");
            }
        }
    }
}

/// What is in stock is taken, and changes no answer; what is not is built.
#[test]
fn a_stock_is_shared() {
    let mut bench = Bench::new();
    bench.body(false, &[(moved(cube(0.2), Vector3::x()), 0.0)], None);
    bench.carried(Some(0), &[(cube(0.2), 0.0)], None);
    let scene = bench.scene(0.0);
    let mut elsewhere = Bench::new();
    elsewhere.body(false, &[(cube(0.2), 0.0)], None);
    elsewhere.carried(Some(0), &[(cube(0.2), 0.0)], None);
    elsewhere.trees.clone_from(&bench.trees);
    elsewhere.cell.bodies[0]
        .joint_from_body
        .translation
        .vector
        .y = 3.0;
    let other = elsewhere.scene(0.0);
    let kinds = [ShapeKind::Greedy, ShapeKind::Ranked, ShapeKind::Octree];
    let [greedy, ranked, octree] = kinds.map(|kind| {
        let way = Way::new(Method::Bisection, kind).unwrap();
        let way = way.with_leaf_radius(0.01).unwrap();
        let stock = way.stock(&scene, OPTIONS.resolution).unwrap();
        let still = [0.0; 2];
        let path = slides(&[[[0.0, 1.0], still, still, still, still, still]]);
        for scene in [&scene, &other] {
            let [with, without] = [&stock, &Stock::default()].map(|stock| {
                let result = way.check(scene, &path, stock, &OPTIONS, &|_| ()).unwrap();
                (result.verdict, result.first_contact)
            });
            assert_eq!(with, without, "{way}");
        }
        stock
    });
    for scene in [&scene, &other] {
        let trees = [&greedy, &greedy].map(|stock| {
            let balls = Balls::greedy(scene, Some(0.01), stock).unwrap();
            balls.trees()[0].clone()
        });
        assert!(Arc::ptr_eq(&trees[0], &trees[1]));
        let fineness = Fineness::of(0.01);
        let covers = [&ranked, &ranked].map(|stock| {
            let ranked = Ranked::new(scene, &fineness, stock).unwrap();
            ranked.covers()[0].clone()
        });
        assert!(Arc::ptr_eq(&covers[0], &covers[1]));
        let fineness = octree::Fineness::of(Some(0.01));
        let cubes =
            [&octree, &octree].map(|stock| Octree::new(scene, &fineness, stock).shared().remove(0));
        let moved = scene.cell.bodies[0].joint_from_body.translation.vector.y > 0.0;
        assert_eq!(Arc::ptr_eq(&cubes[0], &cubes[1]), !moved);
    }
}

/// Samplers look at waypoints, the first and the last one and both sides of a jump, however long their steps are.
#[test]
fn contacts_at_waypoints_are_seen() {
    let mut bench = Bench::new();
    bench.body(false, &[(moved(cube(0.2), Vector3::x()), 0.0)], None);
    bench.carried(Some(0), &[(cube(0.2), 0.0)], None);
    let scene = bench.scene(0.0);
    let law = |from: f64, by: f64| [[from, by], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2]];
    for (laws, time) in [
        (vec![law(0.0, 0.81)], 1.0),
        (vec![law(0.81, -0.81)], 0.0),
        (vec![law(0.0, 0.1), law(0.1, 0.71)], 2.0),
        (vec![law(0.0, 0.81), law(0.81, -0.81)], 1.0),
        (vec![law(0.0, 0.1), law(0.81, -0.81)], 1.0),
        (vec![law(0.0, 0.81), law(0.0, 0.1)], 1.0),
    ] {
        let path = slides(&laws);
        for shape in ShapeKind::ALL.into_iter().filter(|s| s.is_exact()) {
            let way = Way::new(Method::Sampling(Step::Time(0.4)), shape).unwrap();
            let result = way
                .check(&scene, &path, &Stock::default(), &OPTIONS, &|_| ())
                .unwrap();
            assert_eq!(result.verdict, Verdict::Collision, "{way} {laws:?}");
            assert_eq!(result.first_contact.unwrap().time, time, "{way} {laws:?}");
            assert!(result.sampled.unwrap().instants <= 8, "{way} {laws:?}");
        }
    }
}
