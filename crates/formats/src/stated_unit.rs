//! The unit of length that a comment or a heading of a cloud or a mesh states: `unit: mm`, `x[mm]`,
//! `x y z (mm)`, `coordinates in mm`. That of a cloud must be that of the cell.

mod axes;
#[cfg(test)]
mod tests;
mod words;

use self::axes::units_of_axes;
use self::words::{Word, has_other_quantity, is_one_of, words};
use crate::Problem;
use crate::error::shown;
use crate::units::length_called;

/// What the unit of a line is called.
const UNIT: [&str; 17] = [
    "unit",
    "units",
    "lengthunit",
    "lengthunits",
    "uom",
    "einheit",
    "einheiten",
    "längeneinheit",
    "laengeneinheit",
    "maßeinheit",
    "masseinheit",
    "unité",
    "unités",
    "unidad",
    "unidades",
    "unità",
    "eenheid",
];
/// Words beside these that leave it a unit of the points.
const OF_POINTS: [&str; 28] = [
    "a",
    "all",
    "base",
    "cloud",
    "coordinate",
    "coordinates",
    "data",
    "default",
    "distance",
    "file",
    "for",
    "length",
    "lengths",
    "linear",
    "map",
    "measurement",
    "of",
    "output",
    "point",
    "points",
    "position",
    "positions",
    "scan",
    "the",
    "x",
    "xyz",
    "y",
    "z",
];
const IS: [&str; 4] = ["is", "are", "ist", "sind"];
/// Who writes this does not say which unit it is.
const UNKNOWN: [&str; 7] = [
    "unknown",
    "none",
    "arbitrary",
    "undefined",
    "unspecified",
    "unbekannt",
    "n/a",
];

/// A unit of length as a line states it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct UnitInLine<'a> {
    /// As it is written.
    pub word: &'a str,
    /// Its length.
    pub metres: f64,
}

impl<'a> UnitInLine<'a> {
    fn of(word: &'a str) -> Option<Self> {
        length_called(word).map(|metres| Self { word, metres })
    }

    fn is(&self, metres: f64) -> bool {
        (self.metres / metres - 1.0).abs() <= 1e-7
    }
}

/// Refuses a line that states another unit than this one, in metres.
pub(crate) fn agrees(line: &str, metres: f64) -> Result<(), Problem> {
    let text = without_signs(line);
    let of_line = unit_line(text).map_err(|NotUnderstood| not_understood(line))?;
    let other = match of_line.first() {
        Some(first) if !of_line.iter().any(|stated| stated.is(metres)) => Some(*first),
        _ => None,
    };
    let of_axes = || (units_of_axes(text).into_iter()).find(|stated| !stated.is(metres));
    match other.or_else(of_axes) {
        None => Ok(()),
        Some(other) => Err(Problem::Syntax {
            cause: format!(
                "`{}` says that lengths are in `{}` ({} m), and the cell says {metres} m with `unit`",
                shown(line),
                shown(other.word),
                other.metres
            ),
            remedy: "correct `unit`, or this line".to_owned(),
        }),
    }
}

/// The unit of a line that states another one than metres, and is understood.
pub(crate) fn other_than_metres(line: &str) -> Option<UnitInLine<'_>> {
    let text = without_signs(line);
    let of_line = unit_line(text).unwrap_or_default();
    let stated = if of_line.is_empty() {
        units_of_axes(text)
    } else {
        of_line
    };
    let in_metres = stated.iter().any(|unit| unit.is(1.0));
    stated.first().copied().filter(|_| !in_metres)
}

/// A line without what makes it a comment.
fn without_signs(line: &str) -> &str {
    line.trim_start_matches(['#', '/', ';', '!', '%', ' ', '\t'])
}

/// A line states a unit, and not one that is known.
struct NotUnderstood;

fn not_understood(line: &str) -> Problem {
    Problem::Syntax {
        cause: format!(
            "`{}` speaks of a unit, and names no unit of length that is known",
            shown(line)
        ),
        remedy: "write it as in `unit: mm`; if it means something else, leave the line out"
            .to_owned(),
    }
}

/// The units of a line that speaks of one. Of several, which one is meant is not known.
fn unit_line(text: &str) -> Result<Vec<UnitInLine<'_>>, NotUnderstood> {
    let words = words(text);
    let Some(at) = words.iter().position(|word| is_one_of(word.text, &UNIT)) else {
        return Ok(Vec::new());
    };
    // What is said of something else may stand in front: `tolerance 0.1 mm, units: m`.
    let clause = text[..words[at].start].rfind([',', ';']).unwrap_or(0);
    let before = &words[words.partition_point(|word| word.start < clause)..at];
    if has_other_quantity(before) {
        return Ok(Vec::new());
    }
    // `of coordinates` belongs to the name still.
    let behind = words[at + 1..].iter();
    let named = behind.take_while(|word| is_one_of(word.text, &OF_POINTS));
    let mut next = at + 1 + named.count();
    let end = words.get(next).map_or(text.len(), |word| word.start);
    let mut has_sign = text[words[next - 1].end..end].contains([':', '=', '[', '(', '{', '<']);
    while words
        .get(next)
        .is_some_and(|word| is_one_of(word.text, &IS))
    {
        has_sign = true;
        next += 1;
    }
    let Some(first) = words.get(next) else {
        return Ok(Vec::new());
    };
    let value = &text[first.start..];
    let begins = before.iter().all(|word| is_one_of(word.text, &OF_POINTS));
    let found = if has_sign {
        value_behind_sign(value).into_iter().collect()
    } else if begins {
        value_in_words(value)
    } else {
        Vec::new()
    };
    if !found.is_empty() || !begins || says_nothing(value, has_sign) {
        Ok(found)
    } else {
        Err(NotUnderstood)
    }
}

/// The unit of `mm`, `m, deg`, `mm (millimetres)`, `0.001 m`, `0.001`.
fn value_behind_sign(value: &str) -> Option<UnitInLine<'_>> {
    let bare = value.trim_matches(|c: char| !c.is_alphanumeric());
    if let Ok(metres) = bare.parse::<f64>() {
        return Some(UnitInLine { word: bare, metres });
    }
    let words = words(value);
    if let [number, unit, ..] = &words[..]
        && let Ok(count) = number.text.parse::<f64>()
        && let Some(stated) = UnitInLine::of(unit.text)
    {
        let word = &value[number.start..unit.end];
        let metres = count * stated.metres;
        return Some(UnitInLine { word, metres });
    }
    let first = (!words.is_empty()).then(|| length_at(value, &words, 0));
    let first = first.flatten().map(|(stated, _)| stated);
    first.or_else(|| lengths(value).into_iter().next())
}

/// The units of what follows `unit` without a sign: the first word, or any if that is none.
fn value_in_words(value: &str) -> Vec<UnitInLine<'_>> {
    let words = words(value);
    let first = words.iter().take(2).position(|word| !word.is("in"));
    match first.and_then(|first| length_at(value, &words, first)) {
        Some((stated, _)) => vec![stated],
        None => lengths(value),
    }
}

/// The units of length among the words, but for those of another quantity (`accuracy 2 mm`), and
/// those behind a number.
fn lengths(value: &str) -> Vec<UnitInLine<'_>> {
    let mut found = Vec::new();
    for clause in value.split([',', ';']) {
        let words = words(clause);
        if has_other_quantity(&words) {
            continue;
        }
        let mut at = 0;
        while at < words.len() {
            let counted = at > 0 && words[at - 1].text.parse::<f64>().is_ok();
            let Some((stated, many)) = length_at(clause, &words, at).filter(|_| !counted) else {
                at += 1;
                continue;
            };
            found.push(stated);
            at += many;
        }
    }
    found
}

/// The unit that begins at a word, and how many words it has: `us survey foot` has three.
fn length_at<'a>(
    clause: &'a str,
    words: &[Word<'a>],
    at: usize,
) -> Option<(UnitInLine<'a>, usize)> {
    let rest = &words[at..];
    // The inch, or the word of `in metres`.
    if rest[0].is("in") && rest.len() > 1 {
        return None;
    }
    let found = (1..=rest.len().min(3)).rev().find_map(|many| {
        let whole = &clause[rest[0].start..rest[many - 1].end];
        UnitInLine::of(whole).map(|stated| (stated, many))
    });
    let (stated, many) = found?;
    let behind = &clause[rest[many - 1].end..];
    let next = rest.get(many);
    // `m/s` is none.
    let quotient = behind.starts_with('/') && next.is_some_and(|w| length_called(w.text).is_none());
    (!quotient && !behind.starts_with('^')).then_some((stated, many))
}

/// Whether what follows `unit` can be no unit of length: `unit 3 of plant`, `unit B`, `unit:
/// unknown`, `units of intensity: mm`.
fn says_nothing(value: &str, has_sign: bool) -> bool {
    let clauses = || value.split([',', ';']).map(words);
    let words = words(value);
    let unknown = words.iter().any(|word| is_one_of(word.text, &UNKNOWN))
        || is_one_of(value.trim(), &UNKNOWN);
    if unknown || clauses().all(|clause| has_other_quantity(&clause)) {
        return true;
    }
    let a_name =
        |word: &Word| word.text.len() == 1 || word.text.contains(|c: char| c.is_ascii_digit());
    !has_sign && (words.len() > 1 || words.iter().all(a_name))
}
