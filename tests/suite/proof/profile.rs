//! Facts that a page states about the pairs that it does not draw.

use std::path::PathBuf;

use clearance::run::{CacheFolder, CellJob, NoProgress, prepare};
use clearance_formats::program::load;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::Trajectory;

/// Pairs that are not followed are proved farther than some length, or one that is not is named.
#[test]
fn the_rest_is_farther_or_named() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let job = CellJob {
        cache: CacheFolder::Off,
        ..CellJob::file(root.join("robots/arm6/cell.toml"))
    };
    let prepared = prepare(&job, &NoProgress).unwrap();
    let program = load(&root.join("trajectories/arm6/pick_place.csv")).unwrap();
    let (trajectory, _) = Trajectory::for_cell(&program, &prepared.loaded.cell, None).unwrap();
    let scene = Scene::new(&prepared.loaded.cell, &prepared.trees, &prepared.pairs, 0.0);
    let name = |b: usize| prepared.loaded.cell.bodies[b].name.as_str();
    let nearest = scene
        .pairs
        .iter()
        .position(|p| (name(p.a), name(p.b)) == ("gripper", "bin"))
        .unwrap();
    let all: Vec<usize> = (0..scene.pairs.len()).collect();
    // 15 mm is the least distance of this program (trajectories/arm6/expected.toml).
    assert_eq!(scene.farther_than(&all, &trajectory, 0.0149, 1e-4), Ok(()));
    assert_eq!(
        scene.farther_than(&all, &trajectory, 0.0151, 1e-4),
        Err(nearest)
    );
}
