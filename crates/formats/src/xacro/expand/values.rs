//! Texts with expressions and commands in them, and what they come to.

use std::rc::Rc;

use super::Expander;
use super::fault::{ExpansionError, ExpansionResult, unsupported, wrong};
use crate::xacro::EvaluationError;
use crate::xacro::budget::ExpansionBudget;
use crate::xacro::evaluate::Evaluator;
use crate::xacro::names::NameLookup;
use crate::xacro::scopes::{Entry, ScopeId};
use crate::xacro::text::{self, TextPiece};
use crate::xacro::value::{PythonValue, int};
use crate::xacro::{builtins, functions, parser, yaml};
use crate::{ImportError, Problem, files};

impl Expander<'_> {
    /// A text that says yes or no.
    pub(super) fn flag(&mut self, text: &str, scope: ScopeId) -> ExpansionResult<bool> {
        let value = self.evaluated(text, scope)?;
        let PythonValue::Text(word) = &value else {
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

    /// The value of a property, if there is one of that name.
    pub(super) fn property_value(
        &mut self,
        name: &str,
        scope: ScopeId,
    ) -> ExpansionResult<Option<PythonValue>> {
        let Some((owner, entry)) = self.scopes.find(scope, name) else {
            return if builtins::is_builtin(name) {
                Err(wrong(
                    format!("`{name}` is a function of Python, which is not computed here"),
                    "if a property or a parameter is meant, call it otherwise: a default does not count for this name",
                ))
            } else {
                Ok(functions::global(name))
            };
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
    pub(super) fn written(&mut self, text: &str, scope: ScopeId) -> ExpansionResult<Rc<str>> {
        let value = self.evaluated(text, scope)?;
        value
            .written(&mut self.budget)
            .map_err(|why| wrong(format!("`{text}`: {why}"), "check the expression"))
    }

    /// A text with everything in it evaluated; one expression alone keeps its type.
    pub(super) fn evaluated(&mut self, text: &str, scope: ScopeId) -> ExpansionResult<PythonValue> {
        if let Err(why) = self.budget.spend(8 + text.len() as u64) {
            return Err(self.gives_up(why));
        }
        if !text.contains('$') {
            return Ok(PythonValue::text(text));
        }
        let pieces =
            text::pieces(text).map_err(|why| wrong(why, "close it, or write `$${` for `${`"))?;
        let alone = pieces.len() == 1;
        let mut whole = String::new();
        for piece in pieces {
            let value = match piece {
                TextPiece::Plain(plain) => PythonValue::text(plain),
                TextPiece::Expression(inside) => self.expression(inside, scope)?,
                TextPiece::Command(inside) => PythonValue::text(self.command(inside, scope)?),
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
            Ok(()) => Ok(PythonValue::text(whole)),
            Err(why) => Err(self.gives_up(why)),
        }
    }

    fn expression(&mut self, inside: &str, scope: ScopeId) -> ExpansionResult<PythonValue> {
        let text = self.written(inside, scope)?;
        self.inner = None;
        let value = parser::parse(&text).and_then(|expression| {
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
            Some(error) => ExpansionError::At(error),
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
    fn command(&mut self, inside: &str, scope: ScopeId) -> ExpansionResult<String> {
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
                    .map_err(ExpansionError::Here)?;
                Ok(found.display().to_string())
            }
            ["env", _] | ["optenv", _, ..] if !self.resolver.asks_environment => Err(unsupported(
                format!("`$({text})` in a pack, which must mean the same on every machine,"),
                "say the value in `xacro_args` of the cell file, ask for it by `$(arg …)`, and pack the cell again",
            )),
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

    fn argument(&mut self, name: &str) -> ExpansionResult<String> {
        match self.arguments.value(name) {
            Some(value) => Ok(value),
            None => Err(ExpansionError::Here(Problem::UnknownName {
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
    fn failed(&mut self, fault: ExpansionError) -> EvaluationError {
        match fault {
            ExpansionError::Here(problem) => problem.to_string(),
            ExpansionError::At(error) => {
                let why = error.to_string();
                self.expander.inner = Some(error);
                why
            }
        }
    }
}

impl NameLookup for View<'_, '_> {
    fn lookup(&mut self, name: &str) -> Result<PythonValue, EvaluationError> {
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

    fn within(&mut self, scope: usize, name: &str) -> Result<PythonValue, EvaluationError> {
        let value = self
            .expander
            .property_value(name, scope)
            .map_err(|f| self.failed(f))?;
        value.ok_or_else(|| format!("unknown name `{name}`"))
    }

    fn yaml(&mut self, file: &str) -> Result<PythonValue, EvaluationError> {
        let file = self.expander.in_own_folder(file);
        if let Some(known) = self.expander.data.get(&file) {
            return Ok(known.clone());
        }
        let one = self.expander.resolver.has_one_version(&file);
        let one = one.map_err(|problem| ImportError::file(&file, problem));
        let read = one.and_then(|()| files::read_bytes(&file, files::MOST_TEXT));
        let read = read.and_then(|bytes| files::utf8(&file, &bytes).map(str::to_owned));
        let text = read.map_err(|error| self.failed(ExpansionError::At(error)))?;
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
            self.failed(ExpansionError::At(error))
        })?;
        self.expander.data.insert(file, value.clone());
        Ok(value)
    }

    fn file_name(&mut self, file: &str) -> Result<String, EvaluationError> {
        Ok(self.expander.in_own_folder(file).display().to_string())
    }

    fn argument(&mut self, name: &str) -> Result<PythonValue, EvaluationError> {
        let value = self.expander.argument(name).map_err(|f| self.failed(f))?;
        Ok(PythonValue::text(value))
    }

    fn budget(&mut self) -> &mut ExpansionBudget {
        &mut self.expander.budget
    }
}

/// A text that reads as a number is one, once it is a property or a parameter.
pub(super) fn as_literal(value: PythonValue) -> PythonValue {
    match value {
        PythonValue::Text(text) => PythonValue::literal(&text),
        value => value,
    }
}
