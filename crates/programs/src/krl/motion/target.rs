//! Where a move ends.

use clearance_proof::model::moves::Unknown;

use super::*;

/// Where a move ends, with status and turn. What a partial aggregate leaves out is where the arm
/// is.
pub(super) fn stated(
    interpreter: &BlockInterpreter<Krl>,
    value: &Value,
    frames: &Frames,
    partial: bool,
    place: &Location,
) -> Result<Known<Stated>, Fault> {
    let fields = match data::fields(value, "a position", place)? {
        Ok(fields) => data::components(fields),
        Err(why) => return Ok(Err(why)),
    };
    let mut whole = fields.clone();
    let axes = data::AXES.iter().any(|a| fields.contains_key(*a));
    if axes && data::FRAME.iter().any(|x| fields.contains_key(*x)) {
        return Err(Fault::new(
            place,
            "this is neither joint values nor a position",
        ));
    }
    // A part by another name would be left out, and its place keep what it was.
    let own = if axes { data::AXES } else { data::FRAME };
    let is_part = |name: &str| {
        own.contains(&name) || data::EXTERNAL.contains(&name) || !axes && ["s", "t"].contains(&name)
    };
    if let Some(name) = fields.keys().find(|name| !is_part(name)) {
        let reason = format!("{} is not part of a position", name.to_uppercase());
        return Err(Fault::new(place, reason));
    }
    let keep = |whole: &mut BTreeMap<Arc<str>, Value>, names: [&str; 6], held: &[f64]| {
        for (name, x) in names.iter().zip(held) {
            whole.entry((*name).into()).or_insert(Value::Number(*x));
        }
    };
    match &interpreter.language.here {
        Here::Axes(held) if partial && axes => keep(&mut whole, data::AXES, held),
        Here::Pose(held, tool, base)
            if partial && !axes && *tool == frames.tool && *base == frames.base =>
        {
            // The same orientation has other A and C at a B of ±90°, and with B within ±90° where
            // it was beyond; it is not known which ones a controller keeps.
            let angles = ["a", "b", "c"].into_iter();
            let given = angles.filter(|name| fields.contains_key(*name)).count();
            if data::shares_out(held[4]) && (given == 1 || given == 2) {
                return Err(Fault::new(
                    place,
                    "it states some of A, B and C where B was ±90° or beyond, and the same orientation has other angles, too: state all three",
                ));
            }
            keep(&mut whole, data::FRAME, held);
        }
        _ => {}
    }
    let outer = match external(interpreter, &whole, axes, place)? {
        Ok(outer) => outer,
        Err(why) => return Ok(Err(why)),
    };
    if axes {
        return Ok(data::stated(&whole, data::AXES, place)?.map(|six| {
            let all = six.into_iter().chain(outer).collect();
            Stated::plain(Here::Axes(all))
        }));
    }
    let turn = |name: &str| -> Result<Known<Option<f64>>, Fault> {
        match whole.get(name) {
            Some(value) => Ok(value.number(place)?.map(Some)),
            None => Ok(Ok(None)),
        }
    };
    let pose = data::stated(&whole, data::FRAME, place)?;
    Ok(match (pose, turn("s")?, turn("t")?) {
        (Ok(pose), s, t) => {
            // Lines have no use for them: there it does not matter that they are not known.
            let (status, turn) = match (s, t) {
                (Ok(s), Ok(t)) => (s, t),
                _ => (Some(f64::NAN), None),
            };
            let end = Here::Pose(pose, frames.tool.clone(), frames.base.clone());
            Ok(Stated { end, status, turn })
        }
        (Err(why), ..) => Err(why),
    })
}

/// Values of external axes that belong to the arm's joints. All others have to stand at 0, or not
/// to be stated.
fn external(
    interpreter: &BlockInterpreter<Krl>,
    fields: &BTreeMap<Arc<str>, Value>,
    axes: bool,
    place: &Location,
) -> Result<Known<Vec<f64>>, Fault> {
    let more = interpreter.controller.len().saturating_sub(6);
    let mut found = Vec::new();
    for (k, name) in data::EXTERNAL.iter().enumerate() {
        let value = match fields.get(*name) {
            None => None,
            Some(value) => match value.number(place)? {
                Ok(x) => Some(x),
                Err(why) => return Ok(Err(why)),
            },
        };
        match (k < more, value) {
            (true, Some(x)) if axes => found.push(x),
            (true, _) => {
                let reason = "a position of an arm with more than six joints is not read";
                return Err(Fault::new(place, reason));
            }
            (false, Some(x)) if x != 0.0 => {
                let reason = format!(
                    "external axis {} goes to {x}, and the robot has no such joint in the cell",
                    name.to_uppercase()
                );
                return Err(Fault::new(place, reason));
            }
            (false, _) => {}
        }
    }
    Ok(Ok(found))
}

/// Where a relative move ends.
pub(super) fn shifted(
    interpreter: &BlockInterpreter<Krl>,
    value: &Value,
    frames: &Frames,
    call: &Call,
    place: &Location,
) -> Result<Known<Stated>, Fault> {
    let fields = match data::fields(value, "a position", place)? {
        Ok(fields) => data::components(fields),
        Err(why) => return Ok(Err(why)),
    };
    let axes = data::AXES.iter().any(|a| fields.contains_key(*a));
    let names = if axes { data::AXES } else { data::FRAME };
    let mut by = [0.0; 6];
    for (name, value) in &fields {
        let Some(k) = names.iter().position(|n| *n == &**name) else {
            let reason = format!("{} in a relative move is not read", name.to_uppercase());
            return Err(Fault::new(place, reason));
        };
        match value.number(place)? {
            Ok(x) => by[k] = x,
            Err(why) => return Ok(Err(why)),
        }
    }
    let unknown = |reason: &str| {
        let place = place.clone();
        let reason = reason.to_owned();
        Ok(Err(Arc::new(Unknown { place, reason })))
    };
    match &interpreter.language.here {
        Here::Axes(held) if axes => {
            let mut all = held.clone();
            all.iter_mut().zip(by).for_each(|(a, by)| *a += by);
            Ok(Ok(Stated::plain(Here::Axes(all))))
        }
        Here::Pose(held, tool, base) if !axes && *tool == frames.tool && *base == frames.base => {
            let along_tool = call.named("#tool").is_some();
            let turns = by[3..].iter().any(|x| *x != 0.0);
            let end = match (along_tool, turns) {
                (true, _) => data::numbers(&(data::transform(*held) * data::transform(by))),
                (false, false) => {
                    let mut end = *held;
                    end.iter_mut().zip(by).for_each(|(a, by)| *a += by);
                    end
                }
                (false, true) => {
                    return unknown("how a relative move turns the tool in its base is not read");
                }
            };
            let end = Here::Pose(end, tool.clone(), base.clone());
            Ok(Ok(Stated::plain(end)))
        }
        _ => unknown("from where this relative move goes is not stated for this tool and base"),
    }
}

pub(super) fn target(
    interpreter: &BlockInterpreter<Krl>,
    stated: &Stated,
    motion: KrlMove,
    frames: &Frames,
    place: &Location,
) -> Result<Known<Target>, Fault> {
    let fault = |reason: String| Fault::new(place, reason);
    let (pose, base): (Isometry3<f64>, _) = match &stated.end {
        Here::Axes(axes) => {
            let joints = interpreter.controller.to_urdf(axes, JointUnit::Degrees);
            return Ok(Ok(Target::Joints(joints.map_err(fault)?)));
        }
        Here::Pose(pose, ..) => (data::transform(*pose), data::frame(&frames.base, place)?),
        Here::Open => return Err(Fault::new(place, "this is not a position")),
    };
    // A pose is a pose of a tool: without one it is none.
    let base = match (base, data::frame(&frames.tool, place)?) {
        (Ok(base), Ok(_)) => base,
        (Err(why), _) | (_, Err(why)) => return Ok(Err(why)),
    };
    let world = interpreter.controller.base(None);
    let mut frame: Frame = world.map_err(|reason| {
        fault(format!(
            "{reason}: it is where $WORLD lies, which programs do not say"
        ))
    })?;
    frame.link_from_frame *= base;
    let branch = match (motion, stated.status, stated.turn) {
        // Lines lead where they lead: status and turn bind none of them, not even the first.
        (KrlMove::Lin | KrlMove::Circ, ..) => Branch::Continued,
        (KrlMove::Ptp, Some(status), Some(turn)) => {
            Branch::Configuration(configuration(interpreter, status, turn).map_err(fault)?)
        }
        // A controller keeps the status that the arm has, and takes the nearest turns by its own
        // limits: that need not be the nearest joint values.
        (KrlMove::Ptp, ..) => {
            return Err(fault(
                "a joint move to a pose without status and turn (S and T): which joint values it means depends on how the arm stands and on the \
                 controller's limits; state both, or joint values"
                    .to_owned(),
            ));
        }
    };
    Ok(Ok(Target::Pose {
        frame,
        frame_from_tool: pose,
        branch,
    }))
}

/// Joint values at which a robot reaches forward with its elbow up: with all at zero it is stretched
/// out.
const ELBOW_UP: [f64; 6] = [0.0, 0.0, 90.0, 0.0, 0.0, 0.0];

/// Status and turn: on which side of axis 1 the wrist lies, on which side of the elbow, and the
/// sign of each joint.
fn configuration(
    interpreter: &BlockInterpreter<Krl>,
    status: f64,
    turn: f64,
) -> Result<Configuration, String> {
    let bits = |x: f64, what: &str| match x {
        x if x.fract() == 0.0 && (0.0..4096.0).contains(&x) => Ok(x as u32),
        _ => Err(format!("the {what} of this position is not known")),
    };
    let (status, turn) = (bits(status, "status")?, bits(turn, "turn")?);
    // Which of the two a controller obeys then is not known.
    if (status & 4 != 0) != (turn & 16 != 0) {
        return Err("status and turn of this position contradict each other about axis 5".into());
    }
    let sides = (0..6).map(|joint| {
        let (from, to) = match turn & (1 << joint) {
            0 => (0.0, FAR_DEG),
            _ => (-FAR_DEG, 0.0),
        };
        range(interpreter.controller, joint, from, to)
    });
    let found = Configuration {
        in_front: Some(status & 1 == 0),
        elbow_up: Some(status & 2 != 0),
        ranges: sides.collect::<Result<_, _>>()?,
    };
    interpreter.controller.of_model(found, ELBOW_UP)
}
