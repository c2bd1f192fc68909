mod all_ways;
mod half_corners;
mod model_difference;
mod pick_and_place;
mod remarks;

use std::fs;

use tempfile::TempDir;

use crate::findings::{Code, Outcome, Verdict};
use crate::run::convert::convert_controller_program;
use crate::run::{Job, run};

/// A bar of 1 m that turns about z at the origin, and a post that it meets at 90°. Behind the bar's
/// end sits the flange.
const URDF: &str = r#"<robot name="bar"><link name="base"/><link name="tool0"><collision><origin xyz="0.5 0 0"/>
    <geometry><box size="1 0.02 0.02"/></geometry></collision></link>
    <joint name="turn" type="revolute"><parent link="base"/><child link="tool0"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="1" effort="1"/></joint></robot>"#;
const CELL: &str = "[[robot]]\nurdf = \"bar.urdf\"\n[[obstacle]]\nname = \"post\"\nsphere = 0.05\npose = { xyz = [0, 0.9, 0] }\n";

fn verified(cell: &str, name: &str, program: &str) -> Outcome {
    verified_with("", cell, name, program)
}

/// With this file of events.
fn verified_with(events: &str, cell: &str, name: &str, program: &str) -> Outcome {
    verified_by(events, cell, name, program, |job| job)
}

/// With this file of events, and more that is asked.
fn verified_by(
    events: &str,
    cell: &str,
    name: &str,
    program: &str,
    asked: impl FnOnce(Job) -> Job,
) -> Outcome {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("bar.urdf"), URDF).unwrap();
    fs::write(at("cell.toml"), cell).unwrap();
    fs::write(at(name), program).unwrap();
    if !events.is_empty() {
        fs::write(at(name).with_extension("events.toml"), events).unwrap();
    }
    let job = asked(Job::new(at("cell.toml"), vec![at(name)]));
    run(&job, &crate::run::NoProgress)
}

#[test]
fn joint_moves_of_a_script_are_checked_at_their_lines() {
    let answer = verified(
        CELL,
        "a.script",
        "movej([0])\nmovej([1])\nsleep(1)\nmovej([-1])\n",
    );
    let program = &answer.programs[0];
    assert_eq!(
        (answer.verdict, program.error.as_deref()),
        (Verdict::Clear, None)
    );
    assert_eq!(program.lines, [1, 2, 4]);
    let said = |code: Code| program.unchecked.iter().find(|d| d.code == code);
    assert!(said(Code::LateStart).is_some_and(|d| d.message.contains("`start`")));
    assert!(said(Code::PassedOver).is_some_and(|d| d.message.contains("sleep (1)")));
    let answer = verified(CELL, "a.script", "movej([0])\nmovej([1])\nmovej([2])\n");
    let contact = answer.programs[0].first_contact.as_ref().unwrap();
    assert_eq!((answer.verdict, contact.segment), (Verdict::Collision, 1));
}

#[test]
fn the_cell_says_where_a_program_begins() {
    let cell = CELL.replace(
        "[[obstacle]]",
        "start = { turn = 2 }\ncontroller = { dialect = \"ur\" }\n[[obstacle]]",
    );
    let answer = verified(&cell, "a.script", "movej([0])\n");
    assert_eq!(answer.verdict, Verdict::Collision);
    let answer = verified(
        &cell.replace("turn = 2", "turn = 1"),
        "a.script",
        "movej([0])\n",
    );
    assert_eq!(answer.verdict, Verdict::Clear);
    let codes: Vec<Code> = answer.programs[0]
        .unchecked
        .iter()
        .map(|d| d.code)
        .collect();
    assert!(!codes.contains(&Code::LateStart));
}

#[test]
fn the_worst_of_all_ways_counts() {
    let program = "movej([0])\nif get_digital_in(1):\n  movej([1])\nelse:\n  movej([2])\nend\n";
    let answer = verified(CELL, "a.script", program);
    let said = &answer.programs[0].unchecked;
    assert_eq!(answer.verdict, Verdict::Collision);
    let ways: Vec<_> = said
        .iter()
        .filter(|d| d.code == Code::Way)
        .map(|d| d.message.as_str())
        .collect();
    assert!(
        matches!(ways[..], [a, b] if a.starts_with("clear: ") && b.starts_with("collision: ")),
        "{ways:?}"
    );
    let program = program.replace("movej([2])", "servoj([2])");
    let answer = verified(CELL, "a.script", &program);
    assert_eq!(answer.verdict, Verdict::Unverified);
}

/// Each way has waypoints of its own: number 2 is another place on each.
#[test]
fn an_event_at_another_line_on_another_way_leaves_the_question_open() {
    let bin = "[[obstacle]]\nname = \"bin\"\nsphere = 0.05\npose = { xyz = [0, -0.9, 0] }\n";
    let cell = format!("{CELL}{bin}");
    let program = "movej([0])\nmovej([0.1])\nif get_digital_in(1):\n movej([0.2])\nelse:\n movej([0.3])\nend\nmovej([0])\n";
    for (when, verdict) in [
        ("waypoint = 1", Verdict::Clear),
        ("waypoint = 2", Verdict::Clear),
        ("waypoint = 1\nuntil_waypoint = 2", Verdict::Clear),
        ("waypoint = 3", Verdict::Unverified),
        ("waypoint = 2.5", Verdict::Unverified),
        ("waypoint = 1\nuntil_waypoint = 3", Verdict::Unverified),
    ] {
        let event = format!("[[event]]\n{when}\nallow = [\"tool0\", \"bin\"]\nreason = \"x\"\n");
        let answer = verified_with(&event, &cell, "a.script", program);
        let told = &answer.programs[0].unchecked;
        assert_eq!(answer.verdict, verdict, "{when}: {told:?}");
        let is_told = told
            .iter()
            .any(|d| d.code == Code::Way && d.message.contains("counted on each way anew"));
        assert_eq!(is_told, verdict == Verdict::Unverified, "{told:?}");
        assert_eq!(answer.programs[0].unsettled, is_told);
        assert_eq!(answer.programs[0].error.is_some(), is_told);
    }
}

/// Regression: lines were compared without their files, and a waypoint in a called program passed where
/// its line has the same number.
#[test]
fn an_event_at_a_line_of_another_file_on_another_way_leaves_the_question_open() {
    let controller = "controller = { dialect = \"fanuc\", joints = [\"turn\"], base = \"base\", flange = \"tool0\", tools = { 1 = {} } }\n";
    let cell = CELL.replace("[[obstacle]]", &format!("{controller}[[obstacle]]"));
    let listing = |name: &str, lines: &[&str], points: &[i32]| {
        let lines = lines.iter().enumerate();
        let lines: String = lines
            .map(|(k, line)| format!("{}: {line} ;\n", k + 1))
            .collect();
        let points = points.iter().enumerate();
        let points = points.map(|(k, degrees)| {
            format!(
                "P[{}]{{\n GP1:\n UF : 0, UT : 1,\n J1= {degrees} deg\n}};\n",
                k + 1
            )
        });
        let points: String = points.collect();
        format!("/PROG {name}\n/ATTR\nDEFAULT_GROUP = 1,*,*,*,*;\n/MN\n{lines}/POS\n{points}/END\n")
    };
    let main = [
        "J P[1] 100% FINE",
        "IF DI[1]=ON,JMP LBL[1]",
        "J P[2] 100% FINE",
        "JMP LBL[2]",
        "LBL[1]",
        "CALL SUB",
        "LBL[2]",
        "J P[1] 100% FINE",
    ];
    let main = listing("MAIN", &main, &[0, 10]);
    let event = "[[event]]\nwaypoint = 2\nallow = [\"tool0\", \"post\"]\nreason = \"x\"\n";
    for remarks in [1, 2, 3] {
        let mut sub = vec!["!remark"; remarks];
        sub.push("J P[1] 100% FINE");
        let sub = listing("SUB", &sub, &[20]);
        let answer = verified_by(event, &cell, "MAIN.LS", &main, |job| {
            fs::write(job.programs[0].with_file_name("SUB.LS"), &sub).unwrap();
            job
        });
        let told = &answer.programs[0].unchecked;
        assert_eq!(answer.verdict, Verdict::Unverified, "{remarks}: {told:?}");
        let mut told = told.iter().filter(|d| d.code == Code::Way);
        let named = format!("line {} of ", 5 + remarks);
        assert!(
            told.any(|d| d.message.contains(&named)),
            "{remarks}: {told:?}"
        );
    }
}

/// What holds from the event on is only checked on the way that goes on.
#[test]
fn an_event_beside_ways_that_join_leaves_the_question_open() {
    let bin = "[[obstacle]]\nname = \"bin\"\nsphere = 0.05\npose = { xyz = [0, -0.9, 0] }\n";
    let cell = format!("{CELL}{bin}");
    let asks: String = (1..=7)
        .map(|k| format!(" if get_digital_in({k}):\n  movej([0.{k}])\n end\n"))
        .collect();
    let program = format!("movej([0])\nwhile True:\n movej([0])\n{asks}end\n");
    let event = "[[event]]\nwaypoint = 1\nallow = [\"tool0\", \"bin\"]\nreason = \"x\"\n";
    for (event, verdict) in [("", Verdict::Clear), (event, Verdict::Unverified)] {
        let answer = verified_with(event, &cell, "a.script", &program);
        assert_eq!(
            answer.verdict, verdict,
            "{:?}",
            answer.programs[0].unchecked
        );
    }
}

/// A way that ends where another one goes on is not all of the motion.
#[test]
fn ways_that_join_are_not_written() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("bar.urdf"), URDF).unwrap();
    fs::write(at("cell.toml"), CELL).unwrap();
    let asks = |n: usize| -> String {
        (1..=n)
            .map(|k| format!(" if get_digital_in({k}):\n  movej([0.{k}])\n end\n"))
            .collect()
    };
    let convert = |asks: String| {
        let program = format!("movej([0])\nwhile True:\n movej([0])\n{asks}end\n");
        fs::write(at("a.script"), program).unwrap();
        let job = Job::new(at("cell.toml"), vec![at("a.script")]);
        convert_controller_program(&job, Some(1))
    };
    let error = convert(asks(7)).err().map(|e| e.to_string());
    assert!(error.is_some_and(|e| e.contains("part and join again")));
    assert!(convert(String::new()).is_ok());
    // Few ways are whole.
    assert!(convert(asks(2)).is_ok());
}

#[test]
fn a_way_on_which_nothing_moves_is_no_reason_to_doubt_the_others() {
    let guarded = "if get_digital_in(0):\n halt\nend\nmovej([0])\nmovej([1])\n";
    let answer = verified(CELL, "a.script", guarded);
    let collision = verified(CELL, "a.script", "movej([0])\nmovej([1])\n");
    assert_eq!(answer.verdict, collision.verdict);
    assert_ne!(answer.verdict, Verdict::Unverified);
    let told = &answer.programs[0].unchecked;
    let says = "on 1 of 2 ways through the program nothing moves";
    assert!(told.iter().any(|d| d.message == says), "{told:?}");
}

/// Nothing is known to move on it, but something may.
#[test]
fn a_way_that_is_not_known_counts_although_it_has_no_move() {
    let program = "if get_digital_in(0):\n speedj([1])\nend\nmovej([0])\nmovej([0.1])\n";
    let answer = verified(CELL, "a.script", program);
    assert_eq!(answer.verdict, Verdict::Unverified);
}

#[test]
fn what_is_not_known_or_not_verified_is_never_clear() {
    for (program, says) in [
        (
            "movej([0])\nspeedj([1])\nmovej([1])\n",
            "a.script:2: `speedj` could move the arm",
        ),
        (
            "movej([0])\nspeedj([1])\nspeedj([1])\n",
            "`clearance explain unknown-motion` (1 more reason)",
        ),
        (
            "movej([0], r=0.1)\nmovej([1])\nmovej([0])\n",
            "a.script:1: which tool counts",
        ),
        (
            "set_tcp(p[0,0,0,0,0,0])\nmovej([0], r=0.1)\nmovej([1])\nmovej([0])\n",
            "a.script:3: the corners at its ends",
        ),
        (
            "set_tcp(p[0,0,0,0,0,0])\nmovel(p[0.1,0,0,0,0,0])\n",
            "a.script:2: ",
        ),
        ("sleep(1)\n", "there is no move in it"),
        ("movej([0]\n", "a.script"),
    ] {
        let answer = verified(CELL, "a.script", program);
        let error = answer.programs[0].error.clone().unwrap_or_default();
        assert_eq!(answer.verdict, Verdict::Unverified, "{program}");
        assert!(error.contains(says), "{error}");
    }
    // Another language is refused by its name.
    let answer = verified(CELL, "a.tp", "\0\0");
    assert!(
        answer.programs[0]
            .error
            .as_ref()
            .is_some_and(|e| e.contains("binary FANUC"))
    );
}
