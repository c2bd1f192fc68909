//! The bodies of a cell file: what is attached and what stands around, their places and geometry.

use std::sync::Arc;

use clearance_proof::geometry::cloud::Cloud;
use clearance_proof::model::{Body, Form, Role, Shape};
use clearance_proof::report::{Code, Diagnostic, Severity};
use nalgebra::{Isometry3, Vector3};

use super::build::{BodyMesh, Named, is_collada};
use super::pose::unitless_shift;
use super::reader::{CellReader, section, up_axis};
use super::table::{Table, TableValue};
use crate::cloud::{self, CloudOptions, Isolated, LoadedCloud, Lump};
use crate::names::suggestion;
use crate::notes::{note, note_at};
use crate::{ImportError, Location, Problem};

const FORMS: [&str; 7] = [
    "mesh", "cloud", "box", "cylinder", "cone", "sphere", "capsule",
];
const OBSTACLE: [&str; 14] = [
    "name",
    "scale",
    "dae_up_axis",
    "pose",
    "solid",
    "mesh",
    "cloud",
    "radius",
    "unit",
    "box",
    "cylinder",
    "cone",
    "sphere",
    "capsule",
];
pub(super) const FREE: [&str; 14] = OBSTACLE;
pub(super) const ATTACH: [&str; 16] = [
    "name",
    "parent",
    "scale",
    "dae_up_axis",
    "pose",
    "touch",
    "solid",
    "mesh",
    "cloud",
    "radius",
    "unit",
    "box",
    "cylinder",
    "cone",
    "sphere",
    "capsule",
];
/// Keys that say more of one form, and mean nothing beside another one.
const OF_FORMS: [(&str, &str); 4] = [
    ("scale", "mesh"),
    ("dae_up_axis", "mesh"),
    ("radius", "cloud"),
    ("unit", "cloud"),
];

impl CellReader {
    pub(super) fn attachments(&mut self, root: &Table) -> Result<(), ImportError> {
        for table in section(root, "attach", "[[attach]]", &ATTACH)? {
            let parent = table.required("parent")?;
            let carrier = parent.name()?;
            let bodies = &self.builder.loaded.cell.bodies;
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

    pub(super) fn obstacles(&mut self, root: &Table) -> Result<(), ImportError> {
        for table in section(root, "obstacle", "[[obstacle]]", &OBSTACLE)? {
            self.add(&table, Role::Obstacle, |pose| (None, pose, None))?;
        }
        Ok(())
    }

    /// Adds a body with one shape; `place` turns its pose into joint, pose in the joint, and
    /// parent.
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
        let (form, solid) = self.solid_form(table)?;
        let (joint, joint_from_body, parent) = place(self.pose(table, "pose")?);
        let id = self.builder.add_body(Named {
            body: Body {
                name: name.name()?.to_owned(),
                role,
                joint,
                joint_from_body,
                parent,
                shapes: vec![shape(form, solid, stated_scale(table)?)],
            },
            place: name.place(),
        })?;
        let shift = unitless_shift(table, "pose")?.filter(|_| role == Role::Obstacle);
        let unitless = &mut self.builder.loaded.unitless.obstacles;
        unitless.extend(shift.map(|shift| (id, shift)));
        Ok(())
    }

    /// The geometry of a body, closed where it is to be solid, and what is said about its inside.
    pub(super) fn solid_form(
        &mut self,
        table: &Table,
    ) -> Result<(Form, Option<bool>), ImportError> {
        let mut form = self.form(table)?;
        let solid = table.get("solid").map(|v| v.boolean()).transpose()?;
        if let (Some(true), Some(value)) = (solid, table.get("solid")) {
            if let Form::Mesh { file, .. } = &form
                && self.builder.has_open_walls(file)
            {
                return Err(value.error(cannot_be_told(
                    "its file has an open `Cylinder` or `Cone`, whose wall is drawn with both sides: what it holds cannot be told",
                    "close it in the file (`top TRUE`, `bottom TRUE`), or write it as polygons",
                )));
            }
            let closed = close(&mut form).map_err(|why| value.error(why))?;
            if let Some(why) = closed {
                let name = table.required("name")?;
                let said = note(Code::ClosedMesh, name.name()?.to_owned(), why);
                self.builder.loaded.cell.notes.push(said.at(name.place()));
            }
        }
        Ok((form, solid))
    }

    fn form(&mut self, table: &Table) -> Result<Form, ImportError> {
        let given: Vec<TableValue> = table.entries().filter(|v| FORMS.contains(&v.key)).collect();
        let value = match given[..] {
            [value] => value,
            [] => {
                return Err(table.error(Problem::Syntax {
                    cause: "it has no geometry".into(),
                    remedy: "add `mesh`, `cloud`, `box`, `cylinder`, `cone`, `sphere` or `capsule`"
                        .into(),
                }));
            }
            [first, second, ..] => {
                return Err(second.key_error(Problem::Syntax {
                    cause: format!("both `{}` and `{}` are given", first.key, second.key),
                    remedy: "keep one, or make two bodies".into(),
                }));
            }
        };
        for (key, form) in OF_FORMS {
            if let (Some(more), true) = (table.get(key), value.key != form) {
                return Err(more.key_error(Problem::Syntax {
                    cause: format!("`{key}` belongs to `{form}`, not to `{}`", value.key),
                    remedy: match (key, value.key) {
                        ("dae_up_axis", _) => "leave it out".into(),
                        ("scale", "cloud") => "write `unit = \"mm\"` for millimetres".into(),
                        _ => "write the size itself".into(),
                    },
                }));
            }
        }
        let round = |what| -> Result<(f64, TableValue), ImportError> {
            let t = value.table(what, &["radius", "length"])?;
            Ok((
                t.required("radius")?.positive_length()?,
                t.required("length")?,
            ))
        };
        Ok(match value.key {
            "mesh" => {
                let scale = stated_scale(table)?;
                let file = self.file(&value)?;
                let name = table.required("name")?;
                let body = name.name()?;
                let role = || format!("the mesh of `{body}`");
                if let Some(key) = table.get("dae_up_axis")
                    && !is_collada(&file)
                {
                    return Err(key.key_error(Problem::Syntax {
                        cause: "`dae_up_axis` is for COLLADA (.dae), and this mesh is of another format"
                            .into(),
                        remedy: "leave it out; `pose` turns the mesh".into(),
                    }));
                }
                let mesh = self.builder.body_mesh(BodyMesh {
                    file: &file,
                    scale,
                    up_axis: up_axis(table)?,
                    body,
                    place: name.place(),
                });
                mesh.map_err(|error| error.referred(role(), &value.place()))?
            }
            "cloud" => self.cloud(table, &value)?,
            "box" => Form::Box {
                size: value.array(TableValue::positive_length)?.into(),
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
            "cone" => {
                let (radius, length) = round("`cone`")?;
                Form::Cone {
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
}

impl CellReader {
    /// The balls about the points of a file, and what is to be known of them.
    fn cloud(&mut self, table: &Table, value: &TableValue) -> Result<Form, ImportError> {
        if let Some(solid) = table.get("solid") {
            return Err(solid.key_error(Problem::Syntax {
                cause: "`solid` says nothing of a point cloud: it shows surfaces".into(),
                remedy: "leave it out; what stands behind the points is unseen".into(),
            }));
        }
        let Some(radius) = table.get("radius") else {
            return Err(value.key_error(Problem::Syntax {
                cause: "a point cloud needs a `radius`, and there is none".into(),
                remedy: "add `radius = …`: each point counts as a ball of this radius".into(),
            }));
        };
        let options = CloudOptions {
            radius: radius.positive_length()?,
            unit: (table.get("unit").map(|unit| unit.name().map(str::to_owned))).transpose()?,
        };
        let file = self.file(value)?;
        let body = table.required("name")?.name()?;
        let role = || format!("the cloud of `{body}`");
        let loaded = cloud::load(&file, &options);
        let loaded = loaded.map_err(|error| error.referred(role(), &value.place()))?;
        let files = &mut self.builder.loaded.files;
        if !files.contains(&file) {
            files.push(file.clone());
        }
        let cell = &mut self.builder.loaded.cell;
        let how = note_at(Code::CloudFile, Location::file(&file), how_read(&loaded));
        cell.notes.push(how);
        if let Some(alone) = &loaded.isolated {
            let name = table.required("name")?;
            let why = thin(alone, &loaded.cloud);
            let said = Diagnostic::notice(Code::CloudFile, body, why);
            cell.notices.push(said.at(name.place()));
        }
        if let Some(lump) = &loaded.lump {
            let why = in_one_place(lump, &loaded.cloud);
            let said = Diagnostic::notice(Code::SuspiciousScale, body, why);
            cell.notices.push(Diagnostic {
                severity: Severity::Open,
                ..said.at(table.required("name")?.place())
            });
        }
        cell.unchecked.push(Diagnostic {
            subject: body.to_owned(),
            place: Some(table.required("name")?.place()),
            message: "what a point cloud does not show is not checked: the back of things, what stood in a shadow, and what \
                      gave no echo"
                .to_owned(),
            severity: Severity::Unchecked,
            code: Code::UnseenSpace,
        });
        Ok(Form::Cloud {
            cloud: Arc::new(loaded.cloud),
            file,
        })
    }
}

/// That a cloud has no surface, only balls.
fn thin(alone: &Isolated, cloud: &Cloud) -> String {
    format!(
        "its balls do not touch one another: of {} points that were looked at, {} have no other one within 2 radii ({:.1} mm), \
         and the nearest is {:.1} mm away (the median); what fits between the balls is not found: state a larger `radius` \
         (0.71 of the distance between points at least), or use a denser scan",
        alone.looked_at,
        alone.alone,
        2e3 * cloud.radius,
        1e3 * alone.gap_m
    )
}

/// That a scan is one lump: metres that are read as millimetres are.
fn in_one_place(lump: &Lump, cloud: &Cloud) -> String {
    format!(
        "its {} points lie within {:.3} mm, and {} of radius {:.3} mm hold all: that is one lump, as of metres that are \
         read as millimetres: correct its `unit`, or state a smaller `radius`; if it is meant so, write a `box` or a `sphere` in \
         its place",
        cloud.given,
        1e3 * lump.extent_m,
        counted(cloud.kept(), ["ball", "balls"]),
        1e3 * cloud.radius
    )
}

/// A number of things, by the word for one and for several.
fn counted(number: usize, [one, several]: [&str; 2]) -> String {
    match number {
        1 => format!("1 {one}"),
        n => format!("{n} {several}"),
    }
}

/// How many points there are, what became of them, and how large their balls are.
fn how_read(loaded: &LoadedCloud) -> String {
    let cloud = &loaded.cloud;
    let millimetres = |metres: f64| format!("{:.3} mm", (metres * 1e6).ceil() * 1e-3);
    let mut said = format!(
        "{} of radius {}",
        counted(cloud.given, ["point as a ball", "points as balls"]),
        millimetres(cloud.stated_radius)
    );
    if loaded.invalid > 0 {
        let entries = counted(
            loaded.invalid,
            ["entry is no place", "entries are not places"],
        );
        said += &format!("; {entries}, and left out");
    }
    if cloud.kept() < cloud.given {
        said += &format!(
            "; points nearer than an eighth of it made one: {} of radius {} hold all",
            counted(cloud.kept(), ["ball", "balls"]),
            millimetres(cloud.radius)
        );
    } else if cloud.radius > 1.001 * cloud.stated_radius {
        said += &format!(
            "; so far from the origin they are kept as balls of radius {}, which hold them",
            millimetres(cloud.radius)
        );
    }
    said
}

/// Closes the holes of an open mesh that is to be solid, and says so: without that, what gets in
/// through a hole would be seen at its surface only.
fn close(form: &mut Form) -> Result<Option<String>, Problem> {
    let Form::Mesh { mesh, .. } = form else {
        return Ok(None);
    };
    let Some(closed) = mesh.holes_closed() else {
        if mesh.flat_components() > 0 {
            return Err(cannot_be_told(
                "its mesh is closed and encloses nothing: it is a sheet that is drawn from both sides",
                "export it with one side only, or as a body with an inside",
            ));
        }
        return Ok(None);
    };
    if closed.unclear > 0 {
        return Err(cannot_be_told(
            "the rims of its holes meet or lie in one another, as where a sheet divides a bin: how full it is cannot be told",
            "close the mesh, make an obstacle of each of its parts, or leave `solid` out",
        ));
    }
    let why = format!(
        "`solid = true`, but its mesh is open: {}, at most {:.4} mm across, closed by {} that {} as surface",
        match closed.places {
            1 => "1 hole".to_owned(),
            n => format!("{n} holes"),
        },
        closed.widest * 1e3,
        match closed.added {
            1 => "1 triangle".to_owned(),
            n => format!("{n} triangles"),
        },
        if closed.added == 1 { "counts" } else { "count" },
    );
    *mesh = Arc::new(closed.mesh);
    Ok(Some(why))
}

fn cannot_be_told(cause: &str, remedy: &str) -> Problem {
    Problem::Syntax {
        cause: format!("`solid = true`, but {cause}"),
        remedy: remedy.to_owned(),
    }
}

/// The factors from the numbers of its mesh to metres, where they are stated.
pub(super) fn stated_scale(table: &Table) -> Result<Option<Vector3<f64>>, ImportError> {
    table.get("scale").map(|s| s.scale()).transpose()
}

pub(super) fn shape(form: Form, solid: Option<bool>, scale: Option<Vector3<f64>>) -> Shape {
    Shape {
        name: String::new(),
        body_from_shape: Isometry3::identity(),
        form,
        solid,
        scale,
    }
}
