//! Waits for what something beside the program sets: what they bring with them, and loops that are
//! such waits though they are not written as one.

use super::*;
use crate::block::shared::{TaughtExtent, taught};

/// What is known of the waits on a way.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// Counters of modules of the loops that run: nobody else sets them.
    counters: Vec<(usize, Name)>,
    /// Choices in loops that wait, by their addresses in the program.
    polled: BTreeSet<usize>,
    /// Bodies that were looked through for them, by their addresses.
    looked_through: BTreeSet<usize>,
}

/// How statements go on where nothing moves on the way.
#[derive(Debug, Default, Clone, Copy)]
struct StillWay {
    /// To what follows.
    on: bool,
    /// To the label that was asked for; where none was, out of the routine.
    back: bool,
}

impl StillWay {
    fn or(self, other: Self) -> Self {
        Self {
            on: self.on || other.on,
            back: self.back || other.back,
        }
    }
}

impl<L: Language> BlockInterpreter<'_, L> {
    /// Who says that a wait is over may have said before how the program goes on.
    pub(super) fn forget_brought(&mut self, asked: &Expression, place: &Location) {
        if !self.kept_of(asked).is_empty() {
            self.forget_all_brought(place);
        }
    }

    /// The same after waits in statements that are passed over.
    pub(super) fn forget_waited_within(&mut self, effects: &Effects, place: &Location) {
        self.forget_awaited(&effects.awaits, place);
        if effects.brings {
            self.forget_all_brought(place);
        }
    }

    fn forget_all_brought(&mut self, place: &Location) {
        for (k, name) in self.set_by_others_here() {
            self.sets_beside(k, &name);
            self.unchoose(&name);
            let reason = format!(
                "`{}` may be set by something else before the program goes on here; set it behind this wait, or let a constant or a variable of the routine hold it",
                self.program.as_written(&name)
            );
            let mut left = Value::unknown(place, reason);
            if self.counted.shared.is_taught_in_part(&name) {
                left = self.taught_of(k, &name, left);
            }
            if let Some(variable) = self.modules[k].get_mut(&name) {
                variable.holds = Holds::Value(left);
            }
        }
    }

    /// The value of a variable of a module with nothing left but what is taught.
    fn taught_of(&mut self, module: usize, name: &Name, unknown: Value) -> Value {
        let mut data = self.program.modules[module].data.iter();
        let declared = data.find(|d| d.name == *name);
        let lists = declared.map_or(0, |d| d.lengths.len());
        let is_found = self.settle(Scope::Module(module), name).is_ok();
        let variable = self.modules[module].get(name).filter(|_| is_found);
        match variable {
            Some(Variable {
                kind,
                holds: Holds::Value(value),
                ..
            }) => {
                let mut value = value.clone();
                self.forget_untaught(&mut value, kind, lists, &unknown);
                value
            }
            _ => unknown,
        }
    }

    /// `lists`: how many lists within each other it is.
    fn forget_untaught(&self, value: &mut Value, kind: &Name, lists: usize, unknown: &Value) {
        if let (Value::Array(items), true) = (&mut *value, lists > 0) {
            for item in items {
                self.forget_untaught(item, kind, lists - 1, unknown);
            }
            return;
        }
        let taught = taught::<L>(self.program, kind);
        let kind = self.program.aliases.get(kind).unwrap_or(kind);
        match (taught, self.program.records.get(kind)) {
            (TaughtExtent::Whole, _) => {}
            (TaughtExtent::No, _) | (TaughtExtent::InPart, None) => *value = unknown.clone(),
            (TaughtExtent::InPart, Some(fields)) => {
                for (field, of) in fields {
                    let step = L::component(self, kind, field).map(|(step, _)| step);
                    match (step, &mut *value) {
                        (Some(PathStep::Index(at)), Value::Array(items)) if at < items.len() => {
                            self.forget_untaught(&mut items[at], of, 0, unknown);
                        }
                        (Some(PathStep::Field(name)), Value::Record(fields)) => {
                            if let Some(part) = fields.get_mut(&name) {
                                self.forget_untaught(part, of, 0, unknown);
                            }
                        }
                        _ => *value = unknown.clone(),
                    }
                }
            }
        }
    }

    /// What a wait may have brought with it here, each in its module.
    pub(super) fn set_by_others_here(&self) -> Vec<(usize, Name)> {
        let others = self.counted.shared.set_by_others();
        let modules = self.program.modules.iter().enumerate();
        let all = modules.flat_map(|(k, module)| module.data.iter().map(move |d| (k, d)));
        let all = all.filter(|(_, d)| d.kept && !d.constant && others.contains(&d.name));
        let keys = all.map(|(k, d)| (k, d.name.clone()));
        keys.filter(|key| !self.waiting.counters.contains(key))
            .collect()
    }

    /// A loop counts with a variable; answers how many did so before.
    pub(super) fn begins_counting(&mut self, counting: &For) -> usize {
        let before = self.waiting.counters.len();
        if !counting.declares
            && let Ok(Some(scope)) = self.seen(&counting.name)
        {
            let of = match self.variable(scope, &counting.name).map(|v| &v.holds) {
                Some(Holds::Same(spot)) => (spot.scope, spot.name.clone()),
                _ => (scope, counting.name.clone()),
            };
            if let (Scope::Module(k), name) = of {
                self.waiting.counters.push((k, name));
            }
        }
        before
    }

    /// The loop is at its end.
    pub(super) fn ends_counting(&mut self, before: usize) {
        self.waiting.counters.truncate(before);
    }

    /// Before a choice is made: where it ends a loop that waits, what it asks for may have come, and
    /// the rest with it.
    ///
    /// That both answers of a condition are followed that has only one ([`crate::one_sided`]) does not
    /// stand for this: it leaves alone what comes with what is asked for (the number of a job), and
    /// conditions about what is not known from the start.
    pub(super) fn polls(&mut self, statement: &Statement) {
        if !self.waiting.polled.contains(&address(statement)) {
            return;
        }
        for asked in statement.expressions() {
            if !self.kept_of(asked).is_empty() {
                self.forget_asked(asked, &statement.place);
                self.forget_brought(asked, &statement.place);
            }
        }
    }

    /// Looks for choices in a loop that ask, round for round, for what something else sets. `asks`:
    /// what the loop itself asks for.
    pub(super) fn finds_polled(&mut self, body: &[Statement], asks: Option<&Expression>) {
        if self.is_new(body) && self.still(body, None, &mut Vec::new()).on {
            self.finds_polled_among(body, asks, None);
        }
    }

    /// The same for jumps back within these statements.
    pub(super) fn finds_polled_by_jumps(&mut self, body: &[Statement]) {
        let labels = body.iter().enumerate().filter_map(|(k, s)| match &s.what {
            StatementKind::Label(label) => Some((k, label)),
            _ => None,
        });
        let labels: Vec<(usize, &Name)> = labels.collect();
        if labels.is_empty() || !self.is_new(body) {
            return;
        }
        for (k, label) in labels {
            let round = &body[k..];
            let goes_back = |s: &&Statement| s.what == StatementKind::Goto(label.clone());
            let last = round
                .iter()
                .rposition(|s| Statement::within([s]).iter().any(goes_back));
            let Some(last) = last else {
                continue;
            };
            let round = &round[..=last];
            if self.still(round, Some(label), &mut Vec::new()).back {
                self.finds_polled_among(round, None, Some(label));
            }
        }
    }

    /// Whether these have not been looked through before.
    fn is_new(&mut self, body: &[Statement]) -> bool {
        let first = body.first().map(address);
        first.is_some_and(|first| self.waiting.looked_through.insert(first))
    }

    fn finds_polled_among(
        &mut self,
        round: &[Statement],
        asks: Option<&Expression>,
        back: Option<&Name>,
    ) {
        let mut choices = Vec::new();
        self.still_choices(round, back, &mut choices);
        let all = Statement::within(round);
        let sets: BTreeSet<&Name> = all.iter().filter_map(|s| sets(s)).collect();
        // A loop that looks for something in a list is no wait.
        let waits = |s: &&Statement| s.as_call().is_some_and(Call::waits);
        if !sets.is_empty() && !all.iter().any(waits) {
            return;
        }
        let asked = all.iter().filter(|s| is_choice(s)).flat_map(|s| s.parts());
        let asked = asked.chain(asks.into_iter().flat_map(Expression::parts));
        let asked: BTreeSet<&Name> = asked.filter_map(Expression::as_variable).collect();
        for choice in choices {
            let within = Statement::within([choice]);
            let leads = within.iter().any(|s| match &s.what {
                StatementKind::Leave
                | StatementKind::Goto(_)
                | StatementKind::Return(_)
                | StatementKind::End => true,
                _ => sets_one(s, &asked),
            });
            let is_same = |part: &&Expression| match part {
                Expression::Variable(path) => {
                    let indices = path.indices().flat_map(Expression::parts);
                    let mut names = indices.filter_map(Expression::as_variable);
                    self.is_kept(&path.name)
                        && !sets.contains(&path.name)
                        && !names.any(|name| sets.contains(name))
                }
                Expression::Call(call) => {
                    let mut of = self.counted.shared.of_function(&call.name);
                    of.any(|name| !sets.contains(name))
                }
                _ => false,
            };
            let parts = choice.parts();
            if leads && parts.iter().any(is_same) {
                self.waiting.polled.insert(address(choice));
            }
        }
    }

    /// The choices that are come to though nothing has moved before.
    fn still_choices<'s>(
        &self,
        body: &'s [Statement],
        back: Option<&Name>,
        found: &mut Vec<&'s Statement>,
    ) {
        for statement in body {
            if is_choice(statement) {
                found.push(statement);
                for arm in arms(statement) {
                    self.still_choices(arm, back, found);
                }
            }
            let one = std::slice::from_ref(statement);
            if !self.still(one, back, &mut Vec::new()).on {
                return;
            }
        }
    }

    /// How statements may go on without a move.
    fn still(&self, body: &[Statement], back: Option<&Name>, running: &mut Vec<usize>) -> StillWay {
        let on = StillWay {
            on: true,
            back: false,
        };
        let mut way = on;
        for statement in body {
            if !way.on {
                return way;
            }
            let one = match &statement.what {
                StatementKind::Goto(label) => StillWay {
                    on: false,
                    back: back == Some(label),
                },
                StatementKind::Return(_) => StillWay {
                    on: false,
                    back: back.is_none(),
                },
                StatementKind::Leave | StatementKind::End => StillWay::default(),
                StatementKind::If(..) | StatementKind::Switch(..) => {
                    let ways = arms(statement).into_iter();
                    let ways = ways.map(|arm| self.still(arm, back, running));
                    ways.fold(StillWay::default(), StillWay::or)
                }
                StatementKind::Call(call) => StillWay {
                    on: self.is_still_call(call, running),
                    back: false,
                },
                StatementKind::Unread(..) => StillWay::default(),
                _ => on,
            };
            way = StillWay {
                on: one.on,
                back: way.back || one.back,
            };
        }
        way
    }

    /// Whether a call may come back though nothing has moved.
    fn is_still_call(&self, call: &Call, running: &mut Vec<usize>) -> bool {
        match self.routine(&call.name) {
            Ok(Some(routine)) => {
                let at = Rc::as_ptr(&routine) as usize;
                if running.contains(&at) {
                    return true;
                }
                running.push(at);
                let way = self.still(&routine.body, None, running);
                running.pop();
                way.on || way.back
            }
            _ => self.does(call) != Does::Moves,
        }
    }
}

fn address(statement: &Statement) -> usize {
    std::ptr::from_ref(statement) as usize
}

fn is_choice(statement: &Statement) -> bool {
    matches!(
        statement.what,
        StatementKind::If(..) | StatementKind::Switch(..)
    )
}

/// The statements between which a choice chooses.
fn arms(choice: &Statement) -> Vec<&[Statement]> {
    match &choice.what {
        StatementKind::If(arms, otherwise) => {
            let arms = arms.iter().map(|(_, body)| &body[..]);
            arms.chain([&otherwise[..]]).collect()
        }
        StatementKind::Switch(_, cases, otherwise) => {
            let cases = cases.iter().map(|(_, body)| &body[..]);
            cases.chain([&otherwise[..]]).collect()
        }
        _ => Vec::new(),
    }
}

/// The variable that a statement sets.
fn sets(statement: &Statement) -> Option<&Name> {
    match &statement.what {
        StatementKind::Assign(path, _) => Some(&path.name),
        StatementKind::For(counting) => Some(&counting.name),
        _ => None,
    }
}

fn sets_one(statement: &Statement, names: &BTreeSet<&Name>) -> bool {
    sets(statement).is_some_and(|name| names.contains(name))
}
