//! Expands a file of xacro: elements in, elements out, in the order in which they stand.

mod attributes;
mod calls;
mod definitions;
mod fault;
mod include;
mod values;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use self::attributes::{is_name, known};
use self::fault::{ExpansionError, ExpansionResult, unsupported, wrong};
use super::Arguments;
use super::EvaluationError;
use super::budget::{ExpansionBudget, MOST_DEPTH};
use super::scopes::{ScopeId, Scopes, TOP};
use super::tree::{ExpandedElement, ExpandedNode, SourceElement, SourceNode, XacroPlace};
use super::value::PythonValue;
use crate::ImportError;
use crate::resolve::Resolver;

pub(super) struct Expander<'r> {
    pub(super) resolver: &'r Resolver,
    /// The file that is expanded.
    pub(super) root: &'r Path,
    pub(super) arguments: &'r mut Arguments,
    pub(super) scopes: Scopes,
    pub(super) budget: ExpansionBudget,
    /// Everything that was read.
    pub(super) files: Vec<PathBuf>,
    /// Files that are included where they are there, and are not.
    pub(super) missing: Vec<(XacroPlace, PathBuf)>,
    depth: usize,
    /// The file that is being expanded, and those that include it.
    stack: Vec<PathBuf>,
    sources: HashMap<PathBuf, Rc<SourceElement>>,
    data: HashMap<PathBuf, PythonValue>,
    /// The error behind the last failure of an expression, where it has a place of its own.
    inner: Option<ImportError>,
}

impl<'r> Expander<'r> {
    pub(super) fn new(
        resolver: &'r Resolver,
        root: &'r Path,
        arguments: &'r mut Arguments,
    ) -> Self {
        Self {
            resolver,
            root,
            arguments,
            scopes: Scopes::default(),
            budget: ExpansionBudget::default(),
            files: vec![root.to_owned()],
            missing: Vec::new(),
            depth: 0,
            stack: vec![root.to_owned()],
            sources: HashMap::new(),
            data: HashMap::new(),
            inner: None,
        }
    }

    /// The whole file.
    pub(super) fn root(&mut self, source: &SourceElement) -> Result<ExpandedElement, ImportError> {
        self.plain(source, &source.name, TOP)
    }

    /// Names of the macros that the file knows, its own and those that it includes.
    pub(super) fn macros(&self) -> Vec<String> {
        let known = self.scopes.macros(TOP).into_iter();
        known.map(str::to_owned).collect()
    }

    fn deeper<T>(
        &mut self,
        place: &XacroPlace,
        then: impl FnOnce(&mut Self) -> Result<T, ImportError>,
    ) -> Result<T, ImportError> {
        if self.depth == MOST_DEPTH {
            return Err(unsupported(
                format!("what is nested more than {MOST_DEPTH} deep (macros that call themselves, files that include themselves, elements)"),
                "check whether it ends",
            )
            .at(place));
        }
        self.budget
            .spend(64)
            .map_err(|why| self.gives_up(why).at(place))?;
        self.depth += 1;
        let done = then(self);
        self.depth -= 1;
        done
    }

    fn gives_up(&self, why: EvaluationError) -> ExpansionError {
        unsupported(why, "check whether the macros end")
    }

    /// An element that is none of xacro's, under a name.
    fn plain(
        &mut self,
        source: &SourceElement,
        name: &str,
        scope: ScopeId,
    ) -> Result<ExpandedElement, ImportError> {
        let mut out = ExpandedElement {
            name: name.to_owned(),
            attributes: Vec::new(),
            children: Vec::new(),
            place: source.place.clone(),
        };
        for (attribute, value) in &source.attributes {
            if attribute == "xacro:name" && source.name == "xacro:element" {
                continue;
            }
            if attribute.starts_with("xacro:") {
                let what = format!("the attribute `{attribute}` of `<{}>`", source.name);
                return Err(unsupported(what, "leave it out: xacro drops it").at(&source.place));
            }
            let value = self
                .written(value, scope)
                .map_err(|f| f.at(&source.place))?;
            out.attributes.push((attribute.clone(), value.to_string()));
        }
        self.nodes(&source.children, scope, &mut out, true)?;
        Ok(out)
    }

    /// Children of an element or of something of xacro's, put into `out`; `direct`: they are
    /// children of `out` itself.
    fn nodes(
        &mut self,
        nodes: &[SourceNode],
        scope: ScopeId,
        out: &mut ExpandedElement,
        direct: bool,
    ) -> Result<(), ImportError> {
        for node in nodes {
            match node {
                SourceNode::Text(text, place) => {
                    let text = self.written(text, scope).map_err(|f| f.at(place))?;
                    out.children
                        .push(ExpandedNode::Text(text.to_string(), place.clone()));
                }
                SourceNode::Element(source) => self.deeper(&source.place, |this| {
                    this.element(source, scope, out, direct)
                })?,
            }
        }
        Ok(())
    }

    fn element(
        &mut self,
        source: &Rc<SourceElement>,
        scope: ScopeId,
        out: &mut ExpandedElement,
        direct: bool,
    ) -> Result<(), ImportError> {
        let here = |fault: ExpansionError| fault.at(&source.place);
        let Some(directive) = source.name.strip_prefix("xacro:") else {
            let element = self.plain(source, &source.name, scope)?;
            out.children.push(ExpandedNode::Element(element));
            return Ok(());
        };
        match directive {
            "property" => self.property(source, scope).map_err(here),
            "macro" => self.define(source, scope).map_err(here),
            "arg" => self.argument_default(source, scope).map_err(here),
            "include" => self.include(source, scope, out),
            "if" | "unless" => {
                let keep = self.condition(source, scope).map_err(here)? == (directive == "if");
                if keep {
                    self.nodes(&source.children, scope, out, false)
                } else {
                    Ok(())
                }
            }
            "insert_block" => self.insert(source, scope, out),
            "element" => {
                let name = source.attribute("xacro:name");
                let name = name.ok_or_else(|| {
                    here(wrong("`<xacro:element>` has no `xacro:name`", "add it"))
                })?;
                let name = self.written(name, scope).map_err(here)?;
                if !is_name(&name) || name.starts_with("xacro:") {
                    return Err(here(wrong(
                        format!("`{name}` is not a name of an element"),
                        "check the expression",
                    )));
                }
                let element = self.plain(source, &name, scope)?;
                out.children.push(ExpandedNode::Element(element));
                Ok(())
            }
            "attribute" => {
                let (name, value) = self.attribute(source, scope, direct).map_err(here)?;
                out.set(name, value);
                Ok(())
            }
            "call" => {
                let name = source.attribute("macro").unwrap_or_default();
                let name = self.written(name, scope).map_err(here)?;
                self.call(source, &name, scope, out)
            }
            name => self.call(source, name, scope, out),
        }
    }

    fn attribute(
        &mut self,
        source: &SourceElement,
        scope: ScopeId,
        direct: bool,
    ) -> ExpansionResult<(String, String)> {
        let [name, value] = known(source, &["name", "value"], &[])?;
        let name = self.written(name.unwrap_or_default(), scope)?;
        let value = self.written(value.unwrap_or_default(), scope)?;
        if !direct {
            return Err(unsupported(
                "`<xacro:attribute>` that does not stand directly in the element that it belongs to (xacro loses it)",
                "put `<xacro:if>` around the whole element, or the choice into the value",
            ));
        }
        if !is_name(&name) || name.starts_with("xacro:") {
            return Err(wrong(
                format!("`{name}` is not a name of an attribute"),
                "check the expression",
            ));
        }
        Ok((name.to_string(), value.to_string()))
    }

    fn condition(&mut self, source: &SourceElement, scope: ScopeId) -> ExpansionResult<bool> {
        let [value] = known(source, &["value"], &[])?;
        self.flag(value.unwrap_or_default(), scope)
    }
}
