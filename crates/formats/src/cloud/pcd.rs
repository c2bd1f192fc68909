//! PCD, the format of the Point Cloud Library: text, binary, or binary packed by LZF.

use std::path::Path;

use super::{PointsInFile, coordinate, damaged};
use crate::files::utf8;
use crate::mesh::{one_kind_of_line_end, shown};
use crate::stated_unit;
use crate::{ImportError, Problem};

/// The words of a header, in any order; DATA comes last.
#[derive(Default)]
struct PcdHeader {
    /// The words that came.
    said: Vec<String>,
    fields: Vec<String>,
    sizes: Vec<usize>,
    kinds: Vec<String>,
    counts: Vec<usize>,
    width: Option<u64>,
    height: Option<u64>,
    points: Option<u64>,
}

/// Where a coordinate is in a record.
#[derive(Clone, Copy)]
struct Coordinate {
    /// Bytes before it in a record, numbers before it in a line, bytes of one record that come
    /// before its field.
    offset: usize,
    column: usize,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    F32,
    F64,
}

impl Kind {
    fn bytes(self) -> usize {
        match self {
            Kind::F32 => 4,
            Kind::F64 => 8,
        }
    }

    fn read(self, bytes: &[u8], at: usize) -> Option<f64> {
        let rest = bytes.get(at..)?;
        Some(match self {
            Kind::F32 => f64::from(f32::from_le_bytes(*rest.first_chunk()?)),
            Kind::F64 => f64::from_le_bytes(*rest.first_chunk()?),
        })
    }
}

/// The form of a record, and the number of records.
struct Layout {
    coordinates: [Coordinate; 3],
    /// Bytes of a record, and numbers of it.
    stride: usize,
    columns: usize,
    count: usize,
}

/// Reads the points, in the unit of the file: one of so many metres, as the cell states it.
pub(super) fn read(bytes: &[u8], name: &Path, metres: f64) -> Result<PointsInFile, ImportError> {
    let mut header = PcdHeader::default();
    let (mut rest, mut number) = (bytes, 0);
    let data = loop {
        number += 1;
        let end = rest.iter().position(|&b| b == b'\n');
        let Some(end) = end.filter(|&end| end < MOST_LINE) else {
            let problem = Problem::Syntax {
                cause: "the header has no line DATA".to_owned(),
                remedy: "name a PCD file".to_owned(),
            };
            return Err(ImportError::file(name, problem));
        };
        let line = utf8(name, &rest[..end])?;
        rest = &rest[end + 1..];
        let said = match line.trim() {
            comment if comment.starts_with('#') => {
                stated_unit::agrees(comment, metres).map(|()| None)
            }
            _ => header.line(line),
        };
        let said = said.map_err(|problem| ImportError::at(name, number, None, problem))?;
        if let Some(data) = said {
            break data;
        }
    };
    one_kind_of_line_end(utf8(name, &bytes[..bytes.len() - rest.len()])?, name)?;
    let here = |problem| ImportError::file(name, problem);
    let layout = header.layout().map_err(here)?;
    match data.as_str() {
        "ascii" => text(rest, name, number, &layout),
        "binary" => binary(rest, &layout).map_err(here),
        "binary_compressed" => packed(rest, &layout).map_err(here),
        other => {
            let problem = Problem::Syntax {
                cause: format!("DATA is `{}`", shown(other)),
                remedy: "it is ascii, binary or binary_compressed".to_owned(),
            };
            Err(ImportError::at(name, number, None, problem))
        }
    }
}

/// No line of a header is longer.
const MOST_LINE: usize = 1 << 16;

impl PcdHeader {
    /// Takes a line; says what DATA is once that line comes.
    fn line(&mut self, line: &str) -> Result<Option<String>, Problem> {
        let mut words = line.split_whitespace();
        let Some(key) = words.next() else {
            return Ok(None);
        };
        let words: Vec<&str> = words.collect();
        let wrong = || {
            Problem::Syntax {
            cause: format!("`{}` is not understood", shown(line)),
            remedy: "the lines of a PCD header are FIELDS, SIZE, TYPE, COUNT, WIDTH, HEIGHT, VIEWPOINT, POINTS, DATA"
                .to_owned(),
        }
        };
        let numbers = || -> Result<Vec<usize>, Problem> {
            words
                .iter()
                .map(|w| w.parse().map_err(|_| wrong()))
                .collect()
        };
        let count = || match words[..] {
            [one] => one.parse().map(Some).map_err(|_| wrong()),
            _ => Err(wrong()),
        };
        let key = if key == "COLUMNS" { "FIELDS" } else { key };
        if self.said.iter().any(|said| said == key) {
            return Err(damaged(format!("the header has two lines {}", shown(key))));
        }
        self.said.push(key.to_owned());
        match key {
            "FIELDS" => self.fields = words.iter().map(|&w| w.to_owned()).collect(),
            "SIZE" => self.sizes = numbers()?,
            "TYPE" => self.kinds = words.iter().map(|&w| w.to_owned()).collect(),
            "COUNT" => self.counts = numbers()?,
            "WIDTH" => self.width = count()?,
            "HEIGHT" => self.height = count()?,
            "POINTS" => self.points = count()?,
            "VIEWPOINT" => {
                let pose: Result<Vec<f64>, _> = words.iter().map(|w| w.parse()).collect();
                // Some tools move the points there, some do not.
                if pose.map_err(|_| wrong())? != [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0] {
                    return Err(Problem::Unsupported {
                        what: "a VIEWPOINT other than 0 0 0 1 0 0 0".to_owned(),
                        remedy: "tools differ in whether it moves the points: write 0 0 0 1 0 0 0, and where the scan stands as \
                                 `pose` in the cell file"
                            .to_owned(),
                    });
                }
            }
            "DATA" => {
                return words
                    .first()
                    .map(|w| Some((*w).to_owned()))
                    .ok_or_else(wrong);
            }
            "VERSION" => {}
            _ => return Err(wrong()),
        }
        Ok(None)
    }

    fn layout(&self) -> Result<Layout, Problem> {
        let fields = self.fields.len();
        let counts = if self.counts.is_empty() {
            vec![1; fields]
        } else {
            self.counts.clone()
        };
        if fields == 0 || [self.sizes.len(), self.kinds.len(), counts.len()] != [fields; 3] {
            return Err(damaged(
                "FIELDS, SIZE, TYPE and COUNT are not of one length",
            ));
        }
        if self.sizes.iter().any(|s| ![1, 2, 4, 8].contains(s)) {
            return Err(damaged("a SIZE is none of 1, 2, 4 and 8"));
        }
        let too_large = || damaged("a record is too large");
        let mut found: [Option<Coordinate>; 3] = [None; 3];
        let (mut stride, mut columns) = (0_usize, 0_usize);
        for k in 0..fields {
            let axis = ["x", "y", "z"]
                .iter()
                .position(|axis| *axis == self.fields[k]);
            if let Some(axis) = axis {
                let kind = match (self.kinds[k].as_str(), self.sizes[k], counts[k]) {
                    ("F", 4, 1) => Kind::F32,
                    ("F", 8, 1) => Kind::F64,
                    _ => {
                        return Err(Problem::Unsupported {
                            what: format!(
                                "a field `{}` that is not a single number of type F",
                                self.fields[k]
                            ),
                            remedy: "write x, y and z as F of SIZE 4 or 8".to_owned(),
                        });
                    }
                };
                let coordinate = Coordinate {
                    offset: stride,
                    column: columns,
                    kind,
                };
                if found[axis].replace(coordinate).is_some() {
                    return Err(damaged(format!(
                        "two fields are called `{}`",
                        self.fields[k]
                    )));
                }
            }
            let bytes = self.sizes[k].checked_mul(counts[k]).ok_or_else(too_large)?;
            stride = stride.checked_add(bytes).ok_or_else(too_large)?;
            columns = columns.checked_add(counts[k]).ok_or_else(too_large)?;
        }
        let [Some(x), Some(y), Some(z)] = found else {
            return Err(Problem::Syntax {
                cause: "there are no fields x, y and z".to_owned(),
                remedy: "export the cloud with its coordinates".to_owned(),
            });
        };
        let grid = match (self.width, self.height) {
            (Some(w), Some(h)) => Some(w.checked_mul(h).ok_or_else(too_large)?),
            _ => None,
        };
        let count = match (self.points, grid) {
            (Some(a), Some(b)) if a != b => {
                return Err(damaged(format!("POINTS is {a}, WIDTH times HEIGHT is {b}")));
            }
            (Some(n), _) | (None, Some(n)) => n,
            (None, None) => {
                return Err(damaged("the header does not say how many points there are"));
            }
        };
        Ok(Layout {
            coordinates: [x, y, z],
            stride,
            columns,
            count: usize::try_from(count).map_err(|_| too_large())?,
        })
    }
}

fn text(
    rest: &[u8],
    name: &Path,
    before: usize,
    layout: &Layout,
) -> Result<PointsInFile, ImportError> {
    let text = utf8(name, rest)?;
    let mut points = PointsInFile::default();
    let mut rows = 0;
    for (number, line) in (before + 1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        rows += 1;
        let problem = |cause: String| ImportError::at(name, number, None, damaged(cause));
        let mut point = [f64::NAN; 3];
        let mut here = 0;
        for (k, word) in line.split_whitespace().enumerate() {
            here = k + 1;
            if let Some(axis) = layout.coordinates.iter().position(|c| c.column == k) {
                let value = coordinate(word);
                point[axis] =
                    value.ok_or_else(|| problem(format!("`{}` is not a number", shown(word))))?;
            }
        }
        if here != layout.columns {
            let cause = format!("{here} values where the header has {}", layout.columns);
            return Err(problem(cause));
        }
        points.add(point);
    }
    if rows == layout.count {
        Ok(points)
    } else {
        let cause = format!(
            "the header counts {} points, and there are {rows}",
            layout.count
        );
        Err(ImportError::file(name, damaged(cause)))
    }
}

fn binary(rest: &[u8], layout: &Layout) -> Result<PointsInFile, Problem> {
    let there = rest.len() / layout.stride;
    if there != layout.count {
        return Err(damaged(format!(
            "the header counts {} points, and there is room for {there}",
            layout.count
        )));
    }
    let mut points = PointsInFile::with_room(layout.count);
    for record in rest.chunks_exact(layout.stride) {
        let mut point = [0.0; 3];
        for (x, c) in point.iter_mut().zip(&layout.coordinates) {
            *x = c
                .kind
                .read(record, c.offset)
                .ok_or_else(|| damaged("a record is too short"))?;
        }
        points.add(point);
    }
    Ok(points)
}

/// All values of one field stand together, one field after the other.
fn packed(rest: &[u8], layout: &Layout) -> Result<PointsInFile, Problem> {
    let size = |at: usize| {
        let bytes = rest.get(at..).and_then(|rest| rest.first_chunk());
        let bytes = bytes.ok_or_else(|| damaged("the file ends early"))?;
        Ok::<usize, Problem>(u32::from_le_bytes(*bytes) as usize)
    };
    let (short, long) = (size(0)?, size(4)?);
    let packed = rest[8..].get(..short);
    let packed = packed.ok_or_else(|| damaged("the packed points are cut off"))?;
    if layout.count.checked_mul(layout.stride) != Some(long) {
        return Err(damaged(format!(
            "the header counts {} points, and {long} bytes are packed",
            layout.count
        )));
    }
    let bytes = unpacked(packed, long)?;
    let mut points = PointsInFile::with_room(layout.count);
    for k in 0..layout.count {
        let mut point = [0.0; 3];
        for (x, c) in point.iter_mut().zip(&layout.coordinates) {
            let value = c
                .kind
                .read(&bytes, c.offset * layout.count + k * c.kind.bytes());
            *x = value.ok_or_else(|| damaged("a field is too short"))?;
        }
        points.add(point);
    }
    Ok(points)
}

/// LZF: runs of bytes as they are, and copies of what came before. The room that it takes grows
/// with what is really there.
fn unpacked(mut packed: &[u8], length: usize) -> Result<Vec<u8>, Problem> {
    let wrong = || damaged("the packed points cannot be unpacked");
    let mut out: Vec<u8> = Vec::new();
    while let [control, rest @ ..] = packed {
        packed = rest;
        let control = usize::from(*control);
        if control < 32 {
            let (run, rest) = packed.split_at_checked(control + 1).ok_or_else(wrong)?;
            out.extend_from_slice(run);
            packed = rest;
        } else {
            let mut next = || {
                let (first, rest) = packed.split_first().ok_or_else(wrong)?;
                packed = rest;
                Ok::<usize, Problem>(usize::from(*first))
            };
            let more = if control >> 5 == 7 { next()? } else { 0 };
            let back = ((control & 31) << 8) + next()? + 1;
            let start = out.len().checked_sub(back).ok_or_else(wrong)?;
            for k in 0..(control >> 5) + more + 2 {
                out.push(out[start + k]);
            }
        }
        if out.len() > length {
            return Err(wrong());
        }
    }
    if out.len() == length {
        Ok(out)
    } else {
        Err(wrong())
    }
}
