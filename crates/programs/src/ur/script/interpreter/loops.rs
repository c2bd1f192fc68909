//! Loops of a script.

use std::sync::Arc;

use clearance_proof::report::Location;

use super::state::before_loop;
use super::{End, ScriptInterpreter};
use crate::answers::KnownAnswers;
use crate::comes_back::Rounds;
use crate::ur::script::syntax::{ScriptExpression, ScriptScope, ScriptStatement};
use crate::value::{Fault, Value};

impl ScriptInterpreter<'_> {
    pub(super) fn repeat(
        &mut self,
        condition: &ScriptExpression,
        body: &[ScriptStatement],
        place: &Location,
    ) -> Result<End, Fault> {
        let mut rounds = Rounds::default();
        let mut asked = 0;
        loop {
            self.flow.step(place)?;
            let state = self.state();
            let known = self.flow.decisions();
            let ends =
                known > asked && self.may_end() && self.ends_at(before_loop(condition), &state);
            asked = known;
            if ends {
                return Ok(End::Stop);
            }
            if let Some(repeated) = rounds.back_to(0, || state, || self.state_at_pose()) {
                self.record.pass_over("while, which goes on for ever");
                repeated.note(&KnownAnswers::default(), &mut self.record);
                return Ok(End::Stop);
            }
            let goes_on = match self.value(condition, place)?.boolean(place)? {
                Ok(goes_on) => goes_on,
                Err(why) => {
                    let effects = self.effects(body).and(self.effects_of_value(condition));
                    // A stop within a corner that is rounded cuts it.
                    let counts = effects.moves || effects.stops;
                    if !counts && !effects.leaves && !effects.starts {
                        let reason = "a loop changes it, and how often it goes round is not known";
                        self.unknown_now(&effects, place, reason);
                        self.record
                            .pass_over("while, without an effect on the motion");
                        return Ok(End::Next);
                    }
                    match self.choose(place, &condition.as_text(), &why) {
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

    pub(super) fn times(
        &mut self,
        count: &ScriptExpression,
        counter: Option<&Arc<str>>,
        body: &[ScriptStatement],
        place: &Location,
    ) -> Result<End, Fault> {
        if let Some(name) = counter {
            let effects = self.effects(body);
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
            self.counted_loops += 1;
            let end = self.body(body);
            self.counted_loops -= 1;
            match end? {
                End::Next | End::Continue => {}
                End::Break => return Ok(End::Next),
                other => return Ok(other),
            }
            round += 1.0;
        }
        Ok(End::Next)
    }
}
