//! Loops that come back to where they were.
//!
//! A loop repeats itself once all that the rest of the way depends on is as it was in an earlier
//! round. Where the arm is belongs to that: by joint values, because by a pose alone a wrist may be a
//! turn further in every round. Where no move of the loop states joint values, the round that comes
//! back to the same pose is held against the earlier one when all is followed: whether the arm then
//! stands in the same joint values ([`note_what_stands_elsewhere`]).

use std::collections::BTreeMap;
use std::path::Path;

use clearance_proof::model::moves::Unknown;
use clearance_proof::motion::programmed::CellMoves;

use crate::answers::KnownAnswers;
use crate::controller::ControlledArm;
use crate::flow::Way;
use crate::record::MoveRecord;

/// One run of a loop, to find out whether it comes back to a state that it was in: from there on
/// everything repeats, and what other answers to unknown conditions would bring, other ways have
/// from that same state.
///
/// The state has to hold all that the rest of the program depends on: variables, frames, where the
/// arm stands, and how it is about to pass that point. The first states are kept, so that a way
/// ends as soon as it comes back to one of them. (Of those that follow one is kept, at powers of
/// two, so that long loops cost no memory: Brent's search.)
#[derive(Debug)]
pub(crate) struct Cycle<S, M = usize> {
    /// The first states, and what was marked then.
    first: Vec<(S, M)>,
    /// A later state, and what was marked then.
    kept: Option<(S, M)>,
    rounds: usize,
}

/// So many first states of a loop are kept.
const FIRST_STATES: usize = 16;

impl<S, M> Default for Cycle<S, M> {
    fn default() -> Self {
        Self {
            first: Vec::new(),
            kept: None,
            rounds: 0,
        }
    }
}

impl<S: PartialEq, M: Copy> Cycle<S, M> {
    /// Whether the loop is where it was in an earlier round, and what was marked then. To be asked at
    /// the start of every round.
    pub(crate) fn back_to(&mut self, mark: M, state: impl FnOnce() -> S) -> Option<M> {
        self.rounds += 1;
        let state = state();
        let mut kept = self.first.iter().chain(&self.kept);
        if let Some((_, marked)) = kept.find(|(kept, _)| *kept == state) {
            return Some(*marked);
        }
        if self.rounds <= FIRST_STATES {
            self.first.push((state, mark));
        } else if self.rounds.is_power_of_two() {
            self.kept = Some((state, mark));
        }
        None
    }
}

/// The state where a round begins, with the arm known by its pose.
pub(crate) struct StateAtPose<S> {
    /// All that the rest of the way depends on, but in which joint values the arm has this pose.
    pub(crate) state: S,
    /// The first of the moves that say where the arm is, and how it passes that place.
    pub(crate) from: usize,
    /// The last move that states joint values, if there is one.
    pub(crate) stated: Option<usize>,
}

impl<S> StateAtPose<S> {
    pub(crate) fn map<T>(self, state: impl FnOnce(S) -> T) -> StateAtPose<T> {
        StateAtPose {
            state: state(self.state),
            from: self.from,
            stated: self.stated,
        }
    }
}

/// The rounds of one loop so far.
#[derive(Debug)]
pub(crate) struct Rounds<S> {
    states: Cycle<S>,
    /// What was marked, and from which move on the pose was known.
    at_poses: Cycle<S, (usize, usize)>,
}

/// A round begins as an earlier one did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repeated {
    /// What was marked then.
    pub(crate) mark: usize,
    /// If the arm stands the same behind both of these moves.
    pub(crate) if_same: Option<[usize; 2]>,
}

impl<S> Default for Rounds<S> {
    fn default() -> Self {
        Self {
            states: Cycle::default(),
            at_poses: Cycle::default(),
        }
    }
}

impl<S: PartialEq> Rounds<S> {
    /// Whether the loop is where it was in an earlier round. To be asked at the start of every round.
    pub(crate) fn back_to(
        &mut self,
        mark: usize,
        state: impl FnOnce() -> S,
        at_pose: impl FnOnce() -> Option<StateAtPose<S>>,
    ) -> Option<Repeated> {
        if let Some(mark) = self.states.back_to(mark, state) {
            return Some(Repeated {
                mark,
                if_same: None,
            });
        }
        let StateAtPose {
            state,
            from,
            stated,
        } = at_pose()?;
        let (mark, then) = self.at_poses.back_to((mark, from), || state)?;
        // Joint values that were stated since then are what it comes back to.
        stated.is_none_or(|k| k <= then).then_some(Repeated {
            mark,
            if_same: Some([then, from]),
        })
    }
}

impl Repeated {
    /// Records that the way goes round for ever since then, with a doubt where it asks for what
    /// something else may change: then the program may go on otherwise.
    pub(crate) fn note(self, answers: &KnownAnswers, record: &mut MoveRecord) {
        if let Some(ends) = self.if_same {
            record.comes_back(ends);
        }
        answers.goes_round(self.mark, record);
    }
}

/// Jumps back in a program, by the statements to which they lead. The state `S` is all that the rest
/// of the way depends on.
pub(crate) struct JumpsBack<S> {
    to: BTreeMap<usize, Rounds<S>>,
}

impl<S> Default for JumpsBack<S> {
    fn default() -> Self {
        Self {
            to: BTreeMap::new(),
        }
    }
}

impl<S: PartialEq> JumpsBack<S> {
    /// [`Rounds::back_to`] for jumps that come to this statement.
    pub(crate) fn back_to(
        &mut self,
        to: usize,
        mark: usize,
        state: impl FnOnce() -> S,
        at_pose: impl FnOnce() -> Option<StateAtPose<S>>,
    ) -> Option<Repeated> {
        let rounds = self.to.entry(to).or_default();
        rounds.back_to(mark, state, at_pose)
    }

    /// Forgets the rounds that begin with this statement: none of them can come back.
    pub(crate) fn begin_anew(&mut self, to: usize) {
        self.to.remove(&to);
    }
}

/// Joint values that differ by no more are those of one place, rad or m.
const SAME: f64 = 1e-9;

/// Notes on each way where the arm does not come back to the joint values in which an earlier round
/// began.
pub(crate) fn note_what_stands_elsewhere(
    ways: &mut [Way<MoveRecord>],
    path: &Path,
    controller: &ControlledArm,
    orientation_tube: f64,
) {
    for way in ways {
        let ends = way.found.ends_that_come_back().to_vec();
        if ends.is_empty() {
            continue;
        }
        let program = (way.found.clone()).into_program(path, String::new(), controller);
        // What is not known of the motion is told where it is laid for the check, in the same way.
        let Ok(laid) = CellMoves::new(&program, controller.cell(), orientation_tube) else {
            continue;
        };
        // Where a start is stated, it comes before the end of the first move.
        let before = laid.ends.len().saturating_sub(program.moves.len());
        for ends in ends {
            let [Some(first), Some(again)] = ends.map(|k| laid.ends.get(before + k)) else {
                continue;
            };
            let off = |k: usize| (first.q[k] - again.q[k]).abs() - first.off[k] - again.off[k];
            let joints = (0..first.q.len()).map(|k| (k, off(k)));
            let farthest = joints.max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((joint, by)) = farthest.filter(|(_, by)| *by > SAME) else {
                continue;
            };
            way.found.unknown(Unknown {
                place: again.place.clone(),
                reason: format!(
                    "a new round begins here, and the arm does not stand as it did a round before: `{}` is {by:.4} rad (or m) away; begin each round with a move to joint values",
                    program.joints.get(joint).map_or("", |name| name)
                ),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_comes_back_is_noticed_and_a_counting_one_is_not() {
        let mut cycle = Cycle::default();
        // 0 … 9, then 5 … 9 again and again.
        let round = (0..100).find(|&k| {
            cycle
                .back_to(0, || if k < 10 { k } else { 5 + k % 5 })
                .is_some()
        });
        assert!(round.is_some_and(|k| (10..24).contains(&k)), "{round:?}");
        let mut cycle = Cycle::default();
        assert!(!(0..1000).any(|k| cycle.back_to(0, || k).is_some()));
        // 0, 1, 2, 0: not only the last state that was kept.
        let mut cycle = Cycle::default();
        assert_eq!(
            (0..100).find(|k| cycle.back_to(0, || k % 3).is_some()),
            Some(3)
        );
    }

    /// By the pose alone, unless joint values were stated in between.
    #[test]
    fn a_pose_that_comes_back_repeats_if_the_arm_stands_the_same() {
        let mut rounds = Rounds::default();
        let mut begins = |round: usize, stated: Option<usize>| {
            let at_pose = StateAtPose {
                state: 7,
                from: 3 + 2 * round,
                stated,
            };
            rounds.back_to(10 + round, || 100 + round, || Some(at_pose))
        };
        assert_eq!(begins(0, Some(1)), None);
        assert_eq!(begins(1, Some(4)), None);
        let repeated = Repeated {
            mark: 10,
            if_same: Some([3, 7]),
        };
        assert_eq!(begins(2, Some(3)), Some(repeated));
        assert_eq!(begins(2, None).map(|r| r.if_same), Some(None));
    }
}
