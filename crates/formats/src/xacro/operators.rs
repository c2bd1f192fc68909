//! Operators of Python, on values.

use std::cmp::Ordering;
use std::rc::Rc;

use super::EvaluationError;
use super::budget::ExpansionBudget;
use super::format::formatted;
use super::syntax::{ArithmeticOperator, ComparisonOperator, UnaryOperator};
use super::value::{PythonNumber, PythonValue, order};

pub(super) fn unary(
    how: UnaryOperator,
    value: &PythonValue,
) -> Result<PythonValue, EvaluationError> {
    match (how, value.number()) {
        (UnaryOperator::Not, _) => Ok(PythonValue::Bool(!value.is_true())),
        (UnaryOperator::Plus, Some(PythonNumber::Int(i))) => Ok(PythonValue::Int(i)),
        (UnaryOperator::Plus, Some(PythonNumber::Float(x))) => Ok(PythonValue::Float(x)),
        (UnaryOperator::Minus, Some(PythonNumber::Int(i))) => {
            i.checked_neg().map(PythonValue::Int).ok_or(large())
        }
        (UnaryOperator::Minus, Some(PythonNumber::Float(x))) => Ok(PythonValue::Float(-x)),
        (_, None) => Err(format!("a sign before {}", value.kind())),
    }
}

fn large() -> EvaluationError {
    "an integer that is too large".to_owned()
}

/// An integer and a float that is as large.
fn exact(i: i128) -> Result<f64, EvaluationError> {
    // Beyond, Python rounds quotients of integers otherwise than those of floats.
    if i.unsigned_abs() <= 1 << 53 {
        Ok(i as f64)
    } else {
        Err(large())
    }
}

pub(super) fn binary(
    how: ArithmeticOperator,
    a: &PythonValue,
    b: &PythonValue,
    budget: &mut ExpansionBudget,
) -> Result<PythonValue, EvaluationError> {
    if let (Some(x), Some(y)) = (a.number(), b.number()) {
        return match (x, y) {
            (PythonNumber::Int(x), PythonNumber::Int(y)) => of_ints(how, x, y),
            _ => of_floats(how, x.float(), y.float()).map(PythonValue::Float),
        };
    }
    let impossible = || {
        let sign = match how {
            ArithmeticOperator::Add => "+",
            ArithmeticOperator::Subtract => "-",
            ArithmeticOperator::Multiply => "*",
            ArithmeticOperator::Divide => "/",
            ArithmeticOperator::FloorDivide => "//",
            ArithmeticOperator::Remainder => "%",
            ArithmeticOperator::Power => "**",
        };
        Err(format!("`{sign}` between {} and {}", a.kind(), b.kind()))
    };
    match (how, a, b) {
        (ArithmeticOperator::Add, PythonValue::Text(a), PythonValue::Text(b)) => {
            budget.spend((a.len() + b.len()) as u64)?;
            Ok(PythonValue::text(format!("{a}{b}")))
        }
        (ArithmeticOperator::Add, PythonValue::List(a), PythonValue::List(b)) => {
            budget.spend((a.len() + b.len()) as u64)?;
            Ok(PythonValue::List(Rc::new(
                [a.as_slice(), b.as_slice()].concat(),
            )))
        }
        (ArithmeticOperator::Remainder, PythonValue::Text(form), _) => {
            let one = [b.clone()];
            let values = match b {
                PythonValue::Tuple(items) => items.as_slice(),
                _ => &one,
            };
            formatted(form, values, budget).map(PythonValue::text)
        }
        (ArithmeticOperator::Multiply, _, _) => {
            let (sequence, times) = match (a.number(), b.number()) {
                (None, Some(PythonNumber::Int(times))) => (a, times),
                (Some(PythonNumber::Int(times)), None) => (b, times),
                _ => return impossible(),
            };
            let times = usize::try_from(times.max(0)).map_err(|_| large())?;
            let length = match sequence {
                PythonValue::Text(t) => t.len(),
                PythonValue::List(l) => l.len(),
                _ => return impossible(),
            };
            budget.spend(8 * (length as u64).saturating_mul(times as u64))?;
            match sequence {
                PythonValue::Text(t) => Ok(PythonValue::text(t.repeat(times))),
                PythonValue::List(l) => {
                    let all = std::iter::repeat_n(l.iter().cloned(), times).flatten();
                    Ok(PythonValue::List(Rc::new(all.collect())))
                }
                _ => impossible(),
            }
        }
        _ => impossible(),
    }
}

fn of_ints(how: ArithmeticOperator, x: i128, y: i128) -> Result<PythonValue, EvaluationError> {
    let by_zero = || Err("a division by zero".to_owned());
    let floored = |x: i128, y: i128| {
        let q = x.checked_div(y)?;
        let r = x.checked_rem(y)?;
        Some(if r != 0 && (r < 0) != (y < 0) {
            (q - 1, r + y)
        } else {
            (q, r)
        })
    };
    match how {
        ArithmeticOperator::Add => x.checked_add(y).map(PythonValue::Int).ok_or(large()),
        ArithmeticOperator::Subtract => x.checked_sub(y).map(PythonValue::Int).ok_or(large()),
        ArithmeticOperator::Multiply => x.checked_mul(y).map(PythonValue::Int).ok_or(large()),
        ArithmeticOperator::Divide if y == 0 => by_zero(),
        ArithmeticOperator::Divide => Ok(PythonValue::Float(exact(x)? / exact(y)?)),
        ArithmeticOperator::FloorDivide | ArithmeticOperator::Remainder if y == 0 => by_zero(),
        ArithmeticOperator::FloorDivide => Ok(PythonValue::Int(floored(x, y).ok_or(large())?.0)),
        ArithmeticOperator::Remainder => Ok(PythonValue::Int(floored(x, y).ok_or(large())?.1)),
        ArithmeticOperator::Power if y < 0 => {
            of_floats(how, exact(x)?, exact(y)?).map(PythonValue::Float)
        }
        ArithmeticOperator::Power => {
            let y = u32::try_from(y).map_err(|_| large())?;
            x.checked_pow(y).map(PythonValue::Int).ok_or(large())
        }
    }
}

fn of_floats(how: ArithmeticOperator, x: f64, y: f64) -> Result<f64, EvaluationError> {
    match how {
        ArithmeticOperator::Add => Ok(x + y),
        ArithmeticOperator::Subtract => Ok(x - y),
        ArithmeticOperator::Multiply => Ok(x * y),
        ArithmeticOperator::Divide
        | ArithmeticOperator::FloorDivide
        | ArithmeticOperator::Remainder
            if y == 0.0 =>
        {
            Err("a division by zero".to_owned())
        }
        ArithmeticOperator::Divide => Ok(x / y),
        ArithmeticOperator::FloorDivide | ArithmeticOperator::Remainder => {
            let mut rest = x % y;
            let mut quotient = (x - rest) / y;
            if rest != 0.0 && (rest < 0.0) != (y < 0.0) {
                rest += y;
                quotient -= 1.0;
            }
            if rest == 0.0 {
                rest = 0.0_f64.copysign(y);
            }
            if how == ArithmeticOperator::Remainder {
                return Ok(rest);
            }
            let down = quotient.floor();
            Ok(if quotient - down > 0.5 {
                down + 1.0
            } else {
                down
            })
        }
        ArithmeticOperator::Power if x == 0.0 && y < 0.0 => Err("0 to a negative power".to_owned()),
        ArithmeticOperator::Power
            if x < 0.0 && y.fract() != 0.0 && x.is_finite() && y.is_finite() =>
        {
            Err("a complex number".to_owned())
        }
        ArithmeticOperator::Power => {
            let power = x.powf(y);
            if power.is_infinite() && x.is_finite() && y.is_finite() {
                Err("a number that is too large".to_owned())
            } else {
                Ok(power)
            }
        }
    }
}

pub(super) fn compared(
    how: ComparisonOperator,
    a: &PythonValue,
    b: &PythonValue,
    budget: &mut ExpansionBudget,
) -> Result<bool, EvaluationError> {
    let ordered = |wanted: fn(Ordering) -> bool| Ok(order(a, b)?.is_some_and(wanted));
    match how {
        ComparisonOperator::Equal => a.equals(b, budget),
        ComparisonOperator::Unequal => Ok(!a.equals(b, budget)?),
        ComparisonOperator::Less => ordered(Ordering::is_lt),
        ComparisonOperator::AtMost => ordered(Ordering::is_le),
        ComparisonOperator::Greater => ordered(Ordering::is_gt),
        ComparisonOperator::AtLeast => ordered(Ordering::is_ge),
        ComparisonOperator::In => contains(b, a, budget),
        ComparisonOperator::NotIn => Ok(!contains(b, a, budget)?),
        ComparisonOperator::Is | ComparisonOperator::IsNot => match (a, b) {
            (PythonValue::None, _) | (_, PythonValue::None) => {
                let both = matches!((a, b), (PythonValue::None, PythonValue::None));
                Ok(both == (how == ComparisonOperator::Is))
            }
            (PythonValue::Bool(a), PythonValue::Bool(b)) => {
                Ok((a == b) == (how == ComparisonOperator::Is))
            }
            _ => Err("`is` between other values than None, True and False".to_owned()),
        },
    }
}

fn contains(
    whole: &PythonValue,
    part: &PythonValue,
    budget: &mut ExpansionBudget,
) -> Result<bool, EvaluationError> {
    if let PythonValue::Text(whole) = whole {
        return match part {
            PythonValue::Text(part) => Ok(whole.contains(&**part)),
            other => Err(format!("{} in a text", other.kind())),
        };
    }
    for element in whole.elements()? {
        if element.equals(part, budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}
