//! Variables, numbers and conditions of instructions.

use clearance_proof::report::Location;

use super::super::job::{PointKind, point_name, point_word};
use super::InformInterpreter;
use super::variable::{InformVariable, VariableKind};
use crate::lines::compared;
use crate::lines::cursor::LineCursor;
use crate::lines::interpreter::LineInterpreter;
use crate::value::{Fault, Value};

/// The variable or position that a word of an instruction refers to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Operand {
    Variable(InformVariable),
    /// A position.
    Point(PointKind, u32),
}

impl InformInterpreter<'_> {
    /// Reads a variable or position; none: it is something else.
    pub(super) fn operand(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<Option<Operand>, Fault> {
        let word = cursor.peek_word();
        if let Some((kind, number)) = point_name(word) {
            cursor.word();
            return Ok(Some(Operand::Point(kind, number)));
        }
        let variable = VariableKind::of(word);
        if let Some((kind, digits)) = variable
            && let Ok(number) = digits.parse()
        {
            cursor.word();
            return Ok(Some(Operand::Variable(kind.numbered(number))));
        }
        // `P[B000]`
        let bracket = cursor.rest()[word.len()..].starts_with('[');
        let scalar = variable.filter(|(_, digits)| digits.is_empty());
        if !bracket || (scalar.is_none() && point_word(word).is_none()) {
            return Ok(None);
        }
        cursor.word();
        cursor.eat("[");
        let read = self.way.answers.reads_so_far();
        let index = self.value(cursor, place)?.number(place)?;
        let shared = self.way.answers.reads_so_far() > read;
        if !cursor.eat("]") {
            return Err(Fault::new(place, "a bracket is not closed"));
        }
        let index = match index {
            Ok(k) if k >= 0.0 && k.fract() == 0.0 && k < 1e5 => {
                if shared {
                    let question = vec![cursor.rest().len()];
                    self.way
                        .answers
                        .add_of(place, question, Value::Number(k), read);
                }
                k as u32
            }
            Ok(k) => {
                return Err(Fault::new(
                    place,
                    format!("{k} is not a number of a variable"),
                ));
            }
            Err(why) => {
                let reason = format!("which variable is meant is not known: {}", why.reason);
                return Err(Fault::new(place, reason));
            }
        };
        Ok(match (scalar, point_word(word)) {
            (Some((kind, _)), _) => Some(Operand::Variable(kind.numbered(index))),
            (None, kind) => kind.map(|kind| Operand::Point(kind, index)),
        })
    }

    /// Reads a number, a variable, a signal or its state.
    pub(super) fn value(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<Value, Fault> {
        if let Some(number) = cursor.number() {
            return Ok(Value::Number(number));
        }
        match self.operand(cursor, place)? {
            Some(Operand::Variable(variable)) => {
                self.reads(variable);
                Ok(self.variable(variable, place))
            }
            Some(Operand::Point(..)) => Err(Fault::new(place, "a position is not a number")),
            None => {
                let word = cursor.word().to_owned();
                let signal = cursor.eat("#");
                if signal && cursor.eat("(") {
                    let number = cursor.until(|c| c == ')').to_owned();
                    if cursor.eat(")") {
                        let reason = format!("`{word}#({number})` is a signal");
                        return Ok(Value::unknown(place, reason));
                    }
                }
                match word.as_str() {
                    "ON" if !signal => Ok(Value::Boolean(true)),
                    "OFF" if !signal => Ok(Value::Boolean(false)),
                    _ => {
                        let unread = cursor.or_rest(&word);
                        Err(Fault::new(place, format!("`{unread}` is not understood")))
                    }
                }
            }
        }
    }

    /// Reads comparisons that are joined by AND or by OR.
    pub(super) fn condition(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<Value, Fault> {
        let mut truth = self.comparison(cursor, place)?;
        let mut joined = "";
        loop {
            let word = cursor.peek_word();
            let word = match word {
                "AND" => "AND",
                "OR" => "OR",
                _ => return Ok(truth),
            };
            if !joined.is_empty() && joined != word {
                let reason = "AND and OR in one condition are not read";
                return Err(Fault::new(place, reason));
            }
            joined = word;
            cursor.word();
            let next = self.comparison(cursor, place)?;
            truth = match word {
                "AND" => truth.and(&next, place)?,
                _ => truth.or(&next, place)?,
            };
        }
    }

    fn comparison(&mut self, cursor: &mut LineCursor, place: &Location) -> Result<Value, Fault> {
        let (text, read) = (cursor.rest(), self.way.answers.reads_so_far());
        let left = self.value(cursor, place)?;
        let signs = ["<>", "<=", ">=", "=", "<", ">"];
        let sign = signs.into_iter().find(|sign| cursor.eat(sign));
        let sign = sign.ok_or_else(|| Fault::new(place, "a condition has no comparison"))?;
        let right = self.value(cursor, place)?;
        let value = compared(sign, &left, &right, place)?;
        let left = cursor.rest().len();
        let text = text[..text.len() - left].trim();
        Ok(self.part((value, read), (left, text), place))
    }

    /// A condition on which nothing depends: only whether it can be read is looked at.
    pub(super) fn pass_by(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<(), Fault> {
        self.condition(cursor, place)?.boolean(place)?.ok();
        cursor.ends(place)?;
        self.way
            .record
            .pass_over("IF, without an effect on the motion");
        Ok(())
    }

    /// Whether a condition holds: as it is, or as this way has it.
    pub(super) fn holds(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<bool, Fault> {
        let (question, mut again) = (cursor.rest().to_owned(), *cursor);
        let read = self.way.answers.reads_so_far();
        let truth = self.condition(cursor, place)?;
        cursor.ends(place)?;
        let by_parts = self.by_parts(&truth, &question, place, |way| {
            way.condition(&mut again, place)
        });
        if let Some(answer) = by_parts? {
            return Ok(answer);
        }
        self.answer((&truth, read), &question, place)
    }
}
