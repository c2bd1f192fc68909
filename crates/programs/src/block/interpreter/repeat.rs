//! Loops.

use std::sync::Arc;

use super::*;
use crate::block::elsewhere::given;
use crate::comes_back::Rounds;
use crate::value::computed;

/// From where to where a loop counts.
struct CountingBounds {
    from: f64,
    to: f64,
    by: f64,
    /// Whether all that are stated are whole numbers.
    are_whole: bool,
}

impl<L: Language> BlockInterpreter<'_, L> {
    pub(super) fn repeat(
        &mut self,
        statement: &Statement,
        while_it: Option<&Expression>,
        body: &[Statement],
        until: Option<&Expression>,
    ) -> Result<StatementEnd, Fault> {
        let place = &statement.place;
        if let Some(asked) = while_it.or(until)
            && self.waits_in_loop(statement, asked, while_it.is_some())?
        {
            return Ok(StatementEnd::On);
        }
        self.finds_polled(body, while_it.or(until));
        let mut is_open = false;
        let (mut rounds, mut alike) = (Rounds::default(), AlikeRounds::default());
        loop {
            if self.begins_round(&mut alike, is_open, place) {
                rounds = Rounds::default();
            }
            let asked = self.flow.decisions();
            let mark = self.answers.now();
            let back = rounds.back_to(mark, || self.state(), || self.state_at_pose());
            if let Some(repeated) = back {
                repeated.note(&self.answers, &mut self.record);
                return Ok(StatementEnd::End);
            }
            self.flow.step(place)?;
            self.jumps_back += 1;
            if let Some(condition) = while_it {
                let judged = self.goes_on(condition, &[statement], place)?;
                is_open = judged.is_open;
                match judged.holds {
                    Some(true) => {}
                    Some(false) => return Ok(StatementEnd::On),
                    None => return Ok(self.passed_over(statement)),
                }
            }
            match self.block(body)? {
                StatementEnd::On => {}
                StatementEnd::Leave => return Ok(StatementEnd::On),
                other => return Ok(other),
            }
            // A loop without a condition ends in its statements.
            if while_it.or(until).is_none() {
                is_open = self.flow.decisions() > asked;
            }
            if let Some(condition) = until {
                let judged = self.goes_on(condition, &[statement], place)?;
                is_open = judged.is_open;
                match judged.holds {
                    Some(false) => {}
                    Some(true) => return Ok(StatementEnd::On),
                    None => return Ok(self.passed_over(statement)),
                }
            }
        }
    }

    pub(super) fn count(
        &mut self,
        statement: &Statement,
        counting: &For,
    ) -> Result<StatementEnd, Fault> {
        let place = &statement.place;
        let bounds = match self.bounds(counting, place)? {
            Ok(bounds) => bounds,
            Err(why) => return self.pass_by_loop(statement, why),
        };
        self.is_certain(counting, &bounds, place)?;
        let CountingBounds { from, to, by, .. } = bounds;
        let hidden = if counting.declares {
            self.declare(&counting.name, "num".into(), Value::Number(from))
        } else {
            let whole = VariablePath::whole(&counting.name);
            self.assign(&whole, Value::Number(from), place)?;
            None
        };
        self.opens_loop(to, by, hidden.as_ref());
        self.finds_polled(&counting.body, None);
        let counts_on = self.begins_counting(counting);
        let outcome = self.rounds_of(counting, &bounds, place);
        self.ends_counting(counts_on);
        self.loops.pop();
        let outcome = outcome?;
        if counting.declares {
            let own = self.frames.last_mut().map(|f| &mut f.variables);
            if let Some(variables) = own {
                match hidden {
                    Some(hidden) => _ = variables.insert(counting.name.clone(), hidden),
                    None => _ = variables.remove(&counting.name),
                }
            }
        }
        Ok(outcome)
    }

    /// The rounds of a loop that counts.
    fn rounds_of(
        &mut self,
        counting: &For,
        &CountingBounds { from, to, by, .. }: &CountingBounds,
        place: &Location,
    ) -> Result<StatementEnd, Fault> {
        let mut at = from;
        loop {
            if by > 0.0 && at > to || by < 0.0 && at < to {
                return Ok(StatementEnd::On);
            }
            self.flow.step(place)?;
            self.jumps_back += 1;
            match self.block(&counting.body)? {
                StatementEnd::On => {}
                StatementEnd::Leave => return Ok(StatementEnd::On),
                other => return Ok(other),
            }
            let now = self.counter(counting, place)?;
            at = computed(now, by, now + by);
            if counting.declares {
                _ = self.declare(&counting.name, "num".into(), Value::Number(at))
            } else {
                let whole = VariablePath::whole(&counting.name);
                self.assign(&whole, Value::Number(at), place)?
            }
        }
    }

    /// From where to where a loop counts, if that is known.
    fn bounds(&mut self, counting: &For, place: &Location) -> Result<Known<CountingBounds>, Fault> {
        let mut bounds = Vec::new();
        for bound in [&counting.from, &counting.to]
            .into_iter()
            .chain(&counting.by)
        {
            let held = self.value(bound, place)?.number(place)?;
            if let Ok(number) = held
                && self.shared(bound)
            {
                self.answered(bound, place, Value::Number(number));
            }
            bounds.push(held);
        }
        let bounds: Known<Vec<f64>> = bounds.into_iter().collect();
        Ok(bounds.map(|bounds| {
            let (from, to) = (bounds[0], bounds[1]);
            let turns = counting.turns && to < from;
            let by = bounds.get(2).copied();
            CountingBounds {
                from,
                to,
                by: by.unwrap_or(if turns { -1.0 } else { 1.0 }),
                are_whole: bounds.iter().all(|x| x.fract() == 0.0),
            }
        }))
    }

    /// Passes over a loop of which nobody knows how often it runs, unless it does more than to set
    /// variables.
    fn pass_by_loop(
        &mut self,
        statement: &Statement,
        why: Arc<Unknown>,
    ) -> Result<StatementEnd, Fault> {
        let place = &statement.place;
        let within = [statement];
        let effects = self.effects(&within);
        if !effects.are_quiet() {
            let reason = format!("how often this loop runs is not known: {}", why.reason);
            return Err(Fault::new(place, reason));
        }
        self.forget(&effects.assigns, &Value::Unknown(why));
        self.forget_waited_within(&effects, place);
        self.pass_over(&within);
        Ok(StatementEnd::On)
    }

    /// Sees to it that how often a loop runs is certain for every controller.
    fn is_certain(
        &self,
        counting: &For,
        bounds: &CountingBounds,
        place: &Location,
    ) -> Result<(), Fault> {
        let fail = |reason: &str| Err(Fault::new(place, reason));
        // Counters of KRL are whole numbers, and make whole numbers of their bounds.
        let is_whole = !counting.turns;
        if is_whole && !bounds.are_whole {
            return fail("how the bounds of this loop are rounded is not read");
        }
        if is_whole && self.changes_its_bounds(counting) {
            return fail(
                "a bound of this loop changes within it, and whether the controller looks at it again is not known",
            );
        }
        if self.counts_to_itself(counting) {
            return fail(
                "the last value or the step of this loop is made of its own counter: whether that already holds its first value then is not known",
            );
        }
        let &CountingBounds { from, to, by, .. } = bounds;
        if by == 0.0 || !by.is_finite() {
            return fail("this loop counts by nothing");
        }
        if counting.turns {
            let turns = (to - from) / by;
            if !bounds.are_whole && (turns - turns.round()).abs() < 1e-3 {
                return fail(
                    "this loop counts in fractions: whether its last turn is run is not defined",
                );
            }
            // By the manual it runs once all the same, for its counter is where it starts.
            if by * (to - from) < 0.0 {
                return fail(
                    "this loop counts away from its end: whether it runs once is not known",
                );
            }
        }
        Ok(())
    }

    /// The counter after a round. Where the variable is the program's own, the body may have changed
    /// it.
    fn counter(&mut self, counting: &For, place: &Location) -> Result<f64, Fault> {
        let counter = Expression::Variable(VariablePath::whole(&counting.name));
        let now = self.value(&counter, place)?;
        let Ok(now) = now.number(place)? else {
            return Err(Fault::new(place, "how often this loop runs is not known"));
        };
        if !counting.turns && now.fract() != 0.0 {
            let reason = "this loop counts in fractions: how often it runs is not certain";
            return Err(Fault::new(place, reason));
        }
        Ok(now)
    }

    /// Whether the statements of a loop may set what its last value or its step is made of, by
    /// whatever name.
    fn changes_its_bounds(&self, counting: &For) -> bool {
        let Some(here) = self.here() else {
            return false;
        };
        let bounds = [&counting.to].into_iter().chain(&counting.by);
        let parts = bounds.flat_map(Expression::parts);
        let names: BTreeSet<&Name> = parts.filter_map(Expression::as_variable).collect();
        if names.is_empty() {
            return false;
        }
        let body = Statement::within(&counting.body);
        let called: Vec<&Call> = body.iter().flat_map(|s| s.calls()).collect();
        let reached = self
            .program
            .reached(called.iter().map(|call| call.name.clone()));
        let calls = reached.iter().map(|routine| (&***routine, routine.calls()));
        let calls: Vec<_> = calls.chain([(&**here, called)]).collect();
        let same = self.same_variables(here, &names, &calls);
        // Whether its first value comes before these are asked for is not certain either.
        same.contains(&name_in(here, &counting.name))
            || body.iter().any(|s| self.may_set(s, here, &same))
            || reached.iter().any(|routine| {
                let statements = routine.statements();
                statements.iter().any(|s| self.may_set(s, routine, &same))
            })
    }

    /// Whether what a loop counts with stands in its last value or its step, by whatever name.
    fn counts_to_itself(&self, counting: &For) -> bool {
        let Some(here) = self.here() else {
            return false;
        };
        let bounds = [&counting.to].into_iter().chain(&counting.by);
        let parts: Vec<&Expression> = bounds.flat_map(Expression::parts).collect();
        if counting.declares {
            let mut names = parts.iter().filter_map(|part| part.as_variable());
            return names.any(|name| *name == counting.name);
        }
        let called: Vec<&Call> = parts.iter().filter_map(|part| part.as_call()).collect();
        let reached = self
            .program
            .reached(called.iter().map(|call| call.name.clone()));
        let calls = reached.iter().map(|routine| (&***routine, routine.calls()));
        let calls: Vec<_> = calls.chain([(&**here, called)]).collect();
        let same = self.same_variables(here, &BTreeSet::from([&counting.name]), &calls);
        let asks = |part: &&Expression, of: &Routine| {
            let name = part.as_variable();
            name.is_some_and(|name| same.contains(&name_in(of, name)))
        };
        parts.iter().any(|part| asks(part, here))
            || reached
                .iter()
                .any(|routine| routine.parts().iter().any(|part| asks(part, routine)))
    }

    /// All names of the variables behind these names of a routine, each in its routine: a parameter
    /// may be another name of a variable of a module, or of a routine that is followed. `calls`:
    /// those by which they may be handed on.
    fn same_variables(
        &self,
        here: &Routine,
        names: &BTreeSet<&Name>,
        calls: &[(&Routine, Vec<&Call>)],
    ) -> BTreeSet<NameIn> {
        let mut same: BTreeSet<NameIn> = names.iter().map(|name| name_in(here, name)).collect();
        let in_scope = |scope: Scope, name: &Name| match scope {
            Scope::Routine(k) => match self.frames.get(k) {
                Some(frame) => name_in(&frame.routine, name),
                None => (None, name.clone()),
            },
            Scope::Module(_) | Scope::Controller => (None, name.clone()),
        };
        // What the names of the routines that are followed stand for.
        let frames = self.frames.iter().enumerate();
        let handed = frames.flat_map(|(k, frame)| {
            let variables = frame.variables.iter();
            variables.filter_map(move |(name, variable)| match &variable.holds {
                Holds::Same(spot) => Some(((Scope::Routine(k), name), spot)),
                _ => None,
            })
        });
        let handed: Vec<_> = handed
            .map(|((scope, name), spot)| (in_scope(scope, name), in_scope(spot.scope, &spot.name)))
            .collect();
        let behind = handed.iter().filter(|(name, _)| same.contains(name));
        let behind: Vec<NameIn> = behind.map(|(_, spot)| spot.clone()).collect();
        same.extend(behind);
        let others = handed.iter().filter(|(_, spot)| same.contains(spot));
        let others: Vec<NameIn> = others.map(|(name, _)| name.clone()).collect();
        same.extend(others);
        // What they may become where they are handed on.
        loop {
            let mut further = BTreeSet::new();
            for (routine, calls) in calls {
                for call in calls {
                    for called in self.program.routines.iter().filter(|r| r.name == call.name) {
                        let given = given(called, call).into_iter();
                        let lent = given.filter(|(parameter, value)| {
                            let name = value.as_variable().filter(|_| parameter.by_reference);
                            name.is_some_and(|name| same.contains(&name_in(routine, name)))
                        });
                        further.extend(lent.map(|(p, _)| name_in(called, &p.name)));
                    }
                }
            }
            if further.is_subset(&same) {
                return same;
            }
            same.extend(further);
        }
    }

    /// Whether a statement of a routine itself may set one of these variables.
    fn may_set(&self, statement: &Statement, of: &Routine, names: &BTreeSet<NameIn>) -> bool {
        let is_one = |name: &Name| names.contains(&name_in(of, name));
        match &statement.what {
            StatementKind::Assign(path, _) if is_one(&path.name) => return true,
            StatementKind::For(counting) if is_one(&counting.name) => return true,
            StatementKind::Unread(_, set) if set.iter().any(is_one) => return true,
            _ => {}
        }
        statement.calls().into_iter().any(|call| {
            let routines = self.program.routines.iter();
            let routines: Vec<_> = routines.filter(|r| r.name == call.name).collect();
            let answers = [self.does(call), self.function_does(call)]
                .iter()
                .any(|does| matches!(does, Does::Answers | Does::Computes));
            let mut given = call.positional().enumerate();
            given.any(|(k, value)| {
                let lends = |r: &&Rc<Routine>| r.parameters.get(k).is_none_or(|p| p.by_reference);
                let lent = routines.iter().any(lends) || routines.is_empty() && answers;
                value.as_variable().is_some_and(is_one) && lent
            })
        })
    }
}

/// A name in the routine that declares it; none: of a module or the controller.
type NameIn = (Option<usize>, Name);

fn name_in(routine: &Routine, name: &Name) -> NameIn {
    let address = routine
        .declares(name)
        .then(|| std::ptr::from_ref(routine) as usize);
    (address, name.clone())
}
