//! Exact distances between triangles, segments and points, sound for every degenerate form.
//!
//! The least distance of two triangles that do not cross is attained between two edges or between a
//! corner and a face. All of these are looked at, each as a least-squares problem that is solved by
//! Gram–Schmidt with the longer direction first. That solution is exact for data that differ from
//! the given ones by a few units in the last place, so that nearly parallel edges and slivers cost
//! no accuracy in the *distance*, however badly the closest *points* are determined. Whether the
//! triangles cross is decided by exact signs.

use nalgebra::{Point3, Vector3};

mod crossing;
#[cfg(test)]
mod tests;
mod within;

/// The least distance of two things and where it is attained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Least distance, metres; 0 exactly when the two cross.
    pub distance: f64,
    /// Closest point on the first one; equal to `point_b` when the two cross.
    pub point_a: Point3<f64>,
    /// Closest point on the second one.
    pub point_b: Point3<f64>,
}

impl Closest {
    /// A-priori error of the distances in this module, relative to the extent: |computed − true| ≤
    /// `ERROR` · extent, where the extent is the greatest distance between any two corners involved
    /// (so at most twice √3 times the greatest coordinate). Holds for coordinates up to 1e70 m;
    /// what is shorter than 1e-70 m counts as a point.
    ///
    /// Differences of coordinates are exact to 2^-53 of themselves, and the chain from there to the
    /// distance (projection, perpendicular part, parameters in 0 … 1, difference of the two points)
    /// is less than 64 such roundings deep.
    pub const ERROR: f64 = 64.0 * (f64::EPSILON / 2.0);
}

/// Squares of lengths below this count as zero.
const POINT_LIKE: f64 = 1e-140;

impl Closest {
    /// Least distance of two triangles. A triangle whose corners are in line or coincide is a
    /// segment or a point.
    pub fn of_triangles(a: &[Point3<f64>; 3], b: &[Point3<f64>; 3]) -> Self {
        let origin = a[0];
        let corners_a = a.map(|p| p - origin);
        let corners_b = b.map(|p| p - origin);
        let reach2 = corners_a[1]
            .norm_squared()
            .max(corners_a[2].norm_squared())
            .max(corners_b[0].norm_squared())
            .max(corners_b[1].norm_squared())
            .max(corners_b[2].norm_squared());
        // Below this share of the extent the direction between two closest points is too vague to
        // prove anything by it.
        let vague2 = 1e-12 * reach2;
        let separates = |gap2: f64, x: &Vector3<f64>, y: &Vector3<f64>| {
            let gap = y - x;
            gap2 > vague2
                && corners_a.iter().all(|p| (p - x).dot(&gap) <= 0.0)
                && corners_b.iter().all(|p| (p - y).dot(&gap) >= 0.0)
        };

        let edges_a = edges(&corners_a);
        let edges_b = edges(&corners_b);
        let mut best = (f64::INFINITY, Vector3::zeros(), Vector3::zeros());
        for (i, edge_a) in edges_a.iter().enumerate() {
            for (j, edge_b) in edges_b.iter().enumerate() {
                let (x, y) = closest_on_edges(edge_a, edge_b);
                let gap = y - x;
                let gap2 = gap.norm_squared();
                if gap2 < best.0 {
                    best = (gap2, x, y);
                    // Both edges are beyond the slab between x and y; if the opposite corners are
                    // too, nothing is nearer.
                    if gap2 > vague2
                        && (corners_a[(i + 2) % 3] - x).dot(&gap) <= 0.0
                        && (corners_b[(j + 2) % 3] - y).dot(&gap) >= 0.0
                    {
                        return found(&origin, best);
                    }
                }
            }
        }
        let face_a = Face::new(&corners_a[0], &edges_a);
        let face_b = Face::new(&corners_b[0], &edges_b);
        for y in &corners_b {
            if let Some(x) = face_a.foot(y) {
                let gap2 = (y - x).norm_squared();
                if gap2 < best.0 {
                    best = (gap2, x, *y);
                }
            }
        }
        for x in &corners_a {
            if let Some(y) = face_b.foot(x) {
                let gap2 = (y - x).norm_squared();
                if gap2 < best.0 {
                    best = (gap2, *x, y);
                }
            }
        }
        if !separates(best.0, &best.1, &best.2)
            && let Some(common) = crossing::common_point(a, b)
        {
            return Closest {
                distance: 0.0,
                point_a: common,
                point_b: common,
            };
        }
        found(&origin, best)
    }

    /// Least distance of a point (first) and a triangle (second), which may be degenerate.
    pub fn of_point(p: &Point3<f64>, triangle: &[Point3<f64>; 3]) -> Self {
        let corners = triangle.map(|c| c - p);
        let edges = edges(&corners);
        let foot = Face::new(&corners[0], &edges)
            .foot(&Vector3::zeros())
            .into_iter();
        let on_edges = edges.iter().map(|e| e.at(e.foot(&Vector3::zeros())));
        let best = foot
            .chain(on_edges)
            .map(|y| (y.norm_squared(), Vector3::zeros(), y))
            .fold((f64::INFINITY, Vector3::zeros(), corners[0]), |m, c| {
                if c.0 < m.0 { c } else { m }
            });
        found(p, best)
    }

    /// Least distance of two segments, given by their ends; the ends may coincide.
    pub(crate) fn of_segments(a: &[Point3<f64>; 2], b: &[Point3<f64>; 2]) -> Self {
        let origin = a[0];
        let (x, y) = closest_on_edges(
            &TriangleEdge::new(Vector3::zeros(), a[1] - origin),
            &TriangleEdge::new(b[0] - origin, b[1] - origin),
        );
        found(&origin, ((y - x).norm_squared(), x, y))
    }
}

fn found(origin: &Point3<f64>, best: (f64, Vector3<f64>, Vector3<f64>)) -> Closest {
    Closest {
        distance: best.0.sqrt(),
        point_a: origin + best.1,
        point_b: origin + best.2,
    }
}

/// A segment with what every question about it needs.
struct TriangleEdge {
    start: Vector3<f64>,
    along: Vector3<f64>,
    length2: f64,
    /// 1 / length², or 0 for a point.
    per_length2: f64,
}

impl TriangleEdge {
    fn new(start: Vector3<f64>, end: Vector3<f64>) -> Self {
        let along = end - start;
        let length2 = along.norm_squared();
        Self {
            start,
            along,
            length2,
            per_length2: if length2 > POINT_LIKE {
                1.0 / length2
            } else {
                0.0
            },
        }
    }

    fn at(&self, share: f64) -> Vector3<f64> {
        self.start + self.along * share
    }

    /// Share of the edge, 0 … 1, at its point nearest to `p`.
    fn foot(&self, p: &Vector3<f64>) -> f64 {
        (self.along.dot(&(p - self.start)) * self.per_length2).clamp(0.0, 1.0)
    }
}

/// The three edges, from each corner to the next.
fn edges(corners: &[Vector3<f64>; 3]) -> [TriangleEdge; 3] {
    [
        TriangleEdge::new(corners[0], corners[1]),
        TriangleEdge::new(corners[1], corners[2]),
        TriangleEdge::new(corners[2], corners[0]),
    ]
}

/// Closest points of two segments.
fn closest_on_edges(a: &TriangleEdge, b: &TriangleEdge) -> (Vector3<f64>, Vector3<f64>) {
    // The longer one is eliminated first: this keeps the elimination stable and settles segments
    // that are points.
    if a.length2 >= b.length2 {
        closest_long_short(a, b)
    } else {
        let (y, x) = closest_long_short(b, a);
        (x, y)
    }
}

fn closest_long_short(long: &TriangleEdge, short: &TriangleEdge) -> (Vector3<f64>, Vector3<f64>) {
    // Minimise |r + t·short − s·long| over s and t: first the part across `long`, which leaves t
    // alone.
    let r = short.start - long.start;
    let across_short = short.along - long.along * (long.along.dot(&short.along) * long.per_length2);
    let across_r = r - long.along * (long.along.dot(&r) * long.per_length2);
    let across2 = across_short.norm_squared();
    // Parallel within rounding: t hardly matters, and any value goes.
    let t = if across2 > 0.0 {
        (-across_short.dot(&across_r) / across2).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let y = short.at(t);
    let s = long.along.dot(&(y - long.start)) * long.per_length2;
    if (0.0..=1.0).contains(&s) {
        return (long.at(s), y);
    }
    let x = long.at(s.clamp(0.0, 1.0));
    (x, short.at(short.foot(&x)))
}

/// The plane of a triangle, spanned by its longest edge and the part of another edge across it.
struct Face {
    corner: Vector3<f64>,
    along: Vector3<f64>,
    per_length2: f64,
    other: Vector3<f64>,
    /// Share of `along` in `other`.
    slant: f64,
    across: Vector3<f64>,
    /// 1 / |across|², or 0 for a degenerate triangle.
    per_across2: f64,
}

impl Face {
    fn new(corner: &Vector3<f64>, edges: &[TriangleEdge; 3]) -> Self {
        let (first, last) = (&edges[0], &edges[2]);
        // Any two edges from one corner span the triangle; the longer one goes first.
        let (long, along, other) = if first.length2 >= last.length2 {
            (first, first.along, -last.along)
        } else {
            (last, -last.along, first.along)
        };
        let slant = along.dot(&other) * long.per_length2;
        let across = other - along * slant;
        let across2 = across.norm_squared();
        Self {
            corner: *corner,
            along,
            per_length2: long.per_length2,
            other,
            slant,
            across,
            per_across2: if across2 > POINT_LIKE {
                1.0 / across2
            } else {
                0.0
            },
        }
    }

    /// Foot of the perpendicular from `p`, if it lies in the triangle. Feet on the border are left
    /// to the edges.
    fn foot(&self, p: &Vector3<f64>) -> Option<Vector3<f64>> {
        let r = p - self.corner;
        let c = self.along.dot(&r) * self.per_length2;
        let t = self.across.dot(&(r - self.along * c)) * self.per_across2;
        let s = c - self.slant * t;
        (t > 0.0 && s > 0.0 && s + t < 1.0).then(|| self.corner + self.along * s + self.other * t)
    }
}
