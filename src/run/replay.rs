//! The data for a picture of a run: the cell, each motion, and the distances of the nearest pairs
//! over time.
//!
//! Nothing here can change an answer: it is made after the check, from the same cell and the same
//! trajectory.

use clearance_formats::{ImportError, LoadedCell};
use clearance_proof::bvh::SphereTree;
use clearance_proof::check::scene::Scene;
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::{Body, Cell, Form, Phase, Role, Shape};
use rayon::prelude::*;

use super::curves::{PlotPairs, PlotPhase, curves};
use super::inspect::{inspected, listed, not_listed};
use super::motion::drawn;
use super::program_hash::hash_of_all;
use super::report_header::unanswered;
use super::threads::with_threads;
use super::verifier::CheckedMotion;
use super::{CellJob, Job, Prepared, ProgressListener, RobotProgram, Verifier, prepare};
use crate::findings::{
    CellPose, DrawnBall, DrawnCell, DrawnShape, Inspection, Outcome, ProgramOutcome, Replay,
    ReplayPhase, ReplayPlace,
};

/// So many levels of a sphere tree are shown below its root.
const LEVELS: u8 = 7;
/// No more balls than these are shown of one shape.
const BALLS: usize = 400;

/// The data for a picture of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The cell.
    pub cell: DrawnCell,
    /// The motion of every program of the outcome; `None` for those that could not be read, or have
    /// changed since.
    pub replays: Vec<Option<Replay>>,
}

/// The data for a picture of a run; `None` for a run that was refused as a whole.
pub fn picture(job: &Job, prepared: &Prepared, outcome: &Outcome) -> Option<Picture> {
    let verifier = Verifier::new(job, prepared).ok()?;
    let checks = job.checks();
    let programs = checks.par_iter().zip(&outcome.programs);
    let replays = || {
        programs
            .map(|(programs, p)| replay(&verifier, programs, p))
            .collect()
    };
    Some(Picture {
        cell: drawn_cell(&verifier),
        replays: with_threads(job.cell.threads, replays),
    })
}

/// A cell before there is any program.
#[derive(Debug, Clone, PartialEq)]
pub struct CellPicture {
    /// The report of a run without programs.
    pub outcome: Outcome,
    /// Its parts.
    pub inspection: Inspection,
    /// The same as bodies in space.
    pub cell: DrawnCell,
    /// Where its robots may stand, first at rest.
    pub poses: Vec<CellPose>,
}

/// Reads and prepares a cell and makes what a picture of it needs. It may be one in which nothing
/// can be verified yet. `unreachable` as for [`inspect`](super::inspect).
///
/// # Errors
/// When a file that is needed cannot be used.
pub fn cell_picture(
    job: &CellJob,
    unreachable: bool,
    listener: &dyn ProgressListener,
) -> Result<CellPicture, ImportError> {
    with_threads(job.threads, || {
        let prepared = prepare(job, listener)?;
        let job = Job {
            cell: job.clone(),
            ..Job::new("", Vec::new())
        };
        let clearance = prepared.loaded.settings.clearance.unwrap_or(0.0);
        let Prepared {
            loaded: LoadedCell { cell, .. },
            trees,
            pairs,
            ..
        } = &prepared;
        let scene = Scene::new(cell, trees, pairs, clearance);
        Ok(CellPicture {
            outcome: unanswered(&job, Some(&prepared)),
            inspection: inspected(&job.cell, &prepared, unreachable),
            cell: drawn_as(&prepared, &scene),
            poses: poses(&prepared.loaded),
        })
    })
}

/// At rest, where programs of a controller start, and the states of SRDFs.
fn poses(loaded: &LoadedCell) -> Vec<CellPose> {
    let cell = &loaded.cell;
    let pose = |name: String, values: &[(usize, f64)]| {
        let mut joints = cell.rest.clone();
        for &(joint, value) in values {
            joints[joint] = value;
        }
        cell.resolve_mimic(&mut joints);
        CellPose { name, joints }
    };
    let mut found = vec![pose("at rest".to_owned(), &[])];
    for (robot, stated) in cell.robots.iter().zip(&loaded.robots) {
        let prefix = match robot.name.as_str() {
            "" => String::new(),
            name => format!("{name}: "),
        };
        if !stated.start.is_empty() {
            found.push(pose(format!("{prefix}start"), &stated.start));
        }
        for state in &stated.states {
            found.push(pose(format!("{prefix}{}", state.name), &state.values));
        }
    }
    found
}

/// The cell as a picture shows it.
pub fn drawn_cell(verifier: &Verifier) -> DrawnCell {
    drawn_as(verifier.prepared(), verifier.scene())
}

fn drawn_as(prepared: &Prepared, scene: &Scene) -> DrawnCell {
    let cell = &prepared.loaded.cell;
    let bodies = cell.bodies.iter().zip(&prepared.trees);
    let shapes = bodies.map(|(body, trees)| {
        let shapes = body.shapes.iter().zip(trees);
        shapes.map(|(s, tree)| shape(s, tree)).collect()
    });
    DrawnCell {
        cell: cell.clone(),
        shapes: shapes.collect(),
        pairs: scene.pairs.clone(),
        excluded: listed(&prepared.pairs)
            .into_iter()
            .map(|p| (p.a, p.b, p.reason.to_string()))
            .collect(),
        standing_pairs: not_listed(&prepared.pairs),
        tools: tools(cell),
    }
}

fn shape(shape: &Shape, tree: &SphereTree) -> DrawnShape {
    let outline = match &shape.form {
        Form::Cloud { .. } => Some(blocks(tree)),
        Form::Cone { .. } => Some(shape.form.mesh_and_radius().0.into_owned()),
        Form::Mesh { .. }
        | Form::Box { .. }
        | Form::Sphere { .. }
        | Form::Cylinder { .. }
        | Form::Capsule { .. } => None,
    };
    DrawnShape {
        outline,
        balls: balls(tree),
    }
}

/// How many boxes stand for a cloud in a picture, at most: nobody sees a million balls.
const BLOCKS: usize = 4096;

/// Boxes around groups of a tree's triangles, grown by its radius.
fn blocks(tree: &SphereTree) -> Mesh {
    let mut mesh = Mesh::default();
    let mut level: Vec<usize> = Vec::from_iter((!tree.nodes.is_empty()).then_some(0));
    loop {
        let below = |&index: &usize| {
            let node = &tree.nodes[index];
            let (first, is_leaf) = (node.first as usize, node.is_leaf());
            if is_leaf {
                vec![index]
            } else {
                vec![first, first + 1]
            }
        };
        let next: Vec<usize> = level.iter().flat_map(below).collect();
        if next.len() > BLOCKS || next.len() == level.len() {
            break;
        }
        level = next;
    }
    for index in level {
        let node = &tree.nodes[index];
        let [middle, half] =
            [node.box_center, node.box_half].map(|v| nalgebra::Vector3::from(v.map(f64::from)));
        let size = 2.0 * half.add_scalar(tree.radius);
        let block = Mesh::cuboid(&size);
        let first = mesh.vertices.len() as u32;
        let center = tree.origin.coords + middle;
        mesh.vertices
            .extend(block.vertices.iter().map(|v| v + center));
        let corners = block.triangles.iter();
        mesh.triangles.extend(corners.map(|t| t.map(|v| v + first)));
    }
    mesh
}

/// Level by level, as many whole levels as may be shown.
fn balls(tree: &SphereTree) -> Vec<DrawnBall> {
    let mut shown: Vec<DrawnBall> = Vec::new();
    let mut level: Vec<usize> = if tree.nodes.is_empty() {
        vec![]
    } else {
        vec![0]
    };
    for depth in 0..=LEVELS {
        if level.is_empty() || shown.len() + level.len() > BALLS {
            break;
        }
        let mut next = Vec::new();
        for &index in &level {
            let node = &tree.nodes[index];
            let center = tree.origin + nalgebra::Vector3::from(node.center.map(f64::from));
            shown.push(DrawnBall {
                center,
                radius: f64::from(node.radius) + tree.radius,
                level: depth,
                leaf: node.is_leaf(),
            });
            if !node.is_leaf() {
                next.extend([node.first as usize, node.first as usize + 1]);
            }
        }
        level = next;
    }
    shown
}

/// Attached tools, and for each robot the last link of its longest chain.
fn tools(cell: &Cell) -> Vec<usize> {
    let mut depth: Vec<usize> = Vec::with_capacity(cell.joints.len());
    for joint in &cell.joints {
        depth.push(joint.parent.map_or(1, |p| depth[p] + 1));
    }
    let mut found = Vec::new();
    for robot in 0..cell.robots.len() {
        let links = cell.bodies.iter().enumerate().filter_map(|(id, body)| {
            let far = depth[body.joint?];
            (body.role == Role::Link { robot }).then_some((far, id))
        });
        found.extend(links.max().map(|(_, id)| id));
    }
    let moving = |body: &Body| body.role == Role::Attached && body.joint.is_some();
    found.extend((0..cell.bodies.len()).filter(|&b| moving(&cell.bodies[b])));
    found
}

/// The motion of programs that were checked together (or of one), and the distances of its nearest
/// pairs over time; `None` for a program that could not be read, or is not what it was when it was
/// checked. Where any delay was asked for, the
/// motion at the delays of what was found.
pub fn replay(
    verifier: &Verifier,
    programs: &[RobotProgram],
    outcome: &ProgramOutcome,
) -> Option<Replay> {
    outcome.interpolation.as_ref()?;
    // A file that was written anew since the check is another program: its motion must not stand beside
    // the answer for the old one.
    let opened = verifier.open_all(programs);
    if outcome.hash.is_none() || hash_of_all(&opened) != outcome.hash {
        return None;
    }
    let delays = delays(outcome);
    let CheckedMotion {
        trajectory,
        undelayed,
        waypoints,
        parts,
        phases,
        rounds_corners: _,
        more_errors: _,
    } = verifier.motion_of(&opened, delays.as_deref().unwrap_or_default(), outcome)?;
    // The time at which a recording begins is not in the hash.
    let count = waypoints.as_ref().map(Vec::len);
    if (count, Some(undelayed)) != (outcome.waypoints, outcome.duration) {
        return None;
    }
    let cell = &verifier.prepared().loaded.cell;
    let plot_phases = match &phases {
        None => vec![PlotPhase::whole(verifier.scene().clone(), &trajectory)],
        Some(phases) => phases.iter().map(|p| PlotPhase::of(p, verifier)).collect(),
    };
    let plotted = PlotPairs::of(&plot_phases);
    let (curves, others_farther_than) = curves(&plotted, &plot_phases, &trajectory, outcome);
    Some(Replay {
        segments: trajectory.segments,
        waypoints: waypoints.unwrap_or_default(),
        moves: drawn(&parts, cell, !verifier.job().exact_corners),
        phases: phases.iter().flatten().map(|p| phase(p, cell)).collect(),
        pairs: phases.is_some().then(|| plotted.pairs()),
        curves,
        others_farther_than,
        delays,
    })
}

/// Where any delay was asked for, those that are shown: of the first contact, else of the least
/// distance, else none.
fn delays(outcome: &ProgramOutcome) -> Option<Vec<f64>> {
    outcome.timeline.as_ref()?.any_delay?;
    let contact = outcome.first_contact.as_ref().map(|c| &c.delays);
    let least = outcome.minimum_clearance.as_ref().map(|m| &m.delays);
    Some(contact.or(least).cloned().unwrap_or_default())
}

/// The bodies that are elsewhere than the cell file says.
fn phase(phase: &Phase, cell: &Cell) -> ReplayPhase {
    let bodies = phase.cell.bodies.iter().zip(&cell.bodies).enumerate();
    let elsewhere = bodies.filter(|(_, (now, first))| {
        (now.joint, now.joint_from_body) != (first.joint, first.joint_from_body)
    });
    ReplayPhase {
        start: phase.trajectory.segments.first().map_or(0.0, |s| s.start),
        places: elsewhere
            .map(|(body, (now, _))| ReplayPlace {
                body,
                joint: now.joint,
                joint_from_body: now.joint_from_body,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::{CacheFolder, MinimumScope, NoProgress, run_in};
    use super::*;

    fn example(program: &str) -> Job {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let program = root.join("trajectories/arm6").join(program);
        let mut job = Job::new(root.join("robots/arm6/cell.toml"), vec![program]);
        job.cell.cache = CacheFolder::Off;
        job.minimum = Some(MinimumScope::Classes);
        job
    }

    fn answer_and_picture(program: &str) -> (Outcome, Picture) {
        let job = example(program);
        let prepared = prepare(&job.cell, &NoProgress).unwrap();
        let outcome = run_in(&job, &prepared, &NoProgress);
        let picture = picture(&job, &prepared, &outcome);
        (outcome, picture.unwrap())
    }

    /// The least of all curves is the least that the report certifies, and every instant of a
    /// finding is one of its curve.
    #[test]
    fn curves_agree_with_the_report() {
        for name in ["pick_place.csv", "swing_through_guard.csv"] {
            let (outcome, Picture { cell, replays }) = answer_and_picture(name);
            let program = &outcome.programs[0];
            let least = program.minimum_clearance.as_ref().unwrap();
            let replay = replays[0].as_ref().unwrap();
            let all = replay.curves.iter().flat_map(|c| &c.distances);
            let nearest = all.copied().fold(f64::INFINITY, f64::min);
            assert!(
                (nearest - least.distance).abs() < 1e-9,
                "{nearest} {least:?}"
            );

            let pair = &cell.pairs[replay.curves[0].pair];
            assert_eq!(cell.cell.bodies[pair.a].name, least.a);
            assert_eq!(cell.cell.bodies[pair.b].name, least.b);
            if let Some(contact) = &program.first_contact {
                let times = replay.curves.iter().flat_map(|c| &c.times);
                let near = times.map(|t| (t - contact.time).abs());
                assert!(near.fold(f64::INFINITY, f64::min) < 1e-12);
            }
            for curve in &replay.curves {
                assert_eq!(curve.times.len(), curve.distances.len());
                assert_eq!(curve.times.len(), curve.bounds.len() + 1);
                assert!(curve.times.is_sorted());
            }
            assert!(replay.others_farther_than.is_some_and(|d| d > 0.0));
        }
    }

    /// Regression: a file that was written anew after it was checked had its new motion beside the
    /// answer for the old one, if it had as many waypoints and took as long.
    #[test]
    fn a_picture_shows_the_motion_that_was_checked() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.csv");
        let alone = Job {
            programs: vec![file.clone()],
            ..example("pick_place.csv")
        };
        let on = |robot: &str| RobotProgram {
            robot: Some(robot.to_owned()),
            ..RobotProgram::alone(&file)
        };
        let mut together = Job {
            together: vec![on("left"), on("right")],
            ..Job::new(root.join("robots/two_arms/cell.toml"), Vec::new())
        };
        together.cell.cache = CacheFolder::Off;
        for (job, name) in [(alone, "arm6/pick_place"), (together, "two_arms/visit")] {
            let program = root.join(format!("trajectories/{name}.csv"));
            let text = std::fs::read_to_string(program).unwrap();
            std::fs::write(&file, &text).unwrap();
            let prepared = prepare(&job.cell, &NoProgress).unwrap();
            let outcome = run_in(&job, &prepared, &NoProgress);
            let is_shown = || {
                let picture = picture(&job, &prepared, &outcome).unwrap();
                picture.replays[0].is_some()
            };
            assert!(is_shown());
            let (rest, last) = text.trim_end().rsplit_once('\n').unwrap();
            let (time, values) = last.split_once(',').unwrap();
            let moved = values.replacen(values.split(',').next().unwrap(), "0.123", 1);
            std::fs::write(&file, format!("{rest}\n{time},{moved}\n")).unwrap();
            assert!(!is_shown());
            // Events of a program are a part of it.
            std::fs::write(&file, &text).unwrap();
            let events = folder.path().join("p.events.toml");
            std::fs::write(&events, "").unwrap();
            assert!(!is_shown());
            std::fs::remove_file(&events).unwrap();
            assert!(is_shown());
        }
    }

    /// Every level covers what the one above covers: as many balls as its parents promise, leaves
    /// kept.
    #[test]
    fn levels_of_balls_are_complete() {
        let (_, Picture { cell, .. }) = answer_and_picture("pick_place.csv");
        let mut levels = 0;
        for shape in cell.shapes.iter().flatten() {
            let deepest = shape.balls.last().unwrap().level;
            for level in 0..deepest {
                let of = |l: u8| shape.balls.iter().filter(move |b| b.level == l);
                let inner = of(level).filter(|b| !b.leaf).count();
                assert_eq!(of(level + 1).count(), 2 * inner);
            }
            levels = levels.max(deepest);
        }
        assert_eq!(levels, LEVELS);
    }
}
