//! One rectangle in an interval: is there a direction in which both ranges are far enough apart, at
//! both ends?
//!
//! The differences of points of both ranges, at both ends together, have a convex hull. A direction
//! serves if all of that hull is far enough along it; the best one is that of the hull's point
//! nearest to the origin. It is found as by Gilbert, Johnson and Keerthi: by ever nearer triangles
//! of points of the hull.

use clearance_proof::geometry::triangle::distance_triangle_triangle;
use clearance_recheck::shapes::{FEW, Range};
use nalgebra::{Point3, Vector3};

use crate::drive::{FloatBulge, FloatPose};
use crate::solid::{Block, FloatPart};

/// How often a nearer point is looked for.
const STEPS: usize = 6;

/// A pair of parts in an interval, seen from the last joint that both share.
#[derive(Debug, Clone)]
pub(crate) struct PairInInterval {
    /// Poses of both parts at each end; of a stretch there is one.
    pub(crate) ends: [[Option<FloatPose>; 2]; 2],
    pub(crate) count: usize,
    pub(crate) bulges: [FloatBulge; 2],
    /// What has to be between corners but for bulges, metres.
    pub(crate) need: f64,
}

/// What is between two ranges.
#[derive(Debug)]
pub(crate) enum Between {
    /// They are apart along the direction that was guessed.
    Same,
    /// They are apart along this direction.
    Apart(Vector3<f64>),
    /// None was found.
    Within,
}

/// The differences of points of two boxes at an end: a middle, and half edges that count both ways.
#[derive(Debug, Clone, Copy, Default)]
struct Differences {
    middle: Vector3<f64>,
    edges: [Vector3<f64>; 6],
}

impl Differences {
    /// The least n·v, and where.
    fn least(&self, n: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let (mut value, mut point) = (n.dot(&self.middle), self.middle);
        for edge in &self.edges {
            let along = n.dot(edge);
            value -= along.abs();
            point -= edge * along.signum();
        }
        (value, point)
    }
}

/// A rectangle in an interval.
pub(crate) struct DirectionSearch<'l> {
    view: &'l PairInInterval,
    solids: [&'l FloatPart; 2],
    ranges: [Range; 2],
    boxes: [Block; 2],
    /// At each end.
    differences: [Differences; 2],
    /// Corners of ranges of few triangles, at each end.
    corners: [[Vec<Vector3<f64>>; 2]; 2],
    pub(crate) bulge: f64,
}

impl<'l> DirectionSearch<'l> {
    pub(crate) fn new(
        view: &'l PairInInterval,
        solids: [&'l FloatPart; 2],
        ranges: [Range; 2],
    ) -> Self {
        let boxes = [0, 1].map(|side| solids[side].around(&ranges[side]));
        let of = |side: usize| {
            let far = boxes[side].farthest(&solids[side].middle);
            view.bulges[side].at(far)
        };
        let mut look = DirectionSearch {
            bulge: of(0) + of(1),
            view,
            solids,
            ranges,
            boxes,
            differences: [Differences::default(); 2],
            corners: Default::default(),
        };
        for end in 0..view.count {
            let middles = [0, 1].map(|side| look.at(side, end, &boxes[side].middle));
            let mut edges = [Vector3::zeros(); 6];
            for (k, edge) in edges.iter_mut().enumerate() {
                let (side, axis) = (k / 3, k % 3);
                let half = boxes[side].half[axis];
                match &view.ends[end][side] {
                    Some(place) => *edge = place.turn.column(axis) * half,
                    None => edge[axis] = half,
                }
            }
            look.differences[end] = Differences {
                middle: middles[0] - middles[1],
                edges,
            };
        }
        look
    }

    fn need(&self) -> f64 {
        self.view.need + self.bulge
    }

    pub(crate) fn radii(&self) -> [f64; 2] {
        [0, 1].map(|side| self.boxes[side].half.norm())
    }

    fn counts(&self) -> [u32; 2] {
        self.ranges.map(|r| r.to - r.from)
    }

    fn at(&self, side: usize, end: usize, p: &Vector3<f64>) -> Vector3<f64> {
        self.view.ends[end][side].map_or(*p, |place| place.apply(p))
    }

    /// From the middle of the second box to that of the first one, at an end.
    fn between(&self, end: usize) -> Vector3<f64> {
        self.differences[end].middle
    }

    /// How far that goes.
    pub(crate) fn chord(&self) -> f64 {
        (self.between(self.view.count - 1) - self.between(0)).norm()
    }

    /// The least n·v of the differences at an end, and where.
    fn least(&self, end: usize, n: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let corners = &self.corners[end];
        if corners[0].is_empty() && corners[1].is_empty() {
            return self.differences[end].least(n);
        }
        let least = |side: usize, n: &Vector3<f64>| {
            let corners = &corners[side];
            if corners.is_empty() {
                let place = &self.view.ends[end][side];
                let back = place.map_or(*n, |place| place.turn.tr_mul(n));
                return self.at(side, end, &self.boxes[side].farthest_along(&-back));
            }
            let (mut least, mut at) = (f64::INFINITY, 0);
            for (k, p) in corners.iter().enumerate() {
                let along = n.dot(p);
                if along < least {
                    (least, at) = (along, k);
                }
            }
            corners[at]
        };
        let point = least(0, n) - least(1, &-n);
        (n.dot(&point), point)
    }

    /// The least n·v of the hull's points, and the point.
    fn support(&self, n: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let first = self.least(0, n);
        match self.view.count {
            1 => first,
            _ => {
                let second = self.least(1, n);
                if first.0 < second.0 { first } else { second }
            }
        }
    }

    /// Whether a direction serves.
    pub(crate) fn serves(&self, n: &Vector3<f64>) -> bool {
        self.support(n).0 > n.norm() * self.need()
    }

    /// From now on by the corners of what has few triangles.
    pub(crate) fn look_closer(&mut self) {
        for side in 0..2 {
            if self.counts()[side] > FEW {
                continue;
            }
            for end in 0..self.view.count {
                let corners = self.solids[side].corners(&self.ranges[side]);
                self.corners[end][side] = corners.map(|p| self.at(side, end, p)).collect();
            }
        }
    }

    /// Whether that changes anything.
    pub(crate) fn has_few(&self) -> bool {
        self.counts().iter().any(|&count| count <= FEW)
    }

    /// Looks for a direction; `guess` is tried first.
    pub(crate) fn between_them(&self, guess: &Vector3<f64>) -> Between {
        let need = self.need();
        let serves = |n: &Vector3<f64>| {
            let (value, point) = self.support(n);
            (value > need * n.norm(), point)
        };
        let mut simplex = Simplex::default();
        let mut nearest = (self.between(0) + self.between(self.view.count - 1)) / 2.0;
        simplex.nearer(nearest);
        if *guess != Vector3::zeros() {
            let (serves, point) = serves(guess);
            if serves {
                return Between::Same;
            }
            nearest = simplex.nearer(point);
        }
        if self.counts() == [1, 1] {
            let exact = self.exact().filter(|n| serves(n).0);
            return exact.map_or(Between::Within, Between::Apart);
        }
        for _ in 0..STEPS {
            if nearest.norm() <= need {
                break;
            }
            let (serves, point) = serves(&nearest);
            if serves {
                return Between::Apart(nearest);
            }
            nearest = simplex.nearer(point);
        }
        Between::Within
    }

    /// The direction of the closest points of two triangles, both half-way between the ends: where
    /// one is much larger than what is between them, steps to ever nearer points hardly get on.
    fn exact(&self) -> Option<Vector3<f64>> {
        let last = self.view.count - 1;
        let [a, b] = [0, 1].map(|side| {
            let mut corners = [Point3::origin(); 3];
            let on = self.solids[side].corners(&self.ranges[side]);
            for (corner, p) in corners.iter_mut().zip(on) {
                let ends = self.at(side, 0, p) + self.at(side, last, p);
                *corner = Point3::from(ends / 2.0);
            }
            corners
        });
        let closest = distance_triangle_triangle(&a, &b);
        (closest.point_a - closest.point_b).try_normalize(0.0)
    }

    /// Least distance of two triangles at the ends.
    pub(crate) fn distance(&self) -> f64 {
        let mut least = f64::INFINITY;
        for end in 0..self.view.count {
            let [a, b] = [0, 1].map(|side| {
                let corners = self.solids[side].corners(&self.ranges[side]);
                let placed = corners.map(|p| Point3::from(self.at(side, end, p)));
                placed.collect::<Vec<_>>()
            });
            for p in a.chunks_exact(3) {
                for q in b.chunks_exact(3) {
                    let (p, q) = ([p[0], p[1], p[2]], [q[0], q[1], q[2]]);
                    least = least.min(distance_triangle_triangle(&p, &q).distance);
                }
            }
        }
        least
    }
}

/// At most three points of a hull.
#[derive(Debug, Default)]
struct Simplex {
    points: [Vector3<f64>; 3],
    count: usize,
}

impl Simplex {
    /// Adds a point, and says which point of what they span is nearest to the origin. Of four
    /// points three are kept.
    fn nearer(&mut self, point: Vector3<f64>) -> Vector3<f64> {
        let [a, b, c] = self.points;
        let nearest = match self.count {
            0 => point,
            1 => closest_on_segment(&a, &point),
            2 => closest_on_triangle(&a, &b, &point),
            _ => {
                let mut best = (f64::INFINITY, point, [a, b]);
                for kept in [[a, b], [b, c], [c, a]] {
                    let found = closest_on_triangle(&kept[0], &kept[1], &point);
                    if found.norm_squared() < best.0 {
                        best = (found.norm_squared(), found, kept);
                    }
                }
                self.points = [best.2[0], best.2[1], point];
                return best.1;
            }
        };
        self.points[self.count] = point;
        self.count += 1;
        nearest
    }
}

/// The point of a segment that is nearest to the origin.
fn closest_on_segment(a: &Vector3<f64>, b: &Vector3<f64>) -> Vector3<f64> {
    let along = b - a;
    let share = -a.dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE);
    a + along * share.clamp(0.0, 1.0)
}

/// The point of a triangle that is nearest to the origin.
fn closest_on_triangle(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> Vector3<f64> {
    let (u, v) = (b - a, c - a);
    let (uu, uv, vv) = (u.norm_squared(), u.dot(&v), v.norm_squared());
    let (au, av) = (-a.dot(&u), -a.dot(&v));
    // What is hardly a triangle is its edges.
    let area = uu * vv * (1.0 - 1e-9) - uv * uv;
    let (s, t) = (vv * au - uv * av, uu * av - uv * au);
    if area > 0.0 && s >= 0.0 && t >= 0.0 && s + t <= area {
        return a + (u * s + v * t) / area;
    }
    let edges = [[a, b], [b, c], [c, a]].map(|[p, q]| closest_on_segment(p, q));
    let nearer = edges
        .iter()
        .min_by(|x, y| x.norm_squared().total_cmp(&y.norm_squared()));
    nearer.copied().unwrap_or(*a)
}
