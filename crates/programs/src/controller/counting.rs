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
            match self.third_joint(dialect).filter(|_| k == 2) {
                Some(ThirdJoint { is_turned, factor }) => {
                    let sign = if is_turned { "sign = -1, " } else { "" };
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

    /// Why the cell counts joint 3 as controllers hardly do: from joint 2, though this arm is known to
    /// count from the horizontal. A cell that names the second joint there has thought of it, whatever
    /// the factor.
    pub fn counts_third_from_second(&self) -> Option<String> {
        let dialect = &self.settings?.dialect;
        self.third_joint(dialect)?;
        let is_stated = self.joints[2].coupled.iter().any(|c| c.joint == 1);
        (!is_stated).then(|| {
            let [second, third] = [1, 2].map(|k| &self.joints[k].name);
            let arms = match dialect.as_str() {
                "rapid" => "arms of ABB with a parallel rod, such as this one by its name,",
                _ => "nearly all arms of FANUC",
            };
            format!(
                "{arms} count joint 3 from the horizontal, and the cell counts `{third}` from `{second}`: write `joints = {}`, or \
                 `{{ joint = {third:?}, with = {{ {} = 0 }} }}` for an arm that counts otherwise, or add a point that the pendant shows to `points`",
                self.usual_joints(dialect),
                key(second)
            )
        })
    }

    /// How the third joint goes with the second one, where these turn about parallel axes, and this
    /// controller counts it from the horizontal. Joint 2 turns forward; joint 3 turns up with FANUC, and
    /// down with ABB.
    fn third_joint(&self, dialect: &str) -> Option<ThirdJoint> {
        let [_, second, third, ..] = self.ids[..] else {
            return None;
        };
        let turns = |joint: usize| self.cell.joints[joint].kind != JointKind::Prismatic;
        let [own, on] = [third, second].map(|joint| &self.cell.joints[joint]);
        let along = on
            .axis
            .dot(&(own.parent_from_joint.rotation * own.axis.into_inner()));
        let is_arm = own.parent == Some(second) && along.abs() > PARALLEL;
        let has_one_direction = along > 0.0;
        let is_turned = match dialect {
            "fanuc" => has_one_direction,
            "rapid" if self.has_parallel_rod => !has_one_direction,
            _ => return None,
        };
        let factor = -along.signum();
        (turns(second) && turns(third) && is_arm).then_some(ThirdJoint { is_turned, factor })
    }
}

/// How a joint that is counted from the horizontal follows from the values of a controller.
struct ThirdJoint {
    /// Whether the controller counts the other way round.
    is_turned: bool,
    /// What is added for each unit of the second joint.
    factor: f64,
}

/// Numbers of arms of ABB whose forearm is moved by a rod beside the upper arm: their joint 3 is
/// counted from the ground. (`J23_coupled` in the drivers of ROS-Industrial has the first four.)
const WITH_PARALLEL_ROD: [&str; 10] = [
    "2400", "4400", "5400", "6660", "1400", "3400", "6400", "460", "660", "760",
];

/// Whether a name, such as `abb_irb2400_12_155`, is that of an arm with a parallel rod.
pub(super) fn has_parallel_rod(name: &str) -> bool {
    let name = name.to_lowercase();
    name.split("irb").skip(1).any(|model| {
        let model = model.trim_start_matches([' ', '_', '-']);
        let end = model.find(|c: char| !c.is_ascii_digit());
        WITH_PARALLEL_ROD.contains(&&model[..end.unwrap_or(model.len())])
    })
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

#[cfg(test)]
mod tests {
    use super::has_parallel_rod;

    #[test]
    fn arms_with_a_parallel_rod_are_known_by_their_names() {
        for name in [
            "abb_irb2400",
            "IRB 2400",
            "abb_irb4400_60_196",
            "irb-660",
            "IRB6400R",
        ] {
            assert!(has_parallel_rod(name), "{name}");
        }
        for name in [
            "abb_irb6640",
            "irb4600_60_205",
            "irb24000",
            "irb6600",
            "2400",
            "irb",
            "",
        ] {
            assert!(!has_parallel_rod(name), "{name}");
        }
    }
}
