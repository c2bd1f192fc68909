//! Results as a Parquet table: a row a program. The columns are a promise to scripts;
//! docs/formats.md lists them.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::findings::{Outcome, ProgramOutcome};

/// Version of the columns. New ones may come; those that are there keep their names, types and
/// meanings under one version.
const VERSION: &str = "1";
/// Rows that are in memory until they are written.
const ROWS: usize = 8192;

/// A value of a row.
#[derive(Debug, Clone)]
enum CellValue {
    Text(Option<String>),
    Real(Option<f64>),
    Whole(Option<i64>),
    Flag(Option<bool>),
}

use CellValue::{Flag, Real, Text, Whole};

/// Every column: its name, and how its value comes out of an answer.
type ReportColumn = (&'static str, fn(&ProgramOutcome) -> CellValue);

const COLUMNS: [ReportColumn; 29] = [
    ("program", |p| Text(Some(p.program.clone()))),
    ("verdict", |p| Text(Some(word(p.verdict)))),
    ("interpolation", |p| Text(p.interpolation.clone())),
    ("duration", |p| Real(p.duration)),
    ("timed", |p| Flag(p.timed)),
    ("waypoints", |p| Whole(p.waypoints.map(|n| n as i64))),
    ("first_row", |p| Whole(p.lines.first().map(|&n| n as i64))),
    ("contact_kind", |p| {
        Text(p.first_contact.as_ref().map(|c| word(c.kind)))
    }),
    ("contact_a", |p| {
        Text(p.first_contact.as_ref().map(|c| c.a.clone()))
    }),
    ("contact_b", |p| {
        Text(p.first_contact.as_ref().map(|c| c.b.clone()))
    }),
    ("contact_time", |p| {
        Real(p.first_contact.as_ref().map(|c| c.time))
    }),
    ("free_until", |p| {
        Real(p.first_contact.as_ref().map(|c| c.free_until))
    }),
    ("contact_distance", |p| {
        Real(p.first_contact.as_ref().map(|c| c.distance))
    }),
    ("contact_row", |p| {
        let segment = p.first_contact.as_ref().map(|c| c.segment);
        Whole(segment.and_then(|s| p.lines.get(s)).map(|&n| n as i64))
    }),
    ("contacts", |p| Whole(Some(p.contacts.len() as i64))),
    ("minimum_clearance", |p| {
        Real(p.minimum_clearance.as_ref().map(|m| m.distance))
    }),
    ("minimum_lower_bound", |p| {
        Real(p.minimum_clearance.as_ref().map(|m| m.lower_bound))
    }),
    ("minimum_time", |p| {
        Real(p.minimum_clearance.as_ref().map(|m| m.time))
    }),
    ("minimum_a", |p| {
        Text(p.minimum_clearance.as_ref().map(|m| m.a.clone()))
    }),
    ("minimum_b", |p| {
        Text(p.minimum_clearance.as_ref().map(|m| m.b.clone()))
    }),
    ("near_misses", |p| Whole(Some(p.near_misses.len() as i64))),
    ("limits", |p| Whole(Some(p.limits.len() as i64))),
    ("limit_joint", |p| {
        Text(p.limits.first().map(|l| l.joint.clone()))
    }),
    ("full_turns", |p| Whole(Some(p.full_turns.len() as i64))),
    ("notices", |p| Whole(Some(p.notices.len() as i64))),
    ("unchecked", |p| Whole(Some(p.unchecked.len() as i64))),
    ("error", |p| Text(p.error.clone())),
    ("error_row", |p| {
        let line = p.error_at.as_ref().and_then(|at| at.line);
        Whole(line.map(|n| n as i64))
    }),
    ("given_up_after", |p| Real(p.given_up_after)),
];

/// The word that the JSON report has.
fn word(value: impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// A table that grows program by program.
pub struct ParquetTable<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    rows: Vec<Vec<CellValue>>,
}

impl<W: Write + Send> ParquetTable<W> {
    /// Begins it; `about` is the report without its programs.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(out: W, about: &Outcome) -> Result<Self, ParquetError> {
        let said = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
        let mut metadata = vec![
            said("clearance.columns", VERSION.to_owned()),
            said("clearance.version", about.version.clone()),
            said("clearance.cell", about.cell.clone()),
            said(
                "clearance.required_clearance",
                about.required_clearance.to_string(),
            ),
            said("clearance.resolution", about.resolution.to_string()),
            said("clearance.verdict", word(about.verdict)),
        ];
        // A run without an answer may have rows, and all of them may be clear.
        metadata.extend((about.error.iter()).map(|why| said("clearance.error", why.clone())));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(metadata))
            .build();
        let writer = schema().and_then(|schema| {
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))
        })?;
        Ok(Self {
            writer,
            rows: Vec::new(),
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, program: &ProgramOutcome) -> Result<(), ParquetError> {
        let row = COLUMNS.iter().map(|(_, value)| value(program));
        self.rows.push(row.collect());
        if self.rows.len() < ROWS {
            Ok(())
        } else {
            self.flush()
        }
    }

    /// Writes what is left, and the table's end; gives what it was written to.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> Result<W, ParquetError> {
        self.flush()?;
        self.writer.into_inner()
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        self.group()?;
        self.rows.clear();
        Ok(())
    }

    fn group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let mut at = 0;
        while let Some(mut column) = group.next_column()? {
            let cells = self.rows.iter().map(|row| &row[at]);
            let there: Vec<i16> = cells
                .clone()
                .map(|cell| i16::from(cell.is_there()))
                .collect();
            // Those two are always there.
            let levels = (at >= REQUIRED).then_some(&there[..]);
            match column.untyped() {
                ColumnWriter::ByteArrayColumnWriter(out) => {
                    let texts = cells.filter_map(|cell| match cell {
                        Text(text) => text.as_deref().map(ByteArray::from),
                        _ => None,
                    });
                    out.write_batch(&texts.collect::<Vec<_>>(), levels, None)?;
                }
                ColumnWriter::DoubleColumnWriter(out) => {
                    let reals = cells.filter_map(|cell| match cell {
                        Real(real) => *real,
                        _ => None,
                    });
                    out.write_batch(&reals.collect::<Vec<_>>(), levels, None)?;
                }
                ColumnWriter::Int64ColumnWriter(out) => {
                    let wholes = cells.filter_map(|cell| match cell {
                        Whole(whole) => *whole,
                        _ => None,
                    });
                    out.write_batch(&wholes.collect::<Vec<_>>(), levels, None)?;
                }
                ColumnWriter::BoolColumnWriter(out) => {
                    let flags = cells.filter_map(|cell| match cell {
                        Flag(flag) => *flag,
                        _ => None,
                    });
                    out.write_batch(&flags.collect::<Vec<_>>(), levels, None)?;
                }
                _ => {}
            }
            column.close()?;
            at += 1;
        }
        group.close()?;
        Ok(())
    }
}

/// So many columns have a value in every row: the name and the verdict.
const REQUIRED: usize = 2;

impl CellValue {
    fn is_there(&self) -> bool {
        match self {
            Text(value) => value.is_some(),
            Real(value) => value.is_some(),
            Whole(value) => value.is_some(),
            Flag(value) => value.is_some(),
        }
    }
}

fn schema() -> Result<Type, ParquetError> {
    // An answer without anything shows the type of every column.
    let nothing = ProgramOutcome::unknown();
    let field = |(at, (name, value)): (usize, &ReportColumn)| {
        let (physical, logical) = match value(&nothing) {
            Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Real(_) => (Physical::DOUBLE, None),
            Whole(_) => (Physical::INT64, None),
            Flag(_) => (Physical::BOOLEAN, None),
        };
        let repetition = if at < REQUIRED {
            Repetition::REQUIRED
        } else {
            Repetition::OPTIONAL
        };
        Type::primitive_type_builder(name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    };
    let fields: Result<Vec<_>, _> = COLUMNS.iter().enumerate().map(field).collect();
    Type::group_type_builder("clearance")
        .with_fields(fields?)
        .build()
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::*;
    use crate::findings::Verdict;

    fn program(k: usize) -> ProgramOutcome {
        ProgramOutcome {
            program: format!("plans.parquet#{k}"),
            verdict: match k % 3 {
                0 => Verdict::Clear,
                _ => Verdict::Unverified,
            },
            duration: k.is_multiple_of(3).then_some(k as f64),
            lines: vec![10 * k, 10 * k + 1],
            error: (!k.is_multiple_of(3)).then(|| format!("no. {k}")),
            ..ProgramOutcome::unknown()
        }
    }

    /// Scripts rely on names, types and order.
    #[test]
    fn columns_are_those_that_were_promised() {
        let text: Vec<String> = (schema().unwrap().get_fields().iter())
            .map(|f| format!("{} {}", f.name(), f.get_physical_type()))
            .collect();
        assert_eq!(
            text.join("\n"),
            "program BYTE_ARRAY\nverdict BYTE_ARRAY\ninterpolation BYTE_ARRAY\nduration DOUBLE\ntimed BOOLEAN\n\
             waypoints INT64\nfirst_row INT64\ncontact_kind BYTE_ARRAY\ncontact_a BYTE_ARRAY\ncontact_b BYTE_ARRAY\n\
             contact_time DOUBLE\nfree_until DOUBLE\ncontact_distance DOUBLE\ncontact_row INT64\ncontacts INT64\n\
             minimum_clearance DOUBLE\nminimum_lower_bound DOUBLE\nminimum_time DOUBLE\nminimum_a BYTE_ARRAY\n\
             minimum_b BYTE_ARRAY\nnear_misses INT64\nlimits INT64\nlimit_joint BYTE_ARRAY\nfull_turns INT64\n\
             notices INT64\nunchecked INT64\nerror BYTE_ARRAY\nerror_row INT64\ngiven_up_after DOUBLE"
        );
    }

    #[test]
    fn every_program_is_a_row_that_reads_back() {
        let count = ROWS + 5;
        let about: Outcome = serde_json::from_str(
            r#"{"schema":3,"tool":"clearance","version":"1","cell":"c","required_clearance":0.001,"resolution":0.0001,
                "method":"bisection","shape":"sphere-tree","verdict":"clear","bodies":0,"pairs":0,"own_thresholds":0,
                "warn_pairs":0,"sliding_joints":[],"unchecked":[],"programs":[],"timing":{"load_seconds":0,"tree_seconds":0,"check_seconds":0}}"#,
        )
        .unwrap();
        let mut table = ParquetTable::begin(Vec::new(), &about).unwrap();
        for k in 0..count {
            table.add(&program(k)).unwrap();
        }
        let file = tempfile::tempfile().unwrap();
        (&file).write_all(&table.finish().unwrap()).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let mut k = 0;
        for row in reader.get_row_iter(None).unwrap() {
            let (row, program) = (row.unwrap(), program(k));
            assert_eq!(row.get_string(0).unwrap(), &program.program);
            assert_eq!(row.get_string(1).unwrap() == "clear", k.is_multiple_of(3));
            assert_eq!(row.get_double(3).ok(), program.duration);
            assert_eq!(row.get_long(6).unwrap(), 10 * k as i64);
            assert_eq!(row.get_string(26).ok(), program.error.as_ref());
            k += 1;
        }
        assert_eq!(k, count);
    }
}
