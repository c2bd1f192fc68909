//! Instructions and functions of RAPID: which of them move the arm, which compute, which answer
//! what only the controller knows.

mod does;
mod geometry;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use clearance_proof::report::Location;

use super::Rapid;
use super::data;
use crate::block::Does;
use crate::block::expression::finite;
use crate::block::interpreter::BlockInterpreter;
use crate::block::syntax::{Call, Expression, Operator};
use crate::controller::STILL;
use crate::value::{
    Fault, ROUNDED, Value, computed, computed_of, fits, inexact, is_within_rounding, of_function,
};
use does::{OUTSIDE, READS};
pub(crate) use does::{does, function_does, is_motion, may_be_motion, only_reads};
use geometry::{
    HALF_TURN, Known3, euler_angle, normalised, offset, poses, relative_to_tool, vectors,
};

/// Functions that compute.
pub(super) const COMPUTED: &[&str] = &[
    "abs",
    "acos",
    "asin",
    "atan",
    "atan2",
    "cos",
    "dim",
    "distance",
    "dnumtonum",
    "dotprod",
    "eulerzyx",
    "exp",
    "max",
    "min",
    "norient",
    "numtodnum",
    "offs",
    "orientzyx",
    "orobt",
    "poseinv",
    "posemult",
    "posevect",
    "pow",
    "present",
    "reltool",
    "round",
    "sin",
    "sqrt",
    "tan",
    "trunc",
    "vectmagn",
];

/// No text is longer.
const LONGEST_TEXT: usize = 80;

/// Whole numbers up to here are exact in the 32 bits of a controller.
const MOST_EXACT: f64 = 16_777_216.0;

/// Follows an instruction that computes with a variable.
pub(crate) fn compute(
    interpreter: &mut BlockInterpreter<Rapid>,
    call: &Call,
    place: &Location,
) -> Result<(), Fault> {
    let given: Vec<_> = call.positional().collect();
    let fault = || {
        Fault::new(
            place,
            format!("`{}` is not understood with these arguments", call.name),
        )
    };
    let Some(Expression::Variable(path)) = given.first() else {
        return Err(fault());
    };
    if call.arguments.len() != given.len() {
        return Err(fault());
    }
    // What is read and what is set is one element, and its index is asked for once.
    if interpreter.calls(given[0]) {
        let reason = "an index that is the answer of a function of the program is not read here";
        return Err(Fault::new(place, reason));
    }
    let old = interpreter.value(given[0], place)?;
    let by = match (&*call.name, given.get(1)) {
        ("incr", None) => Value::Number(1.0),
        ("decr", None) => Value::Number(-1.0),
        ("clear", None) => return interpreter.assign(path, Value::Number(0.0), place),
        ("add", Some(by)) => interpreter.value(by, place)?,
        _ => return Err(fault()),
    };
    let new = old.join(&by, place, |a, b| finite(computed(a, b, a + b), place))?;
    interpreter.assign(path, new, place)
}

/// The value of a function.
pub(crate) fn function(
    interpreter: &mut BlockInterpreter<Rapid>,
    call: &Call,
    place: &Location,
) -> Result<Value, Fault> {
    let name = &*call.name;
    if name == "present" {
        return present(interpreter, call, place);
    }
    if !COMPUTED.contains(&name) {
        return answer_of_controller(interpreter, call, place);
    }
    let mut values = arguments_of(interpreter, call, place)?;
    if let Some(f) = of_one(name) {
        return Ok(match values[0].number(place)? {
            Ok(x) => finite(of_function(name, x, f(x)), place),
            Err(why) => Value::Unknown(why),
        });
    }
    match name {
        "pow" => values[0].join(&values[1], place, |a, b| {
            let power = a.powf(b);
            let is_whole = a.fract() == 0.0 && b.fract() == 0.0 && power.abs() <= MOST_EXACT;
            finite(if is_whole { power } else { inexact(power) }, place)
        }),
        "atan2" => values[0].join(&values[1], place, |y, x| half_turn(y, x, place)),
        "min" | "max" => {
            let f = if name == "min" { f64::min } else { f64::max };
            values[0].join(&values[1], place, |a, b| Value::Number(f(a, b)))
        }
        "round" | "trunc" => rounded(interpreter, call, &values[0], place),
        "dim" => length_of(&values[0], &values[1], place),
        "offs" => offset(&values, place),
        "reltool" => relative_to_tool(interpreter, call, &values, place),
        "orobt" | "numtodnum" | "dnumtonum" => Ok(values.remove(0)),
        "posemult" | "poseinv" | "posevect" => poses(name, &values, place),
        "orientzyx" => {
            let mut turn = Known3::none();
            let axes = [Vector3::z_axis(), Vector3::y_axis(), Vector3::x_axis()];
            for (axis, angle) in axes.into_iter().zip(&values) {
                turn.then(axis, angle.number(place)?);
            }
            Ok(match turn.0 {
                Ok(rotation) => data::computed_orientation(&rotation, place),
                Err(why) => Value::Unknown(why),
            })
        }
        "eulerzyx" => euler_angle(call, &values[0], place),
        "norient" => normalised(&values[0], place),
        "distance" | "dotprod" | "vectmagn" => vectors(name, &values, place),
        _ => Err(Fault::new(place, format!("`{name}` is not read"))),
    }
}

/// The angle of a vector, degrees: half a turn may come out to either side.
fn half_turn(y: f64, x: f64, place: &Location) -> Value {
    let angle = y.atan2(x).to_degrees();
    match () {
        () if y == 0.0 && x > 0.0 => Value::Number(angle),
        () if angle.abs() > 180.0 - HALF_TURN && !fits(y) => {
            Value::unknown(place, "half a turn may be one to either side")
        }
        () => finite(inexact(angle), place),
    }
}

/// Whether an optional argument was given.
fn present(
    interpreter: &BlockInterpreter<Rapid>,
    call: &Call,
    place: &Location,
) -> Result<Value, Fault> {
    let given: Vec<_> = call.positional().collect();
    match given[..] {
        [Expression::Variable(path)] if path.parts.is_empty() => {
            Ok(Value::Boolean(!interpreter.is_absent(&path.name)))
        }
        _ => Err(Fault::new(
            place,
            "`Present` asks for an argument of its routine",
        )),
    }
}

/// The answer of a function that computes nothing from its arguments alone: it is not known.
fn answer_of_controller(
    interpreter: &mut BlockInterpreter<Rapid>,
    call: &Call,
    place: &Location,
) -> Result<Value, Fault> {
    let name = &*call.name;
    let reads = READS.contains(&name);
    if !reads && !OUTSIDE.contains(&name) && !interpreter.is_still(name) {
        let written = interpreter.program.as_written(&call.name);
        let reason = format!(
            "the function `{written}` is in no module that was read, and could move the arm; name the module's file in `files` of the robot's `controller`, or, if it {STILL}, the function in `still`"
        );
        return Err(Fault::new(place, reason));
    }
    // What is handed to it may be a function of the program, and that may do anything.
    interpreter.ask_all(call, place)?;
    let reason = format!("`{name}` answers what only the controller knows");
    let unknown = Value::unknown(place, reason);
    if !reads {
        interpreter.forget_handed(call, &unknown)?;
    }
    Ok(unknown)
}

/// The values of the arguments of a function that computes, as many as it takes.
fn arguments_of(
    interpreter: &mut BlockInterpreter<Rapid>,
    call: &Call,
    place: &Location,
) -> Result<Vec<Value>, Fault> {
    let given = call.positional();
    let values = given.map(|argument| interpreter.value(argument, place));
    let values: Vec<Value> = values.collect::<Result<_, _>>()?;
    let Some((count, names)) = taken_by(&call.name) else {
        return Ok(values);
    };
    let mut named = call.arguments.iter().filter_map(|a| a.name.as_deref());
    if values.len() == count && named.all(|name| names.contains(&name)) {
        return Ok(values);
    }
    Err(Fault::new(
        place,
        format!("`{}` is not understood with these arguments", call.name),
    ))
}

/// How many arguments a function takes by their place, and which by name. Those of poses and vectors
/// are counted where they are computed.
fn taken_by(name: &str) -> Option<(usize, &'static [&'static str])> {
    Some(match name {
        _ if of_one(name).is_some() => (1, &[]),
        "dnumtonum" | "norient" | "numtodnum" | "orobt" => (1, &[]),
        "round" | "trunc" => (1, &["dec"]),
        "eulerzyx" => (1, &["x", "y", "z"]),
        "atan2" | "dim" | "max" | "min" | "pow" => (2, &[]),
        "orientzyx" => (3, &[]),
        "offs" => (4, &[]),
        "reltool" => (4, &["rx", "ry", "rz"]),
        _ => return None,
    })
}

/// A number rounded (`Round`), or cut off (`Trunc`), to so many decimals.
fn rounded(
    interpreter: &mut BlockInterpreter<Rapid>,
    call: &Call,
    value: &Value,
    place: &Location,
) -> Result<Value, Fault> {
    let name = &*call.name;
    let digits = match call.named("dec").flatten() {
        Some(digits) => interpreter.value(digits, place)?,
        None => Value::Number(0.0),
    };
    value.join(&digits, place, |x, digits| {
        let unit = 10f64.powi(digits.clamp(0.0, 12.0) as i32);
        let edge = match name {
            "round" => (x * unit).floor() + 0.5,
            _ => (x * unit).round(),
        };
        if name == "round" && x * unit == edge && f64::from(x as f32) == x {
            return Value::unknown(place, "which way `Round` takes a half is not certain");
        }
        if is_within_rounding(x * unit, edge) || name == "round" && x * unit == edge {
            return Value::unknown(place, ROUNDED);
        }
        let whole = match name {
            "round" => (x * unit).round(),
            _ => (x * unit).trunc(),
        };
        finite(whole / unit, place)
    })
}

/// How many values a list has along one of its dimensions.
fn length_of(list: &Value, dimension: &Value, place: &Location) -> Result<Value, Fault> {
    let Ok(number) = dimension.number(place)? else {
        return Ok(dimension.clone());
    };
    let mut list = list;
    for _ in 1..number.clamp(1.0, 8.0) as usize {
        if let Value::Array(items) = list {
            list = items.first().unwrap_or(list);
        }
    }
    match list {
        Value::Array(items) => Ok(Value::Number(items.len() as f64)),
        Value::Unknown(_) => Ok(list.clone()),
        _ => Err(Fault::new(place, "`Dim` needs a list")),
    }
}

/// Functions of one number; angles are degrees.
fn of_one(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "abs" => f64::abs,
        "sqrt" => f64::sqrt,
        "exp" => f64::exp,
        "sin" => |x| x.to_radians().sin(),
        "cos" => |x| x.to_radians().cos(),
        "tan" => |x| x.to_radians().tan(),
        "asin" => |x| x.asin().to_degrees(),
        "acos" => |x| x.acos().to_degrees(),
        "atan" => |x| x.atan().to_degrees(),
        _ => return None,
    })
}

/// Two operands that are not both numbers, and quotients.
pub(crate) fn combine(
    operator: Operator,
    left: &Value,
    right: &Value,
    place: &Location,
) -> Result<Value, Fault> {
    let fault = || {
        let (a, b, sign) = (left.kind(), right.kind(), operator.shown());
        Err(Fault::new(
            place,
            format!("{a} `{sign}` {b} is not understood"),
        ))
    };
    match (operator, left, right) {
        (_, Value::Unknown(_), _) => Ok(left.clone()),
        (_, _, Value::Unknown(_)) => Ok(right.clone()),
        (Operator::Add, Value::Text(a), Value::Text(b)) => {
            let joined = format!("{a}{b}");
            if joined.chars().count() > LONGEST_TEXT {
                return Err(Fault::new(place, "this text has more than 80 characters"));
            }
            Ok(Value::text(&joined))
        }
        (Operator::Divide, Value::Number(a), Value::Number(b)) => {
            Ok(finite(computed(*a, *b, a / b), place))
        }
        (Operator::Quotient | Operator::Remainder, Value::Number(a), Value::Number(b)) => {
            if a.fract() != 0.0 || b.fract() != 0.0 || *b == 0.0 {
                return Err(Fault::new(place, "`DIV` and `MOD` need whole numbers"));
            }
            if a.max(*b) > MOST_EXACT {
                let reason = "`DIV` and `MOD` of numbers beyond 2^24 are not certain: a controller may not hold them exactly";
                return Ok(Value::unknown(place, reason));
            }
            if *a < 0.0 || *b < 0.0 {
                let reason = "which way `DIV` and `MOD` round numbers below 0 is not certain";
                return Ok(Value::unknown(place, reason));
            }
            Ok(Value::Number(match operator {
                Operator::Quotient => (a / b).trunc(),
                _ => a % b,
            }))
        }
        (Operator::Add | Operator::Subtract, Value::Array(a), Value::Array(b))
            if a.len() == 3 && b.len() == 3 =>
        {
            let sign = if operator == Operator::Add { 1.0 } else { -1.0 };
            let each = |(a, b): (&Value, &Value)| {
                let sum = |a, b| finite(computed(a, b, a + sign * b), place);
                a.join(b, place, sum)
            };
            let items: Result<_, _> = a.iter().zip(b).map(each).collect();
            items.map(Value::Array)
        }
        (Operator::Multiply, Value::Number(factor), Value::Array(list))
        | (Operator::Multiply, Value::Array(list), Value::Number(factor))
            if list.len() == 3 =>
        {
            let each = |item: &Value| item.map(place, |x| computed(x, *factor, x * factor));
            let items: Result<_, _> = list.iter().map(each).collect();
            items.map(Value::Array)
        }
        (Operator::Multiply, Value::Array(a), Value::Array(b)) => match (a.len(), b.len()) {
            (3, 3) => {
                let a = data::numbers::<3>(left, "a position", place)?;
                let b = data::numbers::<3>(right, "a position", place)?;
                Ok(match (a, b) {
                    (Ok(a), Ok(b)) => {
                        let c = Vector3::from(a).cross(&Vector3::from(b));
                        let given = [a, b].concat();
                        let each = |x| finite(computed_of(&given, x), place);
                        Value::Array([c.x, c.y, c.z].map(each).to_vec())
                    }
                    (Err(why), _) | (_, Err(why)) => Value::Unknown(why),
                })
            }
            (4, 4) => {
                let (a, b) = (data::rotation(left, place)?, data::rotation(right, place)?);
                Ok(match (a, b) {
                    (Ok(a), Ok(b)) => data::computed_orientation(&(a * b), place),
                    (Err(why), _) | (_, Err(why)) => Value::Unknown(why),
                })
            }
            _ => fault(),
        },
        _ => fault(),
    }
}
