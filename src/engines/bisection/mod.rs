//! Bisection over sphere trees: the default check.

#[cfg(test)]
mod cases;
mod front;
mod kernel;
mod leaf;
mod near_miss;
mod record;
mod search;
mod simd;
mod sweep;
pub(super) mod view;

use crate::engines::Moment;
use crate::engines::containment::{Contained, contained};
use crate::engines::distance::{Nearest, pair_distance};
use crate::engines::scene::Scene;
use crate::findings::{Contact, ContactKind, MinimumClearance, Statistics, Verdict};
use crate::model::Path;
pub use near_miss::near_misses;
use record::{Goal, Least, Open, tolerance};
use search::Search;

/// What to look for, and how finely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckOptions {
    /// Resolution ε, metres.
    pub resolution: f64,
    /// Every contact interval of every pair rather than the first contact.
    pub all: bool,
    /// Certified least clearance too.
    pub minimum: bool,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckResult {
    /// Answer.
    pub verdict: Verdict,
    /// Earliest contact; without one the earliest stretch that stayed undecided.
    pub first_contact: Option<Contact>,
    /// With `all`: every interval of every pair, by time.
    pub contacts: Vec<Contact>,
    /// With `minimum`: over all pairs.
    pub minimum: Option<MinimumClearance>,
    /// With `minimum`: per pair, nearest first.
    pub pair_minimums: Vec<MinimumClearance>,
    /// Work done.
    pub statistics: Statistics,
}

/// Checks a motion. `progress` is told the share of the work that is done, 0 … 1.
pub fn check(
    scene: &Scene,
    path: &Path,
    options: &CheckOptions,
    progress: &dyn Fn(f64),
) -> CheckResult {
    let runs = 1 + usize::from(options.all) + usize::from(options.minimum);
    let done = std::cell::Cell::new(0);
    let part = |share: f64| progress((done.get() as f64 + share) / runs as f64);
    let report = Reporter { scene, path };

    let mut start = Moment::default();
    start.set(scene, &path.segments[0], 0.0);
    let hidden = contained(scene, &mut start);
    let mut search = Search::new(scene, path, Goal::First, options.resolution);
    if hidden.is_empty() {
        run(&mut search, scene, path, &part);
    }
    let verdict = match (&search.hit, search.open.is_empty()) {
        _ if !hidden.is_empty() => Verdict::Collision,
        (Some(_), _) => Verdict::Collision,
        (None, false) => Verdict::Undecided,
        (None, true) => Verdict::Clear,
    };
    let inside: Vec<Contact> = hidden.iter().map(|h| report.inside(h)).collect();
    let mut result = CheckResult {
        verdict,
        first_contact: inside.first().cloned().or_else(|| report.first(&search)),
        contacts: Vec::new(),
        minimum: None,
        pair_minimums: Vec::new(),
        statistics: search.statistics,
    };
    if options.all {
        done.set(done.get() + 1);
        let mut all = Search::new(scene, path, Goal::All, options.resolution);
        if verdict != Verdict::Clear {
            run(&mut all, scene, path, &part);
        }
        // Nothing is said about when an inner body gets out: that it touches on the way is found by its surface.
        result.contacts = inside;
        result.contacts.extend(report.contacts(all.open));
        result.statistics = sum(&result.statistics, &all.statistics);
    }
    if options.minimum {
        done.set(done.get() + 1);
        let mut minimum = Search::new(scene, path, Goal::Minimum, options.resolution);
        for h in &hidden {
            minimum.note_least(h.pair, 0.0, path.segments[0].start);
        }
        let count = path.segments.len();
        for index in (0..count).step_by(count.div_ceil(SEEDS)) {
            minimum.look(index, 0.0);
        }
        minimum.look(count - 1, 1.0);
        run(&mut minimum, scene, path, &part);
        result.pair_minimums = report.minimums(&minimum, options.resolution);
        result.minimum = result.pair_minimums.first().cloned().map(|mut least| {
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
        ..*a
    }
}

/// Searches the segments in order.
fn run(search: &mut Search, scene: &Scene, path: &Path, progress: &dyn Fn(f64)) {
    for index in 0..path.segments.len() {
        if search.hit.is_some() && search.goal() == Goal::First {
            break;
        }
        search.segment(index, 0..scene.part_pairs.len());
        progress((index + 1) as f64 / path.segments.len() as f64);
    }
}

struct Reporter<'r> {
    scene: &'r Scene<'r>,
    path: &'r Path,
}

impl Reporter<'_> {
    fn first(&self, search: &Search) -> Option<Contact> {
        let first_open = search
            .open
            .iter()
            .min_by(|x, y| x.start.total_cmp(&y.start));
        if let Some(hit) = search.hit {
            let mut contact = self.contact(hit.pair, (hit.segment, hit.s), ContactKind::Contact);
            contact.free_until = first_open.map_or(contact.time, |o| o.start.min(contact.time));
            return Some(contact);
        }
        first_open.map(|open| self.stretch(open))
    }

    fn inside(&self, hidden: &Contained) -> Contact {
        let point = hidden.point.coords.into();
        Contact {
            distance: 0.0,
            point_a: point,
            point_b: point,
            normal: [0.0; 3],
            ..self.contact(hidden.pair, (0, 0.0), ContactKind::Inside)
        }
    }

    fn stretch(&self, open: &Open) -> Contact {
        let kind = if open.touches {
            ContactKind::Contact
        } else {
            ContactKind::Unresolved
        };
        Contact {
            free_until: open.start,
            until: Some(open.end),
            ..self.contact(open.pair, open.at, kind)
        }
    }

    /// Contact intervals of each pair, earliest first.
    fn contacts(&self, open: Vec<Open>) -> Vec<Contact> {
        let joined = Self::joined(open);
        joined.iter().map(|o| self.stretch(o)).collect()
    }

    /// Joins stretches of each pair, earliest first.
    fn joined(mut open: Vec<Open>) -> Vec<Open> {
        open.sort_by(|x, y| x.pair.cmp(&y.pair).then(x.start.total_cmp(&y.start)));
        let mut joined: Vec<Open> = Vec::new();
        for next in open {
            match joined.last_mut() {
                Some(last) if last.joins(&next) => last.join(&next),
                _ => joined.push(next),
            }
        }
        joined.sort_by(|x, y| x.start.total_cmp(&y.start).then(x.pair.cmp(&y.pair)));
        joined
    }

    /// Certified least distances, nearest first.
    fn minimums(&self, search: &Search, resolution: f64) -> Vec<MinimumClearance> {
        let bodies = &self.scene.cell.bodies;
        let mut list: Vec<_> = search
            .least
            .iter()
            .zip(&self.scene.pairs)
            .enumerate()
            .map(|(index, (least, pair))| MinimumClearance {
                distance: self.distance(index, least),
                lower_bound: if search.open.iter().any(|open| open.pair == index) {
                    // Given up somewhere: nothing is proved about the pair.
                    0.0
                } else {
                    let tolerance = tolerance(resolution, least.distance, search.nearest);
                    (least.distance - tolerance).max(0.0)
                },
                time: least.time,
                a: bodies[pair.a].name.clone(),
                b: bodies[pair.b].name.clone(),
            })
            .collect();
        list.sort_by(|x, y| x.distance.total_cmp(&y.distance));
        list
    }

    /// Distance of a pair at the instant of the least one that was seen. That was of two triangles: others of the pair may
    /// be nearer at this instant.
    fn distance(&self, pair: usize, least: &Least) -> f64 {
        let (index, s) = self.path.locate(least.time);
        let mut moment = Moment::default();
        moment.set(self.scene, &self.path.segments[index], s);
        pair_distance(self.scene, pair, &mut moment, least.distance, &mut 0)
            .map_or(least.distance, |nearest| nearest.distance)
    }

    fn contact(&self, pair: usize, (index, s): (usize, f64), kind: ContactKind) -> Contact {
        let (scene, cell) = (self.scene, self.scene.cell);
        let segment = &self.path.segments[index];
        let mut moment = Moment::default();
        moment.set(scene, segment, s);
        let origin = nalgebra::Point3::origin();
        let nearest =
            pair_distance(scene, pair, &mut moment, f64::INFINITY, &mut 0).unwrap_or(Nearest {
                distance: f64::INFINITY,
                point_a: origin,
                point_b: origin,
            });
        let time = segment.start + s * (segment.end - segment.start);
        let normal = (nearest.point_a - nearest.point_b)
            .try_normalize(0.0)
            .unwrap_or_default();
        Contact {
            time,
            free_until: time,
            until: None,
            segment: index,
            fraction: s,
            a: cell.bodies[scene.pairs[pair].a].name.clone(),
            b: cell.bodies[scene.pairs[pair].b].name.clone(),
            kind,
            distance: nearest.distance,
            point_a: nearest.point_a.coords.into(),
            point_b: nearest.point_b.coords.into(),
            normal: normal.into(),
            joints: (0..cell.joints.len())
                .map(|j| (cell.joint_label(j), segment.position(j, s)))
                .collect(),
        }
    }
}
