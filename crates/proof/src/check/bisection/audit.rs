//! When pairs come within their thresholds, where that may be all the time: what allowed pairs do.
//!
//! The same search as for contact intervals, but a lasting contact is not searched at the
//! resolution: only its beginning and its end are. Surfaces say nothing about a body that is wholly
//! inside another one. So between the intervals in which they meet, one instant is asked for that:
//! while surfaces stay apart, nothing can get in or out.

use super::goal::Goal;
use super::near_miss::{is_still, sampled_minimum};
use super::stretches::Stretches;
use crate::check::Snapshot;
use crate::check::depth::track_depth;
use crate::check::insides::{MeetingInterval, merged, with_insides};
use crate::check::nearest::margin;
use crate::check::scene::Scene;
use crate::check::unresolved::UnresolvedInterval;
use crate::model::{MotionInstant, Trajectory};
use crate::report::{ContactKind, Statistics};

/// Bodies that touch at both ends of a motion no longer than this, and within it, are taken to
/// touch all along, metres.
const LASTING_M: f64 = 5e-3;

/// The result for one pair.
#[derive(Debug, Clone, PartialEq)]
pub struct PairAudit {
    /// Whether the two keep their places relative to each other.
    pub still: bool,
    /// Intervals in which they are not proved farther apart than their threshold, by time.
    pub encounters: Vec<Encounter>,
}

/// An interval in which a pair is not proved farther apart than its threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Encounter {
    /// Start, trajectory time.
    pub start: f64,
    /// End, trajectory time.
    pub end: f64,
    /// How the two touch.
    pub kind: ContactKind,
    /// Least distance seen, metres.
    pub distance: f64,
    /// Proved depth of the overlap, metres.
    pub depth: Option<f64>,
    /// When that depth, or else the distance, was seen.
    pub time: f64,
    /// Where that is.
    pub at: MotionInstant,
}

/// When each pair of the scene comes within its threshold; nothing once the time limit of the scene is
/// spent. `progress` is told the share that is done, 0 … 1.
pub fn audit(
    scene: &Scene,
    trajectory: &Trajectory,
    resolution: f64,
    progress: &dyn Fn(f64),
) -> (Vec<PairAudit>, Statistics) {
    let pairs = scene.pairs.len();
    let still: Vec<bool> = (0..pairs).map(|p| is_still(scene, trajectory, p)).collect();
    let search = Stretches {
        wanted: &|pair| !still[pair],
        lasting: LASTING_M,
        ..Stretches::new(scene, trajectory, Goal::All, resolution)
    };
    let search = search.search(progress);
    let statistics = search.statistics;
    if scene.time_limit.is_exceeded() {
        // Whoever set the limit does not use what is only a part of the answer.
        return (Vec::new(), statistics);
    }
    let mut unresolved = search.unresolved;
    let mut start = Snapshot::default();
    start.set(scene, &trajectory.segments[0], 0.0);
    let at_rest = (0..pairs).filter(|&pair| still[pair]);
    unresolved.extend(
        at_rest.filter_map(|pair| at_rest_within(scene, trajectory, pair, resolution, &mut start)),
    );
    let mut of_pair: Vec<Vec<UnresolvedInterval>> = vec![Vec::new(); pairs];
    for interval in UnresolvedInterval::joined(unresolved) {
        of_pair[interval.pair].push(interval);
    }
    let audits = of_pair.into_iter().zip(still).enumerate();
    let audits = audits.map(|(pair, (intervals, still))| PairAudit {
        still,
        encounters: merged(with_insides(scene, trajectory, pair, intervals))
            .iter()
            .map(|interval| look(scene, trajectory, interval, still))
            .collect(),
    });
    (audits.collect(), statistics)
}

fn bounds(trajectory: &Trajectory) -> (f64, f64) {
    let segments = &trajectory.segments;
    (segments[0].start, segments[segments.len() - 1].end)
}

/// A pair that keeps its place: within its threshold all the time, or never.
fn at_rest_within(
    scene: &Scene,
    trajectory: &Trajectory,
    pair: usize,
    resolution: f64,
    start: &mut Snapshot,
) -> Option<UnresolvedInterval> {
    let threshold = scene.pairs[pair].clearance + margin(scene, pair, start);
    let seen = scene.pair_distance(pair, start, threshold + resolution, &mut 0)?;
    let (from, to) = bounds(trajectory);
    Some(UnresolvedInterval {
        pair,
        start: from,
        end: to,
        distance: seen.distance,
        at: MotionInstant::START,
        touches: seen.distance <= threshold,
    })
}

/// Looks closely at an interval: how near, and how deep.
fn look(
    scene: &Scene,
    trajectory: &Trajectory,
    meeting: &MeetingInterval,
    still: bool,
) -> Encounter {
    let unresolved = &meeting.interval;
    let threshold = scene.pairs[unresolved.pair].clearance;
    let mut encounter = Encounter {
        start: unresolved.start,
        end: unresolved.end,
        kind: ContactKind::Inside,
        distance: unresolved.distance,
        depth: None,
        time: 0.0,
        at: unresolved.at,
    };
    if meeting.surfaces {
        if unresolved.distance > 0.0 && !still {
            // The distance that the search saw may be that of another instant than the one that it
            // names.
            let least = sampled_minimum(scene, trajectory, unresolved);
            (encounter.distance, encounter.at) = (least.distance, least.at);
        }
        encounter.kind = if unresolved.touches || encounter.distance <= threshold {
            ContactKind::Contact
        } else {
            ContactKind::Unresolved
        };
    }
    if encounter.distance <= 0.0 {
        let (at, until) = if still {
            (unresolved.at, trajectory.time_at(unresolved.at))
        } else {
            (trajectory.locate(unresolved.start), unresolved.end)
        };
        let deep = track_depth(scene, trajectory, unresolved.pair, at, Some(until));
        if let Some(depth) = deep.depth.filter(|&depth| depth > 0.0) {
            (encounter.depth, encounter.at) = (Some(depth), deep.at);
        }
    }
    encounter.time = trajectory.time_at(encounter.at);
    encounter
}
