//! Point clouds: balls of one radius, laid as few triangles as will do.
//!
//! Three steps, and what each does to the shape. None of them takes anything of it away:
//!
//! 1. **Thinning.** Points in one cube of a grid become one, in the middle of the box around them.
//!    With `moved`, the farthest that a point went (rounding to single precision included), a ball
//!    of `radius + moved` about the new point holds the ball of `radius` about each old one,
//!    because |x − new| ≤ |x − old| + |old − new|. All balls get that radius.
//! 2. **Joining.** Up to three points whose balls touch one another become the corners of one
//!    triangle. A triangle holds its corners, so the triangle grown by the radius holds their
//!    balls. What it adds is between them: no point of a triangle with edges up to e is farther
//!    than e/√3 from the nearest corner.
//! 3. Points are written relative to an origin in single precision; how far that moves them counts
//!    in step 1.

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::aabb::Aabb;
use super::mesh::Mesh;

use crate::numeric::UNIT;

/// The grid of step 1: cubes with this share of the radius as edge, so that no point goes farther
/// than half their diagonal, 11 % of the radius.
pub(crate) const GRID_SHARE: f64 = 0.125;

/// Cubes along an edge of the grid: three such numbers fit one key.
const MOST_CUBES: f64 = (1u64 << 21) as f64;

/// A body of balls.
#[derive(Debug, Clone, PartialEq)]
pub struct Cloud {
    /// The origin of the points, in the frame of the shape, metres.
    origin: Point3<f64>,
    /// Those that are left, neighbours near each other.
    points: Vec<[f32; 3]>,
    /// How many of them, one after the other, are the corners of each triangle: 1, 2 or 3.
    corners: Vec<u8>,
    /// How many points were given.
    pub given: usize,
    /// Of the balls that were asked for, metres.
    pub stated_radius: f64,
    /// Around each triangle, metres: the stated one, and how far a point was moved.
    pub radius: f64,
}

impl Cloud {
    /// Balls of a radius (metres, above 0) about finite points (metres, in the frame of the shape).
    /// `None` without points, or with more than indices can count.
    pub fn new(points: Vec<Point3<f64>>, radius: f64) -> Option<Self> {
        let given = points.len();
        if given == 0 || u32::try_from(given).is_err() {
            return None;
        }
        let bounds = Aabb::of(points.iter().copied());
        let origin = bounds.center();
        let thinned = Thinned::new(&points, &bounds, radius);
        drop(points);
        let radius_grown = (radius + thinned.moved) * (1.0 + 2.0 * UNIT);
        let mut cloud = Cloud {
            origin,
            corners: Vec::new(),
            points: thinned.points,
            given,
            stated_radius: radius,
            radius: radius_grown,
        };
        cloud.join();
        Some(cloud)
    }

    /// Step 2.
    fn join(&mut self) {
        let most = (2.0 * self.stated_radius).powi(2);
        let near = |a: usize, b: usize| (self.point(a) - self.point(b)).norm_squared() <= most;
        let mut corners = Vec::with_capacity(self.points.len() / 2);
        let mut first = 0;
        while first < self.points.len() {
            let fits = |next: usize| {
                next < self.points.len() && (first..next).all(|other| near(other, next))
            };
            let count = match (fits(first + 1), fits(first + 2)) {
                (true, true) => 3,
                (true, false) => 2,
                (false, _) => 1,
            };
            corners.push(count as u8);
            first += count;
        }
        corners.shrink_to_fit();
        self.corners = corners;
    }

    /// Number of points that are left.
    pub fn kept(&self) -> usize {
        self.points.len()
    }

    /// A point that is left, in the frame of the shape, metres.
    pub fn point(&self, index: usize) -> Point3<f64> {
        self.origin + Vector3::from(self.points[index].map(f64::from))
    }

    /// All of them.
    pub fn points(&self) -> impl Iterator<Item = Point3<f64>> + '_ {
        (0..self.points.len()).map(|index| self.point(index))
    }

    /// The first corner of each triangle and how many it has, in order.
    pub fn triangles(&self) -> impl Iterator<Item = (u32, u8)> + '_ {
        self.corners.iter().scan(0, |next, &count| {
            let first = *next;
            *next += u32::from(count);
            Some((first, count))
        })
    }

    /// Number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.corners.len()
    }

    /// The box around the points that are left, in the frame of the shape.
    pub fn mesh_bounds(&self) -> Aabb {
        Aabb::of(self.points())
    }

    /// The triangles as a mesh: it and [`Self::radius`] around it are the shape.
    pub fn mesh(&self) -> Mesh {
        Mesh {
            vertices: self.points().collect(),
            triangles: self
                .triangles()
                .map(|(first, count)| corner_indices(first, count))
                .collect(),
        }
    }
}

/// Corners of a triangle that begins at this point: the last one stands for those that it lacks.
pub(crate) fn corner_indices(first: u32, count: u8) -> [u32; 3] {
    [0, 1, 2].map(|k| first + k.min(u32::from(count) - 1))
}

/// The points that step 1 leaves.
struct Thinned {
    points: Vec<[f32; 3]>,
    /// No given point is farther from the one that stands for it, metres, rounded up.
    moved: f64,
}

impl Thinned {
    fn new(points: &[Point3<f64>], bounds: &Aabb, radius: f64) -> Self {
        let origin = bounds.center();
        let least = bounds.size().max() * (1.0 + 1e-9) / MOST_CUBES;
        let wanted = GRID_SHARE * radius;
        // In a cloud too wide for such a fine grid, cubes say who is near whom, and no more.
        let thins = wanted >= least;
        let edge = wanted.max(least).max(f64::MIN_POSITIVE);
        let key = |p: &Point3<f64>| {
            let cube = (p - bounds.min).map(|x| ((x / edge) as u64).min(MOST_CUBES as u64 - 1));
            spread(cube.x) | spread(cube.y) << 1 | spread(cube.z) << 2
        };
        let mut keys: Vec<(u64, u32)> = points
            .par_iter()
            .enumerate()
            .map(|(i, p)| (key(p), i as u32))
            .collect();
        keys.par_sort_unstable();
        let mut left = Vec::with_capacity(if thins {
            keys.chunk_by(|a, b| a.0 == b.0).count()
        } else {
            keys.len()
        });
        let mut moved = 0.0_f64;
        for cube in keys.chunk_by(|a, b| thins && a.0 == b.0) {
            let here = || cube.iter().map(|&(_, i)| points[i as usize]);
            let middle = Aabb::of(here()).center();
            let stored = (middle - origin).map(|x| x as f32);
            let stands = origin + stored.map(f64::from);
            moved = here().fold(moved, |most, p| most.max((p - stands).norm()));
            left.push(stored.into());
        }
        // The norm of an exact difference is off by a few roundings of itself, the difference by
        // one of the places.
        let far = bounds.min.coords.abs().sup(&bounds.max.coords.abs()).max();
        let moved = if moved > 0.0 {
            moved * (1.0 + 8.0 * UNIT) + 8.0 * UNIT * far
        } else {
            0.0
        };
        Self {
            points: left,
            moved,
        }
    }
}

/// The lowest 21 bits, two zeros between each: three such numbers side by side order places along a
/// curve that fills space.
fn spread(x: u64) -> u64 {
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::Random;
    use crate::geometry::triangle::Closest;

    fn cloud(r: &mut Random, count: usize, size: f64, away: f64) -> Vec<Point3<f64>> {
        let origin = Point3::from(r.vector() * away);
        let mut points: Vec<_> = (0..count).map(|_| origin + r.vector() * size).collect();
        // Points twice, and nearly so.
        for k in 0..count / 4 {
            points.push(points[k]);
            points.push(points[k] + r.vector() * (1e-3 * size));
        }
        points
    }

    /// The one thing that counts: the ball about every given point is held by the ball about some
    /// corner. Catches a radius that is not grown, a cube whose points are forgotten, and places
    /// that single precision moves.
    #[test]
    fn every_ball_is_held_and_nothing_far_is_added() {
        let mut r = Random(7);
        for case in 0..200 {
            let size = [0.01, 0.1, 1.0][case % 3];
            let away = [0.0, 3.0, 1e3][case / 3 % 3];
            let radius = [0.05, 0.3, 2.0][case / 9 % 3] * size;
            let count = 1 + r.below(80);
            let points = cloud(&mut r, count, size, away);
            let made = Cloud::new(points.clone(), radius).expect("points");
            assert_eq!(made.given, points.len());
            let mesh = made.mesh();
            assert_eq!(mesh.triangles.len(), made.triangle_count());
            for p in &points {
                let nearest = made
                    .points()
                    .map(|q| (p - q).norm())
                    .fold(f64::INFINITY, f64::min);
                assert!(
                    radius + nearest <= made.radius,
                    "case {case}: a ball is {nearest} beside"
                );
            }
            let rounding = 1e-6 * away + 1e-6 * size;
            assert!(made.radius <= radius * (1.0 + GRID_SHARE * 0.87) + rounding);
            for t in 0..mesh.triangles.len() {
                let [a, b, c] = mesh.corners(t);
                for w in [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [2.0, 1.0, 1.0]] {
                    let sum: f64 = w.iter().sum();
                    let q =
                        Point3::from((a.coords * w[0] + b.coords * w[1] + c.coords * w[2]) / sum);
                    let nearest = points
                        .iter()
                        .map(|p| (p - q).norm())
                        .fold(f64::INFINITY, f64::min);
                    let most = 2.0 * radius / 3.0_f64.sqrt() + (made.radius - radius);
                    assert!(nearest <= most * (1.0 + 1e-9), "case {case}: {nearest}");
                    assert!(Closest::of_point(&q, &[a, b, c]).distance < 1e-9 * (1.0 + away));
                }
            }
        }
    }

    #[test]
    fn neighbours_are_joined_and_strangers_are_not() {
        let at = |x: f64| Point3::new(x, 0.0, 0.0);
        let made = Cloud::new(vec![at(0.0), at(1.5), at(2.0), at(9.0)], 1.0).expect("points");
        let counts: Vec<u8> = made.triangles().map(|t| t.1).collect();
        assert_eq!(counts, [3, 1]);
        assert_eq!(made.kept(), 4);
        assert!(made.radius - 1.0 < 1e-6);
        assert_eq!(Cloud::new(Vec::new(), 1.0), None);
    }

    #[test]
    fn keys_interleave() {
        let one = |x: u64| (0..21).map(|k| (x >> k & 1) << (3 * k)).sum::<u64>();
        for x in [0, 1, 2, 5, 0x1f_ffff, 0x15_5555, 0xa_bcde] {
            assert_eq!(spread(x), one(x), "{x:x}");
        }
    }
}
