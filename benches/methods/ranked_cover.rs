//! Ranked sphere cover: ranks and radii of the spheres against the cost of the search.

use std::sync::Arc;

use clearance::findings::Work;
use clearance_methods::backends::ranked::Ranked;
use clearance_methods::backends::{Backend, Prebuilt};
use clearance_methods::ranked::{CoverCells, CoverFineness, CoverRanks};
use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::Trajectory;

use crate::common::{Workload, ours};

/// Instants of each segment that are looked at.
const INSTANTS: usize = 25;

/// The cost of all queries of a motion.
#[derive(Default)]
struct Cost {
    queries: u64,
    tests: u64,
    all_parts: u64,
    touching: u64,
    falsely: u64,
    without_ranks: u64,
}

/// The table, as Markdown.
pub fn table() -> Result<String, Box<dyn std::error::Error>> {
    let work = Workload::file(ours("robots/arm6/cell.toml"))?;
    let scene = work.scene_at(0.0);
    let trajectory = work.trajectory(&ours("trajectories/arm6/place_too_low.csv"))?;
    let mut lines = vec![
        "| leaf radius mm | p | ranks | spheres | kB | tests a query | to list all parts | every leaf against every other | touching | of them falsely |".to_owned(),
        "|---|---|---|---|---|---|---|---|---|---|".to_owned(),
    ];
    for leaf_radius in [0.04, 0.02, 0.01] {
        for ratio in [1.2, 1.5, 2.0, 3.0, 4.0, 8.0, 16.0] {
            let ranked = Ranked::new(
                &scene,
                &CoverFineness::with_ratio(leaf_radius, ratio),
                &Prebuilt::default(),
            )?;
            let cost = cost(&scene, &trajectory, ranked.clone());
            let ranks = ranked.covers().iter().map(|c| c.ranks.len()).max();
            lines.push(format!(
                "| {} | {ratio} | {} | {} | {:.0} | {:.1} | {:.1} | {:.0} | {} | {} |",
                leaf_radius * 1e3,
                ranks.unwrap_or(0),
                spheres(&ranked),
                ranked.memory_bytes() as f64 / 1e3,
                cost.tests as f64 / cost.queries as f64,
                cost.all_parts as f64 / cost.queries as f64,
                cost.without_ranks as f64 / cost.queries as f64,
                cost.touching,
                cost.falsely,
            ));
        }
    }
    lines.push(String::new());
    lines.push("Cells cut where they would overlap, cubes with spheres of one size (claims 1 and 9), and cubes that overlap (claim 8); p = 2.".to_owned());
    lines.push(String::new());
    lines.push("| leaf radius mm | cells | ranks | spheres | kB | tests a query | to list all parts | touching | of them falsely |".to_owned());
    lines.push("|---|---|---|---|---|---|---|---|---|".to_owned());
    for leaf_radius in [0.04, 0.02] {
        for cells in [CoverCells::Cut, CoverCells::Equal, CoverCells::Overlapping] {
            let fineness = CoverFineness {
                leaf_radius,
                ranks: CoverRanks {
                    cells,
                    ..CoverRanks::default()
                },
            };
            let ranked = Ranked::new(&scene, &fineness, &Prebuilt::default());
            let Ok(ranked) = ranked else {
                lines.push(format!(
                    "| {} | {} | – | more than 4000000 | – | – | – | – | – |",
                    leaf_radius * 1e3,
                    cells.as_str(),
                ));
                continue;
            };
            let cost = cost(&scene, &trajectory, ranked.clone());
            let ranks = ranked.covers().iter().map(|c| c.ranks.len()).max();
            lines.push(format!(
                "| {} | {} | {} | {} | {:.0} | {:.1} | {:.1} | {} | {} |",
                leaf_radius * 1e3,
                cells.as_str(),
                ranks.unwrap_or(0),
                spheres(&ranked),
                ranked.memory_bytes() as f64 / 1e3,
                cost.tests as f64 / cost.queries as f64,
                cost.all_parts as f64 / cost.queries as f64,
                cost.touching,
                cost.falsely,
            ));
        }
    }
    Ok(lines.join("\n") + "\n")
}

/// Spheres of all covers; meshes that stand in several places are covered once.
fn spheres(ranked: &Ranked) -> usize {
    let mut covers: Vec<_> = ranked.covers().iter().collect();
    covers.sort_by_key(|cover| Arc::as_ptr(cover));
    covers.dedup_by_key(|cover| Arc::as_ptr(cover));
    covers
        .iter()
        .flat_map(|cover| &cover.ranks)
        .map(Vec::len)
        .sum()
}

/// Asks about every pair at instants of a motion.
fn cost(scene: &Scene, trajectory: &Trajectory, mut ranked: Ranked) -> Cost {
    let mut cost = Cost::default();
    let mut snapshot = Snapshot::default();
    let leaves: Vec<u64> = (ranked.covers().iter())
        .map(|c| c.ranks.last().map_or(0, Vec::len) as u64)
        .collect();
    for segment in &trajectory.segments {
        for k in 0..INSTANTS {
            snapshot.set(scene, segment, k as f64 / INSTANTS as f64);
            let mut work = Work::default();
            let touches = ranked.touching(&mut snapshot, false, &mut work);
            cost.queries += work.interference_queries;
            cost.tests += work.sphere_tests;
            cost.touching += touches.len() as u64;
            for touch in &touches {
                let exact = scene.pair_distance(touch.pair, &mut snapshot, 1e-9, &mut 0);
                cost.falsely += u64::from(exact.is_none());
            }
            for pair in 0..scene.pairs.len() {
                let mut work = Work::default();
                ranked.colliding_parts(pair, &mut snapshot, &mut work);
                cost.all_parts += work.sphere_tests;
                let part_pairs = &scene.part_pairs[scene.part_pairs_of(pair)];
                let all = part_pairs.iter().map(|p| leaves[p.a] * leaves[p.b]);
                cost.without_ranks += all.sum::<u64>();
            }
        }
    }
    cost
}
