//! `[[free]]`: bodies whose motion is given as poses, in no robot's hand.
//!
//! Such a body is carried by six joints of its own: it slides along the world's x, y and z, then
//! turns about z (yaw), about y (pitch) and about x (roll). So its pose at values of these joints
//! is that of `xyz` and `rpy`, a table of poses is a program like any other, and what is proved of
//! joints is proved of it. Between two rows the six values go as the program says (linear in a CSV
//! file): what is checked is exactly that motion.

use clearance_proof::geometry::pose::Pose;
use clearance_proof::model::{Body, Joint, JointKind, Limits, Robot, Role};
use nalgebra::{Isometry3, Unit, Vector3};

use super::bodies::{FREE, shape, stated_scale};
use super::build::Named;
use super::pose::pose_of;
use super::reader::{CellReader, section};
use super::table::{Table, TableValue};
use crate::{ImportError, Problem};

/// The joints of a free body, the first one next to the world: name, axis, whether it slides.
const JOINTS: [(&str, usize, bool); 6] = [
    ("x", 0, true),
    ("y", 1, true),
    ("z", 2, true),
    ("yaw", 2, false),
    ("pitch", 1, false),
    ("roll", 0, false),
];

impl CellReader {
    /// Every `[[free]]`: a robot of six joints and one body, both of the body's name.
    pub(super) fn free_bodies(&mut self, root: &Table) -> Result<(), ImportError> {
        for table in section(root, "free", "[[free]]", &FREE)? {
            let value = table.required("name")?;
            let name = value.name()?;
            if name.contains(['/', '*']) {
                return Err(value.bad("the name of a free body has no `/` and no `*`"));
            }
            if self
                .builder
                .loaded
                .cell
                .robots
                .iter()
                .any(|r| r.name == name)
            {
                return Err(value.bad("a robot has this name; choose another one"));
            }
            let (form, solid) = self.solid_form(&table)?;
            let pose = self.pose(&table, "pose")?;
            let [roll, pitch, yaw] = angles(&table)?;
            let at = pose.translation.vector;
            let rest = [at.x, at.y, at.z, yaw, pitch, roll];
            let urdf = self.builder.loaded.cell.source.clone();
            let robot = self.builder.loaded.add_robot(Robot {
                name: name.to_owned(),
                urdf,
                world_from_base: Isometry3::identity(),
            });
            let cell = &mut self.builder.loaded.cell;
            let mut parent = None;
            for (name, axis, slides) in JOINTS {
                cell.joints.push(Joint {
                    name: name.to_owned(),
                    robot,
                    parent,
                    parent_from_joint: Isometry3::identity(),
                    axis: Unit::new_unchecked(Vector3::ith(axis, 1.0)),
                    kind: if slides {
                        JointKind::Prismatic
                    } else {
                        JointKind::Continuous
                    },
                    limits: Limits::default(),
                    mimic: None,
                });
                parent = Some(cell.joints.len() - 1);
            }
            cell.rest.extend(rest);
            self.builder.add_body(Named {
                body: Body {
                    name: name.to_owned(),
                    role: Role::Link { robot },
                    joint: parent,
                    joint_from_body: Isometry3::identity(),
                    parent: None,
                    shapes: vec![shape(form, solid, stated_scale(&table)?)],
                },
                place: value.place(),
            })?;
        }
        Ok(())
    }
}

/// Roll, pitch and yaw as they are written: a program that names some of them keeps the others, and
/// the same turn has other angles too (beyond a pitch of 90°, all three).
fn angles(table: &Table) -> Result<[f64; 3], ImportError> {
    let Some(pose) = table.get("pose") else {
        return Ok([0.0; 3]);
    };
    let pose = pose.table("a pose", &["xyz", "rpy", "quat"])?;
    if let Some(quat) = pose.get("quat") {
        let [roll, pitch, yaw] = Pose::roll_pitch_yaw(&pose_of(&pose)?.rotation);
        let [roll, pitch, yaw] =
            [roll, pitch, yaw].map(|a| (a.to_degrees() * 1e6).round() / 1e6 + 0.0);
        return Err(quat.key_error(Problem::Unsupported {
            what: "`quat` of a free body, whose joints are roll, pitch and yaw".to_owned(),
            remedy: format!(
                "write the angles that its programs go on from, such as `rpy = [\"{roll}deg\", \"{pitch}deg\", \"{yaw}deg\"]`"
            ),
        }));
    }
    pose.get("rpy")
        .map_or(Ok([0.0; 3]), |v| v.array(TableValue::angle))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use nalgebra::{Point3, Rotation3};

    use crate::{LoadOptions, parse_cell};

    const CELL: &str = r#"
        [[free]]
        name = "part"
        box = [0.1, 0.2, 0.3]
        pose = { xyz = [1, 2, 3], rpy = [0.1, 0.2, 0.3] }

        [[obstacle]]
        name = "wall"
        box = [0.1, 1, 1]
    "#;

    /// The six values are those of `xyz` and `rpy`: what they make of a point is what the fixed
    /// axes x, y, z make of it, in this order.
    #[test]
    fn a_free_body_stands_where_xyz_and_rpy_say() {
        let cell = parse_cell(
            Path::new("c.toml"),
            CELL.as_bytes(),
            &LoadOptions::default(),
        );
        let cell = cell.unwrap().cell;
        let names: Vec<&str> = cell.joints.iter().map(|j| j.name.as_str()).collect();
        assert_eq!(names, ["x", "y", "z", "yaw", "pitch", "roll"]);
        let at = |q: &[f64]| {
            let poses = cell.forward(q);
            poses[5] * cell.bodies[0].joint_from_body * Point3::new(0.05, 0.1, 0.15)
        };
        let p = Point3::new(0.05, 0.1, 0.15);
        let expected =
            Rotation3::from_euler_angles(0.1, 0.2, 0.3) * p + nalgebra::Vector3::new(1.0, 2.0, 3.0);
        assert!((at(&cell.rest) - expected).norm() < 1e-12);
        let turned = Rotation3::from_euler_angles(-0.7, 0.4, 2.0) * p;
        assert!((at(&[0.0, 0.0, 0.0, 2.0, 0.4, -0.7]) - turned).norm() < 1e-12);
        // It moves by itself: what stands is its partner.
        assert_eq!(
            clearance_proof::pairs::PairTable::new(&cell).checked.len(),
            1
        );
    }

    /// Regression: a pitch of 120° became yaw 180°, pitch 60°, roll 180°, and a program that names
    /// the pitch alone moved another body than the one that is meant.
    #[test]
    fn angles_at_rest_are_those_that_are_written() {
        for [roll, pitch, yaw] in [
            [0.0, 2.1, 0.0],
            [0.3, std::f64::consts::FRAC_PI_2, 1.5],
            [4.0, -2.0, 7.0],
        ] {
            let written = format!("rpy = [{roll}, {pitch}, {yaw}]");
            let text = CELL.replace("rpy = [0.1, 0.2, 0.3]", &written);
            let cell = parse_cell(
                Path::new("c.toml"),
                text.as_bytes(),
                &LoadOptions::default(),
            );
            assert_eq!(cell.unwrap().cell.rest[3..], [yaw, pitch, roll]);
        }
        let text = CELL.replace("rpy = [0.1, 0.2, 0.3]", "quat = [0, 0, 0, 1]");
        let read = parse_cell(
            Path::new("c.toml"),
            text.as_bytes(),
            &LoadOptions::default(),
        );
        let error = read.unwrap_err().to_string();
        assert!(
            error.contains("rpy = [\"0deg\", \"0deg\", \"0deg\"]"),
            "{error}"
        );
    }

    #[test]
    fn a_free_body_has_a_name_of_its_own() {
        for (name, words) in [("a/b", "no `/`"), ("wall", "a second body")] {
            let text = CELL.replace("\"part\"", &format!("{name:?}"));
            let read = parse_cell(
                Path::new("c.toml"),
                text.as_bytes(),
                &LoadOptions::default(),
            );
            let error = read.unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
