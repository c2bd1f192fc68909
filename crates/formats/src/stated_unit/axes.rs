//! Units beside the names of the axes: `x[mm]`, `X (mm)`, `x_mm`, `x/mm`, `x y z [mm]`,
//! `coordinates in mm`, `values are mm`, `point cloud (mm)`; and a unit that stands alone.

use super::UnitInLine;
use super::words::{has_other_quantity, is_one_of, words};
use super::{IS, OF_POINTS, UNIT, length_called};

/// Words that may be part of the name of an axis: `pos_x`, `X-Coordinate`.
const OF_AXIS: [&str; 7] = [
    "axis",
    "coord",
    "coordinate",
    "koordinate",
    "point",
    "pos",
    "position",
];
/// Words that stand for all three.
const ALL_AXES: [&str; 13] = [
    "all",
    "coords",
    "coordinate",
    "coordinates",
    "koordinaten",
    "dimensions",
    "length",
    "lengths",
    "positions",
    "values",
    "vertex",
    "vertices",
    "xyz",
];

/// A word between blanks, commas or semicolons, and what stands behind it in brackets.
struct Item<'a> {
    name: &'a str,
    bracket: Option<&'a str>,
}

/// Where a word is the name of an axis: its unit behind a sign, if it has one.
struct Axis<'a> {
    letters: String,
    suffix: Option<UnitInLine<'a>>,
}

/// All units of the axes that a line names.
pub(super) fn units_of_axes(text: &str) -> Vec<UnitInLine<'_>> {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    let alone = bare.strip_prefix("in ").unwrap_or(bare);
    if let Some(alone) = UnitInLine::of(alone.trim_start()) {
        return vec![alone];
    }
    let items = items(text);
    let mut own = Vec::new();
    let mut letters = String::new();
    for (k, item) in items.iter().enumerate() {
        let Some(axis) = axis(item.name) else {
            continue;
        };
        letters += &axis.letters;
        own.extend(axis.suffix);
        own.extend(item.bracket.map(lengths_of_bracket).unwrap_or_default());
        // `x: mm`. The word `in` may go on: `x: in the frame of the hall`.
        let next = items.get(k + 1).map_or("", |next| next.name);
        if item.name.ends_with([':', '=']) && !next.eq_ignore_ascii_case("in") {
            own.extend(UnitInLine::of(next));
        }
    }
    let is_of_all = |name: &str| words(name).iter().any(|w| is_one_of(w.text, &ALL_AXES));
    let all = ['x', 'y', 'z'].iter().all(|&axis| letters.contains(axis));
    let is_of_points = |name: &str| words(name).iter().all(|w| is_one_of(w.text, &OF_POINTS));
    let all = all
        || items.iter().any(|item| is_of_all(item.name))
        || items.iter().all(|item| is_of_points(item.name));
    if !own.is_empty() || !all {
        return own;
    }
    let brackets = items
        .iter()
        .filter(|item| !has_other_quantity(&words(item.name)));
    let brackets = brackets.filter_map(|item| item.bracket);
    let mut found: Vec<_> = brackets.flat_map(lengths_of_bracket).collect();
    found.extend(behind_in(text));
    let behind_sign = text.split_once([':', '=']).map(|(_, value)| value.trim());
    found.extend(behind_sign.and_then(UnitInLine::of));
    found
}

/// The units of `in mm` and `are mm`, but for those of another quantity (`accuracy in mm`).
fn behind_in(text: &str) -> Vec<UnitInLine<'_>> {
    let mut found = Vec::new();
    for clause in text.split([',', ';']) {
        let words = words(clause);
        if has_other_quantity(&words) {
            continue;
        }
        let leads = |word: &str| word.eq_ignore_ascii_case("in") || is_one_of(word, &IS);
        let pairs = words.windows(2);
        let pairs = pairs.filter(|pair| leads(pair[0].text) && !pair[1].is("in"));
        found.extend(pairs.filter_map(|pair| UnitInLine::of(pair[1].text)));
    }
    found
}

fn items(text: &str) -> Vec<Item<'_>> {
    let mut items: Vec<Item> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find([' ', '\t', ',', ';', '[', '(', '{', '<']) {
        push(&mut items, &rest[..at]);
        let sign = &rest[at..=at];
        rest = &rest[at + 1..];
        if !["[", "(", "{", "<"].contains(&sign) {
            continue;
        }
        let end = rest.find([']', ')', '}', '>']).unwrap_or(rest.len());
        let bracket = Some(&rest[..end]);
        rest = rest.get(end + 1..).unwrap_or_default();
        match items.last_mut() {
            Some(item) if item.bracket.is_none() => item.bracket = bracket,
            _ => items.push(Item { name: "", bracket }),
        }
    }
    push(&mut items, rest);
    items
}

fn push<'a>(items: &mut Vec<Item<'a>>, name: &'a str) {
    if name.contains(char::is_alphanumeric) {
        let bracket = None;
        items.push(Item { name, bracket });
    }
}

fn axis(name: &str) -> Option<Axis<'_>> {
    let mut axis = Axis {
        letters: String::new(),
        suffix: None,
    };
    let parts = name.split(|c: char| !c.is_alphanumeric());
    for part in parts.filter(|part| !part.is_empty()) {
        if is_one_of(part, &["x", "y", "z", "xyz"]) {
            axis.letters += &part.to_lowercase();
        } else if let Some(unit) = UnitInLine::of(part) {
            axis.suffix = Some(unit);
        } else if !is_one_of(part, &OF_AXIS) {
            return None;
        }
    }
    (!axis.letters.is_empty()).then_some(axis)
}

/// The units in brackets, if there is nothing else: `m`, `in m`, `m, m, m`, `unit: m`.
fn lengths_of_bracket(bracket: &str) -> Vec<UnitInLine<'_>> {
    if let Some(whole) = UnitInLine::of(bracket.trim()) {
        return vec![whole];
    }
    let words = words(bracket);
    let goes_with = |word: &str| is_one_of(word, &UNIT) || is_one_of(word, &["in", "all"]);
    let known = words
        .iter()
        .all(|word| goes_with(word.text) || length_called(word.text).is_some());
    let units = words.iter().filter(|word| known && !goes_with(word.text));
    units.filter_map(|word| UnitInLine::of(word.text)).collect()
}
