//! A first contact: an instant, and a point of a triangle of each body that are nearest to one
//! another then.

use std::rc::Rc;

use clearance_proof::geometry::triangle::distance_triangle_triangle;
use clearance_proof::model::Path;
use clearance_recheck::files::TrianglePoint;
use clearance_recheck::motion::DEEPEST;
use clearance_recheck::shapes::Range;
use nalgebra::{Point3, Vector3};

use crate::drive::FloatPose;
use crate::solid::FloatPart;

/// A first contact as a check reports it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReportedContact {
    /// Nothing is within its distance before, by the clock of the path.
    pub free_until: f64,
    /// Then these two are.
    pub time: f64,
    /// Bodies of the cell.
    pub bodies: [usize; 2],
}

/// An instant in 2⁻⁴⁰ of a segment, downwards.
pub(crate) fn instant(path: &Path, time: f64) -> u64 {
    let after = path.segments.partition_point(|s| s.start <= time);
    let segment = after.saturating_sub(1);
    let Some(s) = path.segments.get(segment) else {
        return 0;
    };
    let share = ((time - s.start) / (s.end - s.start)).clamp(0.0, 1.0);
    // A segment that takes no time has no share: then all of it is not yet passed.
    let share = if share.is_nan() { 0.0 } else { share };
    let whole = (1u64 << DEEPEST) as f64;
    // What halving gave is met again, though seconds are rounded: it needs few halvings.
    ((segment as u64) << DEEPEST) + (share * whole + 0.01).floor() as u64
}

/// Two triangles of two parts.
struct Nearest {
    /// Less what has to be between them, metres.
    distance: f64,
    points: [TrianglePoint; 2],
}

/// Looks for two triangles that are near enough at an instant.
pub(crate) struct NearestSearch<'m> {
    solids: &'m [FloatPart],
    /// Of all joints.
    places: Rc<Vec<FloatPose>>,
    nearest: Option<Nearest>,
}

impl<'m> NearestSearch<'m> {
    pub(crate) fn new(solids: &'m [FloatPart], places: Rc<Vec<FloatPose>>) -> Self {
        NearestSearch {
            solids,
            places,
            nearest: None,
        }
    }

    /// A point of each, if there are any.
    pub(crate) fn points(self) -> Option<[TrianglePoint; 2]> {
        self.nearest.map(|nearest| nearest.points)
    }

    /// A point of a part in the world.
    fn placed(&self, part: usize, p: &Vector3<f64>) -> Vector3<f64> {
        let last = self.solids[part].chain.last();
        last.map_or(*p, |&joint| self.places[joint].apply(p))
    }

    /// Not more than the distance of two ranges of triangles: that of the boxes around them, along
    /// the line of their middles.
    fn bound(&self, parts: [usize; 2], ranges: &[Range; 2]) -> f64 {
        let blocks = [0, 1].map(|side| self.solids[parts[side]].around(&ranges[side]));
        let [p, q] = [0, 1].map(|side| self.placed(parts[side], &blocks[side].middle));
        let Some(n) = (p - q).try_normalize(0.0) else {
            return 0.0;
        };
        let halves = [0, 1].map(|side| {
            let last = self.solids[parts[side]].chain.last();
            let along = last.map_or(n, |&joint| self.places[joint].turn.tr_mul(&n));
            along.abs().dot(&blocks[side].half)
        });
        (n.dot(&(p - q)) - halves[0] - halves[1]).max(0.0)
    }

    /// Looks among the triangles of two parts for some that are nearer than this, metres.
    pub(crate) fn look(&mut self, parts: [usize; 2], apart: f64) {
        let all = parts.map(|part| self.solids[part].all());
        let mut open = vec![(self.bound(parts, &all), all)];
        while let Some((least, ranges)) = open.pop() {
            if least - apart >= self.nearest.as_ref().map_or(0.0, |n| n.distance) {
                continue;
            }
            let larger = usize::from(ranges[1].to - ranges[1].from > ranges[0].to - ranges[0].from);
            let Some(halves) = ranges[larger].halves() else {
                self.look_at(parts, ranges.map(|range| range.from), apart);
                continue;
            };
            let mut two = halves.map(|half| {
                let mut ranges = ranges;
                ranges[larger] = half;
                (self.bound(parts, &ranges), ranges)
            });
            // The nearer one is looked at first.
            if two[0].0 < two[1].0 {
                two.swap(0, 1);
            }
            open.extend(two);
        }
    }

    fn look_at(&mut self, parts: [usize; 2], triangles: [u32; 2], apart: f64) {
        let corners = [0, 1].map(|side| {
            let mut corners = [Point3::origin(); 3];
            let on = self.solids[parts[side]].triangle(triangles[side]);
            for (corner, p) in corners.iter_mut().zip(on) {
                *corner = Point3::from(self.placed(parts[side], p));
            }
            corners
        });
        let closest = distance_triangle_triangle(&corners[0], &corners[1]);
        let distance = closest.distance - apart;
        if distance < self.nearest.as_ref().map_or(0.0, |n| n.distance) {
            let points = [closest.point_a, closest.point_b];
            self.nearest = Some(Nearest {
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
