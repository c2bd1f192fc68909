//! Definitions of ROS messages, as recordings carry them along, and messages read by them.

use std::collections::HashMap;

use super::super::super::node::{NodeKind, ProgramNode};

/// Values that one message may have.
const MOST_VALUES: usize = 4 << 20;
/// Messages within messages.
const DEEPEST: usize = 32;

/// How messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// ROS 1: packed, little end first.
    Ros1,
    /// ROS 2: CDR, aligned, either end first.
    Cdr,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Base {
    Bool,
    Whole {
        bytes: usize,
        signed: bool,
    },
    Real {
        bytes: usize,
    },
    Text,
    /// A time or a duration: seconds and nanoseconds, the seconds with a sign or not.
    Time {
        signed: bool,
    },
    Message(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Count {
    One,
    Fixed(usize),
    Any,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    name: String,
    base: Base,
    count: Count,
    /// As it is compared: `float64[]`, `std_msgs/Header`.
    written: String,
}

/// The definition of a message and of those within it.
#[derive(Debug, Clone)]
pub(super) struct Definitions {
    root: String,
    types: HashMap<String, Vec<Field>>,
}

/// A type's name as ROS 1 writes it.
pub(super) fn plain(name: &str) -> String {
    name.replace("/msg/", "/")
}

impl Definitions {
    /// Reads the text of a message's definition, with those that it needs behind it.
    pub(super) fn parse(name: &str, text: &str) -> Result<Self, String> {
        let root = plain(name);
        let mut types: HashMap<String, Vec<Field>> = HashMap::new();
        let mut current = root.clone();
        let mut fields = Vec::new();
        let mut put = |name: String, fields: Vec<Field>| match types.get(&name) {
            Some(before) if *before != fields => Err(format!("{name} is defined twice there")),
            _ => {
                types.insert(name, fields);
                Ok(())
            }
        };
        for line in text.lines() {
            let line = line.trim();
            if line.len() > 9 && line.bytes().all(|b| b == b'=') {
                put(std::mem::take(&mut current), std::mem::take(&mut fields))?;
                continue;
            }
            if let Some(name) = line.strip_prefix("MSG:") {
                current = plain(name.trim());
                continue;
            }
            if line.starts_with("IDL:") {
                return Err("its definition is in IDL, which is not read".to_owned());
            }
            if let Some(field) = field(line, &current)? {
                fields.push(field);
            }
        }
        put(current, fields)?;
        Ok(Self { root, types })
    }

    /// Whether the message, and all that counts within it, is the one that is known by its name.
    pub(super) fn check(&self) -> Result<(), String> {
        let mut open = vec![self.root.as_str()];
        while let Some(name) = open.pop() {
            let Some((_, exact, known)) = KNOWN.iter().find(|(known, ..)| *known == name) else {
                continue;
            };
            let fields = self
                .types
                .get(name)
                .ok_or_else(|| format!("the definition of {name} is missing"))?;
            let mut next = 0;
            for (field, kind) in *known {
                match fields.iter().enumerate().find(|(_, f)| f.name == *field) {
                    Some((at, found)) if found.written == *kind && at >= next => next = at + 1,
                    Some((_, found)) if found.written == *kind => {
                        return Err(format!("`{field}` of {name} stands at another place there"));
                    }
                    Some((_, found)) => {
                        return Err(format!(
                            "`{field}` of {name} is `{}` there, not `{kind}`",
                            found.written
                        ));
                    }
                    None => return Err(format!("{name} has no field `{field}` there")),
                }
                open.push(kind.trim_end_matches("[]"));
            }
            if *exact && fields.len() != known.len() {
                let other = fields.iter().find(|f| known.iter().all(|k| k.0 != f.name));
                return Err(format!(
                    "{name} has a field `{}` there that is not known",
                    other.map_or("", |f| &f.name)
                ));
            }
        }
        Ok(())
    }

    /// Reads a message.
    pub(super) fn read(&self, wire: Wire, bytes: &[u8]) -> Result<ProgramNode, String> {
        let (bytes, big) = match wire {
            Wire::Ros1 => (bytes, false),
            Wire::Cdr => match bytes {
                [0, 0, _, _, rest @ ..] => (rest, true),
                [0, 1, _, _, rest @ ..] => (rest, false),
                _ => return Err("it has no head of CDR".to_owned()),
            },
        };
        let mut reader = Reader {
            definitions: self,
            wire,
            big,
            bytes,
            at: 0,
            values: 0,
            points: 0,
        };
        let kind = reader.message(&self.root, 0)?;
        // CDR may be filled up to the next four bytes.
        let left = bytes.len() - reader.at;
        let slack = if wire == Wire::Cdr { 3 } else { 0 };
        if left <= slack {
            Ok(node(kind))
        } else {
            Err(format!("{left} bytes are left behind its end"))
        }
    }
}

type MessageForm = (&'static str, bool, &'static [(&'static str, &'static str)]);

/// The required form of messages: name, whether these fields are all, fields with their types.
const KNOWN: [MessageForm; 7] = [
    (
        "trajectory_msgs/JointTrajectory",
        true,
        &[
            ("header", "std_msgs/Header"),
            ("joint_names", "string[]"),
            ("points", "trajectory_msgs/JointTrajectoryPoint[]"),
        ],
    ),
    (
        "trajectory_msgs/JointTrajectoryPoint",
        true,
        &[
            ("positions", "float64[]"),
            ("velocities", "float64[]"),
            ("accelerations", "float64[]"),
            ("effort", "float64[]"),
            ("time_from_start", "duration"),
        ],
    ),
    (
        "sensor_msgs/JointState",
        true,
        &[
            ("header", "std_msgs/Header"),
            ("name", "string[]"),
            ("position", "float64[]"),
            ("velocity", "float64[]"),
            ("effort", "float64[]"),
        ],
    ),
    (
        "moveit_msgs/RobotTrajectory",
        true,
        &[
            ("joint_trajectory", "trajectory_msgs/JointTrajectory"),
            (
                "multi_dof_joint_trajectory",
                "trajectory_msgs/MultiDOFJointTrajectory",
            ),
        ],
    ),
    (
        "moveit_msgs/DisplayTrajectory",
        true,
        &[
            ("model_id", "string"),
            ("trajectory", "moveit_msgs/RobotTrajectory[]"),
            ("trajectory_start", "moveit_msgs/RobotState"),
        ],
    ),
    (
        "moveit_msgs/RobotState",
        true,
        &[
            ("joint_state", "sensor_msgs/JointState"),
            ("multi_dof_joint_state", "sensor_msgs/MultiDOFJointState"),
            (
                "attached_collision_objects",
                "moveit_msgs/AttachedCollisionObject[]",
            ),
            ("is_diff", "bool"),
        ],
    ),
    (
        "std_msgs/Header",
        false,
        &[("stamp", "time"), ("frame_id", "string")],
    ),
];

/// One line of a definition: a field, or nothing (a comment, a constant).
fn field(line: &str, within: &str) -> Result<Option<Field>, String> {
    let line = line.split('#').next().unwrap_or_default().trim();
    if line.is_empty() {
        return Ok(None);
    }
    let bad = || {
        format!(
            "the line `{}` of its definition is not understood",
            cut(line)
        )
    };
    let (kind, rest) = line.split_once(char::is_whitespace).ok_or_else(bad)?;
    let rest = rest.trim_start();
    let end = rest
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    if name.is_empty() {
        return Err(bad());
    }
    if rest.trim_start().starts_with('=') {
        return Ok(None);
    }
    let (base, count) = match kind.split_once('[') {
        None => (kind, Count::One),
        Some((base, bound)) => {
            let bound = bound.strip_suffix(']').ok_or_else(bad)?;
            let count = match bound {
                "" => Count::Any,
                _ if bound.starts_with("<=") => Count::Any,
                _ => Count::Fixed(bound.parse().map_err(|_| bad())?),
            };
            (base, count)
        }
    };
    let base = base.split("<=").next().unwrap_or(base);
    let whole = |bytes, signed| Base::Whole { bytes, signed };
    let (base, written) = match base {
        "bool" => (Base::Bool, "bool".to_owned()),
        "int8" => (whole(1, true), base.to_owned()),
        "uint8" | "byte" | "char" => (whole(1, false), base.to_owned()),
        "int16" => (whole(2, true), base.to_owned()),
        "uint16" => (whole(2, false), base.to_owned()),
        "int32" => (whole(4, true), base.to_owned()),
        "uint32" => (whole(4, false), base.to_owned()),
        "int64" => (whole(8, true), base.to_owned()),
        "uint64" => (whole(8, false), base.to_owned()),
        "float32" => (Base::Real { bytes: 4 }, base.to_owned()),
        "float64" => (Base::Real { bytes: 8 }, base.to_owned()),
        "string" => (Base::Text, base.to_owned()),
        "wstring" => return Err("it has wide texts (wstring), which are not read".to_owned()),
        _ => match message_name(base, within).as_str() {
            "time" | "builtin_interfaces/Time" => {
                // Times of ROS 1 count from 1970 on; those of ROS 2 have a sign.
                let signed = base != "time";
                (Base::Time { signed }, "time".to_owned())
            }
            "duration" | "builtin_interfaces/Duration" => {
                (Base::Time { signed: true }, "duration".to_owned())
            }
            name => (Base::Message(name.to_owned()), name.to_owned()),
        },
    };
    let written = match count {
        Count::One => written,
        Count::Fixed(n) => format!("{written}[{n}]"),
        Count::Any => format!("{written}[]"),
    };
    Ok(Some(Field {
        name: name.to_owned(),
        base,
        count,
        written,
    }))
}

/// The whole name of a message that is named within another one.
fn message_name(name: &str, within: &str) -> String {
    match name {
        "time" | "duration" => name.to_owned(),
        "Header" => "std_msgs/Header".to_owned(),
        _ if name.contains('/') => plain(name),
        _ => match within.split_once('/') {
            Some((package, _)) => format!("{package}/{name}"),
            None => name.to_owned(),
        },
    }
}

fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}

fn node(kind: NodeKind) -> ProgramNode {
    ProgramNode {
        line: None,
        column: None,
        kind,
    }
}

fn text(text: &str) -> ProgramNode {
    node(NodeKind::Text(text.to_owned()))
}

struct Reader<'r> {
    definitions: &'r Definitions,
    wire: Wire,
    big: bool,
    bytes: &'r [u8],
    at: usize,
    values: usize,
    /// Points of trajectories so far: reports count them.
    points: usize,
}

impl Reader<'_> {
    fn message(&mut self, name: &str, depth: usize) -> Result<NodeKind, String> {
        if depth > DEEPEST {
            return Err(format!(
                "messages lie more than {DEEPEST} deep in one another"
            ));
        }
        let definitions = self.definitions;
        let fields = definitions
            .types
            .get(name)
            .ok_or_else(|| format!("the definition of {name} is missing"))?;
        if fields.is_empty() && self.wire == Wire::Cdr {
            // Nothing takes a byte in C++.
            self.take(1)?;
        }
        let mut entries = Vec::with_capacity(fields.len());
        for field in fields {
            let value = self.field(field, depth).map_err(|why| {
                if why.contains('`') {
                    why
                } else {
                    format!("`{}`: {why}", field.name)
                }
            })?;
            entries.push((text(&field.name), value));
        }
        Ok(NodeKind::Map(entries))
    }

    fn field(&mut self, field: &Field, depth: usize) -> Result<ProgramNode, String> {
        let count = match field.count {
            Count::One => return self.value(&field.base, depth),
            Count::Fixed(count) => count,
            Count::Any => self.unsigned(4)? as usize,
        };
        // Nothing that is read takes less than a byte, so a forged count ends here.
        if count > self.bytes.len() - self.at {
            return Err(format!(
                "it says that it has {count} values, more than there are bytes"
            ));
        }
        if matches!(field.base, Base::Whole { bytes: 1, .. }) {
            // Pictures and the like: nobody asks for them.
            self.take(count)?;
            return Ok(node(NodeKind::Null));
        }
        let mut list = Vec::new();
        for _ in 0..count {
            let mut value = self.value(&field.base, depth)?;
            if field.name == "points" {
                self.points += 1;
                value.line = Some(self.points);
            }
            list.push(value);
        }
        Ok(node(NodeKind::List(list)))
    }

    fn value(&mut self, base: &Base, depth: usize) -> Result<ProgramNode, String> {
        self.values += 1;
        if self.values > MOST_VALUES {
            return Err(format!("it has more than {MOST_VALUES} values"));
        }
        Ok(node(match base {
            Base::Bool => NodeKind::Bool(self.unsigned(1)? != 0),
            Base::Whole { bytes, signed } => NodeKind::Number(if *signed {
                self.signed(*bytes)? as f64
            } else {
                self.unsigned(*bytes)? as f64
            }),
            Base::Real { bytes: 4 } => {
                let bits = self.unsigned(4)? as u32;
                NodeKind::Number(f64::from(f32::from_bits(bits)))
            }
            Base::Real { .. } => NodeKind::Number(f64::from_bits(self.unsigned(8)?)),
            Base::Text => NodeKind::Text(self.text()?),
            Base::Time { signed } => {
                let seconds = if *signed {
                    self.signed(4)? as f64
                } else {
                    self.unsigned(4)? as f64
                };
                let nano = self.unsigned(4)? as f64;
                let number = |x| node(NodeKind::Number(x));
                NodeKind::Map(vec![
                    (text("sec"), number(seconds)),
                    (text("nanosec"), number(nano)),
                ])
            }
            Base::Message(name) => self.message(name, depth + 1)?,
        }))
    }

    fn take(&mut self, count: usize) -> Result<&[u8], String> {
        let end = self.at.checked_add(count);
        let end = end.filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| "the message ends too early".to_owned())?;
        let bytes = &self.bytes[self.at..end];
        self.at = end;
        Ok(bytes)
    }

    fn unsigned(&mut self, bytes: usize) -> Result<u64, String> {
        if self.wire == Wire::Cdr {
            let over = self.at % bytes;
            if over > 0 {
                self.take(bytes - over)?;
            }
        }
        let big = self.big;
        let taken = self.take(bytes)?;
        let fold = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Ok(if big {
            taken.iter().fold(0, fold)
        } else {
            taken.iter().rev().fold(0, fold)
        })
    }

    fn signed(&mut self, bytes: usize) -> Result<i64, String> {
        let shift = 64 - 8 * bytes as u32;
        Ok((self.unsigned(bytes)? << shift) as i64 >> shift)
    }

    fn text(&mut self) -> Result<String, String> {
        let length = self.unsigned(4)? as usize;
        let wire = self.wire;
        let bytes = self.take(length)?;
        let bytes = match (wire, bytes) {
            // With the zero that ends it.
            (Wire::Cdr, [text @ .., 0]) => text,
            (Wire::Cdr, [_, ..]) => return Err("a text does not end with a zero".to_owned()),
            _ => bytes,
        };
        String::from_utf8(bytes.to_vec()).map_err(|_| "a text is not UTF-8".to_owned())
    }
}
