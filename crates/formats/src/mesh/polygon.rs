//! Polygons into triangles, by clipping ears.
//!
//! Why this is sound even for polygons that are not simple: clipping an ear replaces a closed line
//! a…bcd… by the triangle bcd and the closed line a…bd…, so the winding numbers of the n - 2
//! triangles always add up to that of the polygon. Every point that the polygon winds round is
//! therefore inside at least one triangle, whichever ears are chosen. The choice only decides
//! whether triangles also cover what lies *outside* a concave polygon, which would be surface that
//! is not there. Where the polygon does not wind, covering triangles come in pairs, one of them
//! inside out; so that happens only where such a triangle had to be taken, and it is noted.

use std::cmp::Ordering;

use nalgebra::{Point2, Point3, Vector3};

use super::count;

/// Concave polygons with more corners than this are cut as a fan, to keep the time bounded whatever
/// a file says.
const MOST_CORNERS: usize = 2_000;

/// Corners that are looked at for the ears of all polygons of a file, about two seconds of work: what
/// is left then is cut as fans. A polygon of the corners above can take a fifth of it.
const MOST_LOOKS: u64 = 1 << 31;

/// A polygon of which ways of cutting lie farther apart than this part of its size is told as bent.
/// How far that is in metres is another question, which the size of the polygon does not answer.
const BENT: f64 = 1e-3;

/// Cuts polygons, and counts what was unusual.
#[derive(Debug, Default)]
pub struct Cutter {
    polygons: usize,
    bent: usize,
    /// How far ways of cutting a polygon lie apart at most, in the file's unit.
    farthest: f64,
    tangled: usize,
    /// Corners that were looked at for ears.
    looks: u64,
}

impl Cutter {
    /// Appends the triangles of one polygon of three corners or more: n - 2 of them, with its
    /// orientation. Returns how far the surface of another way of cutting it may be from them: 0 if
    /// the polygon is flat.
    pub fn cut(
        &mut self,
        vertices: &[Point3<f64>],
        corners: &[u32],
        triangles: &mut Vec<[u32; 3]>,
    ) -> f64 {
        if let &[a, b, c] = corners {
            triangles.push([a, b, c]);
            return 0.0;
        }
        self.polygons += 1;
        let (corners, is_reversed) = beginning_alike(vertices, corners);
        let first = triangles.len();
        let bend = self.cut_many(vertices, &corners, triangles);
        if is_reversed {
            let own = &mut triangles[first..];
            own.iter_mut().for_each(|triangle| triangle.swap(0, 2));
        }
        bend
    }

    /// The same for four corners or more.
    fn cut_many(
        &mut self,
        vertices: &[Point3<f64>],
        corners: &[u32],
        triangles: &mut Vec<[u32; 3]>,
    ) -> f64 {
        let points: Vec<Point3<f64>> = corners.iter().map(|&c| vertices[c as usize]).collect();
        let normal = newell_normal(&points);
        let bend = self.measure_bend(&points, normal);
        let flat = flattened(&points, normal);
        let mut clipping = Clipping::new(&flat, self.looks);
        let convex = normal != Vector3::zeros() && clipping.is_convex();
        if convex || points.len() > MOST_CORNERS {
            self.tangled += usize::from(!convex);
            let fan = |i: usize| [corners[0], corners[i], corners[i + 1]];
            triangles.extend((1..corners.len() - 1).map(fan));
            return bend;
        }
        // A polygon that winds round nothing on balance, or whose last triangle is inside out,
        // crosses itself.
        let mut tangled = normal == Vector3::zeros();
        while clipping.left.len() > 3 {
            let ear = clipping.find_ear().unwrap_or_else(|| {
                tangled = true;
                1
            });
            triangles.push(clipping.clip(ear).map(|i| corners[i]));
        }
        tangled |= clipping.turn(clipping.corner(1)) < 0.0;
        triangles.push(clipping.clip(1).map(|i| corners[i]));
        self.tangled += usize::from(tangled);
        self.looks = clipping.looks;
        bend
    }

    fn measure_bend(&mut self, points: &[Point3<f64>], normal: Vector3<f64>) -> f64 {
        let bend = bend(points, normal);
        self.bent += usize::from(bend.distance > BENT * bend.size);
        self.farthest = self.farthest.max(bend.distance);
        bend.distance
    }

    /// The notes for the user.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let cut = (self.polygons > 0)
            .then(|| format!("{} cut into triangles", count(self.polygons, "polygon")));
        let bent = (self.bent > 0).then(|| {
            format!(
                "{} not planar: other programs may cut them into other triangles, up to {:.3e} from these, in the \
                 file's unit",
                count(self.bent, "polygon"),
                self.farthest
            )
        });
        let tangled = (self.tangled > 0).then(|| {
            format!(
                "{} tangled or very large: the triangles cover it and may cover more",
                count(self.tangled, "concave polygon")
            )
        });
        cut.into_iter().chain(bent).chain(tangled)
    }
}

/// A polygon from its least corner on, towards the lesser neighbour of that one, by their places; and
/// whether it is the other way round then. So both sides of a sheet that is written twice are cut
/// alike, wherever they begin: only then they are seen to be one sheet.
fn beginning_alike(vertices: &[Point3<f64>], corners: &[u32]) -> (Vec<u32>, bool) {
    let place = |at: usize| vertices[corners[at] as usize];
    let order = |a: &usize, b: &usize| {
        let [a, b] = [place(*a), place(*b)];
        let axes = a.iter().zip(b.iter()).map(|(x, y)| x.total_cmp(y));
        axes.fold(Ordering::Equal, Ordering::then)
    };
    let n = corners.len();
    let least = (0..n).min_by(order).unwrap_or(0);
    let [before, behind] = [(least + n - 1) % n, (least + 1) % n];
    let is_reversed = order(&before, &behind) == Ordering::Less;
    let along = |k: usize| {
        let at = if is_reversed { n - k } else { k };
        corners[(least + at) % n]
    };
    ((0..n).map(along).collect(), is_reversed)
}

/// How much a polygon is bent.
struct Bend {
    /// Two surfaces that it may be cut into are nowhere farther apart than this.
    distance: f64,
    /// Largest distance of a corner from the middle of all.
    size: f64,
}

fn bend(points: &[Point3<f64>], normal: Vector3<f64>) -> Bend {
    let share = 1.0 / points.len() as f64;
    let centre: Vector3<f64> = points.iter().map(|p| p.coords * share).sum();
    let arms = || points.iter().map(|p| p.coords - centre);
    let farthest = |arms: &mut dyn Iterator<Item = Vector3<f64>>| {
        arms.max_by(|a, b| a.norm().total_cmp(&b.norm()))
            .unwrap_or_default()
    };
    // No corner is farther than `beside` from the line through the middle and the farthest corner.
    let longest = farthest(&mut arms());
    let along = longest.try_normalize(0.0).unwrap_or_default();
    let beside = farthest(&mut arms().map(|arm| arm - along * along.dot(&arm)));
    // A polygon that winds round nothing on balance may be bent too.
    let normal = if normal == Vector3::zeros() {
        along.cross(&beside).try_normalize(0.0).unwrap_or_default()
    } else {
        normal
    };
    // Each surface lies between the lowest and the highest corner, over the same part of the plane.
    let heights = arms().map(|arm| normal.dot(&arm));
    let (low, high) = heights.fold((0.0f64, 0.0f64), |(low, high), h| (low.min(h), high.max(h)));
    // The normal of a polygon that is hardly more than a line is a matter of rounding. But each
    // surface has the polygon's edges, and all along the line these are within twice `beside`.
    Bend {
        distance: (high - low).min(2.0 * beside.norm()),
        size: longest.norm(),
    }
}

/// Unit normal of the plane that the polygon winds in most; zero when it encloses no area in any
/// direction.
fn newell_normal(points: &[Point3<f64>]) -> Vector3<f64> {
    let origin = points[0];
    let sum: Vector3<f64> = points
        .windows(2)
        .map(|pair| (pair[0] - origin).cross(&(pair[1] - origin)))
        .sum();
    sum.try_normalize(0.0).unwrap_or_else(Vector3::zeros)
}

/// The polygon seen along the axis nearest to its normal, counter-clockwise. Dropping a coordinate
/// is exact.
fn flattened(points: &[Point3<f64>], normal: Vector3<f64>) -> Vec<Point2<f64>> {
    let axis = normal.iamax();
    let (x, y) = match (axis, normal[axis] >= 0.0) {
        (0, true) => (1, 2),
        (0, false) => (2, 1),
        (1, true) => (2, 0),
        (1, false) => (0, 2),
        (_, true) => (0, 1),
        (_, false) => (1, 0),
    };
    points.iter().map(|p| Point2::new(p[x], p[y])).collect()
}

/// A polygon that gets smaller.
struct Clipping<'a> {
    points: &'a [Point2<f64>],
    /// Corners that are left, in order.
    left: Vec<usize>,
    /// Where to look for the next ear, so that ears are taken all round rather than as one long
    /// fan.
    start: usize,
    /// Corners that were looked at, of the polygons before too.
    looks: u64,
}

impl<'a> Clipping<'a> {
    fn new(points: &'a [Point2<f64>], looks: u64) -> Self {
        Self {
            points,
            left: (0..points.len()).collect(),
            start: 1,
            looks,
        }
    }

    /// The corner at a position, and its neighbours.
    fn corner(&self, at: usize) -> [usize; 3] {
        let n = self.left.len();
        [
            self.left[(at + n - 1) % n],
            self.left[at],
            self.left[(at + 1) % n],
        ]
    }

    fn turn(&self, [a, b, c]: [usize; 3]) -> f64 {
        let [a, b, c] = [a, b, c].map(|i| self.points[i]);
        (b - a).perp(&(c - b))
    }

    /// No corner turns right, and the polygon goes round once.
    fn is_convex(&self) -> bool {
        let n = self.left.len();
        let no_right_turn = (0..n).all(|i| self.turn(self.corner(i)) >= 0.0);
        // A star turns left everywhere too, but changes direction along x more than twice.
        let mut changes = 0;
        let mut last = 0.0;
        for i in 0..=n {
            let dx = self.points[(i + 1) % n].x - self.points[i % n].x;
            if dx != 0.0 {
                changes += usize::from(last * dx < 0.0);
                last = dx.signum();
            }
        }
        no_right_turn && changes <= 2
    }

    /// A corner whose triangle holds no other corner of the polygon, or that has no area to lose.
    fn find_ear(&mut self) -> Option<usize> {
        let (n, start) = (self.left.len(), self.start);
        (0..n)
            .map(|k| (start + k) % n)
            .find(|&at| self.looks < MOST_LOOKS && self.is_ear(at))
    }

    fn is_ear(&mut self, at: usize) -> bool {
        let ear = self.corner(at);
        let turn = self.turn(ear);
        if turn == 0.0 {
            // Straight on, or a spike: a triangle without area covers nothing that is not there.
            return true;
        }
        let is_left = turn > 0.0;
        if !is_left {
            return false;
        }
        let [a, b, c] = ear.map(|i| self.points[i]);
        let is_inside = |p: Point2<f64>| {
            // A corner at the same place is a neighbour, or the other side of a cut that joins a
            // hole.
            let is_beside = p == a
                || p == b
                || p == c
                || side(a, b, p) < 0.0
                || side(b, c, p) < 0.0
                || side(c, a, p) < 0.0;
            !is_beside
        };
        let left = &self.left;
        let inside = left.iter().position(|&i| is_inside(self.points[i]));
        self.looks += inside.map_or(left.len(), |k| k + 1) as u64;
        inside.is_none()
    }

    /// Takes the corner away and gives its triangle.
    fn clip(&mut self, at: usize) -> [usize; 3] {
        let ear = self.corner(at);
        self.left.remove(at);
        self.start = (at + 1) % self.left.len().max(1);
        ear
    }
}

/// Positive when `p` is left of the line from `a` to `b`.
fn side(a: Point2<f64>, b: Point2<f64>, p: Point2<f64>) -> f64 {
    (b - a).perp(&(p - a))
}

#[cfg(test)]
mod tests;
