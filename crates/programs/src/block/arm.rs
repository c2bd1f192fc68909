//! Where the arm is, as far as a loop that comes back depends on it.

use clearance_proof::model::moves::{Branch, Frame, Move, MoveKind, Target, Zone};

use crate::comes_back::StateAtPose;
use crate::controller::ControlledArm;
use crate::most_moves::MOST_MOVES;
use crate::record::stands;
use crate::value::Value;

/// More moves that nothing settles are not compared.
const LONG: usize = 256;

/// The moves on which the rest of a way depends: since the last place where joint values were
/// stated and the motion past it is settled. Two equal answers mean that the arm stands, and passes
/// this point, in the same way.
///
/// A line that only leads on from where the arm was settles nothing: a wrist may be a turn further
/// in every round.
fn tail<'w>(controller: &ControlledArm, moves: &'w [Move]) -> &'w [Move] {
    let states = |step: &Move| states_joints(&step.target);
    &moves[last_settled(controller, moves, states).unwrap_or(0)..]
}

/// The last of these moves behind which the arm is settled where one that `states` it ends.
fn last_settled(
    controller: &ControlledArm,
    moves: &[Move],
    states: impl Fn(&Move) -> bool,
) -> Option<usize> {
    // A longer list is not searched again and again.
    let mut last = (0..moves.len()).rev().take(LONG + 1);
    last.find(|&k| settles(controller, &moves[k..], &states))
}

/// The moves that say where the arm is and how it passes that place, whatever its joint values are.
pub(crate) fn at_pose(
    controller: &ControlledArm,
    moves: &[Move],
) -> Option<StateAtPose<Vec<Value>>> {
    let from = last_settled(controller, moves, |_| true)?;
    Some(StateAtPose {
        state: values(once(&moves[from..])),
        from,
        stated: moves.iter().rposition(|step| states_joints(&step.target)),
    })
}

/// Whether the first of these moves states joint values, and the motion past it is settled: the arm
/// stops there, or has been led on.
fn settles(controller: &ControlledArm, way: &[Move], states: impl Fn(&Move) -> bool) -> bool {
    let is_settled = |first: &Move| first.zone == Zone::Stop || leads_on(controller, way);
    way.first()
        .is_some_and(|first| states(first) && is_settled(first))
}

/// Whether one of these moves leads away from where the one before ended, for certain.
pub(crate) fn leads_on(controller: &ControlledArm, way: &[Move]) -> bool {
    let mut steps = way.windows(2);
    steps.any(|step| stands(controller, &step[0], &step[1]) == Some(false))
}

/// Whether a move states the joint values at its end wherever it comes from. What the first line of
/// a program states says where the arm is then, and binds no other one.
pub(crate) fn states(step: &Move) -> bool {
    step.kind == MoveKind::Joint && states_joints(&step.target)
}

/// Whether the joint values and the motion past them are settled somewhere on the way, whatever was
/// before it.
pub(crate) fn is_settled(controller: &ControlledArm, way: &[Move]) -> bool {
    (0..way.len()).any(|k| settles(controller, &way[k..], states))
}

/// Whether nothing has settled the arm for many moves.
pub(crate) fn is_unsettled(controller: &ControlledArm, moves: &[Move]) -> bool {
    once(tail(controller, moves)).len() > LONG
}

/// These without moves that are made again, with the same zone, where the arm stands: a corner at a
/// point that stands twice begins with the move that led there, and is looked at with each zone
/// that is stated there (`motion/programmed/corners.rs` of the proof), however often. So a loop
/// that waits at a point comes back.
fn once(moves: &[Move]) -> Vec<&Move> {
    let mut kept: Vec<&Move> = Vec::new();
    // The move that led to where the arm stands.
    let mut led = 0;
    for step in moves {
        // They never become fewer, and so many are not compared.
        if kept.len() > LONG {
            break;
        }
        let stays = |last: &&&Move| {
            !matches!(step.kind, MoveKind::Circular { .. }) && ends_where(last, step)
        };
        if kept.last().filter(stays).is_none() {
            led = kept.len();
            kept.push(step);
            continue;
        }
        let again = |other: &Move| {
            other.kind == step.kind
                && other.target == step.target
                && other.tool == step.tool
                && other.zone == step.zone
        };
        if let Some(k) = (led + 1..kept.len()).find(|&k| again(kept[k])) {
            kept.remove(k);
        }
        if kept.len() > led + 1 || !again(kept[led]) {
            kept.push(step);
        }
    }
    kept
}

/// The part of the moves so far on which the rest of a way depends. If nothing has settled the arm
/// for many moves, no two answers are equal.
pub(crate) fn passed(controller: &ControlledArm, moves: &[Move]) -> Vec<Value> {
    let tail = once(tail(controller, moves));
    if tail.len() > LONG {
        vec![Value::Number(moves.len() as f64)]
    } else {
        values(tail)
    }
}

/// Whether one move ends where another one does, so that the other one, made next, moves nothing.
pub(crate) fn ends_where(last: &Move, next: &Move) -> bool {
    let same = match (&last.target, &next.target) {
        (
            Target::Pose {
                frame,
                frame_from_tool,
                ..
            },
            Target::Pose {
                frame: of,
                frame_from_tool: pose,
                ..
            },
            // A joint move may bring the arm to its stated configuration.
        ) if next.kind != MoveKind::Joint => frame == of && frame_from_tool == pose,
        (a, b) => a == b,
    };
    same && last.tool == next.tool
}

/// Whether so many moves were made that nobody wants to follow them.
pub(crate) fn too_many(moves: &[Move]) -> bool {
    moves.len() > MOST_MOVES
}

fn states_joints(target: &Target) -> bool {
    match target {
        Target::Joints(_) => true,
        Target::Pose { branch, .. } => {
            matches!(branch, Branch::NearestTo(_) | Branch::Configuration(_))
        }
    }
}

/// The same moves as values, without their places in the file: the same motion from two lines is
/// the same.
pub(crate) fn values<'m>(moves: impl IntoIterator<Item = &'m Move>) -> Vec<Value> {
    let numbers = |list: &[f64]| Value::numbers(list);
    let frame = |frame: &Frame| {
        let matrix = frame.link_from_frame.to_homogeneous();
        Value::Array(vec![Value::text(&frame.link), numbers(matrix.as_slice())])
    };
    let target = |target: &Target| match target {
        Target::Joints(q) => numbers(q),
        Target::Pose {
            frame: of,
            frame_from_tool,
            branch,
        } => Value::Array(vec![
            frame(of),
            numbers(frame_from_tool.to_homogeneous().as_slice()),
            Value::text(&format!("{branch:?}")),
        ]),
    };
    let one = |step: &Move| {
        let kind = match &step.kind {
            MoveKind::Joint => Value::text("joint"),
            MoveKind::Linear => Value::text("linear"),
            MoveKind::Circular { via, .. } => target(via),
        };
        let zone = Value::text(&format!("{:?}", step.zone));
        Value::Array(vec![kind, target(&step.target), frame(&step.tool), zone])
    };
    moves.into_iter().map(one).collect()
}
