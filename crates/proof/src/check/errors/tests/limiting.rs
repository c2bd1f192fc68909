//! Where errors leave the least, beside all triangles of a pair.

use super::points::at;
use super::*;
use crate::check::distance::corners;
use crate::geometry::triangle::Closest;

/// Catches a triangle that is left out and should not be, and errors of points that are not
/// counted.
#[test]
fn nowhere_do_errors_leave_less_than_is_found() {
    let mut random = Random(29);
    let (mut elsewhere, mut none) = (0, 0);
    for case in 0..60 {
        let cell = random_cell(&mut random);
        let budget = random_budget(&mut random, &cell, 0.1);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
        let errors = ErrorBounds::new(&scene, Some(&budget));
        let q: Vec<f64> = cell.joints.iter().map(|_| 2.0 * random.signed()).collect();
        let mut snapshot = Snapshot::default();
        snapshot.set(&scene, &at_rest(&q), 0.0);
        let tubes = Tubes::default();
        for pair in 0..scene.pairs.len() {
            let mut least = f64::INFINITY;
            for part_pair in &scene.part_pairs[scene.part_pairs_of(pair)] {
                let placed = [part_pair.a, part_pair.b].map(|part| {
                    let pose = snapshot.part(&scene, part).pose;
                    let tree = &scene.parts[part].tree;
                    let triangles = (0..tree.triangles.len())
                        .map(|t| corners(tree, t).map(|c| pose.apply(&c).into()));
                    triangles.collect::<Vec<_>>()
                });
                let errors = at(&errors, part_pair, (&snapshot, None), &tubes);
                for a in &placed[0] {
                    for b in &placed[1] {
                        let closest = Closest::of_triangles(a, b);
                        let points = [closest.point_a.coords, closest.point_b.coords];
                        let deviations = [0, 1].map(|k| errors.at_world_point(k, &points[k]));
                        let distance = (closest.distance - part_pair.radii).max(0.0);
                        least = least.min(distance - (deviations[0] + deviations[1]));
                    }
                }
            }
            let mut found = |below| {
                let found = errors.limiting(pair, &mut snapshot, &tubes, below);
                found.map(|found| found.distance_left())
            };
            let left = found(f64::INFINITY).expect("bodies have triangles");
            assert!((left - least).abs() < 1e-9, "case {case}: {left}, {least}");
            let left = found(least + 0.01).expect("there is something below");
            assert!((left - least).abs() < 1e-9, "case {case}: {left}, {least}");
            let below = found(least - 0.01).filter(|&left| left <= least - 0.01);
            none += usize::from(below.is_none());
            let nearest =
                errors.limiting_at_nearest(pair, &mut snapshot, &tubes, f64::INFINITY, &mut 0);
            let nearest = nearest.expect("bodies have triangles").distance_left();
            assert!(nearest >= least - 1e-9, "case {case}: {nearest}, {least}");
            elsewhere += usize::from(nearest > least + 1e-3);
        }
    }
    assert!(none > 100 && elsewhere > 10, "{none} {elsewhere}");
}
