//! On which sides an arm is, as its controller counts them.

use clearance_proof::model::moves::Configuration;

use super::{ControlledArm, JointUnit};

impl ControlledArm<'_> {
    /// A configuration whose sides are as the controller counts them, by the sides of the model.
    /// These depend on where the URDF has its zero and on how it mounts the arm, those of the
    /// controller do not: so they are compared at `reference`, joint values of the controller
    /// (degrees, its first joints) at which its arm reaches forward with the elbow up.
    ///
    /// # Errors
    /// When they cannot be compared.
    pub(crate) fn of_model(
        &self,
        stated: Configuration,
        reference: [f64; 6],
    ) -> Result<Configuration, String> {
        if stated.in_front.is_none() && stated.elbow_up.is_none() {
            return Ok(stated);
        }
        let mut values = vec![0.0; self.len()];
        values.iter_mut().zip(reference).for_each(|(q, x)| *q = x);
        let values = self.to_urdf(&values, JointUnit::Degrees)?;
        let flange = self.flange(Some("tool0"))?;
        let there = Configuration::of_arm(self.cell, &self.ids, &flange, &values)?;
        let same = |stated: Option<bool>, there| stated.map(|side| Some(side) == there);
        Ok(Configuration {
            in_front: same(stated.in_front, there.in_front),
            elbow_up: same(stated.elbow_up, there.elbow_up),
            ..stated
        })
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use clearance_formats::LoadedCell;
    use clearance_proof::model::JointId;
    use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

    use super::*;
    use crate::lines::testing::arm;
    use crate::ranges::AT_ZERO;
    use crate::testing::said;

    fn turned(axis: Vector3<f64>, angle: f64) -> Isometry3<f64> {
        let turn = UnitQuaternion::new(axis * angle);
        Isometry3::from_parts(Translation3::identity(), turn)
    }

    /// The same arm, mounted otherwise by its URDF, whose joint 2 has its zero elsewhere.
    fn again(mount: f64, zero: f64) -> LoadedCell {
        let mut cell = arm("fanuc");
        let [first, second, ..] = &mut cell.cell.joints[..] else {
            panic!("it has six joints");
        };
        first.parent_from_joint = turned(Vector3::x(), mount) * first.parent_from_joint;
        second.parent_from_joint *= turned(second.axis.into_inner(), -zero);
        let joints = &mut said(&mut cell).joints;
        // Joint 3 goes along with joint 2.
        (joints[1].offset, joints[2].offset) = (-zero, zero);
        cell
    }

    fn found(cell: &LoadedCell, values: &[f64; 6]) -> (Vec<f64>, Configuration) {
        let controller = ControlledArm::of(cell, None).unwrap();
        let q = controller.to_urdf(values, JointUnit::Degrees).unwrap();
        let ids: Vec<JointId> = (0..6).collect();
        let flange = controller.flange(Some("tool0")).unwrap();
        let sides = Configuration::of_arm(&cell.cell, &ids, &flange, &q).unwrap();
        (q, sides)
    }

    /// Catches an arm on the ceiling, or a URDF with another zero, in which the elbow that the
    /// controller calls up is the lower one of the model.
    #[test]
    fn sides_are_those_of_the_controller_however_the_urdf_mounts_the_arm() {
        let plain = again(0.0, 0.0);
        let mut seen = std::collections::BTreeSet::new();
        for mount in [0.0, FRAC_PI_2, 1.75, PI] {
            for zero in [0.0, FRAC_PI_2, -FRAC_PI_2, PI] {
                let twin = again(mount, zero);
                let controller = ControlledArm::of(&twin, None).unwrap();
                for k in 0..200 {
                    let values = [1, 2, 3, 4, 5, 6].map(|j| f64::from((k * 37 * j) % 300 - 150));
                    let (_, stated) = found(&plain, &values);
                    let (_, right) = found(&twin, &values);
                    let read = controller.of_model(stated.clone(), AT_ZERO).unwrap();
                    assert_eq!(read, right, "{mount} {zero} {values:?}");
                    seen.insert((
                        stated.in_front,
                        stated.elbow_up,
                        read.in_front,
                        read.elbow_up,
                    ));
                }
            }
        }
        // All four sides, as they are and turned over.
        assert!(seen.len() >= 12, "{seen:?}");
    }
}
