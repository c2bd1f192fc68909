//! Elements of lists where it is not known which one: each is a way of its own.

use super::*;
use crate::block::shared::{TaughtExtent, taught};
use crate::block::variables::{TypedPlace, change, part};

/// Longer lists are not taken apart.
const MOST_ELEMENTS: usize = 64;

/// What [`KnownAnswers`] calls the numbers that were chosen.
const CHOSEN: char = 'e';

impl<L: Language> BlockInterpreter<'_, L> {
    /// Where an expression asks for an element of a list, and the variable that says which one is not
    /// known, each element is a way of its own, on which the variable holds its number: a controller
    /// stops at any number that the list does not have. `of`: lists of what counts.
    pub(crate) fn choose_elements(
        &mut self,
        expression: &Expression,
        of: ListsOf,
        place: &Location,
    ) -> Result<(), Fault> {
        for asked in expression.parts() {
            let Expression::Variable(path) = asked else {
                continue;
            };
            for (k, step) in path.parts.iter().enumerate() {
                if let PathPart::Index(Expression::Variable(index)) = step
                    && index.indices().next().is_none()
                {
                    let list = VariablePath {
                        name: path.name.clone(),
                        parts: path.parts[..k].to_vec(),
                    };
                    self.choose_element(&list, index, of, place)?;
                }
            }
        }
        Ok(())
    }

    fn choose_element(
        &mut self,
        list: &VariablePath,
        index: &VariablePath,
        of: ListsOf,
        place: &Location,
    ) -> Result<(), Fault> {
        let asked = Expression::Variable(index.clone());
        if !matches!(self.value(&asked, place)?, Value::Unknown(_)) {
            return Ok(());
        }
        let (Some(Ok(at)), Some(Ok(list))) = (self.spot(index, place)?, self.spot(list, place)?)
        else {
            return Ok(());
        };
        let Some(length) = self.elements(&list, of) else {
            return Ok(());
        };
        if !L::INDICES.contains(&&*at.kind) || !self.can_hold(&at) {
            return Ok(());
        }
        let shown = index.shown();
        let mut numbers = 1..length;
        let is_it = |n: &usize| self.flow.decide(place, &format!("{shown} = {n}"));
        let chosen = numbers.find(is_it).unwrap_or(length);
        let name = at.spot.name.clone();
        if let Some(variable) = self.variable_mut(at.spot.scope, &name)
            && let Holds::Value(held) = &mut variable.holds
        {
            // It has such a part.
            _ = change(held, &at.spot.steps, Value::Number(chosen as f64), place);
        }
        let number = self.chosen.len() as u32;
        let chosen = self.chosen.entry(name).or_insert(ChosenNumber {
            number,
            holds: true,
        });
        chosen.holds = true;
        let number = chosen.number;
        let read = self.answers.reads_so_far();
        self.answers.sets((CHOSEN, number), true, read);
        Ok(())
    }

    /// How many elements a list has, if they count and are not too many.
    fn elements(&self, list: &TypedPlace, of: ListsOf) -> Option<usize> {
        if of == ListsOf::TaughtPoints && taught::<L>(self.program, &list.kind) == TaughtExtent::No
        {
            return None;
        }
        let variable = self.variable(list.spot.scope, &list.spot.name)?;
        let Holds::Value(held) = &variable.holds else {
            return None;
        };
        match part(held, &list.spot.steps) {
            Ok(Value::Array(items)) if (1..=MOST_ELEMENTS).contains(&items.len()) => {
                Some(items.len())
            }
            _ => None,
        }
    }

    /// Whether a variable that is not known holds a number from now on if it is given one.
    fn can_hold(&self, at: &TypedPlace) -> bool {
        let variable = self.variable(at.spot.scope, &at.spot.name);
        let Some(Variable {
            holds: Holds::Value(held),
            constant: false,
            ..
        }) = variable
        else {
            return false;
        };
        let steps = &at.spot.steps;
        (0..steps.len()).all(|k| !matches!(part(held, &steps[..k]), Ok(Value::Unknown(_)) | Err(_)))
    }

    /// Variables that hold another value from now on than the one that was chosen.
    pub(in crate::block) fn unchoose(&mut self, name: &Name) {
        if let Some(chosen) = self.chosen.get_mut(name) {
            chosen.holds = false;
        }
    }

    /// The numbers that were chosen on this way and for which these ask, if they ask for
    /// nothing else that something beside the program may set.
    pub(super) fn reads_chosen(&mut self, asked: &[&Expression]) {
        let routine = self.here().filter(|_| self.inside).map(Rc::as_ref);
        let asked = asked.iter();
        let names: BTreeSet<Name> = asked
            .flat_map(|asked| self.counted.shared.asked(asked, routine))
            .collect();
        let chosen = |name: &Name| {
            let chosen = self.chosen.get(name).filter(|chosen| chosen.holds);
            chosen.map(|chosen| chosen.number)
        };
        let numbers: Option<Vec<u32>> = names.iter().map(chosen).collect();
        for number in numbers.into_iter().flatten() {
            self.answers.reads((CHOSEN, number));
        }
    }
}

/// That a variable holds the number of an element because that was chosen.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChosenNumber {
    /// What [`KnownAnswers`] calls it.
    number: u32,
    /// Whether it still does.
    holds: bool,
}

/// Which lists count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListsOf {
    TaughtPoints,
    Anything,
}
