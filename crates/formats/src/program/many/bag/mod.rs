//! Recordings of ROS: MCAP, and bags of ROS 1. Planned trajectories, each a program, and recorded
//! joint states, which are one.

mod encapsulation;
mod mcap;
mod numbers;
mod recording;
mod ros1;
mod schema;
mod states;
mod topics;

use std::path::{Path, PathBuf};

use clearance_proof::model::Cell;

use self::encapsulation::other_form;
use self::numbers::Numbers;
use self::recording::Recording;
use self::schema::{Definitions, Wire};
use self::states::States;
use super::super::node::ProgramNode;
use super::super::ros;
use super::{Layout, Member, Members, Names, named, syntax};
use crate::{ImportError, Problem};

/// Bytes that a record may have: 256 MiB.
const MOST_RECORD: usize = 256 << 20;

/// Messages that are programs.
const TRAJECTORIES: [&str; 3] = [
    "trajectory_msgs/JointTrajectory",
    "moveit_msgs/RobotTrajectory",
    "moveit_msgs/DisplayTrajectory",
];
/// Messages that are waypoints of one.
const STATES: &str = "sensor_msgs/JointState";

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

/// A topic, and which of its messages. `@01` is no number: a topic may be called so.
fn split(id: &str) -> (&str, Option<u64>) {
    let of_message = id.rsplit_once('@').and_then(|(topic, written)| {
        let number: u64 = written.parse().ok()?;
        (number.to_string() == written).then_some((topic, Some(number)))
    });
    of_message.unwrap_or((id, None))
}

/// Whether a program's name says which message of its topic it is.
pub(super) fn is_of_message(id: &str) -> bool {
    split(id).1.is_some()
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
            numbers: None,
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
        let form = (self.wire == Wire::Cdr)
            .then(|| other_form(bytes))
            .flatten();
        if let Some(form) = form {
            return Err(Problem::Unsupported {
                what: format!(
                    "message {} of `{}`, which its head calls {form},",
                    self.read, self.topic
                ),
                remedy: "plain CDR is read, as ROS 2 writes it unless told otherwise: set the sender or its middleware \
                         to it, or convert the recording with a tool that reads this form"
                    .to_owned(),
            });
        }
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
    /// Found where the first program is wanted: for the names of columns nobody needs it.
    numbers: Option<Numbers>,
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
            let numbers = self
                .numbers
                .get_or_insert_with(|| Numbers::of(&messages.recording.path, &messages.topic));
            let one = numbers.one_meaning(messages.read);
            let program = match one.and_then(|()| messages.decode(&bytes)) {
                Ok(node) => ros::message(&name, &node),
                Err(problem) => Err(ImportError::file(&name, problem)),
            };
            return Some(Ok(Member { name, program }));
        }
        None
    }
}
