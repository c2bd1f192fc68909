//! The rows after the header, as text or in binary.

use std::path::Path;

use super::header::{PlyElement, PlyNumber};
use crate::mesh::checks::{geometry, number, shown, syntax};
use crate::mesh::count;
use crate::{ImportError, Problem};

/// A line of text, or a byte of a binary body.
#[derive(Clone, Copy)]
pub(super) enum PlyPlace {
    Line(usize),
    Byte(usize),
}

impl PlyPlace {
    pub(super) fn error(self, name: &Path, problem: Problem) -> ImportError {
        match (self, problem) {
            (PlyPlace::Line(line), problem) => ImportError::at(name, line, None, problem),
            // Binary files have no lines: the byte goes into the words.
            (PlyPlace::Byte(at), Problem::Syntax { cause, remedy }) => {
                ImportError::file(name, syntax(format!("{cause} (at byte {at})"), remedy))
            }
            (PlyPlace::Byte(at), Problem::Geometry { cause, remedy }) => {
                ImportError::file(name, geometry(format!("{cause} (at byte {at})"), remedy))
            }
            (
                PlyPlace::Byte(at),
                Problem::BadValue {
                    what,
                    value,
                    remedy,
                },
            ) => {
                let value = format!("{value} (at byte {at})");
                ImportError::file(
                    name,
                    Problem::BadValue {
                        what,
                        value,
                        remedy,
                    },
                )
            }
            (PlyPlace::Byte(_), problem) => ImportError::file(name, problem),
        }
    }
}

/// How the numbers of the body are written.
pub(super) trait PlyBody {
    /// Refuses a count of rows that the file has no room for.
    fn check_room(&self, element: &PlyElement) -> Result<(), Problem>;
    fn start_row(&mut self, element: &PlyElement) -> Result<(), Problem>;
    fn value(&mut self, number: PlyNumber) -> Result<f64, Problem>;
    /// The number of items in a list, which the file has room for.
    fn length(&mut self, length: PlyNumber, item: PlyNumber) -> Result<usize, Problem>;
    fn end_row(&mut self, element: &PlyElement) -> Result<(), Problem>;
    /// Nothing may be left over: it would be surface that the header forgot.
    fn finish(&mut self) -> Result<(), Problem>;
    fn place(&self) -> PlyPlace;
}

const CUT_OFF: &str = "the file is damaged or cut off: export the mesh again";

fn list_length(value: f64) -> Result<usize, Problem> {
    if value < 0.0 {
        return Err(geometry(format!("a list has {value} items"), CUT_OFF));
    }
    Ok(value as usize)
}

fn too_many_rows(element: &PlyElement, room: usize) -> Problem {
    geometry(
        format!(
            "the header says {} rows of `{}`, but the file has room for {room}",
            element.rows, element.name
        ),
        CUT_OFF,
    )
}

pub(super) struct Text<'a> {
    lines: std::str::Lines<'a>,
    words: std::str::SplitAsciiWhitespace<'a>,
    line: usize,
    bytes_left: usize,
    /// Where the body stops being text.
    broken: bool,
}

impl<'a> Text<'a> {
    pub(super) fn new(body: &'a [u8], lines_before: usize) -> Self {
        let (text, broken) = match std::str::from_utf8(body) {
            Ok(text) => (text, false),
            Err(e) => (
                std::str::from_utf8(&body[..e.valid_up_to()]).unwrap_or(""),
                true,
            ),
        };
        Self {
            lines: text.lines(),
            words: "".split_ascii_whitespace(),
            line: lines_before,
            bytes_left: body.len(),
            broken,
        }
    }

    fn next_line(&mut self) -> Option<&'a str> {
        loop {
            let line = self.lines.next()?;
            self.line += 1;
            if !line.trim_ascii().is_empty() {
                return Some(line);
            }
        }
    }
}

impl PlyBody for Text<'_> {
    fn check_room(&self, element: &PlyElement) -> Result<(), Problem> {
        // A row is a digit and a line end at least.
        let room = self.bytes_left.div_ceil(2);
        if element.rows > room {
            return Err(too_many_rows(element, room));
        }
        Ok(())
    }

    fn start_row(&mut self, element: &PlyElement) -> Result<(), Problem> {
        match self.next_line() {
            Some(line) => {
                self.words = line.split_ascii_whitespace();
                Ok(())
            }
            None if self.broken => Err(syntax(
                "this is not text, but the header says `format ascii`",
                CUT_OFF,
            )),
            None => Err(geometry(
                format!(
                    "the file ends before its {} rows of `{}` do",
                    element.rows, element.name
                ),
                CUT_OFF,
            )),
        }
    }

    fn value(&mut self, kind: PlyNumber) -> Result<f64, Problem> {
        let word = self.words.next().ok_or_else(|| {
            syntax(
                "the line has too few numbers",
                "write one number for each property",
            )
        })?;
        if kind.is_float() {
            // A number that is not a coordinate may be `nan`; coordinates are looked at later.
            return word.parse().or_else(|_| number(word));
        }
        match word.parse::<i64>() {
            Ok(n) => Ok(n as f64),
            Err(_) => Err(syntax(
                format!("`{}` is not a whole number", shown(word)),
                "the header says that this property is one",
            )),
        }
    }

    fn length(&mut self, length: PlyNumber, _item: PlyNumber) -> Result<usize, Problem> {
        list_length(self.value(length)?)
    }

    fn end_row(&mut self, element: &PlyElement) -> Result<(), Problem> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => Err(syntax(
                format!(
                    "`{}` follows after the last property of `{}`",
                    shown(word),
                    element.name
                ),
                "write one element a line, with the properties of the header",
            )),
        }
    }

    fn finish(&mut self) -> Result<(), Problem> {
        match self.next_line() {
            None if !self.broken => Ok(()),
            _ => Err(geometry(
                "the file goes on after the rows that the header counts",
                "correct the counts of the header, or export the mesh again",
            )),
        }
    }

    fn place(&self) -> PlyPlace {
        PlyPlace::Line(self.line)
    }
}

pub(super) struct BinaryReader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) big_endian: bool,
}

impl BinaryReader<'_> {
    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let bytes = self
            .bytes
            .get(self.at..self.at + N)
            .and_then(|b| <[u8; N]>::try_from(b).ok());
        let mut bytes =
            bytes.ok_or_else(|| geometry("the file ends in the middle of an element", CUT_OFF))?;
        self.at += N;
        if self.big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }
}

impl PlyBody for BinaryReader<'_> {
    fn check_room(&self, element: &PlyElement) -> Result<(), Problem> {
        let least: usize = element
            .properties
            .iter()
            .map(|p| p.kind.least_bytes())
            .sum();
        let room = self.left() / least.max(1);
        if element.rows > room {
            return Err(too_many_rows(element, room));
        }
        Ok(())
    }

    fn start_row(&mut self, _: &PlyElement) -> Result<(), Problem> {
        Ok(())
    }

    fn value(&mut self, number: PlyNumber) -> Result<f64, Problem> {
        Ok(match number {
            PlyNumber::I8 => f64::from(i8::from_le_bytes(self.take()?)),
            PlyNumber::U8 => f64::from(u8::from_le_bytes(self.take()?)),
            PlyNumber::I16 => f64::from(i16::from_le_bytes(self.take()?)),
            PlyNumber::U16 => f64::from(u16::from_le_bytes(self.take()?)),
            PlyNumber::I32 => f64::from(i32::from_le_bytes(self.take()?)),
            PlyNumber::U32 => f64::from(u32::from_le_bytes(self.take()?)),
            PlyNumber::F32 => f64::from(f32::from_le_bytes(self.take()?)),
            PlyNumber::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    fn length(&mut self, length: PlyNumber, item: PlyNumber) -> Result<usize, Problem> {
        let n = list_length(self.value(length)?)?;
        let room = self.left() / item.bytes();
        if n > room {
            return Err(geometry(
                format!("a list has {n} items, but the file has room for {room}"),
                CUT_OFF,
            ));
        }
        Ok(n)
    }

    fn end_row(&mut self, _: &PlyElement) -> Result<(), Problem> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Problem> {
        match self.left() {
            0 => Ok(()),
            left => Err(geometry(
                format!(
                    "{} follow after the rows that the header counts",
                    count(left, "byte")
                ),
                "correct the counts of the header, or export the mesh again",
            )),
        }
    }

    fn place(&self) -> PlyPlace {
        PlyPlace::Byte(self.at)
    }
}
