//! Poses as URScript has them: metres, and the axis of the rotation with its angle for a length.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use clearance_proof::report::Location;

use crate::record::can_be_meant;
use crate::value::{Fault, Known, Value, fits, inexact};

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

/// A transform as a value.
pub(crate) fn value(pose: &Isometry3<f64>) -> Value {
    Value::Pose(numbers(pose).iter().map(|&x| Value::Number(x)).collect())
}

/// One that was computed: a controller has rounded each of its numbers, unless `is_exact`.
pub(crate) fn computed(pose: &Isometry3<f64>, is_exact: bool) -> Value {
    if is_exact {
        return value(pose);
    }
    let rounded = numbers(pose).map(|x| Value::Number(inexact(x)));
    Value::Pose(rounded.to_vec())
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
