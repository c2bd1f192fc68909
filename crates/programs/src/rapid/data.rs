//! Data as RAPID has them: records as lists in the order of their components, and those that every
//! controller has.

use std::collections::BTreeMap;
use std::sync::Arc;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use clearance_proof::model::moves::Unknown;
use clearance_proof::report::Location;

use crate::block::syntax::{BlockProgram, Name};
use crate::value::{
    Fault, Known, MOST_VALUES, OpenChoice, OpenNumber, Value, inexact, known_but_for_sign,
};

const POSE: &[(&str, &str)] = &[("trans", "pos"), ("rot", "orient")];

/// Records of the language: components with their types.
const RECORDS: &[(&str, &[(&str, &str)])] = &[
    ("pos", &[("x", "num"), ("y", "num"), ("z", "num")]),
    (
        "orient",
        &[("q1", "num"), ("q2", "num"), ("q3", "num"), ("q4", "num")],
    ),
    ("pose", POSE),
    (
        "confdata",
        &[
            ("cf1", "num"),
            ("cf4", "num"),
            ("cf6", "num"),
            ("cfx", "num"),
        ],
    ),
    (
        "robjoint",
        &[
            ("rax_1", "num"),
            ("rax_2", "num"),
            ("rax_3", "num"),
            ("rax_4", "num"),
            ("rax_5", "num"),
            ("rax_6", "num"),
        ],
    ),
    (
        "extjoint",
        &[
            ("eax_a", "num"),
            ("eax_b", "num"),
            ("eax_c", "num"),
            ("eax_d", "num"),
            ("eax_e", "num"),
            ("eax_f", "num"),
        ],
    ),
    (
        "robtarget",
        &[
            ("trans", "pos"),
            ("rot", "orient"),
            ("robconf", "confdata"),
            ("extax", "extjoint"),
        ],
    ),
    (
        "jointtarget",
        &[("robax", "robjoint"), ("extax", "extjoint")],
    ),
    (
        "loaddata",
        &[
            ("mass", "num"),
            ("cog", "pos"),
            ("aom", "orient"),
            ("ix", "num"),
            ("iy", "num"),
            ("iz", "num"),
        ],
    ),
    (
        "tooldata",
        &[
            ("robhold", "bool"),
            ("tframe", "pose"),
            ("tload", "loaddata"),
        ],
    ),
    (
        "wobjdata",
        &[
            ("robhold", "bool"),
            ("ufprog", "bool"),
            ("ufmec", "string"),
            ("uframe", "pose"),
            ("oframe", "pose"),
        ],
    ),
    (
        "speeddata",
        &[
            ("v_tcp", "num"),
            ("v_ori", "num"),
            ("v_leax", "num"),
            ("v_reax", "num"),
        ],
    ),
    (
        "zonedata",
        &[
            ("finep", "bool"),
            ("pzone_tcp", "num"),
            ("pzone_ori", "num"),
            ("pzone_eax", "num"),
            ("zone_ori", "num"),
            ("zone_leax", "num"),
            ("zone_reax", "num"),
        ],
    ),
];

/// The type that a name of a type stands for.
fn plain<'p>(program: &'p BlockProgram, kind: &'p str) -> &'p str {
    let mut kind = kind;
    // A type that is an other name of itself ends somewhere.
    for _ in 0..32 {
        match program.aliases.get(kind) {
            Some(other) => kind = other,
            None => break,
        }
    }
    kind
}

/// Components of a record with their types.
pub(crate) fn components(program: &BlockProgram, kind: &str) -> Option<Vec<(Name, Name)>> {
    let kind = plain(program, kind);
    if let Some(own) = program.records.get(kind) {
        return Some(own.clone());
    }
    let (_, fields) = RECORDS.iter().find(|(name, _)| *name == kind)?;
    Some(fields.iter().map(|&(n, k)| (n.into(), k.into())).collect())
}

/// How many values a variable of this type is made of.
fn size(program: &BlockProgram, kind: &str, known: &mut BTreeMap<Name, f64>, depth: usize) -> f64 {
    if let Some(size) = known.get(kind) {
        return *size;
    }
    // A record within itself has no end.
    known.insert(kind.into(), f64::INFINITY);
    let fields = components(program, kind).filter(|_| depth < 64);
    let fields = fields.unwrap_or_default();
    let parts = fields.iter();
    let all: f64 = 1.0
        + parts
            .map(|(_, kind)| size(program, kind, known, depth + 1))
            .sum::<f64>();
    known.insert(kind.into(), all);
    all
}

/// The value of a variable of this type before anything is assigned.
pub(crate) fn initial(program: &BlockProgram, kind: &str, place: &Location, depth: usize) -> Value {
    if depth == 0 && size(program, kind, &mut BTreeMap::new(), 0) > MOST_VALUES as f64 {
        return Value::unknown(place, "a record of so many components is not read");
    }
    match plain(program, kind) {
        "num" | "dnum" | "byte" | "intnum" => Value::Number(0.0),
        "bool" => Value::Boolean(false),
        "string" => Value::text(""),
        kind => match components(program, kind).filter(|_| depth < 32) {
            Some(fields) => {
                let field = |(_, kind): &(Name, Name)| initial(program, kind, place, depth + 1);
                Value::Array(fields.iter().map(field).collect())
            }
            None => Value::unknown(place, format!("what a `{kind}` holds is not known")),
        },
    }
}

/// Data that every controller has.
pub(crate) fn predefined(name: &str) -> Option<Value> {
    let unused = || Value::numbers(&[9e9; 6]);
    let load = || Value::Array(vec![Value::Number(0.001)]);
    Some(match name {
        "tool0" => Value::Array(vec![Value::Boolean(true), no_pose(), load()]),
        "wobj0" => Value::Array(vec![
            Value::Boolean(false),
            Value::Boolean(true),
            Value::text(""),
            no_pose(),
            no_pose(),
        ]),
        "load0" => load(),
        "pi" => Value::Number(std::f64::consts::PI),
        "fine" => zone(true, 0.0, 0.0),
        "low" => Value::Number(0.0),
        "high" => Value::Number(1.0),
        "edge" => Value::Number(2.0),
        "extax0" => unused(),
        _ => {
            let (letter, digits) = name.split_at_checked(1)?;
            let number: u32 = digits.parse().ok()?;
            match letter {
                "z" => {
                    let (_, tcp, ori) = ZONES.iter().find(|(n, ..)| *n == number)?;
                    zone(false, *tcp, *ori)
                }
                "v" if SPEEDS.contains(&number) => {
                    Value::numbers(&[f64::from(number), 500.0, 5000.0, 1000.0])
                }
                _ => return None,
            }
        }
    })
}

/// Zones that every controller has: number, and how far before the end, in millimetres, the tool
/// leaves its path and starts to turn.
const ZONES: &[(u32, f64, f64)] = &[
    (0, 0.3, 0.3),
    (1, 1.0, 1.0),
    (5, 5.0, 8.0),
    (10, 10.0, 15.0),
    (15, 15.0, 23.0),
    (20, 20.0, 30.0),
    (30, 30.0, 45.0),
    (40, 40.0, 60.0),
    (50, 50.0, 75.0),
    (60, 60.0, 90.0),
    (80, 80.0, 120.0),
    (100, 100.0, 150.0),
    (150, 150.0, 225.0),
    (200, 200.0, 300.0),
];

/// Speeds that every controller has.
const SPEEDS: &[u32] = &[
    5, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 500, 600, 800, 1000, 1500, 2000, 2500,
    3000, 4000, 5000, 6000, 7000,
];

fn zone(fine: bool, tcp: f64, ori: f64) -> Value {
    let mut items = vec![Value::Boolean(fine)];
    items.extend([tcp, ori, ori].map(Value::Number));
    items.extend([0.0; 3].map(Value::Number));
    Value::Array(items)
}

/// The pose that changes nothing: millimetres, quaternion with its real part first.
fn no_pose() -> Value {
    Value::Array(vec![
        Value::numbers(&[0.0; 3]),
        Value::numbers(&[1.0, 0.0, 0.0, 0.0]),
    ])
}

/// A pose that the cell states: its quaternion may be the opposite of the controller's.
pub(crate) fn pose_of_cell(pose: &Isometry3<f64>, place: &Location) -> Value {
    let q = pose.rotation.quaternion();
    Value::Array(vec![
        position(pose),
        but_for_sign([q.w, q.i, q.j, q.k], place),
    ])
}

/// A pose that was computed: a controller has rounded each of its numbers.
pub(crate) fn computed_pose(pose: &Isometry3<f64>, place: &Location) -> Value {
    let position = position(pose).rounded();
    Value::Array(vec![position, computed_orientation(&pose.rotation, place)])
}

/// The position of a pose as a value.
pub(crate) fn position(pose: &Isometry3<f64>) -> Value {
    let p = pose.translation.vector * 1e3;
    Value::numbers(&[p.x, p.y, p.z])
}

/// An orientation that was computed: a controller has rounded each of its numbers, and may as well
/// have the opposite quaternion.
pub(crate) fn computed_orientation(rotation: &UnitQuaternion<f64>, place: &Location) -> Value {
    let q = rotation.quaternion();
    but_for_sign([q.w, q.i, q.j, q.k].map(inexact), place)
}

/// A quaternion of which a controller may as well have the opposite one.
pub(crate) fn but_for_sign(quaternion: [f64; 4], place: &Location) -> Value {
    let reason =
        "a controller may as well have the opposite quaternion, which is the same orientation";
    let why: Arc<Unknown> = Arc::new(Fault::new(place, reason).into());
    let open = |k: usize| OpenNumber {
        number: quaternion[k],
        choice: OpenChoice::Sign(quaternion, k),
        why: why.clone(),
    };
    Value::Array([0, 1, 2, 3].map(|k| Value::Open(open(k).into())).to_vec())
}

/// So many parts of a record, or why it is not known.
pub(crate) fn parts<'v, const N: usize>(
    value: &'v Value,
    what: &str,
    place: &Location,
) -> Result<Known<&'v [Value; N]>, Fault> {
    let fault = || {
        Fault::new(
            place,
            format!("{} stands where {what} is needed", value.kind()),
        )
    };
    match value {
        Value::Unknown(why) => Ok(Err(why.clone())),
        Value::Array(items) => match items.as_slice().try_into() {
            Ok(parts) => Ok(Ok(parts)),
            Err(_) => Err(Fault::new(
                place,
                format!("{what} has {N} parts, and {} are stated", items.len()),
            )),
        },
        _ => Err(fault()),
    }
}

/// So many numbers.
pub(crate) fn numbers<const N: usize>(
    value: &Value,
    what: &str,
    place: &Location,
) -> Result<Known<[f64; N]>, Fault> {
    let parts: &[Value; N] = match parts(value, what, place)? {
        Ok(parts) => parts,
        Err(why) => return Ok(Err(why)),
    };
    let mut found = [0.0; N];
    for (number, part) in found.iter_mut().zip(parts) {
        match part.number(place)? {
            Ok(x) => *number = x,
            Err(why) => return Ok(Err(why)),
        }
    }
    Ok(Ok(found))
}

/// The numbers of an orientation, or of the opposite quaternion, and whether it may be that.
pub(crate) fn quaternion(
    value: &Value,
    place: &Location,
) -> Result<Known<([f64; 4], bool)>, Fault> {
    let items: &[Value; 4] = match parts(value, "an orientation", place)? {
        Ok(items) => items,
        Err(why) => return Ok(Err(why)),
    };
    Ok(match known_but_for_sign(items) {
        Some(numbers) => Ok((numbers, true)),
        None => numbers(value, "an orientation", place)?.map(|numbers| (numbers, false)),
    })
}

/// An orientation.
pub(crate) fn rotation(
    value: &Value,
    place: &Location,
) -> Result<Known<UnitQuaternion<f64>>, Fault> {
    let [w, x, y, z] = match quaternion(value, place)? {
        Ok((q, _)) => q,
        Err(why) => return Ok(Err(why)),
    };
    let quaternion = Quaternion::new(w, x, y, z);
    // Files state them with four digits and more.
    if (quaternion.norm() - 1.0).abs() < 1e-3 {
        Ok(Ok(UnitQuaternion::from_quaternion(quaternion)))
    } else {
        Err(Fault::new(
            place,
            format!("[{w}, {x}, {y}, {z}] is not an orientation: its length is not 1"),
        ))
    }
}

/// A position and an orientation.
pub(crate) fn isometry(
    trans: &Value,
    rot: &Value,
    place: &Location,
) -> Result<Known<Isometry3<f64>>, Fault> {
    let p = numbers::<3>(trans, "a position", place)?;
    let r = rotation(rot, place)?;
    Ok(match (p, r) {
        (Ok([x, y, z]), Ok(r)) => Ok(Isometry3::from_parts(
            Translation3::new(x / 1e3, y / 1e3, z / 1e3),
            r,
        )),
        (Err(why), _) | (_, Err(why)) => Err(why),
    })
}

/// A pose.
pub(crate) fn read_pose(value: &Value, place: &Location) -> Result<Known<Isometry3<f64>>, Fault> {
    match parts::<2>(value, "a pose", place)? {
        Ok([trans, rot]) => isometry(trans, rot, place),
        Err(why) => Ok(Err(why)),
    }
}
