//! Exact triangles over an interval: separating directions that anyone can check again.

use nalgebra::{Point3, Vector3};

use crate::geometry::pose::Pose;
use crate::geometry::triangle::Closest;
use crate::motion::{ChordBound, least_between_ends};

/// Distance of the farthest corner from the origin, metres: a chord bound is affine in it, so over
/// a triangle a corner has the most of it.
#[inline(always)]
pub fn farthest_corner([a, b, c]: &[Vector3<f64>; 3]) -> f64 {
    let far2 = max(a.norm_squared(), b.norm_squared());
    max(far2, c.norm_squared()).sqrt()
}

/// A triangle at both ends of an interval, in the common frame, with its chord bound.
#[derive(Debug, Clone, Copy)]
pub struct SweptTriangle {
    /// Corners at both ends.
    pub corners: [[Vector3<f64>; 3]; 2],
    /// Greatest deviation of its corners (and so of any of its points) from their chords, metres.
    pub chord_bound: f64,
    /// How far each corner can be off by errors that are allowed for, metres.
    pub deviations: [f64; 3],
}

impl SweptTriangle {
    /// A triangle given in its part's frame.
    #[inline(always)]
    pub fn new(corners: [Vector3<f64>; 3], poses: &[Pose; 2], chord_bound: ChordBound) -> Self {
        let ([a, b, c], [p, q]) = (&corners, poses);
        SweptTriangle {
            corners: [
                [p.apply(a), p.apply(b), p.apply(c)],
                [q.apply(a), q.apply(b), q.apply(c)],
            ],
            chord_bound: chord_bound.at(farthest_corner(&corners)),
            deviations: [0.0; 3],
        }
    }

    /// The same with errors; `corners` in the part's frame.
    pub fn with_errors(mut self, corners: &[Vector3<f64>; 3], deviation: &ChordBound) -> Self {
        self.deviations = corners.map(|c| deviation.at(c.norm()));
        self
    }

    /// A triangle that stands still.
    pub fn at_rest(corners: [Vector3<f64>; 3]) -> Self {
        SweptTriangle {
            corners: [corners; 2],
            chord_bound: 0.0,
            deviations: [0.0; 3],
        }
    }

    /// How much errors differ over it, metres.
    pub fn error_spread(&self) -> f64 {
        let [x, y, z] = self.deviations;
        max(max(x, y), z) - min(min(x, y), z)
    }

    /// Its corners in the middle of their chords.
    pub fn corners_half_way(&self) -> [Vector3<f64>; 3] {
        let [p, q] = &self.corners;
        [
            (p[0] + q[0]) * 0.5,
            (p[1] + q[1]) * 0.5,
            (p[2] + q[2]) * 0.5,
        ]
    }

    /// Greatest distance of a corner at either end from its place half-way, metres.
    fn half_chord(&self) -> f64 {
        let [p, q] = &self.corners;
        let [a, b, c] = [0, 1, 2].map(|k| (q[k] - p[k]).norm_squared());
        0.5 * max(max(a, b), c).sqrt()
    }
}

/// A piece of a triangle over an interval.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    /// Its corners in the common frame, with their errors.
    pub swept: SweptTriangle,
    /// The same corners in the part's frame.
    pub corners: [Vector3<f64>; 3],
}

impl Piece {
    /// Both halves, cut across the longest edge; `deviation` tells how far a point of the part's
    /// frame can be off by errors, metres.
    pub fn halves(&self, deviation: impl Fn(&Vector3<f64>) -> f64) -> [Piece; 2] {
        let p = &self.corners;
        let edge = |k: usize| (p[(k + 1) % 3] - p[k]).norm_squared();
        let longest = (0..3).max_by(|&i, &k| edge(i).total_cmp(&edge(k)));
        let (i, k) = longest.map_or((0, 1), |i| (i, (i + 1) % 3));
        let middle = |c: &[Vector3<f64>; 3]| (c[i] + c[k]) * 0.5;
        let in_part = middle(p);
        let deviation = deviation(&in_part);
        [i, k].map(|gone| {
            let mut half = *self;
            half.corners[gone] = in_part;
            half.swept.deviations[gone] = deviation;
            for (corners, whole) in half.swept.corners.iter_mut().zip(&self.swept.corners) {
                corners[gone] = middle(whole);
            }
            half
        })
    }
}

/// A direction, turned into the frames of both parts at both ends of an interval: what it separates
/// is seen without moving a corner.
#[derive(Debug, Clone, Copy)]
pub struct DirectionInParts {
    /// The direction itself, in the common frame.
    pub n: Vector3<f64>,
    a: [Vector3<f64>; 2],
    b: [Vector3<f64>; 2],
    /// From the origin of b to that of a, along it, metres.
    between: [f64; 2],
}

impl DirectionInParts {
    /// Turns a direction.
    pub fn new(n: Vector3<f64>, a: &[Pose; 2], b: &[Pose; 2]) -> Self {
        DirectionInParts {
            n,
            a: [0, 1].map(|end| a[end].rotation.tr_mul(&n)),
            b: [0, 1].map(|end| b[end].rotation.tr_mul(&n)),
            between: [0, 1].map(|end| n.dot(&(a[end].translation - b[end].translation))),
        }
    }

    /// Like [`separation`], for all triangles of two leaves at once. Corners are in the frames of
    /// their parts; `chord_bounds` are those of the farthest corner on either side, metres.
    #[inline(always)]
    pub fn separation(
        &self,
        a: impl Iterator<Item = [Vector3<f64>; 3]>,
        b: impl Iterator<Item = [Vector3<f64>; 3]>,
        chord_bounds: f64,
    ) -> f64 {
        let mut least = [f64::INFINITY; 2];
        for corners in a {
            for end in 0..2 {
                let [p, q, r] = corners.map(|c| self.a[end].dot(&c));
                least[end] = min(least[end], min(min(p, q), r));
            }
        }
        let mut most = [f64::NEG_INFINITY; 2];
        for corners in b {
            for end in 0..2 {
                let [p, q, r] = corners.map(|c| self.b[end].dot(&c));
                most[end] = max(most[end], max(max(p, q), r));
            }
        }
        let [first, last] = [0, 1].map(|end| self.between[end] + least[end] - most[end]);
        least_between_ends([first, last], chord_bounds)
    }

    /// The same for any two shapes: `a` and `b` give the least coordinate of their shape along a
    /// direction in the frame of its part, metres.
    pub fn least_between(
        &self,
        a: impl Fn(&Vector3<f64>) -> f64,
        b: impl Fn(&Vector3<f64>) -> f64,
        chord_bounds: f64,
    ) -> f64 {
        let ends = [0, 1].map(|end| self.between[end] + a(&self.a[end]) + b(&-self.b[end]));
        least_between_ends(ends, chord_bounds)
    }
}

/// Least distance that a direction proves for the whole interval (may be negative): from what
/// separates the corners along it at both ends, and both chord bounds.
#[inline(always)]
pub fn separation(a: &SweptTriangle, b: &SweptTriangle, n: &Vector3<f64>) -> f64 {
    let at = |end: usize| {
        let [a0, a1, a2] = a.corners[end].map(|c| n.dot(&c));
        let [b0, b1, b2] = b.corners[end].map(|c| n.dot(&c));
        min(min(a0, a1), a2) - max(max(b0, b1), b2)
    };
    least_between_ends([at(0), at(1)], a.chord_bound + b.chord_bound)
}

/// The same for all errors that are allowed for. What a point is off is a convex function of its
/// place, so along a direction the corners of a triangle stand for all of it.
pub fn separation_with_errors(a: &SweptTriangle, b: &SweptTriangle, n: &Vector3<f64>) -> f64 {
    let at = |end: usize| {
        let mut low = f64::INFINITY;
        for (c, deviation) in a.corners[end].iter().zip(&a.deviations) {
            low = min(low, n.dot(c) - deviation);
        }
        let mut high = f64::NEG_INFINITY;
        for (c, deviation) in b.corners[end].iter().zip(&b.deviations) {
            high = max(high, n.dot(c) + deviation);
        }
        low - high
    };
    least_between_ends([at(0), at(1)], a.chord_bound + b.chord_bound)
}

// These compile to one instruction each, unlike `f64::min` and `f64::max`, which treat NaN. There
// is no NaN here: trees and poses are finite.
#[inline(always)]
fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// A direction that proves more than `required_gap`, if one of the cheap ones does: between the
/// centres, and both face normals. `separation` is one of the two above.
#[inline(always)]
pub fn cheap_direction(
    a: &SweptTriangle,
    b: &SweptTriangle,
    required_gap: f64,
    separation: impl Fn(&SweptTriangle, &SweptTriangle, &Vector3<f64>) -> f64,
) -> Option<Vector3<f64>> {
    let (x, y) = (a.corners_half_way(), b.corners_half_way());
    let between = (x[0] + x[1] + x[2]) - (y[0] + y[1] + y[2]);
    let face = |t: &[Vector3<f64>; 3]| (t[1] - t[0]).cross(&(t[2] - t[0]));
    for n in [between, face(&x), face(&y)] {
        let length = n.norm();
        if length > 1e-30 {
            // The sense is that from b to a; the other one cannot separate what this one does not.
            let n = if n.dot(&between) < 0.0 {
                n / -length
            } else {
                n / length
            };
            if separation(a, b, &n) > required_gap {
                return Some(n);
            }
        }
    }
    None
}

/// Exact distance of two triangles (corners in a common frame), and their closest points.
pub fn triangle_distance(a: &[Vector3<f64>; 3], b: &[Vector3<f64>; 3]) -> Closest {
    Closest::of_triangles(&a.map(Point3::from), &b.map(Point3::from))
}

/// How far the two triangles can move against each other between the middle of the interval and any
/// other instant, metres.
pub fn motion_bound(a: &SweptTriangle, b: &SweptTriangle) -> f64 {
    // Both the instant and the middle may lie off their chords.
    a.half_chord() + b.half_chord() + 2.0 * (a.chord_bound + b.chord_bound)
}

/// How deep two triangles cross: they would have to be moved apart by at least this much before one
/// plane separates them, metres; not more than 0 where one does.
///
/// Two convex bodies meet as long as they overlap along every direction. Along which they overlap
/// least is a face of one of them, or one edge of each: these are the faces of their Minkowski
/// difference. What has no area has no depth.
pub fn crossing_depth(a: &[Vector3<f64>; 3], b: &[Vector3<f64>; 3]) -> f64 {
    let edges = |t: &[Vector3<f64>; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (ea, eb) = (edges(a), edges(b));
    let overlap = |n: Vector3<f64>| {
        let n = n.try_normalize(1e-12)?;
        let [a0, a1, a2] = a.map(|c| n.dot(&c));
        let [b0, b1, b2] = b.map(|c| n.dot(&c));
        let one = max(max(a0, a1), a2) - min(min(b0, b1), b2);
        let other = max(max(b0, b1), b2) - min(min(a0, a1), a2);
        Some(min(one, other))
    };
    let faces = [&ea, &eb].map(|e| overlap(e[0].cross(&e[1])));
    let [Some(by_a), Some(by_b)] = faces else {
        return 0.0;
    };
    let across = ea.iter().flat_map(|x| eb.iter().map(|y| x.cross(y)));
    across.filter_map(overlap).fold(min(by_a, by_b), min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::bisection::cases::Case;
    use crate::geometry::random::Random;

    /// Catches an end that is not looked at, a corner, a chord bound or a pose left out.
    #[test]
    fn a_turned_direction_proves_what_it_proves_of_moved_corners() {
        let mut random = Random(23);
        for case_number in 0..2000 {
            let view = Case::new(&mut random).view();
            let mut two = || [0, 1].map(|_| [0, 1, 2].map(|_| random.vector()));
            let (a, b) = (two(), two());
            let n = random.vector().normalize();
            let none = ChordBound::default();
            let (mut least, mut at_ends) = (f64::INFINITY, f64::INFINITY);
            for x in &a {
                for y in &b {
                    let swept = |bounds: [ChordBound; 2]| {
                        let x = SweptTriangle::new(*x, &view.a, bounds[0]);
                        let y = SweptTriangle::new(*y, &view.b, bounds[1]);
                        separation(&x, &y, &n)
                    };
                    least = least.min(swept([view.chord_bound_a, view.chord_bound_b]));
                    at_ends = at_ends.min(swept([none; 2]));
                }
            }
            let farthest =
                |t: &[[Vector3<f64>; 3]; 2]| t.iter().map(farthest_corner).fold(0.0, f64::max);
            let chord_bounds =
                view.chord_bound_a.at(farthest(&a)) + view.chord_bound_b.at(farthest(&b));
            let turned = DirectionInParts::new(n, &view.a, &view.b);
            let proved = turned.separation(a.into_iter(), b.into_iter(), chord_bounds);
            // All triangles of a leaf share the greatest chord bound, and the lower ends of all.
            assert!(
                proved <= least + 1e-12 && proved >= at_ends - chord_bounds - 1e-12,
                "case {case_number}: {proved}, by moved corners {least}, at the ends {at_ends}"
            );
        }
    }

    /// Catches a chord bound that is left out on either side, and an end that is not looked at.
    #[test]
    fn both_chord_bounds_and_both_ends_count() {
        let at = |x: f64| Pose {
            translation: Vector3::x() * x,
            ..Pose::identity()
        };
        let corners = [Vector3::y(), -Vector3::y(), Vector3::z()];
        let swept = |from: f64, to: f64, base: f64, slope: f64| {
            SweptTriangle::new(corners, &[at(from), at(to)], ChordBound { base, slope })
        };
        let a = swept(2.0, 1.5, 0.01, 0.02);
        let b = swept(0.0, 0.5, 0.1, 0.2);
        // Corners lie at 1 m from the origin; the second end is the nearer one, by 1 m, so of the
        // chord bounds (0.33 m) counts what a parabola has left of them.
        let proved = 1.0 - 0.33 * (1.0 - 1.0 / 1.32_f64).powi(2);
        assert!((separation(&a, &b, &Vector3::x()) - proved).abs() < 1e-15);
        assert!((separation(&b, &a, &-Vector3::x()) - proved).abs() < 1e-15);
        assert!((motion_bound(&a, &b) - (0.25 + 0.25 + 2.0 * (0.03 + 0.3))).abs() < 1e-15);
        let still = SweptTriangle::at_rest(corners);
        // Here the ends differ by more than four times the chord bound.
        assert_eq!(separation(&a, &still, &Vector3::x()), 1.5);
        let level = swept(1.5, 1.5, 0.01, 0.02);
        assert!((separation(&level, &still, &Vector3::x()) - (1.5 - 0.03)).abs() < 1e-15);
    }

    /// Catches a chord bound that is taken of the first corner, or of the nearest one.
    #[test]
    fn the_corner_farthest_out_has_the_chord_bound_of_a_triangle() {
        let corners = [Vector3::x() * 0.1, Vector3::y() * 2.0, Vector3::z() * 0.5];
        let chord_bound = ChordBound {
            base: 0.01,
            slope: 0.1,
        };
        for first in 0..3 {
            let corners = [0, 1, 2].map(|k| corners[(first + k) % 3]);
            let swept = SweptTriangle::new(corners, &[Pose::identity(); 2], chord_bound);
            assert_eq!(farthest_corner(&corners), 2.0);
            assert!((swept.chord_bound - 0.21).abs() < 1e-15);
        }
    }

    /// Catches a depth that is too great (an edge or a face left out) or that is none.
    #[test]
    fn triangles_that_cross_stay_so_within_their_depth() {
        let mut random = Random(5);
        let (mut deep, mut parted) = (0, 0);
        for case in 0..4000 {
            let mut triangle = || [0, 1, 2].map(|_| random.vector());
            let (a, b) = (triangle(), triangle());
            let depth = crossing_depth(&a, &b);
            assert_eq!(
                depth > 0.0,
                triangle_distance(&a, &b).distance == 0.0,
                "case {case}: {depth}"
            );
            if depth <= 0.0 {
                continue;
            }
            deep += 1;
            for _ in 0..40 {
                let way = random.vector().normalize();
                let moved = |far: f64| b.map(|c| c + way * far);
                let still = triangle_distance(&a, &moved(0.999 * depth)).distance == 0.0;
                assert!(still, "case {case}: apart within {depth}");
                parted += usize::from(triangle_distance(&a, &moved(1.5 * depth)).distance > 0.0);
            }
        }
        // A triangle without area has no depth.
        let flat = [Vector3::x(), -Vector3::x(), Vector3::zeros()];
        let across = [Vector3::y(), -Vector3::y(), Vector3::z()];
        assert!(crossing_depth(&flat, &across) <= 0.0);
        assert!(deep > 300 && parted > 1000, "{deep} {parted}");
    }
}
