//! Answers over delays become part of the answer about the motion without delay.

use std::collections::BTreeSet;

use super::OverDelays;
use crate::check::bisection::CheckResult;
use crate::check::classes;
use crate::check::joined::merge_least;
use crate::model::Cell;
use crate::report::MinimumClearance;

impl CheckResult {
    /// Takes in what delays lead to; the times of all programs when the first contact takes one.
    pub fn merge_delays(&mut self, delayed: OverDelays, cell: &Cell) -> Option<Vec<f64>> {
        let OverDelays {
            result: delayed,
            pairs,
            ..
        } = delayed;
        self.statistics.add_work(&delayed.statistics);
        // For these pairs the earliest contact over all delays is reported, in place of the one
        // without delay.
        let name = |body: usize| cell.bodies[body].name.as_str();
        let names: BTreeSet<(&str, &str)> =
            pairs.iter().map(|&(a, b)| (name(a), name(b))).collect();
        self.contacts
            .retain(|c| !names.contains(&(c.a.as_str(), c.b.as_str())));
        self.contacts
            .extend(delayed.contacts.into_iter().map(|c| c.contact));
        self.contacts.sort_by(|x, y| x.time.total_cmp(&y.time));
        let mut first = delayed.first?;
        let known = self.first_contact.as_ref();
        let free_until = known.map_or(f64::INFINITY, |k| k.free_until);
        let free_until = free_until.min(first.contact.free_until);
        let earlier = known.is_none_or(|k| first.contact.time < k.time);
        let counts = delayed.verdict > self.verdict || delayed.verdict == self.verdict && earlier;
        self.verdict = self.verdict.max(delayed.verdict);
        if counts {
            first.contact.free_until = free_until;
            self.first_contact = Some(first.contact);
            return Some(first.times);
        }
        if let Some(known) = &mut self.first_contact {
            known.free_until = free_until;
        }
        None
    }

    /// Takes in least distances over all delays: of their pairs these are the answer, and one that
    /// no delay brings nearer keeps the instant without delay. Pairs are listed that are not proved
    /// farther apart than `within`. `spent`: some were not looked at.
    pub fn merge_delayed_minimums(
        &mut self,
        delayed: &OverDelays,
        within: Option<f64>,
        spent: bool,
    ) {
        let delayed = &delayed.least;
        for least in &delayed.by_class {
            classes::merge_class(&mut self.minimum_by_class, least.clone());
        }
        for least in &delayed.pairs {
            merge_least(&mut self.minimum, least.clone());
        }
        let Some(within) = within else {
            if spent {
                self.reset_bounds();
            }
            return;
        };
        for least in &delayed.pairs {
            let same = |m: &&mut MinimumClearance| (&m.a, &m.b) == (&least.a, &least.b);
            match self.pair_minimums.iter_mut().find(same) {
                None if least.lower_bound < within => self.pair_minimums.push(least.clone()),
                None => {}
                Some(known) if least.distance < known.distance => *known = least.clone(),
                // The motion without delay is one of those that were searched.
                Some(known) => known.lower_bound = least.lower_bound.min(known.distance),
            }
        }
        if spent {
            self.reset_bounds();
        }
        let pairs = &mut self.pair_minimums;
        pairs.sort_by(|x, y| x.distance.total_cmp(&y.distance));
    }
}
