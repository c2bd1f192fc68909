//! Proportions and thresholds that can hardly be meant: each is said first. They decide nothing, but
//! for a mesh of which nothing is left.

use clearance_proof::model::{Cell, Form, JointKind, Program, Shape};

use super::extent::{
    BodyBoxes, LARGEST_UNIT_M, LEAST_REACH_M, TINY_M, metres, reach, unscaled_extent,
};
use crate::findings::{Code, Diagnostic, Location, Severity};

/// A link so many times larger than all its neighbours, or so many times smaller, is drawn in
/// another unit: inches are 25.4. Links of real robots stay below 10.
const LARGER: f64 = 20.0;
const SMALLER: f64 = 1.0 / 20.0;
/// A mesh that its stated scale makes so small beside its neighbours is checked as next to nothing:
/// millimetres, of a file that is in metres.
const SCALED_AWAY: f64 = 1.0 / 200.0;
/// A threshold of so much of the robot's reach leaves it no room.
const SHARE_OF_REACH: f64 = 0.5;
/// A threshold from here on is not one of a cell, metres.
const WIDE_M: f64 = 1.0;
/// Limits in degrees are not beyond two turns; larger ones stand for none at all.
const LARGEST_DEGREES: f64 = 720.0;

/// A threshold that no motion of the robot can keep; `clearance` is that of the run, metres.
pub(crate) fn wide_clearance(cell: &Cell, clearance: f64) -> Option<Diagnostic> {
    let stated = cell.thresholds.iter().map(|t| t.clearance);
    let widest = stated.fold(clearance, f64::max);
    let reach = reach(cell);
    let too_wide = reach >= LEAST_REACH_M && widest >= SHARE_OF_REACH * reach;
    (too_wide || widest >= WIDE_M).then(|| {
        let why = format!(
            "the clearance is {}, the robot's reach {}: a number without a unit is metres; write `{}mm` if millimetres are meant",
            metres(widest),
            metres(reach),
            widest
        );
        Diagnostic::notice(Code::SuspiciousClearance, "clearance", why)
    })
}

/// Bodies of whose meshes nothing is left but points and lines: whatever runs through the real ones
/// would be clear.
pub(super) fn without_area(cell: &Cell) -> Vec<Diagnostic> {
    let is_flat = |shape: &Shape| match &shape.form {
        Form::Mesh { mesh, .. } => (0..mesh.triangles.len()).all(|t| {
            let [a, b, c] = mesh.corners(t);
            let (u, v) = (b - a, c - a);
            let longest = u.amax().max(v.amax()).max((c - b).amax());
            u.cross(&v).norm() <= 1e-12 * longest * longest
        }),
        _ => false,
    };
    let bodies = cell.bodies.iter().enumerate();
    let flat = bodies.filter(|(_, body)| body.shapes.iter().any(is_flat));
    flat.map(|(id, body)| {
        let why = "no triangle of a mesh of it has an area: all of that is points and lines; export it again, or remove it from \
                   the model";
        Diagnostic {
            severity: Severity::Open,
            ..Diagnostic::notice(Code::SuspiciousScale, &body.name, why.to_owned())
        }
        .at(cell.place(id))
    })
    .collect()
}

/// Robots whose limits look like degrees: no joint would ever leave them, and a program in degrees
/// is told by them.
pub(super) fn limits_in_degrees(cell: &Cell) -> Vec<Diagnostic> {
    let looks_so = |&(lower, upper): &(f64, f64)| {
        let largest = lower.abs().max(upper.abs());
        largest > Program::MANY_TURNS_RAD && largest <= LARGEST_DEGREES
    };
    let robots = cell.robots.iter().enumerate();
    robots
        .filter_map(|(id, robot)| {
            let joints = cell.joints.iter().enumerate();
            let turning =
                joints.filter(|(_, j)| j.robot == id && j.kind == JointKind::Revolute);
            let limited = turning.filter_map(|(joint, j)| Some((joint, j.limits.position?)));
            let (large, usual): (Vec<_>, Vec<_>) =
                limited.partition(|(_, limits)| looks_so(limits));
            let &(joint, (lower, upper)) = large.first()?;
            if large.len() <= usual.len() {
                return None;
            }
            let why = format!(
                "its limits are {lower} and {upper} rad, many turns, and {} of {} joints with limits have such ones: they look like \
                 degrees, which would be {:.4} and {:.4} rad",
                large.len(),
                large.len() + usual.len(),
                lower.to_radians(),
                upper.to_radians()
            );
            let said = Diagnostic::notice(Code::SuspiciousLimits, cell.joint_label(joint), why);
            Some(Diagnostic {
                severity: Severity::Open,
                ..said.at(Location::file(&robot.urdf))
            })
        })
        .collect()
}

/// Links and parts that are much larger, or much smaller, than everything that they are joined to.
pub(super) fn suspicious(cell: &Cell, boxes: &BodyBoxes) -> Vec<Diagnostic> {
    let all = neighbours(cell, boxes).into_iter().enumerate();
    all.filter_map(|(id, beside)| {
        let Neighbours {
            own,
            least,
            largest,
        } = beside?;
        let says = match () {
            () if own >= LARGER * largest => format!("{:.0} times the size", own / largest),
            () if own <= SMALLER * least => format!("1/{:.0} of the size", least / own),
            () => return None,
        };
        let why = format!(
            "it is {} large, {says} of the links that it is joined to: look whether its `scale` is right (0.001 for a file in \
             millimetres, 0.0254 for inches)",
            metres(own)
        );
        let name = cell.bodies[id].name.clone();
        let unscaled = cell.bodies[id].shapes.iter().filter_map(unscaled_extent);
        let unscaled = unscaled.reduce(f64::max);
        let severity = if unscaled.is_some_and(|unscaled| is_scaled_away([own, unscaled], least)) {
            Severity::Open
        } else {
            Severity::Notice
        };
        let said = Diagnostic::notice(Code::SuspiciousScale, name, why).at(cell.place(id));
        Some(Diagnostic { severity, ..said })
    })
    .collect()
}

/// How large a body that moves is beside the least and the largest link that it is joined to.
pub(super) struct Neighbours {
    own: f64,
    pub(super) least: f64,
    largest: f64,
}

/// Of each body that moves and is joined to others.
pub(super) fn neighbours(cell: &Cell, boxes: &BodyBoxes) -> Vec<Option<Neighbours>> {
    let size = |body| boxes.size_by(body, |size| size.norm());
    let sizes: Vec<Option<f64>> = (0..cell.bodies.len()).map(size).collect();
    let mut beside: Vec<Vec<f64>> = vec![Vec::new(); cell.bodies.len()];
    for (id, body) in cell.bodies.iter().enumerate() {
        let Some(own) = sizes[id] else { continue };
        let mut at = body.parent;
        while let Some(parent) = at {
            if let Some(other) = sizes[parent] {
                beside[id].push(other);
                beside[parent].push(own);
                break;
            }
            at = cell.bodies[parent].parent;
        }
    }
    let bodies = cell.bodies.iter().zip(sizes).zip(beside);
    let found = bodies.map(|((body, own), beside)| {
        let own = own.filter(|_| body.joint.is_some())?;
        let largest = beside.iter().copied().reduce(f64::max)?;
        let least = beside.iter().copied().reduce(f64::min)?;
        Some(Neighbours {
            own,
            least,
            largest,
        })
    });
    found.collect()
}

/// Whether a scale makes next to nothing of a mesh beside the least of its neighbours.
pub(super) fn is_scaled_away([own, unscaled]: [f64; 2], least: f64) -> bool {
    own <= LARGEST_UNIT_M * unscaled && own <= TINY_M.min(SCALED_AWAY * least)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use clearance_proof::geometry::mesh::Mesh;
    use clearance_proof::model::Body;
    use nalgebra::{Isometry3, Point3};

    use super::*;

    /// Catches a body that is checked as a point, or as a line.
    #[test]
    fn a_mesh_without_area_is_told() {
        let at = |x: f64, y: f64| Point3::new(x, y, 0.3);
        let vertices = vec![at(0.1, 0.2), at(1.1, 1.2), at(0.6, 0.7), at(0.1, 0.8)];
        for (triangles, told) in [
            (vec![[0, 0, 0], [1, 1, 1]], true),
            (vec![[0, 1, 2], [0, 2, 2]], true),
            (vec![[0, 1, 2], [0, 1, 3]], false),
        ] {
            let form = Form::Mesh {
                mesh: Arc::new(Mesh {
                    vertices: vertices.clone(),
                    triangles,
                }),
                file: "part.stl".into(),
            };
            let mut cell = Cell::default();
            cell.add_body(Body::obstacle("part", form, Isometry3::identity()));
            let said = without_area(&cell);
            assert_eq!(said.len(), usize::from(told));
            assert!(said.iter().all(|d| d.severity == Severity::Open));
        }
    }
}
