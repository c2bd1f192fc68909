//! One long table of text: CSV with a column that tells its programs apart.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clearance_proof::model::Cell;

use super::super::column_head::bad;
use super::super::fields::{finite, has_text_behind_quotes, outside_quotes, separator};
use super::builder::{Positions, ProgramBuilder, ProgramRows, Programs};
use super::columns::{ColumnType, Meaning, TableColumn, TableEnd, id_column, meaning, needed_id};
use super::{Layout, Member, Members, Names};
use crate::files::{open, unreadable};
use crate::foreign::foreign;
use crate::{ImportError, Problem};

/// Bytes that a line may have: 1 MiB.
const MOST_LINE: u64 = 1 << 20;
/// Bytes at the end of a table in which its last row is looked for: whatever the lines are, one is
/// whole.
const TAIL: u64 = 2 * MOST_LINE + 2;

/// A table that has been opened: its header is read.
struct Table {
    file: PathBuf,
    input: BufReader<File>,
    /// The line that was read last, without its end.
    line: Vec<u8>,
    /// Its number, from 1 on.
    number: usize,
    separator: u8,
    header: Vec<String>,
}

impl Table {
    fn open(file: &Path) -> Result<Self, ImportError> {
        let mut input = BufReader::with_capacity(1 << 16, open(file)?);
        let start = input.fill_buf().map_err(|e| unreadable(file, &e))?;
        if let Some(problem) = foreign(start) {
            return Err(ImportError::file(file, problem));
        }
        let mut table = Self {
            file: file.to_owned(),
            input,
            line: Vec::new(),
            number: 0,
            separator: b',',
            header: Vec::new(),
        };
        if !table.next()? {
            let problem = bad(
                "the table has no header",
                "start it with `program,time,<joint>,…`",
            );
            return Err(ImportError::file(file, problem));
        }
        let text = table.text()?;
        table.separator = separator(file, text).map_err(|e| table.bad(e.problem))?;
        table.header = (table.fields()?.into_iter()).map(Cow::into_owned).collect();
        Ok(table)
    }

    /// An error at the line that was read last.
    fn bad(&self, problem: Problem) -> ImportError {
        ImportError::at(&self.file, self.number, None, problem)
    }

    /// Reads the next line that is neither blank nor a comment; `false` at the end.
    fn next(&mut self) -> Result<bool, ImportError> {
        loop {
            self.line.clear();
            let read = (&mut self.input)
                .take(MOST_LINE + 1)
                .read_until(b'\n', &mut self.line)
                .map_err(|e| unreadable(&self.file, &e))?;
            if read == 0 {
                return Ok(false);
            }
            self.number += 1;
            if self.line.len() as u64 > MOST_LINE {
                return Err(self.bad(bad(
                    format!("the line has more than {MOST_LINE} bytes"),
                    "write one row a line",
                )));
            }
            if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
                self.line.drain(..3);
            }
            if self.line.contains(&0) {
                return Err(self.bad(bad("this is a binary file", "name a table of text")));
            }
            let row = self.line.trim_ascii();
            match row.first() {
                None => {}
                Some(b'#') => self.is_comment(row)?,
                Some(_) => return Ok(true),
            }
        }
    }

    /// Sees to it that nothing is lost with a comment: no row behind a line end of old Macs, and none
    /// whose id begins like a comment.
    fn is_comment(&self, row: &[u8]) -> Result<(), ImportError> {
        if row.contains(&b'\r') {
            return Err(self.old_line_end());
        }
        let row = String::from_utf8_lossy(row);
        let ends = outside_quotes(&row).filter(|&byte| byte == self.separator);
        // The header is not known yet, or has no joint.
        if self.header.len() > 1 && ends.count() + 1 == self.header.len() {
            return Err(self.bad(bad(
                "a comment has as many fields as the header, and may be a row",
                "put an id that begins with `#` in quotes, or take the line out",
            )));
        }
        Ok(())
    }

    fn old_line_end(&self) -> ImportError {
        self.bad(bad(
            "a line end of old Macs stands within the line",
            "save the table with line feeds",
        ))
    }

    /// The line that was read last.
    fn text(&self) -> Result<&str, ImportError> {
        let text = std::str::from_utf8(&self.line)
            .map_err(|_| self.bad(bad("the text is not UTF-8", "save it as UTF-8")))?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        if text.contains('\r') {
            Err(self.old_line_end())
        } else {
            Ok(text)
        }
    }

    /// Its fields, trimmed.
    fn fields(&self) -> Result<Vec<Cow<'_, str>>, ImportError> {
        let text = self.text()?;
        if !text.contains('"') {
            let fields = text.split(char::from(self.separator));
            return Ok(fields.map(|f| Cow::Borrowed(f.trim())).collect());
        }
        if has_text_behind_quotes(text.as_bytes(), self.separator) {
            return Err(self.bad(bad(
                "text stands behind a closing quote",
                "leave it out, or leave quotes out",
            )));
        }
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.separator)
            .from_reader(text.as_bytes());
        let mut record = csv::StringRecord::new();
        let odd = text.matches('"').count() % 2 == 1;
        match reader.read_record(&mut record) {
            Ok(true) if !odd => {
                let fields = record.iter();
                Ok(fields.map(|f| Cow::Owned(f.trim().to_owned())).collect())
            }
            _ => Err(self.bad(bad(
                "a quote is not closed on its line",
                "close it, or leave quotes out",
            ))),
        }
    }

    /// Goes to the first line that begins within the end of a long table; `false`: it is short.
    fn skip_to_tail(&mut self) -> std::io::Result<bool> {
        let here = self.input.stream_position()?;
        let start = self.input.get_ref().metadata()?.len().saturating_sub(TAIL);
        if start <= here {
            return Ok(false);
        }
        self.input.seek(SeekFrom::Start(start))?;
        let mut part = Vec::new();
        (&mut self.input).take(TAIL).read_until(b'\n', &mut part)?;
        Ok(true)
    }

    /// The id of the next row, or of the last one.
    fn end_id(&mut self, column: usize, end: TableEnd) -> Result<Option<String>, ImportError> {
        let mut found = None;
        while self.next()? {
            let fields = self.row()?;
            let id = self.id(&fields, column)?;
            if end == TableEnd::First {
                return Ok(Some(id.to_owned()));
            }
            id.clone_into(found.get_or_insert_default());
        }
        Ok(found)
    }

    fn columns(&self) -> Vec<TableColumn> {
        let column = |name: &String| TableColumn {
            name: name.clone(),
            what: ColumnType::Number,
        };
        self.header.iter().map(column).collect()
    }

    /// The fields of the row that was read last: as many as the header has.
    fn row(&self) -> Result<Vec<Cow<'_, str>>, ImportError> {
        let fields = self.fields()?;
        if fields.len() == self.header.len() {
            return Ok(fields);
        }
        let commas = if fields.len() > self.header.len() {
            " (decimal commas are not read: write 1.5, not 1,5)"
        } else {
            ""
        };
        Err(self.bad(bad(
            format!(
                "{} values where the header has {} columns",
                fields.len(),
                self.header.len()
            ),
            format!("give one value per column{commas}"),
        )))
    }

    fn id<'f>(&self, fields: &'f [Cow<'_, str>], column: usize) -> Result<&'f str, ImportError> {
        match &*fields[column] {
            "" => Err(self.bad(Problem::BadValue {
                what: format!("`{}`", self.header[column]),
                value: "missing".to_owned(),
                remedy: "say in every row to which program it belongs".to_owned(),
            })),
            id => Ok(id),
        }
    }
}

/// Whether a table has many programs: its header has a column that tells them apart, or the user
/// says so by what he says of its columns. Of a table of one program nothing of that would be
/// heeded.
pub(super) fn is_many(file: &Path, layout: &Layout) -> bool {
    match Table::open(file) {
        Ok(table) => {
            *layout != Layout::default()
                || !matches!(id_column(file, &table.columns(), layout), Ok(None))
        }
        // Its reader says what is wrong.
        Err(_) => false,
    }
}

/// The names of all programs.
pub(super) fn names(file: &Path, layout: &Layout) -> Result<Vec<PathBuf>, ImportError> {
    let mut table = Table::open(file)?;
    let id = needed_id(file, &table.columns(), layout)?;
    let mut names = Names::new(file);
    let mut last = String::new();
    while table.next()? {
        let fields = table.row()?;
        let own = table.id(&fields, id)?;
        if own != last {
            names.add(own, table.number)?;
            own.clone_into(&mut last);
        }
    }
    names.finish()
}

/// The id of its first or its last row; none where there are no rows, or no ids.
pub(super) fn end_id(
    file: &Path,
    layout: &Layout,
    end: TableEnd,
) -> Result<Option<String>, ImportError> {
    let mut table = Table::open(file)?;
    let Ok(Some(id)) = id_column(file, &table.columns(), layout) else {
        return Ok(None);
    };
    if end == TableEnd::First {
        return table.end_id(id, end);
    }
    if table.skip_to_tail().map_err(|e| unreadable(file, &e))?
        && let Some(last) = table.end_id(id, end)?
    {
        return Ok(Some(last));
    }
    // It is short, or nothing but comments stands at its end.
    Table::open(file)?.end_id(id, end)
}

/// Its programs one after the other.
pub(super) fn members(
    file: &Path,
    only: Option<&str>,
    layout: &Layout,
    cell: &Cell,
) -> Result<Members, ImportError> {
    let table = Table::open(file)?;
    let found = table.columns();
    let mut meaning = meaning(file, &found, layout, cell, &|_| Ok(None))?;
    for joint in &mut meaning.joints {
        joint.column.line = Some(table.number);
    }
    Ok(Members {
        passed_over: meaning.passed_over.clone(),
        file: file.to_owned(),
        rows: Box::new(Programs::new(TextRows {
            table,
            meaning,
            only: only.map(str::to_owned),
            growing: None,
        })),
    })
}

struct TextRows {
    table: Table,
    meaning: Meaning,
    only: Option<String>,
    growing: Option<ProgramBuilder>,
}

impl ProgramRows for TextRows {
    fn step(&mut self) -> Result<ControlFlow<Option<Member>, Option<Member>>, ImportError> {
        let Self {
            table,
            meaning,
            only,
            growing,
        } = self;
        if !table.next()? {
            return Ok(ControlFlow::Break(
                growing.take().map(ProgramBuilder::finish),
            ));
        }
        let fields = table.row()?;
        let id = table.id(&fields, meaning.id)?;
        let mut done = None;
        if growing.as_ref().is_some_and(|g| g.id != id) {
            done = growing.take().map(ProgramBuilder::finish);
        }
        if only.as_ref().is_some_and(|only| only != id) {
            return Ok(ControlFlow::Continue(done));
        }
        let row = table.number;
        let growing = growing
            .get_or_insert_with(|| ProgramBuilder::new(&table.file, id.to_owned(), meaning, row));
        if !growing.is_sound() {
            return Ok(ControlFlow::Continue(done));
        }
        let number = |at: usize, scale| finite(&fields[at], scale).map_err(|why| (at, why));
        let time = match meaning.time {
            Some(order) if order.is_order => Ok(number(order.at, order.scale).ok()),
            time => time.map(|t| number(t.at, t.scale)).transpose(),
        };
        let joints = meaning.joints.iter();
        let positions: Result<Positions, _> = joints.map(|j| number(j.at, j.scale)).collect();
        match (time, positions) {
            (Ok(time), Ok(positions)) => growing.add(row, time, positions),
            (Err((at, (value, remedy))), _) | (_, Err((at, (value, remedy)))) => {
                growing.refuse(row, &table.header[at], value, remedy);
            }
        }
        Ok(ControlFlow::Continue(done))
    }
}
