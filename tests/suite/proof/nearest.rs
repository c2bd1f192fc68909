//! Distances at an instant, and what rests between two moves.

use clearance::run::{CellJob, NoProgress, Prepared, prepare};
use clearance_proof::check::Snapshot;
use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::check::scene::Scene;
use clearance_proof::geometry::random::Random;
use clearance_proof::geometry::triangle::Closest;
use clearance_proof::model::{Interpolation, Segment, Trajectory};
use clearance_proof::report::Verdict;
use nalgebra::Point3;

fn arm() -> Prepared {
    let cell = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/arm6/cell.toml");
    prepare(&CellJob::file(cell), &NoProgress).unwrap()
}

fn scene(prepared: &Prepared) -> Scene<'_> {
    Scene::new(&prepared.loaded.cell, &prepared.trees, &prepared.pairs, 0.0)
}

/// From one configuration to the next, a segment each.
fn trajectory(stations: &[Vec<f64>]) -> Trajectory {
    let segments = stations.windows(2).enumerate().map(|(k, ends)| {
        Segment::new(
            k as f64,
            k as f64 + 1.0,
            (0..ends[0].len()).map(|j| [ends[0][j], ends[1][j] - ends[0][j], 0.0, 0.0, 0.0, 0.0]),
        )
    });
    Trajectory {
        segments: segments.collect(),
        interpolation: Interpolation::Linear,
        timed: true,
    }
}

/// Catches a bound of the distance search that is too high: along the direction of the closest
/// points, of balls, of boxes.
#[test]
fn distances_are_those_of_the_nearest_triangles() {
    let prepared = arm();
    let scene = scene(&prepared);
    let mut random = Random(12);
    let mut compared = 0;
    for _ in 0..12 {
        let q: Vec<f64> = prepared
            .loaded
            .cell
            .joints
            .iter()
            .map(|_| 2.0 * random.signed())
            .collect();
        let mut snapshot = Snapshot::default();
        snapshot.set(&scene, &trajectory(&[q.clone(), q]).segments[0], 0.0);
        for pair in 0..scene.pairs.len() {
            let part_pairs = &scene.part_pairs[scene.part_pairs_of(pair)];
            let work: usize = (part_pairs.iter())
                .map(|p| {
                    scene.parts[p.a].tree.triangles.len() * scene.parts[p.b].tree.triangles.len()
                })
                .sum();
            if work > 60_000 {
                continue;
            }
            let mut least = f64::INFINITY;
            for p in part_pairs {
                let placed = [p.a, p.b].map(|part| {
                    let pose = snapshot.part_pose(&scene, part);
                    let tree = &scene.parts[part].tree;
                    let place = |v| Point3::from(pose.apply(&(v - tree.origin)));
                    (0..tree.triangles.len())
                        .map(|t| tree.corners(t).map(place))
                        .collect::<Vec<_>>()
                });
                for a in &placed[0] {
                    for b in &placed[1] {
                        let cores = Closest::of_triangles(a, b).distance;
                        least = least.min((cores - p.radii).max(0.0));
                    }
                }
            }
            let found = scene.pair_distance(pair, &mut snapshot, f64::INFINITY, &mut 0);
            let found = found.unwrap().distance;
            assert!(
                (found - least).abs() < 1e-9,
                "pair {pair}: {found}, {least}"
            );
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

/// Pairs that stand still are looked at once. Catches: one moving joint taken for none, a value
/// that changes between two segments of rest, and a first rest that nobody looked at.
#[test]
fn resting_between_moves_changes_no_answer() {
    let prepared = arm();
    let scene = scene(&prepared);
    let mut random = Random(13);
    let mut seen = [0; 2];
    let options = CheckOptions {
        resolution: 1e-4,
        all: false,
        minimum: true,
        minimum_by_class: true,
        minimum_pairs: None,
    };
    let answer = |trajectory: &Trajectory| {
        let found = scene.check(trajectory, &options, &|_| ());
        (found.verdict, found.minimum.unwrap())
    };
    for case in 0..25 {
        let mut stations = vec![vec![0.0, -0.3, 0.3, 0.0, 1.2, 0.0]];
        for _ in 0..3 {
            let mut next = stations[stations.len() - 1].clone();
            for q in &mut next {
                // Some joints rest while others move.
                *q += f64::from(u8::from(random.below(2) == 0)) * random.signed();
            }
            stations.push(next);
        }
        let resting: Vec<Vec<f64>> = stations
            .iter()
            .flat_map(|q| [q.clone(), q.clone(), q.clone()])
            .collect();
        // The twin has no segment in which anything rests that rested before: each move is a
        // trajectory of its own.
        let moves = stations.windows(2).map(|ends| answer(&trajectory(ends)));
        let (mut verdict, mut least) = (Verdict::Clear, f64::INFINITY);
        for (found, minimum) in moves {
            verdict = verdict.max(found);
            least = least.min(minimum.distance);
        }
        let (found, minimum) = answer(&trajectory(&resting));
        assert_eq!(found, verdict, "case {case}");
        assert!(
            minimum.lower_bound <= least && minimum.distance <= least + 1e-4,
            "case {case}: {minimum:?}, {least}"
        );
        seen[usize::from(verdict == Verdict::Collision)] += 1;
    }
    assert!(seen[0] > 3 && seen[1] > 3, "{seen:?}");
}
