//! Instructions that move the arm, and inline forms that say with which tool and base.

mod form;
mod interrupt;
mod target;
mod turning;

use std::collections::BTreeMap;
use std::sync::Arc;

use nalgebra::Isometry3;

use clearance_proof::model::moves::{
    ArcTurning, Branch, Configuration, Frame, Move, MoveKind, Speed, Target, Zone,
};
use clearance_proof::report::Location;

use super::{Krl, builtin, correction, data, order};
use crate::block::Does;
use crate::block::doubts::unknown_point;
use crate::block::interpreter::{BlockInterpreter, ListsOf};
use crate::block::syntax::{Call, Expression, Name, PathPart, VariablePath};
use crate::controller::{JointUnit, STILL};
use crate::ranges::{FAR_DEG, range};
use crate::value::{Fault, Known, Value};
use form::form;
use interrupt::interrupt;
pub(super) use interrupt::{is_its_own, only_stops};
use target::{shifted, stated, target};
use turning::{turning, turns_by_way_of_via};

/// In what arms of KUKA differ.
const COUNTED: &str = "models of KUKA's arms differ in signs and zeros";

/// Where the last move ended, as it was stated: what is not stated of the next end keeps its value.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Here {
    /// Nobody has said.
    #[default]
    Open,
    /// Joint values in degrees, with external axes.
    Axes(Vec<f64>),
    /// A position, with the tool and the base that it is stated for.
    Pose([f64; 6], Value, Value),
}

impl Here {
    /// The same as a value.
    pub(crate) fn value(&self) -> Value {
        match self {
            Self::Open => Value::Array(Vec::new()),
            Self::Axes(axes) => Value::numbers(axes),
            Self::Pose(pose, tool, base) => {
                Value::Array(vec![Value::numbers(pose), tool.clone(), base.clone()])
            }
        }
    }
}

/// How a move is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KrlMove {
    Ptp,
    Lin,
    Circ,
}

/// From where the points of a move count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    FromBase,
    /// From where the arm is.
    FromHere,
}

/// Where a move ends as it is stated.
struct Stated {
    end: Here,
    status: Option<f64>,
    turn: Option<f64>,
}

impl Stated {
    /// Without status and turn.
    fn plain(end: Here) -> Self {
        Self {
            end,
            status: None,
            turn: None,
        }
    }
}

/// Follows an instruction that is not a routine of the program.
pub(crate) fn instruct(
    interpreter: &mut BlockInterpreter<Krl>,
    call: &Call,
    place: &Location,
) -> Result<(), Fault> {
    let (plain, counted) = match call.name.strip_suffix("_rel") {
        Some(plain) => (plain, Counted::FromHere),
        None => (&*call.name, Counted::FromBase),
    };
    let motion = match plain {
        "ptp" | "sptp" => Some(KrlMove::Ptp),
        "lin" | "slin" => Some(KrlMove::Lin),
        "circ" | "scirc" => Some(KrlMove::Circ),
        _ => None,
    };
    match (&*call.name, motion) {
        (_, Some(KrlMove::Ptp)) if stays(interpreter, call, counted) => {
            interpreter.record.pass_over("PTP $AXIS_ACT");
            Ok(())
        }
        (_, Some(motion)) => moves(interpreter, call, motion, counted, place),
        ("bas", _) => form(interpreter, call, place),
        ("interrupt decl", _) => interrupt(interpreter, call, place),
        _ => {
            let written = interpreter
                .program
                .written
                .get(&call.name)
                .unwrap_or(&call.name);
            let reason = format!(
                "`{written}` is in no file that was read, and could move the arm or change how it moves"
            );
            let remedy = if builtin::is_motion(&call.name) {
                String::new()
            } else {
                format!(
                    "; name its file in `files` of the robot's `controller`, or, if it {STILL}, the name in `still`"
                )
            };
            Err(Fault::new(place, reason + &remedy))
        }
    }
}

/// Whether the arm is sent to where it is, behind a move that stops: post-processors begin programs so,
/// and nothing moves.
fn stays(interpreter: &BlockInterpreter<Krl>, call: &Call, counted: Counted) -> bool {
    let is_here = |point: &Expression| match point {
        Expression::Variable(path) => &*path.name == "$axis_act" && path.parts.is_empty(),
        _ => false,
    };
    let mut points = call.positional();
    let is_to_here = points.next().is_some_and(is_here) && points.next().is_none();
    let last = interpreter.record.moves().last();
    counted == Counted::FromBase && is_to_here && last.is_none_or(|last| last.zone == Zone::Stop)
}

/// A component of a variable.
fn field(
    interpreter: &mut BlockInterpreter<Krl>,
    name: &str,
    field: &str,
    place: &Location,
) -> Result<Value, Fault> {
    let path = VariablePath {
        name: name.into(),
        parts: vec![PathPart::Field(field.into())],
    };
    interpreter.value(&Expression::Variable(path), place)
}

/// Tool and base of one move.
struct Frames {
    tool: Value,
    base: Value,
}

fn moves(
    interpreter: &mut BlockInterpreter<Krl>,
    call: &Call,
    motion: KrlMove,
    counted: Counted,
    place: &Location,
) -> Result<(), Fault> {
    let points = points(call, motion, place)?;
    interpreter.doubt_joint_count("krl", COUNTED, place);
    // A function that answers a position may set frames: they count as it leaves them.
    let mut values = Vec::new();
    for point in &points {
        interpreter.choose_elements(point, ListsOf::Anything, place)?;
        values.push(interpreter.value(point, place)?);
    }
    builtin::mode(interpreter, place)?;
    let frames = frames(interpreter, call, place)?;
    turning(interpreter, motion, place)?;
    let (mut targets, mut ends) = (Vec::new(), Vec::new());
    for (point, value) in points.iter().zip(&values) {
        let partial = matches!(order::bare(point), Expression::Record(..));
        let stated = match counted {
            Counted::FromHere => shifted(interpreter, value, &frames, call, place)?,
            Counted::FromBase => stated(interpreter, value, &frames, partial, place)?,
        };
        targets.push(match stated {
            Ok(stated) => {
                let target = target(interpreter, &stated, motion, &frames, place)?;
                ends.push(stated.end);
                target
            }
            Err(why) => Err(why),
        });
    }
    if call.name.starts_with("scirc") {
        turns_by_way_of_via(interpreter, &ends, &frames, place);
    }
    let label = interpreter.label(points[points.len() - 1]);
    let known: Known<Vec<Target>> = targets.into_iter().collect();
    let mut targets = known.map_err(|why| unknown_point(&label, &why, place))?;
    let Some(target) = targets.pop() else {
        return Ok(());
    };
    let kind = match (motion, targets.pop()) {
        (KrlMove::Ptp, _) => MoveKind::Joint,
        (KrlMove::Circ, Some(via)) => MoveKind::Circular {
            via,
            turning: ArcTurning::Still,
        },
        _ => MoveKind::Linear,
    };
    let zone = zone(interpreter, call, motion, place)?;
    let speed = speed(interpreter, call, motion, place)?;
    let tool = carried_tool(interpreter, &frames, motion, &target, place)?;
    doubt_corner(interpreter, &frames, zone, place)?;
    if let Some(end) = ends.pop() {
        interpreter.language.here = end;
    }
    interpreter.move_to(Move {
        kind,
        target,
        tool,
        zone,
        speed,
        label,
        routine: interpreter.routine_name(),
        place: place.clone(),
    })
}

/// The positions of a move: for an arc first where it passes.
fn points<'c>(
    call: &'c Call,
    motion: KrlMove,
    place: &Location,
) -> Result<Vec<&'c Expression>, Fault> {
    let points: Vec<&Expression> = call.positional().collect();
    let count = if motion == KrlMove::Circ { 2 } else { 1 };
    if points.len() != count {
        let reason = format!(
            "{} has {count} positions, and {} are given",
            call.name.to_uppercase(),
            points.len()
        );
        return Err(Fault::new(place, reason));
    }
    if call.named("ca").is_some() {
        return Err(Fault::new(
            place,
            "an arc that ends by its angle (CA) is not read",
        ));
    }
    Ok(points)
}

fn speed(
    interpreter: &mut BlockInterpreter<Krl>,
    call: &Call,
    motion: KrlMove,
    place: &Location,
) -> Result<Speed, Fault> {
    if call.arguments.iter().any(|a| is_with(&a.name)) {
        return Ok(Speed::Unknown);
    }
    if motion == KrlMove::Ptp {
        let share = interpreter.language.share;
        return Ok(share.map_or(Speed::Unknown, Speed::Share));
    }
    let set = match field(interpreter, "$vel", "cp", place)? {
        Value::Number(speed) => Some(speed),
        _ => interpreter.language.path,
    };
    Ok(set.map_or(Speed::Unknown, Speed::Tool))
}

/// The frame of the tool, as the arm carries it.
fn carried_tool(
    interpreter: &BlockInterpreter<Krl>,
    frames: &Frames,
    motion: KrlMove,
    target: &Target,
    place: &Location,
) -> Result<Frame, Fault> {
    let flange = interpreter.controller.flange(Some("tool0"));
    let mut flange = flange.map_err(|reason| Fault::new(place, reason))?;
    match data::frame(&frames.tool, place)? {
        Ok(tool) => flange.link_from_frame *= tool,
        // Where the joints go does not depend on it.
        Err(_) if matches!(target, Target::Joints(_)) && motion == KrlMove::Ptp => {}
        Err(why) => return Err(Fault::new(place, format!("{} ({})", why.reason, why.place))),
    }
    Ok(flange)
}

/// How far corners reach that are stated in millimetres depends on the tool: those at both ends of the
/// move.
fn doubt_corner(
    interpreter: &mut BlockInterpreter<Krl>,
    frames: &Frames,
    zone: Zone,
    place: &Location,
) -> Result<(), Fault> {
    let Err(why) = data::frame(&frames.tool, place)? else {
        return Ok(());
    };
    let is_measured =
        |zone: &Zone| matches!(zone, Zone::Radius(_) | Zone::Ball(_)) && !zone.stops();
    let before = interpreter.record.moves().last().map(|step| &step.zone);
    if is_measured(&zone) || before.is_some_and(is_measured) {
        let reason = format!(
            "how far this corner reaches ($APO.CDIS) counts at the tool, and that is not known: {} ({})",
            why.reason, why.place
        );
        interpreter.doubt(place, reason);
    }
    Ok(())
}

fn is_with(name: &Option<Name>) -> bool {
    name.as_ref().is_some_and(|n| n.starts_with("with "))
}

/// Tool and base that count for a move: those that are set, or those that it says itself.
fn frames(
    interpreter: &mut BlockInterpreter<Krl>,
    call: &Call,
    place: &Location,
) -> Result<Frames, Fault> {
    let mut frames = Frames {
        tool: builtin::get(interpreter, "$tool", place)?,
        base: builtin::get(interpreter, "$base", place)?,
    };
    for argument in &call.arguments {
        let (Some(name), Some(value)) = (&argument.name, &argument.value) else {
            continue;
        };
        let Some(name) = name.strip_prefix("with ") else {
            continue;
        };
        let value = interpreter.value(value, place)?;
        match name {
            "$tool" => frames.tool = value,
            "$base" => frames.base = value,
            "$ipo_mode" if value == Value::text("#base") => {}
            "$ori_type" if value == Value::text("#var") => {}
            "$ipo_mode" | "$ori_type" => {
                let reason = match &value {
                    Value::Unknown(why) if name == "$ipo_mode" => builtin::mode_unknown(why),
                    Value::Unknown(why) => format!(
                        "how the tool turns ({}) is not known: {} ({})",
                        name.to_uppercase(),
                        why.reason,
                        why.place
                    ),
                    _ => format!(
                        "what {} changes of this move is not read",
                        name.to_uppercase()
                    ),
                };
                return Err(Fault::new(place, reason));
            }
            // How far a corner is rounded is open then.
            name if name.starts_with("$apo") || name.starts_with("$vel") => {}
            name if builtin::does(name) == Does::Nothing => {}
            name => {
                let reason = format!(
                    "what {} changes of this move is not read",
                    name.to_uppercase()
                );
                return Err(Fault::new(place, reason));
            }
        }
    }
    Ok(frames)
}

fn zone(
    interpreter: &mut BlockInterpreter<Krl>,
    call: &Call,
    motion: KrlMove,
    place: &Location,
) -> Result<Zone, Fault> {
    let has = |name: &str| call.named(name).is_some();
    let any = ["c_ptp", "c_dis", "c_ori", "c_vel", "c_spl"]
        .into_iter()
        .any(has);
    if !any {
        return Ok(Zone::Stop);
    }
    let with = call.arguments.iter().any(|a| is_with(&a.name));
    let others = has("c_ptp") || has("c_ori") || has("c_vel") || has("c_spl");
    if with || others {
        return Ok(Zone::Unknown);
    }
    Ok(match field(interpreter, "$apo", "cdis", place)? {
        // Half of a joint move counts, and what the tool does within that distance.
        Value::Number(distance) if distance >= 0.0 && motion == KrlMove::Ptp => {
            Zone::Ball(distance / 1e3)
        }
        Value::Number(distance) if distance >= 0.0 => Zone::Radius(distance / 1e3),
        _ => Zone::Unknown,
    })
}
