//! Jumps, cases, loops and calls.

use super::expression::argument;
use super::words::{ends_call, is_of_word, timed_out};
use super::*;
use crate::lines::loop_begin;
use crate::lines::unread::UsesValues;

/// Whether a statement is one of the further branches of a SELECT.
pub(super) fn is_branch(text: &str) -> bool {
    let mut cursor = LineCursor::new(text);
    cursor.eat("=") || cursor.eat_word("ELSE") && cursor.eat(",")
}

/// Whether a condition asks for a register, or a position register.
pub(super) fn names_register(text: &str) -> bool {
    let text = plain(text);
    let before = text.rsplit('[').skip(1);
    let mut words = before.map(|part| part.rsplit(|c| !is_of_word(c)).next());
    words.any(|word| matches!(word, Some("R" | "PR")))
}

/// Whether the action of a branch would branch itself.
pub(super) fn is_nested(action: &str) -> bool {
    is_branch(action) || LineCursor::new(action).word() == "SELECT"
}

/// Whether the branch in this line stands below a SELECT.
pub(super) fn of_select(program: &Listing, at: usize) -> bool {
    let mut before = program.lines[..at].iter().rev();
    let first = before.find(|line| !is_branch(&line.text));
    first.is_some_and(|line| LineCursor::new(&line.text).word() == "SELECT")
}

/// The registers with which the loops count within which a line stands; one that was left by a jump
/// counts no more.
fn counters(program: &Listing, at: usize, loops: &[Loop]) -> BTreeSet<u32> {
    let runs = |turn: &&Loop| {
        let end = block_end(program, turn.begins, &["ENDFOR"], "FOR", "ENDFOR");
        turn.begins < at && end.is_ok_and(|end| at < end)
    };
    loops.iter().filter(runs).map(|l| l.register).collect()
}

impl FanucInterpreter<'_> {
    pub(super) fn jump(
        &mut self,
        program: &Listing,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<NextLine, Fault> {
        if !cursor.eat_word("LBL") {
            return Err(Fault::new(place, "a jump has no label"));
        }
        let wanted = self.known_index(cursor, place)?;
        cursor.ends(place)?;
        match program.labels.get(&wanted).map(Vec::as_slice) {
            Some([at]) => Ok(NextLine::At(*at)),
            None => Err(Fault::new(place, format!("there is no label {wanted}"))),
            Some(_) => Err(Fault::new(
                place,
                format!("there are several labels {wanted}"),
            )),
        }
    }

    /// An `IF`: with an action, or before a block.
    pub(super) fn branch(
        &mut self,
        program: &Rc<Listing>,
        at: usize,
        cursor: &mut LineCursor,
    ) -> Result<NextLine, Fault> {
        let place = &program.lines[at].place;
        self.finds_counters((program, at));
        if program.polls(at).is_some() {
            self.forget_brought((program, at));
        }
        let holds = if self.way.text.unread.passes_by(&program.name, at) {
            self.value(cursor, place)?.boolean(place)?.ok();
            self.way
                .record
                .pass_over("IF, without an effect on the motion");
            false
        } else {
            self.holds(cursor, place)?
        };
        if cursor.eat(",") {
            return if holds {
                self.follow_text(program, at, cursor.rest())
            } else {
                Ok(NextLine::Line)
            };
        }
        match (cursor.eat_word("THEN") && cursor.is_done(), holds) {
            (true, true) => Ok(NextLine::Line),
            (true, false) => Ok(NextLine::At(
                self.skip(program, at, &["ELSE", "ELSEIF", "ENDIF"], "IF", "ENDIF")? + 1,
            )),
            (false, _) => Err(Fault::new(
                place,
                format!("`{}` is not understood", cursor.rest()),
            )),
        }
    }

    pub(super) fn wait(
        &mut self,
        (program, at): (&Listing, usize),
        text: &str,
    ) -> Result<NextLine, Fault> {
        let place = &program.lines[at].place;
        self.way.record.pass_over("WAIT");
        let (asked, late) = timed_out(text);
        if late.is_some_and(|action| !action.starts_with(',')) {
            return Err(Fault::new(
                place,
                "what this TIMEOUT leads to is not understood",
            ));
        }
        if parted(asked).is_some() {
            return Err(Fault::new(place, "an action of WAIT is not read"));
        }
        if has_another(asked) {
            return Err(Fault::new(
                place,
                "another statement stands behind this one",
            ));
        }
        if !forms::is_wait(asked) {
            let reason = format!("`{text}`: what this waits for is not understood");
            return Err(Fault::new(place, reason));
        }
        // `WAIT R[1]` waits for a time.
        if names_register(asked) && asked.contains(['=', '<', '>']) {
            match Listing::waits_for(text) {
                Some(waited)
                    if waited
                        .iter()
                        .all(|&number| self.way.text.waited.contains(number)) =>
                {
                    self.forget_brought((program, at));
                }
                _ => {
                    let reason = "this waits for a register of which only the controller knows the number, or a position register: what something else writes into it is not known";
                    self.way.record.unknown(Fault::new(place, reason));
                }
            }
        }
        let late = late.map(|action| action[1..].trim_start());
        match late {
            Some(action) if self.way.flow.decide(place, "the time is out") => {
                let mut cursor = LineCursor::new(action);
                cursor.eat_word("JMP");
                self.jump(program, &mut cursor, place)
            }
            _ => Ok(NextLine::Line),
        }
    }

    /// What sets a register for which the program waits may set the others too, and position registers:
    /// not the counters of the loops that run, and those of which the cell says so.
    fn forget_brought(&mut self, (program, at): (&Listing, usize)) {
        let place = &program.lines[at].place;
        self.finds_counters((program, at));
        let all = self.way.state.registers.keys().map(|number| ('R', *number));
        let others = all.filter(|register| self.may_be_set(register)).collect();
        self.forget_shared(&others, place);
        self.forget_positions(place);
    }

    /// Finds the counters of the loops within which this line stands: nothing else sets them.
    fn finds_counters(&mut self, (program, at): (&Listing, usize)) {
        self.counters = counters(program, at, &self.way.state.loops);
        let of_callers = self.way.callers.iter().flat_map(|caller| &caller.counters);
        self.counters.extend(of_callers);
    }

    pub(super) fn select(
        &mut self,
        program: &Rc<Listing>,
        at: usize,
        cursor: &mut LineCursor,
    ) -> Result<NextLine, Fault> {
        let place = &program.lines[at].place;
        self.finds_counters((program, at));
        let asked = cursor
            .rest()
            .split('=')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned();
        let read = self.way.answers.reads_so_far();
        let mut value = self.primary(cursor, place)?;
        let mut text = cursor.rest();
        let mut k = at;
        loop {
            let place = &program.lines[k].place;
            let mut cursor = LineCursor::new(text);
            let holds = match () {
                () if cursor.eat_word("ELSE") => true,
                () if cursor.eat("=") => {
                    let case = self.value(&mut cursor, place)?;
                    let case_text = parted(text).map_or(text, |(case, _)| case);
                    let question = format!("{asked} = {}", &case_text[1..]);
                    let truth = compared("=", &value, &case, place)?;
                    let answer = self.answer((&truth, read), &question, place)?;
                    if truth.boolean(place)?.is_ok_and(|truth| truth != answer) {
                        value = Value::unknown(place, MAY_SET_TOO);
                    }
                    answer
                }
                () => return Err(Fault::new(place, "a branch of SELECT is not understood")),
            };
            self.sign(&mut cursor, ",", place)?;
            if holds {
                let action = cursor.rest();
                if is_nested(action) {
                    let reason = "a SELECT stands in a branch of a SELECT";
                    return Err(Fault::new(place, reason));
                }
                let mut below = k + 1..program.lines.len();
                let end = below.find(|&k| !is_branch(&program.lines[k].text));
                let end = end.unwrap_or(program.lines.len());
                self.way.flow.count(end - at);
                return Ok(match self.follow_text(program, k, action)? {
                    NextLine::Line => NextLine::At(end),
                    other => other,
                });
            }
            k += 1;
            match program.lines.get(k) {
                Some(line) if is_branch(&line.text) => text = &line.text,
                _ => return Ok(NextLine::At(k)),
            }
        }
    }

    pub(super) fn begin(
        &mut self,
        program: &Listing,
        at: usize,
        cursor: &mut LineCursor,
    ) -> Result<NextLine, Fault> {
        let place = &program.lines[at].place;
        if !cursor.eat_word("R") {
            return Err(Fault::new(place, "a loop has no register"));
        }
        let register = self.known_index(cursor, place)?;
        self.sign(cursor, "=", place)?;
        let before = self.way.answers.reads_so_far();
        let first = self.sum_of(cursor, place)?;
        let step = match () {
            () if cursor.eat_word("TO") => 1.0,
            () if cursor.eat_word("DOWNTO") => -1.0,
            () => return Err(Fault::new(place, "a loop has no end")),
        };
        let is_literal = cursor.rest().starts_with(|c: char| c.is_ascii_digit());
        let bound = (!is_literal).then(|| cursor.rest().to_owned());
        let read = self.way.answers.reads_so_far();
        let last = self.sum_of(cursor, place)?;
        if self.way.answers.reads_so_far() > read {
            let question = vec![cursor.rest().len()];
            self.way
                .answers
                .add_of(place, question, Value::Number(last), read);
        }
        if first.fract() != 0.0 || last.fract() != 0.0 {
            let reason = "the bounds of this loop are not whole numbers, so it is not known how often it runs";
            return Err(Fault::new(place, reason));
        }
        cursor.ends(place)?;
        self.set_register(register, Value::Number(first), before);
        if (last - first) * step < 0.0 {
            return Ok(NextLine::At(
                self.skip(program, at, &["ENDFOR"], "FOR", "ENDFOR")? + 1,
            ));
        }
        // One that was left by a jump begins anew.
        let loops = &mut self.way.state.loops;
        if let Some(old) = loops.iter().position(|l| l.begins == at) {
            loops.truncate(old);
        }
        loops.push(Loop {
            begins: at,
            register,
            last,
            bound,
            step,
        });
        Ok(NextLine::Line)
    }

    fn sum_of(&mut self, cursor: &mut LineCursor, place: &Location) -> Result<f64, Fault> {
        let value = self.primary(cursor, place)?.number(place)?;
        value.map_err(|why| {
            let reason = format!("how often the loop is run is not known: {}", why.reason);
            Fault::new(place, reason)
        })
    }

    pub(super) fn again(
        &mut self,
        program: &Listing,
        at: usize,
        place: &Location,
    ) -> Result<NextLine, Fault> {
        // Loops that were left by a jump do not go on.
        self.way.flow.count(at);
        let begins = loop_begin(&program.lines, at, &["FOR"], "ENDFOR");
        let loops = &mut self.way.state.loops;
        let found = loops.iter().rposition(|l| Some(l.begins) == begins);
        let Some(found) = found else {
            return Err(Fault::new(place, "there is no FOR for it"));
        };
        loops.truncate(found + 1);
        let turn = loops[found].clone();
        if let Some(bound) = &turn.bound
            && self.sum_of(&mut LineCursor::new(bound), place)? != turn.last
        {
            let reason = "the register that bounds this loop changes while it runs: whether the controller looks at it again is not known";
            return Err(Fault::new(place, reason));
        }
        let old = self.register(turn.register, place);
        if let Value::Number(old) = old
            && old.fract() != 0.0
        {
            let reason = "the loop counts in fractions: how often it is run is not certain";
            return Err(Fault::new(place, reason));
        }
        let new = arithmetic("+", &old, &Value::Number(turn.step), place)?;
        let Ok(value) = new.number(place)? else {
            return Err(Fault::new(place, "how often the loop is run is not known"));
        };
        if (turn.last - value) * turn.step < 0.0 {
            self.way.state.loops.pop();
            return Ok(NextLine::Line);
        }
        let read = self.way.answers.reads_so_far();
        self.way.answers.reads(('R', turn.register));
        self.set_register(turn.register, new, read);
        Ok(NextLine::At(turn.begins + 1))
    }

    pub(super) fn call(
        &mut self,
        (from, at): (&Listing, usize),
        cursor: &mut LineCursor,
    ) -> Result<NextLine, Fault> {
        let place = &from.lines[at].place;
        let called = cursor.rest().to_owned();
        let name = cursor.word().to_owned();
        if name.is_empty() || cursor.rest().starts_with('[') {
            let reason = format!(
                "which program `CALL {called}` runs is held by a register, and not followed; call it by its name"
            );
            return Err(Fault::new(place, reason));
        }
        let Some(program) = self.called(from, &name, place)? else {
            if !ends_call(cursor.rest()) {
                let reason = format!("`{}` is not understood", cursor.rest());
                return Err(Fault::new(place, reason));
            }
            self.way.record.pass_over(&format!("CALL {name}"));
            return Ok(NextLine::Line);
        };
        let mut arguments = Vec::new();
        if cursor.eat("(") && !cursor.eat(")") {
            loop {
                let read = self.way.answers.reads_so_far();
                arguments.push(self.value(cursor, place)?);
                let own = argument(self.way.callers.len() + 1, arguments.len());
                self.way.answers.sets(own, false, read);
                if !cursor.eat(",") {
                    break;
                }
            }
            self.sign(cursor, ")", place)?;
        }
        cursor.ends(place)?;
        if let Some(written) = self.passes_by(&name, &program) {
            for &number in &*written {
                let reason = "it is set by a program that is not followed";
                let value = Value::unknown(place, reason);
                let read = self.way.answers.reads_so_far();
                self.set_register(number, value, read);
            }
            self.way.record.pass_over(&format!("CALL {name}"));
            return Ok(NextLine::Line);
        }
        self.way.flow.enter(place)?;
        let own = std::mem::replace(&mut self.way.state.arguments, arguments);
        let loops = std::mem::take(&mut self.way.state.loops);
        let before = [&self.way.state.offset, &self.way.state.tool_offset].map(Clone::clone);
        self.way.callers.push(FanucCaller {
            program: known_by(&from.name),
            at,
            counters: counters(from, at, &loops),
            loops: loops.clone(),
            arguments: own.clone(),
            conditions: before.clone(),
        });
        let ended = self.run(&program)?;
        self.way.callers.pop();
        self.way.state.arguments = own;
        self.way.state.loops = loops;
        // Whether a condition outlives the program that states it is not certain.
        let state = &mut self.way.state;
        for (now, before) in [&mut state.offset, &mut state.tool_offset]
            .into_iter()
            .zip(before)
        {
            if *now != before
                && let Some((_, position)) = now
            {
                let reason = "a program that was called states this CONDITION";
                *position = Err(unknown(place, reason));
            }
        }
        self.way.flow.leave();
        Ok(match ended {
            NextLine::End => NextLine::End,
            _ => NextLine::Line,
        })
    }
}
