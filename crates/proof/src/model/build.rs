//! Cells and motions made in code, for those who have no files.

use std::path::PathBuf;

use nalgebra::{Isometry3, Unit, Vector3};

use super::{
    Body, BodyId, Cell, Column, Form, Joint, JointId, JointKind, Limits, Program, Quantity, Robot,
    Role, Shape, Trajectory, Waypoint,
};
use crate::ProofError;

impl Joint {
    /// A joint that turns about `axis` (in its own frame), without limits. `parent_from_joint` is
    /// the place of its frame at value 0 in the moving frame of `parent`, or in the world. Values
    /// are radians.
    pub fn revolute(
        name: &str,
        parent: Option<JointId>,
        parent_from_joint: Isometry3<f64>,
        axis: Unit<Vector3<f64>>,
    ) -> Self {
        Joint {
            name: name.to_owned(),
            robot: 0,
            parent,
            parent_from_joint,
            axis,
            kind: JointKind::Revolute,
            limits: Limits::default(),
            mimic: None,
        }
    }

    /// A joint that slides along `axis`; otherwise like [`Joint::revolute`]. Values are metres.
    pub fn prismatic(
        name: &str,
        parent: Option<JointId>,
        parent_from_joint: Isometry3<f64>,
        axis: Unit<Vector3<f64>>,
    ) -> Self {
        Joint {
            kind: JointKind::Prismatic,
            ..Joint::revolute(name, parent, parent_from_joint, axis)
        }
    }
}

impl Body {
    /// Something that stands in the world, at `world_from_body`.
    pub fn obstacle(name: &str, form: Form, world_from_body: Isometry3<f64>) -> Self {
        Body {
            name: name.to_owned(),
            role: Role::Obstacle,
            joint: None,
            joint_from_body: world_from_body,
            parent: None,
            shapes: vec![Shape {
                name: String::new(),
                body_from_shape: Isometry3::identity(),
                form,
                solid: None,
                scale: None,
            }],
        }
    }

    /// A link that moves with a joint; `joint_from_body` is its place in the joint's moving frame.
    /// `parent` is the link that the joint hangs on: the two are neighbours and may touch.
    pub fn link(
        name: &str,
        form: Form,
        joint: JointId,
        joint_from_body: Isometry3<f64>,
        parent: Option<BodyId>,
    ) -> Self {
        Body {
            role: Role::Link { robot: 0 },
            joint: Some(joint),
            parent,
            ..Body::obstacle(name, form, joint_from_body)
        }
    }
}

impl Cell {
    /// A cell with one robot that has no name, and nothing in it yet.
    pub fn with_one_robot() -> Self {
        Cell {
            robots: vec![Robot {
                name: String::new(),
                urdf: PathBuf::new(),
                world_from_base: Isometry3::identity(),
            }],
            ..Cell::default()
        }
    }

    /// Adds a joint, which rests at 0 where a motion does not name it; its parent comes first.
    pub fn add_joint(&mut self, joint: Joint) -> JointId {
        self.joints.push(joint);
        self.rest.push(0.0);
        self.joints.len() - 1
    }

    /// Adds a body.
    pub fn add_body(&mut self, body: Body) -> BodyId {
        self.bodies.push(body);
        self.bodies.len() - 1
    }
}

impl Trajectory {
    /// Straight lines in joint space through waypoints: seconds, and a value for every joint of the
    /// cell (radians or metres).
    ///
    /// # Errors
    /// Without a waypoint, where the number of values is not that of the joints, where times do not
    /// increase, or where values are larger than can be computed with.
    pub fn linear(cell: &Cell, waypoints: &[(f64, Vec<f64>)]) -> Result<Trajectory, ProofError> {
        let source = PathBuf::from("waypoints");
        if let Some(at) = waypoints.windows(2).position(|w| w[1].0 <= w[0].0) {
            return Err(ProofError::Program {
                file: source,
                line: Some(at + 2),
                problem: "its time is not after that of the waypoint before".to_owned(),
                remedy: "let times increase".to_owned(),
            });
        }
        let columns = (0..cell.joints.len()).map(|joint| Column {
            joint: cell.joint_label(joint).into(),
            line: Some(1),
            quantity: Quantity::Message,
        });
        let points = waypoints.iter().enumerate();
        let program = Program {
            source,
            columns: columns.collect(),
            waypoints: points
                .map(|(k, (time, positions))| Waypoint::new(*time, positions.as_slice(), k + 1))
                .collect(),
            timed: true,
            ..Program::default()
        };
        Ok(Trajectory::for_cell(&program, cell, None)?.0)
    }
}
