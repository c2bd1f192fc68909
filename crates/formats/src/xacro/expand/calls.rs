//! Calls of macros, and the blocks that are handed to them.

use std::rc::Rc;

use super::Expander;
use super::attributes::known;
use super::fault::{ExpansionError, ExpansionResult, wrong};
use super::values::as_literal;
use crate::names::suggestion;
use crate::xacro::scopes::{Entry, Macro, ScopeId};
use crate::xacro::tree::{ExpandedElement, ExpandedNode, SourceElement, SourceNode};
use crate::{ImportError, Problem};

impl Expander<'_> {
    pub(super) fn insert(
        &mut self,
        source: &SourceElement,
        scope: ScopeId,
        out: &mut ExpandedElement,
    ) -> Result<(), ImportError> {
        let here = |fault: ExpansionError| fault.at(&source.place);
        let [name] = known(source, &["name"], &[]).map_err(here)?;
        let name = name.unwrap_or_default();
        let block = |key: String| match self.scopes.find(scope, &key) {
            Some((_, Entry::Block(nodes))) => Some(nodes.clone()),
            _ => None,
        };
        if let Some(nodes) = block(format!("**{name}")) {
            return self.nodes(&nodes, scope, out, false);
        }
        let Some(nodes) = block(format!("*{name}")) else {
            return Err(here(ExpansionError::Here(Problem::UnknownName {
                what: "block",
                name: name.to_owned(),
                remedy: suggestion(
                    name,
                    self.scopes
                        .names(scope)
                        .iter()
                        .filter_map(|n| n.strip_prefix('*'))
                        .map(|n| n.trim_start_matches('*')),
                ),
            })));
        };
        for node in nodes.iter() {
            if let SourceNode::Element(element) = node {
                let element = self.plain(element, &element.name, scope)?;
                out.children.push(ExpandedNode::Element(element));
            }
        }
        Ok(())
    }

    /// Calls a macro.
    pub(super) fn call(
        &mut self,
        source: &SourceElement,
        name: &str,
        scope: ScopeId,
        out: &mut ExpandedElement,
    ) -> Result<(), ImportError> {
        let here = |fault: ExpansionError| fault.at(&source.place);
        let Some((symbols, macros, called)) = self.scopes.find_macro(scope, name) else {
            return Err(here(ExpansionError::Here(Problem::UnknownName {
                what: "macro or element of xacro",
                name: format!("<xacro:{name}>"),
                remedy: suggestion(name, self.scopes.macros(scope).iter().copied()),
            })));
        };
        let local = self.scopes.local(symbols, macros);
        self.bind(source, &called, scope, local)
            .map_err(|fault| fault.at(&source.place))?;
        self.nodes(&called.body.children, local, out, false)?;
        self.scopes.leave(local);
        Ok(())
    }

    /// Gives the parameters of a macro their values and blocks.
    fn bind(
        &mut self,
        source: &SourceElement,
        called: &Macro,
        scope: ScopeId,
        local: ScopeId,
    ) -> ExpansionResult<()> {
        let by_call = source.name == "xacro:call";
        for (attribute, text) in &source.attributes {
            if by_call && attribute == "macro" {
                continue;
            }
            if !called.parameters.iter().any(|p| p.name == *attribute) {
                return Err(ExpansionError::Here(Problem::UnknownName {
                    what: "parameter",
                    name: attribute.clone(),
                    remedy: suggestion(
                        attribute,
                        called.parameters.iter().map(|p| p.name.as_str()),
                    ),
                }));
            }
            let value = as_literal(self.evaluated(text, scope)?);
            self.scopes.set(local, attribute, Entry::Value(value));
        }
        let mut given = ExpandedElement {
            name: source.name.clone(),
            attributes: Vec::new(),
            children: Vec::new(),
            place: source.place.clone(),
        };
        self.nodes(&source.children, scope, &mut given, false)?;
        let mut blocks = given.children.into_iter().filter_map(|piece| match piece {
            ExpandedNode::Element(element) => Some(element.into_source()),
            ExpandedNode::Text(..) => None,
        });
        for parameter in &called.parameters {
            let name = &parameter.name;
            if name.starts_with('*') {
                let Some(block) = blocks.next() else {
                    return Err(wrong(
                        format!("the macro `{}` wants a block for `{name}`", source.name),
                        "put an element into the call",
                    ));
                };
                let nodes = if name.starts_with("**") {
                    block.children.clone()
                } else {
                    vec![SourceNode::Element(block)]
                };
                self.scopes.set(local, name, Entry::Block(Rc::new(nodes)));
                continue;
            }
            if source.attribute(name).is_some() && !(by_call && name == "macro") {
                continue;
            }
            let forwarded = if parameter.forward {
                self.property_value(name, scope)?
            } else {
                None
            };
            let value = match (forwarded, &parameter.default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.evaluated(default, scope)?,
                (None, None) => {
                    return Err(wrong(
                        format!("the macro `{}` wants a value for `{name}`", source.name),
                        "name it in the call",
                    ));
                }
            };
            self.scopes
                .set(local, name, Entry::Value(as_literal(value)));
        }
        match blocks.next() {
            None => Ok(()),
            Some(block) => Err(wrong(
                format!(
                    "the macro `{}` has no use for the block `<{}>`",
                    source.name, block.name
                ),
                "take it out of the call",
            )),
        }
    }
}
