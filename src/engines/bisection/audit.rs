//! When pairs come within their thresholds, where that may be all the time: what allowed pairs do.
//!
//! The same search as for contact intervals, but a lasting contact is not searched at the resolution: only its beginning and
//! its end are. Surfaces say nothing about a body that is wholly inside another one. So between the stretches in which they
//! meet, one instant is asked for that: while surfaces stay apart, nothing can get in or out.

use super::near_miss::{is_still, least_seen};
use super::record::Goal;
use super::run;
use super::search::Search;
use crate::engines::Moment;
use crate::engines::containment::is_contained;
use crate::engines::depth::overlap;
use crate::engines::distance::pair_distance;
use crate::engines::scene::Scene;
use crate::engines::stretch::{Open, joined};
use crate::findings::{ContactKind, Statistics};
use crate::model::Path;

/// Bodies that touch at both ends of a motion no longer than this, and within it, are taken to touch all along, metres.
const LASTING_M: f64 = 5e-3;
/// At how many instants of a stretch the depth is looked for.
const LOOKS: usize = 16;

/// What one pair does.
#[derive(Debug, Clone, PartialEq)]
pub struct PairAudit {
    /// Whether the two keep their places relative to each other.
    pub still: bool,
    /// Stretches in which they are not proved farther apart than their threshold, by time.
    pub encounters: Vec<Encounter>,
}

/// A stretch in which a pair is not proved farther apart than its threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Encounter {
    /// Start, path time.
    pub start: f64,
    /// End, path time.
    pub end: f64,
    /// How the two touch.
    pub kind: ContactKind,
    /// Least distance seen, metres.
    pub distance: f64,
    /// Proved depth of the overlap, metres; see [`overlap`].
    pub depth: Option<f64>,
    /// Where that depth, or else the distance, was seen: segment and share of it.
    pub at: (usize, f64),
}

/// When each pair of the scene comes within its threshold. `progress` is told the share that is done, 0 … 1.
pub fn audit(
    scene: &Scene,
    path: &Path,
    resolution: f64,
    progress: &dyn Fn(f64),
) -> (Vec<PairAudit>, Statistics) {
    let pairs = scene.pairs.len();
    let still: Vec<bool> = (0..pairs).map(|p| is_still(scene, path, p)).collect();
    let mut search = Search::new(scene, path, Goal::All, resolution);
    search.lasting = LASTING_M;
    run(&mut search, scene, path, &|pair| !still[pair], progress);
    let statistics = search.statistics;
    let mut open = search.open;
    let mut start = Moment::default();
    start.set(scene, &path.segments[0], 0.0);
    let at_rest = (0..pairs).filter(|&pair| still[pair]);
    open.extend(
        at_rest.filter_map(|pair| at_rest_within(scene, path, pair, resolution, &mut start)),
    );
    let mut of_pair: Vec<Vec<Open>> = vec![Vec::new(); pairs];
    for stretch in joined(open) {
        of_pair[stretch.pair].push(stretch);
    }
    let audits = of_pair.into_iter().zip(still).enumerate();
    let audits = audits.map(|(pair, (stretches, still))| PairAudit {
        still,
        encounters: with_insides(scene, path, pair, stretches)
            .iter()
            .map(|stretch| look(scene, path, stretch, still))
            .collect(),
    });
    (audits.collect(), statistics)
}

fn bounds(path: &Path) -> (f64, f64) {
    let segments = &path.segments;
    (segments[0].start, segments[segments.len() - 1].end)
}

/// A pair that keeps its place: within its threshold all the time, or never.
fn at_rest_within(
    scene: &Scene,
    path: &Path,
    pair: usize,
    resolution: f64,
    start: &mut Moment,
) -> Option<Open> {
    let threshold = scene.pairs[pair].clearance;
    let seen = pair_distance(scene, pair, start, threshold + resolution, &mut 0)?;
    let (from, to) = bounds(path);
    Some(Open {
        pair,
        start: from,
        end: to,
        distance: seen.distance,
        at: (0, 0.0),
        touches: seen.distance <= threshold,
    })
}

/// A stretch, and whether its surfaces meet in it: else one body is inside the other.
struct Stretch {
    open: Open,
    surfaces: bool,
}

/// Adds the stretches in which one body is wholly inside the other, and joins what meets.
fn with_insides(scene: &Scene, path: &Path, pair: usize, surfaces: Vec<Open>) -> Vec<Stretch> {
    let (first, last) = bounds(path);
    let mut moment = Moment::default();
    let mut inside = |from: f64, to: f64| {
        let at = path.locate(0.5 * (from + to));
        moment.set(scene, &path.segments[at.0], at.1);
        is_contained(scene, pair, &mut moment).then_some(Stretch {
            open: Open {
                pair,
                start: from,
                end: to,
                distance: 0.0,
                at,
                touches: true,
            },
            surfaces: false,
        })
    };
    let mut all: Vec<Stretch> = Vec::new();
    let mut from = first;
    for open in surfaces {
        if from < open.start {
            all.extend(inside(from, open.start));
        }
        from = open.end;
        all.push(Stretch {
            open,
            surfaces: true,
        });
    }
    if from < last || all.is_empty() {
        all.extend(inside(from, last));
    }
    let mut merged: Vec<Stretch> = Vec::new();
    for next in all {
        match merged.last_mut() {
            Some(last) if last.open.joins(&next.open) => {
                last.open.join(&next.open);
                last.surfaces |= next.surfaces;
            }
            _ => merged.push(next),
        }
    }
    merged
}

/// Looks closely at a stretch: how near, and how deep.
fn look(scene: &Scene, path: &Path, stretch: &Stretch, still: bool) -> Encounter {
    let open = &stretch.open;
    let threshold = scene.pairs[open.pair].clearance;
    let mut encounter = Encounter {
        start: open.start,
        end: open.end,
        kind: ContactKind::Inside,
        distance: open.distance,
        depth: None,
        at: open.at,
    };
    if stretch.surfaces {
        if open.distance > 0.0 && !still {
            let least = least_seen(scene, path, open);
            if least.distance < encounter.distance {
                (encounter.distance, encounter.at) = (least.distance, least.at);
            }
        }
        encounter.kind = match open.touches || encounter.distance <= threshold {
            true => ContactKind::Contact,
            false => ContactKind::Unresolved,
        };
    }
    if encounter.distance <= 0.0 {
        let looks = if still { 0 } else { LOOKS };
        let step = (open.end - open.start) / looks.max(1) as f64;
        let evenly = (0..looks).map(|k| path.locate(open.start + step * (k as f64 + 0.5)));
        let mut moment = Moment::default();
        for at in std::iter::once(open.at).chain(evenly) {
            moment.set(scene, &path.segments[at.0], at.1);
            let depth = overlap(scene, open.pair, &mut moment);
            if depth > encounter.depth {
                (encounter.depth, encounter.at) = (depth, at);
            }
        }
    }
    encounter
}
