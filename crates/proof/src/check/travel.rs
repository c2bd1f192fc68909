//! How far the parts of a pair can move against each other in an interval (max travel).
//!
//! Two bounds, both of which hold: one of first order (speeds times distances from the axes), and
//! one from where every point is at both ends and how far it can leave the chord between.
//!
//! **From the chord.** Let a point p go from p0 to p1 in unit time, c = |p1 − p0|, with |p''| ≤ K.
//! It is off its chord's point c(t) = p0 + t (p1 − p0) by a δ of at most ½ K t (1 − t) = 4 β t (1 −
//! t), where β = K / 8 is the chord bound. What counts for a contact at t is the way there and the
//! way on, |p(t) − p0| + |p1 − p(t)|. With δ = a along the chord and b across it this is
//!
//! t √((c + a/t)² + (b/t)²) + (1 − t) √((c − a/(1 − t))² + (b/(1 − t))²)
//!   ≤ √(c² + (a² + b²) / (t (1 − t)))          (the root is concave)
//!   ≤ √(c² + 16 β² t (1 − t)) ≤ √(c² + 4 β²).
//!
//! It is not a bound on |p(t) − p0| alone: a point may go out and come back.

use nalgebra::{Matrix3, Vector3};

use crate::bvh::SphereTree;
use crate::check::Snapshot;
use crate::check::distance::{corners, triangles};
use crate::check::scene::{PartPair, Scene};
use crate::geometry::pose::Pose;
use crate::model::Segment;
use crate::motion::{AxisDistances, ChainInterval, JointBounds, value_margin};
use crate::numeric::ROUND_UP_FAR;

/// Bounds for one interval; parts are looked at when they are first asked for.
#[derive(Debug, Clone, Default)]
pub struct Travels {
    joint_bounds: JointBounds,
    /// Per part: bounds of its distances from the axes of its chain.
    axes: Vec<Option<AxisDistances>>,
}

impl Travels {
    /// Moves on to the interval [s0, s1] of a segment.
    pub fn set(&mut self, scene: &Scene, segment: &Segment, s0: f64, s1: f64) {
        self.joint_bounds.set(segment, s0, s1);
        self.axes.clear();
        self.axes.resize(scene.parts.len(), None);
    }

    /// The most by which the value of any joint changes in the interval, radians or metres.
    pub fn joints(&self) -> f64 {
        self.joint_bounds.greatest()
    }

    /// The farthest that any point of the one part can move against the other one, metres. `ends`
    /// are the interval's.
    pub fn pair(&mut self, scene: &Scene, pair: &PartPair, ends: &mut [Snapshot; 2]) -> f64 {
        self.part(scene, pair.a, pair.shared, ends) + self.part(scene, pair.b, pair.shared, ends)
    }

    /// The farthest that any point of a part can move, seen from the moving frame of joint number
    /// `shared` of its chain (0: the world), metres.
    pub fn part(
        &mut self,
        scene: &Scene,
        part: usize,
        shared: usize,
        ends: &mut [Snapshot; 2],
    ) -> f64 {
        self.look_at(scene, part, ends);
        self.by_speed(scene, part, shared) + self.value_margin(scene, part, ends)
    }

    /// The longest way of points of both parts together, seen from the frame that both share: to
    /// any place within the interval and on to their places at its end, metres. It also uses the
    /// places at both ends, so it is never more than [`Self::pair`].
    pub fn there_and_on(
        &mut self,
        scene: &Scene,
        pair: &PartPair,
        ends: &mut [Snapshot; 2],
    ) -> f64 {
        let poses = [0, 1].map(|end| pair.in_common_frame(scene, &mut ends[end]));
        // Poses are rounded at both ends.
        let mut rounding = 0.0;
        for end in ends.iter_mut() {
            rounding += end.fixed_margin(scene, pair.a) + end.fixed_margin(scene, pair.b);
        }
        let mut sum = 0.0;
        for (side, part) in [(0, pair.a), (1, pair.b)] {
            self.look_at(scene, part, ends);
            let what = &scene.parts[part];
            let by_speed = self.by_speed(scene, part, pair.shared);
            let axes = self.axes[part].as_ref().map_or(&[][..], |axes| axes);
            let interval = self.interval(scene, part);
            let chord_bound = interval.chord_bound(pair.shared, axes, what.bounding_radius);
            let twice_chord_bound = 2.0 * chord_bound.at(what.bounding_radius);
            let chord = longest_chord(&what.tree, &poses[0][side], &poses[1][side]);
            let by_chord =
                (chord * chord + twice_chord_bound * twice_chord_bound).sqrt() * ROUND_UP_FAR;
            sum += by_speed.min(by_chord + rounding);
            sum += self.value_margin(scene, part, ends);
        }
        sum
    }

    fn by_speed(&self, scene: &Scene, part: usize, shared: usize) -> f64 {
        let axes = self.axes[part].as_ref().map_or(&[][..], |axes| axes);
        let radius = scene.parts[part].bounding_radius;
        self.interval(scene, part).travel(shared, axes, radius)
    }

    /// The joints that carry a part, in the interval.
    fn interval<'t>(&'t self, scene: &'t Scene, part: usize) -> ChainInterval<'t> {
        ChainInterval {
            chains: &scene.chains,
            chain: scene.chains.of(scene.parts[part].joint),
            joint_bounds: &self.joint_bounds,
        }
    }

    /// How far joint values can be off by rounding at the first and the last instant, as a distance
    /// of points of the part.
    fn value_margin(&self, scene: &Scene, part: usize, ends: &[Snapshot; 2]) -> f64 {
        let what = &scene.parts[part];
        let chain = scene.chains.of(what.joint);
        let axes = self.axes[part].as_ref().map_or(&[][..], |axes| axes);
        let rounding = |joint| ends[0].instant().value_rounding(joint);
        2.0 * value_margin(&scene.chains, chain, rounding, axes, what.bounding_radius)
    }

    /// Bounds of a part's distances from its axes, unless they are known.
    fn look_at(&mut self, scene: &Scene, part: usize, ends: &mut [Snapshot; 2]) {
        if self.axes[part].is_some() {
            return;
        }
        let [first, last] = ends;
        let at_ends = [
            &first.part(scene, part).axis_distances[..],
            &last.part(scene, part).axis_distances[..],
        ];
        let mut out = AxisDistances::new();
        let interval = self.interval(scene, part);
        interval.axis_distances(at_ends, &mut out);
        self.axes[part] = Some(out);
    }
}

/// How far the farthest point of a shape is from where it was, between two poses, metres. The
/// corners of its triangles are looked at, those that matter: a node's sphere bounds what is below
/// it.
fn longest_chord(tree: &SphereTree, from: &Pose, to: &Pose) -> f64 {
    let turned: Matrix3<f64> = to.rotation - from.rotation;
    let moved: Vector3<f64> = to.translation - from.translation;
    // The difference of two rotations stretches two directions alike and the third one not at all.
    let stretch = turned.norm() / std::f64::consts::SQRT_2 * ROUND_UP_FAR;
    let bound = |node: usize| {
        let node = &tree.nodes[node];
        let center = node.ball_center();
        (turned * center + moved).norm() + stretch * f64::from(node.radius)
    };
    let mut longest: f64 = 0.0;
    let mut open = vec![(bound(0), 0)];
    while let Some((at_most, index)) = open.pop() {
        if at_most <= longest {
            continue;
        }
        let node = &tree.nodes[index];
        if node.is_leaf() {
            for triangle in triangles(node) {
                for corner in corners(tree, triangle) {
                    longest = longest.max((turned * corner + moved).norm());
                }
            }
            continue;
        }
        let first = node.first as usize;
        let mut below = [first, first + 1].map(|child| (bound(child).min(at_most), child));
        // The farther one is looked at first.
        if below[0].0 > below[1].0 {
            below.swap(0, 1);
        }
        open.extend(below);
    }
    longest + stretch * tree.radius
}

#[cfg(test)]
mod tests;
