//! Where everything is for given joint values.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use super::{BodyId, Cell, Joint, JointKind};

impl Joint {
    /// Pose of the moving frame in the frame at value 0, for a value in radians or metres.
    pub fn motion(&self, value: f64) -> Isometry3<f64> {
        match self.kind {
            JointKind::Revolute | JointKind::Continuous => Isometry3::from_parts(
                Translation3::identity(),
                UnitQuaternion::from_axis_angle(&self.axis, value),
            ),
            JointKind::Prismatic => Isometry3::from_parts(
                Translation3::from(self.axis.into_inner() * value),
                UnitQuaternion::identity(),
            ),
        }
    }
}

impl Cell {
    /// World pose of the moving frame of every joint. `q` holds one value per joint of the cell,
    /// mimic joints resolved (see [`Self::resolve_mimic`]), in radians or metres.
    pub fn forward(&self, q: &[f64]) -> Vec<Isometry3<f64>> {
        assert_eq!(
            q.len(),
            self.joints.len(),
            "one value per joint of the cell"
        );
        let mut world_from_joint: Vec<Isometry3<f64>> = Vec::with_capacity(q.len());
        for (joint, &value) in self.joints.iter().zip(q) {
            let parent_from_moving = joint.parent_from_joint * joint.motion(value);
            // Parents stand earlier in the list.
            world_from_joint.push(match joint.parent {
                Some(parent) => world_from_joint[parent] * parent_from_moving,
                None => parent_from_moving,
            });
        }
        world_from_joint
    }

    /// World pose of a body, from the poses that [`Self::forward`] gives.
    pub fn body_pose(&self, world_from_joint: &[Isometry3<f64>], body: BodyId) -> Isometry3<f64> {
        let body = &self.bodies[body];
        match body.joint {
            Some(joint) => world_from_joint[joint] * body.joint_from_body,
            None => body.joint_from_body,
        }
    }

    /// Sets the value of every mimic joint from the joint that it follows.
    pub fn resolve_mimic(&self, q: &mut [f64]) {
        for (i, joint) in self.joints.iter().enumerate() {
            if let Some(mimic) = joint.mimic {
                q[i] = mimic.multiplier * q[mimic.source] + mimic.offset;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Body, Limits, Mimic, Role};
    use nalgebra::{Point3, Vector3};

    /// A turning joint, a slide that follows it, and a body on the slide.
    fn cell() -> Cell {
        let joint = |name: &str, parent, kind, mimic| Joint {
            name: name.into(),
            robot: 0,
            parent,
            parent_from_joint: Isometry3::translation(0.0, 0.0, 1.0),
            axis: Vector3::z_axis(),
            kind,
            limits: Limits::default(),
            mimic,
        };
        Cell {
            joints: vec![
                joint("turn", None, JointKind::Revolute, None),
                Joint {
                    axis: Vector3::x_axis(),
                    ..joint(
                        "slide",
                        Some(0),
                        JointKind::Prismatic,
                        Some(Mimic {
                            source: 0,
                            multiplier: 2.0,
                            offset: 0.5,
                        }),
                    )
                },
            ],
            bodies: vec![Body {
                name: "tip".into(),
                role: Role::Link { robot: 0 },
                joint: Some(1),
                joint_from_body: Isometry3::translation(1.0, 0.0, 0.0),
                parent: None,
                shapes: Vec::new(),
            }],
            ..Cell::default()
        }
    }

    #[test]
    fn a_slide_on_a_turn() {
        let cell = cell();
        let mut q = vec![std::f64::consts::FRAC_PI_2, 0.0];
        cell.resolve_mimic(&mut q);
        assert_eq!(q[1], std::f64::consts::PI + 0.5);
        let tip = cell.body_pose(&cell.forward(&q), 0) * Point3::origin();
        assert!(
            (tip - Point3::new(0.0, q[1] + 1.0, 2.0)).norm() < 1e-14,
            "{tip}"
        );
    }
}
