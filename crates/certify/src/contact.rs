//! A first contact: an instant, and a point of a triangle of each body that are nearest to one
//! another then.

use std::rc::Rc;

use clearance_proof::geometry::triangle::Closest;
use clearance_proof::model::Trajectory;
use clearance_recheck::cell::INSTANT_BITS;
use clearance_recheck::files::TrianglePoint;
use nalgebra::{Point3, Vector3};

use crate::drive::FloatPose;
use crate::float_part::FloatPart;
use crate::look::{Between, DirectionSearch, PairInInterval, PartInInterval};

/// A first contact as a check reports it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReportedContact {
    /// Nothing is within its distance before, by the clock of the trajectory.
    pub free_until: f64,
    /// Then these two are.
    pub time: f64,
    /// Bodies of the cell.
    pub bodies: [usize; 2],
}

/// Instants in 2⁻⁴⁰ of a segment that have this time, downwards, the first one first: where a
/// segment takes no time there are several.
pub(crate) fn instants(trajectory: &Trajectory, time: f64) -> Vec<u64> {
    let segments = &trajectory.segments;
    let last = segments.len().saturating_sub(1);
    let first = segments.partition_point(|s| s.end < time).min(last);
    let after = segments.partition_point(|s| s.start <= time);
    let mut all: Vec<u64> = Vec::new();
    for (k, s) in segments
        .iter()
        .enumerate()
        .take(after.max(first + 1))
        .skip(first)
    {
        let share = ((time - s.start) / (s.end - s.start)).clamp(0.0, 1.0);
        let shares = if share.is_nan() {
            [0.0, 1.0]
        } else {
            [share; 2]
        };
        let whole = (1u64 << INSTANT_BITS) as f64;
        // Instants that halving gave are found again, though seconds are rounded: they need few
        // halvings.
        let at = |share: f64| ((k as u64) << INSTANT_BITS) + (share * whole + 0.01).floor() as u64;
        all.extend(shares.map(at));
    }
    all.dedup();
    all
}

/// Two triangles of two parts.
struct NearestSoFar {
    /// Less what has to be between them, metres.
    distance: f64,
    points: [TrianglePoint; 2],
}

/// Looks for two triangles that are near enough at an instant.
pub(crate) struct NearestSearch<'m> {
    parts: &'m [FloatPart],
    /// Of all joints.
    poses: Rc<Vec<FloatPose>>,
    nearest: Option<NearestSoFar>,
}

impl<'m> NearestSearch<'m> {
    pub(crate) fn new(parts: &'m [FloatPart], poses: Rc<Vec<FloatPose>>) -> Self {
        NearestSearch {
            parts,
            poses,
            nearest: None,
        }
    }

    /// A point of each, if there are any.
    pub(crate) fn points(self) -> Option<[TrianglePoint; 2]> {
        self.nearest.map(|nearest| nearest.points)
    }

    /// A point of a part in the world.
    fn placed(&self, part: usize, p: &Vector3<f64>) -> Vector3<f64> {
        let last = self.parts[part].chain.last();
        last.map_or(*p, |&joint| self.poses[joint].apply(p))
    }

    /// Looks among the triangles of two parts for some that are nearer than `near`, metres. Any
    /// that are nearer by `clearly` are near enough.
    pub(crate) fn look(&mut self, parts: [usize; 2], near: f64, clearly: f64) {
        let pair = parts.map(|part| &self.parts[part]);
        let pose = |side: usize| {
            let last = pair[side].chain.last();
            last.map(|&joint| self.poses[joint])
        };
        let mut view = PairInInterval {
            levers: None,
            parts: pair,
            sides: [0, 1].map(|side| {
                Rc::new(PartInInterval {
                    ends: [pose(side), None],
                    ..PartInInterval::default()
                })
            }),
            count: 1,
            need: near,
            same: None,
        };
        let mut open = vec![(pair.map(FloatPart::all), Vector3::zeros())];
        while let Some((ranges, guess)) = open.pop() {
            let nearest = self.nearest.as_ref().map(|n| n.distance);
            if nearest.is_some_and(|distance| distance <= -clearly) {
                return;
            }
            view.need = near + nearest.unwrap_or(0.0);
            let counts = ranges.map(|range| range.to - range.from);
            let mut look = DirectionSearch::new(&view, ranges);
            let guess = match look.between_them(&guess, false) {
                _ if counts == [1, 1] => {
                    self.look_at(parts, ranges.map(|range| range.from), near);
                    continue;
                }
                Between::Same => continue,
                Between::Separated => {
                    view.same = Some(look.tried);
                    continue;
                }
                Between::Within(nearest) => nearest,
            };
            let larger = usize::from(counts[1] > counts[0]);
            let mut halves = ranges[larger].halves().into_iter().flatten().map(|half| {
                let mut ranges = ranges;
                ranges[larger] = half;
                ranges
            });
            let mut two = [halves.next(), halves.next()].map(|half| half.unwrap_or(ranges));
            // The nearer one is looked at first.
            let [first, second] = two.map(|ranges| DirectionSearch::new(&view, ranges).middles());
            if first < second {
                two.swap(0, 1);
            }
            open.extend(two.map(|ranges| (ranges, guess)));
        }
    }

    fn look_at(&mut self, parts: [usize; 2], triangles: [u32; 2], near: f64) {
        let corners = [0, 1].map(|side| {
            let mut corners = [Point3::origin(); 3];
            let on = self.parts[parts[side]].triangle(triangles[side]);
            for (corner, p) in corners.iter_mut().zip(on) {
                *corner = Point3::from(self.placed(parts[side], p));
            }
            corners
        });
        let closest = Closest::of_triangles(&corners[0], &corners[1]);
        let distance = closest.distance - near;
        if distance < self.nearest.as_ref().map_or(0.0, |n| n.distance) {
            let points = [closest.point_a, closest.point_b];
            self.nearest = Some(NearestSoFar {
                distance,
                points: [0, 1].map(|side| TrianglePoint {
                    part: parts[side],
                    triangle: triangles[side] as usize,
                    weights: weights(&corners[side], &points[side]),
                }),
            });
        }
    }
}

/// Weights of the first two corners for a point of a triangle, 2⁻⁴⁰.
fn weights(corners: &[Point3<f64>; 3], point: &Point3<f64>) -> [i64; 2] {
    // From the third corner, along the longer of two edges and across it: of a sliver only what is
    // along it counts.
    let edges = [corners[0] - corners[2], corners[1] - corners[2]];
    let long = usize::from(edges[1].norm_squared() > edges[0].norm_squared());
    let (u, v, p) = (edges[long], edges[1 - long], point - corners[2]);
    let uu = u.norm_squared();
    if uu == 0.0 {
        return [0, 0];
    }
    let across = v - u * (v.dot(&u) / uu);
    let square = across.norm_squared();
    let t = if square > 1e-24 * uu {
        (p.dot(&across) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let s = ((p - v * t).dot(&u) / uu).clamp(0.0, 1.0 - t);
    let whole = (1u64 << 40) as f64;
    let first = (s * whole).round() as i64;
    let second = ((t * whole).round() as i64).min((1 << 40) - first);
    if long == 0 {
        [first, second]
    } else {
        [second, first]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Catches weights that belong to other corners.
    #[test]
    fn weights_of_corners_give_the_point() {
        let corners = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 1.0, 2.0]].map(Point3::from);
        let slivers = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 1e-18]].map(Point3::from);
        for corners in [corners, slivers] {
            for given in [
                [0.2, 0.3, 0.5],
                [1.0, 0.0, 0.0],
                [0.0, 0.6, 0.4],
                [0.0, 0.0, 1.0],
            ] {
                let sum = |w: [f64; 3]| {
                    let each = corners.iter().zip(w).map(|(c, w)| c.coords * w);
                    Point3::from(each.sum::<Vector3<f64>>())
                };
                let point = sum(given);
                let [u, v] = weights(&corners, &point).map(|w| w as f64 / (1u64 << 40) as f64);
                assert!(u >= 0.0 && v >= 0.0 && u + v <= 1.0);
                assert!(
                    (sum([u, v, 1.0 - u - v]) - point).norm() < 1e-11,
                    "{given:?}"
                );
            }
        }
    }
}
