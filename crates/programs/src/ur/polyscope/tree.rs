//! The XML of a program: places, references from node to node, and expressions that are stored one
//! character a tag.

use clearance_formats::xml::XmlText;
use clearance_proof::report::Location;
use roxmltree::Node;

use super::super::script::{ScriptExpression, expression};

/// References to references have an end.
const LONGEST_CHAIN: usize = 32;

/// A program's text, to tell places in it.
#[derive(Clone, Copy)]
pub(super) struct Tree<'t> {
    pub(super) text: &'t XmlText,
}

impl Tree<'_> {
    /// Line of a node in the (unpacked) file.
    pub(super) fn line(&self, node: Node) -> usize {
        self.text.position(node.range().start).0
    }

    /// Place of a node.
    pub(super) fn place(&self, node: Node) -> Location {
        Location::at(self.text.file(), self.line(node), None)
    }

    /// The expression in a node.
    pub(super) fn expression(&self, node: Node) -> ScriptExpression {
        let text = match self.written(node) {
            Ok(text) => text,
            Err(why) => return ScriptExpression::Unread(why.into()),
        };
        match expression(self.text.file(), &text, self.line(node)) {
            Ok(expression) => expression,
            Err(error) => ScriptExpression::Unread(format!("`{text}`: {}", error.problem).into()),
        }
    }

    /// The expression in a node, as URScript writes it.
    ///
    /// # Errors
    /// When a part of it is not understood.
    pub(super) fn written(&self, node: Node) -> Result<String, String> {
        let node = resolved(node).ok_or("an expression that is not found")?;
        let mut text = String::new();
        for part in elements(node) {
            let of = || elements(part).next();
            let written = match part.tag_name().name() {
                "ExpressionChar" => part.attribute("character").map(str::to_owned),
                "ExpressionToken" => part.attribute("token").map(|token| format!(" {token} ")),
                // What it is at, only the controller knows.
                "ExpressionIO" => of().and_then(pin),
                "ExpressionVariable" => of().and_then(variable),
                "ExpressionWaypoint" => of().and_then(waypoint).map(|name| format!("{name}_p")),
                _ => None,
            };
            let what = part.tag_name().name();
            text.push_str(
                &written.ok_or_else(|| format!("`{what}` in an expression is not read"))?,
            );
        }
        Ok(text)
    }
}

/// The elements in a node.
pub(super) fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(|n| n.is_element())
}

/// The first element of that name.
pub(super) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    elements(node).find(|n| n.has_tag_name(name))
}

/// The statements in a node. A list of them that stands for another one is given back itself: no
/// statement has its name, so it is told wherever it matters.
pub(super) fn children<'a, 'i>(node: Node<'a, 'i>) -> Vec<Node<'a, 'i>> {
    let lists = elements(node).filter(|n| n.has_tag_name("children"));
    let mut found = Vec::new();
    for list in lists {
        if is_stand_in(list) {
            found.push(list);
        } else {
            found.extend(elements(list));
        }
    }
    found
}

/// Whether a node stands for another one.
pub(super) fn is_stand_in(node: Node) -> bool {
    node.has_attribute("reference")
}

/// The node that is meant: a node may stand for another one, which it names by the way to it.
pub(super) fn resolved<'a, 'i>(node: Node<'a, 'i>) -> Option<Node<'a, 'i>> {
    let mut node = node;
    for _ in 0..LONGEST_CHAIN {
        let Some(way) = node.attribute("reference") else {
            return Some(node);
        };
        node = follow(node, way)?;
    }
    None
}

/// Goes `../../name[2]/other` from a node; a name without a number is the first of its kind.
fn follow<'a, 'i>(from: Node<'a, 'i>, way: &str) -> Option<Node<'a, 'i>> {
    let mut node = from;
    for step in way.split('/') {
        if step == ".." {
            node = node.parent_element()?;
            continue;
        }
        let (name, number) = match step.strip_suffix(']').and_then(|s| s.split_once('[')) {
            Some((name, number)) => (name, number.parse::<usize>().ok()?),
            None => (step, 1),
        };
        let place = number.checked_sub(1)?;
        node = elements(node).filter(|n| n.has_tag_name(name)).nth(place)?;
    }
    Some(node)
}

/// An input or output by its name, asked for as URScript does.
fn pin(node: Node) -> Option<String> {
    let name = resolved(node)?.attribute("referencedName")?;
    let sane = !name.contains(['"', '\n', '\r']);
    sane.then(|| format!("get_digital_in(\"{name}\")"))
}

/// The name of a variable.
pub(super) fn variable(node: Node) -> Option<String> {
    resolved(node)?.attribute("name").and_then(word)
}

/// The name of a waypoint.
pub(super) fn waypoint(node: Node) -> Option<String> {
    resolved(node)?.attribute("name").and_then(word)
}

/// A name that is one word of URScript.
pub(super) fn word(name: &str) -> Option<String> {
    let sane = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    sane.then(|| name.to_owned())
}

/// Six numbers with commas between.
pub(super) fn six(text: &str) -> Option<[f64; 6]> {
    let numbers: Vec<f64> = (text.split(','))
        .map(|n| n.trim().parse().ok().filter(|x: &f64| x.is_finite()))
        .collect::<Option<_>>()?;
    numbers.try_into().ok()
}
