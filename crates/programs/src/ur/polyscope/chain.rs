//! The kinematics of one arm as its controller was calibrated: parameters after Denavit and
//! Hartenberg, of which single values mean nothing, but the whole chain does.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// A chain of six joints.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chain {
    /// Added to each joint value, radians.
    pub(crate) theta: [f64; 6],
    /// Along the axis x, metres.
    pub(crate) a: [f64; 6],
    /// Along the axis z, metres.
    pub(crate) d: [f64; 6],
    /// About the axis x, radians.
    pub(crate) alpha: [f64; 6],
}

impl Chain {
    /// The pose of the flange in the base.
    pub(crate) fn flange(&self, joints: &[f64; 6]) -> Isometry3<f64> {
        (0..6).fold(Isometry3::identity(), |pose, k| {
            let turn =
                UnitQuaternion::from_axis_angle(&Vector3::z_axis(), joints[k] + self.theta[k]);
            let along = Translation3::new(self.a[k], 0.0, self.d[k]);
            let twist = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), self.alpha[k]);
            pose * turn * along * twist
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::ControlledArm;
    use crate::testing::{arm, nominal};
    use clearance_proof::model::moves::Frame;

    #[test]
    fn a_chain_is_the_arm_of_the_same_parameters() {
        let cell = arm();
        let controller = ControlledArm::of(&cell, None).unwrap();
        let link = |name: &str| Frame {
            link: name.into(),
            link_from_frame: Isometry3::identity(),
        };
        let joints = [0.3, -1.2, 1.4, -0.7, 0.9, -2.1];
        let right = controller
            .pose(&joints, &link("tool0"), &link("base"))
            .unwrap();
        let pose = nominal().flange(&joints);
        assert!((pose.translation.vector - right.translation.vector).norm() < 1e-12);
        assert!(pose.rotation.angle_to(&right.rotation) < 1e-12);
        // Far detours that cancel change nothing: d₂ and d₃ of two parallel axes.
        let mut far = nominal();
        (far.d[1], far.d[2]) = (627.4, -627.4);
        assert!((far.flange(&joints).translation.vector - right.translation.vector).norm() < 1e-9);
    }
}
