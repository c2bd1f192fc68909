//! The values of variables: found once somebody asks for them, changed, forgotten.

use std::collections::BTreeSet;

use clearance_proof::report::Location;

use super::Language;
use super::interpreter::BlockInterpreter;
use super::syntax::{
    Call, Declaration, DeclaredElement, Expression, Name, PathPart, PathStep, VariablePath,
};
use super::variables::{Holds, Scope, TypedPlace, Variable, VariablePlace, change, part};
use crate::value::{Fault, Known, MOST_VALUES, Value};

/// Lists have no more dimensions in either language.
const MOST_DIMENSIONS: usize = 3;

/// Where two values differ: as a whole, or in fields or elements.
fn differing(old: &Value, new: &Value) -> Vec<Vec<PathStep>> {
    match (old, new) {
        _ if old == new => Vec::new(),
        (Value::Record(a), Value::Record(b)) if a.keys().eq(b.keys()) => {
            let fields = a.iter().filter(|(name, value)| b.get(*name) != Some(value));
            fields
                .map(|(name, _)| vec![PathStep::Field(name.as_ref().into())])
                .collect()
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let items = (0..a.len()).filter(|&k| a[k] != b[k]);
            items.map(|k| vec![PathStep::Index(k)]).collect()
        }
        _ => vec![Vec::new()],
    }
}

impl<L: Language> BlockInterpreter<'_, L> {
    /// The variable of that name that is seen from here.
    pub(crate) fn seen(&self, name: &Name) -> Result<Option<Scope>, String> {
        if self.inside
            && let Some(frame) = self.frames.last()
            && frame.variables.contains_key(name)
        {
            return Ok(Some(Scope::Routine(self.frames.len() - 1)));
        }
        if self
            .modules
            .get(self.module)
            .is_some_and(|m| m.contains_key(name))
        {
            return Ok(Some(Scope::Module(self.module)));
        }
        let mut found = None;
        for (k, module) in self.program.modules.iter().enumerate() {
            let is_it = |d: &Declaration| d.name == *name && !d.local;
            if module.data.iter().any(is_it) && found.replace(k).is_some() {
                return Err(format!("several modules have a `{name}`"));
            }
        }
        if let Some(k) = found {
            return Ok(Some(Scope::Module(k)));
        }
        Ok(self.system.contains_key(name).then_some(Scope::Controller))
    }

    pub(super) fn variable(&self, scope: Scope, name: &Name) -> Option<&Variable> {
        match scope {
            Scope::Module(k) => self.modules.get(k)?.get(name),
            Scope::Routine(k) => self.frames.get(k)?.variables.get(name),
            Scope::Controller => self.system.get(name),
        }
    }

    pub(super) fn variable_mut(&mut self, scope: Scope, name: &Name) -> Option<&mut Variable> {
        match scope {
            Scope::Module(k) => self.modules.get_mut(k)?.get_mut(name),
            Scope::Routine(k) => self.frames.get_mut(k)?.variables.get_mut(name),
            Scope::Controller => self.system.get_mut(name),
        }
    }

    /// Where a variable or a part of it lives; none: nothing declares it. An index may be unknown.
    pub(crate) fn spot(
        &mut self,
        path: &VariablePath,
        place: &Location,
    ) -> Result<Option<Known<TypedPlace>>, Fault> {
        let fault = |reason: String| Fault::new(place, reason);
        let Some(scope) = self.seen(&path.name).map_err(fault)? else {
            return Ok(None);
        };
        self.settle(scope, &path.name)?;
        let variable = self.variable(scope, &path.name);
        let variable = variable.ok_or_else(|| fault(format!("there is no `{}`", path.name)))?;
        let mut kind = variable.kind.clone();
        let mut spot = match &variable.holds {
            Holds::Same(spot) => spot.clone(),
            Holds::Absent => {
                let reason = format!("`{}` was left out in the call", path.name);
                return Err(fault(reason));
            }
            Holds::Being => {
                let reason = format!("`{}` is declared by itself", path.name);
                return Err(fault(reason));
            }
            Holds::Value(_) | Holds::Declared(_) => VariablePlace {
                scope,
                name: path.name.clone(),
                steps: Vec::new(),
            },
        };
        for part in &path.parts {
            match part {
                PathPart::Field(name) => {
                    let Some((step, of)) = L::component(self, &kind, name) else {
                        let reason = format!("`{}` has no component `{name}`", path.shown());
                        return Err(fault(reason));
                    };
                    kind = of;
                    spot.steps.push(step);
                }
                PathPart::Index(written) => {
                    let index = match self.value(written, place)?.number(place)? {
                        Ok(index) => index,
                        Err(why) => return Ok(Some(Err(why))),
                    };
                    if self.shared(written) {
                        self.answered(written, place, Value::Number(index));
                    }
                    if index.fract() != 0.0 || !(1.0..1e9).contains(&index) {
                        let reason = format!("`{}` has no element {index}", path.shown());
                        return Err(fault(reason));
                    }
                    spot.steps.push(PathStep::Index(index as usize - 1));
                }
            }
        }
        Ok(Some(Ok(TypedPlace { spot, kind })))
    }

    /// The value at that place.
    pub(crate) fn held(&mut self, spot: &VariablePlace, place: &Location) -> Result<Value, Fault> {
        self.settle(spot.scope, &spot.name)?;
        if let Scope::Module(k) = spot.scope {
            let key = (k, spot.name.clone());
            if !self.written.contains(&key) {
                self.read_first.insert(key);
            }
        }
        match self.variable(spot.scope, &spot.name).map(|v| &v.holds) {
            Some(Holds::Value(value)) => match part(value, &spot.steps) {
                Ok(value) => {
                    self.flow.count(value.size());
                    Ok(value.alone())
                }
                // A list has its length; a component that nobody stated is not known.
                Err(reason) if reason.starts_with("nothing") => Ok(Value::unknown(
                    place,
                    format!("{reason} of `{}`", spot.name),
                )),
                Err(reason) => Err(Fault::new(place, format!("`{}`: {reason}", spot.name))),
            },
            Some(Holds::Same(other)) => {
                let mut whole = other.clone();
                whole.steps.extend(spot.steps.iter().cloned());
                self.held(&whole, place)
            }
            _ => Err(Fault::new(place, format!("`{}` holds nothing", spot.name))),
        }
    }

    /// Finds out what the declaration of a variable says, once somebody asks.
    pub(super) fn settle(&mut self, scope: Scope, name: &Name) -> Result<(), Fault> {
        let Some(variable) = self.variable_mut(scope, name) else {
            return Ok(());
        };
        let Holds::Declared(declared) = &variable.holds else {
            return Ok(());
        };
        let declared = declared.clone();
        variable.holds = Holds::Being;
        let decisions = self.flow.decisions();
        let outer = (self.module, self.inside);
        if let Scope::Module(k) = scope {
            (self.module, self.inside) = (k, false);
        }
        let asked = match scope {
            Scope::Module(_) => self.not_constant(&declared),
            _ => None,
        };
        let value = match asked {
            None => self.first_value(&declared),
            Some(name) => Ok(Value::unknown(
                &declared.place,
                format!(
                    "`{}` begins with what `{name}` holds, which is no constant: a controller takes constants there",
                    declared.name
                ),
            )),
        };
        (self.module, self.inside) = outer;
        // A value by other answers, or by what a function of the program finds when it is asked, is
        // another one on another way.
        let is_asked = self.flow.decisions() > decisions || self.asks_routine(&declared);
        self.apart |= is_asked && !self.counts(name);
        let mut value = value?;
        if let Scope::Module(k) = scope {
            let whole = (k, name.clone(), Vec::new());
            let changed = self.changed.range(whole..);
            let changed = changed.take_while(|((of, n, _), _)| *of == k && n == name);
            for ((_, _, steps), why) in changed {
                // A part that is not there is none that could be used.
                let unknown = Value::Unknown(why.clone());
                _ = change(&mut value, steps, unknown, &why.place);
            }
        }
        if let Some(variable) = self.variable_mut(scope, name) {
            variable.holds = Holds::Value(value);
        }
        Ok(())
    }

    /// Whether a function of the program is asked for the value of a declaration.
    fn asks_routine(&self, declared: &Declaration) -> bool {
        let parts = declared.parts().into_iter();
        let mut calls = parts.filter_map(Expression::as_call);
        calls.any(|call| self.program.routines.iter().any(|r| r.name == call.name))
    }

    /// A variable for which the declaration of one of a module asks, and which may have another
    /// value by the time it is found out.
    fn not_constant(&self, declared: &Declaration) -> Option<Name> {
        let parts = declared.parts();
        parts.into_iter().find_map(|part| match part {
            Expression::Variable(path) => {
                let scope = self.seen(&path.name).ok()??;
                let variable = self.variable(scope, &path.name)?;
                (!variable.constant).then(|| path.name.clone())
            }
            _ => None,
        })
    }

    /// Finds out what all variables hold that a loop has to come back to.
    pub(super) fn settle_all(&mut self) {
        for k in 0..self.modules.len() {
            let names: Vec<Name> = self.modules[k].keys().cloned().collect();
            for name in names {
                if !self.counts(&name) {
                    continue;
                }
                // A value that cannot be found is reported where somebody asks for it.
                if let Err(fault) = self.settle(Scope::Module(k), &name)
                    && let Some(variable) = self.modules[k].get_mut(&name)
                {
                    let unknown = Value::unknown(&fault.place, fault.reason);
                    variable.holds = Holds::Value(unknown);
                }
            }
        }
    }

    pub(super) fn first_value(&mut self, declared: &Declaration) -> Result<Value, Fault> {
        let place = &declared.place;
        // One statement may ask for many variables, each of which fills a part of the memory.
        self.flow.bounded(place)?;
        let mut value = match &declared.first {
            Some(first) => {
                let value = self.value(first, place)?;
                if declared.lengths.is_empty() {
                    L::convert(self, &declared.kind, None, value, place)
                } else {
                    value
                }
            }
            None if declared.persistent => Value::unknown(
                place,
                format!("`{}` has no value in the file", declared.name),
            ),
            None => {
                let mut value = L::initial(self, &declared.kind, place);
                let dimensions = declared.lengths.len();
                if dimensions > MOST_DIMENSIONS {
                    let reason = format!(
                        "`{}` cannot have {dimensions} dimensions: a list has {MOST_DIMENSIONS} at most",
                        declared.name
                    );
                    return Err(Fault::new(place, reason));
                }
                for length in declared.lengths.iter().rev() {
                    value = match self.value(length, place)?.number(place)? {
                        Ok(n) => value.repeated(n).ok_or_else(|| {
                            let reason = format!(
                                "`{}` cannot have {n} elements: a list has one at least, and {MOST_VALUES} values in it at most",
                                declared.name
                            );
                            Fault::new(place, reason)
                        })?,
                        Err(why) => Value::Unknown(why),
                    };
                }
                value
            }
        };
        self.flow.count(value.size());
        for DeclaredElement {
            place,
            indices,
            value: element,
        } in &declared.elements
        {
            let mut steps = Vec::new();
            for index in indices {
                match self.value(index, place)?.number(place)? {
                    Ok(k) if k.fract() == 0.0 && k >= 1.0 => {
                        steps.push(PathStep::Index(k as usize - 1))
                    }
                    _ => return Err(Fault::new(place, "this element is none of the list")),
                }
            }
            let element = self.value(element, place)?;
            let element = L::convert(self, &declared.kind, None, element, place);
            let changed = change(&mut value, &steps, element, place);
            changed
                .map_err(|reason| Fault::new(place, format!("`{}`: {reason}", declared.name)))?;
        }
        Ok(value)
    }

    /// Assigns a value to a variable or a part of it.
    pub(crate) fn assign(
        &mut self,
        path: &VariablePath,
        value: Value,
        place: &Location,
    ) -> Result<(), Fault> {
        let TypedPlace { spot, kind } = match self.spot(path, place)? {
            Some(Ok(found)) => found,
            // Which element is not known: none of them is known any more.
            Some(Err(why)) => {
                let names = BTreeSet::from([path.name.clone()]);
                self.forget(&names, &Value::Unknown(why));
                return Ok(());
            }
            None if path.name.starts_with('$') => {
                // Functions in its indices run as well.
                let name = self.named(path, place)?;
                return L::changed(self, &name, &[], place);
            }
            None => {
                // Nobody can tell whether anything depends on it.
                self.doubt(
                    place,
                    format!(
                        "`{}` is set, and nothing declares it in the files that were read; name the file that does (a `.dat`, a `$config.dat`, a module) in `files` of the robot's `controller`",
                        path.shown()
                    ),
                );
                return Ok(());
            }
        };
        let old = self
            .variable(spot.scope, &spot.name)
            .and_then(|v| match &v.holds {
                Holds::Value(value) => part(value, &spot.steps).ok().cloned(),
                _ => None,
            });
        let value = L::convert(self, &kind, old.as_ref(), value, place);
        value.fits(place)?;
        self.put(&spot, value, place)?;
        match spot.scope {
            Scope::Controller => L::changed(self, &spot.name, &spot.steps, place),
            // A list may declare variables of the controller: they are its own all the same.
            _ if spot.name.starts_with('$') => L::changed(self, &spot.name, &spot.steps, place),
            _ => Ok(()),
        }
    }

    pub(super) fn put(
        &mut self,
        spot: &VariablePlace,
        value: Value,
        place: &Location,
    ) -> Result<(), Fault> {
        self.settle(spot.scope, &spot.name)?;
        if let (Scope::Module(k), true) = (spot.scope, spot.steps.is_empty()) {
            self.writes((k, spot.name.clone()));
        }
        if let Scope::Module(k) = spot.scope {
            self.sets_beside(k, &spot.name);
        }
        self.unchoose(&spot.name);
        let fault = |reason: String| Fault::new(place, format!("`{}`: {reason}", spot.name));
        let variable = self.variable_mut(spot.scope, &spot.name);
        let variable = variable.ok_or_else(|| fault("there is none".into()))?;
        if variable.constant {
            return Err(fault("a constant cannot be set".into()));
        }
        match &mut variable.holds {
            Holds::Value(held) => {
                let differing = match part(held, &spot.steps) {
                    Ok(old) => differing(old, &value),
                    Err(_) => vec![Vec::new()],
                };
                change(held, &spot.steps, value, place).map_err(fault)?;
                if let Scope::Module(k) = spot.scope {
                    for rest in differing {
                        let steps = [&spot.steps[..], &rest].concat();
                        let key = (k, spot.name.clone(), steps);
                        self.kept.entry(key).or_insert_with(|| place.clone());
                    }
                }
                Ok(())
            }
            Holds::Same(other) => {
                let mut whole = other.clone();
                whole.steps.extend(spot.steps.iter().cloned());
                self.put(&whole, value, place)
            }
            _ => Err(fault("it holds nothing".into())),
        }
    }

    /// A variable of a module may hold another value from here on.
    pub(super) fn sets_beside(&mut self, module: usize, name: &Name) {
        if self.counted.compared.contains(name) && !self.counts(name) {
            self.set_beside.insert((module, name.clone()));
        }
    }

    /// A variable of a module is set as a whole, or not known any more whatever it was.
    pub(super) fn writes(&mut self, key: (usize, Name)) {
        if self.flow.decisions() == self.asked_before && !self.read_first.contains(&key) {
            self.settled.insert(key.clone());
        }
        if self.counted.shared.set_by_others().contains(&key.1) {
            self.just_set.set(key.1.clone(), self.time_passed());
        }
        self.written.insert(key);
    }

    /// How often time has passed in which something else may have set a variable.
    pub(super) fn time_passed(&self) -> usize {
        self.record.passed() + self.jumps_back
    }

    /// Variables of these names are not known any more, wherever they live.
    pub(crate) fn forget(&mut self, names: &BTreeSet<Name>, unknown: &Value) {
        let mut further = BTreeSet::new();
        if let Value::Unknown(why) = unknown {
            for (k, variables) in self.modules.iter().enumerate() {
                for name in names.iter().filter(|name| variables.contains_key(*name)) {
                    let key = (k, name.clone(), Vec::new());
                    self.kept.entry(key).or_insert_with(|| why.place.clone());
                }
            }
        }
        for k in 0..self.modules.len() {
            let own = names.iter().filter(|n| self.modules[k].contains_key(*n));
            let own: Vec<Name> = own.cloned().collect();
            own.iter().for_each(|name| self.sets_beside(k, name));
        }
        names.iter().for_each(|name| self.unchoose(name));
        let all = self.modules.iter_mut().chain([&mut self.system]);
        let all = all.chain(self.frames.iter_mut().map(|f| &mut f.variables));
        for variables in all {
            for name in names {
                let Some(variable) = variables.get_mut(name).filter(|v| !v.constant) else {
                    continue;
                };
                match &variable.holds {
                    Holds::Same(spot) => _ = further.insert(spot.name.clone()),
                    Holds::Absent => {}
                    _ => variable.holds = Holds::Value(unknown.clone()),
                }
            }
        }
        if !further.is_subset(names) {
            further.extend(names.iter().cloned());
            self.forget(&further, unknown);
        }
    }

    /// Variables that are handed to an instruction are not known any more.
    pub(crate) fn forget_handed(&mut self, call: &Call, unknown: &Value) -> Result<(), Fault> {
        for argument in &call.arguments {
            let Some(Expression::Variable(path)) = &argument.value else {
                continue;
            };
            self.forget(&BTreeSet::from([path.name.clone()]), unknown);
        }
        Ok(())
    }
}
