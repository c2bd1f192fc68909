//! Programs of real cells: every one is read in full and has a path for its robot.
//!
//! The data are not part of this repository: `CLEARANCE_REAL_DATA` names their folder, and
//! `cargo test --test suite -- --ignored` runs these tests.

#![allow(clippy::print_stderr)] // says when it was left out

use std::path::{Path, PathBuf};

use clearance::run::limits::violations;
use clearance_formats::{LoadOptions, load_robot, program};
use clearance_proof::model::{self, Cell, Interpolation};

use crate::common::real_data;

/// Every file under a folder with that extension, in order.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
}

/// The robot that the description beside a program names, or the one of its folder.
fn robot(data: &Path, file: &Path) -> String {
    let described = std::fs::read_to_string(file.with_extension("json"))
        .ok()
        .and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok())
        .and_then(|value| value["robot"].as_str().map(str::to_owned));
    described.unwrap_or_else(|| {
        let folder = file.strip_prefix(data.join("programs/mbm")).unwrap();
        format!("{}_vamp", folder.iter().next().unwrap().to_str().unwrap())
    })
}

fn load(data: &Path, robot: &str) -> Cell {
    let folder = data.join("robots").join(robot);
    let urdf = [robot, robot.trim_end_matches("_vamp")]
        .map(|name| folder.join(format!("{name}.urdf")))
        .into_iter()
        .find(|p| p.is_file())
        .unwrap();
    let loaded = load_robot(&urdf, &[], &LoadOptions::default());
    loaded.unwrap_or_else(|e| panic!("{e}")).cell
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn every_table_is_read_in_full_and_fits_its_robot() {
    let data = real_data();
    let mut tables = Vec::new();
    files(&data.join("programs"), "csv", &mut tables);
    assert!(tables.len() >= 80, "only {} tables", tables.len());
    let mut cells = std::collections::BTreeMap::new();
    for file in &tables {
        let text = std::fs::read_to_string(file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let read = program::load(file).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(read.waypoints.len(), lines.len() - 1, "{}", file.display());
        assert_eq!(read.columns.len(), lines[0].split(',').count() - 1);
        let last: Vec<f64> = lines[lines.len() - 1]
            .split(',')
            .map(|f| f.parse().unwrap())
            .collect();
        let waypoint = read.waypoints.last().unwrap();
        assert_eq!((waypoint.time, waypoint.line), (last[0], lines.len()));
        assert_eq!(*waypoint.positions, last[1..]);

        let name = robot(&data, file);
        let cell = cells
            .entry(name.clone())
            .or_insert_with(|| load(&data, &name));
        let (trajectory, _) =
            model::Trajectory::for_cell(&read, cell, None).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(trajectory.segments.len(), read.waypoints.len() - 1);
        let outside: Vec<_> = violations(cell, &trajectory)
            .into_iter()
            .filter(|v| v.what == clearance::findings::LimitKind::Position)
            .filter(|v| read.columns.iter().any(|c| *c.joint == *v.joint))
            .collect();
        assert!(outside.is_empty(), "{}: {outside:?}", file.display());
    }
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn the_scan_trajectory_is_quintic_and_agrees_with_its_table() {
    let data = real_data();
    let folder = data.join("programs/snp_scan_hc10dt");
    let message = program::load(&folder.join("scan_traj.yaml")).unwrap_or_else(|e| panic!("{e}"));
    let table = program::load(&folder.join("scan_traj.csv")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(message.waypoints.len(), 11);
    for (m, t) in message.waypoints.iter().zip(&table.waypoints) {
        assert_eq!(m.time, t.time);
        for (a, b) in m.positions.iter().zip(&*t.positions) {
            assert!((a - b).abs() < 1e-8);
        }
    }
    let cell = load(&data, "motoman_hc10dt_snp_cell");
    let (trajectory, _) =
        model::Trajectory::for_cell(&message, &cell, None).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(trajectory.interpolation, Interpolation::Quintic);
    assert_eq!(trajectory.duration(), 76.0);
    // At rest at every waypoint: halfway in time is halfway between them.
    for (segment, w) in trajectory.segments.iter().zip(message.waypoints.windows(2)) {
        for (column, c) in message.columns.iter().enumerate() {
            let joint = cell.joints_named(&c.joint)[0];
            let middle = 0.5 * (w[0].positions[column] + w[1].positions[column]);
            assert!((segment.position(joint, 0.5) - middle).abs() < 1e-12);
        }
    }
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn files_beside_programs_are_refused_by_what_they_lack() {
    let data = real_data();
    let folder = data.join("programs");
    for (file, words) in [
        (
            "ur_driver_goals/test_goal_publishers_config.yaml",
            "holds no trajectory",
        ),
        ("snp_scan_hc10dt/scan_traj.json", "holds no trajectory"),
        // Metadata with a key `points` that is a number.
        (
            "o2ac_saved_plans/pick_tray_long_side.json",
            "`joint_names` is missing",
        ),
        (
            "o2ac_saved_plans/as_shipped/pick_tray_long_side.bag",
            "a ROS bag",
        ),
        (
            "o2ac_saved_plans/as_shipped/playback_sequences/tray_orient.yaml",
            "holds no trajectory",
        ),
    ] {
        let error = program::load(&folder.join(file)).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains(file), "{error}");
    }
}

/// The official schemas of SARIF and JUnit are not ours to hand on; where somebody has them, they
/// oracle what CI servers will read.
#[test]
#[ignore = "needs the folder that CLEARANCE_SCHEMAS names"]
fn reports_hold_to_the_official_schemas() {
    let schemas =
        std::env::var_os("CLEARANCE_SCHEMAS").expect("CLEARANCE_SCHEMAS must name a folder");
    let schemas = PathBuf::from(schemas);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let report = |format: &str| folder.path().join(format);
    let mut command = assert_cmd::Command::cargo_bin("clearance").unwrap();
    command
        .current_dir(root)
        .args(["check", "--no-cache", "--all", "--warn", "5mm"]);
    command.args(["--cell", "robots/arm6/cell.toml"]);
    for format in ["sarif", "junit"] {
        command
            .arg("--report")
            .arg(format!("{format}={}", report(format).display()));
    }
    for name in [
        "swing_through_guard",
        "pick_place",
        "beyond_limit",
        "near_miss",
        "gone",
    ] {
        command.arg(format!("trajectories/arm6/{name}.csv"));
    }
    assert_eq!(command.output().unwrap().status.code(), Some(1));
    let read = |path: PathBuf| -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    };
    let oracle = jsonschema::validator_for(&read(schemas.join("sarif-schema-2.1.0.json"))).unwrap();
    let log = read(report("sarif"));
    let wrong: Vec<String> = oracle.iter_errors(&log).map(|e| e.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let xmllint = std::process::Command::new("xmllint")
        .args(["--noout", "--schema"])
        .args([schemas.join("junit-10.xsd"), report("junit")])
        .output();
    match xmllint {
        Ok(judged) => assert!(judged.status.success(), "{judged:?}"),
        Err(_) => eprintln!("left out: JUnit, there is no xmllint"),
    }
}
