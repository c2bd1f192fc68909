//! How the tool turns on an arc: controllers have it pass the point in between as that was taught.

use clearance_proof::model::moves::{Frame, Move, Target};
use clearance_proof::report::Location;
use nalgebra::{Isometry3, Vector3};

use super::here;
use crate::controller::ControlledArm;
use crate::record::MoveRecord;
use crate::value::Fault;

/// Positions in lists are rounded, radians: angles to a thousandth of a degree, some of them added.
const ROUNDED: f64 = 1e-4;

/// An arc from where the arm is.
pub(crate) struct ArcPoints<'a> {
    pub via: &'a Target,
    pub end: &'a Target,
    pub tool: &'a Frame,
}

/// Notes in the record where it is not known how the tool turns on an arc from where the arm is;
/// `tube`: as for [`turning_doubt`].
pub(crate) fn note_turning(
    record: &mut MoveRecord,
    controller: &ControlledArm,
    arc: &ArcPoints,
    tube: f64,
    place: &Location,
) {
    if let Some(doubt) = turning_doubt(controller, record.moves(), arc, tube) {
        record.unknown(Fault::new(place, doubt));
    }
}

/// Why it is not known how the tool turns on an arc from where the arm is; none: at the point in
/// between it stands as an even turn has it there, or beside it by no more than `tube`, as a share
/// of the turn.
fn turning_doubt(
    controller: &ControlledArm,
    moves: &[Move],
    arc: &ArcPoints,
    tube: f64,
) -> Option<String> {
    match taught(controller, moves, arc) {
        Err(reason) => Some(format!(
            "how the tool turns on this arc is not known: {reason}"
        )),
        Ok([start, via, end]) if turns_evenly(&start, &via, &end, tube) => None,
        Ok(_) => Some(
            "the tool passes the point in between of this arc otherwise than on an even turn from its start to its end: how it turns is not known; a wider `--orientation-tube` may hold it".into(),
        ),
    }
}

/// The poses of the tool at the start, in between and at the end, in one frame.
fn taught(
    controller: &ControlledArm,
    moves: &[Move],
    &ArcPoints { via, end, tool }: &ArcPoints,
) -> Result<[Isometry3<f64>; 3], String> {
    let start = moves.last().map(|step| &step.target);
    let mut frames = [Some(end), Some(via), start].into_iter().flatten();
    let frame = frames.find_map(|target| match target {
        Target::Pose { frame, .. } => Some(frame),
        Target::Joints(_) => None,
    });
    let Some(frame) = frame else {
        let start = match start {
            Some(Target::Joints(q)) => Some(q.clone()),
            _ => controller.start(),
        };
        let start = start.ok_or("where the arm is before is not known")?;
        let at = |target: &Target| match target {
            Target::Joints(q) => controller.pose_in_world(q, tool),
            Target::Pose { .. } => Err("its frame is not known".to_owned()),
        };
        return Ok([controller.pose_in_world(&start, tool)?, at(via)?, at(end)?]);
    };
    let at = |target: &Target| match target {
        Target::Joints(q) => controller.pose(q, tool, frame),
        Target::Pose {
            frame: of,
            frame_from_tool,
            ..
        } if of.link == frame.link => {
            Ok(frame.link_from_frame.inverse() * of.link_from_frame * frame_from_tool)
        }
        Target::Pose { .. } => Err("its points are stated in frames of several links".to_owned()),
    };
    Ok([here(controller, moves, tool, frame)?, at(via)?, at(end)?])
}

/// Whether the tool stands in between as an even turn has it there.
fn turns_evenly(
    start: &Isometry3<f64>,
    via: &Isometry3<f64>,
    end: &Isometry3<f64>,
    tube: f64,
) -> bool {
    let [a, b, c] = [start, via, end].map(|pose| pose.translation.vector);
    // An arc that is a line is refused where it is followed.
    let Some(share) = share_of_arc(&a, &b, &c) else {
        return true;
    };
    let (from, to) = (start.rotation, end.rotation);
    from.try_slerp(&to, share, 1e-9)
        .is_some_and(|even| even.angle_to(&via.rotation) <= tube * from.angle_to(&to) + ROUNDED)
}

/// The part of the way along an arc at which the point in between lies.
fn share_of_arc(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> Option<f64> {
    let (u, v) = (a - c, b - c);
    let normal = u.cross(&v);
    let size = normal.norm_squared();
    if size <= f64::MIN_POSITIVE {
        return None;
    }
    let centre = c + (u.norm_squared() * v - v.norm_squared() * u).cross(&normal) / (2.0 * size);
    let whole_turn = std::f64::consts::TAU;
    let along = |p: &Vector3<f64>| {
        let (from, to) = (a - centre, p - centre);
        let angle = normal.dot(&from.cross(&to)) / size.sqrt();
        angle.atan2(from.dot(&to)).rem_euclid(whole_turn)
    };
    let share = along(b) / along(c);
    share.is_finite().then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter of a circle on which the tool turns by 40°, and in the middle by so much.
    #[test]
    fn the_tube_says_how_far_a_turn_may_be_off() {
        let at = |place: f64, turn: f64| {
            let (sin, cos) = place.to_radians().sin_cos();
            let turned = Vector3::z() * turn.to_radians();
            Isometry3::new(Vector3::new(cos, sin, 0.0), turned)
        };
        let [start, end] = [at(0.0, 0.0), at(90.0, 40.0)];
        for (turn, tube, evenly) in [
            (20.0, 0.0, true),
            (20.004, 0.0, true),
            (20.01, 0.0, false),
            (23.9, 0.1, true),
            (24.1, 0.1, false),
            (24.1, 0.2, true),
        ] {
            let found = turns_evenly(&start, &at(45.0, turn), &end, tube);
            assert_eq!(found, evenly, "{turn} {tube}");
        }
    }

    #[test]
    fn shares_of_an_arc_are_measured_along_it() {
        let at = |degrees: f64| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            Vector3::new(3.0 + 2.0 * cos, 1.0, 2.0 * sin)
        };
        for (from, via, to, share) in [
            (0.0, 45.0, 90.0, 0.5),
            (10.0, 70.0, 310.0, 0.2),
            (90.0, 80.0, -270.0 + 160.0, 0.05),
        ] {
            let found = share_of_arc(&at(from), &at(via), &at(to));
            let found = found.unwrap_or(f64::NAN);
            assert!((found - share).abs() < 1e-9, "{found}");
        }
        let [a, b, c] = [0.0, 1.0, 2.0].map(|x| Vector3::new(x, 0.0, 0.0));
        assert_eq!(share_of_arc(&a, &b, &c), None);
    }
}
