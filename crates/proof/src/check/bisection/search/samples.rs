//! Looks at instants, so that the thresholds of a search for least distances are nearly final when
//! it starts.

use super::IntervalSearch;
use crate::check::Snapshot;
use crate::check::bisection::leaf;
use crate::check::distance::{NearTriangles, corners, near_triangles, near_triangles_within};
use crate::model::MotionInstant;
use crate::numeric::golden::GoldenSection;

/// At how many instants, evenly spread over the segments, the motion is sampled first.
const SAMPLES: usize = 11;
/// Tests of nodes of a pair at an instant. The nearest triangles, or others hardly farther apart,
/// are found soon; what takes long is to see that none are nearer, which the search proves anyway.
const ENOUGH_TESTS: u64 = 50;
/// How often the surroundings of an instant are narrowed, each time to 0.62 of what they were.
const NARROWINGS: usize = 12;
/// How often other triangles may turn out to be nearer where two have come nearest.
const ROUNDS: usize = 4;

/// Two triangles that are the nearest ones at an instant.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrackedTriangles {
    pub part_pair: usize,
    pub triangles: [u32; 2],
    /// Index of the segment and share of it, added.
    pub at: f64,
}

impl IntervalSearch<'_> {
    /// Looks at instants all over the motion, and then around those at which a class of pairs is
    /// nearest.
    pub fn sample_motion(&mut self) {
        let count = self.trajectory.segments.len();
        let step = count as f64 / (SAMPLES - 1) as f64;
        for k in 0..SAMPLES {
            // Waypoints, where there are many: that is where motions turn back.
            let at = if count >= SAMPLES {
                (k as f64 * step).round()
            } else {
                k as f64 * step
            };
            for seen in self.sample_instant(at) {
                self.follow_to_minimum(seen, step);
            }
        }
    }

    fn instant(&self, at: f64) -> MotionInstant {
        let last = self.trajectory.segments.len() - 1;
        let index = (at.floor() as usize).min(last);
        MotionInstant::new(index, (at - index as f64).clamp(0.0, 1.0))
    }

    /// Looks at one instant. Returns, for each class, the nearest triangles if they are nearer than
    /// all that were seen before.
    fn sample_instant(&mut self, at: f64) -> Vec<TrackedTriangles> {
        let instant = self.instant(at);
        let mut snapshot = std::mem::take(&mut self.sampled);
        snapshot.set_at(self.scene, self.trajectory, instant);
        let scene = self.scene;
        let Some(least) = &mut self.least else {
            return Vec::new();
        };
        let mut pairs = Vec::new();
        for (index, pair) in scene.part_pairs.iter().enumerate() {
            let [a, b] = [pair.a, pair.b].map(|p| snapshot.part(scene, p).pose.translation);
            let radii = scene.parts[pair.a].bounding_radius + scene.parts[pair.b].bounding_radius;
            // Nothing is nearer than what touches.
            let bound = ((a - b).norm() - radii).max(0.0);
            if bound < least.of_interest(pair.pair) {
                pairs.push((bound, index));
            }
        }
        pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
        let mut nearest: Vec<Option<TrackedTriangles>> = vec![None; least.classes.len()];
        for (bound, part_pair) in pairs {
            let pair = &scene.part_pairs[part_pair];
            let below = least.of_interest(pair.pair);
            if bound >= below || scene.time_limit.is_exceeded() {
                continue;
            }
            let tests = &mut self.statistics.distance_tests;
            *tests += 1;
            let found =
                near_triangles_within(scene, pair, &mut snapshot, below, ENOUGH_TESTS, tests);
            let Some(NearTriangles {
                distance,
                triangles,
            }) = found
            else {
                continue;
            };
            if least.record_distance(pair.pair, distance, self.trajectory.time_at(instant)) {
                nearest[least.class_of[pair.pair]] = Some(TrackedTriangles {
                    part_pair,
                    triangles,
                    at,
                });
            }
        }
        self.sampled = snapshot;
        nearest.into_iter().flatten().collect()
    }

    /// Follows two triangles to where they come nearest, within `around` (in segments) of where
    /// they were seen.
    pub(super) fn follow_to_minimum(&mut self, seen: TrackedTriangles, mut around: f64) {
        let mut seen = seen;
        let mut snapshot = std::mem::take(&mut self.sampled);
        for _ in 0..ROUNDS {
            let last = self.trajectory.segments.len() as f64;
            let (low, high) = ((seen.at - around).max(0.0), (seen.at + around).min(last));
            let mut best = (self.core_distance(&seen, seen.at, &mut snapshot), seen.at);
            let before = best.0;
            let mut distance = |at: f64| self.core_distance(&seen, at, &mut snapshot);
            let mut section = GoldenSection::new(low, high, &mut distance);
            for _ in 0..NARROWINGS {
                for k in 0..2 {
                    if section.values[k] < best.0 {
                        best = (section.values[k], section.points[k]);
                    }
                }
                section.narrow(&mut distance);
            }
            if before - best.0 <= 0.1 * self.resolution {
                break;
            }
            let instant = self.instant(best.1);
            let time = self.trajectory.time_at(instant);
            snapshot.set_at(self.scene, self.trajectory, instant);
            let (scene, pair) = (self.scene, &self.scene.part_pairs[seen.part_pair]);
            let Some(least) = &mut self.least else { break };
            let distance = (best.0 - pair.radii).max(0.0);
            least.record_distance(pair.pair, distance, time);
            // Others may be nearer there by now.
            let tests = &mut self.statistics.distance_tests;
            let found = near_triangles(scene, pair, &mut snapshot, distance, tests);
            let Some(NearTriangles {
                distance,
                triangles,
            }) = found
            else {
                break;
            };
            least.record_distance(pair.pair, distance, time);
            seen = TrackedTriangles {
                triangles,
                at: best.1,
                ..seen
            };
            around *= 0.5;
        }
        self.sampled = snapshot;
    }

    /// The distance of the cores of two triangles at an instant, metres.
    fn core_distance(&mut self, seen: &TrackedTriangles, at: f64, snapshot: &mut Snapshot) -> f64 {
        let instant = self.instant(at);
        let (scene, pair) = (self.scene, &self.scene.part_pairs[seen.part_pair]);
        snapshot.set_at(scene, self.trajectory, instant);
        self.statistics.triangle_tests += 1;
        let poses = pair.in_common_frame(scene, snapshot);
        let [i, k] = seen.triangles.map(|t| t as usize);
        let a = corners(&scene.parts[pair.a].tree, i).map(|c| poses[0].apply(&c));
        let b = corners(&scene.parts[pair.b].tree, k).map(|c| poses[1].apply(&c));
        leaf::triangle_distance(&a, &b).distance
    }
}
