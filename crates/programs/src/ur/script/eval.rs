//! Follows a URScript program with values that may be unknown, and writes down the moves.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use nalgebra::Isometry3;

use clearance_proof::model::moves::{Frame, Move, Unknown};
use clearance_proof::report::Location;

use super::builtin::{Kind, compute, finite, kind};
use super::effects::{Effects, Functions};
use super::syntax::{Arm, Call, Expression, Function, Operator, Scope, Statement, What};
use crate::controller::Controller;
use crate::flow::{Cycle, Flow};
use crate::record::Record;
use crate::value::{Fault, Known, Value};

/// Variables of one function.
type Variables = BTreeMap<Arc<str>, Value>;

/// How a statement ends.
#[derive(Debug, Clone, PartialEq)]
enum End {
    /// The next one follows.
    Next,
    Break,
    Continue,
    Return(Value),
    /// The way ends here.
    Stop,
}

/// What the rest of a program depends on, where a loop begins again.
#[derive(Debug, PartialEq)]
struct State {
    scopes: Vec<Variables>,
    /// What threads that run change.
    shared: BTreeMap<Arc<str>, Arc<Unknown>>,
    tool: Known<Isometry3<f64>>,
    last: Option<(Move, f64)>,
    lost: bool,
}

/// A program that is followed.
pub(crate) struct Machine<'m> {
    pub(super) controller: &'m Controller<'m>,
    flow: &'m mut Flow,
    pub(super) record: Record,
    scopes: Vec<Variables>,
    functions: Functions,
    /// Variables that threads change, and why they are not known.
    shared: BTreeMap<Arc<str>, Arc<Unknown>>,
    /// The tool in the flange.
    pub(super) tool: Known<Isometry3<f64>>,
    pub(super) base: Result<Frame, String>,
    pub(super) flange: Result<Frame, String>,
    /// The radius of the corner at the end of each move, metres; infinite: not known.
    pub(super) radii: Vec<f64>,
    /// Whether the program has ended, maybe in the middle of an expression.
    stopped: bool,
}

impl<'m> Machine<'m> {
    pub(crate) fn new(
        controller: &'m Controller<'m>,
        flow: &'m mut Flow,
        tool: Known<Isometry3<f64>>,
    ) -> Self {
        Self {
            flow,
            record: Record::default(),
            scopes: vec![Variables::new()],
            functions: Functions::default(),
            shared: BTreeMap::new(),
            tool,
            base: controller.base(Some("base")),
            flange: controller.flange(Some("tool0")),
            radii: Vec::new(),
            stopped: false,
            controller,
        }
    }

    /// Follows a program to its end, and says what was found.
    pub(crate) fn follow(mut self, program: &[Statement]) -> Record {
        if let Err(fault) = self.body(program) {
            self.record.lose(fault);
        }
        self.overlapping();
        self.record
    }

    /// Follows one function of a program, once the program's own statements, which define it, are known.
    pub(crate) fn follow_routine(
        mut self,
        program: &[Statement],
        routine: &Rc<Function>,
    ) -> Record {
        let result = self.define(program).and_then(|()| self.body(&routine.body));
        if let Err(fault) = result {
            self.record.lose(fault);
        }
        self.overlapping();
        self.record
    }

    /// Statements in a row. Functions that they define are known from the first of them on.
    fn body(&mut self, body: &[Statement]) -> Result<End, Fault> {
        self.define(body)?;
        for statement in body {
            self.flow.step(&statement.place)?;
            let end = match self.statement(statement) {
                Ok(end) => end,
                Err(_) if self.stopped => return Ok(End::Stop),
                // What follows is looked at for more reasons, without moves.
                Err(fault) => {
                    self.record.lose(fault);
                    self.forget(statement);
                    End::Next
                }
            };
            if end != End::Next {
                return Ok(end);
            }
        }
        Ok(End::Next)
    }

    fn define(&mut self, body: &[Statement]) -> Result<(), Fault> {
        for statement in body {
            if let What::Define(function) = &statement.what {
                let depth = self.scopes.len();
                self.functions.define(function, depth, &statement.place)?;
            }
        }
        Ok(())
    }

    /// After a fault in it, what a statement assigns is not known.
    fn forget(&mut self, statement: &Statement) {
        let effects = self
            .functions
            .of(std::slice::from_ref(statement), self.controller);
        self.unknown_now(
            &effects,
            &statement.place,
            "a statement that failed sets it",
        );
    }

    /// Variables that are assigned somewhere are not known from now on.
    fn unknown_now(&mut self, effects: &Effects, place: &Location, reason: &str) {
        for name in &effects.assigns {
            let value = Value::unknown(place, format!("`{name}`: {reason}"));
            let mut seen = false;
            for scope in &mut self.scopes {
                if let Some(slot) = scope.get_mut(name) {
                    *slot = value.clone();
                    seen = true;
                }
            }
            if !seen && let Some(scope) = self.scopes.last_mut() {
                scope.insert(name.clone(), value);
            }
        }
    }

    fn statement(&mut self, statement: &Statement) -> Result<End, Fault> {
        let place = &statement.place;
        match &statement.what {
            What::Assign {
                scope,
                name,
                at,
                value,
            } => {
                let value = match value {
                    Expression::Unread(why) => Value::unknown(place, &**why),
                    value => self.value(value, place)?,
                };
                self.assign(*scope, name, at, value, place)?;
                Ok(End::Next)
            }
            What::Do(call) => {
                self.value(call, place)?;
                Ok(End::Next)
            }
            What::If { arms, otherwise } => {
                for (k, arm) in arms.iter().enumerate() {
                    let told = || arm.condition.told();
                    let truth = self.value(&arm.condition, place)?.boolean(place)?;
                    let truth = match truth {
                        Ok(truth) => truth,
                        Err(_) if self.changes_nothing(&arms[k..], otherwise) => {
                            self.record.pass_over("if, without an effect on the motion");
                            return Ok(End::Next);
                        }
                        Err(why) => match self.choose(place, &told(), &why) {
                            Some(truth) => truth,
                            None => return Ok(End::Stop),
                        },
                    };
                    if truth {
                        return self.body(&arm.body);
                    }
                }
                self.body(otherwise)
            }
            What::While(condition, body) => self.repeat(condition, body, place),
            What::Times(count, body) => self.times(count, body, place),
            What::Return(value) => Ok(End::Return(match value {
                Some(value) => self.value(value, place)?,
                None => Value::unknown(place, "a function that returns nothing"),
            })),
            What::Break => Ok(End::Break),
            What::Continue => Ok(End::Continue),
            What::Halt => Ok(End::Stop),
            What::Define(_) => Ok(End::Next),
            What::Block(body) => self.body(body),
            What::Pass(word) => {
                self.record.pass_over(word);
                Ok(End::Next)
            }
            What::Named(name, why) => match self.controller.is_still(name) {
                true => {
                    self.record.pass_over(name);
                    Ok(End::Next)
                }
                false => Err(Fault::new(place, &**why)),
            },
            What::Unread(why) => Err(Fault::new(place, &**why)),
        }
    }

    /// The answer of this way to a condition that is not known; none where it makes no difference any more.
    fn choose(&mut self, place: &Location, told: &str, why: &Unknown) -> Option<bool> {
        if self.record.is_lost() {
            return None;
        }
        let line = why
            .place
            .line
            .map_or(String::new(), |l| format!(" at line {l}"));
        let question = format!("{told} ({}{line})", why.reason);
        Some(self.flow.decide(place, &question))
    }

    /// Whether it makes no difference which of these arms is taken.
    fn changes_nothing(&self, arms: &[Arm], otherwise: &[Statement]) -> bool {
        let none = |effects: Effects| effects == Effects::default();
        let of = |body: &[Statement]| none(self.functions.of(body, self.controller));
        // The first condition has been asked for already.
        arms.iter().all(|arm| of(&arm.body))
            && arms[1..]
                .iter()
                .all(|arm| none(self.functions.of_value(&arm.condition, self.controller)))
            && of(otherwise)
    }

    fn repeat(
        &mut self,
        condition: &Expression,
        body: &[Statement],
        place: &Location,
    ) -> Result<End, Fault> {
        let mut cycle = Cycle::default();
        loop {
            self.flow.step(place)?;
            if cycle.repeats(|| self.state()) {
                self.record.pass_over("while, which goes on for ever");
                return Ok(End::Stop);
            }
            let goes_on = match self.value(condition, place)?.boolean(place)? {
                Ok(goes_on) => goes_on,
                Err(why) => {
                    let asked = self.functions.of_value(condition, self.controller);
                    let effects = self.functions.of(body, self.controller).and(asked);
                    if !effects.moves && !effects.leaves && !effects.starts {
                        let reason = "a loop changes it, and how often it goes round is not known";
                        self.unknown_now(&effects, place, reason);
                        self.record
                            .pass_over("while, without an effect on the motion");
                        return Ok(End::Next);
                    }
                    match self.choose(place, &condition.told(), &why) {
                        Some(goes_on) => goes_on,
                        None => return Ok(End::Stop),
                    }
                }
            };
            if !goes_on {
                return Ok(End::Next);
            }
            match self.body(body)? {
                End::Next | End::Continue => {}
                End::Break => return Ok(End::Next),
                other => return Ok(other),
            }
        }
    }

    fn times(
        &mut self,
        count: &Expression,
        body: &[Statement],
        place: &Location,
    ) -> Result<End, Fault> {
        let count = match self.value(count, place)?.number(place)? {
            Ok(count) => count,
            Err(why) => {
                let reason = format!("how often a loop goes round is not known: {}", why.reason);
                return Err(Fault::new(place, reason));
            }
        };
        let mut round = 0.0;
        while round < count {
            self.flow.step(place)?;
            match self.body(body)? {
                End::Next | End::Continue => {}
                End::Break => return Ok(End::Next),
                other => return Ok(other),
            }
            round += 1.0;
        }
        Ok(End::Next)
    }

    fn state(&self) -> State {
        let last = self.record.moves().last().cloned();
        State {
            scopes: self.scopes.clone(),
            shared: self.shared.clone(),
            tool: self.tool.clone(),
            last: last.zip(self.radii.last().copied()),
            lost: self.record.is_lost(),
        }
    }

    /// The scope in which a variable is seen.
    fn seen(&mut self, name: &str) -> Option<&mut Value> {
        self.scopes.iter_mut().rev().find_map(|s| s.get_mut(name))
    }

    fn assign(
        &mut self,
        scope: Scope,
        name: &Arc<str>,
        at: &[Expression],
        value: Value,
        place: &Location,
    ) -> Result<(), Fault> {
        if at.is_empty() {
            let last = self.scopes.len() - 1;
            match scope {
                Scope::Global => _ = self.scopes[0].insert(name.clone(), value),
                Scope::Local => _ = self.scopes[last].insert(name.clone(), value),
                Scope::Seen => match self.seen(name) {
                    Some(slot) => *slot = value,
                    None => _ = self.scopes[last].insert(name.clone(), value),
                },
            }
            return Ok(());
        }
        let mut path = Vec::with_capacity(at.len());
        for index in at {
            path.push(self.value(index, place)?);
        }
        let Some(mut slot) = self.seen(name) else {
            return Err(Fault::new(place, format!("`{name}` has no value yet")));
        };
        for index in path {
            // A part of what is not known stays unknown with the rest of it.
            if let Value::Unknown(_) = slot {
                return Ok(());
            }
            if let Value::Unknown(why) = index {
                *slot = Value::Unknown(why);
                return Ok(());
            }
            slot = match (slot, index) {
                (Value::Array(items) | Value::Pose(items), Value::Number(k)) => {
                    let length = items.len();
                    whole(k)
                        .and_then(|k| items.get_mut(k))
                        .ok_or_else(|| outside(k, length, place))?
                }
                (Value::Record(fields), Value::Text(field)) => fields
                    .get_mut(&field)
                    .ok_or_else(|| Fault::new(place, format!("there is no field `{field}`")))?,
                (slot, _) => {
                    let reason = format!("{} has no such part", slot.kind());
                    return Err(Fault::new(place, reason));
                }
            };
        }
        *slot = value;
        Ok(())
    }

    pub(super) fn value(&mut self, of: &Expression, place: &Location) -> Result<Value, Fault> {
        match of {
            Expression::Number(number) => Ok(Value::Number(*number)),
            Expression::Boolean(truth) => Ok(Value::Boolean(*truth)),
            Expression::Text(text) => Ok(Value::Text(text.clone())),
            Expression::Name(name) => self.variable(name, place),
            Expression::List(items) => Ok(Value::Array(self.values(items, place)?)),
            Expression::Pose(items) => Ok(Value::Pose(self.values(items, place)?)),
            Expression::Call(call) => self.call(call, place),
            Expression::Run(call) => self.run(call, place),
            Expression::Method {
                object,
                name,
                arguments,
            } => {
                for argument in arguments {
                    self.value(&argument.value, place)?;
                }
                let object = object.told();
                self.record
                    .pass_over("methods of objects outside of the program");
                let reason = format!("`{object}.{name}` is answered by another program");
                Ok(Value::unknown(place, reason))
            }
            Expression::Field(object, field) => match self.value(object, place)? {
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
            Expression::Index(list, index) => {
                let (list, index) = (self.value(list, place)?, self.value(index, place)?);
                element(&list, &index, place)
            }
            Expression::Negative(inner) => match self.value(inner, place)? {
                Value::Array(_) | Value::Pose(_) => {
                    Ok(Value::unknown(place, "arithmetic of lists is not read"))
                }
                number => number.map(place, |x| -x),
            },
            Expression::Not(inner) => self.value(inner, place)?.not(place),
            Expression::Binary(operator, a, b) => {
                let (a, b) = (self.value(a, place)?, self.value(b, place)?);
                binary(*operator, &a, &b, place)
            }
            Expression::Doubtful(parts, why) => {
                self.values(parts, place)?;
                Ok(Value::unknown(place, &**why))
            }
            Expression::Unread(why) => Err(Fault::new(place, &**why)),
        }
    }

    fn values(&mut self, items: &[Expression], place: &Location) -> Result<Vec<Value>, Fault> {
        items.iter().map(|item| self.value(item, place)).collect()
    }

    fn variable(&mut self, name: &Arc<str>, place: &Location) -> Result<Value, Fault> {
        if let Some(why) = self.shared.get(name) {
            return Ok(Value::Unknown(why.clone()));
        }
        if let Some(value) = self.seen(name) {
            return Ok(value.clone());
        }
        match self.controller.is_still(name) {
            true => Ok(Value::unknown(place, format!("`{name}` is set elsewhere"))),
            false => Err(Fault::new(
                place,
                format!("`{name}` has no value here; it may be a variable of the installation"),
            )),
        }
    }

    fn call(&mut self, call: &Call, place: &Location) -> Result<Value, Fault> {
        let name = &call.name;
        if self.controller.is_still(name) {
            for argument in &call.arguments {
                self.value(&argument.value, place)?;
            }
            // What the function assigns is not known afterwards.
            if let Some(function) = self.functions.named(name) {
                let effects = self.functions.of(&function.body, self.controller);
                self.unknown_now(
                    &effects,
                    place,
                    "it is set by a function that is not followed",
                );
            }
            self.record.pass_over(name);
            return Ok(Value::unknown(place, format!("`{name}` is not followed")));
        }
        if let Some(function) = self.functions.named(name) {
            return self.enter(&function, call, place);
        }
        match kind(name) {
            Some(Kind::Motion) => self.motion(call, place),
            Some(Kind::Tool) => self.set_tool(call, place),
            Some(Kind::Kinematics) => self.kinematics(call, place),
            Some(Kind::Computes) => {
                let mut given = Vec::with_capacity(call.arguments.len());
                for argument in &call.arguments {
                    if let Some(named) = &argument.name {
                        let reason = format!("`{name}` with `{named}=` is not read");
                        return Ok(Value::unknown(place, reason));
                    }
                    given.push(self.value(&argument.value, place)?);
                }
                compute(name, &given, place)
            }
            Some(Kind::Beside | Kind::Stops) => {
                for argument in &call.arguments {
                    self.value(&argument.value, place)?;
                }
                self.record.pass_over(name);
                Ok(Value::unknown(
                    place,
                    format!("`{name}` is known to the controller only"),
                ))
            }
            None => Err(Fault::new(
                place,
                format!(
                    "`{name}` could move the arm and is not read; if it cannot, name it in `still = […]` of the robot's `controller`"
                ),
            )),
        }
    }

    fn enter(
        &mut self,
        function: &Rc<Function>,
        call: &Call,
        place: &Location,
    ) -> Result<Value, Fault> {
        if function.thread {
            let reason = format!("`{}` is a thread, and is called like a function", call.name);
            return Err(Fault::new(place, reason));
        }
        let mut own = Variables::new();
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
                    Some(default) => self.value(default, place)?,
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
        let end = self.body(&function.body);
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
    fn run(&mut self, call: &Call, place: &Location) -> Result<Value, Fault> {
        let name = &call.name;
        let handle = Value::unknown(place, format!("the handle of the thread `{name}`"));
        let still = self.controller.is_still(name);
        let Some(function) = self.functions.named(name) else {
            return match still {
                true => {
                    self.record.pass_over(name);
                    Ok(handle)
                }
                false => Err(Fault::new(place, format!("there is no thread `{name}`"))),
            };
        };
        let effects = self.functions.of(&function.body, self.controller);
        if !still && (effects.moves || effects.stops) {
            let reason =
                format!("the thread `{name}` could move or stop the arm, or end the program");
            return Err(Fault::new(place, reason));
        }
        for variable in &effects.assigns {
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

fn whole(k: f64) -> Option<usize> {
    (k >= 0.0 && k.fract() == 0.0 && k < 1e9).then_some(k as usize)
}

fn outside(k: f64, length: usize, place: &Location) -> Fault {
    Fault::new(
        place,
        format!("there is no element {k} in a list of {length}"),
    )
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

fn binary(operator: Operator, a: &Value, b: &Value, place: &Location) -> Result<Value, Fault> {
    let is_list = |v: &Value| matches!(v, Value::Array(_) | Value::Pose(_) | Value::Text(_));
    let number = |f: fn(f64, f64) -> f64| {
        if is_list(a) || is_list(b) {
            return Ok(Value::unknown(
                place,
                "arithmetic of lists and texts is not read",
            ));
        }
        let value = a.join(b, place, |a, b| Value::Number(f(a, b)))?;
        Ok(finite(value, place))
    };
    let compare = |f: fn(&f64, &f64) -> bool| a.join(b, place, |a, b| Value::Boolean(f(&a, &b)));
    match operator {
        Operator::Add => number(|a, b| a + b),
        Operator::Subtract => number(|a, b| a - b),
        Operator::Multiply => number(|a, b| a * b),
        Operator::Divide => {
            if let (Value::Number(a), Value::Number(b)) = (a, b)
                && a.fract() == 0.0
                && b.fract() == 0.0
                && (a / b).fract() != 0.0
            {
                let reason = "whether whole numbers divide to a whole number is not known; write one with a fraction, or the result";
                return Ok(Value::unknown(place, reason));
            }
            number(|a, b| a / b)
        }
        Operator::Modulo => match (a, b) {
            (Value::Number(a), Value::Number(b)) if *a < 0.0 || *b <= 0.0 => Ok(Value::unknown(
                place,
                "the rest of a negative number is not read",
            )),
            _ => number(|a, b| a % b),
        },
        Operator::Equal => Ok(a.equals(b)),
        Operator::Unequal => a.equals(b).not(place),
        Operator::Less => compare(f64::lt),
        Operator::LessOrEqual => compare(f64::le),
        Operator::Greater => compare(f64::gt),
        Operator::GreaterOrEqual => compare(f64::ge),
        Operator::And => a.and(b, place),
        Operator::Or => a.or(b, place),
        Operator::Xor => match (a.boolean(place)?, b.boolean(place)?) {
            (Ok(a), Ok(b)) => Ok(Value::Boolean(a != b)),
            (Err(why), _) | (_, Err(why)) => Ok(Value::Unknown(why)),
        },
    }
}
