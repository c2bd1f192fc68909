//! A slow twin: cells whose parts are put off, placed by plain kinematics.

mod limiting;
mod margin;
mod pieces;
mod points;
mod swept;
mod tightness;

use std::sync::Arc;

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::*;
use crate::bvh::SphereTree;
use crate::check::bisection::{CheckOptions, check};
use crate::geometry::random::Random;
use crate::model::{Body, Cell, Form, Joint, JointKind, Limits, Path, Robot, Segment};
use crate::pairs::PairTable;
use crate::report::Verdict;

/// Errors, each within its budget: a shift and a turn (axis times angle) about the element's
/// origin.
#[derive(Clone)]
struct Off {
    base: Vec<[Vector3<f64>; 2]>,
    tool: Vec<[Vector3<f64>; 2]>,
    joint: Vec<f64>,
    /// Of the frame that each joint moves, in that frame.
    model: Vec<[Vector3<f64>; 2]>,
    obstacle: Vec<[Vector3<f64>; 2]>,
}

fn put_off(
    pose: &Isometry3<f64>,
    origin: &Vector3<f64>,
    [shift, turn]: &[Vector3<f64>; 2],
) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_scaled_axis(*turn);
    let about = Isometry3::from_parts(Translation3::from(origin - turn * origin), turn);
    Translation3::from(*shift) * about * pose
}

impl Off {
    /// Of full size, in random directions.
    fn random(random: &mut Random, cell: &Cell, budget: &Uncertainty) -> Self {
        let joints = cell.joints.iter();
        let model: Vec<RigidError> = joints.map(|j| budget.model[j.robot]).collect();
        let rigid = |random: &mut Random, of: &[RigidError]| {
            let mut one = |e: &RigidError| {
                [e.shift_m, e.turn_rad].map(|size| {
                    let direction = random.vector().try_normalize(1e-9);
                    direction.unwrap_or_else(Vector3::x) * size
                })
            };
            of.iter().map(&mut one).collect()
        };
        Off {
            base: rigid(random, &budget.base),
            tool: rigid(random, &budget.tool),
            joint: (budget.joint.iter())
                .map(|&off| if random.below(2) == 0 { off } else { -off })
                .collect(),
            model: rigid(random, &model),
            obstacle: rigid(random, &budget.obstacle),
        }
    }

    /// The cell as it really stands; joint errors are those of the motion.
    fn cell(&self, cell: &Cell) -> Cell {
        let mut real = cell.clone();
        let origin = |robot: usize| cell.robots[robot].world_from_base.translation.vector;
        for joint in &mut real.joints {
            if joint.parent.is_none() {
                let (o, off) = (origin(joint.robot), &self.base[joint.robot]);
                joint.parent_from_joint = put_off(&joint.parent_from_joint, &o, off);
            }
        }
        for id in 0..cell.bodies.len() {
            let mut place = cell.bodies[id].joint_from_body;
            let mut at = id;
            while cell.bodies[at].role == Role::Attached {
                let o = cell.bodies[at].joint_from_body.translation.vector;
                place = put_off(&place, &o, &self.tool[at]);
                at = cell.bodies[at].parent.unwrap();
            }
            if let Some(joint) = cell.bodies[id].joint {
                place = put_off(&place, &Vector3::zeros(), &self.model[joint]);
            }
            match cell.bodies[at].role {
                Role::Link { robot } if cell.bodies[at].joint.is_none() => {
                    place = put_off(&place, &origin(robot), &self.base[robot]);
                }
                Role::Obstacle => {
                    let o = cell.bodies[at].joint_from_body.translation.vector;
                    place = put_off(&place, &o, &self.obstacle[at]);
                }
                _ => {}
            }
            real.bodies[id].joint_from_body = place;
        }
        real
    }
}

/// Two robots with a link on every joint, a base link, a tool and a workpiece in it; two things
/// that stand.
fn random_cell(random: &mut Random) -> Cell {
    let mut cell = Cell::default();
    let pose = |random: &mut Random, far: f64| {
        Isometry3::from_parts(
            Translation3::from(random.vector() * far),
            UnitQuaternion::from_scaled_axis(random.vector() * 2.0),
        )
    };
    let form = |random: &mut Random| {
        let size = 0.02 + 0.1 * random.unit();
        match random.below(3) {
            0 => Form::Sphere { radius: size },
            1 => Form::Capsule {
                radius: size,
                length: 2.0 * size,
            },
            _ => Form::Box {
                size: Vector3::new(size, 2.0 * size, 3.0 * size),
            },
        }
    };
    for robot in 0..2 {
        let base = Isometry3::from_parts(
            Translation3::from(random.vector() + Vector3::x() * 1.2 * robot as f64),
            UnitQuaternion::from_scaled_axis(random.vector()),
        );
        cell.robots.push(Robot {
            name: format!("r{robot}"),
            urdf: "made".into(),
            world_from_base: base,
            states: Vec::new(),
            start: Vec::new(),
            controller: None,
        });
        let link = |random: &mut Random, joint, place, parent| Body {
            role: Role::Link { robot },
            joint,
            parent,
            ..Body::obstacle(&format!("r{robot}/{joint:?}"), form(random), place)
        };
        let mut parent = cell.add_body(link(random, None, base, None));
        let mut before = None;
        for k in 0..3 + random.below(3) {
            let at = pose(random, 0.3);
            let kind = match random.below(4) {
                0 => JointKind::Prismatic,
                _ => JointKind::Revolute,
            };
            let joint = cell.add_joint(Joint {
                name: format!("j{k}"),
                robot,
                parent: before,
                parent_from_joint: if k == 0 { base * at } else { at },
                axis: Unit::new_normalize(random.vector() + Vector3::z() * 1e-3),
                kind,
                limits: Limits::default(),
                mimic: None,
            });
            before = Some(joint);
            let place = pose(random, 0.2);
            parent = cell.add_body(link(random, before, place, Some(parent)));
        }
        for name in ["tool", "piece"] {
            let place = pose(random, 0.4);
            parent = cell.add_body(Body {
                role: Role::Attached,
                joint: before,
                parent: Some(parent),
                ..Body::obstacle(&format!("{name}{robot}"), form(random), place)
            });
        }
    }
    for k in 0..2 {
        let place = pose(random, 1.5);
        cell.add_body(Body::obstacle(&format!("thing{k}"), form(random), place));
    }
    cell
}

fn random_budget(random: &mut Random, cell: &Cell, large: f64) -> Uncertainty {
    let mut budget = Uncertainty::none(cell);
    let mut rigid = || {
        let size = [0.0, large][random.below(2)];
        RigidError {
            shift_m: size * random.unit(),
            turn_rad: size * random.unit(),
        }
    };
    budget.base.iter_mut().for_each(|e| *e = rigid());
    budget.model.iter_mut().for_each(|e| *e = rigid());
    for (id, body) in cell.bodies.iter().enumerate() {
        match body.role {
            Role::Attached => budget.tool[id] = rigid(),
            Role::Obstacle => budget.obstacle[id] = rigid(),
            Role::Link { .. } => {}
        }
    }
    for off in &mut budget.joint {
        *off = [0.0, large][random.below(2)] * random.unit();
    }
    budget
}

pub(super) fn trees(cell: &Cell) -> Vec<Vec<Arc<SphereTree>>> {
    let of = |body: &Body| {
        let shapes = body.shapes.iter();
        shapes.map(|s| Arc::new(SphereTree::of(&s.form))).collect()
    };
    cell.bodies.iter().map(of).collect()
}

fn at_rest(q: &[f64]) -> Segment {
    Segment {
        start: 0.0,
        end: 1.0,
        joints: q.iter().map(|&q| [q, 0.0, 0.0, 0.0, 0.0, 0.0]).collect(),
        off: None,
    }
}

/// Errors of full size that bring two points of a pair together: each element in turn, by the way
/// its shift and its turn move the point along the line between both.
fn towards(scene: &Scene, budget: &Uncertainty, part_pair: &PartPair, q: &[f64]) -> Off {
    let cell = scene.cell;
    let mut snapshot = Snapshot::default();
    snapshot.set(scene, &at_rest(q), 0.0);
    let nearest = scene
        .pair_distance(part_pair.pair, &mut snapshot, f64::INFINITY, &mut 0)
        .unwrap();
    let pair = &scene.pairs[part_pair.pair];
    let mut off = Off::random(&mut Random(1), cell, &Uncertainty::none(cell));
    let between = nearest.point_b - nearest.point_a;
    let n = between.try_normalize(0.0).unwrap_or_else(Vector3::x);
    let ends = [
        (pair.a, nearest.point_a.coords, n),
        (pair.b, nearest.point_b.coords, -n),
    ];
    for (body, point, n) in ends {
        let rigid = |error: &RigidError, origin: Vector3<f64>| {
            let turn = (point - origin).cross(&n).try_normalize(1e-12);
            [n * error.shift_m, turn.unwrap_or_default() * error.turn_rad]
        };
        let poses = snapshot.instant();
        let carrier = poses.pose(cell.bodies[body].joint);
        let mut at = body;
        while cell.bodies[at].role == Role::Attached {
            let origin = carrier.apply(&cell.bodies[at].joint_from_body.translation.vector);
            let [shift, turn] = rigid(&budget.tool[at], origin);
            // In the frame of the joint.
            off.tool[at] = [shift, turn].map(|v| carrier.rotation.tr_mul(&v));
            at = cell.bodies[at].parent.unwrap();
        }
        if let Some(joint) = cell.bodies[body].joint {
            let error = &budget.model[cell.joints[joint].robot];
            let off_by = rigid(error, carrier.translation);
            off.model[joint] = off_by.map(|v| carrier.rotation.tr_mul(&v));
        }
        let chain = scene.chains.of(cell.bodies[body].joint);
        for &joint in &chain[part_pair.shared..] {
            let pose = poses.pose(Some(joint));
            let axis = pose.rotation * scene.chains.axis(joint);
            let moves = if scene.chains.is_prismatic(joint) {
                axis.dot(&n)
            } else {
                axis.cross(&(point - pose.translation)).dot(&n)
            };
            off.joint[joint] = budget.joint[joint] * moves.signum();
        }
        match cell.bodies[at].role {
            Role::Link { robot } => {
                let origin = cell.robots[robot].world_from_base.translation.vector;
                off.base[robot] = rigid(&budget.base[robot], origin);
            }
            _ => {
                let origin = cell.bodies[at].joint_from_body.translation.vector;
                off.obstacle[at] = rigid(&budget.obstacle[at], origin);
            }
        }
    }
    off
}

fn distance(cell: &Cell, trees: &[Vec<Arc<SphereTree>>], pair: [usize; 2], q: &[f64]) -> f64 {
    let scene = Scene::new(cell, trees, &PairTable::new(cell), 0.0);
    let mut snapshot = Snapshot::default();
    snapshot.set(&scene, &at_rest(q), 0.0);
    let index = (scene.pairs.iter())
        .position(|p| [p.a, p.b] == pair)
        .unwrap();
    scene
        .pair_distance(index, &mut snapshot, f64::INFINITY, &mut 0)
        .unwrap()
        .distance
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
        let errors = Errors::new(&scene, Some(&budget));
        let q: Vec<f64> = cell.joints.iter().map(|_| random.signed()).collect();
        let mut snapshot = Snapshot::default();
        snapshot.set(&scene, &at_rest(&q), 0.0);
        for part_pair in &scene.part_pairs {
            for attempt in 0..6 {
                let off = match attempt {
                    0 => towards(&scene, &budget, part_pair, &q),
                    _ => Off::random(&mut random, &cell, &budget),
                };
                let real = off.cell(&cell);
                let real_q: Vec<f64> = q.iter().zip(&off.joint).map(|(q, off)| q + off).collect();
                let real_scene = Scene::new(&real, &trees, &PairTable::new(&real), 0.0);
                let mut real_snapshot = Snapshot::default();
                real_snapshot.set(&real_scene, &at_rest(&real_q), 0.0);
                let mut bound = 0.0;
                let mut at = [[Vector3::zeros(); 2]; 2];
                for (side, part) in [part_pair.a, part_pair.b].into_iter().enumerate() {
                    let point = random.vector() * scene.parts[part].bounding_radius;
                    let off =
                        errors.deviation_at(part_pair, part, &mut snapshot, &Tubes::default());
                    bound += off.at(point.norm());
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

fn random_path(random: &mut Random, cell: &Cell) -> Path {
    let mut waypoint = |time: f64| {
        let q = cell.joints.iter().map(|_| 0.7 * random.signed());
        (time, q.collect())
    };
    let waypoints: Vec<(f64, Vec<f64>)> = [0.0, 1.0, 2.0].map(&mut waypoint).into();
    Path::linear(cell, &waypoints).unwrap()
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
        let path = random_path(&mut random, &cell);
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.002);
        let options = CheckOptions {
            resolution: 1e-3,
            ..CheckOptions::default()
        };
        let result = check(&scene, &path, &options, &|_| ());
        let at = |time: f64| {
            let (segment, s) = path.locate(time);
            let mut q = Vec::new();
            path.segments[segment].configuration(s, &mut q);
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
                    let off = match k % 2 {
                        0 => towards(&scene, &budget, part_pair, &q),
                        _ => Off::random(&mut random, &cell, &budget),
                    };
                    let real = off.cell(&cell);
                    let q: Vec<f64> = q.iter().zip(&off.joint).map(|(q, off)| q + off).collect();
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
                let errors = Errors::new(&scene, Some(&budget));
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
                let left = limiting.unwrap().left();
                // The error of a point is convex in its place, so one direction for a whole
                // triangle gives some of it away.
                let errors = contact.errors.unwrap().sum();
                assert!(left <= 0.004 + 0.2 * errors, "{left} left: {contact:?}");
                assert!(errors > 0.0);
                let mut wide = budget.clone();
                widen(&mut wide, 1.5);
                let off = towards(&scene, &wide, part_pair, &q);
                let real_q: Vec<f64> = q.iter().zip(&off.joint).map(|(q, off)| q + off).collect();
                let met = distance(&off.cell(&cell), &trees, pair, &real_q) <= 0.002;
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
    budget.joint.iter_mut().for_each(|off| *off *= times);
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
    let errors = Errors::new(&scene, Some(&budget));
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
            let off = errors.deviation_at(part_pair, part, &mut snapshot, &Tubes::default());
            let none = robots[0] == robots[1] || robot.is_none();
            assert_eq!(off == ChordBound::default(), none, "{robots:?}");
            within += usize::from(robots[0] == robots[1]);
        }
    }
    assert!(within > 10);
}
