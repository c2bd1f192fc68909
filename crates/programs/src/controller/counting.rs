//! How controllers count joints, for cells that do not say it.

use clearance_proof::model::JointKind;

use super::ControlledArm;

/// Axes that are nearer to each other than this are parallel: the cosine of a degree.
const PARALLEL: f64 = 0.9998;

impl ControlledArm<'_> {
    /// The list of joints as it stands in a cell file, as far as it is known of all arms of this
    /// maker. Signs and offsets are not.
    pub fn usual_joints(&self, dialect: &str) -> String {
        let line = |(k, joint): (usize, &clearance_formats::controller::ControllerJoint)| {
            let name = &joint.name;
            match self.coupling_of_third(dialect).filter(|_| k == 2) {
                Some(factor) => {
                    let sign = if factor < 0.0 { "sign = -1, " } else { "" };
                    let second = &self.joints[1].name;
                    format!(
                        "{{ joint = {name:?}, {sign}with = {{ {} = {factor} }} }}",
                        key(second)
                    )
                }
                None => format!("{name:?}"),
            }
        };
        let joints: Vec<String> = self.joints.iter().enumerate().map(line).collect();
        format!("[{}]", joints.join(", "))
    }

    /// What to write where the cell does not say how the controller counts: the line itself.
    pub(crate) fn joints_to_write(&self, dialect: &str) -> String {
        let joints = format!("joints = {}", self.usual_joints(dialect));
        let order =
            "in the controller's order, each with its `sign` and `offset` where they differ";
        match self.settings {
            Some(settings) if settings.dialect == dialect => {
                format!("write `{joints}` in the robot's `controller`, {order}")
            }
            Some(settings) => format!(
                "the robot's `controller` is one of `{}`: write `dialect = \"{dialect}\"` and `{joints}` in it, {order}",
                settings.dialect
            ),
            None => {
                let is_alone = self.cell.source == self.cell.robots[self.robot].urdf;
                let of_cell = if is_alone {
                    " (`clearance init` writes one)"
                } else {
                    ""
                };
                format!(
                    "write `controller = {{ dialect = \"{dialect}\", {joints} }}` below its `[[robot]]` in the cell file{of_cell}, {order}"
                )
            }
        }
    }

    /// Why the cell counts joint 3 as FANUC hardly does: from joint 2, and not from the horizontal. A
    /// cell that names the second joint there has thought of it, whatever the factor.
    pub fn counts_third_from_second(&self) -> Option<String> {
        let dialect = &self.settings?.dialect;
        self.coupling_of_third(dialect)?;
        let is_stated = self.joints[2].coupled.iter().any(|c| c.joint == 1);
        (!is_stated).then(|| {
            let [second, third] = [1, 2].map(|k| &self.joints[k].name);
            format!(
                "J3 of nearly all arms of FANUC counts from the horizontal, and the cell counts `{third}` from `{second}`: write `joints = {}`, or \
                 `{{ joint = {third:?}, with = {{ {} = 0 }} }}` for an arm that counts otherwise, or add a point that the pendant shows to `points`",
                self.usual_joints(dialect),
                key(second)
            )
        })
    }

    /// The factor by which the third joint goes with the second one, where these turn about parallel
    /// axes. J2 turns forward and J3 up: about axes of one direction that is the other way round.
    fn coupling_of_third(&self, dialect: &str) -> Option<f64> {
        let [_, second, third, ..] = self.ids[..] else {
            return None;
        };
        let turns = |joint: usize| self.cell.joints[joint].kind != JointKind::Prismatic;
        let [own, on] = [third, second].map(|joint| &self.cell.joints[joint]);
        let along = on
            .axis
            .dot(&(own.parent_from_joint.rotation * own.axis.into_inner()));
        let is_arm = own.parent == Some(second) && along.abs() > PARALLEL;
        (dialect == "fanuc" && turns(second) && turns(third) && is_arm).then(|| -along.signum())
    }
}

/// A name as a key of TOML.
fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.chars().all(is_bare) {
        name.to_owned()
    } else {
        format!("{name:?}")
    }
}
