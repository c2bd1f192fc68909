//! Poses as URScript has them: metres, and the axis of the rotation with its angle for a length.

use std::f64::consts::PI;
use std::sync::Arc;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use clearance_proof::report::Location;

use crate::record::can_be_meant;
use crate::value::{
    Fault, Known, OpenChoice, OpenNumber, Value, fits, inexact, known_but_for_sign,
};

/// The transform of six numbers; `None`: no arm gets there, or turns as far.
pub(crate) fn transform(numbers: &[f64; 6]) -> Option<Isometry3<f64>> {
    let [x, y, z, rx, ry, rz] = *numbers;
    let pose = Isometry3::from_parts(
        Translation3::new(x, y, z),
        UnitQuaternion::from_scaled_axis(Vector3::new(rx, ry, rz)),
    );
    can_be_meant(&pose).then_some(pose)
}

/// The six numbers of a transform.
pub(crate) fn numbers(pose: &Isometry3<f64>) -> [f64; 6] {
    let (p, r) = (pose.translation.vector, pose.rotation.scaled_axis());
    [p.x, p.y, p.z, r.x, r.y, r.z]
}

/// Turns nearer to half a turn may go either way, radians: programs carry rounded numbers.
pub(crate) const HALF_TURN_RAD: f64 = 1e-3;

/// Why a number that is computed of a turn is not known.
const EITHER: &str = "of half a turn the rotation vector, or roll and yaw, may have either sign";

pub(crate) fn is_half_turn(angle: f64) -> bool {
    (angle.abs() - PI).abs() < HALF_TURN_RAD
}

/// A rotation vector that was computed. Of half a turn a controller may as well have the opposite one.
pub(crate) fn turn(vector: [f64; 3], place: &Location) -> [Value; 3] {
    if !is_half_turn(Vector3::from(vector).norm()) {
        return vector.map(Value::Number);
    }
    let [x, y, z] = vector;
    [0, 1, 2].map(|k| open(vector[k], OpenChoice::Sign([x, y, z, 0.0], k), place))
}

/// Roll, pitch or yaw as it was computed. Half a turn may as well be one to the other side.
pub(crate) fn angle(angle: f64, place: &Location) -> Value {
    if is_half_turn(angle) {
        open(angle, OpenChoice::Turns, place)
    } else {
        Value::Number(angle)
    }
}

fn open(number: f64, choice: OpenChoice, place: &Location) -> Value {
    let why = Arc::new(Fault::new(place, EITHER).into());
    Value::Open(Arc::new(OpenNumber {
        number,
        choice,
        why,
    }))
}

/// The rotation vector that three values are. It is known where they are all of one of half a turn:
/// the opposite one is the same turn.
///
/// # Errors
/// When one of them is something else than a number.
pub(crate) fn vector(items: &[Value], place: &Location) -> Result<Known<Vec<f64>>, Fault> {
    match known_but_for_sign(items) {
        Some(numbers) => Ok(Ok(numbers[..3].to_vec())),
        None => items.iter().map(|item| item.number(place)).collect(),
    }
}

/// A transform as a value.
pub(crate) fn value(pose: &Isometry3<f64>, place: &Location) -> Value {
    made(numbers(pose), place)
}

/// One that was computed: a controller has rounded each of its numbers, unless `is_exact`.
pub(crate) fn computed(pose: &Isometry3<f64>, is_exact: bool, place: &Location) -> Value {
    let numbers = numbers(pose);
    made(
        if is_exact {
            numbers
        } else {
            numbers.map(inexact)
        },
        place,
    )
}

fn made([x, y, z, a, b, c]: [f64; 6], place: &Location) -> Value {
    let turn = turn([a, b, c], place);
    Value::Pose(
        [x, y, z]
            .map(Value::Number)
            .into_iter()
            .chain(turn)
            .collect(),
    )
}

/// Whether sums with a transform are not rounded: it does not turn, and its numbers fit into 32 bits.
pub(crate) fn is_exact(pose: &Isometry3<f64>) -> bool {
    pose.rotation == UnitQuaternion::identity() && pose.translation.vector.iter().all(|&x| fits(x))
}

/// The transform that a value is.
///
/// # Errors
/// When it is not a pose of six numbers.
pub(crate) fn read(value: &Value, place: &Location) -> Result<Known<Isometry3<f64>>, Fault> {
    let known = match value {
        Value::Pose(items) if items.len() == 6 => {
            let moved: Known<Vec<f64>> = (items[..3].iter())
                .map(|item| item.number(place))
                .collect::<Result<_, _>>()?;
            let turned = vector(&items[3..], place)?;
            moved.and_then(|moved| Ok([moved, turned?].concat()))
        }
        Value::Pose(_) | Value::Unknown(_) => value.list(place)?,
        other => {
            let reason = format!("{} stands where a pose is needed", other.kind());
            return Err(Fault::new(place, reason));
        }
    };
    let list = match known {
        Ok(list) => list,
        Err(why) => return Ok(Err(why)),
    };
    let six: [f64; 6] = list
        .try_into()
        .map_err(|_| Fault::new(place, "a pose has six numbers"))?;
    transform(&six)
        .map(Ok)
        .ok_or_else(|| Fault::new(place, "a pose has a number that cannot be right: too large"))
}
