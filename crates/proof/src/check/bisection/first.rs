//! The first contact, or the proof that there is none: for all errors that the cell allows and that
//! segments say of their joints, and where that is not proved, without them.
//!
//! A proof for some errors holds for fewer: without them it goes on from where it ended with them.

use super::goal::{Goal, Hit, sum};
use super::stretches::{Searched, Stretches};
use crate::check::Snapshot;
use crate::check::contact::contact;
use crate::check::errors::ErrorBounds;
use crate::check::intersection::refine;
use crate::check::scene::Scene;
use crate::check::unresolved::UnresolvedInterval;
use crate::model::{MotionInstant, Trajectory, Uncertainty};
use crate::report::{Contact, ContactKind, Statistics, Verdict};

/// Facts about the first contact.
pub(super) struct FirstAnswer {
    pub verdict: Verdict,
    pub contact: Option<Contact>,
    pub statistics: Statistics,
}

impl FirstAnswer {
    /// Bodies meet at the very start: nothing needs to be searched.
    pub fn at_once() -> Self {
        FirstAnswer {
            verdict: Verdict::Collision,
            contact: None,
            statistics: Statistics::default(),
        }
    }
}

/// Searches of a trajectory for the first contact.
struct FirstSearches<'s> {
    scene: &'s Scene<'s>,
    trajectory: &'s Trajectory,
    resolution: f64,
    progress: &'s dyn Fn(f64),
}

impl<'s> FirstSearches<'s> {
    /// Searches for all errors within a budget (`None`: no budget) and within the tubes of
    /// segments, from a place before which that is proved already.
    fn allowing(&self, budget: Option<&'s Uncertainty>, from: MotionInstant) -> Searched {
        let stretches = Stretches {
            errors: Some(ErrorBounds::new(self.scene, budget)),
            from,
            ..self.stretches()
        };
        stretches.search(self.progress)
    }

    /// Searches with a budget as far as that is proved, and without the budget from there on.
    fn falling_back(&self, budget: &'s Uncertainty) -> Searched {
        let stretches = Stretches {
            errors: Some(ErrorBounds::new(self.scene, Some(budget))),
            falls_back: true,
            ..self.stretches()
        };
        stretches.search(self.progress)
    }

    /// Searches along the polynomials alone, without tubes, from a place before which that is
    /// proved already.
    fn ideal(&self, from: MotionInstant) -> Searched {
        let stretches = Stretches {
            ideal: true,
            from,
            ..self.stretches()
        };
        stretches.search(self.progress)
    }

    fn stretches(&self) -> Stretches<'s> {
        Stretches::new(self.scene, self.trajectory, Goal::First, self.resolution)
    }

    /// The place before which a search has proved all pairs apart.
    fn proved_until(&self, found: &Searched) -> MotionInstant {
        let end = MotionInstant::new(self.trajectory.segments.len() - 1, 1.0);
        let hit = found.hit.map_or(end, |hit| hit.at);
        let Some(open) = first_unresolved(found) else {
            return hit;
        };
        if found.hit.is_some_and(|hit| open.start >= self.time(&hit)) {
            return hit;
        }
        // Unresolved intervals carry only a rounded time, so go back by one segment.
        let before = self
            .trajectory
            .segments
            .partition_point(|s| s.end < open.start);
        let open = MotionInstant::new(before.saturating_sub(1), 0.0);
        if open < hit { open } else { hit }
    }

    /// When a hit was, trajectory time.
    fn time(&self, hit: &Hit) -> f64 {
        self.trajectory.time_at(hit.at)
    }

    /// Until when a search has proved all pairs apart, if no later than `time`.
    fn free_until(&self, found: &Searched, time: f64) -> f64 {
        let hit = found.hit.map_or(time, |hit| self.time(&hit));
        let unresolved = first_unresolved(found).map_or(time, |open| open.start);
        time.min(hit).min(unresolved)
    }

    /// The first contact of a search, or else the first interval that stayed unresolved.
    fn contact(&self, found: &Searched) -> Option<Contact> {
        if let Some(hit) = found.hit {
            let contact = contact(
                self.scene,
                self.trajectory,
                hit.pair,
                hit.at,
                ContactKind::Contact,
            );
            return Some(Contact {
                free_until: self.free_until(found, contact.time),
                ..contact
            });
        }
        first_unresolved(found).map(|open| open.contact(self.scene, self.trajectory))
    }

    /// The answer where all is proved without a budget, and with it up to `from`: the first finding
    /// of errors within the budget, and the effect of errors there. Undecided where no time was left
    /// to find one.
    fn with_budget(
        &self,
        budget: &'s Uncertainty,
        from: MotionInstant,
    ) -> (Verdict, Option<Contact>, Searched) {
        let found = self.allowing(Some(budget), from);
        let first = first_hit(&found).zip(self.contact(&found));
        let Some((hit, contact)) = first else {
            return (Verdict::Clear, None, found);
        };
        if found.hit.is_none() && self.scene.time_limit.was_exceeded() {
            return (Verdict::Undecided, Some(contact), found);
        }
        let errors = ErrorBounds::new(self.scene, Some(budget));
        let contact = as_possible(contact, hit.pair, &errors, self.trajectory);
        (Verdict::Possible, Some(contact), found)
    }

    /// The contact of the very curve, with its feature where that can be found.
    fn refined(&self, found: &Searched) -> Option<Contact> {
        let (hit, mut contact) = (found.hit?, self.contact(found)?);
        let of_pair = found.unresolved.iter().filter(|o| o.pair == hit.pair);
        let free = of_pair.map(|o| o.start).fold(contact.time, f64::min);
        let met = refine(
            self.scene,
            self.trajectory,
            hit.pair,
            free,
            hit.at,
            self.resolution,
        );
        if let Some(met) = met {
            contact.feature = Some(met.feature);
            contact.exact_time = Some(met.exact_time);
        }
        Some(contact)
    }
}

/// The first contact of a trajectory at whose start nothing is inside of anything.
pub(super) fn first(
    scene: &Scene,
    trajectory: &Trajectory,
    resolution: f64,
    progress: &dyn Fn(f64),
) -> FirstAnswer {
    let searches = FirstSearches {
        scene,
        trajectory,
        resolution,
        progress,
    };
    let (budget, tubes) = (scene.cell.allowed_errors(), trajectory.has_tubes());
    let answer = |verdict, contact, worked: &[&Searched]| FirstAnswer {
        verdict,
        contact,
        statistics: (worked.iter().map(|found| found.statistics))
            .reduce(|whole, more| sum(&whole, &more))
            .unwrap_or_default(),
    };
    // With all errors first: what is proved with errors is proved without them.
    let found = match budget {
        Some(budget) => searches.falling_back(budget),
        None if tubes => searches.allowing(None, MotionInstant::START),
        None => searches.ideal(MotionInstant::START),
    };
    if proves(&found) {
        let Some((budget, from)) = budget.zip(found.fell_back) else {
            return answer(Verdict::Clear, None, &[&found]);
        };
        let (verdict, contact, rest) = searches.with_budget(budget, from);
        return answer(verdict, contact, &[&found, &rest]);
    }
    if !tubes {
        let (verdict, contact) = match found.hit {
            Some(_) => (Verdict::Collision, searches.refined(&found)),
            None => (Verdict::Undecided, searches.contact(&found)),
        };
        return answer(verdict, contact, &[&found]);
    }
    // Tubes leave something open: report whether the polynomials themselves touch.
    let ideal = searches.ideal(searches.proved_until(&found));
    let (verdict, contact) = if ideal.hit.is_some() {
        let contact = searches.refined(&ideal).map(|contact| Contact {
            free_until: searches.free_until(&found, contact.free_until),
            ..contact
        });
        (Verdict::Collision, contact)
    } else {
        let contact = searches.contact(&found).map(|contact| Contact {
            kind: ContactKind::Unresolved,
            ..contact
        });
        (Verdict::Undecided, contact)
    };
    answer(verdict, contact, &[&found, &ideal])
}

/// Proves that all pairs stay apart, for every error that is allowed for; else tells an instant at
/// which a pair was not proved to.
pub(in crate::check) fn prove(
    scene: &Scene,
    trajectory: &Trajectory,
    resolution: f64,
) -> Result<(), Hit> {
    let mut start = Snapshot::default();
    start.set(scene, &trajectory.segments[0], 0.0);
    if let Some(&pair) = scene.contained(&mut start).first() {
        return Err(Hit {
            pair,
            at: MotionInstant::START,
        });
    }
    let searches = FirstSearches {
        scene,
        trajectory,
        resolution,
        progress: &|_| (),
    };
    let budget = scene.cell.allowed_errors();
    let found = if budget.is_some() || trajectory.has_tubes() {
        searches.allowing(budget, MotionInstant::START)
    } else {
        searches.ideal(MotionInstant::START)
    };
    first_hit(&found).map_or(Ok(()), Err)
}

/// Whether a search has proved that all pairs stay apart.
fn proves(found: &Searched) -> bool {
    found.hit.is_none() && found.unresolved.is_empty()
}

/// The earliest interval that a search could not prove free.
fn first_unresolved(found: &Searched) -> Option<&UnresolvedInterval> {
    let unresolved = found.unresolved.iter();
    unresolved.min_by(|x, y| x.start.total_cmp(&y.start))
}

/// The first hit, or else where the first interval is that could not be proved.
fn first_hit(found: &Searched) -> Option<Hit> {
    let unresolved = || {
        first_unresolved(found).map(|open| Hit {
            pair: open.pair,
            at: open.at,
        })
    };
    found.hit.or_else(unresolved)
}

/// Tells of a pair at an instant what errors within the budgets can do.
pub(super) fn as_possible(
    contact: Contact,
    pair: usize,
    errors: &ErrorBounds,
    trajectory: &Trajectory,
) -> Contact {
    let at = contact.instant();
    let contact = Contact {
        kind: ContactKind::Possible,
        ..contact
    };
    let Some(effect) = errors.effect(trajectory, pair, at) else {
        return contact;
    };
    let [a, b] = effect.points;
    Contact {
        distance: effect.distance,
        point_a: a.into(),
        point_b: b.into(),
        normal: (a - b).try_normalize(0.0).unwrap_or_default().into(),
        errors: Some(effect.shares),
        ..contact
    }
}

#[cfg(test)]
mod tests;
