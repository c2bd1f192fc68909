//! One motion, written in five languages of controllers: the same waypoints, and the same answer.

use std::f64::consts::PI;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clearance::findings::{Outcome, Verdict};
use clearance::run::{CacheFolder, CellJob, Job, Silence, prepare, run};
use clearance_programs::{Bounds, Controller, Options, Reading};
use clearance_proof::model::Cell;
use clearance_proof::model::kinematics::forward;
use clearance_proof::model::moves::MoveKind;
use clearance_proof::motion::programmed::{Assumptions, LaidMoves};
use nalgebra::Isometry3;

/// Degrees. Thousandths, so that pulses say them exactly.
const ABOVE: [f64; 6] = [20.856, 36.698, -1.977, 0.0, 55.279, 3.667];
const PLACE: [f64; 6] = [20.856, 53.274, 1.037, 0.0, 35.690, 3.667];
const TOO_LOW: [f64; 6] = [20.856, 57.261, -0.034, 0.0, 32.773, 3.667];
const BESIDE: [f64; 6] = [19.137, 36.698, -1.977, 0.0, 55.279, 3.667];
/// From the flange to the tip, metres.
const TIP: f64 = 0.1;

/// A move to joint values of the URDF.
#[derive(Clone, Copy)]
enum Step {
    Joint([f64; 6]),
    Linear([f64; 6]),
}

/// How a controller counts a joint: degrees = sign · (those of the URDF − `with` · joint 2) + offset.
#[derive(Clone, Copy)]
struct Axis {
    sign: f64,
    offset: f64,
    with: f64,
}

const PLAIN: Axis = Axis {
    sign: 1.0,
    offset: 0.0,
    with: 0.0,
};

struct Dialect {
    name: &'static str,
    file: &'static str,
    axes: [Axis; 6],
    /// Lines of the cell file besides the joints.
    cell: &'static str,
    write: fn(&Writer) -> String,
}

/// What an exporter is given.
struct Writer<'w> {
    axes: &'w [Axis; 6],
    cell: &'w Cell,
    steps: &'w [Step],
}

impl Writer<'_> {
    /// As the controller counts.
    fn degrees(&self, q: &[f64; 6]) -> [f64; 6] {
        std::array::from_fn(|j| {
            let Axis { sign, offset, with } = self.axes[j];
            // Joint 2 has the sign of the URDF wherever another one goes with it.
            sign * (q[j] - with * q[1]) + offset
        })
    }

    /// Of the tip in the robot's frame.
    fn pose(&self, q: &[f64; 6]) -> Isometry3<f64> {
        let radians: Vec<f64> = q.iter().map(|q| q.to_radians()).collect();
        let world_from_joint = forward(self.cell, &radians);
        let flange = self.cell.bodies.iter().find(|b| b.name == "arm/tool0");
        let flange = flange.expect("the flange");
        let world_from_flange =
            world_from_joint[flange.joint.expect("a joint")] * flange.joint_from_body;
        let world_from_base = self.cell.robots[0].world_from_base;
        world_from_base.inverse() * world_from_flange * Isometry3::translation(0.0, 0.0, TIP)
    }
}

fn list(values: &[f64], digits: usize) -> String {
    let values = values.iter().map(|v| format!("{v:.digits$}"));
    values.collect::<Vec<_>>().join(",")
}

fn millimetres(pose: &Isometry3<f64>) -> [f64; 3] {
    (pose.translation.vector * 1e3).into()
}

fn ur(writer: &Writer) -> String {
    let mut text = String::from("def pick():\n  set_tcp(p[0,0,0.1,0,0,0])\n");
    for step in writer.steps {
        match step {
            Step::Joint(q) => {
                let radians = writer.degrees(q).map(f64::to_radians);
                writeln!(text, "  movej([{}])", list(&radians, 12))
            }
            Step::Linear(q) => {
                let pose = writer.pose(q);
                let (place, turn) = (pose.translation.vector, pose.rotation.scaled_axis());
                let values = [place.x, place.y, place.z, turn.x, turn.y, turn.z];
                writeln!(text, "  movel(p[{}])", list(&values, 12))
            }
        }
        .expect("text");
    }
    text + "end\n"
}

fn rapid(writer: &Writer) -> String {
    let none = "[9E9,9E9,9E9,9E9,9E9,9E9]";
    let mut text = String::from(
        "MODULE Pick\n  PERS tooldata tTip:=[TRUE,[[0,0,100],[1,0,0,0]],[1,[0,0,50],[1,0,0,0],0,0,0]];\n  PROC main()\n",
    );
    for step in writer.steps {
        match step {
            Step::Joint(q) => {
                let degrees = list(&writer.degrees(q), 3);
                writeln!(text, "    MoveAbsJ [[{degrees}],{none}],v500,fine,tTip;")
            }
            Step::Linear(q) => {
                let pose = writer.pose(q);
                let turn = pose.rotation.coords;
                let turn = list(&[turn.w, turn.x, turn.y, turn.z], 12);
                let place = list(&millimetres(&pose), 9);
                writeln!(
                    text,
                    "    MoveL [[{place}],[{turn}],[0,0,0,0],{none}],v100,fine,tTip;"
                )
            }
        }
        .expect("text");
    }
    text + "  ENDPROC\nENDMODULE\n"
}

fn krl(writer: &Writer) -> String {
    let mut text =
        String::from("DEF Pick( )\n$TOOL={X 0,Y 0,Z 100,A 0,B 0,C 0}\n$BASE=$NULLFRAME\n");
    for step in writer.steps {
        match step {
            Step::Joint(q) => {
                let [a, b, c, d, e, f] = writer.degrees(q);
                writeln!(
                    text,
                    "PTP {{A1 {a:.3},A2 {b:.3},A3 {c:.3},A4 {d:.3},A5 {e:.3},A6 {f:.3}}}"
                )
            }
            Step::Linear(q) => {
                let pose = writer.pose(q);
                let [x, y, z] = millimetres(&pose);
                let (roll, pitch, yaw) = pose.rotation.euler_angles();
                let [a, b, c] = [yaw, pitch, roll].map(f64::to_degrees);
                writeln!(
                    text,
                    "LIN {{X {x:.9},Y {y:.9},Z {z:.9},A {a:.10},B {b:.10},C {c:.10}}}"
                )
            }
        }
        .expect("text");
    }
    text + "END\n"
}

fn fanuc(writer: &Writer) -> String {
    let mut moves = String::new();
    let mut points = String::new();
    for (k, step) in writer.steps.iter().enumerate() {
        let k = k + 1;
        let head = format!("P[{k}]{{\n   GP1:\n\tUF : 1, UT : 1,");
        match step {
            Step::Joint(q) => {
                let [a, b, c, d, e, f] = writer.degrees(q);
                writeln!(moves, "   {}:J P[{k}] 50% FINE ;", k + 2).expect("text");
                writeln!(
                    points,
                    "{head}\n\tJ1= {a:.3} deg,\tJ2= {b:.3} deg,\tJ3= {c:.3} deg,\n\tJ4= {d:.3} deg,\tJ5= {e:.3} deg,\tJ6= {f:.3} deg\n}};"
                )
                .expect("text");
            }
            Step::Linear(q) => {
                let pose = writer.pose(q);
                let [x, y, z] = millimetres(&pose);
                let (roll, pitch, yaw) = pose.rotation.euler_angles();
                let [w, p, r] = [roll, pitch, yaw].map(f64::to_degrees);
                writeln!(moves, "   {}:L P[{k}] 100mm/sec FINE ;", k + 2).expect("text");
                writeln!(
                    points,
                    "{head}\t\tCONFIG : 'N U T, 0, 0, 0',\n\tX = {x:.9} mm,\tY = {y:.9} mm,\tZ = {z:.9} mm,\n\tW = {w:.10} deg,\tP = {p:.10} deg,\tR = {r:.10} deg\n}};"
                )
                .expect("text");
            }
        }
    }
    format!(
        "/PROG  PICK\n/ATTR\nDEFAULT_GROUP\t= 1,*,*,*,*;\n/MN\n   1:  UFRAME_NUM=1 ;\n   2:  UTOOL_NUM=1 ;\n{moves}/POS\n{points}/END\n"
    )
}

fn inform(writer: &Writer) -> String {
    let (mut points, mut moves) = (String::new(), String::new());
    for (k, step) in writer.steps.iter().enumerate() {
        let (word, speed, q) = match step {
            Step::Joint(q) => ("MOVJ", "VJ=25.00", q),
            Step::Linear(q) => ("MOVL", "V=100.0", q),
        };
        let pulses = writer.degrees(q).map(|d| (d * 1000.0).round());
        writeln!(points, "C{k:05}={}", list(&pulses, 0)).expect("text");
        writeln!(moves, "{word} C{k:05} {speed} PL=0").expect("text");
    }
    format!(
        "/JOB\n//NAME PICK\n//POS\n///NPOS {},0,0,0,0,0\n///TOOL 1\n///POSTYPE PULSE\n///PULSE\n{points}//INST\n///DATE 2024/05/06 07:08\n///ATTR SC,RW\n///GROUP1 RB1\nNOP\n{moves}END\n",
        writer.steps.len()
    )
}

const TURNED: Axis = Axis {
    sign: -1.0,
    offset: 0.0,
    with: 0.0,
};

fn dialects() -> [Dialect; 5] {
    let mut kuka = [PLAIN; 6];
    kuka[0] = TURNED;
    kuka[1].offset = -90.0;
    kuka[2].offset = 90.0;
    kuka[3] = TURNED;
    kuka[5] = TURNED;
    let mut coupled = [PLAIN; 6];
    coupled[2] = Axis {
        sign: -1.0,
        offset: 0.0,
        with: -1.0,
    };
    coupled[4] = TURNED;
    let mut yaskawa = [PLAIN; 6];
    yaskawa[2] = TURNED;
    yaskawa[4] = TURNED;
    [
        Dialect {
            name: "ur",
            file: "pick.script",
            axes: [PLAIN; 6],
            cell: "base = \"base_link\"",
            write: ur,
        },
        Dialect {
            name: "rapid",
            file: "pick.mod",
            axes: [PLAIN; 6],
            cell: "base = \"base_link\"",
            write: rapid,
        },
        Dialect {
            name: "krl",
            file: "pick.src",
            axes: kuka,
            cell: "base = \"base_link\"",
            write: krl,
        },
        Dialect {
            name: "fanuc",
            file: "pick.ls",
            axes: coupled,
            cell: "base = \"base_link\"\nframes = { 1 = { xyz = [0, 0, 0] } }\ntools = { 1 = { xyz = [0, 0, 0.1] } }",
            write: fanuc,
        },
        Dialect {
            name: "inform",
            file: "pick.jbi",
            axes: yaskawa,
            cell: "base = \"base_link\"\ntools = { 1 = { xyz = [0, 0, 0.1] } }",
            write: inform,
        },
    ]
}

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
    let mut joints = String::new();
    for (j, axis) in dialect.axes.iter().enumerate() {
        let with = match axis.with {
            0.0 => String::new(),
            factor => format!(", with = {{ joint_2 = {factor} }}"),
        };
        let pulses = match dialect.name {
            "inform" => ", pulses = 1000",
            _ => "",
        };
        writeln!(
            joints,
            "  {{ joint = \"joint_{}\", sign = {}, offset = \"{}deg\"{with}{pulses} }},",
            j + 1,
            axis.sign,
            axis.offset
        )
        .expect("text");
    }
    let start: Vec<String> = (0..6)
        .map(|j| format!("joint_{} = \"{}deg\"", j + 1, ABOVE[j]))
        .collect();
    let controller = format!(
        "start = {{ {} }}\n\n[robot.controller]\ndialect = \"{}\"\njoints = [\n{joints}]\nflange = \"tool0\"\n{}\n\n[[attach]]",
        start.join(", "),
        dialect.name,
        dialect.cell
    );
    text.replacen("[[attach]]", &controller, 1)
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
    let prepared = prepare(&job_of(&cell), &Silence);
    let prepared = prepared.unwrap_or_else(|e| panic!("{}: {e}", dialect.name));
    let text = (dialect.write)(&Writer {
        axes: &dialect.axes,
        cell: &prepared.cell,
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
    let prepared = prepare(&job_of(&exported.cell), &Silence).expect("the cell");
    let cell = &prepared.cell;
    let bytes = std::fs::read(&exported.program).expect("the program");
    let controller = Controller::of(cell, None).expect("the controller");
    let options = Options {
        routine: None,
        bounds: Bounds::default(),
        beside: &clearance_formats::program::read,
    };
    let reading = clearance_programs::read(&exported.program, &bytes, &controller, &options);
    let Reading { ways, .. } = reading.unwrap_or_else(|e| panic!("{e}"));
    let [way] = &ways[..] else {
        panic!("{} ways", ways.len());
    };
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    let assumed = Assumptions {
        orientation_tube: 0.0,
    };
    let laid = LaidMoves::new(way, cell, assumed);
    let laid = laid.unwrap_or_else(|e| panic!("{}: {e}", exported.program.display()));
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
    laid.stations
        .iter()
        .map(|station| station.q.clone())
        .collect()
}

fn answer(exported: &Exported) -> Outcome {
    let mut job = Job::new(exported.cell.clone(), vec![exported.program.clone()]);
    job.cell.cache = CacheFolder::Off;
    run(&job, &Silence)
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

/// What `clearance convert` prints of a program.
fn converted(exported: &Exported) -> (i32, String) {
    let mut command = assert_cmd::Command::cargo_bin("clearance").expect("the binary");
    command.arg("convert").arg("--cell").arg(&exported.cell);
    let output = command.arg(&exported.program).output().expect("a run");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code().expect("an exit code"), text)
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
