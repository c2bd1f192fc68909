//! Calls of routines, and what they are handed.

use super::*;
use crate::block::elsewhere::given;
use crate::block::syntax::{LEFT_OUT, Parameter};
use crate::block::variables::TypedPlace;

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
                if call.waits() {
                    self.wait(call, place)?;
                }
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
                self.forget_handed(call, &Value::unknown(place, reason))?;
                if call.waits() {
                    self.wait(call, place)?;
                }
                Ok(())
            }
            Does::Computes | Does::Moves => L::instruct(self, call, place),
        }
    }

    /// A wait asks until the answer is right.
    fn wait(&mut self, call: &Call, place: &Location) -> Result<(), Fault> {
        let gives_up = call.named("timeflag").is_some();
        for value in call.positional() {
            if self.calls(value) {
                let statement = Statement {
                    place: place.clone(),
                    what: StatementKind::Call(call.clone()),
                };
                let effects = self.effects(&[&statement]);
                let reason = "how often the function is asked in this wait is not known";
                if effects.moves {
                    return Err(Fault::new(place, reason));
                }
                self.forget(&effects.assigns, &Value::unknown(place, reason));
                if self.shared(value) {
                    self.waits_for(value, gives_up, place)?;
                    // It was asked once more.
                    self.forget(&effects.assigns, &Value::unknown(place, reason));
                }
            } else if self.shared(value) {
                self.waits_for(value, gives_up, place)?;
            }
        }
        Ok(())
    }

    /// A wait for what something beside the program may set: that may come with any other value,
    /// also where by the values of the files nothing is waited for.
    fn waits_for(
        &mut self,
        value: &Expression,
        gives_up: bool,
        place: &Location,
    ) -> Result<(), Fault> {
        let read = self.read_first.clone();
        match self.value(value, place)? {
            Value::Boolean(false) => {
                if !self.may_come(value, false, place)? && !gives_up {
                    let reason = "by the values of the files this waits for ever: something else sets what it waits for, and on what that is depends what follows";
                    self.doubt(place, reason);
                    return Ok(());
                }
            }
            Value::Boolean(true) | Value::Unknown(_) => self.forget_asked(value, place),
            _ => return Ok(()),
        }
        self.forget_brought(value, place);
        self.have_come(value, read);
        Ok(())
    }

    /// Whether a condition may get another answer than this one by what something beside the program
    /// sets of the variables that the controller keeps. These are not known from then on.
    pub(super) fn may_come(
        &mut self,
        asked: &Expression,
        holds: bool,
        place: &Location,
    ) -> Result<bool, Fault> {
        let names = self.kept_of(asked);
        self.forget_awaited(&names, place);
        let decisions = self.flow.decisions();
        let now = self.value(asked, place)?;
        Ok(now != Value::Boolean(holds) || self.flow.decisions() > decisions)
    }

    /// After a wait: what it read of variables that are not known any more, whatever they were, has no
    /// say in what follows. `read`: what had been read before.
    pub(super) fn have_come(&mut self, asked: &Expression, read: BTreeSet<(usize, Name)>) {
        let mut names = self.kept_of(asked);
        let others = (!names.is_empty()).then(|| self.set_by_others_here());
        let others = others.unwrap_or_default();
        // What is taught of a variable stays, and counts as it did.
        let others = others.into_iter().map(|(_, name)| name);
        names.extend(others.filter(|name| !self.counted.shared.is_taught_in_part(name)));
        let has_come = |key: &(usize, Name)| names.contains(&key.1) && !read.contains(key);
        self.read_first.retain(|key| !has_come(key));
        for k in 0..self.modules.len() {
            let own = names.iter().filter(|n| self.modules[k].contains_key(*n));
            let own: Vec<Name> = own.cloned().collect();
            own.into_iter().for_each(|name| self.writes((k, name)));
        }
    }

    /// The variables of an expression that the controller keeps; of a function, those that it depends
    /// on.
    pub(super) fn kept_of(&self, expression: &Expression) -> BTreeSet<Name> {
        let shared = &self.counted.shared;
        let mut names = BTreeSet::new();
        for part in shared.parts(expression) {
            match part {
                Expression::Variable(path) if self.is_kept(&path.name) => {
                    names.insert(path.name.clone());
                }
                Expression::Call(call) => names.extend(shared.of_function(&call.name).cloned()),
                _ => {}
            }
        }
        names
    }

    /// Whether a name means a variable that the controller keeps, or is handed one by reference.
    pub(super) fn is_kept(&self, name: &Name) -> bool {
        let Ok(Some(scope)) = self.seen(name) else {
            return false;
        };
        let (scope, name) = match self.variable(scope, name).map(|v| &v.holds) {
            Some(Holds::Same(spot)) => (spot.scope, &spot.name),
            _ => (scope, name),
        };
        let Scope::Module(k) = scope else {
            return false;
        };
        let mut data = self.program.modules[k].data.iter();
        data.any(|d| d.name == *name && d.kept)
    }

    /// Variables that something beside the program may have set while a wait or a loop asked for
    /// them: how long that was is not known.
    pub(super) fn forget_asked(&mut self, asked: &Expression, place: &Location) {
        let routine = self.here().filter(|_| self.inside).map(Rc::as_ref);
        let names = self.counted.shared.asked(asked, routine);
        self.forget_awaited(&names, place);
    }

    /// Variables that something else may have set before the program goes on. The program itself has
    /// not changed them: a start finds what the files say.
    pub(super) fn forget_awaited(&mut self, names: &BTreeSet<Name>, place: &Location) {
        if names.is_empty() {
            return;
        }
        let kept = self.kept.clone();
        let reason = "it may be set by something else before the program goes on here";
        self.forget(names, &Value::unknown(place, reason));
        self.kept = kept;
    }

    /// Whether something beside the program may set what an expression asks for.
    pub(crate) fn shared(&self, expression: &Expression) -> bool {
        let routine = self.here().filter(|_| self.inside).map(Rc::as_ref);
        self.counted.shared.is_asked(expression, routine)
    }

    /// Follows the functions in what is handed to an instruction that is passed over: they may do
    /// anything.
    pub(crate) fn ask_all(&mut self, call: &Call, place: &Location) -> Result<(), Fault> {
        for value in call.arguments.iter().flat_map(|a| &a.value) {
            if self.calls(value) {
                self.value(value, place)?;
            }
        }
        Ok(())
    }

    /// Whether functions that may do anything are called in an expression.
    pub(crate) fn calls(&self, expression: &Expression) -> bool {
        let parts = expression.parts();
        parts.iter().any(|part| match part {
            Expression::Call(call) => {
                !matches!(self.routine(&call.name), Ok(None))
                    || self.function_does(call) == Does::Moves
            }
            Expression::Unread(why) => &**why != LEFT_OUT,
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
        let given: Vec<&Expression> = call.arguments.iter().flat_map(|a| &a.value).collect();
        for value in &given {
            self.choose_elements(value, ListsOf::TaughtPoints, place)?;
        }
        if let Some(name) = self.set_beside(&given) {
            return Err(Fault::new(place, set_beside_reason(&name)));
        }
        self.doubt_brackets(routine, call, place);
        let variables = self.parameters(routine, call, place)?;
        let handed = (variables.iter()).filter_map(|(name, v)| match &v.holds {
            Holds::Same(spot) => Some((name.clone(), spot.name.clone())),
            _ => None,
        });
        let handed: Vec<(Name, Name)> = handed.collect();
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
            call: std::ptr::from_ref(call) as usize,
            variables,
        });
        (self.module, self.inside) = (routine.module, true);
        let outcome = self.body(routine);
        (self.module, self.inside) = outer;
        self.frames.pop();
        self.flow.leave();
        let mut outcome = outcome?;
        if !routine.handlers.is_empty() && self.handler_resumes(routine) {
            let reason = format!(
                "the error handler of `{}` lets the program go on, and it is not known whether an error occurs",
                routine.written
            );
            let unknown = Value::unknown(place, reason);
            let all: Vec<_> = routine.body.iter().chain(&routine.handlers).collect();
            let mut sets = self.effects_of(routine, &all).assigns.clone();
            let set = |(own, of): (Name, Name)| sets.contains(&own).then_some(of);
            let handed: Vec<Name> = handed.into_iter().filter_map(set).collect();
            sets.extend(handed);
            self.forget(&sets, &unknown);
            if let StatementEnd::Return(Some(value)) = &mut outcome {
                *value = unknown;
            }
        }
        match outcome {
            StatementEnd::Return(value) => Ok(value),
            StatementEnd::Leave => {
                let reason = format!("`{}` leaves a loop where there is none", routine.written);
                Err(Fault::new(place, reason))
            }
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

    /// A variable in parentheses is a value for one controller, and comes back changed for another.
    fn doubt_brackets(&mut self, routine: &Routine, call: &Call, place: &Location) {
        if !call.arguments.iter().any(|a| a.in_brackets) {
            return;
        }
        let all: Vec<_> = routine.body.iter().chain(&routine.handlers).collect();
        let sets = &self.effects_of(routine, &all).assigns;
        for (parameter, value) in given(routine, call) {
            let mut given = call.arguments.iter();
            let in_brackets = given.any(|a| a.in_brackets && a.value.as_ref() == Some(value));
            if let (true, true, Some(name)) =
                (in_brackets, parameter.by_reference, value.as_variable())
                && sets.contains(&parameter.name)
            {
                let written = self.program.as_written(name);
                let reason = format!(
                    "`{written}` is handed over in parentheses, and whether `{}` changes it is not certain: leave them out, or hand over a copy",
                    routine.written
                );
                self.doubt(place, reason);
            }
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
            if let Some(label) = argument.label.as_ref().filter(|label| **label != name) {
                return Err(fail(format!("is given `{label}` in the place of `{name}`")));
            }
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
            let is_left_out = match given.get(&parameter.name) {
                None => !parameter.optional,
                Some(Some(Expression::Unread(why))) => &**why == LEFT_OUT,
                Some(_) => false,
            };
            let holds = match given.get(&parameter.name) {
                // A controller stops where the routine asks for it.
                _ if is_left_out && L::ARGUMENTS_MAY_MISS => {
                    let reason = format!(
                        "`{}` of `{}` is left out in this call",
                        parameter.name, routine.written
                    );
                    Holds::Value(Value::unknown(place, reason))
                }
                None if !parameter.optional => {
                    return Err(fail(format!("is not given `{}`", parameter.name)));
                }
                None => Holds::Absent,
                Some(None) => Holds::Value(Value::Boolean(true)),
                Some(Some(expression)) => self.handed(parameter, expression, place)?,
            };
            // What nothing declares is lent: a routine that sets it would set something else.
            let lent = match given.get(&parameter.name) {
                Some(Some(Expression::Variable(path))) => matches!(self.seen(&path.name), Ok(None)),
                _ => false,
            };
            let variable = Variable {
                kind: parameter.kind.clone(),
                holds,
                constant: parameter.by_reference && lent,
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
        if let (true, Expression::Variable(path)) = (parameter.by_reference, expression) {
            match self.spot(path, place)? {
                Some(Ok(TypedPlace { spot, kind })) => {
                    let kinds = [&*kind, &*parameter.kind];
                    if kind != parameter.kind && kinds.contains(&"int") && !kinds.contains(&"") {
                        let reason = format!(
                            "`{}` is handed as another type of number, and how it is rounded is not read",
                            path.shown()
                        );
                        return Err(Fault::new(place, reason));
                    }
                    return Ok(Holds::Same(spot));
                }
                // Any of its elements may be the one that the routine sets.
                Some(Err(why)) => {
                    let names = BTreeSet::from([path.name.clone()]);
                    self.forget(&names, &Value::Unknown(why));
                }
                None if path.name.starts_with('$') && self.matters(&path.name) => {
                    let reason = format!(
                        "{} is handed to a routine, and what that sets of it is not read",
                        path.name.to_uppercase()
                    );
                    self.doubt(place, reason);
                }
                None => {}
            }
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
