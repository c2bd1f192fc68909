//! The smallest ball around points.

use nalgebra::{Matrix3, Point3, Vector3};

/// A ball.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Centre.
    pub center: Point3<f64>,
    /// Radius.
    pub radius: f64,
}

impl Ball {
    /// The smallest ball that contains all points: the centre is optimal to rounding, and the
    /// radius is the largest distance found, rounded up, so that every point is inside. No points:
    /// a ball of radius −1, which contains nothing.
    pub fn around(points: &[Point3<f64>]) -> Self {
        let Some(first) = points.first() else {
            return Self {
                center: Point3::origin(),
                radius: -1.0,
            };
        };
        smallest_ball_by(*first, |center| farthest(points, center))
    }
}

/// The same for points that are known only through a search for the one that is farthest from a
/// given centre (an index over many points answers that without looking at all of them). `first` is
/// any one of the points.
pub(crate) fn smallest_ball_by(
    first: Point3<f64>,
    mut farthest_from: impl FnMut(&Point3<f64>) -> Point3<f64>,
) -> Ball {
    // Simplex-like: take the point that is farthest out into the basis of at most four points, and
    // keep those of the five that carry their smallest ball. The radius grows with each exchange,
    // so that no basis comes twice.
    let mut basis = Basis::new(first);
    let mut best = basis.center;
    let mut best_radius2 = f64::INFINITY;
    for _ in 0..MOST_EXCHANGES {
        let point = farthest_from(&basis.center);
        let radius2 = (point - basis.center).norm_squared();
        if radius2 < best_radius2 {
            (best, best_radius2) = (basis.center, radius2);
        }
        if radius2 <= basis.radius2 * (1.0 + 4.0 * f64::EPSILON) {
            break;
        }
        let grown = basis.with(point);
        // Rounding can stop the growth just short of the end: what was best so far is the answer
        // then.
        if grown.radius2 <= basis.radius2 {
            break;
        }
        basis = grown;
    }
    Ball {
        center: best,
        radius: best_radius2.sqrt() * (1.0 + 4.0 * f64::EPSILON),
    }
}

/// Far above what ever occurs (about ten); a bound so that rounding cannot make it endless.
const MOST_EXCHANGES: usize = 1000;

fn farthest(points: &[Point3<f64>], center: &Point3<f64>) -> Point3<f64> {
    let mut most = (-1.0, *center);
    for p in points {
        let d2 = (p - center).norm_squared();
        if d2 > most.0 {
            most = (d2, *p);
        }
    }
    most.1
}

/// At most four points and their smallest ball.
#[derive(Clone, Copy)]
struct Basis {
    points: [Point3<f64>; 4],
    count: usize,
    center: Point3<f64>,
    radius2: f64,
}

impl Basis {
    fn new(p: Point3<f64>) -> Self {
        Self {
            points: [p; 4],
            count: 1,
            center: p,
            radius2: 0.0,
        }
    }

    /// The carriers of the smallest ball around these points and one more, which lies outside their
    /// ball and is therefore a carrier itself. Every choice of carriers gives a centre; the optimal
    /// one has the smallest farthest distance, a comparison that needs no tolerance.
    fn with(&self, new: Point3<f64>) -> Self {
        let others = &self.points[..self.count];
        let from_new = self.points.map(|p| p - new);
        // The bits of the points that are chosen, with the centre and the radius that follow.
        let mut best: Option<(u32, Point3<f64>, f64)> = None;
        for chosen in 1u32..1 << self.count {
            if chosen.count_ones() > 3 {
                continue;
            }
            let (mut spokes, mut count) = ([Vector3::zeros(); 3], 0);
            for i in bits(chosen) {
                spokes[count] = from_new[i];
                count += 1;
            }
            let Some(offset) = circumcenter(&spokes[..count]) else {
                continue;
            };
            let center = new + offset;
            let radius2 = others
                .iter()
                .chain([&new])
                .map(|p| (p - center).norm_squared())
                .fold(0.0, |most, d2| if d2 > most { d2 } else { most });
            if best.is_none_or(|(_, _, least)| radius2 < least) {
                best = Some((chosen, center, radius2));
            }
        }
        let Some((chosen, center, radius2)) = best else {
            return *self;
        };
        let mut basis = Basis {
            center,
            radius2,
            ..Self::new(new)
        };
        for i in bits(chosen) {
            basis.points[basis.count] = self.points[i];
            basis.count += 1;
        }
        basis
    }
}

/// Numbers of the bits that are set, from the lowest on.
fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        lowest
    })
}

/// Centre of the smallest sphere through the origin and these one to three points; `None` if they
/// are dependent.
fn circumcenter(spokes: &[Vector3<f64>]) -> Option<Vector3<f64>> {
    let center = match spokes {
        [a] => a / 2.0,
        [a, b] => {
            let n = a.cross(b);
            let nn = n.norm_squared();
            (b.cross(&n) * a.norm_squared() + n.cross(a) * b.norm_squared()) / (2.0 * nn)
        }
        [a, b, c] => {
            let volume = Matrix3::from_columns(&[*a, *b, *c]).determinant();
            (b.cross(c) * a.norm_squared()
                + c.cross(a) * b.norm_squared()
                + a.cross(b) * c.norm_squared())
                / (2.0 * volume)
        }
        _ => return None,
    };
    center.iter().all(|x| x.is_finite()).then_some(center)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::Random;

    /// Every subset of up to four points gives a centre (by least squares, unlike above); the best
    /// one wins.
    fn twin(points: &[Point3<f64>]) -> f64 {
        let reach = |c: &Point3<f64>| points.iter().map(|p| (p - c).norm()).fold(0.0, f64::max);
        let mut best = points.iter().map(reach).fold(f64::INFINITY, f64::min);
        let n = points.len();
        for i in 0..n {
            for j in 0..i {
                for k in 0..=j {
                    for l in 0..=k {
                        let spokes = [j, k, l].map(|m| points[m] - points[i]);
                        let rows = Matrix3::from_columns(&spokes).transpose();
                        let heights = Vector3::from(spokes.map(|s| s.norm_squared() / 2.0));
                        let svd = rows.svd(true, true);
                        let Ok(offset) = svd.solve(&heights, 1e-10 * svd.singular_values[0]) else {
                            continue;
                        };
                        best = best.min(reach(&(points[i] + offset)));
                    }
                }
            }
        }
        best
    }

    fn oracle(points: &[Point3<f64>]) {
        let ball = Ball::around(points);
        for p in points {
            assert!((p - ball.center).norm() <= ball.radius, "{points:?}");
        }
        let truth = twin(points);
        assert!(
            (ball.radius - truth).abs() <= 1e-9 * truth + 1e-12,
            "{} instead of {truth}: {points:?}",
            ball.radius
        );
    }

    #[test]
    fn agrees_with_all_subsets() {
        let mut r = Random(2);
        for case in 0..6_000 {
            let n = 1 + r.below(8);
            let shape = case % 6;
            let points: Vec<_> = (0..n)
                .map(|_| match shape {
                    0 => r.point(),
                    // Duplicates, points in line, cospherical points all occur on small grids.
                    1 => Point3::from([0; 3].map(|_: i32| r.below(3) as f64)),
                    2 => Point3::new(r.below(4) as f64, r.below(4) as f64, 0.0),
                    3 => Point3::from(r.vector().normalize()),
                    4 => Point3::from(r.vector() * 1e-5) + Vector3::repeat(1.0),
                    _ => Point3::new(r.signed(), r.signed() * 1e-3, r.signed() * 1e-6),
                })
                .collect();
            oracle(&points);
        }
    }

    #[test]
    fn many_points_on_a_sphere() {
        let mut r = Random(3);
        for n in [100, 10_000] {
            let center = Point3::new(3.0, -2.0, 1.0);
            let points: Vec<_> = (0..n)
                .map(|_| center + r.vector().normalize() * 0.5)
                .collect();
            let ball = Ball::around(&points);
            assert!(ball.radius <= 0.5 + 1e-12);
            assert!(
                points
                    .iter()
                    .all(|p| (p - ball.center).norm() <= ball.radius)
            );
            if n == 10_000 {
                assert!((ball.center - center).norm() < 1e-3);
            }
        }
    }

    #[test]
    fn a_cube_and_nothing() {
        let corners: Vec<_> = (0..8)
            .map(|i| Point3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64))
            .collect();
        let ball = Ball::around(&corners);
        assert!((ball.radius - 0.75f64.sqrt()).abs() < 1e-14);
        assert!(Ball::around(&[]).radius < 0.0);
        assert_eq!(Ball::around(&[corners[7]; 5]).radius, 0.0);
    }
}
