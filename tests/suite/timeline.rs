//! Several programs on one clock, events along a program, and delays: held to the same scenes
//! checked piece by piece.
//!
//! The pieces are built by hand: a cell file and a table per interval between two events, with
//! poses from forward kinematics of this file's own.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clearance::findings::ProgramOutcome;
use clearance::run::{CacheFolder, Job, MinimumScope, NoProgress, RobotProgram, run};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use tempfile::TempDir;

use crate::common::Random;

mod bare_times;
mod delays;
mod least;
mod pieces;
mod progress;
mod refused;
mod slides;

/// A turn about z, a turn about y, a slide, and a jaw beside it.
const URDF: &str = r#"<robot name="arm">
  <link name="base"/>
  <link name="upper"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.06 0.06"/></geometry></collision></link>
  <link name="fore"><collision><origin xyz="0.15 0 0"/><geometry><box size="0.26 0.05 0.05"/></geometry></collision></link>
  <link name="hand"><collision><geometry><box size="0.06 0.06 0.06"/></geometry></collision></link>
  <link name="jaw"><collision><origin xyz="0 0.05 0"/><geometry><box size="0.03 0.02 0.03"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/><axis xyz="0 0 1"/></joint>
  <joint name="lift" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0.42 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint>
  <joint name="reach" type="prismatic"><parent link="fore"/><child link="hand"/><origin xyz="0.33 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint>
  <joint name="jaw_joint" type="prismatic"><parent link="hand"/><child link="jaw"/><origin xyz="0.05 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint>
</robot>"#;

/// World pose of `fore` and `hand` by hand; the base stands in the origin.
fn links(q: [f64; 3]) -> [Isometry3<f64>; 2] {
    let turn = |axis: Vector3<f64>, a: f64| {
        Isometry3::from_parts(
            Translation3::identity(),
            UnitQuaternion::from_scaled_axis(axis * a),
        )
    };
    let fore = Isometry3::translation(0.0, 0.0, 0.1)
        * turn(Vector3::z(), q[0])
        * Isometry3::translation(0.42, 0.0, 0.0)
        * turn(Vector3::y(), q[1]);
    [fore, fore * Isometry3::translation(0.33 + q[2], 0.0, 0.0)]
}

/// A folder with a robot in it.
struct Lab(TempDir);

impl Lab {
    fn new() -> Self {
        let lab = Lab(tempfile::tempdir().unwrap());
        lab.write("robot.urdf", URDF);
        lab
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.0.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    }

    /// The answer about one program, everything asked.
    fn ask(&self, cell: &str, program: &str, table: &str) -> ProgramOutcome {
        let cell = self.write(&format!("{program}.cell.toml"), cell);
        let program = self.write(&format!("{program}.csv"), table);
        let mut job = Job::new(cell, vec![program]);
        job.minimum = Some(MinimumScope::Classes);
        one(&mut job)
    }

    fn together(
        &self,
        cell: &str,
        programs: &[RobotProgram],
        delay: Option<f64>,
    ) -> ProgramOutcome {
        let cell = self.write("together.toml", cell);
        let mut job = Job::new(cell, Vec::new());
        job.together = programs.to_vec();
        job.any_delay = delay;
        one(&mut job)
    }
}

fn one(job: &mut Job) -> ProgramOutcome {
    job.cell.cache = CacheFolder::Off;
    job.cell.threads = Some(1);
    job.resolution = Some(1e-4);
    let outcome = run(job, &NoProgress);
    assert_eq!(outcome.error, None);
    outcome.programs.into_iter().next().unwrap()
}

fn pose(at: &Isometry3<f64>) -> String {
    let (t, r) = (at.translation.vector, at.rotation.coords);
    format!(
        "pose = {{ xyz = [{:?}, {:?}, {:?}], quat = [{:?}, {:?}, {:?}, {:?}] }}",
        t.x, t.y, t.z, r.x, r.y, r.z, r.w
    )
}

const NAMES: [&str; 2] = ["fore", "hand"];

/// Two robots of the kind above, face to face.
fn two(distance: f64) -> String {
    format!(
        "[[robot]]\nname = \"left\"\nurdf = \"robot.urdf\"\n\
         [[robot]]\nname = \"right\"\nurdf = \"robot.urdf\"\nbase = {{ xyz = [{distance}, 0, 0.05], rpy = [0, 0, 3.1] }}\n"
    )
}

struct Table {
    rows: Vec<(f64, [f64; 3])>,
}

impl Table {
    fn random(random: &mut Random, size: f64) -> Self {
        let mut time = 0.0;
        let mut rows = Vec::new();
        for _ in 0..4 {
            let q = [
                size * random.signed(),
                0.5 * random.signed(),
                0.1 * random.signed(),
            ];
            rows.push((time, q));
            time += 0.3 + random.unit();
        }
        Table { rows }
    }

    fn at(&self, time: f64) -> [f64; 3] {
        let k = self.rows.partition_point(|r| r.0 <= time);
        if k == 0 {
            return self.rows[0].1;
        }
        let Some(next) = self.rows.get(k) else {
            return self.rows[k - 1].1;
        };
        let (t0, q0) = self.rows[k - 1];
        let s = (time - t0) / (next.0 - t0);
        [0, 1, 2].map(|j| q0[j] + s * (next.1[j] - q0[j]))
    }

    fn write(&self, lab: &Lab, name: &str) -> PathBuf {
        self.write_columns(lab, name, &[0, 1, 2])
    }

    /// Some of the joints only.
    fn write_columns(&self, lab: &Lab, name: &str, joints: &[usize]) -> PathBuf {
        let names = joints.iter().map(|&j| ["turn", "lift", "reach"][j]);
        let mut text = names.fold("time".to_owned(), |text, name| text + "," + name);
        for (t, q) in &self.rows {
            write!(text, "\n{t:?}").unwrap();
            for &j in joints {
                write!(text, ",{:?}", q[j]).unwrap();
            }
        }
        lab.write(name, &(text + "\n"))
    }
}

fn named(robot: &str, file: &Path, offset_s: f64) -> RobotProgram {
    RobotProgram {
        robot: Some(robot.to_owned()),
        offset_s,
        ..RobotProgram::alone(file)
    }
}

#[test]
fn two_programs_are_the_one_that_is_written_by_hand() {
    let mut random = Random(5);
    let (mut clear, mut hits) = (0, 0);
    for case in 0..60 {
        let lab = Lab::new();
        let (left, right) = (
            Table::random(&mut random, 1.2),
            Table::random(&mut random, 1.2),
        );
        let offset = 2.0 * random.signed();
        let programs = [
            named("left", &left.write(&lab, "l.csv"), 0.0),
            named("right", &right.write(&lab, "r.csv"), offset),
        ];
        let ours = lab.together(&two(1.15), &programs, None);
        assert_eq!(ours.error, None);
        let mut times: Vec<f64> = left.rows.iter().map(|r| r.0).collect();
        times.extend(right.rows.iter().map(|r| r.0 + offset));
        times.sort_by(f64::total_cmp);
        let mut table =
            "time,left/turn,left/lift,left/reach,right/turn,right/lift,right/reach\n".to_owned();
        for t in times {
            let (l, r) = (left.at(t), right.at(t - offset));
            writeln!(
                table,
                "{t:?},{:?},{:?},{:?},{:?},{:?},{:?}",
                l[0], l[1], l[2], r[0], r[1], r[2]
            )
            .unwrap();
        }
        let theirs = lab.ask(&two(1.15), "by_hand", &table);
        assert_eq!(ours.verdict, theirs.verdict, "case {case}");
        if let (Some(a), Some(b)) = (&ours.first_contact, &theirs.first_contact) {
            hits += 1;
            assert_eq!((&a.a, &a.b), (&b.a, &b.b), "case {case}");
            assert!((a.time - b.time).abs() < 1e-3, "case {case}: {a:?} {b:?}");
            let facts = ours.timeline.as_ref().unwrap();
            for (participant, table) in facts.programs.iter().zip([&left, &right]) {
                let at = participant.at.as_ref().unwrap();
                let clock = (a.time - participant.offset).clamp(table.rows[0].0, table.rows[3].0);
                assert!(
                    (at.time - clock).abs() < 1e-9,
                    "case {case}: {participant:?}"
                );
                // The header is line 1.
                assert_eq!(at.lines, [at.segment + 2, at.segment + 3]);
            }
        } else {
            clear += 1;
        }
    }
    assert!(clear > 8 && hits > 15, "{clear} {hits}");
}

fn example(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The reply to a command that a user types: exit code and text.
fn clearance(args: &[&str]) -> (i32, String) {
    let output = assert_cmd::Command::cargo_bin("clearance")
        .unwrap()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["check", "--no-cache", "--quiet"])
        .args(args)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8(text).unwrap(),
    )
}

const ARMS: &str = "robots/two_arms/cell.toml";
const VISIT: &str = "trajectories/two_arms/visit.csv";

#[test]
fn two_arms_at_one_fixture() {
    assert!(example(VISIT).is_file());
    let left = format!("left={VISIT}");
    let right = |offset: &str| format!("right={VISIT}@{offset}");
    let run = |offset: &str, more: &[&str]| {
        let right = right(offset);
        let mut args = vec![
            "--cell",
            ARMS,
            "--program",
            left.as_str(),
            "--program",
            right.as_str(),
        ];
        args.extend(more);
        clearance(&args)
    };
    // At the fixture at the same time.
    let (exit, text) = run("0.5", &[]);
    assert_eq!(exit, 1, "{text}");
    assert!(text.contains("right: trajectories/two_arms/visit.csv (4.600 s, 8 waypoints, its clock starts at 0.500 s)"), "{text}");
    // One after the other; but not if the right one may be much earlier.
    assert_eq!(run("3.5s", &[]).0, 0);
    let (exit, text) = run("3.5s", &["--any-delay", "0.5s"]);
    assert_eq!(exit, 0, "{text}");
    assert!(
        text.contains("every delay of their starts against each other, up to 0.5 s"),
        "{text}"
    );
    let (exit, text) = run("3.5s", &["--any-delay", "1.5s"]);
    assert_eq!(exit, 1, "{text}");
    assert!(text.contains("s late, at its "), "{text}");
    // Questions that cannot be asked.
    for (args, said) in [
        (
            vec!["--cell", ARMS, "--program", left.as_str(), VISIT],
            "cannot be used with",
        ),
        (
            vec!["--cell", ARMS, "--any-delay", "1s", VISIT],
            "--program",
        ),
        (
            vec![
                "--cell",
                ARMS,
                "--any-delay",
                "1s",
                "--program",
                left.as_str(),
            ],
            "--any-delay is about several programs",
        ),
        (
            vec![
                "--cell",
                ARMS,
                "--any-delay",
                "-1s",
                "--program",
                left.as_str(),
            ],
            "negative",
        ),
        (
            vec!["--cell", ARMS, "--events", "x.toml", VISIT, VISIT],
            "--events belongs to one program",
        ),
        (
            vec![
                "--cell",
                ARMS,
                "--events",
                "gone.toml",
                "--program",
                left.as_str(),
            ],
            "gone.toml",
        ),
    ] {
        let (exit, text) = clearance(&args);
        assert_eq!(exit, 2, "{args:?}: {text}");
        assert!(text.contains(said), "{args:?}: {text}");
    }
}
