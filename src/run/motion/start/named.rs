//! The joints that names in a state mean.

use clearance_proof::model::{Cell, JointId};

/// What a name in a state means.
#[derive(Debug, PartialEq)]
pub(super) enum StatedJoint {
    Joint(JointId),
    /// A joint that the URDF fixes.
    Fixed,
    /// The cell has none of that name.
    Nobody,
    /// It can be read in several ways; why.
    Unclear(String),
}

impl StatedJoint {
    /// `robot`: whose names the bare ones are, where the user says so.
    pub(super) fn of(name: &str, robot: Option<&str>, cell: &Cell) -> Self {
        if let Some(robot) = robot {
            let own = format!("{robot}/{name}");
            if let [joint] = cell.joints_named(&own)[..] {
                return StatedJoint::Joint(joint);
            }
            if cell.is_fixed(&own) {
                return StatedJoint::Fixed;
            }
        }
        match cell.joints_named(name)[..] {
            // A bare name of another robot than the one that the program is for.
            [joint] if robot.is_some() && cell.joints[joint].name == name => {
                StatedJoint::Unclear(format!("only `{}` is there", cell.joint_label(joint)))
            }
            [joint] => StatedJoint::Joint(joint),
            [] if cell.is_fixed(name) => StatedJoint::Fixed,
            [] => StatedJoint::Nobody,
            ref several => {
                let labels: Vec<String> = several
                    .iter()
                    .map(|&joint| format!("`{}`", cell.joint_label(joint)))
                    .collect();
                StatedJoint::Unclear(labels.join(" or "))
            }
        }
    }
}
