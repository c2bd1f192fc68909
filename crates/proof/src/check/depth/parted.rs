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
use crate::numeric::LeastFirst;

/// How many displacements are looked at.
const LOOKS: usize = 64;
/// How many points that lay deep are asked for again before others are looked for.
const SPOTS: usize = 8;
/// The cube of all displacements that are looked at: half its edge, in depths of the deepest point.
const SIZE: f64 = 16.0;
/// Cubes whose corners are farther from their middle than this, in the same measure, are cut
/// without a look.
const FAR: f64 = 3.0;

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
pub(crate) fn parted_by(
    scene: &Scene,
    pair: usize,
    snapshot: &mut Snapshot,
    [deep, known]: [f64; 2],
    most: u64,
    points: &mut u64,
) -> f64 {
    let mut spots: Vec<InsidePoint> = Vec::with_capacity(SPOTS);
    let start = *points;
    let mut overlap = |shift: Vector3<f64>, known: f64, points: &mut u64| {
        let again = |spot: &InsidePoint| {
            *points += 1;
            spot.is_deeper(scene, pair, snapshot, (shift, known))
        };
        if let Some(at) = spots.iter().position(again) {
            spots[..=at].rotate_right(1);
            return true;
        }
        let ask = DepthQuestion {
            shift,
            known,
            any: true,
            most: MOST_POINTS_ANY,
        };
        let found = deepest_of(scene, pair, snapshot, &ask, points);
        if let Some((_, spot)) = found {
            spots.truncate(SPOTS - 1);
            spots.insert(0, spot);
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
    let mut looks = 0;
    covered(deep, |ball| {
        if looks >= LOOKS || *points - start >= most {
            return None;
        }
        looks += 1;
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
fn covered(deep: f64, mut overlap: impl FnMut(DisplacementBall) -> Option<bool>) -> f64 {
    let mut open = LeastFirst::new();
    // The cube nearest to the origin comes first, and of equal ones the largest.
    let push = |open: &mut LeastFirst<2, Cube>, cube: Cube| {
        open.push([cube.nearest(), -cube.half], cube);
    };
    let whole = Cube {
        center: Vector3::zeros(),
        half: SIZE * deep,
    };
    push(&mut open, whole);
    while let Some(cube) = open.pop() {
        let radius = 3.0_f64.sqrt() * cube.half * (1.0 + 1e-12);
        if radius <= FAR * deep {
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
    SIZE * deep
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
            let way_out = r.vector() * 5.0 * deep;
            let mut looks = 0;
            let covered = covered(deep, |DisplacementBall { center, radius }| {
                looks += 1;
                (looks <= 400).then(|| (center - way_out).norm() >= radius)
            });
            let truth = way_out.norm();
            let least = deep.max(0.9 * truth);
            assert!(
                (least..=truth.max(deep)).contains(&covered),
                "case {case}: {covered} of {truth}"
            );
        }
    }
}
