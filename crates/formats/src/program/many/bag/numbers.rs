//! Which messages their numbers mean without doubt. `/plan@2` counts in the order of the file; other
//! tools count by the times of logging, and a topic may have that name itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::recording::Recording;
use crate::Problem;

/// What the numbers of a topic's messages mean besides.
#[derive(Default)]
pub(super) struct Numbers {
    topic: String,
    /// The place by the time of logging, where it is another one than in the file.
    elsewhere: BTreeMap<u64, u64>,
    /// Topics whose names are those of messages.
    topics: BTreeSet<String>,
}

impl Numbers {
    /// Looks through a file. What is wrong with it is said by who reads it.
    pub(super) fn of(file: &Path, topic: &str) -> Self {
        let Ok(mut recording) = Recording::open(file, Some(topic)) else {
            return Self::default();
        };
        let mut times = Vec::new();
        while let Ok(Some(_)) = recording.next() {
            times.push((recording.topics.logged, times.len() as u64 + 1));
        }
        // Those of one time stay as they stand.
        times.sort_unstable();
        let places = times.iter().zip(1..);
        let elsewhere = places.filter(|((_, number), place)| number != place);
        let mine = format!("{topic}@");
        let all = recording.topics.all.into_iter().map(|t| t.name);
        Self {
            topic: topic.to_owned(),
            elsewhere: elsewhere
                .map(|((_, number), place)| (*number, place))
                .collect(),
            topics: all.filter(|name| name.starts_with(&mine)).collect(),
        }
    }

    /// Refuses a number that means something else as well.
    pub(super) fn one_meaning(&self, number: u64) -> Result<(), Problem> {
        let id = format!("{}@{number}", self.topic);
        if self.topics.contains(&id) {
            return Err(Problem::Syntax {
                cause: format!("`{id}` is message {number} of a topic, and a topic of its own"),
                remedy: "record one of the topics under another name".to_owned(),
            });
        }
        match self.elsewhere.get(&number) {
            None => Ok(()),
            Some(place) => Err(Problem::Syntax {
                cause: format!(
                    "this is message {number} of `{}` in the order of the file, and message {place} in the order of the times of logging, by which other tools count",
                    self.topic
                ),
                remedy: "write the recording in the order of its times, as `mcap sort` does"
                    .to_owned(),
            }),
        }
    }
}
