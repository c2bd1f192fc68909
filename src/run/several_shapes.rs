//! Bodies of several shapes of which one can hardly be meant: next to nothing by its `scale`, or far
//! away from the others. Those hide it where the body is judged as a whole.

use std::borrow::Cow;
use std::path::Path;

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::model::{Body, Cell, Form};

use super::extent::{
    BodyBoxes, Consequence, LEAST_REACH_M, SMALL, beside_reach, other_scales, reach, scaled_away,
    unscaled_extent,
};
use super::suspicious::{is_scaled_away, neighbours};
use super::uncovered::some_of;
use crate::findings::{Code, Diagnostic};

/// Some shapes of a body of several, by number, as people find them.
pub(super) fn shapes_said(body: &Body, numbers: &[usize]) -> String {
    let what = |&number: &usize| {
        let shape = &body.shapes[number];
        let what: Cow<str> = match &shape.form {
            Form::Mesh { file, .. } | Form::Cloud { file, .. } => {
                let name = file.file_name().map(Path::new).unwrap_or(file);
                format!("`{}`", name.display()).into()
            }
            Form::Box { .. } => "a box".into(),
            Form::Sphere { .. } => "a sphere".into(),
            Form::Cylinder { .. } => "a cylinder".into(),
            Form::Cone { .. } => "a cone".into(),
            Form::Capsule { .. } => "a capsule".into(),
        };
        format!("number {} ({what})", number + 1)
    };
    let names: Vec<String> = numbers.iter().map(what).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    format!("of its {} shapes {}", body.shapes.len(), some_of(&names))
}

/// Meshes that are next to nothing, each beside other shapes of its body.
pub(super) fn lost_shapes(cell: &Cell, boxes: &BodyBoxes) -> Vec<Diagnostic> {
    let reach = reach(cell);
    let is_measure = reach >= LEAST_REACH_M;
    let beside = neighbours(cell, boxes);
    let mut found = Vec::new();
    let several = cell.bodies.iter().enumerate();
    for (id, body) in several.filter(|(_, body)| body.shapes.len() > 1) {
        let mut lost: Vec<Lost> = Vec::new();
        for (number, shape) in body.shapes.iter().enumerate() {
            if !matches!(shape.form, Form::Mesh { .. }) {
                continue;
            }
            let size = boxes.of_shapes(id)[number].size();
            let unscaled = unscaled_extent(shape);
            let by_reach = unscaled.filter(|_| is_measure).and_then(|unscaled| {
                let (_, consequence) = scaled_away(body.role, [size.max(), unscaled], reach)?;
                Some(consequence)
            });
            let by_neighbours = unscaled
                .zip(beside[id].as_ref())
                .filter(|(unscaled, beside)| {
                    is_scaled_away([size.norm(), *unscaled], beside.least)
                });
            let consequence = match by_reach {
                _ if by_neighbours.is_some() => Consequence::Open,
                Some(consequence) => consequence,
                None if is_measure && size.max() <= SMALL * reach => Consequence::Notice,
                None => continue,
            };
            lost.push(Lost {
                number,
                extent: size.max(),
                unscaled,
                consequence,
            });
        }
        for consequence in [Consequence::Open, Consequence::Notice] {
            let lost = lost.iter().filter(|lost| lost.consequence == consequence);
            found.extend(said(cell, id, &lost.collect::<Vec<_>>(), reach));
        }
    }
    found
}

/// A mesh that is next to nothing.
struct Lost {
    number: usize,
    extent: f64,
    /// By the numbers of its file, where a scale is stated.
    unscaled: Option<f64>,
    consequence: Consequence,
}

fn said(cell: &Cell, id: usize, lost: &[&Lost], reach: f64) -> Option<Diagnostic> {
    let largest = (lost.iter()).max_by(|a, b| a.extent.total_cmp(&b.extent))?;
    let numbers: Vec<usize> = lost.iter().map(|lost| lost.number).collect();
    let body = &cell.bodies[id];
    let (is, all) = match lost.len() {
        1 => ("is", ""),
        _ => ("are", "at most "),
    };
    let remedy = match (largest.consequence, largest.unscaled) {
        (Consequence::Open, Some(unscaled)) => {
            let it = match lost.len() {
                1 => "it",
                _ => "the largest of them",
            };
            other_scales(it, [largest.extent, unscaled])
        }
        _ => "look whether its scale is meant: a file in metres needs none".to_owned(),
    };
    let why = format!(
        "suspicious scale: {} {is} {all}{}; {remedy}",
        shapes_said(body, &numbers),
        beside_reach(largest.extent, reach)
    );
    let said = Diagnostic::notice(Code::SuspiciousScale, &body.name, why).at(cell.place(id));
    Some(Diagnostic {
        severity: largest.consequence.severity(),
        ..said
    })
}

/// For each box the widest gap on the way to it, metres, from box to box, or from what is so far
/// away from them. The nearest one is judged by itself: to it there is none.
pub(super) fn widest_gaps(away: &[f64], boxes: &[Aabb]) -> Vec<f64> {
    let mut gaps = away.to_vec();
    let nearest = (0..gaps.len()).min_by(|&a, &b| gaps[a].total_cmp(&gaps[b]));
    if let Some(nearest) = nearest {
        gaps[nearest] = 0.0;
    }
    let mut left: Vec<usize> = (0..boxes.len()).collect();
    while let Some(k) = (0..left.len()).min_by(|&a, &b| gaps[left[a]].total_cmp(&gaps[left[b]])) {
        let next = left.swap_remove(k);
        for &other in &left {
            let way = gaps[next].max(boxes[next].gap(&boxes[other]));
            gaps[other] = gaps[other].min(way);
        }
    }
    gaps
}

/// How far boxes are away from what carries them, where nothing does: the largest is where it is
/// meant to be.
pub(super) fn without_carrier(boxes: &[Aabb]) -> Vec<f64> {
    let size = |k: usize| boxes[k].size().norm();
    let largest = (0..boxes.len()).max_by(|&a, &b| size(a).total_cmp(&size(b)));
    let away = |k| {
        if Some(k) == largest {
            0.0
        } else {
            f64::INFINITY
        }
    };
    (0..boxes.len()).map(away).collect()
}

/// How far each of some boxes is away from the nearest of those of a carrier, metres.
pub(super) fn away_from(carrier: &[Aabb], boxes: &[Aabb]) -> Vec<f64> {
    let nearest = |around: &Aabb| {
        let gaps = carrier.iter().map(|other| around.gap(other));
        gaps.fold(f64::INFINITY, f64::min)
    };
    boxes.iter().map(nearest).collect()
}

#[cfg(test)]
mod tests {
    use nalgebra::{Point3, Vector3};

    use super::*;

    /// Catches two shapes far away that vouch for each other, and a long row that is taken apart.
    #[test]
    fn gaps_are_the_widest_on_the_way() {
        let at = |x: f64| Aabb {
            min: Point3::new(x, 0.0, 0.0),
            max: Point3::new(x, 0.0, 0.0) + Vector3::repeat(1.0),
        };
        let boxes = [at(7.0), at(1.5), at(3.0), at(8.0)];
        let away = [6.0, 0.5, 2.0, 7.0];
        assert_eq!(widest_gaps(&away, &boxes), [3.0, 0.0, 0.5, 3.0]);
        assert_eq!(away_from(&boxes[1..3], &boxes), [3.0, 0.0, 0.0, 4.0]);
        assert_eq!(without_carrier(&boxes)[..3], [f64::INFINITY; 3]);
    }
}
