//! XYZ and PTS: a point on each line, x, y and z first. A PTS file says first how many there are,
//! before each scan.

mod commas;
mod heading;
#[cfg(test)]
mod tests;

use std::path::Path;

use self::commas::Commas;
use self::heading::{ColumnsAsRead, Heading};
use super::{PointsInFile, coordinate};
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

fn syntax(cause: impl Into<String>, remedy: &str) -> Problem {
    Problem::Syntax {
        cause: cause.into(),
        remedy: remedy.to_owned(),
    }
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
    let text = utf8(name, bytes)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A point behind one would be further columns of its line, or part of a comment.
    one_kind_of_line_end(text, name)?;
    let mut reader = TextReader {
        name,
        kind,
        metres,
        points: PointsInFile::default(),
        scan: None,
        columns: None,
        headings: Vec::new(),
        reading: None,
        commas: Commas::new(),
        first_point: 0,
        titled: false,
    };
    let mut last = 0;
    for (number, line) in (1..).zip(text.lines()) {
        last = number;
        reader.line(&Line {
            number,
            whole: line.trim_end_matches(['\r', '\n']),
            text: line.trim(),
        })?;
    }
    reader.finish(last)
}

/// A line of the file.
struct Line<'t> {
    number: usize,
    /// With the blanks around it.
    whole: &'t str,
    /// Without them.
    text: &'t str,
}

/// A point as its line has it.
struct PointInLine {
    coordinates: [f64; 3],
    columns: usize,
}

impl<'t> Line<'t> {
    fn heading(&self) -> Heading<'t> {
        Heading {
            line: self.number,
            text: self.text,
        }
    }

    fn is_empty_or_comment(&self) -> bool {
        self.text.is_empty() || self.text.starts_with('#') || self.text.starts_with("//")
    }

    fn is_title(&self) -> bool {
        ["x", "y", "z"]
            .iter()
            .zip(columns_of(self.text))
            .all(|(a, b)| b.eq_ignore_ascii_case(a))
    }

    fn has_one_column(&self) -> bool {
        columns_of(self.text).nth(1).is_none()
    }

    /// Refuses a line whose columns can be told apart in two ways.
    fn has_plain_columns(&self) -> Result<(), Problem> {
        if self.text.contains([' ', '\t', ';']) && has_decimal_comma(self.text) {
            return Err(syntax(
                "a comma within a number",
                "write decimal points; separate columns by one kind of separator",
            ));
        }
        if has_empty_column(self.whole) {
            return Err(syntax(
                "two tabs in a row, or one in front: an empty column, or a wide gap",
                "write one tab between columns",
            ));
        }
        Ok(())
    }

    fn point(&self) -> Result<PointInLine, Problem> {
        let mut coordinates = [0.0; 3];
        let mut columns = 0;
        for (k, word) in columns_of(self.text).enumerate() {
            columns = k + 1;
            let Some(slot) = coordinates.get_mut(k) else {
                continue;
            };
            *slot = coordinate(word).ok_or_else(|| {
                syntax(
                    format!("`{}` is not a number", shown(word)),
                    "a line has x, y and z first, with decimal points; titles stand behind a `#`",
                )
            })?;
        }
        Ok(PointInLine {
            coordinates,
            columns,
        })
    }
}

/// A scan of a PTS file.
struct Scan {
    /// The line that counts it.
    line: usize,
    /// How many points are said to be there.
    count: u64,
    /// How many are still to come.
    left: u64,
}

impl Scan {
    fn begin(line: &Line) -> Result<Self, Problem> {
        let count = line.text.parse().map_err(|_| {
            syntax(
                format!("`{}` is not a number of points", shown(line.text)),
                "a scan in a PTS file begins with it",
            )
        })?;
        Ok(Self {
            line: line.number,
            count,
            left: count,
        })
    }
}

/// What is known of a file, line by line.
struct TextReader<'t> {
    name: &'t Path,
    kind: TextKind,
    metres: f64,
    points: PointsInFile,
    /// The scan that is being read.
    scan: Option<Scan>,
    /// The columns of its points, from the first one on.
    columns: Option<usize>,
    /// The lines in front of its points. Those behind the first point are held against it at once:
    /// where files were joined, they are the heading of the next one.
    headings: Vec<Heading<'t>>,
    reading: Option<ColumnsAsRead>,
    commas: Commas,
    /// The line of its first point.
    first_point: usize,
    /// Whether a line in front of points names all their columns.
    titled: bool,
}

impl<'t> TextReader<'t> {
    fn at(&self, line: usize, problem: Problem) -> ImportError {
        ImportError::at(self.name, line, None, problem)
    }

    fn agrees(&self, heading: &Heading, reading: &ColumnsAsRead) -> Result<(), ImportError> {
        let agrees = heading.agrees(reading);
        agrees.map_err(|problem| self.at(heading.line, problem))
    }

    fn line(&mut self, line: &Line<'t>) -> Result<(), ImportError> {
        let before_points = self.columns.is_none();
        let all_points_read = |scan: &Scan| scan.left == 0;
        if line.is_empty_or_comment() {
            // Of the next scan, perhaps.
            let ahead = before_points || self.scan.as_ref().is_some_and(all_points_read);
            match &self.reading {
                Some(reading) if !ahead => self.agrees(&line.heading(), reading)?,
                _ => self.headings.push(line.heading()),
            }
            return Ok(());
        }
        match self.kind {
            TextKind::Pts
                if line.has_one_column() && self.scan.as_ref().is_none_or(all_points_read) =>
            {
                let scan = Scan::begin(line).map_err(|problem| self.at(line.number, problem))?;
                self.scan = Some(scan);
                self.columns = None;
                Ok(())
            }
            TextKind::Xyz if before_points && line.is_title() => {
                self.headings.push(line.heading());
                Ok(())
            }
            _ => self.add_point(line),
        }
    }

    fn add_point(&mut self, line: &Line) -> Result<(), ImportError> {
        let point = self.point(line);
        let point = point.map_err(|problem| self.at(line.number, problem))?;
        self.commas.look_at(line.text);
        if self.columns.is_none() {
            self.first_point = line.number;
            self.compare_headings(point.columns)?;
        }
        self.columns = Some(point.columns);
        self.points.add(point.coordinates);
        Ok(())
    }

    fn point(&mut self, line: &Line) -> Result<PointInLine, Problem> {
        self.take_from_scan()?;
        line.has_plain_columns()?;
        let point = line.point()?;
        let here = point.columns;
        if here < 3 || self.columns.is_some_and(|columns| columns != here) {
            let cause = match self.columns {
                Some(columns) => format!("{here} columns where lines before have {columns}"),
                None => format!("{here} columns"),
            };
            return Err(syntax(
                cause,
                "every line has x, y and z, and the same number of columns; is the file cut off?",
            ));
        }
        Ok(point)
    }

    /// One of the points that were counted, if they are.
    fn take_from_scan(&mut self) -> Result<(), Problem> {
        match &mut self.scan {
            Some(Scan {
                left: left @ 1.., ..
            }) => *left -= 1,
            None if self.kind == TextKind::Xyz => {}
            _ => {
                return Err(syntax(
                    "here are more points than were counted",
                    "a scan in a PTS file begins with their number",
                ));
            }
        }
        Ok(())
    }

    /// Holds the lines in front of the first point against it.
    fn compare_headings(&mut self, columns: usize) -> Result<(), ImportError> {
        let reading = ColumnsAsRead {
            columns,
            metres: self.metres,
        };
        let headings = std::mem::take(&mut self.headings);
        self.titled |= headings.iter().any(|heading| heading.is_title_of(columns));
        for heading in &headings {
            self.agrees(heading, &reading)?;
        }
        self.reading = Some(reading);
        Ok(())
    }

    /// The points, once all lines are read.
    fn finish(self, last_line: usize) -> Result<PointsInFile, ImportError> {
        if let Some(reading) = &self.reading {
            for heading in &self.headings {
                self.agrees(heading, reading)?;
            }
        }
        if let (Some(problem), false) = (self.commas.doubt(), self.titled) {
            return Err(self.at(self.first_point, problem));
        }
        match (&self.scan, self.kind) {
            (Some(Scan { line, count, left }), _) if *left > 0 => {
                let cause = format!("{left} of {count} points are missing");
                Err(self.at(*line, syntax(cause, "the file is cut off: export it again")))
            }
            (None, TextKind::Pts) => {
                let cause = "a PTS file begins with the number of points";
                let problem = syntax(cause, "name it .xyz if it has none");
                Err(self.at(last_line.max(1), problem))
            }
            _ => Ok(self.points),
        }
    }
}
