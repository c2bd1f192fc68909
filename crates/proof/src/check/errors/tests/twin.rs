//! A slow twin: cells whose parts are put off, placed by plain kinematics; random cells and
//! budgets.

use nalgebra::{Translation3, Unit, UnitQuaternion};

use super::*;
use crate::model::{JointKind, Limits, Robot};

/// Errors, each within its budget: a shift and a turn (axis times angle) about the element's
/// origin.
#[derive(Clone)]
pub(super) struct RandomErrors {
    pub(super) base: Vec<[Vector3<f64>; 2]>,
    pub(super) tool: Vec<[Vector3<f64>; 2]>,
    pub(super) joint: Vec<f64>,
    /// Of the frame that each joint moves, in that frame.
    pub(super) model: Vec<[Vector3<f64>; 2]>,
    pub(super) obstacle: Vec<[Vector3<f64>; 2]>,
}

pub(super) fn add_error(
    pose: &Isometry3<f64>,
    origin: &Vector3<f64>,
    [shift, turn]: &[Vector3<f64>; 2],
) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_scaled_axis(*turn);
    let about = Isometry3::from_parts(Translation3::from(origin - turn * origin), turn);
    Translation3::from(*shift) * about * pose
}

impl RandomErrors {
    /// Of full size, in random directions.
    pub(super) fn random(random: &mut Random, budget: &Uncertainty) -> Self {
        let rigid = |random: &mut Random, of: &[RigidError]| {
            let mut one = |e: &RigidError| {
                [e.shift_m, e.turn_rad].map(|size| {
                    let direction = random.vector().try_normalize(1e-9);
                    direction.unwrap_or_else(Vector3::x) * size
                })
            };
            of.iter().map(&mut one).collect()
        };
        RandomErrors {
            base: rigid(random, &budget.base),
            tool: rigid(random, &budget.tool),
            joint: (budget.joint.iter())
                .map(|&error| if random.below(2) == 0 { error } else { -error })
                .collect(),
            model: rigid(random, &budget.model),
            obstacle: rigid(random, &budget.obstacle),
        }
    }

    /// The cell as it really stands; joint errors are those of the motion.
    pub(super) fn cell(&self, cell: &Cell) -> Cell {
        let mut real = cell.clone();
        let origin = |robot: usize| cell.robots[robot].world_from_base.translation.vector;
        for joint in &mut real.joints {
            if joint.parent.is_none() {
                let (o, error) = (origin(joint.robot), &self.base[joint.robot]);
                joint.parent_from_joint = add_error(&joint.parent_from_joint, &o, error);
            }
        }
        for id in 0..cell.bodies.len() {
            let mut joint_from_body = cell.bodies[id].joint_from_body;
            let mut at = id;
            while cell.bodies[at].role == Role::Attached {
                let o = cell.bodies[at].joint_from_body.translation.vector;
                joint_from_body = add_error(&joint_from_body, &o, &self.tool[at]);
                at = cell.bodies[at].parent.unwrap();
            }
            if let Some(joint) = cell.bodies[id].joint {
                joint_from_body =
                    add_error(&joint_from_body, &Vector3::zeros(), &self.model[joint]);
            }
            match cell.bodies[at].role {
                Role::Link { robot } if cell.bodies[at].joint.is_none() => {
                    joint_from_body =
                        add_error(&joint_from_body, &origin(robot), &self.base[robot]);
                }
                Role::Obstacle => {
                    let o = cell.bodies[at].joint_from_body.translation.vector;
                    joint_from_body = add_error(&joint_from_body, &o, &self.obstacle[at]);
                }
                _ => {}
            }
            real.bodies[id].joint_from_body = joint_from_body;
        }
        real
    }
}

/// Two robots with a link on every joint, a base link, a tool and a workpiece in it; two things
/// that stand.
pub(super) fn random_cell(random: &mut Random) -> Cell {
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
        });
        let link = |random: &mut Random, joint, joint_from_body, parent| Body {
            role: Role::Link { robot },
            joint,
            parent,
            ..Body::obstacle(
                &format!("r{robot}/{joint:?}"),
                form(random),
                joint_from_body,
            )
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
            let joint_from_body = pose(random, 0.2);
            parent = cell.add_body(link(random, before, joint_from_body, Some(parent)));
        }
        for name in ["tool", "piece"] {
            let joint_from_body = pose(random, 0.4);
            parent = cell.add_body(Body {
                role: Role::Attached,
                joint: before,
                parent: Some(parent),
                ..Body::obstacle(&format!("{name}{robot}"), form(random), joint_from_body)
            });
        }
    }
    for k in 0..2 {
        let joint_from_body = pose(random, 1.5);
        cell.add_body(Body::obstacle(
            &format!("thing{k}"),
            form(random),
            joint_from_body,
        ));
    }
    cell
}

pub(super) fn random_budget(random: &mut Random, cell: &Cell, large: f64) -> Uncertainty {
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
    for error in &mut budget.joint {
        *error = [0.0, large][random.below(2)] * random.unit();
    }
    budget
}

pub(super) fn at_rest(q: &[f64]) -> Segment {
    Segment {
        start: 0.0,
        end: 1.0,
        joints: q.iter().map(|&q| [q, 0.0, 0.0, 0.0, 0.0, 0.0]).collect(),
        errors: None,
    }
}

/// Errors of full size that bring two points of a pair together: each element in turn, by the way
/// its shift and its turn move the point along the line between both.
pub(super) fn towards(
    scene: &Scene,
    budget: &Uncertainty,
    part_pair: &PartPair,
    q: &[f64],
) -> RandomErrors {
    let cell = scene.cell;
    let mut snapshot = Snapshot::default();
    snapshot.set(scene, &at_rest(q), 0.0);
    let nearest = scene
        .pair_distance(part_pair.pair, &mut snapshot, f64::INFINITY, &mut 0)
        .unwrap();
    let pair = &scene.pairs[part_pair.pair];
    let mut random_errors = RandomErrors::random(&mut Random(1), &Uncertainty::none(cell));
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
            random_errors.tool[at] = [shift, turn].map(|v| carrier.rotation.tr_mul(&v));
            at = cell.bodies[at].parent.unwrap();
        }
        if let Some(joint) = cell.bodies[body].joint {
            let error = &budget.model[joint];
            let error = rigid(error, carrier.translation);
            random_errors.model[joint] = error.map(|v| carrier.rotation.tr_mul(&v));
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
            random_errors.joint[joint] = budget.joint[joint] * moves.signum();
        }
        match cell.bodies[at].role {
            Role::Link { robot } => {
                let origin = cell.robots[robot].world_from_base.translation.vector;
                random_errors.base[robot] = rigid(&budget.base[robot], origin);
            }
            _ => {
                let origin = cell.bodies[at].joint_from_body.translation.vector;
                random_errors.obstacle[at] = rigid(&budget.obstacle[at], origin);
            }
        }
    }
    random_errors
}

pub(super) fn distance(
    cell: &Cell,
    trees: &[Vec<Arc<SphereTree>>],
    pair: [usize; 2],
    q: &[f64],
) -> f64 {
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
