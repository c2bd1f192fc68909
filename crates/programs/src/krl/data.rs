//! Data as KRL has them: frames in millimetres and degrees, A about z, B about the new y, C about
//! the new x.

use std::collections::BTreeMap;
use std::sync::Arc;

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use clearance_proof::geometry::pose::Pose;
use clearance_proof::report::Location;

use crate::block::expression::finite;
use crate::value::{Fault, Known, OpenChoice, OpenNumber, Value, fits, inexact};

/// Components of a frame.
pub(crate) const FRAME: [&str; 6] = ["x", "y", "z", "a", "b", "c"];

/// Joints of an arm.
pub(crate) const AXES: [&str; 6] = ["a1", "a2", "a3", "a4", "a5", "a6"];

/// External axes.
pub(crate) const EXTERNAL: [&str; 6] = ["e1", "e2", "e3", "e4", "e5", "e6"];

/// The type of a component of a type of the language.
pub(crate) fn component(kind: &str, field: &str) -> Option<&'static str> {
    let frame = FRAME.contains(&field);
    let axis = AXES.contains(&field);
    let outer = EXTERNAL.contains(&field);
    let turn = field == "s" || field == "t";
    Some(match kind {
        "frame" if frame => "real",
        "pos" if frame => "real",
        "pos" if turn => "int",
        "e6pos" | "e3pos" if frame || outer => "real",
        "e6pos" | "e3pos" if turn => "int",
        "axis" if axis => "real",
        "e6axis" | "e3axis" if axis || outer => "real",
        "fdat" if field == "tool_no" || field == "base_no" => "int",
        "fdat" | "pdat" | "ldat" | "load" | "apo" => "",
        "velocity" => "real",
        _ => return None,
    })
}

/// Whether a type of the language has components.
pub(crate) fn is_structure(kind: &str) -> bool {
    let all = [
        "frame", "pos", "e6pos", "e3pos", "axis", "e6axis", "e3axis", "fdat", "pdat", "ldat",
        "load", "apo", "velocity",
    ];
    all.contains(&kind)
}

/// A frame of these six numbers.
pub(crate) fn transform([x, y, z, a, b, c]: [f64; 6]) -> Isometry3<f64> {
    let (a, b, c) = (a.to_radians(), b.to_radians(), c.to_radians());
    Isometry3::from_parts(
        Translation3::new(x / 1e3, y / 1e3, z / 1e3),
        UnitQuaternion::from_euler_angles(c, b, a),
    )
}

/// The six numbers of a frame. Near a B of ±90° A and C can be shared out in many ways: here they
/// are right together, and neither means anything alone ([`shares_out`]).
pub(crate) fn numbers(frame: &Isometry3<f64>) -> [f64; 6] {
    let p = frame.translation.vector * 1e3;
    let [c, b, a] = Pose::roll_pitch_yaw(&frame.rotation).map(f64::to_degrees);
    [p.x, p.y, p.z, a, b, c]
}

/// Whether A and C can be shared out in many ways at this B, degrees: with the 32 bits of a
/// controller, up to 0.02° from ±90°.
pub(crate) fn shares_out(b: f64) -> bool {
    b.abs() > 90.0 - 0.05
}

/// Whether an angle may have either sign with the 32 bits of a controller, degrees: half a turn.
fn has_two_signs(angle: f64) -> bool {
    angle.abs() > 180.0 - 0.01
}

/// The angle of a vector, degrees.
pub(crate) fn direction(y: f64, x: f64, place: &Location) -> Value {
    let angle = y.atan2(x).to_degrees();
    match () {
        () if y == 0.0 && x > 0.0 => Value::Number(angle),
        () if has_two_signs(angle) && !fits(y) => {
            Value::unknown(place, "half a turn may be one to either side")
        }
        () => finite(inexact(angle), place),
    }
}

/// The angles of a frame.
const ANGLES: [&str; 3] = ["a", "b", "c"];

/// A frame as a value.
pub(crate) fn value(frame: &Isometry3<f64>, place: &Location) -> Value {
    let numbers = numbers(frame);
    let fields = FRAME.iter().zip(numbers);
    let mut fields: BTreeMap<Arc<str>, Value> =
        fields.map(|(&n, x)| (n.into(), Value::Number(x))).collect();
    let [.., a, b, c] = numbers;
    let angles = [a, b, c];
    for (k, name) in [(0, "a"), (2, "c")] {
        let reason = match () {
            () if shares_out(b) => "at a B of ±90° A and C can be shared out in many ways",
            () if has_two_signs(angles[k]) => "half a turn may be one to either side",
            () => continue,
        };
        let open = OpenNumber {
            number: angles[k],
            choice: OpenChoice::Angle(angles, k),
            why: Arc::new(Fault::new(place, reason).into()),
        };
        fields.insert(name.into(), Value::Open(open.into()));
    }
    Value::Record(fields)
}

/// The components that a frame states. A, B and C that were computed are known together, as long as
/// none of them is another one.
pub(crate) fn components(fields: &BTreeMap<Arc<str>, Value>) -> BTreeMap<Arc<str>, Value> {
    let mut fields = fields.clone();
    let choice = |name: &&str| match fields.get(*name) {
        Some(Value::Open(open)) => Some(open.choice),
        _ => None,
    };
    if let Some(OpenChoice::Angle(angles, _)) = ANGLES.iter().find_map(choice) {
        let is_of = |(k, name): (usize, &&str)| match fields.get(*name) {
            Some(Value::Open(open)) => open.choice == OpenChoice::Angle(angles, k),
            now => now == Some(&Value::Number(angles[k])),
        };
        if ANGLES.iter().enumerate().all(is_of) {
            let known = ANGLES.iter().zip(angles);
            fields.extend(known.map(|(&name, angle)| (name.into(), Value::Number(angle))));
        }
    }
    fields
}

/// Components of a record.
pub(crate) fn fields<'v>(
    value: &'v Value,
    what: &str,
    place: &Location,
) -> Result<Known<&'v BTreeMap<Arc<str>, Value>>, Fault> {
    match value {
        Value::Record(fields) => Ok(Ok(fields)),
        Value::Unknown(why) => Ok(Err(why.clone())),
        other => {
            let reason = format!("{} stands where {what} is needed", other.kind());
            Err(Fault::new(place, reason))
        }
    }
}

/// The numbers of these components, all of which have to be stated.
pub(crate) fn stated(
    fields: &BTreeMap<Arc<str>, Value>,
    names: [&str; 6],
    place: &Location,
) -> Result<Known<[f64; 6]>, Fault> {
    let mut found = [0.0; 6];
    for (number, name) in found.iter_mut().zip(names) {
        let Some(value) = fields.get(name) else {
            let reason = format!("nothing is stated for {}", name.to_uppercase());
            return Ok(Err(Arc::new(Fault::new(place, reason).into())));
        };
        match value.number(place)? {
            Ok(x) => *number = x,
            Err(why) => return Ok(Err(why)),
        }
    }
    Ok(Ok(found))
}

/// A frame.
pub(crate) fn frame(value: &Value, place: &Location) -> Result<Known<Isometry3<f64>>, Fault> {
    let fields = match fields(value, "a frame", place)? {
        Ok(fields) => fields,
        Err(why) => return Ok(Err(why)),
    };
    Ok(stated(&components(fields), FRAME, place)?.map(transform))
}

/// One frame in another. What is made of a position states no status and turn that anybody has
/// taught.
pub(crate) fn compose(left: &Value, right: &Value, place: &Location) -> Result<Value, Fault> {
    let (a, b) = match (frame(left, place)?, frame(right, place)?) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(why), _) | (_, Err(why)) => return Ok(Value::Unknown(why)),
    };
    let mut made = value(&(a * b), place).rounded();
    if let Value::Record(fields) = &mut made {
        let has =
            |value: &Value, name: &str| matches!(value, Value::Record(f) if f.contains_key(name));
        for name in ["s", "t"] {
            if has(left, name) || has(right, name) {
                let reason = "which status and turn a composed position has is not read";
                fields.insert(name.into(), Value::unknown(place, reason));
            }
        }
    }
    Ok(made)
}

/// The value of a variable after this assignment. Components that the assignment does not state are
/// unknown: nobody can be sure that they keep their values. Only an external axis that there is none
/// of, and that stood at 0, has nothing else to be than 0.
pub(crate) fn assigned(
    old: Option<&Value>,
    new: Value,
    has_external: bool,
    place: &Location,
) -> Value {
    let (Some(Value::Record(old)), Value::Record(mut fields)) = (old, new.clone()) else {
        return new;
    };
    for (name, held) in old {
        if !has_external && EXTERNAL.contains(&&**name) && *held == Value::Number(0.0) {
            fields.entry(name.clone()).or_insert(Value::Number(0.0));
        }
        if !fields.contains_key(name) {
            let reason = format!(
                "the last assignment states nothing for {}",
                name.to_uppercase()
            );
            fields.insert(name.clone(), Value::unknown(place, reason));
        }
    }
    Value::Record(fields)
}
