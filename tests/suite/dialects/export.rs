//! An exporter: moves to joint values, written as programs of five controllers.

use std::fmt::Write;

use clearance_proof::geometry::pose::Pose;
use clearance_proof::model::Cell;
use nalgebra::Isometry3;

/// Where the robot starts, degrees. Thousandths, so that pulses say them exactly.
pub(super) const ABOVE: [f64; 6] = [20.856, 36.698, -1.977, 0.0, 55.279, 3.667];
/// From the flange to the tip, metres.
pub(super) const TIP: f64 = 0.1;

/// A move to joint values of the URDF.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Joint([f64; 6]),
    Linear([f64; 6]),
}

/// How a controller counts a joint: degrees = sign · (those of the URDF − `with` · joint 2) +
/// offset.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub(super) sign: f64,
    pub(super) offset: f64,
    pub(super) with: f64,
}

const PLAIN: Axis = Axis {
    sign: 1.0,
    offset: 0.0,
    with: 0.0,
};

pub(super) struct Dialect {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    pub(super) axes: [Axis; 6],
    /// Lines of the cell file besides the joints.
    pub(super) cell: &'static str,
    pub(super) write: fn(&Writer) -> String,
}

/// The input of an exporter.
pub(super) struct Writer<'w> {
    pub(super) axes: &'w [Axis; 6],
    pub(super) cell: &'w Cell,
    pub(super) steps: &'w [Step],
}

impl Writer<'_> {
    /// As the controller counts.
    pub(super) fn degrees(&self, q: &[f64; 6]) -> [f64; 6] {
        std::array::from_fn(|j| {
            let Axis { sign, offset, with } = self.axes[j];
            // Joint 2 has the sign of the URDF wherever another one goes with it.
            sign * (q[j] - with * q[1]) + offset
        })
    }

    /// Of the tip in the robot's frame.
    pub(super) fn pose(&self, q: &[f64; 6]) -> Isometry3<f64> {
        let radians: Vec<f64> = q.iter().map(|q| q.to_radians()).collect();
        let world_from_joint = self.cell.forward(&radians);
        let flange = self.cell.bodies.iter().find(|b| b.name == "arm/tool0");
        let flange = flange.expect("the flange");
        let world_from_flange =
            world_from_joint[flange.joint.expect("a joint")] * flange.joint_from_body;
        let world_from_base = self.cell.robots[0].world_from_base;
        world_from_base.inverse() * world_from_flange * Isometry3::translation(0.0, 0.0, TIP)
    }
}

pub(super) fn list(values: &[f64], digits: usize) -> String {
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
        "MODULE Pick\n  PERS tooldata tTip:=[TRUE,[[0,0,100],[1,0,0,0]],[1,[0,0,50],[1,0,0,0],0,0,0]];\n  PROC pick()\n",
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
                let [roll, pitch, yaw] = Pose::roll_pitch_yaw(&pose.rotation);
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
                let [roll, pitch, yaw] = Pose::roll_pitch_yaw(&pose.rotation);
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

pub(super) fn dialects() -> [Dialect; 5] {
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

/// Where the robot starts, and its controller.
pub(super) fn controller_text(dialect: &Dialect) -> String {
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
    format!(
        "start = {{ {} }}\n\n[robot.controller]\ndialect = \"{}\"\njoints = [\n{joints}]\nflange = \"tool0\"\n{}",
        start.join(", "),
        dialect.name,
        dialect.cell
    )
}
