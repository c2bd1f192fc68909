//! Definitions of ROS messages, as recordings carry them along.

mod message;

use std::collections::HashMap;

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
            let Some(form) = KNOWN.iter().find(|form| form.name == name) else {
                continue;
            };
            let fields = self
                .types
                .get(name)
                .ok_or_else(|| format!("the definition of {name} is missing"))?;
            let mut next = 0;
            for (field, kind) in form.fields {
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
            if form.exact && fields.len() != form.fields.len() {
                let is_known = |field: &&Field| form.fields.iter().any(|k| k.0 == field.name);
                let other = fields.iter().find(|f| !is_known(f));
                return Err(format!(
                    "{name} has a field `{}` there that is not known",
                    other.map_or("", |f| &f.name)
                ));
            }
        }
        Ok(())
    }
}

/// The form that a message must have.
struct MessageForm {
    name: &'static str,
    /// Whether these fields are all.
    exact: bool,
    /// Fields with their types.
    fields: &'static [(&'static str, &'static str)],
}

/// Those of the messages that count.
const KNOWN: [MessageForm; 7] = [
    MessageForm {
        name: "trajectory_msgs/JointTrajectory",
        exact: true,
        fields: &[
            ("header", "std_msgs/Header"),
            ("joint_names", "string[]"),
            ("points", "trajectory_msgs/JointTrajectoryPoint[]"),
        ],
    },
    MessageForm {
        name: "trajectory_msgs/JointTrajectoryPoint",
        exact: true,
        fields: &[
            ("positions", "float64[]"),
            ("velocities", "float64[]"),
            ("accelerations", "float64[]"),
            ("effort", "float64[]"),
            ("time_from_start", "duration"),
        ],
    },
    MessageForm {
        name: "sensor_msgs/JointState",
        exact: true,
        fields: &[
            ("header", "std_msgs/Header"),
            ("name", "string[]"),
            ("position", "float64[]"),
            ("velocity", "float64[]"),
            ("effort", "float64[]"),
        ],
    },
    MessageForm {
        name: "moveit_msgs/RobotTrajectory",
        exact: true,
        fields: &[
            ("joint_trajectory", "trajectory_msgs/JointTrajectory"),
            (
                "multi_dof_joint_trajectory",
                "trajectory_msgs/MultiDOFJointTrajectory",
            ),
        ],
    },
    MessageForm {
        name: "moveit_msgs/DisplayTrajectory",
        exact: true,
        fields: &[
            ("model_id", "string"),
            ("trajectory", "moveit_msgs/RobotTrajectory[]"),
            ("trajectory_start", "moveit_msgs/RobotState"),
        ],
    },
    MessageForm {
        name: "moveit_msgs/RobotState",
        exact: true,
        fields: &[
            ("joint_state", "sensor_msgs/JointState"),
            ("multi_dof_joint_state", "sensor_msgs/MultiDOFJointState"),
            (
                "attached_collision_objects",
                "moveit_msgs/AttachedCollisionObject[]",
            ),
            ("is_diff", "bool"),
        ],
    },
    MessageForm {
        name: "std_msgs/Header",
        exact: false,
        fields: &[("stamp", "time"), ("frame_id", "string")],
    },
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
