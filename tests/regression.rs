//! Every bug that was found, as a scene of a few lines.

mod common;

use clearance::findings::Verdict;
use clearance::model::{Form, JointKind};
use common::judge::Judge;
use common::shapes::{ball, mesh};
use common::{Bench, Random};
use nalgebra::{Isometry3, Vector3};

/// 1. Eight triangles within a few nanometres, on a mesh of 6 m, pass a ball within the resolution: the last bit of a
///    position in single precision was taken for motion, and time was split until the stack was used up.
#[test]
fn rounding_of_tiny_triangles_is_not_motion() {
    let mut bench = Bench::new();
    let at = Isometry3::new(Vector3::zeros(), Vector3::new(0.3, 0.2, 0.1));
    let slide = bench.joint(
        None,
        Isometry3::identity(),
        Vector3::x(),
        JointKind::Prismatic,
    );
    let mut random = Random(1);
    let mut corners: Vec<[f64; 3]> = (0..24).map(|_| (random.vector() * 1e-9).into()).collect();
    corners.extend([[0.0, 6.0, 0.0], [0.0, 6.0, 1.0], [1.0, 6.0, 0.0]]);
    let triangles: Vec<[u32; 3]> = (0..9).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    bench.mesh(Some(slide), at, mesh(&corners, &triangles));
    let place = Isometry3::translation(0.0, -0.05 - 1e-6, 0.0);
    bench.body(None, None, vec![(place, Form::Sphere { radius: 0.05 })]);
    bench.linear(&[(-0.5, 0.5)]);
    assert_eq!(bench.check(0.0, 1e-4, true).verdict, Verdict::Clear);
}

/// 2. The least distance of a pair was that of the two triangles that happened to be looked at; at the instant that was
///    named, two others were nearer.
#[test]
fn the_least_distance_is_that_of_the_pair_at_its_time() {
    let mut random = Random(2);
    for _ in 0..40 {
        let mut bench = Bench::new();
        let joint = bench.hinge(None, 0.0, 0.0);
        let arm = random.pose(0.3);
        bench.mesh(Some(joint), arm, ball(true).scaled(Vector3::repeat(0.1)));
        for away in [0.6, 1.5] {
            let place = random.pose(away);
            bench.mesh(None, place, ball(true).scaled(Vector3::repeat(0.2)));
        }
        bench.linear(&[(0.0, 3.0)]);
        for minimum in bench.check(0.0, 1e-4, true).pair_minimums {
            let (segment, s) = bench.path.locate(minimum.time);
            let obstacle = bench.cell.body(&minimum.b).expect("an obstacle");
            let attained = Judge::new(&bench).distance(segment, s, (0, obstacle));
            assert!(
                (attained - minimum.distance).abs() < 1e-12,
                "{attained} at the time of {minimum:?}"
            );
        }
    }
}

/// 3. Two meshes that are a single point each pass at a micrometre: with no extent to compare their motion with, time was
///    split without end.
#[test]
fn single_points_are_settled_in_bounded_time() {
    let mut bench = Bench::new();
    let slide = bench.joint(
        None,
        Isometry3::identity(),
        Vector3::x(),
        JointKind::Prismatic,
    );
    let at = Isometry3::identity();
    for (joint, z) in [(Some(slide), 1e-6), (None, 0.0)] {
        bench.mesh(joint, at, mesh(&[[0.0, 0.0, z]; 3], &[[0, 1, 2]]));
    }
    bench.linear(&[(-0.4, 0.6)]);
    assert_eq!(bench.check(0.0, 1e-4, true).verdict, Verdict::Clear);
    assert_eq!(bench.check(2e-6, 1e-4, true).verdict, Verdict::Collision);
}
