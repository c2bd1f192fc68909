//! What the interpreters of both languages do alike: they go from line to line, find the programs that
//! are called, and answer conditions.

use std::collections::BTreeSet;
use std::rc::Rc;

use clearance_proof::report::Location;

use super::at_hand::{CalledProgram, WrittenVariables};
use super::kept::StoredProgram;
use super::unread::UsesValues;
use super::way::{LineJumpsBack, LineProgram, LineWay};
use super::{NextLine, known_by, other_name};
use crate::answers::SharedValue;
use crate::controller::STILL;
use crate::flow::SharedAnswer;
use crate::most_moves::{MOST_MOVES, too_many_moves};
use crate::value::{Fault, Value};

/// Follows one way through programs of lines.
pub(crate) trait LineInterpreter<'m> {
    type Program: LineProgram + 'm;

    fn way(&mut self) -> &mut LineWay<'m, Self::Program>;

    /// Takes over what a program says before its first line.
    fn load(&mut self, program: &Self::Program);

    /// Follows the statement in a line.
    fn statement(&mut self, program: &Rc<Self::Program>, at: usize) -> Result<NextLine, Fault>;

    /// Whether another way may go on for this one here.
    fn may_join(&self) -> bool {
        true
    }

    /// Whether something else may set a value that all programs share.
    fn may_be_set(&self, value: &SharedValue) -> bool;

    /// Something else may have set these values.
    fn forget_shared(&mut self, values: &BTreeSet<SharedValue>, place: &Location);

    /// Follows a program from its first line to where it ends; [`NextLine::Line`]: behind its last
    /// one.
    fn run(&mut self, program: &Rc<Self::Program>) -> Result<NextLine, Fault> {
        let mut jumps = LineJumpsBack::<Self::Program>::default();
        let mut at = 0;
        while let Some(line) = program.lines().get(at) {
            let way = self.way();
            way.flow.step(&line.place)?;
            if way.record.moves().len() > MOST_MOVES {
                let reason = too_many_moves(way.record.moves().len());
                return Err(Fault::new(&line.place, reason));
            }
            let next = match self.statement(program, at)? {
                NextLine::Line => at + 1,
                NextLine::At(next) => next,
                ended => return Ok(ended),
            };
            let goes_round = next <= at && self.way().jumps_back(&mut jumps, next);
            if goes_round || self.may_join() && self.way().joins(program, next) {
                return Ok(NextLine::End);
            }
            at = next;
        }
        Ok(NextLine::Line)
    }

    /// The program of a name, beside the one that calls it; none: it is not there, and the cell says
    /// that it keeps the arm still. What the cell says does not count for one that can be followed.
    fn called(
        &mut self,
        from: &Self::Program,
        name: &str,
        place: &Location,
    ) -> Result<Option<Rc<Self::Program>>, Fault> {
        let what = Self::Program::WHAT;
        let way = self.way();
        let found = way.text.at_hand.borrow_mut().find(from, name, way.options);
        let found = found
            .map_err(|e| Fault::new(place, format!("the {what} `{name}` is not read: {e}")))?;
        let Some(program) = found else {
            if way.controller.is_still(name) {
                return Ok(None);
            }
            let file = format!("{name}.{}", Self::Program::EXTENSION);
            return Err(Fault::new(
                place,
                format!(
                    "there is no `{file}` beside this {what}; if it {STILL}, write `still = [\"{name}\"]` in the robot's `controller`"
                ),
            ));
        };
        if way.loads(name) {
            self.load(&program);
        }
        if known_by(program.name()) != known_by(name) {
            let reason = other_name(what, program.path(), program.name());
            return Err(Fault::new(place, reason));
        }
        Ok(Some(program))
    }

    /// What a called program writes that is passed over: the cell calls it still, and its text shows
    /// it.
    fn passes_by(
        &mut self,
        name: &str,
        program: &Rc<Self::Program>,
    ) -> Option<WrittenVariables<<Self::Program as UsesValues>::Value>> {
        let way = self.way();
        let mut at_hand = way.text.at_hand.borrow_mut();
        at_hand.passes_by(name, program, way.controller, way.options, way.flow)
    }

    /// The answer to a condition that has both answers by the values of the program, with the other
    /// answers of those of its parts that have only one (`R[1]=3 OR R[9]=1`). `read_again` reads it,
    /// and [`Self::part`] each part of it. None: it has no parts, or none that has one answer.
    fn by_parts(
        &mut self,
        truth: &Value,
        question: &str,
        place: &Location,
        read_again: impl FnOnce(&mut Self) -> Result<Value, Fault>,
    ) -> Result<Option<bool>, Fault> {
        let mut words = question.split(|c: char| !c.is_ascii_alphanumeric());
        let has_parts = words.any(|word| word == "AND" || word == "OR");
        let flow = &self.way().flow;
        if !has_parts || truth.boolean(place)?.is_err() || flow.is_open((place, Vec::new())) {
            return Ok(None);
        }
        let decisions = flow.decisions();
        self.way().asks_parts = true;
        let truth = read_again(self);
        self.way().asks_parts = false;
        let truth = truth?.boolean(place)?;
        if self.way().flow.decisions() == decisions {
            return Ok(None);
        }
        Ok(Some(truth.unwrap_or_else(|_| {
            self.way().flow.decide(place, question)
        })))
    }

    /// A part of a condition, as it is or with the other answer. `id`: which of the line it is;
    /// `read`: how often shared values had been read before it.
    fn part(
        &mut self,
        (value, read): (Value, usize),
        (id, question): (usize, &str),
        place: &Location,
    ) -> Value {
        let Value::Boolean(truth) = value else {
            return value;
        };
        if !self.way().asks_parts {
            return value;
        }
        let mut set = self.way().answers.read_since(read);
        set.retain(|value| self.may_be_set(value));
        let way = self.way();
        if !set.is_subset(&way.just_set())
            && let SharedAnswer::Open(answer) =
                (way.flow).decide_shared((place, vec![id]), question, truth)
        {
            if answer != truth {
                self.forget_shared(&set, place);
            }
            return Value::Boolean(answer);
        }
        value
    }

    /// The answer to a condition: what is known of it, or what this way has. `read`: how often shared
    /// values had been read before it.
    fn answer(
        &mut self,
        (truth, read): (&Value, usize),
        question: &str,
        place: &Location,
    ) -> Result<bool, Fault> {
        let Ok(truth) = truth.boolean(place)? else {
            return Ok(self.way().flow.decide(place, question));
        };
        let read_since = self.way().answers.read_since(read);
        // Numbers, and what only the program itself sets, stay what they are.
        if read_since.is_empty() {
            return Ok(truth);
        }
        let mut set = read_since;
        set.retain(|value| self.may_be_set(value));
        let way = self.way();
        if !set.is_subset(&way.just_set())
            && let SharedAnswer::Open(answer) =
                (way.flow).decide_shared((place, Vec::new()), question, truth)
        {
            if answer != truth {
                self.forget_shared(&set, place);
            }
            return Ok(answer);
        }
        let value = Value::Boolean(truth);
        way.answers.add_of(place, Vec::new(), value, read);
        Ok(truth)
    }
}
