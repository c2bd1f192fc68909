//! A YAML or JSON document as a tree in which everything knows its place.

use std::collections::BTreeMap;
use std::fmt;

use granit_parser::{Event, Parser, Tag};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::NonFiniteFloatPolicy;
use serde_saphyr::{Options, Spanned};

use crate::lines::{LONE_RETURN, lone_return};

/// The cause where something has a tag.
const TAG: &str = "a tag such as `!degrees` is not read here; write numbers, in radians or metres";

/// A value and where it stands (1-based); a message that is not text has no lines.
#[derive(Debug)]
pub struct ProgramNode {
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub kind: NodeKind,
}

/// The value at a place.
#[derive(Debug)]
pub enum NodeKind {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<ProgramNode>),
    Map(Vec<(ProgramNode, ProgramNode)>),
}

impl ProgramNode {
    /// The value of a key, unless it is absent or null.
    pub fn get(&self, key: &str) -> Option<&ProgramNode> {
        let NodeKind::Map(entries) = &self.kind else {
            return None;
        };
        entries
            .iter()
            .find(|(k, _)| match &k.kind {
                NodeKind::Text(t) => t == key,
                // YAML takes the `y` of a point for a yes.
                NodeKind::Bool(true) => key == "y",
                _ => false,
            })
            .map(|(_, value)| value)
            .filter(|value| !matches!(value.kind, NodeKind::Null))
    }

    /// That none of its numbers is one of these words.
    fn without_octal(&self, octal: &BTreeMap<(usize, usize), &str>) -> Result<(), Unreadable> {
        match &self.kind {
            NodeKind::Number(_) => match self.line.zip(self.column).and_then(|at| octal.get(&at)) {
                Some(word) => Err(Unreadable {
                    line: self.line,
                    column: self.column,
                    cause: format!(
                        "`{word}` is to the base of 8 for some readers of YAML and to the base of 10 for others: write it \
                         without the zero in front"
                    ),
                }),
                None => Ok(()),
            },
            NodeKind::List(items) => items.iter().try_for_each(|item| item.without_octal(octal)),
            NodeKind::Map(entries) => entries.iter().try_for_each(|(key, value)| {
                key.without_octal(octal)?;
                value.without_octal(octal)
            }),
            NodeKind::Null | NodeKind::Bool(_) | NodeKind::Text(_) => Ok(()),
        }
    }

    /// Its kind, for errors.
    pub fn word(&self) -> String {
        match &self.kind {
            NodeKind::Null => "nothing".into(),
            NodeKind::Bool(_) => "true or false".into(),
            NodeKind::Number(x) => format!("the number {x}"),
            NodeKind::Text(t) => format!("the text `{}`", t.chars().take(40).collect::<String>()),
            NodeKind::List(_) => "a list".into(),
            NodeKind::Map(_) => "a group of keys".into(),
        }
    }
}

/// The reason why a document cannot be read.
pub struct Unreadable {
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub cause: String,
}

/// The documents in a YAML text (JSON without tabs is a part of YAML).
pub fn documents(text: &str) -> Result<Vec<ProgramNode>, Unreadable> {
    let options = options(text.len());
    let read = serde_saphyr::from_multiple_with_options::<ProgramNode>(text, options);
    let documents = read.map_err(|e| {
        let place = e.location();
        Unreadable {
            line: place.map(|p| p.line() as usize).filter(|l| *l > 0),
            column: place.map(|p| p.column() as usize).filter(|c| *c > 0),
            cause: one_line(&e.without_snippet().to_string()),
        }
    })?;
    // Here the reader ends a line there, and others do not: it would also hide numbers below.
    if let Some(line) = lone_return(text) {
        return Err(Unreadable {
            line: Some(line),
            column: None,
            cause: LONE_RETURN.to_owned(),
        });
    }
    if text.contains('!') {
        without_tags(text)?;
    }
    let octal = octal_words(text);
    if !octal.is_empty() {
        for document in &documents {
            document.without_octal(&octal)?;
        }
    }
    Ok(documents)
}

/// That nothing has a tag such as `!degrees`, over most of which the reader passes in silence. Tags of
/// YAML itself and of Python (`!!python/tuple`) say what stands there anyway.
fn without_tags(text: &str) -> Result<(), Unreadable> {
    for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
        let (Event::Scalar(_, _, _, tag)
        | Event::SequenceStart(_, _, tag)
        | Event::MappingStart(_, _, tag)) = &event
        else {
            continue;
        };
        if let Some(tag) = tag
            && !is_common(tag)
        {
            let at = span.tag_start().unwrap_or(span.start);
            return Err(Unreadable {
                line: Some(at.line()),
                column: Some(at.col() + 1),
                cause: TAG.to_owned(),
            });
        }
    }
    Ok(())
}

fn is_common(tag: &Tag) -> bool {
    let of_python = || tag.suffix().starts_with("python/");
    let of_yaml = || {
        matches!(
            tag.suffix(),
            "binary" | "timestamp" | "merge" | "omap" | "set"
        )
    };
    tag.core_suffix().is_some()
        || tag.original() == "!"
        || tag.original_handle() == "!!" && (of_python() || of_yaml())
}

/// The words that are whole numbers to the base of 8 for readers of YAML 1.1 and to the base of 10
/// for those of YAML 1.2, by line and column; also those in comments and in texts.
fn octal_words(text: &str) -> BTreeMap<(usize, usize), &str> {
    let mut found = BTreeMap::new();
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '{' | '}' | ':');
    for (index, line) in text.lines().enumerate() {
        // Nearly no line has a number with a zero in front.
        let bytes = line.as_bytes();
        let begins = |k: usize| k == 0 || !matches!(bytes[k - 1], b'.' | b'0'..=b'9');
        let mut pairs = bytes.windows(2).enumerate();
        if !pairs.any(|(k, pair)| pair[0] == b'0' && pair[1].is_ascii_digit() && begins(k)) {
            continue;
        }
        let mut column = 1;
        for part in line.split_inclusive(ends) {
            let word = part.trim_end_matches(ends);
            let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
            let octal = digits.starts_with('0') && digits.bytes().all(|b| matches!(b, b'0'..=b'7'));
            // Eight and above are written otherwise to the two bases.
            if octal && digits.trim_start_matches('0').len() > 1 {
                found.insert((index + 1, column), word);
            }
            column += part.chars().count();
        }
    }
    found
}

/// The reader's default budget stops at 250,000 values, fewer than a long program has. A text
/// without aliases cannot hold more values than bytes; aliases keep their own limits, so that a
/// small file cannot grow large.
fn options(bytes: usize) -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            // Messages of ROS nest less than ten deep; the stack of a thread holds more than these,
            // in any build.
            max_depth: 24,
            max_nodes: bytes.saturating_add(1000),
            max_events: bytes.saturating_mul(3).saturating_add(1000),
            max_total_scalar_bytes: bytes.saturating_mul(2).saturating_add(1000),
        },
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    }
}

/// The first line of a message, lower case, without the place that is reported anyway.
fn one_line(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let cause = first.split(" at line ").next().unwrap_or(first);
    // What the library says to those who call it.
    let cause = cause.split(", set ").next().unwrap_or(cause);
    let cause = match cause.strip_prefix("duplicate mapping key: ") {
        Some(key) => &format!("`{key}` is there twice"),
        // As `!degrees` of xacro and of some files of ROS.
        None if cause.contains("tagged scalar") || cause.starts_with("unsupported tag") => TAG,
        None => cause,
    };
    let mut letters = cause.chars();
    letters.next().map_or_else(String::new, |c| {
        c.to_lowercase().chain(letters).collect::<String>()
    })
}

impl<'de> Deserialize<'de> for ProgramNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<NodeKind>::deserialize(deserializer)?;
        let place = spanned.referenced;
        Ok(ProgramNode {
            line: Some(place.line() as usize).filter(|l| *l > 0),
            column: Some(place.column() as usize).filter(|c| *c > 0),
            kind: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for NodeKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindVisitor)
    }
}

struct KindVisitor;

impl<'de> Visitor<'de> for KindVisitor {
    type Value = NodeKind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<NodeKind, E> {
        Ok(NodeKind::Null)
    }

    fn visit_none<E>(self) -> Result<NodeKind, E> {
        Ok(NodeKind::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<NodeKind, D::Error> {
        NodeKind::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<NodeKind, E> {
        Ok(NodeKind::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<NodeKind, E> {
        Ok(NodeKind::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<NodeKind, E> {
        Ok(NodeKind::Number(value as f64))
    }

    fn visit_i128<E>(self, value: i128) -> Result<NodeKind, E> {
        Ok(NodeKind::Number(value as f64))
    }

    fn visit_u128<E>(self, value: u128) -> Result<NodeKind, E> {
        Ok(NodeKind::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<NodeKind, E> {
        Ok(NodeKind::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<NodeKind, E> {
        Ok(NodeKind::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<NodeKind, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(NodeKind::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<NodeKind, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(NodeKind::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Catches degrees that are read as radians: the reader passes over most tags.
    #[test]
    fn what_has_a_tag_of_its_own_is_refused() {
        for text in [
            "positions: !degrees [10, 20]\n",
            "positions: !degrees\n- 10\n- 20\n",
            "points: [!degrees {a: 10}]\n",
            "points: !<degrees> [10]\n",
            "positions: [!degrees 10]\n",
            "positions: [!deg 10]\n",
            "positions: [!!degrees 10]\n",
            "%TAG !u! tag:example.com:\n---\npositions: [!u!degrees 10]\n",
        ] {
            let cause = documents(text).err().map(|e| e.cause);
            assert!(
                cause.as_ref().is_some_and(|c| c.contains("a tag")),
                "{text}: {cause:?}"
            );
        }
        let plain = "a: !!python/tuple [10, 20]\nb: !!seq [1]\nc: '!degrees [1]' # !degrees\nd: !!float 1\n";
        let read = documents(plain).map_err(|e| e.cause);
        assert_eq!(read.map(|d| d.len()), Ok(1));
    }
}
