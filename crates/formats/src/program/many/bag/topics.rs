//! The topics of a recording, as they are found.

use std::collections::BTreeSet;

use super::schema::{Wire, plain};

/// Topics that a recording may have.
const MOST_TOPICS: usize = 10_000;

/// A topic, or what of it has messages of one type.
#[derive(Debug, Clone)]
pub(super) struct Topic {
    pub(super) name: String,
    /// Type of its messages, as ROS 1 writes it.
    pub(super) kind: String,
    pub(super) definition: String,
    pub(super) wire: Result<Wire, String>,
    pub(super) messages: u64,
    publishers: Publishers,
}

/// Who sent the messages of a topic, by channel or connection.
#[derive(Debug, Clone, Default)]
struct Publishers {
    last: Option<u32>,
    /// Those of whom another one came after.
    before: BTreeSet<u32>,
    interleaved: bool,
}

impl Publishers {
    fn see(&mut self, publisher: u32) {
        let Some(last) = self
            .last
            .replace(publisher)
            .filter(|&last| last != publisher)
        else {
            return;
        };
        self.before.insert(last);
        self.interleaved |= self.before.contains(&publisher);
    }
}

impl Topic {
    pub(super) fn new(
        name: &str,
        kind: &str,
        definition: &str,
        wire: Result<Wire, String>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            kind: plain(kind),
            definition: definition.to_owned(),
            wire,
            messages: 0,
            publishers: Publishers::default(),
        }
    }

    /// Whether several publishers sent messages in turns, as two of them do at the same time. One
    /// that comes after another, as after a restart, is none of these.
    pub(super) fn is_of_many_publishers(&self) -> bool {
        self.publishers.interleaved
    }
}

/// The topics of a recording, as they are found.
#[derive(Debug, Default)]
pub(super) struct Topics {
    pub(super) all: Vec<Topic>,
    /// The one whose messages are wanted.
    pub(super) wanted: Option<String>,
    /// When the last message was logged, nanoseconds.
    pub(super) logged: u64,
}

impl Topics {
    /// Its place among all.
    pub(super) fn enter(&mut self, topic: Topic) -> Result<usize, String> {
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

    /// Counts a message that came by this channel or connection and was logged at this time; says
    /// whether it is wanted.
    pub(super) fn count(&mut self, topic: usize, publisher: u32, logged: u64) -> bool {
        self.logged = logged;
        let topic = &mut self.all[topic];
        topic.messages += 1;
        topic.publishers.see(publisher);
        self.wanted.as_ref() == Some(&topic.name)
    }
}
