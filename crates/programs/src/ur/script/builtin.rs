//! The functions of URScript that programs call: which of them move the arm, which compute, which
//! ask the world.

use nalgebra::{UnitQuaternion, Vector3};

use clearance_proof::geometry::pose::Pose;
use clearance_proof::report::Location;

use super::super::poses;
use super::beside::BESIDE;
use super::syntax::{ScriptArgument, ScriptCall, ScriptExpression};
use crate::controller::ControlledArm;
use crate::value::{
    Fault, Known, OpenChoice, ROUNDED, Value, computed, fits, inexact, is_within_rounding,
};

/// Pitches nearer to a quarter turn leave roll and yaw open, radians.
const UPRIGHT_RAD: f64 = 1e-3;

/// The effect of a function of the controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FunctionKind {
    /// It moves the arm from point to point.
    Motion,
    /// It changes the tool.
    Tool,
    /// It computes something of its arguments.
    Computes,
    /// It needs the arm: inverse or forward kinematics.
    Kinematics,
    /// It answers with something that only the controller knows, or does something beside the arm.
    Beside,
    /// It stops a motion that is under way: nothing where none is.
    Stops,
}

/// Functions that give an input an action. One of the actions lets the arm be moved by hand.
const INPUT_ACTIONS: &[&str] = &[
    "set_standard_digital_input_action",
    "set_configurable_digital_input_action",
    "set_tool_digital_input_action",
    "set_gp_boolean_input_action",
    "modbus_set_digital_input_action",
];

/// Functions that move the arm or change how it moves, and are not read: forces, following, speeds,
/// path offsets, conveyors. Those that end what the program has not begun are not among them.
const MOVES: &[&str] = &[
    "servoj",
    "servol",
    "servoc",
    "speedj",
    "speedl",
    "direct_torque",
    "force_mode",
    "freedrive_mode",
    "freedrive_mode_no_incorrect_payload_check",
    "teach_mode",
    "screw_driving",
    "override_base_frame",
    "path_offset_enable",
    "path_offset_set",
    "track_conveyor_linear",
    "track_conveyor_circular",
    "optimovej",
    "optimovel",
    "mc_add_circular",
    "mc_add_linear",
    "mc_add_path",
    "mc_initialize",
    "mc_load_path",
    "mc_run_motion",
    "mc_set_pcs",
    "mc_set_speed_factor",
    // The wrist counts from elsewhere afterwards.
    "reset_revolution_counter",
];

/// Whether a function of the controller moves the arm or changes how it moves, and is not read.
pub(crate) fn moves(name: &str) -> bool {
    MOVES.contains(&name)
}

/// Whether the cell says that a function that is not at hand keeps the arm still. What it says by a
/// pattern does not mean functions of the controller that happen to fit.
pub(crate) fn is_still(name: &str, controller: &ControlledArm) -> bool {
    if INPUT_ACTIONS.contains(&name) {
        return controller.is_still_by_name(name);
    }
    controller.is_still(name) && kind(name).is_none() && !moves(name)
}

/// The effect of a call of a function of the controller; none as for [`kind`].
pub(crate) fn effect(call: &ScriptCall) -> Option<FunctionKind> {
    let is_default = match &call.arguments[..] {
        [_, ScriptArgument { name, value }] => {
            let is_action = name.as_ref().is_none_or(|name| &**name == "action");
            is_action && matches!(value, ScriptExpression::Text(text) if &**text == "default")
        }
        _ => false,
    };
    if is_default && INPUT_ACTIONS.contains(&&*call.name) {
        Some(FunctionKind::Beside)
    } else {
        kind(&call.name)
    }
}

/// The effect of a function of the controller. None: there is no such function, or it is not read,
/// such as functions for forces, for following, and for speeds.
pub(crate) fn kind(name: &str) -> Option<FunctionKind> {
    Some(match name {
        "movej" | "movel" | "movep" | "movec" => FunctionKind::Motion,
        "set_tcp" => FunctionKind::Tool,
        "get_inverse_kin" | "get_forward_kin" => FunctionKind::Kinematics,
        // The last one also ends what the program has not begun.
        "stopj" | "stopl" | "stop_conveyor_tracking" => FunctionKind::Stops,
        "pose_trans" | "pose_add" | "pose_sub" | "struct" | "pose_inv" | "pose_dist"
        | "point_dist" | "interpolate_pose" | "rpy2rotvec" | "rotvec2rpy" | "d2r" | "r2d"
        | "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "atan2" | "sqrt" | "pow" | "floor"
        | "ceil" | "exp" | "log" | "norm" | "normalize" | "length" | "get_list_length" | "size"
        | "make_list" => FunctionKind::Computes,
        _ if BESIDE.contains(&name) => FunctionKind::Beside,
        _ => return None,
    })
}

/// The value that a function computes from its arguments.
///
/// # Errors
/// When the arguments are not those of the function.
pub(crate) fn compute(name: &str, given: &[Value], place: &Location) -> Result<Value, Fault> {
    let needs = |n: usize| {
        if given.len() == n {
            Ok(())
        } else {
            Err(Fault::new(
                place,
                format!(
                    "`{name}` takes {n} arguments, and {} are given",
                    given.len()
                ),
            ))
        }
    };
    if let Some(f) = of_one(name) {
        needs(1)?;
        if let (Value::Number(x), "floor" | "ceil") = (&given[0], name)
            && is_within_rounding(*x, x.round())
        {
            return Ok(Value::unknown(place, ROUNDED));
        }
        let known = match &given[0] {
            Value::Open(open)
                if open.choice == OpenChoice::Turns && ["sin", "cos", "tan"].contains(&name) =>
            {
                &Value::Number(open.number)
            }
            known => known,
        };
        return known.map(place, |x| if fits(x) { f(x) } else { inexact(f(x)) });
    }
    // Two poses, or nothing: each known or not.
    let pose = |k: usize| poses::read(&given[k], place);
    match name {
        "atan2" | "pow" => {
            needs(2)?;
            let f = if name == "pow" { f64::powf } else { f64::atan2 };
            given[0].join(&given[1], place, |a, b| {
                // Just above the negative x axis the angle is half a turn, just below it minus that,
                // and a whole 0 has no sign.
                let is_open = is_within_rounding(a, 0.0) || a == 0.0 && a.is_sign_negative();
                if name == "atan2" && b <= 0.0 && is_open {
                    return Value::unknown(place, ROUNDED);
                }
                Value::Number(computed(a, b, f(a, b)))
            })
        }
        "pose_trans" | "pose_add" | "pose_dist" | "point_dist" => {
            needs(2)?;
            let (a, b) = match (pose(0)?, pose(1)?) {
                (Ok(a), Ok(b)) => (a, b),
                (Err(why), _) | (_, Err(why)) => return Ok(Value::Unknown(why)),
            };
            let between = (a.translation.vector - b.translation.vector).norm();
            let is_exact = poses::is_exact(&a) && poses::is_exact(&b);
            Ok(match name {
                "pose_trans" => poses::computed(&(a * b), is_exact, place),
                "pose_add" => {
                    let mut sum = a;
                    sum.translation.vector += b.translation.vector;
                    sum.rotation *= b.rotation;
                    poses::computed(&sum, is_exact, place)
                }
                "point_dist" => Value::Number(inexact(between)),
                _ => Value::unknown(place, "the measure of `pose_dist` is not read"),
            })
        }
        "pose_inv" => {
            needs(1)?;
            Ok(match pose(0)? {
                Ok(a) => poses::computed(&a.inverse(), poses::is_exact(&a), place),
                Err(why) => Value::Unknown(why),
            })
        }
        "interpolate_pose" => {
            needs(3)?;
            let (a, b, share) = match (pose(0)?, pose(1)?, given[2].number(place)?) {
                (Ok(a), Ok(b), Ok(share)) => (a, b, share),
                (Err(why), ..) | (_, Err(why), _) | (.., Err(why)) => {
                    return Ok(Value::Unknown(why));
                }
            };
            let turn = a.rotation.angle_to(&b.rotation);
            match a.try_lerp_slerp(&b, share, 1e-9) {
                Some(between) if turn < std::f64::consts::PI - poses::HALF_TURN_RAD => {
                    let ends = [&a, &b].into_iter().all(poses::is_exact);
                    Ok(poses::computed(&between, ends && fits(share), place))
                }
                _ => Err(Fault::new(
                    place,
                    "half a turn between two poses has no direction",
                )),
            }
        }
        "rpy2rotvec" | "rotvec2rpy" => {
            needs(1)?;
            let list = match &given[0] {
                Value::Array(items) if name == "rotvec2rpy" => poses::vector(items, place)?,
                // Full turns of an angle make no other turn.
                Value::Array(items) => {
                    let whole = items.iter().map(|item| match item {
                        Value::Open(open) if open.choice == OpenChoice::Turns => {
                            Ok(Ok(open.number))
                        }
                        item => item.number(place),
                    });
                    whole.collect::<Result<_, _>>()?
                }
                other => other.list(place)?,
            };
            let [a, b, c] = match list {
                Ok(list) => <[f64; 3]>::try_from(list)
                    .map_err(|_| Fault::new(place, format!("`{name}` takes a list of three")))?,
                Err(why) => return Ok(Value::Unknown(why)),
            };
            if name == "rpy2rotvec" {
                let turned = UnitQuaternion::from_euler_angles(a, b, c).scaled_axis();
                let turned = poses::turn(turned.map(inexact).into(), place);
                return Ok(Value::Array(turned.to_vec()));
            }
            let turn = UnitQuaternion::from_scaled_axis(Vector3::new(a, b, c));
            let [r, p, y] = Pose::roll_pitch_yaw(&turn);
            let known = turn.coords.iter().all(|x| x.is_finite());
            if known && p.abs() > std::f64::consts::FRAC_PI_2 - UPRIGHT_RAD {
                let reason =
                    "at a pitch of a quarter turn, roll and yaw can be shared out in many ways";
                return Ok(Value::unknown(place, reason));
            }
            let rounded = [r, p, y].map(|x| poses::angle(inexact(x), place));
            Ok(Value::Array(rounded.to_vec()))
        }
        "norm" => {
            needs(1)?;
            match &given[0] {
                Value::Array(items) | Value::Pose(items) => {
                    let sizes = items.iter().map(|item| match item {
                        Value::Open(open) if open.choice != OpenChoice::Turns => {
                            Ok(Ok(open.number))
                        }
                        item => item.number(place),
                    });
                    let sizes: Known<Vec<f64>> = sizes.collect::<Result<_, _>>()?;
                    Ok(match sizes {
                        Ok(list) => Value::Number(norm(&list)),
                        Err(why) => Value::Unknown(why),
                    })
                }
                one => one.map(place, f64::abs),
            }
        }
        "length" | "get_list_length" | "size" => {
            needs(1)?;
            match &given[0] {
                Value::Array(items) | Value::Pose(items) => Ok(Value::Number(items.len() as f64)),
                Value::Unknown(why) => Ok(Value::Unknown(why.clone())),
                _ => Ok(Value::unknown(
                    place,
                    format!("the `{name}` of it is not read"),
                )),
            }
        }
        "make_list" => Ok(Value::unknown(place, "`make_list` is not read")),
        _ => Ok(Value::unknown(place, format!("`{name}` is not read"))),
    }
}

/// The length of a vector: of some made of whole numbers, such as 3 and 4, it is exact.
fn norm(list: &[f64]) -> f64 {
    let squares = list.iter().map(|x| x * x).sum::<f64>();
    let is_exact = list.iter().all(|x| x.fract() == 0.0) && fits(squares);
    let length = squares.sqrt();
    if is_exact { length } else { inexact(length) }
}

/// The functions of one number.
fn of_one(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "d2r" => f64::to_radians,
        "r2d" => f64::to_degrees,
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tan" => f64::tan,
        "asin" => f64::asin,
        "acos" => f64::acos,
        "atan" => f64::atan,
        "sqrt" => f64::sqrt,
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        "exp" => f64::exp,
        "log" => return None,
        _ => return None,
    })
}

/// A number that overflowed, or the root of a negative one, is not known; nor is a list with one.
pub(crate) fn finite(value: Value, place: &Location) -> Value {
    let overflowed = |value: &Value| matches!(value, Value::Number(x) if !x.is_finite());
    let found = match &value {
        Value::Array(items) | Value::Pose(items) => items.iter().any(overflowed),
        value => overflowed(value),
    };
    if found {
        Value::unknown(place, "the result of a computation is not a finite number")
    } else {
        value
    }
}
