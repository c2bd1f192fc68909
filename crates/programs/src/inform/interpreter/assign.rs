//! Variables that are set.

use super::*;

impl InformInterpreter<'_> {
    pub(super) fn assign(
        &mut self,
        word: &str,
        job: &InformJob,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<(), Fault> {
        let target = self.operand(cursor, place)?;
        match target {
            Some(Operand::Variable(variable)) => {
                let old = self.variable(variable, place);
                let new = match word {
                    "INC" => arithmetic("+", &old, &Value::Number(1.0), place)?,
                    "DEC" => arithmetic("-", &old, &Value::Number(1.0), place)?,
                    _ => {
                        let value = self.value(cursor, place)?;
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
                self.variables.insert(variable, new);
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
                self.changed.insert(number, point);
                Ok(())
            }
            _ => Err(Fault::new(
                place,
                format!("what `{word}` changes is not understood"),
            )),
        }
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
        let all = self.variables.values_mut();
        all.for_each(|value| *value = Value::unknown(place, reason));
        Ok(())
    }

    pub(super) fn forget(
        &mut self,
        word: &str,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<(), Fault> {
        match self.operand(cursor, place)? {
            Some(Operand::Variable(variable)) => {
                let value = Value::unknown(place, format!("its value comes from `{word}`"));
                self.variables.insert(variable, value);
                Ok(())
            }
            Some(Operand::Point(PointKind::Variable, number)) => {
                self.changed.insert(number, computed(place));
                Ok(())
            }
            _ => Err(Fault::new(
                place,
                format!("what `{word}` changes is not understood"),
            )),
        }
    }

    /// Forgets every variable that stands in an instruction which is not read: the cell says that it
    /// keeps the arm still, and it may write its answer into them.
    pub(super) fn forget_named(&mut self, word: &str, rest: &str, place: &Location) {
        let value = Value::unknown(place, format!("`{word}` may set it"));
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut rest = rest;
        while let Some(start) = rest.find(is_of_name) {
            rest = &rest[start..];
            let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            rest = behind;
            let Some((kind, digits)) = VariableKind::of(name) else {
                continue;
            };
            if let Ok(number) = digits.parse() {
                self.variables.insert(kind.numbered(number), value.clone());
            } else if digits.is_empty() && behind.starts_with('[') {
                // `B[B000]`: any of them.
                let all = self
                    .variables
                    .iter_mut()
                    .filter(|(key, _)| key.kind == kind);
                all.for_each(|(_, old)| *old = value.clone());
            }
        }
    }
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
