//! Two real arms on one clock, and seats that are picked up and put down.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clearance::findings::{ProgramOutcome, Verdict};
use clearance::run::{Job, NoProgress, RobotProgram, prepare, run_in};
use clearance_recheck::files::Geometry;

use super::door::{CellFile, certified};
use super::programs::two_arms;
use super::{exact, read_json};
use crate::common::real_data;

fn answer(job: &Job) -> ProgramOutcome {
    answer_and_file(job).0
}

/// The answer, and the geometry file of its certificate, which is valid. `None`: it has none.
fn answer_and_file(job: &Job) -> (ProgramOutcome, Option<Geometry>) {
    let prepared = prepare(&job.cell, &NoProgress).unwrap_or_else(|e| panic!("{e}"));
    let answer = run_in(job, &prepared, &NoProgress).programs.pop().unwrap();
    if let Some(error) = &answer.error {
        panic!("{error}");
    }
    // Certificates do not cover delays.
    let one = job.any_delay.is_none();
    let file = one.then(|| certified(job, &prepared, &answer)).flatten();
    (answer, file)
}

/// How many bodies an event hands over.
fn handed_over(file: Option<&Geometry>) -> usize {
    let bodies = &file.expect("a certificate").bodies;
    bodies.iter().filter(|body| body.before.is_some()).count()
}

/// The header and the rows of a table whose first column is the time.
fn table(file: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    let header = lines.next().unwrap().split(',').map(str::to_owned);
    let row = |l: &str| l.split(',').map(|v| v.parse().unwrap()).collect();
    (header.collect(), lines.map(row).collect())
}

/// The row of a table at a time: straight lines, standing still before and after.
fn at(rows: &[Vec<f64>], time: f64) -> Vec<f64> {
    let k = rows.partition_point(|r| r[0] <= time);
    match (k.checked_sub(1).map(|k| &rows[k]), rows.get(k)) {
        (None, Some(only)) | (Some(only), None) => only[1..].to_vec(),
        (Some(from), Some(to)) => {
            let s = (time - from[0]) / (to[0] - from[0]);
            (1..from.len())
                .map(|j| from[j] + s * (to[j] - from[j]))
                .collect()
        }
        (None, None) => panic!("an empty table"),
    }
}

/// Two saved plans, one of each arm, on one clock: the same as the table that is put together by
/// hand.
#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn two_saved_plans_at_the_same_time() {
    let data = real_data();
    let folder = data.join("programs/o2ac_saved_plans");
    let file = two_arms(&data);
    let mut verdicts = Vec::new();
    for (a, b, offset) in [
        ("bearing_orient_a_bot", "bearing_orient_b_bot", 0.0),
        (
            "bearing_orient_down_a_bot",
            "motor_pulley_orient_b_bot",
            1.25,
        ),
        (
            "motor_pulley_orient_a_bot",
            "motor_pulley_orient_b_bot",
            -2.0,
        ),
    ] {
        let files = [a, b].map(|name| folder.join(format!("{name}.csv")));
        let together = |offset: f64| {
            let mut job = file.job(Vec::new());
            job.together = vec![
                RobotProgram::alone(&files[0]),
                RobotProgram::alone(&files[1]),
            ];
            job.together[1].offset_s = offset;
            job
        };
        let ours = answer(&together(offset));

        let [(left_head, left), (right_head, right)] = [table(&files[0]), table(&files[1])];
        let mut times: Vec<f64> = left.iter().map(|r| r[0]).collect();
        times.extend(right.iter().map(|r| r[0] + offset));
        times.sort_by(f64::total_cmp);
        times.dedup();
        let mut text = format!("{},{}", left_head.join(","), right_head[1..].join(","));
        for time in times {
            let values = [at(&left, time), at(&right, time - offset)].concat();
            let values: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
            write!(text, "\n{time:?},{}", values.join(",")).unwrap();
        }
        let by_hand = file.beside("by_hand.csv", &text);
        let theirs = answer(&file.job(vec![by_hand]));
        assert_eq!(ours.verdict, theirs.verdict, "{a} {b}");
        if let (Some(x), Some(y)) = (&ours.first_contact, &theirs.first_contact) {
            assert!((x.time - y.time).abs() < 1e-3, "{a} {b}: {x:?} {y:?}");
            let distance = exact::distance(&file.cell(), &x.joints, &x.a, &x.b);
            assert!(distance <= 1e-9, "{x:?} is {distance} m apart");
        }
        verdicts.push(ours.verdict);

        // Every delay up to a second: no better than any one of them.
        let mut job = together(offset);
        job.any_delay = Some(1.0);
        let any = answer(&job);
        for k in -2..=2 {
            let one = answer(&together(offset + 0.5 * f64::from(k)));
            assert!(one.verdict <= any.verdict, "{a} {b}: {k}");
        }
        if let (Verdict::Collision, Some(x)) = (any.verdict, &any.first_contact) {
            let distance = exact::distance(&file.cell(), &x.joints, &x.a, &x.b);
            assert!(distance <= 1e-9, "{x:?} is {distance} m apart");
        }
    }
    assert!(verdicts.contains(&Verdict::Clear), "{verdicts:?}");
}

/// Home, to the first seat, back, and on to the car; the seat comes along from Pick on and stays at
/// Place.
#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn a_seat_is_carried() {
    let data = real_data();
    let folder = data.join("programs/car_seat_sia20d");
    let seats = data.join("cells/car_seat_seats");
    let scene = &read_json(&seats.join("scene.json"))["objects"];
    let (header, rows) = table(&folder.join("home_pick1_place1_line.csv"));
    let csv = |rows: &[&[f64]]| {
        let mut text = header.join(",");
        for row in rows {
            let values: Vec<String> = row.iter().map(|v| format!("{v:?}")).collect();
            write!(text, "\n{}", values.join(",")).unwrap();
        }
        text
    };
    let all: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let mut file = CellFile::robot(&data, "sia20d_car_seat_cell_tesseract", &[]);
    file.obstacles(scene, &seats);
    let program = file.beside("carry.csv", &csv(&all));
    // Pick is the second waypoint. Seat 1 is ten pieces.
    let attach = "[[event]]\nwaypoint = 2\nattach = \"world::seat_1_*\"\nto = \"end_effector\"\n";
    file.beside(
        "carry.events.toml",
        &format!("{attach}[[event]]\nwaypoint = 4\nrelease = \"world::seat_1_*\"\n"),
    );
    let (whole, certificate) = answer_and_file(&file.job(vec![program]));
    // Taken and put down.
    assert_eq!(handed_over(certificate.as_ref()), 20);

    // By hand: to Pick with the seats standing; from there with seat 1 as an attachment, at the
    // pose of forward kinematics.
    let to_pick = file.beside("to_pick.csv", &csv(&all[..2]));
    let first = answer(&file.job(vec![to_pick]));
    assert_eq!(first.verdict, Verdict::Clear);
    // The same, and taken at its end: an instant of its own.
    file.beside("to_pick.events.toml", attach);
    let (taken, certificate) =
        answer_and_file(&file.job(vec![file.beside("to_pick.csv", &csv(&all[..2]))]));
    assert_eq!(taken.verdict, Verdict::Clear);
    assert_eq!(handed_over(certificate.as_ref()), 10);
    let cell = file.cell();
    let mut q = vec![0.0; cell.joints.len()];
    for (name, value) in header.iter().zip(&rows[1]).skip(1) {
        q[cell.joints_named(name)[0]] = *value;
    }
    let world_from_joint = cell.forward(&q);
    let gripper = cell.body("end_effector").unwrap();
    let back = cell.body_pose(&world_from_joint, gripper).inverse();
    let mut carried = CellFile::robot(&data, "sia20d_car_seat_cell_tesseract", &[]);
    for object in scene.as_array().unwrap() {
        let name = format!("world::{}", super::text(&object["id"]));
        let standing = cell.body_pose(&world_from_joint, cell.body(&name).unwrap());
        let (of, at) = if name.starts_with("world::seat_1_") {
            ("[[attach]]\nparent = \"end_effector\"", back * standing)
        } else {
            ("[[obstacle]]", standing)
        };
        carried.line(of);
        carried.line(&format!("name = \"{name}\""));
        let form = carried.form(object, &seats);
        carried.line(&form);
        let (t, r) = (at.translation.vector, at.rotation.coords);
        carried.line(&format!(
            "pose = {{ xyz = [{:?}, {:?}, {:?}], quat = [{:?}, {:?}, {:?}, {:?}] }}",
            t.x, t.y, t.z, r.x, r.y, r.z, r.w
        ));
    }
    let from_pick: PathBuf = carried.beside("from_pick.csv", &csv(&all[1..]));
    let second = answer(&carried.job(vec![from_pick]));
    assert_eq!(whole.verdict, second.verdict);
    let (ours, theirs) = (whole.first_contact.unwrap(), second.first_contact.unwrap());
    assert!(
        (ours.time - theirs.time).abs() < 1e-3,
        "{ours:?} {theirs:?}"
    );
    assert_eq!(
        (ours.segment, theirs.segment + 1),
        (theirs.segment + 1, ours.segment)
    );
    let pair = |c: &clearance::findings::Contact| {
        let mut pair = [c.a.clone(), c.b.clone()];
        pair.sort();
        pair
    };
    assert_eq!(pair(&ours), pair(&theirs));
    let distance = exact::distance(&carried.cell(), &ours.joints, &ours.a, &ours.b);
    assert!(distance <= 1e-9, "{ours:?} is {distance} m apart");
    // The seat is in the way before the empty gripper would be.
    assert!(
        pair(&ours)
            .iter()
            .any(|name| name.starts_with("world::seat_1_")),
        "{ours:?}"
    );
}
