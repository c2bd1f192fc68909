//! The leaves of the search: exact triangles.

use nalgebra::{Point3, Vector3};

use super::IntervalSearch;
use super::interval::{FINAL_SHARE, Leaves, contact_distance};
use super::samples::TrackedTriangles;
use super::separation::in_part;
use crate::bvh::Node;
use crate::check::bisection::front::{Front, FrontEntry};
use crate::check::bisection::goal::{Goal, Hit};
use crate::check::bisection::leaf::{self, Piece, SweptTriangle};
use crate::check::distance::{corners, triangles};
use crate::check::errors::{ErrorBounds, PointErrors, greatest_scale};
use crate::check::unresolved::UnresolvedInterval;
use crate::geometry::pose::Pose;
use crate::geometry::triangle::Closest;
use crate::model::MotionInstant;

/// Where triangles move by less than this share of what they are farther apart than they must be,
/// they are taken apart.
const PIECES_SHARE: f64 = 0.25;
/// How far from an instant, in segments, a pair that has come nearer there is followed.
const FOLLOWED_SEGMENTS: f64 = 0.25;
/// Most pairs of pieces that are tested.
pub(super) const MOST_PIECES: usize = 600;

/// How far errors can bring the closest points of two triangles together at an instant, metres;
/// both parts stand at `poses` in the frame of the points.
fn errors_at_closest_points(errors: &PointErrors, closest: &Closest, poses: &[Pose; 2]) -> f64 {
    let deviation = |side: usize, point: &Point3<f64>| {
        let in_part = in_part(&poses[side], point);
        errors.at_part_point(side, &in_part)
    };
    deviation(0, &closest.point_a) + deviation(1, &closest.point_b)
}

impl IntervalSearch<'_> {
    /// Takes over a threshold that has fallen. Whether nothing is left to be proved of the pair.
    fn update_threshold(&self, leaves: &mut Leaves) -> bool {
        let pair = &self.scene.part_pairs[leaves.part_pair];
        let Some(threshold) = self.threshold(pair.pair) else {
            return true;
        };
        leaves.required_gap = threshold + pair.radii + leaves.view.margin;
        false
    }

    /// All pairs of triangles of two leaves.
    #[inline(never)]
    pub(super) fn leaf_nodes(
        &mut self,
        leaves: &mut Leaves,
        na: &Node,
        nb: &Node,
        middle: &mut Option<usize>,
        later: &mut Front,
    ) {
        let scene = self.scene;
        if leaves.separates(scene, na, nb) {
            self.statistics.distance_tests += 1;
            return;
        }
        let mut sides = std::mem::take(&mut self.sides);
        for (side, node) in [na, nb].into_iter().enumerate() {
            sides[side].clear();
            for t in triangles(node) {
                sides[side].push((t as u32, leaves.sweep(scene, side, t)));
            }
        }
        for (i, a) in &sides[0] {
            for (k, b) in &sides[1] {
                self.statistics.distance_tests += 1;
                let known = leaves.recent;
                if known.is_some_and(|n| leaves.separation(a, b, &n) > leaves.required_gap) {
                    continue;
                }
                let entry = FrontEntry::triangles(*i, *k);
                let cheap = if leaves.has_errors {
                    leaf::cheap_direction(a, b, leaves.required_gap, leaf::separation_with_errors)
                } else {
                    leaf::cheap_direction(a, b, leaves.required_gap, leaf::separation)
                };
                if let Some(n) = cheap {
                    leaves.recent = Some(n);
                } else {
                    self.leaf(leaves, &entry, [a, b], middle, later);
                }
            }
        }
        self.sides = sides;
    }

    /// A pair of triangles that was handed on before.
    pub(super) fn triangles(
        &mut self,
        leaves: &mut Leaves,
        entry: &FrontEntry,
        middle: &mut Option<usize>,
        later: &mut Front,
    ) {
        self.statistics.distance_tests += 1;
        let scene = self.scene;
        if leaves.separates_triangles(scene, entry) {
            return;
        }
        let [i, k] = entry.pair().map(|t| t as usize);
        let a = leaves.sweep(scene, 0, i);
        let b = leaves.sweep(scene, 1, k);
        self.leaf(leaves, entry, [&a, &b], middle, later);
    }

    // A function that is called for every pair of triangles is inlined by order: left to itself,
    // that changes with code elsewhere.
    /// One pair of triangles that no direction at hand separates: proved apart, found in contact,
    /// final, or handed on.
    pub(super) fn leaf(
        &mut self,
        leaves: &mut Leaves,
        entry: &FrontEntry,
        [a, b]: [&SweptTriangle; 2],
        middle: &mut Option<usize>,
        later: &mut Front,
    ) {
        let scene = self.scene;
        let interval = leaves.interval;
        let pair = &scene.part_pairs[leaves.part_pair];
        if self.is_touching(pair.pair, &interval) {
            return;
        }
        let motion_bound = leaf::motion_bound(a, b);
        let last = motion_bound <= FINAL_SHARE * self.resolution || interval.is_last();
        if self.too_late(&interval, interval.middle()) && !last {
            // The middle cannot make a contact earlier than the one that is known.
            later.push(leaves.part_pair, *entry);
            return;
        }
        // Where other triangles of the pair wait for the halves anyway, hardly any of those that
        // were handed on before would be proved here: they are not measured.
        let may_wait = self.goal == Goal::First && !leaves.has_errors && !last;
        let was_handed_on = entry.witness != [0.0; 3];
        if may_wait && was_handed_on && later.ends_with(leaves.part_pair) {
            later.push(leaves.part_pair, *entry);
            return;
        }
        let middle =
            *middle.get_or_insert_with(|| self.snapshot(interval.segment, interval.middle()));
        let poses = *leaves
            .at_middle
            .get_or_insert_with(|| pair.in_common_frame(scene, &mut self.snapshots[middle]));
        let closest = self.exact(leaves, entry, &poses);
        let distance = closest.distance;
        self.record_exact_distance(leaves, entry, distance, interval.middle());
        let n = (closest.point_a - closest.point_b)
            .try_normalize(0.0)
            .unwrap_or_default();
        let separation = leaves.separation(a, b, &n);
        if separation > leaves.required_gap {
            leaves.recent = Some(n);
            return;
        }
        // The exact distance itself may have lowered what must be proved.
        if self.goal == Goal::Minimum
            && (self.update_threshold(leaves) || separation > leaves.required_gap)
        {
            return;
        }
        // Where errors differ over a triangle more than it moves, shorter intervals prove no more.
        if leaves.has_errors
            && motion_bound <= PIECES_SHARE * (distance - leaves.required_gap)
            && let Some(errors) = self.errors.as_ref().or(self.no_errors.as_ref())
            && self.are_separated_with_errors(errors, leaves, (entry, [a, b]), middle)
        {
            return;
        }
        if self.lowers() && last && leaves.has_errors {
            self.errors_use_up_distance(leaves, &closest, &poses, middle);
            self.lower_until_separated(leaves, (entry, [a, b]), middle);
            return;
        }
        let touches = if self.allows() {
            self.errors_use_up_distance(leaves, &closest, &poses, middle)
        } else {
            leaves.touches(distance)
        };
        let enough = self.goal == Goal::All
            && touches
            && (motion_bound <= self.resolution
                || (motion_bound <= self.lasting && self.touches_at_ends(leaves)));
        if last || enough {
            self.settle(leaves, distance, entry, separation);
        } else {
            later.push(leaves.part_pair, entry.separated_by(&n));
        }
    }

    /// Whether two triangles are proved apart for all errors in an interval, each corner with its
    /// own; `middle` is the snapshot of its middle.
    pub(super) fn are_separated_with_errors(
        &self,
        errors: &ErrorBounds,
        leaves: &Leaves,
        (entry, swept): (&FrontEntry, [&SweptTriangle; 2]),
        middle: usize,
    ) -> bool {
        let (Some(poses), pair) = (&leaves.at_middle, &self.scene.part_pairs[leaves.part_pair])
        else {
            return false;
        };
        let interval = (&self.snapshots[middle], Some(&self.sweeps.joint_bounds));
        let points = PointErrors::new(errors, pair, interval, &self.tubes);
        let deviation = |side: usize, point: &Vector3<f64>| points.at_part_point(side, point);
        let (parts, numbers) = ([pair.a, pair.b], entry.pair());
        let [a, b] = [0, 1].map(|side| {
            let tree = &self.scene.parts[parts[side]].tree;
            let corners = corners(tree, numbers[side] as usize);
            let swept = SweptTriangle {
                deviations: corners.map(|corner| deviation(side, &corner)),
                ..*swept[side]
            };
            Piece { swept, corners }
        });
        leaves.are_separated_in_pieces([&a, &b], &deviation, poses, &mut { MOST_PIECES })
    }

    /// Whether errors can use up all that two cores are apart at an instant: no shorter interval
    /// would prove more there.
    fn errors_use_up_distance(
        &mut self,
        leaves: &Leaves,
        closest: &Closest,
        poses: &[Pose; 2],
        at: usize,
    ) -> bool {
        let pair = &self.scene.part_pairs[leaves.part_pair];
        let Some(errors) = &self.errors else {
            return false;
        };
        let snapshot = &self.snapshots[at];
        let points = PointErrors::new(errors, pair, (snapshot, None), &self.tubes);
        let deviation = errors_at_closest_points(&points, closest, poses);
        let used_up = closest.distance <= leaves.required_gap + deviation;
        if used_up && self.lowered.is_some() {
            let instant = MotionInstant::new(leaves.interval.index, snapshot.s());
            self.lower_at(leaves, closest, poses, at, instant);
        } else if used_up {
            let instant = MotionInstant::new(leaves.interval.index, snapshot.s());
            self.record_not_proved(pair.pair, instant);
        }
        used_up
    }

    /// Lowers the errors to what two triangles allow at an instant.
    fn lower_at(
        &mut self,
        leaves: &Leaves,
        closest: &Closest,
        poses: &[Pose; 2],
        at: usize,
        instant: MotionInstant,
    ) {
        let pair = self.scene.part_pairs[leaves.part_pair];
        let Some(mut scaled) = self.errors.clone() else {
            return;
        };
        let (snapshot, tubes) = (&self.snapshots[at], &self.tubes);
        let most = scaled.scale;
        let times = greatest_scale(most, closest.distance - leaves.required_gap, &mut |times| {
            scaled.scale = times;
            let points = PointErrors::new(&scaled, &pair, (snapshot, None), tubes);
            errors_at_closest_points(&points, closest, poses)
        });
        self.lower_to(times, pair.pair, instant);
    }

    /// Takes note of the earliest instant at which a pair is not proved apart for all errors.
    fn record_not_proved(&mut self, pair: usize, at: MotionInstant) {
        self.lower_to(0.0, pair, at);
        if self.goal == Goal::First && self.hit.is_none_or(|h| at < h.at) {
            self.hit = Some(Hit { pair, at });
        }
    }

    /// Exact distance of the cores of two triangles, and their closest points.
    pub(super) fn exact(
        &mut self,
        leaves: &Leaves,
        entry: &FrontEntry,
        poses: &[Pose; 2],
    ) -> Closest {
        self.statistics.triangle_tests += 1;
        let pair = &self.scene.part_pairs[leaves.part_pair];
        let [i, k] = entry.pair().map(|t| t as usize);
        let a = corners(&self.scene.parts[pair.a].tree, i).map(|c| poses[0].apply(&c));
        let b = corners(&self.scene.parts[pair.b].tree, k).map(|c| poses[1].apply(&c));
        leaf::triangle_distance(&a, &b)
    }

    /// Whether the bodies of the pair touch at both ends of the interval, anywhere.
    pub(super) fn touches_at_ends(&mut self, leaves: &mut Leaves) -> bool {
        if let Some(known) = leaves.ends_touch {
            return known;
        }
        let part_pair = &self.scene.part_pairs[leaves.part_pair];
        let clearance = self.scene.pairs[part_pair.pair].clearance;
        let within = contact_distance(clearance, leaves.view.margin, self.resolution);
        let touch = leaves.interval.ends.iter().all(|&end| {
            let snapshot = &mut self.snapshots[end];
            let tests = &mut self.statistics.distance_tests;
            self.scene
                .pair_distance(part_pair.pair, snapshot, within.next_up(), tests)
                .is_some()
        });
        leaves.ends_touch = Some(touch);
        touch
    }

    /// Takes note of an interval that is not proved free.
    pub(super) fn record_unresolved(&mut self, unresolved: UnresolvedInterval) {
        match self.unresolved.last_mut() {
            Some(last) if last.joins(&unresolved) => last.join(&unresolved),
            _ => self.unresolved.push(unresolved),
        }
    }

    /// Takes note of an exact distance at an instant of the interval.
    fn record_exact_distance(
        &mut self,
        leaves: &Leaves,
        entry: &FrontEntry,
        core_distance: f64,
        s: f64,
    ) {
        let part_pair = &self.scene.part_pairs[leaves.part_pair];
        let at = MotionInstant::new(leaves.interval.index, s);
        if let Some(least) = &mut self.least {
            let distance = (core_distance - part_pair.radii).max(0.0);
            let before = least.of_pair(part_pair.pair);
            least.record_distance(part_pair.pair, distance, leaves.interval.time(s));
            // The instant at which the pair is nearest is probably close by: it is looked for next.
            if least.of_pair(part_pair.pair) < before {
                let seen = TrackedTriangles {
                    part_pair: leaves.part_pair,
                    triangles: entry.pair(),
                    at: at.segment as f64 + s,
                };
                self.follow_to_minimum(seen, FOLLOWED_SEGMENTS);
            }
            return;
        }
        if !self.allows() && leaves.touches(core_distance) && self.hit.is_none_or(|h| at < h.at) {
            self.hit = Some(Hit {
                pair: part_pair.pair,
                at,
            });
        }
    }

    /// The resolution is reached: the interval stays unresolved for this pair. Its two ends are
    /// looked at as well, so that a contact at a waypoint is found even if it is never reached in
    /// between.
    pub(super) fn settle(
        &mut self,
        leaves: &mut Leaves,
        middle: f64,
        entry: &FrontEntry,
        separation: f64,
    ) {
        let interval = leaves.interval;
        let part_pair = &self.scene.part_pairs[leaves.part_pair];
        let mut least = (middle, interval.middle());
        for end in 0..2 {
            let poses = [leaves.view.a[end], leaves.view.b[end]];
            let distance = self.exact(leaves, entry, &poses).distance;
            self.record_exact_distance(leaves, entry, distance, interval.s[end]);
            if distance < least.0 {
                least = (distance, interval.s[end]);
            }
        }
        if let Some(known) = &mut self.least {
            // Shorter intervals prove no more than this of the two triangles, and so no more of
            // their class.
            let proved = separation - part_pair.radii - leaves.view.margin;
            known.record_bound(part_pair.pair, proved);
            self.update_threshold(leaves);
            return;
        }
        let touches = leaves.touches(least.0) || self.allows();
        if self.allows() {
            self.record_not_proved(
                part_pair.pair,
                MotionInstant::new(interval.index, interval.s[0]),
            );
        }
        if touches && self.goal == Goal::All {
            self.touching[part_pair.pair] = Some((interval.index, interval.s));
        }
        let unresolved = UnresolvedInterval {
            pair: part_pair.pair,
            start: interval.time(interval.s[0]),
            end: interval.time(interval.s[1]),
            distance: (least.0 - part_pair.radii).max(0.0),
            at: MotionInstant::new(interval.index, least.1),
            touches,
        };
        self.record_unresolved(unresolved);
    }
}
