//! A long motion is searched in stretches of some segments, each by a search of its own. Threads
//! that have nothing else to do help: one slow program does not hold up all others.
//!
//! Why the joined answer is that of the whole motion:
//! - Stretches are ranges of segments that cover the trajectory. The search of a segment uses no
//!   results of other segments, with two exceptions. It leaves out what is later than a contact. It
//!   leaves out a pair that stands still in this segment and in the one before, because the segment
//!   before has the answer. That one may lie in the stretch before; every stretch up to the first
//!   contact is searched, and what stayed unresolved in any of them is kept.
//! - The first contact is that of the first stretch that has one. All stretches before it are
//!   searched to their ends. Those after it may be left out or broken off, and nothing of them is
//!   used.
//!
//! - A search may begin where another one has ended that proved more: what stood still before is
//!   told apart by that one.
//!
//! - Every stretch of a search for least distances begins with the same thresholds, and proves all
//!   that its last ones say. What it attains and what it leaves are joined: thresholds of that are
//!   no greater than those of any stretch ([`LeastDistances::merge`]), so they are proved in all.
//!
//! Why the answer, counts of work included, does not depend on how many threads there are: where
//! a motion is cut depends on its segments alone and on where the search begins, every stretch
//! begins without any knowledge, and what is used are the same stretches in the same order.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::goal::{Goal, Hit, sum};
use super::least::LeastDistances;
use super::run::Run;
use super::search::IntervalSearch;
use crate::check::errors::ErrorBounds;
use crate::check::scene::Scene;
use crate::check::threads::AtWork;
use crate::check::unresolved::UnresolvedInterval;
use crate::model::{MotionInstant, Trajectory};
use crate::report::Statistics;

/// A stretch has no more segments than this.
pub(super) const SEGMENTS: usize = 128;

/// The question of a search, stretch by stretch.
pub(super) struct Stretches<'q> {
    pub scene: &'q Scene<'q>,
    pub trajectory: &'q Trajectory,
    /// The first contact, all of them, or least distances.
    pub goal: Goal,
    /// Resolution ε, metres.
    pub resolution: f64,
    /// See [`IntervalSearch::lasting`].
    pub lasting: f64,
    /// Errors that are allowed for.
    pub errors: Option<ErrorBounds<'q>>,
    /// Whether joints are taken to be where their polynomials put them, whatever segments say.
    pub ideal: bool,
    /// See [`IntervalSearch::falls_back`].
    pub falls_back: bool,
    /// With [`Goal::Minimum`]: what was seen before.
    pub least: Option<LeastDistances>,
    /// Pairs of bodies that matter.
    pub wanted: &'q (dyn Fn(usize) -> bool + Sync),
    /// A stretch has no more segments than this.
    pub longest: usize,
    /// Where it begins: before that all is proved apart already.
    pub from: MotionInstant,
}

/// The findings in some segments.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Searched {
    /// With [`Goal::First`]: the first contact.
    pub hit: Option<Hit>,
    /// Where it fell back ([`IntervalSearch::fell_back`]): all before is proved with the budget.
    pub fell_back: Option<MotionInstant>,
    /// Intervals that stayed unresolved, in the order of segments.
    pub unresolved: Vec<UnresolvedInterval>,
    /// With [`Goal::Minimum`]: least distances, and what was seen before.
    pub least: Option<LeastDistances>,
    /// Work done.
    pub statistics: Statistics,
    /// Pairs of bodies that hulls tell apart over all of them, in order.
    proved_separated: Vec<usize>,
}

impl<'q> Stretches<'q> {
    /// All pairs of a scene, without errors.
    pub fn new(
        scene: &'q Scene<'q>,
        trajectory: &'q Trajectory,
        goal: Goal,
        resolution: f64,
    ) -> Self {
        Stretches {
            scene,
            trajectory,
            goal,
            resolution,
            lasting: 0.0,
            errors: None,
            ideal: false,
            falls_back: false,
            least: None,
            wanted: &|_| true,
            longest: SEGMENTS,
            from: MotionInstant::START,
        }
    }

    /// Searches the whole motion. `progress` is told the share that is done, 0 … 1, on this thread.
    pub fn search(&self, progress: &dyn Fn(f64)) -> Searched {
        let count = self.count();
        if count == 1 {
            return self.stretch(0, progress, &|| false);
        }
        let work = SharedWork {
            of: self,
            next: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            first_hit: AtomicUsize::new(usize::MAX),
            found: Mutex::new(vec![None; count]),
        };
        thread::scope(|scope| {
            while let Some(index) = work.take() {
                while work.next.load(Ordering::Relaxed) < count
                    && let Some(at_work) = self.scene.threads.help()
                {
                    let work = &work;
                    let helper = thread::Builder::new();
                    // Where there is no thread to be had, this one does it all.
                    if helper
                        .spawn_scoped(scope, move || work.help(&at_work))
                        .is_err()
                    {
                        break;
                    }
                }
                work.search(index, &|share| {
                    let done = work.done.load(Ordering::Relaxed) as f64;
                    progress((done + share) / count as f64);
                });
            }
        });
        let found = work.found.into_inner();
        self.joined(found.unwrap_or_else(PoisonError::into_inner))
    }

    /// How many segments are searched.
    fn left(&self) -> usize {
        self.trajectory.segments.len() - self.from.segment
    }

    /// How many stretches there are.
    fn count(&self) -> usize {
        self.left().div_ceil(self.longest)
    }

    /// The segments of a stretch: as many in each, or one more.
    fn segments(&self, index: usize) -> Range<usize> {
        let [from, to] =
            [index, index + 1].map(|k| self.from.segment + k * self.left() / self.count());
        from..to
    }

    /// Searches one stretch.
    fn stretch(&self, index: usize, progress: &dyn Fn(f64), stop: &dyn Fn() -> bool) -> Searched {
        let mut search =
            IntervalSearch::new(self.scene, self.trajectory, self.goal, self.resolution);
        search.lasting = self.lasting;
        search.from = self.from;
        search.falls_back = self.falls_back;
        search.least = self.least.clone();
        if let Some(errors) = &self.errors {
            search.allow(errors.clone());
        }
        if self.ideal {
            search.ignore_tubes();
        }
        let run = Run {
            scene: self.scene,
            trajectory: self.trajectory,
            segments: self.segments(index),
            wanted: self.wanted,
            progress,
            stop,
        };
        let proved_separated = run.search(&mut search);
        Searched {
            // With other goals a hit does not end the search.
            hit: search.hit.filter(|_| self.goal == Goal::First),
            statistics: Statistics {
                unreachable: proved_separated.len() as u64,
                ..search.statistics
            },
            fell_back: search.fell_back,
            unresolved: search.unresolved,
            least: search.least,
            proved_separated,
        }
    }

    /// The findings of all stretches, up to the first contact. A stretch that nobody searched is
    /// searched now: it must not pass for one in which nothing was found.
    fn joined(&self, found: Vec<Option<Searched>>) -> Searched {
        let mut joined: Option<Searched> = None;
        for (index, found) in found.into_iter().enumerate() {
            let found = found.unwrap_or_else(|| self.stretch(index, &|_| (), &|| false));
            let all = match joined.take() {
                None => found,
                Some(all) => all.and(found),
            };
            let ends = all.hit.is_some();
            joined = Some(all);
            if ends {
                break;
            }
        }
        joined.unwrap_or_default()
    }
}

impl Searched {
    /// Joins the findings of the segments that follow directly.
    fn and(mut self, next: Searched) -> Searched {
        self.hit = self.hit.or(next.hit);
        self.fell_back = self.fell_back.or(next.fell_back);
        self.unresolved.extend(next.unresolved);
        if let (Some(least), Some(next)) = (&mut self.least, &next.least) {
            least.merge(next);
        }
        self.proved_separated
            .retain(|pair| next.proved_separated.binary_search(pair).is_ok());
        self.statistics = Statistics {
            unreachable: self.proved_separated.len() as u64,
            ..sum(&self.statistics, &next.statistics)
        };
        self
    }
}

/// Stretches that several threads take one after the other, the first ones first.
struct SharedWork<'w, 'q> {
    of: &'w Stretches<'q>,
    /// The next one that nobody has taken.
    next: AtomicUsize,
    /// How many were searched.
    done: AtomicUsize,
    /// With [`Goal::First`]: the first one known to have a contact. Later ones do not matter.
    first_hit: AtomicUsize,
    found: Mutex<Vec<Option<Searched>>>,
}

impl SharedWork<'_, '_> {
    fn take(&self) -> Option<usize> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        (index < self.of.count() && !self.is_late(index)).then_some(index)
    }

    /// Whether a stretch comes after one with a contact.
    fn is_late(&self, index: usize) -> bool {
        self.first_hit.load(Ordering::Relaxed) < index
    }

    fn search(&self, index: usize, progress: &dyn Fn(f64)) {
        let found = self.of.stretch(index, progress, &|| self.is_late(index));
        if found.hit.is_some() {
            self.first_hit.fetch_min(index, Ordering::Relaxed);
        }
        self.done.fetch_add(1, Ordering::Relaxed);
        let mut all = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        all[index] = Some(found);
    }

    /// The work of a helper: it takes stretches until its thread is needed elsewhere.
    fn help(&self, _at_work: &AtWork) {
        while !self.of.scene.threads.too_many() {
            let Some(index) = self.take() else { break };
            self.search(index, &|_| ());
        }
    }
}

#[cfg(test)]
mod tests;
