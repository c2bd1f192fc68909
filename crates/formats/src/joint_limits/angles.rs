//! Angles with the tags that ROS has for them: `max_velocity: !degrees 120`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use granit_parser::{Event, Parser, ScalarStyle};

use crate::program::node::{NodeKind, ProgramNode};

const DEGREES: &str = "!degrees";
const RADIANS: &str = "!radians";

/// The tags of angles in a file, by line and column of what stands behind them.
#[derive(Default)]
pub(super) struct AngleTags {
    by_place: BTreeMap<(usize, usize), AngleTag>,
    /// The line of an alias, if there is one: its value would have no tag where it is repeated.
    alias: Option<usize>,
}

struct AngleTag {
    radians: f64,
    is_of_number: bool,
}

/// The reason why tags of angles cannot be read.
pub(super) struct WrongTag {
    pub(super) line: usize,
    pub(super) cause: &'static str,
    pub(super) remedy: &'static str,
}

/// The text with blanks in place of the tags of angles, so that everything else keeps its place, and
/// the tags. Whether the text is YAML its reader finds out.
pub(super) fn without_tags(text: &str) -> (Cow<'_, str>, AngleTags) {
    let mut tags = AngleTags::default();
    let mut blank: Option<String> = None;
    if !text.contains(DEGREES) && !text.contains(RADIANS) {
        return (text.into(), tags);
    }
    for event in Parser::new_from_str(text) {
        let Ok((event, span)) = event else {
            break;
        };
        let Event::Scalar(_, ScalarStyle::Plain, ..) = event else {
            if matches!(event, Event::Alias(_)) {
                tags.alias = tags.alias.or(Some(span.start.line()));
            }
            continue;
        };
        let Some(tag) = span.tag_span().and_then(|tag| tag.byte_range()) else {
            continue;
        };
        let radians = match text.get(tag.clone()) {
            Some(DEGREES) => std::f64::consts::PI / 180.0,
            Some(RADIANS) => 1.0,
            _ => continue,
        };
        let place = (span.start.line(), span.start.col() + 1);
        let tag_of = AngleTag {
            radians,
            is_of_number: false,
        };
        tags.by_place.insert(place, tag_of);
        let blanks = " ".repeat(tag.len());
        blank
            .get_or_insert_with(|| text.to_owned())
            .replace_range(tag, &blanks);
    }
    (blank.map_or(text.into(), Cow::Owned), tags)
}

impl AngleTags {
    /// Makes radians of the numbers behind the tags.
    ///
    /// # Errors
    /// When something else stands behind one.
    pub(super) fn apply(&mut self, documents: &mut [ProgramNode]) -> Result<(), WrongTag> {
        if let (Some(line), false) = (self.alias, self.by_place.is_empty()) {
            return Err(WrongTag {
                line,
                cause: "an alias, in a file with tags such as `!degrees`",
                remedy: "write the value itself in its place",
            });
        }
        documents.iter_mut().for_each(|node| self.convert(node));
        match self.by_place.iter().find(|(_, tag)| !tag.is_of_number) {
            None => Ok(()),
            Some((&(line, _), _)) => Err(WrongTag {
                line,
                cause: "behind a tag such as `!degrees` stands no number",
                remedy: "write a number there, without quotes",
            }),
        }
    }

    fn convert(&mut self, node: &mut ProgramNode) {
        match &mut node.kind {
            NodeKind::Number(number) => {
                let place = node.line.zip(node.column);
                if let Some(tag) = place.and_then(|place| self.by_place.get_mut(&place)) {
                    tag.is_of_number = true;
                    *number *= tag.radians;
                }
            }
            NodeKind::List(items) => items.iter_mut().for_each(|item| self.convert(item)),
            NodeKind::Map(entries) => {
                let values = entries.iter_mut().map(|(_, value)| value);
                values.for_each(|value| self.convert(value));
            }
            NodeKind::Null | NodeKind::Bool(_) | NodeKind::Text(_) => {}
        }
    }

    /// Whether a value has one.
    pub(super) fn has(&self, node: &ProgramNode) -> bool {
        let place = node.line.zip(node.column);
        place.is_some_and(|place| self.by_place.contains_key(&place))
    }
}
