use nalgebra::Point3;

use crate::check::fixture::{Fixture, anywhere, at, moved, random_bench, surface_distance};
use crate::geometry::mesh::Mesh;
use crate::geometry::primitive::sphere_core;
use crate::geometry::random::Random;

/// Balls far from the world's origin, of which the bound is the distance itself. Catches a radius
/// that is left out, a centre that is not placed, and rounding that is forgotten.
#[test]
fn balls_tell_no_more_than_how_far_balls_are_apart() {
    let mut random = Random(71);
    for case in 0..200 {
        let far = [0.0, 1.0, 1000.0][case % 3];
        let position = random.vector() * far;
        let mut fixture = Fixture::new();
        fixture.body(false, &[(moved(sphere_core(), position), 0.3)], None);
        fixture.body(true, &[(sphere_core(), 0.2)], None);
        let scene = fixture.scene(0.0);
        let [x, y, z] = (position + random.direction().into_inner() * (0.6 + random.unit())).into();
        let turns = [(); 3].map(|()| 3.0 * random.signed());
        let mut snapshot = at(&scene, [x, y, z, turns[0], turns[1], turns[2]]);
        let found = scene.pair_distance(0, &mut snapshot, f64::INFINITY, &mut 0);
        let found = found.expect("two balls").distance;
        let bound = scene.by_balls(&mut snapshot, &[])[0].bound;
        assert!(
            bound <= found && bound > found - 1e-6,
            "case {case}: {bound}, but {found}"
        );
    }
}

/// Bodies of every kind, some of several shapes, against a look at every pair. Catches a pair that
/// is left out though it is the nearest or within its threshold, a bound that is none, and a pair
/// whose shapes are not all looked at.
#[test]
fn the_nearest_pair_and_the_contacts_are_those_of_all_pairs() {
    let mut random = Random(72);
    let mut seen = [0; 4];
    for case in 0..600 {
        let whole = case % 2 == 0;
        let mut fixture = random_bench(&mut random, whole);
        // Something small far out, so that balls tell enough.
        let grain = Mesh {
            vertices: vec![Point3::from(random.vector() * 20.0)],
            triangles: vec![[0; 3]],
        };
        fixture.body(false, &[(grain, 0.01)], None);
        let threshold = [0.0, 0.1, 2.0][case % 3];
        let scene = fixture.scene(threshold);
        let mut snapshot = at(&scene, anywhere(&mut random, whole));
        let found = scene.at_instant(&mut snapshot, &[]);
        let truth: Vec<f64> = (0..scene.pairs.len())
            .map(|pair| surface_distance(&scene, pair, &mut snapshot))
            .collect();
        for (pair, bound) in scene.by_balls(&mut snapshot, &[]).iter().enumerate() {
            let context = format!("case {case}: {bound:?}, {truth:?}");
            assert_eq!(bound.pair, pair, "{context}");
            assert!(bound.bound <= truth[pair] + 1e-12, "{context}");
            seen[0] += usize::from(bound.bound > 0.0);
        }
        let inside = scene.contained(&mut snapshot);
        let least = truth.iter().copied().fold(f64::INFINITY, f64::min);
        let expected = if inside.is_empty() { least } else { 0.0 };
        let nearest = found.nearest.expect("there are pairs").nearest.distance;
        let context = format!("case {case}: {found:?}, {truth:?}, {inside:?}");
        assert!((nearest - expected).abs() < 1e-9, "{context}");
        for (pair, &distance) in truth.iter().enumerate() {
            let told = found.contacts.iter().any(|c| c.pair == pair);
            if distance < threshold - 1e-9 || distance == 0.0 || inside.contains(&pair) {
                assert!(told, "{context}");
                seen[1] += 1;
            } else if distance > threshold + 1e-9 {
                assert!(!told, "{context}");
                seen[2] += 1;
            }
        }
        // A pair that is known to be far need not be measured.
        let known: Vec<f64> = truth.iter().map(|d| 0.999 * d).collect();
        let again = scene.at_instant(&mut snapshot, &known);
        let nearest = again.nearest.expect("there are pairs").nearest.distance;
        assert!((nearest - expected).abs() < 1e-9, "{context}");
        assert_eq!(again.contacts.len(), found.contacts.len(), "{context}");
        seen[3] += usize::from(again.measured < found.measured);
    }
    assert!(seen.iter().all(|&n| n > 50), "{seen:?}");
}
