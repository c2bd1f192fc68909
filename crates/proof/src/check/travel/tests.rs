//! Dense looks at random motions against the bounds.
//!
//! Planted errors and what catches each of them (tried by hand):
//!
//! | plant | caught by |
//! |---|---|
//! | `twice_chord_bound` left out (the chord alone) | `no_way_there_and_on_is_longer` |
//! | `twice_chord_bound` halved | the same |
//! | the turn left out of a node's bound (`stretch` 0) | `the_longest_chord_is_that_of_all_corners`
//! |
//! | one of two moving parts left out of the sum | `no_way_there_and_on_is_longer` |

use super::*;
use crate::check::fixture::{Fixture, JOINTS, shape};
use crate::geometry::random::Random;

/// Corners of the triangles of a part.
fn all_corners(tree: &SphereTree) -> Vec<Vector3<f64>> {
    let triangles = 0..tree.triangles.len();
    triangles.flat_map(|t| corners(tree, t)).collect()
}

/// Bodies that any joint of two chains carries, and what stands.
fn random_scene(r: &mut Random) -> Fixture {
    let mut fixture = Fixture::new();
    for (k, joint) in fixture.cell.joints.iter_mut().enumerate() {
        if k % JOINTS > 2 {
            joint.parent_from_joint.translation.vector = r.vector() * 0.5;
        }
    }
    for chain in 0..2 {
        for _ in 0..2 {
            let size = [0.1, 0.5][r.below(2)];
            let (mesh, radius) = shape(r, size, false);
            let body = fixture.carried(Some(chain), &[(mesh, radius)], None);
            fixture.cell.bodies[body].joint = Some(chain * JOINTS + r.below(JOINTS));
        }
    }
    let standing = shape(r, 0.5, false);
    fixture.body(false, &[standing], None);
    fixture
}

fn random_segment(r: &mut Random) -> Segment {
    let reach = [0.02, 0.3, 2.0][r.below(3)];
    let degree = [1, 3, 5][r.below(3)];
    let joints = (0..2 * JOINTS).map(|_| {
        let mut law = [0.0; 6];
        law[0] = r.signed();
        if r.below(3) > 0 {
            for c in &mut law[1..=degree] {
                *c = reach * r.signed();
            }
        }
        law
    });
    Segment {
        start: 0.0,
        end: 1.0,
        joints: joints.collect(),
        errors: None,
    }
}

/// Catches a bound that some point's way there and on exceeds. The greatest shares show that the
/// cases come near to it.
#[test]
fn no_way_there_and_on_is_longer() {
    const LOOKS: usize = 24;
    let mut r = Random(161);
    let (mut greatest, mut sharper) = (0.0f64, 0);
    for case in 0..600 {
        let fixture = random_scene(&mut r);
        let scene = fixture.scene(0.0);
        let segment = random_segment(&mut r);
        let s0 = r.unit() * 0.9;
        let s1 = s0 + (1.0 - s0) * [0.02, 0.2, 1.0][r.below(3)];
        let at = |s: f64| {
            let mut snapshot = Snapshot::default();
            snapshot.set(&scene, &segment, s);
            snapshot
        };
        let mut ends = [at(s0), at(s1)];
        let mut travels = Travels::default();
        travels.set(&scene, &segment, s0, s1);
        let mut looks: Vec<Snapshot> = (0..=LOOKS)
            .map(|k| at(s0 + (s1 - s0) * k as f64 / LOOKS as f64))
            .collect();
        for pair in &scene.part_pairs {
            let bound = travels.there_and_on(&scene, pair, &mut ends);
            let by_speed = travels.pair(&scene, pair, &mut ends);
            assert!(bound <= by_speed * (1.0 + 1e-9) + 1e-12, "case {case}");
            let poses: Vec<[Pose; 2]> = looks
                .iter_mut()
                .map(|look| pair.in_common_frame(&scene, look))
                .collect();
            // Of each part the longest way of a corner, whenever it is: the two may be at different
            // corners.
            let mut way = [vec![0.0f64; LOOKS + 1], vec![0.0f64; LOOKS + 1]];
            for (side, part) in [pair.a, pair.b].into_iter().enumerate() {
                for corner in all_corners(&scene.parts[part].tree) {
                    let trajectory: Vec<_> = poses.iter().map(|p| p[side].apply(&corner)).collect();
                    for (k, here) in trajectory.iter().enumerate() {
                        let long =
                            (here - trajectory[0]).norm() + (trajectory[LOOKS] - here).norm();
                        way[side][k] = way[side][k].max(long);
                    }
                }
            }
            let longest = (0..=LOOKS)
                .map(|k| way[0][k] + way[1][k])
                .fold(0.0, f64::max);
            assert!(
                longest <= bound + 1e-12,
                "case {case}: {longest}, bound {bound}"
            );
            if by_speed > 1e-6 {
                greatest = greatest.max(longest / bound);
                sharper += usize::from(bound < 0.7 * by_speed);
            }
        }
    }
    assert!(greatest > 0.99, "greatest share {greatest}");
    assert!(sharper > 1000, "{sharper} are much sharper");
}

/// A point that goes out and comes back ends where it began: its chord is 0, its way is not.
#[test]
fn what_comes_back_has_gone() {
    let mut fixture = Fixture::new();
    let cube = crate::check::fixture::cube(0.2);
    fixture.carried(Some(0), &[(cube.clone(), 0.0)], None);
    fixture.body(false, &[(cube, 0.0)], None);
    let scene = fixture.scene(0.0);
    let mut joints = vec![[0.0; 6]; 2 * JOINTS];
    joints[0] = [0.0, 4.0, -4.0, 0.0, 0.0, 0.0];
    let segment = Segment {
        start: 0.0,
        end: 1.0,
        joints: joints.into(),
        errors: None,
    };
    let mut ends = [Snapshot::default(), Snapshot::default()];
    ends[0].set(&scene, &segment, 0.0);
    ends[1].set(&scene, &segment, 1.0);
    let mut travels = Travels::default();
    travels.set(&scene, &segment, 0.0, 1.0);
    // It slides 1 m out and 1 m back.
    let bound = travels.there_and_on(&scene, &scene.part_pairs[0], &mut ends);
    assert!((2.0..2.0 + 1e-6).contains(&bound), "{bound}");
}

#[test]
fn the_longest_chord_is_that_of_all_corners() {
    let mut r = Random(162);
    for case in 0..400 {
        let (mesh, _) = shape(&mut r, 0.5, false);
        let tree = crate::bvh::SphereTree::new(&mesh, 0.0);
        let mut pose = || {
            let turn = nalgebra::Rotation3::from_scaled_axis(r.vector() * 2.0);
            Pose {
                rotation: *turn.matrix(),
                translation: r.vector(),
            }
        };
        let (from, to) = (pose(), pose());
        let found = longest_chord(&tree, &from, &to);
        let chords = all_corners(&tree)
            .into_iter()
            .map(|c| (to.apply(&c) - from.apply(&c)).norm());
        let longest = chords.fold(0.0, f64::max);
        assert!(
            (found - longest).abs() < 1e-12,
            "case {case}: {found}, {longest}"
        );
    }
}
