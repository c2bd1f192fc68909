//! Cells and motions with random errors within a budget, and whether anything then touches in
//! what is clear for that budget.

use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{Cell, JointKind, RigidError, Role, Segment, Trajectory, Uncertainty};
use clearance_proof::pairs::PairTable;
use clearance_proof::report::Verdict;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::Workload;

/// Shares of a budget that are tried: the greatest for which a program is clear counts.
const SHARES: [f64; 7] = [3.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02];

/// Random numbers that are the same in every run (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// From 0 to 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    fn direction(&mut self) -> Vector3<f64> {
        let v = Vector3::new(self.signed(), self.signed(), self.signed());
        v.try_normalize(1e-3).unwrap_or_else(Vector3::x)
    }
}

/// A shift, and a turn (axis times angle) about the origin of what has the error; in the world.
type Rigid = [Vector3<f64>; 2];

/// Errors of everything in a cell; of joints at the begin and the end of every segment.
struct RandomErrors {
    base: Vec<Rigid>,
    tool: Vec<Rigid>,
    obstacle: Vec<Rigid>,
    joint: Vec<Vec<f64>>,
}

impl RandomErrors {
    fn random(r: &mut Random, budget: &Uncertainty, segments: usize) -> Self {
        let mut rigid = |of: &[RigidError]| -> Vec<Rigid> {
            let one = |e: &RigidError| [r.direction() * e.shift_m, r.direction() * e.turn_rad];
            of.iter().map(one).collect()
        };
        let (base, tool, obstacle) = (
            rigid(&budget.base),
            rigid(&budget.tool),
            rigid(&budget.obstacle),
        );
        // Constant, or another one at every waypoint; often of full size.
        let constant = r.unit() < 0.5;
        let mut joint: Vec<Vec<f64>> = Vec::new();
        for k in 0..=segments {
            let one = match joint.first() {
                Some(first) if constant && k > 0 => first.clone(),
                _ => (budget.joint.iter())
                    .map(|error| error * (1.5 * r.signed()).clamp(-1.0, 1.0))
                    .collect(),
            };
            joint.push(one);
        }
        RandomErrors {
            base,
            tool,
            obstacle,
            joint,
        }
    }

    /// Those of full size that bring the bodies of a pair together where they are nearest: each by
    /// itself, as its shift and its turn move the nearest point.
    fn towards(
        &mut self,
        (scene, pair): (&Scene, usize),
        budget: &Uncertainty,
        (segment, s): (&Segment, f64),
    ) {
        let cell = scene.cell;
        let mut snapshot = Snapshot::default();
        snapshot.set(scene, segment, s);
        let Some(nearest) = scene.pair_distance(pair, &mut snapshot, f64::INFINITY, &mut 0) else {
            return;
        };
        let Some(n) = (nearest.point_b - nearest.point_a).try_normalize(1e-12) else {
            return;
        };
        let mut q = Vec::new();
        segment.configuration(s, &mut q);
        let poses = cell.forward(&q);
        let ends = [
            (scene.pairs[pair].a, nearest.point_a.coords, n),
            (scene.pairs[pair].b, nearest.point_b.coords, -n),
        ];
        for (body, point, n) in ends {
            let rigid = |error: &RigidError, origin: Vector3<f64>| -> Rigid {
                let turn = (point - origin).cross(&n).try_normalize(1e-12);
                [n * error.shift_m, turn.unwrap_or_default() * error.turn_rad]
            };
            let mut at = body;
            while let (Role::Attached, Some(parent)) =
                (cell.bodies[at].role, cell.bodies[at].parent)
            {
                let origin = cell.body_pose(&poses, at).translation.vector;
                self.tool[at] = rigid(&budget.tool[at], origin);
                at = parent;
            }
            let mut next = cell.bodies[body].joint;
            while let Some(joint) = next {
                let it = &cell.joints[joint];
                let axis = poses[joint].rotation * it.axis.into_inner();
                let moves = match it.kind {
                    JointKind::Prismatic => axis.dot(&n),
                    _ => axis
                        .cross(&(point - poses[joint].translation.vector))
                        .dot(&n),
                };
                for errors in &mut self.joint {
                    errors[joint] = budget.joint[joint] * moves.signum();
                }
                next = it.parent;
            }
            match cell.bodies[at].role {
                Role::Link { robot } => {
                    let origin = cell.robots[robot].world_from_base.translation.vector;
                    self.base[robot] = rigid(&budget.base[robot], origin);
                }
                _ => {
                    let origin = cell.body_pose(&poses, at).translation.vector;
                    self.obstacle[at] = rigid(&budget.obstacle[at], origin);
                }
            }
        }
    }

    /// The cell as it stands with them. What a tool is off is stated in the world of `poses`.
    fn cell(&self, cell: &Cell, poses: &[Isometry3<f64>]) -> Cell {
        let mut real = cell.clone();
        let base = |robot: usize| cell.robots[robot].world_from_base.translation.vector;
        for joint in &mut real.joints {
            if joint.parent.is_none() {
                joint.parent_from_joint = add_error(
                    &joint.parent_from_joint,
                    &base(joint.robot),
                    &self.base[joint.robot],
                );
            }
        }
        for id in 0..cell.bodies.len() {
            let mut pose = cell.bodies[id].joint_from_body;
            let carrier = cell.bodies[id]
                .joint
                .map(|joint| poses[joint].rotation.inverse());
            let mut at = id;
            while let (Role::Attached, Some(parent)) =
                (cell.bodies[at].role, cell.bodies[at].parent)
            {
                let origin = cell.bodies[at].joint_from_body.translation.vector;
                let error = self.tool[at].map(|v| carrier.map_or(v, |turn| turn * v));
                pose = add_error(&pose, &origin, &error);
                at = parent;
            }
            match cell.bodies[at].role {
                Role::Link { robot } if cell.bodies[id].joint.is_none() => {
                    pose = add_error(&pose, &base(robot), &self.base[robot]);
                }
                Role::Obstacle => {
                    let origin = cell.bodies[at].joint_from_body.translation.vector;
                    pose = add_error(&pose, &origin, &self.obstacle[at]);
                }
                _ => {}
            }
            real.bodies[id].joint_from_body = pose;
        }
        real.uncertainty = None;
        real
    }

    /// The motion as it is driven with them.
    fn trajectory(&self, trajectory: &Trajectory, cell: &Cell) -> Trajectory {
        let mut real = trajectory.clone();
        for (k, segment) in real.segments.iter_mut().enumerate() {
            segment.change_joints(|joints| {
                for (joint, polynomial) in joints.iter_mut().enumerate() {
                    let [from, to] = [k, k + 1].map(|k| self.joint[k][joint]);
                    polynomial[0] += from;
                    polynomial[1] += to - from;
                }
                for (joint, it) in cell.joints.iter().enumerate() {
                    if let Some(mimic) = it.mimic {
                        let mut follows = joints[mimic.source].map(|c| mimic.multiplier * c);
                        follows[0] += mimic.offset;
                        joints[joint] = follows;
                    }
                }
            });
        }
        real
    }
}

fn add_error(
    pose: &Isometry3<f64>,
    origin: &Vector3<f64>,
    [shift, turn]: &Rigid,
) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_scaled_axis(*turn);
    let about = Isometry3::from_parts(Translation3::from(origin - turn * origin), turn);
    Translation3::from(*shift) * about * pose
}

/// So many times a budget.
pub fn times(budget: &Uncertainty, share: f64) -> Uncertainty {
    let mut of = budget.clone();
    let rigid = [&mut of.base, &mut of.tool, &mut of.model, &mut of.obstacle];
    for error in rigid.into_iter().flatten() {
        error.shift_m *= share;
        error.turn_rad *= share;
    }
    of.joint.iter_mut().for_each(|error| *error *= share);
    of
}

/// The greatest of a few shares of the usual budget for which a program is clear, and that budget.
pub fn budget_of(workload: &Workload, trajectory: &Trajectory) -> Option<(f64, Uncertainty)> {
    let ideal = &workload.prepared.loaded.cell;
    let usual = Uncertainty::usual(ideal);
    let budgets = SHARES.iter().map(|&share| (share, times(&usual, share)));
    let mut budgets = budgets.filter(|(_, budget)| {
        let cell = Cell {
            uncertainty: Some(budget.clone()),
            ..ideal.clone()
        };
        let (trees, pairs) = (&workload.prepared.trees, &workload.prepared.pairs);
        let scene = Scene::new(&cell, trees, pairs, workload.settings.clearance);
        scene
            .check(trajectory, &workload.options(), &|_| ())
            .verdict
            == Verdict::Clear
    });
    budgets.next()
}

/// How many of so many errors within a budget touch somewhere on a program: random ones, and those
/// that bring a pair together.
pub fn touching(
    workload: &Workload,
    trajectory: &Trajectory,
    budget: &Uncertainty,
    (errors, r): (usize, &mut Random),
) -> usize {
    let ideal = &workload.prepared.loaded.cell;
    let scene = workload.scene();
    let mut touching = 0;
    for k in 0..errors {
        let mut random_errors = RandomErrors::random(r, budget, trajectory.segments.len());
        let segment = &trajectory.segments[(r.unit() * trajectory.segments.len() as f64) as usize];
        let s = r.unit();
        let mut q = Vec::new();
        segment.configuration(s, &mut q);
        if k % 2 == 0
            && let Some(pair) = nearest_of_a_few(&scene, (segment, s), r)
        {
            random_errors.towards((&scene, pair), budget, (segment, s));
        }
        let real = random_errors.cell(ideal, &ideal.forward(&q));
        let pairs = PairTable::new(&real);
        let clearance = workload.settings.clearance;
        let real_scene = Scene::new(&real, &workload.prepared.trees, &pairs, clearance);
        let driven = random_errors.trajectory(trajectory, &real);
        let verdict = real_scene
            .check(&driven, &workload.options(), &|_| ())
            .verdict;
        touching += usize::from(verdict == Verdict::Collision);
    }
    touching
}

fn nearest_of_a_few(scene: &Scene, (segment, s): (&Segment, f64), r: &mut Random) -> Option<usize> {
    let mut snapshot = Snapshot::default();
    snapshot.set(scene, segment, s);
    let mut nearest = (f64::INFINITY, None);
    for _ in 0..12 {
        let pair = (r.unit() * scene.pairs.len() as f64) as usize;
        let found = scene.pair_distance(pair, &mut snapshot, nearest.0, &mut 0);
        if let Some(found) = found
            && found.distance < nearest.0
        {
            nearest = (found.distance, Some(pair));
        }
    }
    nearest.1
}
