//! Bounds of errors against cells whose parts are really off (`twin.rs`).

mod limiting;
mod margin;
mod pieces;
mod points;
mod swept;
mod tightness;
mod twin;

use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};
use twin::{RandomErrors, at_rest, distance, random_budget, random_cell, towards};

use super::*;
use crate::bvh::SphereTree;
use crate::check::bisection::CheckOptions;
use crate::geometry::random::Random;
use crate::model::Role;
use crate::model::{Body, Cell, Form, Joint, Segment, Trajectory};
use crate::pairs::PairTable;
use crate::report::Verdict;

pub(super) fn trees(cell: &Cell) -> Vec<Vec<Arc<SphereTree>>> {
    let of = |body: &Body| {
        let shapes = body.shapes.iter();
        shapes.map(|s| Arc::new(SphereTree::of(&s.form))).collect()
    };
    cell.bodies.iter().map(of).collect()
}

/// Catches levers without what outer errors add, levers of another frame, joints or a tool that are
/// left out, the error of a slide as an angle, one body of two.
#[test]
fn no_error_within_the_budget_moves_points_of_a_pair_by_more_than_the_bound() {
    let mut random = Random(5);
    let mut best: f64 = 0.0;
    let mut cases = 0;
    for _ in 0..60 {
        let cell = random_cell(&mut random);
        let large = [0.01, 0.3][random.below(2)];
        let budget = random_budget(&mut random, &cell, large);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
        let errors = ErrorBounds::new(&scene, Some(&budget));
        let q: Vec<f64> = cell.joints.iter().map(|_| random.signed()).collect();
        let mut snapshot = Snapshot::default();
        snapshot.set(&scene, &at_rest(&q), 0.0);
        for part_pair in &scene.part_pairs {
            for attempt in 0..6 {
                let random_errors = match attempt {
                    0 => towards(&scene, &budget, part_pair, &q),
                    _ => RandomErrors::random(&mut random, &budget),
                };
                let real = random_errors.cell(&cell);
                let real_q: Vec<f64> = q
                    .iter()
                    .zip(&random_errors.joint)
                    .map(|(q, error)| q + error)
                    .collect();
                let real_scene = Scene::new(&real, &trees, &PairTable::new(&real), 0.0);
                let mut real_snapshot = Snapshot::default();
                real_snapshot.set(&real_scene, &at_rest(&real_q), 0.0);
                let mut bound = 0.0;
                let mut at = [[Vector3::zeros(); 2]; 2];
                for (side, part) in [part_pair.a, part_pair.b].into_iter().enumerate() {
                    let point = random.vector() * scene.parts[part].bounding_radius;
                    let deviation =
                        errors.deviation_at(part_pair, part, &mut snapshot, &Tubes::default());
                    bound += deviation.at(point.norm());
                    at[0][side] = snapshot.part(&scene, part).pose.apply(&point);
                    at[1][side] = real_snapshot.part(&real_scene, part).pose.apply(&point);
                }
                let [before, after] = at.map(|[a, b]| (a - b).norm());
                let moved = (after - before).abs();
                assert!(
                    moved <= bound + 1e-9,
                    "points of {} and {} come {moved} m nearer, at most {bound} m by the bound",
                    cell.bodies[scene.parts[part_pair.a].body].name,
                    cell.bodies[scene.parts[part_pair.b].body].name,
                );
                if bound > 1e-6 {
                    best = best.max(moved / bound);
                    cases += 1;
                }
            }
        }
    }
    assert!(cases > 5000, "{cases}");
    assert!(best > 0.8, "the bound is reached to {best} at best");
}

/// How many random errors are tried on clear programs; `CLEARANCE_RANDOM_ERRORS` asks for more.
fn tries() -> usize {
    let asked = std::env::var("CLEARANCE_RANDOM_ERRORS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(3000)
}

fn random_trajectory(random: &mut Random, cell: &Cell) -> Trajectory {
    let mut waypoint = |time: f64| {
        let q = cell.joints.iter().map(|_| 0.7 * random.signed());
        (time, q.collect())
    };
    let waypoints: Vec<(f64, Vec<f64>)> = [0.0, 1.0, 2.0].map(&mut waypoint).into();
    Trajectory::linear(cell, &waypoints).unwrap()
}

/// Catches whatever leaves errors out of a proof: hulls, first looks, node pairs, triangles,
/// intervals.
#[test]
fn what_is_clear_for_a_budget_is_touched_by_no_error_within_it() {
    let mut random = Random(11);
    let (mut tried, mut clear, mut possible, mut touched) = (0, 0, 0, 0);
    while tried < tries() {
        let cell = random_cell(&mut random);
        let large = [0.003, 0.02, 0.05][random.below(3)];
        let mut cell = cell;
        let budget = random_budget(&mut random, &cell, large);
        cell.uncertainty = Some(budget.clone());
        let trajectory = random_trajectory(&mut random, &cell);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.002);
        let options = CheckOptions {
            resolution: 1e-3,
            ..CheckOptions::default()
        };
        let result = scene.check(&trajectory, &options, &|_| ());
        let at = |time: f64| {
            let instant = trajectory.locate(time);
            let mut q = Vec::new();
            trajectory
                .segment_at(instant)
                .configuration(instant.fraction, &mut q);
            q
        };
        match result.verdict {
            Verdict::Clear => {
                clear += 1;
                let nearest: Vec<usize> = (0..6)
                    .map(|_| random.below(scene.part_pairs.len()))
                    .collect();
                for k in 0..24 {
                    let q = at(2.0 * random.unit());
                    let part_pair = &scene.part_pairs[nearest[k % 6]];
                    let random_errors = match k % 2 {
                        0 => towards(&scene, &budget, part_pair, &q),
                        _ => RandomErrors::random(&mut random, &budget),
                    };
                    let real = random_errors.cell(&cell);
                    let q: Vec<f64> = q
                        .iter()
                        .zip(&random_errors.joint)
                        .map(|(q, error)| q + error)
                        .collect();
                    let real_scene = Scene::new(&real, &trees, &PairTable::new(&real), 0.0);
                    let mut snapshot = Snapshot::default();
                    snapshot.set(&real_scene, &at_rest(&q), 0.0);
                    for pair in 0..scene.pairs.len() {
                        let met = real_scene.pair_distance(pair, &mut snapshot, 0.002, &mut 0);
                        assert!(met.is_none(), "{met:?} in what is clear");
                    }
                    tried += 1;
                }
            }
            Verdict::Possible => {
                possible += 1;
                let contact = result.first_contact.unwrap();
                let errors = ErrorBounds::new(&scene, Some(&budget));
                let body = |name: &str| cell.body(name).unwrap();
                let pair = [body(&contact.a), body(&contact.b)];
                let index = (scene.pairs.iter())
                    .position(|p| [p.a, p.b] == pair)
                    .unwrap();
                let part_pair = &scene.part_pairs[scene.part_pairs_of(index).start];
                let q = at(contact.time);
                let mut snapshot = Snapshot::default();
                snapshot.set(&scene, &at_rest(&q), 0.0);
                let limiting =
                    errors.limiting(index, &mut snapshot, &Tubes::default(), f64::INFINITY);
                let left = limiting.unwrap().distance_left();
                // The error of a point is convex in its place, so one direction for a whole
                // triangle gives some of it away.
                let errors = contact.errors.unwrap().sum();
                assert!(left <= 0.004 + 0.2 * errors, "{left} left: {contact:?}");
                assert!(errors > 0.0);
                let mut wide = budget.clone();
                widen(&mut wide, 1.5);
                let random_errors = towards(&scene, &wide, part_pair, &q);
                let real_q: Vec<f64> = q
                    .iter()
                    .zip(&random_errors.joint)
                    .map(|(q, error)| q + error)
                    .collect();
                let met = distance(&random_errors.cell(&cell), &trees, pair, &real_q) <= 0.002;
                touched += usize::from(met);
            }
            _ => {}
        }
    }
    assert!(
        clear > 20 && possible > 10,
        "{clear} clear, {possible} possible"
    );
    // The bound is affine in the distance from a part's origin: large parts have less.
    assert!(
        3 * touched >= possible,
        "of {possible} possible contacts one and a half times the budget brings about {touched}"
    );
}

fn widen(budget: &mut Uncertainty, times: f64) {
    let rigid = [
        &mut budget.base,
        &mut budget.tool,
        &mut budget.model,
        &mut budget.obstacle,
    ];
    for error in rigid.into_iter().flatten() {
        error.shift_m *= times;
        error.turn_rad *= times;
    }
    budget.joint.iter_mut().for_each(|error| *error *= times);
}

/// Catches a base that does not cancel within its robot, and one that does between two robots.
#[test]
fn the_base_of_a_robot_counts_for_no_pair_of_its_own() {
    let mut random = Random(3);
    let cell = random_cell(&mut random);
    let mut budget = Uncertainty::none(&cell);
    budget.base.fill(RigidError {
        shift_m: 0.003,
        turn_rad: 0.01,
    });
    let trees = trees(&cell);
    let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
    let errors = ErrorBounds::new(&scene, Some(&budget));
    let mut snapshot = Snapshot::default();
    snapshot.set(&scene, &at_rest(&vec![0.1; cell.joints.len()]), 0.0);
    let robot = |mut body: usize| loop {
        match cell.bodies[body].role {
            Role::Link { robot } => return Some(robot),
            Role::Attached => body = cell.bodies[body].parent.unwrap(),
            Role::Obstacle => return None,
        }
    };
    let mut within = 0;
    for part_pair in &scene.part_pairs {
        let parts = [part_pair.a, part_pair.b];
        let robots = parts.map(|part| robot(scene.parts[part].body));
        for (part, robot) in parts.into_iter().zip(robots) {
            let deviation = errors.deviation_at(part_pair, part, &mut snapshot, &Tubes::default());
            let none = robots[0] == robots[1] || robot.is_none();
            assert_eq!(deviation == ChordBound::default(), none, "{robots:?}");
            within += usize::from(robots[0] == robots[1]);
        }
    }
    assert!(within > 10);
}

/// Catches an error that counts for nothing because it is not greater than 0.
#[test]
fn what_is_no_number_is_not_left_out() {
    let mut random = Random(4);
    let cell = random_cell(&mut random);
    let mut budget = Uncertainty::none(&cell);
    budget.mesh.fill(f64::NAN);
    let trees = trees(&cell);
    let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
    let errors = ErrorBounds::new(&scene, Some(&budget));
    let mut snapshot = Snapshot::default();
    snapshot.set(&scene, &at_rest(&vec![0.1; cell.joints.len()]), 0.0);
    let pair = &scene.part_pairs[0];
    let deviation = errors.deviation_at(pair, pair.a, &mut snapshot, &Tubes::default());
    assert!(deviation.at(0.1).is_nan(), "{deviation:?}");
}
