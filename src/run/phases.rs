//! Events cut a motion into phases. In each the same bodies move with the same pairs, so the ordinary check answers it; the
//! answers are joined.
//!
//! Phases are closed: the instant of an event belongs to the phase before it and to the one after it, and both
//! configurations are checked. Events of the first instant only shape the first phase.

use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{Cell, Event, EventChange, Path, PathError, Segment, Timeline};
use clearance_proof::pairs::table;

use super::Settings;
use super::classes::take_in;
use super::scenes::{FoundScene, Scenes};
use super::world::{Stand, World};
use crate::findings::{
    Contact, ContactKind, Diagnostic, MinimumClearance, NearMiss, PhaseFact, Statistics, Verdict,
};

/// An interval of the motion between two events.
#[derive(Debug, Clone)]
pub(super) struct Phase {
    /// The cell as it is then.
    pub cell: Cell,
    /// The motion.
    pub path: Path,
    /// Segment of the whole motion that its first one is.
    first: usize,
    /// For a phase that is one instant only: the share of that segment that has passed.
    instant: Option<f64>,
    /// Per body, the sizes (metres) of the numbers that its place was computed from by events: its rounding grows with them.
    taken_over_m: Vec<f64>,
}

/// Cuts a motion at the events of a timeline. The motion's segments begin and end at all of [`Timeline::cuts`]. Remarks
/// tell of bodies that an event puts somewhere else.
///
/// # Errors
/// When an event asks for something that cannot be: releasing what nobody carries, being carried by oneself.
pub(super) fn cut(
    cell: &Cell,
    path: &Path,
    timeline: &Timeline,
) -> Result<(Vec<Phase>, Vec<Diagnostic>), PathError> {
    let segments = &path.segments;
    let (start, end) = match (segments.first(), segments.last()) {
        (Some(first), Some(last)) => (first.start, last.end),
        _ => (0.0, 0.0),
    };
    // What is allowed to the end is not cut there.
    let mut bounds: Vec<f64> = vec![start];
    bounds.extend(
        timeline
            .cuts()
            .into_iter()
            .filter(|&t| start < t && t < end),
    );
    let at_end =
        |e: &&Event| e.time == end && end > start && !matches!(e.change, EventChange::Move { .. });
    if timeline.events.iter().any(|e| at_end(&e)) {
        bounds.push(end);
    }
    let mut world = World::new(cell);
    let mut phases = Vec::with_capacity(bounds.len());
    for (k, &from) in bounds.iter().enumerate() {
        let to = bounds.get(k + 1).copied().unwrap_or(end);
        let begins = segments.partition_point(|s| s.start < from);
        let instant = begins >= segments.len();
        let first = begins.min(segments.len().saturating_sub(1));
        let after = match k + 1 == bounds.len() {
            true => segments.len(),
            // Steps without duration at the next bound belong to the next phase.
            false => segments.partition_point(|s| s.start < to),
        };
        let share = if instant { 1.0 } else { 0.0 };
        let stand = segments
            .get(first)
            .map_or_else(Stand::default, |segment| Stand::new(segment, share));
        world.change(timeline, from, &stand)?;
        let pieces = match instant {
            true => vec![standing(&stand, end)],
            false => segments[first..after].to_vec(),
        };
        phases.push(Phase {
            cell: world.between(&[(timeline, from, to)]),
            path: Path {
                segments: pieces,
                ..*path
            },
            first,
            instant: instant.then_some(1.0),
            taken_over_m: world.taken_over_m.clone(),
        });
    }
    Ok((phases, world.remarks))
}

/// Nothing moves.
fn standing(stand: &Stand, time: f64) -> Segment {
    Segment {
        start: time,
        end: time,
        joints: stand
            .q
            .iter()
            .map(|&q| [q, 0.0, 0.0, 0.0, 0.0, 0.0])
            .collect(),
        taken_over: stand.off.clone(),
    }
}

/// Checks all phases in order and joins what they say. `trees` are those of the cell: events change no shape. `whole`
/// is the scene without events.
pub(super) fn check_phases(
    phases: &[Phase],
    trees: &[Vec<Arc<SphereTree>>],
    settings: &Settings,
    (whole, options): (&Scenes, &CheckOptions),
    progress: &dyn Fn(f64),
) -> Result<FoundScene, String> {
    let mut joined = CheckResult {
        verdict: Verdict::Clear,
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
    };
    let mut near = Vec::new();
    let mut first = true;
    let segments: usize = phases.iter().map(|p| p.path.segments.len()).sum();
    let mut passed = 0;
    for phase in phases {
        let mut scenes = phase.scenes(trees, settings, whole);
        scenes.set_hulls(whole.contact.hulls);
        let enough = !options.all && !options.minimum && scenes.near.is_none();
        if joined.verdict == Verdict::Collision && enough {
            break;
        }
        let length = phase.path.segments.len();
        let share = |part: f64| progress((passed as f64 + part * length as f64) / segments as f64);
        let mut found = scenes.check(&phase.path, options, &share)?;
        phase.place(&mut found);
        passed += length;
        near.extend(found.near);
        if std::mem::take(&mut first) {
            joined.others_farther_than = found.result.others_farther_than;
        }
        join(&mut joined, found.result);
    }
    progress(1.0);
    if whole.contact.budget.was_spent() {
        claim_nothing(&mut joined);
    }
    joined.contacts = joined_contacts(joined.contacts);
    joined
        .pair_minimums
        .sort_by(|x, y| x.distance.total_cmp(&y.distance));
    Ok(FoundScene {
        result: joined,
        near: joined_misses(near),
    })
}

/// A scene with the rounding of places that events made: per body the sizes of the numbers behind its place, metres.
pub(super) fn placed<'c>(mut scene: Scene<'c>, taken_over_m: &[f64]) -> Scene<'c> {
    for part in &mut scene.parts {
        part.offset += taken_over_m[part.body] * (1.0 + part.bounding_radius);
    }
    scene
}

impl Phase {
    /// The first instant before its events, in which nothing moves: where a program may have to wait.
    pub fn before(cell: &Cell, path: &Path) -> Self {
        let first = path.segments.first();
        let stand = first.map_or_else(Stand::default, |s| Stand::new(s, 0.0));
        Phase {
            path: Path {
                segments: vec![standing(&stand, first.map_or(0.0, |s| s.start))],
                ..*path
            },
            instant: Some(0.0),
            ..Self::whole(cell, path)
        }
    }

    /// A motion without events is one phase.
    pub fn whole(cell: &Cell, path: &Path) -> Self {
        Phase {
            cell: cell.clone(),
            path: path.clone(),
            first: 0,
            instant: None,
            taken_over_m: vec![0.0; cell.bodies.len()],
        }
    }

    /// Begin and end, on the clock of the motion.
    pub fn times(&self) -> [f64; 2] {
        let segments = &self.path.segments;
        [
            segments.first().map_or(0.0, |s| s.start),
            segments.last().map_or(0.0, |s| s.end),
        ]
    }

    /// What the report says of it.
    pub fn fact(&self) -> PhaseFact {
        let checked = table(&self.cell).checked;
        let own = checked.iter().filter(|p| p.clearance.is_some());
        let [from, until] = self.times();
        PhaseFact {
            from,
            until,
            pairs: checked.len(),
            own_thresholds: own.count(),
        }
    }

    /// A scene of the phase, with the rounding of places that events made.
    pub fn placed<'c>(&self, scene: Scene<'c>) -> Scene<'c> {
        placed(scene, &self.taken_over_m)
    }

    /// A place in the phase as one in the whole motion.
    pub fn whole_place(&self, segment: usize, fraction: f64) -> (usize, f64) {
        (segment + self.first, self.instant.unwrap_or(fraction))
    }

    fn scenes(
        &self,
        trees: &[Vec<Arc<SphereTree>>],
        settings: &Settings,
        whole: &Scenes,
    ) -> Scenes<'_> {
        let pairs = table(&self.cell);
        let mut scenes = Scenes::new(
            &self.cell,
            trees,
            &pairs,
            settings,
            whole.prebuilt().clone(),
        );
        scenes.contact = self.placed(scenes.contact);
        scenes.near = scenes.near.map(|scene| self.placed(scene));
        scenes.within(&whole.contact.budget)
    }

    /// Places in the phase become places in the whole motion.
    fn place(&self, found: &mut FoundScene) {
        let result = &mut found.result;
        let contacts = result.first_contact.iter_mut().chain(&mut result.contacts);
        let contacts = contacts.map(|c| (&mut c.segment, &mut c.fraction));
        let misses = found
            .near
            .iter_mut()
            .map(|m| (&mut m.segment, &mut m.fraction));
        for (segment, fraction) in contacts.chain(misses) {
            (*segment, *fraction) = self.whole_place(*segment, *fraction);
        }
    }
}

/// Takes in the answer of the next phase.
fn join(joined: &mut CheckResult, next: CheckResult) {
    match (&mut joined.first_contact, next.first_contact) {
        (None, found) => joined.first_contact = found,
        // An interval that stayed open comes before: everything up to it is proved free, and no more.
        (Some(open), Some(hit))
            if joined.verdict < next.verdict && next.verdict > Verdict::Undecided =>
        {
            let free_until = open.free_until.min(hit.free_until);
            joined.first_contact = Some(Contact { free_until, ..hit });
        }
        (Some(_), _) => {}
    }
    joined.verdict = joined.verdict.max(next.verdict);
    joined.contacts.extend(next.contacts);
    if let Some(least) = next.minimum {
        take_in_least(&mut joined.minimum, least);
    }
    for least in next.minimum_by_class {
        take_in(&mut joined.minimum_by_class, least);
    }
    for least in next.pair_minimums {
        take_in_pair(&mut joined.pair_minimums, least);
    }
    let others = joined.others_farther_than.zip(next.others_farther_than);
    joined.others_farther_than = others.map(|(known, next)| known.min(next));
    let (sum, more) = (&mut joined.statistics, &next.statistics);
    let first = sum.intervals == 0;
    sum.intervals += more.intervals;
    sum.distance_tests += more.distance_tests;
    sum.triangle_tests += more.triangle_tests;
    sum.pairs = sum.pairs.max(more.pairs);
    // Which ones they are may differ from phase to phase.
    sum.unreachable = match first {
        true => more.unreachable,
        false => sum.unreachable.min(more.unreachable),
    };
    if let Some(work) = &more.work {
        sum.work.get_or_insert_default().add(work);
    }
    match (&mut joined.sampled, &next.sampled) {
        (Some(sampled), Some(more)) => sampled.add(more),
        (sampled, more) => *sampled = sampled.or(*more),
    }
    joined.given_up |= next.given_up;
    joined.coarseness = joined.coarseness.max(next.coarseness);
}

/// No time was left somewhere. What nobody has looked at there is not listed, so what is proved elsewhere is no bound of it.
pub(super) fn claim_nothing(found: &mut CheckResult) {
    let classes = found.minimum_by_class.iter_mut().map(|c| &mut c.least);
    let listed = classes.chain(&mut found.minimum);
    for least in listed.chain(&mut found.pair_minimums) {
        least.lower_bound = 0.0;
    }
    found.others_farther_than = None;
}

/// Takes in the least of all pairs in another interval, or over delays: what is proved holds for both.
pub(super) fn take_in_least(known: &mut Option<MinimumClearance>, next: MinimumClearance) {
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
pub(super) fn take_in_pair(known: &mut Vec<MinimumClearance>, next: MinimumClearance) {
    let same = |m: &MinimumClearance| (&m.a, &m.b) == (&next.a, &next.b);
    let mut least = known.iter().position(same).map(|k| known.swap_remove(k));
    take_in_least(&mut least, next);
    known.extend(least);
}

/// Intervals of one pair that meet at the instant of an event become one.
fn joined_contacts(mut contacts: Vec<Contact>) -> Vec<Contact> {
    contacts.sort_by(|x, y| {
        let names = (&x.a, &x.b).cmp(&(&y.a, &y.b));
        names.then(x.free_until.total_cmp(&y.free_until))
    });
    let mut joined: Vec<Contact> = Vec::new();
    for next in contacts {
        match joined.last_mut() {
            Some(last) if meets(last, &next) => {
                let until = next.until;
                if last.kind == ContactKind::Unresolved && next.kind != ContactKind::Unresolved {
                    *last = Contact {
                        free_until: last.free_until,
                        ..next
                    };
                }
                last.until = until;
            }
            _ => joined.push(next),
        }
    }
    joined.sort_by(|x, y| x.free_until.total_cmp(&y.free_until));
    joined
}

fn meets(last: &Contact, next: &Contact) -> bool {
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
    let mut joined: Vec<NearMiss> = Vec::new();
    for next in misses {
        match joined.last_mut() {
            Some(last) if (&last.a, &last.b) == (&next.a, &next.b) && last.left >= next.entered => {
                let (entered, left) = (last.entered, last.left.max(next.left));
                if next.distance < last.distance {
                    *last = next;
                }
                (last.entered, last.left) = (entered, left);
            }
            _ => joined.push(next),
        }
    }
    joined.sort_by(|x, y| x.entered.total_cmp(&y.entered));
    joined
}

#[cfg(test)]
mod tests;
