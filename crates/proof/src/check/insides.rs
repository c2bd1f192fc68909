//! Bodies that are wholly inside others, as findings: from when to when.
//!
//! Surfaces say nothing about such a body. So between the intervals in which they meet, one instant
//! is asked for that: while surfaces stay apart, nothing can get in or out.

use std::collections::BTreeMap;

use nalgebra::Point3;

use crate::check::Snapshot;
use crate::check::contact::contact;
use crate::check::scene::Scene;
use crate::check::unresolved::UnresolvedInterval;
use crate::model::{MotionInstant, Trajectory};
use crate::report::{Contact, ContactKind};

/// An interval in which surfaces meet, or one body is inside the other; after [`merged`] perhaps
/// both, one after the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeetingInterval {
    /// From when to when.
    pub interval: UnresolvedInterval,
    /// Whether surfaces meet.
    pub surfaces: bool,
    /// A place at which one body is wholly inside the other.
    pub inside: Option<MotionInstant>,
}

/// The intervals of a pair in which its surfaces meet, by time and apart from each other, and
/// between them those in which one body is wholly inside the other.
pub(crate) fn with_insides(
    scene: &Scene,
    trajectory: &Trajectory,
    pair: usize,
    surfaces: impl IntoIterator<Item = UnresolvedInterval>,
) -> Vec<MeetingInterval> {
    let segments = &trajectory.segments;
    let (first, last) = (segments[0].start, segments[segments.len() - 1].end);
    let mut snapshot = Snapshot::default();
    let mut inside = |from: f64, to: f64| {
        let middle = trajectory.locate(0.5 * (from + to));
        snapshot.set_at(scene, trajectory, middle);
        scene
            .contained_pair(pair, &mut snapshot)
            .map(|_| MeetingInterval {
                interval: UnresolvedInterval {
                    pair,
                    start: from,
                    end: to,
                    distance: 0.0,
                    at: middle,
                    touches: true,
                },
                surfaces: false,
                inside: Some(middle),
            })
    };
    let mut all: Vec<MeetingInterval> = Vec::new();
    let mut from = first;
    for unresolved in surfaces {
        if from < unresolved.start {
            all.extend(inside(from, unresolved.start));
        }
        from = unresolved.end;
        all.push(MeetingInterval {
            interval: unresolved,
            surfaces: true,
            inside: None,
        });
    }
    if from < last || all.is_empty() {
        all.extend(inside(from, last));
    }
    all
}

/// The intervals of [`with_insides`] for all pairs, pair by pair. `surfaces` are the intervals in
/// which surfaces meet: those of one pair are sorted by time and disjoint. `contained` are the
/// pairs of which one body is inside the other at the first instant. Of the pairs without an
/// interval in `surfaces`, only these can be inside each other later.
pub(crate) fn of_all_pairs(
    scene: &Scene,
    trajectory: &Trajectory,
    contained: &[usize],
    surfaces: &[UnresolvedInterval],
) -> Vec<MeetingInterval> {
    let mut of_pair: BTreeMap<usize, Vec<UnresolvedInterval>> = BTreeMap::new();
    for unresolved in surfaces {
        of_pair
            .entry(unresolved.pair)
            .or_default()
            .push(*unresolved);
    }
    for &pair in contained {
        of_pair.entry(pair).or_default();
    }
    let of_pair = of_pair.into_iter();
    of_pair
        .flat_map(|(pair, own)| with_insides(scene, trajectory, pair, own))
        .collect()
}

/// Intervals of a pair that meet become one; those of a pair follow one another, by time.
pub(crate) fn merged(all: Vec<MeetingInterval>) -> Vec<MeetingInterval> {
    let mut merged: Vec<MeetingInterval> = Vec::new();
    for next in all {
        match merged.last_mut() {
            Some(last) if last.interval.joins(&next.interval) => {
                last.interval.join(&next.interval);
                last.surfaces |= next.surfaces;
                last.inside = last.inside.or(next.inside);
            }
            _ => merged.push(next),
        }
    }
    merged
}

impl Scene<'_> {
    /// Every interval of every pair as a finding, by time: `surfaces` in which surfaces meet,
    /// joined and by time, and what is inside between them; `contained` as in `of_all_pairs`.
    pub fn contact_intervals(
        &self,
        trajectory: &Trajectory,
        contained: &[usize],
        surfaces: &[UnresolvedInterval],
    ) -> Vec<Contact> {
        let mut all = of_all_pairs(self, trajectory, contained, surfaces);
        all.sort_by(|x, y| {
            let times = x.interval.start.total_cmp(&y.interval.start);
            times.then(x.interval.pair.cmp(&y.interval.pair))
        });
        all.iter()
            .map(|meeting| {
                let unresolved = &meeting.interval;
                let found = match unresolved.touches {
                    // The first instant is known by itself.
                    true if !meeting.surfaces
                        && unresolved.start == trajectory.segments[0].start =>
                    {
                        self.met(trajectory, unresolved.pair, MotionInstant::START)
                    }
                    true => self.met(trajectory, unresolved.pair, unresolved.at),
                    false => return unresolved.contact(self, trajectory),
                };
                Contact {
                    free_until: unresolved.start,
                    until: Some(unresolved.end),
                    ..found
                }
            })
            .collect()
    }

    /// A pair that is known to be in contact at a place on the trajectory: by its surfaces, or,
    /// where these are apart and one body lies inside the other, by that.
    pub fn met(&self, trajectory: &Trajectory, pair: usize, at: MotionInstant) -> Contact {
        let found = contact(self, trajectory, pair, at, ContactKind::Contact);
        if found.distance <= 0.0 {
            return found;
        }
        let mut snapshot = Snapshot::default();
        snapshot.set_at(self, trajectory, at);
        match self.contained_pair(pair, &mut snapshot) {
            Some(contained) => as_inside(found, contained.point),
            None => found,
        }
    }
}

/// A contact of a body inside another one; `point` is where, world frame, metres.
fn as_inside(found: Contact, point: Point3<f64>) -> Contact {
    Contact {
        kind: ContactKind::Inside,
        distance: 0.0,
        point_a: point.coords.into(),
        point_b: point.coords.into(),
        ..found
    }
}
