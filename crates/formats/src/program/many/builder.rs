//! Programs that are put together row by row.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clearance_proof::model::{Column, Program, Quantity, Waypoint};
use smallvec::SmallVec;

use super::super::column_head::in_degrees;
use super::columns::{JointColumn, Meaning};
use super::{MOST_NUMBERS, Member, named, too_long};
use crate::{ImportError, Problem};

/// Those of one waypoint.
pub(super) type Positions = SmallVec<[f64; 7]>;

/// Waypoints for which there is room from the start.
const SEVERAL: usize = 16;

/// Rows of many programs.
pub(super) trait ProgramRows {
    /// Takes one row; gives the program before it, if that is complete now. Breaks off at the end,
    /// with the last program.
    ///
    /// # Errors
    /// When nothing more can be read.
    fn step(&mut self) -> Result<ControlFlow<Option<Member>, Option<Member>>, ImportError>;
}

/// The programs of rows, one after the other.
pub(super) struct Programs<R> {
    rows: R,
    ended: bool,
}

impl<R> Programs<R> {
    pub(super) fn new(rows: R) -> Self {
        let ended = false;
        Self { rows, ended }
    }
}

impl<R: ProgramRows> Iterator for Programs<R> {
    type Item = Result<Member, ImportError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let step = self.rows.step();
            self.ended = !matches!(step, Ok(ControlFlow::Continue(_)));
            match step {
                Ok(ControlFlow::Continue(None)) => {}
                Ok(ControlFlow::Continue(member) | ControlFlow::Break(member)) => {
                    return member.map(Ok);
                }
                Err(error) => return Some(Err(error)),
            }
        }
        None
    }
}

/// A program that grows row by row.
#[derive(Debug)]
pub(super) struct ProgramBuilder {
    pub(super) id: String,
    /// The id as a number, where it is one.
    pub(super) number: Option<i64>,
    name: PathBuf,
    columns: Vec<Column>,
    timed: bool,
    bare_times: bool,
    in_degrees: bool,
    /// The column that numbers its rows, where it has no times.
    order: Option<Arc<str>>,
    /// What that column has in the last row: a number, or something else.
    last_number: Option<f64>,
    waypoints: Vec<Waypoint>,
    /// The stamp that its times are counted from.
    pub(super) stamp_ns: Option<i128>,
    /// Why it is none.
    wrong: Option<ImportError>,
}

impl ProgramBuilder {
    pub(super) fn new(file: &Path, id: String, meaning: &Meaning, row: usize) -> Self {
        Self {
            timed: meaning.time.is_some_and(|time| !time.is_order),
            bare_times: (meaning.time).is_some_and(|time| !time.is_order && !time.states_unit),
            order: meaning.order.clone(),
            ..Self::of_columns(file, id, &meaning.joints, row)
        }
    }

    /// The same with times, for joints that stand in no table.
    pub(super) fn of_columns(file: &Path, id: String, joints: &[JointColumn], row: usize) -> Self {
        let mut columns: Vec<Column> = joints.iter().map(|j| j.column.clone()).collect();
        // A table of bytes has no line with names; what is said of a column points at the program's
        // first row.
        columns.iter_mut().for_each(|c| c.line = Some(row));
        let angles = joints
            .iter()
            .filter(|j| j.column.quantity == Quantity::Angle);
        Self {
            name: named(file, &id),
            id,
            number: None,
            columns,
            timed: true,
            bare_times: false,
            in_degrees: in_degrees(angles.map(|j| j.scale)),
            order: None,
            last_number: None,
            // Most programs have several: to grow step by step takes longer.
            waypoints: Vec::with_capacity(SEVERAL),
            stamp_ns: None,
            wrong: None,
        }
    }

    /// Whether its rows are still of use.
    pub(super) fn is_sound(&self) -> bool {
        self.wrong.is_none()
    }

    /// One more waypoint: `time` and `positions` in SI units, or what is wrong with one of them, in
    /// which column.
    pub(super) fn add(&mut self, row: usize, time: Option<f64>, positions: Positions) {
        if !self.is_sound() {
            return;
        }
        if (self.waypoints.len() + 1) * (self.columns.len() + 1) > MOST_NUMBERS {
            self.wrong = Some(too_long(&self.name, row));
            return;
        }
        if let Some(order) = self.order.clone()
            && let Err(cause) = self.follows(&order, time)
        {
            let remedy = "put the rows into that order; where the column does not number them, rename it or leave it out";
            let remedy = remedy.to_owned();
            return self.refuse_for(row, Problem::Syntax { cause, remedy });
        }
        let count = self.waypoints.len() as f64;
        let time = time.filter(|_| self.timed).unwrap_or(count);
        if let Some(before) = self.waypoints.last()
            && time <= before.time
        {
            let value = format!("{time} s, after {} s in row {}", before.time, before.line);
            self.refuse(row, "time", value, "times must increase from row to row");
            return;
        }
        self.waypoints.push(Waypoint::new(time, positions, row));
    }

    /// Sees that the number of a row, in the column `order`, is none before that of the last row.
    fn follows(&mut self, order: &str, number: Option<f64>) -> Result<(), String> {
        let before = std::mem::replace(&mut self.last_number, number);
        match (before, number) {
            _ if self.waypoints.is_empty() => Ok(()),
            (Some(before), Some(number)) if number < before => Err(format!(
                "`{order}` is {number}, after {before}: the rows do not stand in the order of their numbers"
            )),
            (Some(_), None) | (None, Some(_)) => Err(format!(
                "`{order}` has a number in some rows, and none in others"
            )),
            _ => Ok(()),
        }
    }

    /// Says that a value of it cannot be meant; the first one counts.
    pub(super) fn refuse(&mut self, row: usize, column: &str, value: String, remedy: &str) {
        let problem = Problem::BadValue {
            what: format!("`{column}`"),
            value,
            remedy: remedy.to_owned(),
        };
        self.refuse_for(row, problem);
    }

    /// The same for any reason.
    pub(super) fn refuse_for(&mut self, row: usize, problem: Problem) {
        if self.wrong.is_none() {
            self.wrong = Some(ImportError::at(&self.name, row, None, problem));
            self.waypoints = Vec::new();
        }
    }

    pub(super) fn finish(self) -> Member {
        let program = match self.wrong {
            Some(error) => Err(error),
            None => Ok(Program {
                source: self.name.clone(),
                columns: self.columns,
                waypoints: self.waypoints,
                timed: self.timed,
                bare_times: self.bare_times,
                in_degrees: self.in_degrees,
                stamp_ns: self.stamp_ns,
                ..Program::default()
            }),
        };
        Member {
            name: self.name,
            program,
        }
    }
}
