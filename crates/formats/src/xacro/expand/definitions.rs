//! The definitions of a file: properties, macros and arguments.

use std::rc::Rc;

use super::Expander;
use super::attributes::{is_name, known};
use super::fault::{ExpansionResult, wrong};
use super::values::as_literal;
use crate::xacro::scopes::{Entry, Macro, ScopeId, TOP};
use crate::xacro::tree::SourceElement;
use crate::xacro::value::PythonValue;
use crate::xacro::{builtins, functions, text, tokens};

impl Expander<'_> {
    pub(super) fn property(
        &mut self,
        source: &SourceElement,
        scope: ScopeId,
    ) -> ExpansionResult<()> {
        let [name, value, default, remove, wanted, lazy] = known(
            source,
            &["name"],
            &["value", "default", "remove", "scope", "lazy_eval"],
        )?;
        let name = self.written(name.unwrap_or_default(), scope)?;
        if !tokens::is_name(&name) {
            return Err(wrong(
                format!("`{name}` is not a name of a property"),
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
        let is_of_python = functions::global(&name).is_some() || builtins::is_builtin(&name);
        if default.is_some() && (self.scopes.find(scope, &name).is_some() || is_of_python) {
            return Ok(());
        }
        let lazy = self.flag(lazy.unwrap_or("true"), scope)?;
        let (target, lazy) = match wanted {
            // No word of xacro, which takes every other one for none; makers write it.
            None | Some("local") => (scope, lazy),
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
            match PythonValue::literal(text) {
                PythonValue::Text(text) => Entry::Text {
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

    pub(super) fn define(
        &mut self,
        source: &Rc<SourceElement>,
        scope: ScopeId,
    ) -> ExpansionResult<()> {
        let [name, parameters] = known(source, &["name"], &["params"])?;
        let name = name.unwrap_or_default();
        let name = name.strip_prefix("xacro:").unwrap_or(name);
        if name == "call" || name.contains('.') || !is_name(name) {
            return Err(wrong(
                format!("`{name}` is not a name of a macro"),
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

    pub(super) fn argument_default(
        &mut self,
        source: &SourceElement,
        scope: ScopeId,
    ) -> ExpansionResult<()> {
        let [name, default] = known(source, &["name", "default"], &[])?;
        let name = name.unwrap_or_default();
        if !self.arguments.declare(name) {
            let value = self.written(default.unwrap_or_default(), scope)?;
            self.arguments.set_default(name, &value);
        }
        Ok(())
    }
}
