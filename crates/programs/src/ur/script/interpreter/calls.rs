//! Functions that are called in expressions, and threads that are started.

use std::rc::Rc;
use std::sync::Arc;

use clearance_proof::model::moves::Unknown;
use clearance_proof::report::Location;

use super::super::builtin::{FunctionKind, compute, effect, finite, is_still, moves};
use super::super::syntax::{Function, ScriptCall, ScriptExpression};
use super::variables::locals;
use super::{End, ScriptInterpreter, Variables};
use crate::controller::STILL;
use crate::value::{Fault, Value};

impl ScriptInterpreter<'_> {
    pub(super) fn call(&mut self, call: &ScriptCall, place: &Location) -> Result<Value, Fault> {
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
        let ends = effects.stops || effects.ends || effects.leaves;
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
        let callers_locals = std::mem::replace(&mut self.locals, locals(&function.body));
        let end = self.body(&function.body);
        self.locals = callers_locals;
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
    pub(super) fn run(&mut self, call: &ScriptCall, place: &Location) -> Result<Value, Fault> {
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
            let reason = format!("the thread `{name}` could move or stop the arm");
            return Err(Fault::new(place, reason));
        }
        // As whoever presses stop: the arm stops on its path, and does not go on.
        if effects.ends {
            self.record.pass_over("halt in a thread");
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
