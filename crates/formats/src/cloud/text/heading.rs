//! What the lines before the first point say of its columns: titles, in a comment or not.

use crate::Problem;
use crate::mesh::shown;
use crate::stated_unit;

/// Words in front of a list of columns that are no column.
const LEAD_INS: [&str; 9] = [
    "column", "columns", "field", "fields", "format", "header", "order", "point", "points",
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
        if let Some([x, y, z]) = axes(&names)
            && [x, y, z] != [0, 1, 2]
        {
            let near = x.max(y).max(z) == x.min(y).min(z) + 2;
            // A sentence that speaks of x, y and z is no list of columns.
            if names.len() == reading.columns || names.len() < reading.columns && near {
                return Err(Problem::Syntax {
                    cause: format!(
                        "`{}` names other columns first than x, y and z",
                        shown(self.text)
                    ),
                    remedy: "save the columns x, y and z first, in this order; if they are, correct this line"
                        .to_owned(),
                });
            }
        }
        stated_unit::agrees(self.text, reading.metres)
    }
}

/// The name of a column without its unit.
fn base(name: &str) -> &str {
    let end = name.find(['[', '(', '_', '/', ':']).unwrap_or(name.len());
    &name[..end]
}

/// Where x, y and z are in a list, if each is there once.
fn axes(names: &[&str]) -> Option<[usize; 3]> {
    let mut places = [0; 3];
    for (place, axis) in places.iter_mut().zip(["x", "y", "z"]) {
        let mut found = (0..names.len()).filter(|&k| base(names[k]).eq_ignore_ascii_case(axis));
        *place = found.next()?;
        if found.next().is_some() {
            return None;
        }
    }
    Some(places)
}
