//! Every way through a routine.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use clearance_proof::model::moves::{MoveProgram, Unknown};
use clearance_proof::motion::programmed::CellMoves;

use super::Language;
use super::elsewhere::set_elsewhere;
use super::interpreter::{BlockInterpreter, BlockJoinState, KeptVariables, counted};
use super::syntax::{BlockProgram, Call, Name, Routine};
use crate::Options;
use crate::controller::ControlledArm;
use crate::flow::Flow;
use crate::record::{MoveRecord, into_programs, unread};
use crate::ways_join::{FollowedWays, WaysJoin, ways_that_join};

/// Joint values that differ by no more are those of one place, rad or m.
const SAME: f64 = 1e-9;

/// So often a program is followed anew because of what it leaves behind.
const MOST_ROUNDS: usize = 4;

/// The ways through a routine.
pub(crate) struct FollowedRoutine {
    pub(crate) ways: Vec<MoveProgram>,
    /// [`Reading::join`](crate::Reading::join).
    pub(crate) join: bool,
}

/// Follows every way through a routine; `again`: it starts anew whenever it has ended. The next start
/// finds what this one leaves behind in the variables of modules and lists: those that it changes are
/// not known when it starts. Where it starts anew by itself, these are the persistent ones: a start by
/// hand gives the others their first values.
pub(crate) fn follow<'m, L: Language>(
    path: &Path,
    program: &'m BlockProgram,
    routine: &Rc<Routine>,
    again: bool,
    controller: &'m ControlledArm<'m>,
    options: &Options,
    start: impl Fn() -> L,
) -> FollowedRoutine {
    let counted = counted::<L>(program, routine, controller);
    let is_kept = |k: usize, name: &Name| {
        let mut data = program.modules[k].data.iter();
        data.any(|d| !d.constant && d.name == *name && (d.persistent || !again))
    };
    let mut changed = set_elsewhere::<L>(program, routine, again);
    let mut rounds = 0..MOST_ROUNDS;
    let call = Call {
        name: routine.name.clone(),
        arguments: Vec::new(),
    };
    let FollowedWays {
        ways: mut found,
        join,
    } = loop {
        let mut left = KeptVariables::new();
        let follow = |flow: &mut Flow, join: &RefCell<WaysJoin<BlockJoinState<L>>>| {
            let mut interpreter =
                BlockInterpreter::new(program, controller, start(), flow, &counted, &changed, join);
            interpreter.run(routine, &call, again);
            // A joint move may follow.
            interpreter.record.widen_zones_of_last_point();
            left.append(&mut interpreter.kept);
            interpreter.record
        };
        let found = ways_that_join(options.bounds, follow);
        let whole = |(k, name, _): &(usize, Name, _)| (*k, name.clone(), Vec::new());
        left.retain(|key, _| {
            let known = changed.contains_key(key) || changed.contains_key(&whole(key));
            is_kept(key.0, &key.1) && !known
        });
        if left.is_empty() {
            break found;
        }
        // Parts are told apart for so long, then nothing of what changes is known.
        let is_last = rounds.next().is_none();
        for (key, place) in left {
            let key = if is_last { whole(&key) } else { key };
            let reason = format!(
                "`{}` is changed here: at the next start it is not what its declaration says; set it before it is used",
                key.1
            );
            changed.insert(key, Arc::new(Unknown { place, reason }));
        }
    };
    for way in &mut found.ways {
        let tube = options.orientation_tube;
        if let Some(why) = stands_elsewhere(&way.found, path, controller, tube) {
            way.found.unknown(why);
        }
    }
    let mut programs = into_programs(found.ways, path, &routine.written, controller);
    if let Some(reason) = found.left {
        let place = routine.place.clone();
        let name = format!("{}; further ways", routine.written);
        let reason = format!(
            "{reason}; declare what is only used within one routine there, let branches come back to the same joint values, or check routines one by one with `--routine`"
        );
        programs.push(unread(path, name, controller, place, reason));
    }
    FollowedRoutine {
        ways: programs,
        join,
    }
}

/// That the arm does not come back to where a way begins anew, if it is so.
fn stands_elsewhere(
    record: &MoveRecord,
    path: &Path,
    controller: &ControlledArm,
    orientation_tube: f64,
) -> Option<Unknown> {
    let ends = record.ends_that_come_back()?;
    let program = (record.clone()).into_program(path, String::new(), controller);
    // What is not known of the motion is told where it is laid for the check, in the same way.
    let laid = CellMoves::new(&program, controller.cell(), orientation_tube).ok()?;
    // Where a start is stated, it comes before the end of the first move.
    let before = laid.ends.len().saturating_sub(program.moves.len());
    let [first, again] = ends.map(|k| laid.ends.get(before + k));
    let (first, again) = (first?, again?);
    let off = |k: usize| (first.q[k] - again.q[k]).abs() - first.off[k] - again.off[k];
    let joints = (0..first.q.len()).map(|k| (k, off(k)));
    let (joint, by) = joints.max_by(|a, b| a.1.total_cmp(&b.1))?;
    (by > SAME).then(|| Unknown {
        place: again.place.clone(),
        reason: format!(
            "the program starts anew whenever it has ended, and here the arm does not stand as it did a round before: `{}` is {by:.4} rad (or m) away; begin each round with a move to joint values",
            program.joints.get(joint).map_or("", |name| name)
        ),
    })
}

/// A file of which nothing runs.
pub(crate) fn nothing(path: &Path, controller: &ControlledArm) -> Vec<MoveProgram> {
    let record = MoveRecord::default();
    vec![record.into_program(path, String::new(), controller)]
}
