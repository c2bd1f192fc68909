//! Bisection over sphere trees: the default check.

mod audit;
#[cfg(test)]
mod cases;
pub(super) mod front;
pub(super) mod kernel;
mod leaf;
mod least;
mod margin;
mod minimum;
mod near_miss;
pub(super) mod next;
mod pair_filter;
mod plane;
mod record;
mod run;
mod search;
mod simd;
mod stretches;
pub(super) mod sweep;
pub(super) mod view;

pub use super::options::{CheckOptions, CheckResult};
use crate::check::Snapshot;
use crate::check::contact::contact;
use crate::check::errors::Errors;
use crate::check::intersection::refine;
use crate::check::scene::Scene;
use crate::check::unresolved::UnresolvedInterval;
use crate::model::Path;
use crate::report::{Contact, ContactKind, Statistics, Verdict};
pub use audit::Encounter;
pub(crate) use audit::audit;
#[cfg(feature = "testing")]
pub use audit::{PairAudit, audit as audit_scene};
pub(crate) use margin::{ErrorMargin, LimitingPlace, error_margin};
#[cfg(feature = "testing")]
pub use near_miss::is_still;
pub use near_miss::near_misses;
use record::Goal;
use stretches::{Searched, Stretches};

/// Checks a motion. `progress` is told the share of the work that is done, 0 … 1.
pub fn check(
    scene: &Scene,
    path: &Path,
    options: &CheckOptions,
    progress: &dyn Fn(f64),
) -> CheckResult {
    let budget = scene.cell.uncertainty.as_ref().filter(|u| !u.is_none());
    let runs =
        1 + usize::from(budget.is_some()) + usize::from(options.all) + usize::from(options.minimum);
    let done = std::cell::Cell::new(0);
    let part = |share: f64| progress((done.get() as f64 + share) / runs as f64);
    let report = ContactReport { scene, path };

    let mut start = Snapshot::default();
    start.set(scene, &path.segments[0], 0.0);
    let hidden = scene.contained(&mut start);
    let question = |goal, errors| Stretches {
        errors,
        ..Stretches::new(scene, path, goal, options.resolution)
    };
    // First for all errors within the budgets: what is proved for them is proved without.
    let errors = budget.map(|uncertainty| Errors::new(scene, Some(uncertainty)));
    let allowed = errors.as_ref().map(|errors| {
        let mut found = Searched::default();
        if hidden.is_empty() {
            found = question(Goal::First, Some(errors.clone())).search(&part);
        }
        done.set(done.get() + 1);
        found
    });
    let proved = (allowed.as_ref())
        .is_some_and(|s| hidden.is_empty() && s.hit.is_none() && s.unresolved.is_empty());
    let mut search = Searched::default();
    if hidden.is_empty() && !proved {
        search = question(Goal::First, None).search(&part);
    }
    let possible = allowed.as_ref().filter(|_| !proved);
    let verdict = match (&search.hit, search.unresolved.is_empty()) {
        _ if !hidden.is_empty() => Verdict::Collision,
        (Some(_), _) => Verdict::Collision,
        (None, false) => Verdict::Undecided,
        (None, true) if possible.is_some() => Verdict::Possible,
        (None, true) => Verdict::Clear,
    };
    let mut first = match possible {
        Some(possible) if verdict == Verdict::Possible => report.first(possible, errors.as_ref()),
        _ => report.first(&search, None),
    };
    if let (Some(hit), Some(contact)) = (search.hit, &mut first) {
        let unresolved = search
            .unresolved
            .iter()
            .filter(|unresolved| unresolved.pair == hit.pair);
        let free = unresolved
            .map(|unresolved| unresolved.start)
            .fold(contact.time, f64::min);
        let to = (hit.segment, hit.s);
        if let Some(met) = refine(scene, path, hit.pair, free, to, options.resolution) {
            contact.feature = Some(met.feature);
            contact.exact_time = Some(met.exact_time);
        }
    }
    let at_once = hidden.first().map(|h| scene.met(path, h.pair, (0, 0.0)));
    let mut result = CheckResult {
        verdict,
        first_contact: at_once.or(first),
        contacts: Vec::new(),
        minimum: None,
        minimum_by_class: Vec::new(),
        pair_minimums: Vec::new(),
        others_farther_than: None,
        sampled: None,
        given_up: false,
        coarseness: 0.0,
        statistics: match &allowed {
            Some(allowed) if proved => allowed.statistics,
            Some(allowed) => sum(&search.statistics, &allowed.statistics),
            None => search.statistics,
        },
    };
    if options.all {
        done.set(done.get() + 1);
        let errors_now = errors.as_ref().filter(|_| verdict == Verdict::Possible);
        let mut all = Searched::default();
        if verdict != Verdict::Clear {
            all = question(Goal::All, errors_now.cloned()).search(&part);
        }
        let open = UnresolvedInterval::joined(all.unresolved);
        result.contacts = match errors_now {
            None => scene.contact_intervals(path, &hidden, &open),
            Some(errors) => (open.iter())
                .map(|open| as_possible(open.contact(scene, path), open.pair, errors, path))
                .collect(),
        };
        result.statistics = sum(&result.statistics, &all.statistics);
        if let (Some(errors), true) = (
            &errors,
            verdict > Verdict::Unverified && verdict != Verdict::Possible,
        ) {
            // Beside what the ideal motion does, what errors may do elsewhere.
            let more = question(Goal::All, Some(errors.clone())).search(&|_| ());
            let named = |wide: &UnresolvedInterval| {
                let same = |o: &UnresolvedInterval| {
                    o.pair == wide.pair && o.start <= wide.end && wide.start <= o.end
                };
                open.iter().any(same) || hidden.iter().any(|h| h.pair == wide.pair)
            };
            let wide = UnresolvedInterval::joined(more.unresolved);
            let elsewhere = wide.iter().filter(|wide| !named(wide));
            result.contacts.extend(
                elsewhere.map(|w| as_possible(w.contact(scene, path), w.pair, errors, path)),
            );
            result.contacts.sort_by(|x, y| x.time.total_cmp(&y.time));
            result.statistics = sum(&result.statistics, &more.statistics);
        }
    }
    if options.minimum {
        done.set(done.get() + 1);
        let found = minimum::minimum(scene, path, options, &hidden, &part);
        result.minimum = found.least;
        result.minimum_by_class = found.by_class;
        result.pair_minimums = found.pairs;
        result.others_farther_than = found.others_farther_than;
        result.statistics = sum(&result.statistics, &found.statistics);
    }
    result.statistics.pairs = scene.pairs.len() as u64;
    result
}

fn sum(a: &Statistics, b: &Statistics) -> Statistics {
    Statistics {
        intervals: a.intervals + b.intervals,
        distance_tests: a.distance_tests + b.distance_tests,
        triangle_tests: a.triangle_tests + b.triangle_tests,
        // The same motion: what the first search left out, the others do too.
        ..*a
    }
}

/// Tells of a pair at an instant what errors within the budgets can do.
fn as_possible(contact: Contact, pair: usize, errors: &Errors, path: &Path) -> Contact {
    let at = (contact.segment, contact.fraction);
    let contact = Contact {
        kind: ContactKind::Possible,
        ..contact
    };
    let Some(told) = errors.told(path, pair, at) else {
        return contact;
    };
    let [a, b] = told.points;
    Contact {
        distance: told.distance,
        point_a: a.into(),
        point_b: b.into(),
        normal: (a - b).try_normalize(0.0).unwrap_or_default().into(),
        errors: Some(told.shares),
        ..contact
    }
}

struct ContactReport<'r> {
    scene: &'r Scene<'r>,
    path: &'r Path,
}

impl ContactReport<'_> {
    /// What was found first; `errors`: those that it was searched for.
    fn first(&self, search: &Searched, errors: Option<&Errors>) -> Option<Contact> {
        let first_unresolved = search
            .unresolved
            .iter()
            .min_by(|x, y| x.start.total_cmp(&y.start));
        if let Some(hit) = search.hit {
            let at = (hit.segment, hit.s);
            let mut contact = contact(self.scene, self.path, hit.pair, at, ContactKind::Contact);
            contact.free_until =
                first_unresolved.map_or(contact.time, |o| o.start.min(contact.time));
            return Some(match errors {
                Some(errors) => as_possible(contact, hit.pair, errors, self.path),
                None => contact,
            });
        }
        first_unresolved.map(|open| {
            let contact = open.contact(self.scene, self.path);
            match errors {
                Some(errors) => as_possible(contact, open.pair, errors, self.path),
                None => contact,
            }
        })
    }
}
