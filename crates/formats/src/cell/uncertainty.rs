//! `[uncertainty]`: how far the real cell may be off the one that the file describes.

use std::collections::BTreeMap;

use clearance_proof::model::{
    Body, JointId, JointKind, JointNames, RigidError, Role, Uncertainty, matches,
};

use super::reader::CellReader;
use super::table::{Table, TableValue};
use crate::names::suggestion;
use crate::{ImportError, Problem};

impl CellReader {
    /// Read when all robots, attachments and obstacles are there.
    pub(super) fn uncertainty(&mut self, root: &Table) -> Result<(), ImportError> {
        let Some(value) = root.get("uncertainty") else {
            return Ok(());
        };
        let known = ["base", "tool", "joint", "model", "obstacle", "mesh"];
        let table = value.table("[uncertainty]", &known)?;
        let cell = &self.builder.loaded.cell;
        let mut budget = Uncertainty::none(cell);
        if let Some(value) = table.get("base") {
            budget.base.fill(rigid(&value)?);
        }
        if let Some(value) = table.get("model") {
            budget.model.fill(rigid(&value)?);
        }
        if let Some(value) = table.get("tool") {
            let error = rigid(&value)?;
            let tools = (0..cell.bodies.len()).filter(|&id| cell.bodies[id].role == Role::Attached);
            let tools: Vec<usize> = tools.collect();
            if tools.is_empty() {
                return Err(value.key_error(Problem::Unsupported {
                    what: "`tool` in a cell in which nothing is attached".to_owned(),
                    remedy: "it is about each [[attach]]: leave it out; tools that are links of the URDF have `joint`, `model` and \
                             `mesh`, free bodies `base`"
                        .to_owned(),
                }));
            }
            for id in tools {
                budget.tool[id] = error;
            }
        }
        if let Some(value) = table.get("joint") {
            self.joint_errors(&value, &mut budget)?;
        }
        if let Some(value) = table.get("obstacle") {
            let example = r#"{ "fixture_*" = { xyz = "3mm", angle = "0.2deg" } }"#;
            for entry in by_name(&value, "obstacle", example)?.entries() {
                let error = rigid(&entry)?;
                for id in self.matching(&entry, "obstacle", |b| b.role == Role::Obstacle)? {
                    let known = &mut budget.obstacle[id];
                    known.shift_m = known.shift_m.max(error.shift_m);
                    known.turn_rad = known.turn_rad.max(error.turn_rad);
                }
            }
        }
        if let Some(value) = table.get("mesh") {
            let example = r#"{ "fixture_*" = "0.2mm" }"#;
            for entry in by_name(&value, "body", example)?.entries() {
                let error = entry.length_from_zero()?;
                for id in self.matching(&entry, "body", |_| true)? {
                    budget.mesh[id] = budget.mesh[id].max(error);
                }
            }
        }
        self.builder.loaded.cell.uncertainty = Some(budget);
        Ok(())
    }

    /// One angle for all turning joints, or a table of joints by name.
    fn joint_errors(
        &self,
        value: &TableValue,
        budget: &mut Uncertainty,
    ) -> Result<(), ImportError> {
        let cell = &self.builder.loaded.cell;
        if !value.is_table() {
            let angle = angle(value)?;
            for (id, joint) in cell.joints.iter().enumerate() {
                if joint.kind != JointKind::Prismatic {
                    budget.joint[id] = angle;
                }
            }
            // Each of them is meant, whatever its leader is.
            self.hand_on(budget, f64::max);
            return Ok(());
        }
        let names = JointNames::new(cell);
        // By joint: two keys may name the same one, bare and with its robot, and the greater error
        // counts.
        let mut stated: BTreeMap<JointId, f64> = BTreeMap::new();
        for entry in value.free_table("`joint`")?.entries() {
            let found = names.get(entry.key);
            if found.is_empty() {
                let labels: Vec<String> = (0..cell.joints.len())
                    .map(|j| cell.joint_label(j))
                    .collect();
                return Err(entry.key_error(Problem::UnknownName {
                    what: "joint",
                    name: entry.key.to_owned(),
                    remedy: suggestion(entry.key, labels.iter().map(String::as_str)),
                }));
            }
            for &joint in found {
                let error = match cell.joints[joint].kind {
                    JointKind::Prismatic => entry.length_from_zero()?,
                    JointKind::Revolute | JointKind::Continuous => angle(&entry)?,
                };
                let known = stated.entry(joint).or_insert(error);
                *known = known.max(error);
            }
        }
        for (joint, error) in stated {
            budget.joint[joint] = error;
        }
        // A gear of its own beside what its leader is off.
        self.hand_on(budget, |own, led| own + led);
        Ok(())
    }

    /// Hands errors of joints on to those that follow them, from joint to joint down a chain: what
    /// one in the middle is off by itself is not left out. `both` joins the own error of a follower
    /// and what that of its leader makes of it.
    fn hand_on(&self, budget: &mut Uncertainty, both: impl Fn(f64, f64) -> f64) {
        let leaders = &self.builder.leaders;
        let own = budget.joint.clone();
        for (id, error) in budget.joint.iter_mut().enumerate() {
            let (mut chain, mut at) = (Vec::new(), id);
            while let Some(leader) = leaders.get(&at) {
                chain.push((at, leader.factor));
                at = leader.joint;
            }
            let down = chain.iter().rev();
            *error = down.fold(own[at], |led, &(joint, factor)| {
                both(own[joint], factor.abs() * led)
            });
        }
    }

    /// The bodies that the key of an entry names, one at least.
    fn matching(
        &self,
        entry: &TableValue,
        what: &'static str,
        among: impl Fn(&Body) -> bool,
    ) -> Result<Vec<usize>, ImportError> {
        let bodies = &self.builder.loaded.cell.bodies;
        let meant = |b: &Body| among(b) && matches(entry.key, &b.name);
        let found: Vec<usize> = (0..bodies.len()).filter(|&id| meant(&bodies[id])).collect();
        if found.is_empty() {
            let names = bodies.iter().filter(|b| among(b)).map(|b| b.name.as_str());
            let names: Vec<&str> = names.collect();
            return Err(entry.key_error(Problem::UnknownName {
                what,
                name: entry.key.to_owned(),
                remedy: suggestion(entry.key, names.iter().copied()),
            }));
        }
        Ok(found)
    }
}

/// A table whose keys are names of what may be off.
fn by_name<'a>(
    value: &TableValue<'a>,
    what: &str,
    example: &str,
) -> Result<Table<'a>, ImportError> {
    if value.is_table() {
        value.free_table("[uncertainty]")
    } else {
        Err(value.bad(format!("say of which {what}: `{example}`")))
    }
}

fn rigid(value: &TableValue) -> Result<RigidError, ImportError> {
    if !value.is_table() {
        return Err(value.bad(
            "say by how much it may be shifted and turned: `{ xyz = \"3mm\", angle = \"0.2deg\" }`",
        ));
    }
    let table = value.table("an error of place", &["xyz", "angle"])?;
    Ok(RigidError {
        shift_m: table.get("xyz").map_or(Ok(0.0), |v| v.length_from_zero())?,
        turn_rad: table.get("angle").map_or(Ok(0.0), |v| angle(&v))?,
    })
}

fn angle(value: &TableValue) -> Result<f64, ImportError> {
    let angle = value.angle()?;
    if angle >= 0.0 {
        Ok(angle)
    } else {
        Err(value.bad("write an angle of 0 or more"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::load;
    use super::*;

    const CELL: &str = r#"
        [[robot]]
        name = "left"
        urdf = "arm.urdf"
        base = { xyz = [0, 0, "800mm"] }
        [[robot]]
        name = "right"
        urdf = "arm.urdf"
        [[attach]]
        name = "cup"
        parent = "left/tool0"
        sphere = "1cm"
        [[obstacle]]
        name = "fixture_1"
        box = [1, 2, 0.1]
        [[obstacle]]
        name = "fixture_2"
        box = [1, 2, 0.1]
        [uncertainty]
    "#;

    #[test]
    fn every_budget_is_read_with_its_unit() {
        let text = r#"
            base = { xyz = "3mm", angle = "0.2deg" }
            tool = { xyz = "1mm" }
            joint = { "left/turn" = "0.1deg", "right/grip" = "2mm" }
            obstacle = { "fixture_*" = { angle = "0.3deg" }, fixture_2 = { xyz = 0.002 } }
            mesh = { "fixture_1" = "0.2mm" }
        "#;
        let cell = load(&format!("{CELL}{text}")).unwrap();
        let budget = cell.uncertainty.as_ref().unwrap();
        let base = RigidError {
            shift_m: 0.003,
            turn_rad: 0.2_f64.to_radians(),
        };
        assert!((budget.base[1].turn_rad - base.turn_rad).abs() < 1e-15);
        assert_eq!(budget.base[0].shift_m, 0.003);
        let body = |name: &str| cell.body(name).unwrap();
        assert_eq!(budget.tool[body("cup")].shift_m, 0.001);
        assert_eq!(budget.tool[body("left/tool0")], RigidError::default());
        assert_eq!(budget.obstacle[body("fixture_1")].shift_m, 0.0);
        assert_eq!(budget.obstacle[body("fixture_2")].shift_m, 0.002);
        assert!(budget.obstacle[body("fixture_2")].turn_rad > 0.005);
        assert_eq!(budget.mesh[body("fixture_1")], 0.0002);
        let joint = |name: &str| {
            let at = (0..cell.joints.len()).find(|&j| cell.joint_label(j) == name);
            budget.joint[at.unwrap()]
        };
        assert!((joint("left/turn") - 0.1_f64.to_radians()).abs() < 1e-15);
        assert_eq!(joint("right/turn"), 0.0);
        assert_eq!((joint("right/grip"), joint("right/grip2")), (0.002, 0.002));
    }

    /// Regression: the key that comes last by the alphabet counted, so a small error could hide a
    /// great one.
    #[test]
    fn of_two_keys_for_one_joint_the_greater_error_counts() {
        for (robot, keys) in [
            ("left", r#"{ "left/turn" = "2deg", turn = "0.1deg" }"#),
            ("left", r#"{ "left/turn" = "0.1deg", turn = "2deg" }"#),
            ("zleft", r#"{ "zleft/turn" = "0.1deg", turn = "2deg" }"#),
        ] {
            let text = CELL.replace("\"left", &format!("\"{robot}"));
            let cell = load(&format!("{text}joint = {keys}")).unwrap();
            let budget = cell.uncertainty.as_ref().unwrap();
            let label = format!("{robot}/turn");
            let joint = (0..cell.joints.len()).find(|&j| cell.joint_label(j) == label);
            let error = budget.joint[joint.unwrap()];
            assert!(
                (error - 2_f64.to_radians()).abs() < 1e-15,
                "{keys}: {error}"
            );
        }
    }

    #[test]
    fn one_angle_is_meant_for_turning_joints() {
        let cell = load(&format!("{CELL}joint = 0.01")).unwrap();
        for (joint, error) in cell.joints.iter().zip(&cell.uncertainty.unwrap().joint) {
            let turns = joint.kind != JointKind::Prismatic;
            assert_eq!(*error, if turns { 0.01 } else { 0.0 }, "{}", joint.name);
        }
    }

    /// Regression: `tool` was silently idle where nothing is attached.
    #[test]
    fn errors_of_tools_where_nothing_is_attached_are_refused() {
        let tool = "[uncertainty]\ntool = { xyz = \"1mm\" }";
        for cell in [
            "[[robot]]\nurdf = \"arm.urdf\"\n",
            "[[free]]\nname = \"part\"\nsphere = \"1cm\"\n",
        ] {
            let error = load(&format!("{cell}{tool}")).unwrap_err().to_string();
            assert!(error.contains("nothing is attached"), "{error}");
        }
    }

    #[test]
    fn what_means_nothing_is_refused_with_the_nearest_name() {
        for (text, said) in [
            ("bases = {}", "base"),
            ("base = { xyz = \"3deg\" }", "unit"),
            ("base = \"10mm\"", "{ xyz = \"3mm\", angle = \"0.2deg\" }"),
            ("obstacle = \"1mm\"", "\"fixture_*\" = { xyz"),
            ("mesh = \"1mm\"", "\"fixture_*\" = \"0.2mm\""),
            ("base = { xyz = -1 }", "0 or more"),
            ("base = { angel = 1 }", "angle"),
            ("joint = { \"left/trun\" = 1 }", "left/turn"),
            ("joint = { grip = \"1deg\" }", "unit"),
            ("joint = \"-1deg\"", "0 or more"),
            ("obstacle = { fixtur_1 = {} }", "fixture_1"),
            ("obstacle = { cup = {} }", "fixture_1"),
            ("mesh = { \"duct*\" = 1 }", "fixture_1"),
        ] {
            let error = load(&format!("{CELL}{text}")).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
