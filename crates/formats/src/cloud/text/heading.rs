//! What the lines before the first point say of its columns: titles, in a comment or not.

use crate::Problem;
use crate::mesh::shown;
use crate::stated_unit;

/// Words in front of a list of columns that are no column.
const LEAD_INS: [&str; 15] = [
    "are", "column", "columns", "each", "field", "fields", "format", "header", "is", "line",
    "order", "point", "points", "row", "the",
];

/// Names of columns of points that are told by angles.
const ANGLES: [&str; 11] = [
    "range",
    "distance",
    "azimuth",
    "elevation",
    "theta",
    "phi",
    "lat",
    "lon",
    "latitude",
    "longitude",
    "inclination",
];

/// A line in front of the points.
pub(super) struct Heading<'a> {
    pub(super) line: usize,
    pub(super) text: &'a str,
}

/// What the points are read as.
pub(super) struct ColumnsAsRead {
    /// Columns of a line.
    pub(super) columns: usize,
    /// Metres of the stated unit.
    pub(super) metres: f64,
}

impl<'a> Heading<'a> {
    /// The words, without the signs of a comment and what leads in to a list.
    fn names(&self) -> Vec<&'a str> {
        let text = self.text.trim_start_matches(['#', '/', ';', '!', '%']);
        let names = text.split_once([':', '=']).map_or(text, |(_, names)| names);
        let words = names.split([' ', '\t', ',', ';']);
        let words = words.filter(|word| !word.is_empty() && !word.starts_with(['[', '(']));
        let is_lead_in = |word: &&str| LEAD_INS.iter().any(|w| word.eq_ignore_ascii_case(w));
        words.skip_while(is_lead_in).collect()
    }

    /// Whether it names every column of the points, x, y and z first.
    pub(super) fn is_title_of(&self, columns: usize) -> bool {
        let names = self.names();
        names.len() == columns && axes(&names) == Some([0, 1, 2])
    }

    /// Refuses points that are read in another way than the line says.
    pub(super) fn agrees(&self, reading: &ColumnsAsRead) -> Result<(), Problem> {
        let names = self.names();
        let others = match axes(&names) {
            Some([x, y, z]) if [x, y, z] != [0, 1, 2] => {
                let near = x.max(y).max(z) == x.min(y).min(z) + 2;
                // A sentence that speaks of x, y and z is no list of columns.
                names.len() == reading.columns || names.len() < reading.columns && near
            }
            Some(_) => false,
            None => named_otherwise(&names, reading.columns),
        };
        if others || self.numbers_other_columns() {
            return Err(Problem::Syntax {
                cause: format!(
                    "`{}` names other columns first than x, y and z",
                    shown(self.text)
                ),
                remedy: "save the columns x, y and z first, in this order; if they are, correct this line"
                    .to_owned(),
            });
        }
        stated_unit::agrees(self.text, reading.metres)
    }
}

impl Heading<'_> {
    /// Whether it is as `column 1: intensity` or `column 2: x`: x, y and z have the numbers 1 to 3,
    /// or 0 to 2.
    fn numbers_other_columns(&self) -> bool {
        let parts = self.text.split(|c: char| !c.is_alphanumeric());
        let mut words = parts.filter(|word| !word.is_empty());
        let leads = words
            .next()
            .is_some_and(|word| is_one_of(word, &["column", "col", "field"]));
        let Some(number) = words.next().and_then(|word| word.parse::<usize>().ok()) else {
            return false;
        };
        let Some(name) = words.next().filter(|_| leads) else {
            return false;
        };
        match ["x", "y", "z"]
            .iter()
            .position(|axis| name.eq_ignore_ascii_case(axis))
        {
            Some(axis) => number != axis && number != axis + 1,
            None => number < 3,
        }
    }
}

/// Whether a list names the columns by other words, and they are not x, y and z: the north before
/// the east, or angles.
fn named_otherwise(names: &[&str], columns: usize) -> bool {
    let index_of = |known: &[&str]| names.iter().position(|name| is_one_of(base(name), known));
    let (north, east) = (index_of(&["northing"]), index_of(&["easting"]));
    let turned = north.is_some_and(|north| east.is_none_or(|east| north < east));
    let letters = names.len() == columns
        && names[0].eq_ignore_ascii_case("n")
        && names[1].eq_ignore_ascii_case("e");
    let angles = names.iter().filter(|name| is_one_of(base(name), &ANGLES));
    turned || letters || angles.count() > 1
}

fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The name of a column without its unit.
fn base(name: &str) -> &str {
    let end = name.find(['[', '(', '_', '/', ':']).unwrap_or(name.len());
    &name[..end]
}

/// Where x, y and z are in a list, if each is there once.
fn axes(names: &[&str]) -> Option<[usize; 3]> {
    let mut indices = [0; 3];
    for (index, axis) in indices.iter_mut().zip(["x", "y", "z"]) {
        let mut found = (0..names.len()).filter(|&k| base(names[k]).eq_ignore_ascii_case(axis));
        *index = found.next()?;
        if found.next().is_some() {
            return None;
        }
    }
    Some(indices)
}
