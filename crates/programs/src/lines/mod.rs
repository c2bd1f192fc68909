//! The common part of FANUC's listings and Yaskawa's jobs: one statement a line, labels to jump to,
//! and positions in a list of their own.

pub(crate) mod arc;
mod arm;
pub(crate) mod at_hand;
pub(crate) mod cursor;
pub(crate) mod interpreter;
pub(crate) mod kept;
pub(crate) mod reading;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod unread;
pub(crate) mod waited;
pub(crate) mod way;

use std::path::Path;

use clearance_formats::ImportError;
use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use clearance_proof::model::moves::{Frame, Move, Target};
use clearance_proof::report::Location;

use self::cursor::LineCursor;
use self::kept::StoredProgram;
use crate::Options;
use crate::controller::ControlledArm;
use crate::value::{Fault, ROUNDED, Value, computed, is_within_rounding};

/// A statement as it is written, without its comment.
#[derive(Debug)]
pub(crate) struct SourceLine {
    pub(crate) text: String,
    pub(crate) place: Location,
}

/// Statements are read by functions that call themselves, at most about this often.
pub(crate) const DEEPEST: usize = 100;

pub(crate) const TOO_DEEP: &str = "a statement is nested more deeply than any controller allows";

/// Whether a statement is nested so deeply that reading it could use up the stack.
pub(crate) fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut deepest) = (0_usize, 0);
    for sign in text.chars() {
        match sign {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    // FANUC's comments begin with it.
    let negations = text.trim_start_matches('!').matches('!').count();
    let words = ["IF", "PS"].map(|word| text.matches(word).count());
    deepest + negations + words.iter().sum::<usize>() > DEEPEST
}

/// The line in which the loop begins that ends in this one, by the words with which loops begin and
/// end.
pub(crate) fn loop_begin(
    lines: &[SourceLine],
    end: usize,
    begins: &[&str],
    ends: &str,
) -> Option<usize> {
    let mut depth = 0_usize;
    for at in (0..end).rev() {
        let word = LineCursor::new(&lines[at].text).word();
        if word == ends {
            depth += 1;
        } else if begins.contains(&word) {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
        }
    }
    None
}

/// The next step after a statement.
pub(crate) enum NextLine {
    Line,
    /// Goes on there.
    At(usize),
    /// The program has ended, and its caller goes on.
    Return,
    /// Everything has ended.
    End,
}

/// A pose of six numbers: millimetres, and degrees about the fixed axes x, y, z, one after another.
pub(crate) fn pose(values: &[f64; 6]) -> Isometry3<f64> {
    let [x, y, z, about_x, about_y, about_z] = *values;
    Isometry3::from_parts(
        Translation3::new(x / 1e3, y / 1e3, z / 1e3),
        UnitQuaternion::from_euler_angles(
            about_x.to_radians(),
            about_y.to_radians(),
            about_z.to_radians(),
        ),
    )
}

/// What a controller knows a program by: it takes capitals and small letters for the same.
pub(crate) fn known_by(name: &str) -> String {
    name.to_lowercase()
}

/// The message for a file whose program has another name than the one called.
pub(crate) fn other_name(what: &str, path: &Path, name: &str) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    format!("the {what} in `{file}` calls itself `{name}`")
}

/// Why a position is not known behind a wait.
pub(crate) fn may_set(name: &str) -> String {
    format!(
        "what sets the value that the program waits for here may have set {name} too; if nothing but the program sets it, or whoever teaches it, write `still = [\"{name}\"]` in the robot's `controller`"
    )
}

/// Reads the program of a name, beside another one.
///
/// # Errors
/// When it is there and cannot be read, or two are there that differ.
pub(crate) fn stored_program<P: StoredProgram>(
    program: &Path,
    name: &str,
    options: &Options,
) -> Result<Option<P>, ImportError> {
    if name.is_empty() || name.contains(['/', '\\', '\0']) {
        return Ok(None);
    }
    let path = program.with_file_name(format!("{name}.{}", P::EXTENSION));
    let found = crate::neighbour_files::neighbour_file(&path, options)?;
    found
        .map(|file| P::parse(&file.path, &file.bytes))
        .transpose()
}

/// Whole numbers end here.
const LARGEST_WHOLE: f64 = 2_147_483_648.0;

/// A value made of two by a sign of arithmetic.
pub(crate) fn arithmetic(
    sign: &str,
    left: &Value,
    right: &Value,
    place: &Location,
) -> Result<Value, Fault> {
    if ["/", "DIV", "MOD"].contains(&sign)
        && let Ok(divisor) = right.number(place)?
        && divisor == 0.0
    {
        return Err(Fault::new(place, "a number is divided by 0"));
    }
    let is_count =
        |value: &Value| matches!(value, Value::Number(x) if x.fract() == 0.0 && *x >= 0.0);
    let known = |value: &Value| matches!(value, Value::Number(_));
    if ["DIV", "MOD"].contains(&sign)
        && known(left)
        && known(right)
        && !(is_count(left) && is_count(right))
    {
        let reason = "how it is divided below 0, or with fractions, is not certain";
        return Ok(Value::unknown(place, reason));
    }
    left.join(right, place, |a, b| {
        let result = match sign {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" => a / b,
            "DIV" => (a / b).trunc(),
            _ => a % b,
        };
        // Whole numbers have 32 bits.
        if result.is_finite() && !(result.fract() == 0.0 && result.abs() > LARGEST_WHOLE) {
            Value::Number(computed(a, b, result))
        } else {
            Value::unknown(place, "the number is too large")
        }
    })
}

/// Whether a comparison holds.
pub(crate) fn compared(
    sign: &str,
    left: &Value,
    right: &Value,
    place: &Location,
) -> Result<Value, Fault> {
    if let (Value::Number(x), Value::Number(y)) = (left, right)
        && is_within_rounding(*x, *y)
    {
        return Ok(Value::unknown(place, ROUNDED));
    }
    // ON may be stored as 1.
    let known = |value: &Value| !matches!(value, Value::Unknown(_));
    if known(left) && known(right) && left.kind() != right.kind() {
        let reason = "two values of different kinds are compared";
        return Ok(Value::unknown(place, reason));
    }
    let order = |f: fn(f64, f64) -> bool| left.join(right, place, |a, b| Value::Boolean(f(a, b)));
    match sign {
        "=" => Ok(left.equals(right)),
        "<>" => left.equals(right).not(place),
        "<" => order(|a, b| a < b),
        ">" => order(|a, b| a > b),
        "<=" => order(|a, b| a <= b),
        _ => order(|a, b| a >= b),
    }
}

/// Where the arm is after the last move: the pose of this tool in this frame.
///
/// # Errors
/// When it is not known.
pub(crate) fn here(
    controller: &ControlledArm,
    moves: &[Move],
    tool: &Frame,
    frame: &Frame,
) -> Result<Isometry3<f64>, String> {
    let start = controller.start();
    let joints = match moves.last() {
        None => Some(start.ok_or("where the arm is before is not known")?),
        Some(step) => match &step.target {
            Target::Joints(joints) => Some(joints.clone()),
            Target::Pose { .. } => None,
        },
    };
    if let Some(joints) = joints {
        return controller.pose(&joints, tool, frame);
    }
    let step = moves.last().ok_or("where the arm is before is not known")?;
    match &step.target {
        Target::Pose {
            frame: stated,
            frame_from_tool,
            ..
        } if stated.link == frame.link && step.tool.link == tool.link => {
            Ok(frame.link_from_frame.inverse()
                * stated.link_from_frame
                * frame_from_tool
                * step.tool.link_from_frame.inverse()
                * tool.link_from_frame)
        }
        _ => Err("where the arm is before is stated in a frame of another link".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn angles_are_about_fixed_axes_x_first() {
        let turned = pose(&[1000.0, 0.0, 0.0, 90.0, 0.0, 90.0]);
        // y goes to z about x, and stays there about z.
        assert!((turned.rotation * Vector3::y() - Vector3::z()).norm() < 1e-12);
        assert!((turned.rotation * Vector3::x() - Vector3::y()).norm() < 1e-12);
        assert_eq!(turned.translation.x, 1.0);
    }

    #[test]
    fn arithmetic_does_not_divide_by_nothing() {
        let place = Location::at("a.ls".as_ref(), 1, None);
        let at =
            |sign, a: f64, b: f64| arithmetic(sign, &Value::Number(a), &Value::Number(b), &place);
        assert_eq!(at("MOD", 7.0, 4.0), Ok(Value::Number(3.0)));
        assert_eq!(at("DIV", 7.0, 4.0), Ok(Value::Number(1.0)));
        for (sign, a, b) in [("DIV", -7.0, 4.0), ("DIV", 7.5, 2.0), ("MOD", 7.0, -4.0)] {
            assert!(
                matches!(at(sign, a, b), Ok(Value::Unknown(_))),
                "{a} {sign} {b}"
            );
        }
        assert_eq!(at("+", 0.5, 0.25), Ok(Value::Number(0.75)));
        // What comes out as a number of 32 bits by chance is rounded all the same.
        for (sign, a, b, about) in [("+", 0.1, 0.15, 0.25), ("*", 0.7, 10.0, 7.0)] {
            let result = at(sign, a, b).unwrap();
            let decided = compared("=", &result, &Value::Number(about), &place);
            assert!(
                matches!(decided, Ok(Value::Unknown(_))),
                "{a} {sign} {b}: {result:?}"
            );
        }
        assert!(matches!(at("*", 65536.0, 65536.0), Ok(Value::Unknown(_))));
        assert!(at("/", 1.0, 0.0).is_err());
        for sign in ["=", "<>", "<"] {
            let mixed = compared(sign, &Value::Number(1.0), &Value::Boolean(true), &place);
            assert!(matches!(mixed, Ok(Value::Unknown(_))), "1 {sign} ON");
        }
        let less = compared("<=", &Value::Number(2.0), &Value::Number(2.0), &place);
        assert_eq!(less, Ok(Value::Boolean(true)));
    }
}
