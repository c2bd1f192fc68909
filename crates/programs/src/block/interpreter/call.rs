//! Calls of routines, and what they are handed.

use super::*;
use crate::block::syntax::Parameter;

impl<L: Language> BlockInterpreter<'_, L> {
    /// A variable of the routine that is followed. Answers what had this name before.
    pub(super) fn declare(&mut self, name: &Name, kind: Name, value: Value) -> Option<Variable> {
        let variable = Variable {
            kind,
            holds: Holds::Value(value),
            constant: true,
        };
        let frame = self.frames.last_mut()?;
        frame.variables.insert(name.clone(), variable)
    }

    /// Follows a call that is a statement.
    pub(crate) fn call(&mut self, call: &Call, place: &Location) -> Result<(), Fault> {
        let found = self.routine(&call.name);
        if let Some(routine) = found.map_err(|reason| Fault::new(place, reason))? {
            if routine.sort == RoutineKind::Trap {
                let reason = format!("`{}` is not a routine that is called", routine.written);
                return Err(Fault::new(place, reason));
            }
            return self.invoke(&routine, call, place).map(|_| ());
        }
        match self.does(call) {
            Does::Nothing => {
                self.ask_all(call, place)?;
                self.record.pass_over(&call.name);
                Ok(())
            }
            Does::Answers => {
                self.ask_all(call, place)?;
                self.record.pass_over(&call.name);
                let reason = format!(
                    "`{}` sets it, with what only the controller knows",
                    call.name
                );
                self.forget_handed(call, &Value::unknown(place, reason))
            }
            Does::Computes | Does::Moves => L::instruct(self, call, place),
        }
    }

    /// Follows the functions in what is handed to an instruction that is passed over: they may do
    /// anything.
    fn ask_all(&mut self, call: &Call, place: &Location) -> Result<(), Fault> {
        for value in call.arguments.iter().flat_map(|a| &a.value) {
            if self.calls(value) {
                self.value(value, place)?;
            }
        }
        Ok(())
    }

    /// Whether functions that may do anything are called in an expression.
    pub(crate) fn calls(&self, expression: &Expression) -> bool {
        let mut parts = Vec::new();
        expression.within(&mut parts);
        parts.iter().any(|part| match part {
            Expression::Call(call) => {
                !matches!(self.routine(&call.name), Ok(None)) || self.asked(call) == Does::Moves
            }
            Expression::Unread(_) => true,
            _ => false,
        })
    }

    /// Follows a routine, and answers its value.
    pub(crate) fn invoke(
        &mut self,
        routine: &Rc<Routine>,
        call: &Call,
        place: &Location,
    ) -> Result<Option<Value>, Fault> {
        let variables = self.parameters(routine, call, place)?;
        self.flow.enter(place)?;
        if !routine.handlers.is_empty() && self.handler_matters(routine) {
            let line = routine.handlers.first().map_or(place, |s| &s.place).clone();
            let reason = format!(
                "the error handler of `{}` could change what the arm does, and when it runs is not known",
                routine.written
            );
            self.doubt(&line, reason);
        }
        let outer = (self.module, self.inside);
        self.frames.push(RoutineFrame {
            routine: routine.clone(),
            variables,
        });
        (self.module, self.inside) = (routine.module, true);
        let outcome = self.body(routine);
        (self.module, self.inside) = outer;
        self.frames.pop();
        self.flow.leave();
        match outcome? {
            StatementEnd::Return(value) => Ok(value),
            StatementEnd::Goto(label) => {
                let reason = format!(
                    "there is no label `{label}` where `{}` jumps to it",
                    routine.written
                );
                Err(Fault::new(place, reason))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn body(&mut self, routine: &Rc<Routine>) -> Result<StatementEnd, Fault> {
        for declared in &routine.data {
            let value = self.first_value(declared)?;
            let variable = Variable {
                kind: declared.kind.clone(),
                holds: Holds::Value(value),
                constant: declared.constant,
            };
            if let Some(frame) = self.frames.last_mut() {
                frame.variables.insert(declared.name.clone(), variable);
            }
        }
        self.block(&routine.body)
    }

    fn parameters(
        &mut self,
        routine: &Routine,
        call: &Call,
        place: &Location,
    ) -> Result<BTreeMap<Name, Variable>, Fault> {
        let fail = |what: String| Fault::new(place, format!("`{}` {what}", routine.written));
        let needed = routine.parameters.iter().filter(|p| !p.optional);
        let mut needed = needed.map(|p| p.name.clone());
        let mut given: BTreeMap<Name, Option<&Expression>> = BTreeMap::new();
        for argument in &call.arguments {
            let name = match &argument.name {
                Some(name) => name.clone(),
                None => {
                    (needed.next()).ok_or_else(|| fail("is given too many arguments".into()))?
                }
            };
            if !routine.parameters.iter().any(|p| p.name == name) {
                return Err(fail(format!("has no argument `{name}`")));
            }
            if given
                .insert(name.clone(), argument.value.as_ref())
                .is_some()
            {
                return Err(fail(format!("is given `{name}` twice")));
            }
        }
        let mut variables = BTreeMap::new();
        for parameter in &routine.parameters {
            let holds = match given.get(&parameter.name) {
                None if !parameter.optional => {
                    return Err(fail(format!("is not given `{}`", parameter.name)));
                }
                None => Holds::Absent,
                Some(None) => Holds::Value(Value::Boolean(true)),
                Some(Some(expression)) => self.handed(parameter, expression, place)?,
            };
            let variable = Variable {
                kind: parameter.kind.clone(),
                holds,
                constant: false,
            };
            variables.insert(parameter.name.clone(), variable);
        }
        Ok(variables)
    }

    fn handed(
        &mut self,
        parameter: &Parameter,
        expression: &Expression,
        place: &Location,
    ) -> Result<Holds, Fault> {
        if let Expression::Variable(path) = expression
            && self.is_absent(&path.name)
        {
            return Ok(Holds::Absent);
        }
        if let (true, Expression::Variable(path)) = (parameter.by_reference, expression)
            && let Some(Ok((spot, _))) = self.spot(path, place)?
        {
            return Ok(Holds::Same(spot));
        }
        let value = self.value(expression, place)?;
        Ok(Holds::Value(L::convert(
            self,
            &parameter.kind,
            None,
            value,
            place,
        )))
    }

    /// Whether this is a parameter that was left out; none: it is not a parameter or variable.
    pub(crate) fn is_absent(&self, name: &Name) -> bool {
        let frame = self.frames.last().filter(|_| self.inside);
        let found = frame.and_then(|f| f.variables.get(name));
        found.is_some_and(|v| matches!(v.holds, Holds::Absent))
    }
}
