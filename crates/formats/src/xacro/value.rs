//! Values of Python, as far as expressions of xacro use them: how they are computed with, compared and written.

use std::cmp::Ordering;
use std::rc::Rc;

use super::budget::Budget;

/// Why an expression has no value.
pub(super) type Failure = String;

/// A value.
#[derive(Debug, Clone)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Rc<str>),
    List(Rc<Vec<Value>>),
    Tuple(Rc<Vec<Value>>),
    /// In the order in which it was written.
    Dict(Rc<Vec<(Value, Value)>>),
    /// Properties of a file that was included under a name, or a module (`math`, `python`, `xacro`).
    Space(Space),
    /// A function by its name, without the module.
    Function(&'static str),
    /// A method of a value.
    Method(Box<Value>, &'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Math,
    Python,
    Xacro,
    /// The scope of an included file.
    Scope(usize),
}

/// A number of either kind.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    pub(super) fn float(self) -> f64 {
        match self {
            Number::Int(i) => i as f64,
            Number::Float(x) => x,
        }
    }
}

impl Value {
    pub(super) fn text(text: impl Into<Rc<str>>) -> Self {
        Value::Text(text.into())
    }

    /// What a property's text stands for: a number or a truth value where it reads as one.
    pub(super) fn literal(text: &str) -> Value {
        if text.len() >= 2 && text.starts_with('\'') && text.ends_with('\'') {
            return Value::text(&text[1..text.len() - 1]);
        }
        // Python reads `1_000` as a number, xacro does not.
        if text.contains('_') {
            return Value::text(text);
        }
        if let Some(number) = int(text).map(Value::Int).or(float(text).map(Value::Float)) {
            return number;
        }
        match text {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            _ => Value::text(text),
        }
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            Value::None => "None",
            Value::Bool(_) => "a bool",
            Value::Int(_) => "an int",
            Value::Float(_) => "a float",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Tuple(_) => "a tuple",
            Value::Dict(_) => "a dict",
            Value::Space(_) => "a namespace",
            Value::Function(_) | Value::Method(..) => "a function",
        }
    }

    pub(super) fn number(&self) -> Option<Number> {
        match self {
            Value::Bool(b) => Some(Number::Int(i128::from(*b))),
            Value::Int(i) => Some(Number::Int(*i)),
            Value::Float(x) => Some(Number::Float(*x)),
            _ => None,
        }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Value::None => false,
            Value::Bool(b) => *b,
            Value::Int(i) => *i != 0,
            Value::Float(x) => *x != 0.0,
            Value::Text(t) => !t.is_empty(),
            Value::List(l) | Value::Tuple(l) => !l.is_empty(),
            Value::Dict(d) => !d.is_empty(),
            Value::Space(_) | Value::Function(_) | Value::Method(..) => true,
        }
    }

    /// The elements of what can be gone through.
    pub(super) fn elements(&self) -> Result<Vec<Value>, Failure> {
        match self {
            Value::List(l) | Value::Tuple(l) => Ok(l.to_vec()),
            Value::Dict(d) => Ok(d.iter().map(|(k, _)| k.clone()).collect()),
            Value::Text(t) => Ok(t.chars().map(|c| Value::text(c.to_string())).collect()),
            other => Err(format!("{} has no elements", other.kind())),
        }
    }

    /// As `str()` writes it.
    pub(super) fn written(&self, budget: &mut Budget) -> Result<Rc<str>, Failure> {
        if let Value::Text(t) = self {
            return Ok(t.clone());
        }
        let mut out = String::new();
        self.write(&mut out, budget)?;
        Ok(out.into())
    }

    /// As `repr()` writes it.
    fn write(&self, out: &mut String, budget: &mut Budget) -> Result<(), Failure> {
        budget.spend(8)?;
        let mut list = |open: &str, items: &[Value], close: &str| -> Result<(), Failure> {
            out.push_str(open);
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                item.write(out, budget)?;
            }
            out.push_str(close);
            Ok(())
        };
        match self {
            Value::None => out.push_str("None"),
            Value::Bool(true) => out.push_str("True"),
            Value::Bool(false) => out.push_str("False"),
            Value::Int(i) => out.push_str(&i.to_string()),
            Value::Float(x) => out.push_str(&shortest(*x)),
            Value::Text(t) => {
                budget.spend(t.len() as u64)?;
                let quote = match t.contains('\'') && !t.contains('"') {
                    true => '"',
                    false => '\'',
                };
                out.push(quote);
                for c in t.chars() {
                    if c == quote || c == '\\' {
                        out.push('\\');
                    }
                    out.push(c);
                }
                out.push(quote);
            }
            Value::List(items) => list("[", items, "]")?,
            Value::Tuple(items) if items.len() == 1 => list("(", items, ",)")?,
            Value::Tuple(items) => list("(", items, ")")?,
            Value::Dict(entries) => {
                out.push('{');
                for (i, (key, value)) in entries.iter().enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    key.write(out, budget)?;
                    out.push_str(": ");
                    value.write(out, budget)?;
                }
                out.push('}');
            }
            Value::Space(_) | Value::Function(_) | Value::Method(..) => {
                return Err(format!("{} cannot be written as text", self.kind()));
            }
        }
        Ok(())
    }

    pub(super) fn equals(&self, other: &Value, budget: &mut Budget) -> Result<bool, Failure> {
        budget.spend(1)?;
        if let (Some(a), Some(b)) = (self.number(), other.number()) {
            return Ok(match (a, b) {
                (Number::Int(a), Number::Int(b)) => a == b,
                _ => a.float() == b.float(),
            });
        }
        Ok(match (self, other) {
            (Value::None, Value::None) => true,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::List(a), Value::List(b)) | (Value::Tuple(a), Value::Tuple(b)) => {
                let mut same = a.len() == b.len();
                for (a, b) in a.iter().zip(b.iter()) {
                    same = same && a.equals(b, budget)?;
                }
                same
            }
            (Value::Dict(_), Value::Dict(_))
            | (Value::Space(_) | Value::Function(_) | Value::Method(..), _)
            | (_, Value::Space(_) | Value::Function(_) | Value::Method(..)) => {
                return Err(format!(
                    "{} and {} cannot be compared",
                    self.kind(),
                    other.kind()
                ));
            }
            _ => false,
        })
    }
}

/// Sets a key of a dict.
pub(super) fn insert(
    entries: &mut Vec<(Value, Value)>,
    key: Value,
    value: Value,
    budget: &mut Budget,
) -> Result<(), Failure> {
    for (known, old) in entries.iter_mut() {
        if known.equals(&key, budget)? {
            *old = value;
            return Ok(());
        }
    }
    entries.push((key, value));
    Ok(())
}

/// How two values are ordered; `None` where one of them is NaN.
pub(super) fn order(a: &Value, b: &Value) -> Result<Option<Ordering>, Failure> {
    match (a.number(), b.number(), a, b) {
        (Some(Number::Int(a)), Some(Number::Int(b)), ..) => Ok(Some(a.cmp(&b))),
        (Some(a), Some(b), ..) => Ok(a.float().partial_cmp(&b.float())),
        (_, _, Value::Text(a), Value::Text(b)) => Ok(Some(a.cmp(b))),
        _ => Err(format!("{} and {} have no order", a.kind(), b.kind())),
    }
}

/// A float without a fraction, as an integer.
pub(super) fn whole(x: f64) -> Result<Value, Failure> {
    match x.abs() < 1e30 {
        true => Ok(Value::Int(x as i128)),
        false => Err("an integer that is too large".to_owned()),
    }
}

/// An integer as Python's `int(text)` reads it.
pub(super) fn int(text: &str) -> Option<i128> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// A float as Python's `float(text)` reads it.
pub(super) fn float(text: &str) -> Option<f64> {
    let text = text.trim();
    // Rust reads the same words: `inf`, `infinity`, `nan`, in any case.
    text.parse().ok()
}

/// A float as Python's `repr` writes it: the shortest digits that read back as the same number.
pub(super) fn shortest(x: f64) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{x:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{x}");
        return match plain.contains('.') {
            true => plain,
            false => plain + ".0",
        };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_python_writes_them() {
        for (x, written) in [
            (1.0, "1.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-1.25e-7, "-1.25e-07"),
            (-0.0, "-0.0"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(shortest(x), written);
        }
    }

    #[test]
    fn texts_that_read_as_numbers_are_numbers() {
        let mut budget = Budget::default();
        for (text, written) in [
            ("7", "7"),
            (" 007 ", "7"),
            ("+1.50", "1.5"),
            ("1e3", "1000.0"),
            ("1_0", "1_0"),
            ("0x10", "0x10"),
            ("true", "True"),
            ("TRUE", "TRUE"),
            ("'5'", "5"),
            ("", ""),
            ("arm_1", "arm_1"),
        ] {
            let value = Value::literal(text);
            assert_eq!(&*value.written(&mut budget).unwrap(), written, "{text}");
        }
        assert!(matches!(Value::literal("'5'"), Value::Text(_)));
    }
}
