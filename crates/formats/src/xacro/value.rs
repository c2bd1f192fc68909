//! Values of Python, as far as expressions of xacro use them: how they are computed with, compared
//! and written.

use std::cmp::Ordering;
use std::rc::Rc;

use super::EvaluationError;
use super::budget::ExpansionBudget;

/// A value.
#[derive(Debug, Clone)]
pub(super) enum PythonValue {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Rc<str>),
    List(Rc<Vec<PythonValue>>),
    Tuple(Rc<Vec<PythonValue>>),
    /// In the order in which it was written.
    Dict(Rc<Vec<(PythonValue, PythonValue)>>),
    /// Properties of a file that was included under a name, or a module (`math`, `python`,
    /// `xacro`).
    Space(Space),
    /// A function by its name, without the module.
    Function(&'static str),
    /// A date or a time that YAML 1.1 knows and YAML 1.2 takes for a text.
    Date,
    /// A method of a value.
    Method(Box<PythonValue>, &'static str),
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
pub(super) enum PythonNumber {
    Int(i128),
    Float(f64),
}

impl PythonNumber {
    pub(super) fn float(self) -> f64 {
        match self {
            PythonNumber::Int(i) => i as f64,
            PythonNumber::Float(x) => x,
        }
    }
}

impl PythonValue {
    pub(super) fn text(text: impl Into<Rc<str>>) -> Self {
        PythonValue::Text(text.into())
    }

    /// The value that a property's text stands for: a number or a truth value where it reads as
    /// one.
    pub(super) fn literal(text: &str) -> PythonValue {
        if text.len() >= 2 && text.starts_with('\'') && text.ends_with('\'') {
            return PythonValue::text(&text[1..text.len() - 1]);
        }
        // Python reads `1_000` as a number, xacro does not.
        if text.contains('_') {
            return PythonValue::text(text);
        }
        if let Some(number) = int(text)
            .map(PythonValue::Int)
            .or(float(text).map(PythonValue::Float))
        {
            return number;
        }
        match text {
            "true" | "True" => PythonValue::Bool(true),
            "false" | "False" => PythonValue::Bool(false),
            _ => PythonValue::text(text),
        }
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            PythonValue::None => "None",
            PythonValue::Bool(_) => "a bool",
            PythonValue::Int(_) => "an int",
            PythonValue::Float(_) => "a float",
            PythonValue::Text(_) => "a text",
            PythonValue::List(_) => "a list",
            PythonValue::Tuple(_) => "a tuple",
            PythonValue::Dict(_) => "a dict",
            PythonValue::Space(_) => "a namespace",
            PythonValue::Date => "a date (a text to some readers of YAML; put it into quotes)",
            PythonValue::Function(_) | PythonValue::Method(..) => "a function",
        }
    }

    pub(super) fn number(&self) -> Option<PythonNumber> {
        match self {
            PythonValue::Bool(b) => Some(PythonNumber::Int(i128::from(*b))),
            PythonValue::Int(i) => Some(PythonNumber::Int(*i)),
            PythonValue::Float(x) => Some(PythonNumber::Float(*x)),
            _ => None,
        }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            PythonValue::None => false,
            PythonValue::Bool(b) => *b,
            PythonValue::Int(i) => *i != 0,
            PythonValue::Float(x) => *x != 0.0,
            PythonValue::Text(t) => !t.is_empty(),
            PythonValue::List(l) | PythonValue::Tuple(l) => !l.is_empty(),
            PythonValue::Dict(d) => !d.is_empty(),
            PythonValue::Space(_)
            | PythonValue::Function(_)
            | PythonValue::Method(..)
            | PythonValue::Date => true,
        }
    }

    /// The elements of what can be gone through.
    pub(super) fn elements(&self) -> Result<Vec<PythonValue>, EvaluationError> {
        match self {
            PythonValue::List(l) | PythonValue::Tuple(l) => Ok(l.to_vec()),
            PythonValue::Dict(d) => Ok(d.iter().map(|(k, _)| k.clone()).collect()),
            PythonValue::Text(t) => Ok(t
                .chars()
                .map(|c| PythonValue::text(c.to_string()))
                .collect()),
            other => Err(format!("{} has no elements", other.kind())),
        }
    }

    /// As `str()` writes it.
    pub(super) fn written(&self, budget: &mut ExpansionBudget) -> Result<Rc<str>, EvaluationError> {
        if let PythonValue::Text(t) = self {
            return Ok(t.clone());
        }
        let mut out = String::new();
        self.write(&mut out, budget)?;
        Ok(out.into())
    }

    /// As `repr()` writes it.
    fn write(&self, out: &mut String, budget: &mut ExpansionBudget) -> Result<(), EvaluationError> {
        budget.spend(8)?;
        let mut list =
            |open: &str, items: &[PythonValue], close: &str| -> Result<(), EvaluationError> {
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
            PythonValue::None => out.push_str("None"),
            PythonValue::Bool(true) => out.push_str("True"),
            PythonValue::Bool(false) => out.push_str("False"),
            PythonValue::Int(i) => out.push_str(&i.to_string()),
            PythonValue::Float(x) => out.push_str(&shortest(*x)),
            PythonValue::Text(t) => {
                budget.spend(t.len() as u64)?;
                let quote = if t.contains('\'') && !t.contains('"') {
                    '"'
                } else {
                    '\''
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
            PythonValue::List(items) => list("[", items, "]")?,
            PythonValue::Tuple(items) if items.len() == 1 => list("(", items, ",)")?,
            PythonValue::Tuple(items) => list("(", items, ")")?,
            PythonValue::Dict(entries) => {
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
            PythonValue::Space(_)
            | PythonValue::Function(_)
            | PythonValue::Method(..)
            | PythonValue::Date => {
                return Err(format!("{} cannot be written as text", self.kind()));
            }
        }
        Ok(())
    }

    pub(super) fn equals(
        &self,
        other: &PythonValue,
        budget: &mut ExpansionBudget,
    ) -> Result<bool, EvaluationError> {
        budget.spend(1)?;
        if let (Some(a), Some(b)) = (self.number(), other.number()) {
            return Ok(match (a, b) {
                (PythonNumber::Int(a), PythonNumber::Int(b)) => a == b,
                _ => a.float() == b.float(),
            });
        }
        Ok(match (self, other) {
            (PythonValue::None, PythonValue::None) => true,
            (PythonValue::Text(a), PythonValue::Text(b)) => a == b,
            (PythonValue::List(a), PythonValue::List(b))
            | (PythonValue::Tuple(a), PythonValue::Tuple(b)) => {
                let mut same = a.len() == b.len();
                for (a, b) in a.iter().zip(b.iter()) {
                    same = same && a.equals(b, budget)?;
                }
                same
            }
            (PythonValue::Dict(_), PythonValue::Dict(_))
            | (
                PythonValue::Space(_)
                | PythonValue::Function(_)
                | PythonValue::Method(..)
                | PythonValue::Date,
                _,
            )
            | (
                _,
                PythonValue::Space(_)
                | PythonValue::Function(_)
                | PythonValue::Method(..)
                | PythonValue::Date,
            ) => {
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
    entries: &mut Vec<(PythonValue, PythonValue)>,
    key: PythonValue,
    value: PythonValue,
    budget: &mut ExpansionBudget,
) -> Result<(), EvaluationError> {
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
pub(super) fn order(a: &PythonValue, b: &PythonValue) -> Result<Option<Ordering>, EvaluationError> {
    match (a.number(), b.number(), a, b) {
        (Some(PythonNumber::Int(a)), Some(PythonNumber::Int(b)), ..) => Ok(Some(a.cmp(&b))),
        (Some(a), Some(b), ..) => Ok(a.float().partial_cmp(&b.float())),
        (_, _, PythonValue::Text(a), PythonValue::Text(b)) => Ok(Some(a.cmp(b))),
        _ => Err(format!("{} and {} have no order", a.kind(), b.kind())),
    }
}

/// A float without a fraction, as an integer.
pub(super) fn whole(x: f64) -> Result<PythonValue, EvaluationError> {
    if x.abs() < 1e30 {
        Ok(PythonValue::Int(x as i128))
    } else {
        Err("an integer that is too large".to_owned())
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
        return if plain.contains('.') {
            plain
        } else {
            plain + ".0"
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
        let mut budget = ExpansionBudget::default();
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
            let value = PythonValue::literal(text);
            assert_eq!(&*value.written(&mut budget).unwrap(), written, "{text}");
        }
        assert!(matches!(PythonValue::literal("'5'"), PythonValue::Text(_)));
    }
}
