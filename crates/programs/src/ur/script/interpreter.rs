//! Follows a URScript program with values that may be unknown, and writes down the moves.

mod values;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use nalgebra::Isometry3;

use clearance_proof::model::moves::{Frame, Unknown};
use clearance_proof::report::Location;

use super::effects::{Functions, ScriptEffects};
use super::syntax::{
    Function, ScriptAction, ScriptBranch, ScriptExpression, ScriptScope, ScriptStatement,
};
use crate::block::arm::passed;
use crate::controller::ControlledArm;
use crate::flow::{Cycle, Flow};
use crate::record::MoveRecord;
use crate::value::{Fault, Known, Value};

/// Blocks, calls and parentheses within each other that are followed.
const DEEPEST: usize = 600;

/// Values in one list, those of lists in it included.
const MOST_VALUES: usize = 100_000;

/// Lists within lists.
const MOST_LISTS: usize = 100;

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

/// The values on which the rest of a program depends, where a loop begins again.
#[derive(Debug, PartialEq)]
struct ScriptState {
    scopes: Vec<Variables>,
    /// Variables that running threads change, and why they are not known.
    shared: BTreeMap<Arc<str>, Arc<Unknown>>,
    tool: Known<Isometry3<f64>>,
    /// The moves since joint values were stated: by poses alone the arm may come back with a wrist
    /// that is a turn further.
    passed: Vec<Value>,
    /// The radius of the corner at the last point.
    radius: Option<f64>,
    lost: bool,
}

/// A program that is followed.
pub(crate) struct ScriptInterpreter<'m> {
    pub(super) controller: &'m ControlledArm<'m>,
    flow: &'m mut Flow,
    pub(super) record: MoveRecord,
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
    /// The function that is followed, and those that have called it.
    pub(super) routines: Vec<Arc<str>>,
    /// Whether the program has ended, maybe in the middle of an expression.
    stopped: bool,
    /// Blocks and expressions within each other, those of calls within calls too.
    deep: usize,
}

impl<'m> ScriptInterpreter<'m> {
    pub(crate) fn new(
        controller: &'m ControlledArm<'m>,
        flow: &'m mut Flow,
        tool: Known<Isometry3<f64>>,
    ) -> Self {
        Self {
            flow,
            record: MoveRecord::default(),
            scopes: vec![Variables::new()],
            functions: Functions::default(),
            shared: BTreeMap::new(),
            tool,
            base: controller.base(Some("base")),
            flange: controller.flange(Some("tool0")),
            radii: Vec::new(),
            routines: Vec::new(),
            stopped: false,
            deep: 0,
            controller,
        }
    }

    /// Follows a program to its end, and says what was found.
    pub(crate) fn follow(mut self, program: &[ScriptStatement]) -> MoveRecord {
        if let Err(fault) = self.body(program) {
            self.record.lose(fault);
        }
        self.overlapping();
        self.record
    }

    /// Follows one function of a program, once the program's own statements, which define it, are
    /// known.
    pub(crate) fn follow_routine(
        mut self,
        program: &[ScriptStatement],
        routine: &Rc<Function>,
    ) -> MoveRecord {
        self.routines.push(routine.name.clone());
        let result = self.define(program).and_then(|()| self.body(&routine.body));
        if let Err(fault) = result {
            self.record.lose(fault);
        }
        self.overlapping();
        self.record
    }

    /// Statements in a row. Functions that they define are known from the first of them on.
    fn body(&mut self, body: &[ScriptStatement]) -> Result<End, Fault> {
        let Some(first) = body.first() else {
            return Ok(End::Next);
        };
        self.deeper(&first.place)?;
        let end = self.statements(body);
        self.deep -= 1;
        end
    }

    /// One more block or expression within others.
    ///
    /// # Errors
    /// When there are too many: the stack has to hold them all.
    fn deeper(&mut self, place: &Location) -> Result<(), Fault> {
        if self.deep >= DEEPEST {
            let reason = "so many blocks, calls and parentheses within each other are not followed";
            return Err(Fault::new(place, reason));
        }
        self.deep += 1;
        Ok(())
    }

    fn statements(&mut self, body: &[ScriptStatement]) -> Result<End, Fault> {
        self.define(body)?;
        for statement in body {
            self.flow.step(&statement.place)?;
            let end = match self.statement(statement) {
                Ok(end) => end,
                Err(_) if self.stopped => return Ok(End::Stop),
                // The statements that follow are looked at for more reasons, without moves.
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

    fn define(&mut self, body: &[ScriptStatement]) -> Result<(), Fault> {
        for statement in body {
            if let ScriptAction::Define(function) = &statement.what {
                let depth = self.scopes.len();
                self.functions.define(function, depth, &statement.place)?;
            }
        }
        Ok(())
    }

    /// After a fault in it, what a statement assigns is not known.
    fn forget(&mut self, statement: &ScriptStatement) {
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
    fn unknown_now(&mut self, effects: &ScriptEffects, place: &Location, reason: &str) {
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

    fn statement(&mut self, statement: &ScriptStatement) -> Result<End, Fault> {
        let place = &statement.place;
        match &statement.what {
            ScriptAction::Assign {
                scope,
                name,
                at,
                value,
            } => {
                let value = match value {
                    ScriptExpression::Unread(why) => Value::unknown(place, &**why),
                    value => self.value(value, place)?,
                };
                self.assign(*scope, name, at, value, place)?;
                Ok(End::Next)
            }
            ScriptAction::Do(call) => {
                self.value(call, place)?;
                Ok(End::Next)
            }
            ScriptAction::If { arms, otherwise } => {
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
            ScriptAction::While(condition, body) => self.repeat(condition, body, place),
            ScriptAction::Times {
                count,
                counter,
                body,
            } => self.times(count, counter.as_ref(), body, place),
            ScriptAction::Return(value) => Ok(End::Return(match value {
                Some(value) => self.value(value, place)?,
                None => Value::unknown(place, "a function that returns nothing"),
            })),
            ScriptAction::Break => Ok(End::Break),
            ScriptAction::Continue => Ok(End::Continue),
            ScriptAction::Halt => Ok(End::Stop),
            ScriptAction::Define(_) => Ok(End::Next),
            ScriptAction::Block(body) => self.body(body),
            ScriptAction::Pass(word) => {
                self.record.pass_over(word);
                Ok(End::Next)
            }
            ScriptAction::Named(name, why) => {
                if self.controller.is_still(name) {
                    self.record.pass_over(name);
                    Ok(End::Next)
                } else {
                    Err(Fault::new(place, &**why))
                }
            }
            ScriptAction::Unread(why) => Err(Fault::new(place, &**why)),
        }
    }

    /// The answer of this way to a condition that is not known; none where it makes no difference
    /// any more.
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
    fn changes_nothing(&self, arms: &[ScriptBranch], otherwise: &[ScriptStatement]) -> bool {
        let none = |effects: ScriptEffects| effects == ScriptEffects::default();
        let of = |body: &[ScriptStatement]| none(self.functions.of(body, self.controller));
        // The first condition has been asked for already.
        arms.iter().all(|arm| of(&arm.body))
            && arms[1..]
                .iter()
                .all(|arm| none(self.functions.of_value(&arm.condition, self.controller)))
            && of(otherwise)
    }

    fn repeat(
        &mut self,
        condition: &ScriptExpression,
        body: &[ScriptStatement],
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
                    // A stop within a corner that is rounded cuts it.
                    let counts = effects.moves || effects.stops;
                    if !counts && !effects.leaves && !effects.starts {
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
        count: &ScriptExpression,
        counter: Option<&Arc<str>>,
        body: &[ScriptStatement],
        place: &Location,
    ) -> Result<End, Fault> {
        if let Some(name) = counter {
            let effects = self.functions.of(body, self.controller);
            if effects.assigns.contains(name) || self.shared.contains_key(name) {
                let reason = "a loop whose own variable is set within it is not read";
                return Err(Fault::new(place, reason));
            }
            // When the controller sets it is not known, nor to which number.
            let counts = Value::unknown(place, "it counts a loop");
            self.assign(ScriptScope::Global, name, &[], counts, place)?;
        }
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

    fn state(&self) -> ScriptState {
        let values = self.scopes.iter().flat_map(BTreeMap::values);
        self.flow.count(values.map(Value::size).sum());
        let passed = passed(self.record.moves());
        self.flow.count(passed.iter().map(Value::size).sum());
        ScriptState {
            scopes: self.scopes.clone(),
            shared: self.shared.clone(),
            tool: self.tool.clone(),
            passed,
            radius: self.radii.last().copied(),
            lost: self.record.is_lost(),
        }
    }

    /// The scope in which a variable is seen.
    fn seen(&mut self, name: &str) -> Option<&mut Value> {
        self.scopes.iter_mut().rev().find_map(|s| s.get_mut(name))
    }

    /// Whether a name is a variable of a function around this one, and not of the program as a
    /// whole: a function within a function means the global one or its own.
    fn is_between(&self, name: &str) -> bool {
        let last = self.scopes.len() - 1;
        let has = |k: usize| self.scopes[k].contains_key(name);
        !has(last) && (1..last).any(has)
    }

    fn assign(
        &mut self,
        scope: ScriptScope,
        name: &Arc<str>,
        at: &[ScriptExpression],
        value: Value,
        place: &Location,
    ) -> Result<(), Fault> {
        self.fits(&value, place)?;
        if at.is_empty() {
            let last = self.scopes.len() - 1;
            match scope {
                ScriptScope::Global => _ = self.scopes[0].insert(name.clone(), value),
                ScriptScope::Local => _ = self.scopes[last].insert(name.clone(), value),
                ScriptScope::Seen if self.is_between(name) => {
                    return Err(Fault::new(place, around(name)));
                }
                ScriptScope::Seen => match self.seen(name) {
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
        if self.is_between(name) {
            return Err(Fault::new(place, around(name)));
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
        // A list that is put into a list makes it longer and deeper.
        let whole = self.seen(name).cloned();
        whole.map_or(Ok(()), |whole| self.fits(&whole, place))
    }

    /// # Errors
    /// When a value has so many parts that copies of it would fill the memory, or lies in so many
    /// lists that the stack would not hold a copy.
    fn fits(&self, value: &Value, place: &Location) -> Result<(), Fault> {
        let size = value.size();
        self.flow.count(size);
        if size > MOST_VALUES || value.is_deeper_than(MOST_LISTS) {
            return Err(Fault::new(place, "lists as large as this are not followed"));
        }
        Ok(())
    }
}

/// Why it is not known which variable is meant.
fn around(name: &str) -> String {
    format!(
        "`{name}` is also a variable of the function around this one: write `global` or `local`"
    )
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
