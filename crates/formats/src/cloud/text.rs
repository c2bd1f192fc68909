//! XYZ and PTS: a point on each line, x, y and z first. A PTS file says first how many there are,
//! before each scan.

mod commas;
mod heading;
#[cfg(test)]
mod tests;

use std::path::Path;

use self::commas::Commas;
use self::heading::{ColumnsAsRead, Heading};
use super::PointsInFile;
use crate::files::utf8;
use crate::mesh::{one_kind_of_line_end, shown};
use crate::{ImportError, Problem};

/// Whether a comma stands between two digits: beside another separator it is a decimal one, and
/// would make two columns of a number.
fn has_decimal_comma(line: &str) -> bool {
    line.as_bytes()
        .windows(3)
        .any(|w| w[1] == b',' && w[0].is_ascii_digit() && w[2].is_ascii_digit())
}

/// Whether a tab stands in front of a line, or two with nothing but blanks between them: what is
/// not there may be a column.
fn has_empty_column(line: &str) -> bool {
    let mut between = line.trim_end().split('\t');
    between.any(|text| text.trim().is_empty()) && line.contains('\t')
}

/// The columns of a line: between commas or semicolons, where an empty one counts, or between
/// blanks.
fn columns_of(line: &str) -> impl Iterator<Item = &str> {
    let separated = line.contains([',', ';']);
    let columns = line.split(move |c| match c {
        ',' | ';' => true,
        ' ' | '\t' => !separated,
        _ => false,
    });
    let columns = columns.map(str::trim);
    columns.filter(move |column| separated || !column.is_empty())
}

/// The two formats: lines of points, and lines of points that are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    Xyz,
    Pts,
}

/// Reads the points, in the unit of the file: one of so many metres, as the cell states it.
pub(super) fn read(
    bytes: &[u8],
    name: &Path,
    kind: TextKind,
    metres: f64,
) -> Result<PointsInFile, ImportError> {
    let counted = kind == TextKind::Pts;
    let text = utf8(name, bytes)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A point behind one would be further columns of its line, or part of a comment.
    one_kind_of_line_end(text, name)?;
    let mut points = PointsInFile::default();
    // Of the scan that is being read: where it is counted, how many are said to be there, and how
    // many are still to come.
    let mut scan: Option<(usize, u64, u64)> = None;
    let mut columns: Option<usize> = None;
    // The lines in front of its points. Those behind the first point are held against it at once:
    // where files were joined, they are the heading of the next one.
    let mut headings: Vec<Heading> = Vec::new();
    let mut reading: Option<ColumnsAsRead> = None;
    let agrees = |heading: &Heading, reading: &ColumnsAsRead| {
        let agrees = heading.agrees(reading);
        agrees.map_err(|problem| ImportError::at(name, heading.line, None, problem))
    };
    let mut commas = Commas::new();
    let mut first_point = 0;
    let mut titled = false;
    let problem = |line: usize, cause: String, remedy: &str| {
        let remedy = remedy.to_owned();
        ImportError::at(name, line, None, Problem::Syntax { cause, remedy })
    };
    let mut last = 0;
    for (number, line) in (1..).zip(text.lines()) {
        last = number;
        let whole = line.trim_end_matches(['\r', '\n']);
        let line = line.trim();
        let first = columns.is_none();
        if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
            let heading = Heading {
                line: number,
                text: line,
            };
            // Of the next scan, perhaps.
            let ahead = first || scan.is_some_and(|(_, _, left)| left == 0);
            match &reading {
                Some(reading) if !ahead => agrees(&heading, reading)?,
                _ => headings.push(heading),
            }
            continue;
        }
        let words = || columns_of(line);
        if counted && words().nth(1).is_none() && scan.is_none_or(|(_, _, left)| left == 0) {
            let count = line.parse().map_err(|_| {
                let cause = format!("`{}` is not a number of points", shown(line));
                problem(number, cause, "a scan in a PTS file begins with it")
            })?;
            scan = Some((number, count, count));
            columns = None;
            continue;
        }
        // A line of titles.
        if !counted
            && first
            && ["x", "y", "z"]
                .iter()
                .zip(words())
                .all(|(a, b)| b.eq_ignore_ascii_case(a))
        {
            headings.push(Heading {
                line: number,
                text: line,
            });
            continue;
        }
        match &mut scan {
            Some((_, _, left @ 1..)) => *left -= 1,
            None if !counted => {}
            _ => {
                let cause = "here are more points than were counted".to_owned();
                return Err(problem(
                    number,
                    cause,
                    "a scan in a PTS file begins with their number",
                ));
            }
        }
        if line.contains([' ', '\t', ';']) && has_decimal_comma(line) {
            let remedy = "write decimal points; separate columns by one kind of separator";
            return Err(problem(
                number,
                "a comma within a number".to_owned(),
                remedy,
            ));
        }
        if has_empty_column(whole) {
            let cause =
                "two tabs in a row, or one in front: an empty column, or a wide gap".to_owned();
            return Err(problem(number, cause, "write one tab between columns"));
        }
        let mut place = [0.0; 3];
        let mut here = 0;
        for (k, word) in words().enumerate() {
            here = k + 1;
            let Some(slot) = place.get_mut(k) else {
                continue;
            };
            *slot = word.parse().map_err(|_| {
                let cause = format!("`{}` is not a number", shown(word));
                problem(
                    number,
                    cause,
                    "a line has x, y and z first, with decimal points",
                )
            })?;
        }
        if here < 3 || columns.is_some_and(|columns| columns != here) {
            let cause = match columns {
                Some(columns) => format!("{here} columns where lines before have {columns}"),
                None => format!("{here} columns"),
            };
            return Err(problem(
                number,
                cause,
                "every line has x, y and z, and the same number of columns; is the file cut off?",
            ));
        }
        commas.look_at(line);
        if first {
            first_point = number;
            let here = ColumnsAsRead {
                columns: here,
                metres,
            };
            titled |= (headings.iter()).any(|heading| heading.is_title_of(here.columns));
            for heading in headings.drain(..) {
                agrees(&heading, &here)?;
            }
            reading = Some(here);
        }
        columns = Some(here);
        points.add(place);
    }
    if let Some(reading) = &reading {
        for heading in &headings {
            agrees(heading, reading)?;
        }
    }
    if let (Some(problem), false) = (commas.doubt(), titled) {
        return Err(ImportError::at(name, first_point, None, problem));
    }
    match scan {
        Some((line, count, left @ 1..)) => {
            let cause = format!("{left} of {count} points are missing");
            Err(problem(line, cause, "the file is cut off: export it again"))
        }
        None if counted => {
            let cause = "a PTS file begins with the number of points".to_owned();
            Err(problem(last.max(1), cause, "name it .xyz if it has none"))
        }
        _ => Ok(points),
    }
}
