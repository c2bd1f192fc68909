//! A body wholly inside a closed solid: the one contact that surfaces do not show.
//!
//! It is asked once, at the first instant: while surfaces stay apart nothing can get in or out, so
//! the answer holds for the whole motion that is proved free.

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use crate::bvh::Node;
use crate::check::Snapshot;
use crate::check::scene::{Part, PartPair, Scene};
use crate::geometry::pose::Pose;

/// A body with a component inside another one's solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Contained {
    /// Index into [`Scene::pairs`].
    pub pair: usize,
    /// A surface point of the inner body, world frame, metres.
    pub point: Point3<f64>,
}

impl Scene<'_> {
    /// All pairs of bodies (indices into [`Scene::pairs`]) of which one has a component inside the
    /// other one's solid, each once.
    pub fn contained(&self, snapshot: &mut Snapshot) -> Vec<usize> {
        let contained = self.contained_points(snapshot);
        contained.iter().map(|contained| contained.pair).collect()
    }

    /// The same, with a point of each.
    pub(crate) fn contained_points(&self, snapshot: &mut Snapshot) -> Vec<Contained> {
        of_part_pairs(self, 0..self.part_pairs.len(), snapshot)
    }

    /// A pair of which one body has a component inside the other one's solid.
    pub(crate) fn contained_pair(&self, pair: usize, snapshot: &mut Snapshot) -> Option<Contained> {
        let of_pair = of_part_pairs(self, self.part_pairs_of(pair), snapshot);
        of_pair.first().copied()
    }

    /// Whether one body of a pair has a component inside the other one's solid.
    pub fn is_contained(&self, pair: usize, snapshot: &mut Snapshot) -> bool {
        self.contained_pair(pair, snapshot).is_some()
    }
}

fn of_part_pairs(scene: &Scene, which: Range<usize>, snapshot: &mut Snapshot) -> Vec<Contained> {
    let mut found: Vec<Contained> = Vec::new();
    for part_pair in &scene.part_pairs[which] {
        if found.last().is_some_and(|c| c.pair == part_pair.pair) {
            continue;
        }
        found.extend(
            contained_point(scene, snapshot, part_pair).map(|point| Contained {
                pair: part_pair.pair,
                point,
            }),
        );
    }
    found
}

/// Whether two boxes are apart along an edge of either: then nothing in one is inside the other.
fn boxes_are_separated([a, b]: [&Node; 2], b_from_a: &Pose) -> bool {
    let [[center_a, half_a], [center_b, half_b]] = [a.aabb(), b.aabb()];
    let turn = b_from_a.rotation;
    // From the centre of b to that of a, along the edges of b.
    let between = b_from_a.apply(&center_a) - center_b;
    let along_b = between.abs() - half_b - turn.abs() * half_a;
    let along_a = turn.tr_mul(&between).abs() - half_a - turn.abs().tr_mul(&half_b);
    along_a.max() > 0.0 || along_b.max() > 0.0
}

/// A point of a component of one part that lies inside the other one.
fn contained_point(scene: &Scene, snapshot: &mut Snapshot, pair: &PartPair) -> Option<Point3<f64>> {
    let [at_a, at_b] = [pair.a, pair.b].map(|part| snapshot.part(scene, part).pose);
    let (a, b) = (&scene.parts[pair.a], &scene.parts[pair.b]);
    if (at_a.translation - at_b.translation).norm() > a.bounding_radius + b.bounding_radius {
        return None;
    }
    let b_from_a = at_b.inverse_compose(&at_a);
    // Rounding can only leave out a part that lies this near to the outer surface, and then the
    // test of surfaces finds the contact.
    if boxes_are_separated([&a.tree.nodes[0], &b.tree.nodes[0]], &b_from_a) {
        return None;
    }
    let of_a = || Some(at_a.apply(&component_inside(a, b, &b_from_a)?));
    let of_b = || Some(at_b.apply(&component_inside(b, a, &at_a.inverse_compose(&at_b))?));
    of_a().or_else(of_b).map(Point3::from)
}

/// A corner of a component of `inner` that lies inside `outer`, relative to the inner part's
/// origin.
fn component_inside(inner: &Part, outer: &Part, outer_from_inner: &Pose) -> Option<Vector3<f64>> {
    if outer.may_be_solid == Some(false) {
        return None;
    }
    inner.tree.component_corner(
        |center, radius| {
            let center = outer_from_inner.apply(center);
            outer.tree.box_may_meet(&center, radius)
        },
        |corner| {
            let point = outer.tree.origin + outer_from_inner.apply(corner);
            outer.tree.contains(&point, outer.may_be_solid)
        },
    )
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix3, Rotation3};

    use super::*;
    use crate::geometry::random::Random;

    fn random_box(random: &mut Random) -> Node {
        let thickness = [1.0, 0.1, 1e-4];
        Node {
            center: [0.0; 3],
            radius: 0.0,
            box_center: random.vector().map(|x| x as f32).into(),
            first: 0,
            box_half: [0; 3].map(|_| (thickness[random.below(3)] * random.unit()) as f32),
            count: 1,
        }
    }

    /// A point of a box, by coordinates from −1 to 1.
    fn point(what: &Node, at: &Vector3<f64>) -> Vector3<f64> {
        let [center, half] = what.aabb();
        center + half.component_mul(at)
    }

    /// A pose that brings one point to another.
    fn bring(from: &Vector3<f64>, to: &Vector3<f64>, rotation: Matrix3<f64>) -> Pose {
        Pose {
            rotation,
            translation: to - rotation * from,
        }
    }

    /// Catches a half edge left out, turned the wrong way, or without its absolute value; and a
    /// test that says "not apart" to all.
    #[test]
    fn boxes_that_share_a_point_are_not_apart_and_boxes_side_by_side_are() {
        let mut random = Random(31);
        for case in 0..20_000 {
            let boxes = [random_box(&mut random), random_box(&mut random)];
            let [a, b] = &boxes;
            let turn = random.vector() * [0.0, 0.01, 3.0][random.below(3)];
            let turn = *Rotation3::from_scaled_axis(turn).matrix();
            let mut inner = || random.vector() * 0.9999;
            let shared = bring(&point(a, &inner()), &point(b, &inner()), turn);
            assert!(
                !boxes_are_separated([a, b], &shared),
                "case {case}: a shared point"
            );

            // The corner of a that is lowest along an edge of b lies a little above b's face.
            let edge = random.below(3);
            let lowest = turn.row(edge).transpose().map(|x| -x.signum());
            let mut above = random.vector();
            above[edge] = 1.0;
            let mut over = bring(&point(a, &lowest), &point(b, &above), turn);
            over.translation[edge] += 1e-9;
            assert!(
                boxes_are_separated([a, b], &over),
                "case {case}: side by side"
            );
            let back = over.inverse_compose(&Pose::identity());
            assert!(
                boxes_are_separated([b, a], &back),
                "case {case}: the other way"
            );
        }
    }
}
