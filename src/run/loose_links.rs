//! Links that hang far away from everything that carries them, as where the origins of a URDF are
//! in millimetres. They are notices at the top of the report. A gap so wide that it must be an error
//! makes programs `unverified`.

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::model::{BodyId, Cell, JointId, JointKind, Role};

use super::extent::{BodyBoxes, metres, reach, slide_limits};
use super::several_shapes::{away_from, shapes_said, widest_gaps, without_carrier};
use super::suspicious_places::Loose;
use super::uncovered::some_of;
use crate::findings::{Code, Diagnostic, Severity};

/// A gap of this share of all shapes of the robot, end to end, and of so many metres: between two
/// links there may be some that are not drawn.
const LOOSE: f64 = 0.5;
const LOOSE_M: f64 = 0.5;
/// So many times as much, and so many metres, is surely wrong: millimetres are 1,000 times as many.
const SURELY_LOOSE: f64 = 10.0;
const SURELY_LOOSE_M: f64 = 10.0;

/// Links that move, and what hangs on links without geometry, that are loose, or have a shape that
/// is.
pub(super) fn loose_links(cell: &Cell, boxes: &BodyBoxes) -> Vec<Diagnostic> {
    let drawn = |body| boxes.size_by(body, |size| size.norm()).unwrap_or(0.0);
    let drawn: Vec<f64> = (0..cell.bodies.len()).map(drawn).collect();
    let all = cell.forward(&cell.rest);
    let reach = reach(cell);
    let (mut loose, mut surely, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
    for (id, body) in cell.bodies.iter().enumerate() {
        // What stands is looked at like an obstacle.
        if body.joint.is_none() || body.shapes.is_empty() {
            continue;
        }
        let carrier = carrier(cell, id);
        let of_robot = robot_of(cell, id).map(|robot| {
            let ids = 0..cell.bodies.len();
            let of_robot = ids.filter(|&other| robot_of(cell, other) == Some(robot));
            of_robot.map(|other| drawn[other]).sum::<f64>()
        });
        let drawn = of_robot.unwrap_or(drawn[id] + carrier.map_or(0.0, |carrier| drawn[carrier]));
        let away = carrier.and_then(|carrier| {
            let travel = travel(cell, body.joint, cell.bodies[carrier].joint)?;
            let from_body = cell.body_pose(&all, carrier).inverse() * cell.body_pose(&all, id);
            let own = boxes.of_shapes(id).iter();
            let own = own.map(|own| Aabb::of(own.corners().map(|p| from_body * p)));
            let away = away_from(boxes.of_shapes(carrier), &own.collect::<Vec<_>>());
            Some(away.iter().map(|gap| gap - travel).collect::<Vec<f64>>())
        });
        // What a link with geometry carries is held against it by its pose.
        let by_pose = body.role == Role::Attached && body.parent == carrier;
        if let Some(away) = away.as_ref().filter(|_| !by_pose) {
            let gap = away.iter().copied().fold(f64::INFINITY, f64::min);
            // Where its stated pose is told already, it is that pose, and no origin of a URDF.
            let told = Loose::by_pose(cell, id, reach).map(|loose| loose.severity);
            match judged(gap, drawn) {
                Some(severity) if told == Some(severity) || told == Some(Severity::Open) => {}
                Some(Severity::Open) => surely.push((id, gap)),
                Some(_) => loose.push((id, gap)),
                None => {}
            }
        }
        let away = away.unwrap_or_else(|| without_carrier(boxes.of_shapes(id)));
        let gaps = widest_gaps(&away, boxes.of_shapes(id));
        for severity in [Severity::Open, Severity::Notice] {
            let numbers = 0..gaps.len();
            let stray = numbers.filter(|&k| judged(gaps[k], drawn) == Some(severity));
            let stray: Vec<usize> = stray.collect();
            shapes.extend(said_of_shapes(cell, id, &stray, &gaps, severity));
        }
    }
    [(surely, Severity::Open), (loose, Severity::Notice)]
        .into_iter()
        .filter_map(|(found, severity)| said(cell, &found, severity))
        .chain(shapes)
        .collect()
}

/// How bad a gap is, for a robot of which so much is drawn, metres: its shapes end to end.
fn judged(gap: f64, drawn: f64) -> Option<Severity> {
    match gap {
        gap if gap > SURELY_LOOSE_M.max(SURELY_LOOSE * drawn) => Some(Severity::Open),
        gap if gap > LOOSE_M.max(LOOSE * drawn) => Some(Severity::Notice),
        _ => None,
    }
}

/// The notice about shapes that are far away from the others of their body.
fn said_of_shapes(
    cell: &Cell,
    id: BodyId,
    stray: &[usize],
    gaps: &[f64],
    severity: Severity,
) -> Option<Diagnostic> {
    let widest = stray.iter().map(|&k| gaps[k]).reduce(f64::max)?;
    let body = &cell.bodies[id];
    let (is, whose) = match stray {
        [_] => ("is", "its <origin> is"),
        _ => ("are up to", "their <origin>s are"),
    };
    let why = format!(
        "{} {is} {} away from the others, and from what carries it: look whether {whose} in metres",
        shapes_said(body, stray),
        metres(widest)
    );
    let said = Diagnostic::notice(Code::SuspiciousPlace, &body.name, why).at(cell.place(id));
    Some(Diagnostic { severity, ..said })
}

/// The nearest body with geometry that carries a body.
fn carrier(cell: &Cell, id: BodyId) -> Option<BodyId> {
    let parents = std::iter::successors(cell.bodies[id].parent, |&at| cell.bodies[at].parent);
    parents
        .into_iter()
        .find(|&at| !cell.bodies[at].shapes.is_empty())
}

/// The robot that a body is a link of, or hangs on.
fn robot_of(cell: &Cell, id: BodyId) -> Option<usize> {
    let mut at = Some(id);
    while let Some(body) = at.map(|at| &cell.bodies[at]) {
        if let Role::Link { robot } = body.role {
            return Some(robot);
        }
        at = body.parent;
    }
    None
}

/// How far the joints between two bodies may slide; `None`: without limits.
fn travel(cell: &Cell, from: Option<JointId>, to: Option<JointId>) -> Option<f64> {
    let (mut at, mut sum) = (from, 0.0);
    while at != to {
        let joint = &cell.joints[at?];
        if joint.kind == JointKind::Prismatic {
            let (lower, upper) = slide_limits(joint)?;
            sum += upper - lower;
        }
        at = joint.parent;
    }
    Some(sum)
}

fn said(cell: &Cell, found: &[(BodyId, f64)], severity: Severity) -> Option<Diagnostic> {
    let widest = found.iter().map(|(_, gap)| *gap).reduce(f64::max)?;
    let names = found.iter().map(|&(id, _)| cell.bodies[id].name.as_str());
    let gap = metres(widest);
    let (what, whose) = match found {
        [_] => (
            format!("it is {gap} away from the nearest link with geometry that carries it"),
            "its joint and of its geometry",
        ),
        _ => (
            format!(
                "they are up to {gap} away from the nearest links with geometry that carry them"
            ),
            "their joints and of their geometry",
        ),
    };
    let why = match severity {
        // One slip of a decimal point puts one link away, and what hangs on it.
        Severity::Open if found.len() > 1 => format!(
            "{what}: the origins of the URDF's joints look like millimetres; write them in metres, and give links that are not drawn \
             geometry"
        ),
        _ => format!("{what}: look whether the origins of {whose} are in metres"),
    };
    let names: Vec<&str> = names.collect();
    let said = Diagnostic::notice(Code::SuspiciousPlace, some_of(&names), why);
    Some(Diagnostic {
        severity,
        ..said.at(cell.place(found.first()?.0))
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clearance_formats::{LoadOptions, load_cell};
    use clearance_proof::model::Joint;

    use super::*;

    /// Catches millimetres in a URDF, which leave everything out of reach of everything, and links of
    /// a sound robot that are taken for such.
    #[test]
    fn links_far_away_from_what_carries_them_are_told() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let told = |change: &dyn Fn(&mut Joint, usize)| {
            let file = root.join("robots/arm6/cell.toml");
            let mut cell = load_cell(&file, &LoadOptions::default()).unwrap().cell;
            for (id, joint) in cell.joints.iter_mut().enumerate() {
                change(joint, id);
            }
            let said = loose_links(&cell, &BodyBoxes::of(&cell));
            said.into_iter()
                .map(|d| (d.severity, d.subject))
                .collect::<Vec<_>>()
        };
        let times = |k: f64| {
            move |joint: &mut Joint, _: usize| joint.parent_from_joint.translation.vector *= k
        };
        assert_eq!(told(&times(1.0)), []);
        assert_eq!(told(&times(1.3)), []);
        let millimetres = told(&times(1000.0));
        assert_eq!(millimetres[0].0, Severity::Open, "{millimetres:?}");
        assert!(millimetres[0].1.contains("arm/link_3"), "{millimetres:?}");
        // Regression: a shape that is as far off hid it.
        let file = root.join("robots/arm6/cell.toml");
        let mut cell = load_cell(&file, &LoadOptions::default()).unwrap().cell;
        for joint in &mut cell.joints {
            joint.parent_from_joint.translation.vector *= 1000.0;
        }
        let base = &mut cell.bodies[0];
        let mut far = base.shapes[0].clone();
        far.body_from_shape.translation.vector.x += 120.0;
        base.shapes.push(far);
        let said = &loose_links(&cell, &BodyBoxes::of(&cell))[0];
        assert_eq!(said.severity, Severity::Open);
        assert!(said.message.contains("look like millimetres"), "{said:?}");
        let shifted = |by: f64| {
            told(&|joint, id| {
                if id == 4 {
                    joint.parent_from_joint.translation.vector.x += by;
                }
            })
        };
        for (by, severity) in [(5.0, Severity::Notice), (150.0, Severity::Open)] {
            let said = shifted(by);
            assert_eq!(said, [(severity, "arm/link_5".to_owned())], "{by}");
        }
        // One shape of a link.
        let stray = |by: f64| {
            let mut cell = load_cell(&file, &LoadOptions::default()).unwrap().cell;
            let moving = cell
                .bodies
                .iter()
                .position(|b| b.name == "arm/link_5")
                .unwrap();
            let mut far = cell.bodies[moving].shapes[0].clone();
            far.body_from_shape.translation.vector.x += by;
            cell.bodies[moving].shapes.push(far);
            loose_links(&cell, &BodyBoxes::of(&cell))
        };
        assert_eq!(stray(0.1), []);
        for (by, severity) in [(5.0, Severity::Notice), (150.0, Severity::Open)] {
            let said = stray(by);
            let [said] = &said[..] else {
                panic!("{said:?}")
            };
            assert_eq!((said.severity, &said.subject[..]), (severity, "arm/link_5"));
            assert!(
                said.message.starts_with("of its 2 shapes number 2 ("),
                "{said:?}"
            );
        }
        // What slides may come back.
        let slides = told(&|joint, id| {
            if id == 4 {
                joint.parent_from_joint.translation.vector.x += 150.0;
                joint.kind = JointKind::Prismatic;
                joint.limits.position = Some((-150.0, 0.0));
            }
        });
        assert_eq!(slides, []);
    }
}
