//! Instructions and functions of RAPID: which of them move the arm, which compute, which answer what only the controller knows.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use clearance_proof::report::Location;

use super::Rapid;
use super::data;
use crate::block::Does;
use crate::block::expression::finite;
use crate::block::machine::Machine;
use crate::block::syntax::{Call, Expression, Operator};
use crate::value::{Fault, Value};

/// Instructions that only read what is handed to them, and neither move the arm nor change how it moves.
const NOTHING: &[&str] = &[
    "accset",
    "aliasio",
    "bookerrno",
    "break",
    "clkreset",
    "clkstart",
    "clkstop",
    "close",
    "errlog",
    "errwrite",
    "gripload",
    "idelete",
    "idisable",
    "ienable",
    "invertdo",
    "iodisable",
    "ioenable",
    "isleep",
    "iwatch",
    "motionsup",
    "pathacclim",
    "pdispoff",
    "eoffsoff",
    "pulsedo",
    "raise",
    "removefile",
    "reset",
    "resetretrycount",
    "set",
    "setao",
    "setdo",
    "setgo",
    "setsysdata",
    "softdeact",
    "stop",
    "systemstopaction",
    "tperase",
    "tpshow",
    "tpwrite",
    "triggstopproc",
    "uimsgbox",
    "uimsgwrite",
    "uishow",
    "velset",
    "waitai",
    "waitao",
    "waitdi",
    "waitdo",
    "waitgi",
    "waitgo",
    "waitrob",
    "waittime",
    "waituntil",
    "worldacclim",
    "write",
    "writeany",
    "writebin",
    "writestrbin",
    "writevar",
];

/// Instructions that do nothing else than change what is handed to them, to something that only the controller knows.
const ANSWERS: &[&str] = &[
    "clearrawbytes",
    "copyrawbytes",
    "getsysdata",
    "open",
    "packrawbytes",
    "readany",
    "readrawbytes",
    "tpreadfk",
    "tpreadnum",
    "tpreaddnum",
    "triggequip",
    "triggio",
    "triggcheckio",
    "triggspeed",
    "unpackrawbytes",
    "rmqfindslot",
    "getdatetime",
];

/// Instructions that compute with a variable.
const COMPUTES: &[&str] = &["add", "clear", "decr", "incr"];

/// Functions that answer what only the controller knows, or something that no motion is made of here.
const OUTSIDE: &[&str] = &[
    "aoutput",
    "argname",
    "bitand",
    "bitcheck",
    "bitlsh",
    "bitneg",
    "bitor",
    "bitrsh",
    "bitxor",
    "bytetostr",
    "calcjointt",
    "calcrobt",
    "cdate",
    "cjointt",
    "clkread",
    "cpos",
    "crobt",
    "cspeedoverride",
    "ctime",
    "ctool",
    "cwobj",
    "defframe",
    "defdframe",
    "decodebin",
    "doutput",
    "dinput",
    "ainput",
    "filesize",
    "getmecunitname",
    "getsysinfo",
    "gettaskname",
    "gettime",
    "ginput",
    "goutput",
    "isbrakecheckactive",
    "ismechunitactive",
    "isstopmoveact",
    "issyncmoveon",
    "motionplannerno",
    "nonmotionmode",
    "numtostr",
    "numtodnum",
    "dnumtonum",
    "dnumtostr",
    "opmode",
    "rawbyteslen",
    "readnum",
    "readbin",
    "readstr",
    "readstrbin",
    "readvar",
    "robname",
    "robos",
    "runmode",
    "strdigcmp",
    "strfind",
    "strlen",
    "strmap",
    "strmatch",
    "strmemb",
    "strorder",
    "strpart",
    "strtobyte",
    "strtoval",
    "taskrunmec",
    "taskrunrob",
    "testandset",
    "testdi",
    "tooltcpinfo",
    "uialphaentry",
    "uilistview",
    "uimessagebox",
    "uinumentry",
    "uidnumentry",
    "valtostr",
];

/// What an instruction does.
pub(crate) fn does(name: &str) -> Does {
    match name {
        _ if NOTHING.contains(&name) => Does::Nothing,
        _ if ANSWERS.contains(&name) => Does::Answers,
        _ if COMPUTES.contains(&name) => Does::Computes,
        _ => Does::Moves,
    }
}

/// What a function does.
pub(crate) fn asked(name: &str) -> Does {
    match name {
        _ if COMPUTED.contains(&name) => Does::Nothing,
        // It may answer by its arguments as well.
        _ if OUTSIDE.contains(&name) => Does::Answers,
        _ => Does::Moves,
    }
}

/// Functions that compute.
const COMPUTED: &[&str] = &[
    "abs",
    "acos",
    "asin",
    "atan",
    "atan2",
    "cos",
    "dim",
    "distance",
    "dotprod",
    "eulerzyx",
    "exp",
    "max",
    "min",
    "norient",
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

/// Follows an instruction that computes with a variable.
pub(crate) fn compute(
    machine: &mut Machine<Rapid>,
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
    let old = machine.value(given[0], place)?;
    let by = match (&*call.name, given.get(1)) {
        ("incr", None) => Value::Number(1.0),
        ("decr", None) => Value::Number(-1.0),
        ("clear", None) => return machine.assign(path, Value::Number(0.0), place),
        ("add", Some(by)) => machine.value(by, place)?,
        _ => return Err(fault()),
    };
    let new = old.join(&by, place, |a, b| finite(a + b, place))?;
    machine.assign(path, new, place)
}

/// The value of a function.
pub(crate) fn function(
    machine: &mut Machine<Rapid>,
    call: &Call,
    place: &Location,
) -> Result<Value, Fault> {
    let name = &*call.name;
    let given: Vec<_> = call.positional().collect();
    if name == "present" {
        return match given[..] {
            [Expression::Variable(path)] if path.parts.is_empty() => {
                Ok(Value::Boolean(!machine.is_absent(&path.name)))
            }
            _ => Err(Fault::new(
                place,
                "`Present` asks for an argument of its routine",
            )),
        };
    }
    if !COMPUTED.contains(&name) {
        if !OUTSIDE.contains(&name) && !machine.controller.is_still(name) {
            let written = machine
                .program
                .written
                .get(&call.name)
                .unwrap_or(&call.name);
            let reason = format!(
                "the function `{written}` is in no module that was read, and could move the arm; name the module's file in `files` of the robot's `controller`, or the function in `still`"
            );
            return Err(Fault::new(place, reason));
        }
        let reason = format!("`{name}` answers what only the controller knows");
        let unknown = Value::unknown(place, reason);
        machine.forget_handed(call, &unknown)?;
        return Ok(unknown);
    }
    let mut values = Vec::new();
    for argument in &given {
        values.push(machine.value(argument, place)?);
    }
    let needs = |n: usize, names: &[&str]| {
        let known = |a: &str| names.contains(&a);
        let fits = call
            .arguments
            .iter()
            .all(|a| a.name.as_deref().is_none_or(known));
        match values.len() == n && fits {
            true => Ok(()),
            false => Err(Fault::new(
                place,
                format!("`{name}` is not understood with these arguments"),
            )),
        }
    };
    if let Some(f) = of_one(name) {
        needs(1, &[])?;
        return Ok(match values[0].number(place)? {
            Ok(x) => finite(f(x), place),
            Err(why) => Value::Unknown(why),
        });
    }
    match name {
        "atan2" | "pow" => {
            needs(2, &[])?;
            let f = |a: f64, b: f64| match name {
                "pow" => a.powf(b),
                _ => a.atan2(b).to_degrees(),
            };
            values[0].join(&values[1], place, |a, b| finite(f(a, b), place))
        }
        "min" | "max" => {
            needs(2, &[])?;
            let f = if name == "min" { f64::min } else { f64::max };
            values[0].join(&values[1], place, |a, b| Value::Number(f(a, b)))
        }
        "round" | "trunc" => {
            needs(1, &["dec"])?;
            let digits = match call.named("dec").flatten() {
                Some(digits) => machine.value(digits, place)?,
                None => Value::Number(0.0),
            };
            values[0].join(&digits, place, |x, digits| {
                let unit = 10f64.powi(digits.clamp(0.0, 12.0) as i32);
                let whole = match name {
                    "round" => (x * unit).round(),
                    _ => (x * unit).trunc(),
                };
                finite(whole / unit, place)
            })
        }
        "dim" => {
            needs(2, &[])?;
            let Ok(number) = values[1].number(place)? else {
                return Ok(values[1].clone());
            };
            let mut list = &values[0];
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
        "offs" => {
            needs(4, &[])?;
            offset(&values, place)
        }
        "reltool" => {
            needs(4, &["rx", "ry", "rz"])?;
            let mut turn = Known3::none();
            for (axis, key) in [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()]
                .into_iter()
                .zip(["rx", "ry", "rz"])
            {
                if let Some(Some(angle)) = call.named(key) {
                    turn.then(axis, machine.value(angle, place)?.number(place)?);
                }
            }
            relative(&values, turn, place)
        }
        "orobt" => {
            needs(1, &[])?;
            Ok(values.remove(0))
        }
        "posemult" | "poseinv" | "posevect" => poses(name, &values, place),
        "orientzyx" => {
            needs(3, &[])?;
            let mut turn = Known3::none();
            let axes = [Vector3::z_axis(), Vector3::y_axis(), Vector3::x_axis()];
            for (axis, angle) in axes.into_iter().zip(&values) {
                turn.then(axis, angle.number(place)?);
            }
            Ok(turn
                .0
                .map_or_else(Value::Unknown, |r| data::orientation(&r)))
        }
        "eulerzyx" => {
            needs(1, &["x", "y", "z"])?;
            let rotation = match data::rotation(&values[0], place)? {
                Ok(rotation) => rotation,
                Err(why) => return Ok(Value::Unknown(why)),
            };
            let (x, y, z) = rotation.euler_angles();
            let angle = match () {
                () if call.named("x").is_some() => x,
                () if call.named("y").is_some() => y,
                () => z,
            };
            Ok(Value::Number(angle.to_degrees()))
        }
        "norient" => {
            needs(1, &[])?;
            Ok(
                match data::numbers::<4>(&values[0], "an orientation", place)? {
                    Ok(q) => {
                        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
                        match length > 1e-6 {
                            true => Value::numbers(&q.map(|x| x / length)),
                            false => return Err(Fault::new(place, "this is no orientation")),
                        }
                    }
                    Err(why) => Value::Unknown(why),
                },
            )
        }
        "distance" | "dotprod" | "vectmagn" => vectors(name, &values, place),
        _ => Err(Fault::new(place, format!("`{name}` is not read"))),
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

/// Turns one after another, each about an axis that the ones before have turned; unknown where one of them is.
struct Known3(crate::value::Known<UnitQuaternion<f64>>);

impl Known3 {
    fn none() -> Self {
        Self(Ok(UnitQuaternion::identity()))
    }

    fn then(&mut self, axis: nalgebra::Unit<Vector3<f64>>, degrees: crate::value::Known<f64>) {
        let turned = match (&self.0, degrees) {
            (Ok(r), Ok(angle)) => {
                Ok(r * UnitQuaternion::from_axis_angle(&axis, angle.to_radians()))
            }
            (Err(why), _) => Err(why.clone()),
            (_, Err(why)) => Err(why),
        };
        self.0 = turned;
    }
}

/// A target with another position and orientation.
fn with_pose(target: &Value, pose: &Isometry3<f64>) -> Value {
    let Value::Array(parts) = target else {
        return target.clone();
    };
    let mut parts = parts.clone();
    parts[0] = data::position(pose);
    parts[1] = data::orientation(&pose.rotation);
    Value::Array(parts)
}

fn step(values: &[Value], place: &Location) -> Result<crate::value::Known<Vector3<f64>>, Fault> {
    let list = Value::Array(values.to_vec());
    let known = data::numbers::<3>(&list, "an offset", place)?;
    Ok(known.map(|[x, y, z]| Vector3::new(x, y, z) / 1e3))
}

/// A target moved along the axes of its frame.
fn offset(values: &[Value], place: &Location) -> Result<Value, Fault> {
    let parts: &[Value; 4] = match data::parts(&values[0], "a robtarget", place)? {
        Ok(parts) => parts,
        Err(why) => return Ok(Value::Unknown(why)),
    };
    let p = data::numbers::<3>(&parts[0], "a position", place)?;
    Ok(match (p, step(&values[1..], place)?) {
        (Ok(p), Ok(by)) => {
            let mut moved = parts.to_vec();
            let by = by * 1e3;
            moved[0] = Value::numbers(&[p[0] + by.x, p[1] + by.y, p[2] + by.z]);
            Value::Array(moved)
        }
        (Err(why), _) | (_, Err(why)) => Value::Unknown(why),
    })
}

/// A target moved and turned along its own axes.
fn relative(values: &[Value], turn: Known3, place: &Location) -> Result<Value, Fault> {
    let parts: &[Value; 4] = match data::parts(&values[0], "a robtarget", place)? {
        Ok(parts) => parts,
        Err(why) => return Ok(Value::Unknown(why)),
    };
    let pose = data::isometry(&parts[0], &parts[1], place)?;
    Ok(match (pose, step(&values[1..], place)?, turn.0) {
        (Ok(pose), Ok(by), Ok(turn)) => {
            let by = Isometry3::from_parts(Translation3::from(by), turn);
            with_pose(&values[0], &(pose * by))
        }
        (Err(why), ..) | (_, Err(why), _) | (.., Err(why)) => Value::Unknown(why),
    })
}

fn poses(name: &str, values: &[Value], place: &Location) -> Result<Value, Fault> {
    let count = if name == "poseinv" { 1 } else { 2 };
    if values.len() != count {
        return Err(Fault::new(
            place,
            format!("`{name}` takes {count} arguments"),
        ));
    }
    let first = match data::read_pose(&values[0], place)? {
        Ok(pose) => pose,
        Err(why) => return Ok(Value::Unknown(why)),
    };
    if name == "poseinv" {
        return Ok(data::pose(&first.inverse()));
    }
    if name == "posevect" {
        return Ok(match data::numbers::<3>(&values[1], "a position", place)? {
            Ok([x, y, z]) => {
                let point = nalgebra::Point3::new(x / 1e3, y / 1e3, z / 1e3);
                let moved = (first * point).coords * 1e3;
                Value::numbers(&[moved.x, moved.y, moved.z])
            }
            Err(why) => Value::Unknown(why),
        });
    }
    Ok(match data::read_pose(&values[1], place)? {
        Ok(second) => data::pose(&(first * second)),
        Err(why) => Value::Unknown(why),
    })
}

fn vectors(name: &str, values: &[Value], place: &Location) -> Result<Value, Fault> {
    let mut known = Vec::new();
    for value in values {
        match data::numbers::<3>(value, "a position", place)? {
            Ok([x, y, z]) => known.push(Vector3::new(x, y, z)),
            Err(why) => return Ok(Value::Unknown(why)),
        }
    }
    Ok(Value::Number(match (name, &known[..]) {
        ("distance", [a, b]) => (a - b).norm(),
        ("dotprod", [a, b]) => a.dot(b),
        ("vectmagn", [a]) => a.norm(),
        _ => {
            return Err(Fault::new(
                place,
                format!("`{name}` is not understood with these arguments"),
            ));
        }
    }))
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
        (Operator::Add, Value::Text(a), Value::Text(b)) => Ok(Value::text(&format!("{a}{b}"))),
        (Operator::Divide, Value::Number(a), Value::Number(b)) => Ok(finite(a / b, place)),
        (Operator::Quotient | Operator::Remainder, Value::Number(a), Value::Number(b)) => {
            if a.fract() != 0.0 || b.fract() != 0.0 || *b == 0.0 {
                return Err(Fault::new(place, "`DIV` and `MOD` need whole numbers"));
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
            let each =
                |(a, b): (&Value, &Value)| a.join(b, place, |a, b| finite(a + sign * b, place));
            let items: Result<_, _> = a.iter().zip(b).map(each).collect();
            items.map(Value::Array)
        }
        (Operator::Multiply, Value::Number(factor), Value::Array(list))
        | (Operator::Multiply, Value::Array(list), Value::Number(factor))
            if list.len() == 3 =>
        {
            let each = |item: &Value| item.map(place, |x| x * factor);
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
                        Value::numbers(&[c.x, c.y, c.z])
                    }
                    (Err(why), _) | (_, Err(why)) => Value::Unknown(why),
                })
            }
            (4, 4) => {
                let (a, b) = (data::rotation(left, place)?, data::rotation(right, place)?);
                Ok(match (a, b) {
                    (Ok(a), Ok(b)) => data::orientation(&(a * b)),
                    (Err(why), _) | (_, Err(why)) => Value::Unknown(why),
                })
            }
            _ => fault(),
        },
        _ => fault(),
    }
}
