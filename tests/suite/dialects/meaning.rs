//! The meaning of a program of the exporter, without any reader: each of its lines has one of a few
//! shapes, whose numbers are joint values or poses. A line without such a shape means nothing.
//!
//! Where a place of a shape cannot matter for the motion (speeds, loads, dates, numbers of lines,
//! configurations of lines), any word may stand in it, also one that a controller would refuse. A
//! zone by a name that is not known may be any zone.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::export::{Axis, Dialect, TIP};

/// A move.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Meant {
    pub(super) to: End,
    /// Whether it stops at its end; if not, the corner may be rounded anyhow.
    pub(super) stops: bool,
}

impl From<End> for Meant {
    fn from(to: End) -> Self {
        Meant { to, stops: true }
    }
}

/// Where a move ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum End {
    /// Joint values of the URDF, degrees; of a joint move, or of a line.
    Joints { joint: bool, degrees: [f64; 6] },
    /// A line of the tool to a pose in the robot's frame.
    Line {
        pose: Isometry3<f64>,
        tool: Isometry3<f64>,
    },
    /// A joint move to such a pose; by which of the arm's solutions is not judged.
    Reached {
        pose: Isometry3<f64>,
        tool: Isometry3<f64>,
    },
}

/// Words, numbers and signs of a line.
fn lexed(line: &str) -> Vec<String> {
    let word = |c: char| c.is_alphanumeric() || "_.".contains(c);
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for c in line.chars() {
        match (c.is_whitespace(), word(c), open) {
            (true, ..) => open = false,
            (_, true, true) => {
                if let Some(last) = found.last_mut() {
                    last.push(c);
                }
            }
            (_, is_word, _) => {
                found.push(c.to_string());
                open = is_word;
            }
        }
    }
    found
}

/// The values in the places of a shape.
#[derive(Debug, Default)]
struct Places {
    numbers: Vec<f64>,
    words: Vec<String>,
}

/// Holds a line against a shape, in which `#` is a number, `#3` three of them with commas, `?` a
/// word, and `~` all the rest.
fn fits(shape: &str, line: &str) -> Option<Places> {
    let line = lexed(line);
    let mut rest = &line[..];
    let mut places = Places::default();
    let mut shape = lexed(shape).into_iter().peekable();
    while let Some(part) = shape.next() {
        match part.as_str() {
            "~" => return Some(places),
            "#" => {
                let count = shape.next_if(|next| next.parse::<usize>().is_ok());
                let count = count.map_or(1, |n| n.parse().unwrap_or(1));
                for k in 0..count {
                    if k > 0 {
                        rest = rest.strip_prefix(&[",".to_owned()])?;
                    }
                    let mut sign = 1.0;
                    while let Some(more) = rest.strip_prefix(&["-".to_owned()]) {
                        (rest, sign) = (more, -sign);
                    }
                    let (number, more) = rest.split_first()?;
                    if !number.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
                        return None;
                    }
                    let number: f64 = number.parse().ok()?;
                    places.numbers.push(sign * number);
                    rest = more;
                }
            }
            "?" => {
                let (word, more) = rest.split_first()?;
                if !word.starts_with(|c: char| c.is_alphanumeric()) {
                    return None;
                }
                places.words.push(word.clone());
                rest = more;
            }
            literal => {
                let (word, more) = rest.split_first()?;
                if !word.eq_ignore_ascii_case(literal) {
                    return None;
                }
                rest = more;
            }
        }
    }
    rest.is_empty().then_some(places)
}

/// Six numbers, each by its name, in any order.
fn named(shape: &str, names: [&str; 6], line: &str) -> Option<Vec<f64>> {
    let found = fits(shape, line)?;
    let of = |name: &&str| {
        let mut all = found.words.iter().zip(&found.numbers);
        let number = all.find(|(word, _)| word.eq_ignore_ascii_case(name));
        number.map(|(_, number)| *number)
    };
    // Each of them is there, so none is twice.
    names.iter().map(of).collect()
}

const AXES: [&str; 6] = ["A1", "A2", "A3", "A4", "A5", "A6"];
const JOINTS: [&str; 6] = ["J1", "J2", "J3", "J4", "J5", "J6"];
const KUKA: [&str; 6] = ["X", "Y", "Z", "A", "B", "C"];
const FANUC: [&str; 6] = ["X", "Y", "Z", "W", "P", "R"];

fn six(numbers: &[f64]) -> Option<[f64; 6]> {
    numbers.try_into().ok()
}

/// Joint values of the URDF from those of the controller.
fn urdf(axes: &[Axis; 6], degrees: [f64; 6]) -> [f64; 6] {
    let own = |j: usize| axes[j].sign * (degrees[j] - axes[j].offset);
    std::array::from_fn(|j| own(j) + axes[j].with * own(1))
}

fn place(millimetres: &[f64]) -> Translation3<f64> {
    Translation3::new(millimetres[0], millimetres[1], millimetres[2])
}

fn scaled(place: Translation3<f64>, factor: f64) -> Translation3<f64> {
    Translation3::from(place.vector * factor)
}

/// A unit quaternion with its real part first, as files round it.
fn turn(q: &[f64]) -> Option<UnitQuaternion<f64>> {
    let q = Quaternion::new(q[0], q[1], q[2], q[3]);
    ((q.norm() - 1.0).abs() < 1e-3).then(|| UnitQuaternion::from_quaternion(q))
}

/// Turns about x, then y, then z, all fixed; degrees.
fn fixed_xyz([x, y, z]: [f64; 3]) -> UnitQuaternion<f64> {
    let about = |axis, degrees: f64| UnitQuaternion::from_axis_angle(&axis, degrees.to_radians());
    about(Vector3::z_axis(), z) * about(Vector3::y_axis(), y) * about(Vector3::x_axis(), x)
}

/// The meaning of a text; `None`: not every line has one of the exporter's shapes, in the
/// exporter's order.
pub(super) fn meaning(dialect: &Dialect, text: &str) -> Option<Vec<Meant>> {
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    match dialect.name {
        "ur" => ur(&lines),
        "rapid" => rapid(&dialect.axes, &lines),
        "krl" => krl(&dialect.axes, &lines),
        "fanuc" => fanuc(&dialect.axes, &lines),
        _ => inform(&dialect.axes, &lines),
    }
}

fn ur(lines: &[&str]) -> Option<Vec<Meant>> {
    let [first, body @ .., last] = lines else {
        return None;
    };
    let name = fits("def ? ( ) :", first)?.words;
    fits("end", last)?;
    // A function that is called like one of the controller's is another program.
    if !name[0].starts_with("pick") {
        return None;
    }
    let pose = |n: &[f64]| {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(n[3], n[4], n[5]));
        Isometry3::from_parts(place(n), turn)
    };
    let mut tool = None;
    let mut moves: Vec<Meant> = Vec::new();
    for line in body {
        if let Some(found) = fits("set_tcp ( p [ #6 ] )", line) {
            tool = Some(pose(&found.numbers));
        } else if let Some(found) = fits("movej ( [ #6 ] )", line) {
            let joint = End::Joints {
                joint: true,
                degrees: six(&found.numbers)?.map(f64::to_degrees),
            };
            moves.push(joint.into());
        } else {
            let found = fits("movel ( p [ #6 ] )", line)?;
            let line = End::Line {
                pose: pose(&found.numbers),
                tool: tool?,
            };
            moves.push(line.into());
        }
    }
    Some(moves)
}

fn rapid(axes: &[Axis; 6], lines: &[&str]) -> Option<Vec<Meant>> {
    let [module, data, proc, body @ .., endproc, endmodule] = lines else {
        return None;
    };
    fits("MODULE ?", module)?;
    fits("PROC ? ( )", proc)?;
    fits("ENDPROC", endproc)?;
    fits("ENDMODULE", endmodule)?;
    let shape = "PERS ? ? : = [ TRUE , [ [ #3 ] , [ #4 ] ] , [ ~";
    let data = fits(shape, data)?;
    let [x, y, z, q @ ..] = &data.numbers[..7] else {
        return None;
    };
    let tool = Isometry3::from_parts(scaled(Translation3::new(*x, *y, *z), 1e-3), turn(q)?);
    let mine = |word: &String| *word == data.words[1];
    let unused = |numbers: &[f64]| numbers.iter().all(|&n| n >= 9e9);
    let mut moves = Vec::new();
    for line in body {
        // Behind the first semicolon there may be more.
        let line = line.trim_end_matches([';', ' ']).to_owned() + ";";
        let stops = |found: &Places| found.words[1].eq_ignore_ascii_case("fine");
        if let Some(found) = fits("MoveAbsJ [ [ #6 ] , [ #6 ] ] , ? , ? , ? ;", &line) {
            let (joints, more) = found.numbers.split_at(6);
            if !unused(more) || !mine(&found.words[2]) {
                return None;
            }
            let to = End::Joints {
                joint: true,
                degrees: urdf(axes, six(joints)?),
            };
            let stops = stops(&found);
            moves.push(Meant { to, stops });
            continue;
        }
        let shape = "MoveL [ [ #3 ] , [ #4 ] , [ #4 ] , [ #6 ] ] , ? , ? , ? ;";
        let found = fits(shape, &line)?;
        let n = &found.numbers;
        if !unused(&n[11..]) || !mine(&found.words[2]) {
            return None;
        }
        let pose = Isometry3::from_parts(scaled(place(n), 1e-3), turn(&n[3..7])?);
        let stops = stops(&found);
        let to = End::Line { pose, tool };
        moves.push(Meant { to, stops });
    }
    Some(moves)
}

fn krl(axes: &[Axis; 6], lines: &[&str]) -> Option<Vec<Meant>> {
    let [first, tool, base, body @ .., last] = lines else {
        return None;
    };
    fits("DEF ? ( )", first)?;
    fits("$ BASE = $ NULLFRAME", base)?;
    fits("END", last)?;
    let six_named = "{ ? # , ? # , ? # , ? # , ? # , ? # }";
    let pose =
        |n: &[f64]| Isometry3::from_parts(scaled(place(n), 1e-3), fixed_xyz([n[5], n[4], n[3]]));
    let tool = pose(&named(&format!("$ TOOL = {six_named}"), KUKA, tool)?);
    let mut moves: Vec<Meant> = Vec::new();
    for line in body {
        if let Some(found) = named(&format!("PTP {six_named}"), AXES, line) {
            let joint = End::Joints {
                joint: true,
                degrees: urdf(axes, six(&found)?),
            };
            moves.push(joint.into());
        } else {
            let pose = pose(&named(&format!("LIN {six_named}"), KUKA, line)?);
            moves.push(End::Line { pose, tool }.into());
        }
    }
    Some(moves)
}

/// A statement behind its number, which may be missing.
fn numbered(line: &str) -> &str {
    let is_digit = |c: char| c.is_ascii_digit();
    line.trim_start().trim_start_matches(is_digit)
}

fn fanuc(axes: &[Axis; 6], lines: &[&str]) -> Option<Vec<Meant>> {
    let [prog, attr, group, mn, frame, tool, body @ ..] = lines else {
        return None;
    };
    fits("/ PROG ~", prog)?;
    fits("/ ATTR ~", attr)?;
    fits(
        "DEFAULT_GROUP = 1 , * , * , * , *",
        group.trim_end_matches(';'),
    )?;
    fits("/ MN ~", mn)?;
    fits(": UFRAME_NUM = 1 ;", numbered(frame))?;
    fits(": UTOOL_NUM = 1 ;", numbered(tool))?;
    let at = body
        .iter()
        .position(|line| fits("/ POS ~", line).is_some())?;
    let (body, points) = body.split_at(at);
    let (last, points) = points[1..].split_last()?;
    fits("/ END ~", last)?;
    let mut known: BTreeMap<u64, End> = BTreeMap::new();
    for block in points.chunks(6) {
        let number = fits("P [ # ] {", block[0])?.numbers[0];
        fits("} ;", block[block.len() - 1]).or_else(|| fits("}", block[block.len() - 1]))?;
        // One that means nothing is one that no move may use.
        if let Some(point) = fanuc_point(axes, block)
            && known.insert(number.to_bits(), point).is_some()
        {
            return None;
        }
    }
    let mut moves: Vec<Meant> = Vec::new();
    for line in body {
        let statement = numbered(line);
        let (joint, found) = match fits(": J P [ # ] ? % FINE ;", statement) {
            Some(found) => (true, found),
            None => (false, fits(": L P [ # ] ? / ? FINE ;", statement)?),
        };
        let point = known.get(&found.numbers[0].to_bits())?;
        let to = match (point, joint) {
            (End::Joints { degrees, .. }, _) => End::Joints {
                joint,
                degrees: *degrees,
            },
            (End::Line { .. }, false) => point.clone(),
            (End::Line { pose, tool }, true) => End::Reached {
                pose: *pose,
                tool: *tool,
            },
            (End::Reached { .. }, _) => return None,
        };
        moves.push(to.into());
    }
    Some(moves)
}

fn fanuc_point(axes: &[Axis; 6], block: &[&str]) -> Option<End> {
    let [_, gp, head, first, second, _] = block else {
        return None;
    };
    fits("GP1 :", gp)?;
    // The comma at the end of a line matters as little as the end itself.
    let end_of = |line: &str| line.trim().trim_end_matches(',').to_owned();
    let both = format!("{} , {}", end_of(first), end_of(second));
    let head = end_of(head).replace("UT : 1, UF : 1", "UF : 1, UT : 1");
    // Joint values are in no frame.
    if fits("UF : # , UT : 1", &head).is_some() {
        let shape = "? = # deg , ? = # deg , ? = # deg , ? = # deg , ? = # deg , ? = # deg";
        let degrees = urdf(axes, six(&named(shape, JOINTS, &both)?)?);
        return Some(End::Joints {
            joint: true,
            degrees,
        });
    }
    fits("UF : 1 , UT : 1 , CONFIG : ' N U T , #3 '", &head)?;
    let shape = "? = # mm , ? = # mm , ? = # mm , ? = # deg , ? = # deg , ? = # deg";
    let n = named(shape, FANUC, &both)?;
    Some(End::Line {
        pose: Isometry3::from_parts(scaled(place(&n), 1e-3), fixed_xyz([n[3], n[4], n[5]])),
        tool: Isometry3::translation(0.0, 0.0, TIP),
    })
}

fn inform(axes: &[Axis; 6], lines: &[&str]) -> Option<Vec<Meant>> {
    let [job, name, pos, npos, tool, postype, pulse, body @ ..] = lines else {
        return None;
    };
    fits("/ JOB", job)?;
    fits("// NAME ~", name)?;
    fits("// POS", pos)?;
    let counted = fits("/// NPOS # ~", npos)?.numbers[0];
    fits("/// TOOL 1", tool)?;
    fits("/// POSTYPE PULSE", postype)?;
    fits("/// PULSE", pulse)?;
    let at = body
        .iter()
        .position(|line| fits("// INST", line).is_some())?;
    let (points, body) = body.split_at(at);
    let mut known: BTreeMap<&str, [f64; 6]> = BTreeMap::new();
    for line in points {
        let (point, numbers) = line.split_once('=')?;
        let numbers = six(&fits("#6", numbers)?.numbers)?;
        let point = point.trim();
        if point.strip_prefix('C')?.parse::<u32>().is_err() {
            return None;
        }
        let degrees = urdf(axes, numbers.map(|pulses| pulses / 1000.0));
        if known.insert(point, degrees).is_some() {
            return None;
        }
    }
    if counted != known.len() as f64 {
        return None;
    }
    let [_, date, attr, group, body @ .., end] = body else {
        return None;
    };
    fits("/// DATE ~", date)?;
    fits("/// ATTR ~", attr)?;
    fits("/// GROUP1 RB1", group)?;
    fits("END", end)?;
    let body = body.iter().filter(|line| fits("NOP ~", line).is_none());
    let mut moves: Vec<Meant> = Vec::new();
    for line in body {
        let (joint, found) = match fits("MOVJ ? VJ = # PL = #", line) {
            Some(found) => (true, found),
            None => (false, fits("MOVL ? V = # PL = #", line)?),
        };
        let degrees = *known.get(found.words[0].as_str())?;
        moves.push(Meant {
            to: End::Joints { joint, degrees },
            stops: found.numbers[1] == 0.0,
        });
    }
    Some(moves)
}
