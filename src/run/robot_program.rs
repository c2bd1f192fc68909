//! A program of a run, and when it starts.

use std::fmt;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use clearance_formats::ImportError;
use clearance_formats::units::parse_time;

use crate::error::Error;

/// One of several programs that run at the same time.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotProgram {
    /// Robot that it moves: its bare joint names are that robot's. `None`: its names say it all.
    pub robot: Option<String>,
    /// File.
    pub file: PathBuf,
    /// Time on the common clock at which the program's own clock is at 0, seconds.
    pub offset_s: f64,
    /// Whether the user says so.
    pub offset_is_stated: bool,
    /// Nobody looks for events beside it: it did not come in a file, and its name is that of no
    /// file, or it stands in a file of many that has none.
    pub without_events: bool,
    /// The bytes of its events, where its files were read already: what is hashed is checked,
    /// whoever writes meanwhile.
    pub events: Option<Arc<EventBytes>>,
    /// Whether the ranges of the joints on straight moves whose tool turns are made as narrow as some
    /// more work makes them: the wider ones left a check undecided.
    pub narrow: bool,
}

/// The bytes of the events of a program, if it has any; an error: nobody can say.
pub type EventBytes = Result<Option<Vec<u8>>, ImportError>;

impl RobotProgram {
    /// A program that runs alone.
    pub fn alone(file: &FilePath) -> Self {
        Self {
            robot: None,
            file: file.to_owned(),
            offset_s: 0.0,
            offset_is_stated: false,
            without_events: false,
            events: None,
            narrow: false,
        }
    }

    /// A program that runs alone, and beside which nobody looks for events.
    pub fn without_events(name: &FilePath) -> Self {
        Self {
            without_events: true,
            ..Self::alone(name)
        }
    }

    /// The same with [`RobotProgram::narrow`].
    pub fn narrowed(&self, narrow: bool) -> Self {
        Self {
            narrow,
            ..self.clone()
        }
    }

    /// Reads `[ROBOT=]FILE[@OFFSET]`. What follows the last `@` is an offset only if it is a time;
    /// behind a `#` only if it has a unit: `run.mcap#/plan@1` is a message's name.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let (robot, rest) = match text.split_once('=') {
            Some((robot, rest)) => (Some(robot.trim().to_owned()), rest),
            None => (None, text),
        };
        let (file, offset) = match rest.rsplit_once('@') {
            Some((file, offset)) => match parse_time(offset) {
                Ok(seconds) if has_unit(offset) || !file.contains('#') => (file, Some(seconds)),
                _ => (rest, None),
            },
            None => (rest, None),
        };
        if file.is_empty() || robot.as_ref().is_some_and(String::is_empty) {
            return Err(Error::usage(
                "write the robot, its program and its start, as in `left=pick.csv` or `left=pick.csv@1.5s`",
            ));
        }
        Ok(Self {
            robot,
            file: PathBuf::from(file),
            offset_s: offset.unwrap_or(0.0),
            offset_is_stated: offset.is_some(),
            without_events: false,
            events: None,
            narrow: false,
        })
    }
}

fn has_unit(time: &str) -> bool {
    time.trim_end().ends_with(char::is_alphabetic)
}

impl fmt::Display for RobotProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(robot) = &self.robot {
            write!(f, "{robot}=")?;
        }
        match self.file.to_str() {
            // Faster: a batch has very many of them.
            Some(text) => f.write_str(text)?,
            None => write!(f, "{}", self.file.display())?,
        }
        if self.offset_s != 0.0 {
            write!(f, "@{}s", self.offset_s)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_on_one_clock_are_written_with_robot_and_offset() {
        for (text, robot, file, offset_s) in [
            ("left=a.csv", Some("left"), "a.csv", 0.0),
            ("left=a.csv@1.5s", Some("left"), "a.csv", 1.5),
            ("left=a.csv@-250ms", Some("left"), "a.csv", -0.25),
            ("a.csv@2", None, "a.csv", 2.0),
            ("a@home.csv", None, "a@home.csv", 0.0),
            // The second message, not the first one a second late.
            ("r.mcap#/plan@1", None, "r.mcap#/plan@1", 0.0),
            ("r.mcap#/plan@1@2s", None, "r.mcap#/plan@1", 2.0),
            ("m.csv#17@0.5s", None, "m.csv#17", 0.5),
        ] {
            let read = RobotProgram::parse(text).unwrap();
            assert_eq!(read.robot.as_deref(), robot, "{text}");
            assert_eq!(
                (read.file, read.offset_s),
                (file.into(), offset_s),
                "{text}"
            );
        }
        for text in ["", "left=", "=a.csv", "left=@2"] {
            assert!(RobotProgram::parse(text).is_err(), "{text}");
        }
    }
}
