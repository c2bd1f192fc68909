//! One line: a program, and what is asked about it.

use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use clearance_formats::json_words_in_line;
use clearance_formats::program::arrays::{Arrays, Rows};
use clearance_formats::units::{parse_length, parse_time};
use clearance_proof::model::{Interpolation, Program};
use serde::Deserialize;
use serde_json::Value;

use super::super::{Job, MinimumScope};
use crate::error::Error;

/// A line as it is written. Unknown keys are errors: nothing in it is ignored.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(super) struct Request {
    id: Option<Value>,
    file: Option<PathBuf>,
    joints: Option<Vec<String>>,
    times: Option<Vec<f64>>,
    positions: Option<Vec<Vec<f64>>>,
    velocities: Option<Vec<Vec<f64>>>,
    accelerations: Option<Vec<Vec<f64>>>,
    clearance: Option<NumberOrText>,
    warn: Option<NumberOrText>,
    resolution: Option<NumberOrText>,
    time_limit: Option<NumberOrText>,
    limits: Option<bool>,
    all: Option<bool>,
    minimum: Option<MinimumChoice>,
    margin: Option<bool>,
    audit_allowed: Option<bool>,
    interpolation: Option<InterpolationChoice>,
    routine: Option<String>,
    /// Its place in the input.
    #[serde(skip)]
    number: usize,
}

/// A number in SI units, or a text with a unit.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number in SI units, or a text with a unit such as \"5mm\""
)]
enum NumberOrText {
    Number(f64),
    Text(String),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum InterpolationChoice {
    Linear,
    Cubic,
    Quintic,
}

/// Over which pairs; `true`: as the command without a word.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected true, false, \"classes\" or \"overall\""
)]
enum MinimumChoice {
    Asked(bool),
    Over(MinimumWord),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MinimumWord {
    Classes,
    Overall,
}

impl MinimumChoice {
    fn scope(&self) -> Option<MinimumScope> {
        match self {
            Self::Asked(false) => None,
            Self::Asked(true) | Self::Over(MinimumWord::Classes) => Some(MinimumScope::Classes),
            Self::Over(MinimumWord::Overall) => Some(MinimumScope::Overall),
        }
    }
}

/// Where the program is.
#[derive(Debug)]
pub(super) enum ProgramSource {
    File(PathBuf),
    Program(Box<Program>),
}

/// Whether a number is so large that it may have been written with other digits.
fn is_rounded(number: f64) -> bool {
    number.abs() >= 2f64.powi(53)
}

impl Request {
    /// Reads a line.
    pub(super) fn read(text: &str, number: usize) -> Result<Self, Error> {
        let wrong = |why: String| {
            Error::usage(format!(
                "{why}; a line is {{\"id\": …, \"file\": …}} or {{\"id\": …, \"joints\": […], \"times\": […], \"positions\": [[…]]}}"
            ))
        };
        // An array would be read too, its values as keys in an order that nobody has stated.
        if text.trim_start().starts_with('[') {
            return Err(wrong("the line is an array".to_owned()));
        }
        let read: Result<Self, _> = serde_json::from_str(text);
        let request = read.map_err(|cause| wrong(json_words_in_line(&cause)))?;
        match &request.id {
            // Different large ids would round to one number, so neither would come back as it was written.
            Some(Value::Number(id)) if id.is_f64() && id.as_f64().is_some_and(is_rounded) => Err(
                Error::usage("`id` has more digits than a number keeps; write it as a text"),
            ),
            None | Some(Value::String(_) | Value::Number(_)) => Ok(Self { number, ..request }),
            Some(_) => Err(Error::usage("`id` is neither a text nor a number")),
        }
    }

    /// The first key of the line for a question that a command line can ask too, if the line has
    /// one.
    pub(super) fn asks(&self) -> Option<&'static str> {
        let Self {
            id: _,
            file: _,
            joints: _,
            times: _,
            positions: _,
            velocities: _,
            accelerations: _,
            number: _,
            clearance,
            warn,
            resolution,
            time_limit,
            limits,
            all,
            minimum,
            margin,
            audit_allowed,
            interpolation,
            routine,
        } = self;
        let asked = [
            ("clearance", clearance.is_some()),
            ("warn", warn.is_some()),
            ("resolution", resolution.is_some()),
            ("time_limit", time_limit.is_some()),
            ("limits", limits.is_some()),
            ("all", all.is_some()),
            ("minimum", minimum.is_some()),
            ("margin", margin.is_some()),
            ("audit_allowed", audit_allowed.is_some()),
            ("interpolation", interpolation.is_some()),
            ("routine", routine.is_some()),
        ];
        asked
            .into_iter()
            .find(|(_, asked)| *asked)
            .map(|(key, _)| key)
    }

    /// The name that reports give to a program that is in the line itself.
    fn name(&self) -> String {
        match &self.id {
            Some(Value::String(id)) => id.clone(),
            Some(id) => id.to_string(),
            None => format!("line {}", self.number),
        }
    }

    /// The program.
    pub(super) fn source(&self) -> Result<ProgramSource, Error> {
        let arrays = self.joints.is_some()
            || self.times.is_some()
            || self.positions.is_some()
            || self.velocities.is_some()
            || self.accelerations.is_some();
        match (&self.file, arrays) {
            (Some(_), true) => Err(Error::usage(
                "there are a `file` and arrays: give one of the two",
            )),
            (Some(file), false) if file.as_os_str().is_empty() => Err(Error::usage(
                "`file` is empty: name the program's file, or give `joints` and `positions`",
            )),
            (Some(file), false) => Ok(ProgramSource::File(file.clone())),
            (None, _) => self.program().map(Box::new).map(ProgramSource::Program),
        }
    }

    fn program(&self) -> Result<Program, Error> {
        let missing = |what: &str| {
            Error::usage(format!(
                "there are no `{what}`; give `joints` and `positions`, or a `file`"
            ))
        };
        let joints = self.joints.as_ref().ok_or_else(|| missing("joints"))?;
        let positions = self
            .positions
            .as_ref()
            .ok_or_else(|| missing("positions"))?;
        let positions = Table::of("positions", positions)?;
        let table = |what, rows: &Option<Vec<Vec<f64>>>| {
            rows.as_ref().map(|rows| Table::of(what, rows)).transpose()
        };
        let velocities = table("velocities", &self.velocities)?;
        let accelerations = table("accelerations", &self.accelerations)?;
        let arrays = Arrays {
            name: &self.name(),
            joints,
            times: self.times.as_deref(),
            positions: positions.rows(),
            velocities: velocities.as_ref().map(Table::rows),
            accelerations: accelerations.as_ref().map(Table::rows),
        };
        Ok(arrays.program()?)
    }

    /// The question: from the line, and where the line does not say, from the command.
    pub(super) fn job(&self, command: &Job) -> Result<Job, Error> {
        let length = |what, stated, otherwise| match quantity(what, stated, parse_length)? {
            Some(length) => Ok::<_, Error>(Some(length)),
            None => Ok(otherwise),
        };
        let time_limit = match quantity("time_limit", &self.time_limit, parse_time)? {
            None => command.time_limit,
            Some(seconds) => match Duration::try_from_secs_f64(seconds) {
                Ok(limit) if !limit.is_zero() => Some(limit),
                _ => return Err(Error::usage("`time_limit` is a time from 1 ns to 10^19 s")),
            },
        };
        Ok(Job {
            clearance: length("clearance", &self.clearance, command.clearance)?,
            warn: length("warn", &self.warn, command.warn)?,
            resolution: length("resolution", &self.resolution, command.resolution)?,
            limits: self.limits.or(command.limits),
            all: self.all.unwrap_or(command.all),
            minimum: match &self.minimum {
                None => command.minimum,
                Some(choice) => choice.scope(),
            },
            margin: self.margin.unwrap_or(command.margin),
            audit_allowed: self.audit_allowed.unwrap_or(command.audit_allowed),
            interpolation: match self.interpolation {
                None => command.interpolation,
                Some(InterpolationChoice::Linear) => Some(Interpolation::Linear),
                Some(InterpolationChoice::Cubic) => Some(Interpolation::Cubic),
                Some(InterpolationChoice::Quintic) => Some(Interpolation::Quintic),
            },
            routine: self.routine.clone().or_else(|| command.routine.clone()),
            time_limit,
            ..command.clone()
        })
    }
}

fn quantity<E: Display>(
    what: &str,
    stated: &Option<NumberOrText>,
    parse: impl Fn(&str) -> Result<f64, E>,
) -> Result<Option<f64>, Error> {
    match stated {
        None => Ok(None),
        Some(NumberOrText::Number(number)) => Ok(Some(*number)),
        Some(NumberOrText::Text(text)) => parse(text)
            .map(Some)
            .map_err(|why| Error::usage(format!("`{what}`: {why}"))),
    }
}

/// Rows of numbers, one after the other.
struct Table {
    values: Vec<f64>,
    columns: usize,
}

impl Table {
    fn of(what: &str, rows: &[Vec<f64>]) -> Result<Self, Error> {
        let columns = rows.first().map_or(0, Vec::len);
        if let Some(at) = rows.iter().position(|row| row.len() != columns) {
            return Err(Error::usage(format!(
                "`{what}`: row {} has {} numbers and the first {columns}; every row is a waypoint with a number for each joint",
                at + 1,
                rows[at].len()
            )));
        }
        Ok(Self {
            values: rows.concat(),
            columns,
        })
    }

    fn rows(&self) -> Rows<'_> {
        Rows {
            values: &self.values,
            columns: self.columns,
        }
    }
}
