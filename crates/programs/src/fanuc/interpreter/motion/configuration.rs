//! Which of several ways the arm stands in.

use clearance_proof::model::moves::Configuration;

use super::FanucInterpreter;
use crate::ranges::{AT_ZERO, range};

/// Degrees beyond every joint.
const FAR_DEG: f64 = 36_000.0;

/// The axes to which turn numbers belong, where no list of the controller says so.
const TURN_AXES: [u32; 3] = [1, 4, 6];

/// `N U T, 0, 0, 0`: wrist, elbow, shoulder, and the turns of three joints: with the turn number n a
/// joint is between 360° n − 180° and 360° n + 180°.
pub(super) fn configuration(
    interpreter: &FanucInterpreter,
    config: &str,
) -> Result<Configuration, String> {
    let unclear = || format!("the configuration `{config}` is not understood");
    let mut parts = config.split(',').map(str::trim);
    let letters: Vec<&str> = parts
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let [wrist, elbow, shoulder] = letters[..] else {
        return Err(unclear());
    };
    let side = |letter: &str, yes: &str, no: &str| match letter {
        _ if letter == yes => Ok(true),
        _ if letter == no => Ok(false),
        _ => Err(unclear()),
    };
    let mut found = Configuration {
        in_front: Some(side(shoulder, "T", "B")?),
        elbow_up: Some(side(elbow, "U", "D")?),
        ranges: Vec::new(),
    };
    let (low, high) = if side(wrist, "N", "F")? {
        (-FAR_DEG, 0.0)
    } else {
        (0.0, FAR_DEG)
    };
    found
        .ranges
        .push(range(interpreter.way.controller, 4, low, high)?);
    let turns: Vec<f64> = parts
        .map(|t| t.parse().map_err(|_| unclear()))
        .collect::<Result<_, _>>()?;
    if turns.len() != 3 || turns.iter().any(|t| t.fract() != 0.0 || t.abs() > 8.0) {
        return Err(unclear());
    }
    let stated = interpreter.backup.turn_axes;
    if turns != [0.0; 3] && stated.is_none() {
        return Err(format!(
            "which joints the turn numbers of `{config}` belong to is a setting of the controller ($TURN_AXIS): name SYMOTN.VA of its backup in `files` of the robot's `controller`, or teach the position in joint values"
        ));
    }
    for (axis, turn) in stated.unwrap_or(TURN_AXES).into_iter().zip(turns) {
        match usize::try_from(axis)
            .ok()
            .and_then(|axis| axis.checked_sub(1))
        {
            Some(joint) => {
                let (low, high) = (360.0 * turn - 180.0, 360.0 * turn + 180.0);
                (found.ranges).push(range(interpreter.way.controller, joint, low, high)?);
            }
            // It belongs to no axis.
            None if turn == 0.0 => {}
            None => return Err(unclear()),
        }
    }
    interpreter.way.controller.of_model(found, AT_ZERO)
}
