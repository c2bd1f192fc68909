//! A plane that keeps two clusters apart: a lower bound for the distance of everything in them.
//!
//! The direction across it is found by the algorithm of Gilbert, Johnson and Keerthi. Differences
//! of corners, one of each cluster, are a convex set; up to four of them say where it is nearest to
//! the origin, and the ends of both clusters along that direction give the next one. Nothing rests
//! on how it was found: all corners were looked at along it. Where hulls overlap there is no plane.

use nalgebra::Vector3;

use super::simplex::{Difference, Foot, Simplex, foot};
use crate::bvh::Cluster;
use crate::geometry::pose::Pose;

/// Rounding of a bound, relative to the distance of the parts' origins and their sizes: the
/// direction is turned into a part's axes (3 roundings of 2^-53 for each coordinate, and its length
/// is off by 3), the products with a corner add 3 for each of the two, corners were rounded once,
/// and the sum adds 3. Twice that.
const ROUNDING: f64 = 32.0 * (f64::EPSILON / 2.0);
/// Directions that are tried, at most.
const MOST_STEPS: u64 = 30;
/// Hulls that are nearer than this share of the parts' sizes are not told from ones that touch.
const TOUCH: f64 = 1e-9;

/// Two clusters, each at the pose of its part.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClusterPair<'s> {
    pub(super) a: &'s Cluster,
    pub(super) b: &'s Cluster,
    pub(super) poses: [Pose; 2],
    /// What rounding is relative to: the distance of the parts' origins, and how far their corners
    /// lie from them, metres.
    pub(super) size: f64,
}

/// A plane between two clusters.
#[derive(Debug, Clone)]
pub(super) struct Plane {
    /// Across it, from b to a, length 1.
    pub(super) towards: Vector3<f64>,
    /// Proved: all corners of the one are at least so far from all of the other along it, metres.
    pub(super) at_least: f64,
    /// Corners between which the hulls are nearest, as far as the search got: a guess.
    pub(super) nearest: Simplex,
}

impl ClusterPair<'_> {
    /// The plane that keeps the two farthest apart, or one that keeps them as far apart as is
    /// `enough`, metres; `None` where their hulls touch or overlap. `steps` counts directions.
    pub(super) fn plane(&self, enough: f64, steps: &mut u64) -> Option<Plane> {
        let [turn_a, turn_b] = self.poses.map(|pose| pose.rotation);
        let between = self.poses[0].translation - self.poses[1].translation;
        let mut nearest = Foot {
            point: between + turn_a * self.a.middle - turn_b * self.b.middle,
            of: Simplex::new(),
        };
        let mut best = Plane {
            towards: Vector3::zeros(),
            at_least: 0.0,
            nearest: Simplex::new(),
        };
        for _ in 0..MOST_STEPS {
            *steps += 1;
            let far = nearest.point.norm();
            if far <= TOUCH * self.size {
                return None;
            }
            let towards = nearest.point / far;
            let support_a = self.a.support(&-turn_a.tr_mul(&towards));
            let support_b = self.b.support(&turn_b.tr_mul(&towards));
            let separation = towards.dot(&between) - support_a.reach - support_b.reach;
            let at_least = separation - ROUNDING * self.size;
            if at_least > best.at_least {
                best.towards = towards;
                best.at_least = at_least;
            }
            if at_least >= enough {
                break;
            }
            // The first direction is that of no corners.
            let known = !nearest.of.is_empty();
            if known && separation >= far - 0.1 * ROUNDING * self.size {
                break;
            }
            let mut points = nearest.of.clone();
            points.push(Difference {
                point: between + turn_a * support_a.corner - turn_b * support_b.corner,
                of: [support_a.vertex, support_b.vertex],
            });
            let next = foot(&points)?;
            if known && next.point.norm_squared() >= nearest.point.norm_squared() {
                break;
            }
            nearest = next;
        }
        best.nearest = nearest.of;
        (best.at_least > 0.0).then_some(best)
    }
}

#[cfg(test)]
mod tests;
