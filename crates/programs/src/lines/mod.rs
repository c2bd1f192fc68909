//! The common part of FANUC's listings and Yaskawa's jobs: one statement a line, labels to jump to,
//! and positions in a list of their own.

pub(crate) mod arc;
pub(crate) mod at_hand;
pub(crate) mod cursor;
pub(crate) mod kept;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod unread;
pub(crate) mod waited;

use std::cell::RefCell;
use std::path::Path;

use clearance_formats::{ImportError, Problem};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use clearance_proof::model::moves::{Branch, Frame};
use clearance_proof::model::moves::{Move, MoveKind, MoveProgram, Speed, Target, Zone};
use clearance_proof::report::Location;

use self::kept::StoredProgram;
use crate::comes_back::{StateAtPose, note_what_stands_elsewhere};
use crate::controller::ControlledArm;
use crate::flow::Flow;
use crate::record::{MoveRecord, into_programs, stands, unread};
use crate::value::{Fault, ROUNDED, Value, computed, is_within_rounding};
use crate::ways_join::{JoinState, WaysJoin, ways_that_join};
use crate::{Assumption, Options};

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

/// The moves on which the rest of a way depends: since the last one that states joint values or a
/// configuration and stops, or that moves lead on from. Two equal answers mean that the arm stands
/// at the same place in the same way.
pub(crate) fn tail(controller: &ControlledArm, moves: &[Move]) -> Vec<Move> {
    let start = last_settled(controller, moves, states_joints).unwrap_or(0);
    motion_since(moves, start)
}

/// The moves that say where the arm is and how it passes that place, whatever its joint values are.
pub(crate) fn at_pose(
    controller: &ControlledArm,
    moves: &[Move],
) -> Option<StateAtPose<Vec<Move>>> {
    let from = last_settled(controller, moves, |_| true)?;
    Some(StateAtPose {
        state: motion_since(moves, from),
        from,
        stated: moves.iter().rposition(states_joints),
    })
}

fn states_joints(step: &Move) -> bool {
    match &step.target {
        Target::Joints(_) => true,
        Target::Pose { branch, .. } => match branch {
            Branch::NearestTo(_) => true,
            // A line comes to one of the postures that a configuration may mean by where it came from.
            Branch::Configuration(_) => step.kind == MoveKind::Joint,
            _ => false,
        },
    }
}

/// The last of these moves behind which the arm is settled where one that `states` it ends.
fn last_settled(
    controller: &ControlledArm,
    moves: &[Move],
    states: impl Fn(&Move) -> bool,
) -> Option<usize> {
    let stands = |k: usize| stands(controller, &moves[k], &moves[k + 1]);
    let last = moves.len().saturating_sub(1);
    let mut leads_on = false;
    (0..moves.len()).rev().find(|&k| {
        leads_on |= k < last && stands(k) == Some(false);
        // More moves that stand are not looked at.
        let is_left = leads_on || k < last && last - k > MOST_STANDING;
        states(&moves[k]) && (moves[k].zone == Zone::Stop || is_left)
    })
}

fn motion_since(moves: &[Move], start: usize) -> Vec<Move> {
    let mut motion: Vec<Move> = moves[start..].iter().map(motion_alone).collect();
    // One that is made again where it ends is the same.
    motion
        .dedup_by(|step, before| step == before && !matches!(step.kind, MoveKind::Circular { .. }));
    motion
}

/// A move without its place in the program and its speed: the same motion from two lines is the same.
fn motion_alone(step: &Move) -> Move {
    Move {
        kind: step.kind.clone(),
        target: step.target.clone(),
        tool: step.tool.clone(),
        zone: step.zone,
        speed: Speed::Unknown,
        label: String::new(),
        routine: String::new(),
        place: Location::file(Path::new("")),
    }
}

/// So many moves that move nothing are looked at, to find from where the arm came.
const MOST_STANDING: usize = 64;

/// Whether the [`tail`] of a way says how the arm passes its last point, wherever it came from
/// before, or is the whole way, or the arm has stood there from the start.
pub(crate) fn is_certain(controller: &ControlledArm, tail: &[Move], way: &[Move]) -> bool {
    let stops = |last: &Move| last.zone == Zone::Stop;
    let stands = |step: &[Move]| stands(controller, &step[0], &step[1]);
    // From a stop on all moves are among them.
    tail.last().is_none_or(stops)
        || tail.first().is_some_and(stops)
        || tail.windows(2).any(|step| stands(step) == Some(false))
        || tail.len() == way.len()
        || way.windows(2).all(|step| stands(step) == Some(true))
}

/// Sees to it that a routine that is asked for is the one of the file.
///
/// # Errors
/// When it is another one.
pub(crate) fn only_routine(
    path: &Path,
    own: &str,
    what: &str,
    options: &Options,
) -> Result<(), ImportError> {
    match options.routine {
        Some(routine) if routine != own => Err(ImportError::file(
            path,
            Problem::UnknownName {
                what: "routine",
                name: routine.to_owned(),
                remedy: format!("the file has one {what}, `{own}`"),
            },
        )),
        _ => Ok(()),
    }
}

/// Every way through a program, and whether [they join](crate::Reading::join).
pub(crate) fn follow<S: JoinState>(
    path: &Path,
    name: &str,
    controller: &ControlledArm,
    options: &Options,
    run: impl FnMut(&mut Flow, &RefCell<WaysJoin<S>>) -> MoveRecord,
) -> (Vec<MoveProgram>, bool) {
    let mut found = ways_that_join(options.bounds, run);
    let tube = options.orientation_tube;
    note_what_stands_elsewhere(&mut found.ways.ways, path, controller, tube);
    let mut programs = into_programs(found.ways.ways, path, name, controller);
    if let Some(reason) = found.ways.left {
        let place = Location::at(path, 1, None);
        let name = format!("{name}; further ways");
        programs.push(unread(path, name, controller, place, reason));
    }
    (programs, found.join)
}

/// What is taken for granted of a first move that is a line to a pose: nothing that is known of
/// these controllers says that a configuration binds a line.
pub(crate) fn first_line(ways: &[MoveProgram]) -> Vec<Assumption> {
    let mut found: Vec<Assumption> = Vec::new();
    for way in ways.iter().filter(|way| way.start.is_none()) {
        let Some(first) = way.moves.first().filter(|m| m.kind != MoveKind::Joint) else {
            continue;
        };
        let states = |branch: &Branch| matches!(branch, Branch::Configuration(_));
        if matches!(&first.target, Target::Pose { branch, .. } if states(branch))
            && !found.iter().any(|known| known.place == first.place)
        {
            found.push(Assumption {
                place: first.place.clone(),
                message: "the first target is taken in the configuration that is stated, though a line may not be bound by it: it may arrive in the one in which the arm stands before; begin with a joint move, or say by `start` in the cell file where the arm comes from".into(),
                contradicted: false,
            });
        }
    }
    found
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
