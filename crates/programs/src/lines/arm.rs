//! Where the arm is, as far as a loop that comes back depends on it.

use std::path::Path;

use clearance_proof::model::moves::{Branch, Move, MoveKind, Speed, Target, Zone};
use clearance_proof::report::Location;

use crate::comes_back::StateAtPose;
use crate::controller::ControlledArm;
use crate::record::stands;

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
