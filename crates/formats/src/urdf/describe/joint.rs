//! Joints: kind, axis, limits, and the joint that one follows.

use clearance_proof::model::{JointKind, Limits};
use clearance_proof::report::Code;
use nalgebra::{Unit, Vector3};

use super::super::{MimicTag, UrdfJoint, UrdfNote, UrdfSubject};
use super::Reader;
use crate::xml::Element;
use crate::{ImportError, Problem};

impl Reader {
    pub(super) fn joint(&mut self, element: &Element) -> Result<UrdfJoint, ImportError> {
        element.refuse_misspelt(&[
            "origin",
            "parent",
            "child",
            "axis",
            "limit",
            "mimic",
            "dynamics",
            "calibration",
            "safety_controller",
        ])?;
        self.misspelt(element, &["name", "type"]);
        let name = element.required("name")?.to_owned();
        let kind = joint_kind(element, &name)?;
        let end = |tag: &str| -> Result<_, ImportError> {
            let end = element.required_child(tag)?;
            Ok((end.required("link")?.to_owned(), end.place()))
        };
        let axis = self.axis(element, &name, kind)?;
        Ok(UrdfJoint {
            place: element.place(),
            parent: end("parent")?,
            child: end("child")?,
            parent_from_joint: self.origin(element)?,
            axis,
            limits: self.limits(element, &name, kind)?,
            mimic: self.mimic(element)?,
            name,
            kind,
        })
    }

    /// The axis of a joint; without `<axis>` it is x.
    fn axis(
        &mut self,
        joint: &Element,
        name: &str,
        kind: Option<JointKind>,
    ) -> Result<Unit<Vector3<f64>>, ImportError> {
        let Some(axis) = joint.child("axis")? else {
            return Ok(Vector3::x_axis());
        };
        self.misspelt(&axis, &["xyz"]);
        axis.required("xyz")?;
        let xyz = Vector3::from(axis.numbers::<3>("xyz")?.unwrap_or_default());
        if kind == Some(JointKind::Prismatic) {
            unit_length(&axis, name, xyz.norm())?;
        }
        // Huge numbers, whose squares have no sum, are divided first.
        let direction = if xyz.norm().is_finite() {
            xyz
        } else {
            xyz / xyz.amax()
        };
        match Unit::try_new(direction, 1e-9) {
            Some(axis) => Ok(axis),
            // The axis of a fixed joint says nothing, and exporters write zeros there.
            None if kind.is_none() => Ok(Vector3::x_axis()),
            None => Err(axis.attribute_error(
                "xyz",
                Problem::BadValue {
                    what: format!("axis of joint `{name}`"),
                    value: "the zero vector".into(),
                    remedy: "write a direction, for example `0 0 1`".into(),
                },
            )),
        }
    }

    fn limits(
        &mut self,
        joint: &Element,
        name: &str,
        kind: Option<JointKind>,
    ) -> Result<Limits, ImportError> {
        let Some(kind) = kind else {
            return Ok(Limits::default());
        };
        let ranged = kind != JointKind::Continuous;
        let Some(limit) = joint.child("limit")? else {
            if ranged {
                let why = "has no <limit>: its position and velocity limits are not checked";
                self.missing_limits(name, why);
            }
            return Ok(Limits::default());
        };
        let known = [
            "lower",
            "upper",
            "effort",
            "velocity",
            "acceleration",
            "deceleration",
            "jerk",
        ];
        self.misspelt(&limit, &known);
        Ok(Limits {
            position: self.position_limits(&limit, name, ranged)?,
            velocity: self.velocity_limit(&limit, name)?,
            acceleration: acceleration_limit(&limit, name)?,
        })
    }

    fn position_limits(
        &mut self,
        limit: &Element,
        name: &str,
        ranged: bool,
    ) -> Result<Option<(f64, f64)>, ImportError> {
        Ok(match (limit.number("lower")?, limit.number("upper")?) {
            (lower, upper) if !ranged => {
                // Exporters write zeros here; anything else was meant by somebody.
                if lower.is_some_and(|v| v != 0.0) || upper.is_some_and(|v| v != 0.0) {
                    let why = "is continuous: its position limits mean nothing in a urdf and are not checked";
                    self.missing_limits(name, why);
                }
                None
            }
            (Some(lower), Some(upper)) if lower > upper => {
                return Err(limit.error(Problem::BadValue {
                    what: format!("lower limit of joint `{name}`"),
                    value: format!("{lower}, above its upper limit {upper}"),
                    remedy: "exchange them".into(),
                }));
            }
            (Some(lower), Some(upper)) => Some((lower, upper)),
            (None, None) => {
                self.missing_limits(name, "states no position limits: they are not checked");
                None
            }
            // As ROS reads it: a limit that is not stated is 0.
            (lower, upper) => {
                let (lower, upper) = (lower.unwrap_or(0.0), upper.unwrap_or(0.0));
                if lower > upper {
                    let why = "states only one position limit, on the other side of 0: its position limits are not checked";
                    self.missing_limits(name, why);
                    None
                } else {
                    let why = "states only one position limit: the other one is 0, as in ROS";
                    self.missing_limits(name, why);
                    Some((lower, upper))
                }
            }
        })
    }

    fn velocity_limit(&mut self, limit: &Element, name: &str) -> Result<Option<f64>, ImportError> {
        let why = match limit.number("velocity")? {
            Some(v) if v > 0.0 => return Ok(Some(v)),
            // Files with -1 for "no limit" are in use.
            Some(v) if v < 0.0 => {
                format!("states a velocity limit of {v}, below 0: its velocity is not checked")
            }
            _ => "states no velocity limit above 0: its velocity is not checked".to_owned(),
        };
        self.missing_limits(name, &why);
        Ok(None)
    }

    fn missing_limits(&mut self, joint: &str, why: &str) {
        self.notes.push(UrdfNote {
            code: Code::MissingLimits,
            subject: UrdfSubject::Joint(joint.to_owned()),
            message: why.to_owned(),
        });
    }

    fn mimic(&mut self, joint: &Element) -> Result<Option<MimicTag>, ImportError> {
        let Some(mimic) = joint.child("mimic")? else {
            return Ok(None);
        };
        self.misspelt(&mimic, &["joint", "multiplier", "offset"]);
        Ok(Some(MimicTag {
            joint: mimic.required("joint")?.to_owned(),
            multiplier: mimic.number("multiplier")?.unwrap_or(1.0),
            offset: mimic.number("offset")?.unwrap_or(0.0),
            place: mimic.place(),
        }))
    }
}

/// The kind of a joint; none: it is fixed.
fn joint_kind(joint: &Element, name: &str) -> Result<Option<JointKind>, ImportError> {
    let problem = match joint.required("type")? {
        "revolute" => return Ok(Some(JointKind::Revolute)),
        "continuous" => return Ok(Some(JointKind::Continuous)),
        "prismatic" => return Ok(Some(JointKind::Prismatic)),
        "fixed" => return Ok(None),
        other @ ("planar" | "floating" | "spherical") => Problem::Unsupported {
            what: format!("joint type `{other}` of `{name}`"),
            remedy: "model it with revolute, continuous and prismatic joints, or fix it".into(),
        },
        other => {
            let known = ["revolute", "continuous", "prismatic", "fixed"];
            Problem::UnknownName {
                what: "joint type",
                name: other.to_owned(),
                remedy: crate::names::suggestion(other, known),
            }
        }
    };
    Err(joint.attribute_error("type", problem))
}

/// Of newer drafts of the format; older files do not have it.
fn acceleration_limit(limit: &Element, name: &str) -> Result<Option<f64>, ImportError> {
    match limit.number("acceleration")? {
        Some(a) if a <= 0.0 => Err(limit.attribute_error(
            "acceleration",
            Problem::BadValue {
                what: format!("acceleration limit of joint `{name}`"),
                value: a.to_string(),
                remedy: "write one above 0, or leave it out".into(),
            },
        )),
        stated => Ok(stated),
    }
}

/// Refuses the axis of a sliding joint whose length is not 1: some readers of URDF take its
/// direction (KDL), some multiply the joint's value by the vector (MoveIt).
fn unit_length(axis: &Element, name: &str, length: f64) -> Result<(), ImportError> {
    // Files carry few decimals.
    if (length - 1.0).abs() <= 1e-3 || length == 0.0 {
        return Ok(());
    }
    Err(axis.attribute_error(
        "xyz",
        Problem::BadValue {
            what: format!("axis of joint `{name}`"),
            value: format!("a vector of length {length}"),
            remedy: "write one of length 1, such as `1 0 0`: of another one some readers take the direction, and some multiply the joint's value by its length".into(),
        },
    ))
}
