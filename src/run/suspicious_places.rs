//! Places that can hardly be meant: poses in millimetres where metres are read. They are notices at
//! the top of the report. A place so far away that it must be an error makes programs `unverified`.

use clearance_formats::{LoadedCell, UnitlessPoses};
use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::model::{Body, BodyId, Cell, EventChange, JointId, JointKind, Role, Timeline};
use nalgebra::{Isometry3, Point3, Vector3};

use super::extent::{BodyBoxes, LEAST_REACH_M, bounds, boxes, metres, reach, slide_limits};
use super::several_shapes::{away_from, shapes_said};
use super::uncovered::some_of;
use crate::findings::{Code, Diagnostic, Location, Severity};

/// An obstacle that is farther beyond a robot's reach than this share of it: a fence may stand just
/// outside.
const FAR: f64 = 0.25;
/// One that is so many times the reach away, and so many metres, has its pose in millimetres, which
/// are 1,000 times as many: halls with machines in them are not so large.
const SURELY_WRONG: f64 = 50.0;
const SURELY_WRONG_M: f64 = 20.0;
/// From here on a place that is stated without a unit may be in millimetres as well, if that brings it
/// within reach: cells are smaller. A unit is soon written.
const UNITLESS: f64 = 5.0;
const UNITLESS_M: f64 = 5.0;
/// Of the way by which a pose shifts what it places, so much is too much if it is in millimetres.
const TOO_MUCH: f64 = 1.0 - 1e-3;
/// What a link carries is farther from it than this share of the robot's reach, and this many
/// metres: nothing holds it there.
const LOOSE: f64 = 0.25;
const LOOSE_M: f64 = 0.5;
/// From this share of the reach on, and so many metres, it is surely wrong on a link that moves: 5
/// where 5 mm are meant lies beyond.
const SURELY_LOOSE: f64 = 1.0;
const SURELY_LOOSE_M: f64 = 1.0;
/// On a link that stands still it is surely wrong from here on: a fence may hang on the robot's base.
const SURELY_LOOSE_STANDING: f64 = 5.0;
const SURELY_LOOSE_STANDING_M: f64 = 5.0;

/// Suspicious places of a cell.
pub(super) fn suspicious_places(loaded: &LoadedCell, boxes: &BodyBoxes) -> SuspiciousPlaces {
    let (cell, unitless) = (&loaded.cell, &loaded.unitless);
    let mut found = out_of_reach(cell, boxes, unitless);
    found.notices.extend(alone(cell, boxes));
    found.notices.extend(loose(cell));
    found
}

/// What is said of places.
#[derive(Default)]
pub(super) struct SuspiciousPlaces {
    pub(super) notices: Vec<Diagnostic>,
    /// Obstacles with a place that is surely wrong; it is one of the notices.
    pub(super) far_obstacles: Option<FarObstacles>,
}

/// Obstacles of the cell file so far away that nothing gets there, and what is said of them.
#[derive(Debug, Clone)]
pub struct FarObstacles {
    pub(super) bodies: Vec<BodyId>,
    pub(super) said: Diagnostic,
}

impl FarObstacles {
    /// Whether this says it of them, and events put each of them on a link with a pose of its own:
    /// then the place where it waits for that decides nothing.
    pub(super) fn are_brought(&self, said: &Diagnostic, timeline: &Timeline) -> bool {
        let is_brought = |id: &BodyId| {
            timeline.events.iter().any(|event| match &event.change {
                EventChange::Attach {
                    bodies,
                    link_from_body,
                    ..
                } => link_from_body.is_some() && bodies.contains(id),
                _ => false,
            })
        };
        *said == self.said && self.bodies.iter().all(is_brought)
    }
}

/// An arm, which moves with a joint that hangs on the world.
struct SerialArm {
    /// Where it stands; of what moves without limits, where it rests.
    base: Point3<f64>,
    /// How far away from there it gets at most, metres, but for joints without limits.
    reach: f64,
    /// Whether each joint that slides has limits.
    limited: bool,
    /// The robot that it belongs to.
    robot: usize,
}

/// All of them.
fn arms(cell: &Cell) -> Vec<SerialArm> {
    let mut root: Vec<JointId> = Vec::with_capacity(cell.joints.len());
    // How far the moving frame of each joint gets from where its root joint stands.
    let mut away: Vec<f64> = Vec::with_capacity(cell.joints.len());
    let mut limited = vec![true; cell.joints.len()];
    let mut rest = vec![Vector3::zeros(); cell.joints.len()];
    for (id, joint) in cell.joints.iter().enumerate() {
        let (first, so_far) = match joint.parent {
            None => (id, 0.0),
            Some(parent) => {
                let step = joint.parent_from_joint.translation.vector.norm();
                (root[parent], away[parent] + step)
            }
        };
        let travel = match (joint.kind, slide_limits(joint)) {
            (_, Some((lower, upper))) => lower.abs().max(upper.abs()),
            (JointKind::Prismatic, None) => {
                limited[first] = false;
                // Free bodies slide along the axes of the world.
                rest[first] += joint.axis.into_inner() * cell.rest.get(id).copied().unwrap_or(0.0);
                0.0
            }
            _ => 0.0,
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
    let roots = (0..cell.joints.len()).filter(|&j| cell.joints[j].parent.is_none());
    let arm = |j: JointId| SerialArm {
        base: (cell.joints[j].parent_from_joint.translation.vector + rest[j]).into(),
        reach: reach[j],
        limited: limited[j],
        robot: cell.joints[j].robot,
    };
    roots.map(arm).collect()
}

/// Obstacles that no arm with limits can come to, whatever values its joints take.
fn out_of_reach(cell: &Cell, boxes: &BodyBoxes, unitless: &UnitlessPoses) -> SuspiciousPlaces {
    let all = arms(cell);
    let limited = all.iter().all(|arm| arm.limited);
    let mut arms: Vec<&SerialArm> = all.iter().filter(|arm| arm.limited).collect();
    if arms.is_empty() {
        // From where they rest.
        arms = all.iter().collect();
    }
    if arms.is_empty() {
        return SuspiciousPlaces::default();
    }
    let mut far: Vec<(BodyId, f64)> = Vec::new();
    let mut surely_wrong = far.clone();
    let beyond = |gaps: &[f64], share: f64| {
        let mut arms = arms.iter().zip(gaps);
        arms.all(|(arm, &gap)| gap > share * arm.reach)
    };
    let standing = cell.bodies.iter().enumerate();
    // What a URDF has beside its arm stands there like an obstacle; but it is drawn with the robot,
    // so it is told only where that is surely wrong.
    let stands = |b: &Body| b.joint.is_none() && b.role != Role::Attached;
    let standing = standing.filter(|(_, b)| stands(b));
    let least = |gaps: &[f64]| gaps.iter().copied().fold(f64::INFINITY, f64::min);
    let is_surely_wrong = |gaps: &[f64]| beyond(gaps, SURELY_WRONG) && least(gaps) > SURELY_WRONG_M;
    // Read in millimetres it is where an arm gets to, so that something may hit it.
    let may_be_near = |id: BodyId, gaps: &[f64]| {
        let around = |base: &Point3<f64>| distance(&cell.bodies[id], boxes.of_shapes(id), base);
        beyond(gaps, UNITLESS)
            && least(gaps) > UNITLESS_M
            && arms.iter().any(|arm| {
                let shifts = [unitless.robots.get(&arm.robot), unitless.obstacles.get(&id)];
                let bases = bases_in_millimetres(&arm.base, shifts);
                let mut gaps = bases.iter().map(|base| around(base) - arm.reach);
                gaps.any(|gap| gap <= FAR * arm.reach)
            })
    };
    let mut shapes = Vec::new();
    for (id, body) in standing.filter(|(_, body)| !body.shapes.is_empty()) {
        let around = boxes.of_shapes(id);
        let beyond_reach = |around: &[Aabb]| -> Vec<f64> {
            let gap = |arm: &&SerialArm| distance(body, around, &arm.base) - arm.reach;
            arms.iter().map(gap).collect()
        };
        let gaps = beyond_reach(around);
        match () {
            () if is_surely_wrong(&gaps)
                || body.role == Role::Obstacle && may_be_near(id, &gaps) =>
            {
                surely_wrong.push((id, least(&gaps)));
                continue;
            }
            () if beyond(&gaps, FAR) && body.role == Role::Obstacle => far.push((id, least(&gaps))),
            () => {}
        }
        // The others are where the arms are.
        let of_each = around
            .iter()
            .map(|around| beyond_reach(&[*around]))
            .enumerate();
        let wrong = of_each.filter(|(_, gaps)| is_surely_wrong(gaps));
        let wrong: Vec<(usize, f64)> = wrong.map(|(k, gaps)| (k, least(&gaps))).collect();
        if !wrong.is_empty() {
            shapes.push((id, wrong));
        }
    }
    // What moves without limits may come to it: then it decides nothing.
    let beyond = if limited {
        "of everything that moves, so no program hits it there, unless an event has a robot carry something long"
    } else {
        "of every robot; only what moves without limits can come there"
    };
    let look = "look whether its pose is in metres and in the frame that is meant";
    let remove = "write its pose in metres, or with a unit; if it does stand there, and no event brings it nearer, leave it out of the cell";
    // Then it is the robot that stands elsewhere.
    let far_base = arms
        .iter()
        .map(|arm| arm.base.coords.norm())
        .reduce(f64::min);
    let of_base = far_base.filter(|&away| away > UNITLESS_M).map(|away| {
        format!(
            "; the robot stands {} from the origin of the world: look at its `base` too",
            metres(away)
        )
    });
    let of_base = of_base.unwrap_or_default();
    let [look, remove] = [look, remove].map(|remedy| format!("{remedy}{of_base}"));
    let open = |wrong: &[(BodyId, f64)]| {
        said_far(cell, wrong, beyond, &remove).map(|said| Diagnostic {
            severity: open_if(limited),
            ..said
        })
    };
    // What a URDF has there no event can bring.
    let is_obstacle = |&(id, _): &(BodyId, f64)| cell.bodies[id].role == Role::Obstacle;
    let (obstacles, drawn): (Vec<_>, Vec<_>) = surely_wrong.into_iter().partition(is_obstacle);
    let far_obstacles = open(&obstacles).map(|said| FarObstacles {
        bodies: obstacles.iter().map(|&(id, _)| id).collect(),
        said,
    });
    let notice = said_far(cell, &far, beyond, &look).filter(|_| limited);
    let of_shapes = shapes.into_iter().map(|(id, wrong)| {
        let (numbers, gaps): (Vec<usize>, Vec<f64>) = wrong.into_iter().unzip();
        let body = &cell.bodies[id];
        let (stands, whose) = match numbers[..] {
            [_] => ("stands", "its <origin>"),
            _ => ("stand", "their <origin>s"),
        };
        let why = format!(
            "{} {stands} at least {} beyond the reach {beyond}: write {whose} in metres, or leave out what does stand there",
            shapes_said(body, &numbers),
            metres(least(&gaps))
        );
        Diagnostic {
            severity: open_if(limited),
            ..Diagnostic::notice(Code::SuspiciousPlace, &body.name, why).at(cell.place(id))
        }
    });
    let of_shapes: Vec<Diagnostic> = of_shapes.collect();
    let of_obstacles = far_obstacles.iter().map(|far| far.said.clone());
    SuspiciousPlaces {
        notices: (of_obstacles.chain(open(&drawn)).chain(notice))
            .chain(of_shapes)
            .collect(),
        far_obstacles,
    }
}

/// Where the base of an arm is beside another body, if the pose of either, or both, is in millimetres:
/// of the two, that of the robot comes first.
fn bases_in_millimetres(
    base: &Point3<f64>,
    [own, others]: [Option<&Vector3<f64>>; 2],
) -> Vec<Point3<f64>> {
    let own = own.map(|shift| -TOO_MUCH * shift);
    // As seen from the other body.
    let others = others.map(|shift| TOO_MUCH * shift);
    let both = own.zip(others).map(|(own, others)| own + others);
    let ways = [own, others, both].into_iter().flatten();
    ways.map(|way| base + way).collect()
}

/// What is said about obstacles that stand so far beyond the reach of everything, metres.
fn said_far(cell: &Cell, far: &[(BodyId, f64)], beyond: &str, remedy: &str) -> Option<Diagnostic> {
    let least = far.iter().map(|(_, gap)| *gap).reduce(f64::min)?;
    let names = far.iter().map(|&(id, _)| cell.bodies[id].name.as_str());
    let names: Vec<&str> = names.collect();
    let why = format!(
        "stands at least {} beyond the reach {beyond}: {remedy}",
        metres(least)
    );
    let first = cell.place(far.first()?.0);
    Some(Diagnostic::notice(Code::SuspiciousPlace, some_of(&names), why).at(first))
}

/// Robots and free bodies that stand far away from all others, and from all obstacles.
fn alone(cell: &Cell, boxes: &BodyBoxes) -> Vec<Diagnostic> {
    let arms = arms(cell);
    let largest = arms.iter().map(|arm| arm.reach).fold(0.0, f64::max);
    let mut said: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for arm in &arms {
        let others = arms.iter().filter(|other| other.robot != arm.robot);
        let to_arms = others.map(|other| (other.base - arm.base).norm() - other.reach);
        let standing = cell.bodies.iter().enumerate().filter(|(_, body)| {
            let own = matches!(body.role, Role::Link { robot } if robot == arm.robot);
            body.joint.is_none() && !own
        });
        let standing = standing.filter(|(_, body)| !body.shapes.is_empty());
        let to_bodies = standing.map(|(id, body)| distance(body, boxes.of_shapes(id), &arm.base));
        let nearest = to_arms.chain(to_bodies).reduce(f64::min);
        let Some(gap) = nearest.map(|nearest| nearest - arm.reach) else {
            continue;
        };
        // One robot among obstacles: these are told.
        let only = arms.iter().all(|other| other.robot == arm.robot);
        if only || gap <= SURELY_WRONG_M.max(SURELY_WRONG * largest) || said.contains(&arm.robot) {
            continue;
        }
        said.push(arm.robot);
        let body = (cell.bodies.iter())
            .position(|body| matches!(body.role, Role::Link { robot } if robot == arm.robot));
        let name = cell.robots.get(arm.robot).map_or("", |robot| &robot.name);
        let why = format!(
            "it stands {} away from everything else: write its place in metres, or with a unit",
            metres(gap)
        );
        let place = body.and_then(|body| cell.place(body));
        found.push(Diagnostic {
            // A free body may be brought there by its program.
            severity: open_if(arm.limited),
            ..Diagnostic::notice(Code::SuspiciousPlace, name, why).at(place)
        });
    }
    found
}

/// Tools and workpieces that are not where the link is that carries them.
fn loose(cell: &Cell) -> Vec<Diagnostic> {
    let reach = reach(cell);
    let mut found = Vec::new();
    for (id, body) in cell.bodies.iter().enumerate() {
        let Some(loose) = Loose::by_pose(cell, id, reach) else {
            continue;
        };
        let why = format!("it is {}", loose.words);
        found.push(Diagnostic {
            severity: loose.severity,
            ..Diagnostic::notice(Code::SuspiciousPlace, &body.name, why).at(cell.place(id))
        });
    }
    found
}

/// The same of what events attach with a stated pose.
pub(super) fn loose_by_events(cell: &Cell, timeline: &Timeline) -> Vec<Diagnostic> {
    let reach = reach(cell);
    let mut found = Vec::new();
    for event in &timeline.events {
        let EventChange::Attach {
            bodies,
            link,
            link_from_body: Some(link_from_body),
            ..
        } = &event.change
        else {
            continue;
        };
        for &id in bodies {
            let body = &cell.bodies[id];
            let Some(loose) = Loose::find([&cell.bodies[*link], body], link_from_body, reach)
            else {
                continue;
            };
            let place = Location::at(&event.file, event.line, None);
            let why = format!("the event puts `{}` where it is {}", body.name, loose.words);
            found.push(Diagnostic {
                severity: loose.severity,
                ..Diagnostic::notice(Code::SuspiciousPlace, place.to_string(), why).at(place)
            });
        }
    }
    found
}

/// A body so far from the link that carries it that nothing can hold it there.
pub(super) struct Loose {
    words: String,
    pub(super) severity: Severity,
}

impl Loose {
    /// Of a body that is attached by its stated pose.
    pub(super) fn by_pose(cell: &Cell, id: BodyId, reach: f64) -> Option<Self> {
        let body = &cell.bodies[id];
        let parent = body.parent.filter(|_| body.role == Role::Attached)?;
        let carrier = &cell.bodies[parent];
        if carrier.joint != body.joint {
            return None;
        }
        let carrier_from_body = carrier.joint_from_body.inverse() * body.joint_from_body;
        Self::find([carrier, body], &carrier_from_body, reach)
    }

    /// `reach` is that of the cell's robots, metres.
    fn find(
        [carrier, body]: [&Body; 2],
        carrier_from_body: &Isometry3<f64>,
        reach: f64,
    ) -> Option<Self> {
        if reach < LEAST_REACH_M {
            return None;
        }
        let own = boxes(body).into_iter();
        let own = own.map(|own| Aabb::of(own.corners().map(|p| carrier_from_body * p)));
        let own: Vec<Aabb> = own.collect();
        let mut of_carrier = boxes(carrier);
        if of_carrier.is_empty() {
            of_carrier.push(Aabb::at(&Point3::origin()));
        }
        let gaps = away_from(&of_carrier, &own);
        let gap = gaps.into_iter().reduce(f64::min)?;
        let [share, least_m] = match carrier.joint {
            Some(_) => [SURELY_LOOSE, SURELY_LOOSE_M],
            None => [SURELY_LOOSE_STANDING, SURELY_LOOSE_STANDING_M],
        };
        let surely = gap > least_m.max(share * reach);
        (gap > LOOSE_M.max(LOOSE * reach)).then(|| Self {
            words: format!(
                "{} away from `{}`, which carries it: look whether its pose is in metres; write it with a unit, as in \"150mm\"",
                metres(gap),
                carrier.name
            ),
            severity: open_if(surely),
        })
    }
}

fn open_if(decides: bool) -> Severity {
    if decides {
        Severity::Open
    } else {
        Severity::Notice
    }
}

/// Distance of a point of the world from the nearest box around a shape of a body that stands there.
fn distance(body: &Body, boxes: &[Aabb], point: &Point3<f64>) -> f64 {
    let p = Aabb::at(&(body.joint_from_body.inverse() * point));
    let gaps = boxes.iter().map(|around| around.gap(&p));
    gaps.fold(f64::INFINITY, f64::min)
}
