//! Bisection over sphere trees: the default check.

mod audit;
#[cfg(test)]
mod cases;
mod first;
pub(super) mod front;
mod goal;
pub(super) mod kernel;
mod leaf;
mod least;
mod margin;
mod minimum;
mod near_miss;
pub(super) mod next_step;
mod pair_filter;
mod plane;
mod run;
mod search;
mod simd;
mod stretches;
pub(super) mod sweep;
pub(super) mod view;

pub use super::options::{CheckOptions, CheckResult};
use crate::check::Snapshot;
use crate::check::errors::ErrorBounds;
use crate::check::scene::Scene;
use crate::check::unresolved::UnresolvedInterval;
use crate::model::{MotionPlace, Trajectory};
use crate::report::Verdict;
pub use audit::Encounter;
pub(crate) use audit::audit;
#[cfg(feature = "testing")]
pub use audit::{PairAudit, audit as audit_scene};
pub(super) use first::prove;
use first::{FirstAnswer, as_possible};
use goal::{Goal, sum};
pub(crate) use margin::{ErrorMargin, LimitingPlace, error_margin};
#[cfg(feature = "testing")]
pub use near_miss::is_still;
use stretches::{Searched, Stretches};

impl Scene<'_> {
    /// Checks a motion. `progress` is told the share of the work that is done, 0 … 1.
    pub fn check(
        &self,
        trajectory: &Trajectory,
        options: &CheckOptions,
        progress: &dyn Fn(f64),
    ) -> CheckResult {
        let budget = self.cell.allowed_errors();
        let runs = 1 + usize::from(options.all) + usize::from(options.minimum);
        let done = std::cell::Cell::new(0);
        let part = |share: f64| progress((done.get() as f64 + share) / runs as f64);

        let mut start = Snapshot::default();
        start.set(self, &trajectory.segments[0], 0.0);
        let contained = self.contained(&mut start);
        let question = |goal, errors| Stretches {
            errors,
            ..Stretches::new(self, trajectory, goal, options.resolution)
        };
        let first = if contained.is_empty() {
            first::first(self, trajectory, options.resolution, &part)
        } else {
            FirstAnswer::at_once()
        };
        let verdict = first.verdict;
        let at_once = contained
            .first()
            .map(|&pair| self.met(trajectory, pair, MotionPlace::START));
        let mut result = CheckResult {
            first_contact: at_once.or(first.contact),
            statistics: first.statistics,
            ..CheckResult::new(verdict)
        };
        if options.all {
            done.set(done.get() + 1);
            let errors = ErrorBounds::new(self, budget);
            // Where what segments say of their joints hides a contact, no interval needs to be cut
            // finer than to where it does.
            let undecided_by_tubes = verdict == Verdict::Undecided && trajectory.has_tubes();
            let allowed = if verdict == Verdict::Possible {
                Some(errors.clone())
            } else if undecided_by_tubes {
                Some(ErrorBounds::new(self, None))
            } else {
                None
            };
            let mut all = Searched::default();
            if verdict != Verdict::Clear {
                all = question(Goal::All, allowed.clone()).search(&part);
            }
            let mut open = UnresolvedInterval::joined(all.unresolved);
            if undecided_by_tubes {
                for open in &mut open {
                    open.touches = false;
                }
            }
            result.contacts = match allowed.filter(|_| verdict == Verdict::Possible) {
                None => self.contact_intervals(trajectory, &contained, &open),
                Some(_) => (open.iter())
                    .map(|open| {
                        as_possible(
                            open.contact(self, trajectory),
                            open.pair,
                            &errors,
                            trajectory,
                        )
                    })
                    .collect(),
            };
            result.statistics = sum(&result.statistics, &all.statistics);
            if budget.is_some() && verdict > Verdict::Unverified && verdict != Verdict::Possible {
                // Beside what the ideal motion does, what errors may do elsewhere.
                let more = question(Goal::All, Some(errors.clone())).search(&|_| ());
                let named = |wide: &UnresolvedInterval| {
                    let same = |o: &UnresolvedInterval| {
                        o.pair == wide.pair && o.start <= wide.end && wide.start <= o.end
                    };
                    open.iter().any(same) || contained.contains(&wide.pair)
                };
                let wide = UnresolvedInterval::joined(more.unresolved);
                let elsewhere = wide.iter().filter(|wide| !named(wide));
                result.contacts.extend(elsewhere.map(|w| {
                    as_possible(w.contact(self, trajectory), w.pair, &errors, trajectory)
                }));
                result.contacts.sort_by(|x, y| x.time.total_cmp(&y.time));
                result.statistics = sum(&result.statistics, &more.statistics);
            }
        }
        if options.minimum {
            done.set(done.get() + 1);
            let found = minimum::minimum(self, trajectory, options, &contained, &part);
            result.minimum = found.least;
            result.minimum_by_class = found.by_class;
            result.pair_minimums = found.pairs;
            result.others_farther_than = found.others_farther_than;
            result.statistics = sum(&result.statistics, &found.statistics);
        }
        result.statistics.pairs = self.pairs.len() as u64;
        result
    }
}
