//! Ranges of joints by what a controller counts.

use clearance_proof::model::moves::ConfigurationRange;

use crate::controller::{ControlledArm, JointUnit};

/// A configuration is compared with joint values that were computed from rounded poses; on a
/// border, both sides count. What is a joint value beyond it by more, the controller refuses to
/// move to.
const BORDER_DEG: f64 = 0.05;

/// Joint values at which robots of ABB, FANUC and Yaskawa reach forward with their elbow up.
pub(crate) const AT_ZERO: [f64; 6] = [0.0; 6];

/// Degrees beyond every joint.
pub(crate) const FAR_DEG: f64 = 36_000.0;

/// Degrees of the controller, `from ≤ c < to`, of one of its joints as a range of the model's.
///
/// # Errors
/// When the joint goes along with others: then its range says nothing of it alone.
pub(crate) fn range(
    controller: &ControlledArm,
    joint: usize,
    from_deg: f64,
    to_deg: f64,
) -> Result<ConfigurationRange, String> {
    if joint >= controller.len() {
        return Err(format!("the robot has no joint {}", joint + 1));
    }
    // Another joint may stand elsewhere than at zero.
    let at = |value: f64, other: Option<usize>| {
        let mut all = vec![0.0; controller.len()];
        if let Some(other) = other {
            all[other] = 10.0;
        }
        all[joint] = value;
        controller
            .to_urdf(&all, JointUnit::Degrees)
            .map(|q| q[joint])
    };
    let low = from_deg - BORDER_DEG;
    let high = to_deg + BORDER_DEG;
    let alone = at(low, None)?;
    // One by one: what two others add may cancel out.
    for other in (0..controller.len()).filter(|&other| other != joint) {
        if at(low, Some(other))? != alone {
            return Err(format!(
                "joint {} goes along with joint {}, and the configuration is stated for it alone",
                joint + 1,
                other + 1
            ));
        }
    }
    let (a, b) = (alone, at(high, None)?);
    Ok(ConfigurationRange {
        joint,
        from: a.min(b),
        to: a.max(b),
    })
}

#[cfg(test)]
mod tests {
    use clearance_formats::controller::Coupling;

    use super::*;
    use crate::lines::testing::arm;
    use crate::testing::said;

    /// Catches factors of two other joints that cancel out, which is no joint on its own.
    #[test]
    fn a_joint_that_goes_along_with_others_has_no_range() {
        let mut cell = arm("inform");
        let told = |cell: &_| {
            let controller = ControlledArm::of(cell, None).unwrap();
            range(&controller, 5, -180.0, 180.0)
        };
        assert!(told(&cell).is_ok());
        let along = |joint, factor| Coupling { joint, factor };
        for coupled in [vec![along(4, 1.0)], vec![along(3, -1.0), along(4, 1.0)]] {
            said(&mut cell).joints[5].coupled = coupled;
            let why = told(&cell).unwrap_err();
            assert!(why.contains("joint 6 goes along with joint"), "{why}");
        }
    }
}
