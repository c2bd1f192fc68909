//! Places, proportions and thresholds that can hardly be meant: each is said first, and decides
//! nothing, but for a place so far away that nobody can mean it.

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::model::{Body, BodyId, Cell, JointId, JointKind, Role};
use nalgebra::{Isometry3, Point3};

use super::extent::{LEAST_REACH_M, bounds, metres, reach};
use super::uncovered::some_of;
use crate::findings::{Code, Diagnostic, Location, Severity};

/// A link so many times larger than all its neighbours, or so many times smaller, is drawn in
/// another unit: inches are 25.4. Links of real robots stay below 10.
const LARGER: f64 = 20.0;
const SMALLER: f64 = 1.0 / 20.0;
/// An obstacle that is farther beyond a robot's reach than this share of it: a fence may stand just
/// outside.
const FAR: f64 = 0.25;
/// One that is so many times the reach away, and so many metres, has its pose in millimetres, which
/// are 1,000 times as many: halls with machines in them are not so large.
const SURELY_WRONG: f64 = 50.0;
const SURELY_WRONG_M: f64 = 20.0;
/// A threshold of so much of the robot's reach leaves it no room.
const SHARE_OF_REACH: f64 = 0.5;
/// A threshold from here on is not one of a cell, metres.
const WIDE_M: f64 = 1.0;

/// Suspicious facts about a cell.
pub(super) fn suspicious(cell: &Cell) -> Vec<Diagnostic> {
    let mut found = neighbours(cell);
    found.extend(out_of_reach(cell));
    found
}

fn notice(what: String, place: Option<Location>, why: String, code: Code) -> Diagnostic {
    Diagnostic {
        subject: what,
        place,
        message: why,
        severity: Severity::Notice,
        code,
    }
}

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
        notice("clearance".to_owned(), None, why, Code::SuspiciousClearance)
    })
}

/// Links and parts that are much larger, or much smaller, than everything that they are joined to.
fn neighbours(cell: &Cell) -> Vec<Diagnostic> {
    let size = |body| bounds(body).map(|around| around.size().norm());
    let sizes: Vec<Option<f64>> = cell.bodies.iter().map(size).collect();
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
    let ids = 0..cell.bodies.len();
    ids.filter(|&id| cell.bodies[id].joint.is_some())
        .filter_map(|id| {
            let own = sizes[id]?;
            let largest = beside[id].iter().copied().reduce(f64::max)?;
            let least = beside[id].iter().copied().reduce(f64::min)?;
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
            Some(notice(
                cell.bodies[id].name.clone(),
                cell.place(id),
                why,
                Code::SuspiciousScale,
            ))
        })
        .collect()
}

/// Obstacles that nothing which moves can come to, whatever values the joints take.
fn out_of_reach(cell: &Cell) -> Vec<Diagnostic> {
    let Some(arms) = arms(cell) else {
        return Vec::new();
    };
    let mut far: Vec<(BodyId, f64)> = Vec::new();
    let mut surely_wrong = far.clone();
    let beyond = |gaps: &[f64], share: f64| {
        let mut arms = arms.iter().zip(gaps);
        arms.all(|(arm, &gap)| gap > share * arm.reach)
    };
    let standing = cell.bodies.iter().enumerate();
    let standing = standing.filter(|(_, b)| b.role == Role::Obstacle && b.joint.is_none());
    for (id, body) in standing {
        let Some(bounds) = bounds(body) else { continue };
        let gaps: Vec<f64> = arms
            .iter()
            .map(|arm| distance(body, &bounds, &arm.base) - arm.reach)
            .collect();
        let gap = gaps.iter().copied().fold(f64::INFINITY, f64::min);
        match () {
            () if beyond(&gaps, SURELY_WRONG) && gap > SURELY_WRONG_M => {
                surely_wrong.push((id, gap))
            }
            () if beyond(&gaps, FAR) => far.push((id, gap)),
            () => {}
        }
    }
    let look = "look whether its pose is in metres and in the frame that is meant";
    let remove = "write its pose in metres, or with a unit; if it does stand there, and no event brings it nearer, leave it out of the cell";
    let open = said_far(cell, &surely_wrong, remove).map(|said| Diagnostic {
        severity: Severity::Open,
        ..said
    });
    open.into_iter().chain(said_far(cell, &far, look)).collect()
}

/// What is said about obstacles that stand so far beyond the reach of everything, metres.
fn said_far(cell: &Cell, far: &[(BodyId, f64)], remedy: &str) -> Option<Diagnostic> {
    let least = far.iter().map(|(_, gap)| *gap).reduce(f64::min)?;
    let names = far.iter().map(|&(id, _)| cell.bodies[id].name.as_str());
    let names: Vec<&str> = names.collect();
    let why = format!(
        "stands at least {} beyond the reach of everything that moves, so no program can hit it there: {remedy}",
        metres(least)
    );
    let first = cell.place(far.first()?.0);
    Some(notice(some_of(&names), first, why, Code::SuspiciousPlace))
}

/// An arm, which moves with a joint that hangs on the world: its place, and how far away from there
/// it gets at most, metres.
struct SerialArm {
    base: Point3<f64>,
    reach: f64,
}

/// All of them; `None` where nothing moves, or something without a limit.
fn arms(cell: &Cell) -> Option<Vec<SerialArm>> {
    let mut root: Vec<JointId> = Vec::with_capacity(cell.joints.len());
    // How far the moving frame of each joint gets from where its root joint stands.
    let mut away: Vec<f64> = Vec::with_capacity(cell.joints.len());
    for (id, joint) in cell.joints.iter().enumerate() {
        let travel = match (joint.kind, joint.limits.position) {
            (JointKind::Prismatic, Some((lower, upper))) => lower.abs().max(upper.abs()),
            (JointKind::Prismatic, None) => return None,
            _ => 0.0,
        };
        let (first, so_far) = match joint.parent {
            None => (id, 0.0),
            Some(parent) => {
                let step = joint.parent_from_joint.translation.vector.norm();
                (root[parent], away[parent] + step)
            }
        };
        root.push(first);
        away.push(so_far + travel);
    }
    let mut reach = vec![0.0f64; cell.joints.len()];
    for body in &cell.bodies {
        if let (Some(joint), Some(around)) = (body.joint, bounds(body)) {
            let farthest = around
                .corners()
                .map(|p| (body.joint_from_body * p).coords.norm());
            let farthest = farthest.into_iter().fold(0.0, f64::max);
            reach[root[joint]] = reach[root[joint]].max(away[joint] + farthest);
        }
    }
    let arms = (0..cell.joints.len()).filter(|&j| cell.joints[j].parent.is_none());
    let arms: Vec<SerialArm> = arms
        .map(|j| SerialArm {
            base: cell.joints[j].parent_from_joint.translation.vector.into(),
            reach: reach[j],
        })
        .collect();
    (!arms.is_empty()).then_some(arms)
}

/// Distance of a point of the world from the box around a body that stands there.
fn distance(body: &Body, around: &Aabb, point: &Point3<f64>) -> f64 {
    let world_from_body: Isometry3<f64> = body.joint_from_body;
    let p = world_from_body.inverse() * point;
    around.gap(&Aabb::at(&p))
}
