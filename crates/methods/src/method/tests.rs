//! Small scenes that every way has to get right.

use std::sync::Arc;

use clearance_proof::check::fixture::{Fixture, JOINTS, cube, moved};
use clearance_proof::model::{Interpolation, Segment};
use clearance_proof::report::Verdict;
use nalgebra::Vector3;

use super::*;
use crate::backends::balls::Balls;
use crate::backends::octree::{self, Octree};
use crate::backends::ranked::Ranked;
use crate::ranked::CoverFineness;

const OPTIONS: CheckOptions = CheckOptions {
    resolution: 1e-3,
    all: false,
    minimum: false,
    minimum_by_class: false,
    minimum_pairs: None,
};

/// Both chains slide along x, y and z, a second for each segment: where they start and how far they
/// go.
fn slides(segments: &[[[f64; 2]; 6]]) -> Trajectory {
    let segments = segments.iter().enumerate().map(|(k, laws)| {
        Segment::new(
            k as f64,
            k as f64 + 1.0,
            (0..2 * JOINTS).map(|j| {
                let law = (j % JOINTS < 3).then(|| laws[j / JOINTS * 3 + j % JOINTS]);
                let [from, by] = law.unwrap_or_default();
                [from, by, 0.0, 0.0, 0.0, 0.0]
            }),
        )
    });
    Trajectory {
        segments: segments.collect(),
        interpolation: Interpolation::Linear,
        timed: true,
    }
}

/// The answers of every way to a threshold, metres. Ranked covers go down to 5 mm.
fn answers(
    fixture: &Fixture,
    clearance: f64,
    trajectory: &Trajectory,
) -> Vec<(Method, CheckResult)> {
    let scene = fixture.scene(clearance);
    let methods = Method::all(SamplingStep::Travel(0.01))
        .into_iter()
        .map(|method| Method {
            leaf_radius: (method.backend == BackendKind::Ranked).then_some(0.005),
            ..method
        });
    let refuses = |method: &Method| method.time == TimeMethod::Intersection && clearance > 0.0;
    methods
        .filter(|method| !refuses(method))
        .map(|method| {
            let result = method.check(&scene, trajectory, &Prebuilt::default(), &OPTIONS, &|_| ());
            (method, result.unwrap())
        })
        .collect()
}

/// Two cubes of 0.2 m, each on a slide of its own.
fn two_cubes() -> Fixture {
    let mut fixture = Fixture::new();
    for chain in 0..2 {
        fixture.carried(Some(chain), &[(cube(0.2), 0.0)], None);
    }
    fixture
}

/// Each of them crosses the way of the other one: both are far apart at both ends, and it takes the
/// travel of both to see that they can meet.
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
    let fixture = two_cubes();
    for (method, result) in answers(&fixture, 0.0, &crossing(0.1)) {
        assert_eq!(result.verdict, Verdict::Collision, "{method}");
        let first = result.first_contact.unwrap();
        // Both are 0.2 m from the middle of the crossing.
        assert!(first.free_until <= 0.4, "{method}: {first:?}");
        let early = 0.4 - result.coarseness - 1e-9;
        assert!(
            first.time > early && first.time < 0.42,
            "{method}: {first:?}"
        );
    }
    for (z, verdict) in [(0.22, Verdict::Collision), (0.3, Verdict::Clear)] {
        for (method, result) in answers(&fixture, 0.05, &crossing(z)) {
            let expected = match (method.time, verdict) {
                (TimeMethod::Sampling(_), Verdict::Clear) => Verdict::Unverified,
                _ => verdict,
            };
            assert_eq!(result.verdict, expected, "{method} {z}");
        }
    }
}

/// Passing just above the threshold is clear, and is not taken for contact by what tells distances
/// a little too small.
#[test]
fn bodies_that_pass_just_above_the_threshold() {
    let law = |z: f64| {
        let still = [0.0; 2];
        slides(&[[[-1.0, 2.0], still, still, [0.0, 0.0], still, [z, 0.0]]])
    };
    let fixture = two_cubes();
    for (z, verdict) in [
        (0.2 + 0.0505, Verdict::Clear),
        (0.2 + 0.0495, Verdict::Collision),
    ] {
        for (method, result) in answers(&fixture, 0.05, &law(z)) {
            if method.time == TimeMethod::Bisection && method.backend.is_exact() {
                assert_eq!(result.verdict, verdict, "{method} {z}");
            }
        }
    }
}

/// Parts that are prebuilt are used, and change no answer; other parts are built.
#[test]
fn a_stock_is_shared() {
    let mut fixture = Fixture::new();
    fixture.body(false, &[(moved(cube(0.2), Vector3::x()), 0.0)], None);
    fixture.carried(Some(0), &[(cube(0.2), 0.0)], None);
    let scene = fixture.scene(0.0);
    let mut elsewhere = Fixture::new();
    elsewhere.body(false, &[(cube(0.2), 0.0)], None);
    elsewhere.carried(Some(0), &[(cube(0.2), 0.0)], None);
    elsewhere.trees.clone_from(&fixture.trees);
    elsewhere.cell.bodies[0]
        .joint_from_body
        .translation
        .vector
        .y = 3.0;
    let other = elsewhere.scene(0.0);
    let kinds = [
        BackendKind::Greedy,
        BackendKind::Ranked,
        BackendKind::Octree,
    ];
    let [greedy, ranked, octree] = kinds.map(|kind| {
        let method = Method::new(TimeMethod::Bisection, kind).unwrap();
        let method = method.with_leaf_radius(0.01).unwrap();
        let prebuilt = method.prebuilt(&scene, OPTIONS.resolution).unwrap();
        let still = [0.0; 2];
        let trajectory = slides(&[[[0.0, 1.0], still, still, still, still, still]]);
        for scene in [&scene, &other] {
            let [with, without] = [&prebuilt, &Prebuilt::default()].map(|prebuilt| {
                let result = method
                    .check(scene, &trajectory, prebuilt, &OPTIONS, &|_| ())
                    .unwrap();
                (result.verdict, result.first_contact)
            });
            assert_eq!(with, without, "{method}");
        }
        prebuilt
    });
    for scene in [&scene, &other] {
        let trees = [&greedy, &greedy].map(|prebuilt| {
            let balls = Balls::greedy(scene, Some(0.01), prebuilt).unwrap();
            balls.trees()[0].clone()
        });
        assert!(Arc::ptr_eq(&trees[0], &trees[1]));
        let fineness = CoverFineness::of(0.01);
        let covers = [&ranked, &ranked].map(|prebuilt| {
            let ranked = Ranked::new(scene, &fineness, prebuilt).unwrap();
            ranked.covers()[0].clone()
        });
        assert!(Arc::ptr_eq(&covers[0], &covers[1]));
        let fineness = octree::CubeFineness::of(Some(0.01));
        let cubes = [&octree, &octree]
            .map(|prebuilt| Octree::new(scene, &fineness, prebuilt).shared().remove(0));
        let moved = scene.cell.bodies[0].joint_from_body.translation.vector.y > 0.0;
        assert_eq!(Arc::ptr_eq(&cubes[0], &cubes[1]), !moved);
    }
}

/// Samplers look at waypoints, the first and the last one and both sides of a jump, however long
/// their steps are.
#[test]
fn contacts_at_waypoints_are_seen() {
    let mut fixture = Fixture::new();
    fixture.body(false, &[(moved(cube(0.2), Vector3::x()), 0.0)], None);
    fixture.carried(Some(0), &[(cube(0.2), 0.0)], None);
    let scene = fixture.scene(0.0);
    let law = |from: f64, by: f64| [[from, by], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2]];
    for (laws, time) in [
        (vec![law(0.0, 0.81)], 1.0),
        (vec![law(0.81, -0.81)], 0.0),
        (vec![law(0.0, 0.1), law(0.1, 0.71)], 2.0),
        (vec![law(0.0, 0.81), law(0.81, -0.81)], 1.0),
        (vec![law(0.0, 0.1), law(0.81, -0.81)], 1.0),
        (vec![law(0.0, 0.81), law(0.0, 0.1)], 1.0),
    ] {
        let trajectory = slides(&laws);
        for shape in BackendKind::ALL.into_iter().filter(|s| s.is_exact()) {
            let method = Method::new(TimeMethod::Sampling(SamplingStep::Time(0.4)), shape).unwrap();
            let result = method
                .check(&scene, &trajectory, &Prebuilt::default(), &OPTIONS, &|_| ())
                .unwrap();
            assert_eq!(result.verdict, Verdict::Collision, "{method} {laws:?}");
            assert_eq!(
                result.first_contact.unwrap().time,
                time,
                "{method} {laws:?}"
            );
            assert!(result.sampled.unwrap().instants <= 8, "{method} {laws:?}");
        }
    }
}
