//! The rows of a table, and the waypoints that they are.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::super::Member;
use super::super::builder::{Positions, ProgramBuilder, ProgramRows};
use super::super::columns::{ColumnType, JointColumn, Meaning, TimeColumn};
use super::ahead::Columns;
use super::stream::{Batch, Values};
use super::{EXACT, Id, Table, bad_id, id_of};
use crate::{ImportError, Problem};

/// The columns that are read.
struct Open {
    /// The ids, the times where there are some, and then one for each joint, or one of lists.
    columns: Columns,
    timed: bool,
    /// Of columns that are a joint each: their values in SI units, column by column, where each row
    /// that is in memory has one that is a number; else empty.
    plain: Vec<f64>,
}

impl Open {
    fn new(table: &Arc<Table>, meaning: &Meaning) -> Result<Self, ImportError> {
        let mut joints: Vec<usize> = meaning.joints.iter().map(|j| j.at).collect();
        // Joints of a list have one column.
        joints.dedup();
        let time = meaning.time.map(|time| time.at);
        let places = [meaning.id].into_iter().chain(time).chain(joints);
        Ok(Self {
            columns: Columns::new(table, places.collect())?,
            timed: time.is_some(),
            plain: Vec::new(),
        })
    }

    fn ids(&self) -> &Batch {
        self.columns.batch(0)
    }

    fn times(&self) -> Option<&Batch> {
        self.timed.then(|| self.columns.batch(1))
    }

    fn joint(&self, at: usize) -> &Batch {
        self.columns.batch(1 + usize::from(self.timed) + at)
    }

    /// Takes the values of joints column by column, where nothing can be wrong with them. To ask at
    /// each one whether it is there, and of which type, took a fifth of the time to read a table.
    fn take_plain(&mut self, meaning: &Meaning) {
        let mut plain = std::mem::take(&mut self.plain);
        plain.clear();
        if self.add_plain(meaning, &mut plain).is_none() || !plain.iter().all(|x| x.is_finite()) {
            plain.clear();
        }
        self.plain = plain;
    }

    /// None where a row has another thing than a number.
    fn add_plain(&self, meaning: &Meaning, plain: &mut Vec<f64>) -> Option<()> {
        if meaning.entries.is_some() {
            return None;
        }
        for (at, JointColumn { scale, .. }) in meaning.joints.iter().enumerate() {
            let batch = self.joint(at);
            let Values::Numbers(values) = &batch.values else {
                return None;
            };
            if values.len() != self.columns.rows() || !batch.one_in_each_row {
                return None;
            }
            plain.extend(values.iter().map(|&x| in_si(x, *scale)));
        }
        Some(())
    }
}

/// A written value in SI units.
fn in_si(written: f64, scale: (f64, f64)) -> f64 {
    match scale {
        (1.0, 1.0) => written,
        (times, by) => written * times / by,
    }
}

/// The rows of a table.
pub(super) struct ParquetRows {
    table: Arc<Table>,
    meaning: Meaning,
    only: Option<String>,
    growing: Option<ProgramBuilder>,
    /// Of a column of instants: that of the program's first row.
    instant: Option<i64>,
    open: Open,
    /// Rows that are done.
    row: usize,
}

impl ParquetRows {
    pub(super) fn new(
        table: Table,
        meaning: Meaning,
        only: Option<&str>,
    ) -> Result<Self, ImportError> {
        let table = Arc::new(table);
        Ok(Self {
            open: Open::new(&table, &meaning)?,
            table,
            meaning,
            only: only.map(str::to_owned),
            growing: None,
            instant: None,
            row: 0,
        })
    }
}

impl ProgramRows for ParquetRows {
    fn step(&mut self) -> Result<ControlFlow<Option<Member>, Option<Member>>, ImportError> {
        let Self {
            table,
            meaning,
            only,
            growing,
            instant,
            open,
            row,
        } = self;
        let Some(k) = open.columns.step()? else {
            let last = growing.take().map(ProgramBuilder::finish);
            return Ok(ControlFlow::Break(last));
        };
        if k == 0 {
            open.take_plain(meaning);
        }
        *row += 1;
        let id = id_of(open.ids(), k).map_err(|why| bad_id(table, meaning.id, *row, why))?;
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
        let (
            Some(TimeColumn {
                at,
                scale,
                is_order,
                ..
            }),
            Some(times),
        ) = (self.meaning.time, self.open.times())
        else {
            return Ok(None);
        };
        if is_order {
            return Ok(self
                .number(times, at, times.range(self.k).start, scale)
                .ok());
        }
        if let (ColumnType::Instant(_), Values::Whole(values)) =
            (self.table.found[at].what, &times.values)
        {
            let span = times.range(self.k);
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
        self.number(times, at, times.range(self.k).start, scale)
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
        batch: &Batch,
        at: usize,
        place: usize,
        scale: (f64, f64),
    ) -> Result<f64, Problem> {
        if batch.range(self.k).null {
            return Err(self.bad(at, "missing".to_owned(), "give a number in every row"));
        }
        let written = match &batch.values {
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
                let rows = self.open.columns.rows();
                let row = self.open.plain[self.k..].iter().step_by(rows);
                return Ok(row.copied().collect());
            }
            let mut all = Positions::with_capacity(joints.len());
            for (nth, JointColumn { at, scale, .. }) in joints.iter().enumerate() {
                let batch = self.open.joint(nth);
                all.push(self.number(batch, *at, batch.range(self.k).start, *scale)?);
            }
            return Ok(all);
        };
        let Some(JointColumn { at, .. }) = joints.first() else {
            return Ok(Positions::new());
        };
        let lists = self.open.joint(0);
        let span = lists.range(self.k);
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
            .map(|(n, joint)| self.number(lists, *at, span.start + n, joint.scale))
            .collect()
    }
}
