//! By how much two bodies would have to be moved apart at least: more than the depth of any one
//! point where one of them is thin.
//!
//! If the two were displaced against each other, and a point of one then lay d deep in the other,
//! they would still overlap at every displacement no farther than d from that one. Cubes of
//! displacements are covered by such balls, those nearest to no displacement first. Up to the
//! nearest cube that could not be covered, nothing parts the two.

use nalgebra::Vector3;

use super::{DepthQuestion, InsidePoint, MOST_POINTS_ANY, deepest_of};
use crate::check::Snapshot;
use crate::check::scene::Scene;
use crate::numeric::MinHeap;

/// How many displacements are looked at.
const MOST_DISPLACEMENTS: usize = 64;
/// How many points that lay deep are asked for again before others are looked for.
const KEPT_POINTS: usize = 8;
/// The cube of all displacements that are looked at: half its edge, in depths of the deepest point.
const CUBE_HALF_EDGE: f64 = 16.0;
/// Cubes whose corners are farther from their middle than this, in the same measure, are cut
/// without a look.
const FARTHEST_TRIED: f64 = 3.0;

/// Displacements of the first body: a cube about one of them.
struct Cube {
    center: Vector3<f64>,
    half: f64,
}

impl Cube {
    /// The least displacement in it, metres.
    fn nearest(&self) -> f64 {
        self.center.map(|x| (x.abs() - self.half).max(0.0)).norm()
    }
}

/// Proved: at this instant the two overlap unless they are moved apart by at least this much,
/// metres. `deep` is the depth of the deepest point. What would come to no more than `known` need
/// not be found out. The search ends after about `most` points.
pub(crate) fn penetration_depth(
    scene: &Scene,
    pair: usize,
    snapshot: &mut Snapshot,
    [deep, known]: [f64; 2],
    most: u64,
    points: &mut u64,
) -> f64 {
    let mut inside_points: Vec<InsidePoint> = Vec::with_capacity(KEPT_POINTS);
    let start = *points;
    let mut overlap = |displacement: Vector3<f64>, known: f64, points: &mut u64| {
        let again = |inside_point: &InsidePoint| {
            *points += 1;
            inside_point.is_deeper(scene, pair, snapshot, (displacement, known))
        };
        if let Some(at) = inside_points.iter().position(again) {
            inside_points[..=at].rotate_right(1);
            return true;
        }
        let question = DepthQuestion {
            displacement,
            known,
            any: true,
            most: MOST_POINTS_ANY,
        };
        let found = deepest_of(scene, pair, snapshot, &question, points);
        if let Some((_, inside_point)) = found {
            inside_points.truncate(KEPT_POINTS - 1);
            inside_points.insert(0, inside_point);
        }
        found.is_some()
    };
    // A short way out along an axis of the world is found soon.
    for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
        if [axis, -axis]
            .iter()
            .any(|way| !overlap(way * known, 0.0, points))
        {
            return deep;
        }
    }
    let mut displacements = 0;
    covered_radius(deep, |ball| {
        if displacements >= MOST_DISPLACEMENTS || *points - start >= most {
            return None;
        }
        displacements += 1;
        Some(overlap(ball.center, ball.radius, points))
    })
}

/// Displacements no farther than `radius` from one of them.
struct DisplacementBall {
    center: Vector3<f64>,
    radius: f64,
}

/// Every displacement shorter than this, metres, is in a ball that the two were found to overlap
/// for: `overlap` says so of a ball, or else that it is not known; `None`: it will look at no more.
fn covered_radius(deep: f64, mut overlap: impl FnMut(DisplacementBall) -> Option<bool>) -> f64 {
    let mut open = MinHeap::new();
    // The cube nearest to the origin comes first, and of equal ones the largest.
    let push = |open: &mut MinHeap<2, Cube>, cube: Cube| {
        open.push([cube.nearest(), -cube.half], cube);
    };
    let whole = Cube {
        center: Vector3::zeros(),
        half: CUBE_HALF_EDGE * deep,
    };
    push(&mut open, whole);
    while let Some(cube) = open.pop() {
        let radius = 3.0_f64.sqrt() * cube.half * (1.0 + 1e-12);
        if radius <= FARTHEST_TRIED * deep {
            let center = cube.center;
            match overlap(DisplacementBall { center, radius }) {
                Some(true) => continue,
                Some(false) => {}
                None => return deep.max(cube.nearest()),
            }
        }
        let half = 0.5 * cube.half;
        for k in 0..8 {
            let side = |bit: u8| if k & bit == 0 { -half } else { half };
            let center = cube.center + Vector3::new(side(1), side(2), side(4));
            push(&mut open, Cube { center, half });
        }
    }
    CUBE_HALF_EDGE * deep
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::Random;

    /// Two that are free of each other after one displacement only, which may be any: no more than
    /// its length is covered, and nearly as much. Catches cubes whose corners no ball covers, and
    /// cubes that are left out.
    #[test]
    fn no_displacement_is_left_uncovered() {
        let mut r = Random(141);
        for case in 0..500 {
            let deep = 0.01;
            let exit_direction = r.vector() * 5.0 * deep;
            let mut displacements = 0;
            let covered = covered_radius(deep, |DisplacementBall { center, radius }| {
                displacements += 1;
                (displacements <= 400).then(|| (center - exit_direction).norm() >= radius)
            });
            let truth = exit_direction.norm();
            let least = deep.max(0.9 * truth);
            assert!(
                (least..=truth.max(deep)).contains(&covered),
                "case {case}: {covered} of {truth}"
            );
        }
    }
}
