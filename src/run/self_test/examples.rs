//! The examples of the repository, which the program carries along.

use std::path::Path as FilePath;

use clearance_certify::sha256;
use clearance_formats::units::parse_length;
use serde::Deserialize;

use super::suite::Suite;
use crate::error::Error;
use crate::findings::{ProgramOutcome, Verdict};
use crate::run::{CacheFolder, CellJob, Job, NoProgress, prepare, run_in};

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $name)).as_slice())),*]
    };
}

const FILES: [(&str, &[u8]); 43] = files![
    "robots/arm6/cell.toml",
    "robots/arm6/robot.urdf",
    "robots/arm6/meshes/base.stl",
    "robots/arm6/meshes/bin.obj",
    "robots/arm6/meshes/fence.obj",
    "robots/arm6/meshes/fixture.stl",
    "robots/arm6/meshes/gripper.stl",
    "robots/arm6/meshes/link_1.stl",
    "robots/arm6/meshes/link_2.stl",
    "robots/arm6/meshes/link_3.stl",
    "robots/arm6/meshes/link_4.stl",
    "robots/arm6/meshes/link_5.stl",
    "robots/arm6/meshes/link_6.stl",
    "robots/arm6/meshes/table.stl",
    "robots/scara/cell.toml",
    "robots/scara/robot.srdf",
    "robots/scara/robot.urdf",
    "robots/scara/meshes/base.stl",
    "robots/scara/meshes/finger.stl",
    "robots/scara/meshes/link_1.stl",
    "robots/scara/meshes/link_2.stl",
    "robots/scara/meshes/nest.obj",
    "robots/scara/meshes/palm.stl",
    "robots/scara/meshes/quill.stl",
    "robots/scara/meshes/table.stl",
    "robots/scara/meshes/tray.stl",
    "trajectories/arm6/expected.toml",
    "trajectories/arm6/beyond_limit.csv",
    "trajectories/arm6/cubic_dips.yaml",
    "trajectories/arm6/degrees.csv",
    "trajectories/arm6/folds_onto_itself.csv",
    "trajectories/arm6/near_miss.csv",
    "trajectories/arm6/pick_place.csv",
    "trajectories/arm6/place_too_low.csv",
    "trajectories/arm6/shortcut.csv",
    "trajectories/arm6/smooth.yaml",
    "trajectories/arm6/swing_through_guard.csv",
    "trajectories/arm6/too_fast.csv",
    "trajectories/scara/expected.toml",
    "trajectories/scara/insert_pin.csv",
    "trajectories/scara/insert_pin_quintic.json",
    "trajectories/scara/misses_the_hole.csv",
    "trajectories/scara/swing_past_divider.csv",
];

/// The part of an `expected.toml` about a program; its other parts are for the tests of the
/// repository.
#[derive(Deserialize)]
struct ExampleCase {
    program: String,
    verdict: String,
    clearance: Option<String>,
    first_contact: Option<Bracket>,
}

#[derive(Deserialize)]
struct Bracket {
    earliest: f64,
    latest: f64,
}

#[derive(Deserialize)]
struct Expected {
    case: Vec<ExampleCase>,
}

/// SHA-256 of all files with their names.
pub(super) fn hash() -> String {
    let all = FILES
        .iter()
        .flat_map(|(name, bytes)| [name.as_bytes(), bytes]);
    sha256(&all.collect::<Vec<_>>().concat())
}

pub(super) fn run(progress: &dyn Fn(f64)) -> Result<Suite, Error> {
    let folder = tempfile::tempdir().map_err(Error::no_temporary)?;
    for (name, bytes) in FILES {
        let file = folder.path().join(name);
        let into = file.parent().unwrap_or(folder.path());
        let put = std::fs::create_dir_all(into).and_then(|()| std::fs::write(&file, bytes));
        put.map_err(Error::no_temporary)?;
    }
    let mut suite = Suite::new("examples");
    for (part, robot) in ["arm6", "scara"].into_iter().enumerate() {
        let programs = folder.path().join("trajectories").join(robot);
        let text = std::fs::read_to_string(programs.join("expected.toml"));
        let text = text.map_err(|e| Error::internal(format!("expected.toml: {e}")))?;
        let expected: Expected = toml::from_str(&text).map_err(Error::internal)?;
        let cell = CellJob {
            cache: CacheFolder::Off,
            ..CellJob::file(folder.path().join("robots").join(robot).join("cell.toml"))
        };
        let prepared = prepare(&cell, &NoProgress)?;
        let count = expected.case.len() as f64;
        for (k, case) in expected.case.iter().enumerate() {
            progress((part as f64 + k as f64 / count) / 2.0);
            let program = programs.join(&case.program);
            if !program.exists() {
                // Not carried along.
                continue;
            }
            suite.asked += 1;
            let job = Job {
                cell: cell.clone(),
                clearance: case
                    .clearance
                    .as_deref()
                    .map(parse_length)
                    .transpose()
                    .map_err(Error::internal)?,
                ..Job::new("", vec![program.clone()])
            };
            let outcome = run_in(&job, &prepared, &NoProgress);
            if let Err(why) = judged(case, &outcome.programs, &mut suite) {
                let name = program.file_name().unwrap_or_default();
                suite
                    .wrong
                    .push(format!("{}: {why}", FilePath::new(name).display()));
            }
        }
    }
    Ok(suite)
}

fn judged(case: &ExampleCase, programs: &[ProgramOutcome], suite: &mut Suite) -> Result<(), Error> {
    let [answer] = programs else {
        return Err(Error::internal("no answer"));
    };
    match answer.verdict {
        Verdict::Clear => suite.clear += 1,
        Verdict::Collision => suite.collision += 1,
        _ => suite.other += 1,
    }
    let said = format!("{:?}", answer.verdict).to_lowercase();
    if said != case.verdict {
        return Err(Error::internal(format!("{said}, not {}", case.verdict)));
    }
    match (&case.first_contact, &answer.first_contact) {
        (Some(true_one), Some(found))
            if found.free_until > true_one.latest || found.time < true_one.earliest =>
        {
            Err(Error::internal(format!(
                "contact between {} and {} s, not between {} and {} s",
                found.free_until, found.time, true_one.earliest, true_one.latest
            )))
        }
        (Some(_), None) => Err(Error::internal("no contact")),
        _ => Ok(()),
    }
}
