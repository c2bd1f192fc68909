//! Pairs that are called unreachable, against random configurations of real robots: none comes
//! nearer than stated.
//!
//! `CLEARANCE_CONFIGURATIONS` says how many configurations of each robot (default 1,000).

use std::path::Path;

use clearance::run::{NoProgress, least_possible, prepare};
use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{Cell, JointKind, Segment};

use super::door::CellFile;
use super::programs::two_arms;
use super::{json_files, read_json};
use crate::common::{Random, real_data};

fn configurations() -> usize {
    let asked = std::env::var("CLEARANCE_CONFIGURATIONS").ok();
    asked.map_or(1000, |n| n.parse().unwrap())
}

/// A configuration within the limits, some joints at their ends; without limits, anywhere.
fn configuration(cell: &Cell, random: &mut Random) -> Vec<f64> {
    let mut value = |joint: &clearance_proof::model::Joint| {
        let (low, high) = joint.limits.position.unwrap_or(match joint.kind {
            JointKind::Prismatic => (-5.0, 5.0),
            _ => (-7.0, 7.0),
        });
        match random.below(10) {
            0 => low,
            1 => high,
            _ => low + random.unit() * (high - low),
        }
    };
    let mut q: Vec<f64> = cell.joints.iter().map(&mut value).collect();
    cell.resolve_mimic(&mut q);
    q
}

/// In the first configurations pairs that come within this of what is stated are looked at, too,
/// metres: a test whose pairs all stay far away would say little.
const NEAR_M: f64 = 0.02;
const FIRST: usize = 1000;

/// How many pairs are unreachable; every one is held to it.
fn held(name: &str, file: &CellFile) -> usize {
    let job = file.job(Vec::new());
    let prepared = prepare(&job.cell, &NoProgress).unwrap_or_else(|e| panic!("{name}: {e}"));
    let least = least_possible(&prepared, 0.0);
    let scene = Scene::new(&prepared.loaded.cell, &prepared.trees, &prepared.pairs, 0.0);
    let unreachable: Vec<(usize, f64)> = (0..least.len())
        .filter_map(|pair| Some((pair, least[pair]?)))
        .collect();
    let body = |b: usize| &prepared.loaded.cell.bodies[b].name;
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    // How near every pair came to what is stated for it, metres.
    let look = |worker: usize| {
        let mut near = vec![f64::INFINITY; least.len()];
        let (mut random, mut snapshot) = (Random(17 + worker as u64), Snapshot::default());
        for k in (worker..configurations()).step_by(workers) {
            let room = if k < FIRST { NEAR_M } else { 0.0 };
            let q = configuration(&prepared.loaded.cell, &mut random);
            let stands = Segment::instant(&q);
            snapshot.set(&scene, &stands, 0.0);
            for &(pair, stated) in &unreachable {
                let within = stated + room;
                let Some(nearest) = scene.pair_distance(pair, &mut snapshot, within, &mut 0) else {
                    continue;
                };
                near[pair] = near[pair].min(nearest.distance - stated);
                let (a, b) = (body(scene.pairs[pair].a), body(scene.pairs[pair].b));
                assert!(
                    nearest.distance >= stated - 1e-9,
                    "{name}: {a} – {b}: {} m apart, stated {stated} m, at {q:?}",
                    nearest.distance
                );
            }
        }
        near
    };
    let near: Vec<f64> = std::thread::scope(|scope| {
        let look = &look;
        let workers: Vec<_> = (0..workers).map(|w| scope.spawn(move || look(w))).collect();
        workers
            .into_iter()
            .flat_map(|w| w.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
            .collect()
    });
    let came_near = (0..least.len())
        .filter(|pair| {
            near.iter()
                .skip(*pair)
                .step_by(least.len())
                .any(|room| room.is_finite())
        })
        .count();
    let nearest = near.iter().copied().fold(f64::INFINITY, f64::min);
    eprintln!(
        "{name}: {} of {} pairs unreachable, none nearer than stated in {} configurations; in the first of them {came_near} came within 20 mm of what is stated, the nearest to {:.3} mm",
        unreachable.len(),
        least.len(),
        configurations(),
        1e3 * nearest
    );
    unreachable.len()
}

/// A robot by itself. Without its SRDF: what that allows is checked too.
fn alone(data: &Path, name: &str) -> CellFile {
    let folder = data.join("robots").join(name);
    let urdf = [name.to_owned(), name.replace("_vamp", "")]
        .map(|n| folder.join(format!("{n}.urdf")))
        .into_iter()
        .find(|p| p.is_file())
        .unwrap_or_else(|| panic!("no URDF in {}", folder.display()));
    let mut file = CellFile::new();
    file.add_robot(&urdf, Path::new("none"), &[]);
    file
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn of_two_arms_in_a_cell() {
    let data = real_data();
    assert!(held("two UR5e", &two_arms(&data)) > 50);
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn of_a_humanoid() {
    let data = real_data();
    assert!(held("Talos", &alone(&data, "talos")) > 50);
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn of_an_arm_among_obstacles() {
    let data = real_data();
    let folder = data.join("cells/mbm/panda/bookshelf_small");
    let mut file = alone(&data, "panda_vamp");
    let scene = json_files(&folder).remove(0);
    file.obstacles(&read_json(&scene)["objects"], &folder);
    assert!(held("Panda", &file) > 5);
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn of_a_robot_on_a_rail() {
    let data = real_data();
    let seats = data.join("cells/car_seat_seats");
    let mut file = alone(&data, "sia20d_car_seat_cell_tesseract");
    file.obstacles(&read_json(&seats.join("scene.json"))["objects"], &seats);
    assert!(held("rail robot", &file) > 50);
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn of_the_other_robots() {
    let data = real_data();
    let mut unreachable = 0;
    for name in [
        "abb_irb2400_tesseract",
        "kinova_gen3_robotiq",
        "motoman_hc10dt_snp_cell",
        "panda_moveit",
        "ur5_vamp",
        "ur5e",
    ] {
        unreachable += held(name, &alone(&data, name));
    }
    assert!(unreachable > 5, "{unreachable}");
}
