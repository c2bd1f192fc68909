//! Values of expressions, and the functions that are called in them.

use std::rc::Rc;
use std::sync::Arc;

use clearance_proof::model::moves::Unknown;
use clearance_proof::report::Location;

use super::super::builtin::{FunctionKind, compute, effect, finite, is_still, moves};
use super::super::effects::{READING_METHODS, ScriptEffects};
use super::super::syntax::{
    Function, ScriptArgument, ScriptCall, ScriptExpression, ScriptOperator, ScriptScope,
};
use super::variables::{around, outside, whole};
use super::{End, ScriptInterpreter, Variables};
use crate::controller::STILL;
use crate::value::{Fault, ROUNDED, Value, all, is_within_rounding};

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

    fn call(&mut self, call: &ScriptCall, place: &Location) -> Result<Value, Fault> {
        let name = &call.name;
        if let Some(function) = self.functions.named(name) {
            if self.controller.is_still(name) && self.keeps_still(&function, call) {
                return self.pass_by(&function, call, place);
            }
            return self.enter(&function, call, place);
        }
        match effect(call) {
            Some(FunctionKind::Motion) => self.motion(call, place),
            Some(FunctionKind::Tool) => self.set_tool(call, place),
            Some(FunctionKind::Kinematics) => self
                .kinematics(call, place)
                .map(|value| finite(value, place)),
            Some(FunctionKind::Computes) => {
                let mut given = Vec::with_capacity(call.arguments.len());
                for argument in &call.arguments {
                    given.push(self.value(&argument.value, place)?);
                }
                if let Some(named) = call.arguments.iter().find_map(|a| a.name.as_ref()) {
                    let reason = format!("`{name}` with `{named}=` is not read");
                    return Ok(Value::unknown(place, reason));
                }
                compute(name, &given, place).map(|value| finite(value, place))
            }
            Some(FunctionKind::Stops) if self.radii.last().is_some_and(|r| *r != 0.0) => {
                let reason =
                    format!("`{name}` stops the arm on its way round a corner: where is not known");
                Err(Fault::new(place, reason))
            }
            Some(FunctionKind::Beside | FunctionKind::Stops) => {
                for argument in &call.arguments {
                    self.value(&argument.value, place)?;
                }
                self.record.pass_over(name);
                Ok(Value::unknown(
                    place,
                    format!("`{name}` is known to the controller only"),
                ))
            }
            None if is_still(name, self.controller) => {
                for argument in &call.arguments {
                    self.value(&argument.value, place)?;
                }
                self.record.pass_over(name);
                Ok(Value::unknown(place, format!("`{name}` is not followed")))
            }
            None if moves(name) => Err(Fault::new(
                place,
                format!("`{name}` could move the arm or change how it moves, and is not read"),
            )),
            None => Err(Fault::new(
                place,
                format!(
                    "`{name}` could move the arm and is not read; if it {STILL}, name it in `still = […]` of the robot's `controller`"
                ),
            )),
        }
    }

    /// Whether a function of the program that the cell calls still is so by its text too: nothing
    /// that it may call moves the arm. One that ends the program ends it where the arm stands.
    fn keeps_still(&self, function: &Function, call: &ScriptCall) -> bool {
        let effects = self.effects_of_value(&ScriptExpression::Call(call.clone()));
        let stands = self.radii.last().is_none_or(|r| *r == 0.0);
        let ends = effects.stops || effects.leaves;
        !function.thread && !effects.moves && !effects.starts && (stands || !ends)
    }

    /// Passes over a function of the program that keeps the arm still.
    fn pass_by(
        &mut self,
        function: &Function,
        call: &ScriptCall,
        place: &Location,
    ) -> Result<Value, Fault> {
        let name = &call.name;
        for argument in &call.arguments {
            self.value(&argument.value, place)?;
        }
        // Variables that the function assigns are not known afterwards.
        let effects = self.effects(&function.body);
        let reason = "it is set by a function that is not followed";
        self.unknown_now(&effects, place, reason);
        self.record.pass_over(name);
        Ok(Value::unknown(place, format!("`{name}` is not followed")))
    }

    fn enter(
        &mut self,
        function: &Rc<Function>,
        call: &ScriptCall,
        place: &Location,
    ) -> Result<Value, Fault> {
        if function.thread {
            let reason = format!("`{}` is a thread, and is called like a function", call.name);
            return Err(Fault::new(place, reason));
        }
        let mut own = Variables::new();
        named_last(call, place)?;
        for (k, argument) in call.arguments.iter().enumerate() {
            let name = match &argument.name {
                Some(name) => function.parameters.iter().find(|p| p.name == *name),
                None => function.parameters.get(k),
            };
            let Some(parameter) = name else {
                let reason = format!("`{}` has no parameter for each argument", call.name);
                return Err(Fault::new(place, reason));
            };
            let value = self.value(&argument.value, place)?;
            if own.insert(parameter.name.clone(), value).is_some() {
                let reason = format!("`{}` is given twice", parameter.name);
                return Err(Fault::new(place, reason));
            }
        }
        for parameter in &function.parameters {
            if !own.contains_key(&parameter.name) {
                let value = match &parameter.default {
                    Some(default) if is_plain(default) => self.value(default, place)?,
                    // A function sees nothing of its caller, and when this is asked for is not
                    // told.
                    Some(_) => {
                        let reason = format!(
                            "what `{}` is where it is not given is no plain value",
                            parameter.name
                        );
                        return Err(Fault::new(place, reason));
                    }
                    None => {
                        let reason = format!("`{}` is not given", parameter.name);
                        return Err(Fault::new(place, reason));
                    }
                };
                own.insert(parameter.name.clone(), value);
            }
        }
        self.flow.enter(place)?;
        // A function sees what the program around its definition has, and nothing of its caller.
        let depth = self.functions.depth(&call.name).min(self.scopes.len());
        let callers = self.scopes.split_off(depth);
        self.scopes.push(own);
        self.routines.push(call.name.clone());
        let end = self.body(&function.body);
        self.routines.pop();
        self.scopes.truncate(depth);
        self.scopes.extend(callers);
        self.flow.leave();
        match end? {
            End::Return(value) => Ok(value),
            End::Stop => {
                self.stopped = true;
                Err(Fault::new(place, "the program has ended"))
            }
            _ => Ok(Value::unknown(place, "a function that returns nothing")),
        }
    }

    /// Starts a thread: what it changes is not known from now on, and it must not move the arm.
    fn run(&mut self, call: &ScriptCall, place: &Location) -> Result<Value, Fault> {
        let name = &call.name;
        let handle = Value::unknown(place, format!("the handle of the thread `{name}`"));
        let Some(function) = self.functions.named(name) else {
            return if is_still(name, self.controller) {
                self.record.pass_over(name);
                Ok(handle)
            } else {
                Err(Fault::new(place, format!("there is no thread `{name}`")))
            };
        };
        let effects = self.functions.of(&function.body, self.controller);
        if effects.moves || effects.stops {
            let reason =
                format!("the thread `{name}` could move or stop the arm, or end the program");
            return Err(Fault::new(place, reason));
        }
        // A method may be called when the variable has got its value.
        for variable in effects.assigns.iter().chain(&effects.asks) {
            let reason = format!("`{variable}` is changed by the thread `{name}`");
            let why = Unknown {
                place: place.clone(),
                reason,
            };
            self.shared.insert(variable.clone(), Arc::new(why));
        }
        self.record.pass_over("run");
        Ok(handle)
    }
}

/// Whether an expression is the same wherever it is asked for.
fn is_plain(of: &ScriptExpression) -> bool {
    match of {
        ScriptExpression::Number(_) | ScriptExpression::Boolean(_) | ScriptExpression::Text(_) => {
            true
        }
        ScriptExpression::Negative(inner) | ScriptExpression::Not(inner) => is_plain(inner),
        ScriptExpression::List(items) | ScriptExpression::Pose(items) => items.iter().all(is_plain),
        _ => false,
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

/// Sees to it that no argument without a name stands behind one with a name: which parameter it
/// would be for is not told.
pub(in super::super) fn named_last(call: &ScriptCall, place: &Location) -> Result<(), Fault> {
    let names = call.arguments.iter().map(|a| a.name.is_some());
    if names.clone().is_sorted() {
        return Ok(());
    }
    let reason = format!(
        "in `{}` an argument without a name stands behind one with a name",
        call.name
    );
    Err(Fault::new(place, reason))
}

fn binary(
    operator: ScriptOperator,
    a: &Value,
    b: &Value,
    place: &Location,
) -> Result<Value, Fault> {
    let is_list = |v: &Value| matches!(v, Value::Array(_) | Value::Pose(_) | Value::Text(_));
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
            Value::Number(found)
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
