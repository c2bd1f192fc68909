//! Facts about a cell before its file is written: units that must be stated, pairs that touch,
//! joints that no program moves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clearance_formats::{ImportError, LoadOptions, LoadedCell, folder_of, parse_cell};
use clearance_programs::ControlledArm;
use clearance_proof::model::{
    Body, Cell, Column, Form, JointId, JointKind, Program, Quantity, Role, Waypoint,
};
use rayon::prelude::*;

use super::extent::{BodyBoxes, suspicions};
use super::prepare::prepare_cell;
use super::{CellJob, Job, Prepared, ProgressEvent, ProgressListener, Verifier, with_threads};
use crate::findings::{Code, Draft, DraftObstacle, Overlap, ProgramOutcome, UnstatedPlace};

/// Pairs are told apart to this length only: what is sought are overlaps.
const RESOLUTION_M: f64 = 1e-3;

/// The input from which a draft is completed.
pub struct DraftJob<'j> {
    /// The cell as it will be; its source is the file that is to be written, which need not be
    /// there.
    pub cell: &'j CellJob,
    /// That file.
    pub file: &'j Path,
    /// Programs to look at.
    pub programs: &'j [PathBuf],
    /// Writes a draft as a cell file.
    pub written: &'j (dyn Fn(&Draft) -> String + Sync),
}

/// Finds out what is to be proposed.
///
/// # Errors
/// When a file that the draft names cannot be used.
pub fn complete(
    mut draft: Draft,
    job: &DraftJob,
    listener: &dyn ProgressListener,
) -> Result<Draft, ImportError> {
    with_threads(job.cell.threads, || {
        listener.event(&ProgressEvent::Loading);
        ask_the_robots(&mut draft, job)?;
        let loaded = load(&draft, job)?;
        for doubt in suspicions(&loaded.cell, &BodyBoxes::of(&loaded.cell)) {
            let named = draft.obstacles.iter_mut().find(|o| o.name == doubt.body);
            if let Some(obstacle) = named {
                obstacle.doubt = Some(doubt.why);
            }
        }
        // Where the unit is open, nobody can say what the obstacle touches.
        let sure = Draft {
            obstacles: (draft.obstacles.iter())
                .filter(|o| o.doubt.is_none())
                .cloned()
                .collect(),
            ..draft.clone()
        };
        let start = Instant::now();
        let loaded = if sure.obstacles.len() == draft.obstacles.len() {
            loaded
        } else {
            load(&sure, job)?
        };
        let prepared = prepare_cell(loaded, start.elapsed(), &job.cell.cache.open(), listener);
        let codes = [Code::UncheckedLink, Code::UncheckedBody];
        // A notice is about all of them at once.
        let open = prepared.unchecked.iter();
        let mut links: Vec<String> = open
            .filter(|d| codes.contains(&d.code))
            .map(|d| d.subject.clone())
            .collect();
        links.sort();
        links.dedup();
        draft.visual_only = links;
        look(&mut draft, &prepared, job, listener);
        Ok(draft)
    })
}

/// Takes from the robots alone what is said of them. Obstacles that are the robots' own meshes are left
/// out, and those that are called as a link is get another name.
fn ask_the_robots(draft: &mut Draft, job: &DraftJob) -> Result<(), ImportError> {
    let robots = Draft {
        robots: draft.robots.clone(),
        ..Draft::default()
    };
    let loaded = load(&robots, job)?;
    for (id, robot) in draft.robots.iter_mut().enumerate() {
        let states = loaded.robots[id].states.iter();
        robot.states = states.map(|s| format!("{}/{}", s.group, s.name)).collect();
        let name = &loaded.cell.robots[id].name;
        if let (Some(dialect), Ok(arm)) = (robot.dialect, ControlledArm::of(&loaded, Some(name))) {
            robot.counted = arm.usual_joints(dialect);
        }
        (robot.base, robot.flange) = base_and_flange(&loaded.cell, id);
    }
    leave_out_own_meshes(draft, &loaded.cell, folder_of(job.file));
    let links = loaded.cell.bodies.into_iter();
    let mut known: BTreeSet<String> = links.map(|link| link.name).collect();
    for obstacle in &mut draft.obstacles {
        let stem = obstacle.name.clone();
        let mut k = 1;
        while !known.insert(obstacle.name.clone()) {
            k += 1;
            obstacle.name = format!("{stem}_{k}");
        }
    }
    Ok(())
}

/// A mesh is a robot's own only if this very file is checked as a part of it: an obstacle that is left
/// out for its name would be missing from every check. A part of the robot that stays touches it, and
/// so is seen.
fn leave_out_own_meshes(draft: &mut Draft, robots: &Cell, folder: &Path) {
    let shapes = robots.bodies.iter().flat_map(|link| &link.shapes);
    let files = shapes.filter_map(|shape| match &shape.form {
        Form::Mesh { file, .. } | Form::Cloud { file, .. } => file.canonicalize().ok(),
        _ => None,
    });
    let checked: BTreeSet<PathBuf> = files.collect();
    let is_own = |obstacle: &mut DraftObstacle| {
        let file = folder.join(&obstacle.mesh).canonicalize();
        file.is_ok_and(|file| checked.contains(&file))
    };
    let own = draft.obstacles.extract_if(.., is_own);
    draft.own_meshes.extend(own.map(|mesh| mesh.given));
}

/// What URDFs call the link that a controller takes for its own frame: those of ROS-Industrial and of
/// most makers, and those of FANUC itself.
pub(super) const BASES: [&str; 2] = ["base", "wbase"];

/// What they call the end of the arm as the controller has it. (`flange` has other axes than that in
/// most of them.)
const FLANGES: [&str; 3] = ["tool0", "fanuc_flange", "flange"];

/// The links that the controller of a robot takes for its own frame, and for the end of the arm: those
/// with the usual names, if there are such, else the first one and the usual name.
fn base_and_flange(cell: &Cell, robot: usize) -> (String, String) {
    let prefix = match cell.robots[robot].name.as_str() {
        "" => String::new(),
        name => format!("{name}/"),
    };
    let own = |body: &&Body| matches!(body.role, Role::Link { robot: r } if r == robot);
    let links = cell.bodies.iter().filter(own);
    let names = links.filter_map(|link| Some((link, link.name.strip_prefix(&*prefix)?)));
    let called = |wanted: &str| names.clone().find(|(_, name)| *name == wanted);
    let standing = |wanted: &&str| called(wanted).is_some_and(|(link, _)| link.joint.is_none());
    let base = BASES.into_iter().find(standing);
    let first = names.clone().next().map(|(_, name)| name);
    let mut flanges = FLANGES.into_iter();
    let flange = flanges.find(|wanted| called(wanted).is_some());
    (
        base.or(first).unwrap_or("base_link").to_owned(),
        flange.unwrap_or(FLANGES[0]).to_owned(),
    )
}

fn load(draft: &Draft, job: &DraftJob) -> Result<LoadedCell, ImportError> {
    let options = LoadOptions {
        visual_as_collision: job.cell.visual_as_collision,
        package_roots: job.cell.packages.clone(),
        ..LoadOptions::default()
    };
    parse_cell(job.file, (job.written)(draft).as_bytes(), &options)
}

/// The contacts of a pair so far.
#[derive(Default)]
struct SeenSoFar {
    depth: Option<f64>,
    at_rest: bool,
    /// At how many other postures.
    postures: usize,
    throughout: usize,
    partly: usize,
}

/// Looks at the cell at rest and at all programs.
fn look(draft: &mut Draft, prepared: &Prepared, job: &DraftJob, listener: &dyn ProgressListener) {
    let question = Job {
        cell: job.cell.clone(),
        clearance: Some(0.0),
        resolution: Some(RESOLUTION_M),
        limits: Some(false),
        all: true,
        ..Job::new("", Vec::new())
    };
    let verifier = match Verifier::new(&question, prepared) {
        Ok(verifier) => verifier,
        Err(why) => {
            draft.refused = Some(why.to_string());
            return;
        }
    };
    let mut pairs: BTreeMap<(String, String), SeenSoFar> = BTreeMap::new();
    let cell = &prepared.loaded.cell;
    if let Some(rest) = posture(cell, |joint| cell.rest[joint]) {
        let outcome = verifier.verify_program(&rest, &|_| ());
        if outcome.interpolation.is_none() {
            draft.refused = outcome.error;
            return;
        }
        for (pair, touch) in touches(&outcome) {
            let seen = pairs.entry(pair).or_default();
            seen.at_rest = true;
            seen.depth = deeper(seen.depth, touch.depth);
        }
    }
    let others = SHARES.map(|share| posture(cell, |joint| within_limits(cell, joint, share)));
    let others: Vec<Program> = others.into_iter().flatten().collect();
    for other in &others {
        for (pair, _) in touches(&verifier.verify_program(other, &|_| ())) {
            // Pairs that touch there alone are nothing that the user has asked for.
            if let Some(seen) = pairs.get_mut(&pair) {
                seen.postures += 1;
            }
        }
    }
    let outcomes: Vec<ProgramOutcome> = job
        .programs
        .par_iter()
        .enumerate()
        .map(|(index, file)| {
            let progress = |fraction| listener.event(&ProgressEvent::Program { index, fraction });
            let outcome = verifier.verify_file(file, &progress);
            listener.event(&ProgressEvent::ProgramDone {
                index,
                outcome: &outcome,
            });
            outcome
        })
        .collect();
    let mut moved: Vec<&String> = Vec::new();
    for outcome in &outcomes {
        if outcome.interpolation.is_none() {
            let why = outcome.error.clone().unwrap_or_default();
            draft.unread.push((outcome.program.clone(), why));
            continue;
        }
        draft.programs += 1;
        moved.extend(&outcome.joints);
        for (pair, touch) in touches(outcome) {
            let seen = pairs.entry(pair).or_default();
            seen.depth = deeper(seen.depth, touch.depth);
            if touch.throughout {
                seen.throughout += 1
            } else {
                seen.partly += 1
            }
        }
    }
    if draft.programs > 0 {
        resting(draft, cell, &moved);
    }
    let overlap = |((a, b), seen): ((String, String), SeenSoFar)| Overlap {
        unplaced: unplaced(cell, [&a, &b]),
        a,
        b,
        depth: seen.depth,
        at_rest: seen.at_rest,
        in_all_postures: seen.postures == others.len(),
        throughout: seen.throughout,
        partly: seen.partly,
    };
    draft.overlaps = pairs.into_iter().map(overlap).collect();
}

/// What a draft does not state of where two bodies stand.
fn unplaced(cell: &Cell, names: [&str; 2]) -> Option<UnstatedPlace> {
    let bodies = names.map(|name| cell.body(name).map(|id| &cell.bodies[id]));
    let roles = bodies.map(|body| body.map(|body| body.role));
    let obstacle = bodies
        .into_iter()
        .flatten()
        .find(|b| b.role == Role::Obstacle);
    match (obstacle, roles) {
        (Some(obstacle), _) => Some(UnstatedPlace::Pose(obstacle.name.clone())),
        (None, [Some(Role::Link { robot: a }), Some(Role::Link { robot: b })]) if a != b => {
            Some(UnstatedPlace::Base)
        }
        _ => None,
    }
}

/// Postures at which pairs are looked at beside the cell's own, as shares of the joints' limits: what
/// is drawn to touch touches there too.
const SHARES: [f64; 2] = [0.25, 0.75];

/// The value of a joint at such a share; of one without limits a radian beside where it rests.
fn within_limits(cell: &Cell, joint: JointId, share: f64) -> f64 {
    let described = &cell.joints[joint];
    match (described.limits.position, described.kind) {
        (Some((lower, upper)), _) => lower + share * (upper - lower),
        (None, JointKind::Prismatic) => cell.rest[joint],
        (None, _) => cell.rest[joint] + (share - 0.5) * 4.0,
    }
}

/// A program that stands still, with these joint values.
fn posture(cell: &Cell, value: impl Fn(JointId) -> f64) -> Option<Program> {
    let free = (0..cell.joints.len()).filter(|&joint| cell.joints[joint].mimic.is_none());
    let (columns, positions): (Vec<Column>, Vec<f64>) = free
        .map(|joint| {
            let column = Column {
                joint: cell.joint_label(joint).into(),
                line: Some(1),
                quantity: Quantity::Message,
            };
            (column, value(joint))
        })
        .unzip();
    (!columns.is_empty()).then(|| Program {
        source: PathBuf::from("rest"),
        columns,
        waypoints: vec![Waypoint::new(0.0, positions, 1)],
        ..Program::default()
    })
}

/// How a pair touches in one program.
#[derive(Default)]
struct TouchingPair {
    depth: Option<f64>,
    throughout: bool,
}

/// Every pair that touches in a program.
fn touches(outcome: &ProgramOutcome) -> BTreeMap<(String, String), TouchingPair> {
    let duration = outcome.duration.unwrap_or(0.0);
    let mut found: BTreeMap<(String, String), TouchingPair> = BTreeMap::new();
    for contact in &outcome.contacts {
        let touch = (found.entry((contact.a.clone(), contact.b.clone()))).or_default();
        touch.depth = deeper(touch.depth, contact.depth);
        let lasts = contact.until.unwrap_or(contact.time) - contact.free_until;
        // All of the time, but for what a sum of times is rounded by.
        touch.throughout |= lasts >= duration * (1.0 - 1e-9);
    }
    found
}

/// The greater of two depths that may not be known.
fn deeper(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::max)
}

/// Joints that none of the programs moves.
fn resting(draft: &mut Draft, cell: &Cell, moved: &[&String]) {
    for (joint, described) in cell.joints.iter().enumerate() {
        let label = cell.joint_label(joint);
        if described.mimic.is_none()
            && !moved.contains(&&label)
            && let Some(robot) = draft.robots.get_mut(described.robot)
        {
            (robot.resting).push((described.name.clone(), cell.rest[joint]));
        }
    }
}
