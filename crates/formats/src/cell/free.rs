//! `[[free]]`: bodies whose motion is given as poses, in no robot's hand.
//!
//! Such a body is carried by six joints of its own: it slides along the world's x, y and z, then
//! turns about z (yaw), about y (pitch) and about x (roll). So its pose at values of these joints
//! is that of `xyz` and `rpy`, a table of poses is a program like any other, and what is proved of
//! joints is proved of it. Between two rows the six values go as the program says (linear in a CSV
//! file): what is checked is exactly that motion.

use clearance_proof::model::{Body, Joint, JointKind, Limits, Robot, Role};
use nalgebra::{Isometry3, Unit, Vector3};

use super::bodies::{FREE, shape};
use super::build::Named;
use super::reader::{Reader, section};
use super::table::Table;
use crate::ImportError;

/// The joints of a free body, the first one next to the world: name, axis, whether it slides.
const JOINTS: [(&str, usize, bool); 6] = [
    ("x", 0, true),
    ("y", 1, true),
    ("z", 2, true),
    ("yaw", 2, false),
    ("pitch", 1, false),
    ("roll", 0, false),
];

impl Reader {
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
            let (roll, pitch, yaw) = pose.rotation.euler_angles();
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
                    shapes: vec![shape(form, solid, table.get("scale").is_some())],
                },
                place: value.place(),
            })?;
        }
        Ok(())
    }
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
