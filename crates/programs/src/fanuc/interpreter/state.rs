//! What the rest of a way depends on, and where ways join.

use std::collections::{BTreeMap, BTreeSet};

use clearance_proof::model::moves::Move;
use clearance_proof::report::Location;

use super::{Caller, FanucInterpreter, Listing, Loop, Position, flow, while_moving};
use crate::comes_back::StateAtPose;
use crate::lines::cursor::LineCursor;
use crate::lines::{at_pose, is_certain, known_by, tail};
use crate::value::{Known, Value, map_covers};
use crate::ways_join::{JoinState, WayPlace, ends_way};

/// All that the rest of a way depends on.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::fanuc) struct FanucState {
    pub(super) registers: BTreeMap<u32, Value>,
    pub(super) positions: BTreeMap<u32, Known<Position>>,
    /// The numbers, as far as they are known, of position registers that hold poses, and of which not
    /// all are.
    pub(super) poses: BTreeMap<u32, [Option<f64>; 6]>,
    /// Since where something else may have set position registers.
    pub(super) told: Option<Location>,
    pub(super) written_while_moving: while_moving::WrittenWhileMoving,
    /// The numbers of the frame and tool that count; none: not said.
    pub(super) frame: Option<Value>,
    pub(super) tool: Option<Value>,
    /// Frames and tools that the program has changed.
    pub(super) frames: BTreeMap<u32, Known<[f64; 6]>>,
    pub(super) tools: BTreeMap<u32, Known<[f64; 6]>>,
    /// Registers of `OFFSET CONDITION` and `TOOL_OFFSET CONDITION`, with what was in them.
    pub(super) offset: Option<(u32, Known<Position>)>,
    pub(super) tool_offset: Option<(u32, Known<Position>)>,
    pub(super) arguments: Vec<Value>,
}

impl FanucState {
    /// How much is copied with it.
    fn size(&self) -> usize {
        let numbers = self.registers.len() + self.arguments.len();
        numbers + self.positions.len() + self.poses.len() + self.frames.len() + self.tools.len()
    }
}

/// The state to which a backward jump may come back: if all of it is as before, the program goes
/// round for ever.
#[derive(PartialEq)]
pub(super) struct LoopState {
    state: FanucState,
    loops: Vec<Loop>,
    moves: Vec<Move>,
    /// How many moves were made, where the last of them do not say how the arm passes its point.
    uncertain: Option<usize>,
    others: BTreeMap<u32, String>,
    just_set: BTreeSet<u32>,
}

/// The state in which a way may join another one, which may have come from elsewhere.
pub(in crate::fanuc) struct FanucJoinState {
    program: String,
    registers: BTreeMap<u32, Value>,
    /// All but the registers.
    rest: LoopState,
    callers: Vec<Caller>,
}

impl JoinState for FanucJoinState {
    fn covers(&self, other: &Self) -> bool {
        self.program == other.program
            && map_covers(&self.registers, &other.registers)
            && self.rest == other.rest
            && self.callers == other.callers
    }
}

impl FanucInterpreter<'_> {
    /// All that the rest of the way depends on; what it takes to compare it is counted.
    pub(super) fn counted_state(&self, loops: &[Loop]) -> LoopState {
        self.loop_state(self.counted_tail(), loops)
    }

    /// The same with the arm at its pose.
    pub(super) fn state_at_pose(&self, loops: &[Loop]) -> Option<StateAtPose<LoopState>> {
        let at_pose = at_pose(self.controller, self.record.moves())?;
        Some(at_pose.map(|moves| self.loop_state(moves, loops)))
    }

    fn counted_tail(&self) -> Vec<Move> {
        let moves = tail(self.controller, self.record.moves());
        self.flow.count(10 * (moves.len() + self.state.size()));
        moves
    }

    fn loop_state(&self, moves: Vec<Move>, loops: &[Loop]) -> LoopState {
        let made = self.record.moves();
        LoopState {
            state: self.state.clone(),
            loops: loops.to_vec(),
            uncertain: (!is_certain(self.controller, &moves, made)).then_some(made.len()),
            moves,
            others: self.others.clone(),
            just_set: self.just_set.now(self.time_passed()),
        }
    }

    /// Whether the way ends before this line because another one went on from there.
    pub(super) fn joins(&mut self, program: &Listing, next: usize, loops: &[Loop]) -> bool {
        if self.record.is_lost() {
            return false;
        }
        let mut joining = std::mem::take(&mut self.joining);
        let state = || {
            let moves = self.counted_tail();
            is_certain(self.controller, &moves, self.record.moves()).then(|| {
                let mut rest = self.loop_state(moves, loops);
                FanucJoinState {
                    program: known_by(&program.name),
                    registers: std::mem::take(&mut rest.state.registers),
                    rest,
                    callers: self.callers.clone(),
                }
            })
        };
        let at = WayPlace {
            place: next,
            moves: self.record.moves().len(),
            now: self.answers.now(),
        };
        let meets = meet_at(program, next);
        let from = (&self.answers, &*self.flow);
        let ends = joining.ends(at, meets, state, from, self.ways_join);
        self.joining = joining;
        ends_way(ends, &self.answers, &mut self.record)
    }
}

/// Whether courses that part at conditions may meet before this line: at a label, or behind a block, a
/// SELECT or a call.
fn meet_at(program: &Listing, line: usize) -> bool {
    let text = |line: usize| program.lines.get(line).map_or("", |line| &line.text);
    let word = |line: usize| LineCursor::new(text(line)).word();
    let behind = |line: usize| {
        matches!(word(line), "ENDIF" | "ENDFOR" | "CALL") || flow::is_branch(text(line))
    };
    word(line) == "LBL" || line.checked_sub(1).is_some_and(behind)
}
