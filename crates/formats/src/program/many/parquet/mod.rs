//! Parquet tables with many programs: a column of ids, one of times, and joints as columns or as
//! one column of lists, as LeRobot has them.

mod ahead;
mod durations;
mod pages;
mod rows;
mod stream;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clearance_proof::model::Cell;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type as SchemaType};
use serde_json::Value;

use self::ahead::Columns;
use self::durations::durations;
use self::rows::ParquetRows;
use self::stream::{Batch, MORE_ROWS, Stream, ValueRange, Values, error_text};
use super::builder::Programs;
use super::columns::{ColumnType, TableColumn, TableEnd, id_column, meaning, needed_id};
use super::{Layout, Members, Names, calmly, syntax};
use crate::files::{MOST_TEXT, open, read_bytes};
use crate::{ImportError, Problem};

/// Rows that are in memory at a time: so few that the columns of them stay near the processor while
/// they are gone through row by row.
const ROWS: usize = 1024;
/// Whole numbers up to here are numbers of double precision.
const EXACT: i64 = 1 << 53;

/// An opened file.
struct Table {
    path: PathBuf,
    file: File,
    reader: SerializedFileReader<File>,
    found: Vec<TableColumn>,
}

impl Table {
    fn open(path: &Path) -> Result<Self, ImportError> {
        let file = open(path)?;
        let again = file.try_clone().map_err(|e| damaged(path, e.to_string()))?;
        let reader = calmly(|| SerializedFileReader::new(again).map_err(error_text))
            .map_err(|why| damaged(path, why))?;
        let about = reader.metadata().file_metadata();
        let groups = reader.metadata().row_groups().iter();
        let rows = groups.fold(0_i64, |sum, group| sum.saturating_add(group.num_rows()));
        if rows != about.num_rows() {
            let why = format!(
                "it says that it has {} rows, and its row groups have {rows}",
                about.num_rows()
            );
            return Err(damaged(path, why));
        }
        let mut found = described(about.schema_descr());
        let beside = about.key_value_metadata().into_iter().flatten();
        let arrow = beside.filter(|entry| entry.key == "ARROW:schema");
        for name in arrow
            .filter_map(|entry| entry.value.as_deref())
            .flat_map(durations)
        {
            let is_named = |column: &&mut TableColumn| column.name == name;
            found
                .iter_mut()
                .filter(is_named)
                .for_each(|column| column.what = ColumnType::Other);
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            reader,
            found,
        })
    }

    fn groups(&self) -> usize {
        self.reader.num_row_groups()
    }

    /// Rows of a row group.
    fn rows(&self, group: usize) -> Result<usize, ImportError> {
        let rows = self.reader.metadata().row_group(group).num_rows();
        usize::try_from(rows).map_err(|_| {
            damaged(
                &self.path,
                "a row group has a negative number of rows".into(),
            )
        })
    }

    fn stream(&self, group: usize, column: usize) -> Result<Stream, ImportError> {
        calmly(|| Stream::open(&self.reader, &self.file, group, column))
            .map_err(|why| self.wrong(column, why))
    }

    fn fill(
        &self,
        stream: &mut Stream,
        column: usize,
        batch: &mut Batch,
        rows: usize,
    ) -> Result<(), ImportError> {
        calmly(|| stream.fill(batch, rows)).map_err(|why| self.wrong(column, why))
    }

    /// Sees that a column of a row group without rows has no values.
    fn is_empty(&self, group: usize, column: usize) -> Result<(), ImportError> {
        let about = self.reader.metadata().row_group(group).column(column);
        match about.num_values() {
            0 => Ok(()),
            _ => Err(self.wrong(column, MORE_ROWS.to_owned())),
        }
    }

    /// Sees that a stream was read to the end of its row group.
    fn is_done(&self, stream: &mut Stream, column: usize) -> Result<(), ImportError> {
        calmly(|| stream.is_done()).map_err(|why| self.wrong(column, why))
    }

    fn wrong(&self, column: usize, why: String) -> ImportError {
        damaged(
            &self.path,
            format!("column `{}`: {why}", self.found[column].name),
        )
    }

    fn id_column(&self, at: usize) -> Result<usize, ImportError> {
        match self.found[at].what {
            ColumnType::Whole | ColumnType::Text => Ok(at),
            _ => Err(syntax(
                &self.path,
                format!(
                    "column `{}`, which tells the programs apart, has neither whole numbers nor texts",
                    self.found[at].name
                ),
                "name another one by --id-column".to_owned(),
            )),
        }
    }
}

fn damaged(path: &Path, why: String) -> ImportError {
    syntax(
        path,
        format!("the Parquet file cannot be read: {why}"),
        "write it anew, or look whether it was cut off".to_owned(),
    )
}

/// The description of the columns.
pub(super) fn described(schema: &SchemaDescriptor) -> Vec<TableColumn> {
    let columns = 0..schema.num_columns();
    let column = |at| described_one(&schema.column(at), schema.get_column_root(at));
    columns.map(column).collect()
}

/// `root` is the column's group at the top of the schema, or the column itself.
fn described_one(column: &ColumnDescriptor, root: &SchemaType) -> TableColumn {
    let parts = column.path().parts();
    let root = root.get_basic_info();
    // Entries of a map have keys and no order, and are stored in the same shape.
    let is_list = match (root.logical_type_ref(), root.converted_type()) {
        (Some(logical), _) => *logical == LogicalType::List,
        (None, converted) => converted == ConvertedType::LIST,
    };
    let what = match (column.max_rep_level(), parts.len(), flat(column)) {
        (0, 1, what) => what,
        (1, 3, ColumnType::Number | ColumnType::Whole) if is_list => ColumnType::List,
        (_, _, ColumnType::Number | ColumnType::Unread) => ColumnType::Unread,
        _ => ColumnType::Other,
    };
    let name = match what {
        ColumnType::List => parts[0].clone(),
        _ => parts.join("."),
    };
    TableColumn { name, what }
}

/// What its values are, wherever they stand.
fn flat(column: &ColumnDescriptor) -> ColumnType {
    let logical = column.logical_type_ref();
    let converted = column.converted_type();
    if matches!(
        (logical, converted),
        (Some(LogicalType::Decimal(_) | LogicalType::Float16), _) | (None, ConvertedType::DECIMAL)
    ) {
        return ColumnType::Unread;
    }
    match column.physical_type() {
        Physical::FLOAT | Physical::DOUBLE => ColumnType::Number,
        Physical::INT32 | Physical::INT64 => match (logical, converted) {
            (Some(LogicalType::Timestamp(t)), _) => ColumnType::Instant(match t.unit {
                TimeUnit::MILLIS => 1_000,
                TimeUnit::MICROS => 1_000_000,
                TimeUnit::NANOS => 1_000_000_000,
            }),
            (None, ConvertedType::TIMESTAMP_MILLIS) => ColumnType::Instant(1_000),
            (None, ConvertedType::TIMESTAMP_MICROS) => ColumnType::Instant(1_000_000),
            (Some(LogicalType::Integer(t)), _) if t.is_signed || t.bit_width < 32 => {
                ColumnType::Whole
            }
            (
                None,
                ConvertedType::NONE
                | ConvertedType::INT_8
                | ConvertedType::INT_16
                | ConvertedType::INT_32
                | ConvertedType::INT_64,
            ) => ColumnType::Whole,
            _ => ColumnType::Other,
        },
        Physical::BYTE_ARRAY => match (logical, converted) {
            (Some(LogicalType::String), _) | (None, ConvertedType::UTF8 | ConvertedType::NONE) => {
                ColumnType::Text
            }
            _ => ColumnType::Other,
        },
        _ => ColumnType::Other,
    }
}

/// The id of a row, or what is wrong with it.
fn id_of(ids: &Batch, row: usize) -> Result<Id<'_>, &'static str> {
    let ValueRange { start, null, .. } = ids.range(row);
    match &ids.values {
        _ if null => Err("missing"),
        Values::Whole(v) => Ok(Id::Whole(v[start])),
        Values::Text(v) => match std::str::from_utf8(v[start].data()) {
            Ok("") => Err("empty"),
            Ok(text) => Ok(Id::Text(text)),
            Err(_) => Err("no text"),
        },
        Values::Numbers(_) => Err("neither a whole number nor a text"),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Id<'v> {
    Whole(i64),
    Text(&'v str),
}

impl std::fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Id::Whole(number) => number.fmt(f),
            Id::Text(text) => text.fmt(f),
        }
    }
}

fn bad_id(table: &Table, column: usize, row: usize, value: &str) -> ImportError {
    let problem = Problem::BadValue {
        what: format!("`{}`", table.found[column].name),
        value: value.to_owned(),
        remedy: "say in every row to which program it belongs".to_owned(),
    };
    ImportError::at(&table.path, row, None, problem)
}

/// The names of all programs: only the column of ids is read.
pub(super) fn names(file: &Path, layout: &Layout) -> Result<Vec<PathBuf>, ImportError> {
    let table = Arc::new(Table::open(file)?);
    let id = table.id_column(needed_id(file, &table.found, layout)?)?;
    let mut names = Names::new(file);
    let mut last = String::new();
    let mut number: Option<i64> = None;
    let mut row = 0;
    let mut ids = Columns::new(&table, vec![id])?;
    while let Some(k) = ids.step()? {
        row += 1;
        let own = id_of(ids.batch(0), k).map_err(|why| bad_id(&table, id, row, why))?;
        // As numbers they are compared without being written.
        let same = match own {
            Id::Whole(own) => number.replace(own) == Some(own),
            Id::Text(own) => own == last,
        };
        if !same {
            last = own.to_string();
            names.add(&last, row)?;
        }
    }
    names.finish()
}

/// The id of its first or its last row; none where there are no rows, or no ids. Of one row group
/// the column of ids is read, and no more of it than it takes.
pub(super) fn end_id(
    file: &Path,
    layout: &Layout,
    end: TableEnd,
) -> Result<Option<String>, ImportError> {
    let table = Table::open(file)?;
    let Ok(Some(id)) = id_column(file, &table.found, layout) else {
        return Ok(None);
    };
    let Ok(id) = table.id_column(id) else {
        return Ok(None);
    };
    let mut groups: Vec<usize> = (0..table.groups()).collect();
    if end == TableEnd::Last {
        groups.reverse();
    }
    for group in groups {
        let rows = table.rows(group)?;
        if rows == 0 {
            continue;
        }
        let mut left = match end {
            TableEnd::First => 1,
            TableEnd::Last => rows,
        };
        let mut stream = table.stream(group, id)?;
        let mut ids = Batch::default();
        let mut row = 0;
        while left > 0 {
            row = left.min(ROWS);
            table.fill(&mut stream, id, &mut ids, row)?;
            left -= row;
        }
        let found = id_of(&ids, row - 1);
        return match found {
            Ok(found) => Ok(Some(found.to_string())),
            Err(why) => Err(damaged(&table.path, format!("an id is {why}"))),
        };
    }
    Ok(None)
}

/// Its programs one after the other.
pub(super) fn members(
    file: &Path,
    only: Option<&str>,
    layout: &Layout,
    cell: &Cell,
) -> Result<Members, ImportError> {
    let table = Table::open(file)?;
    let meaning = meaning(file, &table.found, layout, cell, &|column| {
        lerobot_names(file, column)
    })?;
    table.id_column(meaning.id)?;
    Ok(Members {
        passed_over: meaning.passed_over.clone(),
        file: file.to_owned(),
        rows: Box::new(Programs::new(ParquetRows::new(table, meaning, only)?)),
    })
}

/// The places of `meta/info.json` at the top of a data set of LeRobot, in the order in which it is
/// looked for, up to the first one that is there.
pub(super) fn infos(file: &Path) -> Vec<PathBuf> {
    let mut infos = Vec::new();
    for folder in file.ancestors().skip(1).take(4) {
        let info = folder.join("meta").join("info.json");
        let is_there = info.is_file();
        infos.push(info);
        if is_there {
            break;
        }
    }
    infos
}

/// Names of a list's entries as LeRobot writes them.
fn lerobot_names(file: &Path, column: &str) -> Result<Option<Vec<String>>, ImportError> {
    let Some(info) = infos(file).pop().filter(|info| info.is_file()) else {
        return Ok(None);
    };
    let bytes = read_bytes(&info, MOST_TEXT)?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|e| {
        syntax(
            &info,
            format!("this is not JSON: {e}"),
            "name the joints by --joint-columns".to_owned(),
        )
    })?;
    let refused = |cause: String| {
        let remedy = "name the joints by --joint-columns".to_owned();
        Err(syntax(&info, cause, remedy))
    };
    let list = match &value["features"][column]["names"] {
        // Names by what they are: {"motors": [...]}. JSON has no order of several.
        Value::Object(groups) if groups.len() > 1 => {
            let count = groups.len();
            return refused(format!(
                "the names of `{column}` are in {count} groups, whose order is not known"
            ));
        }
        Value::Object(groups) => groups.values().next().unwrap_or(&Value::Null),
        list => list,
    };
    let texts = |list: &Vec<Value>| list.iter().map(|v| v.as_str().map(str::to_owned)).collect();
    match list.as_array().map(texts) {
        None => Ok(None),
        Some(None) => refused(format!("a name of `{column}` is not a text")),
        Some(Some(all)) => Ok(Some(all).filter(|all: &Vec<String>| !all.is_empty())),
    }
}
