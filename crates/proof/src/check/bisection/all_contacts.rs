//! Every contact of a motion, once its verdict is known.

use super::first::as_possible;
use super::goal::{Goal, sum};
use super::stretches::{Searched, Stretches};
use crate::check::errors::ErrorBounds;
use crate::check::options::CheckOptions;
use crate::check::scene::Scene;
use crate::check::unresolved::UnresolvedInterval;
use crate::model::Trajectory;
use crate::report::{Contact, Statistics, Verdict};

/// What all contacts are asked of.
pub(super) struct AllContacts<'q> {
    pub scene: &'q Scene<'q>,
    pub trajectory: &'q Trajectory,
    pub options: &'q CheckOptions,
    /// The answer of the search for the first contact.
    pub verdict: Verdict,
    /// Pairs of which one body is inside the other at the first instant.
    pub contained: &'q [usize],
}

impl<'q> AllContacts<'q> {
    /// The contacts by time, and the work that it took.
    pub fn find(&self, progress: &dyn Fn(f64)) -> (Vec<Contact>, Statistics) {
        let budget = self.scene.cell.allowed_errors();
        let errors = ErrorBounds::new(self.scene, budget);
        // Where what segments say of their joints hides a contact, no interval needs to be cut
        // finer than to where it does.
        let undecided_by_tubes = self.verdict == Verdict::Undecided && self.trajectory.has_tubes();
        let allowed = match self.verdict {
            Verdict::Possible => Some(errors.clone()),
            _ if undecided_by_tubes => Some(ErrorBounds::new(self.scene, None)),
            _ => None,
        };
        let all = match self.verdict {
            Verdict::Clear => Searched::default(),
            _ => self.search(allowed, progress),
        };
        let mut statistics = all.statistics;
        let mut open = UnresolvedInterval::joined(all.unresolved);
        if undecided_by_tubes {
            for open in &mut open {
                open.touches = false;
            }
        }
        if self.verdict == Verdict::Possible {
            let possible = open.iter().map(|open| self.possible(open, &errors));
            return (possible.collect(), statistics);
        }
        let mut contacts = (self.scene).contact_intervals(self.trajectory, self.contained, &open);
        if budget.is_some() && self.verdict > Verdict::Unverified {
            // Beside what the ideal motion does, what errors may do elsewhere.
            let more = self.search(Some(errors.clone()), &|_| ());
            let wide = UnresolvedInterval::joined(more.unresolved);
            let elsewhere = wide.iter().filter(|wide| !self.is_named(wide, &open));
            contacts.extend(elsewhere.map(|wide| self.possible(wide, &errors)));
            contacts.sort_by(|x, y| x.time.total_cmp(&y.time));
            statistics = sum(&statistics, &more.statistics);
        }
        (contacts, statistics)
    }

    fn search(&self, errors: Option<ErrorBounds<'q>>, progress: &dyn Fn(f64)) -> Searched {
        let resolution = self.options.resolution;
        let question = Stretches {
            errors,
            ..Stretches::new(self.scene, self.trajectory, Goal::All, resolution)
        };
        question.search(progress)
    }

    /// Whether the pair of an interval is in contact in a part of it already.
    fn is_named(&self, wide: &UnresolvedInterval, contacts: &[UnresolvedInterval]) -> bool {
        let same = |o: &UnresolvedInterval| {
            o.pair == wide.pair && o.start <= wide.end && wide.start <= o.end
        };
        contacts.iter().any(same) || self.contained.contains(&wide.pair)
    }

    fn possible(&self, open: &UnresolvedInterval, errors: &ErrorBounds) -> Contact {
        let contact = open.contact(self.scene, self.trajectory);
        as_possible(contact, open.pair, errors, self.trajectory)
    }
}
