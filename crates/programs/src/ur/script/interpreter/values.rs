//! Values of expressions.

use std::sync::Arc;

use clearance_proof::report::Location;

use super::super::builtin::finite;
use super::super::effects::{READING_METHODS, ScriptEffects};
use super::super::syntax::{ScriptArgument, ScriptExpression, ScriptOperator, ScriptScope};
use super::ScriptInterpreter;
use super::variables::{around, outside, whole};
use crate::value::{
    Fault, OpenChoice, OpenNumber, ROUNDED, Value, all, computed, inexact, is_within_rounding,
};

/// Controllers have 32 bits for whole numbers.
const LARGEST_WHOLE: f64 = i32::MAX as f64;

impl ScriptInterpreter<'_> {
    pub(in super::super) fn value(
        &mut self,
        of: &ScriptExpression,
        place: &Location,
    ) -> Result<Value, Fault> {
        self.nesting.enter(place)?;
        let value = self.value_of(of, place);
        self.nesting.leave();
        value
    }

    fn value_of(&mut self, of: &ScriptExpression, place: &Location) -> Result<Value, Fault> {
        match of {
            ScriptExpression::Number(number) => Ok(Value::Number(*number)),
            ScriptExpression::Boolean(truth) => Ok(Value::Boolean(*truth)),
            ScriptExpression::Text(text) => Ok(Value::Text(text.clone())),
            ScriptExpression::Name(name) => self.variable(name, place),
            ScriptExpression::List(items) => self.list(Value::Array, items, place),
            ScriptExpression::Pose(items) => self.list(Value::Pose, items, place),
            ScriptExpression::Call(call) => self.call(call, place),
            ScriptExpression::Run(call) => self.run(call, place),
            ScriptExpression::Method {
                object,
                name,
                arguments,
            } => {
                // Who answers may be found out by a function, and that may do anything.
                if self.acts(object) {
                    self.value(object, place)?;
                }
                for argument in arguments {
                    self.value(&argument.value, place)?;
                }
                if let Some(known) = self.method(object, name, arguments, place)? {
                    return Ok(known);
                }
                let object = object.as_text();
                self.record
                    .pass_over("methods of objects outside of the program");
                let reason = format!("`{object}.{name}` is answered by another program");
                Ok(Value::unknown(place, reason))
            }
            ScriptExpression::Field(object, field) => match self.value(object, place)? {
                Value::Unknown(why) => Ok(Value::Unknown(why)),
                Value::Record(fields) => fields
                    .get(field)
                    .cloned()
                    .ok_or_else(|| Fault::new(place, format!("there is no field `{field}`"))),
                other => {
                    let reason = format!("{} has no field `{field}`", other.kind());
                    Err(Fault::new(place, reason))
                }
            },
            ScriptExpression::Index(list, index) => {
                let (list, index) = (self.value(list, place)?, self.value(index, place)?);
                element(&list, &index, place)
            }
            ScriptExpression::Negative(inner) => match self.value(inner, place)? {
                Value::Array(_) | Value::Pose(_) => {
                    Ok(Value::unknown(place, "arithmetic of lists is not read"))
                }
                number => number.map(place, |x| -x),
            },
            ScriptExpression::Not(inner) => self.value(inner, place)?.not(place),
            ScriptExpression::Binary(operator, a, b) => {
                let first = self.value(a, place)?;
                let runs = match operator {
                    ScriptOperator::And => first == Value::Boolean(true),
                    ScriptOperator::Or => first == Value::Boolean(false),
                    _ => true,
                };
                if !runs && self.acts(b) {
                    let reason = "it is not known whether the function on the right of `and` or `or` runs, because the left side may already decide";
                    return Err(Fault::new(place, reason));
                }
                let second = self.value(b, place)?;
                binary(*operator, &first, &second, place)
            }
            ScriptExpression::Doubtful(parts, why) => {
                self.values(parts, place)?;
                Ok(Value::unknown(place, &**why))
            }
            ScriptExpression::Unknown(why) => Ok(Value::unknown(place, &**why)),
            ScriptExpression::Unread(why) => Err(Fault::new(place, &**why)),
        }
    }

    /// A method of a value that the program itself has: it may change that value.
    fn method(
        &mut self,
        object: &ScriptExpression,
        name: &Arc<str>,
        arguments: &[ScriptArgument],
        place: &Location,
    ) -> Result<Option<Value>, Fault> {
        let Some(root) = object.root() else {
            return Ok(None);
        };
        if matches!(self.seen(root), None | Some(Value::Unknown(_))) {
            return Ok(None);
        }
        if !READING_METHODS.contains(&&**name) {
            let changed = Value::unknown(place, format!("`{root}` is changed by `{name}`"));
            self.assign(ScriptScope::Seen, root, &[], changed, place)?;
        } else if &**name == "length"
            && arguments.is_empty()
            && let Value::Array(items) = self.value(object, place)?
        {
            return Ok(Some(Value::Number(items.len() as f64)));
        }
        let reason = format!("`{name}` of a list is not read");
        Ok(Some(Value::unknown(place, reason)))
    }

    /// Whether asking for a value does more than to compute.
    pub(in super::super) fn acts(&self, of: &ScriptExpression) -> bool {
        self.effects_of_value(of) != ScriptEffects::default()
    }

    pub(super) fn values(
        &mut self,
        items: &[ScriptExpression],
        place: &Location,
    ) -> Result<Vec<Value>, Fault> {
        items.iter().map(|item| self.value(item, place)).collect()
    }

    fn variable(&mut self, name: &Arc<str>, place: &Location) -> Result<Value, Fault> {
        if let Some(why) = self.shared.get(name) {
            return Ok(Value::Unknown(why.clone()));
        }
        if self.is_between(name) {
            return Err(Fault::new(place, around(name)));
        }
        if let Some(value) = self.seen(name) {
            return Ok(value.clone());
        }
        if self.controller.is_still(name) {
            Ok(Value::unknown(place, format!("`{name}` is set elsewhere")))
        } else {
            Err(Fault::new(
                place,
                format!("`{name}` has no value here; it may be a variable of the installation"),
            ))
        }
    }
}

fn element(list: &Value, index: &Value, place: &Location) -> Result<Value, Fault> {
    match (list, index) {
        (Value::Unknown(why), _) | (_, Value::Unknown(why)) => Ok(Value::Unknown(why.clone())),
        (Value::Array(items) | Value::Pose(items), Value::Number(k)) => whole(*k)
            .and_then(|k| items.get(k).cloned())
            .ok_or_else(|| outside(*k, items.len(), place)),
        (Value::Record(_), _) => Ok(Value::unknown(
            place,
            "the joint values of a pose are asked for one by one",
        )),
        (list, _) => {
            let reason = format!("{} has no elements", list.kind());
            Err(Fault::new(place, reason))
        }
    }
}

/// Whether two values are equal, as far as that is told: not of joint values that are found only
/// when the motion is made, nor of values of two kinds.
fn equal(a: &Value, b: &Value, place: &Location) -> Value {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) if is_within_rounding(*x, *y) => {
            Value::unknown(place, ROUNDED)
        }
        (Value::Array(x), Value::Array(y)) | (Value::Pose(x), Value::Pose(y))
            if x.len() == y.len() =>
        {
            all(x.iter().zip(y).map(|(x, y)| equal(x, y, place)))
        }
        (Value::Number(_), Value::Number(_))
        | (Value::Boolean(_), Value::Boolean(_))
        | (Value::Text(_), Value::Text(_))
        | (Value::Unknown(_), _)
        | (_, Value::Unknown(_)) => a.equals(b),
        _ => {
            let reason = format!("whether {} equals {} is not read", a.kind(), b.kind());
            Value::unknown(place, reason)
        }
    }
}

/// Whether the rest of a division may as well be none, or nearly all, by what controllers round.
fn is_rest_rounded(a: f64, b: f64) -> bool {
    let ratio = a / b;
    let whole = a.fract() == 0.0 && b.fract() == 0.0;
    !whole && (ratio - ratio.round()).abs() <= 1e-5 * ratio.abs().max(1.0)
}

/// An angle of which full turns are open, and a number that is put to it.
fn turned(operator: ScriptOperator, a: &Value, b: &Value) -> Option<Value> {
    let (open, number) = match (operator, a, b) {
        (ScriptOperator::Add, Value::Open(open), Value::Number(by))
        | (ScriptOperator::Add, Value::Number(by), Value::Open(open)) => (open, open.number + by),
        (ScriptOperator::Subtract, Value::Open(open), Value::Number(by)) => {
            (open, open.number - by)
        }
        _ => return None,
    };
    let turned = OpenNumber {
        number: inexact(number),
        ..OpenNumber::clone(open)
    };
    (open.choice == OpenChoice::Turns).then(|| Value::Open(turned.into()))
}

fn binary(
    operator: ScriptOperator,
    a: &Value,
    b: &Value,
    place: &Location,
) -> Result<Value, Fault> {
    let is_list = |v: &Value| matches!(v, Value::Array(_) | Value::Pose(_) | Value::Text(_));
    // A controller rounds what it computes.
    let number = |f: fn(f64, f64) -> f64| {
        if is_list(a) || is_list(b) {
            return Ok(Value::unknown(
                place,
                "arithmetic of lists and texts is not read",
            ));
        }
        let value = a.join(b, place, |a, b| {
            let found = f(a, b);
            if a.fract() == 0.0 && b.fract() == 0.0 && found.abs() > LARGEST_WHOLE {
                return Value::unknown(place, "whole numbers as large as this overflow");
            }
            Value::Number(computed(a, b, found))
        })?;
        Ok(finite(value, place))
    };
    let compare = |f: fn(&f64, &f64) -> bool| {
        a.join(b, place, |a, b| {
            if is_within_rounding(a, b) {
                return Value::unknown(place, ROUNDED);
            }
            Value::Boolean(f(&a, &b))
        })
    };
    if let Some(turned) = turned(operator, a, b) {
        return Ok(turned);
    }
    match operator {
        ScriptOperator::Add => number(|a, b| a + b),
        ScriptOperator::Subtract => number(|a, b| a - b),
        ScriptOperator::Multiply => number(|a, b| a * b),
        ScriptOperator::Divide | ScriptOperator::DivideFraction => {
            if let (Value::Number(a), Value::Number(b)) = (a, b)
                && operator == ScriptOperator::Divide
                && a.fract() == 0.0
                && b.fract() == 0.0
                && (a / b).fract() != 0.0
            {
                let reason = "whether whole numbers divide to a whole number is not known; write one with a fraction, or the result";
                return Ok(Value::unknown(place, reason));
            }
            number(|a, b| a / b)
        }
        ScriptOperator::Modulo => match (a, b) {
            (Value::Number(a), Value::Number(b)) if *a < 0.0 || *b <= 0.0 => Ok(Value::unknown(
                place,
                "the rest of a negative number is not read",
            )),
            (Value::Number(a), Value::Number(b)) if is_rest_rounded(*a, *b) => {
                Ok(Value::unknown(place, ROUNDED))
            }
            _ => number(|a, b| a % b),
        },
        ScriptOperator::Equal => Ok(equal(a, b, place)),
        ScriptOperator::Unequal => equal(a, b, place).not(place),
        ScriptOperator::Less => compare(f64::lt),
        ScriptOperator::LessOrEqual => compare(f64::le),
        ScriptOperator::Greater => compare(f64::gt),
        ScriptOperator::GreaterOrEqual => compare(f64::ge),
        ScriptOperator::And => a.and(b, place),
        ScriptOperator::Or => a.or(b, place),
        ScriptOperator::Xor => match (a.boolean(place)?, b.boolean(place)?) {
            (Ok(a), Ok(b)) => Ok(Value::Boolean(a != b)),
            (Err(why), _) | (_, Err(why)) => Ok(Value::Unknown(why)),
        },
    }
}
