//! Rounds that differ in nothing but what counts them.

use super::*;

/// After so many rounds of the same motion, how many there were is not known any more.
const MOST_ALIKE: usize = 16;

/// The rounds of a loop so far, of which nobody knows how many there are.
#[derive(Debug, Default)]
pub(super) struct AlikeRounds {
    /// The first move of this round.
    from: usize,
    /// The moves of the one before.
    moves: Vec<Value>,
    /// How many had the same.
    alike: usize,
    /// What the variables held where the round before began.
    held: Option<HeldValues>,
}

/// The values of variables that count: of modules, and of the routines that are followed.
type HeldValues = Vec<BTreeMap<Name, Value>>;

impl<L: Language> BlockInterpreter<'_, L> {
    /// At the start of a round. `is_open`: it was not known whether the loop ended in the last one. A
    /// counter that such a loop carries on would never come back: what still differs from round to
    /// round, though the motion does not, may hold anything from here on. Whether something does that
    /// did not before: the loop never comes back to an earlier round then.
    pub(super) fn begins_round(
        &mut self,
        rounds: &mut AlikeRounds,
        is_open: bool,
        place: &Location,
    ) -> bool {
        let from = std::mem::replace(&mut rounds.from, self.record.moves().len());
        if !is_open {
            (rounds.alike, rounds.held) = (0, None);
            return false;
        }
        let moves = arm::values(&self.record.moves()[from..]);
        self.flow.count(moves.iter().map(Value::size).sum());
        rounds.alike = if moves == rounds.moves {
            rounds.alike + 1
        } else {
            0
        };
        rounds.moves = moves;
        let before = rounds.held.take();
        if rounds.alike < MOST_ALIKE {
            return false;
        }
        let forgets = before.is_some_and(|before| self.forget_differing(&before, place));
        rounds.held = Some(self.held_values());
        forgets
    }

    pub(super) fn held_values(&self) -> HeldValues {
        let of_frames = self.frames.iter().map(|frame| &frame.variables);
        let all = self.modules.iter().chain(of_frames);
        let held = |variables: &BTreeMap<Name, Variable>| {
            let counts =
                |(name, variable): &(&Name, &Variable)| !variable.constant && self.counts(name);
            let own = variables.iter().filter(counts);
            let held = own.filter_map(|(name, variable)| match &variable.holds {
                Holds::Value(value) => Some((name.clone(), value.clone())),
                _ => None,
            });
            held.collect()
        };
        all.map(held).collect()
    }

    /// What does not hold what it did is not known any more. Whether there is anything.
    pub(super) fn forget_differing(&mut self, before: &HeldValues, place: &Location) -> bool {
        let mut forgets = false;
        let unknown = Value::unknown(place, "how often this loop has run by then is not known");
        let now = self.held_values();
        let modules = self.modules.len();
        for (k, (before, now)) in before.iter().zip(now).enumerate() {
            for (name, mut value) in now {
                let Some(old) = before.get(&name).filter(|old| **old != value) else {
                    continue;
                };
                forget_parts(old, &mut value, &unknown);
                self.unchoose(&name);
                let variable = match k.checked_sub(modules) {
                    None => self.modules[k].get_mut(&name),
                    Some(k) => self.frames[k].variables.get_mut(&name),
                };
                if let Some(variable) = variable {
                    variable.holds = Holds::Value(value);
                    forgets = true;
                }
            }
        }
        forgets
    }
}

/// The parts of a value that are not what they were are not known any more.
fn forget_parts(old: &Value, value: &mut Value, unknown: &Value) {
    if old == value {
        return;
    }
    match (old, &mut *value) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let items = a.iter().zip(b);
            items.for_each(|(old, item)| forget_parts(old, item, unknown));
        }
        (Value::Record(a), Value::Record(b)) if a.keys().eq(b.keys()) => {
            let fields = a.values().zip(b.values_mut());
            fields.for_each(|(old, field)| forget_parts(old, field, unknown));
        }
        _ => *value = unknown.clone(),
    }
}
