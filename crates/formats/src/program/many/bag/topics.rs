//! The topics of a recording, as they are found.

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
        }
    }
}

/// The topics of a recording, as they are found.
#[derive(Debug, Default)]
pub(super) struct Topics {
    pub(super) all: Vec<Topic>,
    /// The one whose messages are wanted.
    pub(super) wanted: Option<String>,
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

    /// Counts a message; says whether it is wanted.
    pub(super) fn count(&mut self, topic: usize) -> bool {
        let topic = &mut self.all[topic];
        topic.messages += 1;
        self.wanted.as_ref() == Some(&topic.name)
    }
}
