//! Possible effects of statements, whichever of them are reached: for conditions and loops about
//! which nothing is known, and for threads.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use clearance_proof::report::Location;

use super::builtin::{FunctionKind, effect, is_still, kind};
use super::syntax::{
    Function, ScriptAction, ScriptCall, ScriptExpression, ScriptStatement, assigned,
};
use crate::controller::ControlledArm;
use crate::value::Fault;

/// Functions and threads by name.
#[derive(Debug, Default)]
pub(crate) struct Functions {
    named: BTreeMap<Arc<str>, Defined>,
}

#[derive(Debug)]
struct Defined {
    function: Rc<Function>,
    /// How many scopes were open where it was defined.
    depth: usize,
}

/// A name, and the function of the text that it means.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DefinedFunction {
    name: Arc<str>,
    address: usize,
    depth: usize,
}

/// Methods of lists that leave them as they are; all others change them.
pub(crate) const READING_METHODS: [&str; 3] = ["length", "capacity", "to_string"];

/// Possible effects of statements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ScriptEffects {
    /// Move the arm, change the tool, or something that is not understood.
    pub(crate) moves: bool,
    /// Stop a motion.
    pub(crate) stops: bool,
    /// End the program.
    pub(crate) ends: bool,
    /// Leave the function, or the program.
    pub(crate) leaves: bool,
    /// Leave or go on with the loop around them.
    pub(crate) jumps: bool,
    /// Start a thread.
    pub(crate) starts: bool,
    /// Variables that they set.
    pub(crate) assigns: BTreeSet<Arc<str>>,
    /// Variables whose methods they call: those that are lists of the program itself are changed, and
    /// those that stand for another program are not.
    pub(crate) asks: BTreeSet<Arc<str>>,
}

impl ScriptEffects {
    /// These and others.
    pub(crate) fn and(mut self, mut other: ScriptEffects) -> Self {
        self.moves |= other.moves;
        self.stops |= other.stops;
        self.ends |= other.ends;
        self.leaves |= other.leaves;
        self.jumps |= other.jumps;
        self.starts |= other.starts;
        self.assigns.append(&mut other.assigns);
        self.asks.append(&mut other.asks);
        self
    }
}

/// The functions that have been looked at, by name: those that have been defined and called, and
/// those that are defined only when the statements run.
#[derive(Default)]
struct Seen {
    functions: BTreeMap<Arc<str>, Rc<Function>>,
}

impl Seen {
    /// Whether it is looked at for the first time.
    fn is_new(&mut self, function: &Rc<Function>) -> bool {
        let old = self
            .functions
            .insert(function.name.clone(), function.clone());
        old.is_none()
    }
}

impl Functions {
    /// A function is defined. The same definition may be passed more than once.
    ///
    /// # Errors
    /// When there is another one of this name: which of them counts is not told.
    pub(crate) fn define(
        &mut self,
        function: &Rc<Function>,
        depth: usize,
        place: &Location,
    ) -> Result<(), Fault> {
        let known = self.named.get(&function.name);
        if known.is_some_and(|known| !Rc::ptr_eq(&known.function, function)) {
            let reason = format!("there are two functions `{}`", function.name);
            return Err(Fault::new(place, reason));
        }
        if kind(&function.name).is_some() {
            let reason = format!(
                "`{}` is a function of the controller already",
                function.name
            );
            return Err(Fault::new(place, reason));
        }
        let defined = Defined {
            function: function.clone(),
            depth,
        };
        self.named.insert(function.name.clone(), defined);
        Ok(())
    }

    /// The function of that name.
    pub(crate) fn named(&self, name: &str) -> Option<Rc<Function>> {
        self.named.get(name).map(|d| d.function.clone())
    }

    /// Which one each name means.
    pub(crate) fn defined(&self) -> Vec<DefinedFunction> {
        let all = self.named.iter();
        all.map(|(name, defined)| DefinedFunction {
            name: name.clone(),
            address: Rc::as_ptr(&defined.function) as usize,
            depth: defined.depth,
        })
        .collect()
    }

    /// How many scopes were open where it was defined.
    pub(crate) fn depth(&self, name: &str) -> usize {
        self.named.get(name).map_or(1, |d| d.depth)
    }

    /// Possible effects of these statements, together with all that they call.
    pub(crate) fn of(&self, body: &[ScriptStatement], controller: &ControlledArm) -> ScriptEffects {
        let mut effects = ScriptEffects::default();
        self.add(body, controller, &mut effects, &mut Seen::default(), false);
        effects
    }

    /// Possible effects of asking for this value.
    pub(crate) fn of_value(
        &self,
        value: &ScriptExpression,
        controller: &ControlledArm,
    ) -> ScriptEffects {
        let mut effects = ScriptEffects::default();
        self.value(value, controller, &mut effects, &mut Seen::default());
        effects
    }

    fn value(
        &self,
        value: &ScriptExpression,
        controller: &ControlledArm,
        effects: &mut ScriptEffects,
        seen: &mut Seen,
    ) {
        let mut parts = Vec::new();
        value.within(&mut parts);
        for part in parts {
            match part {
                ScriptExpression::Call(call) => self.call(call, controller, effects, seen),
                // A thread in a thread: what it does, it does as well.
                ScriptExpression::Run(call) => {
                    self.call(call, controller, effects, seen);
                    effects.starts = true;
                }
                ScriptExpression::Unread(_) => effects.moves = true,
                ScriptExpression::Method { object, name, .. }
                    if !READING_METHODS.contains(&&**name) =>
                {
                    effects.asks.extend(object.root().cloned());
                }
                _ => {}
            }
        }
    }

    fn add(
        &self,
        body: &[ScriptStatement],
        controller: &ControlledArm,
        effects: &mut ScriptEffects,
        seen: &mut Seen,
        called: bool,
    ) {
        effects.assigns.extend(assigned(body));
        let mut all = Vec::new();
        body.iter().for_each(|s| s.within(&mut all));
        for statement in &all {
            // Whether it is called is not asked: a call of its name must not be taken for one of a
            // function that is elsewhere.
            let ScriptAction::Define(function) = &statement.what else {
                continue;
            };
            let named = self.named.get(&function.name).map(|d| &d.function);
            match named.or(seen.functions.get(&function.name)) {
                // Which of two is called by this name is not told.
                Some(known) if !Rc::ptr_eq(known, function) => effects.moves = true,
                Some(_) => {}
                None => {
                    seen.is_new(function);
                    self.add(&function.body, controller, effects, seen, true);
                }
            }
        }
        for statement in all {
            match &statement.what {
                ScriptAction::Return(_) if !called => effects.leaves = true,
                ScriptAction::Halt => {
                    effects.leaves = true;
                    effects.ends = true;
                }
                // One that belongs to a loop in here counts as well: too much rather than too
                // little.
                ScriptAction::Break | ScriptAction::Continue if !called => effects.jumps = true,
                ScriptAction::Unread(_) => effects.moves = true,
                ScriptAction::Named(name, _) if !controller.is_still(name) => effects.moves = true,
                _ => {}
            }
            for value in statement.expressions() {
                self.value(value, controller, effects, seen);
            }
        }
    }

    fn call(
        &self,
        call: &ScriptCall,
        controller: &ControlledArm,
        effects: &mut ScriptEffects,
        seen: &mut Seen,
    ) {
        if let Some(defined) = self.named.get(&call.name) {
            if seen.is_new(&defined.function) {
                self.add(&defined.function.body, controller, effects, seen, true);
            }
            return;
        }
        match effect(call) {
            Some(FunctionKind::Computes | FunctionKind::Kinematics | FunctionKind::Beside) => {}
            Some(FunctionKind::Stops) => effects.stops = true,
            Some(FunctionKind::Motion | FunctionKind::Tool) => effects.moves = true,
            None if seen.functions.contains_key(&call.name) => {}
            None => effects.moves |= !is_still(&call.name, controller),
        }
    }
}
