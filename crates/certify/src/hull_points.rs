//! Ever nearer points of a hull, as by Gilbert, Johnson and Keerthi.

use nalgebra::Vector3;

/// At most three points of a hull, and the point of what they span that is nearest to the origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HullPoints {
    points: [Vector3<f64>; 3],
    count: usize,
    pub(crate) nearest: Vector3<f64>,
}

impl HullPoints {
    pub(crate) fn point(a: Vector3<f64>) -> Self {
        HullPoints {
            points: [a; 3],
            count: 1,
            nearest: a,
        }
    }

    fn segment(a: &Vector3<f64>, b: &Vector3<f64>) -> Self {
        let along = b - a;
        let share = -a.dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE);
        if share <= 0.0 {
            HullPoints::point(*a)
        } else if share >= 1.0 {
            HullPoints::point(*b)
        } else {
            HullPoints {
                points: [*a, *b, *b],
                count: 2,
                nearest: a + along * share,
            }
        }
    }

    /// Of a triangle, c being the last point that was found: nothing on its other side is nearest.
    fn triangle(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> Self {
        let (u, v) = (a - c, b - c);
        let (uu, uv, vv) = (u.norm_squared(), u.dot(&v), v.norm_squared());
        let (cu, cv) = (-c.dot(&u), -c.dot(&v));
        // A triangle of almost no area is replaced by its edges.
        let area = uu * vv * (1.0 - 1e-9) - uv * uv;
        let (s, t) = (vv * cu - uv * cv, uu * cv - uv * cu);
        if area > 0.0 && s >= 0.0 && t >= 0.0 && s + t <= area {
            return HullPoints {
                points: [*a, *b, *c],
                count: 3,
                nearest: c + (u * s + v * t) / area,
            };
        }
        HullPoints::segment(a, c).nearer(HullPoints::segment(b, c))
    }

    fn nearer(self, other: HullPoints) -> HullPoints {
        if other.nearest.norm_squared() < self.nearest.norm_squared() {
            other
        } else {
            self
        }
    }

    /// Adds a point, and keeps those that the nearest point lies between; `None`: the origin lies
    /// within four points.
    pub(crate) fn with(&self, p: &Vector3<f64>) -> Option<HullPoints> {
        let [a, b, c] = &self.points;
        match self.count {
            1 => Some(HullPoints::segment(a, p)),
            2 => Some(HullPoints::triangle(a, b, p)),
            _ => {
                let beyond = [[a, b, c], [b, c, a], [c, a, b]]
                    .into_iter()
                    .filter(|face| {
                        let [u, v, opposite] = face.map(|q| q - p);
                        let normal = u.cross(&v);
                        normal.dot(p) * normal.dot(&opposite) >= 0.0
                    });
                let nearest = beyond.map(|[u, v, _]| HullPoints::triangle(u, v, p));
                nearest.reduce(HullPoints::nearer)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Catches a corner that is dropped although the nearest point lies between it and others, and
    /// four points that do not go round the origin.
    #[test]
    fn nearest_points_are_those_of_what_is_spanned() {
        let v = Vector3::new;
        let add = |points: &[Vector3<f64>]| {
            let (first, more) = points.split_first().unwrap();
            let mut more = more.iter();
            more.try_fold(HullPoints::point(*first), |points, p| points.with(p))
        };
        let is_nearest = |points: &[Vector3<f64>], p: Vector3<f64>| {
            let nearest = add(points).unwrap().nearest;
            assert!((nearest - p).norm() < 1e-6, "{nearest} of {points:?}");
        };
        let (a, b, c) = (v(3.0, 4.0, 2.0), v(-3.0, 4.0, 2.0), v(0.0, -4.0, 2.0));
        is_nearest(&[a], a);
        is_nearest(&[a, b], v(0.0, 4.0, 2.0));
        is_nearest(&[a, b, c], v(0.0, 0.0, 2.0));
        // Nearest to the origin is a point of the edge between the last two.
        is_nearest(&[a, v(1.0, 3.0, 0.0), v(1.0, -3.0, 0.0)], v(1.0, 0.0, 0.0));
        // The fourth one lies before the origin, and beyond it.
        is_nearest(&[a, b, c, v(0.0, 0.0, 1.0)], v(0.0, 0.0, 1.0));
        assert!(add(&[a, b, c, v(0.0, 0.0, -1.0)]).is_none());
    }
}
