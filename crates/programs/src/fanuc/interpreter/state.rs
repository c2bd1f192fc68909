//! What statements set.

use std::collections::{BTreeMap, BTreeSet};

use clearance_proof::report::Location;

use super::{Listing, Position, flow, while_moving};
use crate::lines::SourceLine;
use crate::lines::cursor::LineCursor;
use crate::lines::way::{LineProgram, LineState};
use crate::value::{Known, Value};

/// All that the rest of a way depends on, beside where the arm is.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::fanuc) struct FanucState {
    pub(super) registers: BTreeMap<u32, Value>,
    pub(super) positions: BTreeMap<u32, Known<Position>>,
    /// The numbers, as far as they are known, of position registers that hold poses, and of which not
    /// all are.
    pub(super) poses: BTreeMap<u32, [Option<f64>; 6]>,
    /// The numbers that the program has set of position registers of which it is not known whether
    /// they hold poses or joint values.
    pub(super) numbers: BTreeMap<u32, [Option<f64>; 6]>,
    /// Since where something else may have set position registers.
    pub(super) positions_open_since: Option<Location>,
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
    /// With which the program was called that is followed.
    pub(super) arguments: Vec<Value>,
    /// The loops of that program that are gone through.
    pub(super) loops: Vec<Loop>,
    /// The actions of other groups, as the first move that states them has them.
    pub(super) others: BTreeMap<u32, String>,
}

/// A loop that is gone through.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::fanuc) struct Loop {
    pub(super) begins: usize,
    pub(super) register: u32,
    pub(super) last: f64,
    /// How the line states `last`; none: as a number.
    pub(super) bound: Option<String>,
    pub(super) step: f64,
}

/// A program that has called another one, and goes on when that is at its end.
#[derive(Clone, PartialEq)]
pub(in crate::fanuc) struct FanucCaller {
    pub(super) program: String,
    pub(super) at: usize,
    /// The registers with which the loops count within which it calls.
    pub(super) counters: BTreeSet<u32>,
    pub(super) loops: Vec<Loop>,
    pub(super) arguments: Vec<Value>,
    pub(super) conditions: [Option<(u32, Known<Position>)>; 2],
}

impl LineState for FanucState {
    type Value = u32;

    fn values(&self) -> &BTreeMap<u32, Value> {
        &self.registers
    }

    fn values_mut(&mut self) -> &mut BTreeMap<u32, Value> {
        &mut self.registers
    }

    fn size(&self) -> usize {
        let numbers = self.registers.len() + self.arguments.len();
        let positions = self.positions.len() + self.poses.len() + self.numbers.len();
        numbers + positions + self.frames.len() + self.tools.len()
    }
}

impl LineProgram for Listing {
    type State = FanucState;
    type Caller = FanucCaller;

    fn lines(&self) -> &[SourceLine] {
        &self.lines
    }

    /// Also behind a SELECT.
    fn meet_at(&self, line: usize) -> bool {
        let text = |line: usize| self.lines.get(line).map_or("", |line| &line.text);
        let word = |line: usize| LineCursor::new(text(line)).word();
        let behind = |line: usize| {
            matches!(word(line), "ENDIF" | "ENDFOR" | "CALL") || flow::is_branch(text(line))
        };
        word(line) == "LBL" || line.checked_sub(1).is_some_and(behind)
    }
}
