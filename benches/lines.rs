//! The price of a straight move of the tool, beside a joint move between the same joint values.
//!
//! `cargo bench --bench lines -- [--repeats N] [--each] FOLDER...`, each folder with `cell.toml`
//! and `trajectories/*.csv` of an arm of six joints. Without a folder: our own example of arm6.
//!
//! From every waypoint of a program two straight moves lead towards the next one: one that turns
//! the tool as it is turned there, and one that only takes it to that place. Where a move cannot be
//! gone, or touches something, half of it is tried, and so on. What counts is finding the
//! curves of the joints and their check; the joint move leads to the same joint values.
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

mod common;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::moves::{
    Branch, Frame, Move, MoveKind, MoveProgram, Speed, Target, Zone,
};
use clearance_proof::model::{Cell, JointId, RigidError, Role, Trajectory};
use clearance_proof::motion::programmed::CellMoves;
use clearance_proof::report::{Location, Verdict};
use common::{Workload, median, milliseconds, ours, programs, stem};
use nalgebra::{Isometry3, Translation3};

/// Halvings of a move that cannot be gone.
const HALVINGS: i32 = 4;
/// The tool's point is so far from the last link's origin, metres.
const TOOL_M: f64 = 0.15;

#[derive(Parser)]
struct Options {
    /// Folders of workloads
    folders: Vec<String>,
    /// Runs of every move; the shortest counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    repeats: u64,
    /// Print every move
    #[arg(long)]
    each: bool,
    /// Given by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let mut jobs: Vec<(PathBuf, PathBuf)> = (options.folders.iter())
        .map(|folder| {
            (
                Path::new(folder).join("cell.toml"),
                Path::new(folder).join("trajectories"),
            )
        })
        .collect();
    if jobs.is_empty() {
        jobs.push((ours("robots/arm6/cell.toml"), ours("trajectories/arm6")));
    }
    println!(
        "| cell | the tool | moves | pieces: median | joint move: curves, check, ms | straight move: curves, check, ms | straight / joint: median | most |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (cell, folder) in jobs {
        if let Err(problem) = workload(&cell, &folder, &options) {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// One cell with its programs.
fn workload(file: &Path, folder: &Path, options: &Options) -> Result<(), String> {
    let workload = Workload::file(file)?;
    let scene = workload.scene();
    let bench = Bench::new(&workload, &scene)?;
    for turning in [false, true] {
        let mut moves: Vec<Cost> = Vec::new();
        for file in programs(folder)? {
            let Ok(trajectory) = workload.trajectory(&file) else {
                continue;
            };
            for segment in &trajectory.segments {
                let ends = [0.0, 1.0].map(|s| {
                    let mut q = Vec::new();
                    segment.configuration(s, &mut q);
                    q
                });
                let Some(cost) = bench.cost(&ends, turning, options.repeats) else {
                    continue;
                };
                if options.each {
                    eprintln!("  {:20} {cost:.3?} {:.1}", stem(&file), cost.ratio());
                }
                moves.push(cost);
            }
        }
        let middle = |of: &dyn Fn(&Cost) -> f64| median(&moves.iter().map(of).collect::<Vec<_>>());
        println!(
            "| {} | {} | {} | {} | {:.3}, {:.3} | {:.3}, {:.3} | {:.1} | {:.1} |",
            file.parent().unwrap_or(file).display(),
            if turning {
                "turns"
            } else {
                "keeps its orientation"
            },
            moves.len(),
            middle(&|cost| cost.pieces as f64),
            middle(&|cost| cost.joint[0]),
            middle(&|cost| cost.joint[1]),
            middle(&|cost| cost.line[0]),
            middle(&|cost| cost.line[1]),
            middle(&Cost::ratio),
            moves.iter().map(Cost::ratio).fold(0.0, f64::max),
        );
    }
    Ok(())
}

/// The price of a move, milliseconds: of the curves of its joints, and of their check.
#[derive(Debug, Clone, Copy)]
struct Cost {
    pieces: usize,
    joint: [f64; 2],
    line: [f64; 2],
}

impl Cost {
    fn ratio(&self) -> f64 {
        self.line.iter().sum::<f64>() / self.joint.iter().sum::<f64>()
    }
}

/// An arm in a cell.
struct Bench<'b> {
    workload: &'b Workload,
    scene: &'b Scene<'b>,
    joints: Vec<JointId>,
    tool: Frame,
    root: Frame,
}

impl<'b> Bench<'b> {
    fn new(workload: &'b Workload, scene: &'b Scene<'b>) -> Result<Self, String> {
        let cell = &workload.prepared.loaded.cell;
        let last = (0..cell.joints.len())
            .rev()
            .find(|&j| cell.joints[j].mimic.is_none());
        let mut joints: Vec<JointId> =
            std::iter::successors(last, |&j| cell.joints[j].parent).collect();
        joints.reverse();
        let link = |joint| {
            let of = |b: &&clearance_proof::model::Body| {
                b.joint == joint && matches!(b.role, Role::Link { .. })
            };
            let body = cell
                .bodies
                .iter()
                .find(of)
                .ok_or("an arm whose links have bodies is needed")?;
            Ok::<Frame, String>(Frame {
                link: body.name.clone(),
                link_from_frame: Isometry3::identity(),
            })
        };
        if joints.len() != 6 {
            return Err("straight moves need an arm of six joints".to_owned());
        }
        Ok(Bench {
            workload,
            scene,
            tool: Frame {
                link_from_frame: Translation3::new(0.0, 0.0, TOOL_M).into(),
                ..link(last)?
            },
            root: link(None)?,
            joints,
        })
    }

    /// The price of the longest move of a few that can be gone.
    fn cost(&self, [from, to]: &[Vec<f64>; 2], turning: bool, repeats: u64) -> Option<Cost> {
        let cell = &self.workload.prepared.loaded.cell;
        (0..HALVINGS).find_map(|k| {
            let share = 0.5_f64.powi(k);
            let end: Vec<f64> = from
                .iter()
                .zip(to)
                .map(|(a, b)| a + share * (b - a))
                .collect();
            let [here, there] = [from, &end].map(|q| self.tool_at(cell, q));
            let target = if turning {
                there
            } else {
                Isometry3::from_parts(there.translation, here.rotation)
            };
            let pose = Target::Pose {
                frame: self.root.clone(),
                frame_from_tool: self.root_at(cell).inv_mul(&target),
                branch: Branch::Continued,
            };
            let line = self.program(from, MoveKind::Linear, pose);
            let moves = CellMoves::new(&line, cell, 0.1).ok()?;
            let goal = Target::Joints(moves.ends.last()?.q.clone());
            let joint = self.program(from, MoveKind::Joint, goal);
            let mut best = [[f64::INFINITY; 2]; 2];
            for _ in 0..repeats {
                for (program, best) in [&joint, &line].into_iter().zip(&mut best) {
                    let find = || CellMoves::new(program, cell, 0.1);
                    let (finding, found) = milliseconds(find);
                    let trajectory: Trajectory = found.ok()?.trajectory;
                    let ask = || {
                        self.scene
                            .check(&trajectory, &self.workload.options(), &|_| ())
                    };
                    let (checking, answer) = milliseconds(ask);
                    if answer.verdict != Verdict::Clear {
                        return None;
                    }
                    *best = [best[0].min(finding), best[1].min(checking)];
                }
            }
            Some(Cost {
                pieces: moves.trajectory.segments.len(),
                joint: best[0],
                line: best[1],
            })
        })
    }

    fn program(&self, from: &[f64], kind: MoveKind, target: Target) -> MoveProgram {
        let cell = &self.workload.prepared.loaded.cell;
        MoveProgram {
            source: PathBuf::new(),
            name: String::new(),
            robot: None,
            joints: self.joints.iter().map(|&j| cell.joint_label(j)).collect(),
            start: Some(self.joints.iter().map(|&j| from[j]).collect()),
            moves: vec![Move {
                kind,
                target,
                tool: self.tool.clone(),
                zone: Zone::Stop,
                speed: Speed::Unknown,
                label: String::new(),
                routine: String::new(),
                place: Location::file(Path::new("")),
            }],
            goes_round: false,
            turn_lead: 0.0,
            model_difference: RigidError::default(),
            unknown: Vec::new(),
            passed_over: Vec::new(),
        }
    }

    /// The pose of the tool at values of all joints.
    fn tool_at(&self, cell: &Cell, q: &[f64]) -> Isometry3<f64> {
        self.body_at(cell, q, &self.tool)
    }

    /// The pose of the arm's root link.
    fn root_at(&self, cell: &Cell) -> Isometry3<f64> {
        self.body_at(cell, &cell.rest, &self.root)
    }

    fn body_at(&self, cell: &Cell, q: &[f64], frame: &Frame) -> Isometry3<f64> {
        let body = cell.bodies.iter().position(|b| b.name == frame.link);
        let poses = cell.forward(q);
        body.map_or_else(Isometry3::identity, |body| cell.body_pose(&poses, body))
            * frame.link_from_frame
    }
}
