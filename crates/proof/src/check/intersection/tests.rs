//! Known times first, then degenerate cases, then thousands of random motions against the default
//! check.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::*;
use crate::bvh::SphereTree;
use crate::geometry::mesh::Mesh;
use crate::geometry::random::Random;
use crate::model::{
    Body, Cell, Form, Interpolation, Joint, JointKind, Limits, Polynomial, Role, Segment,
    SegmentErrors, Shape,
};
use crate::pairs::PairTable;

fn check(
    scene: &Scene,
    trajectory: &Trajectory,
    options: &CheckOptions,
    progress: &dyn Fn(f64),
) -> Result<CheckResult, ProofError> {
    scene.intersect_features(trajectory, options, progress)
}

mod known;
mod random;

/// A cell with its trees, and a motion.
struct World {
    cell: Cell,
    trees: Vec<Vec<Arc<SphereTree>>>,
    table: PairTable,
    trajectory: Trajectory,
}

impl World {
    /// Nothing yet, to be moved by these laws, a segment of one second each.
    fn new(segments: Vec<Vec<Polynomial>>) -> Self {
        let segments = segments.into_iter().enumerate().map(|(k, joints)| Segment {
            start: k as f64,
            end: k as f64 + 1.0,
            joints: joints.into(),
            errors: None,
        });
        World {
            cell: Cell::default(),
            trees: Vec::new(),
            table: PairTable::default(),
            trajectory: Trajectory {
                segments: segments.collect(),
                interpolation: Interpolation::Quintic,
                timed: true,
            },
        }
    }

    fn joint(
        mut self,
        parent: Option<usize>,
        at: Isometry3<f64>,
        axis: Vector3<f64>,
        slides: bool,
    ) -> Self {
        self.cell.joints.push(Joint {
            name: format!("j{}", self.cell.joints.len()),
            robot: 0,
            parent,
            parent_from_joint: at,
            axis: Unit::new_normalize(axis),
            kind: if slides {
                JointKind::Prismatic
            } else {
                JointKind::Continuous
            },
            limits: Limits::default(),
            mimic: None,
        });
        self.cell.rest.push(0.0);
        self
    }

    fn body(mut self, joint: Option<usize>, at: Isometry3<f64>, mesh: Mesh) -> Self {
        self.trees.push(vec![Arc::new(SphereTree::new(&mesh, 0.0))]);
        self.cell.bodies.push(Body {
            name: format!("b{}", self.cell.bodies.len()),
            role: match joint {
                Some(_) => Role::Link { robot: 0 },
                None => Role::Obstacle,
            },
            joint,
            joint_from_body: at,
            parent: None,
            shapes: vec![Shape {
                name: String::new(),
                body_from_shape: Isometry3::identity(),
                form: Form::Mesh {
                    mesh: Arc::new(mesh),
                    file: "mesh.stl".into(),
                },
                solid: None,
                scale: None,
            }],
        });
        self.table = PairTable::new(&self.cell);
        self
    }

    fn scene_at(&self, clearance: f64) -> Scene<'_> {
        Scene::new(&self.cell, &self.trees, &self.table, clearance)
    }

    fn scene(&self) -> Scene<'_> {
        self.scene_at(0.0)
    }

    fn options(resolution: f64) -> CheckOptions {
        CheckOptions {
            resolution,
            all: false,
            minimum: false,
            minimum_by_class: false,
            minimum_pairs: None,
        }
    }

    fn check(&self) -> CheckResult {
        check(
            &self.scene(),
            &self.trajectory,
            &Self::options(1e-4),
            &|_| (),
        )
        .expect("no refusal")
    }

    /// Checks that both methods find the first contact at this time and of this kind.
    #[track_caller]
    fn touches(&self, time: f64, feature: ContactFeature) {
        let found = self.check();
        let contact = found.first_contact.expect("a contact");
        assert_eq!(found.verdict, Verdict::Collision);
        assert!(
            (contact.time - time).abs() < 1e-9,
            "{} for {time}",
            contact.time
        );
        assert!(contact.free_until <= contact.time && contact.free_until > time - 1e-3);
        assert_eq!(
            (contact.feature, contact.exact_time),
            (Some(feature), Some(contact.time))
        );
        let scene = self.scene();
        let default = scene.check(&self.trajectory, &Self::options(1e-4), &|_| ());
        let bracket = default.first_contact.expect("a contact");
        assert!(bracket.free_until <= time + 1e-12 && time <= bracket.time + 1e-12);
        let exact = bracket.exact_time.expect("an exact time");
        assert!((exact - time).abs() < 1e-9, "{exact} for {time}");
        assert_eq!(bracket.feature, Some(feature));
        assert!(bracket.free_until <= exact && exact <= bracket.time);
    }

    #[track_caller]
    fn is(&self, verdict: Verdict) {
        let found = self.check();
        assert_eq!(found.verdict, verdict, "{:?}", found.first_contact);
    }
}

fn linear(from: f64, by: f64) -> Polynomial {
    [from, by, 0.0, 0.0, 0.0, 0.0]
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

fn block(x: f64, y: f64, z: f64) -> Mesh {
    Mesh::cuboid(&Vector3::new(x, y, z))
}

fn tetrahedron(corners: [[f64; 3]; 4]) -> Mesh {
    let vertices: Vec<Point3<f64>> = corners.iter().map(|&c| Point3::from(c)).collect();
    let volume = (vertices[1] - vertices[0])
        .cross(&(vertices[2] - vertices[0]))
        .dot(&(vertices[3] - vertices[0]));
    let outwards = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    Mesh {
        vertices,
        triangles: outwards
            .map(|[a, b, c]| if volume > 0.0 { [a, b, c] } else { [a, c, b] })
            .to_vec(),
    }
}
