//! What a certificate says of the files and options that it comes from: only its maker can vouch
//! for it.

use std::path::Path as FilePath;

use clearance_certify::sha256;
use clearance_formats::program::many::{self, Layout};
use clearance_proof::motion::programmed::CellMoves;

use crate::findings::{Diagnostic, ProgramOutcome};
use crate::run::{CellJob, CellSource, Job, OpenedProgram, RobotProgram};

/// What a reader of a certificate must know of its motion: which of several motions of the same
/// files it is, what the report says of it, and that nothing is said of limits.
pub(super) fn of_motion(
    job: &Job,
    opened: &[OpenedProgram],
    outcome: &ProgramOutcome,
) -> Vec<String> {
    let mut notes = Vec::new();
    let programs = opened.iter().map(|one| &one.named);
    let of_many = programs.clone().filter(|p| many::place(&p.file).is_some());
    for one in of_many {
        notes.push(format!("program: {}", one.file.display()));
    }
    let alone = |p: &RobotProgram| p.robot.is_none() && p.offset_s == 0.0;
    if !programs.clone().all(alone) {
        let names: Vec<String> = programs.map(RobotProgram::to_string).collect();
        notes.push(format!("run as: {}", names.join(", ")));
    }
    let options = options_of_motion(job);
    if !options.is_empty() {
        notes.push(format!("options: {}", options.join(" ")));
    }
    for said in outcome.notices.iter().chain(&outcome.unchecked) {
        notes.push(told(said));
    }
    let mut beyond: Vec<&str> = outcome.limits.iter().map(|l| l.joint.as_str()).collect();
    beyond.sort_unstable();
    beyond.dedup();
    if !beyond.is_empty() {
        notes.push(format!(
            "this motion is beyond limits of {}: a certificate is about distances only",
            beyond.join(", ")
        ));
    }
    notes
}

pub(super) fn told(said: &Diagnostic) -> String {
    format!("{}: {}", said.subject, said.message)
}

/// The options of a run, as the command line has them, that decide what a cell of the same files is.
pub(super) fn options_of_cell(cell: &CellJob) -> Vec<String> {
    let CellJob {
        source,
        by_default: _, // The file is among the inputs.
        scenes,
        packages,
        visual_as_collision,
        cache: _,   // Trees are no part of what is proved.
        threads: _, // Answers are the same.
    } = cell;
    let mut options = Vec::new();
    match source {
        CellSource::File(_) => {}
        CellSource::Robot {
            urdf: _, // Files are among the inputs.
            srdf: _,
            joint_limits: _,
            xacro_args,
            obstacles: _,
        } => {
            let args = xacro_args.iter();
            options.extend(args.map(|(name, value)| format!("--xacro-arg {name}={value}")));
        }
    }
    if *visual_as_collision {
        options.push("--visual-as-collision".to_owned());
    }
    let scenes = scenes.iter();
    options.extend(scenes.map(|scene| format!("--scene {}", scene.display())));
    let packages = packages.iter();
    options.extend(packages.map(|(name, at)| format!("--package {name}={}", at.display())));
    options
}

/// The options of a run, as the command line has them, that choose or change a motion.
fn options_of_motion(job: &Job) -> Vec<String> {
    let mut options = Vec::new();
    let mut option = |name: &str, value: Option<String>| {
        options.extend(value.map(|value| format!("--{name} {value}")));
    };
    option("corners", job.exact_corners.then(|| "exact".to_owned()));
    let tube = (job.orientation_tube != CellMoves::USUAL_TUBE).then_some(job.orientation_tube);
    option("orientation-tube", tube.map(|tube| tube.to_string()));
    let law = job.interpolation.map(|law| law.as_str().to_owned());
    option("interpolation", law);
    option("routine", job.routine.clone());
    let events = job.events.as_ref().map(|file| file.display().to_string());
    option("events", events);
    let Layout {
        id,
        time,
        list,
        joints,
    } = &job.layout;
    option("id-column", id.clone());
    option("time-column", time.clone());
    option("list-column", list.clone());
    option("joint-columns", joints.as_ref().map(|all| all.join(",")));
    options
}

/// A certificate's statement about a file that it comes from: only its maker can vouch for it.
pub(super) fn input(file: &FilePath) -> String {
    match std::fs::read(file) {
        Ok(bytes) => input_of(file, &bytes),
        Err(_) => format!("input {} (SHA-256 not read)", file.display()),
    }
}

/// The same of one whose bytes are known.
pub(super) fn input_of(file: &FilePath, bytes: &[u8]) -> String {
    format!("input {} (SHA-256 {})", file.display(), sha256(bytes))
}
