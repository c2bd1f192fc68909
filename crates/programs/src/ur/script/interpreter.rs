//! Follows a URScript program with values that may be unknown, and writes down the moves.

mod calls;
mod loops;
mod state;
mod values;
mod variables;

pub(super) use calls::named_last;
pub(super) use state::ScriptState;
use state::behind;
use variables::globals;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use nalgebra::Isometry3;

use clearance_proof::model::moves::{Frame, Unknown};
use clearance_proof::report::Location;

use super::effects::{Functions, ScriptEffects};
use super::pairs::ScriptTools;
use super::syntax::{Function, ScriptAction, ScriptBranch, ScriptExpression, ScriptStatement};
use super::unread::UnreadNames;
use crate::controller::ControlledArm;
use crate::flow::{Flow, Nesting};
use crate::record::MoveRecord;
use crate::value::{Fault, Known, Value};
use crate::ways_join::WaysJoin;

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

/// A program that is followed.
pub(crate) struct ScriptInterpreter<'m> {
    pub(super) controller: &'m ControlledArm<'m>,
    flow: &'m mut Flow,
    pub(super) record: MoveRecord,
    scopes: Vec<Variables>,
    functions: Functions,
    /// Variables of the program as a whole, whether they have a value yet or not.
    globals: BTreeSet<Arc<str>>,
    /// Variables that the function that is followed sets as `local` somewhere.
    locals: BTreeSet<Arc<str>>,
    /// Variables that threads change, and why they are not known.
    shared: BTreeMap<Arc<str>, Arc<Unknown>>,
    /// The tool in the flange.
    pub(super) tool: Known<Isometry3<f64>>,
    /// The tools of the program, on all ways.
    pub(super) tools: &'m RefCell<ScriptTools>,
    /// Variables that nobody reads: they always have the same value.
    unread: &'m UnreadNames,
    /// Where ways join that parted before.
    ways_join: &'m RefCell<WaysJoin<ScriptState>>,
    /// How many conditions were not known when the way was last looked at behind a statement.
    asked: usize,
    /// Counted loops within which it is.
    counted_loops: usize,
    pub(super) base: Result<Frame, String>,
    pub(super) flange: Result<Frame, String>,
    /// The radius of the corner at the end of each move, metres; infinite: not known.
    pub(super) radii: Vec<f64>,
    /// The function that is followed, and those that have called it.
    pub(super) routines: Vec<Arc<str>>,
    /// Whether the program has ended, maybe in the middle of an expression.
    stopped: bool,
    nesting: Nesting,
}

impl<'m> ScriptInterpreter<'m> {
    pub(crate) fn new(
        controller: &'m ControlledArm<'m>,
        flow: &'m mut Flow,
        tool: Known<Isometry3<f64>>,
        tools: &'m RefCell<ScriptTools>,
        unread: &'m UnreadNames,
        ways_join: &'m RefCell<WaysJoin<ScriptState>>,
    ) -> Self {
        Self {
            flow,
            record: MoveRecord::default(),
            scopes: vec![Variables::new()],
            functions: Functions::default(),
            globals: BTreeSet::new(),
            locals: BTreeSet::new(),
            shared: BTreeMap::new(),
            tool,
            tools,
            unread,
            ways_join,
            asked: 0,
            counted_loops: 0,
            base: controller.base(Some("base")),
            flange: controller.flange(Some("tool0")),
            radii: Vec::new(),
            routines: Vec::new(),
            stopped: false,
            nesting: Nesting::default(),
            controller,
        }
    }

    /// Follows a program to its end, and says what was found.
    pub(crate) fn follow(mut self, program: &[ScriptStatement]) -> MoveRecord {
        self.globals = globals(program);
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
        self.globals = globals(&routine.body);
        self.globals.extend(globals(program));
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
        self.nesting.enter(&first.place)?;
        let end = self.statements(body);
        self.nesting.leave();
        end
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
            let decisions = self.flow.decisions();
            let meets = matches!(
                statement.what,
                ScriptAction::If { .. } | ScriptAction::While(..)
            );
            if (decisions > self.asked || meets && decisions > 0) && self.may_end() {
                self.asked = decisions;
                let state = self.state();
                if self.ends_at(behind(statement), &state) {
                    return Ok(End::Stop);
                }
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
        let effects = self.effects(std::slice::from_ref(statement));
        self.unknown_now(
            &effects,
            &statement.place,
            "a statement that failed sets it",
        );
    }

    /// Possible effects of these statements, if they run now.
    fn effects(&self, body: &[ScriptStatement]) -> ScriptEffects {
        self.settled(self.functions.of(body, self.controller))
    }

    /// Possible effects of asking for this value now.
    fn effects_of_value(&self, value: &ScriptExpression) -> ScriptEffects {
        self.settled(self.functions.of_value(value, self.controller))
    }

    /// Effects with those of methods: a variable that has a value is one of the program itself, and
    /// a method may change it.
    fn settled(&self, mut effects: ScriptEffects) -> ScriptEffects {
        for name in std::mem::take(&mut effects.asks) {
            let mut values = self.scopes.iter().filter_map(|scope| scope.get(&name));
            if values.any(|value| !matches!(value, Value::Unknown(_))) {
                effects.assigns.insert(name);
            }
        }
        effects
    }

    /// Variables that are assigned somewhere are not known from now on.
    fn unknown_now(&mut self, effects: &ScriptEffects, place: &Location, reason: &str) {
        for name in &effects.assigns {
            let value = if self.unread.contains(name) {
                self.unread.value()
            } else {
                Value::unknown(place, format!("`{name}`: {reason}"))
            };
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
                let value = self.value(value, place)?;
                self.assign(*scope, name, at, value, place)?;
                Ok(End::Next)
            }
            ScriptAction::Do(call) => {
                self.value(call, place)?;
                Ok(End::Next)
            }
            ScriptAction::If { arms, otherwise } => {
                for (k, arm) in arms.iter().enumerate() {
                    let told = || arm.condition.as_text();
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
            ScriptAction::Wait(word, condition) if self.acts(condition) => {
                let reason = format!("what `{word}` asks for does more than to compute");
                Err(Fault::new(place, reason))
            }
            ScriptAction::Wait(word, _) => {
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
        let none = |mut effects: ScriptEffects| {
            effects.assigns.retain(|name| !self.unread.contains(name));
            effects == ScriptEffects::default()
        };
        let of = |body: &[ScriptStatement]| none(self.effects(body));
        // The first condition has been asked for already.
        arms.iter().all(|arm| of(&arm.body))
            && arms[1..].iter().all(|arm| !self.acts(&arm.condition))
            && of(otherwise)
    }
}
