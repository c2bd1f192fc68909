//! Expressions of Python: from a tree to a value. Whatever is not computed exactly as Python does
//! is an error.

use std::cmp::Ordering;
use std::rc::Rc;

use super::EvaluationError;
use super::budget::ExpansionBudget;
use super::format::formatted;
use super::functions;
use super::names::NameLookup;
use super::syntax::{ArithmeticOperator, ComparisonOperator, PythonExpression, UnaryOperator};
use super::value::{PythonNumber, PythonValue, Space, insert, order};

/// Evaluates expressions; names of `for` stand before all others.
pub(super) struct Evaluator<'a> {
    pub(super) names: &'a mut dyn NameLookup,
    pub(super) bound: Vec<(Rc<str>, PythonValue)>,
}

impl Evaluator<'_> {
    pub(super) fn value(
        &mut self,
        expression: &PythonExpression,
    ) -> Result<PythonValue, EvaluationError> {
        self.names.budget().spend(8)?;
        match expression {
            PythonExpression::Value(value) => Ok(value.clone()),
            PythonExpression::Name(name) => {
                match self.bound.iter().rev().find(|(n, _)| n == name) {
                    Some((_, value)) => Ok(value.clone()),
                    None => self.names.lookup(name),
                }
            }
            PythonExpression::Unary(how, value) => unary(*how, &self.value(value)?),
            PythonExpression::Binary(how, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                binary(*how, &a, &b, self.names.budget())
            }
            PythonExpression::Compare(first, rest) => self.compare(first, rest),
            PythonExpression::And(a, b) => {
                let a = self.value(a)?;
                if a.is_true() { self.value(b) } else { Ok(a) }
            }
            PythonExpression::Or(a, b) => {
                let a = self.value(a)?;
                if a.is_true() { Ok(a) } else { self.value(b) }
            }
            PythonExpression::Choice {
                test,
                then,
                otherwise,
            } => {
                let chosen = if self.value(test)?.is_true() {
                    then
                } else {
                    otherwise
                };
                self.value(chosen)
            }
            PythonExpression::Call {
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
            PythonExpression::Index(value, index) => {
                let (value, index) = (self.value(value)?, self.value(index)?);
                element(&value, &index, self.names.budget())
            }
            PythonExpression::Slice(value, [from, to]) => {
                let value = self.value(value)?;
                let mut end = |end: &Option<Box<PythonExpression>>| {
                    end.as_ref().map(|e| self.value(e)).transpose()
                };
                slice(&value, &end(from)?, &end(to)?)
            }
            PythonExpression::Attribute(value, name) => {
                let value = self.value(value)?;
                self.attribute(value, name)
            }
            PythonExpression::List(items) => Ok(PythonValue::List(self.values(items)?.into())),
            PythonExpression::Tuple(items) => Ok(PythonValue::Tuple(self.values(items)?.into())),
            PythonExpression::Dict(entries) => {
                let mut all: Vec<(PythonValue, PythonValue)> = Vec::new();
                for (key, value) in entries {
                    let (key, value) = (self.value(key)?, self.value(value)?);
                    insert(&mut all, key, value, self.names.budget())?;
                }
                Ok(PythonValue::Dict(all.into()))
            }
            PythonExpression::Each {
                item,
                names,
                source,
                conditions,
            } => self.each(item, names, source, conditions),
        }
    }

    fn values(&mut self, items: &[PythonExpression]) -> Result<Vec<PythonValue>, EvaluationError> {
        items.iter().map(|item| self.value(item)).collect()
    }

    fn compare(
        &mut self,
        first: &PythonExpression,
        rest: &[(ComparisonOperator, PythonExpression)],
    ) -> Result<PythonValue, EvaluationError> {
        let mut left = self.value(first)?;
        for (how, right) in rest {
            let right = self.value(right)?;
            if !compared(*how, &left, &right, self.names.budget())? {
                return Ok(PythonValue::Bool(false));
            }
            left = right;
        }
        Ok(PythonValue::Bool(true))
    }

    fn each(
        &mut self,
        item: &PythonExpression,
        names: &[Rc<str>],
        source: &PythonExpression,
        conditions: &[PythonExpression],
    ) -> Result<PythonValue, EvaluationError> {
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
        Ok(PythonValue::List(all.into()))
    }

    fn attribute(
        &mut self,
        value: PythonValue,
        name: &str,
    ) -> Result<PythonValue, EvaluationError> {
        match &value {
            PythonValue::Space(Space::Scope(scope)) => self.names.within(*scope, name),
            PythonValue::Space(space) => functions::of_module(*space, name)
                .ok_or_else(|| format!("the name `{}.{name}`", space.word())),
            PythonValue::Dict(entries) => {
                if let Some(method) = functions::method(&value, name) {
                    return Ok(PythonValue::Method(Box::new(value.clone()), method));
                }
                let found = entries
                    .iter()
                    .find(|(key, _)| matches!(key, PythonValue::Text(t) if **t == *name));
                match found {
                    Some((_, value)) => Ok(value.clone()),
                    None => Err(format!("there is no key `{name}`")),
                }
            }
            _ => match functions::method(&value, name) {
                Some(method) => Ok(PythonValue::Method(Box::new(value), method)),
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

fn unary(how: UnaryOperator, value: &PythonValue) -> Result<PythonValue, EvaluationError> {
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

fn binary(
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

fn compared(
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

/// An index as Python counts it: from the end, where it is negative.
fn place(index: &PythonValue, length: usize) -> Result<usize, EvaluationError> {
    let Some(PythonNumber::Int(index)) = index.number() else {
        return Err(format!("{} as an index", index.kind()));
    };
    let length = length as i128;
    let from_start = if index < 0 { index + length } else { index };
    if (0..length).contains(&from_start) {
        Ok(from_start as usize)
    } else {
        Err(format!("an index {index} of {length} elements"))
    }
}

fn element(
    value: &PythonValue,
    index: &PythonValue,
    budget: &mut ExpansionBudget,
) -> Result<PythonValue, EvaluationError> {
    match value {
        PythonValue::List(items) | PythonValue::Tuple(items) => {
            Ok(items[place(index, items.len())?].clone())
        }
        PythonValue::Text(text) => {
            let chars: Vec<char> = text.chars().collect();
            budget.spend(chars.len() as u64)?;
            Ok(PythonValue::text(
                chars[place(index, chars.len())?].to_string(),
            ))
        }
        PythonValue::Dict(entries) => {
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

fn slice(
    value: &PythonValue,
    from: &Option<PythonValue>,
    to: &Option<PythonValue>,
) -> Result<PythonValue, EvaluationError> {
    let bounds = |length: usize| -> Result<(usize, usize), EvaluationError> {
        let end = |end: &Option<PythonValue>, otherwise: usize| match end.as_ref() {
            None | Some(PythonValue::None) => Ok(otherwise),
            Some(end) => match end.number() {
                Some(PythonNumber::Int(i)) => {
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
        PythonValue::Text(text) => {
            let chars: Vec<char> = text.chars().collect();
            let (from, to) = bounds(chars.len())?;
            Ok(PythonValue::text(
                chars[from..to].iter().collect::<String>(),
            ))
        }
        PythonValue::List(items) => {
            let (from, to) = bounds(items.len())?;
            Ok(PythonValue::List(Rc::new(items[from..to].to_vec())))
        }
        other => Err(format!("a slice of {}", other.kind())),
    }
}
