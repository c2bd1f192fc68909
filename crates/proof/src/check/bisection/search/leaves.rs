//! The leaves of the search: exact triangles.

use nalgebra::Vector3;

use super::{Interval, IntervalSearch};
use crate::bvh::Node;
use crate::check::bisection::front::{Front, FrontEntry};
use crate::check::bisection::leaf::{self, Swept, Turned, far};
use crate::check::bisection::record::{Goal, Hit};
use crate::check::bisection::view::{View, in_common_frame};
use crate::check::distance::{corners, pair_distance, triangles};
use crate::check::scene::Scene;
use crate::check::unresolved::UnresolvedInterval;
use crate::geometry::pose::Pose;

/// A leaf pair is final when its bodies can move by less than this share of the resolution in its interval.
const FINAL_SHARE: f64 = 0.125;

/// Rounding margins by which the exact distance at an instant may pass the threshold and still be contact. Two are the
/// least that leave no gap between "proved apart" and "in contact" for a pair that stands still.
const CONTACT_MARGINS: f64 = 4.0;

/// The core distance up to which a pair counts as touching, for cores that are to stay `apart`, metres. Where rounding is no
/// longer small beside the resolution it says nothing of contact: what it leaves unresolved then stays unresolved.
pub(super) fn touch(apart: f64, margin: f64, resolution: f64) -> f64 {
    apart + (1.0 + CONTACT_MARGINS) * margin.min(FINAL_SHARE * resolution)
}

/// What the leaves of one group share.
pub(super) struct Leaves<'v> {
    pub interval: Interval<'v>,
    pub part_pair: usize,
    /// Core distance that must be exceeded, metres.
    pub apart: f64,
    /// Core distance up to which the pair counts as touching, metres.
    pub touch: f64,
    pub view: &'v View,
    pub at_middle: Option<[Pose; 2]>,
    /// Direction that separated the last pair of triangles: it often separates their neighbours too.
    pub recent: Option<Vector3<f64>>,
    /// The same, turned, once that was asked.
    pub turned: Option<Turned>,
    /// Whether the pair touches at both ends of the interval, once that was asked.
    pub ends_touch: Option<bool>,
}

impl Leaves<'_> {
    /// A triangle of one of the two parts.
    #[inline(always)]
    pub fn sweep(&self, scene: &Scene, side: usize, triangle: usize) -> Swept {
        let pair = &scene.part_pairs[self.part_pair];
        if side == 0 {
            let corners = corners(&scene.parts[pair.a].tree, triangle);
            return Swept::new(corners, &self.view.a, self.view.chord_bound_a);
        }
        let corners = corners(&scene.parts[pair.b].tree, triangle);
        if pair.one_sided {
            Swept::still(corners)
        } else {
            Swept::new(corners, &self.view.b, self.view.chord_bound_b)
        }
    }

    /// A direction, turned; the one that was asked for last is kept.
    #[inline(always)]
    fn turn(&mut self, n: Vector3<f64>) -> Turned {
        match self.turned {
            Some(turned) if turned.n == n => turned,
            _ => *self
                .turned
                .insert(Turned::new(n, &self.view.a, &self.view.b)),
        }
    }

    /// Whether a direction that served before separates two triangles: their own one, or the one that served last.
    #[inline(always)]
    fn separates_triangles(&mut self, scene: &Scene, entry: &FrontEntry) -> bool {
        let pair = &scene.part_pairs[self.part_pair];
        let [i, k] = entry.pair().map(|t| t as usize);
        let a = corners(&scene.parts[pair.a].tree, i);
        let b = corners(&scene.parts[pair.b].tree, k);
        let view = self.view;
        let chord_bounds = view.chord_bound_a.at(far(&a)) + view.chord_bound_b.at(far(&b));
        let own = (entry.witness != [0.0; 3])
            .then(|| Vector3::from(entry.witness.map(f64::from)).normalize());
        for n in [own, self.recent].into_iter().flatten() {
            let turned = self.turn(n);
            if turned.separation([a].into_iter(), [b].into_iter(), chord_bounds) > self.apart {
                self.recent = Some(n);
                return true;
            }
        }
        false
    }

    /// Whether the direction that served last separates all triangles of two leaves.
    #[inline(always)]
    fn separates(&mut self, scene: &Scene, na: &Node, nb: &Node) -> bool {
        let (Some(n), view) = (self.recent, self.view) else {
            return false;
        };
        let turned = self.turn(n);
        let pair = &scene.part_pairs[self.part_pair];
        let [a, b] = [pair.a, pair.b].map(|part| &scene.parts[part].tree);
        // No corner is farther out than the ball.
        let out_to = |node: &Node| {
            let [x, y, z] = node.center.map(f64::from);
            Vector3::new(x, y, z).norm() + f64::from(node.radius)
        };
        let chord_bounds = view.chord_bound_a.at(out_to(na)) + view.chord_bound_b.at(out_to(nb));
        let [a, b] =
            [(a, na), (b, nb)].map(|(tree, node)| triangles(node).map(|t| corners(tree, t)));
        turned.separation(a, b, chord_bounds) > self.apart
    }

    fn touches(&self, core_distance: f64) -> bool {
        core_distance <= self.touch
    }
}

impl IntervalSearch<'_> {
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
                if known.is_some_and(|n| leaf::separation(a, b, &n) > leaves.apart) {
                    continue;
                }
                let entry = FrontEntry::triangles(*i, *k);
                if let Some(n) = leaf::cheap_direction(a, b, leaves.apart) {
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

    // What is called for every pair of triangles is inlined by order: left to itself, that changes with code elsewhere.
    /// One pair of triangles that no direction at hand separates: proved apart, found in contact, final, or handed on.
    pub(super) fn leaf(
        &mut self,
        leaves: &mut Leaves,
        entry: &FrontEntry,
        [a, b]: [&Swept; 2],
        middle: &mut Option<usize>,
        later: &mut Front,
    ) {
        let scene = self.scene;
        let interval = leaves.interval;
        let pair = &scene.part_pairs[leaves.part_pair];
        if self.is_touching(pair.pair, &interval) {
            return;
        }
        let view = leaves.view;
        let play = leaf::play(a, b);
        let last = play <= FINAL_SHARE * self.resolution || interval.is_last();
        if self.too_late(&interval, interval.middle()) && !last {
            // The middle cannot make a contact earlier than the one that is known.
            later.push(leaves.part_pair, *entry);
            return;
        }
        let middle =
            *middle.get_or_insert_with(|| self.snapshot(interval.segment, interval.middle()));
        let poses = *leaves
            .at_middle
            .get_or_insert_with(|| in_common_frame(scene, pair, &mut self.snapshots[middle]));
        let (distance, n) = self.exact(leaves, entry, &poses);
        self.seen(leaves, distance, interval.middle());
        let n = n.try_normalize(0.0).unwrap_or_default();
        let separation = leaf::separation(a, b, &n);
        if separation > leaves.apart {
            leaves.recent = Some(n);
            return;
        }
        if self.goal == Goal::Minimum
            && self
                .threshold(pair.pair)
                .is_none_or(|t| separation > t + pair.radii + view.margin)
        {
            // The exact distance itself has just lowered what must be proved.
            return;
        }
        let touches = leaves.touches(distance);
        let enough = self.goal == Goal::All
            && touches
            && (play <= self.resolution || (play <= self.lasting && self.touches_at_ends(leaves)));
        if last || enough {
            self.settle(leaves, distance, entry, play);
        } else {
            later.push(leaves.part_pair, entry.separated_by(&n));
        }
    }

    /// Exact distance of the cores of two triangles, and the direction from the second to the first.
    fn exact(
        &mut self,
        leaves: &Leaves,
        entry: &FrontEntry,
        poses: &[Pose; 2],
    ) -> (f64, Vector3<f64>) {
        self.statistics.triangle_tests += 1;
        let pair = &self.scene.part_pairs[leaves.part_pair];
        let [i, k] = entry.pair().map(|t| t as usize);
        let a = corners(&self.scene.parts[pair.a].tree, i).map(|c| poses[0].apply(&c));
        let b = corners(&self.scene.parts[pair.b].tree, k).map(|c| poses[1].apply(&c));
        leaf::exact(&a, &b)
    }

    /// Whether the bodies of the pair touch at both ends of the interval, anywhere.
    fn touches_at_ends(&mut self, leaves: &mut Leaves) -> bool {
        if let Some(known) = leaves.ends_touch {
            return known;
        }
        let part_pair = &self.scene.part_pairs[leaves.part_pair];
        let clearance = self.scene.pairs[part_pair.pair].clearance;
        let within = touch(clearance, leaves.view.margin, self.resolution);
        let touch = leaves.interval.ends.iter().all(|&end| {
            let snapshot = &mut self.snapshots[end];
            let tests = &mut self.statistics.distance_tests;
            pair_distance(
                self.scene,
                part_pair.pair,
                snapshot,
                within.next_up(),
                tests,
            )
            .is_some()
        });
        leaves.ends_touch = Some(touch);
        touch
    }

    /// Takes note of an exact distance at an instant of the interval.
    fn seen(&mut self, leaves: &Leaves, core_distance: f64, s: f64) {
        let part_pair = &self.scene.part_pairs[leaves.part_pair];
        let distance = (core_distance - part_pair.radii).max(0.0);
        let time = leaves.interval.time(s);
        self.note_least(part_pair.pair, distance, time);
        let index = leaves.interval.index;
        if self.goal != Goal::Minimum
            && leaves.touches(core_distance)
            && self.hit.is_none_or(|h| (index, s) < (h.segment, h.s))
        {
            self.hit = Some(Hit {
                pair: part_pair.pair,
                segment: index,
                s,
            });
        }
    }

    /// The resolution is reached: the interval stays unresolved for this pair. Its two ends are looked at as well, so that a
    /// contact at a waypoint is found even if it is never reached in between.
    fn settle(&mut self, leaves: &Leaves, middle: f64, entry: &FrontEntry, play: f64) {
        let interval = leaves.interval;
        let part_pair = &self.scene.part_pairs[leaves.part_pair];
        let mut least = (middle, interval.middle());
        for end in 0..2 {
            let poses = [leaves.view.a[end], leaves.view.b[end]];
            let (distance, _) = self.exact(leaves, entry, &poses);
            self.seen(leaves, distance, interval.s[end]);
            if distance < least.0 {
                least = (distance, interval.s[end]);
            }
        }
        if self.goal == Goal::Minimum && play <= self.resolution {
            // The least distance was taken note of; no instant of the interval is farther than `play` from one that
            // was seen, and `play` is below the tolerance.
            return;
        }
        let touches = leaves.touches(least.0);
        if touches && self.goal == Goal::All {
            self.touching[part_pair.pair] = Some((interval.index, interval.s));
        }
        let unresolved = UnresolvedInterval {
            pair: part_pair.pair,
            start: interval.time(interval.s[0]),
            end: interval.time(interval.s[1]),
            distance: (least.0 - part_pair.radii).max(0.0),
            at: (interval.index, least.1),
            touches,
        };
        match self.unresolved.last_mut() {
            Some(last) if last.joins(&unresolved) => last.join(&unresolved),
            _ => self.unresolved.push(unresolved),
        }
    }
}
