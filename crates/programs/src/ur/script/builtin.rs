//! The functions of URScript that programs call: which of them move the arm, which compute, which
//! ask the world.

use nalgebra::{UnitQuaternion, Vector3};

use clearance_proof::report::Location;

use super::super::poses;
use crate::value::{Fault, ROUNDED, Value, is_beside};

/// Turns nearer to half a turn may go either way, radians: programs carry rounded numbers.
const HALF_TURN_RAD: f64 = 1e-3;

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

/// Functions that answer with what only the controller knows, or that act on something else than
/// the arm. Endings count with `*`.
const BESIDE: &[&str] = &[
    "popup",
    "textmsg",
    "sleep",
    "sync",
    "get_actual_*",
    "get_target_*",
    "get_digital_*",
    "get_standard_digital_*",
    "get_standard_analog_*",
    "get_configurable_digital_*",
    "get_tool_digital_*",
    "get_tool_analog_*",
    "get_analog_*",
    "get_euromap_*",
    "get_flag",
    "get_controller_temp",
    "get_joint_*",
    "get_steptime",
    "get_tcp_force",
    "get_tcp_offset",
    "get_tool_current",
    "get_tool_accelerometer_reading",
    "get_tool_temp",
    "set_digital_out",
    "set_standard_digital_out",
    "set_configurable_digital_out",
    "set_tool_digital_out",
    "set_analog_out",
    "set_standard_analog_out",
    "set_analog_outputdomain",
    "set_flag",
    "set_euromap_*",
    "set_tool_voltage",
    "set_tool_communication",
    "set_tool_output_mode",
    "set_tool_digital_output_mode",
    "set_standard_analog_input_domain",
    "set_tool_analog_input_domain",
    "set_input_actions_to_default",
    "set_runstate_*",
    "set_gravity",
    "set_payload",
    "set_payload_mass",
    "set_payload_cog",
    "set_target_payload",
    "set_safety_mode_transition_hardness",
    "socket_*",
    "read_input_*",
    "read_output_*",
    "read_port_*",
    "write_output_*",
    "write_port_*",
    "modbus_*",
    "rtde_set_watchdog",
    "rpc_factory",
    "request_*",
    "to_str",
    "to_num",
    "str_*",
    "is_steady",
    "is_within_safety_limits",
    "force",
    "zero_ftsensor",
    "assert",
    "random",
    "time",
    "binary_list_to_integer",
    "integer_to_binary_list",
    "bin_to_int",
    "int_to_bin",
    "varmsg",
    "get_list_length_of_text",
    "tool_contact",
    "tool_contact_examples",
    "eip_writer_factory",
    "eip_reader_factory",
    "power_down_message",
    "get_conveyor_tick_count",
    "encoder_*",
    "unlock_protective_stop",
    "set_watchdog",
    "get_inverse_kin_has_solution",
    "position_deviation_warning",
];

/// The effect of a function of the controller. None: there is no such function, or it is not read,
/// such as functions for forces, for following, and for speeds.
pub(crate) fn kind(name: &str) -> Option<FunctionKind> {
    let matches = |pattern: &&str| clearance_proof::model::matches(pattern, name);
    Some(match name {
        "movej" | "movel" | "movep" | "movec" => FunctionKind::Motion,
        "set_tcp" => FunctionKind::Tool,
        "get_inverse_kin" | "get_forward_kin" => FunctionKind::Kinematics,
        "stopj" | "stopl" => FunctionKind::Stops,
        "pose_trans" | "pose_add" | "pose_sub" | "struct" | "pose_inv" | "pose_dist"
        | "point_dist" | "interpolate_pose" | "rpy2rotvec" | "rotvec2rpy" | "d2r" | "r2d"
        | "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "atan2" | "sqrt" | "pow" | "floor"
        | "ceil" | "exp" | "log" | "norm" | "length" | "get_list_length" | "size" | "make_list" => {
            FunctionKind::Computes
        }
        _ if BESIDE.iter().any(matches) => FunctionKind::Beside,
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
            && is_beside(*x, x.round())
        {
            return Ok(Value::unknown(place, ROUNDED));
        }
        return given[0].map(place, f);
    }
    // Two poses, or nothing: each known or not.
    let pose = |k: usize| poses::read(&given[k], place);
    match name {
        "atan2" | "pow" => {
            needs(2)?;
            let f = if name == "pow" { f64::powf } else { f64::atan2 };
            given[0].join(&given[1], place, |a, b| Value::Number(f(a, b)))
        }
        "pose_trans" | "pose_add" | "pose_dist" | "point_dist" => {
            needs(2)?;
            let (a, b) = match (pose(0)?, pose(1)?) {
                (Ok(a), Ok(b)) => (a, b),
                (Err(why), _) | (_, Err(why)) => return Ok(Value::Unknown(why)),
            };
            let between = (a.translation.vector - b.translation.vector).norm();
            Ok(match name {
                "pose_trans" => poses::value(&(a * b)),
                "pose_add" => {
                    let mut sum = a;
                    sum.translation.vector += b.translation.vector;
                    sum.rotation *= b.rotation;
                    poses::value(&sum)
                }
                "point_dist" => Value::Number(between),
                _ => Value::unknown(place, "the measure of `pose_dist` is not read"),
            })
        }
        "pose_inv" => {
            needs(1)?;
            Ok(match pose(0)? {
                Ok(a) => poses::value(&a.inverse()),
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
                Some(between) if turn < std::f64::consts::PI - HALF_TURN_RAD => {
                    Ok(poses::value(&between))
                }
                _ => Err(Fault::new(
                    place,
                    "half a turn between two poses has no direction",
                )),
            }
        }
        "rpy2rotvec" | "rotvec2rpy" => {
            needs(1)?;
            let [a, b, c] = match given[0].list(place)? {
                Ok(list) => <[f64; 3]>::try_from(list)
                    .map_err(|_| Fault::new(place, format!("`{name}` takes a list of three")))?,
                Err(why) => return Ok(Value::Unknown(why)),
            };
            if name == "rpy2rotvec" {
                let turned = UnitQuaternion::from_euler_angles(a, b, c).scaled_axis();
                return Ok(Value::numbers(turned.as_slice()));
            }
            let turn = UnitQuaternion::from_scaled_axis(Vector3::new(a, b, c));
            let (r, p, y) = turn.euler_angles();
            let known = turn.coords.iter().all(|x| x.is_finite());
            if known && p.abs() > std::f64::consts::FRAC_PI_2 - UPRIGHT_RAD {
                let reason =
                    "at a pitch of a quarter turn, roll and yaw can be shared out in many ways";
                return Ok(Value::unknown(place, reason));
            }
            Ok(Value::numbers(&[r, p, y]))
        }
        "norm" => {
            needs(1)?;
            match &given[0] {
                Value::Array(_) | Value::Pose(_) => Ok(match given[0].list(place)? {
                    Ok(list) => Value::Number(list.iter().map(|x| x * x).sum::<f64>().sqrt()),
                    Err(why) => Value::Unknown(why),
                }),
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
