//! What separates the triangles of two leaves over an interval: directions, turned with their
//! parts, and triangles taken apart.

use nalgebra::{Point3, Vector3};

use super::interval::Leaves;
use crate::bvh::Node;
use crate::check::bisection::front::FrontEntry;
use crate::check::bisection::leaf::{
    self, DirectionInParts, Piece, SweptTriangle, farthest_corner,
};
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
    pub(super) fn sweep(&self, scene: &Scene, side: usize, triangle: usize) -> SweptTriangle {
        let pair = &scene.part_pairs[self.part_pair];
        if side == 0 {
            let corners = corners(&scene.parts[pair.a].tree, triangle);
            let swept = SweptTriangle::new(corners, &self.view.a, self.view.chord_bound_a);
            return if self.has_errors {
                swept.with_errors(&corners, &self.view.deviations[0])
            } else {
                swept
            };
        }
        let corners = corners(&scene.parts[pair.b].tree, triangle);
        let swept = if pair.one_sided {
            SweptTriangle::at_rest(corners)
        } else {
            SweptTriangle::new(corners, &self.view.b, self.view.chord_bound_b)
        };
        if self.has_errors {
            swept.with_errors(&corners, &self.view.deviations[1])
        } else {
            swept
        }
    }

    /// Least distance that a direction proves for the whole interval and all errors.
    #[inline(always)]
    pub(super) fn separation(&self, a: &SweptTriangle, b: &SweptTriangle, n: &Vector3<f64>) -> f64 {
        if self.has_errors {
            leaf::separation_with_errors(a, b, n)
        } else {
            leaf::separation(a, b, n)
        }
    }

    /// Both chord bounds of points that are this far from their parts' origins, metres.
    #[inline(always)]
    fn chord_bounds(&self, far_a: f64, far_b: f64) -> f64 {
        self.view.chord_bound_a.at(far_a) + self.view.chord_bound_b.at(far_b)
    }

    /// The distance to be proved of such points with errors, metres.
    #[inline(always)]
    fn required_gap_with_errors(&self, far_a: f64, far_b: f64) -> f64 {
        if self.has_errors {
            let [deviation_a, deviation_b] = &self.view.deviations;
            self.required_gap + (deviation_a.at(far_a) + deviation_b.at(far_b))
        } else {
            self.required_gap
        }
    }

    /// A direction, turned into the frames of both parts; the one that was asked for last is kept.
    #[inline(always)]
    pub(super) fn direction_in_parts(&mut self, n: Vector3<f64>) -> DirectionInParts {
        match self.direction_in_parts {
            Some(direction) if direction.n == n => direction,
            _ => *self.direction_in_parts.insert(DirectionInParts::new(
                n,
                &self.view.a,
                &self.view.b,
            )),
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
        let (far_a, far_b) = (farthest_corner(&a), farthest_corner(&b));
        let chord_bounds = self.chord_bounds(far_a, far_b);
        let required_gap = self.required_gap_with_errors(far_a, far_b);
        let own = (entry.witness != [0.0; 3])
            .then(|| Vector3::from(entry.witness.map(f64::from)).normalize());
        for n in [own, self.recent].into_iter().flatten() {
            let direction = self.direction_in_parts(n);
            if direction.separation([a].into_iter(), [b].into_iter(), chord_bounds) > required_gap {
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
        let direction = self.direction_in_parts(n);
        let pair = &scene.part_pairs[self.part_pair];
        let [a, b] = [pair.a, pair.b].map(|part| &scene.parts[part].tree);
        // No corner is farther out than the ball.
        let out_to = |node: &Node| {
            let [x, y, z] = node.center.map(f64::from);
            Vector3::new(x, y, z).norm() + f64::from(node.radius)
        };
        let (far_a, far_b) = (out_to(na), out_to(nb));
        let chord_bounds = self.chord_bounds(far_a, far_b);
        let required_gap = self.required_gap_with_errors(far_a, far_b);
        let [a, b] =
            [(a, na), (b, nb)].map(|(tree, node)| triangles(node).map(|t| corners(tree, t)));
        direction.separation(a, b, chord_bounds) > required_gap
    }

    /// Whether two triangles are proved apart piece by piece. One direction serves all errors of a
    /// large triangle only as well as those of the corner that is off most. `deviation` tells how
    /// far a point of the first (0) or second part can be off, `poses` are those of both half-way.
    pub(super) fn are_separated_in_pieces(
        &self,
        [a, b]: [&Piece; 2],
        deviation: &impl Fn(usize, &Vector3<f64>) -> f64,
        poses: &[Pose; 2],
        left: &mut usize,
    ) -> bool {
        let Some(fewer) = left.checked_sub(1) else {
            return false;
        };
        *left = fewer;
        let closest =
            leaf::triangle_distance(&a.swept.corners_half_way(), &b.swept.corners_half_way());
        let between = closest.point_a - closest.point_b;
        let n = between.try_normalize(0.0).unwrap_or_default();
        if leaf::separation_with_errors(&a.swept, &b.swept, &n) > self.required_gap {
            return true;
        }
        let [p, q] = [&closest.point_a, &closest.point_b];
        let deviation_there =
            deviation(0, &in_part(&poses[0], p)) + deviation(1, &in_part(&poses[1], q));
        let spreads = [a.swept.error_spread(), b.swept.error_spread()];
        // Smaller pieces prove no more.
        let idle = spreads[0].max(spreads[1]) <= 1e-6;
        if idle || closest.distance <= self.required_gap + deviation_there {
            return false;
        }
        let mut proved =
            |a: &Piece, b: &Piece| self.are_separated_in_pieces([a, b], deviation, poses, left);
        if spreads[0] >= spreads[1] {
            a.halves(|point| deviation(0, point))
                .iter()
                .all(|a| proved(a, b))
        } else {
            b.halves(|point| deviation(1, point))
                .iter()
                .all(|b| proved(a, b))
        }
    }

    pub(super) fn touches(&self, core_distance: f64) -> bool {
        core_distance <= self.contact_distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::bisection::search::interval::Interval;
    use crate::check::bisection::view::View;
    use crate::check::fixture::{Fixture, cube};
    use crate::model::Segment;
    use crate::motion::ChordBound;

    /// A cube comes up to a wall within 20 mm, and 10 mm are to be left. Catches errors that count
    /// as chord bounds, which fade towards the ends of an interval.
    #[test]
    fn errors_count_in_full_at_the_ends() {
        let mut fixture = Fixture::new();
        fixture.body(true, &[(cube(1.0), 0.0)], None);
        fixture.body(false, &[(cube(1.0), 0.0)], None);
        let scene = fixture.scene(0.01);
        let trees = [0, 1].map(|part| &scene.parts[part].tree);
        let segment = Segment {
            start: 0.0,
            end: 1.0,
            joints: Vec::new().into(),
            errors: None,
        };
        let at = |x: f64| Pose {
            translation: Vector3::x() * x,
            ..Pose::identity()
        };
        let separated = |deviation: f64| {
            let deviation = ChordBound {
                base: deviation,
                slope: 0.0,
            };
            let view = View {
                a: [at(0.0), at(0.98)],
                b: [at(2.0); 2],
                chord_bound_a: ChordBound::default(),
                chord_bound_b: ChordBound::default(),
                margin: 0.0,
                deviations: [deviation; 2],
            };
            let mut leaves = Leaves {
                interval: Interval {
                    index: 0,
                    segment: &segment,
                    ends: [0, 1],
                    s: [0.0, 1.0],
                    shortest: 0.0,
                    depth: 0,
                    snapshots_in_use: 0,
                },
                part_pair: 0,
                required_gap: 0.01,
                contact_distance: 0.01,
                has_errors: view.has_errors(),
                view: &view,
                at_middle: None,
                recent: Some(-Vector3::x()),
                direction_in_parts: None,
                ends_touch: None,
            };
            let mut all = [true; 2];
            for na in trees[0].nodes.iter().filter(|node| node.is_leaf()) {
                for nb in trees[1].nodes.iter().filter(|node| node.is_leaf()) {
                    all[0] &= leaves.separates(&scene, na, nb);
                    for (i, k) in triangles(na).flat_map(|i| triangles(nb).map(move |k| (i, k))) {
                        let entry = FrontEntry::triangles(i as u32, k as u32);
                        all[1] &= leaves.separates_triangles(&scene, &entry);
                    }
                }
            }
            all
        };
        assert_eq!(separated(0.004), [true; 2], "12 mm are left");
        assert_eq!(separated(0.006), [false; 2], "8 mm are left");
    }
}
