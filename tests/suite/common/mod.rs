//! Scenes built in code, and an oracle that samples them.
#![allow(dead_code)] // Every test crate uses its own part of this.

pub mod oracle;
pub mod shapes;

pub use clearance_proof::geometry::random::Random;

use std::path::PathBuf;
use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::scene::Scene;
use clearance_proof::geometry::made::{cone_cover, cylinder_cover};
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::{
    Body, BodyId, Cell, Form, Interpolation, Joint, JointId, JointKind, Limits, Robot, Role,
    Segment, Shape, Trajectory,
};
use clearance_proof::pairs::PairTable;
use nalgebra::{Isometry3, Unit, Vector3};

/// The folder of real robots, cells and programs. Cell files are written elsewhere: its path must
/// not depend on where they stand.
pub fn real_data() -> PathBuf {
    let folder = std::env::var_os("CLEARANCE_REAL_DATA");
    let folder = folder.expect("CLEARANCE_REAL_DATA must name the folder of the data");
    PathBuf::from(folder).canonicalize().expect("a folder")
}

/// The value of a joint over a segment: coefficients of the powers of its share, radians or metres.
pub type Polynomial = [f64; 6];

/// A cell, a motion, and what stands in it, put together piece by piece.
#[derive(Clone)]
pub struct Scenario {
    pub cell: Cell,
    pub trajectory: Trajectory,
}

impl Scenario {
    /// Nothing yet; one robot without a name.
    pub fn new() -> Self {
        let mut cell = Cell::default();
        cell.robots.push(Robot {
            name: String::new(),
            urdf: "robot.urdf".into(),
            world_from_base: Isometry3::identity(),
        });
        Scenario {
            cell,
            trajectory: Trajectory {
                segments: Vec::new(),
                interpolation: Interpolation::Linear,
                timed: true,
            },
        }
    }

    pub fn joint(
        &mut self,
        parent: Option<JointId>,
        at: Isometry3<f64>,
        axis: Vector3<f64>,
        kind: JointKind,
    ) -> JointId {
        let id = self.cell.joints.len();
        self.cell.joints.push(Joint {
            name: format!("joint{id}"),
            robot: 0,
            parent,
            parent_from_joint: at,
            axis: Unit::new_normalize(axis),
            kind,
            limits: Limits::default(),
            mimic: None,
        });
        self.cell.rest.push(0.0);
        id
    }

    /// A turning joint about z.
    pub fn hinge(&mut self, parent: Option<JointId>, x: f64, y: f64) -> JointId {
        let at = Isometry3::translation(x, y, 0.0);
        self.joint(parent, at, Vector3::z(), JointKind::Revolute)
    }

    pub fn body(
        &mut self,
        joint: Option<JointId>,
        parent: Option<BodyId>,
        shapes: Vec<(Isometry3<f64>, Form)>,
    ) -> BodyId {
        let id = self.cell.bodies.len();
        let role = if joint.is_some() {
            Role::Link { robot: 0 }
        } else {
            Role::Obstacle
        };
        let shapes = shapes.into_iter().map(|(at, form)| Shape {
            name: String::new(),
            body_from_shape: at,
            form,
            // The oracle looks at surfaces only.
            solid: Some(false),
            scale: None,
        });
        self.cell.bodies.push(Body {
            name: format!("body{id}"),
            role,
            joint,
            joint_from_body: Isometry3::identity(),
            parent,
            shapes: shapes.collect(),
        });
        id
    }

    /// A body of one mesh, placed in its joint's frame or the world.
    pub fn mesh(&mut self, joint: Option<JointId>, at: Isometry3<f64>, mesh: Mesh) -> BodyId {
        self.body(joint, None, vec![(at, form(mesh))])
    }

    /// Adds a segment of the next second.
    pub fn segment(&mut self, joints: Vec<Polynomial>) {
        let start = self.trajectory.segments.len() as f64;
        self.trajectory
            .segments
            .push(Segment::new(start, start + 1.0, joints));
    }

    /// Adds a straight segment.
    pub fn linear(&mut self, from_to: &[(f64, f64)]) {
        let line = |&(p, q): &(f64, f64)| [p, q - p, 0.0, 0.0, 0.0, 0.0];
        self.segment(from_to.iter().map(line).collect());
    }

    pub fn table(&self) -> PairTable {
        PairTable::new(&self.cell)
    }

    pub fn trees(&self) -> Vec<Vec<Arc<SphereTree>>> {
        let of = |shape: &Shape| Arc::new(tree(&shape.form));
        let bodies = self.cell.bodies.iter();
        bodies.map(|b| b.shapes.iter().map(of).collect()).collect()
    }

    /// Least distances of the motion, to a resolution: of classes of pairs, and of pairs that come
    /// nearer than `within`; metres.
    pub fn least(&self, resolution: f64, within: Option<f64>) -> CheckResult {
        let trees = self.trees();
        let table = self.table();
        let scene = Scene::new(&self.cell, &trees, &table, 0.0);
        let options = CheckOptions {
            resolution,
            all: false,
            minimum: true,
            minimum_by_class: true,
            minimum_pairs: within,
        };
        scene.check(&self.trajectory, &options, &|_| {})
    }

    /// Checks the motion at threshold `clearance` and resolution `resolution`, metres; everything
    /// that can be asked.
    pub fn check(&self, clearance: f64, resolution: f64, extras: bool) -> CheckResult {
        let trees = self.trees();
        let table = self.table();
        let scene = Scene::new(&self.cell, &trees, &table, clearance);
        let options = CheckOptions {
            resolution,
            all: extras,
            minimum: extras,
            minimum_by_class: extras,
            minimum_pairs: extras.then_some(f64::INFINITY),
        };
        scene.check(&self.trajectory, &options, &|_| {})
    }
}

pub fn form(mesh: Mesh) -> Form {
    Form::Mesh {
        mesh: Arc::new(mesh),
        file: "mesh.stl".into(),
    }
}

/// The triangles of a form and how far its surface lies from them. Exact but for the cylinder: the
/// prism around it, which has tests of its own (from inside its surface is farther away than the
/// true one, so surfaces alone cannot oracle that).
pub fn core(form: &Form) -> (Mesh, f64) {
    match form {
        Form::Mesh { mesh, .. } => (Mesh::clone(mesh), 0.0),
        Form::Cloud { cloud, .. } => (cloud.mesh(), cloud.radius),
        Form::Box { size } => (shapes::block(size / 2.0), 0.0),
        Form::Sphere { radius } => (shapes::point(), *radius),
        Form::Capsule { radius, length } => {
            let end = length / 2.0;
            let ends = [[0.0, 0.0, -end], [0.0, 0.0, end]];
            (shapes::mesh(&ends, &[[0, 1, 1]]), *radius)
        }
        Form::Cylinder { radius, length } => (cylinder_cover(*radius, *length), 0.0),
        Form::Cone { radius, length } => (cone_cover(*radius, *length), 0.0),
    }
}

fn tree(form: &Form) -> SphereTree {
    let (mesh, radius) = core(form);
    let tree = match form {
        Form::Cloud { cloud, .. } => SphereTree::of_cloud(cloud),
        _ => SphereTree::new(&mesh, radius),
    };
    assert_eq!(tree.check(), Ok(()));
    tree
}
