//! Rounds of a program that starts anew whenever it has ended.
//!
//! **The way back.** A round that leaves behind what it found is like the one before it, but the arm
//! comes to it from elsewhere: from the end of the last round, and perhaps in another configuration.
//! So the next round is followed up to where joint values are stated and the motion past that place
//! is settled; from there on it is a round that was followed before. Where no move states joint
//! values, it is followed to its first point, and whoever lays the motion holds that the arm stands
//! there as it did a round earlier ([`MoveRecord::comes_back`]).
//!
//! **Where ways join** no round is left out: the next one is followed until it comes to a state in
//! which this way or another one was before, which it does once the arm is settled and variables are
//! set. What was read or set in a round need not be compared then.

use super::*;

/// After so many rounds, what differs from one to the next is not known any more.
const MOST_ROUNDS: usize = 200;

/// How far the round that leads back is followed.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeadsBack {
    /// Its first move.
    from: usize,
    /// Until joint values are stated; if not, to its first point, and round the corner there.
    until_stated: bool,
}

/// A round that was followed.
struct Round {
    /// Its first move.
    from: usize,
    moves: Vec<Value>,
}

impl<L: Language> BlockInterpreter<'_, L> {
    /// Follows the routine that runs, again and again while it leaves variables behind on which its
    /// next round depends. `call` stands for whoever starts it: the same one on each way.
    pub(crate) fn run(&mut self, routine: &Rc<Routine>, call: &Call, again: bool) {
        let mut rounds: Cycle<State> = Cycle::default();
        let parameters = routine.parameters.iter().filter(|p| !p.optional);
        let mut lent = parameters.filter(|p| p.by_reference || !L::ARGUMENTS_MAY_MISS);
        if let Some(parameter) = lent.next() {
            let reason = format!(
                "`{}` is handed `{}` by whoever calls it, and what that is is not known here: check the program that calls it",
                routine.written, parameter.name
            );
            return self.record.lose(Fault::new(&routine.place, reason));
        }
        self.module = routine.module;
        self.settle_all();
        L::prepare(self, &routine.place);
        let mut last: Option<Round> = None;
        let (mut round, mut held) = (0, None);
        loop {
            self.jumps_back += 1;
            round += 1;
            if again && round >= MOST_ROUNDS {
                if let Some(before) = held.take() {
                    self.forget_differing(&before, &routine.place);
                }
                held = Some(self.held_values());
            }
            let mark = self.answers.now();
            let kept = self.record.clone();
            self.flow.count(100 * kept.moves().len());
            let (before, asked) = (self.module_data(), self.flow.decisions());
            let modes = self.modes();
            self.written.clear();
            self.read_first.clear();
            self.settled.clear();
            self.asked_before = asked;
            if again && let Some(mark) = rounds.back_to(mark, || self.state()) {
                return self.goes_round_since(mark, routine);
            }
            if again {
                self.round_began = Some(mark);
                match self.known_state(Rc::as_ptr(routine) as usize, true) {
                    Some(KnownState::OfAnother) => return self.record.joins(),
                    Some(KnownState::OfThis { then }) => {
                        return self.goes_round_since(then, routine);
                    }
                    None => {}
                }
            }
            if let Err(fault) = self.invoke(routine, call, &routine.place) {
                return self.record.lose(fault);
            }
            if !again || self.is_over() {
                return;
            }
            if self.may_join {
                continue;
            }
            // The next round is the same if all that it reads before setting it is. Another answer
            // to a question may lead it to read something else.
            let after = self.module_data();
            let open = self.flow.decisions() > asked;
            let differs = |key: &(usize, Name)| {
                let asked_first = self.counted.read_first.contains(&key.1);
                let may_be_read = open && asked_first && !self.settled.contains(key);
                (may_be_read || self.read_first.contains(key)) && before.get(key) != after.get(key)
            };
            let from = kept.moves().len();
            let mut driven = Round {
                from,
                moves: arm::values(&self.record.moves()[from..]),
            };
            if !after.keys().any(differs) && self.modes() == modes {
                // A last round that only does once more what the one before did says nothing new.
                if let Some(last) = last.filter(|last| last.moves == driven.moves)
                    && self.record.reasons() == kept.reasons()
                {
                    self.record = kept;
                    driven = last;
                }
                self.doubt_rounds_since(mark, routine);
                return self.lead_back(routine, call, &driven, open);
            }
            last = Some(driven);
        }
    }

    /// The rounds since then are gone through again and again.
    pub(super) fn goes_round_since(&mut self, mark: usize, routine: &Routine) {
        self.doubt_rounds_since(mark, routine);
        self.record.goes_round();
    }

    /// Rounds that are the same by the values of the files need not be, where something else may set
    /// what they ask for.
    fn doubt_rounds_since(&mut self, mark: usize, routine: &Routine) {
        let Some(asks) = self.answers.same_since(mark) else {
            return;
        };
        let reason = format!(
            "`{}` starts anew whenever it has ended, and by the values of the files this has the same answer in every round: something else may set what it asks for, and then another way is taken; make it a CONST, or a VAR that the program sets",
            routine.written
        );
        self.doubt(&asks, reason);
    }

    /// Follows the next round, which is like `round`, up to where it is the same motion; `open`: if
    /// the answers to some questions are.
    fn lead_back(&mut self, routine: &Rc<Routine>, call: &Call, round: &Round, open: bool) {
        let from = self.record.moves().len();
        let own = &self.record.moves()[round.from..];
        let states = own.iter().any(arm::states);
        if let ([first, ..], Some(end), false) = (own, own.last(), open) {
            // The next round begins where this one ended, and with a move that moves nothing.
            let is_there = end.zone == Zone::Stop && arm::ends_where(end, first);
            if is_there && arm::states(first) {
                return;
            }
            if is_there && !states {
                return self.record.comes_back([round.from, from - 1]);
            }
        }
        self.leads_back = Some(LeadsBack {
            from,
            until_stated: open || states,
        });
        if let Err(fault) = self.invoke(routine, call, &routine.place) {
            return self.record.lose(fault);
        }
        let led = &self.record.moves()[from..];
        if led.is_empty() {
            return;
        }
        if arm::is_settled(self.controller, led) {
            return self.record.goes_round();
        }
        // Another answer may have led to other points.
        let (own, led) = (&self.record.moves()[round.from], &led[0]);
        if !round.moves.is_empty() && arm::ends_where(led, own) {
            self.record.goes_round();
            return self.record.comes_back([round.from, from]);
        }
        let reason = format!(
            "`{}` starts anew whenever it has ended, and no move of this round states joint values: whether the arm then stands as it did before is not known; begin with a move to joint values",
            routine.written
        );
        self.doubt(&routine.place, reason);
    }

    /// Whether the moves of the round that leads back are enough.
    pub(super) fn has_led_back(&self) -> bool {
        let Some(LeadsBack { from, until_stated }) = self.leads_back else {
            return false;
        };
        let led = &self.record.moves()[from.min(self.record.moves().len())..];
        if until_stated {
            return arm::is_settled(self.controller, led);
        }
        // The corner behind the way back is another one than before, and all further ones are as
        // they were.
        arm::leads_on(self.controller, led)
            || led.last().is_some_and(|step| step.zone == Zone::Stop)
    }
}
