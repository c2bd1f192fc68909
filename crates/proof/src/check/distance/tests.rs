use nalgebra::Vector3;

use crate::check::fixture::{Fixture, anywhere, at, cube, moved, random_bench, surface_distance};
use crate::geometry::made::torus;
use crate::geometry::mesh::Mesh;
use crate::geometry::primitive::{capsule_core, sphere_core};
use crate::geometry::random::Random;

/// Curved surfaces at random poses, where many triangles are nearly as near as the nearest. Catches
/// a triangle or a node that is passed over and holds what is nearest.
#[test]
fn no_triangles_are_nearer_than_what_is_found() {
    let ring = |n| moved(torus(n), Vector3::new(-3.0, 0.0, 0.0));
    let mut fixture = Fixture::new();
    fixture.body(false, &[(ring(7), 0.0)], Some(false));
    fixture.body(true, &[(ring(6), 0.01)], Some(false));
    let scene = fixture.scene(0.0);
    let mut random = Random(41);
    let mut separate = 0;
    for case in 0..300 {
        let by = random.direction().into_inner() * (1.0 + random.unit());
        let turns = [(); 3].map(|()| 3.0 * random.signed());
        let q = [by.x, by.y, by.z, turns[0], turns[1], turns[2]];
        let mut snapshot = at(&scene, q);
        let truth = surface_distance(&scene, 0, &mut snapshot).max(0.0);
        let mut tests = 0;
        let found = scene.pair_distance(0, &mut snapshot, f64::INFINITY, &mut tests);
        let found = found.expect("two surfaces").distance.max(0.0);
        assert!(
            (found - truth).abs() < 1e-12,
            "case {case}: {found}, but {truth}"
        );
        separate += usize::from(truth > 0.0);
    }
    assert!(separate > 200, "{separate}");
}

/// The same with meshes of several clusters, one through the hole of the other now and then.
/// Catches a cluster that is passed over, and what is proved of one pair of them and taken for what
/// is proved of another.
#[test]
fn no_cluster_holds_nearer_triangles_than_what_is_found() {
    let ring = |n| moved(torus(n), Vector3::new(-3.0, 0.0, 0.0));
    let mut fixture = Fixture::new();
    fixture.body(false, &[(ring(13), 0.0)], Some(false));
    fixture.body(true, &[(ring(11), 0.002)], Some(false));
    let scene = fixture.scene(0.0);
    let clusters = |part: usize| {
        let tree = &scene.parts[part].tree;
        let nodes = 0..tree.nodes.len() as u32;
        nodes
            .filter(|&n| tree.clusters().at_node(n).is_some())
            .count()
    };
    assert!(clusters(0) > 5 && clusters(1) > 3);
    let mut random = Random(42);
    let mut separate = 0;
    for case in 0..40 {
        let by = random.direction().into_inner() * (0.2 + 1.3 * random.unit());
        let turns = [(); 3].map(|()| 3.0 * random.signed());
        let q = [by.x, by.y, by.z, turns[0], turns[1], turns[2]];
        let mut snapshot = at(&scene, q);
        let truth = surface_distance(&scene, 0, &mut snapshot);
        let found = scene.pair_distance(0, &mut snapshot, f64::INFINITY, &mut 0);
        let found = found.expect("two surfaces").distance;
        assert!(
            (found - truth).abs() < 5e-14,
            "case {case}: {found}, but {truth}"
        );
        separate += usize::from(truth > 0.0);
    }
    assert!(separate > 5, "{separate}");
}

/// Bodies of every kind, several shapes each, beside, across and in each other, asked with limits
/// on both sides of the truth. Catches what is nearest and left out because a plane seems to keep
/// it away or because something as near seems to be found, and a limit that radii do not count for.
#[test]
fn distances_below_a_limit_are_found_and_others_are_not() {
    let mut random = Random(65);
    let mut seen = [0; 3];
    for case in 0..500 {
        let whole = case % 2 == 0;
        let fixture = random_bench(&mut random, whole);
        let scene = fixture.scene(0.0);
        let mut snapshot = at(&scene, anywhere(&mut random, whole));
        for pair in 0..scene.pairs.len() {
            let truth = surface_distance(&scene, pair, &mut snapshot);
            for share in [0.5, 0.999, 1.0 + 1e-9, 1.5, f64::INFINITY] {
                let below = (truth * share).max(1e-9);
                let found = scene.pair_distance(pair, &mut snapshot, below, &mut 0);
                let context = format!("case {case}, pair {pair}, {share}: {found:?}, {truth}");
                match found {
                    Some(near) => {
                        assert!((near.distance - truth).abs() < 1e-12, "{context}");
                        // Where balls overlap, points are told of both.
                        let distance = (near.point_a - near.point_b).norm();
                        let right = truth == 0.0 || (distance - truth).abs() < 1e-9;
                        assert!(right, "{context}");
                    }
                    None => assert!(truth >= below - 1e-12, "{context}"),
                }
                seen[usize::from(found.is_some()) + usize::from(truth == 0.0)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 300), "{seen:?}");
}

/// Faces that lie alongside, a hair apart, and corners before them: where directions are vague and
/// the plane is right at the limit. Far from the origin too.
#[test]
fn thin_gaps_are_measured_like_wide_ones() {
    let mut fixture = Fixture::new();
    let plate = cube(1.0).scaled(Vector3::new(1.0, 1.0, 0.001));
    fixture.body(false, &[(cube(1.0), 0.0)], None);
    fixture.body(true, &[(plate, 0.0)], None);
    let scene = fixture.scene(0.0);
    let mut random = Random(66);
    for case in 0..400 {
        let gap = [1e-12, 1e-9, 1e-6, 1e-3, 0.1][case % 5];
        let tilt = [0.0, 1e-9, 1e-4, 0.3][random.below(4)];
        let q = [
            0.5 * random.signed(),
            0.5 * random.signed(),
            0.5005 + gap + 0.5 * tilt,
            tilt * random.signed(),
            tilt * random.signed(),
            3.0 * random.signed(),
        ];
        let mut snapshot = at(&scene, q);
        let truth = surface_distance(&scene, 0, &mut snapshot);
        let found = scene.pair_distance(0, &mut snapshot, f64::INFINITY, &mut 0);
        let found = found.expect("two surfaces").distance;
        assert!(
            found >= truth - 1e-15 && found <= truth + 5e-14,
            "case {case}: {found}, but {truth}"
        );
    }
}

/// Shapes whose middles are at one place: they touch, and no direction leads from one to the other.
/// Catches what is passed over because no direction is taken for one along which it is far.
#[test]
fn shapes_about_one_middle_touch() {
    let triangle = |corners: [[f64; 3]; 3]| Mesh {
        vertices: corners.map(Into::into).to_vec(),
        triangles: vec![[0, 1, 2]],
    };
    let flat = triangle([[2.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]]);
    let across = triangle([[0.0, 2.0, 0.0], [0.0, -1.0, 1.0], [0.0, -1.0, -1.0]]);
    let shapes = [
        (sphere_core(), 0.01),
        (sphere_core(), 0.1),
        (capsule_core(0.4), 0.1),
        (capsule_core(0.4), 0.0),
        (flat, 0.0),
        (across, 0.0),
        (cube(1.0), 0.0),
    ];
    for a in &shapes {
        for b in &shapes[..6] {
            let mut fixture = Fixture::new();
            fixture.body(false, std::slice::from_ref(a), Some(false));
            fixture.body(true, std::slice::from_ref(b), Some(false));
            let scene = fixture.scene(0.0);
            let mut snapshot = at(&scene, [0.0; 6]);
            let truth = surface_distance(&scene, 0, &mut snapshot);
            for below in [1e-9, 0.05, 1.0, f64::INFINITY] {
                let found = scene.pair_distance(0, &mut snapshot, below, &mut 0);
                let found = found.map_or(f64::INFINITY, |near| near.distance);
                assert_eq!(
                    found < below,
                    truth < below,
                    "{a:?} and {b:?}: {found}, {truth}"
                );
            }
        }
    }
}
