//! How deep two bodies are in each other at one instant.

use nalgebra::Point3;

use crate::engines::Moment;
use crate::engines::scene::Scene;

/// Less than this is a touch, metres.
const TOUCH_M: f64 = 1e-6;

/// A proved lower bound of the way by which the two bodies of a pair would have to be moved apart until they no longer
/// overlap, metres. `None` where no such bound is known: no corner of a triangle, and no centre of one, of the one body
/// lies inside the other.
///
/// A point inside a solid has to leave it, and the way out is at least as long as the distance to the surface. Surfaces of
/// balls and capsules lie a radius around their cores: that way, the radii come on top.
pub fn overlap(scene: &Scene, pair: usize, moment: &mut Moment) -> Option<f64> {
    let mut deepest = 0.0_f64;
    for part_pair in &scene.part_pairs[scene.part_pairs_of(pair)] {
        let (a, b) = (part_pair.a, part_pair.b);
        let margin = moment.margin(scene, a) + moment.margin(scene, b);
        for (inner, outer) in [(a, b), (b, a)] {
            let depth = deepest_point(scene, moment, inner, outer, deepest + margin);
            deepest = deepest.max(depth - margin);
        }
    }
    (deepest > TOUCH_M).then_some(deepest)
}

/// The greatest depth of a point of one part in another, if it is more than `known`; else `known`.
fn deepest_point(
    scene: &Scene,
    moment: &mut Moment,
    inner: usize,
    outer: usize,
    known: f64,
) -> f64 {
    let from = moment.part(scene, inner).pose;
    let to = moment.part(scene, outer).pose;
    let (inner, outer) = (&scene.parts[inner], &scene.parts[outer]);
    let between = (from.translation - to.translation).norm();
    if outer.may_be_solid == Some(false) || between > inner.reach + outer.reach {
        return known;
    }
    let outer_from_inner = to.seen(&from);
    let radii = inner.tree.rounding + outer.tree.rounding;
    let tree = &inner.tree;
    let centers = (0..tree.triangles.len()).map(|t| {
        let [a, b, c] = tree.corners(t).map(|p| p.coords);
        Point3::from((a + b + c) / 3.0)
    });
    let mut deepest = known;
    for point in tree.vertices.iter().copied().chain(centers) {
        let place = outer_from_inner.apply(&(point - tree.origin));
        if place.norm() > outer.reach + radii {
            continue;
        }
        let place = outer.tree.origin + place;
        let depth = if outer.tree.contains(&place, outer.may_be_solid) {
            radii
                + outer
                    .tree
                    .distance_to_triangles(&place, deepest - radii, f64::INFINITY)
        } else if radii > deepest {
            radii
                - outer
                    .tree
                    .distance_to_triangles(&place, 0.0, radii - deepest)
        } else {
            continue;
        };
        deepest = deepest.max(depth);
    }
    deepest
}
