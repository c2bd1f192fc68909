//! Recordings of ROS: MCAP, and bags of ROS 1. Planned trajectories, each a program, and recorded joint states, which are one.

mod mcap;
mod ros1;
mod schema;

use std::path::{Path, PathBuf};

use clearance_proof::model::{Cell, Quantity};

use self::mcap::McapReader;
use self::ros1::BagReader;
use self::schema::{Definitions, Wire, plain};
use super::super::node::{NodeKind, ProgramNode};
use super::super::ros;
use super::columns::{ColumnType, JointColumn, ProgramBuilder, TableColumn, joints_of};
use super::{Layout, Member, Members, Names, named, syntax};
use crate::files::open;
use crate::{ImportError, Problem};

/// Bytes that a record may have: 256 MiB.
const MOST_RECORD: usize = 256 << 20;
/// Topics that a recording may have.
const MOST_TOPICS: usize = 10_000;

/// Messages that are programs.
const TRAJECTORIES: [&str; 3] = [
    "trajectory_msgs/JointTrajectory",
    "moveit_msgs/RobotTrajectory",
    "moveit_msgs/DisplayTrajectory",
];
/// Messages that are waypoints of one.
const STATES: &str = "sensor_msgs/JointState";

/// A topic, or what of it has messages of one type.
#[derive(Debug, Clone)]
struct Topic {
    name: String,
    /// Type of its messages, as ROS 1 writes it.
    kind: String,
    definition: String,
    wire: Result<Wire, String>,
    messages: u64,
}

impl Topic {
    fn new(name: &str, kind: &str, definition: &str, wire: Result<Wire, String>) -> Self {
        Self {
            name: name.to_owned(),
            kind: plain(kind),
            definition: definition.to_owned(),
            wire,
            messages: 0,
        }
    }
}

/// The topics of a recording, as they are found.
#[derive(Debug, Default)]
struct Topics {
    all: Vec<Topic>,
    /// The one whose messages are wanted.
    wanted: Option<String>,
}

impl Topics {
    /// Its place among all.
    fn enter(&mut self, topic: Topic) -> Result<usize, String> {
        let same = |t: &Topic| {
            t.name == topic.name
                && t.kind == topic.kind
                && t.definition == topic.definition
                && t.wire == topic.wire
        };
        match self.all.iter().position(same) {
            Some(at) => Ok(at),
            None if self.all.len() >= MOST_TOPICS => {
                Err(format!("it has more than {MOST_TOPICS} topics"))
            }
            None => {
                self.all.push(topic);
                Ok(self.all.len() - 1)
            }
        }
    }

    /// Counts a message; says whether it is wanted.
    fn count(&mut self, topic: usize) -> bool {
        let topic = &mut self.all[topic];
        topic.messages += 1;
        self.wanted.as_ref() == Some(&topic.name)
    }
}

enum Reader {
    Mcap(Box<McapReader>),
    Bag(BagReader),
}

/// A file that is being read.
struct Recording {
    path: PathBuf,
    reader: Reader,
    topics: Topics,
}

impl Recording {
    fn open(path: &Path, wanted: Option<&str>) -> Result<Self, ImportError> {
        let file = open(path)?;
        let is_bag = path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("bag"));
        let reader = match is_bag {
            true => Reader::Bag(BagReader::new(file)),
            false => Reader::Mcap(Box::new(McapReader::new(file))),
        };
        Ok(Self {
            path: path.to_owned(),
            reader,
            topics: Topics {
                all: Vec::new(),
                wanted: wanted.map(str::to_owned),
            },
        })
    }

    fn next(&mut self) -> Result<Option<(usize, Vec<u8>)>, ImportError> {
        let next = match &mut self.reader {
            Reader::Mcap(reader) => reader.next(&mut self.topics),
            Reader::Bag(reader) => reader.next(&mut self.topics),
        };
        next.map_err(|why| {
            syntax(
                &self.path,
                format!("the recording cannot be read: {why}"),
                "record it anew, or look whether it was cut off".to_owned(),
            )
        })
    }

    /// Reads to the end, for the sake of what it counts.
    fn finish(&mut self) -> Result<(), ImportError> {
        while self.next()?.is_some() {}
        Ok(())
    }

    /// The topics with types and counts, in a sentence.
    fn list(&self) -> String {
        const SHOWN: usize = 60;
        let mut all: Vec<&Topic> = self.topics.all.iter().collect();
        all.sort_by_key(|t| &t.name);
        let known = |t: &Topic| TRAJECTORIES.contains(&t.kind.as_str()) || t.kind == STATES;
        // Those that can be named come first.
        all.sort_by_key(|t| !known(t));
        let one = |t: &&Topic| format!("{} ({}, {} messages)", t.name, t.kind, t.messages);
        let mut said: Vec<String> = all.iter().take(SHOWN).map(one).collect();
        if all.len() > SHOWN {
            said.push(format!("and {} more", all.len() - SHOWN));
        }
        match said.is_empty() {
            true => "it has no topics".to_owned(),
            false => format!("its topics are {}", said.join(", ")),
        }
    }

    /// The topic's messages cannot be had.
    fn refuse(&self, cause: String) -> ImportError {
        syntax(
            &self.path,
            cause,
            format!(
                "name a topic of {} or {STATES} behind `#`; {}",
                TRAJECTORIES.join(", "),
                self.list()
            ),
        )
    }

    /// What the messages of a topic are.
    fn kind_of(&self, topic: &str) -> Result<&Topic, ImportError> {
        let mut own = self.topics.all.iter().filter(|t| t.name == topic);
        let found = match (own.next(), own.next()) {
            (Some(one), None) => one,
            (None, _) => {
                return Err(self.refuse(format!("there is no topic `{topic}` in it")));
            }
            _ => {
                return Err(self.refuse(format!("topic `{topic}` has messages of several types")));
            }
        };
        if !TRAJECTORIES.contains(&found.kind.as_str()) && found.kind != STATES {
            return Err(self.refuse(format!(
                "topic `{topic}` has messages of type `{}`, which are no programs",
                found.kind
            )));
        }
        Ok(found)
    }
}

/// The error about a recording of which no topic is named.
pub(super) fn topics_are(file: &Path) -> ImportError {
    let counted = Recording::open(file, None).and_then(|mut recording| {
        recording.finish()?;
        Ok(recording)
    });
    match counted {
        Ok(recording) => recording.refuse("it is a recording of many topics".to_owned()),
        Err(error) => error,
    }
}

/// A topic, and which of its messages.
fn split(id: &str) -> (&str, Option<u64>) {
    match id.rsplit_once('@') {
        Some((topic, number)) => match number.parse() {
            Ok(number) => (topic, Some(number)),
            Err(_) => (id, None),
        },
        None => (id, None),
    }
}

/// The topic of a program's name.
pub(super) fn topic_of(id: &str) -> &str {
    split(id).0
}

/// The names of all messages of a topic, where each is a program.
pub(super) fn names(file: &Path, id: &str) -> Result<Option<Vec<PathBuf>>, ImportError> {
    let (topic, None) = split(id) else {
        return Ok(None);
    };
    let mut recording = Recording::open(file, Some(topic))?;
    recording.finish()?;
    let found = recording.kind_of(topic)?;
    if found.kind == STATES {
        return Ok(None);
    }
    let mut names = Names::new(file);
    for number in 1..=found.messages {
        names.add(&format!("{topic}@{number}"), number as usize)?;
    }
    match found.messages {
        0 => Err(recording.refuse(format!("topic `{topic}` has no messages"))),
        _ => names.finish().map(Some),
    }
}

/// The programs of a topic, or of one message of it.
pub(super) fn members(
    file: &Path,
    only: Option<&str>,
    layout: &Layout,
    cell: &Cell,
) -> Result<Members, ImportError> {
    let Some(id) = only else {
        return Err(topics_are(file));
    };
    let (topic, number) = split(id);
    let mut recording = Recording::open(file, Some(topic))?;
    let Some((at, first)) = recording.next()? else {
        recording.kind_of(topic)?;
        return Err(recording.refuse(format!("topic `{topic}` has no messages")));
    };
    if recording.kind_of(topic).is_err() {
        // For the sake of the list of topics.
        recording.finish()?;
    }
    let found = recording.kind_of(topic)?.clone();
    let refuse = |why: String| recording.refuse(format!("topic `{topic}`: {why}"));
    let wire = found.wire.clone().map_err(refuse)?;
    let definitions = Definitions::parse(&found.kind, &found.definition)
        .and_then(|definitions| definitions.check().map(|()| definitions))
        .map_err(|why| {
            refuse(format!(
                "its messages are not the ones that are known: {why}"
            ))
        })?;
    let messages = Messages {
        recording,
        waiting: Some((at, first)),
        definitions,
        wire,
        topic: topic.to_owned(),
        read: 0,
        ended: false,
    };
    if found.kind == STATES {
        if number.is_some() {
            let cause = format!("the messages of `{topic}` are the waypoints of one program");
            let remedy = format!("write `{}#{topic}`", file.display());
            return Err(syntax(file, cause, remedy));
        }
        return States::open(messages, layout, cell);
    }
    Ok(Members {
        passed_over: Vec::new(),
        file: file.to_owned(),
        rows: Box::new(Trajectories {
            messages,
            only: number,
        }),
    })
}

/// The messages of one topic.
struct Messages {
    recording: Recording,
    waiting: Option<(usize, Vec<u8>)>,
    definitions: Definitions,
    wire: Wire,
    topic: String,
    /// So many have been read.
    read: u64,
    ended: bool,
}

impl Messages {
    /// The next one, undecoded.
    fn next(&mut self) -> Result<Option<Vec<u8>>, ImportError> {
        let next = match self.waiting.take() {
            Some(first) => Some(first),
            None => self.recording.next()?,
        };
        let Some((_, bytes)) = next else {
            // Another type may have come up meanwhile.
            self.recording.kind_of(&self.topic)?;
            return Ok(None);
        };
        self.recording.kind_of(&self.topic)?;
        self.read += 1;
        Ok(Some(bytes))
    }

    fn decode(&self, bytes: &[u8]) -> Result<ProgramNode, Problem> {
        let read = self.definitions.read(self.wire, bytes);
        read.map_err(|why| Problem::Syntax {
            cause: format!(
                "message {} of `{}` is damaged: {why}",
                self.read, self.topic
            ),
            remedy: "record it anew".to_owned(),
        })
    }
}

/// A topic whose messages are programs.
struct Trajectories {
    messages: Messages,
    only: Option<u64>,
}

impl Iterator for Trajectories {
    type Item = Result<Member, ImportError>;

    fn next(&mut self) -> Option<Self::Item> {
        let messages = &mut self.messages;
        while !messages.ended {
            let bytes = match messages.next() {
                Ok(Some(bytes)) => bytes,
                Ok(None) => {
                    messages.ended = true;
                    return None;
                }
                Err(error) => {
                    messages.ended = true;
                    return Some(Err(error));
                }
            };
            if self.only.is_some_and(|only| only != messages.read) {
                continue;
            }
            let id = format!("{}@{}", messages.topic, messages.read);
            let name = named(&messages.recording.path, &id);
            let program = match messages.decode(&bytes) {
                Ok(node) => ros::message(&name, &node),
                Err(problem) => Err(ImportError::file(&name, problem)),
            };
            return Some(Ok(Member { name, program }));
        }
        None
    }
}

/// A recording of joint states: one program.
struct States {
    messages: Messages,
    names: Vec<String>,
    joints: Vec<JointColumn>,
    growing: Option<ProgramBuilder>,
    /// Stamp of the first message, nanoseconds.
    first: Option<i128>,
    /// The last stamp with its positions.
    last: Option<(i128, Vec<f64>)>,
}

/// What of a joint state counts.
struct State {
    stamp: i128,
    names: Vec<String>,
    positions: Vec<f64>,
}

impl States {
    fn open(mut messages: Messages, layout: &Layout, cell: &Cell) -> Result<Members, ImportError> {
        let path = messages.recording.path.clone();
        let topic = messages.topic.clone();
        let name = named(&path, &topic);
        let fail = |problem| ImportError::at(&name, 1, None, problem);
        let first = messages.next()?.unwrap_or_default();
        let node = messages.decode(&first).map_err(fail)?;
        let state = state(&node).map_err(fail)?;
        let found = |name: &String| TableColumn {
            name: name.clone(),
            what: ColumnType::Number,
        };
        let found: Vec<TableColumn> = state.names.iter().map(found).collect();
        let (mut joints, passed_over) = joints_of(&name, &found, layout, cell)?;
        // The message states its units by definition.
        for joint in &mut joints {
            joint.column.quantity = match joint.column.quantity {
                Quantity::Unstated => Quantity::Message,
                stated => stated,
            };
        }
        messages.read = 0;
        messages.waiting = Some((0, first));
        let growing = ProgramBuilder::of_columns(&path, topic, &joints, 1);
        Ok(Members {
            passed_over,
            file: path.clone(),
            rows: Box::new(States {
                messages,
                names: state.names,
                joints,
                growing: Some(growing),
                first: None,
                last: None,
            }),
        })
    }

    /// Takes one message; `false` at the end.
    fn step(&mut self, growing: &mut ProgramBuilder) -> Result<bool, ImportError> {
        let Some(bytes) = self.messages.next()? else {
            return Ok(false);
        };
        if !growing.is_sound() {
            return Ok(true);
        }
        let row = self.messages.read as usize;
        let read = self.messages.decode(&bytes).and_then(|node| state(&node));
        match read.and_then(|state| self.waypoint(state)) {
            Ok(Some((time, positions))) => growing.add(row, Some(time), positions),
            Ok(None) => {}
            Err(problem) => growing.refuse_for(row, problem),
        }
        Ok(true)
    }

    /// The waypoint of a state; none where it says again what the last one said.
    fn waypoint(&mut self, state: State) -> Result<Option<(f64, Vec<f64>)>, Problem> {
        let number = self.messages.read;
        if state.names != self.names {
            return Err(Problem::Syntax {
                cause: format!(
                    "message {number} has other joints than the first one: {} in place of {}",
                    state.names.join(", "),
                    self.names.join(", ")
                ),
                remedy: "record the topic of one publisher".to_owned(),
            });
        }
        if let Some((stamp, positions)) = &self.last {
            let same = *positions == state.positions;
            if *stamp == state.stamp && same {
                return Ok(None);
            }
            if state.stamp <= *stamp {
                let back = (*stamp - state.stamp) as f64 / 1e9;
                return Err(Problem::BadValue {
                    what: format!("`header.stamp` of message {number}"),
                    value: format!("{back} s before that of the message before, or the same"),
                    remedy: "times must increase from message to message; record one clock"
                        .to_owned(),
                });
            }
        }
        let first = *self.first.get_or_insert(state.stamp);
        let time = (state.stamp - first) as f64 / 1e9;
        let positions = self.joints.iter();
        let positions = positions.map(|j| state.positions[j.at] * j.scale.0 / j.scale.1);
        let positions: Vec<f64> = positions.collect();
        self.last = Some((state.stamp, state.positions));
        Ok(Some((time, positions)))
    }
}

impl Iterator for States {
    type Item = Result<Member, ImportError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut growing = self.growing.take()?;
        loop {
            match self.step(&mut growing) {
                Ok(true) => {}
                Ok(false) => return Some(Ok(growing.finish())),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Reads a joint state.
fn state(node: &ProgramNode) -> Result<State, Problem> {
    let bad = |cause: String| Problem::Syntax {
        cause,
        remedy: "record it anew".to_owned(),
    };
    let list = |key: &str| match node.get(key).map(|n| &n.kind) {
        Some(NodeKind::List(list)) => &list[..],
        _ => &[],
    };
    let names = list("name").iter().filter_map(|n| match &n.kind {
        NodeKind::Text(text) => Some(text.clone()),
        _ => None,
    });
    let names: Vec<String> = names.collect();
    let positions = list("position").iter().filter_map(|n| match n.kind {
        NodeKind::Number(number) => Some(number),
        _ => None,
    });
    let positions: Vec<f64> = positions.collect();
    if names.is_empty() || names.len() != positions.len() {
        return Err(bad(format!(
            "a joint state has {} names and {} positions",
            names.len(),
            positions.len()
        )));
    }
    if let Some(at) = positions.iter().position(|p| !p.is_finite()) {
        return Err(Problem::BadValue {
            what: format!("the position of `{}`", names[at]),
            value: positions[at].to_string(),
            remedy: "give a finite number".to_owned(),
        });
    }
    let stamp = node.get("header").and_then(|h| h.get("stamp"));
    let part = |key: &str| match stamp.and_then(|s| s.get(key)).map(|n| &n.kind) {
        Some(NodeKind::Number(number)) => Ok(*number as i128),
        _ => Err(bad("a joint state has no stamp".to_owned())),
    };
    Ok(State {
        stamp: part("sec")? * 1_000_000_000 + part("nanosec")?,
        names,
        positions,
    })
}
