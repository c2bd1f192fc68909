//! Every shape with exact triangles, in the same scenes, against all triangles.

use clearance_proof::check::fixture::{Fixture, anywhere, both_at, moved, shape, surface_distance};
use clearance_proof::geometry::random::Random;

use super::*;

/// Standing bodies, and one body on each of two chains.
fn random_cell(r: &mut Random) -> Fixture {
    let mut fixture = Fixture::new();
    for _ in 0..1 + r.below(3) {
        let (mesh, radius) = shape(r, 1.0, false);
        let place = nalgebra::Vector3::from_fn(|_, _| 3.0 * r.signed());
        fixture.body(false, &[(moved(mesh, place), radius)], None);
    }
    for chain in 0..2 {
        let size = [0.1, 1.0][r.below(2)];
        let shapes: Vec<_> = (0..1 + r.below(2)).map(|_| shape(r, size, false)).collect();
        fixture.carried(Some(chain), &shapes, None);
    }
    fixture
}

/// Catches what is not put in again, or not taken out, from one instant to the next; what is
/// compared by no cell; what a threshold reaches beyond a cell. Bodies within each other are the
/// octree's own affair.
#[test]
fn what_touches_is_what_all_triangles_say() {
    let mut r = Random(65);
    let kinds = BackendKind::ALL.into_iter();
    let kinds: Vec<BackendKind> = kinds
        .filter(|kind| kind.is_exact() && *kind != BackendKind::Octree)
        .collect();
    let mut seen = [[0; 2]; 2];
    for round in 0..120 {
        let fixture = random_cell(&mut r);
        let clearance = [0.0, 0.05, 0.5][r.below(3)];
        let mut scene = fixture.scene(clearance);
        // Some pairs have thresholds of their own: nobody may be looked at with somebody else's.
        for pair in &mut scene.pairs {
            pair.clearance = [clearance, 0.0, 0.3][r.below(3)];
        }
        let scene = scene;
        let mut shapes: Vec<Box<dyn Backend + '_>> = (kinds.iter())
            .map(|&kind| {
                build(
                    kind,
                    &scene,
                    &ShapeFineness::default(),
                    1e-3,
                    &Prebuilt::default(),
                    &mut Work::default(),
                )
                .unwrap()
            })
            .collect();
        for _ in 0..8 {
            let q = [(); 2].map(|()| anywhere(&mut r, false).map(|q| 0.3 * q));
            let mut snapshot = both_at(&scene, q);
            let distances: Vec<f64> = (0..scene.pairs.len())
                .map(|pair| surface_distance(&scene, pair, &mut snapshot))
                .collect();
            for shape in &mut shapes {
                let kind = shape.kind();
                let found = shape.touching(&mut snapshot, false, &mut Work::default());
                let first = shape.touching(&mut snapshot, true, &mut Work::default());
                assert_eq!(first.is_empty(), found.is_empty(), "round {round}, {kind}");
                for (pair, &distance) in distances.iter().enumerate() {
                    let touch = found.iter().find(|t| t.pair == pair);
                    let clearance = scene.pairs[pair].clearance;
                    let what = format!("round {round}, {kind}, pair {pair}: {distance}, {touch:?}");
                    assert!(distance >= clearance - 1e-9 || touch.is_some(), "{what}");
                    assert!(distance <= clearance + 1e-9 || touch.is_none(), "{what}");
                    if let Some(touch) = touch {
                        assert!(touch.distance <= clearance + 1e-9, "{what}");
                    }
                }
            }
            for (pair, &distance) in scene.pairs.iter().zip(&distances) {
                let both_move = [pair.a, pair.b]
                    .iter()
                    .all(|&body| scene.cell.bodies[body].joint.is_some());
                seen[usize::from(both_move)][usize::from(distance <= pair.clearance)] += 1;
            }
        }
    }
    assert!(seen.as_flattened().iter().all(|&n| n > 100), "{seen:?}");
}
