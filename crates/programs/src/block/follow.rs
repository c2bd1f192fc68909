//! Every way through a routine.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use clearance_proof::model::moves::{MoveProgram, Unknown};

use super::Language;
use super::elsewhere::set_elsewhere;
use super::interpreter::{BlockInterpreter, BlockJoinState, KeptVariables, counted};
use super::syntax::{BlockProgram, Call, Name, Routine};
use crate::Options;
use crate::comes_back::note_what_stands_elsewhere;
use crate::controller::ControlledArm;
use crate::flow::Flow;
use crate::record::{MoveRecord, into_programs, unread};
use crate::ways_join::{FollowedWays, WaysJoin, ways_that_join};

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
    note_what_stands_elsewhere(&mut found.ways, path, controller, options.orientation_tube);
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

/// A file of which nothing runs.
pub(crate) fn nothing(path: &Path, controller: &ControlledArm) -> Vec<MoveProgram> {
    let record = MoveRecord::default();
    vec![record.into_program(path, String::new(), controller)]
}
