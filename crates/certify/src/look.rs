//! One rectangle in an interval: is there a direction in which both ranges are far enough apart, at
//! both ends?
//!
//! The differences of points of both ranges, at both ends together, have a convex hull. A direction
//! serves if all of that hull is far enough along it; the best one is that of the hull's point
//! nearest to the origin. It is found as by Gilbert, Johnson and Keerthi: by ever nearer triangles
//! of points of the hull. Most rectangles are settled by a direction that is known already, so
//! nothing but the least n·p of both ranges is computed before that has failed.

use std::cell::OnceCell;
use std::rc::Rc;

use clearance_proof::geometry::triangle::Closest;
use clearance_recheck::shapes::Range;
use nalgebra::{Point3, Vector3};

use crate::drive::{FloatChordBound, FloatMotion, FloatPose, FloatSpan};
use crate::float_part::{Block, CornerLanes, FloatPart, LANES};
use crate::hull_points::HullPoints;

/// How often a nearer point is looked for.
const STEPS: usize = 8;
/// A direction that lacks more than so many times the radii of both ranges has no better one near it.
const HOPELESS: f64 = 0.8;
/// How far a range goes along a direction counts so much for its size, beside its radius.
const ALONG: f64 = 0.8;
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

/// A part in an interval, seen from one of the joints that move it.
#[derive(Debug, Default)]
pub(crate) struct PartInInterval {
    /// The joint is this one of its chain; 0: seen from the world.
    pub(crate) shared: usize,
    /// Its poses at each end; `None`: it stands in the frame of that joint. Of a stretch there is one.
    pub(crate) ends: [Option<FloatPose>; 2],
    /// Distances of its middle from its axes, where it moves.
    pub(crate) distances: Option<Rc<Vec<f64>>>,
    pub(crate) chord_bound: FloatChordBound,
}

/// A pair of parts in an interval, seen from the last joint that both share.
#[derive(Debug, Clone)]
pub(crate) struct PairInInterval<'m> {
    /// Where errors of corners come from; `None`: there are none.
    pub(crate) levers: Option<PairJoints<'m>>,
    pub(crate) parts: [&'m FloatPart; 2],
    pub(crate) sides: [Rc<PartInInterval>; 2],
    /// How many ends there are.
    pub(crate) count: usize,
    /// The gap that is needed between corners, before chord bounds, metres.
    pub(crate) need: f64,
    /// The direction along which the parts were last proved apart.
    pub(crate) same: Option<Direction>,
}

/// A direction from the second part to the first, as each part sees it at each end.
#[derive(Debug, Clone, Copy, Default)]
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
        let mut direction = Direction::default();
        self.turn(&mut direction, n);
        direction
    }

    /// Puts another direction in place of one.
    fn turn(&self, direction: &mut Direction, n: Vector3<f64>) {
        direction.n = n;
        direction.length = n.norm();
        direction.seen = [[n, -n]; 2];
        direction.between = [0.0; 2];
        for end in 0..self.count {
            for (side, part) in self.sides.iter().enumerate() {
                if let Some(pose) = &part.ends[end] {
                    let along = direction.seen[end][side];
                    direction.between[end] += along.dot(&pose.translation);
                    direction.seen[end][side] = pose.rotation.tr_mul(&along);
                }
            }
        }
    }

    fn at(&self, side: usize, end: usize, p: &Vector3<f64>) -> Vector3<f64> {
        (self.sides[side].ends[end].as_ref()).map_or(*p, |pose| pose.apply(p))
    }
}

/// The answer about two ranges.
#[derive(Debug)]
pub(crate) enum Between {
    /// They are apart along the direction along which the parts were last proved apart.
    Same,
    /// They are apart along the direction that was tried last, one of whole numbers.
    Separated,
    /// None was found; this one came nearest to it.
    Within(Vector3<f64>),
}

/// To the nearest whole number.
fn whole(x: f64) -> f64 {
    (x + 0.5f64.copysign(x)) as i64 as f64
}

/// The least n·p of the hull at an end.
#[derive(Debug, Clone, Copy, Default)]
struct Lowest {
    along: f64,
    /// That of both ranges.
    of: [f64; 2],
}

/// A rectangle in an interval.
pub(crate) struct DirectionSearch<'l> {
    view: &'l PairInInterval<'l>,
    ranges: [Range; 2],
    boxes: [&'l Block; 2],
    /// CornerLanes of ranges of few triangles.
    few: [&'l [CornerLanes]; 2],
    pub(crate) chord_bound: f64,
    /// How far errors may take the points of both ranges.
    errors: [f64; 2],
    /// How far they may take each of `few`, once that was asked.
    errors_of_few: [OnceCell<Vec<[f64; LANES]>>; 2],
    need: f64,
    /// From the middle of the second box to that of the first one, at both ends.
    middles: [Vector3<f64>; 2],
    /// The last direction that was tried.
    pub(crate) tried: Direction,
    /// How far both ranges are apart along it at each end, metres, if it did not serve.
    gaps: Option<[f64; 2]>,
}

impl<'l> DirectionSearch<'l> {
    pub(crate) fn new(view: &'l PairInInterval<'l>, ranges: [Range; 2]) -> Self {
        let boxes = [0, 1].map(|side| view.parts[side].around(&ranges[side]));
        let bounds = [0, 1].map(|side| &view.sides[side].chord_bound);
        let chord_bound = bounds[0].at(boxes[0].far) + bounds[1].at(boxes[1].far);
        DirectionSearch {
            few: [0, 1].map(|side| view.parts[side].few(boxes[side])),
            need: view.need + chord_bound,
            chord_bound,
            errors_of_few: Default::default(),
            middles: [Vector3::zeros(); 2],
            tried: Direction::default(),
            gaps: None,
            errors: [0, 1].map(|side| bounds[side].errors_at(boxes[side].far)),
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

    /// How far that goes, when a direction was looked for.
    pub(crate) fn chord(&self) -> f64 {
        (self.middles[1] - self.middles[0]).norm()
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

    /// The least n·p of a range at each end, each point less what errors may take off it.
    fn least_along(&self, side: usize, direction: &Direction) -> [f64; 2] {
        let n = [0, 1].map(|end| &direction.seen[end][side]);
        let (error, length) = (self.errors[side], direction.length);
        if self.few[side].is_empty() {
            return n.map(|n| self.boxes[side].least_along(n) - error * length);
        }
        let mut least = [[f64::INFINITY; LANES]; 2];
        let mut lower = |end: usize, along: [f64; LANES]| {
            for (least, along) in least[end].iter_mut().zip(along) {
                *least = if along < *least { along } else { *least };
            }
        };
        let corners = self.few[side].iter();
        if error == 0.0 {
            for p in corners {
                lower(0, along(n[0], p));
                lower(1, along(n[1], p));
            }
        } else {
            for (p, errors) in corners.zip(self.errors_of_few(side)) {
                lower(0, along_with(n[0], p, errors, length));
                lower(1, along_with(n[1], p, errors, length));
            }
        }
        least.map(|lanes| lanes.into_iter().fold(f64::INFINITY, f64::min))
    }

    /// The point of a range that is so low along n.
    fn lowest(&self, side: usize, n: &Vector3<f64>, length: f64, least: f64) -> Vector3<f64> {
        let error = self.errors[side];
        let errors = match error {
            0.0 => &[][..],
            _ => self.errors_of_few(side),
        };
        let mut few = self.few[side].iter().enumerate();
        let found = few.find_map(|(k, p)| {
            let errors = errors.get(k);
            let along = errors.map_or_else(|| along(n, p), |e| along_with(n, p, e, length));
            let lane = (0..LANES).find(|&lane| along[lane] <= least)?;
            let error = errors.map_or(0.0, |errors| errors[lane]);
            Some((Vector3::from(p.map(|x| x[lane])), error))
        });
        match found.unwrap_or_else(|| (self.boxes[side].lowest(n), error)) {
            (at, 0.0) => at,
            (at, error) => at - n * (error / length),
        }
    }

    /// How far errors may take corners of ranges of few triangles.
    fn errors_of_few(&self, side: usize) -> &[[f64; LANES]] {
        let chain = &self.view.parts[side].chain[..];
        let errors = |corners: &CornerLanes| {
            let [x, y, z] = corners;
            std::array::from_fn(|k| {
                let (levers, p) = (self.view.levers.as_ref(), Vector3::new(x[k], y[k], z[k]));
                levers.map_or(0.0, |l| l.motion.errors_of(l.span, chain, l.shared, &p))
            })
        };
        self.errors_of_few[side].get_or_init(|| self.few[side].iter().map(errors).collect())
    }

    /// How far errors may take two triangles, at the least.
    pub(crate) fn least_errors(&self) -> f64 {
        let least = |side: usize| {
            let corners = self.errors_of_few(side).iter().flatten();
            corners.copied().fold(f64::INFINITY, f64::min)
        };
        least(0) + least(1)
    }

    /// The least n·v of the hull's points at each end, and of which points of both ranges.
    fn least(&self, direction: &Direction) -> [Lowest; 2] {
        let of = [0, 1].map(|side| self.least_along(side, direction));
        let mut ends = [0, 1].map(|end| Lowest {
            along: direction.between[end] + of[0][end] + of[1][end],
            of: of.map(|least| least[end]),
        });
        if self.view.count == 1 {
            ends[1] = ends[0];
        }
        ends
    }

    /// The point of the hull that is so low, at one end.
    fn point(&self, direction: &Direction, end: usize, of: [f64; 2]) -> Vector3<f64> {
        let [a, b] = [0, 1].map(|side| {
            let n = &direction.seen[end][side];
            let lowest = self.lowest(side, n, direction.length, of[side]);
            self.view.at(side, end, &lowest)
        });
        a - b
    }

    /// The least n·v of the hull's points.
    fn least_of_all(&self, direction: &Direction) -> f64 {
        let [first, last] = self.least(direction);
        first.along.min(last.along)
    }

    /// Whether a direction serves: else the point of the hull that is least along it.
    fn serves(&mut self, n: &Vector3<f64>) -> Result<(), Vector3<f64>> {
        self.view.turn(&mut self.tried, *n);
        let tried = &self.tried;
        let ends = self.least(tried);
        let lower = usize::from(ends[1].along < ends[0].along);
        if ends[lower].along > self.need * tried.length {
            return Ok(());
        }
        self.gaps = Some(ends.map(|lowest| lowest.along / tried.length));
        Err(self.point(tried, lower, ends[lower].of))
    }

    /// Tries directions of whole numbers near to one, until one serves, of as few bytes as do; or
    /// the point that is least along it.
    fn given(&mut self, n: &Vector3<f64>) -> Result<(), Vector3<f64>> {
        let mut lowest = Vector3::zeros();
        for size in SIZES {
            let scale = size / n.amax();
            match self.serves(&n.map(|x| whole(x * scale))) {
                Ok(()) => return Ok(()),
                Err(point) => lowest = point,
            }
            // Along n itself nothing is beyond this point of the hull.
            if n.dot(&lowest) <= self.need * n.norm() {
                break;
            }
        }
        Err(lowest)
    }

    /// A point of the hull, or near it: on the way from the middle of both boxes to the origin, at the
    /// end where that is nearer. A box is followed as far as that leads through it.
    fn within(&self) -> Vector3<f64> {
        let end = usize::from(self.middles[1].norm_squared() < self.middles[0].norm_squared());
        let middle = self.middles[end];
        let share = |side: usize| {
            if !self.few[side].is_empty() {
                return 0.0;
            }
            let pose = self.view.sides[side].ends[end].as_ref();
            let seen = pose.map_or(middle, |pose| pose.rotation.tr_mul(&middle));
            let half = &self.boxes[side].half;
            (0..3).fold(1.0, |least: f64, axis| {
                least.min(half[axis] / seen[axis].abs())
            })
        };
        middle * (1.0 - share(0) - share(1)).max(0.0)
    }

    /// Looks for a direction; `guess` is tried first, after the one that served last. `closely`:
    /// what nearer points say of two triangles is not believed.
    pub(crate) fn between_them(&mut self, guess: &Vector3<f64>, closely: bool) -> Between {
        let few = !self.few[0].is_empty() || !self.few[1].is_empty();
        if let Some(same) = &self.view.same
            && (self.serves_boxes(same) || few && self.least_of_all(same) > self.need * same.length)
        {
            return Between::Same;
        }
        self.middles = [0, self.view.count - 1].map(|end| self.between(end));
        let mut points = HullPoints::point(self.within());
        let mut next = if *guess == Vector3::zeros() {
            points.nearest
        } else {
            *guess
        };
        let mut is_around = false;
        for _ in 0..STEPS {
            if points.nearest.norm() <= self.need {
                break;
            }
            let point = match self.given(&next) {
                Ok(()) => return Between::Separated,
                Err(point) => point,
            };
            let lacks = self.need - next.dot(&point) / next.norm();
            let Some(nearer) = points.with(&point) else {
                is_around = true;
                break;
            };
            points = nearer;
            next = points.nearest;
            if lacks > HOPELESS * (self.radius(0) + self.radius(1)) {
                break;
            }
        }
        let nearest = points.nearest;
        let single = self.ranges.iter().all(|r| r.to - r.from == 1);
        let near = is_around || nearest.norm() <= self.need;
        if !single || near && !closely {
            return Between::Within(nearest);
        }
        match self.exact().map(|n| (n, self.given(&n))) {
            Some((_, Ok(()))) => Between::Separated,
            Some((n, Err(_))) => Between::Within(n),
            None => Between::Within(nearest),
        }
    }

    /// Whether they are apart at both ends along the direction that was tried last: then it is
    /// what they may be from their chords that stands in the way.
    pub(crate) fn is_apart_at_ends(&self) -> bool {
        let need = self.need - self.chord_bound;
        (self.gaps).is_some_and(|gaps| gaps.iter().all(|&gap| gap > need))
    }

    /// How large a range is, mostly along that direction.
    pub(crate) fn size(&self, side: usize) -> f64 {
        let Block { half, radius, .. } = &self.boxes[side];
        self.gaps.map_or(*radius, |_| {
            let along = self.tried.seen[0][side].abs().dot(half) / self.tried.length;
            ALONG * along + (1.0 - ALONG) * radius
        })
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

/// n·p of some corners.
fn along(n: &Vector3<f64>, corners: &CornerLanes) -> [f64; LANES] {
    let [x, y, z] = corners;
    std::array::from_fn(|k| n.x * x[k] + n.y * y[k] + n.z * z[k])
}

/// The same, each less what errors may take off it.
fn along_with(
    n: &Vector3<f64>,
    corners: &CornerLanes,
    errors: &[f64; LANES],
    length: f64,
) -> [f64; LANES] {
    let along = along(n, corners);
    std::array::from_fn(|k| along[k] - errors[k] * length)
}
