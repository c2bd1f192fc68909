//! Units in the text of a coordinate system (WKT, the older and the newer way of writing it): a
//! nest of words with brackets.

use super::StatedUnit;

/// What the text says of the coordinates.
#[derive(Debug, Default, PartialEq)]
pub(super) struct WktUnits {
    /// They are longitude and latitude.
    pub(super) geographic: bool,
    /// Units of length that they are in.
    pub(super) units: Vec<StatedUnit>,
}

/// What holds coordinate systems and is none itself.
const HOLDERS: [&str; 4] = ["COMPD_CS", "COMPOUNDCRS", "BOUNDCRS", "SOURCECRS"];
/// Coordinate systems of lengths.
const OF_LENGTHS: [&str; 14] = [
    "PROJCS",
    "PROJCRS",
    "PROJECTEDCRS",
    "GEOCCS",
    "LOCAL_CS",
    "LOCALCS",
    "ENGCRS",
    "ENGINEERINGCRS",
    "VERT_CS",
    "VERTCS",
    "VERTCRS",
    "VERTICALCRS",
    "GEODCRS",
    "GEODETICCRS",
];
/// Coordinate systems of angles.
const OF_ANGLES: [&str; 3] = ["GEOGCS", "GEOGCRS", "GEOGRAPHICCRS"];

/// A word whose bracket is open, and what stood in it so far.
#[derive(Default)]
struct OpenWord {
    word: String,
    /// The first text in quotes.
    name: String,
    /// The first number.
    number: Option<f64>,
}

/// Reads what stands there; text that is no WKT says nothing.
pub(super) fn read(text: &str) -> WktUnits {
    let mut found = WktUnits::default();
    let mut open: Vec<OpenWord> = Vec::new();
    let mut token = String::new();
    let mut quoted = false;
    for c in text.chars() {
        if quoted {
            quoted = c != '"';
            if quoted {
                token.push(c);
            } else if let Some(word) = open.last_mut()
                && word.name.is_empty()
            {
                word.name = std::mem::take(&mut token);
            }
            continue;
        }
        match c {
            '"' => {
                quoted = true;
                token.clear();
            }
            '[' | '(' => {
                let word = std::mem::take(&mut token).to_ascii_uppercase();
                let holders = open.iter().all(|o| HOLDERS.contains(&o.word.as_str()));
                found.geographic |= holders && OF_ANGLES.contains(&word.as_str());
                open.push(OpenWord {
                    word,
                    ..OpenWord::default()
                });
            }
            ',' | ']' | ')' => {
                if let Some(word) = open.last_mut() {
                    word.number = word.number.or(token.parse().ok());
                }
                token.clear();
                if c != ','
                    && let Some(closed) = open.pop()
                {
                    found.close(closed, &open);
                }
            }
            c if c.is_whitespace() => {}
            c => token.push(c),
        }
    }
    found
}

impl WktUnits {
    /// Takes note of a unit that stands in a coordinate system itself or in one of its axes: others
    /// are those of a parameter or of the ellipsoid.
    fn close(&mut self, closed: OpenWord, open: &[OpenWord]) {
        let around = match open {
            [around @ .., axis] if axis.word == "AXIS" => around,
            around => around,
        };
        let [holders @ .., system] = around else {
            return;
        };
        let is_one = |list: &[&str], word: &OpenWord| list.contains(&word.word.as_str());
        if !holders.iter().all(|word| is_one(&HOLDERS, word)) || !is_one(&OF_LENGTHS, system) {
            return;
        }
        match (closed.word.as_str(), closed.number) {
            ("UNIT" | "LENGTHUNIT", Some(metres)) => self.units.push(StatedUnit {
                name: closed.name,
                metres,
            }),
            ("ANGLEUNIT", _) => self.geographic = true,
            _ => {}
        }
    }
}
