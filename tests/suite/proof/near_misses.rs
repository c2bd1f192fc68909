//! Near misses of the example programs against sampling.

use clearance::run::{CellJob, NoProgress, Prepared, prepare};
use clearance_formats::program::load;
use clearance_proof::check::Snapshot;
use clearance_proof::check::bisection::is_still;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::Trajectory;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const RESOLUTION_M: f64 = 1e-4;
/// Instants of a segment at which the twin looks.
const SAMPLES: usize = 120;

fn arm() -> Prepared {
    let job = CellJob::file(format!("{ROOT}/robots/arm6/cell.toml"));
    prepare(&job, &NoProgress).unwrap()
}

fn trajectory(prepared: &Prepared, name: &str) -> Trajectory {
    let file = format!("{ROOT}/trajectories/arm6/{name}");
    let program = load(std::path::Path::new(&file)).unwrap();
    Trajectory::for_cell(&program, &prepared.loaded.cell, None)
        .unwrap()
        .0
}

/// A slow twin samples every pair: what it sees within the warn distance lies in an interval, and
/// no interval is empty.
#[test]
fn what_sampling_sees_within_the_warn_distance_lies_in_an_interval() {
    let prepared = arm();
    let all = Scene::new(
        &prepared.loaded.cell,
        &prepared.trees,
        &prepared.pairs,
        1e-3,
    );
    let mut intervals = 0;
    for (name, warn) in [
        ("near_miss.csv", 5e-3),
        ("swing_through_guard.csv", 30e-3),
        ("pick_place.csv", 20e-3),
        ("cubic_dips.yaml", 10e-3),
    ] {
        let trajectory = trajectory(&prepared, name);
        let scene = all.at_warn_distances(&vec![Some(warn); all.pairs.len()]);
        let (misses, _) = scene.near_misses(&trajectory, RESOLUTION_M, &|_| ());
        intervals += misses.len();
        let name_of = |body: usize| prepared.loaded.cell.bodies[body].name.as_str();
        let mut least_sampled = vec![f64::INFINITY; misses.len()];
        let mut snapshot = Snapshot::default();
        for (segment, k) in trajectory
            .segments
            .iter()
            .flat_map(|s| (0..=SAMPLES).map(move |k| (s, k)))
        {
            let s = k as f64 / SAMPLES as f64;
            snapshot.set(&all, segment, s);
            for (index, pair) in all.pairs.iter().enumerate() {
                let Some(seen) = all.pair_distance(index, &mut snapshot, warn, &mut 0) else {
                    continue;
                };
                let (a, b) = (name_of(pair.a), name_of(pair.b));
                let time = segment.time(s);
                let interval = misses.iter().position(|m| {
                    (m.a.as_str(), m.b.as_str()) == (a, b) && (m.entered..=m.left).contains(&time)
                });
                let Some(interval) = interval else {
                    panic!("{name}: {a} – {b} {} m apart at {time}", seen.distance);
                };
                least_sampled[interval] = least_sampled[interval].min(seen.distance);
            }
        }
        for (miss, sampled) in misses.iter().zip(least_sampled) {
            assert!(
                miss.entered <= miss.time && miss.time <= miss.left,
                "{miss:?}"
            );
            assert!(miss.distance <= warn + RESOLUTION_M, "{miss:?}");
            assert!(
                miss.distance <= sampled + 1e-5,
                "{miss:?}, sampled {sampled}"
            );
        }
    }
    assert!(intervals > 4, "{intervals}");
}

/// Nothing moves: every pair is looked at once, and the exact distance decides.
#[test]
fn pairs_that_keep_their_places_are_near_all_the_time_or_never() {
    let prepared = arm();
    let all = Scene::new(
        &prepared.loaded.cell,
        &prepared.trees,
        &prepared.pairs,
        1e-3,
    );
    let mut trajectory = trajectory(&prepared, "near_miss.csv");
    assert!((0..all.pairs.len()).any(|pair| !is_still(&all, &trajectory, pair)));
    let pose: Vec<_> = trajectory.segments[1].joints().collect();
    for segment in &mut trajectory.segments {
        let still = pose.iter().map(|at| [at[0], 0.0, 0.0, 0.0, 0.0, 0.0]);
        segment.change_joints(|joints| *joints = still.collect());
    }
    assert!((0..all.pairs.len()).all(|pair| is_still(&all, &trajectory, pair)));
    let warn = 0.1;
    let scene = all.at_warn_distances(&vec![Some(warn); all.pairs.len()]);
    let (misses, work) = scene.near_misses(&trajectory, RESOLUTION_M, &|_| ());
    assert_eq!(work.distance_tests, 0);
    let mut snapshot = Snapshot::default();
    snapshot.set(&all, &trajectory.segments[0], 0.0);
    let distances: Vec<f64> = (0..all.pairs.len())
        .filter_map(|pair| all.pair_distance(pair, &mut snapshot, f64::INFINITY, &mut 0))
        .map(|n| n.distance)
        .collect();
    let nearer = |than: f64| distances.iter().copied().filter(move |&d| d <= than);
    let near: Vec<f64> = nearer(warn).collect();
    let found: Vec<f64> = misses.iter().map(|m| m.distance).collect();
    // Regression: one that stays a little farther apart was listed too, however coarse the search.
    let farther = distances.iter().copied().filter(|&d| d > warn);
    let coarse = farther.fold(f64::INFINITY, f64::min) - warn + 0.01;
    let (coarsely, _) = scene.near_misses(&trajectory, coarse, &|_| ());
    assert_eq!(coarsely.len(), near.len());
    assert!(near.len() > 3 && near.len() < all.pairs.len(), "{near:?}");
    assert_eq!(found, near);
    let (start, end) = (
        trajectory.segments[0].start,
        trajectory.segments[trajectory.segments.len() - 1].end,
    );
    assert!(misses.iter().all(|m| (m.entered, m.left) == (start, end)));
}

#[test]
fn pairs_without_a_warn_distance_are_left_alone() {
    let prepared = arm();
    let all = Scene::new(
        &prepared.loaded.cell,
        &prepared.trees,
        &prepared.pairs,
        1e-3,
    );
    let trajectory = trajectory(&prepared, "near_miss.csv");
    let name_of = |body: usize| prepared.loaded.cell.bodies[body].name.as_str();
    let bin_only: Vec<Option<f64>> = all
        .pairs
        .iter()
        .map(|p| (name_of(p.b) == "bin").then_some(0.05))
        .collect();
    let scene = all.at_warn_distances(&bin_only);
    assert!(scene.pairs.len() < all.pairs.len() && !scene.pairs.is_empty());
    let (misses, _) = scene.near_misses(&trajectory, RESOLUTION_M, &|_| ());
    assert!(!misses.is_empty());
    assert!(
        misses.iter().all(|m| m.b == "bin" && m.warn == 0.05),
        "{misses:?}"
    );
}
