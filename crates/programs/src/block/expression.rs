//! Values of expressions.

use clearance_proof::report::Location;

use super::interpreter::BlockInterpreter;
use super::syntax::{Call, Expression, Name, Operator, PathPart, RoutineKind, VariablePath};
use super::{Language, WrittenValue};
use crate::value::{Fault, ROUNDED, Value, computed, is_within_rounding};

impl<L: Language> BlockInterpreter<'_, L> {
    /// The value of an expression.
    ///
    /// # Errors
    /// When a controller would stop at it, or it is not understood.
    pub(crate) fn value(
        &mut self,
        expression: &Expression,
        place: &Location,
    ) -> Result<Value, Fault> {
        self.flow.count(1);
        self.nesting.enter(place)?;
        let value = self.value_of(expression, place);
        self.nesting.leave();
        value
    }

    fn value_of(&mut self, expression: &Expression, place: &Location) -> Result<Value, Fault> {
        match expression {
            Expression::Number(number, _) => Ok(Value::Number(*number)),
            Expression::Boolean(truth) => Ok(Value::Boolean(*truth)),
            Expression::Text(text) => Ok(Value::text(text)),
            Expression::Variable(path) => match self.spot(path, place)? {
                Some(Ok(found)) => self.held(&found.spot, place),
                Some(Err(why)) => Ok(Value::Unknown(why)),
                None => {
                    let name = self.named(path, place)?;
                    Ok(L::undeclared(self, &name, place))
                }
            },
            Expression::Call(call) => self.ask(call, place),
            Expression::List(_) | Expression::Record(..) => L::aggregate(self, expression, place),
            Expression::Negative(inner) => match self.value(inner, place)? {
                Value::Array(items) if items.len() != 3 => {
                    let reason = "only numbers and positions have a negative";
                    Err(Fault::new(place, reason))
                }
                Value::Array(items) => {
                    let negative = |item: &Value| item.map(place, |x| -x);
                    let items: Result<_, _> = items.iter().map(negative).collect();
                    items.map(Value::Array)
                }
                other => other.map(place, |x| -x),
            },
            Expression::Not(inner) => self.value(inner, place)?.not(place),
            Expression::Binary(..) => self.chain(expression, place),
            Expression::Unread(reason) => Err(Fault::new(place, reason.to_string())),
        }
    }

    /// The value of what operators join. Values in a row are as deep as the row is long, so they
    /// are computed one after the other.
    fn chain(&mut self, expression: &Expression, place: &Location) -> Result<Value, Fault> {
        let (mut rest, mut at) = (Vec::new(), expression);
        while let Expression::Binary(operator, left, right) = at {
            rest.push((*operator, &**left, &**right));
            at = left;
        }
        let mut first = self.value(at, place)?;
        for (operator, left, right) in rest.into_iter().rev() {
            let decides = matches!(
                (operator, &first),
                (Operator::And, Value::Boolean(false) | Value::Unknown(_))
                    | (Operator::Or, Value::Boolean(true) | Value::Unknown(_))
            );
            if decides && self.calls(right) {
                let reason = "it is not known whether the controller calls this function, because the part before it may already decide the answer";
                return Err(Fault::new(place, reason));
            }
            let second = self.value(right, place)?;
            let left = WrittenValue {
                written: left,
                value: &first,
            };
            let right = WrittenValue {
                written: right,
                value: &second,
            };
            first = self.binary(operator, left, right, place)?;
        }
        Ok(first)
    }

    /// A variable with the numbers of its indices, as far as they are known.
    pub(super) fn named(&mut self, path: &VariablePath, place: &Location) -> Result<Name, Fault> {
        let mut known = path.clone();
        for part in &mut known.parts {
            if let PathPart::Index(index) = part
                && let Ok(number) = self.value(index, place)?.number(place)?
            {
                *index = Expression::Number(number, true);
            }
        }
        Ok(known.shown().into())
    }

    fn ask(&mut self, call: &Call, place: &Location) -> Result<Value, Fault> {
        let found = self.routine(&call.name);
        let Some(routine) = found.map_err(|reason| Fault::new(place, reason))? else {
            return L::function(self, call, place);
        };
        let RoutineKind::Function(kind) = &routine.sort else {
            let reason = format!("`{}` is not a function", routine.written);
            return Err(Fault::new(place, reason));
        };
        self.functions += 1;
        let value = self.invoke(&routine, call, place);
        self.functions -= 1;
        let value = value?;
        // A way that has ended, or was lost, needs no value any more.
        let reason = format!("`{}` answered nothing", routine.written);
        Ok(match value {
            Some(value) => L::convert(self, kind, None, value, place),
            None => Value::unknown(place, reason),
        })
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: WrittenValue,
        right: WrittenValue,
        place: &Location,
    ) -> Result<Value, Fault> {
        let (a, b) = (left.value, right.value);
        let compares = matches!(
            operator,
            Operator::Equal
                | Operator::Unequal
                | Operator::Less
                | Operator::LessOrEqual
                | Operator::Greater
                | Operator::GreaterOrEqual
        );
        if let (true, Value::Number(x), Value::Number(y)) = (compares, a, b)
            && is_within_rounding(*x, *y)
        {
            return Ok(Value::unknown(place, ROUNDED));
        }
        let compare = |f: fn(f64, f64) -> bool| a.join(b, place, |x, y| Value::Boolean(f(x, y)));
        let number = |f: fn(f64, f64) -> f64| {
            a.join(b, place, |x, y| {
                let result = f(x, y);
                let whole = x.fract() == 0.0 && y.fract() == 0.0;
                if whole && result.abs() > L::MOST_WHOLE {
                    Value::unknown(place, "whole numbers have 32 bits, and this one needs more")
                } else {
                    finite(computed(x, y, result), place)
                }
            })
        };
        match operator {
            Operator::And => a.and(b, place),
            Operator::Or => a.or(b, place),
            Operator::ExclusiveOr => {
                let one = a.and(&b.not(place)?, place)?;
                one.or(&a.not(place)?.and(b, place)?, place)
            }
            Operator::Equal => Ok(a.equals_rounded(b, place)),
            Operator::Unequal => a.equals_rounded(b, place).not(place),
            Operator::Less => compare(|x, y| x < y),
            Operator::LessOrEqual => compare(|x, y| x <= y),
            Operator::Greater => compare(|x, y| x > y),
            Operator::GreaterOrEqual => compare(|x, y| x >= y),
            Operator::Add | Operator::Subtract | Operator::Multiply
                if matches!((a, b), (Value::Number(_), Value::Number(_))) =>
            {
                number(match operator {
                    Operator::Add => |x, y| x + y,
                    Operator::Subtract => |x, y| x - y,
                    _ => |x, y| x * y,
                })
            }
            _ => L::combine(operator, left, right, self, place),
        }
    }
}

/// A number, unless it is none.
pub(crate) fn finite(number: f64, place: &Location) -> Value {
    if number.is_finite() {
        Value::Number(number)
    } else {
        Value::unknown(place, "this is not a number")
    }
}
