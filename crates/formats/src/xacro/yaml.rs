//! YAML as `load_yaml` of xacro reads it: plain words stand for what YAML 1.1 takes them for, and
//! units have tags.

use std::collections::HashMap;
use std::rc::Rc;

use granit_parser::{Event, Parser, ScalarStyle, Tag};

use super::EvaluationError;
use super::budget::ExpansionBudget;
use super::evaluate::Evaluator;
use super::names::NameLookup;
use super::parser;
use super::value::{PythonValue, float, int};

/// How deep a file may nest.
const MOST_NESTED: usize = 40;

/// The message about `<<`.
const MERGE: &str = "the key `<<`, which takes over the keys of another map";

/// A text with its line, where it has one.
pub(super) struct Unread {
    pub(super) line: Option<usize>,
    pub(super) why: EvaluationError,
}

/// An open node: a list, or a map with the key that waits for its value.
enum Open {
    List(Vec<PythonValue>),
    Map {
        entries: Vec<(PythonValue, PythonValue)>,
        key: Option<PythonValue>,
    },
}

/// The first document of a text. `names` evaluates what stands behind tags of units.
pub(super) fn read(text: &str, names: &mut dyn NameLookup) -> Result<PythonValue, Unread> {
    let mut open: Vec<(Open, usize)> = Vec::new();
    let mut anchors: HashMap<usize, PythonValue> = HashMap::new();
    let mut whole = None;
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|e| Unread {
            line: Some(e.marker().line()),
            why: e.info(),
        })?;
        let line = Some(span.start.line());
        let failed = |why: EvaluationError| Unread { line, why };
        names.budget().spend(16).map_err(failed)?;
        let done = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag.as_deref();
                Some((scalar(&text, style, tag, names).map_err(failed)?, anchor))
            }
            Event::Alias(anchor) => match anchors.get(&anchor) {
                Some(value) => Some((value.clone(), 0)),
                None => return Err(failed("an alias of what it stands in".into())),
            },
            Event::SequenceStart(_, anchor, tag) => {
                untagged(tag.as_deref()).map_err(failed)?;
                open.push((Open::List(Vec::new()), anchor));
                None
            }
            Event::MappingStart(_, anchor, tag) => {
                untagged(tag.as_deref()).map_err(failed)?;
                let map = Open::Map {
                    entries: Vec::new(),
                    key: None,
                };
                open.push((map, anchor));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some((Open::List(items), anchor)) => {
                    Some((PythonValue::List(items.into()), anchor))
                }
                Some((Open::Map { entries, .. }, anchor)) => {
                    Some((PythonValue::Dict(entries.into()), anchor))
                }
                None => None,
            },
            Event::DocumentStart(..) => {
                documents += 1;
                if documents > 1 {
                    return Err(failed("a second document".to_owned()));
                }
                None
            }
            _ => None,
        };
        if open.len() > MOST_NESTED {
            return Err(failed(format!("nested more than {MOST_NESTED} deep")));
        }
        let Some((value, anchor)) = done else {
            continue;
        };
        if anchor > 0 {
            anchors.insert(anchor, value.clone());
        }
        match open.last_mut() {
            None => whole = Some(value),
            Some((Open::List(items), _)) => items.push(value),
            Some((Open::Map { entries, key }, _)) => {
                entry(entries, key, value, names.budget()).map_err(failed)?;
            }
        }
    }
    Ok(whole.unwrap_or(PythonValue::None))
}

fn entry(
    entries: &mut Vec<(PythonValue, PythonValue)>,
    key: &mut Option<PythonValue>,
    value: PythonValue,
    budget: &mut ExpansionBudget,
) -> Result<(), EvaluationError> {
    if let Some(key) = key.take() {
        // As Python reads it: of a key that stands twice the last one counts.
        for (known, old) in entries.iter_mut() {
            if known.equals(&key, budget)? {
                *old = value;
                return Ok(());
            }
        }
        entries.push((key, value));
        return Ok(());
    }
    if !matches!(
        value,
        PythonValue::Text(_) | PythonValue::Int(_) | PythonValue::Bool(_)
    ) {
        return Err(format!("{} as a key", value.kind()));
    }
    if matches!(&value, PythonValue::Text(t) if &**t == "<<") {
        return Err(MERGE.to_owned());
    }
    *key = Some(value);
    Ok(())
}

fn untagged(tag: Option<&Tag>) -> Result<(), EvaluationError> {
    match tag {
        None => Ok(()),
        Some(tag) => Err(format!("the tag `{}`", tag.original())),
    }
}

fn scalar(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Tag>,
    names: &mut dyn NameLookup,
) -> Result<PythonValue, EvaluationError> {
    names.budget().spend(text.len() as u64)?;
    if let Some(tag) = tag {
        if tag.is_yaml_core_schema_tag("str") {
            return Ok(PythonValue::text(text));
        }
        let factor = match tag.original().as_str() {
            "!radians" | "!meters" => 1.0,
            "!degrees" => std::f64::consts::PI / 180.0,
            "!millimeters" => 0.001,
            "!foot" => 0.3048,
            "!inches" => 0.0254,
            other => return Err(format!("the tag `{other}`")),
        };
        let expression = parser::parse(text)?;
        let bound = Vec::new();
        let value = Evaluator { names, bound }.value(&expression)?;
        let number = match &value {
            PythonValue::Text(text) => float(text),
            value => value.number().map(super::value::PythonNumber::float),
        };
        let number = number.ok_or_else(|| format!("`{text}` is not a number"))?;
        return Ok(PythonValue::Float(number * factor));
    }
    match style {
        ScalarStyle::Plain => plain(text),
        _ => Ok(PythonValue::text(text)),
    }
}

/// A word without quotes.
fn plain(text: &str) -> Result<PythonValue, EvaluationError> {
    let text: Rc<str> = text.into();
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(PythonValue::None),
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => {
            return Ok(PythonValue::Bool(true));
        }
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => {
            return Ok(PythonValue::Bool(false));
        }
        "<<" => return Err(MERGE.to_owned()),
        ".nan" | ".NaN" | ".NAN" | "=" => return Err(format!("the value `{text}`")),
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(&text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Err(format!("the value `{text}`"));
    }
    let begins = unsigned.strip_prefix('.').unwrap_or(unsigned);
    if !begins.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(PythonValue::Text(text));
    }
    if is_date(&text) {
        return Ok(PythonValue::Date);
    }
    if let Some(number) = int(&text) {
        // 010 is 8 to a reader of YAML 1.1, and 10 to one of YAML 1.2.
        return if unsigned.len() > 1 && unsigned.starts_with('0') {
            Err(format!("the number `{text}` with a zero in front"))
        } else {
            Ok(PythonValue::Int(number))
        };
    }
    let has_point = text.contains('.');
    // YAML 1.1 wants a sign behind `e`; without one, or without a point, it is a text there and a
    // number elsewhere.
    if let Some(number) = float(&text) {
        let exponent = text.split_once(['e', 'E']).map(|(_, exponent)| exponent);
        let signed = exponent.is_none_or(|e| e.starts_with(['+', '-']));
        // So are `-.5` and `+.5`; `.5` is a number to all.
        let bare = unsigned.starts_with('.') && unsigned.len() < text.len();
        return if has_point && signed && !bare {
            Ok(PythonValue::Float(number))
        } else {
            Err(format!(
                "the number `{text}`, a text to some readers of YAML; write it with a digit in front of a point, and a sign behind `e`"
            ))
        };
    }
    let number_like = text
        .chars()
        .all(|c| c.is_ascii_hexdigit() || matches!(c, '+' | '-' | '_' | ':' | '.' | 'x' | 'o'));
    let bits = unsigned.strip_prefix("0b").unwrap_or_default();
    let is_binary = !bits.is_empty() && bits.bytes().all(|b| matches!(b, b'0' | b'1' | b'_'));
    if is_binary || number_like && text.contains(['_', ':', 'x', 'o']) {
        // 1_000, 1:30, 0x1f, 0b11: numbers to some readers.
        Err(format!(
            "the value `{text}`, a number to some readers of YAML; put it into quotes or write it plainly"
        ))
    } else {
        Ok(PythonValue::Text(text))
    }
}

/// Whether a word is a date or a time for readers of YAML 1.1: `2001-01-31`, or with hours behind
/// it. What has the form of a date and is none (month 13) they refuse.
fn is_date(text: &str) -> bool {
    let digits = |text: &str, of: std::ops::RangeInclusive<usize>| {
        of.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
    };
    let mut parts = text.splitn(3, '-');
    let (Some(year), Some(month), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let day = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (day, time) = rest.split_at(day);
    let hours = time.trim_start_matches(['T', 't', ' ', '\t']);
    let mut clock = hours.split(':');
    let is_time = hours.len() < time.len()
        && clock.next().is_some_and(|hour| digits(hour, 1..=2))
        && clock.next().is_some_and(|minute| digits(minute, 2..=2))
        && clock
            .next()
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    digits(year, 4..=4)
        && digits(month, 1..=2)
        && digits(day, 1..=2)
        && (time.is_empty() && month.len() == 2 && day.len() == 2 || is_time)
}
