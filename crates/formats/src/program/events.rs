//! Events of a program: `[[event]]` tables in a TOML file beside it.

use std::collections::HashMap;
use std::path::Path;

use clearance_proof::model::{
    BodyId, Cell, Event, EventChange, JointId, JointKind, JointNames, Program, Role, Timeline,
    matches,
};
use clearance_proof::report::Diagnostic;

use crate::cell::pose;
use crate::cell::table::{Table, TableValue, TomlText};
use crate::names::suggestion;
use crate::{ImportError, Problem};

mod sidecar;
mod units;

pub use sidecar::{
    any_beside, bytes_of, has_own, is_named_like_events, misnamed, sidecar, sidecar_bytes, unread,
    unread_in,
};

/// The actions of events; each is the key that names it.
const KINDS: [&str; 4] = ["attach", "release", "move", "allow"];
const ATTACH: [&str; 6] = ["at", "waypoint", "attach", "to", "pose", "touch"];
const RELEASE: [&str; 3] = ["at", "waypoint", "release"];
const MOVE: [&str; 5] = ["at", "waypoint", "move", "value", "duration"];
const ALLOW: [&str; 6] = [
    "at",
    "waypoint",
    "allow",
    "until",
    "until_waypoint",
    "reason",
];
/// Keys whose values are seconds, where the program has times.
const BY_TIME: [&str; 3] = ["at", "until", "duration"];

/// The events of a program, as they were read.
#[derive(Debug, Clone, Default)]
pub struct ReadEvents {
    /// The events.
    pub timeline: Timeline,
    /// What of them can hardly be meant as it is written.
    pub doubts: Vec<Diagnostic>,
    /// Whether any of them is at a time, or takes one: in seconds, not in waypoints.
    pub by_time: bool,
}

/// Reads the events of a program. `robot` is the robot that the program moves, where the user named
/// it: bare joint names are its own. Without a `program` (several share the clock) events state
/// seconds.
///
/// # Errors
/// When the file cannot be read, or says something that does not fit the program and the cell.
pub fn load(
    file: &Path,
    program: Option<&Program>,
    robot: Option<&str>,
    cell: &Cell,
) -> Result<ReadEvents, ImportError> {
    let text = TomlText::read(file)?;
    read(&text, program, robot, cell)
}

/// The same as [`load`], once the bytes are there.
///
/// # Errors
/// When they are not events, or say something that does not fit the program and the cell.
pub fn parse(
    file: &Path,
    bytes: &[u8],
    program: Option<&Program>,
    robot: Option<&str>,
    cell: &Cell,
) -> Result<ReadEvents, ImportError> {
    let text = TomlText::new(file, bytes.to_vec())?;
    read(&text, program, robot, cell)
}

fn read(
    text: &TomlText,
    program: Option<&Program>,
    robot: Option<&str>,
    cell: &Cell,
) -> Result<ReadEvents, ImportError> {
    let parsed = text.parse()?;
    let root = Table::root_of("the events file", text, parsed.get_ref(), &["event"])?;
    let bodies = cell.bodies.iter().enumerate();
    let mut reader = Reader {
        program,
        robot,
        cell,
        bodies: bodies.map(|(id, b)| (b.name.as_str(), id)).collect(),
        joints: JointNames::new(cell),
        doubts: Vec::new(),
    };
    let mut timeline = Timeline::default();
    let mut all: Vec<&str> = [&ATTACH[..], &RELEASE, &MOVE, &ALLOW].concat();
    all.sort_unstable();
    all.dedup();
    let tables = match root.get("event") {
        Some(value) => value.tables("[[event]]", &all)?,
        None => Vec::new(),
    };
    for table in &tables {
        timeline.events.push(reader.event(text, table)?);
    }
    let has_time = |table: &Table| BY_TIME.iter().any(|key| table.get(key).is_some());
    let by_time = program.is_none_or(|p| p.timed) && tables.iter().any(has_time);
    // The order in time, and in the file for those of one instant.
    let mut sorted = Timeline::default();
    sorted.add(timeline, 0.0);
    Ok(ReadEvents {
        timeline: sorted,
        doubts: reader.doubts,
        by_time,
    })
}

struct Reader<'r> {
    program: Option<&'r Program>,
    robot: Option<&'r str>,
    cell: &'r Cell,
    bodies: HashMap<&'r str, BodyId>,
    joints: JointNames,
    doubts: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn event(&mut self, text: &TomlText, table: &Table) -> Result<Event, ImportError> {
        let given: Vec<TableValue> = table.entries().filter(|v| KINDS.contains(&v.key)).collect();
        let kind = match given[..] {
            [kind] => kind,
            [] => {
                return Err(table.error(Problem::Syntax {
                    cause: "the event does nothing".into(),
                    remedy: "add `attach`, `release`, `move` or `allow`".into(),
                }));
            }
            [first, second, ..] => {
                return Err(second.key_error(Problem::Syntax {
                    cause: format!("both `{}` and `{}` are given", first.key, second.key),
                    remedy: "make two events of it".into(),
                }));
            }
        };
        let (known, change): (&[&str], EventChange) = match kind.key {
            "attach" => (&ATTACH, self.attach(table, &kind)?),
            "release" => {
                let bodies = self.portable(&kind)?;
                (&RELEASE, EventChange::Release { bodies })
            }
            "move" => (&MOVE, self.joint_move(table, &kind)?),
            _ => (&ALLOW, self.allow(table, &kind)?),
        };
        if let Some(stray) = table.entries().find(|v| !known.contains(&v.key)) {
            return Err(stray.key_error(Problem::Syntax {
                cause: format!("`{}` does not belong to `{}`", stray.key, kind.key),
                remedy: format!("keys of such an event are {}", known.join(", ")),
            }));
        }
        let time = self.time(table, "at", "waypoint")?.ok_or_else(|| {
            table.error(Problem::Syntax {
                cause: "the event has no time".into(),
                remedy: "add `at = 2.5` (seconds) or `waypoint = 3` (counted from 1)".into(),
            })
        })?;
        if let EventChange::Allow {
            until: Some(until), ..
        } = &change
            && *until < time
        {
            return Err(table.error(Problem::Syntax {
                cause: "the event ends before it begins".into(),
                remedy: "`until` comes after `at`".into(),
            }));
        }
        Ok(Event {
            time,
            change,
            file: text.file.clone(),
            line: table.place().line.unwrap_or(1),
            program: None,
        })
    }

    /// The instant that one of two keys states: seconds, or the number of a waypoint counted
    /// from 1.
    fn time<'t>(
        &self,
        table: &Table<'t>,
        seconds: &'t str,
        waypoint: &'t str,
    ) -> Result<Option<f64>, ImportError> {
        let (by_seconds, by_waypoint) = (table.get(seconds), table.get(waypoint));
        match (by_seconds, by_waypoint) {
            (None, None) => Ok(None),
            (Some(_), Some(second)) => Err(second.key_error(Problem::Syntax {
                cause: format!("both `{seconds}` and `{waypoint}` are given"),
                remedy: "keep one of them".into(),
            })),
            (Some(value), None) => {
                if self.program.is_some_and(|p| !p.timed) {
                    return Err(value.key_error(Problem::Syntax {
                        cause: "the program has no times".into(),
                        remedy: format!("write `{waypoint} = …`, counted from 1"),
                    }));
                }
                value.seconds().map(Some)
            }
            (None, Some(value)) => {
                let Some(program) = self.program else {
                    return Err(value.key_error(Problem::Syntax {
                        cause: "several programs share the clock: it is not said whose waypoint this is".into(),
                        remedy: format!("write `{seconds} = …`, or put the event into the file of one program"),
                    }));
                };
                self.at_waypoint(&value, program).map(Some)
            }
        }
    }

    /// Time of a waypoint; 2.5 is halfway between the second and the third.
    fn at_waypoint(&self, value: &TableValue, program: &Program) -> Result<f64, ImportError> {
        let number = value.number()?;
        if program.begins_with_state {
            return Err(value.key_error(Problem::Syntax {
                cause: "`trajectory_start` comes before the first point: either may be meant by number 1".into(),
                remedy: "write the time in seconds, `at` or `until`".into(),
            }));
        }
        let last = program.waypoints.len();
        if !(1.0..=last as f64).contains(&number) {
            return Err(value.bad(format!("the program has the waypoints 1 to {last}")));
        }
        let below = number.floor();
        let from = &program.waypoints[below as usize - 1];
        let share = number - below;
        Ok(match program.waypoints.get(below as usize) {
            Some(to) if share > 0.0 => from.time + share * (to.time - from.time),
            _ => from.time,
        })
    }

    fn attach(&mut self, table: &Table, kind: &TableValue) -> Result<EventChange, ImportError> {
        let bodies = self.portable(kind)?;
        let to = table.required("to")?;
        let link = self.carrier(&to)?;
        if bodies.contains(&link) {
            return Err(to.bad("a body cannot carry itself"));
        }
        if self.cell.bodies[link].role == Role::Obstacle {
            return Err(to.bad("an obstacle does not move: `release` the body where it is to stay"));
        }
        let mut touch = Vec::new();
        for value in table.get("touch").map_or(Ok(Vec::new()), |v| v.list())? {
            touch.push(self.pattern(&value)?);
        }
        let value = table.get("pose");
        let stated = value.map(|_| pose(table, "pose")).transpose()?;
        if let (Some(value), [_, _, ..]) = (value, &bodies[..]) {
            return Err(value.key_error(Problem::Syntax {
                cause: "a pose is stated for several bodies at once".into(),
                remedy: "name one body, or leave out `pose`: they keep their places".into(),
            }));
        }
        if let Some(value) = value {
            self.doubts.extend(units::doubtful_pose(&value)?);
        }
        Ok(EventChange::Attach {
            bodies,
            link,
            link_from_body: stated,
            touch,
        })
    }

    fn joint_move(&mut self, table: &Table, kind: &TableValue) -> Result<EventChange, ImportError> {
        let joint = self.joint(kind)?;
        let written = table.required("value")?;
        let value = match self.cell.joints[joint].kind {
            JointKind::Prismatic => written.length()?,
            JointKind::Revolute | JointKind::Continuous => written.angle()?,
        };
        let doubt = units::doubtful_value(&written, self.cell, joint)?;
        self.doubts.extend(doubt);
        let written = table.required("duration")?;
        let duration = match self.program {
            // Without times the clock counts waypoints.
            Some(program) if !program.timed => written.number()?,
            _ => written.seconds()?,
        };
        if duration <= 0.0 {
            return Err(written.bad("a joint needs time to move: write a duration above 0"));
        }
        Ok(EventChange::Move {
            joint,
            value,
            duration,
        })
    }

    fn allow(&self, table: &Table, kind: &TableValue) -> Result<EventChange, ImportError> {
        let pair = kind.list()?;
        let [a, b] = pair[..] else {
            return Err(kind.bad("write two names, as in `allow = [\"part\", \"fixture\"]`"));
        };
        let reason = table.get("reason").map_or(Ok(""), |v| v.string())?;
        Ok(EventChange::Allow {
            a: self.pattern(&a)?,
            b: self.pattern(&b)?,
            until: self.time(table, "until", "until_waypoint")?,
            reason: reason.to_owned(),
        })
    }

    /// The body that carries others: by its whole name, or a link of the program's robot, or of the
    /// only robot that has such a link, by its bare name.
    fn carrier(&self, value: &TableValue) -> Result<BodyId, ImportError> {
        let name = value.name()?;
        let link_of = |robot: &str| self.bodies.get(format!("{robot}/{name}").as_str()).copied();
        let robots = self.cell.robots.iter();
        let of_robots: Vec<BodyId> = robots.filter_map(|robot| link_of(&robot.name)).collect();
        // Those that a bare name means: without a program's robot it may be any.
        let meant = match self.robot {
            Some(robot) => Vec::from_iter(link_of(robot)),
            None => of_robots.clone(),
        };
        if let Some(&id) = self.bodies.get(name) {
            return match meant.iter().find(|&&link| link != id) {
                None => Ok(id),
                Some(&link) => {
                    let link = &self.cell.bodies[link].name;
                    Err(value.bad(format!(
                        "both a body of the cell and the link `{link}` are called so: write `{link}` if the link is meant; if not, \
                         give the other body a name of its own in the cell file"
                    )))
                }
            };
        }
        match (&meant[..], &of_robots[..]) {
            (&[link], _) | ([], &[link]) => Ok(link),
            ([], []) => Err(value.error(Problem::UnknownName {
                what: "body",
                name: name.to_owned(),
                remedy: suggestion(name, self.cell.bodies.iter().map(|b| b.name.as_str())),
            })),
            _ => Err(value.bad("several robots have such a link: write `robot/link`")),
        }
    }

    /// Bodies that can be carried, by name or pattern: no links, those belong to their robots.
    fn portable(&self, value: &TableValue) -> Result<Vec<BodyId>, ImportError> {
        let pattern = self.pattern(value)?;
        let bodies = self.cell.bodies.iter().enumerate();
        let literal = !pattern.contains('*');
        let meant: Vec<_> = match self.bodies.get(pattern.as_str()) {
            Some(&id) if literal => vec![(id, &self.cell.bodies[id])],
            _ => bodies
                .filter(|(_, body)| matches(&pattern, &body.name))
                .collect(),
        };
        let meant = meant.into_iter();
        let portable = meant.filter(|(_, body)| !matches!(body.role, Role::Link { .. }));
        let found: Vec<BodyId> = portable.map(|(id, _)| id).collect();
        if found.is_empty() {
            return Err(value.bad(
                "a link belongs to its robot: name an [[obstacle]] or an [[attach]] of the cell file",
            ));
        }
        Ok(found)
    }

    /// A pattern that matches something.
    fn pattern(&self, value: &TableValue) -> Result<String, ImportError> {
        let pattern = value.name()?;
        let names = self.cell.bodies.iter().map(|b| b.name.as_str());
        if self.bodies.contains_key(pattern) || names.clone().any(|n| matches(pattern, n)) {
            return Ok(pattern.to_owned());
        }
        Err(value.error(Problem::UnknownName {
            what: "body",
            name: pattern.to_owned(),
            remedy: suggestion(pattern, names),
        }))
    }

    fn joint(&self, value: &TableValue) -> Result<JointId, ImportError> {
        let name = value.name()?;
        let qualified = self.robot.map(|robot| format!("{robot}/{name}"));
        let found = match qualified.map(|q| self.joints.get(&q)) {
            Some(found) if !found.is_empty() => found,
            _ => self.joints.get(name),
        };
        let joint = match *found {
            [] if self.cell.is_fixed(name) => {
                return Err(value.bad("it is fixed in the URDF: name a joint that moves"));
            }
            [joint] => joint,
            [] => {
                let labels: Vec<String> = (0..self.cell.joints.len())
                    .map(|j| self.cell.joint_label(j))
                    .collect();
                return Err(value.error(Problem::UnknownName {
                    what: "joint",
                    name: name.to_owned(),
                    remedy: suggestion(name, labels.iter().map(String::as_str)),
                }));
            }
            _ => return Err(value.bad("several robots have such a joint: write `robot/joint`")),
        };
        if let Some(mimic) = self.cell.joints[joint].mimic {
            let source = self.cell.joint_label(mimic.source);
            return Err(value.bad(format!("it follows `{source}`: move that one")));
        }
        Ok(joint)
    }
}

#[cfg(test)]
mod tests;
