//! A YAML or JSON document as a tree in which everything knows its place.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::NonFiniteFloatPolicy;
use serde_saphyr::{Options, Spanned};

/// A value and where it stands (1-based).
#[derive(Debug)]
pub struct Node {
    pub line: usize,
    pub column: usize,
    pub kind: Kind,
}

/// What stands there.
#[derive(Debug)]
pub enum Kind {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

impl Node {
    /// The value of a key, unless it is absent or null.
    pub fn get(&self, key: &str) -> Option<&Node> {
        let Kind::Map(entries) = &self.kind else {
            return None;
        };
        entries
            .iter()
            .find(|(k, _)| matches!(&k.kind, Kind::Text(t) if t == key))
            .map(|(_, value)| value)
            .filter(|value| !matches!(value.kind, Kind::Null))
    }

    /// What it is, for errors.
    pub fn word(&self) -> String {
        match &self.kind {
            Kind::Null => "nothing".into(),
            Kind::Bool(_) => "true or false".into(),
            Kind::Number(x) => format!("the number {x}"),
            Kind::Text(t) => format!("the text `{}`", t.chars().take(40).collect::<String>()),
            Kind::List(_) => "a list".into(),
            Kind::Map(_) => "a group of keys".into(),
        }
    }
}

/// What a document cannot be read for.
pub struct Unreadable {
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub cause: String,
}

/// The documents in a YAML text (JSON without tabs is a part of YAML).
pub fn documents(text: &str) -> Result<Vec<Node>, Unreadable> {
    serde_saphyr::from_multiple_with_options::<Node>(text, options(text.len())).map_err(|e| {
        let place = e.location();
        Unreadable {
            line: place.map(|p| p.line() as usize).filter(|l| *l > 0),
            column: place.map(|p| p.column() as usize).filter(|c| *c > 0),
            cause: one_line(&e.without_snippet().to_string()),
        }
    })
}

/// The reader's default budget stops at 250,000 values, fewer than a long program has. A text without aliases cannot hold
/// more values than bytes; aliases keep their own limits, so that a small file cannot grow large.
fn options(bytes: usize) -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            // Messages of ROS nest less than ten deep; the stack of a thread holds more than these, in any build.
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
    let mut letters = cause.chars();
    letters.next().map_or_else(String::new, |c| {
        c.to_lowercase().chain(letters).collect::<String>()
    })
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Kind>::deserialize(deserializer)?;
        Ok(Node {
            line: spanned.referenced.line() as usize,
            column: spanned.referenced.column() as usize,
            kind: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindVisitor)
    }
}

struct KindVisitor;

impl<'de> Visitor<'de> for KindVisitor {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Kind, E> {
        Ok(Kind::Null)
    }

    fn visit_none<E>(self) -> Result<Kind, E> {
        Ok(Kind::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Kind, D::Error> {
        Kind::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Kind, E> {
        Ok(Kind::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Kind, E> {
        Ok(Kind::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Kind, E> {
        Ok(Kind::Number(value as f64))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Kind, E> {
        Ok(Kind::Number(value as f64))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Kind, E> {
        Ok(Kind::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Kind, E> {
        Ok(Kind::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Kind, E> {
        Ok(Kind::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Kind, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Kind::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Kind, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(Kind::Map(map))
    }
}
