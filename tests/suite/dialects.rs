//! One motion, written in five languages of controllers: the same waypoints, and the same answer.

use std::f64::consts::PI;
use std::path::{Path, PathBuf};

use clearance::findings::{Outcome, Verdict};
use clearance::run::{CacheFolder, CellJob, Job, NoProgress, RobotProgram, prepare, run};
use clearance_programs::{Bounds, ControlledArm, Options, Reading};
use clearance_proof::model::moves::MoveKind;
use clearance_proof::motion::programmed::CellMoves;

mod export;
mod meaning;
mod mutants;

use export::{ABOVE, Dialect, Step, TIP, Writer, controller_text, dialects, list};

/// Degrees. Thousandths, so that pulses say them exactly.
const PLACE: [f64; 6] = [20.856, 53.274, 1.037, 0.0, 35.690, 3.667];
const TOO_LOW: [f64; 6] = [20.856, 57.261, -0.034, 0.0, 32.773, 3.667];
const BESIDE: [f64; 6] = [19.137, 36.698, -1.977, 0.0, 55.279, 3.667];
/// The example cell, with a controller that speaks this dialect.
fn cell_text(dialect: &Dialect) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/arm6");
    let text = std::fs::read_to_string(folder.join("cell.toml")).expect("the example");
    let text = text
        .replace(
            "urdf = \"robot.urdf\"",
            &format!("urdf = \"{}/robot.urdf\"", folder.display()),
        )
        .replace("mesh = \"", &format!("mesh = \"{}/", folder.display()));
    text.replacen(
        "[[attach]]",
        &format!("{}\n\n[[attach]]", controller_text(dialect)),
        1,
    )
}

/// A folder with the cell and the program.
struct Exported {
    _folder: tempfile::TempDir,
    cell: PathBuf,
    program: PathBuf,
}

fn exported(dialect: &Dialect, steps: &[Step]) -> Exported {
    let folder = tempfile::tempdir().expect("a folder");
    let cell = folder.path().join("cell.toml");
    std::fs::write(&cell, cell_text(dialect)).expect("a cell file");
    let prepared = prepare(&job_of(&cell), &NoProgress);
    let prepared = prepared.unwrap_or_else(|e| panic!("{}: {e}", dialect.name));
    let text = (dialect.write)(&Writer {
        axes: &dialect.axes,
        cell: &prepared.loaded.cell,
        steps,
    });
    let program = folder.path().join(dialect.file);
    std::fs::write(&program, text).expect("a program");
    Exported {
        _folder: folder,
        cell,
        program,
    }
}

fn job_of(cell: &Path) -> CellJob {
    let mut job = CellJob::file(cell);
    job.cache = CacheFolder::Off;
    job
}

/// Joint values of the waypoints, radians.
fn waypoints(exported: &Exported) -> Vec<Vec<f64>> {
    let prepared = prepare(&job_of(&exported.cell), &NoProgress).expect("the cell");
    let cell = &prepared.loaded.cell;
    let bytes = std::fs::read(&exported.program).expect("the program");
    let controller = ControlledArm::of(&prepared.loaded, None).expect("the controller");
    let options = Options {
        routine: None,
        bounds: Bounds::default(),
        read_neighbour: &clearance_formats::program::read,
        orientation_tube: 0.1,
    };
    let reading = clearance_programs::read(&exported.program, &bytes, &controller, &options);
    let Reading { ways, .. } = reading.unwrap_or_else(|e| panic!("{e}"));
    let [way] = &ways[..] else {
        panic!("{} ways", ways.len());
    };
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    let for_cell = CellMoves::new(way, cell, 0.0);
    let for_cell = for_cell.unwrap_or_else(|e| panic!("{}: {e}", exported.program.display()));
    let kinds: Vec<&MoveKind> = way.moves.iter().map(|step| &step.kind).collect();
    assert_eq!(
        kinds,
        [
            &MoveKind::Joint,
            &MoveKind::Linear,
            &MoveKind::Linear,
            &MoveKind::Joint
        ]
    );
    for_cell.ends.iter().map(|end| end.q.clone()).collect()
}

fn answer(exported: &Exported) -> Outcome {
    let mut job = Job::new(exported.cell.clone(), vec![exported.program.clone()]);
    job.cell.cache = CacheFolder::Off;
    run(&job, &NoProgress)
}

fn pick(low: [f64; 6]) -> [Step; 4] {
    [
        Step::Joint(ABOVE),
        Step::Linear(low),
        Step::Linear(ABOVE),
        Step::Joint(BESIDE),
    ]
}

#[test]
fn five_dialects_say_the_same_waypoints() {
    for dialect in dialects() {
        let found = waypoints(&exported(&dialect, &pick(PLACE)));
        // It stands at the first one to begin with.
        let expected = [ABOVE, ABOVE, PLACE, ABOVE, BESIDE];
        assert_eq!(found.len(), expected.len(), "{}", dialect.name);
        for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
            for (found, expected) in found.iter().zip(expected) {
                let off = (found - expected * PI / 180.0).abs();
                assert!(
                    off < 1e-6,
                    "{} {k}: {found} {expected} {off:e}",
                    dialect.name
                );
            }
        }
    }
}

#[test]
fn five_dialects_have_the_same_answer() {
    let mut first = None;
    for dialect in dialects() {
        let clear = answer(&exported(&dialect, &pick(PLACE)));
        assert_eq!(clear.verdict, Verdict::Clear, "{}: {clear:?}", dialect.name);
        let touching = answer(&exported(&dialect, &pick(TOO_LOW)));
        assert_eq!(touching.verdict, Verdict::Collision, "{}", dialect.name);
        let contact = touching.programs[0].first_contact.clone();
        let contact = contact.expect("a first contact");
        let (a, b, at) =
            first.get_or_insert_with(|| (contact.a.clone(), contact.b.clone(), contact.time));
        assert_eq!((&contact.a, &contact.b), (&*a, &*b), "{}", dialect.name);
        assert!(
            (contact.time - *at).abs() < 1e-4,
            "{}: {at} {}",
            dialect.name,
            contact.time
        );
    }
}

/// A point of the pendant, as each controller counts it, proves the map; with one sign turned it
/// refuses the program.
#[test]
fn a_point_of_the_pendant_proves_signs_in_every_dialect() {
    for dialect in dialects() {
        let exported = exported(&dialect, &pick(PLACE));
        let prepared = prepare(&job_of(&exported.cell), &NoProgress).expect("the cell");
        let writer = Writer {
            axes: &dialect.axes,
            cell: &prepared.loaded.cell,
            steps: &[],
        };
        let counted = writer.degrees(&ABOVE).map(|q| match dialect.name {
            "ur" => q.to_radians(),
            "inform" => (q * 1000.0).round(),
            _ => q,
        });
        let flange = writer.pose(&ABOVE) * nalgebra::Translation3::new(0.0, 0.0, -TIP);
        let turn = flange.rotation.coords;
        let point = |joints: [f64; 6]| {
            format!(
                "points = [{{ joints = [{}], xyz = [{}], quat = [{}] }}]\n\n[[attach]]",
                list(&joints, 9),
                list(&<[f64; 3]>::from(flange.translation.vector), 9),
                list(&<[f64; 4]>::from(turn), 12)
            )
        };
        let cell = std::fs::read_to_string(&exported.cell).expect("the cell");
        let with = |joints: [f64; 6]| {
            let cell = cell.replacen("\n[[attach]]", &point(joints), 1);
            std::fs::write(&exported.cell, cell).expect("a cell");
            answer(&exported)
        };
        let right = with(counted);
        assert_eq!(right.verdict, Verdict::Clear, "{}: {right:?}", dialect.name);
        let said = &right.programs[0].unchecked;
        assert!(
            said.iter().all(|d| d.code.as_str() != "first-target"),
            "{said:?}"
        );
        for joint in [0, 1, 2, 4, 5] {
            let mut turned = counted;
            turned[joint] = -turned[joint];
            let wrong = with(turned);
            assert_eq!(
                wrong.verdict,
                Verdict::Unverified,
                "{} {joint}",
                dialect.name
            );
            let error = wrong.programs[0].error.as_deref().unwrap_or_default();
            assert!(error.contains("apart: the file says"), "{error}");
        }
    }
}

/// The output of `clearance convert` for a program.
fn converted(exported: &Exported) -> (i32, String) {
    let output = run_on(exported, &["convert"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code().expect("an exit code"), text)
}

/// A run of `clearance` on the program.
fn run_on(exported: &Exported, command: &[&str]) -> std::process::Output {
    let mut run = assert_cmd::Command::cargo_bin("clearance").expect("the binary");
    run.args(command).arg("--cell").arg(&exported.cell);
    run.arg(&exported.program).output().expect("a run")
}

#[test]
fn what_convert_prints_has_the_same_answer() {
    for dialect in dialects() {
        let mut exported = exported(&dialect, &pick(TOO_LOW));
        let from = answer(&exported);
        let (code, text) = converted(&exported);
        assert_eq!(code, 0, "{}", dialect.name);
        exported.program.set_file_name("pick.motion.json");
        std::fs::write(&exported.program, text).expect("a program");
        let to = answer(&exported);
        let [from, to] =
            [from, to].map(|o| o.programs[0].first_contact.clone().expect("a contact"));
        assert_eq!((&from.a, &from.b), (&to.a, &to.b), "{}", dialect.name);
        assert!((from.time - to.time).abs() < 1e-6, "{}", dialect.name);
    }
}

/// A program whose second move is to wherever the arm was when a person pressed a button.
#[test]
fn what_is_not_known_stays_so_when_it_is_converted() {
    let dialect = &dialects()[1];
    let mut exported = exported(dialect, &pick(PLACE));
    let text = std::fs::read_to_string(&exported.program).expect("the program");
    let text = text.replacen(
        "    MoveL",
        "    MoveL CRobT(),v100,fine,tTip;\n    MoveL",
        1,
    );
    std::fs::write(&exported.program, text).expect("a program");
    assert_eq!(answer(&exported).verdict, Verdict::Unverified);
    let (code, text) = converted(&exported);
    assert_eq!(code, 0);
    assert!(text.contains("\"unknown\""), "{text}");
    exported.program.set_file_name("pick.motion.json");
    std::fs::write(&exported.program, text).expect("a program");
    let outcome = answer(&exported);
    assert_eq!(outcome.verdict, Verdict::Unverified);
    let error = outcome.programs[0].error.as_deref().unwrap_or_default();
    assert!(error.contains("pick.mod:5:"), "{error}");
}

/// Of a program with several ways somebody has to choose one: each has a line, with its number.
#[test]
fn ways_to_choose_from_stand_on_lines_of_their_own() {
    let dialect = &dialects()[1];
    let exported = exported(dialect, &pick(PLACE));
    let text = std::fs::read_to_string(&exported.program).expect("the program");
    let text = text.replacen(
        "    MoveL",
        "    IF di1=1 MoveL CRobT(),v100,fine,tTip;\n    MoveL",
        1,
    );
    std::fs::write(&exported.program, text).expect("a program");
    let output = run_on(&exported, &["convert"]);
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    for told in [
        "  1 where pick; line 5: di1 = 1 is true\n  2 where pick; line 5: di1 = 1 is false\nerror: ",
        "2 ways lead through it; choose one with `--way NUMBER`\n",
    ] {
        assert!(err.contains(told), "{told}: {err}");
    }
}

/// Catches a conversion that takes away what must be seen before an answer is believed: a mode that
/// `main` sets otherwise, and that no point shows that the robot is understood.
#[test]
fn what_is_taken_for_granted_stays_so_when_it_is_converted() {
    let dialect = &dialects()[1];
    let mut exported = exported(dialect, &pick(PLACE));
    let text = std::fs::read_to_string(&exported.program).expect("the program");
    let main = "  PROC main()\n    SingArea\\Wrist;\n    TPWrite \"x\";\n    pick;\n  ENDPROC\n  PROC pick()\n    TPErase;\n";
    let text = text.replacen("  PROC pick()\n", main, 1);
    std::fs::write(&exported.program, text).expect("a program");
    let said = |exported: &Exported| {
        let mut job = Job::new(exported.cell.clone(), vec![exported.program.clone()]);
        job.cell.cache = CacheFolder::Off;
        job.routine = exported
            .program
            .ends_with("pick.mod")
            .then(|| "pick".to_owned());
        let outcome = run(&job, &NoProgress);
        // `main` leaves a mode otherwise than it is taken: nobody knows which way is driven.
        assert_eq!(outcome.verdict, Verdict::Unverified, "{outcome:?}");
        let program = &outcome.programs[0];
        assert!(program.unsettled && program.interpolation.is_some());
        let all = program.notices.iter().chain(&program.unchecked);
        let those = all.filter(|d| ["late-start", "first-target"].contains(&d.code.as_str()));
        let mut said: Vec<_> = those
            .map(|d| (d.code.as_str(), d.severity, d.message.clone()))
            .collect();
        said.sort_by(|a, b| a.0.cmp(b.0).then(a.2.cmp(&b.2)));
        said
    };
    let native = said(&exported);
    let told = |part: &str| native.iter().any(|(_, _, message)| message.contains(part));
    assert!(
        told("line 4 of ") && told("hold this against the pendant"),
        "{native:?}"
    );
    let output = run_on(&exported, &["convert", "--routine", "pick"]);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{err}");
    for part in [
        "start of the program",
        "sets them otherwise",
        "cannot move the arm: tperase (1)",
    ] {
        assert!(err.to_lowercase().contains(part), "{part}: {err}");
    }
    exported.program.set_file_name("pick.motion.json");
    std::fs::write(&exported.program, output.stdout).expect("a program");
    assert_eq!(said(&exported), native);
}

/// Catches modes at the start that are told of a program alone, and not where it runs beside another
/// one.
#[test]
fn what_is_taken_for_granted_is_told_beside_others() {
    let all = dialects();
    let dialect = all.iter().find(|d| d.name == "krl").expect("KRL");
    let exported = exported(dialect, &pick(PLACE));
    let at = |name: &str| exported.cell.with_file_name(name);
    let mut text = std::fs::read_to_string(&exported.cell).expect("the cell");
    text += "\n[[robot]]\nname = \"other\"\nurdf = \"other.urdf\"\nbase = { xyz = [9, 0, 0] }\n";
    std::fs::write(&exported.cell, text).expect("a cell");
    let other = "<robot name='r'><link name='a'/><link name='b'><collision><geometry><sphere radius='0.1'/></geometry></collision>\
                 </link><joint name='turn' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
    std::fs::write(at("other.urdf"), other).expect("a robot");
    std::fs::write(at("other.csv"), "turn\n0\n1\n").expect("a program");
    let alone = |robot: &str, file: PathBuf| RobotProgram {
        robot: Some(robot.to_owned()),
        ..RobotProgram::alone(&file)
    };
    let job = Job {
        together: vec![
            alone("arm", exported.program.clone()),
            alone("other", at("other.csv")),
        ],
        any_delay: Some(f64::INFINITY),
        cell: job_of(&exported.cell),
        ..Job::new("", Vec::new())
    };
    let program = run(&job, &NoProgress).programs.remove(0);
    assert_eq!((program.verdict, &program.error), (Verdict::Clear, &None));
    let mut said = program.unchecked.iter();
    assert!(
        said.any(|d| d.message.contains("$IPO_MODE=")),
        "{program:?}"
    );
}

/// A repository with a module and a cell: a change moves one target, and the run in CI says which.
#[test]
fn a_target_that_was_moved_is_named_by_routine_and_line() {
    let dialect = &dialects()[1];
    let exported = exported(dialect, &[]);
    let module = |low: [f64; 6]| {
        let none = "[9E9,9E9,9E9,9E9,9E9,9E9]";
        format!(
            "MODULE MainModule\n  PERS tooldata tTip:=[TRUE,[[0,0,100],[1,0,0,0]],[1,[0,0,50],[1,0,0,0],0,0,0]];\n  \
             CONST jointtarget jAbove:=[[{}],{none}];\n  CONST jointtarget jPlace:=[[{}],{none}];\n  \
             PROC main()\n    MoveAbsJ jAbove,v500,fine,tTip;\n    PickPart;\n  ENDPROC\n  \
             PROC PickPart()\n    MoveAbsJ jPlace,v100,fine,tTip;\n    MoveAbsJ jAbove,v500,fine,tTip;\n  ENDPROC\nENDMODULE\n",
            list(&ABOVE, 3),
            list(&low, 3)
        )
    };
    let run = |low: [f64; 6]| {
        std::fs::write(&exported.program, module(low)).expect("a program");
        let mut command = assert_cmd::Command::cargo_bin("clearance").expect("the binary");
        command.args([
            "check",
            "--no-cache",
            "--quiet",
            "--report",
            "github",
            "--cell",
        ]);
        command.arg(&exported.cell).arg(&exported.program);
        let output = command.output().expect("a run");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code().expect("an exit code"), text)
    };
    let (code, text) = run(PLACE);
    assert_eq!((code, text.contains("::error")), (0, false), "{text}");
    let (code, text) = run(TOO_LOW);
    assert_eq!(code, 1, "{text}");
    let error = text.lines().find(|line| line.starts_with("::error"));
    let error = error.expect("an annotation");
    for part in [
        "pick.mod,line=10,",
        "gripper against fixture",
        "in the joint move to `jPlace` (PickPart, line 10)",
        "at waypoint 3.00",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
}
