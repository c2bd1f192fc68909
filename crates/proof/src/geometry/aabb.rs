//! Boxes along the axes.

use nalgebra::{Point3, Vector3};

/// A box along the axes of its frame, metres: the one type for it, in double precision. Nodes of
/// trees pack theirs as centre and half edges in single precision ([`Node`](crate::bvh::Node)), and
/// the kernel spreads these over SIMD lanes: that is how they are stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// Least coordinates.
    pub min: Point3<f64>,
    /// Greatest coordinates.
    pub max: Point3<f64>,
}

impl Aabb {
    /// Holds nothing; joined with anything it is that.
    pub const EMPTY: Aabb = Aabb {
        min: Point3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: Point3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// The least one around points; [`EMPTY`](Self::EMPTY) without any.
    pub fn of(points: impl IntoIterator<Item = Point3<f64>>) -> Self {
        // Not `f64::min` and `f64::max`, which ask after NaN: meshes have millions of corners.
        let Aabb { mut min, mut max } = Self::EMPTY;
        for p in points {
            for k in 0..3 {
                min[k] = if p[k] < min[k] { p[k] } else { min[k] };
                max[k] = if p[k] > max[k] { p[k] } else { max[k] };
            }
        }
        Aabb { min, max }
    }

    /// A point.
    pub fn at(point: &Point3<f64>) -> Self {
        Aabb {
            min: *point,
            max: *point,
        }
    }

    /// By its centre and half its edges.
    pub fn around(center: &Point3<f64>, half: &Vector3<f64>) -> Self {
        Aabb {
            min: center - half,
            max: center + half,
        }
    }

    /// The least one around this and a point.
    pub fn with(&self, point: &Point3<f64>) -> Self {
        self.join(&Self::at(point))
    }

    /// The least one around both.
    pub fn join(&self, other: &Aabb) -> Self {
        Aabb {
            min: self.min.inf(&other.min),
            max: self.max.sup(&other.max),
        }
    }

    /// This much larger on every side.
    pub fn grown(&self, by: f64) -> Self {
        Aabb {
            min: self.min.map(|x| x - by),
            max: self.max.map(|x| x + by),
        }
    }

    /// Its middle, rounded.
    pub fn center(&self) -> Point3<f64> {
        nalgebra::center(&self.min, &self.max)
    }

    /// Its edges.
    pub fn size(&self) -> Vector3<f64> {
        self.max - self.min
    }

    /// The greatest absolute value of a coordinate in it: what rounding is relative to.
    pub fn largest_coordinate(&self) -> f64 {
        self.min.coords.amax().max(self.max.coords.amax())
    }

    /// The eight corners; bits 0, 1, 2 of the index choose the greatest x, y, z.
    pub fn corners(&self) -> [Point3<f64>; 8] {
        std::array::from_fn(|k| {
            let side = |axis: usize| [self.min, self.max][k >> axis & 1][axis];
            Point3::new(side(0), side(1), side(2))
        })
    }

    /// Whether the two have a point in common.
    pub fn meets(&self, other: &Aabb) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Distance of two boxes; 0 where they overlap.
    pub fn gap(&self, other: &Aabb) -> f64 {
        let beside = (other.min - self.max).sup(&(self.min - other.max));
        beside.sup(&Vector3::zeros()).norm()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::Random;

    fn any(r: &mut Random) -> Aabb {
        Aabb::of([Point3::from(r.vector()), Point3::from(r.vector())])
    }

    /// A box is what lies between its corners: distances, joins and meetings are what the nearest
    /// points say.
    #[test]
    fn boxes_agree_with_their_points() {
        let mut r = Random(7);
        for _ in 0..2_000 {
            let (a, b) = (any(&mut r), any(&mut r));
            assert_eq!(Aabb::of(a.corners()), a);
            let half = a.size() / 2.0;
            let again = Aabb::around(&a.center(), &half);
            assert!((again.min - a.min).amax().max((again.max - a.max).amax()) < 1e-15);
            assert_eq!(
                a.join(&b),
                Aabb::of(a.corners().into_iter().chain(b.corners()))
            );
            assert_eq!(Aabb::EMPTY.join(&a), a);
            let p = Point3::from(r.vector());
            let nearest = p.sup(&a.min).inf(&a.max);
            assert_eq!(a.gap(&Aabb::at(&p)), (p - nearest).norm());
            assert_eq!(a.meets(&Aabb::at(&p)), p == nearest);
            assert_eq!(a.meets(&b), a.gap(&b) == 0.0);
            let gap = a.gap(&b);
            assert!(a.grown(gap).meets(&b.grown(1e-12)));
            let farthest = a.corners().map(|c| c.coords.amax());
            assert_eq!(
                a.largest_coordinate(),
                farthest.into_iter().fold(0.0, f64::max)
            );
        }
    }
}
