//! The rows of a table, and the waypoints that they are.

use std::ops::ControlFlow;

use super::super::Member;
use super::super::builder::{Positions, ProgramBuilder, ProgramRows};
use super::super::columns::{ColumnType, JointColumn, Meaning, TimeColumn};
use super::stream::{Stream, Values};
use super::{EXACT, Id, ROWS, Table, bad_id, id_of};
use crate::{ImportError, Problem};

/// The columns of a row group that are read.
struct Open {
    id: Stream,
    time: Option<Stream>,
    /// One for each joint, or one of lists.
    joints: Vec<(usize, Stream)>,
    /// Of columns that are a joint each: their values in SI units, column by column, where each row
    /// that is in memory has one that is a number; else empty.
    plain: Vec<f64>,
    /// Rows that are in memory, and how many of them are done.
    rows: usize,
    done: usize,
    /// Rows of the group that are not in memory yet.
    left: usize,
}

impl Open {
    /// Takes the values of joints column by column, where nothing can be wrong with them. To ask at
    /// each one whether it is there, and of which type, took a fifth of the time to read a table.
    fn take_plain(&mut self, meaning: &Meaning, rows: usize) {
        self.plain.clear();
        if meaning.entries.is_some() {
            return;
        }
        for (JointColumn { scale, .. }, (_, stream)) in meaning.joints.iter().zip(&self.joints) {
            let Values::Numbers(values) = &stream.values else {
                return self.plain.clear();
            };
            if values.len() != rows || !stream.has_one_in_each_row() {
                return self.plain.clear();
            }
            self.plain.extend(values.iter().map(|&x| in_si(x, *scale)));
        }
        if !self.plain.iter().all(|x| x.is_finite()) {
            self.plain.clear();
        }
    }
}

/// A written value in SI units.
fn in_si(written: f64, scale: (f64, f64)) -> f64 {
    match scale {
        (1.0, 1.0) => written,
        (times, by) => written * times / by,
    }
}

/// The rows of a table, group by group.
pub(super) struct ParquetRows {
    table: Table,
    meaning: Meaning,
    only: Option<String>,
    growing: Option<ProgramBuilder>,
    /// Of a column of instants: that of the program's first row.
    instant: Option<i64>,
    group: usize,
    open: Option<Open>,
    /// Rows that are done.
    row: usize,
}

impl ParquetRows {
    pub(super) fn new(table: Table, meaning: Meaning, only: Option<&str>) -> Self {
        Self {
            table,
            meaning,
            only: only.map(str::to_owned),
            growing: None,
            instant: None,
            group: 0,
            open: None,
            row: 0,
        }
    }

    /// Sees to it that there are rows in memory; `false` at the end.
    fn load(&mut self) -> Result<bool, ImportError> {
        let Self {
            table,
            meaning,
            group,
            open,
            ..
        } = self;
        loop {
            match open {
                Some(o) if o.done < o.rows => return Ok(true),
                Some(o) if o.left > 0 => {
                    let rows = o.left.min(ROWS);
                    table.fill(&mut o.id, meaning.id, rows)?;
                    if let (Some(stream), Some(time)) = (&mut o.time, meaning.time) {
                        table.fill(stream, time.at, rows)?;
                    }
                    for (at, stream) in &mut o.joints {
                        table.fill(stream, *at, rows)?;
                    }
                    o.take_plain(meaning, rows);
                    (o.rows, o.done, o.left) = (rows, 0, o.left - rows);
                }
                _ => {
                    *open = None;
                    if *group == table.groups() {
                        return Ok(false);
                    }
                    let left = table.rows(*group)?;
                    if left > 0 {
                        let mut columns: Vec<usize> = meaning.joints.iter().map(|j| j.at).collect();
                        // Joints of a list have one column.
                        columns.dedup();
                        let time = meaning.time.map(|t| table.stream(*group, t.at));
                        let joints = columns.into_iter();
                        let joints = joints.map(|at| Ok((at, table.stream(*group, at)?)));
                        *open = Some(Open {
                            id: table.stream(*group, meaning.id)?,
                            time: time.transpose()?,
                            joints: joints.collect::<Result<_, ImportError>>()?,
                            plain: Vec::new(),
                            rows: 0,
                            done: 0,
                            left,
                        });
                    }
                    *group += 1;
                }
            }
        }
    }
}

impl ProgramRows for ParquetRows {
    fn step(&mut self) -> Result<ControlFlow<Option<Member>, Option<Member>>, ImportError> {
        if !self.load()? {
            let last = self.growing.take().map(ProgramBuilder::finish);
            return Ok(ControlFlow::Break(last));
        }
        let Self {
            table,
            meaning,
            only,
            growing,
            instant,
            open: Some(open),
            row,
            ..
        } = self
        else {
            return Ok(ControlFlow::Continue(None));
        };
        let k = open.done;
        open.done += 1;
        *row += 1;
        let id = id_of(&open.id, k).map_err(|why| bad_id(table, meaning.id, *row, why))?;
        let same = |g: &ProgramBuilder| match id {
            Id::Text(text) => g.id == text,
            Id::Whole(number) => g.number == Some(number),
        };
        let mut done = None;
        if growing.as_ref().is_some_and(|g| !same(g)) {
            done = growing.take().map(ProgramBuilder::finish);
        }
        if growing.is_none() {
            let text = id.to_string();
            if only.as_ref().is_some_and(|only| *only != text) {
                return Ok(ControlFlow::Continue(done));
            }
            let mut fresh = ProgramBuilder::new(&table.path, text, meaning, *row);
            fresh.number = match id {
                Id::Whole(number) => Some(number),
                Id::Text(_) => None,
            };
            *growing = Some(fresh);
            *instant = None;
        }
        if let Some(growing) = growing
            && growing.is_sound()
        {
            let values = RowValues {
                table,
                meaning,
                open,
                k,
            };
            match values
                .time(instant)
                .and_then(|t| Ok((t, values.positions()?)))
            {
                Ok((time, positions)) => {
                    growing.stamp_ns = growing.stamp_ns.or_else(|| values.stamp_ns(*instant));
                    growing.add(*row, time, positions);
                }
                Err(problem) => growing.refuse_for(*row, problem),
            }
        }
        Ok(ControlFlow::Continue(done))
    }
}

/// One row's numbers.
struct RowValues<'r> {
    table: &'r Table,
    meaning: &'r Meaning,
    open: &'r Open,
    k: usize,
}

impl RowValues<'_> {
    fn bad(&self, at: usize, value: String, remedy: &str) -> Problem {
        Problem::BadValue {
            what: format!("`{}`", self.table.found[at].name),
            value,
            remedy: remedy.to_owned(),
        }
    }

    fn time(&self, instant: &mut Option<i64>) -> Result<Option<f64>, Problem> {
        let (Some(TimeColumn { at, scale, .. }), Some(stream)) =
            (self.meaning.time, &self.open.time)
        else {
            return Ok(None);
        };
        if let (ColumnType::Instant(_), Values::Whole(values)) =
            (self.table.found[at].what, &stream.values)
        {
            let span = stream.spans[self.k];
            if span.null {
                return Err(self.bad(at, "missing".to_owned(), "give a time in every row"));
            }
            let own = values[span.start];
            let first = *instant.get_or_insert(own);
            let since = own.checked_sub(first).ok_or_else(|| {
                self.bad(at, own.to_string(), "give times that lie near each other")
            })?;
            return Ok(Some(since as f64 / scale.1));
        }
        self.number(stream, at, stream.spans[self.k].start, scale)
            .map(Some)
    }

    /// An instant of the column of times in nanoseconds.
    fn stamp_ns(&self, instant: Option<i64>) -> Option<i128> {
        let units_per_second = self.meaning.time?.scale.1 as i128;
        Some(i128::from(instant?) * 1_000_000_000 / units_per_second.max(1))
    }

    /// The value at a place of a column that has been read, in SI units.
    fn number(
        &self,
        stream: &Stream,
        at: usize,
        place: usize,
        scale: (f64, f64),
    ) -> Result<f64, Problem> {
        if stream.spans[self.k].null {
            return Err(self.bad(at, "missing".to_owned(), "give a number in every row"));
        }
        let written = match &stream.values {
            Values::Numbers(v) => v[place],
            Values::Whole(v) if (-EXACT..=EXACT).contains(&v[place]) => v[place] as f64,
            Values::Whole(v) => {
                let value = v[place].to_string();
                return Err(self.bad(at, value, "give a number of less than 2^53"));
            }
            Values::Text(_) => {
                return Err(self.bad(at, "a text".to_owned(), "give a number"));
            }
        };
        let value = in_si(written, scale);
        if value.is_finite() {
            Ok(value)
        } else {
            Err(self.bad(at, written.to_string(), "give a finite number"))
        }
    }

    fn positions(&self) -> Result<Positions, Problem> {
        let Meaning {
            joints, entries, ..
        } = self.meaning;
        let Some(entries) = entries else {
            if !self.open.plain.is_empty() {
                let row = self.open.plain[self.k..].iter().step_by(self.open.rows);
                return Ok(row.copied().collect());
            }
            let mut all = Positions::with_capacity(joints.len());
            for (JointColumn { scale, .. }, (at, stream)) in joints.iter().zip(&self.open.joints) {
                all.push(self.number(stream, *at, stream.spans[self.k].start, *scale)?);
            }
            return Ok(all);
        };
        let Some((at, stream)) = self.open.joints.first() else {
            return Ok(Positions::new());
        };
        let span = stream.spans[self.k];
        if span.null || span.length != entries.len() {
            let value = if span.null {
                "a list with a value that is missing".to_owned()
            } else {
                format!("a list of {} numbers", span.length)
            };
            let remedy = format!("give lists of {}, one for each name", entries.len());
            return Err(self.bad(*at, value, &remedy));
        }
        let named = entries.iter().enumerate();
        named
            .filter_map(|(n, joint)| Some((n, &joints[(*joint)?])))
            .map(|(n, joint)| self.number(stream, *at, span.start + n, joint.scale))
            .collect()
    }
}
