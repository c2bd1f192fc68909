//! `form % values`, as Python writes it.

use super::EvaluationError;
use super::budget::ExpansionBudget;
use super::value::{PythonNumber, PythonValue, whole};

/// `form % values`
pub(super) fn formatted(
    form: &str,
    values: &[PythonValue],
    budget: &mut ExpansionBudget,
) -> Result<String, EvaluationError> {
    let mut out = String::new();
    let mut values = values.iter();
    let mut rest = form;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('%') {
            out.push('%');
            rest = behind;
            continue;
        }
        let unknown = || format!("the format `%{rest}`");
        let zero = rest.starts_with('0');
        let digits = |text: &str| {
            text.find(|c: char| !c.is_ascii_digit())
                .unwrap_or(text.len())
        };
        let end = digits(rest);
        let width: usize = match &rest[..end] {
            "" => 0,
            number => number
                .parse()
                .ok()
                .filter(|w| *w < 100)
                .ok_or_else(unknown)?,
        };
        let (precision, end) = match rest[end..].strip_prefix('.') {
            Some(behind) => {
                let length = digits(behind);
                let number = behind[..length].parse().ok().filter(|p| *p < 100);
                (Some(number.ok_or_else(unknown)?), end + 1 + length)
            }
            None => (None, end),
        };
        let value = values.next().ok_or("too few values for a format")?;
        let written = match (&rest[end..].chars().next(), value, value.number()) {
            (Some('s'), value, _) if precision.is_none() && !zero => {
                value.written(budget)?.to_string()
            }
            (Some('d' | 'i'), _, Some(PythonNumber::Int(i))) if precision.is_none() => {
                i.to_string()
            }
            (Some('d' | 'i'), _, Some(PythonNumber::Float(x))) if precision.is_none() => {
                let PythonValue::Int(i) = whole(x.trunc())? else {
                    return Err(unknown());
                };
                i.to_string()
            }
            (Some('f'), _, Some(x)) if x.float().is_finite() => {
                format!("{:.*}", precision.unwrap_or(6), x.float())
            }
            _ => return Err(unknown()),
        };
        rest = &rest[end + 1..];
        let missing = width.saturating_sub(written.chars().count());
        match written.strip_prefix('-') {
            Some(digits) if zero => {
                out.push('-');
                out.push_str(&"0".repeat(missing));
                out.push_str(digits);
            }
            _ => {
                out.push_str(&(if zero { "0" } else { " " }).repeat(missing));
                out.push_str(&written);
            }
        }
        budget.spend(written.len() as u64 + 16)?;
    }
    if values.next().is_some() {
        return Err("too many values for a format".to_owned());
    }
    out.push_str(rest);
    Ok(out)
}
