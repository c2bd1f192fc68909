//! Where a move goes.

use nalgebra::Isometry3;

use clearance_proof::model::moves::Branch;

use super::configuration::{Choice, configuration};
use super::*;
use crate::controller::JointUnit;

/// Where a move goes: for an arc first where it passes.
pub(super) fn targets(
    interpreter: &BlockInterpreter<Rapid>,
    kind: RapidMove,
    values: &[Value],
    wobj: &Known<Frame>,
    place: &Location,
) -> Result<Known<Vec<Target>>, Fault> {
    let mut targets = Vec::new();
    for (k, value) in values.iter().enumerate() {
        targets.push(match kind {
            RapidMove::AbsJ => joints(interpreter, value, place)?,
            kind => {
                // The first point of an arc says where it passes, and nothing of joints.
                let via = k + 1 < values.len();
                // The first line of all says where the arm is, if the controller then holds it to
                // what it says.
                let first = interpreter.record.moves().is_empty();
                let choice = match kind {
                    RapidMove::J => interpreter.language.choice(),
                    _ if first && !via && interpreter.language.lines_hold => Choice::Stated,
                    _ => Choice::Continued,
                };
                pose(interpreter, value, wobj, choice, place)?
            }
        });
    }
    Ok(targets.into_iter().collect())
}

/// Joint values of the arm and of external axes.
fn joints(
    interpreter: &BlockInterpreter<Rapid>,
    value: &Value,
    place: &Location,
) -> Result<Known<Target>, Fault> {
    let [arm, outer] = match data::parts::<2>(value, "a jointtarget", place)? {
        Ok(parts) => parts,
        Err(why) => return Ok(Err(why)),
    };
    let arm = data::numbers::<6>(arm, "a robjoint", place)?;
    let outer = data::numbers::<6>(outer, "an extjoint", place)?;
    let (arm, outer) = match (arm, outer) {
        (Ok(arm), Ok(outer)) => (arm, outer),
        (Err(why), _) | (_, Err(why)) => return Ok(Err(why)),
    };
    let more = external(interpreter, &outer, place)?;
    let all: Vec<f64> = arm
        .into_iter()
        .chain(outer[..more].iter().copied())
        .collect();
    let joints = interpreter.controller.to_urdf(&all, JointUnit::Degrees);
    let joints = joints.map_err(|reason| Fault::new(place, reason))?;
    Ok(Ok(Target::Joints(joints)))
}

/// How many external axes belong to the arm's joints. All others have to be
/// unused.
fn external(
    interpreter: &BlockInterpreter<Rapid>,
    outer: &[f64; 6],
    place: &Location,
) -> Result<usize, Fault> {
    let unused = |x: &f64| *x >= 8.9e9;
    let more = interpreter.controller.len().saturating_sub(6);
    for (k, value) in outer.iter().enumerate() {
        let axis = ["a", "b", "c", "d", "e", "f"][k];
        match (k < more, unused(value)) {
            (true, false) | (false, true) => {}
            // RobotStudio writes 0 for axes that are not there: such an axis stays where it is.
            (false, false) if *value == 0.0 => {}
            (true, true) => {
                let reason = format!("where external axis {axis} goes is not said");
                return Err(Fault::new(place, reason));
            }
            (false, false) => {
                let reason = format!(
                    "external axis {axis} goes to {value}, and the robot has no such joint in the cell; an axis that is not there has 9E9, or 0"
                );
                return Err(Fault::new(place, reason));
            }
        }
    }
    Ok(more)
}

fn pose(
    interpreter: &BlockInterpreter<Rapid>,
    value: &Value,
    wobj: &Known<Frame>,
    choice: Choice,
    place: &Location,
) -> Result<Known<Target>, Fault> {
    let [trans, rot, conf, outer] = match data::parts::<4>(value, "a robtarget", place)? {
        Ok(parts) => parts,
        Err(why) => return Ok(Err(why)),
    };
    let pose = data::isometry(trans, rot, place)?;
    let conf = data::numbers::<4>(conf, "a confdata", place)?;
    let outer = data::numbers::<6>(outer, "an extjoint", place)?;
    let (pose, conf, outer, frame): (Isometry3<f64>, _, _, _) =
        match (pose, conf, outer, wobj.clone()) {
            (Ok(pose), Ok(conf), Ok(outer), Ok(frame)) => (pose, conf, outer, frame),
            (Err(why), ..) | (_, Err(why), ..) | (.., Err(why), _) | (.., Err(why)) => {
                return Ok(Err(why));
            }
        };
    if external(interpreter, &outer, place)? > 0 {
        let reason = "a pose of an arm with more than six joints is not read";
        return Err(Fault::new(place, reason));
    }
    let branch = match choice {
        Choice::Continued => Branch::Continued,
        Choice::Nearest => Branch::NearestToStart,
        Choice::Stated => {
            let found = configuration(interpreter, conf);
            Branch::Configuration(found.map_err(|reason| Fault::new(place, reason))?)
        }
    };
    Ok(Ok(Target::Pose {
        frame,
        frame_from_tool: pose,
        branch,
    }))
}
