//! Scenes for the tests of shapes: what stands, and bodies that two chains of joints put anywhere.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};

use crate::bvh::SphereTree;
use crate::check::Snapshot;
use crate::check::scene::Scene;
use crate::geometry::made::together;
pub use crate::geometry::made::{moved, reversed};
use crate::geometry::mesh::Mesh;
use crate::geometry::primitive::{capsule_core, sphere_core};
use crate::geometry::random::Random;
use crate::geometry::triangle::Closest;
use crate::model::{
    Body, Cell, Form, Joint, JointKind, Limits, Role, Segment, Shape as ModelShape, Uncertainty,
};
use crate::pairs::PairTable;

/// Joints of a chain: a body that they carry stands anywhere. There are two chains.
pub const JOINTS: usize = 6;

/// Shapes with their roundings; what stands and what moves.
#[derive(Default)]
pub struct Fixture {
    /// The bodies that stand, the bodies that move, and their joints.
    pub cell: Cell,
    /// A tree for every shape of every body.
    pub trees: Vec<Vec<Arc<SphereTree>>>,
}

impl Fixture {
    /// Two chains of joints, without bodies.
    pub fn new() -> Self {
        let mut fixture = Fixture::default();
        for k in 0..2 * JOINTS {
            fixture.cell.joints.push(Joint {
                name: format!("joint{k}"),
                robot: 0,
                parent: (k % JOINTS > 0).then(|| k - 1),
                parent_from_joint: Isometry3::identity(),
                axis: Unit::new_normalize(Vector3::from_fn(|i, _| f64::from(u8::from(i == k % 3)))),
                kind: if k % JOINTS < 3 {
                    JointKind::Prismatic
                } else {
                    JointKind::Revolute
                },
                limits: Limits::default(),
                mimic: None,
            });
        }
        fixture
    }

    /// Budgets of error for what is there, all none; both chains are arms of one robot.
    pub fn no_errors(&mut self) -> Uncertainty {
        self.cell.robots = Cell::with_one_robot().robots;
        Uncertainty::none(&self.cell)
    }

    /// A body that stands, or moves with the first chain.
    pub fn body(&mut self, moves: bool, shapes: &[(Mesh, f64)], solid: Option<bool>) -> usize {
        self.carried(moves.then_some(0), shapes, solid)
    }

    /// A body that stands, or moves with a chain.
    pub fn carried(
        &mut self,
        chain: Option<usize>,
        shapes: &[(Mesh, f64)],
        solid: Option<bool>,
    ) -> usize {
        let id = self.cell.bodies.len();
        let trees = shapes
            .iter()
            .map(|(mesh, radius)| Arc::new(SphereTree::new(mesh, *radius)));
        self.trees.push(trees.collect());
        let shapes = shapes.iter().map(|(mesh, _)| ModelShape {
            name: String::new(),
            body_from_shape: Isometry3::identity(),
            form: Form::Mesh {
                mesh: Arc::new(mesh.clone()),
                file: "mesh.stl".into(),
            },
            solid,
            scale: None,
        });
        self.cell.bodies.push(Body {
            name: format!("body{id}"),
            role: if chain.is_some() {
                Role::Attached
            } else {
                Role::Obstacle
            },
            joint: chain.map(|c| (c + 1) * JOINTS - 1),
            joint_from_body: Isometry3::identity(),
            parent: None,
            shapes: shapes.collect(),
        });
        id
    }

    /// To be checked with a threshold, metres.
    pub fn scene(&self, clearance: f64) -> Scene<'_> {
        Scene::new(
            &self.cell,
            &self.trees,
            &PairTable::new(&self.cell),
            clearance,
        )
    }
}

/// The moving bodies of the first chain at joint values, those of the second at rest.
pub fn at(scene: &Scene, q: [f64; JOINTS]) -> Snapshot {
    both_at(scene, [q, [0.0; JOINTS]])
}

/// The moving bodies of both chains at joint values.
pub fn both_at(scene: &Scene, q: [[f64; JOINTS]; 2]) -> Snapshot {
    let mut snapshot = Snapshot::default();
    let segment = Segment {
        start: 0.0,
        end: 1.0,
        joints: (q.as_flattened().iter())
            .map(|&q| [q, 0.0, 0.0, 0.0, 0.0, 0.0])
            .collect(),
        errors: None,
    };
    snapshot.set(scene, &segment, 0.0);
    snapshot
}

/// A box with equal edges, metres.
pub fn cube(edge: f64) -> Mesh {
    Mesh::cuboid(&Vector3::repeat(edge))
}

/// A closed piece: a box, an octahedron, a tetrahedron, or a dented box, about `size` large.
fn piece(r: &mut Random, size: f64, whole: bool) -> Mesh {
    let mut mesh = match r.below(4) {
        0 => cube(2.0),
        1 => Mesh {
            vertices: [
                [1, 0, 0],
                [0, 1, 0],
                [0, 0, 1],
                [-1, 0, 0],
                [0, -1, 0],
                [0, 0, -1],
            ]
            .map(|v: [i8; 3]| Point3::from(v.map(f64::from)))
            .to_vec(),
            triangles: vec![
                [0, 1, 2],
                [1, 3, 2],
                [3, 4, 2],
                [4, 0, 2],
                [1, 0, 5],
                [3, 1, 5],
                [4, 3, 5],
                [0, 4, 5],
            ],
        },
        2 => Mesh {
            vertices: [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
                .map(|v: [i8; 3]| Point3::from(v.map(f64::from)))
                .to_vec(),
            triangles: vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]],
        },
        _ => {
            // One corner of a box pushed in: not convex.
            let mut mesh = cube(2.0);
            mesh.vertices[7] = Point3::new(-0.5, -0.5, -0.5);
            mesh
        }
    };
    let shape = if whole {
        Vector3::from_fn(|_, _| r.within(1, 3) as f64)
    } else {
        let turn = Rotation3::from_scaled_axis(r.vector() * 3.0);
        mesh.vertices.iter_mut().for_each(|v| *v = turn * *v);
        Vector3::from_fn(|_, _| 0.2 + r.unit())
    };
    mesh = mesh.scaled(shape * size);
    match r.below(4) {
        0 => reversed(mesh),
        1 => mesh.scaled(Vector3::new(-1.0, 1.0, 1.0)),
        _ => mesh,
    }
}

/// Closed pieces beside, across and in each other; hollows among them.
pub fn closed(r: &mut Random, size: f64, whole: bool) -> Mesh {
    let first = piece(r, size, whole);
    let mut parts = vec![first.clone()];
    match r.below(4) {
        0 => parts.push(reversed(first.scaled(Vector3::repeat(0.5)))),
        1 => parts.push(first.scaled(Vector3::repeat(0.5))),
        2 => {
            let by = Vector3::from_fn(|_, _| r.within(-2, 2) as f64) * size;
            parts.push(moved(piece(r, size, whole), by));
        }
        _ => {}
    }
    together(&parts)
}

/// Closed meshes mostly, balls, capsules, and loose triangles.
pub fn shape(r: &mut Random, size: f64, whole: bool) -> (Mesh, f64) {
    match r.below(10) {
        0 => (sphere_core(), size),
        1 => (capsule_core(2.0 * size), 0.5 * size),
        2 => {
            let mut soup = Mesh::default();
            for i in 0..3 {
                soup.vertices.extend((0..3).map(|_| r.point() * size));
                soup.triangles.push([3 * i, 3 * i + 1, 3 * i + 2]);
            }
            (soup, 0.0)
        }
        3 => (closed(r, 0.05 * size, false), 0.0),
        _ => (closed(r, size, whole), 0.0),
    }
}

/// Obstacles and one or two moving bodies.
pub fn random_bench(r: &mut Random, whole: bool) -> Fixture {
    let mut fixture = Fixture::new();
    for _ in 0..1 + r.below(4) {
        let shapes: Vec<_> = (0..1 + r.below(2))
            .map(|_| {
                let (mesh, radius) = shape(r, 1.0, whole);
                let position = Vector3::from_fn(|_, _| r.within(-4, 4) as f64);
                (moved(mesh, position), radius)
            })
            .collect();
        fixture.body(false, &shapes, None);
    }
    let size = [0.1, 1.0, 3.0][r.below(3)];
    let shapes: Vec<_> = (0..1 + r.below(2)).map(|_| shape(r, size, whole)).collect();
    fixture.body(true, &shapes, None);
    fixture
}

/// Values for the joints of a chain.
pub fn anywhere(r: &mut Random, whole: bool) -> [f64; JOINTS] {
    std::array::from_fn(|k| match (k < 3, whole) {
        (true, true) => r.within(-8, 8) as f64 / 2.0,
        (true, false) => 5.0 * r.signed(),
        (false, true) => 0.0,
        (false, false) => 3.0 * r.signed(),
    })
}

/// Distance of the surfaces of a pair: all triangles against all, metres.
pub fn surface_distance(scene: &Scene, pair: usize, snapshot: &mut Snapshot) -> f64 {
    let mut least = f64::INFINITY;
    for p in &scene.part_pairs[scene.part_pairs_of(pair)] {
        let placed = [p.a, p.b].map(|part| {
            let pose = snapshot.part(scene, part).pose;
            let tree = &scene.parts[part].tree;
            let moved = |v: Point3<f64>| Point3::from(pose.apply(&(v - tree.origin)));
            (0..tree.triangles.len())
                .map(|t| tree.corners(t).map(moved))
                .collect::<Vec<_>>()
        });
        for a in &placed[0] {
            for b in &placed[1] {
                least = least.min(Closest::of_triangles(a, b).distance - p.radii);
            }
        }
    }
    least.max(0.0)
}

/// Two bodies on one chain of joints that stand anywhere, with one to four joints between them, or
/// one that stands. One joint in `slides` slides.
pub fn two_links(
    r: &mut Random,
    slides: usize,
    mut mesh: impl FnMut(&mut Random) -> Mesh,
) -> Fixture {
    let mut fixture = Fixture::new();
    for joint in &mut fixture.cell.joints {
        let turn = UnitQuaternion::from_scaled_axis(r.vector() * 2.0);
        let position = Translation3::from(r.vector() * 0.4);
        joint.parent_from_joint = Isometry3::from_parts(position, turn);
        joint.kind = if r.one_in(slides) {
            JointKind::Prismatic
        } else {
            JointKind::Revolute
        };
    }
    let first = r.below(5);
    for (robot, joint) in [
        (0, Some(JOINTS - 1)),
        (1, first.checked_sub(1).map(|k| JOINTS - 1 - k - 1)),
    ] {
        let mesh = mesh(r);
        let body = fixture.body(true, &[(mesh, 0.0)], None);
        let body = &mut fixture.cell.bodies[body];
        (body.role, body.joint) = (Role::Link { robot }, joint);
    }
    fixture
}
