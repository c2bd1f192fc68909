//! Expressions of Python: from a tree to a value. Whatever is not computed exactly as Python does is an error.

use std::cmp::Ordering;
use std::rc::Rc;

use super::budget::Budget;
use super::format::formatted;
use super::functions;
use super::names::Names;
use super::syntax::{Binary, Compare, Expression, Unary};
use super::value::{Failure, Number, Space, Value, insert, order};

/// Evaluates expressions; names of `for` stand before all others.
pub(super) struct Evaluator<'a> {
    pub(super) names: &'a mut dyn Names,
    pub(super) bound: Vec<(Rc<str>, Value)>,
}

impl Evaluator<'_> {
    pub(super) fn value(&mut self, expression: &Expression) -> Result<Value, Failure> {
        self.names.budget().spend(8)?;
        match expression {
            Expression::Value(value) => Ok(value.clone()),
            Expression::Name(name) => match self.bound.iter().rev().find(|(n, _)| n == name) {
                Some((_, value)) => Ok(value.clone()),
                None => self.names.lookup(name),
            },
            Expression::Unary(how, value) => unary(*how, &self.value(value)?),
            Expression::Binary(how, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                binary(*how, &a, &b, self.names.budget())
            }
            Expression::Compare(first, rest) => self.compare(first, rest),
            Expression::And(a, b) => {
                let a = self.value(a)?;
                if a.is_true() { self.value(b) } else { Ok(a) }
            }
            Expression::Or(a, b) => {
                let a = self.value(a)?;
                if a.is_true() { Ok(a) } else { self.value(b) }
            }
            Expression::Choice {
                test,
                then,
                otherwise,
            } => {
                let chosen = match self.value(test)?.is_true() {
                    true => then,
                    false => otherwise,
                };
                self.value(chosen)
            }
            Expression::Call {
                function,
                arguments,
                named,
            } => {
                let function = self.value(function)?;
                let arguments = self.values(arguments)?;
                let mut by_name = Vec::new();
                for (name, value) in named {
                    by_name.push((name.clone(), self.value(value)?));
                }
                functions::call(self.names, &function, &arguments, &by_name)
            }
            Expression::Index(value, index) => {
                let (value, index) = (self.value(value)?, self.value(index)?);
                element(&value, &index, self.names.budget())
            }
            Expression::Slice(value, [from, to]) => {
                let value = self.value(value)?;
                let mut end =
                    |end: &Option<Box<Expression>>| end.as_ref().map(|e| self.value(e)).transpose();
                slice(&value, &end(from)?, &end(to)?)
            }
            Expression::Attribute(value, name) => {
                let value = self.value(value)?;
                self.attribute(value, name)
            }
            Expression::List(items) => Ok(Value::List(self.values(items)?.into())),
            Expression::Tuple(items) => Ok(Value::Tuple(self.values(items)?.into())),
            Expression::Dict(entries) => {
                let mut all: Vec<(Value, Value)> = Vec::new();
                for (key, value) in entries {
                    let (key, value) = (self.value(key)?, self.value(value)?);
                    insert(&mut all, key, value, self.names.budget())?;
                }
                Ok(Value::Dict(all.into()))
            }
            Expression::Each {
                item,
                names,
                source,
                conditions,
            } => self.each(item, names, source, conditions),
        }
    }

    fn values(&mut self, items: &[Expression]) -> Result<Vec<Value>, Failure> {
        items.iter().map(|item| self.value(item)).collect()
    }

    fn compare(
        &mut self,
        first: &Expression,
        rest: &[(Compare, Expression)],
    ) -> Result<Value, Failure> {
        let mut left = self.value(first)?;
        for (how, right) in rest {
            let right = self.value(right)?;
            if !compared(*how, &left, &right, self.names.budget())? {
                return Ok(Value::Bool(false));
            }
            left = right;
        }
        Ok(Value::Bool(true))
    }

    fn each(
        &mut self,
        item: &Expression,
        names: &[Rc<str>],
        source: &Expression,
        conditions: &[Expression],
    ) -> Result<Value, Failure> {
        let elements = self.value(source)?.elements()?;
        let depth = self.bound.len();
        let mut all = Vec::new();
        for element in elements {
            self.names.budget().spend(8)?;
            match names {
                [name] => self.bound.push((name.clone(), element)),
                _ => {
                    let parts = element.elements()?;
                    if parts.len() != names.len() {
                        return Err(format!("{} values for {} names", parts.len(), names.len()));
                    }
                    self.bound.extend(names.iter().cloned().zip(parts));
                }
            }
            let mut wanted = true;
            for condition in conditions {
                wanted = wanted && self.value(condition)?.is_true();
            }
            if wanted {
                all.push(self.value(item)?);
            }
            self.bound.truncate(depth);
        }
        Ok(Value::List(all.into()))
    }

    fn attribute(&mut self, value: Value, name: &str) -> Result<Value, Failure> {
        match &value {
            Value::Space(Space::Scope(scope)) => self.names.within(*scope, name),
            Value::Space(space) => functions::of_module(*space, name)
                .ok_or_else(|| format!("the name `{}.{name}`", space.word())),
            Value::Dict(entries) => {
                if let Some(method) = functions::method(&value, name) {
                    return Ok(Value::Method(Box::new(value.clone()), method));
                }
                let found = entries
                    .iter()
                    .find(|(key, _)| matches!(key, Value::Text(t) if **t == *name));
                match found {
                    Some((_, value)) => Ok(value.clone()),
                    None => Err(format!("there is no key `{name}`")),
                }
            }
            _ => match functions::method(&value, name) {
                Some(method) => Ok(Value::Method(Box::new(value), method)),
                None => Err(format!("the attribute `{name}` of {}", value.kind())),
            },
        }
    }
}

impl Space {
    pub(super) fn word(self) -> &'static str {
        match self {
            Space::Math => "math",
            Space::Python => "python",
            Space::Xacro => "xacro",
            Space::Scope(_) => "…",
        }
    }
}

fn unary(how: Unary, value: &Value) -> Result<Value, Failure> {
    match (how, value.number()) {
        (Unary::Not, _) => Ok(Value::Bool(!value.is_true())),
        (Unary::Plus, Some(Number::Int(i))) => Ok(Value::Int(i)),
        (Unary::Plus, Some(Number::Float(x))) => Ok(Value::Float(x)),
        (Unary::Minus, Some(Number::Int(i))) => i.checked_neg().map(Value::Int).ok_or(large()),
        (Unary::Minus, Some(Number::Float(x))) => Ok(Value::Float(-x)),
        (_, None) => Err(format!("a sign before {}", value.kind())),
    }
}

fn large() -> Failure {
    "an integer that is too large".to_owned()
}

/// An integer and a float that is as large.
fn exact(i: i128) -> Result<f64, Failure> {
    // Beyond, Python rounds quotients of integers otherwise than those of floats.
    match i.unsigned_abs() <= 1 << 53 {
        true => Ok(i as f64),
        false => Err(large()),
    }
}

fn binary(how: Binary, a: &Value, b: &Value, budget: &mut Budget) -> Result<Value, Failure> {
    if let (Some(x), Some(y)) = (a.number(), b.number()) {
        return match (x, y) {
            (Number::Int(x), Number::Int(y)) => of_ints(how, x, y),
            _ => of_floats(how, x.float(), y.float()).map(Value::Float),
        };
    }
    let impossible = || {
        let sign = match how {
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::FloorDivide => "//",
            Binary::Remainder => "%",
            Binary::Power => "**",
        };
        Err(format!("`{sign}` between {} and {}", a.kind(), b.kind()))
    };
    match (how, a, b) {
        (Binary::Add, Value::Text(a), Value::Text(b)) => {
            budget.spend((a.len() + b.len()) as u64)?;
            Ok(Value::text(format!("{a}{b}")))
        }
        (Binary::Add, Value::List(a), Value::List(b)) => {
            budget.spend((a.len() + b.len()) as u64)?;
            Ok(Value::List(Rc::new([a.as_slice(), b.as_slice()].concat())))
        }
        (Binary::Remainder, Value::Text(form), _) => {
            let one = [b.clone()];
            let values = match b {
                Value::Tuple(items) => items.as_slice(),
                _ => &one,
            };
            formatted(form, values, budget).map(Value::text)
        }
        (Binary::Multiply, _, _) => {
            let (sequence, times) = match (a.number(), b.number()) {
                (None, Some(Number::Int(times))) => (a, times),
                (Some(Number::Int(times)), None) => (b, times),
                _ => return impossible(),
            };
            let times = usize::try_from(times.max(0)).map_err(|_| large())?;
            let length = match sequence {
                Value::Text(t) => t.len(),
                Value::List(l) => l.len(),
                _ => return impossible(),
            };
            budget.spend(8 * (length as u64).saturating_mul(times as u64))?;
            match sequence {
                Value::Text(t) => Ok(Value::text(t.repeat(times))),
                Value::List(l) => {
                    let all = std::iter::repeat_n(l.iter().cloned(), times).flatten();
                    Ok(Value::List(Rc::new(all.collect())))
                }
                _ => impossible(),
            }
        }
        _ => impossible(),
    }
}

fn of_ints(how: Binary, x: i128, y: i128) -> Result<Value, Failure> {
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
        Binary::Add => x.checked_add(y).map(Value::Int).ok_or(large()),
        Binary::Subtract => x.checked_sub(y).map(Value::Int).ok_or(large()),
        Binary::Multiply => x.checked_mul(y).map(Value::Int).ok_or(large()),
        Binary::Divide if y == 0 => by_zero(),
        Binary::Divide => Ok(Value::Float(exact(x)? / exact(y)?)),
        Binary::FloorDivide | Binary::Remainder if y == 0 => by_zero(),
        Binary::FloorDivide => Ok(Value::Int(floored(x, y).ok_or(large())?.0)),
        Binary::Remainder => Ok(Value::Int(floored(x, y).ok_or(large())?.1)),
        Binary::Power if y < 0 => of_floats(how, exact(x)?, exact(y)?).map(Value::Float),
        Binary::Power => {
            let y = u32::try_from(y).map_err(|_| large())?;
            x.checked_pow(y).map(Value::Int).ok_or(large())
        }
    }
}

fn of_floats(how: Binary, x: f64, y: f64) -> Result<f64, Failure> {
    match how {
        Binary::Add => Ok(x + y),
        Binary::Subtract => Ok(x - y),
        Binary::Multiply => Ok(x * y),
        Binary::Divide | Binary::FloorDivide | Binary::Remainder if y == 0.0 => {
            Err("a division by zero".to_owned())
        }
        Binary::Divide => Ok(x / y),
        Binary::FloorDivide | Binary::Remainder => {
            let mut rest = x % y;
            let mut quotient = (x - rest) / y;
            if rest != 0.0 && (rest < 0.0) != (y < 0.0) {
                rest += y;
                quotient -= 1.0;
            }
            if rest == 0.0 {
                rest = 0.0_f64.copysign(y);
            }
            if how == Binary::Remainder {
                return Ok(rest);
            }
            let down = quotient.floor();
            Ok(match quotient - down > 0.5 {
                true => down + 1.0,
                false => down,
            })
        }
        Binary::Power if x == 0.0 && y < 0.0 => Err("0 to a negative power".to_owned()),
        Binary::Power if x < 0.0 && y.fract() != 0.0 && x.is_finite() && y.is_finite() => {
            Err("a complex number".to_owned())
        }
        Binary::Power => {
            let power = x.powf(y);
            match power.is_infinite() && x.is_finite() && y.is_finite() {
                true => Err("a number that is too large".to_owned()),
                false => Ok(power),
            }
        }
    }
}

fn compared(how: Compare, a: &Value, b: &Value, budget: &mut Budget) -> Result<bool, Failure> {
    let ordered = |wanted: fn(Ordering) -> bool| Ok(order(a, b)?.is_some_and(wanted));
    match how {
        Compare::Equal => a.equals(b, budget),
        Compare::Unequal => Ok(!a.equals(b, budget)?),
        Compare::Less => ordered(Ordering::is_lt),
        Compare::AtMost => ordered(Ordering::is_le),
        Compare::Greater => ordered(Ordering::is_gt),
        Compare::AtLeast => ordered(Ordering::is_ge),
        Compare::In => contains(b, a, budget),
        Compare::NotIn => Ok(!contains(b, a, budget)?),
        Compare::Is | Compare::IsNot => match (a, b) {
            (Value::None, _) | (_, Value::None) => {
                let both = matches!((a, b), (Value::None, Value::None));
                Ok(both == (how == Compare::Is))
            }
            (Value::Bool(a), Value::Bool(b)) => Ok((a == b) == (how == Compare::Is)),
            _ => Err("`is` between other values than None, True and False".to_owned()),
        },
    }
}

fn contains(whole: &Value, part: &Value, budget: &mut Budget) -> Result<bool, Failure> {
    if let Value::Text(whole) = whole {
        return match part {
            Value::Text(part) => Ok(whole.contains(&**part)),
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

/// An index as Python counts it: from the end, where it is negative.
fn place(index: &Value, length: usize) -> Result<usize, Failure> {
    let Some(Number::Int(index)) = index.number() else {
        return Err(format!("{} as an index", index.kind()));
    };
    let length = length as i128;
    let from_start = if index < 0 { index + length } else { index };
    match (0..length).contains(&from_start) {
        true => Ok(from_start as usize),
        false => Err(format!("an index {index} of {length} elements")),
    }
}

fn element(value: &Value, index: &Value, budget: &mut Budget) -> Result<Value, Failure> {
    match value {
        Value::List(items) | Value::Tuple(items) => Ok(items[place(index, items.len())?].clone()),
        Value::Text(text) => {
            let chars: Vec<char> = text.chars().collect();
            budget.spend(chars.len() as u64)?;
            Ok(Value::text(chars[place(index, chars.len())?].to_string()))
        }
        Value::Dict(entries) => {
            for (key, value) in entries.iter() {
                if key.equals(index, budget)? {
                    return Ok(value.clone());
                }
            }
            Err(format!("there is no key `{}`", index.written(budget)?))
        }
        other => Err(format!("an index of {}", other.kind())),
    }
}

fn slice(value: &Value, from: &Option<Value>, to: &Option<Value>) -> Result<Value, Failure> {
    let bounds = |length: usize| -> Result<(usize, usize), Failure> {
        let end = |end: &Option<Value>, otherwise: usize| match end.as_ref() {
            None | Some(Value::None) => Ok(otherwise),
            Some(end) => match end.number() {
                Some(Number::Int(i)) => {
                    let length = length as i128;
                    let i = if i < 0 { i + length } else { i };
                    Ok(i.clamp(0, length) as usize)
                }
                _ => Err(format!("{} as an end of a slice", end.kind())),
            },
        };
        let (from, to) = (end(from, 0)?, end(to, length)?);
        Ok((from, to.max(from)))
    };
    match value {
        Value::Text(text) => {
            let chars: Vec<char> = text.chars().collect();
            let (from, to) = bounds(chars.len())?;
            Ok(Value::text(chars[from..to].iter().collect::<String>()))
        }
        Value::List(items) => {
            let (from, to) = bounds(items.len())?;
            Ok(Value::List(Rc::new(items[from..to].to_vec())))
        }
        other => Err(format!("a slice of {}", other.kind())),
    }
}
