//! Questions about a motion with events: they are asked in every phase, and the answers are joined
//! here, and here only. Whoever asks gets times and places of the whole motion.
//!
//! Why the joined answer is that of the whole motion:
//! - **Phases cover the motion.** They are closed ([`crate::model::Schedule`]): an instant of an
//!   event lies in the phase before and in the one after, and both cells are looked at. So what is
//!   proved in every phase is proved at every instant, whichever way the event is read, and the
//!   verdict is the worst one. `possible` says that the ideal motion is proved clear, so a motion
//!   of which a part is undecided is undecided ([`Verdict::of_parts`]).
//! - **The first contact** is that of the first phase that has one: phases are asked in order. All
//!   before it is proved free up to the first interval that stayed open, which may lie in an
//!   earlier phase.
//! - **Inside.** Every phase asks at its own first instant what is inside what: an event may have
//!   put a body there, and no surface says so.
//! - **Intervals** of a pair that meet at the instant of an event are one interval: both hold that
//!   instant. An instant in which the pair is allowed, or not there, is in no interval of it, so
//!   nothing is joined over it.
//! - **What is least** in all phases is the least of theirs, and what is proved of it the least of
//!   what is proved. A phase in which nothing was searched, because no time was left, leaves
//!   nothing proved.
//! - **Places.** Segment k of a phase is segment `first + k` of the motion; a phase of one instant
//!   is a place of its own ([`Phase::whole_instant`]).
//!
//! Why phases are not one search: what a search knows (fronts of pairs of parts, separating
//! directions, what stands still, ranges of motion) is about the pairs and chains of one cell. An
//! event changes what hangs where, and nothing of that holds on. All that could be kept are
//! thresholds that fell (`--minimum`), and answers would then depend on the order of phases.

mod audit;
mod depth;
mod margin;

pub use audit::{AllowanceAudit, AllowedPair};
pub use margin::{MarginInstant, MarginOfClass};

use std::sync::Arc;

use super::TimeLimit;
use super::bisection::CheckResult;
use super::classes;
use crate::bvh::SphereTree;
use crate::model::Phase;
use crate::report::{Contact, ContactKind, MinimumClearance, NearMiss, Statistics, Verdict};

/// The question about phases.
#[derive(Clone, Copy)]
pub struct PhaseQuestion<'q> {
    /// The phases of a motion, in order.
    pub phases: &'q [Phase],
    /// One tree per shape of every body: events change no shape.
    pub trees: &'q [Vec<Arc<SphereTree>>],
    /// Threshold D of pairs that have none of their own, metres.
    pub clearance: f64,
    /// Resolution ε, metres.
    pub resolution: f64,
    /// How long all phases may take together.
    pub time_limit: &'q TimeLimit,
}

impl PhaseQuestion<'_> {
    /// Audits the allowances that hold in each phase, and adds up the work. `progress` is given the
    /// share that is done, 0 … 1.
    pub fn audit(&self, progress: &dyn Fn(f64)) -> (Vec<AllowanceAudit>, Statistics) {
        audit::audit_phases(self, progress)
    }

    /// The margin of every class of pairs that is checked in some phase, and the work that it took.
    /// Cells of phases have the budget ([`crate::model::Cell::uncertainty`]). `progress` is given
    /// the share that is done, 0 … 1.
    pub fn class_margins(&self, progress: &dyn Fn(f64)) -> (Vec<MarginOfClass>, Statistics) {
        margin::class_margins(self, progress)
    }
}

/// The shares of the work between which each phase lies, by its segments.
fn shares(phases: &[Phase]) -> Vec<[f64; 2]> {
    let lengths = phases
        .iter()
        .map(|phase| phase.trajectory.segments.len() as f64);
    let whole: f64 = lengths.clone().sum();
    let ends = lengths.scan(0.0, |passed, length| {
        let from = *passed;
        *passed += length;
        Some([from / whole, *passed / whole])
    });
    ends.collect()
}

impl Phase {
    /// The times of phases, in order; those that meet become one.
    pub fn joined_times(phases: &[&Phase]) -> Vec<[f64; 2]> {
        join_neighbours(
            phases.iter().map(|phase| phase.times()),
            |last, next| last[1] >= next[0],
            |last, next| last[1] = next[1],
        )
    }
}

/// The answers of the phases so far about the whole motion.
#[derive(Debug)]
struct JoinedAnswers {
    result: CheckResult,
    near: Vec<NearMiss>,
    phases: usize,
}

impl Default for JoinedAnswers {
    /// Nothing was asked yet.
    fn default() -> Self {
        JoinedAnswers {
            result: CheckResult::new(Verdict::Clear),
            near: Vec::new(),
            phases: 0,
        }
    }
}

impl JoinedAnswers {
    /// Takes in the answer and the near misses of the next phase, whose places are places in it.
    fn add_phase(&mut self, phase: &Phase, mut next: CheckResult, near: Vec<NearMiss>) {
        for contact in next.first_contact.iter_mut().chain(&mut next.contacts) {
            contact.set_instant(phase.whole_instant(contact.instant()));
        }
        self.near.extend(near.into_iter().map(|mut miss| {
            miss.set_instant(phase.whole_instant(miss.instant()));
            miss
        }));
        let others = next.others_farther_than;
        let known = self.result.others_farther_than;
        let first = self.phases == 0;
        self.result.merge(next);
        self.result.others_farther_than = if first {
            others
        } else {
            known.zip(others).map(|(known, next)| known.min(next))
        };
        self.phases += 1;
    }

    /// The answer about the whole motion; `in_time`: whether no phase was cut short.
    fn finish(self, in_time: bool) -> (CheckResult, Vec<NearMiss>) {
        let mut result = self.result;
        if !in_time {
            result.reset_bounds();
        }
        result.contacts = joined_contacts(result.contacts);
        let least = &mut result.pair_minimums;
        least.sort_by(|x, y| x.distance.total_cmp(&y.distance));
        (result, joined_misses(self.near))
    }
}

impl Verdict {
    /// The verdict about a motion, from those about two parts of it: the worse one. But `possible`
    /// says that the ideal motion is proved clear, which it is not where the other part is open.
    pub fn of_parts(one: Verdict, other: Verdict) -> Verdict {
        let worse = one.max(other);
        let open = [Verdict::Unverified, Verdict::Undecided].contains(&one.min(other));
        if worse == Verdict::Possible && open {
            return Verdict::Undecided;
        }
        worse
    }
}

impl CheckResult {
    /// A verdict, and nothing else.
    pub fn new(verdict: Verdict) -> Self {
        CheckResult {
            verdict,
            first_contact: None,
            contacts: Vec::new(),
            minimum: None,
            minimum_by_class: Vec::new(),
            pair_minimums: Vec::new(),
            others_farther_than: None,
            sampled: None,
            given_up: false,
            coarseness: 0.0,
            statistics: Statistics::default(),
        }
    }

    /// Checks a motion phase by phase. `check` answers for a phase, contacts and near misses, in
    /// times and places of its own; `first_only`: nothing is wanted after the first contact.
    /// `progress` is told the share that is done, 0 … 1.
    ///
    /// # Errors
    /// The first one of `check`.
    pub fn of_phases<E>(
        phases: &[Phase],
        first_only: bool,
        time_limit: &TimeLimit,
        progress: &dyn Fn(f64),
        mut check: impl FnMut(&Phase, &dyn Fn(f64)) -> Result<(CheckResult, Vec<NearMiss>), E>,
    ) -> Result<(Self, Vec<NearMiss>), E> {
        let mut joined = JoinedAnswers::default();
        for (phase, [from, to]) in phases.iter().zip(shares(phases)) {
            if joined.result.verdict == Verdict::Collision && first_only {
                break;
            }
            let share = |part: f64| progress(from + part * (to - from));
            let (result, near) = check(phase, &share)?;
            joined.add_phase(phase, result, near);
        }
        progress(1.0);
        Ok(joined.finish(!time_limit.was_exceeded()))
    }

    /// Merges in the answer about the next interval of the motion, except for pairs that are not
    /// listed.
    fn merge(&mut self, next: CheckResult) {
        let verdict = Verdict::of_parts(self.verdict, next.verdict);
        // Whether the next answer alone decides the verdict.
        let tells = verdict == next.verdict && verdict != self.verdict;
        match (&mut self.first_contact, next.first_contact) {
            (None, found) => self.first_contact = found,
            // An interval that stayed open comes before: only what comes before that is proved
            // free.
            (Some(open), Some(hit)) if tells => {
                let free_until = open.free_until.min(hit.free_until);
                self.first_contact = Some(Contact { free_until, ..hit });
            }
            (Some(_), _) => {}
        }
        self.verdict = verdict;
        self.contacts.extend(next.contacts);
        if let Some(least) = next.minimum {
            merge_least(&mut self.minimum, least);
        }
        for least in next.minimum_by_class {
            classes::merge_class(&mut self.minimum_by_class, least);
        }
        for least in next.pair_minimums {
            merge_pair(&mut self.pair_minimums, least);
        }
        self.statistics.merge(&next.statistics);
        match (&mut self.sampled, &next.sampled) {
            (Some(sampled), Some(more)) => sampled.add(more),
            (sampled, more) => *sampled = sampled.or(*more),
        }
        self.given_up |= next.given_up;
        self.coarseness = self.coarseness.max(next.coarseness);
    }

    /// The time limit was spent in some phase. Pairs that were not searched there are not listed,
    /// so bounds from other phases do not hold for the whole motion.
    pub fn reset_bounds(&mut self) {
        let classes = self.minimum_by_class.iter_mut().map(|c| &mut c.least);
        let listed = classes.chain(&mut self.minimum);
        for least in listed.chain(&mut self.pair_minimums) {
            least.lower_bound = 0.0;
        }
        self.others_farther_than = None;
    }
}

impl Statistics {
    /// Adds the work on the next interval of the motion.
    fn merge(&mut self, more: &Statistics) {
        let first = self.intervals == 0;
        self.add_work(more);
        self.pairs = self.pairs.max(more.pairs);
        // Different phases may leave out different pairs: only the least number holds for all.
        self.unreachable = if first {
            more.unreachable
        } else {
            self.unreachable.min(more.unreachable)
        };
        if let Some(work) = &more.work {
            self.work.get_or_insert_default().add(work);
        }
    }
}

/// Takes in the least of all pairs in another interval, or over delays: what is proved holds for
/// both.
pub(crate) fn merge_least(known: &mut Option<MinimumClearance>, next: MinimumClearance) {
    let Some(known) = known else {
        *known = Some(next);
        return;
    };
    let lower_bound = known.lower_bound.min(next.lower_bound);
    if next.distance < known.distance {
        *known = next;
    }
    known.lower_bound = lower_bound;
}

/// Takes in the least of a pair in another interval.
pub(crate) fn merge_pair(known: &mut Vec<MinimumClearance>, next: MinimumClearance) {
    let same = |m: &MinimumClearance| (&m.a, &m.b) == (&next.a, &next.b);
    let mut least = known.iter().position(same).map(|k| known.swap_remove(k));
    merge_least(&mut least, next);
    known.extend(least);
}

/// Intervals that follow one another and meet become one. They are sorted so that those which may
/// meet are neighbours.
fn join_neighbours<T>(
    intervals: impl IntoIterator<Item = T>,
    meet: impl Fn(&T, &T) -> bool,
    join: impl Fn(&mut T, T),
) -> Vec<T> {
    let mut joined: Vec<T> = Vec::new();
    for next in intervals {
        match joined.last_mut() {
            Some(last) if meet(last, &next) => join(last, next),
            _ => joined.push(next),
        }
    }
    joined
}

/// Intervals of one pair that meet at the instant of an event become one.
fn joined_contacts(mut contacts: Vec<Contact>) -> Vec<Contact> {
    contacts.sort_by(|x, y| {
        let names = (&x.a, &x.b).cmp(&(&y.a, &y.b));
        names.then(x.free_until.total_cmp(&y.free_until))
    });
    let mut joined = join_neighbours(contacts, contacts_meet, |last, next| {
        let until = next.until;
        if last.kind == ContactKind::Unresolved && next.kind != ContactKind::Unresolved {
            *last = Contact {
                free_until: last.free_until,
                ..next
            };
        }
        last.until = until;
    });
    joined.sort_by(|x, y| x.free_until.total_cmp(&y.free_until));
    joined
}

fn contacts_meet(last: &Contact, next: &Contact) -> bool {
    let inside = |c: &Contact| c.kind == ContactKind::Inside;
    (&last.a, &last.b) == (&next.a, &next.b)
        && inside(last) == inside(next)
        && match (last.until, next.until) {
            (Some(until), Some(_)) => until >= next.free_until,
            // Inside from one phase into the next.
            (None, None) => inside(last) && inside(next),
            _ => false,
        }
}

/// Near misses of one pair that meet at the instant of an event become one.
fn joined_misses(mut misses: Vec<NearMiss>) -> Vec<NearMiss> {
    misses.sort_by(|x, y| {
        let names = (&x.a, &x.b).cmp(&(&y.a, &y.b));
        names.then(x.entered.total_cmp(&y.entered))
    });
    let meet = |last: &NearMiss, next: &NearMiss| {
        (&last.a, &last.b) == (&next.a, &next.b) && last.left >= next.entered
    };
    let mut joined = join_neighbours(misses, meet, |last, next| {
        let (entered, left) = (last.entered, last.left.max(next.left));
        if next.distance < last.distance {
            *last = next;
        }
        (last.entered, last.left) = (entered, left);
    });
    joined.sort_by(|x, y| x.entered.total_cmp(&y.entered));
    joined
}

#[cfg(test)]
mod tests;
