//! The cell file, and the short form of one robot and some obstacles.

pub(crate) mod build;
pub(super) mod table;

use std::path::{Path, PathBuf};

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use self::build::{Builder, Named, note, qualified};
use self::table::{Table, TomlText, Value};
use super::names::suggestion;
use super::resolve::Resolver;
use super::{ImportError, Place, Problem, joint_limits, srdf, urdf};
use crate::model::kinematics::resolve_mimic;
use crate::model::{
    Allowance, AllowedBy, Body, Cell, CheckSettings, Form, JointKind, PairThreshold, Role, Shape,
    matches,
};

/// What the command line says beside the files.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Links without `<collision>` are checked by their `<visual>` geometry.
    pub visual_as_collision: bool,
    /// SRDF of the robot in the short form. A cell file names its own.
    pub srdf: Option<PathBuf>,
    /// Joint limits (`joint_limits.yaml`) of the robot in the short form. A cell file names its own.
    pub joint_limits: Option<PathBuf>,
    /// Package names and their folders; tried after `[packages]` of the cell file.
    pub package_roots: Vec<(String, PathBuf)>,
}

/// Loads one robot at the world's origin and obstacles in world coordinates (metres), named by their file stems.
pub fn load_robot(
    urdf: &Path,
    obstacles: &[PathBuf],
    options: &LoadOptions,
) -> Result<Cell, ImportError> {
    let resolver = Resolver::from_environment(options.package_roots.clone());
    let mut builder = Builder::new(urdf, resolver, options.visual_as_collision);
    let robot = builder.add_robot("", urdf, Isometry3::identity())?;
    if let Some(file) = &options.srdf {
        srdf::read(file, &mut builder.cell, robot)?;
    }
    if let Some(file) = &options.joint_limits {
        joint_limits::read(file, &mut builder.cell, robot)?;
    }
    for file in obstacles {
        let name = file
            .file_stem()
            .unwrap_or(file.as_os_str())
            .to_string_lossy()
            .into_owned();
        let form = builder.mesh(file, Vector3::repeat(1.0))?;
        builder.add_body(Named {
            body: Body {
                name,
                role: Role::Obstacle,
                joint: None,
                joint_from_body: Isometry3::identity(),
                parent: None,
                shapes: vec![shape(form, None, false)],
            },
            place: Place {
                file: file.clone(),
                line: None,
                column: None,
            },
        })?;
    }
    let mut cell = builder.cell;
    let mut rest = std::mem::take(&mut cell.rest);
    resolve_mimic(&cell, &mut rest);
    cell.rest = rest;
    Ok(cell)
}

/// Loads a cell file.
pub fn load_cell(path: &Path, options: &LoadOptions) -> Result<Cell, ImportError> {
    for (file, what, key) in [
        (&options.srdf, "an srdf", "srdf"),
        (
            &options.joint_limits,
            "a file of joint limits",
            "joint_limits",
        ),
    ] {
        if let Some(file) = file {
            return Err(ImportError::file(
                file,
                Problem::Unsupported {
                    what: format!("{what} beside a cell file"),
                    remedy: format!("name it in the cell file: `{key} = \"…\"` under [[robot]]"),
                },
            ));
        }
    }
    from_toml(&TomlText::read(path)?, options)
}

const FORMS: [&str; 5] = ["mesh", "box", "cylinder", "sphere", "capsule"];
const OBSTACLE: [&str; 9] = [
    "name", "scale", "pose", "solid", "mesh", "box", "cylinder", "sphere", "capsule",
];
const ATTACH: [&str; 11] = [
    "name", "parent", "scale", "pose", "touch", "solid", "mesh", "box", "cylinder", "sphere",
    "capsule",
];

fn from_toml(text: &TomlText, options: &LoadOptions) -> Result<Cell, ImportError> {
    let parsed = text.parse()?;
    let root = Table::root(
        text,
        parsed.get_ref(),
        &[
            "robot", "attach", "obstacle", "packages", "check", "allow", "pair",
        ],
    )?;
    let folder = text.file.parent().unwrap_or(Path::new("")).to_owned();
    let mut packages = Vec::new();
    if let Some(table) = root.get("packages") {
        for entry in table.free_table("[packages]")?.entries() {
            packages.push((entry.key.to_owned(), folder.join(entry.name()?)));
        }
    }
    packages.extend(options.package_roots.iter().cloned());
    let resolver = Resolver::from_environment(packages);
    let mut reader = Reader {
        folder,
        builder: Builder::new(&text.file, resolver, options.visual_as_collision),
    };
    reader.builder.cell.files.push(text.file.clone());
    reader.robots(&root)?;
    reader.attachments(&root)?;
    reader.obstacles(&root)?;
    reader.builder.cell.settings = settings(&root)?;
    reader.allowances(&root)?;
    reader.thresholds(&root)?;
    Ok(reader.builder.cell)
}

fn section<'a>(
    root: &Table<'a>,
    key: &'a str,
    what: &'a str,
    known: &[&str],
) -> Result<Vec<Table<'a>>, ImportError> {
    root.get(key)
        .map_or(Ok(Vec::new()), |v| v.tables(what, known))
}

fn settings(root: &Table) -> Result<CheckSettings, ImportError> {
    let Some(check) = root.get("check") else {
        return Ok(CheckSettings::default());
    };
    let check = check.table("[check]", &["clearance", "warn", "resolution", "limits"])?;
    let clearance = check
        .get("clearance")
        .map(|v| v.length_from_zero())
        .transpose()?;
    Ok(CheckSettings {
        clearance,
        warn: warn(&check, clearance.unwrap_or(0.0))?,
        resolution: check
            .get("resolution")
            .map(|v| v.positive_length())
            .transpose()?,
        limits: check.get("limits").map(|v| v.boolean()).transpose()?,
    })
}

/// The warn distance of a section: above its threshold, metres.
fn warn(table: &Table, clearance: f64) -> Result<Option<f64>, ImportError> {
    let Some(value) = table.get("warn") else {
        return Ok(None);
    };
    let warn = value.positive_length()?;
    match warn > clearance {
        true => Ok(Some(warn)),
        false => Err(value.bad("it must be above `clearance`: near misses lie between the two")),
    }
}

struct Reader {
    folder: PathBuf,
    builder: Builder,
}

impl Reader {
    fn robots(&mut self, root: &Table) -> Result<(), ImportError> {
        let known = ["name", "urdf", "srdf", "joint_limits", "base", "joints"];
        let robots = section(root, "robot", "[[robot]]", &known)?;
        if robots.is_empty() {
            return Err(root.error(Problem::Syntax {
                cause: "the cell has no robot".into(),
                remedy: "add [[robot]] with `urdf = \"…\"`".into(),
            }));
        }
        let mut names: Vec<&str> = Vec::new();
        for table in &robots {
            let name = match table.get("name") {
                Some(value) => {
                    let name = value.name()?;
                    if name.contains(['/', '*']) {
                        return Err(value.bad("the name of a robot has no `/` and no `*`"));
                    }
                    if names.contains(&name) {
                        return Err(value.bad("every robot needs a name of its own"));
                    }
                    name
                }
                None if robots.len() == 1 => "",
                None => table.required("name")?.name()?,
            };
            names.push(name);
            let base = pose(table, "base")?;
            let urdf = table.required("urdf")?;
            let file = self.file(&urdf)?;
            let robot = self.builder.add_robot(name, &file, base)?;
            if let Some(value) = table.get("srdf") {
                let file = self.file(&value)?;
                srdf::read(&file, &mut self.builder.cell, robot)?;
            }
            if let Some(value) = table.get("joint_limits") {
                let file = self.file(&value)?;
                joint_limits::read(&file, &mut self.builder.cell, robot)?;
            }
            self.joint_values(table, robot)?;
        }
        Ok(())
    }

    /// A file that the cell file names: relative to it, and it must exist.
    fn file(&self, value: &Value) -> Result<PathBuf, ImportError> {
        let name = value.name()?;
        let path = self.folder.join(name);
        if path.is_file() {
            return Ok(path);
        }
        let is_folder = path.is_dir();
        Err(value.error(Problem::NotFound {
            uri: name.to_owned(),
            tried: vec![path],
            remedy: if is_folder {
                "it is a folder: name a file".into()
            } else {
                "paths are relative to the cell file".into()
            },
        }))
    }

    fn joint_values(&mut self, table: &Table, robot: usize) -> Result<(), ImportError> {
        let cell = &mut self.builder.cell;
        let mut rest = std::mem::take(&mut cell.rest);
        let mut notes = Vec::new();
        let values = table
            .get("joints")
            .map(|v| v.free_table("`joints`"))
            .transpose()?;
        for value in values.iter().flat_map(|t| t.entries()) {
            let name = value.key;
            let Some(id) = cell
                .joints
                .iter()
                .position(|j| j.robot == robot && j.name == name)
            else {
                let known = cell
                    .joints
                    .iter()
                    .filter(|j| j.robot == robot)
                    .map(|j| j.name.as_str());
                return Err(value.key_error(Problem::UnknownName {
                    what: "joint",
                    name: name.to_owned(),
                    remedy: suggestion(name, known),
                }));
            };
            let joint = &cell.joints[id];
            if let Some(mimic) = joint.mimic {
                return Err(value.key_error(Problem::BadValue {
                    what: format!("joint `{name}`"),
                    value: format!("a follower of `{}`", cell.joints[mimic.source].name),
                    remedy: format!("set `{}`", cell.joints[mimic.source].name),
                }));
            }
            rest[id] = match joint.kind {
                JointKind::Prismatic => value.length()?,
                JointKind::Revolute | JointKind::Continuous => value.angle()?,
            };
            if let Some((lower, upper)) = joint.limits.position
                && !(lower..=upper).contains(&rest[id])
            {
                notes.push(note(
                    qualified(&cell.robots[robot].name, name),
                    format!(
                        "its value {} in the cell file is outside its limits {lower} … {upper}",
                        rest[id]
                    ),
                ));
            }
        }
        resolve_mimic(cell, &mut rest);
        cell.rest = rest;
        cell.notes.extend(notes);
        Ok(())
    }

    fn attachments(&mut self, root: &Table) -> Result<(), ImportError> {
        for table in section(root, "attach", "[[attach]]", &ATTACH)? {
            let parent = table.required("parent")?;
            let carrier = parent.name()?;
            let bodies = &self.builder.cell.bodies;
            let Some(carrier_id) = self.builder.body(carrier) else {
                return Err(parent.error(Problem::UnknownName {
                    what: "link",
                    name: carrier.to_owned(),
                    remedy: suggestion(carrier, bodies.iter().map(|b| b.name.as_str())),
                }));
            };
            let (joint, joint_from_parent) =
                (bodies[carrier_id].joint, bodies[carrier_id].joint_from_body);
            self.add(&table, Role::Attached, |pose| {
                (joint, joint_from_parent * pose, Some(carrier_id))
            })?;
        }
        Ok(())
    }

    fn obstacles(&mut self, root: &Table) -> Result<(), ImportError> {
        for table in section(root, "obstacle", "[[obstacle]]", &OBSTACLE)? {
            self.add(&table, Role::Obstacle, |pose| (None, pose, None))?;
        }
        Ok(())
    }

    /// Adds a body with one shape; `place` turns its pose into joint, pose in the joint, and parent.
    fn add(
        &mut self,
        table: &Table,
        role: Role,
        place: impl Fn(Isometry3<f64>) -> (Option<usize>, Isometry3<f64>, Option<usize>),
    ) -> Result<(), ImportError> {
        let name = table.required("name")?;
        if name.name()?.contains('*') {
            return Err(name.bad("`*` stands for any text in patterns; choose a name without it"));
        }
        let form = self.form(table)?;
        let solid = table.get("solid").map(|v| v.boolean()).transpose()?;
        let (joint, joint_from_body, parent) = place(pose(table, "pose")?);
        self.builder.add_body(Named {
            body: Body {
                name: name.name()?.to_owned(),
                role,
                joint,
                joint_from_body,
                parent,
                shapes: vec![shape(form, solid, table.get("scale").is_some())],
            },
            place: name.place(),
        })?;
        Ok(())
    }

    fn form(&mut self, table: &Table) -> Result<Form, ImportError> {
        let given: Vec<Value> = table.entries().filter(|v| FORMS.contains(&v.key)).collect();
        let value = match given[..] {
            [value] => value,
            [] => {
                return Err(table.error(Problem::Syntax {
                    cause: "it has no geometry".into(),
                    remedy: "add `mesh`, `box`, `cylinder`, `sphere` or `capsule`".into(),
                }));
            }
            [first, second, ..] => {
                return Err(second.key_error(Problem::Syntax {
                    cause: format!("both `{}` and `{}` are given", first.key, second.key),
                    remedy: "keep one, or make two bodies".into(),
                }));
            }
        };
        let scale = table.get("scale");
        if let (Some(scale), true) = (&scale, value.key != "mesh") {
            return Err(scale.key_error(Problem::Syntax {
                cause: format!("`scale` belongs to `mesh`, not to `{}`", value.key),
                remedy: "write the size itself".into(),
            }));
        }
        let round = |what| -> Result<(f64, Value), ImportError> {
            let t = value.table(what, &["radius", "length"])?;
            Ok((
                t.required("radius")?.positive_length()?,
                t.required("length")?,
            ))
        };
        Ok(match value.key {
            "mesh" => {
                let scale = scale.map_or(Ok(Vector3::repeat(1.0)), |s| s.scale())?;
                let file = self.file(&value)?;
                self.builder.mesh(&file, scale)?
            }
            "box" => Form::Box {
                size: value.array(Value::positive_length)?.into(),
            },
            "sphere" => Form::Sphere {
                radius: value.positive_length()?,
            },
            "cylinder" => {
                let (radius, length) = round("`cylinder`")?;
                Form::Cylinder {
                    radius,
                    length: length.positive_length()?,
                }
            }
            _ => {
                let (radius, length) = round("`capsule`")?;
                Form::Capsule {
                    radius,
                    length: length.length_from_zero()?,
                }
            }
        })
    }

    fn allowances(&mut self, root: &Table) -> Result<(), ImportError> {
        for table in section(root, "allow", "[[allow]]", &["a", "b", "reason"])? {
            let (a, b) = self.patterns(&table)?;
            let reason = table
                .get("reason")
                .map_or(Ok(""), |v| v.string())?
                .to_owned();
            self.builder.cell.allowed.push(Allowance {
                a,
                b,
                reason,
                by: AllowedBy::Cell,
            });
        }
        // Read when all bodies are there: an attachment may touch an obstacle.
        for table in section(root, "attach", "[[attach]]", &ATTACH)? {
            for touch in table.get("touch").map_or(Ok(Vec::new()), |v| v.list())? {
                self.note_stale(&touch)?;
                self.builder.cell.allowed.push(Allowance {
                    a: table.required("name")?.name()?.to_owned(),
                    b: touch.name()?.to_owned(),
                    reason: String::new(),
                    by: AllowedBy::Touch,
                });
            }
        }
        Ok(())
    }

    fn thresholds(&mut self, root: &Table) -> Result<(), ImportError> {
        for table in section(root, "pair", "[[pair]]", &["a", "b", "clearance", "warn"])? {
            let (a, b) = self.patterns(&table)?;
            let clearance = table.required("clearance")?.length_from_zero()?;
            let warn = warn(&table, clearance)?;
            self.builder.cell.thresholds.push(PairThreshold {
                a,
                b,
                clearance,
                warn,
            });
        }
        Ok(())
    }

    fn patterns(&mut self, table: &Table) -> Result<(String, String), ImportError> {
        let (a, b) = (table.required("a")?, table.required("b")?);
        self.note_stale(&a)?;
        self.note_stale(&b)?;
        Ok((a.name()?.to_owned(), b.name()?.to_owned()))
    }

    /// A pattern that matches no body does nothing: whoever wrote it must hear of it.
    fn note_stale(&mut self, value: &Value) -> Result<(), ImportError> {
        let pattern = value.name()?;
        let cell = &mut self.builder.cell;
        let names = cell.bodies.iter().map(|b| b.name.as_str());
        if names.clone().any(|n| matches(pattern, n)) {
            return Ok(());
        }
        let near = super::names::nearest(pattern, names)
            .map_or(String::new(), |n| format!("; did you mean `{n}`?"));
        cell.notes.push(note(
            value.place().to_string(),
            format!("stale name: `{pattern}` matches no body{near}"),
        ));
        Ok(())
    }
}

fn shape(form: Form, solid: Option<bool>, scaled: bool) -> Shape {
    Shape {
        name: String::new(),
        body_from_shape: Isometry3::identity(),
        form,
        solid,
        scaled,
    }
}

/// `{ xyz = […], rpy = […] }`, or `quat = [x, y, z, w]` in place of `rpy`; identity where it is missing.
pub(super) fn pose(table: &Table, key: &'static str) -> Result<Isometry3<f64>, ImportError> {
    let Some(value) = table.get(key) else {
        return Ok(Isometry3::identity());
    };
    let table = value.table("a pose", &["xyz", "rpy", "quat"])?;
    let xyz = table
        .get("xyz")
        .map_or(Ok([0.0; 3]), |v| v.array(Value::length))?;
    let Some(quat) = table.get("quat") else {
        let rpy = table
            .get("rpy")
            .map_or(Ok([0.0; 3]), |v| v.array(Value::angle))?;
        return Ok(urdf::pose(xyz, rpy));
    };
    if let Some(rpy) = table.get("rpy") {
        return Err(rpy.key_error(Problem::Syntax {
            cause: "both `rpy` and `quat` are given".into(),
            remedy: "keep one of them".into(),
        }));
    }
    let [x, y, z, w] = quat.array(Value::number)?;
    let quaternion = Quaternion::new(w, x, y, z);
    // The numbers are finite; an overflowing norm is infinite, and refused too.
    if (quaternion.norm() - 1.0).abs() > 1e-3 {
        return Err(quat.bad("a rotation [x, y, z, w] has length 1"));
    }
    Ok(Isometry3::from_parts(
        Translation3::from(Vector3::from(xyz)),
        UnitQuaternion::from_quaternion(quaternion),
    ))
}

#[cfg(test)]
mod tests;
