//! Variables that are set.

use super::variable::named;
use super::*;

impl InformInterpreter<'_> {
    /// `read`: how often shared variables had been read before the value was computed.
    pub(super) fn set_variable(&mut self, variable: InformVariable, value: Value, read: usize) {
        let Some(is_other) = self.way.set(variable, value) else {
            return;
        };
        match variable.shared() {
            Some(shared) => {
                self.way.answers.sets(shared, is_other, read);
                self.way.sets_now(shared);
            }
            None => self.way.answers.sets(variable.own(), false, read),
        }
    }

    /// Somebody asks for a variable.
    pub(super) fn reads(&mut self, variable: InformVariable) {
        match variable.shared() {
            Some(shared) => self.way.answers.reads(shared),
            None => self.way.answers.reads_own(variable.own()),
        }
    }

    pub(super) fn assign(
        &mut self,
        word: &str,
        job: &InformJob,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<(), Fault> {
        if self.forgets_points(cursor, place) {
            return Ok(());
        }
        // Nothing that is read depends on a text.
        if word == "SET" && is_text_variable(cursor.peek_word()) {
            self.way.record.pass_over("SET of a text");
            return Ok(());
        }
        let target = self.operand(cursor, place)?;
        match target {
            Some(Operand::Variable(variable)) => {
                let old = self.variable(variable, place);
                let read = self.way.answers.reads_so_far();
                if word != "SET" {
                    self.reads(variable);
                }
                let new = match word {
                    "INC" => arithmetic("+", &old, &Value::Number(1.0), place)?,
                    "DEC" => arithmetic("-", &old, &Value::Number(1.0), place)?,
                    _ => {
                        let value = if word == "SET" && cursor.eat_word("EXPRESS") {
                            self.expression(cursor, place)?
                        } else {
                            self.value(cursor, place)?
                        };
                        match word {
                            "SET" => value,
                            "ADD" => arithmetic("+", &old, &value, place)?,
                            "SUB" => arithmetic("-", &old, &value, place)?,
                            "MUL" => arithmetic("*", &old, &value, place)?,
                            _ => arithmetic("/", &old, &value, place)?,
                        }
                    }
                };
                let new = if cursor.is_done() {
                    kept(variable.kind, new, place)
                } else {
                    Value::unknown(place, "it is computed in a way that is not read")
                };
                self.set_variable(variable, new, read);
                Ok(())
            }
            Some(Operand::Point(PointKind::Variable, number)) => {
                let source = self.operand(cursor, place)?;
                let point = match (word, source) {
                    ("SET", Some(Operand::Point(kind, from))) if cursor.is_done() => {
                        self.point(job, kind, from, place)?
                    }
                    _ => computed(place),
                };
                self.way.state.changed.insert(number, point);
                Ok(())
            }
            _ => Err(Fault::new(
                place,
                format!("what `{word}` changes is not understood"),
            )),
        }
    }

    /// `SET B000 EXPRESS (B001 + 1) * 2`: what comes of it is not read.
    fn expression(&mut self, cursor: &mut LineCursor, place: &Location) -> Result<Value, Fault> {
        let text = cursor.until(|_| false);
        if has_another("EXPRESS", text) {
            let reason = format!("`{text}` is not understood");
            return Err(Fault::new(place, reason));
        }
        Ok(Value::unknown(place, "what EXPRESS computes is not read"))
    }

    pub(super) fn clear(&mut self, cursor: &mut LineCursor, place: &Location) -> Result<(), Fault> {
        let is_variable = matches!(self.operand(cursor, place)?, Some(Operand::Variable(_)));
        let is_stack = !is_variable && cursor.eat_word("STACK");
        if !(is_variable || is_stack) {
            return Err(Fault::new(place, "what `CLEAR` changes is not understood"));
        }
        if is_stack && self.calls > 0 {
            let reason = "`CLEAR STACK` in a job that another one calls: the end of the job is then that of the program";
            return Err(Fault::new(place, reason));
        }
        // Zeros or not: none of them is used as a number afterwards without being set.
        let reason = "its value was cleared";
        let all = self.way.state.variables.values_mut();
        all.for_each(|value| *value = Value::unknown(place, reason));
        Ok(())
    }

    pub(super) fn forget(
        &mut self,
        word: &str,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<(), Fault> {
        if self.forgets_points(cursor, place) {
            return Ok(());
        }
        match self.operand(cursor, place)? {
            Some(Operand::Variable(variable)) => {
                let value = Value::unknown(place, format!("its value comes from `{word}`"));
                let read = self.way.answers.reads_so_far();
                self.set_variable(variable, value, read);
                Ok(())
            }
            Some(Operand::Point(PointKind::Variable, number)) => {
                self.way.state.changed.insert(number, computed(place));
                Ok(())
            }
            _ => Err(Fault::new(
                place,
                format!("what `{word}` changes is not understood"),
            )),
        }
    }

    /// Forgets what a name means that stands for several positions (`PX000`: `P000`, `BP000` and
    /// `EX000`), or for one of the job's own, which no move is read to (`LP000`).
    fn forgets_points(&mut self, cursor: &LineCursor, place: &Location) -> bool {
        let Some(number) = several_points(cursor.peek_word()) else {
            return false;
        };
        if let Some(number) = number {
            self.way.state.changed.insert(number, computed(place));
            self.way.state.others_changed.insert(number);
        }
        true
    }

    /// Forgets every variable that stands in an instruction which is not read: the cell says that it
    /// keeps the arm still, and it may write its answer into them.
    pub(super) fn forget_named(&mut self, word: &str, rest: &str, place: &Location) {
        let value = Value::unknown(place, format!("`{word}` may set it"));
        for name in named(rest) {
            if let Some(variable) = name.variable() {
                let read = self.way.answers.reads_so_far();
                self.set_variable(variable, value.clone(), read);
            } else if name.digits.is_empty() && name.in_brackets {
                // `B[B000]`: any of them.
                let all = self
                    .way
                    .state
                    .variables
                    .iter_mut()
                    .filter(|(key, _)| key.kind == name.kind);
                all.for_each(|(_, old)| *old = value.clone());
            }
        }
    }
}

/// `S000`, or `LS000` of the job's own.
fn is_text_variable(name: &str) -> bool {
    let digits = name.strip_prefix('L').unwrap_or(name).strip_prefix('S');
    digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
}

/// The number of the positions that a name stands for: `PX000`; without a number: it is the job's own
/// (`LP000`), and stands for none that is read. None: it is another name.
pub(super) fn several_points(name: &str) -> Option<Option<u32>> {
    let numbered = |digits: &str| {
        let is_number =
            (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse().ok().filter(|_| is_number)
    };
    if let Some(number) = name.strip_prefix("PX").and_then(numbered) {
        return Some(Some(number));
    }
    let own = ["LPX", "LP", "LBP", "LEX"].into_iter();
    let mut numbers = own.filter_map(|word| name.strip_prefix(word).and_then(numbered));
    numbers.next().map(|_: u32| None)
}

/// A position that is computed while the program runs.
fn computed(place: &Location) -> InformPoint {
    let why = Unknown {
        place: place.clone(),
        reason: "the position is computed while the program runs".to_owned(),
    };
    let why = std::sync::Arc::new(why);
    InformPoint {
        data: Err(why.clone()),
        tool: Err(why),
        place: place.clone(),
    }
}

/// The value that a variable of this kind keeps: a whole number in its range, except for reals.
fn kept(kind: VariableKind, value: Value, place: &Location) -> Value {
    let (low, high) = match kind.letter {
        'B' => (0.0, 255.0),
        'I' => (-32768.0, 32767.0),
        'D' => (-2147483648.0, 2147483647.0),
        _ => return value,
    };
    match value {
        Value::Number(x) if x.fract() == 0.0 && (low..=high).contains(&x) => value,
        Value::Unknown(_) => value,
        _ => Value::unknown(place, "the value does not fit its variable"),
    }
}
