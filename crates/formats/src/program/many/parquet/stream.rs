//! One column of a row group as it is read.

use std::fs::File;

use parquet::basic::Compression;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::pages::look_through;

/// What is said of rows that nobody would read.
pub(super) const MORE_ROWS: &str = "a column has more rows than its row group";

/// Values as they came.
#[derive(Debug)]
pub(super) enum Values {
    Numbers(Vec<f64>),
    Whole(Vec<i64>),
    Text(Vec<ByteArray>),
}

impl Default for Values {
    fn default() -> Self {
        Values::Numbers(Vec::new())
    }
}

/// Some rows of a column.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) values: Values,
    /// Whether each row has one value: no list, and none is missing.
    pub(super) one_in_each_row: bool,
    /// Of each row; empty where each has one value.
    ranges: Vec<ValueRange>,
}

impl Batch {
    /// Where the values of a row are.
    pub(super) fn range(&self, row: usize) -> ValueRange {
        if self.one_in_each_row {
            return ValueRange {
                start: row,
                length: 1,
                null: false,
            };
        }
        self.ranges[row]
    }

    /// Bytes that it holds, about.
    pub(super) fn bytes(&self) -> usize {
        let values = match &self.values {
            Values::Numbers(values) => size_of_val::<[f64]>(values),
            Values::Whole(values) => size_of_val::<[i64]>(values),
            Values::Text(texts) => {
                let lengths = texts.iter().map(ByteArray::len);
                size_of_val::<[ByteArray]>(texts) + lengths.sum::<usize>()
            }
        };
        values + size_of_val::<[ValueRange]>(&self.ranges)
    }
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
        let reader = match group.get_column_reader(leaf).map_err(error_text)? {
            ColumnReader::FloatColumnReader(r) => Reader::Float(r, Vec::new()),
            ColumnReader::DoubleColumnReader(r) => Reader::Double(r),
            ColumnReader::Int32ColumnReader(r) => Reader::Int32(r, Vec::new()),
            ColumnReader::Int64ColumnReader(r) => Reader::Int64(r),
            ColumnReader::ByteArrayColumnReader(r) => Reader::Text(r),
            _ => return Err("a column has values of a type that is not read".to_owned()),
        };
        Ok(Self {
            reader,
            most_def,
            most_rep,
            def: Vec::new(),
            rep: Vec::new(),
        })
    }

    /// Reads the next rows, exactly so many, into a batch that may have held others.
    pub(super) fn fill(&mut self, batch: &mut Batch, rows: usize) -> Result<(), String> {
        let (found, values) = self.read(batch, rows)?;
        if found != rows {
            return Err("a column has fewer rows than its row group".to_owned());
        }
        self.find_rows(batch, rows, values)
    }

    /// Reads the next rows, as far as there are so many: how many there are, and their values.
    fn read(&mut self, batch: &mut Batch, rows: usize) -> Result<(usize, usize), String> {
        self.def.clear();
        self.rep.clear();
        let (def, rep) = (&mut self.def, &mut self.rep);
        macro_rules! read {
            ($reader:ident, $values:expr) => {
                $reader.read_records(rows, Some(def), Some(rep), $values)
            };
        }
        let before = std::mem::take(&mut batch.values);
        let (read, values) = match &mut self.reader {
            Reader::Float(r, narrow) => {
                narrow.clear();
                let read = read!(r, narrow);
                let mut out = before.numbers();
                out.extend(narrow.iter().map(|&x| f64::from(x)));
                (read, Values::Numbers(out))
            }
            Reader::Double(r) => {
                let mut out = before.numbers();
                (read!(r, &mut out), Values::Numbers(out))
            }
            Reader::Int32(r, narrow) => {
                narrow.clear();
                let read = read!(r, narrow);
                let mut out = before.whole();
                out.extend(narrow.iter().map(|&x| i64::from(x)));
                (read, Values::Whole(out))
            }
            Reader::Int64(r) => {
                let mut out = before.whole();
                (read!(r, &mut out), Values::Whole(out))
            }
            Reader::Text(r) => {
                let mut out = before.texts();
                (read!(r, &mut out), Values::Text(out))
            }
        };
        batch.values = values;
        let (found, values, _) = read.map_err(error_text)?;
        Ok((found, values))
    }

    /// Sees that there are no more rows than were read.
    pub(super) fn is_done(&mut self) -> Result<(), String> {
        match self.read(&mut Batch::default(), 1)? {
            (0, _) => Ok(()),
            _ => Err(MORE_ROWS.to_owned()),
        }
    }

    /// Finds out which values belong to which row.
    fn find_rows(&self, batch: &mut Batch, rows: usize, values: usize) -> Result<(), String> {
        let all_there = || self.def.len() == rows && self.def.iter().all(|d| *d == self.most_def);
        batch.one_in_each_row = self.most_rep == 0 && (self.most_def == 0 || all_there());
        let ranges = &mut batch.ranges;
        ranges.clear();
        let mut taken = 0;
        if batch.one_in_each_row {
            // Most columns have a value in every row.
            taken = rows;
        } else if self.most_rep == 0 {
            for row in 0..rows {
                let there = self.def.get(row) == Some(&self.most_def);
                ranges.push(ValueRange {
                    start: taken,
                    length: usize::from(there),
                    null: !there,
                });
                taken += usize::from(there);
            }
        } else {
            for (&rep, &def) in self.rep.iter().zip(&self.def) {
                if rep == 0 {
                    ranges.push(ValueRange {
                        start: taken,
                        length: 0,
                        null: false,
                    });
                }
                let Some(range) = ranges.last_mut() else {
                    return Err("a list begins in the middle".to_owned());
                };
                if def == self.most_def {
                    range.length += 1;
                    taken += 1;
                } else {
                    range.null = true
                }
            }
        }
        let held = match &batch.values {
            Values::Numbers(v) => v.len(),
            Values::Whole(v) => v.len(),
            Values::Text(v) => v.len(),
        };
        if (batch.one_in_each_row || ranges.len() == rows) && taken == values && taken == held {
            Ok(())
        } else {
            Err("the levels and values of a column do not fit each other".to_owned())
        }
    }
}

impl Values {
    /// The room of these for numbers; empty.
    fn numbers(self) -> Vec<f64> {
        match self {
            Values::Numbers(room) => emptied(room),
            _ => Vec::new(),
        }
    }

    /// Likewise for whole numbers.
    fn whole(self) -> Vec<i64> {
        match self {
            Values::Whole(room) => emptied(room),
            _ => Vec::new(),
        }
    }

    /// Likewise for texts.
    fn texts(self) -> Vec<ByteArray> {
        match self {
            Values::Text(room) => emptied(room),
            _ => Vec::new(),
        }
    }
}

fn emptied<T>(mut room: Vec<T>) -> Vec<T> {
    room.clear();
    room
}

/// The library's message, as a cause.
pub(super) fn error_text(error: ParquetError) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("Parquet error: ").unwrap_or(&text);
    text.trim().trim_end_matches('.').to_owned()
}
