//! Random scenes with budgets: no error within the budget makes a certificate false, nor does a
//! change of what it says of errors.

use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::geometry::triangle::Closest;
use clearance_proof::model::{BodyId, JointKind, Robot, Segment};
use clearance_proof::pairs::PairTable;
use clearance_proof::report::Verdict;
use clearance_recheck::files::JointError;
use nalgebra::{Point3, UnitQuaternion};

use super::*;
use crate::tests::oracle::least_slack_with_errors;
use crate::tests::{Random, Scene, scene, scenes};

/// A random scene of one or two robots with tools, and a budget.
fn scene_with_errors(random: &mut Random) -> Scene {
    let mut scene = scene(random);
    let cell = &mut scene.cell;
    let another = Robot {
        name: "second".to_owned(),
        ..cell.robots[0].clone()
    };
    cell.robots.push(another);
    for robot in &mut cell.robots {
        robot.world_from_base = random.pose(0.4);
    }
    for joint in 0..cell.joints.len() {
        cell.joints[joint].robot = match cell.joints[joint].parent {
            Some(parent) => cell.joints[parent].robot,
            None => usize::from(joint > 0),
        };
    }
    for body in &mut cell.bodies {
        if let (Role::Link { robot }, Some(joint)) = (&mut body.role, body.joint) {
            *robot = cell.joints[joint].robot;
        }
    }
    for k in 0..random.below(3) {
        let carrier = random.below(cell.joints.len());
        let before = cell.bodies.iter().rposition(|b| b.role == Role::Attached);
        let parent = before.filter(|_| random.below(2) == 0).unwrap_or(carrier);
        let (joint, form) = (cell.bodies[parent].joint, random.form());
        cell.add_body(Body {
            role: Role::Attached,
            joint,
            parent: Some(parent),
            ..Body::obstacle(&format!("tool {k}"), form, random.pose(0.3))
        });
    }
    let mut errors = Uncertainty::none(cell);
    let size = random.between(0.1, 1.0);
    let mut some = |most: f64| match random.below(3) {
        0 => 0.0,
        _ => random.between(0.0, most * size),
    };
    for error in errors.base.iter_mut().chain(&mut errors.model) {
        *error = rigid(some(0.01), some(0.02));
    }
    for (id, body) in cell.bodies.iter().enumerate() {
        match body.role {
            Role::Attached => errors.tool[id] = rigid(some(0.01), some(0.03)),
            Role::Obstacle => errors.obstacle[id] = rigid(some(0.01), some(0.03)),
            Role::Link { .. } => (),
        }
        errors.mesh[id] = some(0.002);
    }
    for (id, joint) in cell.joints.iter().enumerate() {
        errors.joint[id] = match joint.kind {
            JointKind::Prismatic => some(0.005),
            _ => some(0.01),
        };
    }
    cell.uncertainty = Some(errors);
    for segment in &mut scene.trajectory.segments {
        for joint in 0..cell.joints.len() {
            if random.below(4) == 0 {
                *segment.taken_over_of(joint) = random.between(0.0, 0.003);
            }
        }
    }
    scene
}

/// Some error of its kind, as large as it may be: a rigid motion about a place.
fn error_about(random: &mut Random, error: &RigidError, origin: &Vector3<f64>) -> Isometry3<f64> {
    let mut direction = || {
        let v = random.vector(1.0);
        v / v.norm().max(1e-3)
    };
    let turn = UnitQuaternion::from_scaled_axis(direction() * error.turn_rad);
    let shift = direction() * error.shift_m;
    let there = Translation3::from(*origin);
    Translation3::from(shift) * there * turn * there.inverse()
}

/// Poses of all bodies at a share of a segment, each element of the cell off by some error. It is
/// computed from the cell, and shares nothing with the file.
fn some_poses(random: &mut Random, cell: &Cell, segment: &Segment, s: f64) -> Vec<Isometry3<f64>> {
    let budget = cell.uncertainty.clone().unwrap();
    let mut sign = |most: f64| if random.below(2) == 0 { most } else { -most };
    let value_errors: Vec<f64> = (0..cell.joints.len())
        .map(|j| sign(budget.joint[j]) + sign(segment.taken_over().get(j).copied().unwrap_or(0.0)))
        .collect();
    let bases: Vec<Isometry3<f64>> = (cell.robots.iter().zip(&budget.base))
        .map(|(robot, error)| error_about(random, error, &robot.world_from_base.translation.vector))
        .collect();
    let mut joints: Vec<Isometry3<f64>> = Vec::new();
    for (id, joint) in cell.joints.iter().enumerate() {
        let value = segment.position(id, s) + value_errors[id];
        let moved = match joint.kind {
            JointKind::Prismatic => {
                Isometry3::new(joint.axis.into_inner() * value, Vector3::zeros())
            }
            _ => Isometry3::new(Vector3::zeros(), joint.axis.into_inner() * value),
        };
        let before = joint.parent.map_or(bases[joint.robot], |p| joints[p]);
        joints.push(before * joint.parent_from_joint * moved);
    }
    // One error of each body as a tool or an obstacle, and of the frame of each joint.
    let own: Vec<Isometry3<f64>> = (cell.bodies.iter().enumerate())
        .map(|(id, body)| {
            let error = match body.role {
                Role::Attached => budget.tool[id],
                _ => budget.obstacle[id],
            };
            error_about(random, &error, &body.joint_from_body.translation.vector)
        })
        .collect();
    let models: Vec<Isometry3<f64>> = (budget.model.iter())
        .map(|error| error_about(random, error, &Vector3::zeros()))
        .collect();
    let pose = |body: BodyId| {
        let (mut at, mut tools) = (body, Isometry3::identity());
        while cell.bodies[at].role == Role::Attached {
            tools = own[at] * tools;
            at = cell.bodies[at].parent.unwrap();
        }
        let root = match (cell.bodies[body].joint, cell.bodies[at].role) {
            (Some(joint), _) => joints[joint] * models[joint],
            (None, Role::Link { robot }) => bases[robot],
            (None, _) => own[at],
        };
        root * tools * cell.bodies[body].joint_from_body
    };
    (0..cell.bodies.len()).map(pose).collect()
}

/// The least of what pairs are farther apart than they have to be, metres.
fn least(checker: &Checker, pairs: &PairTable, poses: &[Isometry3<f64>], clearance: f64) -> f64 {
    let cell = checker.cell();
    let mesh = &cell.uncertainty.as_ref().unwrap().mesh;
    let triangles = |body: BodyId| {
        let mut all: Vec<([Point3<f64>; 3], f64)> = Vec::new();
        for shape in &cell.bodies[body].shapes {
            let (form, radius) = shape.form.mesh_and_radius();
            let pose = poses[body] * shape.body_from_shape;
            let corners = (0..form.triangles.len()).map(|t| form.corners(t).map(|p| pose * p));
            all.extend(corners.map(|corners| (corners, radius)));
        }
        all
    };
    let mut most = f64::INFINITY;
    for pair in &pairs.checked {
        let least = pair.clearance.unwrap_or(clearance) + mesh[pair.a] + mesh[pair.b];
        let others = triangles(pair.b);
        for (t, r) in triangles(pair.a) {
            for (u, q) in &others {
                let distance = Closest::of_triangles(&t, u).distance;
                most = most.min(distance - r - q - least);
            }
        }
    }
    most
}

/// A scene with the budget for which it is clear still, and not for half as much again, if there
/// are any pairs.
fn just_clear(scene: Scene) -> Option<(Checker, Trajectory, f64)> {
    let mut last = None;
    for size in (0..12).map(|k| 1.5f64.powi(k - 4)) {
        let (mut cell, mut trajectory) = (scene.cell.clone(), scene.trajectory.clone());
        cell.uncertainty = cell.uncertainty.map(|budget| larger(budget, size));
        for segment in &mut trajectory.segments {
            for joint in 0..cell.joints.len() {
                *segment.taken_over_of(joint) *= size;
            }
        }
        let checker = Checker::new(cell);
        let result = checker.check(&trajectory, scene.clearance, &CheckOptions::default());
        let is_clear = result.is_ok_and(|result| result.verdict == Verdict::Clear);
        if checker.pairs().checked.is_empty() || !is_clear {
            break;
        }
        last = Some((checker, trajectory, scene.clearance));
    }
    last
}

fn larger(mut budget: Uncertainty, size: f64) -> Uncertainty {
    let all = [
        &mut budget.base,
        &mut budget.tool,
        &mut budget.model,
        &mut budget.obstacle,
    ];
    for error in all.into_iter().flatten() {
        *error = rigid(error.shift_m * size, error.turn_rad * size);
    }
    for error in budget.joint.iter_mut().chain(&mut budget.mesh) {
        *error *= size;
    }
    budget
}

/// What is clear for a budget has a valid certificate, and no error within the budget makes it
/// false, neither as the cell means the budget nor as the file says it.
#[test]
#[allow(clippy::print_stdout)] // Figures for docs/certificates.md.
fn what_is_clear_for_a_budget_has_a_certificate_that_holds_for_all_of_it() {
    let mut random = Random(0x0dd5_eed5_0f0f_1234);
    let (mut clear, mut certified, mut near) = (0, 0, f64::INFINITY);
    let count = scenes() / 5;
    for number in 0..count {
        let Some((checker, trajectory, clearance)) = just_clear(scene_with_errors(&mut random))
        else {
            continue;
        };
        clear += 1;
        let (bytes, made) = made(&checker, &trajectory, clearance);
        let Ok(made) = made else {
            println!("scene {number}: {made:?}");
            continue;
        };
        certified += 1;
        let file = Geometry::read(&bytes).unwrap();
        let certificate = whole(&made.bytes, &file);
        valid(&file, &certificate).unwrap_or_else(|e| panic!("scene {number}: {e}"));
        for segment in &trajectory.segments {
            for s in [0.0, 0.25, 0.5, 0.75, 1.0] {
                let poses = some_poses(&mut random, checker.cell(), segment, s);
                let left = least(&checker, checker.pairs(), &poses, clearance);
                assert!(left > -1e-9, "scene {number}: {left}");
                near = near.min(left);
            }
        }
        let slack = least_slack_with_errors(&file, &certificate, 4, &mut random);
        assert!(slack > -1e-9, "scene {number}: {slack}");
    }
    println!(
        "{count} scenes: {clear} clear for their budget, {certified} of them certified; nearest {near:e} m"
    );
    assert!(clear * 4 > count, "{clear} clear");
    assert!(certified * 100 >= clear * 95, "{certified} of {clear}");
}

/// What is said of errors is changed: what the checker still calls valid is true as the file says
/// it. Catches a line that the checker reads and leaves out.
#[test]
#[allow(clippy::print_stdout)] // Figures for docs/certificates.md.
fn no_mutant_of_errors_is_accepted_whose_statement_is_false() {
    let mut random = Random(0x5a5a_1234_8765_0f0f);
    let asked = std::env::var("CLEARANCE_MUTANTS").ok();
    let wanted = asked.and_then(|n| n.parse().ok()).unwrap_or(200);
    let mut counts = std::collections::BTreeMap::<&str, [usize; 2]>::new();
    let mut done = 0;
    while done < wanted {
        let Scene {
            cell,
            trajectory,
            clearance,
        } = scene_with_errors(&mut random);
        let checker = Checker::new(cell);
        let (bytes, Ok(made)) = made(&checker, &trajectory, clearance) else {
            continue;
        };
        let original = Geometry::read(&bytes).unwrap();
        let certificate = whole(&made.bytes, &original);
        for _ in 0..5 {
            let (mut file, mut certificate) = (original.clone(), certificate.clone());
            let what = mutate(&mut random, &mut file, &mut certificate);
            let counted = counts.entry(what).or_default();
            done += 1;
            if valid(&file, &certificate).is_err() {
                counted[0] += 1;
                continue;
            }
            counted[1] += 1;
            for _ in 0..3 {
                let slack = least_slack_with_errors(&file, &certificate, 2, &mut random);
                assert!(slack > -1e-9, "{what}: {slack}");
            }
        }
    }
    for (what, [refused, accepted]) in &counts {
        println!("| {what} | {refused} | {accepted} |");
    }
    let refused: usize = counts.values().map(|c| c[0]).sum();
    assert!(refused * 10 > done && refused < done, "{refused} of {done}");
}

fn mutate(random: &mut Random, file: &mut Geometry, certificate: &mut Certificate) -> &'static str {
    let which = random.below(file.joints.len());
    let more = random.between(0.001, 0.2);
    let joint = &mut file.joints[which];
    let turns = joint.kind == clearance_recheck::files::JointMotion::Turns;
    match random.below(5) {
        0 if !turns => {
            joint.error.shift += (more * UNIT) as i64;
            "a larger shift"
        }
        0 | 1 => {
            joint.error.turn += (more * UNIT) as i64;
            "a larger turn"
        }
        2 => {
            for segment in &mut certificate.segments {
                segment.value_errors[which] += (more * UNIT) as i64;
            }
            "a value that is known less well"
        }
        3 => {
            joint.error = JointError::default();
            "an error taken away"
        }
        _ => {
            joint.parent_from_joint.translation[random.below(3)] += (more * UNIT) as i64;
            "a frame or joint moved"
        }
    }
}
