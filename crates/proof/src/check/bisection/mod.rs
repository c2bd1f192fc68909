//! Bisection over sphere trees: the default check.

mod all_contacts;
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
use crate::check::scene::Scene;
use crate::model::{MotionInstant, Trajectory};
use all_contacts::AllContacts;
pub use audit::Encounter;
pub(crate) use audit::audit;
#[cfg(feature = "testing")]
pub use audit::{PairAudit, audit as audit_scene};
use first::FirstAnswer;
pub(super) use first::prove;
use goal::sum;
pub(crate) use margin::{ErrorMargin, LimitingInstant, error_margin};
#[cfg(feature = "testing")]
pub use near_miss::is_still;

impl Scene<'_> {
    /// Checks a motion. `progress` is told the share of the work that is done, 0 … 1.
    pub fn check(
        &self,
        trajectory: &Trajectory,
        options: &CheckOptions,
        progress: &dyn Fn(f64),
    ) -> CheckResult {
        let runs = 1 + usize::from(options.all) + usize::from(options.minimum);
        let done = std::cell::Cell::new(0);
        let part = |share: f64| progress((done.get() as f64 + share) / runs as f64);

        let mut start = Snapshot::default();
        start.set(self, &trajectory.segments[0], 0.0);
        let contained = self.contained(&mut start);
        let first = if contained.is_empty() {
            first::first(self, trajectory, options.resolution, &part)
        } else {
            FirstAnswer::at_once()
        };
        let verdict = first.verdict;
        let at_once = contained
            .first()
            .map(|&pair| self.met(trajectory, pair, MotionInstant::START));
        let mut result = CheckResult {
            first_contact: at_once.or(first.contact),
            statistics: first.statistics,
            ..CheckResult::new(verdict)
        };
        if options.all {
            done.set(done.get() + 1);
            let question = AllContacts {
                scene: self,
                trajectory,
                options,
                verdict,
                contained: &contained,
            };
            let (contacts, work) = question.find(&part);
            result.contacts = contacts;
            result.statistics = sum(&result.statistics, &work);
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
