//! The values of registers.

use super::*;
use crate::lines::may_set;

/// Why a position register is not known of which a number was set.
const IN_PART: &str = "one number of it is set, and not all that it holds beside that is known; set it as a whole before (`PR[1]=P[1]`, or `PR[1]=LPOS` and all six numbers)";

impl FanucInterpreter<'_> {
    /// A value that is assigned: to a register, a frame or tool, or the number of those that count.
    pub(super) fn assign(
        &mut self,
        program: &Listing,
        word: &str,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<NextLine, Fault> {
        match word {
            "UFRAME_NUM" | "UTOOL_NUM" => {
                let group = if cursor.eat("[") { cursor.word() } else { "" };
                let is_other = !["", "GP1"].contains(&group);
                if is_other && !self.leaves_out(group) || !group.is_empty() && !cursor.eat("]") {
                    let reason = "the frame of another group is not read";
                    return Err(Fault::new(place, reason));
                }
                self.sign(cursor, "=", place)?;
                let value = self.value(cursor, place)?;
                match word {
                    _ if is_other => self.way.record.pass_over(&format!("{word}[{group}]")),
                    "UFRAME_NUM" => self.way.state.frame = Some(value),
                    _ => self.way.state.tool = Some(value),
                }
                done(cursor, place)
            }
            "UFRAME" | "UTOOL" => {
                let number = self.known_index(cursor, place)?;
                self.sign(cursor, "=", place)?;
                let position = self.position_value(program, None, cursor, place)?;
                let values = position.and_then(|p| match p {
                    Position::Pose { values, .. } => Ok(values),
                    Position::Joints(_) => {
                        Err(unknown(place, "a frame of joint values is not read"))
                    }
                });
                match word {
                    "UFRAME" => self.way.state.frames.insert(number, values),
                    _ => self.way.state.tools.insert(number, values),
                };
                done(cursor, place)
            }
            "R" => {
                let number = self.known_index(cursor, place)?;
                self.sign(cursor, "=", place)?;
                let read = self.way.answers.reads_so_far();
                let value = self.value(cursor, place)?;
                self.set_register(number, value, read);
                done(cursor, place)
            }
            _ => {
                if let Some(group) = self.other_group(cursor) {
                    if has_another(cursor.rest()) {
                        let reason = format!("`{}` is not understood", cursor.rest());
                        return Err(Fault::new(place, reason));
                    }
                    self.way.record.pass_over(&format!("PR[{group}]"));
                    return Ok(NextLine::Line);
                }
                if let Some((number, part)) = self.element(cursor, place)? {
                    return self.set_element(number, part, cursor, place);
                }
                let number = self.known_index(cursor, place)?;
                self.sign(cursor, "=", place)?;
                let is_here = cursor.peek_word() == "LPOS" && cursor.rest() != "LPOS-LPOS";
                let position = self.position_value(program, Some(number), cursor, place)?;
                self.way.state.positions.insert(number, position);
                self.way.state.numbers.remove(&number);
                // It is a pose, of which no number is known.
                if is_here {
                    self.way.state.poses.insert(number, [None; 6]);
                } else {
                    self.way.state.poses.remove(&number);
                }
                done(cursor, place)
            }
        }
    }

    /// `PR[GP2:10,1]`: the group whose part of a position register is meant, if it is one that does
    /// not count here.
    fn other_group<'t>(&self, cursor: &LineCursor<'t>) -> Option<&'t str> {
        let mut inner = *cursor;
        let group = inner.eat("[").then(|| inner.word())?;
        (inner.eat(":") && self.leaves_out(group)).then_some(group)
    }

    /// Whether a group, by its name (`GP2`), is another one than the arm's, and stands still or is
    /// left out.
    fn leaves_out(&self, group: &str) -> bool {
        let number = group.strip_prefix("GP").and_then(|n| n.parse().ok());
        let controller = self.way.controller;
        number.is_some_and(|n: u32| {
            n != 1 && (controller.leaves_out(n) || controller.is_still(group))
        })
    }

    pub(in crate::fanuc) fn register(&self, number: u32, place: &Location) -> Value {
        if let Some(unknown) = self.way.state.written_while_moving.register(number) {
            return unknown;
        }
        self.way.value(number).unwrap_or_else(|| {
            let reason = format!("the value of R[{number}] is from before the program");
            Value::unknown(place, reason)
        })
    }

    pub(in crate::fanuc) fn argument(&self, number: u32, place: &Location) -> Value {
        let found = (number as usize)
            .checked_sub(1)
            .and_then(|k| self.way.state.arguments.get(k));
        found.cloned().unwrap_or_else(|| {
            Value::unknown(
                place,
                format!("the program was called without AR[{number}]"),
            )
        })
    }

    pub(in crate::fanuc) fn position_register(
        &self,
        number: u32,
        place: &Location,
    ) -> Known<Position> {
        if let Some(unknown) = self.way.state.written_while_moving.position(number) {
            return unknown;
        }
        if let Some(own) = self.way.state.positions.get(&number) {
            return own.clone();
        }
        let name = format!("PR[{number}]");
        if let Some(told) = &self.way.state.positions_open_since
            && !self.way.controller.is_still_by_name(&name)
        {
            return Err(unknown(told, &may_set(&name)));
        }
        if let Some(reason) = self.way.text.kept.why(Kept::Position, number, &name) {
            return Err(unknown(place, &reason));
        }
        if self.backup.extended.contains(&number) {
            let reason = format!(
                "PR[{number}] has an extended axis (a rail, a table): positions with one are not read"
            );
            return Err(unknown(place, &reason));
        }
        self.backup.registers.get(&number).cloned().ok_or_else(|| {
            unknown(place, &format!("PR[{number}] is in no listing; name the controller's POSREG.VA in `files` of the robot's `controller`"))
        })
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

    /// `[3,2:NAME]`: one number of a position register, as far as it is known which; none: the whole
    /// register is meant, whatever its name is.
    fn element(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<Option<(u32, Option<usize>)>, Fault> {
        let mut inner = LineCursor::new(cursor.rest());
        if !inner.eat("[") {
            return Ok(None);
        }
        // `PR[GP1:3,2]`: of the arm.
        let mut group = inner;
        if group.eat_word("GP1") && group.eat(":") {
            inner = group;
        }
        let number = self.number_within(&mut inner, place)?;
        if !inner.eat(",") {
            return Ok(None);
        }
        let number = number
            .ok_or_else(|| Fault::new(place, "which position register changes is not known"))?;
        let part = self.number_within(&mut inner, place)?;
        if inner.eat(":") {
            inner.until(|c| c == ']');
        }
        if !inner.eat("]") {
            return Err(Fault::new(place, "a bracket is not closed"));
        }
        *cursor = LineCursor::new(inner.rest());
        let part = part.filter(|part| (1..=6).contains(part));
        Ok(Some((number, part.map(|part| part as usize - 1))))
    }

    /// `read`: how often registers had been read before the value was computed.
    pub(super) fn set_register(&mut self, number: u32, value: Value, read: usize) {
        let Some(is_other) = self.way.set(number, value) else {
            return;
        };
        self.way.answers.sets(('R', number), is_other, read);
        self.way.sets_now(('R', number));
    }

    /// A number, or a register that holds one.
    fn number_within(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<Option<u32>, Fault> {
        if let Some(number) = cursor.index() {
            return Ok(Some(number));
        }
        let read = self.way.answers.reads_so_far();
        let value = self.primary(cursor, place)?.number(place)?.ok();
        if let (true, Some(value)) = (self.way.answers.reads_so_far() > read, value) {
            let question = vec![cursor.rest().len()];
            self.way
                .answers
                .add_of(place, question, Value::Number(value), read);
        }
        let is_index = |value: &f64| *value >= 0.0 && value.fract() == 0.0 && *value < 1e5;
        Ok(value.filter(is_index).map(|value| value as u32))
    }

    /// `PR[3,2]=50`: one number of a position register changes. Which one is meant is only known of a
    /// pose: of joint values it would be a joint.
    fn set_element(
        &mut self,
        number: u32,
        part: Option<usize>,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<NextLine, Fault> {
        self.sign(cursor, "=", place)?;
        let all = cursor.rest().to_owned();
        self.takes_numbers = true;
        let value = self.value(cursor, place);
        self.takes_numbers = false;
        let is_read = match &value {
            Ok(_) => cursor.is_done(),
            Err(_) => !has_another(&format!("= {}", all.replace("PR[", "["))),
        };
        if !is_read {
            return Err(Fault::new(place, format!("`{all}` is not understood")));
        }
        let value = match value {
            Ok(value) => value.number(place)?.ok(),
            Err(_) => None,
        };
        let told = self.position_register(number, place).err();
        let told = told.filter(|_| self.way.state.positions_open_since.is_some());
        let mut position = Err(told.unwrap_or_else(|| unknown(place, IN_PART)));
        let mut pose = self.pose_of(number, place);
        match (&mut pose, part) {
            (Some((values, _)), Some(part)) => values[part] = value,
            (Some((values, _)), None) => *values = [None; 6],
            (None, _) => {}
        }
        match pose {
            Some((values, config)) => {
                if let [Some(x), Some(y), Some(z), Some(w), Some(p), Some(r)] = values {
                    let values = [x, y, z, w, p, r];
                    position = Ok(Position::Pose { values, config });
                }
                self.way.state.poses.insert(number, values);
            }
            None => {
                self.way.state.poses.remove(&number);
                self.set_number(number, part, value, place);
            }
        }
        self.way.state.positions.insert(number, position);
        Ok(NextLine::Line)
    }

    /// One number changes of a position register of which it is not known what it holds.
    fn set_number(
        &mut self,
        number: u32,
        part: Option<usize>,
        value: Option<f64>,
        place: &Location,
    ) {
        // What the program or a list has set before may be joint values.
        let listed = self.backup.registers.get(&number);
        let is_untouched = self.position_register(number, place).is_err()
            && !matches!(listed, Some(Position::Joints(_)))
            && !self.way.state.positions.contains_key(&number)
            && (self.way.state.written_while_moving.position(number)).is_none();
        let state = &mut self.way.state;
        if is_untouched {
            state.numbers.insert(number, [None; 6]);
        }
        if let Some(values) = state.numbers.get_mut(&number) {
            match part {
                Some(part) => values[part] = value,
                None => *values = [None; 6],
            }
        }
    }

    /// A position register that is made a frame or a tool. A controller takes none that holds joint
    /// values, so one of which the program has set all six numbers is the pose of these.
    fn frame_register(&self, number: u32, place: &Location) -> Known<Position> {
        let known = self.position_register(number, place);
        let is_written = self.way.state.written_while_moving.position(number);
        match self.way.state.numbers.get(&number) {
            Some(&[Some(x), Some(y), Some(z), Some(w), Some(p), Some(r)])
                if known.is_err() && is_written.is_none() =>
            {
                Ok(Position::Pose {
                    values: [x, y, z, w, p, r],
                    config: None,
                })
            }
            _ => known,
        }
    }

    /// The numbers of a position register that is known to hold a pose, and its configuration.
    fn pose_of(&self, number: u32, place: &Location) -> Option<([Option<f64>; 6], Option<String>)> {
        match self.position_register(number, place) {
            Ok(Position::Pose { values, config }) => Some((values.map(Some), config)),
            Ok(Position::Joints(_)) => None,
            Err(_)
                if self
                    .way
                    .state
                    .written_while_moving
                    .position(number)
                    .is_some() =>
            {
                None
            }
            Err(_) => Some((*self.way.state.poses.get(&number)?, None)),
        }
    }

    /// `PR[3,2]` where a number of a position is computed. The lists round what they hold, so it is
    /// known for nothing else.
    pub(in crate::fanuc) fn element_value(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<Option<f64>, Fault> {
        if !self.takes_numbers {
            return Ok(None);
        }
        let Some((number, Some(part))) = self.element(cursor, place)? else {
            return Ok(None);
        };
        Ok(self
            .pose_of(number, place)
            .and_then(|(values, _)| values[part]))
    }

    /// A sum or difference of position registers, number by number, the first of which stands before
    /// the cursor; none: it is not read, or not known.
    fn sum_of_positions(
        &mut self,
        first: u32,
        into: Option<u32>,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<Option<Position>, Fault> {
        let sign = match () {
            () if cursor.eat("-") => "-",
            () if cursor.eat("+") => "+",
            () => return Ok(None),
        };
        if !cursor.eat_word("PR") {
            return Ok(None);
        }
        let second = self.known_index(cursor, place)?;
        let of = [first, second].map(|number| self.pose_of(number, place));
        let [Some((left, config)), Some((right, other))] = of else {
            return Ok(None);
        };
        // Whether it is that of the first one or that of what is set is not certain.
        let is_one = into == Some(first) || other.is_none() || other == config;
        let config = config.filter(|_| sign == "+" && is_one);
        if !cursor.is_done() {
            return Ok(None);
        }
        let mut values = [0.0; 6];
        if first == second && sign == "-" {
            return Ok(Some(Position::Pose {
                values,
                config: None,
            }));
        }
        for ((value, left), right) in values.iter_mut().zip(left).zip(right) {
            let (Some(left), Some(right)) = (left, right) else {
                return Ok(None);
            };
            let sum = arithmetic(sign, &Value::Number(left), &Value::Number(right), place)?;
            match sum.number(place)? {
                Ok(sum) => *value = sum,
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(Position::Pose { values, config }))
    }

    /// A position that is assigned, to this position register, or to a frame or a tool.
    pub(in crate::fanuc) fn position_value(
        &mut self,
        program: &Listing,
        into: Option<u32>,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<Known<Position>, Fault> {
        let found = match cursor.word() {
            "P" => {
                let number = self.known_index(cursor, place)?;
                match program.points.get(&number) {
                    Some(point) => point.position.clone(),
                    None => Err(unknown(
                        place,
                        &format!("P[{number}] is not in the program"),
                    )),
                }
            }
            "PR" => {
                let number = self.known_index(cursor, place)?;
                if cursor.is_done() {
                    match into {
                        Some(_) => self.position_register(number, place),
                        None => self.frame_register(number, place),
                    }
                } else {
                    let sum = self.sum_of_positions(number, into, cursor, place)?;
                    let why = "it is computed in a way that is not read, or of what is not known";
                    cursor.until(|_| false);
                    sum.ok_or_else(|| unknown(place, why))
                }
            }
            // Six zeros, wherever the arm is.
            "LPOS" if cursor.eat("-") && cursor.eat_word("LPOS") && cursor.is_done() => {
                Ok(Position::Pose {
                    values: [0.0; 6],
                    config: None,
                })
            }
            "JPOS" if cursor.eat("-") && cursor.eat_word("JPOS") && cursor.is_done() => {
                Ok(Position::Joints(vec![0.0; 6]))
            }
            "LPOS" | "JPOS" => Err(unknown(
                place,
                "it is where the arm is while the program runs",
            )),
            _ => Err(unknown(place, "it is computed in a way that is not read")),
        };
        if cursor.is_done() {
            Ok(found)
        } else {
            cursor.until(|_| false);
            Ok(Err(unknown(
                place,
                "it is computed in a way that is not read",
            )))
        }
    }
}
