//! Expands a file of xacro: elements in, elements out, in the order in which they stand.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::budget::{Budget, MOST_DEPTH};
use super::evaluate::{Evaluator, Names};
use super::scopes::{Entry, Macro, ScopeId, Scopes, TOP};
use super::text::{self, Piece as TextPiece};
use super::tree::{Expanded, Node, Piece, Place, Source};
use super::value::{Failure, Value, int};
use super::{Arguments, functions, syntax, yaml};
use crate::names::suggestion;
use crate::resolve::Resolver;
use crate::xml::XmlText;
use crate::{ImportError, Problem, files};

/// What went wrong: here (the caller knows the place), or at a place of its own.
pub(super) enum Fault {
    Here(Problem),
    At(ImportError),
}

impl From<ImportError> for Fault {
    fn from(error: ImportError) -> Self {
        Fault::At(error)
    }
}

impl Fault {
    fn at(self, place: &Place) -> ImportError {
        match self {
            Fault::Here(problem) => ImportError {
                place: place.location(),
                problem,
            },
            Fault::At(error) => error,
        }
    }
}

fn wrong(cause: impl Into<String>, remedy: &str) -> Fault {
    Fault::Here(Problem::Syntax {
        cause: cause.into(),
        remedy: remedy.to_owned(),
    })
}

fn unsupported(what: impl Into<String>, remedy: &str) -> Fault {
    Fault::Here(Problem::Unsupported {
        what: what.into(),
        remedy: remedy.to_owned(),
    })
}

pub(super) struct Expander<'r> {
    pub(super) resolver: &'r Resolver,
    /// The file that is expanded.
    pub(super) root: &'r Path,
    pub(super) arguments: &'r mut Arguments,
    pub(super) scopes: Scopes,
    pub(super) budget: Budget,
    /// Everything that was read.
    pub(super) files: Vec<PathBuf>,
    /// Files that are included where they are there, and are not.
    pub(super) missing: Vec<(Place, PathBuf)>,
    depth: usize,
    /// The file that is being expanded, and those that include it.
    stack: Vec<PathBuf>,
    sources: HashMap<PathBuf, Rc<Source>>,
    data: HashMap<PathBuf, Value>,
    /// The error behind the last failure of an expression, where it has a place of its own.
    inner: Option<ImportError>,
}

type Done<T> = Result<T, Fault>;

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
            budget: Budget::default(),
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
    pub(super) fn root(&mut self, source: &Source) -> Result<Expanded, ImportError> {
        self.plain(source, &source.name, TOP)
    }

    fn deeper<T>(
        &mut self,
        place: &Place,
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

    fn gives_up(&self, why: Failure) -> Fault {
        unsupported(why, "check whether the macros end")
    }

    /// An element that is none of xacro's, under a name.
    fn plain(
        &mut self,
        source: &Source,
        name: &str,
        scope: ScopeId,
    ) -> Result<Expanded, ImportError> {
        let mut out = Expanded {
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

    /// Children of an element or of something of xacro's, put into `out`; `direct`: they are children of `out` itself.
    fn nodes(
        &mut self,
        nodes: &[Node],
        scope: ScopeId,
        out: &mut Expanded,
        direct: bool,
    ) -> Result<(), ImportError> {
        for node in nodes {
            match node {
                Node::Text(text, place) => {
                    let text = self.written(text, scope).map_err(|f| f.at(place))?;
                    out.children
                        .push(Piece::Text(text.to_string(), place.clone()));
                }
                Node::Element(source) => self.deeper(&source.place, |this| {
                    this.element(source, scope, out, direct)
                })?,
            }
        }
        Ok(())
    }

    fn element(
        &mut self,
        source: &Rc<Source>,
        scope: ScopeId,
        out: &mut Expanded,
        direct: bool,
    ) -> Result<(), ImportError> {
        let here = |fault: Fault| fault.at(&source.place);
        let Some(directive) = source.name.strip_prefix("xacro:") else {
            let element = self.plain(source, &source.name, scope)?;
            out.children.push(Piece::Element(element));
            return Ok(());
        };
        match directive {
            "property" => self.property(source, scope).map_err(here),
            "macro" => self.define(source, scope).map_err(here),
            "arg" => self.argument_default(source, scope).map_err(here),
            "include" => self.include(source, scope, out),
            "if" | "unless" => {
                let keep = self.condition(source, scope).map_err(here)? == (directive == "if");
                match keep {
                    true => self.nodes(&source.children, scope, out, false),
                    false => Ok(()),
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
                        format!("`{name}` is no name of an element"),
                        "check the expression",
                    )));
                }
                let element = self.plain(source, &name, scope)?;
                out.children.push(Piece::Element(element));
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
        source: &Source,
        scope: ScopeId,
        direct: bool,
    ) -> Done<(String, String)> {
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
                format!("`{name}` is no name of an attribute"),
                "check the expression",
            ));
        }
        Ok((name.to_string(), value.to_string()))
    }

    fn property(&mut self, source: &Source, scope: ScopeId) -> Done<()> {
        let [name, value, default, remove, wanted, lazy] = known(
            source,
            &["name"],
            &["value", "default", "remove", "scope", "lazy_eval"],
        )?;
        let name = self.written(name.unwrap_or_default(), scope)?;
        if !syntax::is_name(&name) {
            return Err(wrong(
                format!("`{name}` is no name of a property"),
                "use letters, digits and `_`, and no word of Python",
            ));
        }
        let remove = self.flag(remove.unwrap_or("false"), scope)?;
        if usize::from(value.is_some()) + usize::from(default.is_some()) + usize::from(remove) > 1 {
            return Err(wrong(
                format!("property `{name}` has more than one of `value`, `default` and `remove`"),
                "keep one of them",
            ));
        }
        if remove {
            self.scopes.remove(scope, &name);
            return Ok(());
        }
        if default.is_some()
            && (self.scopes.find(scope, &name).is_some() || functions::global(&name).is_some())
        {
            return Ok(());
        }
        let lazy = self.flag(lazy.unwrap_or("true"), scope)?;
        let (target, lazy) = match wanted {
            None => (scope, lazy),
            Some("global") => (TOP, false),
            Some("parent") if scope == TOP => {
                return Err(wrong(
                    format!("property `{name}` has the scope `parent` and stands in no macro"),
                    "leave `scope` out",
                ));
            }
            Some("parent") => (self.scopes.parent(scope), false),
            Some(other) => {
                return Err(wrong(
                    format!("`scope` of property `{name}` is `{other}`"),
                    "write `parent` or `global`",
                ));
            }
        };
        let Some(text) = value.or(default) else {
            let block = Entry::Block(Rc::new(source.children.clone()));
            self.scopes.set(target, &format!("**{name}"), block);
            return Ok(());
        };
        let entry = if lazy {
            match Value::literal(text) {
                Value::Text(text) => Entry::Text {
                    text,
                    place: source.place.clone(),
                },
                value => Entry::Value(value),
            }
        } else {
            Entry::Value(as_literal(self.evaluated(text, scope)?))
        };
        self.scopes.set(target, &name, entry);
        Ok(())
    }

    fn define(&mut self, source: &Rc<Source>, scope: ScopeId) -> Done<()> {
        let [name, parameters] = known(source, &["name"], &["params"])?;
        let name = name.unwrap_or_default();
        let name = name.strip_prefix("xacro:").unwrap_or(name);
        if name == "call" || name.contains('.') || !is_name(name) {
            return Err(wrong(
                format!("`{name}` is no name of a macro"),
                "use letters, digits and `_`",
            ));
        }
        let parameters = text::parameters(parameters.unwrap_or_default());
        let parameters = parameters.map_err(|why| {
            wrong(
                format!("`params` of macro `{name}`: {why}"),
                "write `name`, `name:=default` or `*block`",
            )
        })?;
        let body = Macro {
            parameters,
            body: source.clone(),
        };
        self.scopes.define(scope, name, body);
        Ok(())
    }

    fn argument_default(&mut self, source: &Source, scope: ScopeId) -> Done<()> {
        let [name, default] = known(source, &["name", "default"], &[])?;
        let name = name.unwrap_or_default();
        if !self.arguments.declare(name) {
            let value = self.written(default.unwrap_or_default(), scope)?;
            self.arguments.set_default(name, &value);
        }
        Ok(())
    }

    fn condition(&mut self, source: &Source, scope: ScopeId) -> Done<bool> {
        let [value] = known(source, &["value"], &[])?;
        self.flag(value.unwrap_or_default(), scope)
    }

    /// A text that says yes or no.
    fn flag(&mut self, text: &str, scope: ScopeId) -> Done<bool> {
        let value = self.evaluated(text, scope)?;
        let Value::Text(word) = &value else {
            return Ok(value.is_true());
        };
        match (&**word, int(word)) {
            ("true" | "True", _) => Ok(true),
            ("false" | "False", _) => Ok(false),
            (_, Some(number)) => Ok(number != 0),
            _ => Err(wrong(
                format!("the condition `{text}` is `{word}`"),
                "it must be true, false, or an integer",
            )),
        }
    }

    fn include(
        &mut self,
        source: &Source,
        scope: ScopeId,
        out: &mut Expanded,
    ) -> Result<(), ImportError> {
        let here = |fault: Fault| fault.at(&source.place);
        let [file, name, optional] =
            known(source, &["filename"], &["ns", "optional"]).map_err(here)?;
        let mut inside = scope;
        if let Some(name) = name {
            let name = self.written(name, scope).map_err(here)?;
            inside = self.scopes.named(scope, &name);
        }
        let optional = self
            .flag(optional.unwrap_or("false"), scope)
            .map_err(here)?;
        if source
            .children
            .iter()
            .any(|c| matches!(c, Node::Element(_)))
        {
            return Err(here(wrong(
                "`<xacro:include>` has elements in it, which xacro ignores",
                "take them out",
            )));
        }
        let file = self
            .written(file.unwrap_or_default(), scope)
            .map_err(here)?;
        let file = self.beside(&file);
        for file in self.matching(&file).map_err(here)? {
            if optional && !file.exists() {
                self.missing.push((source.place.clone(), file));
                continue;
            }
            let read = self.read(&file);
            let included = read.map_err(|error| {
                error.referred(
                    "a file that xacro includes".to_owned(),
                    &source.place.location(),
                )
            })?;
            self.stack.push(file);
            let mut attributes = Ok(());
            for (_, value) in &included.attributes {
                attributes = attributes.and_then(|()| self.written(value, inside).map(drop));
            }
            let done = match attributes {
                Ok(()) => self.nodes(&included.children, inside, out, false),
                Err(fault) => Err(fault.at(&included.place)),
            };
            self.stack.pop();
            done?;
        }
        Ok(())
    }

    /// A file name as the file that is expanded means it.
    fn beside(&self, file: &str) -> PathBuf {
        let current = self.stack.last().map_or(self.root, PathBuf::as_path);
        current.parent().unwrap_or(Path::new("")).join(file)
    }

    /// The files of a name, which may be a pattern.
    fn matching(&self, file: &Path) -> Done<Vec<PathBuf>> {
        let pattern = file.to_string_lossy();
        if !pattern.contains(['*', '?', '[']) {
            return Ok(vec![file.to_owned()]);
        }
        if pattern.contains("**") {
            return Err(unsupported(
                format!("`**` in `{pattern}`"),
                "name the folder",
            ));
        }
        let options = glob::MatchOptions {
            require_literal_separator: true,
            require_literal_leading_dot: true,
            ..Default::default()
        };
        let found = glob::glob_with(&pattern, options).map_err(|e| {
            wrong(
                format!("`{pattern}` is no pattern of files: {e}"),
                "check it",
            )
        })?;
        let found: Result<Vec<PathBuf>, _> = found.take(10_000).collect();
        let mut found =
            found.map_err(|e| wrong(format!("`{pattern}`: {e}"), "check the folder"))?;
        found.sort();
        if found.is_empty() {
            return Err(wrong(
                format!("no file matches `{pattern}`"),
                "check the pattern, or leave the line out",
            ));
        }
        Ok(found)
    }

    fn note_file(&mut self, file: &Path) {
        if !self.files.iter().any(|f| f == file) {
            self.files.push(file.to_owned());
        }
    }

    fn read(&mut self, file: &Path) -> Result<Rc<Source>, ImportError> {
        if let Some(known) = self.sources.get(file) {
            return Ok(known.clone());
        }
        let xml = XmlText::read(file)?;
        if let Err(why) = self.budget.spend(xml.text().len() as u64) {
            return Err(ImportError::file(
                file,
                Problem::Unsupported {
                    what: why,
                    remedy: "check what it includes".to_owned(),
                },
            ));
        }
        self.note_file(file);
        let source = Source::read(&xml)?;
        self.sources.insert(file.to_owned(), source.clone());
        Ok(source)
    }

    fn insert(
        &mut self,
        source: &Source,
        scope: ScopeId,
        out: &mut Expanded,
    ) -> Result<(), ImportError> {
        let here = |fault: Fault| fault.at(&source.place);
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
            return Err(here(Fault::Here(Problem::UnknownName {
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
            if let Node::Element(element) = node {
                let element = self.plain(element, &element.name, scope)?;
                out.children.push(Piece::Element(element));
            }
        }
        Ok(())
    }

    /// Calls a macro.
    fn call(
        &mut self,
        source: &Source,
        name: &str,
        scope: ScopeId,
        out: &mut Expanded,
    ) -> Result<(), ImportError> {
        let here = |fault: Fault| fault.at(&source.place);
        let Some((symbols, macros, called)) = self.scopes.find_macro(scope, name) else {
            return Err(here(Fault::Here(Problem::UnknownName {
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
        source: &Source,
        called: &Macro,
        scope: ScopeId,
        local: ScopeId,
    ) -> Done<()> {
        let by_call = source.name == "xacro:call";
        for (attribute, text) in &source.attributes {
            if by_call && attribute == "macro" {
                continue;
            }
            if !called.parameters.iter().any(|p| p.name == *attribute) {
                return Err(Fault::Here(Problem::UnknownName {
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
        let mut given = Expanded {
            name: source.name.clone(),
            attributes: Vec::new(),
            children: Vec::new(),
            place: source.place.clone(),
        };
        self.nodes(&source.children, scope, &mut given, false)?;
        let mut blocks = given.children.into_iter().filter_map(|piece| match piece {
            Piece::Element(element) => Some(element.into_source()),
            Piece::Text(..) => None,
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
                let nodes = match name.starts_with("**") {
                    true => block.children.clone(),
                    false => vec![Node::Element(block)],
                };
                self.scopes.set(local, name, Entry::Block(Rc::new(nodes)));
                continue;
            }
            if source.attribute(name).is_some() && !(by_call && name == "macro") {
                continue;
            }
            let forwarded = match parameter.forward {
                true => self.property_value(name, scope)?,
                false => None,
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

    /// The value of a property, if there is one of that name.
    fn property_value(&mut self, name: &str, scope: ScopeId) -> Done<Option<Value>> {
        let Some((owner, entry)) = self.scopes.find(scope, name) else {
            return Ok(functions::global(name));
        };
        let (text, place) = match entry {
            Entry::Value(value) => return Ok(Some(value.clone())),
            Entry::Text { text, place } => (text.clone(), place.clone()),
            Entry::Busy => {
                return Err(wrong(
                    format!("property `{name}` depends on itself"),
                    "give it a value first, or write lazy_eval=\"false\"",
                ));
            }
            Entry::Block(_) => return Ok(None),
        };
        self.scopes.set(owner, name, Entry::Busy);
        let value = self.deeper(&place, |this| {
            this.evaluated(&text, owner)
                .map_err(|fault| fault.at(&place))
        })?;
        let value = as_literal(value);
        self.scopes.set(owner, name, Entry::Value(value.clone()));
        Ok(Some(value))
    }

    /// A text with everything in it evaluated, as text.
    fn written(&mut self, text: &str, scope: ScopeId) -> Done<Rc<str>> {
        let value = self.evaluated(text, scope)?;
        value
            .written(&mut self.budget)
            .map_err(|why| wrong(format!("`{text}`: {why}"), "check the expression"))
    }

    /// A text with everything in it evaluated; one expression alone keeps its type.
    fn evaluated(&mut self, text: &str, scope: ScopeId) -> Done<Value> {
        if let Err(why) = self.budget.spend(8 + text.len() as u64) {
            return Err(self.gives_up(why));
        }
        if !text.contains('$') {
            return Ok(Value::text(text));
        }
        let pieces =
            text::pieces(text).map_err(|why| wrong(why, "close it, or write `$${` for `${`"))?;
        let alone = pieces.len() == 1;
        let mut whole = String::new();
        for piece in pieces {
            let value = match piece {
                TextPiece::Plain(plain) => Value::text(plain),
                TextPiece::Expression(inside) => self.expression(inside, scope)?,
                TextPiece::Command(inside) => Value::text(self.command(inside, scope)?),
            };
            if alone {
                return Ok(value);
            }
            let written = value.written(&mut self.budget);
            whole.push_str(
                &written
                    .map_err(|why| wrong(format!("`{text}`: {why}"), "check the expression"))?,
            );
        }
        match self.budget.spend(whole.len() as u64) {
            Ok(()) => Ok(Value::text(whole)),
            Err(why) => Err(self.gives_up(why)),
        }
    }

    fn expression(&mut self, inside: &str, scope: ScopeId) -> Done<Value> {
        let text = self.written(inside, scope)?;
        self.inner = None;
        let value = syntax::parse(&text).and_then(|expression| {
            let mut names = View {
                expander: self,
                scope: Some(scope),
            };
            let bound = Vec::new();
            Evaluator {
                names: &mut names,
                bound,
            }
            .value(&expression)
        });
        value.map_err(|why| match self.inner.take() {
            Some(error) => Fault::At(error),
            None => unsupported(
                format!(
                    "`${{{}}}`: {why}",
                    inside.chars().take(120).collect::<String>()
                ),
                "correct it, or expand the file by `xacro` itself and name the result",
            ),
        })
    }

    /// `$(command arguments)`
    fn command(&mut self, inside: &str, scope: ScopeId) -> Done<String> {
        let text = self.written(inside, scope)?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let not_set = |name: &str| {
            wrong(
                format!("the environment has no `{name}`, which `$({text})` asks for"),
                "set it",
            )
        };
        match words.as_slice() {
            ["arg", name] => self.argument(name),
            ["find", name] => {
                let found = self
                    .resolver
                    .package(name, self.root)
                    .map_err(Fault::Here)?;
                Ok(found.display().to_string())
            }
            ["env", name] => std::env::var(name).map_err(|_| not_set(name)),
            ["optenv", name, default @ ..] => {
                Ok(std::env::var(name).unwrap_or_else(|_| default.join(" ")))
            }
            _ => Err(unsupported(
                format!("`$({inside})`"),
                "known are `$(find package)`, `$(arg name)`, `$(env NAME)` and `$(optenv NAME default)`; or expand the file by `xacro` itself",
            )),
        }
    }

    fn argument(&mut self, name: &str) -> Done<String> {
        match self.arguments.value(name) {
            Some(value) => Ok(value),
            None => Err(Fault::Here(Problem::UnknownName {
                what: "argument",
                name: name.to_owned(),
                remedy: format!(
                    "give it a value: `xacro_args = {{ {name} = \"…\" }}` in the cell file, or `--xacro-arg {name}=…`"
                ),
            })),
        }
    }
}

/// Names as an expression sees them; without a scope, those that need none.
struct View<'v, 'r> {
    expander: &'v mut Expander<'r>,
    scope: Option<ScopeId>,
}

impl View<'_, '_> {
    /// An error with its place is kept for whoever reports the failure.
    fn failed(&mut self, fault: Fault) -> Failure {
        match fault {
            Fault::Here(problem) => problem.to_string(),
            Fault::At(error) => {
                let why = error.to_string();
                self.expander.inner = Some(error);
                why
            }
        }
    }
}

impl Names for View<'_, '_> {
    fn lookup(&mut self, name: &str) -> Result<Value, Failure> {
        let value = match self.scope {
            Some(scope) => self
                .expander
                .property_value(name, scope)
                .map_err(|f| self.failed(f))?,
            None => functions::global(name),
        };
        value.ok_or_else(|| {
            let known = match self.scope {
                Some(scope) => self.expander.scopes.names(scope),
                None => Vec::new(),
            };
            match crate::names::nearest(name, known.into_iter().filter(|n| !n.starts_with('*'))) {
                Some(near) => format!("unknown name `{name}`; did you mean `{near}`?"),
                None => format!("unknown name `{name}`"),
            }
        })
    }

    fn within(&mut self, scope: usize, name: &str) -> Result<Value, Failure> {
        let value = self
            .expander
            .property_value(name, scope)
            .map_err(|f| self.failed(f))?;
        value.ok_or_else(|| format!("unknown name `{name}`"))
    }

    fn yaml(&mut self, file: &str) -> Result<Value, Failure> {
        let file = self.expander.beside(file);
        if let Some(known) = self.expander.data.get(&file) {
            return Ok(known.clone());
        }
        let read = files::read_bytes(&file, files::MOST_TEXT);
        let read = read.and_then(|bytes| files::utf8(&file, &bytes).map(str::to_owned));
        let text = read.map_err(|error| self.failed(Fault::At(error)))?;
        self.expander.note_file(&file);
        self.expander.budget.spend(text.len() as u64)?;
        let mut names = View {
            expander: self.expander,
            scope: None,
        };
        let value = yaml::read(&text, &mut names).map_err(|unread| {
            let problem = Problem::Unsupported {
                what: format!("in a file of `load_yaml`, {}", unread.why),
                remedy: "correct it".to_owned(),
            };
            let error = match unread.line {
                Some(line) => ImportError::at(&file, line, None, problem),
                None => ImportError::file(&file, problem),
            };
            self.failed(Fault::At(error))
        })?;
        self.expander.data.insert(file, value.clone());
        Ok(value)
    }

    fn file_name(&mut self, file: &str) -> Result<String, Failure> {
        Ok(self.expander.beside(file).display().to_string())
    }

    fn argument(&mut self, name: &str) -> Result<Value, Failure> {
        let value = self.expander.argument(name).map_err(|f| self.failed(f))?;
        Ok(Value::text(value))
    }

    fn budget(&mut self) -> &mut Budget {
        &mut self.expander.budget
    }
}

/// A text that reads as a number is one, once it is a property or a parameter.
fn as_literal(value: Value) -> Value {
    match value {
        Value::Text(text) => Value::literal(&text),
        value => value,
    }
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'))
}

/// The attributes of a directive, those that must be there first; others are refused.
fn known<'s, const N: usize>(
    source: &'s Source,
    required: &[&str],
    optional: &[&str],
) -> Done<[Option<&'s str>; N]> {
    let all = || required.iter().chain(optional).copied();
    for (name, _) in &source.attributes {
        if !all().any(|k| k == name) {
            return Err(Fault::Here(Problem::UnknownName {
                what: "attribute",
                name: name.clone(),
                remedy: suggestion(name, all()),
            }));
        }
    }
    let mut values = [None; N];
    for (slot, name) in values.iter_mut().zip(all()) {
        *slot = source.attribute(name);
    }
    match required
        .iter()
        .zip(&values)
        .find(|(_, value)| value.is_none())
    {
        None => Ok(values),
        Some((missing, _)) => Err(wrong(
            format!("`<{}>` has no `{missing}`", source.name),
            "add it",
        )),
    }
}
