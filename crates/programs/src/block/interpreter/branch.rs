//! Conditions and cases, and statements that run beside the program.

use super::*;
use crate::block::syntax::Operator;
use crate::controller::STILL;
use crate::flow::SharedAnswer;
use crate::one_sided::QuestionId;

/// What was found out of a condition.
#[derive(Debug, Clone, Copy)]
pub(super) struct JudgedCondition {
    /// Whether it holds on this way; none: whatever it is, nothing depends on that.
    pub(super) holds: Option<bool>,
    /// Whether that is not known: other ways have the other answer.
    pub(super) is_open: bool,
}

impl<L: Language> BlockInterpreter<'_, L> {
    /// Whether a condition holds; where that is not known, each way has its own answer. None:
    /// whatever it is, `within` only changes variables on which nothing depends, and these are
    /// forgotten.
    pub(super) fn holds(
        &mut self,
        condition: &Expression,
        within: &[&Statement],
        place: &Location,
    ) -> Result<Option<bool>, Fault> {
        let known = self.value(condition, place)?.boolean(place)?;
        Ok(self.judged(known, condition, within, place)?.holds)
    }

    /// The same by what is known of it.
    fn judged(
        &mut self,
        known: Known<bool>,
        condition: &Expression,
        within: &[&Statement],
        place: &Location,
    ) -> Result<JudgedCondition, Fault> {
        let decisions = self.flow.decisions();
        let holds = match known {
            Ok(truth) if self.shared(condition) && self.matters_within(within) => {
                match self.by_parts(condition, truth, place)? {
                    Ok(_) if self.flow.decisions() == decisions => {
                        Some(self.decide_shared(&[condition], &condition.shown(), truth, place))
                    }
                    Ok(truth) => Some(truth),
                    Err(_) => self.open(&condition.shown(), within, place)?,
                }
            }
            Ok(truth) => Some(truth),
            Err(_) => self.open(&condition.shown(), within, place)?,
        };
        let is_open = holds.is_none() || self.flow.decisions() > decisions;
        Ok(JudgedCondition { holds, is_open })
    }

    /// Whether it matters which of these statements are reached.
    fn matters_within(&self, within: &[&Statement]) -> bool {
        let effects = self.effects_of_choice(within);
        !effects.are_quiet() || self.sets_what_counts(&effects)
    }

    /// Possible effects of a choice among statements. Where one of them leaves the routine, the rest
    /// of that is done or not, too.
    fn effects_of_choice(&self, within: &[&Statement]) -> Rc<Effects> {
        let effects = self.effects(within);
        let here = self.here().filter(|_| self.inside && effects.returns);
        let Some(routine) = here.filter(|_| !effects.moves && !effects.leaves) else {
            return effects;
        };
        let body: Vec<_> = routine.body.iter().collect();
        let whole = self.effects_of(routine, &body);
        Rc::new(Effects {
            returns: false,
            ..(*whole).clone()
        })
    }

    /// How a statement goes on that was passed over: where it may have left the routine, whose rest
    /// changes nothing that counts, the routine ends.
    pub(super) fn passed_over(&mut self, statement: &Statement) -> StatementEnd {
        if !self.effects(&[statement]).returns {
            return StatementEnd::On;
        }
        if let Some(routine) = self.here().cloned() {
            let rest = routine.body.iter();
            let rest: Vec<_> = rest
                .filter(|s| s.place.line > statement.place.line)
                .collect();
            self.pass_over(&rest);
        }
        StatementEnd::Return(None)
    }

    /// Whether a loop is only a wait for what something beside the program may set: then it is as if
    /// that had come, and all that the loop sets is forgotten. `stays`: the answer with which it goes
    /// on.
    pub(super) fn waits_in_loop(
        &mut self,
        statement: &Statement,
        asked: &Expression,
        stays: bool,
    ) -> Result<bool, Fault> {
        let (place, within) = (&statement.place, [statement]);
        if !self.shared(asked) {
            return Ok(false);
        }
        let effects = self.effects(&within);
        // A function that answers in what it is handed asks for it as a wait does: `TestAndSet`.
        let answered = self.answered_in(asked);
        let mut sets = effects.assigns.iter();
        if !effects.are_quiet() || sets.any(|n| self.counts(n) && !answered.contains(n)) {
            return Ok(false);
        }
        let read = self.read_first.clone();
        match self.value(asked, place)?.boolean(place)? {
            Ok(holds) if holds == stays && !self.may_come(asked, holds, place)? => {
                return Ok(false);
            }
            Ok(_) => {}
            Err(_) if answered.iter().any(|name| self.is_kept(name)) => {}
            Err(_) => return Ok(false),
        }
        let reason = "a loop that waits may set it, and how often that runs is not known";
        self.forget(&effects.assigns, &Value::unknown(place, reason));
        self.forget_waited_within(&effects, place);
        self.forget_brought(asked, place);
        self.have_come(asked, read);
        self.pass_over(&within);
        Ok(true)
    }

    /// The variables in which functions of the controller answer that an expression calls.
    fn answered_in(&self, asked: &Expression) -> BTreeSet<Name> {
        let calls = asked.parts().into_iter().filter_map(Expression::as_call);
        let answer = calls.filter(|call| {
            let is_routine = !matches!(self.routine(&call.name), Ok(None));
            !is_routine && self.function_does(call) == Does::Answers
        });
        let given = answer.flat_map(Call::positional);
        given.filter_map(Expression::as_variable).cloned().collect()
    }

    /// The same as [`Self::holds`] for the condition of a loop, which asks again and again: what else
    /// may set it may do so before the loop ends.
    pub(super) fn goes_on(
        &mut self,
        condition: &Expression,
        within: &[&Statement],
        place: &Location,
    ) -> Result<JudgedCondition, Fault> {
        let known = self.value(condition, place)?.boolean(place)?;
        let is_known = known.is_ok();
        let judged = self.judged(known, condition, within, place)?;
        match judged.holds {
            Some(_) if !is_known => self.forget_asked(condition, place),
            Some(truth) if !judged.is_open => {
                self.answered(condition, place, Value::Boolean(truth));
            }
            _ => {}
        }
        Ok(judged)
    }

    /// Takes in the value of an expression that something else can change, and that chooses what is
    /// done.
    pub(crate) fn answered(&mut self, asked: &Expression, place: &Location, value: Value) {
        if self.shared(asked) {
            self.add_answer(&[asked], place, value);
        }
    }

    /// The first of these stands for them.
    fn add_answer(&mut self, asked: &[&Expression], place: &Location, value: Value) {
        // The same expression may be asked for in several calls of its routine.
        let calls = self.frames.iter().map(|frame| frame.call);
        let first = asked
            .iter()
            .take(1)
            .map(|&asked| std::ptr::from_ref(asked) as usize);
        let question = calls.chain(first).collect();
        let read = self.answers.reads_so_far();
        self.reads_chosen(asked);
        self.answers.add_of(place, question, value, read);
    }

    /// The answer to a condition about what something beside the program may set: `truth`, as the
    /// values of the program have it, unless the condition is [one-sided](crate::one_sided). `asked`:
    /// all that it compares; the first stands for it.
    fn decide_shared(
        &mut self,
        asked: &[&Expression],
        told: &str,
        truth: bool,
        place: &Location,
    ) -> bool {
        let id = asked
            .iter()
            .take(1)
            .map(|&asked| std::ptr::from_ref(asked) as usize);
        let id = id.collect();
        if self.may_be_set(asked)
            && let SharedAnswer::Open(answer) = self.flow.decide_shared((place, id), told, truth)
        {
            if answer != truth {
                self.forget_set(asked, place);
            }
            return answer;
        }
        self.add_answer(asked, place, Value::Boolean(truth));
        truth
    }

    /// The answer to a condition that has both answers by the values of the program, with the other
    /// answers of those of its parts that have only one (`n<3 AND NOT abort`).
    fn by_parts(
        &mut self,
        condition: &Expression,
        truth: bool,
        place: &Location,
    ) -> Result<Known<bool>, Fault> {
        let mut inner = condition;
        while let Expression::Not(negated) = inner {
            inner = negated;
        }
        let has_parts = matches!(inner, Expression::Binary(Operator::And | Operator::Or, ..));
        let id = QuestionId::from([std::ptr::from_ref(condition) as usize]);
        if !has_parts || self.calls(condition) || self.flow.is_open((place, id)) {
            return Ok(Ok(truth));
        }
        self.decide_parts(condition, place)?.boolean(place)
    }

    fn decide_parts(&mut self, part: &Expression, place: &Location) -> Result<Value, Fault> {
        match part {
            Expression::Not(inner) => self.decide_parts(inner, place)?.not(place),
            Expression::Binary(Operator::And, a, b) => {
                let a = self.decide_parts(a, place)?;
                a.and(&self.decide_parts(b, place)?, place)
            }
            Expression::Binary(Operator::Or, a, b) => {
                let a = self.decide_parts(a, place)?;
                a.or(&self.decide_parts(b, place)?, place)
            }
            _ => {
                let value = self.value(part, place)?;
                let Ok(truth) = value.boolean(place)? else {
                    return Ok(value);
                };
                let id = QuestionId::from([std::ptr::from_ref(part) as usize]);
                if self.may_be_set(&[part])
                    && let SharedAnswer::Open(answer) =
                        self.flow.decide_shared((place, id), &part.shown(), truth)
                {
                    if answer != truth {
                        self.forget_set(&[part], place);
                    }
                    return Ok(Value::Boolean(answer));
                }
                Ok(value)
            }
        }
    }

    /// Whether something beside the program may have set, since the program did, what these ask for.
    fn may_be_set(&self, asked: &[&Expression]) -> bool {
        let routine = self.here().filter(|_| self.inside).map(Rc::as_ref);
        let shared = &self.counted.shared;
        let just_set = self.just_set.now(self.time_passed());
        let mut of = asked
            .iter()
            .flat_map(|asked| shared.computed_of(asked, routine));
        of.any(|name| shared.set_by_others().contains(&name) && !just_set.contains(&name))
    }

    /// Something beside the program has. Taught points, tools and the like are what the files say.
    fn forget_set(&mut self, asked: &[&Expression], place: &Location) {
        let routine = self.here().filter(|_| self.inside).map(Rc::as_ref);
        let shared = &self.counted.shared;
        let mut names = BTreeSet::new();
        for asked in asked {
            names.extend(shared.asked(asked, routine));
            names.extend(shared.computed_of(asked, routine));
        }
        let others = shared.set_by_others();
        names.retain(|name| others.contains(name) || !self.is_kept(name));
        self.forget_awaited(&names, place);
    }

    fn open(
        &mut self,
        question: &str,
        within: &[&Statement],
        place: &Location,
    ) -> Result<Option<bool>, Fault> {
        let effects = self.effects_of_choice(within);
        if !effects.are_quiet() || effects.assigns.iter().any(|name| self.counts(name)) {
            return Ok(Some(self.flow.decide(place, question)));
        }
        let reason = format!("it depends on `{question}`, which is not known");
        self.forget(&effects.assigns, &Value::unknown(place, reason));
        self.forget_waited_within(&effects, place);
        self.pass_over(within);
        Ok(None)
    }

    /// Statements that run beside the program, nobody knows when: they must not do anything that
    /// counts.
    pub(super) fn aside(&mut self, body: &[Statement], place: &Location) {
        let within: Vec<_> = body.iter().collect();
        let effects = self.effects(&within);
        // Variables of the controller that matter are among what moves the arm, and of the others
        // only those can be read back that a list declares.
        let is_kept = |name: &&Name| !name.starts_with('$') || !matches!(self.seen(name), Ok(None));
        let mut kept = effects.assigns.iter().filter(is_kept);
        let counters = self.counters_beside(&within);
        let counts = |name: &Name| self.counts(name) || counters.contains(name);
        if !effects.are_quiet() || kept.any(counts) {
            let mut reason = "this trigger could move the arm or change how it moves, and it is not known when it comes".to_owned();
            reason += &self.remedy_for_unread(&within);
            self.doubt(place, reason);
        } else {
            self.pass_over(&within);
        }
        let reason = "a trigger sets it, at a time that is not known";
        self.forget(&effects.assigns, &Value::unknown(place, reason));
    }

    /// What to do about statements that could move the arm because they call a routine that no file
    /// has; nothing, where they call none.
    pub(crate) fn remedy_for_unread(&self, within: &[&Statement]) -> String {
        let all = Statement::within(within.iter().copied());
        let mut calls = all.into_iter().filter_map(Statement::as_call);
        let is_unread = |call: &&Call| {
            let is_known = !matches!(self.routine(&call.name), Ok(None));
            !is_known && self.does(call) == Does::Moves && !L::is_motion(&call.name)
        };
        let Some(call) = calls.find(is_unread) else {
            return String::new();
        };
        let written = self.program.as_written(&call.name);
        format!(
            ": `{written}` is in no file that was read; name its file in `files` of the robot's `controller`, or, if it {STILL}, the name in `still`"
        )
    }

    /// Counts what is passed over with a statement that is.
    pub(super) fn pass_over(&mut self, statements: &[&Statement]) {
        for statement in Statement::within(statements.iter().copied()) {
            match &statement.what {
                StatementKind::Pass(word) => self.record.pass_over(word),
                StatementKind::Call(call) => self.record.pass_over(&call.name),
                _ => {}
            }
        }
    }

    pub(super) fn branch(
        &mut self,
        statement: &Statement,
        arms: &[(Expression, Vec<Statement>)],
        otherwise: &[Statement],
    ) -> Result<StatementEnd, Fault> {
        self.polls(statement);
        for (condition, body) in arms {
            match self.holds(condition, &[statement], &statement.place)? {
                Some(true) => return self.block(body),
                Some(false) => {}
                None => return Ok(self.passed_over(statement)),
            }
        }
        self.block(otherwise)
    }

    pub(super) fn switch(
        &mut self,
        statement: &Statement,
        value: &Expression,
        cases: &[(Vec<Expression>, Vec<Statement>)],
        otherwise: &[Statement],
    ) -> Result<StatementEnd, Fault> {
        let place = &statement.place;
        self.polls(statement);
        let mut held = self.value(value, place)?;
        let told = |case: &Expression| format!("{} = {}", value.shown(), case.shown());
        let mut all = [value]
            .into_iter()
            .chain(cases.iter().flat_map(|(values, _)| values));
        let matters = all.any(|asked| self.shared(asked)) && self.matters_within(&[statement]);
        for (values, body) in cases {
            for case in values {
                let case_value = self.value(case, place)?;
                let truth = match held.equals_rounded(&case_value, place).boolean(place)? {
                    Ok(truth) if matters => {
                        let answer = self.decide_shared(&[case, value], &told(case), truth, place);
                        if answer != truth {
                            let reason = "something else may have set it";
                            held = Value::unknown(place, reason);
                        }
                        Some(answer)
                    }
                    Ok(truth) => Some(truth),
                    Err(_) => self.open(&told(case), &[statement], place)?,
                };
                match truth {
                    Some(true) => return self.block(body),
                    Some(false) => {}
                    None => return Ok(self.passed_over(statement)),
                }
            }
        }
        self.block(otherwise)
    }
}
