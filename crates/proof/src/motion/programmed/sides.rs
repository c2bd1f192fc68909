//! On which sides an arm is, for languages that count them otherwise than the URDF does.

use crate::model::moves::{Configuration, Frame};
use crate::model::{Cell, JointId};
use crate::motion::tool_line::{Arm, InverseKinematics, NO_SIDES, arm_values};

impl Configuration {
    /// That of the arm which `columns` move, at these values of them: its sides, without ranges.
    ///
    /// # Errors
    /// When the arm has no such sides, or is on a border there.
    pub fn of_arm(
        cell: &Cell,
        columns: &[JointId],
        tool: &Frame,
        q: &[f64],
    ) -> Result<Self, String> {
        let arm = Arm::new(cell, columns, tool)?;
        let inverse = InverseKinematics::new(&arm);
        if !inverse.has_closed_form() {
            return Err(NO_SIDES.to_owned());
        }
        let q = arm_values(&arm, q)?;
        let found = Self {
            in_front: inverse.in_front(&arm, &q),
            elbow_up: inverse.elbow_up(&arm, &q),
            ranges: Vec::new(),
        };
        if found.in_front.is_none() || found.elbow_up.is_none() {
            let degrees: Vec<String> = q.iter().map(|x| format!("{:.1}", x.to_degrees())).collect();
            return Err(format!(
                "front and back, elbow up and down cannot be told of this arm: at the joint values [{}]° of the URDF its wrist stands \
                 over axis 1, or its elbow is stretched out",
                degrees.join(", ")
            ));
        }
        Ok(found)
    }
}
