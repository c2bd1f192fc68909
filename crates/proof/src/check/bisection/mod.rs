//! Bisection over sphere trees: the default check.

mod audit;
#[cfg(test)]
mod cases;
pub(super) mod front;
pub(super) mod kernel;
mod leaf;
mod margin;
mod near_miss;
pub(super) mod next;
mod pair_filter;
mod record;
mod search;
mod simd;
pub(super) mod sweep;
pub mod view;

pub use super::options::{CheckOptions, CheckResult};
use crate::check::Snapshot;
use crate::check::contact::contact;
use crate::check::containment::contained;
use crate::check::distance::pair_distance;
use crate::check::errors::Errors;
use crate::check::insides::{intervals, met};
use crate::check::intersection::refine;
use crate::check::scene::Scene;
use crate::check::unresolved::joined;
use crate::model::Path;
use crate::report::{Contact, ContactKind, MinimumClearance, Statistics, Verdict};
pub use audit::{Encounter, PairAudit, audit};
pub use margin::{ErrorMargin, MOST_TIMES, MarginLimit, error_margin};
pub use near_miss::{is_still, near_misses};
use pair_filter::PairFilter;
use record::{Goal, LeastFound, tolerance};
use search::IntervalSearch;

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
    let report = Reporter { scene, path };

    let mut start = Snapshot::default();
    start.set(scene, &path.segments[0], 0.0);
    let hidden = contained(scene, &mut start);
    // First for all errors within the budgets: what is proved for them is proved without.
    let allowed = budget.map(|uncertainty| {
        let mut search = IntervalSearch::new(scene, path, Goal::First, options.resolution);
        search.allow(Errors::new(scene, Some(uncertainty)));
        if hidden.is_empty() {
            run(&mut search, scene, path, &|_| true, &part);
        }
        done.set(done.get() + 1);
        search
    });
    let proved = (allowed.as_ref())
        .is_some_and(|s| hidden.is_empty() && s.hit.is_none() && s.unresolved.is_empty());
    let mut search = IntervalSearch::new(scene, path, Goal::First, options.resolution);
    if hidden.is_empty() && !proved {
        run(&mut search, scene, path, &|_| true, &part);
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
        Some(possible) if verdict == Verdict::Possible => report.first(possible),
        _ => report.first(&search),
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
    let at_once = hidden.first().map(|h| met(scene, path, h.pair, (0, 0.0)));
    let mut result = CheckResult {
        verdict,
        first_contact: at_once.or(first),
        contacts: Vec::new(),
        minimum: None,
        pair_minimums: Vec::new(),
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
        let mut all = IntervalSearch::new(scene, path, Goal::All, options.resolution);
        if verdict == Verdict::Possible
            && let Some(uncertainty) = budget
        {
            all.allow(Errors::new(scene, Some(uncertainty)));
        }
        if verdict != Verdict::Clear {
            run(&mut all, scene, path, &|_| true, &part);
        }
        let open = joined(std::mem::take(&mut all.unresolved));
        result.contacts = match all.errors() {
            None => intervals(scene, path, &hidden, &open),
            Some(errors) => (open.iter())
                .map(|open| as_possible(open.contact(scene, path), open.pair, errors, path))
                .collect(),
        };
        result.statistics = sum(&result.statistics, &all.statistics);
    }
    if options.minimum {
        done.set(done.get() + 1);
        let mut minimum = IntervalSearch::new(scene, path, Goal::Minimum, options.resolution);
        for h in &hidden {
            minimum.note_least(h.pair, 0.0, path.segments[0].start);
        }
        let count = path.segments.len();
        for index in (0..count).step_by(count.div_ceil(SEEDS)) {
            minimum.look(index, 0.0);
        }
        minimum.look(count - 1, 1.0);
        run(&mut minimum, scene, path, &|_| true, &part);
        result.pair_minimums = report.minimums(&minimum, options.resolution);
        // Of pairs that there was no time to look at nothing can be said, nor of the least of all.
        let pairs = result.pair_minimums.len();
        result.pair_minimums.retain(|p| p.distance.is_finite());
        let unseen = result.pair_minimums.len() < pairs;
        result.minimum = result.pair_minimums.first().cloned().map(|mut least| {
            if unseen {
                least.lower_bound = 0.0;
            }
            // A pair that attains more may be proved less.
            let bounds = result.pair_minimums.iter().map(|p| p.lower_bound);
            least.lower_bound = bounds.fold(least.lower_bound, f64::min);
            least
        });
        result.statistics = sum(&result.statistics, &minimum.statistics);
    }
    result.statistics.pairs = scene.pairs.len() as u64;
    result
}

/// At how many waypoints, evenly spread, the search for the least distance looks first.
const SEEDS: usize = 8;

fn sum(a: &Statistics, b: &Statistics) -> Statistics {
    Statistics {
        intervals: a.intervals + b.intervals,
        distance_tests: a.distance_tests + b.distance_tests,
        triangle_tests: a.triangle_tests + b.triangle_tests,
        // The same motion: what the first search left out, the others do too.
        ..*a
    }
}

/// Searches the segments in order, for the pairs of bodies that are `wanted`. Pairs that cannot come within their thresholds
/// over an interval are left out there, unless their least distance is what is asked for.
fn run(
    search: &mut IntervalSearch,
    scene: &Scene,
    path: &Path,
    wanted: &dyn Fn(usize) -> bool,
    progress: &dyn Fn(f64),
) {
    let (count, goal) = (path.segments.len(), search.goal());
    let errors = search.errors().cloned();
    let mut segment = |index: usize, pairs: &mut dyn Iterator<Item = usize>| {
        search.segment(index, pairs.filter(|&p| wanted(scene.part_pairs[p].pair)));
        progress((index + 1) as f64 / count as f64);
        if scene.budget.is_spent() {
            give_up_after(search, index, scene, wanted);
            return false;
        }
        search.hit.is_none() || goal != Goal::First
    };
    let all = 0..scene.part_pairs.len();
    if !scene.hulls || goal == Goal::Minimum {
        (0..count).all(|index| segment(index, &mut all.clone()));
        return;
    }
    let mut pair_filter = PairFilter::new(scene, errors.as_ref());
    pair_filter.visit(path, &mut |index, pairs| {
        segment(index, &mut pairs.iter().copied())
    });
    search.statistics.unreachable = pair_filter.unreachable;
}

/// No time is left after a segment. What the search is for must not look as if all had been searched.
fn give_up_after(
    search: &mut IntervalSearch,
    index: usize,
    scene: &Scene,
    wanted: &dyn Fn(usize) -> bool,
) {
    let mut pairs = (0..scene.pairs.len()).filter(|&pair| wanted(pair));
    match search.goal() {
        // One says it, and after a contact or an unresolved interval nothing more needs to be known.
        Goal::First if search.hit.is_none() && search.unresolved.is_empty() => {
            search.give_up_from(index + 1, pairs.by_ref().take(1));
        }
        Goal::First => {}
        // Only what was looked at is listed.
        Goal::All => search
            .unresolved
            .retain(|unresolved| unresolved.distance.is_finite()),
        Goal::Minimum => search.give_up_from(index + 1, pairs),
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

struct Reporter<'r> {
    scene: &'r Scene<'r>,
    path: &'r Path,
}

impl Reporter<'_> {
    fn first(&self, search: &IntervalSearch) -> Option<Contact> {
        let first_unresolved = search
            .unresolved
            .iter()
            .min_by(|x, y| x.start.total_cmp(&y.start));
        if let Some(hit) = search.hit {
            let at = (hit.segment, hit.s);
            let mut contact = contact(self.scene, self.path, hit.pair, at, ContactKind::Contact);
            contact.free_until =
                first_unresolved.map_or(contact.time, |o| o.start.min(contact.time));
            return Some(match search.errors() {
                Some(errors) => as_possible(contact, hit.pair, errors, self.path),
                None => contact,
            });
        }
        first_unresolved.map(|open| {
            let contact = open.contact(self.scene, self.path);
            match search.errors() {
                Some(errors) => as_possible(contact, open.pair, errors, self.path),
                None => contact,
            }
        })
    }

    /// Certified least distances, nearest first.
    fn minimums(&self, search: &IntervalSearch, resolution: f64) -> Vec<MinimumClearance> {
        let bodies = &self.scene.cell.bodies;
        let mut list: Vec<_> = search
            .least
            .iter()
            .zip(&self.scene.pairs)
            .enumerate()
            .map(|(index, (least, pair))| MinimumClearance {
                distance: match self.scene.budget.was_spent() {
                    true => least.distance,
                    false => self.distance(index, least),
                },
                lower_bound: if self.scene.budget.was_spent()
                    || search
                        .unresolved
                        .iter()
                        .any(|unresolved| unresolved.pair == index)
                {
                    // Given up somewhere: nothing is proved about the pair.
                    0.0
                } else {
                    let tolerance = tolerance(resolution, least.distance, search.nearest);
                    (least.distance - tolerance).max(0.0)
                },
                time: least.time,
                a: bodies[pair.a].name.clone(),
                b: bodies[pair.b].name.clone(),
                delays: Vec::new(),
            })
            .collect();
        list.sort_by(|x, y| x.distance.total_cmp(&y.distance));
        list
    }

    /// Distance of a pair at the instant of the least one that was seen. That was of two triangles: others of the pair may
    /// be nearer at this instant.
    fn distance(&self, pair: usize, least: &LeastFound) -> f64 {
        let (index, s) = self.path.locate(least.time);
        let mut snapshot = Snapshot::default();
        snapshot.set(self.scene, &self.path.segments[index], s);
        pair_distance(self.scene, pair, &mut snapshot, least.distance, &mut 0)
            .map_or(least.distance, |nearest| nearest.distance)
    }
}
