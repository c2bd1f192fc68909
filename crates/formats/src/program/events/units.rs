//! Numbers without a unit in events that look like degrees, where radians are read.

use clearance_proof::model::{Cell, JointId};
use clearance_proof::report::{Code, Diagnostic, Severity};

use crate::ImportError;
use crate::cell::table::TableValue;
use crate::cell::{suspicious_rpy, suspicious_value, without_unit};

/// What is to be said of the value to which an event moves a joint: the same as of one in a cell
/// file.
///
/// # Errors
/// When it can only be meant as degrees: the same value in a table of waypoints is refused, too.
pub(super) fn doubtful_value(
    written: &TableValue,
    cell: &Cell,
    joint: JointId,
) -> Result<Option<Diagnostic>, ImportError> {
    let label = cell.joint_label(joint);
    let joint = &cell.joints[joint];
    let Some(bare) = without_unit(written) else {
        return Ok(None);
    };
    if joint.may_be_degrees(bare) && joint.fits_as_degrees(bare) {
        return Err(written.bad(format!(
            "it looks like degrees: `{label}` would be at {bare} rad; write \"{bare}deg\" for degrees, \"{bare}rad\" if not"
        )));
    }
    let why = suspicious_value(written, joint);
    Ok(why.map(|why| said(written, why, Severity::Notice)))
}

/// What is to be said of the angles of a pose. No pose needs more than a full turn, so the question
/// stays open until the unit is stated.
pub(super) fn doubtful_pose(pose: &TableValue) -> Result<Option<Diagnostic>, ImportError> {
    let Some(rpy) = pose.free_table("a pose")?.get("rpy") else {
        return Ok(None);
    };
    let why = suspicious_rpy(&rpy)?;
    Ok(why.map(|why| said(&rpy, why, Severity::Open)))
}

fn said(value: &TableValue, why: String, severity: Severity) -> Diagnostic {
    let place = value.place();
    Diagnostic {
        severity,
        ..Diagnostic::note(Code::SuspiciousRpy, place.to_string(), why).at(place)
    }
}
