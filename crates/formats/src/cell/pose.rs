//! Poses as TOML tables, and angles that can hardly be meant as they are written.

use clearance_proof::model::{Joint, JointKind};
use clearance_proof::report::Severity;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::reader::CellReader;
use super::table::{Table, TableValue};
use crate::urdf::{self, beyond_a_turn, degrees_taken_for_radians};
use crate::{ImportError, Problem};

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

impl CellReader {
    /// A pose; angles without a unit that can hardly be radians are said.
    pub(super) fn pose(
        &mut self,
        table: &Table,
        key: &'static str,
    ) -> Result<Isometry3<f64>, ImportError> {
        match table.get(key) {
            Some(value) => self.pose_of(&value.table("a pose", &["xyz", "rpy", "quat"])?),
            None => Ok(Isometry3::identity()),
        }
    }

    /// The same of the table that states it.
    pub(super) fn pose_of(&mut self, table: &Table) -> Result<Isometry3<f64>, ImportError> {
        let read = pose_of(table)?;
        if let Some(rpy) = table.get("rpy")
            && let Some(why) = suspicious_rpy(&rpy)?
        {
            // No pose needs more than a full turn, and a wrong one decides where a body stands.
            (self.builder).suspicious_angle(&rpy.place(), why, Severity::Open);
        }
        Ok(read)
    }
}

/// How far a pose shifts by numbers that say no unit, metres.
pub(super) fn unitless_shift(
    table: &Table,
    key: &'static str,
) -> Result<Option<Vector3<f64>>, ImportError> {
    let Some(value) = table.get(key) else {
        return Ok(None);
    };
    let Some(xyz) = value.table("a pose", &["xyz", "rpy", "quat"])?.get("xyz") else {
        return Ok(None);
    };
    let numbers = xyz.list()?.into_iter();
    let numbers = numbers.map(|value| without_unit(&value).unwrap_or(0.0));
    let shift = Vector3::from_iterator(numbers.chain([0.0; 3]));
    Ok((shift != Vector3::zeros()).then_some(shift))
}

/// Why the angles of a pose can hardly be meant; those that state their unit are.
pub(crate) fn suspicious_rpy(rpy: &TableValue) -> Result<Option<String>, ImportError> {
    let bare: Vec<f64> = rpy.list()?.iter().filter_map(without_unit).collect();
    Ok(no_radians("an angle of `rpy`", &bare))
}

/// Why angles can hardly be radians, and how each unit is written.
fn no_radians(what: &str, bare: &[f64]) -> Option<String> {
    let why = degrees_taken_for_radians(what, bare)?;
    let large = beyond_a_turn(bare)?;
    Some(format!(
        "{why}; write \"{large}deg\" for degrees, \"{large}rad\" for radians"
    ))
}

/// Why the value of a joint can hardly be meant: that of one that turns without end, for limits
/// tell it of all others.
pub(crate) fn suspicious_value(value: &TableValue, joint: &Joint) -> Option<String> {
    if joint.kind == JointKind::Prismatic || joint.limits.position.is_some() {
        return None;
    }
    let what = format!("`{}`", value.key);
    no_radians(&what, &[without_unit(value)?])
}

/// A number that says no unit, as text or not: with a unit an angle says what it means.
pub(crate) fn without_unit(value: &TableValue) -> Option<f64> {
    match value.string() {
        Ok(text) => text.trim().parse().ok(),
        Err(_) => value.number().ok(),
    }
}
