//! Files of xacro as trees of elements, and the text that comes out.

use std::path::Path;
use std::rc::Rc;

use crate::xml::unexpanded::other_prefix;
use crate::xml::{Origin, XmlText, written_name};
use crate::{ImportError, Location};

/// Where something is written.
#[derive(Debug, Clone)]
pub(super) struct XacroPlace {
    pub(super) file: Rc<Path>,
    pub(super) line: usize,
}

impl XacroPlace {
    pub(super) fn location(&self) -> Location {
        Location::at(&self.file, self.line, None)
    }
}

/// An element as it is written.
#[derive(Debug)]
pub(super) struct SourceElement {
    /// With its prefix.
    pub(super) name: String,
    /// In order, names with their prefixes; declarations of namespaces are none.
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<SourceNode>,
    pub(super) place: XacroPlace,
}

#[derive(Debug, Clone)]
pub(super) enum SourceNode {
    Element(Rc<SourceElement>),
    Text(Rc<str>, XacroPlace),
}

impl SourceElement {
    /// The root element of a file.
    pub(super) fn read(xml: &XmlText) -> Result<Rc<SourceElement>, ImportError> {
        let document = xml.document()?;
        if let Some(error) = other_prefix(xml, &document) {
            return Err(error);
        }
        let file: Rc<Path> = xml.file().into();
        Ok(source(xml, document.root_element(), &file))
    }

    /// An element of a file, alone.
    #[cfg(test)]
    pub(super) fn read_node(xml: &XmlText, node: roxmltree::Node) -> Rc<SourceElement> {
        source(xml, node, &xml.file().into())
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }
}

fn source(xml: &XmlText, node: roxmltree::Node, file: &Rc<Path>) -> Rc<SourceElement> {
    let place = |offset| XacroPlace {
        file: file.clone(),
        line: xml.position(offset).0,
    };
    let children = node.children().filter_map(|child| {
        if child.is_element() {
            return Some(SourceNode::Element(source(xml, child, file)));
        }
        let text = child.text().filter(|_| child.is_text())?;
        let blank = text.trim().is_empty();
        (!blank).then(|| SourceNode::Text(text.into(), place(child.range().start)))
    });
    let attributes = node.attributes().map(|attribute| {
        let written = &xml.text()[attribute.range()];
        let name = written.split('=').next().unwrap_or_default().trim();
        (name.to_owned(), attribute.value().to_owned())
    });
    Rc::new(SourceElement {
        name: written_name(xml, node).to_owned(),
        attributes: attributes.collect(),
        children: children.collect(),
        place: place(node.range().start),
    })
}

/// The expansion so far: text, and where its elements come from.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) text: String,
    pub(super) origins: Vec<Origin>,
}

/// An expanded element.
#[derive(Debug)]
pub(super) struct ExpandedElement {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<ExpandedNode>,
    pub(super) place: XacroPlace,
}

#[derive(Debug)]
pub(super) enum ExpandedNode {
    Element(ExpandedElement),
    Text(String, XacroPlace),
}

impl ExpandedElement {
    /// Whether other elements stand in it.
    pub(super) fn has_elements(&self) -> bool {
        let mut children = self.children.iter();
        children.any(|child| matches!(child, ExpandedNode::Element(_)))
    }

    /// Sets an attribute, which may be there already.
    pub(super) fn set(&mut self, name: String, value: String) {
        match self.attributes.iter_mut().find(|(n, _)| *n == name) {
            Some((_, old)) => *old = value,
            None => self.attributes.push((name, value)),
        }
    }

    /// The same as a source, to be expanded once more: blocks are, where they are put in.
    pub(super) fn into_source(self) -> Rc<SourceElement> {
        let children = self
            .children
            .into_iter()
            .map(ExpandedNode::into_node)
            .collect();
        Rc::new(SourceElement {
            name: self.name,
            attributes: self.attributes,
            children,
            place: self.place,
        })
    }

    pub(super) fn write(&self, out: &mut Output) {
        out.origins.push(Origin {
            offset: out.text.len(),
            place: self.place.location(),
        });
        out.text.push('<');
        out.text.push_str(&self.name);
        for (name, value) in &self.attributes {
            out.text.push(' ');
            out.text.push_str(name);
            out.text.push_str("=\"");
            escape(value, &mut out.text);
            out.text.push('"');
        }
        if self.children.is_empty() {
            out.text.push_str("/>\n");
            return;
        }
        out.text.push('>');
        for child in &self.children {
            match child {
                ExpandedNode::Element(element) => element.write(out),
                ExpandedNode::Text(text, _) => escape(text, &mut out.text),
            }
        }
        out.text.push_str("</");
        out.text.push_str(&self.name);
        out.text.push_str(">\n");
    }
}

impl ExpandedNode {
    pub(super) fn into_node(self) -> SourceNode {
        match self {
            ExpandedNode::Element(element) => SourceNode::Element(element.into_source()),
            ExpandedNode::Text(text, place) => SourceNode::Text(text.into(), place),
        }
    }
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\r' | '\t' => out.push_str(&format!("&#{};", u32::from(c))),
            c => out.push(c),
        }
    }
}
