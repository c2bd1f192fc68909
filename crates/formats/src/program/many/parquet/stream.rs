//! One column of a row group as it is read.

use std::fs::File;

use parquet::basic::Compression;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::pages::look_through;

/// Values as they came.
#[derive(Debug)]
pub(super) enum Values {
    Numbers(Vec<f64>),
    Whole(Vec<i64>),
    Text(Vec<ByteArray>),
}

/// Where the values of a row are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ValueRange {
    pub(super) start: usize,
    pub(super) length: usize,
    /// Whether a value, or the whole list, is not there.
    pub(super) null: bool,
}

enum Reader {
    Float(ColumnReaderImpl<FloatType>, Vec<f32>),
    Double(ColumnReaderImpl<DoubleType>),
    Int32(ColumnReaderImpl<Int32Type>, Vec<i32>),
    Int64(ColumnReaderImpl<Int64Type>),
    Text(ColumnReaderImpl<ByteArrayType>),
}

/// A column of one row group.
pub(super) struct Stream {
    reader: Reader,
    most_def: i16,
    most_rep: i16,
    def: Vec<i16>,
    rep: Vec<i16>,
    pub(super) values: Values,
    /// Of the rows that were read last.
    pub(super) spans: Vec<ValueRange>,
}

impl Stream {
    /// Opens a column after a look at its pages.
    pub(super) fn open(
        reader: &SerializedFileReader<File>,
        file: &File,
        group: usize,
        leaf: usize,
    ) -> Result<Self, String> {
        let about = reader.metadata().row_group(group).column(leaf);
        match about.compression() {
            Compression::UNCOMPRESSED
            | Compression::SNAPPY
            | Compression::ZSTD(_)
            | Compression::LZ4_RAW => {}
            other => {
                return Err(format!(
                    "its pages are compressed by {other}, which is not read; write them with snappy, zstd or lz4"
                ));
            }
        }
        let first = match about.dictionary_page_offset() {
            Some(dictionary) => dictionary,
            None => about.data_page_offset(),
        };
        let (Ok(start), Ok(length)) =
            (u64::try_from(first), u64::try_from(about.compressed_size()))
        else {
            return Err("a column lies outside of the file".to_owned());
        };
        look_through(file, start, length)?;
        let described = about.column_descr();
        let (most_def, most_rep) = (described.max_def_level(), described.max_rep_level());
        let group = reader.get_row_group(group).map_err(error_text)?;
        let (reader, values) = match group.get_column_reader(leaf).map_err(error_text)? {
            ColumnReader::FloatColumnReader(r) => {
                (Reader::Float(r, Vec::new()), Values::Numbers(Vec::new()))
            }
            ColumnReader::DoubleColumnReader(r) => (Reader::Double(r), Values::Numbers(Vec::new())),
            ColumnReader::Int32ColumnReader(r) => {
                (Reader::Int32(r, Vec::new()), Values::Whole(Vec::new()))
            }
            ColumnReader::Int64ColumnReader(r) => (Reader::Int64(r), Values::Whole(Vec::new())),
            ColumnReader::ByteArrayColumnReader(r) => (Reader::Text(r), Values::Text(Vec::new())),
            _ => return Err("a column has values of a type that is not read".to_owned()),
        };
        Ok(Self {
            reader,
            most_def,
            most_rep,
            def: Vec::new(),
            rep: Vec::new(),
            values,
            spans: Vec::new(),
        })
    }

    /// Reads the next rows: exactly so many.
    pub(super) fn fill(&mut self, rows: usize) -> Result<(), String> {
        self.def.clear();
        self.rep.clear();
        self.spans.clear();
        let (def, rep) = (&mut self.def, &mut self.rep);
        macro_rules! read {
            ($reader:ident, $values:expr) => {
                $reader.read_records(rows, Some(def), Some(rep), $values)
            };
        }
        let read = match (&mut self.reader, &mut self.values) {
            (Reader::Float(r, narrow), Values::Numbers(out)) => {
                narrow.clear();
                let read = read!(r, narrow);
                out.clear();
                out.extend(narrow.iter().map(|&x| f64::from(x)));
                read
            }
            (Reader::Double(r), Values::Numbers(out)) => {
                out.clear();
                read!(r, out)
            }
            (Reader::Int32(r, narrow), Values::Whole(out)) => {
                narrow.clear();
                let read = read!(r, narrow);
                out.clear();
                out.extend(narrow.iter().map(|&x| i64::from(x)));
                read
            }
            (Reader::Int64(r), Values::Whole(out)) => {
                out.clear();
                read!(r, out)
            }
            (Reader::Text(r), Values::Text(out)) => {
                out.clear();
                read!(r, out)
            }
            _ => return Err("a column changes its type".to_owned()),
        };
        let (records, values, _) = read.map_err(error_text)?;
        if records != rows {
            return Err("a column has fewer rows than its row group".to_owned());
        }
        self.find_rows(rows, values)
    }

    /// Whether each of the rows that were read last has one value: no list, and none is missing.
    pub(super) fn has_one_in_each_row(&self) -> bool {
        self.most_rep == 0
            && (self.most_def == 0 || self.def.iter().all(|def| *def == self.most_def))
    }

    /// Finds out which values belong to which row.
    fn find_rows(&mut self, rows: usize, values: usize) -> Result<(), String> {
        let each = (self.most_def == 0 || self.def.len() == rows) && self.has_one_in_each_row();
        let spans = &mut self.spans;
        let mut taken = 0;
        if each {
            // Most columns have a value in every row.
            spans.extend((0..rows).map(|start| ValueRange {
                start,
                length: 1,
                null: false,
            }));
            taken = rows;
        } else if self.most_rep == 0 {
            for row in 0..rows {
                let there = self.def.get(row) == Some(&self.most_def);
                spans.push(ValueRange {
                    start: taken,
                    length: usize::from(there),
                    null: !there,
                });
                taken += usize::from(there);
            }
        } else {
            for (&rep, &def) in self.rep.iter().zip(&self.def) {
                if rep == 0 {
                    spans.push(ValueRange {
                        start: taken,
                        length: 0,
                        null: false,
                    });
                }
                let Some(span) = spans.last_mut() else {
                    return Err("a list begins in the middle".to_owned());
                };
                if def == self.most_def {
                    span.length += 1;
                    taken += 1;
                } else {
                    span.null = true
                }
            }
        }
        let held = match &self.values {
            Values::Numbers(v) => v.len(),
            Values::Whole(v) => v.len(),
            Values::Text(v) => v.len(),
        };
        if spans.len() == rows && taken == values && taken == held {
            Ok(())
        } else {
            Err("the levels and values of a column do not fit each other".to_owned())
        }
    }
}

/// The library's message, as a cause.
pub(super) fn error_text(error: ParquetError) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("Parquet error: ").unwrap_or(&text);
    text.trim().trim_end_matches('.').to_owned()
}
