//! Ranges of joints by what a controller counts.

use clearance_proof::model::moves::ConfigurationRange;

use crate::controller::{ControlledArm, JointUnit};

/// A configuration is compared with joint values that were computed from rounded poses; on a
/// border, both sides count. What is a joint value beyond it by more, the controller refuses to
/// move to.
const BORDER_DEG: f64 = 0.05;

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
    let at = |value: f64, others: f64| {
        let mut all = vec![others; controller.len()];
        all[joint] = value;
        controller
            .to_urdf(&all, JointUnit::Degrees)
            .map(|q| q[joint])
    };
    let low = from_deg - BORDER_DEG;
    let high = to_deg + BORDER_DEG;
    if at(low, 0.0)? != at(low, 10.0)? {
        return Err(format!(
            "joint {} goes along with others, and the configuration is stated for it alone",
            joint + 1
        ));
    }
    let (a, b) = (at(low, 0.0)?, at(high, 0.0)?);
    Ok(ConfigurationRange {
        joint,
        from: a.min(b),
        to: a.max(b),
    })
}
