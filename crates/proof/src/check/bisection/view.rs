//! One pair of parts in one interval: poses in a common frame at both ends, and what can happen
//! between them.

use nalgebra::Vector3;

use super::next_step::{NextStep, splits_time};
use super::sweep::Sweeps;
use crate::bvh::Node;
use crate::check::Snapshot;
use crate::check::scene::{PartPair, Scene};
use crate::geometry::pose::Pose;
use crate::geometry::segment::segment_distance_squared;
use crate::motion::{ChordBound, least_between_ends};

/// Errors count as wide when they are more than this share of the smaller body's radius, and more
/// than what moves in the interval. For smaller errors a closer look at nodes costs more than it
/// saves.
const WIDE_SHARE: f64 = 0.02;

impl PartPair {
    /// Poses of a pair of parts in their common frame: that of part b when it is fixed in the
    /// shared frame, else the shared joint's.
    pub fn in_common_frame(&self, scene: &Scene, snapshot: &mut Snapshot) -> [Pose; 2] {
        if self.one_sided {
            let a = snapshot.part(scene, self.a).pose;
            let b = snapshot.part(scene, self.b).pose;
            return [b.inverse_compose(&a), Pose::identity()];
        }
        let shared = scene.shared_joint(self);
        [self.a, self.b].map(|part| snapshot.part_seen_from(scene, shared, part))
    }

    /// The common frame itself.
    pub fn common_frame(&self, scene: &Scene, snapshot: &mut Snapshot) -> Pose {
        if self.one_sided {
            snapshot.part(scene, self.b).pose
        } else {
            snapshot.instant().pose(scene.shared_joint(self))
        }
    }
}

/// A pair of parts in an interval.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// Poses of part a at both ends, in the common frame.
    pub a: [Pose; 2],
    /// Poses of part b.
    pub b: [Pose; 2],
    /// Chord bound of part a.
    pub chord_bound_a: ChordBound,
    /// Chord bound of part b.
    pub chord_bound_b: ChordBound,
    /// Bound on the error of computed positions, metres.
    pub margin: f64,
    /// How far points of both parts can be off by errors that are allowed for. The search does not
    /// split an interval for them: they are the same in its halves.
    pub deviations: [ChordBound; 2],
}

impl View {
    /// Looks at a pair between two moments.
    pub fn new(
        scene: &Scene,
        pair: &PartPair,
        sweeps: &mut Sweeps,
        ends: &mut [&mut Snapshot; 2],
    ) -> Self {
        let [first, last] = ends;
        let p0 = pair.in_common_frame(scene, first);
        let p1 = pair.in_common_frame(scene, last);
        View {
            a: [p0[0], p1[0]],
            b: [p0[1], p1[1]],
            chord_bound_a: sweeps.chord_bound(scene, pair.a, pair.shared, ends),
            chord_bound_b: if pair.one_sided {
                ChordBound::default()
            } else {
                sweeps.chord_bound(scene, pair.b, pair.shared, ends)
            },
            margin: sweeps.margin(scene, pair, ends),
            deviations: [ChordBound::default(); 2],
        }
    }

    /// The data for a look at the whole parts.
    pub fn whole_parts(&self) -> WholeParts<'_> {
        WholeParts {
            poses: [self.a.each_ref(), self.b.each_ref()],
            chord_bounds: [self.chord_bound_a, self.chord_bound_b],
            margin: self.margin,
            deviations: self.deviations,
        }
    }

    /// Whether errors are allowed for.
    pub fn has_errors(&self) -> bool {
        self.deviations != [ChordBound::default(); 2]
    }

    /// Whether they are wide beside two parts with these bounding radii (metres) and their motion.
    pub fn has_wide_errors(&self, bounding_radii: [f64; 2]) -> bool {
        let most = |of: [ChordBound; 2]| of[0].at(bounding_radii[0]) + of[1].at(bounding_radii[1]);
        let deviation = most(self.deviations);
        let size = bounding_radii[0].min(bounding_radii[1]);
        deviation > WIDE_SHARE * size && deviation > most([self.chord_bound_a, self.chord_bound_b])
    }

    /// From the origin of b to that of a, at both ends.
    fn between_origins(&self) -> [Vector3<f64>; 2] {
        [0, 1].map(|end| self.a[end].translation - self.b[end].translation)
    }

    /// Whether the balls around both parts (`bounding_radii`, metres) stay `required_gap` apart
    /// during the whole interval.
    pub fn balls_are_separated(&self, bounding_radii: [f64; 2], required_gap: f64) -> bool {
        // The centres' paths stay within the chord bounds of a straight line.
        let [d0, d1] = self.between_origins();
        let [deviation_a, deviation_b] = self.deviations;
        let need = bounding_radii[0]
            + bounding_radii[1]
            + self.chord_bound_a.base
            + self.chord_bound_b.base
            + required_gap
            + (deviation_a.base + deviation_b.base);
        segment_distance_squared(&d0, &d1) > need * need
    }
}

/// A pair of whole parts in an interval.
pub(crate) struct WholeParts<'v> {
    /// Poses of both parts at both ends, in a frame that they share.
    poses: [[&'v Pose; 2]; 2],
    /// Chord bounds of both, seen from there.
    chord_bounds: [ChordBound; 2],
    /// Bound on the error of computed positions, metres.
    pub margin: f64,
    /// As [`View::deviations`].
    pub deviations: [ChordBound; 2],
}

impl<'v> WholeParts<'v> {
    /// Two parts that share no joint, seen from the world: nothing is computed, nor copied, for
    /// the pair alone.
    pub fn from_world(
        scene: &Scene,
        pair: &PartPair,
        sweeps: &mut Sweeps,
        ends: &'v mut [&mut Snapshot; 2],
    ) -> Self {
        let parts = [pair.a, pair.b];
        let chord_bounds = parts.map(|part| sweeps.chord_bound_in_world(scene, part, ends));
        let margin = sweeps.margin(scene, pair, ends);
        // `chord_bound_in_world` has placed both parts at both ends already.
        let ends = [&*ends[0], &*ends[1]];
        WholeParts {
            poses: parts.map(|part| ends.map(|end| &end.placed(part).pose)),
            chord_bounds,
            margin,
            deviations: [ChordBound::default(); 2],
        }
    }

    /// A closer look at the whole parts by the boxes of their `roots` and `bounding_radii` (of
    /// their farthest point from the origin, metres), with `required_gap` the distance to prove for
    /// their cores, all margins included, metres.
    ///
    /// `known` is the direction along which their boxes were apart last, and is kept up to date:
    /// from interval to interval it mostly serves again. Parts below the `resolution` are looked at
    /// in space at once: splitting time for them would have no end.
    pub fn test_roots(
        &self,
        roots: [&Node; 2],
        bounding_radii: [f64; 2],
        required_gap: f64,
        resolution: f64,
        known: &mut Vector3<f64>,
    ) -> NextStep {
        let [a, b] = &self.poses;
        let [d0, d1] = [0, 1].map(|end| a[end].translation - b[end].translation);
        let both = bounding_radii[0] + bounding_radii[1];
        let chord_bound = self.chord_bounds[0].base + self.chord_bounds[1].base;
        let boxes = RootBoxes::new(self, roots, bounding_radii, required_gap);
        if boxes.separated_by(known) {
            return NextStep::Separated;
        }
        if splits_time(both.max(resolution), chord_bound, (d1 - d0).norm()) {
            return NextStep::SplitTime;
        }
        match boxes.directions().find(|n| boxes.separated_by(n)) {
            Some(n) => {
                *known = n;
                NextStep::Separated
            }
            None => NextStep::SplitSpace,
        }
    }
}

/// The boxes around both parts at both ends of the interval.
struct RootBoxes<'v> {
    poses: &'v [[&'v Pose; 2]; 2],
    /// Half their edges.
    half: [Vector3<f64>; 2],
    /// From the second one's centre to the first one's, at both ends.
    between: [Vector3<f64>; 2],
    /// How far their points leave their chords, metres.
    chord_bound: f64,
    /// The gap that is needed between them along a direction, metres.
    need: f64,
}

impl<'v> RootBoxes<'v> {
    fn new(
        whole: &'v WholeParts<'v>,
        roots: [&Node; 2],
        bounding_radii: [f64; 2],
        required_gap: f64,
    ) -> Self {
        let boxes = roots.map(Node::aabb);
        let [a, b] = boxes.map(|[center, _]| center);
        let [at_a, at_b] = &whole.poses;
        let WholeParts {
            chord_bounds,
            deviations,
            ..
        } = whole;
        RootBoxes {
            poses: &whole.poses,
            half: boxes.map(|[_, half]| half),
            between: [0, 1].map(|end| at_a[end].apply(&a) - at_b[end].apply(&b)),
            chord_bound: chord_bounds[0].at(bounding_radii[0])
                + chord_bounds[1].at(bounding_radii[1]),
            need: required_gap
                + (deviations[0].at(bounding_radii[0]) + deviations[1].at(bounding_radii[1])),
        }
    }

    /// Whether the unit direction `n`, from the second part to the first one, separates them during
    /// the whole interval.
    fn separated_by(&self, n: &Vector3<f64>) -> bool {
        let half_width = |pose: &Pose, half: &Vector3<f64>| pose.rotation.tr_mul(n).abs().dot(half);
        let at = |end: usize| {
            let wide_a = half_width(self.poses[0][end], &self.half[0]);
            let wide_b = half_width(self.poses[1][end], &self.half[1]);
            n.dot(&self.between[end]) - wide_a - wide_b
        };
        let first = at(0);
        first > self.need && least_between_ends([first, at(1)], self.chord_bound) > self.need
    }

    /// Directions worth a try: between the centres, and along the edges of both boxes half-way.
    fn directions(&self) -> impl Iterator<Item = Vector3<f64>> {
        let sum = self.between[0] + self.between[1];
        let edge = |poses: &[&Pose; 2], k: usize| {
            poses[0].rotation.column(k) + poses[1].rotation.column(k)
        };
        let edges = [&self.poses[1], &self.poses[0]]
            .into_iter()
            .flat_map(move |poses| (0..3).map(move |k| edge(poses, k)));
        std::iter::once(sum)
            .chain(edges)
            .filter_map(|n| n.try_normalize(1e-6))
            .map(move |n| if n.dot(&sum) < 0.0 { -n } else { n })
    }
}

#[cfg(test)]
mod tests;
