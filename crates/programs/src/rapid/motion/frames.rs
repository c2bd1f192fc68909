//! Tools and frames that moves refer to.

use clearance_proof::model::moves::Unknown;

use super::*;

pub(super) fn base(interpreter: &BlockInterpreter<Rapid>) -> Known<Frame> {
    interpreter.controller.base(None).map_err(|reason| {
        let place = interpreter.here().map(|r| r.place.clone());
        let place = place.unwrap_or_else(|| Location::file("".as_ref()));
        Unknown {
            place,
            reason: format!("{reason}: it is where `wobj0` lies, which the modules do not say"),
        }
        .into()
    })
}

pub(super) fn tool(
    interpreter: &mut BlockInterpreter<Rapid>,
    expression: &Expression,
    place: &Location,
) -> Result<Known<Frame>, Fault> {
    let value = interpreter.value(expression, place)?;
    let [held, pose, _] = match data::parts::<3>(&value, "a tooldata", place)? {
        Ok(parts) => parts,
        Err(why) => return Ok(Err(why)),
    };
    match held.boolean(place)? {
        Ok(true) => {}
        Ok(false) => {
            let reason = "this tool stands still, and the arm holds the work: that is not read";
            return Err(Fault::new(place, reason));
        }
        Err(why) => return Ok(Err(why)),
    }
    let flange = interpreter.controller.flange(Some("tool0"));
    let mut flange = flange.map_err(|reason| Fault::new(place, reason))?;
    Ok(data::read_pose(pose, place)?.map(|pose| {
        flange.link_from_frame *= pose;
        flange
    }))
}

/// The frame of a work object.
pub(super) fn frame(
    interpreter: &mut BlockInterpreter<Rapid>,
    expression: &Expression,
    place: &Location,
) -> Result<Known<Frame>, Fault> {
    if let Expression::Variable(path) = expression
        && path.parts.is_empty()
        && let Ok(None) = interpreter.seen(&path.name)
        && let Some(frame) = said_frame(interpreter, &path.name)
    {
        return Ok(Ok(frame));
    }
    let value = interpreter.value(expression, place)?;
    let [held, fixed, _, user, object] = match data::parts::<5>(&value, "a wobjdata", place)? {
        Ok(parts) => parts,
        Err(why) => return Ok(Err(why)),
    };
    for (state, right, says) in [
        (
            held,
            false,
            "the arm holds this work object: that is not read",
        ),
        (
            fixed,
            true,
            "another mechanism moves this work object: that is not read",
        ),
    ] {
        match state.boolean(place)? {
            Ok(found) if found == right => {}
            Ok(_) => return Err(Fault::new(place, says)),
            Err(why) => return Ok(Err(why)),
        }
    }
    let poses = (
        data::read_pose(user, place)?,
        data::read_pose(object, place)?,
    );
    Ok(match (base(interpreter), poses) {
        (Ok(mut frame), (Ok(user), Ok(object))) => {
            frame.link_from_frame *= user * object;
            Ok(frame)
        }
        (Err(why), _) | (_, (Err(why), _) | (_, Err(why))) => Err(why),
    })
}

/// A frame that the cell says, whatever its capitals.
fn said_frame(interpreter: &BlockInterpreter<Rapid>, name: &str) -> Option<Frame> {
    let frames = &interpreter.controller.settings()?.frames;
    let found = frames.iter().find(|(key, _)| key.to_lowercase() == name);
    found.map(|(_, frame)| frame.clone())
}
