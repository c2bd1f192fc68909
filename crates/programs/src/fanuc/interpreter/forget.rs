//! What is not known any more because something else may have set what it was computed of.

use super::expression::argument_of;
use super::*;
use crate::answers::ANY;
use crate::lines::may_set;

/// For answers: a position register, and the other things that a program sets and that are known by
/// a number.
pub(super) const POSITION: char = 'p';
pub(super) const FRAME: char = 'f';
pub(super) const TOOL: char = 't';
/// The same for the numbers of those that count.
pub(super) const FRAME_NUMBER: SharedValue = ('F', 0);
pub(super) const TOOL_NUMBER: SharedValue = ('T', 0);
/// The registers of `OFFSET CONDITION` and `TOOL_OFFSET CONDITION`.
pub(super) const OFFSET: SharedValue = ('O', 0);
pub(super) const TOOL_OFFSET: SharedValue = ('O', 1);

impl FanucInterpreter<'_> {
    /// One of these is set, as the registers say that were read since there were so many; `number`:
    /// which one, and how often registers had been read before that was read.
    pub(super) fn sets_numbered(&mut self, kind: char, (number, before): (u32, usize)) {
        self.way.answers.sets((kind, number), false, before);
    }

    /// Registers say which one is set: with others it would be another one. `before`: how often
    /// registers had been read before its number was.
    pub(super) fn chooses(&mut self, kind: char, before: usize) {
        self.way.answers.sets_in_part((kind, ANY), before);
    }

    /// Position registers are not known from here on, but those of which the cell says that nothing
    /// else sets them.
    pub(super) fn forget_positions(&mut self, place: &Location) {
        let controller = self.way.controller;
        let is_kept = |number: u32| controller.is_still_by_name(&format!("PR[{number}]"));
        let state = &mut self.way.state;
        state.positions.retain(|number, _| is_kept(*number));
        state.poses.retain(|number, _| is_kept(*number));
        state.numbers.retain(|number, _| is_kept(*number));
        for (number, held) in [&mut state.offset, &mut state.tool_offset]
            .into_iter()
            .flatten()
        {
            if !is_kept(*number) {
                *held = Err(unknown(place, &may_set(&format!("PR[{number}]"))));
            }
        }
        state
            .positions_open_since
            .get_or_insert_with(|| place.clone());
    }

    /// Forgets these values and all that was computed of them.
    pub(super) fn forget_computed(&mut self, set: &BTreeSet<SharedValue>, place: &Location) {
        for what in self.way.answers.with_computed(set) {
            let state = &mut self.way.state;
            let unknown = || unknown(place, MAY_SET_TOO);
            match what {
                ('R', ANY) => {
                    let all: Vec<u32> = state.registers.keys().copied().collect();
                    all.into_iter().for_each(|n| self.forget_one(n, place));
                }
                ('R', number) => self.forget_one(number, place),
                (POSITION, ANY) => {
                    let all = state.positions.keys().chain(self.backup.registers.keys());
                    let all: Vec<u32> = all.copied().collect();
                    all.into_iter().for_each(|n| self.forget_position(n, place));
                }
                (POSITION, number) => self.forget_position(number, place),
                (FRAME, ANY) => state.frames.values_mut().for_each(|f| *f = Err(unknown())),
                (FRAME, number) => _ = state.frames.insert(number, Err(unknown())),
                (TOOL, ANY) => state.tools.values_mut().for_each(|t| *t = Err(unknown())),
                (TOOL, number) => _ = state.tools.insert(number, Err(unknown())),
                FRAME_NUMBER => state.frame = Some(Value::Unknown(unknown())),
                TOOL_NUMBER => state.tool = Some(Value::Unknown(unknown())),
                OFFSET | TOOL_OFFSET => {
                    let held = match what {
                        OFFSET => &mut state.offset,
                        _ => &mut state.tool_offset,
                    };
                    if let Some((_, position)) = held {
                        *position = Err(unknown());
                    }
                }
                _ => {
                    if let Some(value) = self.argument_mut(what) {
                        *value = Value::Unknown(unknown());
                    }
                }
            }
        }
    }

    pub(super) fn forget_one(&mut self, number: u32, place: &Location) {
        let value = Value::unknown(place, MAY_SET_TOO);
        if let Some(is_other) = self.way.set(number, value) {
            self.way.answers.forgets(('R', number), is_other);
            self.way.sets_now(('R', number));
        }
    }

    fn forget_position(&mut self, number: u32, place: &Location) {
        let state = &mut self.way.state;
        let unknown = unknown(place, MAY_SET_TOO);
        state.positions.insert(number, Err(unknown));
        state.poses.remove(&number);
        state.numbers.remove(&number);
    }

    /// An argument of the program that is followed, or of one that has led to it.
    fn argument_mut(&mut self, what: SharedValue) -> Option<&mut Value> {
        let (calls, number) = argument_of(what)?;
        let all = match self.way.callers.get_mut(calls) {
            Some(caller) => &mut caller.arguments,
            None => &mut self.way.state.arguments,
        };
        all.get_mut(number.checked_sub(1)?)
    }
}
