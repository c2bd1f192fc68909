//! Programs of moves beside each other: how long moves take is not certain, so every instant of one
//! is held against every instant of the others.

use std::path::PathBuf;

use clearance::findings::{Code, ProgramOutcome, Verdict};
use clearance::run::{Job, RobotProgram};
use clearance_proof::model::MotionInstant;
use serde_json::json;

use super::{Lab, Table, named, one, two};
use crate::common::Random;

/// The rows of a table as joint moves that stop at each of them.
fn moves(lab: &Lab, name: &str, table: &Table) -> PathBuf {
    let moves: Vec<_> = (table.rows.iter().enumerate())
        .map(|(k, (_, q))| json!({"move": "joint", "to": {"joints": q}, "zone": "stop", "file": "table", "line": k + 1, "speed": {"seconds": 0.4}}))
        .collect();
    let program = json!({
        "clearance_motion": 1, "units": {"length": "m", "angle": "rad"},
        "joints": ["turn", "lift", "reach"], "slides": ["reach"], "moves": moves,
    });
    lab.write(name, &program.to_string())
}

/// The same way at other speeds, with a stop somewhere on it.
fn retimed(random: &mut Random, table: &Table) -> Table {
    let mut time = 0.0;
    let mut rows = Vec::new();
    for pair in table.rows.windows(2) {
        rows.push((time, pair[0].1));
        time += 0.05 + 2.0 * random.unit();
        if random.below(3) == 0 {
            let share = random.unit();
            let middle = [0, 1, 2].map(|j| pair[0].1[j] + share * (pair[1].1[j] - pair[0].1[j]));
            rows.push((time, middle));
            time += 3.0 * random.unit() + 0.01;
            rows.push((time, middle));
            time += 0.05 + random.unit();
        }
    }
    rows.extend(table.rows.last().map(|row| (time, row.1)));
    Table { rows }
}

/// The same way so that it passes a place on it at ten seconds.
fn passing(table: &Table, passed: MotionInstant) -> Table {
    let place = 10.0 - (passed.segment as f64 + passed.fraction);
    let rows = table.rows.iter().enumerate();
    Table {
        rows: rows.map(|(k, row)| (place + k as f64, row.1)).collect(),
    }
}

/// A motion that is clear touches nothing at any speeds, wherever programs wait; and a contact that
/// is reported is one, once both get there together.
#[test]
fn any_progress_agrees_with_speeds_that_are_tried() {
    let mut random = Random(61);
    let (mut clear, mut hits, mut not_as_estimated) = (0, 0, 0);
    for case in 0..40 {
        let lab = Lab::new();
        let size = 0.1 + 0.7 * random.unit();
        let tables = [(); 2].map(|()| Table::random(&mut random, size));
        let programs = [
            named("left", &moves(&lab, "l.motion.json", &tables[0]), 0.0),
            named("right", &moves(&lab, "r.motion.json", &tables[1]), 0.0),
        ];
        // Moves have no certain times: whatever delay is asked for, less than all would prove
        // nothing.
        let answer = lab.together(&two(1.65), &programs, Some(0.0));
        assert_eq!(answer.error, None);
        let facts = answer.timeline.unwrap();
        assert!(facts.any_progress && facts.programs.iter().all(|p| p.estimated));
        let said = answer.unchecked.iter();
        assert_eq!(said.filter(|d| d.code == Code::EstimatedTimes).count(), 2);
        let ask = |left: &Table, right: &Table| {
            let files = [left.write(&lab, "l.csv"), right.write(&lab, "r.csv")];
            let both = [
                named("left", &files[0], 0.0),
                named("right", &files[1], 0.0),
            ];
            lab.together(&two(1.65), &both, None).verdict
        };
        match answer.verdict {
            Verdict::Clear => {
                clear += 1;
                for _ in 0..8 {
                    let [left, right] = [0, 1].map(|k| retimed(&mut random, &tables[k]));
                    assert_ne!(ask(&left, &right), Verdict::Collision, "case {case}");
                }
            }
            Verdict::Collision => {
                hits += 1;
                let at = [0, 1].map(|k| {
                    let at = facts.programs[k].at.as_ref().unwrap();
                    assert_eq!(at.lines, [at.segment + 1, at.segment + 2]);
                    MotionInstant::new(at.segment, at.fraction)
                });
                let [left, right] = [0, 1].map(|k| passing(&tables[k], at[k]));
                assert_eq!(
                    ask(&left, &right),
                    Verdict::Collision,
                    "case {case}: {at:?}"
                );
                let estimated = tables.each_ref().map(|t| passing(t, MotionInstant::START));
                not_as_estimated +=
                    usize::from(ask(&estimated[0], &estimated[1]) != Verdict::Collision);
            }
            other => panic!("case {case}: {other:?}"),
        }
    }
    assert!(
        clear > 10 && hits > 10 && not_as_estimated > 2,
        "{clear} {hits} {not_as_estimated}"
    );
}

/// Two slides carry a ball; the first goes along x, the second along y or z.
fn slides(second: &str) -> String {
    let limit = r#"<limit lower="-3" upper="3" velocity="1" effort="1"/>"#;
    format!(
        r#"<robot name="slides"><link name="base"/><link name="middle"/><link name="ball"><collision><geometry>
        <sphere radius="0.01"/></geometry></collision></link>
        <joint name="one" type="prismatic"><axis xyz="1 0 0"/><parent link="base"/><child link="middle"/>{limit}</joint>
        <joint name="two" type="prismatic"><axis xyz="{second}"/><parent link="middle"/><child link="ball"/>{limit}</joint></robot>"#
    )
}

/// Through three points, of which the second may be rounded.
fn round(lab: &Lab, name: &str, points: [[f64; 2]; 3]) -> PathBuf {
    let zones = ["stop", "unknown", "stop"];
    let moves: Vec<_> = (points.iter().zip(zones).enumerate())
        .map(|(k, (q, zone))| {
            json!({"move": "joint", "to": {"joints": q}, "tool": "tip", "zone": zone, "label": format!("p{k}"), "file": "table", "line": 10 * (k + 1),
                // Ten times faster than the joints may be.
                "speed": {"seconds": 0.1}})
        })
        .collect();
    let program = json!({
        "clearance_motion": 1, "units": {"length": "m", "angle": "rad"}, "joints": ["one", "two"], "slides": ["one", "two"],
        "tools": {"tip": {"link": "ball", "pose": {"xyz": [0, 0, 0]}}}, "moves": moves,
    });
    lab.write(name, &program.to_string())
}

struct Balls {
    lab: Lab,
    programs: [RobotProgram; 2],
}

impl Balls {
    /// The first ball goes round a corner in the plane z = 0; the second one along y and z at x =
    /// 0.35.
    fn new(second: [[f64; 2]; 3]) -> Self {
        let lab = Lab::new();
        lab.write("flat.urdf", &slides("0 1 0"));
        lab.write("upright.urdf", &slides("0 0 1"));
        let first = round(&lab, "a.motion.json", [[-0.5, 0.0], [0.5, 0.0], [0.5, 1.0]]);
        let second = round(&lab, "b.motion.json", second);
        let programs = [named("flat", &first, 0.0), named("upright", &second, 0.0)];
        Self { lab, programs }
    }

    fn ask(&self, x: f64, set: impl Fn(&mut Job)) -> ProgramOutcome {
        // Its first slide goes along y.
        let cell = format!(
            "[[robot]]\nname = \"flat\"\nurdf = \"flat.urdf\"\n[[robot]]\nname = \"upright\"\nurdf = \"upright.urdf\"\n\
             base = {{ xyz = [{x}, 0, 0], rpy = [0, 0, 1.5707963267948966] }}\n"
        );
        let cell = self.lab.write("balls.toml", &cell);
        let mut job = Job::new(cell, Vec::new());
        job.together = self.programs.to_vec();
        job.any_delay = Some(f64::INFINITY);
        set(&mut job);
        one(&mut job)
    }
}

/// Ways through the taught points stay apart; what lies within the hull of a corner does not: of
/// one robot's beside the other's way, and of both hulls.
#[test]
fn corners_are_proved_beside_the_other_program() {
    // Straight down through the hull of the other's corner, at (0.35, 0.15).
    let through = Balls::new([[0.15, 1.0], [0.15, 0.9], [0.15, -1.0]]);
    // A corner that only the other corner's hull meets.
    let corner = Balls::new([[-0.58, -0.14], [0.42, -0.14], [0.42, 0.86]]);
    for (balls, of) in [(&through, 1), (&corner, 2)] {
        let found = balls.ask(0.35, |_| ());
        assert_eq!(found.verdict, Verdict::Possible, "{:?}", found.error);
        let contact = found.first_contact.unwrap();
        assert!(contact.in_corner, "{contact:?}");
        // No speed limit is judged by an estimate.
        assert!(found.limits.is_empty(), "{:?}", found.limits);
        let at: Vec<_> = found.timeline.unwrap().programs;
        let at: Vec<_> = at.iter().filter_map(|p| p.at.as_ref()).collect();
        assert_eq!(at.len(), 1);
        assert_eq!(at[0].lines, [10, 20]);
        let exact = balls.ask(0.35, |job| job.exact_corners = true);
        assert_eq!(exact.verdict, Verdict::Clear, "{of}: {:?}", exact.error);
        let aside = balls.ask(0.6, |_| ());
        assert_eq!(aside.verdict, Verdict::Clear, "{of}: {:?}", aside.error);
    }
}

/// Without certain times the question without delays has no answer, nor do events have times.
#[test]
fn what_needs_times_is_refused_with_what_to_do() {
    let lab = Lab::new();
    let mut random = Random(3);
    let table = Table::random(&mut random, 0.2);
    let programs = [
        named("left", &moves(&lab, "l.motion.json", &table), 0.0),
        named("right", &moves(&lab, "r.motion.json", &table), 0.0),
    ];
    let error = lab.together(&two(9.0), &programs, None).error.unwrap();
    assert!(
        error.contains("how long moves take is not certain") && error.contains("--any-delay any"),
        "{error}"
    );
    let untimed = lab.write("u.csv", "turn\n0\n1\n");
    let mixed = [named("left", &untimed, 0.0), programs[1].clone()];
    let error = lab.together(&two(9.0), &mixed, None).error.unwrap();
    assert!(
        error.contains("add a `time` column") && error.contains("--any-delay any"),
        "{error}"
    );
    let both = lab.together(&two(9.0), &mixed, Some(0.1));
    assert_eq!(both.verdict, Verdict::Clear, "{:?}", both.error);
    lab.write(
        "l.motion.events.toml",
        "[[event]]\nwaypoint = 1\nmove = \"jaw_joint\"\nvalue = 0.01\nduration = 1\n",
    );
    let error = lab.together(&two(9.0), &programs, Some(0.1)).error.unwrap();
    assert!(error.contains("has no certain times"), "{error}");
}

/// Straight moves of two tools: known within tubes only, and turned as far as the controller may
/// turn them.
#[test]
fn straight_moves_of_two_tools_are_proved_beside_each_other() {
    let lab = Lab::new();
    let above = [0.3640, 0.6405, -0.0345, 0.0, 0.9648, 0.0640];
    let beside = [0.3340, 0.6405, -0.0345, 0.0, 0.9648, 0.0640];
    let place = [0.3640, 0.9298, 0.0181, 0.0, 0.6229, 0.0640];
    let ask = |distance: f64| {
        let joints: Vec<String> = (1..=6).map(|k| format!("joint_{k}")).collect();
        let program = json!({
            "clearance_motion": 1, "units": {"length": "mm", "angle": "rad"}, "joints": joints,
            "tools": {"tip": {"link": "tool0", "pose": {"xyz": [0, 0, 100]}}},
            "moves": [
                {"move": "joint", "to": {"joints": beside}, "tool": "tip", "zone": "stop"},
                {"move": "linear", "to": {"joints": above}, "tool": "tip", "zone": {"radius": 5}, "speed": {"tool": 100}},
                {"move": "linear", "to": {"joints": place}, "tool": "tip", "zone": "stop", "speed": {"tool": 50}},
            ],
        });
        let file = lab.write("a.motion.json", &program.to_string());
        let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/arm6/robot.urdf");
        let cell = format!(
            "[[robot]]\nname = \"left\"\nurdf = \"{urdf}\"\n[[robot]]\nname = \"right\"\nurdf = \"{urdf}\"\n\
             base = {{ xyz = [{distance}, 0.32, 0], rpy = [0, 0, 3.141592653589793] }}\n"
        );
        let cell = lab.write("arms.toml", &cell);
        let mut job = Job::new(cell, Vec::new());
        job.together = vec![named("left", &file, 0.0), named("right", &file, 0.0)];
        job.any_delay = Some(f64::INFINITY);
        one(&mut job)
    };
    let free = ask(1.1);
    assert_eq!(free.verdict, Verdict::Clear, "{:?}", free.error);
    // 20 mm to the side at 100 mm/s, 83 mm down at 50 mm/s.
    let facts = free.timeline.unwrap();
    let about = facts.programs[0].duration;
    assert!((2.0..4.0).contains(&about), "{about}");
    let hit = ask(0.84);
    assert_eq!(hit.verdict, Verdict::Collision, "{:?}", hit.error);
}
