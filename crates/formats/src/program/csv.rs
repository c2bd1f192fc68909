//! CSV programs: one row a waypoint, straight lines in joint space between them.

use std::collections::HashMap;
use std::path::Path;

use clearance_proof::model::{Column, Program, Quantity, Waypoint};
use smallvec::SmallVec;

use super::column_head::{Head, UnitKind, bad, head, in_degrees};
use super::fields::{finite, has_text_behind_quotes, separator};
use super::many;
use crate::{ImportError, Problem};

/// One line of the table, and its number.
struct Row<'r> {
    line: usize,
    record: &'r csv::StringRecord,
}

impl Row<'_> {
    /// Its fields, trimmed.
    fn fields(&self) -> impl Iterator<Item = &str> {
        self.record.iter().map(str::trim)
    }
}

/// Reads a CSV program.
pub fn read(path: &Path, text: &str) -> Result<Program, ImportError> {
    let mut rows = CsvRows::new(path, text)?;
    let Some(header) = rows.next()? else {
        return Err(ImportError::file(
            path,
            bad("the table has no header", "start it with `time,<joint>,…`"),
        ));
    };
    if let Some(id) = header.fields().find(|f| many::ID_NAMES.contains(f)) {
        let cause = format!("column `{id}` tells many programs apart");
        let remedy = format!("name one of them, as in `{}#ID`", path.display());
        return Err(ImportError::at(path, header.line, None, bad(cause, remedy)));
    }
    let heads = heads(path, &header)?;
    let header = header.line;
    let time_column = heads.iter().position(|h| h.quantity == UnitKind::Time);
    let columns = joint_columns(&heads, header);
    if columns.is_empty() {
        return Err(ImportError::at(
            path,
            header,
            None,
            bad("the header names no joint", "write `time,<joint>,…`"),
        ));
    }
    let mut waypoints: Vec<Waypoint> = Vec::new();
    while let Some(row) = rows.next()? {
        let waypoint = waypoint(path, &row, &heads, waypoints.len())?;
        if let (Some(column), Some(before)) = (time_column, waypoints.last())
            && waypoint.time <= before.time
        {
            let problem = Problem::BadValue {
                what: "time".into(),
                value: format!(
                    "{} s, after {} s in line {}",
                    waypoint.time, before.time, before.line
                ),
                remedy: "times must increase from row to row".into(),
            };
            return Err(ImportError::at(
                path,
                waypoint.line,
                Some(column + 1),
                problem,
            ));
        }
        waypoints.push(waypoint);
    }
    if waypoints.is_empty() {
        return Err(ImportError::at(
            path,
            header,
            None,
            bad(
                "the program is empty: nothing follows the header",
                "give at least one row of values",
            ),
        ));
    }
    let angles = heads.iter().filter(|head| head.quantity == UnitKind::Angle);
    Ok(Program {
        source: path.to_owned(),
        columns,
        waypoints,
        timed: time_column.is_some(),
        bare_times: time_column.is_some_and(|at| !heads[at].states_unit),
        in_degrees: in_degrees(angles.map(|head| head.scale)),
        ..Program::default()
    })
}

/// The columns of the program: those that do not state the time.
fn joint_columns(heads: &[Head], header: usize) -> Vec<Column> {
    heads
        .iter()
        .filter(|h| h.quantity != UnitKind::Time)
        .map(|h| Column {
            joint: h.name.clone().into(),
            line: Some(header),
            quantity: match h.quantity {
                UnitKind::Angle => Quantity::Angle,
                UnitKind::Length => Quantity::Length,
                UnitKind::Unstated | UnitKind::Time => Quantity::Unstated,
            },
        })
        .collect()
}

/// The waypoint of a row. Without a column of times its time is how many waypoints are before it.
fn waypoint(
    path: &Path,
    row: &Row,
    heads: &[Head],
    before: usize,
) -> Result<Waypoint, ImportError> {
    let fields = row.record.len();
    if fields > 1 && row.fields().all(str::is_empty) {
        let problem = bad("the row is empty", "remove it");
        return Err(ImportError::at(path, row.line, None, problem));
    }
    if fields != heads.len() {
        let commas = if fields > heads.len() {
            " (decimal commas are not read: write 1.5, not 1,5)"
        } else {
            ""
        };
        let cause = format!(
            "{fields} values where the header has {} columns",
            heads.len()
        );
        let remedy = format!("give one value per column{commas}");
        return Err(ImportError::at(path, row.line, None, bad(cause, remedy)));
    }
    let mut time = before as f64;
    let joints = heads.iter().filter(|h| h.quantity != UnitKind::Time);
    let mut positions = SmallVec::with_capacity(joints.count());
    for (at, (field, head)) in row.fields().zip(heads).enumerate() {
        let value = number(field, head.scale)
            .map_err(|problem| ImportError::at(path, row.line, Some(at + 1), problem(head)))?;
        if head.quantity == UnitKind::Time {
            time = value;
        } else {
            positions.push(value);
        }
    }
    Ok(Waypoint::new(time, positions, row.line))
}

/// A finite number in the base unit, or what is wrong with it (the column's name is added by the
/// caller).
fn number(field: &str, scale: (f64, f64)) -> Result<f64, impl FnOnce(&Head) -> Problem> {
    let read = finite(field, scale);
    let is_word = field.starts_with(char::is_alphabetic);
    read.map_err(|(value, remedy)| {
        move |head: &Head| Problem::BadValue {
            what: format!("`{}`", head.name),
            value,
            remedy: if is_word {
                format!(
                    "{remedy}; if `{}` is not a joint, remove the column",
                    head.name
                )
            } else {
                remedy.into()
            },
        }
    })
}

/// The columns of the header.
fn heads(path: &Path, header: &Row) -> Result<Vec<Head>, ImportError> {
    let mut heads: Vec<Head> = Vec::with_capacity(header.record.len());
    let mut column_of: HashMap<String, usize> = HashMap::new();
    let of_excel = header
        .fields()
        .next()
        .is_some_and(|first| first.starts_with("sep="));
    let ends_empty = header.record.len() > 1 && header.fields().last() == Some("");
    let remedy = match (of_excel, ends_empty) {
        (true, _) => Some("the first line is one of Excel: remove it"),
        (false, true) => Some("the lines end with a separator: remove it, in all of them"),
        (false, false) => None,
    };
    if let Some(remedy) = remedy {
        let problem = bad("a column has no name", remedy);
        return Err(ImportError::at(path, header.line, None, problem));
    }
    for (at, field) in header.fields().enumerate() {
        let fail = |problem| ImportError::at(path, header.line, Some(at + 1), problem);
        let head = head(field).map_err(fail)?;
        if let Some(before) = column_of.insert(head.name.clone(), at) {
            return Err(fail(bad(
                format!(
                    "column `{}` occurs twice (columns {} and {})",
                    head.name,
                    before + 1,
                    at + 1
                ),
                "keep one of them",
            )));
        }
        heads.push(head);
    }
    Ok(heads)
}

/// The lines that are neither blank nor comments.
struct CsvRows<'a> {
    path: &'a Path,
    text: &'a str,
    reader: csv::Reader<&'a [u8]>,
    record: csv::StringRecord,
    separator: u8,
    /// Up to which byte lines have been counted, and how many line ends there were.
    counted: (usize, usize),
}

impl<'a> CsvRows<'a> {
    fn new(path: &'a Path, text: &'a str) -> Result<Self, ImportError> {
        comments_end(path, text)?;
        let separator = separator(path, text)?;
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .comment(Some(b'#'))
            .delimiter(separator)
            .from_reader(text.as_bytes());
        Ok(Self {
            path,
            text,
            reader,
            record: csv::StringRecord::new(),
            separator,
            counted: (0, 0),
        })
    }

    /// The line of the record whose reading began at `byte`: the reader passes empty lines and
    /// comments first.
    fn line(&mut self, byte: usize) -> usize {
        let bytes = self.text.as_bytes();
        let (mut at, mut ends) = self.counted;
        let mut comment = false;
        while at < bytes.len() {
            // A lone carriage return ends a line too; one before a line feed is part of its end.
            let end = bytes[at] == b'\n' || bytes[at] == b'\r';
            if at >= byte {
                comment = if end {
                    false
                } else {
                    comment || bytes[at] == b'#'
                };
                if !end && !comment {
                    break;
                }
            }
            ends += usize::from(end && !(bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n')));
            at += 1;
        }
        self.counted = (at, ends);
        ends + 1
    }

    /// The next line that has something to say.
    fn next(&mut self) -> Result<Option<Row<'_>>, ImportError> {
        loop {
            let read = self.reader.read_record(&mut self.record);
            let fail = |problem| ImportError::file(self.path, problem);
            if !read.map_err(|e| fail(bad(e.to_string(), "write plain rows of numbers")))? {
                return Ok(None);
            }
            let byte = self.record.position().map_or(0, |p| p.byte() as usize);
            // An unclosed quote swallows the rows that follow: never drop them in silence.
            if self.record.as_slice().contains(['\n', '\r']) {
                let line = self.line(byte);
                return Err(ImportError::at(
                    self.path,
                    line,
                    None,
                    bad(
                        "a quote is not closed on its line",
                        "close it, or leave quotes out",
                    ),
                ));
            }
            let end = self.reader.position().byte() as usize;
            let read = self.text.as_bytes().get(byte..end).unwrap_or_default();
            if has_text_behind_quotes(read, self.separator) {
                let problem = bad(
                    "text stands behind a closing quote",
                    "leave it out, or leave quotes out",
                );
                return Err(ImportError::at(self.path, self.line(byte), None, problem));
            }
            let first = self.record.get(0).unwrap_or("").trim();
            let blank = self.record.len() == 1 && first.is_empty();
            if blank || first.starts_with('#') {
                continue;
            }
            let line = self.line(byte);
            let record = &self.record;
            return Ok(Some(Row { line, record }));
        }
    }
}

/// Sees to it that every comment ends with a line feed. Rows may end with a lone carriage return; for
/// the reader a comment goes on behind it, and the rows there would be gone.
fn comments_end(path: &Path, text: &str) -> Result<(), ImportError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut line = 1;
    for piece in text.split('\n') {
        let mut rest = piece.strip_suffix('\r').unwrap_or(piece);
        while let Some((part, behind)) = rest.split_once('\r') {
            if part.starts_with('#') && !behind.trim().is_empty() {
                let problem = bad(
                    "a carriage return without a line feed stands within a comment",
                    "save the table with line feeds",
                );
                return Err(ImportError::at(path, line, None, problem));
            }
            rest = behind;
            line += 1;
        }
        line += 1;
    }
    Ok(())
}
