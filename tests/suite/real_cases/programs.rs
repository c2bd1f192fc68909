//! `programs/` of real cells: clear where the reference says so, the first contact where it has
//! one, and least distances.

use std::path::{Path, PathBuf};

use clearance::findings::Verdict;
use serde_json::Value;

use super::door::{CellFile, JobOptions, PLAIN};
use super::{exact, joints, number, read_json, text};
use crate::common::real_data;

/// Times and joint values of a CSV program.
fn rows(file: &Path) -> (Vec<String>, Vec<(f64, Vec<f64>)>) {
    let content = std::fs::read_to_string(file).unwrap();
    let mut lines = content.lines();
    let names = lines
        .next()
        .unwrap()
        .split(',')
        .skip(1)
        .map(str::to_owned)
        .collect();
    let rows = lines
        .map(|line| {
            let mut values = line.split(',').map(|v| v.parse::<f64>().unwrap());
            (values.next().unwrap(), values.collect())
        })
        .collect();
    (names, rows)
}

/// A program that stands where another one is at a time.
fn instant(file: &mut CellFile, program: &Path, time: f64) -> PathBuf {
    let (names, rows) = rows(program);
    let next = rows
        .partition_point(|(t, _)| *t <= time)
        .clamp(1, rows.len() - 1);
    let ((t0, from), (t1, to)) = (&rows[next - 1], &rows[next]);
    let share = (time - t0) / (t1 - t0);
    let values = from
        .iter()
        .zip(to)
        .map(|(p, q)| p + share * (q - p))
        .collect();
    file.program(&names, &[values])
}

/// A sampled least distance of the reference: attained at its instant, there to the digit; so the
/// whole motion comes as near, and by that time.
fn attains(file: &mut CellFile, program: &Path, [time, pair, distance]: [&Value; 3]) {
    let (time, distance) = (number(time), number(distance));
    let pair = [text(&pair[0]), text(&pair[1])];
    let still = instant(file, program, time);
    let room = 2e-6; // joint values in the files have nine digits
    file.stays_beyond(&still, pair, distance - room, 1e-7);
    file.comes_near(&still, pair, distance, room);
    let contact = file.comes_near(program, pair, distance, room);
    assert!(
        contact.free_until <= time,
        "{}: {contact:?}",
        program.display()
    );
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn scan_of_the_hc10dt() {
    let data = real_data();
    let folder = data.join("programs/snp_scan_hc10dt");
    let oracle = &read_json(&folder.join("scan_traj.json"))["oracle"];
    let mut file = CellFile::robot(&data, "motoman_hc10dt_snp_cell", &[]);
    let theirs = number(&oracle["min_distance"]);
    let pair = [text(&oracle["min_pair"][0]), text(&oracle["min_pair"][1])];
    // The message has velocities and accelerations, all of them zero: the quintic runs along the
    // same lines as the table.
    for (name, law) in [("scan_traj.csv", "linear"), ("scan_traj.yaml", "quintic")] {
        let program = folder.join(name);
        let options = JobOptions {
            minimum: true,
            ..PLAIN
        };
        let answer = file.ask(&program, options);
        assert_eq!(answer.interpolation.as_deref(), Some(law));
        assert_eq!(
            answer.verdict,
            Verdict::Clear,
            "{name}: {:?}",
            answer.first_contact
        );
        let minimum = answer.minimum_clearance.unwrap();
        assert_eq!(format!("{:.4}", minimum.distance), "0.0668");
        // The reference was sampled: nothing that is proved may contradict it.
        assert!(
            minimum.lower_bound <= theirs && minimum.lower_bound > 0.97 * theirs,
            "{name}: {minimum:?}"
        );
        assert_eq!([&*minimum.a, &*minimum.b], pair);
        // Sharper than the 2 % that a least distance is proved to.
        let beyond = JobOptions {
            clearance: 0.0667,
            ..PLAIN
        };
        assert_eq!(file.ask(&program, beyond).verdict, Verdict::Clear, "{name}");
    }
    let least = [
        &oracle["min_time"],
        &oracle["min_pair"],
        &oracle["min_distance"],
    ];
    attains(&mut file, &folder.join("scan_traj.csv"), least);
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn goals_of_the_ur_driver() {
    let data = real_data();
    let folder = data.join("programs/ur_driver_goals");
    let oracle = &read_json(&folder.join("test_goals.json"))["oracle"];
    let mut file = CellFile::robot(&data, "ur5e", &[]);
    let program = folder.join("test_goals.csv");
    let options = JobOptions {
        minimum: true,
        ..PLAIN
    };
    let answer = file.ask(&program, options);
    assert_eq!(answer.verdict, Verdict::Clear, "{:?}", answer.first_contact);
    let minimum = answer.minimum_clearance.unwrap();
    let theirs = number(&oracle["min_distance"]);
    assert!(
        minimum.lower_bound <= theirs && minimum.distance <= theirs + PLAIN.resolution,
        "{minimum:?}, the reference attains {theirs}"
    );
    let least = [
        &oracle["min_time"],
        &oracle["min_pair"],
        &oracle["min_distance"],
    ];
    attains(&mut file, &program, least);
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn straight_line_into_the_car() {
    let data = real_data();
    let folder = data.join("programs/car_seat_sia20d");
    let oracle =
        &read_json(&folder.join("home_pick1_place1_line.json"))["oracle"]["contact_bracket"];
    let file = CellFile::robot(&data, "sia20d_car_seat_cell_tesseract", &[]);
    let answer = file.ask(&folder.join("home_pick1_place1_line.csv"), PLAIN);
    assert_eq!(answer.verdict, Verdict::Collision);
    let contact = answer.first_contact.unwrap();
    let theirs = number(&oracle["time"]);
    assert!(
        contact.free_until <= theirs && contact.time <= theirs + 1e-4,
        "{contact:?}"
    );
    assert!(contact.time - contact.free_until < 1e-2, "{contact:?}");
    let distance = exact::distance(&file.cell(), &contact.joints, &contact.a, &contact.b);
    assert!(distance <= 1e-9, "{contact:?} is {distance} m apart");
    let mut pair = [&*contact.a, &*contact.b];
    pair.sort_unstable();
    assert_eq!(
        pair,
        [text(&oracle["pairs"][0][0]), text(&oracle["pairs"][0][1])]
    );
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn past_the_seats() {
    let data = real_data();
    let folder = data.join("programs/car_seat_sia20d");
    let oracle = &read_json(&folder.join("home_pick1_with_seats.json"))["oracle"];
    let mut file = CellFile::robot(&data, "sia20d_car_seat_cell_tesseract", &[]);
    let seats = data.join("cells/car_seat_seats");
    file.obstacles(&read_json(&seats.join("scene.json"))["objects"], &seats);
    let program = folder.join("home_pick1_with_seats.csv");
    let answer = file.ask(&program, PLAIN);
    assert_eq!(answer.verdict, Verdict::Clear, "{:?}", answer.first_contact);
    assert!(number(&oracle["min_distance"]) <= 4.4e-3);
    let least = [
        &oracle["min_time"],
        &oracle["min_pair"],
        &oracle["min_distance"],
    ];
    attains(&mut file, &program, least);
}

/// Both arms at home where the program does not move them.
pub fn two_arms(data: &Path) -> CellFile {
    let states = read_json(&data.join("robots/o2ac_dual_ur5e_cell/group_states.json"));
    let home: Vec<_> = ["a_bot/home", "b_bot/home"]
        .iter()
        .flat_map(|s| joints(&states[*s]))
        .collect();
    let mut file = CellFile::robot(data, "o2ac_dual_ur5e_cell", &home);
    // These interpenetrate in every pose; the SRDF was made for another gripper.
    for side in ["left", "right"] {
        let finger = |part| format!("b_bot_robotiq_85_{side}_finger_{part}");
        file.allow(&finger("link"), &finger("tip_link"));
    }
    file.leave_out("*", "the reference has collision geometry only");
    file
}

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn plans_of_two_arms() {
    let data = real_data();
    let folder = data.join("programs/o2ac_saved_plans");
    let mut file = two_arms(&data);
    let mut clear = 0;
    for json in super::json_files(&folder) {
        let program = json.with_extension("csv");
        let oracle = &read_json(&json)["oracle"];
        let name = json.file_stem().unwrap().to_str().unwrap();
        let answer = file.ask(&program, PLAIN);
        if oracle["first_collision"].is_null() {
            assert_eq!(
                answer.verdict,
                Verdict::Clear,
                "{name}: {:?}",
                answer.first_contact
            );
            let least = &oracle["min_varying_distance"];
            // The distance is right to the last digits, but for some programs the reference names
            // another pair (`left_bar` where it is the arm's own base): whose it is, is seen here.
            let (time, theirs) = (number(&least["time"]), number(&least["distance"]));
            let still = instant(&mut file, &program, time);
            let near = file.pairs_within(&still, theirs + 1e-8);
            let same = near.iter().find(|(_, ours)| (ours - theirs).abs() < 1e-8);
            let (pair, _) =
                same.unwrap_or_else(|| panic!("{name}: nobody is {theirs} m apart at {time}"));
            attains(
                &mut file,
                &program,
                [&least["time"], &serde_json::json!(pair), &least["distance"]],
            );
            clear += 1;
        } else {
            assert_eq!(name, "center_trays_parallel");
            assert_eq!(answer.verdict, Verdict::Collision, "{name}");
            let contact = answer.first_contact.unwrap();
            let (_, rows) = rows(&program);
            assert!(
                contact.free_until > rows[70].0 && contact.time <= rows[71].0,
                "{contact:?}"
            );
            let mut pair = [&*contact.a, &*contact.b];
            pair.sort_unstable();
            assert!(
                pair[0].ends_with("_inner_finger_pad") && pair[1] == "tray",
                "{contact:?}"
            );
            let distance = exact::distance(&file.cell(), &contact.joints, pair[0], pair[1]);
            assert!(distance <= 1e-9, "{contact:?} is {distance} m apart");
        }
    }
    assert_eq!(clear, 9);
}

/// The fence's mesh is in millimetres: as it is, it would stand 8.5 km long.
#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn a_fence_in_millimetres() {
    let data = real_data();
    let folder = data.join("cells/fofa_fence");
    let objects = &read_json(&folder.join("scene.json"))["objects"];
    let program = data.join("programs/ur_driver_goals/test_goals.csv");
    let mut file = CellFile::robot(&data, "ur5e", &[]);
    file.obstacles(objects, &folder);
    let (error, _) = file.refusal(&program);
    let error = error.unwrap();
    for said in [
        "world::fofa_fence",
        "suspicious scale",
        "`scale = 0.001` (8.5 m)",
    ] {
        assert!(error.contains(said), "{error}");
    }
    // Stated, it is a fence around the robot, and nothing is suspicious.
    file.line("scale = 0.001");
    let (error, notes) = file.refusal(&program);
    assert_eq!(error, None);
    assert!(!notes.iter().any(|n| n.contains("scale")), "{notes:?}");
}
