//! Poses as TOML tables.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::table::{Table, TableValue};
use crate::{ImportError, Problem, urdf};

/// `{ xyz = […], rpy = […] }`, or `quat = [x, y, z, w]` in place of `rpy`; identity where it is
/// missing.
pub(crate) fn pose(table: &Table, key: &'static str) -> Result<Isometry3<f64>, ImportError> {
    let Some(value) = table.get(key) else {
        return Ok(Isometry3::identity());
    };
    pose_of(&value.table("a pose", &["xyz", "rpy", "quat"])?)
}

/// The pose that such a table states; other keys of it are not looked at.
pub(crate) fn pose_of(table: &Table) -> Result<Isometry3<f64>, ImportError> {
    let xyz = table
        .get("xyz")
        .map_or(Ok([0.0; 3]), |v| v.array(TableValue::length))?;
    let Some(quat) = table.get("quat") else {
        let rpy = table
            .get("rpy")
            .map_or(Ok([0.0; 3]), |v| v.array(TableValue::angle))?;
        return Ok(urdf::pose(xyz, rpy));
    };
    if let Some(rpy) = table.get("rpy") {
        return Err(rpy.key_error(Problem::Syntax {
            cause: "both `rpy` and `quat` are given".into(),
            remedy: "keep one of them".into(),
        }));
    }
    let [x, y, z, w] = quat.array(TableValue::number)?;
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
