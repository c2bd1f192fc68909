//! Poses and vectors.

use clearance_proof::geometry::pose::Pose;

use super::*;

/// Turns one after another, each about an axis that the ones before have turned; unknown where one
/// of them is.
pub(super) struct Known3(pub(super) crate::value::Known<UnitQuaternion<f64>>);

impl Known3 {
    pub(super) fn none() -> Self {
        Self(Ok(UnitQuaternion::identity()))
    }

    pub(super) fn then(
        &mut self,
        axis: nalgebra::Unit<Vector3<f64>>,
        degrees: crate::value::Known<f64>,
    ) {
        let turned = match (&self.0, degrees) {
            (Ok(r), Ok(angle)) => {
                Ok(r * UnitQuaternion::from_axis_angle(&axis, angle.to_radians()))
            }
            (Err(why), _) => Err(why.clone()),
            (_, Err(why)) => Err(why),
        };
        self.0 = turned;
    }
}

/// A target with another position and orientation.
fn with_pose(target: &Value, pose: &Isometry3<f64>, place: &Location) -> Value {
    let Value::Array(parts) = target else {
        return target.clone();
    };
    let mut parts = parts.clone();
    parts[0] = data::position(pose).rounded();
    parts[1] = data::computed_orientation(&pose.rotation, place);
    Value::Array(parts)
}

fn step(values: &[Value], place: &Location) -> Result<crate::value::Known<Vector3<f64>>, Fault> {
    let list = Value::Array(values.to_vec());
    let known = data::numbers::<3>(&list, "an offset", place)?;
    Ok(known.map(|[x, y, z]| Vector3::new(x, y, z) / 1e3))
}

/// A target moved along the axes of its frame.
pub(super) fn offset(values: &[Value], place: &Location) -> Result<Value, Fault> {
    let parts: &[Value; 4] = match data::parts(&values[0], "a robtarget", place)? {
        Ok(parts) => parts,
        Err(why) => return Ok(Value::Unknown(why)),
    };
    let p = data::numbers::<3>(&parts[0], "a position", place)?;
    let by = Value::Array(values[1..].to_vec());
    Ok(match (p, data::numbers::<3>(&by, "an offset", place)?) {
        (Ok(p), Ok(by)) => {
            let mut moved = parts.to_vec();
            let sum = |k: usize| computed(p[k], by[k], p[k] + by[k]);
            moved[0] = Value::numbers(&[sum(0), sum(1), sum(2)]);
            Value::Array(moved)
        }
        (Err(why), _) | (_, Err(why)) => Value::Unknown(why),
    })
}

/// A target moved and turned along its own axes.
pub(super) fn relative_to_tool(
    interpreter: &mut BlockInterpreter<Rapid>,
    call: &Call,
    values: &[Value],
    place: &Location,
) -> Result<Value, Fault> {
    let mut turn = Known3::none();
    for (axis, key) in [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()]
        .into_iter()
        .zip(["rx", "ry", "rz"])
    {
        if let Some(Some(angle)) = call.named(key) {
            turn.then(axis, interpreter.value(angle, place)?.number(place)?);
        }
    }
    let parts: &[Value; 4] = match data::parts(&values[0], "a robtarget", place)? {
        Ok(parts) => parts,
        Err(why) => return Ok(Value::Unknown(why)),
    };
    let pose = data::isometry(&parts[0], &parts[1], place)?;
    Ok(match (pose, step(&values[1..], place)?, turn.0) {
        (Ok(pose), Ok(by), Ok(turn)) => {
            let by = Isometry3::from_parts(Translation3::from(by), turn);
            with_pose(&values[0], &(pose * by), place)
        }
        (Err(why), ..) | (_, Err(why), _) | (.., Err(why)) => Value::Unknown(why),
    })
}

/// With the 32 bits of a controller an angle that is as near to half a turn may have either sign,
/// degrees.
pub(super) const HALF_TURN: f64 = 1e-2;

/// The angle about one axis of an orientation that is told as turns about z, y and x.
pub(super) fn euler_angle(call: &Call, value: &Value, place: &Location) -> Result<Value, Fault> {
    let rotation = match data::rotation(value, place)? {
        Ok(rotation) => rotation,
        Err(why) => return Ok(Value::Unknown(why)),
    };
    let [x, y, z] = Pose::roll_pitch_yaw(&rotation);
    if (y.abs().to_degrees() - 90.0).abs() < 1e-3 && call.named("y").is_none() {
        let reason = "with a quarter turn about y the other two angles are not certain";
        return Ok(Value::unknown(place, reason));
    }
    let angle = match () {
        () if call.named("x").is_some() => x,
        () if call.named("y").is_some() => y,
        () => z,
    };
    if angle.abs().to_degrees() > 180.0 - HALF_TURN {
        let reason = "half a turn may be one to either side";
        return Ok(Value::unknown(place, reason));
    }
    // Of no turn at all nothing is rounded.
    let is_none = rotation == UnitQuaternion::identity();
    let degrees = angle.to_degrees();
    Ok(Value::Number(if is_none {
        degrees
    } else {
        inexact(degrees)
    }))
}

/// The orientation of a quaternion of any length.
pub(super) fn normalised(value: &Value, place: &Location) -> Result<Value, Fault> {
    let (q, has_either_sign) = match data::quaternion(value, place)? {
        Ok(known) => known,
        Err(why) => return Ok(Value::Unknown(why)),
    };
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length <= 1e-6 {
        return Err(Fault::new(place, "this is not an orientation"));
    }
    let q = q.map(|x| computed(x, length, x / length));
    Ok(if has_either_sign {
        data::but_for_sign(q, place)
    } else {
        Value::numbers(&q)
    })
}

pub(super) fn poses(name: &str, values: &[Value], place: &Location) -> Result<Value, Fault> {
    let count = if name == "poseinv" { 1 } else { 2 };
    if values.len() != count {
        return Err(Fault::new(
            place,
            format!("`{name}` takes {count} arguments"),
        ));
    }
    let first = match data::read_pose(&values[0], place)? {
        Ok(pose) => pose,
        Err(why) => return Ok(Value::Unknown(why)),
    };
    if name == "poseinv" {
        return Ok(data::computed_pose(&first.inverse(), place));
    }
    if name == "posevect" {
        return Ok(match data::numbers::<3>(&values[1], "a position", place)? {
            Ok([x, y, z]) => {
                let point = nalgebra::Point3::new(x / 1e3, y / 1e3, z / 1e3);
                let moved = (first * point).coords * 1e3;
                Value::numbers(&[moved.x, moved.y, moved.z]).rounded()
            }
            Err(why) => Value::Unknown(why),
        });
    }
    Ok(match data::read_pose(&values[1], place)? {
        Ok(second) => data::computed_pose(&(first * second), place),
        Err(why) => Value::Unknown(why),
    })
}

pub(super) fn vectors(name: &str, values: &[Value], place: &Location) -> Result<Value, Fault> {
    let mut known = Vec::new();
    for value in values {
        match data::numbers::<3>(value, "a position", place)? {
            Ok([x, y, z]) => known.push(Vector3::new(x, y, z)),
            Err(why) => return Ok(Value::Unknown(why)),
        }
    }
    let given: Vec<f64> = known.iter().flat_map(|v| [v.x, v.y, v.z]).collect();
    let result = match (name, &known[..]) {
        ("distance", [a, b]) => (a - b).norm(),
        ("dotprod", [a, b]) => a.dot(b),
        ("vectmagn", [a]) => a.norm(),
        _ => {
            return Err(Fault::new(
                place,
                format!("`{name}` is not understood with these arguments"),
            ));
        }
    };
    Ok(finite(computed_of(&given, result), place))
}
