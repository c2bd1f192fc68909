//! A recording that is read once, from first to last: its messages, and the topics that they are
//! of.

use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use super::super::super::{IS_SQLITE, SQLITE, TO_MCAP};
use super::super::syntax;
use super::mcap::McapReader;
use super::ros1::BagReader;
use super::topics::{Topic, Topics};
use super::{STATES, TRAJECTORIES};
use crate::ImportError;
use crate::files::{open, unreadable};

enum Reader {
    Mcap(Box<McapReader>),
    Bag(BagReader),
}

/// A file that is being read.
pub(super) struct Recording {
    pub(super) path: PathBuf,
    reader: Reader,
    pub(super) topics: Topics,
}

impl Recording {
    pub(super) fn open(path: &Path, wanted: Option<&str>) -> Result<Self, ImportError> {
        let mut file = open(path)?;
        let mut head = Vec::new();
        let begins = (&file).take(SQLITE.len() as u64).read_to_end(&mut head);
        begins
            .and_then(|_| file.rewind())
            .map_err(|e| unreadable(path, &e))?;
        if head == SQLITE {
            return Err(syntax(path, IS_SQLITE.to_owned(), TO_MCAP.to_owned()));
        }
        let is_bag = path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("bag"));
        let reader = if is_bag {
            Reader::Bag(BagReader::new(file))
        } else {
            Reader::Mcap(Box::new(McapReader::new(file)))
        };
        Ok(Self {
            path: path.to_owned(),
            reader,
            topics: Topics {
                all: Vec::new(),
                wanted: wanted.map(str::to_owned),
                logged: 0,
            },
        })
    }

    pub(super) fn next(&mut self) -> Result<Option<(usize, Vec<u8>)>, ImportError> {
        let next = match &mut self.reader {
            Reader::Mcap(reader) => reader.next(&mut self.topics),
            Reader::Bag(reader) => reader.next(&mut self.topics),
        };
        next.map_err(|why| {
            syntax(
                &self.path,
                format!("the recording cannot be read: {why}"),
                "record it anew, or look whether it was cut off or joined with another".to_owned(),
            )
        })
    }

    /// Reads to the end, for the sake of what it counts.
    pub(super) fn finish(&mut self) -> Result<(), ImportError> {
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
        if said.is_empty() {
            "it has no topics".to_owned()
        } else {
            format!("its topics are {}", said.join(", "))
        }
    }

    /// The topic's messages cannot be had.
    pub(super) fn refuse(&self, cause: String) -> ImportError {
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

    /// The topic with this name, and so the type of its messages.
    pub(super) fn kind_of(&self, topic: &str) -> Result<&Topic, ImportError> {
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
                "topic `{topic}` has messages of type `{}`, which are not programs",
                found.kind
            )));
        }
        Ok(found)
    }
}
