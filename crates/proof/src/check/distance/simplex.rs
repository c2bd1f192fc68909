//! The point nearest to the origin in the hull of up to four points.

use nalgebra::Vector3;
use smallvec::{SmallVec, smallvec};

/// From a corner of b to a corner of a.
#[derive(Debug, Clone, Copy)]
pub(super) struct Difference {
    /// The way.
    pub(super) point: Vector3<f64>,
    /// Which corners they are: a's and b's.
    pub(super) of: [u32; 2],
}

/// Points; the nearest one of their hull lies in the middle of them: none could be left out.
pub(super) type Simplex = SmallVec<[Difference; 4]>;

/// Where a hull comes nearest to the origin.
#[derive(Debug, Clone)]
pub(super) struct Foot {
    /// The nearest point.
    pub(super) point: Vector3<f64>,
    /// The points whose hull it lies in.
    pub(super) of: Simplex,
}

impl Foot {
    fn nearer(self, other: Foot) -> Foot {
        if other.point.norm_squared() < self.point.norm_squared() {
            other
        } else {
            self
        }
    }
}

/// The nearest point of the hull of one to four points; `None` if the origin lies in the hull of
/// four.
pub(super) fn foot(points: &[Difference]) -> Option<Foot> {
    match *points {
        [] => None,
        [a] => Some(Foot {
            point: a.point,
            of: smallvec![a],
        }),
        [a, b] => Some(on_edge(a, b)),
        [a, b, c] => Some(on_triangle(a, b, c)),
        [a, b, c, d, ..] => {
            let faces = [(a, b, c, d), (a, b, d, c), (a, c, d, b), (b, c, d, a)];
            let outside = faces.into_iter().filter(|&(p, q, r, opposite)| {
                let across = (q.point - p.point).cross(&(r.point - p.point));
                let inner = across.dot(&(opposite.point - p.point));
                let origin = -across.dot(&p.point);
                // Four points in one plane have no inside.
                inner * origin <= 0.0
            });
            outside
                .map(|(p, q, r, _)| on_triangle(p, q, r))
                .reduce(Foot::nearer)
        }
    }
}

fn on_edge(a: Difference, b: Difference) -> Foot {
    let along = b.point - a.point;
    let share = -a.point.dot(&along);
    let length2 = along.norm_squared();
    if share <= 0.0 {
        Foot {
            point: a.point,
            of: smallvec![a],
        }
    } else if share >= length2 {
        Foot {
            point: b.point,
            of: smallvec![b],
        }
    } else {
        Foot {
            point: a.point + along * (share / length2),
            of: smallvec![a, b],
        }
    }
}

fn on_triangle(a: Difference, b: Difference, c: Difference) -> Foot {
    let across = (b.point - a.point).cross(&(c.point - a.point));
    let across2 = across.norm_squared();
    let left_of = |p: &Difference, q: &Difference| across.dot(&p.point.cross(&q.point)) > 0.0;
    if across2 > 0.0 && left_of(&a, &b) && left_of(&b, &c) && left_of(&c, &a) {
        return Foot {
            point: across * (across.dot(&a.point) / across2),
            of: smallvec![a, b, c],
        };
    }
    on_edge(a, b).nearer(on_edge(b, c)).nearer(on_edge(c, a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::Random;

    /// Against many points of the hull. Catches a face or an edge that is left out, and an origin
    /// that is taken to be inside.
    #[test]
    fn no_point_of_the_hull_is_nearer() {
        let mut random = Random(62);
        let (mut inside, mut kept) = (0, [0; 4]);
        for case in 0..2000 {
            let count = 1 + case % 4;
            let shift = random.vector() * 0.8;
            let points: Vec<_> = (0..count as u32)
                .map(|k| Difference {
                    point: random.vector() + shift,
                    of: [k, k + 9],
                })
                .collect();
            let found = foot(&points);
            let mut nearest = f64::INFINITY;
            for _ in 0..300 {
                let weights: Vec<f64> = points.iter().map(|_| random.unit().powi(3)).collect();
                let sum: f64 = weights.iter().sum();
                let parts = points
                    .iter()
                    .zip(&weights)
                    .map(|(p, w)| p.point * (w / sum));
                nearest = nearest.min(parts.sum::<Vector3<f64>>().norm());
            }
            match found {
                None => {
                    assert!(count == 4 && nearest < 0.5, "case {case}: {nearest}");
                    inside += 1;
                }
                Some(found) => {
                    let far = found.point.norm();
                    assert!(far <= nearest + 1e-12, "case {case}: {far}, {nearest}");
                    // A plane across the way there has all points beyond it: nothing is nearer.
                    for p in &points {
                        let beyond = found.point.dot(&p.point) >= far * far - 1e-9;
                        assert!(beyond, "case {case}");
                    }
                    kept[found.of.len() - 1] += 1;
                }
            }
        }
        assert!(
            inside > 5 && kept.iter().take(3).all(|&n| n > 100),
            "{inside} {kept:?}"
        );
    }
}
