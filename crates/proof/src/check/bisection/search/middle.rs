//! Where all contacts are looked for: the middle of an interval, before the rest of it.

use super::IntervalSearch;
use super::interval::Leaves;
use crate::check::bisection::front::FrontEntry;
use crate::check::bisection::leaf;
use crate::check::distance::{corners, near_triangles};
use crate::check::unresolved::UnresolvedInterval;
use crate::geometry::pose::Pose;
use crate::model::MotionInstant;

/// The state of a pair in the middle of an interval, where all its contacts are looked for.
pub(super) enum AtMiddle {
    /// The pair does not touch there.
    Free,
    /// These two triangles touch there. When the contact begins and ends is not known yet.
    Touches(FrontEntry),
    /// The pair touches during the whole interval, or the interval is too short to be halved.
    Settled,
}

impl IntervalSearch<'_> {
    /// With `Goal::All`: looks at the middle of the interval first. Where the pair touches, nothing
    /// else is to be learnt of it there: it touches all along if two triangles are so near, or
    /// cross so deep, that they cannot get apart. `known`: two that touched before.
    pub(super) fn at_middle(
        &mut self,
        leaves: &mut Leaves,
        known: Option<FrontEntry>,
        middle: &mut Option<usize>,
    ) -> AtMiddle {
        let scene = self.scene;
        let interval = leaves.interval;
        let pair = &scene.part_pairs[leaves.part_pair];
        let middle =
            *middle.get_or_insert_with(|| self.snapshot(interval.segment, interval.middle()));
        let poses = *leaves
            .at_middle
            .get_or_insert_with(|| pair.in_common_frame(scene, &mut self.snapshots[middle]));
        let known = known.map(|entry| (entry, self.exact(leaves, &entry, &poses).distance));
        let known = known.filter(|&(_, distance)| leaves.touches(distance));
        if let Some((entry, distance)) = known {
            match self.touches_all_along(leaves, &entry, distance, &poses) {
                // Nothing is nearer, so nothing lasts longer.
                AtMiddle::Touches(_) if distance > 0.0 => {}
                found => return found,
            }
        }
        let below =
            known.map_or(leaves.contact_distance.next_up(), |(_, distance)| distance) - pair.radii;
        self.statistics.distance_tests += 1;
        let tests = &mut self.statistics.distance_tests;
        let nearest = near_triangles(scene, pair, &mut self.snapshots[middle], below, tests);
        let Some(nearest) = nearest else {
            return known.map_or(AtMiddle::Free, |(entry, _)| AtMiddle::Touches(entry));
        };
        let [i, k] = nearest.triangles;
        let entry = FrontEntry::triangles(i, k);
        let distance = self.exact(leaves, &entry, &poses).distance;
        if !leaves.touches(distance) {
            return AtMiddle::Free;
        }
        self.touches_all_along(leaves, &entry, distance, &poses)
    }

    /// The conclusion for all of the interval from two triangles that touch in its middle.
    fn touches_all_along(
        &mut self,
        leaves: &mut Leaves,
        entry: &FrontEntry,
        distance: f64,
        poses: &[Pose; 2],
    ) -> AtMiddle {
        let (scene, interval) = (self.scene, leaves.interval);
        let pair = &scene.part_pairs[leaves.part_pair];
        let [i, k] = entry.pair().map(|t| t as usize);
        let motion_bound =
            leaf::motion_bound(&leaves.sweep(scene, 0, i), &leaves.sweep(scene, 1, k));
        if motion_bound <= self.resolution
            || (motion_bound <= self.lasting && self.touches_at_ends(leaves))
        {
            self.settle(leaves, distance, entry, 0.0);
            return AtMiddle::Settled;
        }
        let [a, b] =
            [(pair.a, i), (pair.b, k)].map(|(part, t)| corners(&scene.parts[part].tree, t));
        let (a, b) = (a.map(|c| poses[0].apply(&c)), b.map(|c| poses[1].apply(&c)));
        let depth = leaf::crossing_depth(&a, &b).max(0.0);
        if distance + motion_bound > leaves.contact_distance + depth {
            return AtMiddle::Touches(*entry);
        }
        self.touching[pair.pair] = Some((interval.index, interval.s));
        self.record_unresolved(UnresolvedInterval {
            pair: pair.pair,
            start: interval.time(interval.s[0]),
            end: interval.time(interval.s[1]),
            distance: (distance - pair.radii).max(0.0),
            // The pair touches at the start of the interval too, and that is the first instant.
            at: MotionInstant::new(interval.index, interval.s[0]),
            touches: true,
        });
        AtMiddle::Settled
    }
}
