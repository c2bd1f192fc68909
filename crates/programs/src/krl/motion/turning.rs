//! How the tool turns on lines and arcs.

use super::*;

/// Lines and arcs on which the tool turns otherwise than from start to end are not known.
pub(super) fn turning(
    interpreter: &mut BlockInterpreter<Krl>,
    motion: KrlMove,
    place: &Location,
) -> Result<(), Fault> {
    if motion == KrlMove::Ptp {
        return Ok(());
    }
    if builtin::get(interpreter, "$ori_type", place)? != Value::text("#var") {
        interpreter.doubt(
            place,
            "how the tool turns on this line is set by $ORI_TYPE, and not read",
        );
    }
    if motion == KrlMove::Circ
        && builtin::get(interpreter, "$circ_type", place)? != Value::text("#base")
    {
        interpreter.doubt(
            place,
            "how the tool turns on this arc is set by $CIRC_TYPE, and not read",
        );
    }
    Ok(())
}

/// The short way from one orientation of the tool to another one passes the one in between by no
/// more than this, degrees.
const BESIDE_DEG: f64 = 10.0;

/// On an arc of the `SCIRC` kind the tool turns the way that comes nearer to how it stands at the
/// point in between. What is followed is the short way.
pub(super) fn turns_by_way_of_via(
    interpreter: &mut BlockInterpreter<Krl>,
    ends: &[Here],
    frames: &Frames,
    place: &Location,
) {
    let turn = |here: &Here| match here {
        Here::Pose(pose, ..) => Some(data::transform(*pose).rotation),
        _ => None,
    };
    let [Some(via), Some(end)] = [0, 1].map(|k| ends.get(k).and_then(turn)) else {
        return;
    };
    let start = match &interpreter.language.here {
        start @ Here::Pose(_, tool, base) if *tool == frames.tool && *base == frames.base => {
            turn(start)
        }
        _ => None,
    };
    // Where the start is not stated for this tool and base, the way by the point in between is
    // longer by no more than twice what that is turned from the end.
    let longer = match start {
        Some(start) => start.angle_to(&via) + via.angle_to(&end) - start.angle_to(&end),
        None => 2.0 * via.angle_to(&end),
    };
    if longer.to_degrees() > BESIDE_DEG {
        interpreter.doubt(
            place,
            "the tool may turn the long way round on this arc: at the point in between it stands otherwise than on the short way",
        );
    }
}
