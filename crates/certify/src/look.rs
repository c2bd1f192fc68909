//! One rectangle in an interval: is there a direction in which both ranges are far enough apart, at
//! both ends?
//!
//! The differences of points of both ranges, at both ends together, have a convex hull. A direction
//! serves if all of that hull is far enough along it; the best one is that of the hull's point
//! nearest to the origin. It is found as by Gilbert, Johnson and Keerthi: by ever nearer triangles
//! of points of the hull. Most rectangles are settled by a direction that is known already, so
//! nothing but the least n·p of both ranges is computed before that has failed.

use std::cell::OnceCell;

use clearance_proof::geometry::triangle::Closest;
use clearance_recheck::shapes::Range;
use nalgebra::{Point3, Vector3};

use crate::drive::{FloatChordBound, FloatMotion, FloatPose, FloatSpan};
use crate::float_part::{Block, FloatPart};

/// How often a nearer point is looked for.
const STEPS: usize = 4;
/// A direction that lacks more than so many times the radii of both ranges has no better one near it.
const HOPELESS: f64 = 0.8;
/// Largest coordinates of directions of one, two and four bytes a coordinate.
const SIZES: [f64; 3] = [127.0, 32767.0, 2147483647.0];

/// How the joints move that both parts of a pair hang on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairJoints<'m> {
    pub(crate) motion: FloatMotion<'m>,
    pub(crate) span: &'m FloatSpan,
    /// How many joints both chains share.
    pub(crate) shared: usize,
}

/// A pair of parts in an interval, seen from the last joint that both share.
#[derive(Debug, Clone)]
pub(crate) struct PairInInterval<'m> {
    /// Where errors of corners come from; `None`: there are none.
    pub(crate) levers: Option<PairJoints<'m>>,
    pub(crate) parts: [&'m FloatPart; 2],
    /// Poses of both parts at each end; of a stretch there is one.
    pub(crate) ends: [[Option<FloatPose>; 2]; 2],
    pub(crate) count: usize,
    pub(crate) chord_bounds: [FloatChordBound; 2],
    /// The gap that is needed between corners, before chord bounds, metres.
    pub(crate) need: f64,
    /// The direction along which the parts were last proved apart.
    pub(crate) same: Option<Direction>,
}

/// A direction from the second part to the first, as each part sees it at each end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Direction {
    pub(crate) n: Vector3<f64>,
    length: f64,
    /// Towards the other part: n for the first one, −n for the second.
    seen: [[Vector3<f64>; 2]; 2],
    /// The gap between the origins of both frames along it, at each end.
    between: [f64; 2],
}

impl PairInInterval<'_> {
    pub(crate) fn direction(&self, n: Vector3<f64>) -> Direction {
        let mut direction = Direction {
            n,
            length: n.norm(),
            seen: [[n, -n]; 2],
            between: [0.0; 2],
        };
        for end in 0..self.count {
            for (side, pose) in self.ends[end].iter().enumerate() {
                if let Some(pose) = pose {
                    let along = direction.seen[end][side];
                    direction.between[end] += along.dot(&pose.translation);
                    direction.seen[end][side] = pose.rotation.tr_mul(&along);
                }
            }
        }
        direction
    }

    fn at(&self, side: usize, end: usize, p: &Vector3<f64>) -> Vector3<f64> {
        self.ends[end][side].map_or(*p, |pose| pose.apply(p))
    }
}

/// The answer about two ranges.
#[derive(Debug)]
pub(crate) enum Between {
    /// They are apart along the direction along which the parts were last proved apart.
    Same,
    /// They are apart along this direction, of whole numbers.
    Separated(Direction),
    /// None was found; this one came nearest to it.
    Within(Vector3<f64>),
}

/// To the nearest whole number.
fn whole(x: f64) -> f64 {
    (x + 0.5f64.copysign(x)) as i64 as f64
}

/// A rectangle in an interval.
pub(crate) struct DirectionSearch<'l> {
    view: &'l PairInInterval<'l>,
    ranges: [Range; 2],
    boxes: [&'l Block; 2],
    /// Corners of ranges of few triangles.
    few: [&'l [Vector3<f64>]; 2],
    pub(crate) chord_bound: f64,
    /// How far errors may take the points of both ranges.
    errors: [f64; 2],
    /// How far they may take each of `few`, once that was asked.
    errors_of_few: [OnceCell<Vec<f64>>; 2],
    need: f64,
}

impl<'l> DirectionSearch<'l> {
    pub(crate) fn new(view: &'l PairInInterval<'l>, ranges: [Range; 2]) -> Self {
        let boxes = [0, 1].map(|side| view.parts[side].around(&ranges[side]));
        let chord_bound =
            view.chord_bounds[0].at(boxes[0].far) + view.chord_bounds[1].at(boxes[1].far);
        DirectionSearch {
            few: [0, 1].map(|side| view.parts[side].few(boxes[side])),
            need: view.need + chord_bound,
            chord_bound,
            errors_of_few: Default::default(),
            errors: [0, 1].map(|side| view.chord_bounds[side].errors_at(boxes[side].far)),
            view,
            ranges,
            boxes,
        }
    }

    /// Half the diagonal of the box around a range.
    pub(crate) fn radius(&self, side: usize) -> f64 {
        self.boxes[side].radius
    }

    /// From the middle of the second box to that of the first one, at an end.
    fn between(&self, end: usize) -> Vector3<f64> {
        let [a, b] = [0, 1].map(|side| self.view.at(side, end, &self.boxes[side].middle));
        a - b
    }

    /// How far the middles of both boxes are from one another, at the first end.
    pub(crate) fn middles(&self) -> f64 {
        self.between(0).norm()
    }

    /// How far that goes.
    pub(crate) fn chord(&self) -> f64 {
        (self.between(self.view.count - 1) - self.between(0)).norm()
    }

    /// Whether a direction serves, by boxes.
    fn serves_boxes(&self, direction: &Direction) -> bool {
        let [a, b] = self.errors;
        let need = (self.need + a + b) * direction.length;
        (0..self.view.count).all(|end| {
            let seen = &direction.seen[end];
            let [a, b] = [0, 1].map(|side| self.boxes[side].least_along(&seen[side]));
            direction.between[end] + a + b > need
        })
    }

    /// The least n·p of a range with its errors, and where.
    fn lowest(&self, side: usize, n: &Vector3<f64>, length: f64) -> (f64, Vector3<f64>) {
        let (mut least, mut at) = (f64::INFINITY, None);
        let errors = match self.errors[side] {
            0.0 => &[][..],
            _ => self.errors_of_few(side),
        };
        for (k, p) in self.few[side].iter().enumerate() {
            let error = errors.get(k).copied().unwrap_or(0.0);
            let along = n.dot(p) - error * length;
            if along < least {
                (least, at) = (along, Some((p, error)));
            }
        }
        let whole = &self.boxes[side];
        let (least, at, error) = match at {
            Some((p, error)) => (least, *p, error),
            None => {
                let error = self.errors[side];
                let least = whole.least_along(n) - error * length;
                (least, whole.lowest(n), error)
            }
        };
        (least, at - n * (error / length))
    }

    /// How far errors may take corners of ranges of few triangles.
    fn errors_of_few(&self, side: usize) -> &[f64] {
        let chain = &self.view.parts[side].chain[..];
        let errors = |p| {
            let levers = self.view.levers.as_ref();
            levers.map_or(0.0, |l| l.motion.errors_of(l.span, chain, l.shared, p))
        };
        self.errors_of_few[side].get_or_init(|| self.few[side].iter().map(errors).collect())
    }

    /// How far errors may take two triangles, at the least.
    pub(crate) fn least_errors(&self) -> f64 {
        let least = |side: usize| {
            let corners = self.errors_of_few(side).iter().copied();
            corners.fold(f64::INFINITY, f64::min)
        };
        least(0) + least(1)
    }

    /// The least n·v of the hull's points, and the point.
    fn support(&self, direction: &Direction) -> (f64, Vector3<f64>) {
        let (mut least, mut at) = (f64::INFINITY, (0, [Vector3::zeros(); 2]));
        for end in 0..self.view.count {
            let seen = &direction.seen[end];
            let [a, b] = [0, 1].map(|side| self.lowest(side, &seen[side], direction.length));
            let along = direction.between[end] + a.0 + b.0;
            if along < least {
                (least, at) = (along, (end, [a.1, b.1]));
            }
        }
        let (end, [a, b]) = at;
        (least, self.view.at(0, end, &a) - self.view.at(1, end, &b))
    }

    /// A direction of whole numbers near to one, in as few bytes as serve; or the point that is
    /// least along it.
    fn given(&self, n: &Vector3<f64>) -> Result<Direction, Vector3<f64>> {
        let mut lowest = Vector3::zeros();
        for size in SIZES {
            let scale = size / n.amax();
            let direction = self.view.direction(n.map(|x| whole(x * scale)));
            let (least, point) = self.support(&direction);
            if least > self.need * direction.length {
                return Ok(direction);
            }
            lowest = point;
            // Along n itself nothing is beyond this point of the hull.
            if n.dot(&point) <= self.need * n.norm() {
                break;
            }
        }
        Err(lowest)
    }

    /// Looks for a direction; `guess` is tried first, after the one that served last. `closely`:
    /// what nearer points say of two triangles is not believed.
    pub(crate) fn between_them(&self, guess: &Vector3<f64>, closely: bool) -> Between {
        let few = !self.few[0].is_empty() || !self.few[1].is_empty();
        if let Some(same) = &self.view.same
            && (self.serves_boxes(same) || few && self.support(same).0 > self.need * same.length)
        {
            return Between::Same;
        }
        let mut simplex = Simplex::default();
        let mut nearest = (self.between(0) + self.between(self.view.count - 1)) / 2.0;
        simplex.nearer(nearest);
        let mut next = if *guess == Vector3::zeros() {
            nearest
        } else {
            *guess
        };
        for _ in 0..STEPS {
            if nearest.norm() <= self.need {
                break;
            }
            match self.given(&next) {
                Ok(direction) => return Between::Separated(direction),
                Err(point) => {
                    let lacks = self.need - next.dot(&point) / next.norm();
                    nearest = simplex.nearer(point);
                    if lacks > HOPELESS * (self.radius(0) + self.radius(1)) {
                        break;
                    }
                }
            }
            next = nearest;
        }
        let single = self.ranges.iter().all(|r| r.to - r.from == 1);
        if !single || nearest.norm() <= self.need && !closely {
            return Between::Within(nearest);
        }
        match self.exact().map(|n| (n, self.given(&n))) {
            Some((_, Ok(direction))) => Between::Separated(direction),
            Some((n, Err(_))) => Between::Within(n),
            None => Between::Within(nearest),
        }
    }

    /// Both triangles at an end, or half-way.
    fn triangles(&self, ends: [usize; 2]) -> [[Point3<f64>; 3]; 2] {
        [0, 1].map(|side| {
            let on = self.view.parts[side].triangle(self.ranges[side].from);
            on.map(|p| {
                let [first, second] = ends.map(|end| self.view.at(side, end, p));
                Point3::from((first + second) / 2.0)
            })
        })
    }

    /// The direction of the closest points of two triangles, both half-way between the ends: where
    /// one is much larger than what is between them, steps to ever nearer points hardly get on.
    fn exact(&self) -> Option<Vector3<f64>> {
        let [a, b] = self.triangles([0, self.view.count - 1]);
        let closest = Closest::of_triangles(&a, &b);
        (closest.point_a - closest.point_b).try_normalize(0.0)
    }

    /// Least distance of two triangles at the ends.
    pub(crate) fn distance(&self) -> f64 {
        let at = (0..self.view.count).map(|end| {
            let [a, b] = self.triangles([end; 2]);
            Closest::of_triangles(&a, &b).distance
        });
        at.fold(f64::INFINITY, f64::min)
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
    // A triangle of almost no area is replaced by its edges.
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
