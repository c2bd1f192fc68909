//! The scopes in which properties and macros are known.

use std::collections::HashMap;
use std::rc::Rc;

use super::text::MacroParameter;
use super::tree::{SourceElement, SourceNode, XacroPlace};
use super::value::PythonValue;

/// Number of a scope.
pub(super) type ScopeId = usize;
/// The scope of the file that is expanded.
pub(super) const TOP: ScopeId = 0;

/// A property, or a block.
#[derive(Debug, Clone)]
pub(super) enum Entry {
    Value(PythonValue),
    /// Evaluated when it is asked for, in the scope where it stands.
    Text {
        text: Rc<str>,
        place: XacroPlace,
    },
    /// It is being evaluated: whoever asks for it now goes in a circle.
    Busy,
    /// Elements; all of them are put in, or the first one alone.
    Block(Rc<Vec<SourceNode>>),
}

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) parameters: Vec<MacroParameter>,
    pub(super) body: Rc<SourceElement>,
}

#[derive(Debug, Default)]
struct Scope {
    parent: Option<ScopeId>,
    /// Whether an `<xacro:include ns="…">` made it.
    named: bool,
    entries: HashMap<String, Entry>,
    macros: HashMap<String, Rc<Macro>>,
    /// Macros of included files, by the name that they were included under.
    spaces: HashMap<String, ScopeId>,
    /// Where macros are looked for beside those of this scope: not those that the parent has, for a
    /// file of its own name.
    macro_parent: Option<ScopeId>,
}

/// All scopes of a file. A scope has the properties of its parents too.
#[derive(Debug)]
pub(super) struct Scopes(Vec<Scope>);

impl Default for Scopes {
    fn default() -> Self {
        Self(vec![Scope::default()])
    }
}

impl Scopes {
    /// A scope for a call of a macro: its properties are those of one scope, its macros those of
    /// another.
    pub(super) fn local(&mut self, symbols: ScopeId, macros: ScopeId) -> ScopeId {
        self.0.push(Scope {
            parent: Some(symbols),
            macro_parent: Some(macros),
            ..Scope::default()
        });
        self.0.len() - 1
    }

    /// A scope for a file that is included under a name.
    pub(super) fn named(&mut self, parent: ScopeId, name: &str) -> ScopeId {
        self.0.push(Scope {
            parent: Some(parent),
            named: true,
            ..Scope::default()
        });
        let id = self.0.len() - 1;
        self.0[parent].spaces.insert(name.to_owned(), id);
        let space = PythonValue::Space(super::value::Space::Scope(id));
        self.set(parent, name, Entry::Value(space));
        id
    }

    /// Gives back the scope of a call that is over. Scopes that are referred to by name stay.
    pub(super) fn leave(&mut self, id: ScopeId) {
        if id + 1 == self.0.len() && id != TOP {
            self.0.pop();
        }
    }

    pub(super) fn set(&mut self, scope: ScopeId, name: &str, entry: Entry) {
        self.0[scope].entries.insert(name.to_owned(), entry);
    }

    /// Removes a name from a scope and all its parents.
    pub(super) fn remove(&mut self, scope: ScopeId, name: &str) {
        let mut at = Some(scope);
        while let Some(id) = at {
            self.0[id].entries.remove(name);
            at = self.0[id].parent;
        }
    }

    /// The scope that has a name, and what it stands for there.
    pub(super) fn find(&self, scope: ScopeId, name: &str) -> Option<(ScopeId, &Entry)> {
        let mut at = Some(scope);
        while let Some(id) = at {
            if let Some(entry) = self.0[id].entries.get(name) {
                return Some((id, entry));
            }
            at = self.0[id].parent;
        }
        None
    }

    /// Names of properties that are known in a scope.
    pub(super) fn names(&self, scope: ScopeId) -> Vec<&str> {
        let mut names = Vec::new();
        let mut at = Some(scope);
        while let Some(id) = at {
            names.extend(self.0[id].entries.keys().map(String::as_str));
            at = self.0[id].parent;
        }
        names.sort_unstable();
        names
    }

    /// The scope that `scope="parent"` means: the caller's, past those of included files.
    pub(super) fn parent(&self, scope: ScopeId) -> ScopeId {
        let mut parent = self.0[scope].parent.unwrap_or(TOP);
        while !self.0[scope].named && self.0[parent].named {
            parent = self.0[parent].parent.unwrap_or(TOP);
        }
        parent
    }

    pub(super) fn define(&mut self, scope: ScopeId, name: &str, body: Macro) {
        self.0[scope].macros.insert(name.to_owned(), Rc::new(body));
    }

    /// A macro by its name, which may begin with those of included files. Found are the scope whose
    /// properties it sees, and the one whose macros.
    pub(super) fn find_macro(
        &self,
        scope: ScopeId,
        name: &str,
    ) -> Option<(ScopeId, ScopeId, Rc<Macro>)> {
        let upwards = |scope: ScopeId, name: &str| {
            let mut at = Some(scope);
            while let Some(id) = at {
                if let Some(found) = self.0[id].macros.get(name) {
                    return Some(found.clone());
                }
                at = self.macro_parent(id);
            }
            None
        };
        if let Some(found) = upwards(scope, name) {
            return Some((scope, scope, found));
        }
        let mut parts: Vec<&str> = name.split('.').collect();
        let last = parts.pop()?;
        if parts.is_empty() {
            return None;
        }
        let mut space = scope;
        for part in parts {
            let mut at = Some(space);
            space = loop {
                let id = at?;
                if let Some(found) = self.0[id].spaces.get(part) {
                    break *found;
                }
                at = self.macro_parent(id);
            };
        }
        upwards(space, last).map(|found| (space, space, found))
    }

    fn macro_parent(&self, id: ScopeId) -> Option<ScopeId> {
        self.0[id].macro_parent
    }

    /// Names of macros that are known in a scope.
    pub(super) fn macros(&self, scope: ScopeId) -> Vec<&str> {
        let mut names = Vec::new();
        let mut at = Some(scope);
        while let Some(id) = at {
            names.extend(self.0[id].macros.keys().map(String::as_str));
            at = self.macro_parent(id);
        }
        names.sort_unstable();
        names
    }
}
