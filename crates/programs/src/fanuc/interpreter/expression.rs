//! Registers, signals, arithmetic and conditions.

use clearance_proof::report::Location;

use super::FanucInterpreter;
use crate::answers::SharedValue;
use crate::lines::cursor::LineCursor;
use crate::lines::interpreter::LineInterpreter;
use crate::lines::{DEEPEST, TOO_DEEP, arithmetic, compared};
use crate::value::{Fault, Value};

/// Signals, and what else only the controller knows while it runs.
pub(super) const SIGNALS: [&str; 22] = [
    "DI",
    "DO",
    "RI",
    "RO",
    "GI",
    "GO",
    "AI",
    "AO",
    "UI",
    "UO",
    "SI",
    "SO",
    "WI",
    "WO",
    "F",
    "M",
    "TIMER",
    "SR",
    "DIN",
    "ERR_NUM",
    "TIMER_OVERFLOW",
    "PMC",
];

/// Functions of registers, with brackets behind them.
const FUNCTIONS: [&str; 13] = [
    "SQRT", "ABS", "SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN", "ATAN2", "LN", "EXP", "TRUNC",
    "ROUND",
];

/// Functions of texts, without brackets, and how many arguments they have.
const OF_TEXTS: [(&str, usize); 3] = [("STRLEN", 1), ("FINDSTR", 2), ("SUBSTR", 3)];

impl FanucInterpreter<'_> {
    /// Reads a number in brackets, with the name that may stand behind it; none: it is not known.
    pub(super) fn index(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<Result<u32, String>, Fault> {
        if !cursor.eat("[") {
            return Err(Fault::new(place, "there is no number in brackets"));
        }
        let read = self.way.answers.reads_so_far();
        let found = match cursor.index() {
            Some(number) => Ok(number),
            None => match self.primary(cursor, place)?.number(place)? {
                Ok(k) if k >= 0.0 && k.fract() == 0.0 && k < 1e5 => {
                    if self.way.answers.reads_so_far() > read {
                        self.way
                            .answers
                            .add(place, vec![cursor.rest().len()], Value::Number(k));
                    }
                    Ok(k as u32)
                }
                Ok(k) => {
                    return Err(Fault::new(
                        place,
                        format!("{k} is not a number of that kind"),
                    ));
                }
                Err(why) => Err(why.reason.clone()),
            },
        };
        if cursor.eat(":") {
            cursor.until(|c| c == ']');
        }
        if cursor.eat("]") {
            Ok(found)
        } else {
            Err(Fault::new(place, "a bracket is not closed"))
        }
    }

    /// The same where the number has to be known.
    pub(super) fn known_index(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<u32, Fault> {
        self.index(cursor, place)?.map_err(|reason| {
            Fault::new(place, format!("which one is meant is not known: {reason}"))
        })
    }

    /// Reads an expression.
    pub(super) fn value(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<Value, Fault> {
        let (mut value, mut joins) = self.conjunction(cursor, place)?;
        let mut chooses = false;
        while cursor.eat_word("OR") {
            let (next, also) = self.conjunction(cursor, place)?;
            value = value.or(&next, place)?;
            (joins, chooses) = (joins || also, true);
        }
        Ok(self.ordered(value, joins && chooses, place))
    }

    /// Conditions, and whether several are joined.
    fn conjunction(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<(Value, bool), Fault> {
        let mut value = self.comparison(cursor, place)?;
        let mut joins = false;
        while cursor.eat_word("AND") {
            value = value.and(&self.comparison(cursor, place)?, place)?;
            joins = true;
        }
        Ok((value, joins))
    }

    /// A value, unless it is `mixed` of signs of which one goes before another only within
    /// parentheses. Elsewhere the pendant allows no such mixture, and controllers compute from left
    /// to right.
    fn ordered(&self, value: Value, mixed: bool, place: &Location) -> Value {
        if mixed && self.parentheses == 0 {
            let reason = "in which order this is computed without parentheses is not certain";
            Value::unknown(place, reason)
        } else {
            value
        }
    }

    fn comparison(&mut self, cursor: &mut LineCursor, place: &Location) -> Result<Value, Fault> {
        let (text, read) = (cursor.rest(), self.way.answers.reads_so_far());
        let left = self.sum(cursor, place)?;
        let signs = ["<>", "<=", ">=", "=", "<", ">"];
        let value = match signs.into_iter().find(|sign| cursor.eat(sign)) {
            Some(_) if is_edge(cursor) => Value::unknown(place, "it is the edge of a signal"),
            Some(sign) => compared(sign, &left, &self.sum(cursor, place)?, place)?,
            None => left,
        };
        let left = cursor.rest().len();
        let text = text[..text.len() - left].trim();
        Ok(self.part((value, read), (left, text), place))
    }

    fn sum(&mut self, cursor: &mut LineCursor, place: &Location) -> Result<Value, Fault> {
        let (mut value, mut multiplies) = self.product(cursor, place)?;
        let mut adds = false;
        loop {
            let sign = match () {
                () if cursor.eat("+") => "+",
                () if cursor.eat("-") => "-",
                () => return Ok(self.ordered(value, adds && multiplies, place)),
            };
            let (next, also) = self.product(cursor, place)?;
            value = arithmetic(sign, &value, &next, place)?;
            (adds, multiplies) = (true, multiplies || also);
        }
    }

    /// A product, and whether it has several factors.
    fn product(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<(Value, bool), Fault> {
        let mut value = self.primary(cursor, place)?;
        let mut multiplies = false;
        loop {
            let sign = match () {
                () if cursor.eat("*") => "*",
                () if cursor.eat("/") => "/",
                () if cursor.eat_word("DIV") => "DIV",
                () if cursor.eat_word("MOD") => "MOD",
                () => return Ok((value, multiplies)),
            };
            value = arithmetic(sign, &value, &self.primary(cursor, place)?, place)?;
            multiplies = true;
        }
    }

    pub(super) fn primary(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<Value, Fault> {
        if self.nested >= DEEPEST {
            return Err(Fault::new(place, TOO_DEEP));
        }
        self.nested += 1;
        let value = self.innermost(cursor, place);
        self.nested -= 1;
        value
    }

    fn innermost(&mut self, cursor: &mut LineCursor, place: &Location) -> Result<Value, Fault> {
        if cursor.eat("(") {
            self.parentheses += 1;
            let value = self.value(cursor, place);
            self.parentheses -= 1;
            let value = value?;
            return if cursor.eat(")") {
                Ok(value)
            } else {
                Err(Fault::new(place, "a bracket is not closed"))
            };
        }
        if cursor.eat("!") {
            return self.primary(cursor, place)?.not(place);
        }
        if let Some(number) = cursor.number() {
            return Ok(Value::Number(number));
        }
        if cursor.eat("-") {
            let value = self.primary(cursor, place)?;
            return arithmetic("-", &Value::Number(0.0), &value, place);
        }
        if cursor.eat("'") {
            let text = cursor.until(|c| c == '\'');
            return if cursor.eat("'") {
                Ok(Value::text(text))
            } else {
                Err(Fault::new(place, "a text has no end"))
            };
        }
        let word = cursor.word().to_owned();
        if let Some((_, arguments)) = OF_TEXTS.iter().find(|(name, _)| *name == word) {
            for k in 0..*arguments {
                if k > 0 && !cursor.eat(",") {
                    return Err(Fault::new(place, format!("`{word}` has too few arguments")));
                }
                self.primary(cursor, place)?;
            }
            let reason = format!("what `{word}` computes is not read");
            return Ok(Value::unknown(place, reason));
        }
        match word.as_str() {
            "ON" => Ok(Value::Boolean(true)),
            "OFF" => Ok(Value::Boolean(false)),
            "R" => Ok(match self.index(cursor, place)? {
                Ok(number) => {
                    self.way.answers.reads(('R', number));
                    self.register(number, place)
                }
                Err(reason) => Value::unknown(place, reason),
            }),
            "AR" => Ok(match self.index(cursor, place)? {
                Ok(number) => {
                    self.way
                        .answers
                        .reads_own(argument(self.way.callers.len(), number as usize));
                    self.argument(number, place)
                }
                Err(reason) => Value::unknown(place, reason),
            }),
            "PR" if cursor.rest().starts_with('[') => {
                // What is set in one is not followed by number.
                self.way.answers.reads(('P', 0));
                // `PR[3,2]`: one number of a position.
                if let Some(number) = self.element_value(cursor, place)? {
                    return Ok(Value::Number(number));
                }
                if cursor.rest().starts_with('[') {
                    brackets(cursor, place)?;
                }
                Ok(Value::unknown(
                    place,
                    "it is a number of a position register",
                ))
            }
            _ if SIGNALS.contains(&word.as_str()) => {
                if cursor.rest().starts_with('[') {
                    brackets(cursor, place)?;
                }
                Ok(Value::unknown(place, format!("`{word}` is a signal")))
            }
            _ if FUNCTIONS.contains(&word.as_str()) && cursor.rest().starts_with('[') => {
                brackets(cursor, place)?;
                Ok(Value::unknown(
                    place,
                    format!("what `{word}` computes is not read"),
                ))
            }
            _ if word.starts_with('$') => {
                cursor.until(|c| " ,=<>()+-*/".contains(c));
                Ok(Value::unknown(place, "it is a variable of the controller"))
            }
            _ => {
                let unread = cursor.or_rest(&word);
                Err(Fault::new(place, format!("`{unread}` is not understood")))
            }
        }
    }

    /// Whether a condition holds: as it is, or as this way has it.
    pub(super) fn holds(
        &mut self,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<bool, Fault> {
        let (before, mut again) = (cursor.rest(), *cursor);
        let read = self.way.answers.reads_so_far();
        let truth = self.value(cursor, place)?;
        let question = before[..before.len() - cursor.rest().len()].trim();
        let by_parts = self.by_parts(&truth, question, place, |way| way.value(&mut again, place));
        if let Some(answer) = by_parts? {
            return Ok(answer);
        }
        self.answer((&truth, read), question, place)
    }
}

/// Reads the edge of a signal, if it comes next: `ON+` where it goes on.
pub(super) fn is_edge(cursor: &mut LineCursor) -> bool {
    let mut edge = *cursor;
    let is_state = edge.eat_word("ON") || edge.eat_word("OFF");
    let ends = |edge: &LineCursor| {
        edge.is_done()
            || edge.rest().starts_with([',', ')'])
            || ["AND", "OR", "THEN"].contains(&edge.peek_word())
    };
    let found = is_state && (edge.eat("+") || edge.eat("-")) && ends(&edge);
    if found {
        *cursor = edge;
    }
    found
}

/// What an argument is for answers, within so many calls.
pub(super) fn argument(calls: usize, number: usize) -> SharedValue {
    ('A', (100 * calls + number) as u32)
}

/// Reads brackets with all that is in them.
fn brackets(cursor: &mut LineCursor, place: &Location) -> Result<(), Fault> {
    let mut open = usize::from(cursor.eat("["));
    while open > 0 {
        cursor.until(|c| c == '[' || c == ']');
        match () {
            () if cursor.eat("[") => open += 1,
            () if cursor.eat("]") => open -= 1,
            () => return Err(Fault::new(place, "a bracket is not closed")),
        }
    }
    Ok(())
}
