//! Values of expressions.

use std::collections::BTreeSet;

use clearance_proof::report::Location;

use super::interpreter::{BlockInterpreter, set_beside_reason};
use super::syntax::{Call, Expression, Name, Operator, PathPart, RoutineKind, VariablePath};
use super::variables::{Holds, Scope};
use super::{Language, WrittenValue};
use crate::value::{Fault, ROUNDED, Value, computed, is_within_rounding};

/// A variable of a routine that is followed, or of a module or the controller.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct TouchedVariable {
    of_routine: bool,
    name: Name,
}

/// What a part of an expression does with variables.
#[derive(Debug, Default)]
struct Touched {
    asks: BTreeSet<TouchedVariable>,
    sets: BTreeSet<TouchedVariable>,
}

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
        let parts: Vec<_> = rest.iter().map(|(.., part)| *part).chain([at]).collect();
        let uncertain = self.set_beside(&parts);
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
        Ok(match uncertain {
            Some(name) => Value::unknown(place, set_beside_reason(&name)),
            None => first,
        })
    }

    /// A variable that a function in one of these parts sets, and for which another one asks: in
    /// which order a controller works them out is not certain.
    pub(super) fn set_beside(&self, parts: &[&Expression]) -> Option<Name> {
        if parts.len() < 2 || !parts.iter().any(|part| self.calls(part)) {
            return None;
        }
        let touched: Vec<Touched> = parts.iter().map(|part| self.touched(part)).collect();
        touched.iter().enumerate().find_map(|(k, one)| {
            let others = touched.iter().enumerate().filter(|(j, _)| *j != k);
            let mut counts = others.flat_map(|(_, other)| other.asks.iter().chain(&other.sets));
            counts
                .find(|variable| one.sets.contains(*variable))
                .map(|variable| variable.name.clone())
        })
    }

    /// What a part of an expression asks for and sets.
    fn touched(&self, part: &Expression) -> Touched {
        let mut touched = Touched::default();
        for part in part.parts() {
            match part {
                Expression::Variable(path) => _ = touched.asks.insert(self.root(&path.name)),
                Expression::Call(call) => {
                    let routines = self.program.routines.iter().filter(|r| r.name == call.name);
                    for routine in routines {
                        let of_module = |name: &Name| TouchedVariable {
                            of_routine: false,
                            name: name.clone(),
                        };
                        let does = &self.counted.functions;
                        touched.asks.extend(does.asks(routine).map(of_module));
                        touched.sets.extend(does.sets(routine).map(of_module));
                        let handed = does.sets_of_given(routine, call).into_iter();
                        let handed = handed.map(|name| self.root(name));
                        touched.sets.extend(handed);
                    }
                }
                _ => {}
            }
        }
        touched
    }

    /// The variable behind a name: a parameter may stand for another one.
    fn root(&self, name: &Name) -> TouchedVariable {
        let scope = self.seen(name).ok().flatten();
        let held = scope.and_then(|scope| Some((scope, &self.variable(scope, name)?.holds)));
        let (scope, name) = match held {
            Some((_, Holds::Same(spot))) => (Some(spot.scope), &spot.name),
            _ => (scope, name),
        };
        TouchedVariable {
            of_routine: matches!(scope, Some(Scope::Routine(_))),
            name: name.clone(),
        }
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
