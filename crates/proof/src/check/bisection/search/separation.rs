//! What separates the triangles of two leaves over an interval: directions, turned with their
//! parts, and triangles taken apart.

use nalgebra::{Point3, Vector3};

use super::interval::Leaves;
use crate::bvh::Node;
use crate::check::bisection::front::FrontEntry;
use crate::check::bisection::leaf::{self, Piece, Swept, Turned, far};
use crate::check::distance::{corners, triangles};
use crate::check::scene::Scene;
use crate::geometry::pose::Pose;

/// A point in the frame of the part that stands at a pose.
pub(super) fn in_part(pose: &Pose, point: &Point3<f64>) -> Vector3<f64> {
    pose.rotation.tr_mul(&(point.coords - pose.translation))
}

impl Leaves<'_> {
    /// A triangle of one of the two parts.
    #[inline(always)]
    pub(super) fn sweep(&self, scene: &Scene, side: usize, triangle: usize) -> Swept {
        let pair = &scene.part_pairs[self.part_pair];
        if side == 0 {
            let corners = corners(&scene.parts[pair.a].tree, triangle);
            let swept = Swept::new(corners, &self.view.a, self.view.chord_bound_a);
            return if self.is_off {
                swept.put_off(&corners, &self.view.off[0])
            } else {
                swept
            };
        }
        let corners = corners(&scene.parts[pair.b].tree, triangle);
        let swept = if pair.one_sided {
            Swept::still(corners)
        } else {
            Swept::new(corners, &self.view.b, self.view.chord_bound_b)
        };
        if self.is_off {
            swept.put_off(&corners, &self.view.off[1])
        } else {
            swept
        }
    }

    /// Least distance that a direction proves for the whole interval and all errors.
    #[inline(always)]
    pub(super) fn separation(&self, a: &Swept, b: &Swept, n: &Vector3<f64>) -> f64 {
        if self.is_off {
            leaf::separation_off(a, b, n)
        } else {
            leaf::separation(a, b, n)
        }
    }

    /// The distance to be left for chord bounds and errors of points that are this far from their
    /// parts' origins, metres.
    #[inline(always)]
    pub(super) fn bounds(&self, far_a: f64, far_b: f64) -> f64 {
        let view = self.view;
        let chord_bounds = view.chord_bound_a.at(far_a) + view.chord_bound_b.at(far_b);
        if self.is_off {
            chord_bounds + (view.off[0].at(far_a) + view.off[1].at(far_b))
        } else {
            chord_bounds
        }
    }

    /// A direction, turned; the one that was asked for last is kept.
    #[inline(always)]
    pub(super) fn turn(&mut self, n: Vector3<f64>) -> Turned {
        match self.turned {
            Some(turned) if turned.n == n => turned,
            _ => *self
                .turned
                .insert(Turned::new(n, &self.view.a, &self.view.b)),
        }
    }

    /// Whether a direction that served before separates two triangles: their own one, or the one
    /// that served last.
    #[inline(always)]
    pub(super) fn separates_triangles(&mut self, scene: &Scene, entry: &FrontEntry) -> bool {
        let pair = &scene.part_pairs[self.part_pair];
        let [i, k] = entry.pair().map(|t| t as usize);
        let a = corners(&scene.parts[pair.a].tree, i);
        let b = corners(&scene.parts[pair.b].tree, k);
        let bounds = self.bounds(far(&a), far(&b));
        let own = (entry.witness != [0.0; 3])
            .then(|| Vector3::from(entry.witness.map(f64::from)).normalize());
        for n in [own, self.recent].into_iter().flatten() {
            let turned = self.turn(n);
            if turned.separation([a].into_iter(), [b].into_iter(), bounds) > self.apart {
                self.recent = Some(n);
                return true;
            }
        }
        false
    }

    /// Whether the direction that served last separates all triangles of two leaves.
    #[inline(always)]
    pub(super) fn separates(&mut self, scene: &Scene, na: &Node, nb: &Node) -> bool {
        let Some(n) = self.recent else {
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
        let bounds = self.bounds(out_to(na), out_to(nb));
        let [a, b] =
            [(a, na), (b, nb)].map(|(tree, node)| triangles(node).map(|t| corners(tree, t)));
        turned.separation(a, b, bounds) > self.apart
    }

    /// Whether two triangles are proved apart piece by piece. One direction serves all errors of a
    /// large triangle only as well as those of the corner that is off most. `off` tells how far a
    /// point of the first (0) or second part can be off, `poses` are those of both half-way.
    pub(super) fn apart_in_pieces(
        &self,
        [a, b]: [&Piece; 2],
        off: &impl Fn(usize, &Vector3<f64>) -> f64,
        poses: &[Pose; 2],
        left: &mut usize,
    ) -> bool {
        let Some(fewer) = left.checked_sub(1) else {
            return false;
        };
        *left = fewer;
        let closest = leaf::exact(&a.swept.half_way(), &b.swept.half_way());
        let between = closest.point_a - closest.point_b;
        let n = between.try_normalize(0.0).unwrap_or_default();
        if leaf::separation_off(&a.swept, &b.swept, &n) > self.apart {
            return true;
        }
        let [p, q] = [&closest.point_a, &closest.point_b];
        let off_there = off(0, &in_part(&poses[0], p)) + off(1, &in_part(&poses[1], q));
        let spreads = [a.swept.spread(), b.swept.spread()];
        // Smaller pieces prove no more.
        let idle = spreads[0].max(spreads[1]) <= 1e-6;
        if idle || closest.distance <= self.apart + off_there {
            return false;
        }
        let mut proved = |a: &Piece, b: &Piece| self.apart_in_pieces([a, b], off, poses, left);
        if spreads[0] >= spreads[1] {
            a.halves(|point| off(0, point)).iter().all(|a| proved(a, b))
        } else {
            b.halves(|point| off(1, point)).iter().all(|b| proved(a, b))
        }
    }

    pub(super) fn touches(&self, core_distance: f64) -> bool {
        core_distance <= self.touch
    }
}
