//! A body wholly inside a closed solid: the one contact that surfaces do not show.
//!
//! It is asked once, at the first instant: while surfaces stay apart nothing can get in or out, so the answer holds for the
//! whole motion that is proved free.

use std::ops::Range;

use nalgebra::Point3;

use crate::engines::Moment;
use crate::engines::scene::Scene;

/// A body with a piece inside another one's solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contained {
    /// Index into [`Scene::pairs`].
    pub pair: usize,
    /// A surface point of the inner body, world frame, metres.
    pub point: Point3<f64>,
}

/// All pairs of bodies of which one has a piece inside the other one's solid, each once.
pub fn contained(scene: &Scene, moment: &mut Moment) -> Vec<Contained> {
    of_part_pairs(scene, 0..scene.part_pairs.len(), moment)
}

/// Whether one body of a pair has a piece inside the other one's solid.
pub fn is_contained(scene: &Scene, pair: usize, moment: &mut Moment) -> bool {
    !of_part_pairs(scene, scene.part_pairs_of(pair), moment).is_empty()
}

fn of_part_pairs(scene: &Scene, which: Range<usize>, moment: &mut Moment) -> Vec<Contained> {
    let mut found: Vec<Contained> = Vec::new();
    for part_pair in &scene.part_pairs[which] {
        if found.last().is_some_and(|c| c.pair == part_pair.pair) {
            continue;
        }
        let point = piece_inside(scene, moment, part_pair.a, part_pair.b)
            .or_else(|| piece_inside(scene, moment, part_pair.b, part_pair.a));
        found.extend(point.map(|point| Contained {
            pair: part_pair.pair,
            point,
        }));
    }
    found
}

/// A point of a piece of part `a` that lies inside part `b`.
fn piece_inside(scene: &Scene, moment: &mut Moment, a: usize, b: usize) -> Option<Point3<f64>> {
    let (inner, outer) = (&scene.parts[a], &scene.parts[b]);
    if outer.may_be_solid == Some(false) {
        return None;
    }
    let from = moment.part(scene, a).pose;
    let to = moment.part(scene, b).pose;
    // The inner part must reach into the outer one's ball at all.
    let between = (from.translation - to.translation).norm();
    if between > inner.reach + outer.reach {
        return None;
    }
    let b_from_a = to.seen(&from);
    // What rounding of places leaves out here is as near to the outer surface: contact, by the surfaces.
    let hidden = inner.tree.piece_corner(
        |center, radius| outer.tree.box_may_meet(&b_from_a.apply(center), radius),
        |corner| {
            let place = outer.tree.origin + b_from_a.apply(corner);
            outer.tree.contains(&place, outer.may_be_solid)
        },
    )?;
    Some(from.apply(&hidden).into())
}
