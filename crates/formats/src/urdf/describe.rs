//! From the DOM to a [`Description`]: every number and name checked, with its place.

mod joint;

use clearance_proof::model::Form;
use clearance_proof::report::{Code, Severity};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::misplaced::misplaced;
use super::{
    Description, Outline, UrdfDoubt, UrdfGeometry, UrdfLink, UrdfNote, UrdfSubject,
    degrees_taken_for_radians, pose,
};
use crate::xml::{Element, XmlText};
use crate::{ImportError, Problem};

/// Reads the whole robot.
pub(super) fn describe(xml: &XmlText, visuals: bool) -> Result<Description, ImportError> {
    let document = xml.parse()?;
    let root = Element::root(xml, &document, "robot")?;
    root.refuse_misspelt(&[
        "link",
        "joint",
        "material",
        "gazebo",
        "transmission",
        "sensor",
        "plugin",
        "group",
    ])?;
    let mut reader = Reader {
        version: version(&root),
        notes: Vec::new(),
        doubts: misplaced(&root),
    };
    let links = root
        .all("link")
        .map(|e| reader.link(&e, visuals))
        .collect::<Result<_, _>>()?;
    let joints = root
        .all("joint")
        .map(|e| reader.joint(&e))
        .collect::<Result<_, _>>()?;
    Ok(Description {
        root: root.place(),
        name: root.attribute("name").unwrap_or_default().to_owned(),
        links,
        joints,
        notes: reader.notes,
        doubts: reader.doubts,
    })
}

struct Reader {
    version: (u32, u32),
    notes: Vec<UrdfNote>,
    doubts: Vec<UrdfDoubt>,
}

/// `version` of `<robot>`; 1.0 where it is missing or unreadable, as ROS has it.
fn version(root: &Element) -> (u32, u32) {
    root.attribute("version")
        .and_then(|v| {
            let (major, minor) = v.trim().split_once('.')?;
            Some((major.parse().ok()?, minor.parse().ok()?))
        })
        .unwrap_or((1, 0))
}

/// Whether an attribute of this name and value would change the robot, where the element has none of
/// that name.
fn takes_effect(element: &Element, name: &str, value: &str) -> bool {
    let without = match (element.name(), name) {
        ("origin", "xyz" | "rpy") | ("mimic", "offset") => 0.0,
        ("mimic", "multiplier") | ("mesh", "scale") => 1.0,
        ("origin", "quat_xyzw") => return true,
        ("limit", "lower" | "upper" | "velocity" | "acceleration") => return true,
        _ => return false,
    };
    let numbers = value.split_whitespace().map(str::parse::<f64>);
    let numbers: Vec<f64> = numbers.map(|number| number.unwrap_or(f64::NAN)).collect();
    // A quaternion that does not turn, in either order.
    let is_still = matches!(numbers[..], [1.0, 0.0, 0.0, 0.0] | [0.0, 0.0, 0.0, 1.0]);
    !is_still && numbers.iter().any(|&number| number != without)
}

impl Reader {
    fn misspelt(&mut self, element: &Element, known: &[&str]) {
        for slip in element.misspelt_attributes(known) {
            let code = Code::MisspeltAttribute;
            if slip.is_missing && takes_effect(element, slip.meant, slip.value) {
                self.doubts.push(UrdfDoubt {
                    code,
                    place: slip.place,
                    why: slip.message,
                    severity: Severity::Open,
                });
            } else {
                self.notes.push(UrdfNote {
                    code,
                    subject: UrdfSubject::Location(slip.place),
                    message: slip.message,
                });
            }
        }
    }

    fn link(&mut self, element: &Element, visuals: bool) -> Result<UrdfLink, ImportError> {
        element.refuse_misspelt(&["inertial", "visual", "collision"])?;
        self.misspelt(element, &["name", "type"]);
        let mut pieces = |tag: &str| -> Result<Vec<UrdfGeometry>, ImportError> {
            element.all(tag).map(|e| self.piece(&e)).collect()
        };
        Ok(UrdfLink {
            name: element.required("name")?.to_owned(),
            place: element.place(),
            collisions: pieces("collision")?,
            visuals: if visuals {
                pieces("visual")?
            } else {
                Vec::new()
            },
            has_visual: element.all("visual").next().is_some(),
            mass_kg: mass(element).unwrap_or(0.0),
        })
    }

    fn piece(&mut self, element: &Element) -> Result<UrdfGeometry, ImportError> {
        element.refuse_misspelt(&["origin", "geometry", "material"])?;
        self.misspelt(element, &["name"]);
        let geometry = element.required_child("geometry")?;
        let mut forms = geometry.children();
        let Some(form) = forms.next() else {
            return Err(geometry.error(Problem::Syntax {
                cause: "`<geometry>` is empty".into(),
                remedy: "put a `<mesh>`, `<box>`, `<cylinder>`, `<sphere>` or `<capsule>` into it"
                    .into(),
            }));
        };
        if let Some(second) = forms.next() {
            return Err(second.error(Problem::Syntax {
                cause: "a second shape in one `<geometry>`".into(),
                remedy: format!("give every shape an `<{}>` of its own", element.name()),
            }));
        }
        Ok(UrdfGeometry {
            name: element.attribute("name").unwrap_or_default().to_owned(),
            link_from_shape: self.origin(element)?,
            outline: self.outline(&form)?,
            place: form.place(),
        })
    }

    fn outline(&mut self, form: &Element) -> Result<Outline, ImportError> {
        let positive = |name: &str| -> Result<f64, ImportError> {
            let value = form.required_number(name)?;
            if value > 0.0 {
                return Ok(value);
            }
            Err(not_positive(form, name, value))
        };
        let primitive = match form.name() {
            "mesh" => {
                self.misspelt(form, &["filename", "scale"]);
                let scale = form.numbers::<3>("scale")?;
                if let Some(scale) = scale.filter(|scale| scale.contains(&0.0)) {
                    return Err(form.attribute_error(
                        "scale",
                        Problem::BadValue {
                            what: "`scale` of `<mesh>`".into(),
                            value: format!("{scale:?}"),
                            remedy: "a scale of 0 flattens the mesh; write 1 to keep its size"
                                .into(),
                        },
                    ));
                }
                return Ok(Outline::Mesh {
                    uri: form.required("filename")?.to_owned(),
                    scale: scale.map(Vector3::from),
                });
            }
            "box" => {
                form.required("size")?;
                let size = form.numbers::<3>("size")?.unwrap_or_default();
                // Makers mark a place by a box, or a ball, that has no size at all.
                let edge = size.iter().find(|&&e| e <= 0.0);
                if let Some(&edge) = edge.filter(|_| size != [0.0; 3]) {
                    return Err(not_positive(form, "size", edge));
                }
                Form::Box { size: size.into() }
            }
            "sphere" => {
                let radius = form.required_number("radius")?;
                if radius < 0.0 {
                    return Err(not_positive(form, "radius", radius));
                }
                Form::Sphere { radius }
            }
            "cylinder" => Form::Cylinder {
                radius: positive("radius")?,
                length: positive("length")?,
            },
            "capsule" => {
                let length = form.required_number("length")?;
                if length < 0.0 {
                    return Err(not_positive(form, "length", length));
                }
                Form::Capsule {
                    radius: positive("radius")?,
                    length,
                }
            }
            other => {
                return Err(form.error(Problem::Unsupported {
                    what: format!("geometry `<{other}>`"),
                    remedy: "use `<mesh>`, `<box>`, `<cylinder>`, `<sphere>` or `<capsule>`".into(),
                }));
            }
        };
        Ok(Outline::Primitive(primitive))
    }

    fn origin(&mut self, element: &Element) -> Result<Isometry3<f64>, ImportError> {
        let Some(origin) = element.child("origin")? else {
            return Ok(Isometry3::identity());
        };
        self.misspelt(&origin, &["xyz", "rpy", "quat_xyzw"]);
        let xyz = origin.numbers::<3>("xyz")?.unwrap_or_default();
        let rpy = origin.numbers::<3>("rpy")?;
        if let Some(rpy) = &rpy
            && let Some(why) = degrees_taken_for_radians("an angle of `rpy`", rpy)
        {
            // Tools for drawing write quarters and eighths of a turn with whole turns added.
            let is_eighth = |angle: &f64| {
                let eighths = angle / std::f64::consts::FRAC_PI_4;
                (eighths - eighths.round()).abs() < 1e-3
            };
            let severity = if rpy.iter().all(is_eighth) {
                Severity::Notice
            } else {
                Severity::Open
            };
            self.doubts.push(UrdfDoubt {
                code: Code::SuspiciousRpy,
                place: origin.place(),
                why: format!("{why}; write it without whole turns if not"),
                severity,
            });
        }
        let Some(quat) = origin.numbers::<4>("quat_xyzw")? else {
            return Ok(pose(xyz, rpy.unwrap_or_default()));
        };
        let refuse = |value: String, remedy: &str| {
            Err(origin.attribute_error(
                "quat_xyzw",
                Problem::BadValue {
                    what: "`quat_xyzw` of `<origin>`".into(),
                    value,
                    remedy: remedy.into(),
                },
            ))
        };
        if self.version < (1, 1) {
            return refuse(
                "not read by ros in a urdf of version 1.0".into(),
                "write `rpy`, or `<robot version=\"1.1\">`",
            );
        }
        if rpy.is_some() {
            return refuse("given beside `rpy`".into(), "keep one of them");
        }
        let [x, y, z, w] = quat;
        let quaternion = Quaternion::new(w, x, y, z);
        if (quaternion.norm() - 1.0).abs() > 1e-2 {
            return refuse(format!("{quat:?}"), "a rotation has length 1");
        }
        Ok(Isometry3::from_parts(
            Translation3::from(Vector3::from(xyz)),
            UnitQuaternion::from_quaternion(quaternion),
        ))
    }
}

fn not_positive(form: &Element, name: &str, value: f64) -> ImportError {
    form.attribute_error(
        name,
        Problem::BadValue {
            what: format!("`{name}` of `<{}>`", form.name()),
            value: value.to_string(),
            remedy: "write a length above 0, in metres".into(),
        },
    )
}

/// The mass that a link states; nothing is computed with it.
fn mass(link: &Element) -> Option<f64> {
    let inertial = link.all("inertial").next()?;
    let mass = inertial.all("mass").next()?.attribute("value")?;
    mass.trim().parse().ok()
}
