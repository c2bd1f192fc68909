//! System variables, instructions and functions of KRL: which of them move the arm or change how it
//! moves.

mod bits;
mod system;

use std::sync::Arc;

use clearance_proof::report::Location;

use super::correction::corrected;
use super::{Krl, data, order};
use crate::block::expression::finite;
use crate::block::interpreter::BlockInterpreter;
use crate::block::syntax::{
    Call, Expression, Name, Operator, PathPart, PathStep, RoutineKind, VariablePath,
};
use crate::block::{Does, WrittenValue};
use crate::controller::STILL;
use crate::value::{Fault, Value, computed, of_function};
pub(crate) use bits::{BITS, NOT};
pub(super) use system::MODES;
pub(crate) use system::{changed, mode, mode_unknown, system};

/// System variables that neither move the arm nor change where it goes. Endings count with `*`.
const HARMLESS: &[&str] = &[
    "$acc",
    "$acc.*",
    "$acc_*",
    "$act_base",
    "$act_tool",
    "$accu_*",
    "$advance",
    "$anout*",
    "$bwdstart",
    "$collmon*",
    "$cycflag*",
    "$flag*",
    "$gear_jerk*",
    "$h_pos",
    "$jerk*",
    "$load*",
    "$msg_t*",
    "$out*",
    "$ov_pro",
    "$ov_app",
    "$red_vel*",
    "$timer*",
    "$torqmon*",
    "$torq_*",
    "$vel_axis*",
    "$vel_extax*",
    "$vel_ma*",
    "$red_acc*",
    "$apo_*",
];

/// Instructions and routines of the controller that keep the arm still.
const NOTHING: &[&str] = &[
    "anout",
    "confirm",
    "interrupt on",
    "ir_stopm",
    "pulse",
    "set_cd_params",
    "msgnotify",
    "msgquit",
    "kukamsg",
    "clear_kcp",
    "set_krlmsg",
    "wait",
];

/// Those that change what is handed to them, and nothing else.
const ANSWERS: &[&str] = &[
    "anin",
    "cclose",
    "copen",
    "cread",
    "cwrite",
    "err_clear",
    "sread",
    "swrite",
    "mbx_rec",
];

/// Functions that compute.
const COMPUTED: &[&str] = &[
    "abs",
    "acos",
    "atan2",
    "cos",
    "sin",
    "sqrt",
    "tan",
    "inv_pos",
    "sbase",
    "sipo_mode",
    "sori_typ",
    "stool",
    "stool2",
    "stool5",
];

/// Functions of inline forms that answer speeds, loads and zones, and change nothing.
const SETTINGS: &[&str] = &[
    "sacc_joint",
    "sacc_cp",
    "sapo",
    "sapo_ptp",
    "sgear_jerk",
    "sjerk",
    "sload",
    "svel_cp",
    "svel_joint",
    "use_cm_pro_values",
];

/// Functions that answer what only the controller knows.
const OUTSIDE: &[&str] = &[
    "forward",
    "inverse",
    "strlen",
    "strcomp",
    "varstate",
    "get_decl_place",
    "m_comment",
];

fn is_harmless(name: &str) -> bool {
    let root = name.split(['[', '.']).next().unwrap_or(name);
    let fits = |p: &&&str| clearance_proof::model::matches(p, name) || **p == root;
    HARMLESS.iter().any(|p| fits(&p))
}

/// The effect of an instruction, or of setting a system variable.
pub(crate) fn does(name: &str) -> Does {
    match name {
        _ if NOTHING.contains(&name) => Does::Nothing,
        _ if ANSWERS.contains(&name) => Does::Answers,
        _ if name.starts_with('$') && is_harmless(name) => Does::Nothing,
        _ => Does::Moves,
    }
}

/// Whether a call is how the parser writes an operator, or parts whose order is not certain: these
/// stand in no file.
pub(crate) fn is_operator(name: &str) -> bool {
    BITS.contains(&name) || name == NOT || name == order::ANY
}

/// The effect of a function.
pub(crate) fn function_does(name: &str) -> Does {
    match name {
        _ if COMPUTED.contains(&name) || SETTINGS.contains(&name) || is_operator(name) => {
            Does::Nothing
        }
        _ if OUTSIDE.contains(&name) || NOTHING.contains(&name) || ANSWERS.contains(&name) => {
            Does::Answers
        }
        _ => Does::Moves,
    }
}

/// Instructions and routines of the controller that let sensors or axes of their own move the arm.
const MOTION: &[&str] = &[
    "bas",
    "interrupt decl",
    "move_emi",
    "movecorr",
    "rsi_movecorr",
    "rsi_move",
    "rsi_on",
    "st_on",
    "st_on1",
    "st_movesens",
    "st_skipsens",
];

/// Whether an instruction is one of the controller's own that moves the arm or changes how it moves.
pub(crate) fn is_motion(name: &str) -> bool {
    let plain = name.strip_suffix("_rel").unwrap_or(name);
    MOTION.contains(&name) || super::words::MOVES.contains(&plain)
}

/// Whether an instruction may be a routine that stands in a file: that counts, whatever a routine of
/// this name does otherwise.
pub(crate) fn may_be_file(name: &str) -> bool {
    let own = ["bas", "interrupt decl", "interrupt on", "wait"];
    !own.contains(&name) && !super::words::MOVES.contains(&name)
}

/// The value of a system variable.
pub(crate) fn get(
    interpreter: &mut BlockInterpreter<Krl>,
    name: &str,
    place: &Location,
) -> Result<Value, Fault> {
    interpreter.value(
        &Expression::Variable(VariablePath::whole(&name.into())),
        place,
    )
}

/// The value of a name that nothing declares; indices are numbers by then.
pub(crate) fn undeclared(
    interpreter: &mut BlockInterpreter<Krl>,
    name: &Arc<str>,
    place: &Location,
) -> Value {
    if matches!(&**name, "$nullframe" | "$world") {
        return data::value(&nalgebra::Isometry3::identity(), place);
    }
    let number = |list: &str| {
        let rest = name
            .strip_prefix(list)?
            .strip_prefix('[')?
            .strip_suffix(']')?;
        rest.parse::<u32>().ok()
    };
    if let Some(n) = number("tool_data") {
        return numbered(interpreter, true, f64::from(n), place);
    }
    if let Some(n) = number("base_data") {
        return numbered(interpreter, false, f64::from(n), place);
    }
    let root: Name = name.split(['[', '.']).next().unwrap_or(name).into();
    let written = interpreter.program.as_written(&root);
    let reason = if name.starts_with('$') {
        format!("{} is what only the controller knows", name.to_uppercase())
    } else if root.contains(' ') {
        // The words for an expression whose value is not certain: no name has a blank.
        format!("{root} is not computed: write parentheses, or the value that comes out")
    } else {
        format!(
            "`{written}` is declared in no file that was read; data stand in the `.dat` beside the program, or in a `$config.dat` named in `files` of the robot's `controller`"
        )
    };
    Value::unknown(place, reason)
}

/// The value of a variable that is declared, or of a part of it.
fn held(
    interpreter: &mut BlockInterpreter<Krl>,
    path: &VariablePath,
    place: &Location,
) -> Option<Value> {
    match interpreter.spot(path, place) {
        Ok(Some(Ok(found))) => interpreter.held(&found.spot, place).ok(),
        Ok(None) => None,
        // It is stated, and what it says cannot be found out.
        Ok(Some(Err(why))) => Some(Value::Unknown(why)),
        Err(fault) => Some(Value::unknown(place, fault.reason)),
    }
}

/// A tool or base by its number: as `$config.dat` says, else as the cell does.
pub(crate) fn numbered(
    interpreter: &mut BlockInterpreter<Krl>,
    tool: bool,
    number: f64,
    place: &Location,
) -> Value {
    let (what, key) = if tool {
        ("tool_data", "tools")
    } else {
        ("base_data", "frames")
    };
    if number == 0.0 {
        return data::value(&nalgebra::Isometry3::identity(), place);
    }
    let element = |list: &str| VariablePath {
        name: list.into(),
        parts: vec![PathPart::Index(Expression::Number(number, true))],
    };
    // A base of an external kinematic system lies on that, not in $WORLD.
    let machine = element("machine_frame_dat");
    let stands = held(interpreter, &machine, place).filter(|_| !tool);
    if let Some(why @ Value::Unknown(_)) = stands {
        return why;
    }
    if let Some(Value::Record(fields)) = stands
        && fields
            .get("mach_def_index")
            .is_some_and(|index| *index != Value::Number(0.0))
    {
        let reason = format!(
            "base {number} belongs to an external kinematic system, and where that stands is not read"
        );
        return Value::unknown(place, reason);
    }
    // `BAS` shifts the joint values of such a base by what a positioner's drive says.
    let device = held(interpreter, &element("joint_device_index"), place).filter(|_| !tool);
    match device {
        None | Some(Value::Number(0.0)) => {}
        Some(why @ Value::Unknown(_)) => return why,
        Some(_) => {
            let reason = format!(
                "base {number} has a joint device (`JOINT_DEVICE_INDEX`), and the offset of joint values that goes with it is not read"
            );
            return Value::unknown(place, reason);
        }
    }
    let path = element(what);
    // Only where no file states the element, the cell may: one that the program has set and that is
    // not known must not become what the cell says.
    match held(interpreter, &path, place) {
        None => {}
        Some(Value::Record(fields)) if fields.is_empty() => {}
        Some(value) => return value,
    }
    let name = number.to_string();
    let stated = if tool {
        interpreter.controller.tool(&name)
    } else {
        match interpreter.controller.frame(&name) {
            None => None,
            Some(frame) => match interpreter.controller.base(None) {
                Ok(base) if base.link == frame.link => {
                    Some(base.link_from_frame.inverse() * frame.link_from_frame)
                }
                Ok(base) => {
                    let reason = format!(
                        "base {name} is stated on the link `{}`, and bases lie in $WORLD: state it on `{}`, the link of the controller's `base`",
                        frame.link, base.link
                    );
                    return Value::unknown(place, reason);
                }
                Err(reason) => return Value::unknown(place, reason),
            },
        }
    };
    stated.map_or_else(
        || {
            let reason = format!(
                "{}[{name}] is known neither from a `$config.dat` nor from the cell; name that file in `files` of the robot's `controller`, or write `{key} = {{ {name} = {{ xyz = […], rpy = […] }} }}` there",
                what.to_uppercase()
            );
            Value::unknown(place, reason)
        },
        |stated| data::value(&stated, place),
    )
}

/// The value of a function.
pub(crate) fn function(
    interpreter: &mut BlockInterpreter<Krl>,
    call: &Call,
    place: &Location,
) -> Result<Value, Fault> {
    let name = &*call.name;
    if name == order::ANY {
        return order::value(interpreter, call, place);
    }
    let unknown = Value::unknown(
        place,
        format!("`{name}` answers what only the controller knows"),
    );
    let does = function_does(name);
    if SETTINGS.contains(&name) || does != Does::Nothing {
        // Functions in what is handed over run as well.
        for given in call.positional() {
            if !matches!(given, Expression::Unread(_)) && interpreter.calls(given) {
                interpreter.value(given, place)?;
            }
        }
        if does == Does::Moves && !interpreter.is_still(name) {
            let written = interpreter.program.as_written(&call.name);
            let reason = format!(
                "the function `{written}` is in no file that was read, and could move the arm; name the file in `files` of the robot's `controller`, or, if it {STILL}, the function in `still`"
            );
            return Err(Fault::new(place, reason));
        }
        if does != Does::Nothing {
            interpreter.forget_handed(call, &unknown)?;
        }
        return Ok(unknown);
    }
    let mut given = Vec::new();
    for argument in call.positional() {
        given.push(interpreter.value(argument, place)?);
    }
    if is_operator(name) {
        let all: Vec<_> = call.positional().collect();
        let is_real = all.iter().any(|e| is_whole(e, interpreter) == Some(false));
        return Ok(bits::value(name, &given, is_real, place));
    }
    let fault = || {
        Fault::new(
            place,
            format!("`{name}` is not understood with these arguments"),
        )
    };
    let one = |f: fn(f64) -> f64| match &given[..] {
        [x] => match x.number(place)? {
            Ok(x) => Ok(finite(of_function(name, x, f(x)), place)),
            Err(why) => Ok(Value::Unknown(why)),
        },
        _ => Err(fault()),
    };
    match (name, &given[..]) {
        ("abs", _) => one(f64::abs),
        ("sqrt", _) => one(f64::sqrt),
        ("sin", _) => one(|x| x.to_radians().sin()),
        ("cos", _) => one(|x| x.to_radians().cos()),
        ("tan", _) => one(|x| x.to_radians().tan()),
        ("acos", _) => one(|x| x.acos().to_degrees()),
        ("atan2", [y, x]) => y.join(x, place, |y, x| data::direction(y, x, place)),
        ("inv_pos", [frame]) => Ok(match data::frame(frame, place)? {
            Ok(frame) => data::value(&frame.inverse(), place).rounded(),
            Err(why) => Value::Unknown(why),
        }),
        ("sipo_mode", [mode]) => Ok(mode.clone()),
        ("sori_typ", [Value::Record(fields)]) => {
            Ok(fields.get("ori_typ").cloned().unwrap_or(unknown))
        }
        ("sori_typ", [why @ Value::Unknown(_)]) => Ok(why.clone()),
        ("sori_typ", [_]) => Ok(unknown),
        ("sbase" | "stool" | "stool2" | "stool5", [of]) => {
            let tool = name != "sbase";
            let number = match of {
                Value::Record(fields) => {
                    let frame = fields.get("ipo_frame");
                    if let Some(Value::Unknown(why)) = frame {
                        return Err(Fault::new(place, mode_unknown(why)));
                    }
                    if frame.is_some_and(|frame| *frame != Value::text("#base")) {
                        return Err(Fault::new(place, system::TOOL_STANDS));
                    }
                    let key = if tool { "tool_no" } else { "base_no" };
                    fields.get(key).cloned().ok_or_else(fault)?
                }
                other => other.clone(),
            };
            Ok(match number.number(place)? {
                Ok(n) => {
                    let frame = numbered(interpreter, tool, n, place);
                    corrected(interpreter, tool, frame, place)?
                }
                Err(why) => Value::Unknown(why),
            })
        }
        _ => Err(fault()),
    }
}

/// Whether an expression is a whole number by its type; none: its type is not known.
fn is_whole(expression: &Expression, interpreter: &BlockInterpreter<Krl>) -> Option<bool> {
    match expression {
        Expression::Number(_, whole) => Some(*whole),
        Expression::Negative(inner) => is_whole(inner, interpreter),
        Expression::Call(call) if &*call.name == order::ANY => {
            is_whole(call.positional().next()?, interpreter)
        }
        Expression::Call(call) if is_operator(&call.name) => Some(true),
        // The type that is declared counts, whatever is behind `RETURN`.
        Expression::Call(call) => match &interpreter.routine(&call.name).ok()??.sort {
            RoutineKind::Function(kind) => whole_type(kind),
            _ => None,
        },
        Expression::Variable(path) => whole_type(&interpreter.kind(path)?),
        Expression::Binary(_, left, right) => {
            match (is_whole(left, interpreter), is_whole(right, interpreter)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            }
        }
        _ => None,
    }
}

fn whole_type(kind: &str) -> Option<bool> {
    match kind {
        "int" => Some(true),
        "real" => Some(false),
        _ => None,
    }
}

/// Two operands that are not both numbers, and quotients.
pub(crate) fn combine(
    operator: Operator,
    left: WrittenValue,
    right: WrittenValue,
    interpreter: &BlockInterpreter<Krl>,
    place: &Location,
) -> Result<Value, Fault> {
    match (operator, left.value, right.value) {
        (_, Value::Unknown(_), _) => Ok(left.value.clone()),
        (_, _, Value::Unknown(_)) => Ok(right.value.clone()),
        (Operator::Compose, a, b) => data::compose(a, b, place),
        (Operator::Divide, Value::Number(a), Value::Number(b)) => {
            if *b == 0.0 {
                return Err(Fault::new(place, "this divides by 0"));
            }
            let quotient = computed(*a, *b, a / b);
            let whole = (
                is_whole(left.written, interpreter),
                is_whole(right.written, interpreter),
            );
            Ok(match whole {
                _ if quotient.fract() == 0.0 => finite(quotient, place),
                (Some(true), Some(true)) => finite(quotient.trunc(), place),
                (Some(false), _) | (_, Some(false)) => finite(quotient, place),
                _ => Value::unknown(
                    place,
                    "whether this quotient is a whole number is not known",
                ),
            })
        }
        (_, a, b) => {
            let (a, b, sign) = (a.kind(), b.kind(), operator.shown());
            Err(Fault::new(
                place,
                format!("{a} `{sign}` {b} is not understood"),
            ))
        }
    }
}
