//! `programs/mbm`: planning problems of two robots. Start and goal are certified free; the straight
//! lines between them mostly collide, the planned ways mostly do not.

use std::path::{Path, PathBuf};

use clearance::findings::Verdict;
use clearance_proof::model::{Cell, Form};
use serde_json::Value;

use super::door::{CellFile, JobOptions, PLAIN};
use super::{exact, json_files, number, read_json, text};
use crate::common::real_data;

/// The programs of a robot whose names start with a word.
fn programs(data: &Path, robot: &str, word: &str) -> Vec<PathBuf> {
    let mut scenes: Vec<PathBuf> = std::fs::read_dir(data.join("programs/mbm").join(robot))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    scenes.sort();
    let mut found: Vec<PathBuf> = scenes.iter().flat_map(|scene| json_files(scene)).collect();
    found.retain(|file| {
        file.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with(word)
    });
    found
}

fn cell(data: &Path, problem: &Value) -> CellFile {
    // All joints beside those of the program are fixed in these robots: the fingers stand where the
    // problems ask.
    let mut file = CellFile::robot(data, text(&problem["robot"]), &[]);
    let scene = data.join(text(&problem["cell"]));
    file.obstacles(&read_json(&scene)["objects"], scene.parent().unwrap());
    file
}

/// The link of the Panda of whose mesh the reference lacks triangles: it says 12.81 mm where one of
/// `link6.obj` is 12.60 mm away (goal of cage 0001), and finds contacts of this link late. Its
/// other numbers agree with ours.
const LACKING: &str = "panda_link6";

/// How much larger than themselves the bodies of a pair are checked, metres.
fn excess(cell: &Cell, names: [&str; 2]) -> f64 {
    names
        .iter()
        .flat_map(|name| &cell.bodies[cell.body(name).unwrap()].shapes)
        .map(|shape| shape.form.excess())
        .sum()
}

/// A configuration is free, and its nearest pair as far apart as the reference says (to five
/// decimals).
fn is_free(file: &CellFile, cell: &Cell, program: &Path, least: &Value, what: &str) {
    let (theirs, pair) = (number(&least[0]), [text(&least[1]), text(&least[2])]);
    let room = 0.6e-5 + excess(cell, pair);
    let ask = |clearance| {
        file.ask(
            program,
            JobOptions {
                clearance,
                resolution: room / 10.0,
                ..PLAIN
            },
        )
    };
    let free = ask(theirs - room);
    assert_eq!(
        free.verdict,
        Verdict::Clear,
        "{what}: {:?}",
        free.first_contact
    );
    let contact = file.comes_near(program, pair, theirs, room);
    assert!(
        (contact.distance - theirs).abs() <= room,
        "{what}: {contact:?}, not {least}"
    );
}

/// The straight lines of a robot: start and goal free, the first contact in the bracket of the
/// reference.
fn lines(robot: &str) {
    let data = real_data();
    let files = programs(&data, robot, "line");
    assert_eq!(files.len(), 28);
    let (mut clear, mut earlier) = (0, 0);
    for json in files {
        let what = json.display().to_string();
        let problem = read_json(&json);
        let oracle = &problem["oracle"];
        let mut file = cell(&data, &problem);
        let cell = file.cell();
        let csv = json.with_extension("csv");
        let content = std::fs::read_to_string(&csv).unwrap();
        let mut rows = content.lines();
        let names: Vec<String> = rows
            .next()
            .unwrap()
            .split(',')
            .skip(1)
            .map(str::to_owned)
            .collect();
        let ends: Vec<Vec<f64>> = rows
            .map(|row| row.split(',').skip(1).map(|v| v.parse().unwrap()).collect())
            .collect();
        assert_eq!(ends.len(), 2);
        for (end, key) in ends.iter().zip(["start", "goal"]) {
            let what = format!("{what}: {key}");
            assert_eq!(oracle[format!("{key}_pairs")], serde_json::json!([]));
            let still = file.program(&names, std::slice::from_ref(end));
            let least = &oracle[format!("{key}_min")];
            if least[1] != LACKING {
                is_free(&file, &cell, &still, least, &what);
            } else {
                let answer = file.ask(&still, PLAIN);
                assert_eq!(
                    answer.verdict,
                    Verdict::Clear,
                    "{what}: {:?}",
                    answer.first_contact
                );
                file.comes_near(
                    &still,
                    [text(&least[1]), text(&least[2])],
                    number(&least[0]),
                    1e-5,
                );
            }
        }

        let answer = file.ask(&csv, PLAIN);
        let Some(contact) = answer.first_contact else {
            assert!(oracle["line"].is_null(), "{what} is {:?}", answer.verdict);
            assert_eq!(answer.verdict, Verdict::Clear, "{what}");
            clear += 1;
            continue;
        };
        assert_eq!(answer.verdict, Verdict::Collision, "{what}: {contact:?}");
        let bracket = &oracle["contact_bracket"];
        let theirs = bracket["fraction_colliding"]
            .as_f64()
            .unwrap_or(f64::INFINITY)
            * 5.0;
        assert!(
            contact.free_until <= theirs,
            "{what}: free until {}, not {theirs}",
            contact.free_until
        );
        assert!(
            contact.time <= theirs + LATE_S,
            "{what}: at {}, not {theirs}",
            contact.time
        );
        assert!(
            contact.time - contact.free_until < 0.01,
            "{what}: {contact:?}"
        );
        // Whenever it is, it is one.
        let distance = exact::distance(&cell, &contact.joints, &contact.a, &contact.b);
        assert!(
            distance <= 1e-9,
            "{what}: {contact:?} is {distance} m apart"
        );
        // A body that is checked by prisms around its cylinders stands out by a hundredth of a
        // millimetre: that is not news.
        let early = if excess(&cell, [&contact.a, &contact.b]) > 0.0 {
            LATE_S
        } else {
            1e-6
        };
        if contact.time < theirs - early {
            earlier += 1;
            assert_eq!(
                contact.a, LACKING,
                "{what}: {contact:?}, theirs at {theirs}"
            );
        }
    }
    eprintln!("{robot}: {clear} clear, {earlier} earlier than the reference");
}

/// How much later than the reference's a contact may be attained, seconds: the time in which the
/// last tenth of a millimetre (the resolution) closes. `free_until` is never later.
const LATE_S: f64 = 1e-3;

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn straight_lines_of_the_panda() {
    lines("panda");
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn straight_lines_of_the_ur5() {
    lines("ur5");
}

fn planned(robot: &str) {
    let data = real_data();
    let files = programs(&data, robot, "planned");
    assert_eq!(files.len(), 7);
    for json in files {
        let what = json.display().to_string();
        let problem = read_json(&json);
        let file = cell(&data, &problem);
        let csv = json.with_extension("csv");
        let answer = file.ask(&csv, PLAIN);
        let found = &problem["dense_recheck"];
        if let Some(contact) = answer.first_contact {
            assert_eq!(answer.verdict, Verdict::Collision, "{what}: {contact:?}");
            let distance = exact::distance(&file.cell(), &contact.joints, &contact.a, &contact.b);
            assert!(
                distance <= 1e-9,
                "{what}: {contact:?} is {distance} m apart"
            );
            if found.is_null() {
                // Not for the reference: only the link of which it lacks triangles can be the
                // cause.
                assert!(contact.a == LACKING, "{what}: {contact:?}");
            } else {
                let theirs = (
                    found["segment"].as_u64().unwrap() as usize,
                    number(&found["fraction"]),
                );
                assert!(
                    (contact.segment, contact.fraction) <= theirs,
                    "{what}: {contact:?}"
                );
            }
        } else {
            assert_eq!(answer.verdict, Verdict::Clear, "{what}");
            assert!(found.is_null(), "{what}");
            let pair = [&problem["min_world_pair"][0], &problem["min_world_pair"][1]].map(text);
            // Sampled: the true least distance is at most that.
            file.comes_near(&csv, pair, number(&problem["min_world_distance"]), 1e-5);
        }
    }
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn planned_ways_of_the_panda() {
    planned("panda");
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn planned_ways_of_the_ur5() {
    planned("ur5");
}

/// A second reader of OBJ files (single precision) finds the same triangles in the Panda's files as
/// ours: no triangle of the link in question is an invention.
#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn a_second_reader_finds_the_same_triangles() {
    let data = real_data();
    let cell = CellFile::robot(&data, "panda_vamp", &[]).cell();
    let mut triangles_of_link6 = 0;
    for body in &cell.bodies {
        for shape in &body.shapes {
            let Form::Mesh { mesh, file, .. } = &shape.form else {
                panic!("{} is not a mesh", body.name);
            };
            let options = tobj::LoadOptions {
                ignore_lines: true,
                ..tobj::LoadOptions::default()
            };
            let (models, _) = tobj::load_obj(file, &options).unwrap();
            let theirs = models.iter().flat_map(|model| {
                let corner = |&v: &u32| [0, 1, 2].map(|k| model.mesh.positions[3 * v as usize + k]);
                model.mesh.indices.iter().map(corner)
            });
            let ours = (0..mesh.triangles.len()).flat_map(|t| mesh.corners(t));
            let ours = ours.map(|p| [p.x, p.y, p.z].map(|x| x as f32));
            assert!(ours.eq(theirs), "{}", file.display());
            if body.name == LACKING {
                triangles_of_link6 = mesh.triangles.len();
            }
        }
    }
    assert_eq!(triangles_of_link6, 1308);
}
