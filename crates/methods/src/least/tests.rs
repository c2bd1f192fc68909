//! The least distance against dense looks.
//!
//! Planted errors and what catches each of them (tried by hand):
//!
//! | plant | caught by |
//! |---|---|
//! | the travel left out (`never_nearer` without `− travel`) | `no_instant_is_nearer_than_proved` |
//! | half of the travel | `a_body_that_turns_back_is_measured_where_it_turns` |

use clearance_proof::check::fixture::surface_distance;
use clearance_proof::check::fixture::{Fixture, JOINTS, cube, moved, random_bench};
use clearance_proof::geometry::random::Random;
use clearance_proof::model::Interpolation;
use nalgebra::Vector3;

use super::*;
use crate::backends::{BackendKind, Prebuilt, ShapeFineness, build};

const OPTIONS: CheckOptions = CheckOptions {
    resolution: 1e-3,
    all: false,
    minimum: true,
    minimum_by_class: true,
    minimum_pairs: None,
};

fn trajectory(joints: Vec<[f64; 6]>) -> Trajectory {
    Trajectory {
        segments: vec![Segment::new(0.0, 1.0, joints)],
        interpolation: Interpolation::Linear,
        timed: true,
    }
}

fn found(scene: &Scene, trajectory: &Trajectory, kind: BackendKind) -> Option<MinimumClearance> {
    let mut work = Work::default();
    let fineness = ShapeFineness {
        leaf_radius: kind.has_leaf_radius().then_some(0.2),
        ..ShapeFineness::default()
    };
    let mut shape = build(
        kind,
        scene,
        &fineness,
        1e-3,
        &Prebuilt::default(),
        &mut work,
    )
    .unwrap();
    least(scene, trajectory, &mut *shape, &OPTIONS, &mut work)
}

/// Catches a bound that is above what some instant shows, and an attained distance that is none.
#[test]
fn no_instant_is_nearer_than_proved() {
    const LOOKS: usize = 48;
    let mut r = Random(164);
    let (mut separate, mut tight) = (0, 0);
    for case in 0..30 {
        let fixture = random_bench(&mut r, false);
        let scene = fixture.scene(0.0);
        if scene.pairs.is_empty() {
            continue;
        }
        let reach = [0.1, 1.0][r.below(2)];
        let joints = (0..2 * JOINTS).map(|j| {
            let from = if j % JOINTS < 3 {
                6.0 * r.signed()
            } else {
                3.0 * r.signed()
            };
            // Out and back as well as straight on.
            [from, reach * r.signed(), reach * r.signed(), 0.0, 0.0, 0.0]
        });
        let trajectory = trajectory(joints.collect());
        let mut seen = f64::INFINITY;
        let mut snapshot = Snapshot::default();
        for k in 0..=LOOKS {
            snapshot.set(&scene, &trajectory.segments[0], k as f64 / LOOKS as f64);
            for pair in 0..scene.pairs.len() {
                seen = seen.min(surface_distance(&scene, pair, &mut snapshot));
            }
        }
        for kind in [
            BackendKind::SphereTree,
            BackendKind::Greedy,
            BackendKind::Octree,
            BackendKind::Ranked,
        ] {
            let least = found(&scene, &trajectory, kind).unwrap();
            let what = format!("case {case}, {kind}: {least:?}, seen {seen}");
            assert!(least.lower_bound <= seen + 1e-9, "{what}");
            assert!(least.lower_bound <= least.distance, "{what}");
            if kind.is_exact() {
                assert!(
                    least.distance - least.lower_bound <= 2.0 * OPTIONS.resolution,
                    "{what}"
                );
            }
            separate += usize::from(seen > 0.01);
            tight += usize::from(seen > 0.01 && seen - least.lower_bound < 0.005);
        }
    }
    assert!(separate > 30 && tight > 20, "{separate} {tight}");
}

#[test]
fn a_body_that_passes_another_one_is_measured_where_it_is_nearest() {
    let mut fixture = Fixture::new();
    fixture.carried(Some(0), &[(cube(0.2), 0.0)], None);
    fixture.body(
        false,
        &[(moved(cube(0.2), Vector3::new(1.0, 0.5, 0.0)), 0.0)],
        None,
    );
    let scene = fixture.scene(0.0);
    let mut joints = vec![[0.0; 6]; 2 * JOINTS];
    joints[0][1] = 2.0;
    for kind in [
        BackendKind::SphereTree,
        BackendKind::Greedy,
        BackendKind::Octree,
        BackendKind::Raw,
    ] {
        let least = found(&scene, &trajectory(joints.clone()), kind).unwrap();
        assert!((least.distance - 0.3).abs() < 1e-9, "{kind}: {least:?}");
        assert!(
            (0.298..=0.3).contains(&least.lower_bound),
            "{kind}: {least:?}"
        );
        assert!((0.39..=0.61).contains(&least.time), "{kind}: {least:?}");
    }
}

/// It slides towards the other one and back, and turns 0.2 m before it, at 0.37 of the way: no
/// halving meets that instant.
#[test]
fn a_body_that_turns_back_is_measured_where_it_turns() {
    let mut fixture = Fixture::new();
    fixture.carried(Some(0), &[(cube(0.2), 0.0)], None);
    fixture.body(false, &[(moved(cube(0.2), Vector3::x()), 0.0)], None);
    let scene = fixture.scene(0.0);
    let mut joints = vec![[0.0; 6]; 2 * JOINTS];
    let (turn, far) = (0.37, 0.6);
    joints[0][1] = 2.0 * far / turn;
    joints[0][2] = -far / (turn * turn);
    for kind in [
        BackendKind::SphereTree,
        BackendKind::Octree,
        BackendKind::Raw,
    ] {
        let least = found(&scene, &trajectory(joints.clone()), kind).unwrap();
        assert!(least.lower_bound <= 0.2 + 1e-12, "{kind}: {least:?}");
        assert!(
            least.lower_bound > 0.198 && least.distance < 0.202,
            "{kind}: {least:?}"
        );
    }
}
