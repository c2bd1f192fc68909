//! The values of registers.

use super::*;

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
                if cursor.eat("[") && !(cursor.eat_word("GP1") && cursor.eat("]")) {
                    let reason = "the frame of another group is not read";
                    return Err(Fault::new(place, reason));
                }
                self.sign(cursor, "=", place)?;
                let value = self.value(cursor, place)?;
                match word {
                    "UFRAME_NUM" => self.state.frame = Some(value),
                    _ => self.state.tool = Some(value),
                }
                done(cursor, place)
            }
            "UFRAME" | "UTOOL" => {
                let number = self.known_index(cursor, place)?;
                self.sign(cursor, "=", place)?;
                let position = self.position_value(program, cursor, place)?;
                let values = position.and_then(|p| match p {
                    Position::Pose { values, .. } => Ok(values),
                    Position::Joints(_) => {
                        Err(unknown(place, "a frame of joint values is not read"))
                    }
                });
                match word {
                    "UFRAME" => self.state.frames.insert(number, values),
                    _ => self.state.tools.insert(number, values),
                };
                done(cursor, place)
            }
            "R" => {
                let number = self.known_index(cursor, place)?;
                self.sign(cursor, "=", place)?;
                let value = self.value(cursor, place)?;
                self.state.registers.insert(number, value);
                done(cursor, place)
            }
            _ => {
                let inner = cursor.rest().split(']').next().unwrap_or_default();
                if inner.contains(',') {
                    // One number of a position changes.
                    cursor.eat("[");
                    let number = cursor.index();
                    let number = number.ok_or_else(|| {
                        Fault::new(place, "which position register changes is not known")
                    })?;
                    let why = unknown(place, "one number of it is computed");
                    self.state.positions.insert(number, Err(why));
                    return Ok(NextLine::Line);
                }
                let number = self.known_index(cursor, place)?;
                self.sign(cursor, "=", place)?;
                let position = self.position_value(program, cursor, place)?;
                self.state.positions.insert(number, position);
                done(cursor, place)
            }
        }
    }

    pub(in crate::fanuc) fn register(&self, number: u32, place: &Location) -> Value {
        if let Some(unknown) = self.state.written_while_moving.register(number) {
            return unknown;
        }
        let found = self.state.registers.get(&number).cloned();
        found.unwrap_or_else(|| {
            let reason = format!("the value of R[{number}] is from before the program");
            Value::unknown(place, reason)
        })
    }

    pub(in crate::fanuc) fn argument(&self, number: u32, place: &Location) -> Value {
        let found = (number as usize)
            .checked_sub(1)
            .and_then(|k| self.state.arguments.get(k));
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
        if let Some(unknown) = self.state.written_while_moving.position(number) {
            return unknown;
        }
        if let Some(own) = self.state.positions.get(&number) {
            return own.clone();
        }
        let name = format!("PR[{number}]");
        if let Some(reason) = self.kept.why(Kept::Position, number, &name) {
            return Err(unknown(place, &reason));
        }
        self.backup.registers.get(&number).cloned().ok_or_else(|| {
            unknown(place, &format!("PR[{number}] is in no listing; name the controller's POSREG.VA in `files` of the robot's `controller`"))
        })
    }

    /// A position that is assigned.
    pub(in crate::fanuc) fn position_value(
        &mut self,
        program: &Listing,
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
                self.position_register(number, place)
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
