//! Robots as their makers ship them: every one loads, and its kinematics agree with an independent
//! reference.
//!
//! The data are not part of this repository: `CLEARANCE_REAL_DATA` names their folder, and
//! `cargo test --test suite -- --ignored` runs these tests.

#![allow(clippy::print_stderr)] // says when it was left out

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clearance_formats::{ImportError, LoadOptions, load_cell, load_robot};
use clearance_proof::model::Cell;
use serde::Deserialize;

use crate::common::real_data;

/// `fk_reference.json`: positions in metres and quaternions x, y, z, w in the root link's frame,
/// nine decimals.
#[derive(Deserialize)]
struct Reference {
    /// Follower: (source, multiplier, offset).
    mimic: BTreeMap<String, (String, f64, f64)>,
    configs: Vec<Configuration>,
}

#[derive(Deserialize)]
struct Configuration {
    joints: BTreeMap<String, f64>,
    links: BTreeMap<String, Pose>,
}

#[derive(Deserialize)]
struct Pose {
    xyz: [f64; 3],
    quat_xyzw: [f64; 4],
}

/// Every robot's folder, its URDF and its SRDF.
fn robots(data: &Path) -> Vec<(PathBuf, PathBuf, Option<PathBuf>)> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(data.join("robots"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    folders.sort();
    let found: Vec<_> = folders
        .into_iter()
        .map(|folder| {
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            let urdf = [name.clone(), name.replace("_vamp", "")]
                .iter()
                .map(|n| folder.join(format!("{n}.urdf")))
                .find(|p| p.is_file())
                .unwrap();
            let srdf = Some(folder.join(format!("{name}.srdf"))).filter(|p| p.is_file());
            (folder, urdf, srdf)
        })
        .collect();
    assert!(found.len() >= 10, "{} robots", found.len());
    found
}

fn load(urdf: &Path, srdf: Option<PathBuf>) -> Result<Cell, ImportError> {
    let options = LoadOptions {
        srdf,
        ..LoadOptions::default()
    };
    load_robot(urdf, &[], &options).map(|loaded| loaded.cell)
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn kinematics_agree_with_the_reference() {
    let data = real_data();
    for (folder, urdf, srdf) in robots(&data) {
        let cell = load(&urdf, srdf.clone()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(
            srdf.is_some(),
            !cell.allowed.is_empty(),
            "{}",
            urdf.display()
        );
        let text = std::fs::read_to_string(folder.join("fk_reference.json")).unwrap();
        let reference: Reference = serde_json::from_str(&text).unwrap();
        for configuration in &reference.configs {
            let mut q = vec![f64::NAN; cell.joints.len()];
            for (name, &value) in &configuration.joints {
                let id = cell.joints.iter().position(|j| j.name == *name);
                q[id.unwrap_or_else(|| panic!("{}: no joint {name}", urdf.display()))] = value;
            }
            cell.resolve_mimic(&mut q);
            for (name, value) in &configuration.joints {
                let id = cell.joints.iter().position(|j| j.name == *name).unwrap();
                assert!(
                    (q[id] - value).abs() < 2e-9,
                    "{}: {name} is {} not {value}",
                    urdf.display(),
                    q[id]
                );
            }
            let world_from_joint = cell.forward(&q);
            assert_eq!(
                configuration.links.len(),
                cell.bodies.len(),
                "{}",
                urdf.display()
            );
            for (name, pose) in &configuration.links {
                let body = cell.body(name).unwrap_or_else(|| panic!("no link {name}"));
                let ours = cell.body_pose(&world_from_joint, body);
                let distance = (ours.translation.vector - nalgebra::Vector3::from(pose.xyz)).norm();
                let [x, y, z, w] = pose.quat_xyzw;
                let theirs = nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(
                    w, x, y, z,
                ));
                // The reference gives joint values and positions to nine decimals: half a unit in
                // the last place of each joint moves the link by that times its lever. Beyond that
                // there is no room.
                let half = 0.5e-9;
                let levers: f64 = cell
                    .joints
                    .iter()
                    .zip(&world_from_joint)
                    .filter(|(j, _)| configuration.joints.get(&j.name).is_some_and(|&v| v != 0.0))
                    .map(|(_, w)| {
                        (w.translation.vector - ours.translation.vector)
                            .norm()
                            .max(1.0)
                    })
                    .sum();
                let room = half * (3.0_f64.sqrt() + levers) + 1e-12;
                assert!(
                    distance <= room,
                    "{}: {name} is {distance:e} m off",
                    urdf.display()
                );
                if levers == 0.0 {
                    assert!(
                        distance < 1e-9,
                        "{}: {name} is {distance:e} m off",
                        urdf.display()
                    );
                }
                assert!(
                    ours.rotation.angle_to(&theirs) < 1e-8,
                    "{}: {name} is turned",
                    urdf.display()
                );
            }
        }
        for (follower, (source, multiplier, offset)) in &reference.mimic {
            // The reference lists a <mimic> on a fixed joint too; that one moves nothing.
            let Some(joint) = cell.joints.iter().find(|j| j.name == *follower) else {
                continue;
            };
            let mimic = joint
                .mimic
                .unwrap_or_else(|| panic!("{follower} does not follow"));
            assert_eq!(cell.joints[mimic.source].name, *source);
            assert_eq!(
                (mimic.multiplier, mimic.offset),
                (*multiplier, *offset),
                "{follower}"
            );
        }
    }
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn links_without_collision_geometry_are_named() {
    let data = real_data();
    let panda = load(&data.join("robots/panda_vamp/panda.urdf"), None).unwrap();
    assert!(
        panda
            .notes
            .iter()
            .any(|n| n.subject == "panda_finger_joint2" && n.message.contains("fixed")),
        "{:?}",
        panda.notes
    );
    for (_, urdf, _) in robots(&data) {
        let plain = load(&urdf, None).unwrap();
        for remark in &plain.unchecked {
            assert!(
                plain
                    .body(&remark.subject)
                    .is_some_and(|b| plain.bodies[b].shapes.is_empty())
            );
        }
    }
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn quirks_load_or_say_why_not() {
    let data = real_data();
    let quirks = data.join("quirks");

    let error = load(&quirks.join("armar6_malformed_number.urdf"), None).unwrap_err();
    assert_eq!(error.place.line, Some(232));
    assert!(
        error.to_string().contains("`1.5707963,` is not a number"),
        "{error}"
    );

    let boxbot = load(&quirks.join("boxbot_undeclared_xml_prefix.urdf"), None).unwrap();
    assert_eq!((boxbot.joints.len(), boxbot.bodies.len()), (2, 7));

    // Three slashes: the package is found where the user says, and else every place that was tried
    // is listed.
    let talos = quirks.join("talos_triple_slash_package_uri.urdf");
    let package = data.join("robots/talos/example-robot-data");
    let options = LoadOptions {
        package_roots: vec![("example-robot-data".into(), package.clone())],
        ..LoadOptions::default()
    };
    let cell = load_robot(&talos, &[], &options).unwrap().cell;
    let same = load(&data.join("robots/talos/talos.urdf"), None).unwrap();
    assert_eq!(cell.joints, same.joints);
    let error = load(&talos, None).unwrap_err().to_string();
    assert!(
        error.contains("[packages] example-robot-data = ")
            && error.contains("quirks/example-robot-data"),
        "{error}"
    );
}

/// The same robot through a cell file: named, moved, with an obstacle.
#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn a_real_robot_in_a_cell_file() {
    let data = real_data();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cell.toml");
    let robot = data.join("robots/panda_moveit").canonicalize().unwrap();
    let text = format!(
        r#"
        [[robot]]
        name = "arm"
        urdf = "{0}/panda_moveit.urdf"
        srdf = "{0}/panda_moveit.srdf"
        base = {{ xyz = [0, 0, "800mm"], rpy = [0, 0, "90deg"] }}
        joints = {{ panda_finger_joint1 = "20mm" }}
        [[obstacle]]
        name = "table"
        box = [1, 1, 0.1]
        [[allow]]
        a = "arm/*0"
        b = "table"
        "#,
        robot.display()
    );
    std::fs::write(&file, text).unwrap();
    let cell = load_cell(&file, &LoadOptions::default()).unwrap().cell;
    let alone = load(&robot.join("panda_moveit.urdf"), None).unwrap();
    let follower = cell
        .joints
        .iter()
        .position(|j| j.name == "panda_finger_joint2")
        .unwrap();
    assert_eq!(cell.rest[follower], 0.02);
    let base = nalgebra::Isometry3::new(
        nalgebra::Vector3::new(0.0, 0.0, 0.8),
        nalgebra::Vector3::z() * std::f64::consts::FRAC_PI_2,
    );
    let (here, there) = (cell.forward(&cell.rest), alone.forward(&cell.rest));
    for (b, body) in alone.bodies.iter().enumerate() {
        let c = cell.body(&format!("arm/{}", body.name)).unwrap();
        let difference = cell.body_pose(&here, c).inverse() * base * alone.body_pose(&there, b);
        assert!(difference.translation.vector.norm() < 1e-12 && difference.rotation.angle() < 1e-7);
    }
}
